//! Enumerations that have a number in tokens and a spelling in text.

/// Declares an enumeration once: variants, numbers, spellings.
///
/// Each gets `ALL` (in the order of the numbers), `name`, `from_name` (any case) and `from_code`.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $Name:ident {
        $($(#[$doc:meta])* $Variant:ident = $code:literal $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $Name {
            $($(#[$doc])* $Variant = $code,)*
        }

        impl $Name {
            /// Every value, in the order of their numbers.
            pub const ALL: &'static [$Name] = &[$($Name::$Variant,)*];

            /// The spelling in text.
            pub const fn name(self) -> &'static str {
                match self { $($Name::$Variant => $text,)* }
            }

            /// The number in tokens.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value with this number.
            pub const fn from_code(code: u8) -> Option<$Name> {
                match code { $($code => Some($Name::$Variant),)* _ => None }
            }

            /// The value with this spelling, in any case.
            pub fn from_name(name: &str) -> Option<$Name> {
                Self::ALL.iter().copied().find(|value| value.name().eq_ignore_ascii_case(name))
            }
        }

        impl core::fmt::Display for $Name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        #[cfg(feature = "defmt")]
        impl defmt::Format for $Name {
            fn format(&self, f: defmt::Formatter<'_>) {
                defmt::write!(f, "{=str}", self.name())
            }
        }
    };
}

pub(crate) use named_enum;
