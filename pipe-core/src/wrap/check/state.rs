//! Checks of state objects, shaders and parameters.

use tgsi::declaration::MemoryType;
use tgsi::register::File;
use tgsi::shader::{Property, Shader};

use super::rules::{Code, Rule, has_memory, shader_rule};
use super::{Check, Elements, SamplerFacts, ShaderFacts, finite, hinted, is_lack, require, slots};
use crate::caps::{Cap, CapF, ComputeCap, ShaderCap};
use crate::context::{Context, CsoState, Parameters};
use crate::error::PipeError;
use crate::handle::*;
use crate::limits::{
    MAX_ATTRIBS, MAX_PATCH_VERTICES, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_SO_OUTPUTS, MAX_VIEWPORTS,
};
use crate::resource::{Bind, ResourceTemplate};
use crate::shader::{ShaderSource, ShaderState, ShaderType, StreamOutputInfo};
use crate::state::*;

impl<'m> Check<'_, 'm> {
    fn blend(&self, state: &BlendState) -> Result<(), PipeError> {
        self.demands(|rule| matches!(rule, Rule::Blend(uses) if uses(state)))
    }

    fn depth_stencil_alpha(&self, state: &DepthStencilAlphaState) -> Result<(), PipeError> {
        let bounds = [state.depth_bounds_min, state.depth_bounds_max];
        finite("a depth bound or alpha reference is not finite", &bounds)?;
        finite("a depth bound or alpha reference is not finite", &[state.alpha_ref_value])?;
        let test = state.depth_bounds_test;
        require(!test || bounds[0] <= bounds[1], "depth bounds in the wrong order")?;
        self.demands(|rule| matches!(rule, Rule::DepthStencilAlpha(uses) if uses(state)))
    }

    fn rasterizer(&self, state: &RasterizerState) -> Result<(), PipeError> {
        let sizes = [state.line_width, state.point_size];
        let offsets = [state.offset_units, state.offset_scale, state.offset_clamp];
        finite("a line width or point size is not finite", &sizes)?;
        finite("a depth offset is not finite", &offsets)?;
        finite("a dilation is not finite", &[state.conservative_raster_dilate])?;
        require(sizes.iter().all(|size| *size >= 0.0), "a negative line width or point size")?;
        let sprites = state.sprite_coord_enable != 0;
        let quads = state.point_quad_rasterization;
        require(quads || !sprites, "sprite_coord_enable without point_quad_rasterization")?;
        require(
            !(sprites && state.point_smooth),
            "sprite_coord_enable together with point_smooth",
        )?;
        require(quads || !state.point_tri_clip, "point_tri_clip without point_quad_rasterization")?;
        let precision = state.subpixel_precision_x.max(state.subpixel_precision_y);
        let limit = self.limit(Cap::MaxConservativeRasterSubpixelPrecisionBias);
        PipeError::at_most("subpixel_precision_x or _y", precision.into(), limit)?;
        self.demands(|rule| matches!(rule, Rule::Rasterizer(uses) if uses(state)))
    }

    fn sampler(&self, state: &SamplerState) -> Result<(), PipeError> {
        finite("a level of detail is not finite", &[state.lod_bias, state.min_lod, state.max_lod])?;
        let wraps = [state.wrap_s, state.wrap_t, state.wrap_r];
        require(
            state.normalized_coords || wraps.iter().all(|wrap| wrap.allows_unnormalized()),
            "unnormalized coordinates that repeat or mirror",
        )?;
        self.demands(|rule| matches!(rule, Rule::Sampler(uses) if uses(state)))?;
        let most = self.screen.get_paramf(CapF::MaxTextureAnisotropy).max(1.0) as u64;
        PipeError::at_most("max_anisotropy", state.max_anisotropy.into(), most)
    }

    fn vertex_elements(&self, elements: &[VertexElement]) -> Result<Elements, PipeError> {
        slots("the number of vertex elements", 0, elements.len(), MAX_ATTRIBS)?;
        let buffer = ResourceTemplate::buffer(1, Bind::VERTEX_BUFFER);
        let mut list = Elements::new();
        for element in elements {
            let index = usize::from(element.vertex_buffer_index);
            let buffers = (self.limit(Cap::MaxVertexBuffers) as usize).min(MAX_ATTRIBS);
            slots("the vertex buffer index", index, 1, buffers)?;
            let limit = self.limit(Cap::MaxVertexElementSrcOffset);
            PipeError::at_most("a vertex element's offset", element.src_offset.into(), limit)?;
            let aligned = element.src_offset.is_multiple_of(4)
                || self.cap(Cap::VertexElementSrcOffset4byteAlignedOnly) == 0;
            require(aligned, "a vertex element's offset is not a multiple of 4")?;
            self.demands(|rule| matches!(rule, Rule::Element(uses) if uses(element)))?;
            self.format_usable(element.src_format, &buffer, Bind::VERTEX_BUFFER, "a vertex")?;
            // Cannot fail, because the length was checked.
            let _ = list.push(*element);
        }
        Ok(list)
    }

    /// Checks a shader's code for a stage; parses text and tokens and checks them against the rules
    /// of TGSI. Returns what draws are checked with.
    pub(super) fn code(
        &self,
        stage: ShaderType,
        source: &ShaderSource<'_, 'm>,
    ) -> Result<ShaderFacts, PipeError> {
        let wrong = |what| Err(PipeError::Shader { what, line: 0, column: 0 });
        if self.stage_limit(stage, ShaderCap::MaxInstructions) == 0 {
            return Err(PipeError::Unsupported("this shader stage"));
        }
        let shader = match source {
            ShaderSource::Program(program) if program.processor == stage.processor() => {
                return Ok(ShaderFacts::of_program(stage, program));
            }
            ShaderSource::Program(_) => return wrong("a program of another stage"),
            ShaderSource::Text(text) => tgsi::text::parse(text, self.memory)?,
            ShaderSource::Tokens(tokens) => match tgsi::token::decode(tokens, self.memory) {
                Ok(shader) => shader,
                Err(_) => return wrong("the tokens are not a TGSI shader"),
            },
        };
        if shader.processor() != stage.processor() {
            return wrong("the shader has another stage");
        }
        let summary = tgsi::sanity::check(&shader, &mut |finding| {
            os_shim::warn!("{}", finding);
        })?;
        match summary.first_error {
            None => {
                self.code_within(&Code { stage, shader: &shader })?;
                Ok(ShaderFacts::of_shader(stage, &shader)?)
            }
            Some(finding) => Err(PipeError::Shader {
                what: "it breaks a rule of TGSI; the log has all findings",
                line: finding.position.line,
                column: finding.position.column,
            }),
        }
    }

    /// Checks a shader's code against the caps of the screen and of its stage.
    fn code_within(&self, code: &Code<'_>) -> Result<(), PipeError> {
        self.demands(|rule| matches!(rule, Rule::Code(uses) if uses(code)))?;
        for cap in ShaderCap::ALL {
            let (rule, what) = shader_rule(*cap);
            let uses = matches!(rule, Rule::Code(uses) if uses(code));
            if uses && self.screen.get_shader_param(code.stage, *cap) == 0 {
                return Err(PipeError::Unsupported(what));
            }
        }
        let Code { stage, shader } = *code;
        let within =
            |what, value, cap| PipeError::at_most(what, value, self.stage_limit(stage, cap));
        let instructions = shader.instructions();
        let lookups = instructions.iter().filter(|it| it.texture.is_some()).count() as u64;
        let all = instructions.len() as u64;
        within("the number of instructions", all, ShaderCap::MaxInstructions)?;
        within("the number of texture instructions", lookups, ShaderCap::MaxTexInstructions)?;
        let others = all.saturating_sub(lookups);
        within("the number of arithmetic instructions", others, ShaderCap::MaxAluInstructions)?;
        within("the depth of control flow", code.depth(), ShaderCap::MaxControlFlowDepth)?;
        within("the inputs", code.varyings(File::Input), ShaderCap::MaxInputs)?;
        if stage == ShaderType::Fragment {
            let varyings = self.limit(Cap::MaxVaryings);
            PipeError::at_most("the varyings", code.varyings(File::Input), varyings)?;
        } else {
            within("the outputs", code.varyings(File::Output), ShaderCap::MaxOutputs)?;
        }
        within("the temporaries", code.registers(File::Temporary), ShaderCap::MaxTemps)?;
        let constants = code.registers(File::Constant).saturating_mul(16);
        within("the size of the constants", constants, ShaderCap::MaxConstBufferSize)?;
        let buffers = self.stage_limit(stage, ShaderCap::MaxConstBuffers).max(1);
        PipeError::at_most("the constant buffers", code.buffers(File::Constant), buffers)?;
        within("the samplers", code.registers(File::Sampler), ShaderCap::MaxTextureSamplers)?;
        within("the views", code.registers(File::SamplerView), ShaderCap::MaxSamplerViews)?;
        within("the shader buffers", code.registers(File::Buffer), ShaderCap::MaxShaderBuffers)?;
        within("the shader images", code.registers(File::Image), ShaderCap::MaxShaderImages)?;
        let counters = code.registers(File::HardwareAtomic);
        within("the atomic counters", counters, ShaderCap::MaxHwAtomicCounters)?;
        let counters = code.buffers(File::HardwareAtomic);
        within("the counter buffers", counters, ShaderCap::MaxHwAtomicCounterBuffers)?;
        let limit = |what, value: u32, cap| PipeError::at_most(what, value.into(), self.limit(cap));
        for (property, value) in shader.properties().iter() {
            match property {
                Property::GsMaxOutputVertices => {
                    limit("GS_MAX_OUTPUT_VERTICES", value, Cap::MaxGeometryOutputVertices)?;
                }
                Property::GsInvocations => limit("GS_INVOCATIONS", value, Cap::MaxGsInvocations)?,
                _ => {}
            }
        }
        self.memory_within(shader)
    }

    /// Checks the kinds of memory that a program declares.
    fn memory_within(&self, shader: &Shader<'_>) -> Result<(), PipeError> {
        for (kind, cap, what) in [
            (MemoryType::Private, ComputeCap::MaxPrivateSize, "PRIVATE memory"),
            (MemoryType::Shared, ComputeCap::MaxLocalSize, "SHARED memory"),
            (MemoryType::Global, ComputeCap::MaxGlobalSize, "GLOBAL memory"),
            (MemoryType::Input, ComputeCap::MaxInputSize, "INPUT memory"),
        ] {
            if has_memory(shader, kind) && self.screen.get_compute_param(cap)[0] == 0 {
                return Err(PipeError::Unsupported(what));
            }
        }
        Ok(())
    }

    fn stream_output(&self, info: &StreamOutputInfo<'_>) -> Result<(), PipeError> {
        if info.outputs.is_empty() {
            return Ok(());
        }
        self.needs(true, Cap::MaxStreamOutputBuffers, "stream output")?;
        let first = info.outputs.first().map(|output| output.output_buffer);
        let several = info.outputs.iter().any(|output| Some(output.output_buffer) != first);
        self.needs(
            several,
            Cap::StreamOutputInterleaveBuffers,
            "streamed outputs in several buffers",
        )?;
        slots("the number of streamed outputs", 0, info.outputs.len(), MAX_SO_OUTPUTS)?;
        for output in info.outputs {
            slots("the output buffer", output.output_buffer.into(), 1, MAX_SO_BUFFERS)?;
            slots("the vertex stream", output.stream.into(), 1, self.vertex_streams())?;
            let components = output.start_component.saturating_add(output.num_components);
            require(output.num_components > 0, "a streamed output without components")?;
            PipeError::at_most("the components of a streamed output", components.into(), 4)?;
            let end = u32::from(output.dst_offset).saturating_add(output.num_components.into());
            let buffer = usize::from(output.output_buffer);
            let stride = info.stride.get(buffer).copied().unwrap_or(0);
            PipeError::at_most("the end of a streamed output", end.into(), stride.into())?;
        }
        Ok(())
    }
}

