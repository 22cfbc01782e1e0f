//! What can go wrong: an unsupported format, or a buffer too small.

use crate::Format;

/// Why pixels were not converted. Nothing has been written then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error {
    /// The format does not have what was asked for, or its conversion is not implemented.
    #[error("no such conversion for {0}")]
    Unsupported(Format),
    /// Integers and numbers do not convert to each other.
    #[error("{from} does not convert to {to}")]
    Incompatible {
        /// The format of the source.
        from: Format,
        /// The format of the destination.
        to: Format,
    },
    /// The source is shorter than its stride, width and height say.
    #[error("the source has {got} elements, and {needed} are needed")]
    SourceTooSmall {
        /// Elements (bytes or pixels) that the rectangle spans.
        needed: usize,
        /// Elements there are.
        got: usize,
    },
    /// The destination is shorter than its stride, width and height say.
    #[error("the destination has {got} elements, and {needed} are needed")]
    DestinationTooSmall {
        /// Elements (bytes or pixels) that the rectangle spans.
        needed: usize,
        /// Elements there are.
        got: usize,
    },
}
