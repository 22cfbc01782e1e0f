//! Diagnostics: messages to a callback, and string markers.

use core::fmt;

use pipe_core::PipeError;
use pipe_core::diagnostics::{DebugCallback, DebugType};

/// Bytes of a marker that are kept.
const MARKER: usize = 64;

/// The debug callback and the string markers of a context.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    pub(crate) callback: Option<DebugCallback>,
    /// The last string marker, truncated.
    pub(crate) marker: heapless::String<MARKER>,
    /// The number of string markers so far.
    pub(crate) markers: u32,
}

impl Diagnostics {
    /// Reports a call that was refused.
    pub(crate) fn error(&self, error: PipeError) {
        let kind = match error {
            PipeError::OutOfMemory { .. } => DebugType::OutOfMemory,
            // A wait that the caller did not want is not an error.
            PipeError::NotReady => return,
            _ => DebugType::Error,
        };
        self.tell(kind, format_args!("{error}"));
    }

    /// Reports a shader that was created.
    pub(crate) fn shader(&self, message: fmt::Arguments<'_>) {
        self.tell(DebugType::ShaderInfo, message);
    }

    fn tell(&self, kind: DebugType, message: fmt::Arguments<'_>) {
        if let Some(DebugCallback { call, data }) = self.callback {
            call(data, kind, message);
        }
    }

    /// Stores a string marker.
    pub(crate) fn mark(&mut self, marker: &str) {
        self.markers = self.markers.wrapping_add(1);
        self.marker.clear();
        for letter in marker.chars() {
            if self.marker.push(letter).is_err() {
                break;
            }
        }
        self.tell(DebugType::Info, format_args!("marker: {marker}"));
    }
}
