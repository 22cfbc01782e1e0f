//! Fences: a flush is done when it returns, except in two cases. If it is deferred, the next flush
//! signals its fence. If it works in the background, it signals its fence at its end.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use pipe_core::context::Fences;
use pipe_core::{FenceHandle, FlushFlags, PipeError};

use super::Context;
#[cfg(feature = "desktop")]
use crate::device::External;
use crate::device::Fence;
use crate::features::DESKTOP;
use crate::profile::Profile;
#[cfg(flights)]
use crate::resource::FlightNumber;

/// The fences of a context's pending work.
#[derive(Debug)]
pub(super) struct UnsignalledFences<'m>(Vec<'m, RawHandle>);

impl<'m> UnsignalledFences<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        UnsignalledFences(Vec::new_in(memory))
    }
}

/// Returns true if a flush may be deferred until a caller waits for its fence.
///
/// # Errors
/// [`PipeError::Unsupported`]: `FENCE_FD` without the feature `desktop`.
pub(super) fn wants_deferred(flags: FlushFlags) -> Result<bool, PipeError> {
    if flags.contains(FlushFlags::FENCE_FD) && !DESKTOP {
        return Err(PipeError::Unsupported("FENCE_FD (the feature `desktop` exports fences)"));
    }
    Ok(flags.contains(FlushFlags::DEFERRED))
}

impl<P: Profile> Context<'_, '_, P> {
    /// Ends a flush: signals the fences of finished work, and returns the fence of all work so far.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn fence(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        if self.scene.is_empty() {
            self.signal_fences();
            #[cfg(flights)]
            let fence = self.device.fence_of(self.flight())?;
            #[cfg(not(flights))]
            let fence = self.device.signalled_fence()?;
            return Ok(Some(FenceHandle::new(fence)));
        }
        // Fences of pending work are signalled together, so flushes that leave work for a panel
        // share one.
        if !flags.contains(FlushFlags::DEFERRED)
            && let Some(&fence) = self.fences.0.last()
            && self.device.add_fence_handle(fence)
        {
            return Ok(Some(FenceHandle::new(fence)));
        }
        self.fences.0.try_reserve(1)?;
        let fence = self.device.insert_fence(Fence::of_flush(false))?;
        self.fences.0.try_push(fence)?;
        Ok(Some(FenceHandle::new(fence)))
    }

    /// Waits for an external fence, as long as the device's budget allows.
    ///
    /// # Errors
    /// The errors of a flush; [`PipeError::Stopped`].
    #[cfg(feature = "desktop")]
    fn wait_outside(&mut self, external: &External<'_>) -> Result<(), PipeError> {
        /// The longest wait between two checks of the budget.
        const PATIENCE_NS: u64 = 10_000_000;
        if !external.port.wait(0) {
            // The signaller may itself wait for this context's draws.
            self.finish_work()?;
            while !external.port.wait(PATIENCE_NS) {
                let goes_on = self.device.work.spend(0);
                self.note_stop(goes_on)?;
            }
        }
        if external.is_reusable {
            external.port.reset();
        }
        Ok(())
    }

    /// Hands the fences of all work so far to the flight that does this work.
    #[cfg(flights)]
    pub(super) fn leave_fences(&mut self, flight: FlightNumber) {
        self.device.leave_fences(&self.fences.0, flight);
        self.fences.0.clear();
    }

    /// Signals the fences of all work so far.
    pub(super) fn signal_fences(&mut self) {
        if !self.fences.0.is_empty() {
            self.device.signal(&self.fences.0);
            self.fences.0.clear();
        }
    }
}

impl<P: Profile> Fences for Context<'_, '_, P> {
    /// Does nothing for a signalled fence. Flushes for a fence of this context. Waits for the flush
    /// in flight of another context. For an imported fence it flushes and waits.
    ///
    /// # Errors
    /// The handle is stale. [`PipeError::NotReady`]: the fence belongs to a deferred flush of
    /// another context, which must be flushed first. [`PipeError::Stopped`], if the device has a
    /// budget.
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        #[cfg(feature = "desktop")]
        if let Some(external) = self.device.external(fence)? {
            return self.wait_outside(&external);
        }
        if self.device.is_signalled(fence)? {
            return Ok(());
        }
        if self.fences.0.contains(&fence.raw()) {
            self.finish_work()?;
        }
        #[cfg(flights)]
        let done = self.device.wait_for_flight(fence, self.flight())?;
        #[cfg(not(flights))]
        let done = self.device.is_signalled(fence)?;
        if done { Ok(()) } else { Err(PipeError::NotReady) }
    }

    /// Flushes, and signals a reusable imported fence.
    ///
    /// # Errors
    /// The handle is stale. [`PipeError::Unsupported`]: a fence of a flush, which the flush
    /// signals, or an imported fence that its owner signals.
    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        #[cfg(feature = "desktop")]
        if let Some(external) = self.device.external(fence)?
            && external.is_reusable
        {
            self.finish_work()?;
            external.port.signal();
            return Ok(());
        }
        self.device.is_signalled(fence)?;
        Err(PipeError::Unsupported("signalling fences other than re-usable ones from outside"))
    }
}
