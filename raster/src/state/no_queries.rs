//! Queries without their feature: none can be created, and nothing is counted.

use core::marker::PhantomData;

use draw::{Statistics, Streamed};
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;

use super::driver_queries::SceneCounts;
use crate::device::Device;
use crate::features::{CHECK, Only};
use crate::fragment::PixelCounts;

/// No state.
#[derive(Debug)]
pub(crate) struct QueryState<'m> {
    /// The primitives that were left after clipping, for contexts that check calls.
    drawn: Only<u64, { CHECK as usize }>,
    /// The triangles that were dropped by their facing, for contexts that check calls.
    culled: Only<u64, { CHECK as usize }>,
    memory: PhantomData<Memory<'m>>,
}

impl<'m> QueryState<'m> {
    /// Returns the primitives that were left after clipping.
    #[cfg(feature = "check")]
    pub(crate) fn primitives_drawn(&self) -> Option<u64> {
        self.drawn.get().copied()
    }

    /// Returns the triangles that were dropped by their facing.
    #[cfg(feature = "check")]
    pub(crate) fn primitives_culled(&self) -> Option<u64> {
        self.culled.get().copied()
    }

    /// Adds the triangles of a draw that were dropped by their facing.
    #[inline(always)]
    pub(crate) fn add_culled(&mut self, culled: &Only<u64, { CHECK as usize }>) {
        if let (Some(sum), Some(culled)) = (self.culled.get_mut(), culled.get()) {
            *sum = sum.wrapping_add(*culled);
        }
    }

    pub(crate) fn new_in(_memory: Memory<'m>) -> Self {
        QueryState { drawn: Only::default(), culled: Only::default(), memory: PhantomData }
    }

    pub(crate) fn counts_pixels(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn condition_holds(&self, _device: &Device<'_>) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn held(&self) -> Option<RawHandle> {
        None
    }

    #[inline(always)]
    pub(crate) fn counts_scenes(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn add_scenes(&mut self, _counts: SceneCounts) {}

    pub(crate) fn add_pixels(&mut self, _counts: PixelCounts) {}

    pub(crate) fn add_streamed(&mut self, _streamed: Streamed) {}

    #[inline(always)]
    pub(crate) fn add_draw(&mut self, statistics: Statistics) {
        if let Some(drawn) = self.drawn.get_mut() {
            *drawn = drawn.wrapping_add(statistics.c_primitives);
        }
    }

    #[cfg(feature = "shader-memory")]
    pub(crate) fn add_grid(&mut self, _invocations: u64) {}
}
