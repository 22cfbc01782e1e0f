//! Enums with numbers: defined once, decoded without `unsafe`.

/// Defines fieldless enums with `from_number`, `number` and `ALL`.
macro_rules! numbered {
    ($(
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $value:expr, )+
        }
    )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u8)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant = $value, )+
        }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )+];

            /// Returns the variant with this number, as in Gallium's headers and on the virgl wire;
            /// `None` if no variant has it.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $( n if n == Self::$variant as u32 => Some(Self::$variant), )+
                    _ => None,
                }
            }

            /// Returns the number of the variant, for [`Self::from_number`].
            #[inline]
            pub const fn number(self) -> u32 {
                self as u32
            }
        }

        impl $crate::key::Bitwise for $name {
            #[inline]
            fn same_bits(&self, other: &Self) -> bool {
                self == other
            }
            #[inline]
            fn hash_bits<H: core::hash::Hasher>(&self, hasher: &mut H) {
                hasher.write_u8(*self as u8);
            }
        }

        impl $crate::wire::Wire<'_> for $name {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                out.number(u64::from(self.number()));
            }
            fn read(
                input: &mut $crate::wire::Reader<'_, '_>,
            ) -> Result<Self, $crate::wire::TraceError> {
                let number = $crate::wire::Wire::read(input)?;
                Self::from_number(number).ok_or($crate::wire::TraceError::Value(stringify!($name)))
            }
        }
    )+ };
}
pub(crate) use numbered;