impl<'c, 'm> Check<'c, 'm> {
    /// Returns the error for a state object that the checks refuse. If the driver lacks what it
    /// needs, that is the driver's own error, which names what helps.
    fn refused<T>(
        &mut self,
        error: PipeError,
        create: impl FnOnce(&mut (dyn Context<'m> + 'c)) -> Result<T, PipeError>,
        delete: impl FnOnce(&mut (dyn Context<'m> + 'c), T) -> Result<(), PipeError>,
    ) -> Result<T, PipeError> {
        if !is_lack(&error) {
            return Err(error);
        }
        let made = create(self.next());
        let error = hinted(error, &made);
        if let Ok(made) = made {
            delete(self.next(), made)?;
        }
        Err(error)
    }
}

/// Defines `bind` and `delete` of a kind of state that draws require.
macro_rules! bind_and_delete {
    ($bound:ident, $handle:ty, $bind:ident, $delete:ident, $shadow:ident) => {
        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            let driver = self.owner.open_if(&self.$shadow, handle)?;
            self.next().$bind(driver)?;
            self.bound.$bound = handle;
            Ok(())
        }

        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            let driver = self.owner.open(&self.$shadow, handle)?;
            self.next().$delete(driver)?;
            if self.bound.$bound == Some(handle) {
                self.bound.$bound = None;
            }
            self.$shadow.forget(handle);
            Ok(())
        }
    };
}

