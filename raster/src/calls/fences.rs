//! Fences: a flush is done when it returns, except in two cases. If it is deferred, the next flush
//! signals its fence. If it works in the background, it signals its fence at its end.

use pipe_core::context::Fences;
#[cfg(feature = "desktop")]
use pipe_core::{FenceHandle, PipeError};

use crate::context::Context;
#[cfg(feature = "desktop")]
use crate::device::External;
use crate::profile::Profile;

#[cfg(not(feature = "desktop"))]
impl<P: Profile> Fences for Context<'_, '_, P> {}

#[cfg(feature = "desktop")]
impl<P: Profile> Fences for Context<'_, '_, P> {
    /// Does nothing for a signalled fence. Flushes for a fence of this context. Waits for the flush
    /// in flight of another context. For an imported fence it flushes and waits.
    ///
    /// # Errors
    /// The handle is stale. [`PipeError::NotReady`]: the fence belongs to a deferred flush of
    /// another context, which must be flushed first. [`PipeError::Stopped`], if the device has a
    /// budget.
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        let device = self.renderer.device;
        if let Some(external) = device.external(fence)? {
            return self.wait_outside(&external);
        }
        if device.is_signalled(fence)? {
            return Ok(());
        }
        if self.state.fences.contains(fence.raw()) {
            self.finish_work()?;
        }
        if self.renderer.wait_for_flight(fence)? { Ok(()) } else { Err(PipeError::NotReady) }
    }

    /// Flushes, and signals a reusable imported fence.
    ///
    /// # Errors
    /// The handle is stale. [`PipeError::Unsupported`]: a fence of a flush, which the flush
    /// signals, or an imported fence that its owner signals.
    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        let device = self.renderer.device;
        if let Some(external) = device.external(fence)?
            && external.is_reusable
        {
            self.finish_work()?;
            external.port.signal();
            return Ok(());
        }
        device.is_signalled(fence)?;
        Err(PipeError::Unsupported("signalling fences other than re-usable ones from outside"))
    }
}

#[cfg(feature = "desktop")]
impl<P: Profile> Context<'_, '_, P> {
    /// Waits for an external fence, as long as the device's budget allows.
    ///
    /// # Errors
    /// The errors of a flush; [`PipeError::Stopped`].
    fn wait_outside(&mut self, external: &External<'_>) -> Result<(), PipeError> {
        /// The longest wait between two checks of the budget.
        const PATIENCE_NS: u64 = 10_000_000;
        if !external.port.wait(0) {
            // The signaller may itself wait for this context's draws.
            self.finish_work()?;
            while !external.port.wait(PATIENCE_NS) {
                let goes_on = self.renderer.device.work.spend(0);
                self.note_stop(goes_on)?;
            }
        }
        if external.is_reusable {
            external.port.reset();
        }
        Ok(())
    }
}
