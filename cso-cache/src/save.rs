//! Saves and restores state, for clears by quads, blits and text overlays.

use pipe_core::limits::{MAX_CONSTANT_BUFFERS, MAX_SO_BUFFERS, MAX_VIEWPORTS};
use pipe_core::{PipeError, ShaderType};

use crate::context::CsoContext;
use crate::state::{Saved, State};

impl<'c> CsoContext<'c, '_> {
    /// Saves the state of these kinds until [`restore`](Self::restore). Saves nest. Saved objects
    /// are not evicted.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`]; then nothing is saved.
    pub fn save(&mut self, what: Saved) -> Result<(), PipeError> {
        let state = self.state.try_clone(what, self.memory)?;
        Ok(self.saved.try_push((what, state))?)
    }

    /// Returns the number of saves not yet restored.
    pub fn saves(&self) -> usize {
        self.saved.len()
    }

    /// Restores the kinds of state that the last [`save`](Self::save) was given. Calls the driver
    /// only for changes.
    ///
    /// # Errors
    /// [`PipeError::Invalid`] without a save; otherwise the driver's first error, after all other
    /// state was restored.
    pub fn restore(&mut self) -> Result<(), PipeError> {
        let Some((what, state)) = self.saved.pop() else {
            return Err(PipeError::Invalid("there is no saved state to restore"));
        };
        self.apply(what, Some(&state))
    }

    /// Binds all state that was ever set here again. Call it after other code used the context.
    ///
    /// # Errors
    /// The driver's first error, after all other state was bound.
    pub fn rebind(&mut self) -> Result<(), PipeError> {
        self.unknown = true;
        let result = self.apply(self.touched, None);
        self.unknown = false;
        result
    }

    /// Unbinds all state that has a setter.
    pub(crate) fn unbind_all(&mut self) -> Result<(), PipeError> {
        self.saved.clear();
        let nothing = State::new(self.memory);
        self.apply(Saved::all(), Some(&nothing))
    }

    /// Sets the kinds in `what` to their values in `saved`, or with `None` again to the current
    /// values.
    fn apply(&mut self, what: Saved, saved: Option<&State<'c>>) -> Result<(), PipeError> {
        let values = saved.unwrap_or(&self.state).values;
        let mut result = Ok(());
        let mut keep = |outcome: Result<(), PipeError>| {
            if result.is_ok() {
                result = outcome;
            }
        };
        let has = |flag| what.contains(flag);
        if has(Saved::BLEND) {
            keep(self.apply_blend(values.blend));
        }
        if has(Saved::DEPTH_STENCIL_ALPHA) {
            keep(self.apply_depth_stencil_alpha(values.depth_stencil_alpha));
        }
        if has(Saved::RASTERIZER) {
            keep(self.apply_rasterizer(values.rasterizer));
        }
        if has(Saved::VERTEX_ELEMENTS) {
            keep(self.apply_elements(values.elements));
        }
        for stage in ShaderType::ALL {
            if has(Saved::SAMPLERS) {
                let slots = saved.unwrap_or(&self.state).samplers[*stage].array();
                keep(self.apply_samplers(*stage, &slots));
            }
            if has(Saved::SAMPLER_VIEWS) {
                let slots = saved.unwrap_or(&self.state).views[*stage].array();
                keep(self.apply_views(*stage, &slots));
            }
            let shader = Saved::shader(*stage);
            if !shader.is_empty() && has(shader) {
                keep(self.apply_shader(*stage, values.shaders[*stage]));
            }
        }
        if has(Saved::FRAMEBUFFER) {
            keep(self.set_framebuffer(&values.framebuffer));
        }
        if has(Saved::VIEWPORTS) {
            let slots: [_; MAX_VIEWPORTS] = saved.unwrap_or(&self.state).viewports.array();
            keep(self.set_viewports(&slots));
        }
        if has(Saved::SCISSORS) {
            let slots: [_; MAX_VIEWPORTS] = saved.unwrap_or(&self.state).scissors.array();
            keep(self.set_scissors(&slots));
        }
        if has(Saved::VERTEX_BUFFERS) {
            let slots = saved.unwrap_or(&self.state).vertex_buffers.array();
            keep(self.apply_vertex_buffers(&slots));
        }
        if has(Saved::STENCIL_REF) {
            self.set_stencil_ref(values.stencil_ref);
        }
        if has(Saved::BLEND_COLOR) {
            self.set_blend_color(values.blend_color);
        }
        if has(Saved::CLIP) {
            self.set_clip_state(values.clip);
        }
        if has(Saved::SAMPLE_MASK) {
            self.set_sample_mask(values.sample_mask);
        }
        if has(Saved::MIN_SAMPLES) {
            self.set_min_samples(values.min_samples);
        }
        if has(Saved::STREAM_OUTPUTS) {
            let count = values
                .targets
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |last| last.saturating_add(1));
            let append = [None; MAX_SO_BUFFERS];
            let targets = values.targets.get(..count).unwrap_or(&values.targets);
            keep(self.set_stream_outputs(targets, append.get(..count).unwrap_or(&append)));
        }
        if has(Saved::RENDER_CONDITION) {
            let (query, condition, mode) = values.condition;
            keep(self.set_render_condition(query, condition, mode));
        }
        self.apply_memory(what, saved, &mut keep);
        if has(Saved::POLYGON_STIPPLE) {
            self.set_polygon_stipple(values.stipple);
        }
        if has(Saved::TESS_STATE) {
            self.set_tess_state(values.tess);
        }
        if let Some(vertices) = values.patch_vertices.filter(|_| has(Saved::PATCH_VERTICES)) {
            keep(self.set_patch_vertices(vertices));
        }
        if has(Saved::SAMPLE_LOCATIONS) {
            let (locations, count) = &values.locations;
            let locations = locations.get(..usize::from(*count)).unwrap_or(locations);
            keep(self.set_sample_locations(locations));
        }
        if has(Saved::WINDOW_RECTANGLES) {
            keep(self.set_window_rectangles(&values.windows));
        }
        result
    }

    /// Sets the buffers, images and other memory of shaders, except textures, as far as `what` has
    /// them.
    fn apply_memory(
        &mut self,
        what: Saved,
        saved: Option<&State<'c>>,
        keep: &mut dyn FnMut(Result<(), PipeError>),
    ) {
        for stage in ShaderType::ALL {
            if what.contains(Saved::CONSTANT_BUFFERS) {
                let ranges: [_; MAX_CONSTANT_BUFFERS] =
                    saved.unwrap_or(&self.state).constants[*stage].array();
                for (index, range) in ranges.into_iter().enumerate() {
                    keep(self.set_constants(*stage, index, range));
                }
            }
            if what.contains(Saved::SHADER_BUFFERS) {
                let slots = saved.unwrap_or(&self.state).buffers[*stage].array();
                keep(self.apply_buffers(*stage, &slots));
            }
            if what.contains(Saved::SHADER_IMAGES) {
                let slots = saved.unwrap_or(&self.state).images[*stage].array();
                keep(self.apply_images(*stage, &slots));
            }
        }
        if what.contains(Saved::HW_ATOMIC_BUFFERS) {
            let slots = saved.unwrap_or(&self.state).atomics.array();
            keep(self.apply_atomics(&slots));
        }
        if what.contains(Saved::COMPUTE_SHADER) {
            keep(self.set_compute(saved.unwrap_or(&self.state).values.compute));
        }
    }
}