impl<'m> CsoState<'m> for Check<'_, 'm> {
    fn create_blend_state(&mut self, state: &BlendState) -> Result<BlendHandle, PipeError> {
        if let Err(error) = self.blend(state) {
            return self.refused(
                error,
                |it| it.create_blend_state(state),
                |it, made| it.delete_blend_state(made),
            );
        }
        self.blends.reserve()?;
        let handle = self.next().create_blend_state(state)?;
        let handle = self.owner.seal(handle);
        self.blends.note(handle, ())?;
        Ok(handle)
    }

    bind_and_delete!(blend, BlendHandle, bind_blend_state, delete_blend_state, blends);

    fn create_depth_stencil_alpha_state(
        &mut self,
        state: &DepthStencilAlphaState,
    ) -> Result<DepthStencilAlphaHandle, PipeError> {
        if let Err(error) = self.depth_stencil_alpha(state) {
            return self.refused(
                error,
                |it| it.create_depth_stencil_alpha_state(state),
                |it, made| it.delete_depth_stencil_alpha_state(made),
            );
        }
        self.depth_tests.reserve()?;
        let handle = self.next().create_depth_stencil_alpha_state(state)?;
        let handle = self.owner.seal(handle);
        self.depth_tests.note(handle, state.into())?;
        Ok(handle)
    }

