//! The fences of a screen.

use os_shim::pool::{Pool, RawHandle};
use pipe_core::{FenceHandle, PipeError};

use super::external_fences::{External, Ports};
use super::{Device, pool_error};

/// A fence: of a flush, which signals it once and for good, or imported from outside of the device.
#[derive(Default)]
pub(crate) struct Fence<'m> {
    /// Set once the fence is signalled.
    pub(crate) done: bool,
    /// Handles to this fence in addition to the first; all are equal.
    pub(super) other_handles: u32,
    /// The flight that signals the fence when it lands.
    #[cfg(flights)]
    pub(super) flight: crate::resource::FlightNumber,
    pub(super) external: Option<External<'m>>,
    /// External fences to signal together with this one.
    pub(super) ports: Option<Ports<'m>>,
    /// Set once the last handle is destroyed while external fences still wait.
    pub(super) is_orphan: bool,
}

impl Fence<'_> {
    /// Returns a fence of a flush.
    pub(crate) fn of_flush(done: bool) -> Self {
        Fence { done, ..Fence::default() }
    }
}

impl<'m> Device<'m> {
    /// Makes a fence.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn insert_fence(&self, fence: Fence<'m>) -> Result<RawHandle, PipeError> {
        self.shared.lock().desktop.fences.insert(fence).map_err(pool_error)
    }

    /// Returns a signalled fence. All flushes that return with their work done share it, so it
    /// costs nothing, even if callers never destroy its handles.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn signalled_fence(&self) -> Result<RawHandle, PipeError> {
        let mut shared = self.shared.lock();
        if let Some(fence) = shared.desktop.signalled
            && add_handle(&mut shared.desktop.fences, fence)
        {
            return Ok(fence);
        }
        let fence = shared.desktop.fences.insert(Fence::of_flush(true)).map_err(pool_error)?;
        shared.desktop.signalled = Some(fence);
        Ok(fence)
    }

    /// Adds a handle to a fence; returns false if the fence has no handle any more.
    pub(crate) fn add_fence_handle(&self, fence: RawHandle) -> bool {
        add_handle(&mut self.shared.lock().desktop.fences, fence)
    }

    /// Signals fences and wakes the threads that wait for them. Skips destroyed fences.
    pub(crate) fn signal(&self, fences: &[RawHandle]) {
        let mut shared = self.shared.lock();
        for fence in fences {
            if let Some(fence) = shared.desktop.fences.get_mut(*fence) {
                fence.done = true;
            }
        }
        drop(shared);
        fences.iter().for_each(|fence| self.signal_ports(*fence));
        self.notify();
    }

    /// Returns true if a fence is signalled.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn is_signalled(&self, fence: FenceHandle) -> Result<bool, PipeError> {
        if let Some(external) = self.external(fence)? {
            return Ok(external.port.wait(0));
        }
        Ok(find(&self.shared.lock().desktop.fences, fence)?.done)
    }

    /// Waits for a fence, at most `timeout_ns` nanoseconds; returns true if it is signalled.
    /// Without the feature `threads` no other thread of the device could signal it meanwhile, so
    /// only external fences wait.
    ///
    /// # Errors
    /// The handle is stale, or becomes stale meanwhile.
    pub(crate) fn wait_for(&self, fence: FenceHandle, timeout_ns: u64) -> Result<bool, PipeError> {
        if let Some(external) = self.external(fence)? {
            return Ok(external.port.wait(timeout_ns));
        }
        self.wait_for_flush(fence, timeout_ns)
    }

    /// Waits for the fence of a flush.
    #[cfg(feature = "threads")]
    fn wait_for_flush(&self, fence: FenceHandle, timeout_ns: u64) -> Result<bool, PipeError> {
        let end = self.os.clock.now_ns().saturating_add(timeout_ns);
        let mut shared = self.shared.lock();
        loop {
            let done = find(&shared.desktop.fences, fence)?.done;
            let left = end.saturating_sub(self.os.clock.now_ns());
            if done || left == 0 {
                return Ok(done);
            }
            let (guard, is_over) = self.freed.wait_for(shared, left);
            if is_over {
                // The system says so: the device's own clock may stand still.
                return Ok(find(&guard.desktop.fences, fence)?.done);
            }
            shared = guard;
        }
    }

    /// Returns true if the fence of a flush is signalled: no other thread could signal it.
    #[cfg(not(feature = "threads"))]
    fn wait_for_flush(&self, fence: FenceHandle, _: u64) -> Result<bool, PipeError> {
        self.is_signalled(fence)
    }

    /// Destroys a fence's handle.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn destroy_fence(&self, fence: FenceHandle) -> Result<(), PipeError> {
        let mut shared = self.shared.lock();
        find(&shared.desktop.fences, fence)?;
        if let Some(held) = shared.desktop.fences.get_mut(fence.raw())
            && held.other_handles > 0
        {
            held.other_handles -= 1;
            return Ok(());
        }
        if let Some(orphan) = shared.desktop.fences.get_mut(fence.raw())
            && orphan.ports.is_some()
        {
            orphan.is_orphan = true;
            return Ok(());
        }
        let removed = shared.desktop.fences.remove(fence.raw());
        drop(shared);
        drop(removed);
        self.notify();
        Ok(())
    }
}

/// Adds a handle to a fence; returns false if the fence has no handle any more.
fn add_handle(fences: &mut Pool<'_, Fence<'_>>, fence: RawHandle) -> bool {
    if find(fences, FenceHandle::new(fence)).is_err() {
        return false;
    }
    let Some(fence) = fences.get_mut(fence) else { return false };
    fence.other_handles = fence.other_handles.saturating_add(1);
    true
}

/// Returns the fence that a handle names.
///
/// # Errors
/// The handle is stale.
pub(super) fn find<'a, 'm>(
    fences: &'a Pool<'m, Fence<'m>>,
    handle: FenceHandle,
) -> Result<&'a Fence<'m>, PipeError> {
    let found = fences.get(handle.raw());
    let found = found.filter(|fence| !fence.is_orphan);
    found.ok_or(PipeError::stale(handle))
}
