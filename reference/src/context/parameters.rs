//! State set by value.

use pipe_core::context::Parameters;
use pipe_core::limits::{MAX_PATCH_VERTICES, MAX_VIEWPORTS};
use pipe_core::{
    BlendColor, ClipState, PipeError, PolyStipple, ScissorState, StencilRef, TessState,
    ViewportState, WindowRectangles,
};

use super::Context;
use crate::setup::{MAX_SAMPLES, standard_place};

impl Parameters for Context<'_, '_> {
    fn set_stencil_ref(&mut self, reference: StencilRef) {
        self.bound.stencil_ref = reference;
    }

    fn set_blend_color(&mut self, color: &BlendColor) {
        self.bound.blend_color = *color;
    }

    fn set_sample_mask(&mut self, mask: u32) {
        self.bound.sample_mask = mask;
    }

    fn set_min_samples(&mut self, samples: u8) {
        self.bound.min_samples = samples;
    }

    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        PipeError::at_most("sample locations", locations.len() as u64, MAX_SAMPLES as u64)?;
        let (places, count) = &mut self.bound.sample_places;
        places.iter_mut().zip(locations).for_each(|(place, set)| *place = *set);
        *count = locations.len();
        Ok(())
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        let place = standard_place(sample_count.into(), sample_index.into());
        place.map(|sixteenths| f32::from(sixteenths) / 16.0)
    }

    fn set_clip_state(&mut self, state: &ClipState) {
        self.bound.clip = *state;
    }

    fn set_polygon_stipple(&mut self, stipple: &PolyStipple) {
        self.bound.stipple = *stipple;
    }

    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        let end = start.saturating_add(scissors.len()) as u64;
        PipeError::at_most("scissors", end, MAX_VIEWPORTS as u64)?;
        for (slot, scissor) in self.bound.scissors.iter_mut().skip(start).zip(scissors) {
            *slot = *scissor;
        }
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        let end = start.saturating_add(viewports.len()) as u64;
        PipeError::at_most("viewports", end, MAX_VIEWPORTS as u64)?;
        for (slot, viewport) in self.bound.viewports.iter_mut().skip(start).zip(viewports) {
            *slot = *viewport;
        }
        Ok(())
    }

    fn set_tess_state(&mut self, state: &TessState) {
        self.bound.tess = *state;
    }

    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        if vertices == 0 {
            return Err(PipeError::Invalid("the patch has no vertices"));
        }
        PipeError::at_most("vertices of a patch", vertices.into(), MAX_PATCH_VERTICES.into())?;
        self.bound.patch_vertices = vertices;
        Ok(())
    }

    fn set_window_rectangles(&mut self, rectangles: &WindowRectangles) -> Result<(), PipeError> {
        self.bound.window_rectangles = *rectangles;
        Ok(())
    }
}