    bind_and_delete!(
        depth_stencil_alpha,
        DepthStencilAlphaHandle,
        bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state,
        depth_tests
    );

    fn create_rasterizer_state(
        &mut self,
        state: &RasterizerState,
    ) -> Result<RasterizerHandle, PipeError> {
        if let Err(error) = self.rasterizer(state) {
            return self.refused(
                error,
                |it| it.create_rasterizer_state(state),
                |it, made| it.delete_rasterizer_state(made),
            );
        }
        self.rasterizers.reserve()?;
        let handle = self.next().create_rasterizer_state(state)?;
        let handle = self.owner.seal(handle);
        self.rasterizers.note(handle, state.into())?;
        Ok(handle)
    }

    bind_and_delete!(
        rasterizer,
        RasterizerHandle,
        bind_rasterizer_state,
        delete_rasterizer_state,
        rasterizers
    );

    fn create_sampler_state(&mut self, state: &SamplerState) -> Result<SamplerHandle, PipeError> {
        if let Err(error) = self.sampler(state) {
            return self.refused(
                error,
                |it| it.create_sampler_state(state),
                |it, made| it.delete_sampler_state(made),
            );
        }
        self.samplers.reserve()?;
        let handle = self.next().create_sampler_state(state)?;
        let handle = self.owner.seal(handle);
        let filters = [state.min_img_filter, state.mag_img_filter];
        let mipmaps = state.min_mip_filter == TexMipFilter::Linear;
        let linear = filters.contains(&TexFilter::Linear) || mipmaps;
        self.samplers.note(handle, SamplerFacts { linear })?;
        Ok(handle)
    }

    fn bind_sampler_states(
        &mut self,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        slots("the sampler slot", start, handles.len(), MAX_SAMPLERS)?;
        let driver = self.owner.open_all::<MAX_SAMPLERS, _, _>(&self.samplers, handles)?;
        self.next().bind_sampler_states(stage, start, &driver)?;
        for (slot, handle) in self.bound.samplers[stage].iter_mut().skip(start).zip(handles) {
            *slot = *handle;
        }
        Ok(())
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.samplers, handle)?;
        self.next().delete_sampler_state(driver)?;
        self.samplers.forget(handle);
        Ok(())
    }

    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        let list = self.vertex_elements(elements)?;
        self.elements.reserve()?;
        let handle = self.next().create_vertex_elements_state(elements)?;
        let handle = self.owner.seal(handle);
        self.elements.note(handle, list)?;
        Ok(handle)
    }

    bind_and_delete!(
        elements,
        VertexElementsHandle,
        bind_vertex_elements_state,
        delete_vertex_elements_state,
        elements
    );

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        require(stage != ShaderType::Compute, "a compute shader; use create_compute_state")?;
        let facts = self.code(stage, &state.source)?;
        self.stream_output(&state.stream_output)?;
        self.shaders.reserve()?;
        let handle = self.next().create_shader_state(stage, state)?;
        let handle = self.owner.seal(handle);
        self.shaders.note(handle, facts)?;
        Ok(handle)
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        self.made_for(stage, handle)?;
        let driver = self.owner.open_if(&self.shaders, handle)?;
        self.next().bind_shader_state(stage, driver)?;
        self.bound.shaders[stage] = handle;
        Ok(())
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.shaders, handle)?;
        self.next().delete_shader_state(driver)?;
        self.forget_shader(handle);
        Ok(())
    }

    fn link_shader(
        &mut self,
        handles: &[Option<ShaderHandle>; ShaderType::COUNT],
    ) -> Result<(), PipeError> {
        let mut driver = [None; ShaderType::COUNT];
        for ((stage, handle), driver) in ShaderType::ALL.iter().zip(handles).zip(&mut driver) {
            self.made_for(*stage, *handle)?;
            *driver = self.owner.open_if(&self.shaders, *handle)?;
        }
        self.next().link_shader(&driver)
    }

    fn set_inlinable_constants(
        &mut self,
        stage: ShaderType,
        values: &[u32],
    ) -> Result<(), PipeError> {
        self.next().set_inlinable_constants(stage, values)
    }
}

