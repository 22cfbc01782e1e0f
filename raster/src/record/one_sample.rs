//! The shapes of primitives on pixels with one sample.

use pipe_core::RasterizerState;

use crate::frame::Framebuffer;

/// Returns the state that determines the shapes of primitives: the rasterizer's.
#[inline(always)]
pub(super) fn shapes(rasterizer: &RasterizerState, _: &Framebuffer) -> RasterizerState {
    *rasterizer
}
