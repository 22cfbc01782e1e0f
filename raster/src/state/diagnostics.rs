//! Diagnostics: messages to a callback, and string markers.

use core::fmt;

use pipe_core::PipeError;
use pipe_core::diagnostics::{DebugCallback, DebugType};

use crate::features::{DESKTOP, OfDesktop, Only};

/// Bytes of a marker that are kept.
const MARKER: usize = 64;

/// The debug callback and the string markers of a context.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    pub(crate) callback: OfDesktop<Option<DebugCallback>>,
    /// The last string marker, truncated.
    marker: OfDesktop<heapless::String<MARKER>>,
    /// The number of string markers so far.
    pub(crate) markers: OfDesktop<u32>,
}

impl Default for Diagnostics {
    #[inline(always)]
    fn default() -> Self {
        Diagnostics {
            callback: Only::default(),
            marker: Only::with(heapless::String::new),
            markers: Only::default(),
        }
    }
}

impl Diagnostics {
    /// Returns the last string marker, truncated.
    pub(crate) fn marker(&self) -> &str {
        self.marker.get().map_or("", |marker| marker)
    }

    /// Reports a call that was refused.
    #[inline(always)]
    pub(crate) fn error(&self, error: PipeError) {
        if DESKTOP {
            self.tell_error(error);
        }
    }

    fn tell_error(&self, error: PipeError) {
        let kind = match error {
            PipeError::OutOfMemory { .. } => DebugType::OutOfMemory,
            // A wait that the caller did not want is not an error.
            PipeError::NotReady => return,
            _ => DebugType::Error,
        };
        self.tell(kind, format_args!("{error}"));
    }

    /// Reports a shader that was created.
    #[inline(always)]
    pub(crate) fn shader(&self, message: fmt::Arguments<'_>) {
        self.tell(DebugType::ShaderInfo, message);
    }

    #[inline(always)]
    fn tell(&self, kind: DebugType, message: fmt::Arguments<'_>) {
        if let Some(DebugCallback { call, data }) = self.callback.get().copied().flatten() {
            call(data, kind, message);
        }
    }

    /// Stores a string marker.
    pub(crate) fn mark(&mut self, marker: &str) {
        self.markers.set(self.markers.number().wrapping_add(1));
        if let Some(kept) = self.marker.get_mut() {
            kept.clear();
            for letter in marker.chars() {
                if kept.push(letter).is_err() {
                    break;
                }
            }
        }
        self.tell(DebugType::Info, format_args!("marker: {marker}"));
    }
}
