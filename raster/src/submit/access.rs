//! The guard of a call that works with resources: the only place that makes a claim, lends and takes
//! levels, and puts them back. Calls that end under the lock of the resources (copies, clears,
//! writes of the CPU) need no claim.
//!
//! A call makes an access in this order: [`claim`](Access::claim), then the levels that it writes
//! ([`take_surfaces`](Access::take_surfaces), [`take_level`](Access::take_level),
//! [`take_memory`](Access::take_memory), `capture`), then [`lend`](Access::lend) for the levels
//! that it reads, which unlocks the resources, and then [`work`](Access::work). If any step fails,
//! the guard is dropped and everything is as before.

use os_shim::memory::OutOfMemory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use crate::device::{Claim, Device};
use crate::frame::{Framebuffer, Surfaces};
use crate::memory::ShaderMemory;
use crate::resource::{FlightNumber, Inputs, Loans, MemoryBindings, Resource, TakenMemory};
use crate::state::{Capture, Feedback};

/// The resources of a call that works with them, until this is dropped.
pub(super) struct Access<'a, 'd, 'm> {
    device: &'d Device<'m>,
    claim: Claim<'d, 'm>,
    /// Receives the memory of the loans.
    loans: &'a mut Loans<'m>,
    feedback: Option<&'a mut Feedback<'m>>,
    surfaces: Surfaces<'m>,
    written: TakenMemory<'m>,
    /// The buffers that a draw streams to.
    pub(super) capture: Option<Capture<'m>>,
}

/// The claimed memory, as the work of a call uses it.
pub(super) struct Granted<'w, 'd, 'm> {
    pub(super) claim: &'w Claim<'d, 'm>,
    pub(super) surfaces: &'w mut Surfaces<'m>,
    /// The memory of the programs, for the first stage.
    pub(super) memory: ShaderMemory<'w>,
    pub(super) capture: Option<&'w mut Capture<'m>>,
}

impl<'a, 'd, 'm> Access<'a, 'd, 'm> {
    /// Locks the resources as soon as they are `ready`.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped one of them directly, so its CPU holds the
    /// memory.
    #[inline(always)]
    pub(super) fn claim(
        device: &'d Device<'m>,
        loans: &'a mut Loans<'m>,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Self, PipeError> {
        let taken = core::mem::replace(loans, Loans::new_in(device.os.memory));
        Ok(Access {
            device,
            claim: Claim::when(device, taken, ready)?,
            loans,
            feedback: None,
            surfaces: Surfaces::none(),
            written: TakenMemory::new_in(device.os.memory),
            capture: None,
        })
    }

    /// Returns the locked resources.
    #[inline(always)]
    pub(super) fn resources(&mut self) -> &mut Pool<'m, Resource<'m>> {
        self.claim.resources()
    }

    /// Takes the surfaces' levels out of their resources, and reserves those that `flight` draws
    /// to. Copies of levels that the scene also samples take their places.
    ///
    /// # Errors
    /// Out of memory for a copy; [`PipeError::Stopped`].
    #[inline(always)]
    pub(super) fn take_surfaces(
        &mut self,
        framebuffer: &Framebuffer,
        flight: FlightNumber,
        feedback: &'a mut Feedback<'m>,
    ) -> Result<(), PipeError> {
        let resources = self.claim.resources();
        self.surfaces = Surfaces::take(framebuffer, resources, flight);
        let feedback = self.feedback.insert(feedback);
        feedback.leave(&self.surfaces, resources, self.device)
    }

    /// Takes the surfaces' levels out of their resources, for a scene that samples none of them.
    #[cfg(flights)]
    pub(super) fn take_plain_surfaces(&mut self, framebuffer: &Framebuffer, flight: FlightNumber) {
        self.surfaces = Surfaces::take(framebuffer, self.claim.resources(), flight);
    }

    /// Takes one level out of its resource, to write to it; returns false if it has no memory.
    #[cfg(feature = "es2")]
    pub(super) fn take_level(&mut self, resource: RawHandle, level: u32) -> bool {
        self.surfaces = Surfaces::take_level(resource, level, self.claim.resources());
        self.surfaces.level().is_some()
    }

    /// Takes the levels that programs may write out of their resources: see
    /// [`MemoryBindings::take`].
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    #[inline(always)]
    pub(super) fn take_memory(
        &mut self,
        memory: &MemoryBindings<'m>,
        is_read: impl Fn(RawHandle) -> bool,
    ) -> Result<(), PipeError> {
        let (work, heap) = (self.device.work, self.device.os.memory);
        self.written = memory.room(heap)?;
        memory.take(&mut self.written, self.claim.resources(), work, heap, is_read)
    }

    /// Lends levels through `lend`, and unlocks the resources.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub(super) fn lend(
        &mut self,
        lend: impl FnOnce(&mut Loans<'m>, &Pool<'m, Resource<'m>>) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        self.claim.lend(lend)
    }

    /// Returns the lent levels.
    #[inline(always)]
    pub(super) fn inputs(&self) -> Inputs<'_, 'm> {
        self.claim.inputs()
    }

    /// Returns the lent levels, and the bytes of the level of [`take_level`](Self::take_level).
    #[cfg(feature = "es2")]
    pub(super) fn inputs_and_level(&mut self) -> (Inputs<'_, 'm>, &mut [u8]) {
        (self.claim.inputs(), self.surfaces.level().unwrap_or_default())
    }

    /// Runs `work` with the claimed memory. Programs see the slots of `memory`.
    ///
    /// # Errors
    /// Out of memory for the slots; the errors of `work`.
    #[inline(always)]
    pub(super) fn work<T>(
        &mut self,
        memory: &MemoryBindings<'m>,
        work: impl FnOnce(Granted<'_, 'd, 'm>) -> Result<T, PipeError>,
    ) -> Result<T, PipeError> {
        let Access { device, claim, surfaces, written, capture, .. } = self;
        let slots = memory.slots(written, claim.inputs(), device.os.memory)?;
        let capture = capture.as_mut();
        work(Granted { claim, surfaces, memory: slots.memory(), capture })
    }

    /// Puts everything back, and locks the resources.
    #[inline(never)]
    pub(super) fn put_back(&mut self) {
        let resources = self.claim.resources();
        if let Some(feedback) = &mut self.feedback {
            feedback.take_back(resources);
        }
        self.surfaces.put_back(resources);
        self.written.put_back(resources);
        if let Some(capture) = &mut self.capture {
            capture.put_back(resources);
        }
    }

    /// Unlocks the resources but keeps their levels, for a flight that draws to them. The flight
    /// ends the loans.
    #[cfg(flights)]
    pub(super) fn leave(mut self) -> (Surfaces<'m>, Loans<'m>) {
        let surfaces = core::mem::replace(&mut self.surfaces, Surfaces::none());
        (surfaces, self.claim.take_loans())
    }

    /// Returns the surfaces and the locked resources.
    #[cfg(flights)]
    pub(super) fn surfaces_and_resources(
        &mut self,
    ) -> (&Surfaces<'m>, &mut Pool<'m, Resource<'m>>) {
        (&self.surfaces, self.claim.resources())
    }
}

impl Drop for Access<'_, '_, '_> {
    /// Puts everything back, ends the loans and wakes the contexts that wait for either.
    fn drop(&mut self) {
        self.put_back();
        *self.loans = self.claim.end();
    }
}

#[cfg(all(test, feature = "threads", feature = "es2"))]
mod tests {
    use os_shim::Os;
    use os_shim::memory::OutOfMemory;
    use pipe_core::{Bind, PipeError, ResourceTemplate, Screen as _};

