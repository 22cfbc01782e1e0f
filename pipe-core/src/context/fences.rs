//! Synchronization by fences (manual, chapter Context, "Fences").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::FenceHandle;

/// Fences in the stream of commands. [`Screen::fence_finish`](crate::Screen::fence_finish) waits
/// for one on the CPU.
pub trait Fences {
    /// Makes later commands wait for a fence. A reusable fence is then unsignalled.
    ///
    /// # Errors
    /// The handle is stale.
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        let _ = fence;
        unsupported("waiting for fences in a context")
    }

    /// Signals a reusable external fence after all commands so far.
    ///
    /// # Errors
    /// The handle is stale, or [`PipeError::Unsupported`] (cap `FenceSignal`).
    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        let _ = fence;
        unsupported("signalling fences in a context")
    }
}
