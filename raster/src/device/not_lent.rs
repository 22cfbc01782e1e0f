//! Levels that CPUs hold: none, because the feature `es2` is disabled.

use os_shim::pool::Pool;
use pipe_core::PipeError;

use super::Shared;
use crate::resource::Resource;

impl<'m> Shared<'m> {
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature it counts levels")]
    pub(super) fn check_lent(
        &mut self,
        _ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<(), PipeError> {
        Ok(())
    }
}

impl super::Device<'_> {
    /// Does nothing: contexts are counted for maps alone.
    #[inline(always)]
    pub(crate) fn add_context(&self) {}
}
