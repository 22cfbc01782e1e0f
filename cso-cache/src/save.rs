//! Saving and restoring of state, for clears by quads, blits, text over a picture.

use pipe_core::limits::MAX_SO_BUFFERS;
use pipe_core::{PipeError, ShaderType};

use crate::context::CsoContext;
use crate::state::{Saved, State};

impl CsoContext<'_, '_> {
    /// Saves the state of these kinds until [`restore`](Self::restore). Saves nest; saved objects
    /// are not evicted.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`]; then nothing is saved.
    pub fn save(&mut self, what: Saved) -> Result<(), PipeError> {
        Ok(self.saved.try_push((what, self.state))?)
    }

    /// Returns the number of saves that wait to be restored.
    pub fn saves(&self) -> usize {
        self.saved.len()
    }

    /// Restores the state of the last [`save`](Self::save), in the kinds it was given. Only changes
    /// reach the driver.
    ///
    /// # Errors
    /// [`PipeError::Invalid`] without a save; otherwise the driver's first error, after all other
    /// state was restored.
    pub fn restore(&mut self) -> Result<(), PipeError> {
        let Some((what, state)) = self.saved.pop() else {
            return Err(PipeError::Invalid("a restore without a save"));
        };
        self.apply(what, &state)
    }

    /// Binds all state that was ever set here once more, after other code used the context.
    ///
    /// # Errors
    /// The driver's first error, after all other state was bound.
    pub fn rebind(&mut self) -> Result<(), PipeError> {
        self.unknown = true;
        let state = self.state;
        let result = self.apply(self.touched, &state);
        self.unknown = false;
        result
    }

    /// Unbinds all state that has a setter.
    pub(crate) fn unbind_all(&mut self) -> Result<(), PipeError> {
        self.saved.clear();
        self.apply(Saved::all(), &State::default())
    }

    /// Sets the kinds in `what` to their values in `state`.
    fn apply(&mut self, what: Saved, state: &State) -> Result<(), PipeError> {
        let mut result = Ok(());
        let mut keep = |outcome: Result<(), PipeError>| {
            if result.is_ok() {
                result = outcome;
            }
        };
        let has = |flag| what.contains(flag);
        if has(Saved::BLEND) {
            keep(self.apply_blend(state.blend));
        }
        if has(Saved::DEPTH_STENCIL_ALPHA) {
            keep(self.apply_depth_stencil_alpha(state.depth_stencil_alpha));
        }
        if has(Saved::RASTERIZER) {
            keep(self.apply_rasterizer(state.rasterizer));
        }
        if has(Saved::VERTEX_ELEMENTS) {
            keep(self.apply_elements(state.elements));
        }
        for stage in ShaderType::ALL {
            if has(Saved::SAMPLERS) {
                keep(self.apply_samplers(*stage, &state.samplers[*stage]));
            }
            if has(Saved::SAMPLER_VIEWS) {
                keep(self.apply_views(*stage, &state.views[*stage]));
            }
            let shader = Saved::shader(*stage);
            if !shader.is_empty() && has(shader) {
                keep(self.apply_shader(*stage, state.shaders[*stage]));
            }
        }
        if has(Saved::FRAMEBUFFER) {
            keep(self.set_framebuffer(&state.framebuffer));
        }
        if has(Saved::VIEWPORTS) {
            keep(self.set_viewports(&state.viewports));
        }
        if has(Saved::SCISSORS) {
            keep(self.set_scissors(&state.scissors));
        }
        if has(Saved::VERTEX_BUFFERS) {
            keep(self.apply_vertex_buffers(&state.vertex_buffers));
        }
        if has(Saved::STENCIL_REF) {
            self.set_stencil_ref(state.stencil_ref);
        }
        if has(Saved::BLEND_COLOR) {
            self.set_blend_color(state.blend_color);
        }
        if has(Saved::CLIP) {
            self.set_clip_state(state.clip);
        }
        if has(Saved::SAMPLE_MASK) {
            self.set_sample_mask(state.sample_mask);
        }
        if has(Saved::MIN_SAMPLES) {
            self.set_min_samples(state.min_samples);
        }
        if has(Saved::STREAM_OUTPUTS) {
            let count = state
                .targets
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |last| last.saturating_add(1));
            let append = [None; MAX_SO_BUFFERS];
            let targets = state.targets.get(..count).unwrap_or(&state.targets);
            keep(self.set_stream_outputs(targets, append.get(..count).unwrap_or(&append)));
        }
        if has(Saved::RENDER_CONDITION) {
            let (query, condition, mode) = state.condition;
            keep(self.set_render_condition(query, condition, mode));
        }
        self.apply_memory(what, state, &mut keep);
        if has(Saved::POLYGON_STIPPLE) {
            self.set_polygon_stipple(state.stipple);
        }
        if has(Saved::TESS_STATE) {
            self.set_tess_state(state.tess);
        }
        if let Some(vertices) = state.patch_vertices.filter(|_| has(Saved::PATCH_VERTICES)) {
            keep(self.set_patch_vertices(vertices));
        }
        if has(Saved::SAMPLE_LOCATIONS) {
            let (locations, count) = &state.locations;
            let locations = locations.get(..usize::from(*count)).unwrap_or(locations);
            keep(self.set_sample_locations(locations));
        }
        if has(Saved::WINDOW_RECTANGLES) {
            keep(self.set_window_rectangles(&state.windows));
        }
        result
    }

    /// Sets what shaders read and write besides textures, as far as it is in `what`.
    fn apply_memory(
        &mut self,
        what: Saved,
        state: &State,
        keep: &mut dyn FnMut(Result<(), PipeError>),
    ) {
        for stage in ShaderType::ALL {
            if what.contains(Saved::CONSTANT_BUFFERS) {
                for (index, range) in state.constants[*stage].iter().enumerate() {
                    keep(self.set_constants(*stage, index, *range));
                }
            }
            if what.contains(Saved::SHADER_BUFFERS) {
                keep(self.apply_buffers(*stage, &state.buffers[*stage]));
            }
            if what.contains(Saved::SHADER_IMAGES) {
                keep(self.apply_images(*stage, &state.images[*stage]));
            }
        }
        if what.contains(Saved::HW_ATOMIC_BUFFERS) {
            keep(self.apply_atomics(&state.atomics));
        }
        if what.contains(Saved::COMPUTE_SHADER) {
            keep(self.set_compute(state.compute));
        }
    }
}
