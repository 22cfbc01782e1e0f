//! The setters: find or make the object, call the driver if something changes.

use os_shim::Vec;
use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_VIEWPORTS};
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    Bitwise, BlendColor, BlendState, ClipState, DepthStencilAlphaState, FramebufferState,
    PipeError, QueryHandle, RasterizerState, SamplerHandle, SamplerState, SamplerViewHandle,
    ScissorState, ShaderHandle, ShaderState, ShaderType, StencilRef, StreamOutputTargetHandle,
    VertexBuffer, VertexElement, VertexElementsHandle, ViewportState,
};

use crate::cache::hash_bits;
use crate::context::CsoContext;
use crate::state::Saved;

/// The slots to set: from the first to past the last in which `new` differs from `old`, or, if
/// `unknown`, all that were ever `used`. `None` when there are none. Keeps `used` up to date.
fn changed<T: PartialEq>(
    old: &[T],
    new: &[T],
    unknown: bool,
    used: &mut usize,
) -> Option<(usize, usize)> {
    let differs = |(old, new): (&T, &T)| old != new;
    let first = old.iter().zip(new).position(differs);
    let end = old.iter().zip(new).rposition(differs).map_or(0, |last| last + 1);
    *used = (*used).max(end);
    if unknown {
        return (*used > 0).then_some((0, *used));
    }
    first.map(|first| (first, end))
}

/// Slots from the start, the others empty.
fn filled<T: Copy, const N: usize>(
    what: &'static str,
    values: &[Option<T>],
) -> Result<[Option<T>; N], PipeError> {
    PipeError::at_most(what, values.len() as u64, N as u64)?;
    let mut slots = [None; N];
    slots[..values.len()].copy_from_slice(values);
    Ok(slots)
}

/// A pair of methods: `$get` finds or makes an object, `$set` binds it.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $set:ident, $get:ident, $apply:ident, $state:ty, $handle:ty, $cache:ident, $bound:ident,
        $create:ident, $bind:ident, $delete:ident, $flag:ident
    ) => {
        $(#[$meta])*
        ///
        /// # Errors
        /// The driver's; what was bound stays bound.
        pub fn $set(&mut self, state: &$state) -> Result<(), PipeError> {
            let handle = self.$get(state)?;
            self.$apply(Some(handle))
        }

        fn $get(&mut self, state: &$state) -> Result<$handle, PipeError> {
            let hash = hash_bits(state);
            if let Some(handle) = self.$cache.find(hash, |known| known.same_bits(state)) {
                self.statistics.hits += 1;
                return Ok(handle);
            }
            let (bound, saved) = (&self.state, &self.saved);
            let in_use = |handle| {
                Self::in_state(bound, saved, |state| state.$bound == Some(handle))
            };
            if let Some(evicted) = self.$cache.make_room(in_use)? {
                self.statistics.evicted += 1;
                self.inner.get().$delete(evicted)?;
            }
            let handle = self.inner.get().$create(state)?;
            self.statistics.created += 1;
            self.$cache.insert(hash, *state, handle)?;
            Ok(handle)
        }

        pub(crate) fn $apply(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            self.statistics.sets += 1;
            if self.state.$bound == handle && !self.unknown {
                return Ok(());
            }
            self.inner.get().$bind(handle)?;
            self.statistics.binds += 1;
            self.touched |= Saved::$flag;
            self.state.$bound = handle;
            Ok(())
        }
    };
}

