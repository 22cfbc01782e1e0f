//! Blended layers of one colour.

use anyhow::Result;
use glow::HasContext;

use super::layers::Layers;
use crate::program::FLAT;
use crate::surface::Surface;

/// Creates the scene.
///
/// # Errors
/// A shader that does not compile.
pub(super) fn scene(surface: &Surface) -> Result<Layers> {
    // SAFETY: the context is current.
    unsafe {
        surface.gl.enable(glow::BLEND);
        surface.gl.blend_func(glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
    }
    Layers::new(surface, FLAT, 16, 0.2)
}
