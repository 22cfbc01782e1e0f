//! State too small or too variable for objects (manual, chapter Context, "Non-CSO State").

use super::unsupported;
use crate::error::PipeError;
use crate::state::{
    BlendColor, ClipState, PolyStipple, ScissorState, StencilRef, TessState, ViewportState,
    WindowRectangles,
};

/// State set by value. It applies from the next draw on.
pub trait Parameters {
    /// Sets the reference values of the stencil test.
    fn set_stencil_ref(&mut self, reference: StencilRef);
    /// Sets the constant colour of blending.
    fn set_blend_color(&mut self, color: &BlendColor);
    /// Sets the samples that may be written, bit i for sample i; ANDed with a shader's sample mask.
    /// Applies to multisampled framebuffers even if multisampling is off.
    fn set_sample_mask(&mut self, mask: u32);
    /// Sets the least number of samples per pixel that the fragment shader runs for. A number above
    /// the framebuffer's sample count means all of its samples (manual, chapter Screen,
    /// `nr_storage_samples`), so a driver without multisampling may ignore it.
    fn set_min_samples(&mut self, samples: u8);
    /// Sets the user clip planes.
    fn set_clip_state(&mut self, state: &ClipState);
    /// Sets the polygon stipple.
    fn set_polygon_stipple(&mut self, stipple: &PolyStipple);

    /// Sets scissors from `start` on; the remaining ones stay. They apply if the rasterizer state
    /// has `scissor` set.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: more than `MAX_VIEWPORTS`; then nothing changes.
    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError>;

    /// Sets viewports from `start` on; the remaining ones stay. Draws use viewport 0 unless the
    /// last vertex stage writes an index.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: more than `MAX_VIEWPORTS`; then nothing changes.
    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError>;

    /// Sets the window rectangles. They apply to draws, not to clears and blits.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] by default, unless the rectangles exclude nothing.
    fn set_window_rectangles(&mut self, rectangles: &WindowRectangles) -> Result<(), PipeError> {
        if rectangles.include || rectangles.count > 0 {
            return unsupported("window rectangles");
        }
        Ok(())
    }

    /// Sets the positions of samples within a pixel, one byte per sample: x in the low and y in the
    /// high four bits, in sixteenths of a pixel. An empty slice restores the default positions.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] by default, unless `locations` is empty.
    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        if locations.is_empty() { Ok(()) } else { unsupported("sample locations") }
    }

    /// Returns the default position of a sample in its pixel: x and y, 0 to 1.
    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        let _ = (sample_count, sample_index);
        [0.5, 0.5]
    }

    /// Sets the tessellation levels of draws without a tessellation control shader. They apply only
    /// to patches, so a driver that refuses patches may ignore them.
    fn set_tess_state(&mut self, state: &TessState) {
        let _ = state;
    }

    /// Sets the callback for errors, shader reports and performance warnings; `None` removes it.
    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        let _ = callback;
    }

    /// Sets the number of vertices of an input patch.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] if the driver does not tessellate.
    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        let _ = vertices;
        unsupported("patches")
    }
}
