//! The errors of conversions: an unsupported format, or a buffer too small.

use crate::Format;

/// The reason why pixels were not converted. On an error nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error {
    /// The format lacks depth or stencil, or this build lacks its conversion.
    #[error("no such conversion for {0}")]
    Unsupported(Format),
    /// Pure integers and other numbers do not convert to each other.
    #[error("{from} does not convert to {to}")]
    Incompatible {
        /// The format of the source.
        from: Format,
        /// The format of the destination.
        to: Format,
    },
    /// The source is shorter than the stride, width and height require.
    #[error("the source has {got} elements, and {needed} are needed")]
    SourceTooSmall {
        /// Number of elements (bytes or pixels) that the rectangle spans.
        needed: usize,
        /// Number of elements in the source.
        got: usize,
    },
    /// The destination is shorter than the stride, width and height require.
    #[error("the destination has {got} elements, and {needed} are needed")]
    DestinationTooSmall {
        /// Number of elements (bytes or pixels) that the rectangle spans.
        needed: usize,
        /// Number of elements in the destination.
        got: usize,
    },
}
