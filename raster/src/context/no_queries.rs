//! Queries without their feature: none can be created, and nothing is counted.

use core::marker::PhantomData;

use draw::{Statistics, Streamed};
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use pipe_core::context::{Queries, RenderCondition};

use super::Context;
use super::driver_queries::SceneCounts;
use crate::device::Device;
use crate::fragment::PixelCounts;
use crate::profile::Profile;

/// No state.
#[derive(Debug)]
pub(super) struct QueryState<'m>(PhantomData<Memory<'m>>);

impl<'m> QueryState<'m> {
    pub(super) fn new_in(_memory: Memory<'m>) -> Self {
        QueryState(PhantomData)
    }

    pub(super) fn counts_pixels(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn condition_holds(&self, _device: &Device<'_>) -> bool {
        true
    }

    #[inline(always)]
    pub(super) fn held(&self) -> Option<RawHandle> {
        None
    }

    #[inline(always)]
    pub(super) fn counts_scenes(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn add_scenes(&mut self, _counts: SceneCounts) {}

    pub(super) fn add_pixels(&mut self, _counts: PixelCounts) {}

    pub(super) fn add_streamed(&mut self, _streamed: Streamed) {}

    pub(super) fn add_draw(&mut self, _statistics: Statistics) {}

    #[cfg(feature = "shader-memory")]
    pub(super) fn add_grid(&mut self, _invocations: u64) {}
}

impl<P: Profile> Queries for Context<'_, '_, P> {}
impl<P: Profile> RenderCondition for Context<'_, '_, P> {}
