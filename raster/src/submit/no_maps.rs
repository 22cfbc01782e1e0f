//! Stands in for maps: without the feature `es2` the CPU holds no memory of resources.

use pipe_core::PipeError;

use super::Renderer;
use crate::profile::Profile;
use crate::state::State;

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    #[inline(always)]
    pub(super) fn hand_over(&mut self, _: &mut State<'m>) -> Result<(), PipeError> {
        Ok(())
    }

    #[inline(always)]
    pub(super) fn take_lent_back(&mut self, _: &mut State<'m>) {}

    #[inline(always)]
    pub(crate) fn end_maps(&mut self, _: &mut State<'m>) {}
}
