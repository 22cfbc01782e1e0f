//! The fences of a screen.

use os_shim::pool::RawHandle;
use pipe_core::{FenceHandle, PipeError};

use super::{Device, pool_error};

/// A fence: signalled once, and for good.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    /// Set once it is signalled.
    pub(crate) done: bool,
}

impl Device<'_> {
    /// Makes a fence.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn insert_fence(&self, fence: Fence) -> Result<RawHandle, PipeError> {
        self.shared.lock().fences.insert(fence).map_err(pool_error)
    }

    /// Signals fences, and wakes those that wait for them. Destroyed ones are passed over.
    pub(crate) fn signal(&self, fences: &[RawHandle]) {
        let mut shared = self.shared.lock();
        for fence in fences {
            if let Some(fence) = shared.fences.get_mut(*fence) {
                fence.done = true;
            }
        }
        drop(shared);
        #[cfg(feature = "threads")]
        self.freed.notify_all();
    }

    /// Returns true if a fence is signalled.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn is_signalled(&self, fence: FenceHandle) -> Result<bool, PipeError> {
        let shared = self.shared.lock();
        shared.fences.get(fence.raw()).map(|fence| fence.done).ok_or(PipeError::stale(fence))
    }

    /// Waits for a fence, at most `timeout_ns` nanoseconds; returns true if it is signalled. Without
    /// the feature `threads` nobody could signal it meanwhile, so it does not wait.
    ///
    /// # Errors
    /// The handle is stale, or becomes so.
    pub(crate) fn wait_for(&self, fence: FenceHandle, timeout_ns: u64) -> Result<bool, PipeError> {
        #[cfg(feature = "threads")]
        {
            let end = self.os.clock.now_ns().saturating_add(timeout_ns);
            let mut shared = self.shared.lock();
            loop {
                let Some(&Fence { done }) = shared.fences.get(fence.raw()) else {
                    return Err(PipeError::stale(fence));
                };
                let left = end.saturating_sub(self.os.clock.now_ns());
                if done || left == 0 {
                    return Ok(done);
                }
                shared = self.freed.wait_for(shared, left);
            }
        }
        #[cfg(not(feature = "threads"))]
        {
            let _ = timeout_ns;
            self.is_signalled(fence)
        }
    }

    /// Ends a fence's handle.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn destroy_fence(&self, fence: FenceHandle) -> Result<(), PipeError> {
        let removed = self.shared.lock().fences.remove(fence.raw());
        #[cfg(feature = "threads")]
        self.freed.notify_all();
        removed.map(|_| ()).ok_or(PipeError::stale(fence))
    }
}
