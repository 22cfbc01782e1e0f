//! Non-CSO state: small values.

#[cfg(feature = "stages")]
use pipe_core::TessState;
use pipe_core::WindowRectangles;
use pipe_core::context::Parameters;
#[cfg(feature = "stages")]
use pipe_core::limits::MAX_PATCH_VERTICES;
use pipe_core::{
    BlendColor, ClipState, PipeError, PolyStipple, ScissorState, StencilRef, ViewportState,
};

use crate::context::Context;
use crate::features::{DESKTOP, SAMPLES};
use crate::profile::Profile;
use crate::setup::{MAX_SAMPLES, sample_place};
use crate::state::unsupported::refuse;

/// Replaces the values from `start` on.
fn set<T: Copy>(list: &mut [T], start: usize, values: &[T]) -> Result<(), PipeError> {
    let end = start.saturating_add(values.len());
    PipeError::at_most("viewports", end as u64, list.len() as u64)?;
    list.iter_mut().skip(start).zip(values).for_each(|(to, from)| *to = *from);
    Ok(())
}

impl<P: Profile> Parameters for Context<'_, '_, P> {
    fn set_stencil_ref(&mut self, reference: StencilRef) {
        self.state.bound.stencil_ref = reference;
        self.touch();
    }

    fn set_blend_color(&mut self, color: &BlendColor) {
        self.state.bound.blend_color = *color;
        self.touch();
    }

    fn set_sample_mask(&mut self, mask: u32) {
        self.state.bound.sample_mask = mask;
        self.touch();
    }

    fn set_min_samples(&mut self, samples: u8) {
        if SAMPLES {
            self.state.bound.min_samples.set(samples);
            self.touch();
        }
    }

    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        refuse(
            !SAMPLES && !locations.is_empty(),
            "sample locations (the feature `samples` has them)",
        )?;
        PipeError::at_most("sample locations", locations.len() as u64, MAX_SAMPLES as u64)?;
        self.state.bound.sample_places.set(locations.iter().copied().collect());
        self.touch();
        Ok(())
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        if !SAMPLES {
            return [0.5; 2];
        }
        let place = sample_place(sample_count.into(), sample_index.into());
        place.map(|sixteenths| 0.5 + f32::from(sixteenths) / 16.0)
    }

    fn set_clip_state(&mut self, state: &ClipState) {
        self.state.bound.clip = *state;
    }

    fn set_polygon_stipple(&mut self, stipple: &PolyStipple) {
        for (row, set) in self.state.bound.stipple.iter_mut().zip(&stipple.stipple) {
            *row = *set;
        }
        self.touch();
    }

    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        set(&mut self.state.bound.scissors, start, scissors)?;
        self.touch();
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        set(&mut self.state.bound.viewports, start, viewports)?;
        self.touch();
        Ok(())
    }

    #[cfg(feature = "desktop")]
    fn set_debug_callback(&mut self, callback: Option<pipe_core::diagnostics::DebugCallback>) {
        self.state.diagnostics.callback.set(callback);
    }

    fn set_window_rectangles(&mut self, rectangles: &WindowRectangles) -> Result<(), PipeError> {
        let test = rectangles.include || rectangles.count > 0;
        refuse(!DESKTOP && test, "window rectangles (the feature `desktop` has them)")?;
        let most = rectangles.rectangles.len() as u64;
        PipeError::at_most("window rectangles", rectangles.count.into(), most)?;
        self.state.bound.windows.set(*rectangles);
        self.touch();
        Ok(())
    }

    #[cfg(feature = "stages")]
    fn set_tess_state(&mut self, state: &TessState) {
        self.state.bound.tess.set(*state);
    }

    #[cfg(feature = "stages")]
    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        PipeError::at_most("patch vertices", vertices.into(), MAX_PATCH_VERTICES.into())?;
        self.state.bound.patch_vertices.set(vertices.max(1));
        Ok(())
    }
}
