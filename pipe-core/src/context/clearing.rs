//! Clears of surfaces and resources (manual, chapter Context, "Clearing").

use super::unsupported;
use crate::color::ColorUnion;
use crate::error::PipeError;
use crate::flags::ClearFlags;
use crate::handle::{ResourceHandle, SurfaceHandle};
use crate::region::Region;
use crate::state::ScissorState;

/// Fills with one value. Write masks of the bound state do not apply; all layers are cleared.
pub trait Clearing {
    /// Clears attachments of the bound framebuffer. Honours the render condition. Clears whole
    /// attachments in all layers, even outside of the area that limits draws.
    ///
    /// `color` is read as floats or integers, depending on each colour buffer's format. `scissor`
    /// limits the clear to pixels inside; it needs the cap `ClearScissored`. `depth` is clamped to
    /// 0…1 unless the format is float.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: a scissor without the cap.
    fn clear(
        &mut self,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError>;

    /// Clears a rectangle of a colour surface, attached or not, in all its layers.
    ///
    /// # Errors
    /// The surface is stale, or the rectangle is not within it.
    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        let _ = (surface, color, region, render_condition_enabled);
        unsupported("clearing a render target")
    }

    /// Clears depth, stencil or both in a rectangle of a surface, attached or not, in all its
    /// layers.
    ///
    /// # Errors
    /// The surface is stale, or the rectangle is not within it.
    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        let _ = (surface, buffers, depth, stencil, region, render_condition_enabled);
        unsupported("clearing a depth surface")
    }

    /// Clears a box of a texture's level with `texel`: the bytes of one block in the texture's
    /// format.
    ///
    /// # Errors
    /// The resource is stale, the box is not within the level, `texel` is not one block, or
    /// [`PipeError::Unsupported`].
    fn clear_texture(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        let _ = (resource, level, region, texel);
        unsupported("clearing a texture")
    }

    /// Fills `size` bytes from `offset` of a buffer with repetitions of `value`, 1 to 16 bytes.
    ///
    /// # Errors
    /// The resource is stale, the range is not within it, `size` is not a multiple of the value's
    /// size, or [`PipeError::Unsupported`].
    fn clear_buffer(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        let _ = (resource, offset, size, value);
        unsupported("clearing a buffer")
    }
}
