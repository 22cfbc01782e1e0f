//! Non-CSO state: small values.

#[cfg(feature = "tessellation")]
use pipe_core::TessState;
use pipe_core::context::Parameters;
#[cfg(feature = "tessellation")]
use pipe_core::limits::MAX_PATCH_VERTICES;
use pipe_core::{
    BlendColor, ClipState, PipeError, PolyStipple, ScissorState, StencilRef, ViewportState,
};

use super::Context;
use crate::profile::Profile;

/// Replaces the values from `start` on.
fn set<T: Copy>(list: &mut [T], start: usize, values: &[T]) -> Result<(), PipeError> {
    let end = start.saturating_add(values.len());
    PipeError::at_most("viewports", end as u64, list.len() as u64)?;
    list.iter_mut().skip(start).zip(values).for_each(|(to, from)| *to = *from);
    Ok(())
}

impl<P: Profile> Parameters for Context<'_, '_, P> {
    fn set_stencil_ref(&mut self, reference: StencilRef) {
        self.bound.stencil_ref = reference;
        self.touch();
    }

    fn set_blend_color(&mut self, color: &BlendColor) {
        self.bound.blend_color = *color;
        self.touch();
    }

    fn set_sample_mask(&mut self, mask: u32) {
        self.bound.sample_mask = mask;
        self.touch();
    }

    /// One sample is all there is.
    fn set_min_samples(&mut self, _samples: u8) {}

    fn set_clip_state(&mut self, state: &ClipState) {
        self.bound.clip = *state;
    }

    fn set_polygon_stipple(&mut self, stipple: &PolyStipple) {
        for (row, set) in self.bound.stipple.iter_mut().zip(&stipple.stipple) {
            *row = *set;
        }
        self.touch();
    }

    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        set(&mut self.bound.scissors, start, scissors)?;
        self.touch();
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        set(&mut self.bound.viewports, start, viewports)?;
        self.touch();
        Ok(())
    }

    #[cfg(feature = "tessellation")]
    fn set_tess_state(&mut self, state: &TessState) {
        self.bound.tess = *state;
    }

    #[cfg(feature = "tessellation")]
    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        PipeError::at_most("patch vertices", vertices.into(), MAX_PATCH_VERTICES.into())?;
        self.bound.patch_vertices = vertices.max(1);
        Ok(())
    }
}
