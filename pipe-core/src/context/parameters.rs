//! Non-CSO state: small values set one by one.

use super::unsupported;
use crate::error::PipeError;
use crate::state::{
    BlendColor, ClipState, PolyStipple, ScissorState, StencilRef, TessState, ViewportState,
    WindowRectangles,
};

/// State too small, variable or trivial for objects. In effect from the next draw on.
pub trait Parameters {
    /// Sets the reference values of the stencil test.
    fn set_stencil_ref(&mut self, reference: StencilRef);
    /// Sets the constant colour of blending.
    fn set_blend_color(&mut self, color: &BlendColor);
    /// Sets which samples may be written; ANDed with a shader's sample mask. Counts for
    /// multisampled framebuffers even with multisampling off.
    fn set_sample_mask(&mut self, mask: u32);
    /// Sets how many samples of a pixel are shaded, at least.
    fn set_min_samples(&mut self, samples: u8);
    /// Sets the user clip planes.
    fn set_clip_state(&mut self, state: &ClipState);
    /// Sets the polygon stipple.
    fn set_polygon_stipple(&mut self, stipple: &PolyStipple);

    /// Sets scissors `start..`; others stay. They count if the rasterizer state says so.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: more than `MAX_VIEWPORTS`; then nothing changes.
    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError>;

    /// Sets viewports `start..`; others stay.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: more than `MAX_VIEWPORTS`; then nothing changes.
    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError>;

    /// Sets the window rectangles. They count for draws, not for clears and blits.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`], unless there are none to exclude.
    fn set_window_rectangles(&mut self, rectangles: &WindowRectangles) -> Result<(), PipeError> {
        if rectangles.include || rectangles.count > 0 {
            return unsupported("window rectangles");
        }
        Ok(())
    }

    /// Sets where in a pixel its samples are: a byte each, x in the low and y in the high four
    /// bits, in sixteenths of a pixel. Empty: the default places.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`], unless `locations` is empty.
    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        if locations.is_empty() { Ok(()) } else { unsupported("sample locations") }
    }

    /// The default place of a sample in its pixel, 0 to 1 in x and y.
    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        let _ = (sample_count, sample_index);
        [0.5, 0.5]
    }

    /// Sets the tessellation levels used without a control shader.
    fn set_tess_state(&mut self, state: &TessState) {
        let _ = state;
    }

    /// Sets the number of vertices of an input patch.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: the driver does not tessellate.
    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        let _ = vertices;
        unsupported("patches")
    }
}
