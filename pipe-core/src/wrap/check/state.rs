//! Checks of state objects, shaders and parameters.

use tgsi::declaration::{Declaration, SemanticName};
use tgsi::register::File;
use tgsi::shader::Processor;

use super::{Check, Elements, ShaderFacts, finite, require, slots};
use crate::caps::{Cap, CapF, ShaderCap};
use crate::context::{CsoState, Parameters};
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
        let independent = state.independent_blend_enable;
        self.needs(independent, Cap::IndepBlendEnable, "independent blending")?;
        let dual = state.is_dual_source();
        self.needs(dual, Cap::MaxDualSourceRenderTargets, "dual source blending")
    }

    fn depth_stencil_alpha(&self, state: &DepthStencilAlphaState) -> Result<(), PipeError> {
        let bounds = [state.depth_bounds_min, state.depth_bounds_max];
        finite("a depth bound or alpha reference is not finite", &bounds)?;
        finite("a depth bound or alpha reference is not finite", &[state.alpha_ref_value])?;
        let test = state.depth_bounds_test;
        require(!test || bounds[0] <= bounds[1], "depth bounds in the wrong order")?;
        self.needs(test, Cap::DepthBoundsTest, "the depth bounds test")?;
        self.needs(state.alpha_enabled, Cap::AlphaTest, "the alpha test")
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
        let (near, far) = (state.depth_clip_near, state.depth_clip_far);
        self.needs(!near || !far, Cap::DepthClipDisable, "disabling depth clipping")?;
        self.needs(near != far, Cap::DepthClipDisableSeparate, "separate depth clipping")?;
        self.needs(state.clip_halfz, Cap::ClipHalfz, "clip_halfz")?;
        let clamp = state.offset_clamp != 0.0;
        self.needs(clamp, Cap::PolygonOffsetClamp, "offset_clamp")?;
        let unscaled = state.offset_units_unscaled;
        self.needs(unscaled, Cap::PolygonOffsetUnitsUnscaled, "offset_units_unscaled")?;
        let rectangle = [state.fill_front, state.fill_back].contains(&PolygonMode::FillRectangle);
        self.needs(rectangle, Cap::PolygonModeFillRectangle, "filled rectangles")?;
        let persample = state.force_persample_interp;
        self.needs(persample, Cap::ForcePersampleInterp, "force_persample_interp")?;
        let ordered = state.tile_raster_order_fixed;
        self.needs(ordered, Cap::TileRasterOrder, "tile_raster_order_fixed")?;
        let precision = state.subpixel_precision_x.max(state.subpixel_precision_y);
        let limit = self.limit(Cap::MaxConservativeRasterSubpixelPrecisionBias);
        PipeError::at_most("subpixel_precision_x or _y", precision.into(), limit)?;
        let planes = state.clip_plane_enable != 0;
        self.needs(planes, Cap::ClipPlanes, "user clip planes")?;
        match state.conservative_raster_mode {
            ConservativeRasterMode::Off => Ok(()),
            ConservativeRasterMode::PostSnap => {
                let cap = Cap::ConservativeRasterPostSnapTriangles;
                self.needs(true, cap, "post-snap conservative rasterization")
            }
            ConservativeRasterMode::PreSnap => {
                let cap = Cap::ConservativeRasterPreSnapTriangles;
                self.needs(true, cap, "pre-snap conservative rasterization")
            }
        }
    }

    fn sampler(&self, state: &SamplerState) -> Result<(), PipeError> {
        finite("a level of detail is not finite", &[state.lod_bias, state.min_lod, state.max_lod])?;
        let wraps = [state.wrap_s, state.wrap_t, state.wrap_r];
        require(
            state.normalized_coords || wraps.iter().all(|wrap| wrap.allows_unnormalized()),
            "unnormalized coordinates that repeat or mirror",
        )?;
        let anisotropic = state.max_anisotropy > 1;
        self.needs(anisotropic, Cap::AnisotropicFilter, "anisotropic filtering")?;
        let most = self.screen.get_paramf(CapF::MaxTextureAnisotropy).max(1.0) as u64;
        PipeError::at_most("max_anisotropy", state.max_anisotropy.into(), most)?;
        let reduces = state.reduction_mode != ReductionMode::WeightedAverage;
        self.needs(reduces, Cap::SamplerReductionMinmax, "minimum and maximum filters")
    }

    fn vertex_elements(&self, elements: &[VertexElement]) -> Result<Elements, PipeError> {
        slots("the number of vertex elements", 0, elements.len(), MAX_ATTRIBS)?;
        let buffer = ResourceTemplate::buffer(1, Bind::VERTEX_BUFFER);
        let mut list = Elements::new();
        for element in elements {
            let index = usize::from(element.vertex_buffer_index);
            slots("the vertex buffer index", index, 1, MAX_ATTRIBS)?;
            let limit = self.limit(Cap::MaxVertexElementSrcOffset);
            PipeError::at_most("a vertex element's offset", element.src_offset.into(), limit)?;
            let aligned = element.src_offset.is_multiple_of(4)
                || self.cap(Cap::VertexElementSrcOffset4byteAlignedOnly) == 0;
            require(aligned, "a vertex element's offset is not a multiple of 4")?;
            let instanced = element.instance_divisor != 0;
            self.needs(instanced, Cap::VertexElementInstanceDivisor, "instance divisors")?;
            self.format_usable(element.src_format, &buffer, Bind::VERTEX_BUFFER, "a vertex")?;
            // Cannot fail: the length was checked.
            let _ = list.push(*element);
        }
        Ok(list)
    }

    /// Checks a shader's code for a stage; text and tokens are parsed and checked against the rules
    /// of TGSI. Returns the number of its inputs.
    pub(super) fn code(
        &self,
        stage: ShaderType,
        source: &ShaderSource<'_, 'm>,
    ) -> Result<usize, PipeError> {
        let wrong = |what| Err(PipeError::Shader { what, line: 0, column: 0 });
        if self.stage_limit(stage, ShaderCap::MaxInstructions) == 0 {
            return Err(PipeError::Unsupported("this shader stage"));
        }
        let shader = match source {
            ShaderSource::Program(program) if program.processor == stage.processor() => {
                return Ok(program.inputs.len());
            }
            ShaderSource::Program(_) => return wrong("a program of another stage"),
            ShaderSource::Text(text) => tgsi::text::parse(text, self.memory)?,
            ShaderSource::Tokens(tokens) => match tgsi::token::decode(tokens, self.memory) {
                Ok(shader) => shader,
                Err(_) => return wrong("the tokens are not a TGSI shader"),
            },
        };
        if shader.processor() != stage.processor() {
            return wrong("a shader of another stage");
        }
        let summary = tgsi::sanity::check(&shader, &mut |finding| {
            os_shim::warn!("{}", finding);
        })?;
        match summary.first_error {
            None => {
                self.layer_outputs(&shader)?;
                Ok(tgsi::scan::ShaderInfo::new(&shader)?.inputs.len())
            }
            Some(finding) => Err(PipeError::Shader {
                what: "it breaks a rule of TGSI; the log has all findings",
                line: finding.position.line,
                column: finding.position.column,
            }),
        }
    }

    /// Checks that a shader selects layers and viewports only in stages whose cap allows it.
    fn layer_outputs(&self, shader: &tgsi::shader::Shader<'_>) -> Result<(), PipeError> {
        let cap = match shader.processor() {
            Processor::Vertex => Cap::VsLayerViewport,
            Processor::TessEval => Cap::TesLayerViewport,
            _ => return Ok(()),
        };
        let selects = |declaration: &&Declaration| {
            let semantic = declaration.semantic.map(|semantic| semantic.name);
            declaration.file == File::Output
                && matches!(semantic, Some(SemanticName::Layer | SemanticName::ViewportIndex))
        };
        let selects = shader.declarations().iter().any(|declaration| selects(&declaration));
        self.needs(selects, cap, "LAYER or VIEWPORT_INDEX as an output of this stage")
    }

    fn stream_output(&self, info: &StreamOutputInfo<'_>) -> Result<(), PipeError> {
        if info.outputs.is_empty() {
            return Ok(());
        }
        self.needs(true, Cap::MaxStreamOutputBuffers, "stream output")?;
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

/// Defines `bind` and `delete` of a kind of state that draws need bound.
macro_rules! bind_and_delete {
    ($bound:ident, $handle:ty, $bind:ident, $delete:ident $(, $shadow:ident)?) => {
        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            self.next().$bind(handle)?;
            self.bound.$bound = handle;
            Ok(())
        }

        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            self.next().$delete(handle)?;
            if self.bound.$bound == Some(handle) {
                self.bound.$bound = None;
            }
            $( self.$shadow.forget(handle); )?
            Ok(())
        }
    };
}

