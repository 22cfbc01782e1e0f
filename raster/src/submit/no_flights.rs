//! Flights without the features `threads` and `desktop`: every flush is done when it returns. This is a
//! separate file because flights are made of `os_shim::shared` and `os_shim::threads`, which builds
//! without `threads` do not have.

use core::marker::PhantomData;

use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use os_shim::sync::Mutex;
use pipe_core::{DrawInfo, PipeError};

use super::Renderer;
use crate::device::{Claim, Device};
#[cfg(feature = "desktop")]
use crate::frame::Framebuffer;
use crate::frame::{Surfaces, Worker};
use crate::profile::Profile;
use crate::resource::{FlightNumber, NO_FLIGHT, Resource};
use crate::shader::Shader;
use crate::state::State;

/// No background.
pub(crate) type Launch<'s, 'm> = PhantomData<(&'s (), &'m ())>;

/// No state.
pub(super) struct Flights<'s, 'm, P: Profile>(PhantomData<(&'s (), &'m (), P)>);

impl<'s, 'm, P: Profile> Flights<'s, 'm, P> {
    #[inline(always)]
    pub(super) fn new(_: Launch<'s, 'm>, _: Memory<'m>) -> Self {
        Flights(PhantomData)
    }

    /// Returns an empty value: there are no flights.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(super) fn way<'c>(&'c mut self, _: &'c Device<'m>) -> Way<'c, 's, 'm, P> {
        Way(PhantomData)
    }

    /// Returns false: there are no flights.
    #[inline(always)]
    pub(super) fn uses(&self, _: RawHandle) -> bool {
        false
    }

    /// Returns `None`: there are no flights.
    #[cfg(feature = "desktop")]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(super) fn under_way(&self) -> Option<&Framebuffer> {
        None
    }

    /// Returns true: there are no flights.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        true
    }
}

/// Stands in for the access to a flight.
pub(super) struct Way<'c, 's, 'm, P: Profile>(PhantomData<(&'c (), &'s (), &'m (), P)>);

/// The workers of a context.
pub(super) type Workers<'c, 'm, P> = &'c mut [Mutex<Worker<'m, P>>];

impl<'m, P: Profile> Way<'_, '_, 'm, P> {
    /// Does nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(super) fn make(
        &mut self,
        _: Workers<'_, 'm, P>,
        _: &Claim<'_, 'm>,
        _: &mut Surfaces<'m>,
    ) -> Result<(), PipeError> {
        Ok(())
    }
}

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Returns the empty number.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(crate) fn flight(&self) -> FlightNumber {
        NO_FLIGHT
    }

    /// Returns a signalled fence.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    #[cfg(feature = "desktop")]
    pub(crate) fn fence_of_flight(&self) -> Result<RawHandle, PipeError> {
        self.device.signalled_fence()
    }

    /// Returns true if a fence is signalled.
    ///
    /// # Errors
    /// The handle is stale.
    #[cfg(feature = "desktop")]
    pub(crate) fn wait_for_flight(&self, fence: pipe_core::FenceHandle) -> Result<bool, PipeError> {
        self.device.is_signalled(fence)
    }

    /// Returns the shaders to change them.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn shaders_mut<'a>(
        &mut self,
        state: &'a mut State<'m>,
    ) -> Result<&'a mut Pool<'m, Shader<'m>>, PipeError> {
        Ok(&mut state.objects.shaders)
    }

    /// Does nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn finish(&mut self, _: &mut State<'m>) -> Result<(), PipeError> {
        Ok(())
    }

    /// Does nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn finish_if_used(
        &mut self,
        _: &mut State<'m>,
        _: RawHandle,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Does nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn finish_for_draw(
        &mut self,
        _: &mut State<'m>,
        _: &DrawInfo<'_>,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Returns true if the framebuffer can be drawn to now.
    #[inline(always)]
    pub(super) fn can_draw(&self, resources: &Pool<'m, Resource<'m>>) -> bool {
        self.framebuffer.is_idle(resources)
    }

    /// Does nothing.
    #[cfg(feature = "desktop")]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(crate) fn note_flight(&mut self, _: &mut State<'m>) {}

    /// Rasterizes the draws so far.
    ///
    /// # Errors
    /// The errors of [`flush_scene`](Self::flush_scene).
    #[inline(always)]
    pub(crate) fn start_scene(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.flush_scene(state)
    }

    /// Rasterizes the draws so far.
    ///
    /// # Errors
    /// The errors of [`flush_scene`](Self::flush_scene).
    #[inline(always)]
    pub(crate) fn leave_scene(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.flush_scene(state)
    }

    /// Does nothing.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features there are flights")]
    pub(crate) fn end_flights(&mut self) {}
}
