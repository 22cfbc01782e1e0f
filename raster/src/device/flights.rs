//! Flights: scenes that a background thread rasterizes, and the fences they signal at their end.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::{FenceHandle, PipeError};

use super::fences::{Fence, find};
use super::{Device, pool_error};
use crate::resource::{FlightNumber, NO_FLIGHT};

/// The flights of a device that have not landed.
#[derive(Debug)]
pub(super) struct UnderWay<'m> {
    numbers: Vec<'m, FlightNumber>,
    last: FlightNumber,
}

impl<'m> UnderWay<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        UnderWay { numbers: Vec::new_in(memory), last: NO_FLIGHT }
    }
}

impl Device<'_> {
    /// Begins a flight; returns its number.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn take_off(&self) -> Result<FlightNumber, OutOfMemory> {
        let shared = &mut *self.shared.lock();
        let last = shared.desktop.flights.last.get().copied().unwrap_or(0);
        let number = FlightNumber::new(last.wrapping_add(1).max(1));
        shared.desktop.flights.numbers.try_push(number)?;
        shared.desktop.flights.last = number;
        Ok(number)
    }

    /// Makes a flight signal these fences.
    pub(crate) fn leave_fences(&self, fences: &[RawHandle], flight: FlightNumber) {
        let shared = &mut *self.shared.lock();
        for fence in fences {
            if let Some(fence) = shared.desktop.fences.get_mut(*fence) {
                fence.flight = flight;
            }
        }
    }

    /// Ends a flight, signals its fences, and wakes the threads that wait for them.
    pub(crate) fn land(&self, flight: FlightNumber) {
        let mut shared = self.shared.lock();
        let numbers = &mut shared.desktop.flights.numbers;
        if let Some(place) = numbers.iter().position(|number| *number == flight) {
            numbers.swap_remove(place);
        }
        while let Some(fence) = signal_one(&mut shared.desktop.fences, flight) {
            drop(shared);
            self.signal_ports(fence);
            shared = self.shared.lock();
        }
        drop(shared);
        self.freed.notify_all();
    }

    /// Returns a fence that is signalled when a flight lands. If the flight has landed, returns the
    /// shared signalled fence.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn fence_of(&self, flight: FlightNumber) -> Result<RawHandle, PipeError> {
        {
            let shared = &mut *self.shared.lock();
            if shared.desktop.flights.numbers.contains(&flight) {
                let mut fence = Fence::of_flush(false);
                fence.flight = flight;
                return shared.desktop.fences.insert(fence).map_err(pool_error);
            }
        }
        self.signalled_fence()
    }

    /// Returns true if a flight will signal a fence or has signalled it.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn is_under_way(&self, fence: FenceHandle) -> Result<bool, PipeError> {
        Ok(find(&self.shared.lock().desktop.fences, fence)?.flight != NO_FLIGHT)
    }

    /// Waits for a fence if a flight other than `own` signals it. The caller's commands follow its
    /// `own` flight anyway. Returns true if the fence is signalled or belongs to `own`.
    ///
    /// # Errors
    /// The handle is stale, or becomes stale meanwhile.
    pub(crate) fn wait_for_flight(
        &self,
        fence: FenceHandle,
        own: FlightNumber,
    ) -> Result<bool, PipeError> {
        let flight = find(&self.shared.lock().desktop.fences, fence)?.flight;
        match flight {
            NO_FLIGHT => self.is_signalled(fence),
            flight if flight == own => Ok(true),
            _ => self.wait_for(fence, u64::MAX),
        }
    }
}

/// Signals one fence of this flight and returns it; `None` if all its fences are signalled.
fn signal_one(fences: &mut Pool<'_, Fence<'_>>, flight: FlightNumber) -> Option<RawHandle> {
    let mut unsignalled = fences.iter_mut().filter(|(_, fence)| !fence.done);
    let (handle, fence) = unsignalled.find(|(_, fence)| fence.flight == flight)?;
    fence.done = true;
    Some(handle)
}