impl<'m> CsoState<'m> for Check<'_, 'm> {
    fn create_blend_state(&mut self, state: &BlendState) -> Result<BlendHandle, PipeError> {
        self.blend(state)?;
        self.next().create_blend_state(state)
    }

    bind_and_delete!(blend, BlendHandle, bind_blend_state, delete_blend_state);

    fn create_depth_stencil_alpha_state(
        &mut self,
        state: &DepthStencilAlphaState,
    ) -> Result<DepthStencilAlphaHandle, PipeError> {
        self.depth_stencil_alpha(state)?;
        self.depth_tests.reserve()?;
        let handle = self.next().create_depth_stencil_alpha_state(state)?;
        self.depth_tests.note(handle, state.depth_enabled)?;
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
        self.rasterizer(state)?;
        self.rasterizers.reserve()?;
        let handle = self.next().create_rasterizer_state(state)?;
        self.rasterizers.note(handle, state.rasterizer_discard)?;
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
        self.sampler(state)?;
        self.next().create_sampler_state(state)
    }

    fn bind_sampler_states(
        &mut self,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        slots("the sampler slot", start, handles.len(), MAX_SAMPLERS)?;
        self.next().bind_sampler_states(stage, start, handles)
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        self.next().delete_sampler_state(handle)
    }

    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        let list = self.vertex_elements(elements)?;
        self.elements.reserve()?;
        let handle = self.next().create_vertex_elements_state(elements)?;
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
        let inputs = self.code(stage, &state.source)?;
        self.stream_output(&state.stream_output)?;
        self.shaders.reserve()?;
        let handle = self.next().create_shader_state(stage, state)?;
        self.shaders.note(handle, ShaderFacts { stage, inputs })?;
        Ok(handle)
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        self.made_for(stage, handle)?;
        self.next().bind_shader_state(stage, handle)?;
        self.bound.shaders[stage] = handle;
        Ok(())
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.next().delete_shader_state(handle)?;
        self.forget_shader(handle);
        Ok(())
    }

    fn link_shader(
        &mut self,
        handles: &[Option<ShaderHandle>; ShaderType::COUNT],
    ) -> Result<(), PipeError> {
        for (stage, handle) in ShaderType::ALL.iter().zip(handles) {
            self.made_for(*stage, *handle)?;
        }
        self.next().link_shader(handles)
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
    /// Checks that the shader is of this stage. A handle that is not known is stale, which the
    /// driver reports.
    pub(super) fn made_for(
        &self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let made_for = handle.and_then(|handle| self.shaders.get(handle));
        require(
            made_for.is_none_or(|made_for| made_for.stage == stage),
            "a shader of another stage",
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

    /// Returns the number of viewports, and of scissors, that the driver has.
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
            let swizzled = viewport.swizzle != ViewportState::default().swizzle;
            self.needs(swizzled, Cap::ViewportSwizzle, "viewport swizzles")?;
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