/// A setter of a value that the driver takes without fail.
macro_rules! value {
    ($(#[$meta:meta])* $set:ident, $value:ty, $field:ident, $flag:ident $(, $reference:tt)?) => {
        $(#[$meta])*
        pub fn $set(&mut self, value: $value) {
            self.statistics.sets += 1;
            if self.state.$field.same_bits(&value) && !self.unknown {
                return;
            }
            self.inner.get().$set($($reference)? value);
            self.statistics.binds += 1;
            self.touched |= Saved::$flag;
            self.state.$field = value;
        }
    };
}

impl<'m> CsoContext<'_, 'm> {
    object! {
        /// Blends like this.
        set_blend, blend, apply_blend, BlendState, pipe_core::BlendHandle, blends, blend,
        create_blend_state, bind_blend_state, delete_blend_state, BLEND
    }

    object! {
        /// Tests depth, stencil and alpha like this.
        set_depth_stencil_alpha, depth_stencil_alpha, apply_depth_stencil_alpha,
        DepthStencilAlphaState, pipe_core::DepthStencilAlphaHandle, depth_stencil_alphas,
        depth_stencil_alpha, create_depth_stencil_alpha_state, bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state, DEPTH_STENCIL_ALPHA
    }

    object! {
        /// Rasterizes like this.
        set_rasterizer, rasterizer, apply_rasterizer, RasterizerState,
        pipe_core::RasterizerHandle, rasterizers, rasterizer, create_rasterizer_state,
        bind_rasterizer_state, delete_rasterizer_state, RASTERIZER
    }

    value! {
        /// Compares stencil values with these.
        set_stencil_ref, StencilRef, stencil_ref, STENCIL_REF
    }

    value! {
        /// Blends with this constant colour.
        set_blend_color, BlendColor, blend_color, BLEND_COLOR, &
    }

    value! {
        /// Clips by these planes.
        set_clip_state, ClipState, clip, CLIP, &
    }

    value! {
        /// Writes these samples.
        set_sample_mask, u32, sample_mask, SAMPLE_MASK
    }

    value! {
        /// Shades at least so many samples of a pixel.
        set_min_samples, u8, min_samples, MIN_SAMPLES
    }

    /// Fetches vertices like this.
    ///
    /// # Errors
    /// The driver's, or out of memory for the key; what was bound stays bound.
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
            self.statistics.hits += 1;
            return Ok(handle);
        }
        let key = Vec::try_from_slice_in(elements, self.memory)?;
        let (bound, saved) = (&self.state, &self.saved);
        let in_use = |handle| Self::in_state(bound, saved, |state| state.elements == Some(handle));
        if let Some(evicted) = self.elements.make_room(in_use)? {
            self.statistics.evicted += 1;
            self.inner.get().delete_vertex_elements_state(evicted)?;
        }
        let handle = self.inner.get().create_vertex_elements_state(elements)?;
        self.statistics.created += 1;
        self.elements.insert(hash, key, handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_elements(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        self.statistics.sets += 1;
        if self.state.elements == handle && !self.unknown {
            return Ok(());
        }
        self.inner.get().bind_vertex_elements_state(handle)?;
        self.statistics.binds += 1;
        self.touched |= Saved::VERTEX_ELEMENTS;
        self.state.elements = handle;
        Ok(())
    }

    /// Shades with the shader of this name, which `state` makes if it is not there.
    ///
    /// `key` is the caller's: equal keys of a stage must mean equal shaders (a hash of the
    /// code, an id in a table). The code itself is neither compared nor kept.
    ///
    /// # Errors
    /// The driver's; what was bound stays bound. Compute is [`PipeError::Invalid`].
    pub fn set_shader(
        &mut self,
        stage: ShaderType,
        key: u64,
        state: &ShaderState<'_, 'm>,
    ) -> Result<(), PipeError> {
        if stage == ShaderType::Compute {
            return Err(PipeError::Invalid("a compute shader in the drawing pipeline"));
        }
        let handle = self.shader(stage, key, state)?;
        self.apply_shader(stage, Some(handle))
    }

    /// Shades without this stage.
    ///
    /// # Errors
    /// The driver's.
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
            self.statistics.hits += 1;
            return Ok(handle);
        }
        let (bound, saved) = (&self.state, &self.saved);
        let in_use =
            |handle| Self::in_state(bound, saved, |state| state.shaders.contains(&Some(handle)));
        if let Some(evicted) = self.shaders.make_room(in_use)? {
            self.statistics.evicted += 1;
            self.inner.get().delete_shader_state(evicted)?;
        }
        let handle = self.inner.get().create_shader_state(stage, shader)?;
        self.statistics.created += 1;
        self.shaders.insert(hash, (stage, key), handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_shader(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        self.statistics.sets += 1;
        if self.state.shaders[stage as usize] == handle && !self.unknown {
            return Ok(());
        }
        self.inner.get().bind_shader_state(stage, handle)?;
        self.statistics.binds += 1;
        self.touched |= Saved::shader(stage);
        self.state.shaders[stage as usize] = handle;
        Ok(())
    }

    /// Samples a stage's textures with these, from slot 0; all other slots become empty.
    ///
    /// # Errors
    /// The driver's, or more than `MAX_SAMPLERS`; what was bound stays bound.
    pub fn set_samplers(
        &mut self,
        stage: ShaderType,
        samplers: &[Option<SamplerState>],
    ) -> Result<(), PipeError> {
        let limit = MAX_SAMPLERS as u64;
        PipeError::at_most("the number of samplers", samplers.len() as u64, limit)?;
        let mut handles = [None; MAX_SAMPLERS];
        for slot in 0..samplers.len() {
            if let Some(sampler) = &samplers[slot] {
                // Those of the slots before are not bound yet, but needed.
                handles[slot] = Some(self.sampler(sampler, &handles[..slot])?);
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
            self.statistics.hits += 1;
            return Ok(handle);
        }
        let (bound, saved) = (&self.state, &self.saved);
        let in_use = |handle| {
            pending.contains(&Some(handle))
                || Self::in_state(bound, saved, |state| {
                    state.samplers.iter().any(|stage| stage.contains(&Some(handle)))
                })
        };
        if let Some(evicted) = self.samplers.make_room(in_use)? {
            self.statistics.evicted += 1;
            self.inner.get().delete_sampler_state(evicted)?;
        }
        let handle = self.inner.get().create_sampler_state(sampler)?;
        self.statistics.created += 1;
        self.samplers.insert(hash, *sampler, handle)?;
        Ok(handle)
    }

    pub(crate) fn apply_samplers(
        &mut self,
        stage: ShaderType,
        handles: &[Option<SamplerHandle>; MAX_SAMPLERS],
    ) -> Result<(), PipeError> {
        self.statistics.sets += 1;
        let used = &mut self.used.samplers[stage as usize];
        let old = &self.state.samplers[stage as usize];
        if let Some((first, end)) = changed(old, handles, self.unknown, used) {
            self.inner.get().bind_sampler_states(stage, first, &handles[first..end])?;
            self.statistics.binds += 1;
            self.touched |= Saved::SAMPLERS;
            self.state.samplers[stage as usize] = *handles;
        }
        Ok(())
    }

    /// Samples these views in a stage, from slot 0; all other slots become empty. At most
    /// `MAX_SAMPLERS` are tracked here. The views stay the caller's.
    ///
    /// # Errors
    /// The driver's, or too many; what was bound stays bound.
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
        self.statistics.sets += 1;
        let used = &mut self.used.views[stage as usize];
        let old = &self.state.views[stage as usize];
        if let Some((first, end)) = changed(old, views, self.unknown, used) {
            self.inner.get().set_sampler_views(stage, first, &views[first..end])?;
            self.statistics.binds += 1;
            self.touched |= Saved::SAMPLER_VIEWS;
            self.state.views[stage as usize] = *views;
        }
        Ok(())
    }

    /// Fetches from these vertex buffers, from slot 0; all other slots become empty.
    ///
    /// # Errors
    /// The driver's, or more than `MAX_ATTRIBS`; what was bound stays bound.
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
        self.statistics.sets += 1;
        let used = &mut self.used.vertex_buffers;
        let old = &self.state.vertex_buffers;
        if let Some((first, end)) = changed(old, buffers, self.unknown, used) {
            self.inner.get().set_vertex_buffers(first, &buffers[first..end])?;
            self.statistics.binds += 1;
            self.touched |= Saved::VERTEX_BUFFERS;
            self.state.vertex_buffers = *buffers;
        }
        Ok(())
    }

    /// Draws to this.
    ///
    /// # Errors
    /// The driver's.
    pub fn set_framebuffer(&mut self, framebuffer: &FramebufferState) -> Result<(), PipeError> {
        self.statistics.sets += 1;
        if self.state.framebuffer == *framebuffer && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_framebuffer_state(framebuffer)?;
        self.statistics.binds += 1;
        self.touched |= Saved::FRAMEBUFFER;
        self.state.framebuffer = *framebuffer;
        Ok(())
    }

    /// Maps to the window like this: viewports from the first on; the others stay.
    ///
    /// # Errors
    /// The driver's, or more than `MAX_VIEWPORTS`.
    pub fn set_viewports(&mut self, viewports: &[ViewportState]) -> Result<(), PipeError> {
        let limit = MAX_VIEWPORTS as u64;
        PipeError::at_most("the number of viewports", viewports.len() as u64, limit)?;
        self.statistics.sets += 1;
        let used = &mut self.used.viewports;
        let old = &self.state.viewports[..viewports.len()];
        if let Some((first, end)) = changed(old, viewports, self.unknown, used) {
            self.inner.get().set_viewport_states(first, &viewports[first..end])?;
            self.statistics.binds += 1;
            self.touched |= Saved::VIEWPORTS;
            self.state.viewports[..viewports.len()].copy_from_slice(viewports);
        }
        Ok(())
    }

    /// Draws within these: scissors from the first on; the others stay.
    ///
    /// # Errors
    /// The driver's, or more than `MAX_VIEWPORTS`.
    pub fn set_scissors(&mut self, scissors: &[ScissorState]) -> Result<(), PipeError> {
        let limit = MAX_VIEWPORTS as u64;
        PipeError::at_most("the number of scissors", scissors.len() as u64, limit)?;
        self.statistics.sets += 1;
        let used = &mut self.used.scissors;
        let old = &self.state.scissors[..scissors.len()];
        if let Some((first, end)) = changed(old, scissors, self.unknown, used) {
            self.inner.get().set_scissor_states(first, &scissors[first..end])?;
            self.statistics.binds += 1;
            self.touched |= Saved::SCISSORS;
            self.state.scissors[..scissors.len()].copy_from_slice(scissors);
        }
        Ok(())
    }

    /// Streams vertices to these targets, each written from `offsets` on (`None`: appended to).
    ///
    /// An offset is an order to the driver, not a state: the call is left out only if all
    /// targets are the same and appended to.
    ///
    /// # Errors
    /// The driver's, or more than `MAX_SO_BUFFERS`.
    pub fn set_stream_outputs(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let new: [_; MAX_SO_BUFFERS] = filled("the number of stream output targets", targets)?;
        self.statistics.sets += 1;
        let appends = offsets.iter().all(Option::is_none);
        if new == self.state.targets && appends && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_stream_output_targets(targets, offsets)?;
        self.statistics.binds += 1;
        self.touched |= Saved::STREAM_OUTPUTS;
        self.state.targets = new;
        Ok(())
    }

    /// Draws only if the query's result is not `condition`; `None` draws always.
    ///
    /// # Errors
    /// The driver's.
    pub fn set_render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        self.statistics.sets += 1;
        let new = (query, condition, mode);
        if self.state.condition == new && !self.unknown {
            return Ok(());
        }
        self.inner.get().render_condition(query, condition, mode)?;
        self.statistics.binds += 1;
        self.touched |= Saved::RENDER_CONDITION;
        self.state.condition = new;
        Ok(())
    }
}
