//! State too small or too variable for objects (manual, chapter Context, "Non-CSO State").

use super::unsupported;
use crate::error::PipeError;
use crate::state::{
    BlendColor, ClipState, PolyStipple, ScissorState, StencilRef, TessState, ViewportState,
    WindowRectangles,
};

/// State set by value. It holds from the next draw on.
pub trait Parameters {
    /// Sets the reference values of the stencil test.
    fn set_stencil_ref(&mut self, reference: StencilRef);
    /// Sets the constant colour of blending.
    fn set_blend_color(&mut self, color: &BlendColor);
    /// Sets the samples that may be written, bit i for sample i; ANDed with a shader's sample mask.
    /// Applies to multisampled framebuffers even where multisampling is off.
    fn set_sample_mask(&mut self, mask: u32);
    /// Sets the least number of samples of a pixel that the fragment shader runs for. More than the
    /// framebuffer has means all of its samples (manual, chapter Screen, `nr_storage_samples`), so
    /// a driver without multisampling may ignore it.
    fn set_min_samples(&mut self, samples: u8);
    /// Sets the user clip planes.
    fn set_clip_state(&mut self, state: &ClipState);
    /// Sets the polygon stipple.
    fn set_polygon_stipple(&mut self, stipple: &PolyStipple);

    /// Sets scissors `start..`, others stay. They apply where the rasterizer state has `scissor`
    /// set.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: more than `MAX_VIEWPORTS`; then nothing changes.
    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError>;

    /// Sets viewports `start..`, others stay. Draws use viewport 0 unless the last vertex stage
    /// writes an index.
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

    /// Sets the places of samples within a pixel, one byte a sample: x in the low and y in the high
    /// four bits, in sixteenths of a pixel. Empty restores the default places.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] by default, unless `locations` is empty.
    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        if locations.is_empty() { Ok(()) } else { unsupported("sample locations") }
    }

    /// Returns the default place of a sample in its pixel: x and y, 0 to 1.
    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        let _ = (sample_count, sample_index);
        [0.5, 0.5]
    }

    /// Sets the tessellation levels of draws without a tessellation control shader. They apply to
    /// patches only, so a driver that refuses patches may ignore them.
    fn set_tess_state(&mut self, state: &TessState) {
        let _ = state;
    }

    /// Sets what is told of errors, shaders and slow ways; `None` for nobody.
    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        let _ = callback;
    }

    /// Sets the number of vertices of an input patch.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] when the driver does not tessellate.
    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        let _ = vertices;
        unsupported("patches")
    }
}
