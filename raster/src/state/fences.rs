//! The fences of a context's pending work.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use pipe_core::PipeError;

use crate::device::{Device, Fence};
#[cfg(flights)]
use crate::resource::FlightNumber;

/// The fences of a context's pending work.
#[derive(Debug)]
pub(crate) struct UnsignalledFences<'m>(Vec<'m, RawHandle>);

impl<'m> UnsignalledFences<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        UnsignalledFences(Vec::new_in(memory))
    }

    /// Returns true if pending work will signal the fence.
    pub(crate) fn contains(&self, fence: RawHandle) -> bool {
        self.0.contains(&fence)
    }

    /// Returns the last fence with one more handle, if callers still have a handle to it.
    pub(crate) fn share_last(&self, device: &Device<'m>) -> Option<RawHandle> {
        self.0.last().copied().filter(|fence| device.add_fence_handle(*fence))
    }

    /// Adds a fence of pending work.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn add(&mut self, device: &Device<'m>) -> Result<RawHandle, PipeError> {
        self.0.try_reserve(1)?;
        let fence = device.insert_fence(Fence::of_flush(false))?;
        self.0.try_push(fence)?;
        Ok(fence)
    }

    /// Hands the fences of all work so far to the flight that does this work.
    #[cfg(flights)]
    pub(crate) fn leave(&mut self, device: &Device<'m>, flight: FlightNumber) {
        device.leave_fences(&self.0, flight);
        self.0.clear();
    }

    /// Signals the fences of all work so far.
    pub(crate) fn signal(&mut self, device: &Device<'m>) {
        if !self.0.is_empty() {
            device.signal(&self.0);
            self.0.clear();
        }
    }
}
