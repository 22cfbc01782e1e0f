//! Feedback without its feature: a level that is drawn to reads as unbound.

use core::marker::PhantomData;

use os_shim::memory::Memory;
use os_shim::pool::Pool;
use pipe_core::PipeError;

use super::Context;
use crate::device::Device;
use crate::frame::Surfaces;
use crate::profile::Profile;
use crate::resource::Resource;

/// No copies.
#[derive(Debug)]
pub(super) struct Feedback<'m>(PhantomData<&'m ()>);

impl<'m> Feedback<'m> {
    #[inline(always)]
    pub(super) fn new_in(_: Memory<'m>) -> Self {
        Feedback(PhantomData)
    }

    /// Returns true: there is no feedback.
    #[cfg(flights)]
    pub(super) fn is_empty(&self) -> bool {
        true
    }

    /// Leaves no copies.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn leave(
        &mut self,
        _: &Surfaces<'m>,
        _: &mut Pool<'m, Resource<'m>>,
        _: &Device<'m>,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Does nothing.
    #[inline(always)]
    pub(super) fn take_back(&mut self, _: &mut Pool<'m, Resource<'m>>) {}

    /// Does nothing.
    #[inline(always)]
    pub(super) fn forget_copies(&mut self) {}

    /// Does nothing.
    #[inline(always)]
    pub(super) fn forget(&mut self) {}
}

impl<P: Profile> Context<'_, '_, P> {
    /// Does nothing.
    #[inline(always)]
    pub(super) fn note_feedback(&mut self) {}
}
