//! The fences of a context's pending work. Without the feature `desktop` a flush is done when it
//! returns, and returns no fence.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
#[cfg(feature = "desktop")]
use pipe_core::PipeError;

use crate::device::Device;
#[cfg(feature = "desktop")]
use crate::device::Fence;
use crate::features::{OfDesktop, Only};
#[cfg(flights)]
use crate::resource::FlightNumber;

/// The fences of a context's pending work.
#[derive(Debug)]
pub(crate) struct UnsignalledFences<'m>(OfDesktop<Vec<'m, RawHandle>>);

impl<'m> UnsignalledFences<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        UnsignalledFences(Only::with(|| Vec::new_in(memory)))
    }

    /// Signals the fences of all work so far.
    #[inline(always)]
    pub(crate) fn signal(&mut self, device: &Device<'m>) {
        if let Some(fences) = self.0.get_mut()
            && !fences.is_empty()
        {
            device.signal(fences);
            fences.clear();
        }
    }
}

#[cfg(feature = "desktop")]
impl<'m> UnsignalledFences<'m> {
    /// Returns the fences.
    fn fences(&self) -> &[RawHandle] {
        self.0.get().map_or(&[], |fences| fences)
    }

    /// Returns true if pending work will signal the fence.
    pub(crate) fn contains(&self, fence: RawHandle) -> bool {
        self.fences().contains(&fence)
    }

    /// Returns the last fence with one more handle, if callers still have a handle to it.
    pub(crate) fn share_last(&self, device: &Device<'m>) -> Option<RawHandle> {
        self.fences().last().copied().filter(|fence| device.add_fence_handle(*fence))
    }

    /// Adds a fence of pending work.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn add(&mut self, device: &Device<'m>) -> Result<RawHandle, PipeError> {
        if let Some(fences) = self.0.get_mut() {
            fences.try_reserve(1)?;
        }
        let fence = device.insert_fence(Fence::of_flush(false))?;
        if let Some(fences) = self.0.get_mut() {
            fences.try_push(fence)?;
        }
        Ok(fence)
    }

    /// Hands the fences of all work so far to the flight that does this work.
    #[cfg(flights)]
    pub(crate) fn leave(&mut self, device: &Device<'m>, flight: FlightNumber) {
        if let Some(fences) = self.0.get_mut() {
            device.leave_fences(fences, flight);
            fences.clear();
        }
    }
}
