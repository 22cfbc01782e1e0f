//! Queries, where the feature is off: none can be created, nothing is counted.

use core::marker::PhantomData;

use draw::{Statistics, Streamed};
use os_shim::memory::Memory;
use pipe_core::context::{Queries, RenderCondition};

use super::Context;
use crate::profile::Profile;

/// Nothing to keep.
#[derive(Debug)]
pub(super) struct QueryState<'m>(PhantomData<Memory<'m>>);

impl<'m> QueryState<'m> {
    pub(super) fn new_in(_memory: Memory<'m>) -> Self {
        QueryState(PhantomData)
    }

    pub(super) fn counts_samples(&self) -> bool {
        false
    }

    pub(super) fn condition_holds(&self) -> bool {
        true
    }

    pub(super) fn add_samples(&mut self, _samples: u64) {}

    pub(super) fn add_streamed(&mut self, _streamed: Streamed) {}

    pub(super) fn add_draw(&mut self, _statistics: Statistics) {}
}

impl<P: Profile> Queries for Context<'_, '_, P> {}
impl<P: Profile> RenderCondition for Context<'_, '_, P> {}
