//! Feedback without its feature: a level that is drawn to reads as unbound.

use core::marker::PhantomData;

use os_shim::memory::Memory;
use os_shim::pool::Pool;
use pipe_core::PipeError;

use super::objects::View;
use crate::device::Device;
use crate::frame::{Framebuffer, Surfaces};
use crate::resource::Resource;

/// No copies.
#[derive(Debug)]
pub(crate) struct Feedback<'m>(PhantomData<&'m ()>);

impl<'m> Feedback<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        Feedback(PhantomData)
    }

    /// Returns true: there is no feedback.
    #[cfg(flights)]
    pub(crate) fn is_empty(&self) -> bool {
        true
    }

    /// Leaves no copies.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn leave(
        &mut self,
        _: &Surfaces<'m>,
        _: &mut Pool<'m, Resource<'m>>,
        _: &Device<'m>,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, _: &mut Pool<'m, Resource<'m>>) {}

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn forget_copies(&mut self) {}

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {}

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn note<'v>(&mut self, _: &Framebuffer, _: impl Iterator<Item = &'v View>) {}
}
