//! Why no resource can be made from a template.

use super::target::TextureTarget;

/// Why no resource can be made from a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResourceError {
    /// The format is `None`.
    #[error("no format")]
    NoFormat,
    /// A size is zero.
    #[error("{0} is zero")]
    Zero(&'static str),
    /// A size is beyond what the contract allows.
    #[error("{what} is {value}, the limit is {limit}")]
    TooLarge {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The largest allowed.
        limit: u32,
    },
    /// A size must have another value for this target.
    #[error("{what} is {value}, but must be {expected} for {target:?}")]
    Mismatch {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The only value allowed.
        expected: u32,
        /// The target that demands it.
        target: TextureTarget,
    },
    /// A cube array's layers are not whole cubes.
    #[error("array_size is {0}, not a multiple of 6")]
    NotCubes(u32),
    /// Level 0 does not shrink that many times.
    #[error("last_level is {last_level}, but level {possible} is one texel")]
    TooManyLevels {
        /// The template's last level.
        last_level: u32,
        /// The last level the size allows.
        possible: u32,
    },
    /// Samples that contradict each other or the target.
    #[error("{0}")]
    Samples(&'static str),
    /// The size in bytes does not fit in memory.
    #[error("the size in bytes overflows")]
    Overflow,
    /// Flags that contradict each other.
    #[error("{0}")]
    Flags(&'static str),
}
