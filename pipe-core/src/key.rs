//! State objects as keys: equality and hash of their bits.
//!
//! State holds floats, which are not `Eq`: NaN differs from itself and -0.0 equals 0.0. A cache of
//! state objects asks whether two states were filled out with the same values, so it must compare
//! bits. [`Key`] wraps a state so that `==` and `Hash` use bits.

use core::fmt;
use core::hash::{Hash, Hasher};

/// Comparison and hash by bits.
pub trait Bitwise {
    /// Returns true if both have the same bits; floats are compared by [`f32::to_bits`].
    fn same_bits(&self, other: &Self) -> bool;
    /// Feeds the bits that [`same_bits`](Self::same_bits) compares to `hasher`.
    fn hash_bits<H: Hasher>(&self, hasher: &mut H);
}

/// A state as a key of a map: `Eq` and `Hash` by its bits.
///
/// ```
/// use gallium_pipe_core::{Key, state::SamplerState};
/// let one = SamplerState { lod_bias: 0.0, ..SamplerState::default() };
/// let other = SamplerState { lod_bias: -0.0, ..one };
/// assert!(one == other && Key(one) != Key(other));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Key<T>(pub T);

impl<T: Bitwise> PartialEq for Key<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.same_bits(&other.0)
    }
}

impl<T: Bitwise> Eq for Key<T> {}

impl<T: Bitwise> Hash for Key<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_bits(hasher);
    }
}

impl<T: fmt::Debug> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Bitwise for f32 {
    #[inline]
    fn same_bits(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
    #[inline]
    fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u32(self.to_bits());
    }
}

macro_rules! bitwise_by_eq {
    ($($ty:ty),+) => { $(
        impl Bitwise for $ty {
            #[inline]
            fn same_bits(&self, other: &Self) -> bool {
                self == other
            }
            #[inline]
            fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
                self.hash(hasher);
            }
        }
    )+ };
}
bitwise_by_eq!(bool, u8, u16, u32, u64, i32, formats::Format);

impl<T: Bitwise, const N: usize> Bitwise for [T; N] {
    #[inline]
    fn same_bits(&self, other: &Self) -> bool {
        self.as_slice().same_bits(other.as_slice())
    }
    #[inline]
    fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
        for item in self {
            item.hash_bits(hasher);
        }
    }
}

impl<T: Bitwise> Bitwise for [T] {
    fn same_bits(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same_bits(b))
    }
    fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_usize(self.len());
        for item in self {
            item.hash_bits(hasher);
        }
    }
}

impl<T: Bitwise> Bitwise for Option<T> {
    fn same_bits(&self, other: &Self) -> bool {
        match (self, other) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same_bits(b),
            _ => false,
        }
    }
    fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u8(self.is_some().into());
        if let Some(value) = self {
            value.hash_bits(hasher);
        }
    }
}

/// Prints only the members that differ from the default, for traces.
pub trait Brief {
    /// Writes `Name { field: value, … }` without fields that have default values.
    ///
    /// # Errors
    /// The writer's error.
    fn brief(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// Implements [`Bitwise`], [`Brief`] and the form in traces. Fields are destructured, so a missing
/// field is a compile error.
macro_rules! state_object {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        $crate::key::bitwise!($name { $($field),+ });
        $crate::key::brief!($name { $($field),+ });
        $crate::wire::wire!($name { $($field),+ });
    };
}
pub(crate) use state_object;

/// Implements [`Bitwise`]. Fields are destructured, so a missing field is a compile error.
macro_rules! bitwise {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::key::Bitwise for $name {
            fn same_bits(&self, other: &Self) -> bool {
                let Self { $($field),+ } = self;
                true $( && $crate::key::Bitwise::same_bits($field, &other.$field) )+
            }
            fn hash_bits<H: core::hash::Hasher>(&self, hasher: &mut H) {
                let Self { $($field),+ } = self;
                $( $crate::key::Bitwise::hash_bits($field, hasher); )+
            }
        }
    };
}
pub(crate) use bitwise;

/// Implements [`Brief`]. Fields are destructured, so a missing field is a compile error.
macro_rules! brief {
    ($name:ident $(<$life:lifetime>)? { $($field:ident),+ $(,)? }) => {
        impl $crate::key::Brief for $name $(<$life>)? {
            fn brief(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let Self { $($field),+ } = self;
                let default = Self::default();
                let mut out = f.debug_struct(stringify!($name));
                $( if *$field != default.$field {
                    out.field(stringify!($field), $field);
                } )+
                out.finish()
            }
        }
    };
}
pub(crate) use brief;

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum(u64);

    impl Hasher for Sum {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = self.0.wrapping_mul(31).wrapping_add(u64::from(*byte) + 1);
            }
        }
    }

    fn hash<T: Bitwise>(value: T) -> u64 {
        let mut sum = Sum(0);
        Key(value).hash(&mut sum);
        sum.finish()
    }

    #[test]
    fn floats_compare_by_bits() {
        assert_eq!(Key(f32::NAN), Key(f32::NAN));
        assert_ne!(Key(0.0f32), Key(-0.0f32));
        assert_eq!(hash(f32::NAN), hash(f32::NAN));
        assert_ne!(hash(0.0f32), hash(-0.0f32));
    }

    #[test]
    fn arrays_and_options_compare_by_items() {
        assert_eq!(Key([1.0f32, f32::NAN]), Key([1.0, f32::NAN]));
        assert_ne!(Key(Some(1u32)), Key(None));
        assert_ne!(hash(Some(1u32)), hash(Some(2u32)));
        assert!(!([1u8, 2].as_slice()).same_bits([1u8].as_slice()));
    }
}