    use super::Access;
    use crate::resource::MemoryBindings;
    use crate::{Config, Screen, Small};

    /// Runs `fail` on an access that has taken a buffer's level and lent another's. Checks that both
    /// buffers are as before once the access is dropped.
    fn is_undone(fail: impl FnOnce(&mut Access<'_, '_, '_>) -> Result<(), PipeError>) {
        let screen = Screen::<Small>::new(Os::host(), Config::default());
        let template = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
        let written = screen.resource_create(&template).unwrap().raw();
        let read = screen.resource_create(&template).unwrap().raw();
        let mut context = screen.context().unwrap();
        let device = context.renderer.device;
        let state = |resource| {
            let shared = device.shared.lock();
            let resource = shared.resources.get(resource).unwrap();
            (resource.is_idle(), resource.bytes(0).len())
        };
        assert_eq!([written, read].map(state), [(true, 64); 2]);
        let mut access = Access::claim(device, &mut context.state.loans, |_| true).unwrap();
        assert!(access.take_level(written, 0));
        access.lend(|loans, resources| loans.lend(resources, read, 0..=0)).unwrap();
        // Other contexts may neither use the one nor write to the other now.
        assert_eq!([written, read].map(state), [(false, 0), (false, 64)]);
        assert!(fail(&mut access).is_err());
        drop(access);
        assert_eq!([written, read].map(state), [(true, 64); 2]);
    }

    #[test]
    fn levels_are_put_back_after_an_error_of_the_work() {
        is_undone(|access| {
            let memory = MemoryBindings::new_in(Os::host().memory);
            access.work(&memory, |granted| {
                assert_eq!(granted.surfaces.level().map(|bytes| bytes.len()), Some(64));
                Err(PipeError::NotReady)
            })
        });
    }

    #[test]
    fn levels_are_put_back_after_an_error_of_a_loan() {
        is_undone(|access| {
            access.resources();
            Ok(access.lend(|_, _| Err(OutOfMemory { requested: 1 }))?)
        });
    }
}
