//! Fences: a flush is done when it returns, unless it is deferred; then its fence is signalled by
//! the flush that comes next.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use pipe_core::context::{Fences, Flushing};
use pipe_core::{FenceHandle, FlushFlags, PipeError};

use super::Context;
use crate::device::Fence;
use crate::profile::Profile;

/// The fences of a context's pending work.
#[derive(Debug)]
pub(super) struct UnsignalledFences<'m>(Vec<'m, RawHandle>);

impl<'m> UnsignalledFences<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        UnsignalledFences(Vec::new_in(memory))
    }
}

/// Returns true if a flush may wait until somebody waits for its fence.
///
/// # Errors
/// [`PipeError::Unsupported`]: `FENCE_FD`.
pub(super) fn wants_deferred(flags: FlushFlags) -> Result<bool, PipeError> {
    if flags.contains(FlushFlags::FENCE_FD) {
        return Err(PipeError::Unsupported("FENCE_FD (see the cap NativeFenceFd)"));
    }
    Ok(flags.contains(FlushFlags::DEFERRED))
}

impl<P: Profile> Context<'_, '_, P> {
    /// Ends a flush: signals the fences of work that is done, and makes one if the flags ask for it.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn fence(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        let done = self.scene.is_empty();
        if done {
            self.signal_fences();
        }
        let asks = FlushFlags::DEFERRED | FlushFlags::ASYNC | FlushFlags::HINT_FINISH;
        if !flags.intersects(asks) {
            return Ok(None);
        }
        if !done {
            self.fences.0.try_reserve(1)?;
        }
        let fence = self.device.insert_fence(Fence { done })?;
        if !done {
            self.fences.0.try_push(fence)?;
        }
        Ok(Some(FenceHandle::new(fence)))
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
    /// Does nothing for a fence that is signalled, and flushes for one of this context.
    ///
    /// # Errors
    /// The handle is stale. [`PipeError::NotReady`]: the fence is of a deferred flush of another
    /// context, which has to be flushed first.
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        if self.device.is_signalled(fence)? {
            return Ok(());
        }
        if self.fences.0.contains(&fence.raw()) {
            self.flush(FlushFlags::empty())?;
        }
        if self.device.is_signalled(fence)? { Ok(()) } else { Err(PipeError::NotReady) }
    }

    /// Refused (cap `FenceSignal`): all fences are of flushes, and are signalled once.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Unsupported`].
    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        self.device.is_signalled(fence)?;
        Err(PipeError::Unsupported("signalling fences in a context (see the cap FenceSignal)"))
    }
}
