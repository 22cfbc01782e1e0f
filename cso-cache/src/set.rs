//! The setters: each finds or creates the object, and calls the driver only when state changes.

use os_shim::Vec;
use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_VIEWPORTS};
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    Bitwise, BlendColor, BlendState, ClipState, DepthStencilAlphaState, FramebufferState,
    PipeError, PolyStipple, QueryHandle, RasterizerState, SamplerHandle, SamplerState,
    SamplerViewHandle, ScissorState, ShaderHandle, ShaderState, ShaderType, StencilRef,
    StreamOutputTargetHandle, TessState, VertexBuffer, VertexElement, VertexElementsHandle,
    ViewportState,
};

use crate::cache::hash_bits;
use crate::context::CsoContext;
use crate::state::Saved;

/// Adds one to a count of the statistics.
pub(crate) fn count(counter: &mut u64) {
    *counter = counter.saturating_add(1);
}

/// Returns N slots with `values` in the first ones and `None` in the rest; `what` names the values
/// in the error.
pub(crate) fn filled<T: Copy, const N: usize>(
    what: &'static str,
    values: &[Option<T>],
) -> Result<[Option<T>; N], PipeError> {
    PipeError::at_most(what, values.len() as u64, N as u64)?;
    let mut slots = [None; N];
    for (slot, value) in slots.iter_mut().zip(values) {
        *slot = *value;
    }
    Ok(slots)
}

/// Defines `$set`, which binds a state, with `$get`, which finds or creates its object.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $set:ident, $get:ident, $apply:ident, $state:ty, $handle:ty, $cache:ident, $bound:ident,
        $create:ident, $bind:ident, $delete:ident, $flag:ident
    ) => {
        $(#[$meta])*
        ///
        /// # Errors
        /// The driver's error; the previous state stays bound.
        pub fn $set(&mut self, state: &$state) -> Result<(), PipeError> {
            let handle = self.$get(state)?;
            self.$apply(Some(handle))
        }

        fn $get(&mut self, state: &$state) -> Result<$handle, PipeError> {
            let hash = hash_bits(state);
            if let Some(handle) = self.$cache.find(hash, |known| known.same_bits(state)) {
                count(&mut self.statistics.hits);
                return Ok(handle);
            }
            let (bound, saved) = (&self.state, &self.saved);
            let in_use = |handle| {
                Self::in_state(bound, saved, |state| state.values.$bound == Some(handle))
            };
            if let Some(evicted) = self.$cache.make_room(in_use)? {
                count(&mut self.statistics.evicted);
                self.inner.get().$delete(evicted)?;
            }
            let handle = self.inner.get().$create(state)?;
            count(&mut self.statistics.created);
            self.$cache.insert(hash, *state, handle)?;
            Ok(handle)
        }

        pub(crate) fn $apply(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            count(&mut self.statistics.sets);
            if self.state.values.$bound == handle && !self.unknown {
                return Ok(());
            }
            self.inner.get().$bind(handle)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::$flag;
            self.state.values.$bound = handle;
            Ok(())
        }
    };
}

