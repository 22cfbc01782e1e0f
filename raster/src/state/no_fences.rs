//! Stands in for fences: without the feature `desktop` a flush is done when it returns, and returns
//! no fence.

use core::marker::PhantomData;

use os_shim::memory::Memory;

use crate::device::Device;

/// No fences.
#[derive(Debug)]
pub(crate) struct UnsignalledFences<'m>(PhantomData<&'m ()>);

impl<'m> UnsignalledFences<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        UnsignalledFences(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn signal(&mut self, _: &Device<'m>) {}
}
