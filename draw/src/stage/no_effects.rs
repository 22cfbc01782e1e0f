//! Without the feature `stages`: nothing changes what is drawn.

use super::Stages;
use super::hand_over::Fan;
use crate::error::DrawError;
use crate::segment::Window;
use crate::sink::PrimitiveSink;
use crate::state::DrawState;
use core::convert::Infallible;

/// How a vertex differs from what the shader wrote: not at all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Look;

impl Look {
    pub(super) const PLAIN: Look = Look;

    #[inline(always)]
    pub(super) fn code(self) -> u32 {
        0
    }

    #[inline(always)]
    pub(super) fn is_unique(self) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn offset(self, window: Window) -> Window {
        window
    }
}

/// Nothing to do, ever.
#[derive(Debug)]
pub(crate) struct Effects(Infallible);

impl Effects {
    pub(crate) fn new(_: &DrawState<'_>) -> Option<Effects> {
        None
    }

    #[inline(always)]
    pub(super) fn turn(&self, _: &mut [[f32; 4]], _: Look) {
        match self.0 {}
    }
}

impl<S: PrimitiveSink> Stages<'_, S> {
    #[inline(always)]
    pub(super) fn polygon(&mut self, _: &mut Fan, _: bool) -> Result<(), DrawError<S::Error>> {
        Ok(())
    }

    #[inline(always)]
    pub(super) fn line(
        &mut self,
        _: &mut Fan,
        _: [usize; 2],
        _: bool,
        _: Look,
    ) -> Result<(), DrawError<S::Error>> {
        Ok(())
    }
}