/// Defines the setter of a value that no driver refuses.
macro_rules! value {
    ($(#[$meta:meta])* $set:ident, $value:ty, $field:ident, $flag:ident $(, $reference:tt)?) => {
        $(#[$meta])*
        pub fn $set(&mut self, value: $value) {
            count(&mut self.statistics.sets);
            if self.state.values.$field.same_bits(&value) && !self.unknown {
                return;
            }
            self.inner.get().$set($($reference)? value);
            count(&mut self.statistics.binds);
            self.touched |= Saved::$flag;
            self.state.values.$field = value;
        }
    };
}

impl<'m> CsoContext<'_, 'm> {
    object! {
        /// Sets the blend state.
        set_blend, blend, apply_blend, BlendState, pipe_core::BlendHandle, blends, blend,
        create_blend_state, bind_blend_state, delete_blend_state, BLEND
    }

    object! {
        /// Sets the depth, stencil and alpha state.
        set_depth_stencil_alpha, depth_stencil_alpha, apply_depth_stencil_alpha,
        DepthStencilAlphaState, pipe_core::DepthStencilAlphaHandle, depth_stencil_alphas,
        depth_stencil_alpha, create_depth_stencil_alpha_state, bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state, DEPTH_STENCIL_ALPHA
    }

    object! {
        /// Sets the rasterizer state.
        set_rasterizer, rasterizer, apply_rasterizer, RasterizerState,
        pipe_core::RasterizerHandle, rasterizers, rasterizer, create_rasterizer_state,
        bind_rasterizer_state, delete_rasterizer_state, RASTERIZER
    }

    value! {
        /// Sets the reference values of the stencil test.
        set_stencil_ref, StencilRef, stencil_ref, STENCIL_REF
    }

    value! {
        /// Sets the constant colour of blending.
        set_blend_color, BlendColor, blend_color, BLEND_COLOR, &
    }

    value! {
        /// Sets the user clip planes.
        set_clip_state, ClipState, clip, CLIP, &
    }

    value! {
        /// Sets the samples that may be written, bit i for sample i.
        set_sample_mask, u32, sample_mask, SAMPLE_MASK
    }

    value! {
        /// Sets the least number of samples of a pixel that the fragment shader runs for.
        set_min_samples, u8, min_samples, MIN_SAMPLES
    }

    value! {
        /// Sets the polygon stipple.
        set_polygon_stipple, PolyStipple, stipple, POLYGON_STIPPLE, &
    }

    value! {
        /// Sets the tessellation levels of draws without a tessellation control shader.
        set_tess_state, TessState, tess, TESS_STATE, &
    }

    /// Sets the vertex elements: element i feeds input i of the vertex shader.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfMemory`] for the key; the previous elements stay
    /// bound.
    pub fn set_vertex_elements(&mut self, elements: &[VertexElement]) -> Result<(), PipeError> {
        let handle = self.vertex_elements(elements)?;
        self.apply_elements(Some(handle))
    }

    fn vertex_elements(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        let hash = hash_bits(elements);
        let found = self.elements.find(hash, |known| known.as_slice().same_bits(elements));
        if let Some(handle) = found {
            count(&mut self.statistics.hits);
            return Ok(handle);
        }
        let key = Vec::try_from_slice_in(elements, self.memory)?;
        let (bound, saved) = (&self.state, &self.saved);
        let in_use =
            |handle| Self::in_state(bound, saved, |state| state.values.elements == Some(handle));
        if let Some(evicted) = self.elements.make_room(in_use)? {
            count(&mut self.statistics.evicted);
            self.inner.get().delete_vertex_elements_state(evicted)?;
        }
        let handle = self.inner.get().create_vertex_elements_state(elements)?;
        count(&mut self.statistics.created);
        self.elements.insert(hash, key, handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_elements(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.elements == handle && !self.unknown {
            return Ok(());
        }
        self.inner.get().bind_vertex_elements_state(handle)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::VERTEX_ELEMENTS;
        self.state.values.elements = handle;
        Ok(())
    }

    /// Sets the shader of a stage by `key`. If the cache has no shader of this key, creates it from
    /// `state`.
    ///
    /// Equal keys of a stage must mean equal shaders: a hash of the code, or an id in the caller's
    /// table. The code itself is neither compared nor kept.
    ///
    /// # Errors
    /// The driver's error; the previous shader stays bound. [`PipeError::Invalid`] for the compute
    /// stage.
    pub fn set_shader(
        &mut self,
        stage: ShaderType,
        key: u64,
        state: &ShaderState<'_, 'm>,
    ) -> Result<(), PipeError> {
        if stage == ShaderType::Compute {
            return Err(PipeError::Invalid("bind compute shaders in the context itself"));
        }
        let handle = self.shader(stage, key, state)?;
        self.apply_shader(stage, Some(handle))
    }

    /// Unbinds the shader of a stage.
    ///
    /// # Errors
    /// The driver's error.
    pub fn clear_shader(&mut self, stage: ShaderType) -> Result<(), PipeError> {
        self.apply_shader(stage, None)
    }

    fn shader(
        &mut self,
        stage: ShaderType,
        key: u64,
        shader: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let hash = hash_bits(&[key, stage as u64]);
        if let Some(handle) = self.shaders.find(hash, |known| *known == (stage, key)) {
            count(&mut self.statistics.hits);
            return Ok(handle);
        }
        let (bound, saved) = (&self.state, &self.saved);
        let in_use = |handle| {
            Self::in_state(bound, saved, |state| state.values.shaders.0.contains(&Some(handle)))
        };
        if let Some(evicted) = self.shaders.make_room(in_use)? {
            count(&mut self.statistics.evicted);
            self.inner.get().delete_shader_state(evicted)?;
        }
        let handle = self.inner.get().create_shader_state(stage, shader)?;
        count(&mut self.statistics.created);
        self.shaders.insert(hash, (stage, key), handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_shader(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.shaders[stage] == handle && !self.unknown {
            return Ok(());
        }
        self.inner.get().bind_shader_state(stage, handle)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::shader(stage);
        self.state.values.shaders[stage] = handle;
        Ok(())
    }

    /// Sets the samplers of a stage from slot 0 on; all other slots become empty.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_SAMPLERS`; the previous
    /// samplers stay bound.
    pub fn set_samplers(
        &mut self,
        stage: ShaderType,
        samplers: &[Option<SamplerState>],
    ) -> Result<(), PipeError> {
        let limit = MAX_SAMPLERS as u64;
        PipeError::at_most("the number of samplers", samplers.len() as u64, limit)?;
        let mut handles = [None; MAX_SAMPLERS];
        for (slot, sampler) in samplers.iter().enumerate() {
            let Some(sampler) = sampler else { continue };
            // Samplers of earlier slots are not bound yet, but must not be evicted.
            let handle = self.sampler(sampler, &handles)?;
            if let Some(slot) = handles.get_mut(slot) {
                *slot = Some(handle);
            }
        }
        self.apply_samplers(stage, &handles)
    }

    fn sampler(
        &mut self,
        sampler: &SamplerState,
        pending: &[Option<SamplerHandle>],
    ) -> Result<SamplerHandle, PipeError> {
        let hash = hash_bits(sampler);
        if let Some(handle) = self.samplers.find(hash, |known| known.same_bits(sampler)) {
            count(&mut self.statistics.hits);
            return Ok(handle);
        }
        let (bound, saved) = (&self.state, &self.saved);
        let in_use = |handle| {
            pending.contains(&Some(handle))
                || Self::in_state(bound, saved, |state| {
                    state.samplers.0.iter().any(|stage| stage.as_slice().contains(&Some(handle)))
                })
        };
        if let Some(evicted) = self.samplers.make_room(in_use)? {
            count(&mut self.statistics.evicted);
            self.inner.get().delete_sampler_state(evicted)?;
        }
        let handle = self.inner.get().create_sampler_state(sampler)?;
        count(&mut self.statistics.created);
        self.samplers.insert(hash, *sampler, handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_samplers(
        &mut self,
        stage: ShaderType,
        handles: &[Option<SamplerHandle>; MAX_SAMPLERS],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.samplers[stage];
        if let Some((first, slots)) = state.changed(handles, self.unknown)? {
            self.inner.get().bind_sampler_states(stage, first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::SAMPLERS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the sampler views of a stage from slot 0 on, at most `MAX_SAMPLERS`; all other slots
    /// become empty. The caller keeps owning the views and destroys them.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for too many; the previous views stay
    /// bound.
    pub fn set_sampler_views(
        &mut self,
        stage: ShaderType,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        self.apply_views(stage, &filled("the number of sampler views", views)?)
    }

    pub(crate) fn apply_views(
        &mut self,
        stage: ShaderType,
        views: &[Option<SamplerViewHandle>; MAX_SAMPLERS],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.views[stage];
        if let Some((first, slots)) = state.changed(views, self.unknown)? {
            self.inner.get().set_sampler_views(stage, first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::SAMPLER_VIEWS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the vertex buffers from slot 0 on; all other slots become empty.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_ATTRIBS`; the previous
    /// buffers stay bound.
    pub fn set_vertex_buffers(
        &mut self,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        self.apply_vertex_buffers(&filled("the number of vertex buffers", buffers)?)
    }

    pub(crate) fn apply_vertex_buffers(
        &mut self,
        buffers: &[Option<VertexBuffer>; MAX_ATTRIBS],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.vertex_buffers;
        if let Some((first, slots)) = state.changed(buffers, self.unknown)? {
            self.inner.get().set_vertex_buffers(first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::VERTEX_BUFFERS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the attachments that draws write to.
    ///
    /// # Errors
    /// The driver's error.
    pub fn set_framebuffer(&mut self, framebuffer: &FramebufferState) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.framebuffer == *framebuffer && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_framebuffer_state(framebuffer)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::FRAMEBUFFER;
        self.state.values.framebuffer = *framebuffer;
        Ok(())
    }

    /// Sets viewports from the first on; viewports beyond the slice keep their values.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_VIEWPORTS`.
    pub fn set_viewports(&mut self, viewports: &[ViewportState]) -> Result<(), PipeError> {
        let limit = MAX_VIEWPORTS as u64;
        PipeError::at_most("the number of viewports", viewports.len() as u64, limit)?;
        count(&mut self.statistics.sets);
        let state = &mut self.state.viewports;
        if let Some((first, slots)) = state.changed(viewports, self.unknown)? {
            self.inner.get().set_viewport_states(first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::VIEWPORTS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets scissors from the first on; scissors beyond the slice keep their values.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_VIEWPORTS`.
    pub fn set_scissors(&mut self, scissors: &[ScissorState]) -> Result<(), PipeError> {
        let limit = MAX_VIEWPORTS as u64;
        PipeError::at_most("the number of scissors", scissors.len() as u64, limit)?;
        count(&mut self.statistics.sets);
        let state = &mut self.state.scissors;
        if let Some((first, slots)) = state.changed(scissors, self.unknown)? {
            self.inner.get().set_scissor_states(first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::SCISSORS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the stream output targets. Target i is written from `offsets[i]` bytes on. With `None`
    /// it is appended to.
    ///
    /// An offset is a command, not state: the driver's call is omitted only if all targets stay and
    /// are appended to.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_SO_BUFFERS`.
    pub fn set_stream_outputs(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let new: [_; MAX_SO_BUFFERS] = filled("the number of stream output targets", targets)?;
        count(&mut self.statistics.sets);
        let appends = offsets.iter().all(Option::is_none);
        if new == self.state.values.targets && appends && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_stream_output_targets(targets, offsets)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::STREAM_OUTPUTS;
        self.state.values.targets = new;
        Ok(())
    }

    /// Sets the render condition: draws are skipped while the query's result equals `condition`;
    /// `None` draws always.
    ///
    /// # Errors
    /// The driver's error.
    pub fn set_render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let new = (query, condition, mode);
        if self.state.values.condition == new && !self.unknown {
            return Ok(());
        }
        self.inner.get().render_condition(query, condition, mode)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::RENDER_CONDITION;
        self.state.values.condition = new;
        Ok(())
    }
}
