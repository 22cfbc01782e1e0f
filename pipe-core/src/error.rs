//! The error of screens and contexts.

use formats::Format;
#[cfg(feature = "budget")]
use os_shim::budget::Stopped;
use os_shim::memory::OutOfMemory;
use os_shim::pool::{MAX_OBJECTS, PoolError, RawHandle};
use tgsi::text::TextError;

use crate::handle::{Handle, Kind};
use crate::panel::PanelError;
use crate::region::Region;
use crate::resource::ResourceError;

/// The reason why a screen or context refused a call. The state before the call is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PipeError {
    /// The memory passed in the `Os` cannot hold the request.
    #[error("out of memory: {requested} bytes requested beyond what is left: hand over more")]
    OutOfMemory {
        /// Size of the request that failed, in bytes.
        requested: usize,
    },
    /// The handle's object was destroyed, or belongs to another context.
    #[error("stale handle {kind}{handle:?}")]
    StaleHandle {
        /// The kind of object.
        kind: &'static str,
        /// The handle.
        handle: RawHandle,
    },
    /// The object is in use: a resource is mapped, a handle is bound …
    #[error("{0} is in use")]
    Busy(&'static str),
    /// The driver lacks the feature; its caps announce this beforehand.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// The driver cannot use the format like this; see `Screen::is_format_supported`.
    #[error("format {format:?} is not supported as {usage}")]
    UnsupportedFormat {
        /// The format.
        format: Format,
        /// The intended use.
        usage: &'static str,
    },
    /// A number exceeds its limit.
    #[error("{what} is {value}, the limit is {limit}")]
    OutOfRange {
        /// The name of the number.
        what: &'static str,
        /// The value that was given.
        value: u64,
        /// The largest value allowed.
        limit: u64,
    },
    /// A box exceeds its level.
    #[error(
        "the region {}x{}x{} at ({}, {}, {}) leaves the level of {}x{}x{}",
        region.width, region.height, region.depth, region.x, region.y, region.z,
        size[0], size[1], size[2]
    )]
    RegionOutOfRange {
        /// The box.
        region: Region,
        /// The level's width, height, and number of slices or layers.
        size: [u32; 3],
    },
    /// Arguments contradict each other or the manual.
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// A draw or launch lacks a binding it needs.
    #[error("not bound: {0}")]
    Unbound(&'static str),
    /// A resource cannot be made from its template.
    #[error("resource template: {0}")]
    Resource(#[from] ResourceError),
    /// The driver cannot accept the shader.
    #[error("shader, line {line}, column {column}: {what}")]
    Shader {
        /// The fault.
        what: &'static str,
        /// Line of the text, from 1; 0 if the shader is not text.
        line: u32,
        /// Column of the line, from 1; 0 if the shader is not text.
        column: u32,
    },
    /// A shader's text breaks the grammar. [`tgsi::text::parse`] returns the text that was found.
    #[error("shader, line {line}, column {column}: expected {expected}")]
    ShaderSyntax {
        /// The token or construct expected there.
        expected: &'static str,
        /// Line of the text, from 1.
        line: u32,
        /// Column of the line, from 1.
        column: u32,
    },
    /// The result is not available yet, and the caller did not want to wait.
    #[error("not ready")]
    NotReady,
    /// The display refused a tile.
    #[error("panel: {0}")]
    Panel(#[from] PanelError),
    /// A frame for a surface without storage exceeds the driver's scene buffer.
    #[error("the frame needs a scene buffer of {needed} bytes, there are {capacity}")]
    SceneFull {
        /// Size of the scene buffer, in bytes.
        capacity: usize,
        /// Bytes that the frame needs as far as it was drawn; for `present`, the bytes of the whole
        /// frame.
        needed: usize,
    },
    /// The command was stopped before its end: its work exceeded the device's budget, or another
    /// thread cancelled it. Its targets hold any part of the result.
    #[cfg(feature = "budget")]
    #[error("stopped: {0}")]
    Stopped(#[from] Stopped),
    /// The device is lost; the context is no longer usable.
    #[error("device lost")]
    DeviceLost,
}

impl PipeError {
    /// Returns the error for a handle without a live object.
    pub fn stale<K: Kind>(handle: Handle<K>) -> Self {
        Self::StaleHandle { kind: K::NAME, handle: handle.raw() }
    }

    /// Checks that `value` is at most `limit`; `what` names it in the error.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`].
    pub fn at_most(what: &'static str, value: u64, limit: u64) -> Result<(), Self> {
        if value <= limit { Ok(()) } else { Err(Self::OutOfRange { what, value, limit }) }
    }

    /// Checks that a box lies within a level of `size` (width, height, slices or layers).
    ///
    /// # Errors
    /// [`PipeError::RegionOutOfRange`].
    pub fn within(region: &Region, size: [u32; 3]) -> Result<(), Self> {
        if region.is_within(size) {
            Ok(())
        } else {
            Err(Self::RegionOutOfRange { region: *region, size })
        }
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
            TextError::TooLong { bytes, limit } => Self::OutOfRange {
                what: "a shader's text, in bytes,",
                value: bytes as u64,
                limit: limit as u64,
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
                value: (MAX_OBJECTS as u64).saturating_add(1),
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
            (
                PipeError::OutOfMemory { requested: 12 },
                "out of memory: 12 bytes requested beyond what is left: hand over more",
            ),
            (PipeError::StaleHandle { kind: "blend", handle }, "stale handle blend#3.1"),
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
            (
                TextError::TooLong { bytes: 1_048_577, limit: 1_048_576 }.into(),
                "a shader's text, in bytes, is 1048577, the limit is 1048576",
            ),
            (PanelError(5).into(), "panel: display error 5"),
            (
                PanelError::too_large(2048).into(),
                "panel: a tile of 2048 bytes is larger than the buffers: lend larger ones",
            ),
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
