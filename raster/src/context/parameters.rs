//! Non-CSO state: small values.

use pipe_core::context::Parameters;
use pipe_core::{
    BlendColor, ClipState, PipeError, PolyStipple, ScissorState, StencilRef, ViewportState,
};

use super::Context;
use crate::profile::Profile;

/// `Ok` for a range of the one viewport (and scissor) there is.
fn only_first(start: usize, count: usize) -> Result<(), PipeError> {
    PipeError::at_most("viewports", start.saturating_add(count) as u64, 1)
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
        only_first(start, scissors.len())?;
        if let [scissor] = scissors {
            self.bound.scissor = *scissor;
            self.touch();
        }
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        only_first(start, viewports.len())?;
        if let [viewport] = viewports {
            self.bound.viewport = *viewport;
            self.touch();
        }
        Ok(())
    }
}
