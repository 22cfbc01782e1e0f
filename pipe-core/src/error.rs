//! What can go wrong, as one value to match on.

use formats::Format;
use os_shim::memory::OutOfMemory;
use os_shim::pool::{MAX_OBJECTS, PoolError, RawHandle};
use tgsi::text::TextError;

use crate::handle::{Handle, Kind};
use crate::panel::PanelError;
use crate::region::Region;
use crate::resource::ResourceError;

/// Why a screen or context refused a call. The state before the call is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PipeError {
    /// Memory handed over by the `Os` is used up.
    #[error("out of memory: {requested} bytes requested")]
    OutOfMemory {
        /// The bytes that were asked for.
        requested: usize,
    },
    /// The handle's object was destroyed, or it belongs to another context.
    #[error("{kind}{handle:?} names nothing")]
    StaleHandle {
        /// The kind of object.
        kind: &'static str,
        /// The handle.
        handle: RawHandle,
    },
    /// The object is in use (a resource that is mapped, a handle that is bound …).
    #[error("{0} is in use")]
    Busy(&'static str),
    /// The driver does not do this. Its caps say so beforehand.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// The driver cannot use this format this way; see `Screen::is_format_supported`.
    #[error("format {format:?} is not supported as {usage}")]
    UnsupportedFormat {
        /// The format.
        format: Format,
        /// What it was to be used for.
        usage: &'static str,
    },
    /// A number is beyond what is allowed.
    #[error("{what} is {value}, the limit is {limit}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The largest value allowed.
        limit: u64,
    },
    /// A box does not lie within the level it is about.
    #[error(
        "the region {}x{}x{} at ({}, {}, {}) leaves the level of {}x{}x{}",
        region.width, region.height, region.depth, region.x, region.y, region.z,
        size[0], size[1], size[2]
    )]
    RegionOutOfRange {
        /// The box.
        region: Region,
        /// The level's width, height, and slices or layers.
        size: [u32; 3],
    },
    /// Arguments that contradict each other or the manual.
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// A draw or dispatch lacks something that must be bound.
    #[error("nothing bound as {0}")]
    Unbound(&'static str),
    /// A resource cannot be made from its template.
    #[error("resource template: {0}")]
    Resource(#[from] ResourceError),
    /// A shader is not acceptable.
    #[error("shader, line {line}, column {column}: {what}")]
    Shader {
        /// What is wrong.
        what: &'static str,
        /// Line of the text, from 1; 0 when it did not come from text.
        line: u32,
        /// Column of the line, from 1; 0 when it did not come from text.
        column: u32,
    },
    /// A shader's text breaks the grammar. [`tgsi::text::parse`] tells what was found instead.
    #[error("shader, line {line}, column {column}: expected {expected}")]
    ShaderSyntax {
        /// What would have been right.
        expected: &'static str,
        /// Line of the text, from 1.
        line: u32,
        /// Column of the line, from 1.
        column: u32,
    },
    /// The result is not there yet, and waiting was not asked for.
    #[error("not ready")]
    NotReady,
    /// The display refused.
    #[error("panel: {0}")]
    Panel(#[from] PanelError),
    /// A frame for a surface without storage does not fit the driver's scene buffer.
    #[error("the frame needs a scene buffer of {needed} bytes, there are {capacity}")]
    SceneFull {
        /// The scene buffer's size.
        capacity: usize,
        /// What the frame needs as far as it was drawn; `present` tells for the whole frame.
        needed: usize,
    },
    /// The device is gone; the context is of no more use.
    #[error("device lost")]
    DeviceLost,
}

impl PipeError {
    /// The error for a handle that names nothing.
    pub fn stale<K: Kind>(handle: Handle<K>) -> Self {
        Self::StaleHandle { kind: K::NAME, handle: handle.raw() }
    }

    /// `Ok` when `value` is at most `limit`.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`].
    pub fn at_most(what: &'static str, value: u64, limit: u64) -> Result<(), Self> {
        if value <= limit { Ok(()) } else { Err(Self::OutOfRange { what, value, limit }) }
    }
}

impl From<OutOfMemory> for PipeError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory { requested: error.requested }
    }
}

impl From<TextError> for PipeError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::OutOfMemory(error) => error.into(),
            TextError::Syntax(error) => Self::ShaderSyntax {
                expected: error.expected,
                line: error.position.line,
                column: error.position.column,
            },
            _ => Self::Shader { what: "not a shader", line: 0, column: 0 },
        }
    }
}

impl From<PoolError> for PipeError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::OutOfMemory(error) => error.into(),
            _ => Self::OutOfRange {
                what: "the number of objects",
                value: MAX_OBJECTS as u64 + 1,
                limit: MAX_OBJECTS as u64,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn messages_say_what_and_where() {
        let region = Region { x: 8, ..Region::whole(9, 1, 1) };
        let handle = RawHandle::from_bits(0x10_0003).expect("not 0");
        for (error, message) in [
            (PipeError::OutOfMemory { requested: 12 }, "out of memory: 12 bytes requested"),
            (PipeError::StaleHandle { kind: "blend", handle }, "blend#3.1 names nothing"),
            (
                PipeError::OutOfRange { what: "the slot", value: 33, limit: 32 },
                "the slot is 33, the limit is 32",
            ),
            (
                PipeError::RegionOutOfRange { region, size: [16, 16, 1] },
                "the region 9x1x1 at (8, 0, 0) leaves the level of 16x16x1",
            ),
            (
                ResourceError::TooManyLevels { last_level: 9, possible: 4 }.into(),
                "resource template: last_level is 9, but level 4 is one texel",
            ),
            (
                PipeError::Shader { what: "unknown opcode", line: 3, column: 7 },
                "shader, line 3, column 7: unknown opcode",
            ),
            (PanelError(5).into(), "panel: display error 5"),
        ] {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn bounds_include_their_limit() {
        assert_eq!(PipeError::at_most("x", 3, 3), Ok(()));
        let error = PipeError::OutOfRange { what: "x", value: 4, limit: 3 };
        assert_eq!(PipeError::at_most("x", 4, 3), Err(error));
    }
}
