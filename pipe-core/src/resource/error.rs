//! The reasons why no resource can be made from a template.

use super::target::TextureTarget;

/// The reason why no resource can be made from a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResourceError {
    /// The format is `Format::None`.
    #[error("no format")]
    NoFormat,
    /// A size is 0.
    #[error("{0} is zero")]
    Zero(&'static str),
    /// A size exceeds the contract's limit.
    #[error("{what} is {value}, the limit is {limit}")]
    TooLarge {
        /// The member of the template.
        what: &'static str,
        /// The value it has.
        value: u32,
        /// The largest value allowed.
        limit: u32,
    },
    /// A size has another value than the target requires.
    #[error("{what} is {value}, but must be {expected} for {target:?}")]
    Mismatch {
        /// The member of the template.
        what: &'static str,
        /// The value it has.
        value: u32,
        /// The only value allowed.
        expected: u32,
        /// The target that requires it.
        target: TextureTarget,
    },
    /// A cube array's layers are not whole cubes.
    #[error("array_size is {0}, not a multiple of 6")]
    NotCubes(u32),
    /// Level 0 is too small for this many levels.
    #[error("last_level is {last_level}, but level {possible} is one texel")]
    TooManyLevels {
        /// The template's last level.
        last_level: u32,
        /// The last level that the size allows.
        possible: u32,
    },
    /// Sample counts contradict each other or the target.
    #[error("{0}")]
    Samples(&'static str),
    /// The size in bytes exceeds `isize::MAX`.
    #[error("the size in bytes overflows")]
    Overflow,
    /// Flags contradict each other or the target.
    #[error("{0}")]
    Flags(&'static str),
}
