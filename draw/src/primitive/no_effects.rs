//! Effects without the feature `primitive-effects`: there are none, and every vertex is as the
//! shader wrote it.

use crate::state::DrawState;
use crate::vertex::Window;
use core::convert::Infallible;

/// The difference between a vertex and the shader's outputs: none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct VertexVariant;

impl VertexVariant {
    pub(super) const SHADED: VertexVariant = VertexVariant;

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

/// The effects of a draw: no draw has any.
#[derive(Debug)]
pub(crate) struct Effects(Infallible);

impl Effects {
    pub(crate) fn new(_: &DrawState<'_>) -> Option<Effects> {
        None
    }

    #[inline(always)]
    pub(super) fn apply_variant(&self, _: &mut [[f32; 4]], _: VertexVariant) {
        match self.0 {}
    }
}