impl Check<'_, '_> {
    /// Checks that the shader belongs to this stage. An unknown handle is stale; the driver reports
    /// it.
    pub(super) fn made_for(
        &self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let made_for = handle.and_then(|handle| self.shaders.get(handle));
        require(
            made_for.is_none_or(|made_for| made_for.stage == stage),
            "the shader has another stage",
        )
    }

    pub(super) fn forget_shader(&mut self, handle: ShaderHandle) {
        self.shaders.forget(handle);
        for bound in &mut self.bound.shaders.0 {
            if *bound == Some(handle) {
                *bound = None;
            }
        }
    }

    /// Returns the number of viewports and scissors that the driver has.
    fn viewports(&self) -> usize {
        (self.cap(Cap::MaxViewports).max(1) as usize).min(MAX_VIEWPORTS)
    }
}

impl Parameters for Check<'_, '_> {
    fn set_stencil_ref(&mut self, reference: StencilRef) {
        self.next().set_stencil_ref(reference);
    }

    fn set_blend_color(&mut self, color: &BlendColor) {
        self.next().set_blend_color(color);
    }

    fn set_sample_mask(&mut self, mask: u32) {
        self.next().set_sample_mask(mask);
    }

    fn set_min_samples(&mut self, samples: u8) {
        self.next().set_min_samples(samples);
    }

    fn set_clip_state(&mut self, state: &ClipState) {
        self.next().set_clip_state(state);
    }

    fn set_polygon_stipple(&mut self, stipple: &PolyStipple) {
        self.next().set_polygon_stipple(stipple);
    }

    fn set_scissor_states(
        &mut self,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        slots("the scissor", start, scissors.len(), self.viewports())?;
        self.next().set_scissor_states(start, scissors)
    }

    fn set_viewport_states(
        &mut self,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        slots("the viewport", start, viewports.len(), self.viewports())?;
        for viewport in viewports {
            finite("a viewport is not finite", &viewport.scale)?;
            finite("a viewport is not finite", &viewport.translate)?;
            self.demands(|rule| matches!(rule, Rule::Viewport(uses) if uses(viewport)))?;
        }
        self.next().set_viewport_states(start, viewports)?;
        self.bound.has_viewport |= start == 0 && !viewports.is_empty();
        Ok(())
    }

    fn set_window_rectangles(&mut self, rectangles: &WindowRectangles) -> Result<(), PipeError> {
        let limit = self.limit(Cap::MaxWindowRectangles);
        PipeError::at_most("the number of window rectangles", rectangles.count.into(), limit)?;
        self.next().set_window_rectangles(rectangles)
    }

    fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        let some = !locations.is_empty();
        self.needs(some, Cap::ProgrammableSampleLocations, "sample locations")?;
        self.next().set_sample_locations(locations)
    }

    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        self.next().set_debug_callback(callback);
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        self.inner.get_ref().get_sample_position(sample_count, sample_index)
    }

    fn set_tess_state(&mut self, state: &TessState) {
        self.next().set_tess_state(state);
    }

    fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        require(vertices > 0, "patches of no vertices")?;
        let limit = MAX_PATCH_VERTICES.into();
        PipeError::at_most("the vertices of a patch", vertices.into(), limit)?;
        self.next().set_patch_vertices(vertices)?;
        self.bound.patch_vertices = vertices;
        Ok(())
    }
}
