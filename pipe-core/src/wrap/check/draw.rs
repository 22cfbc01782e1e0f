//! Checks of draws, clears, queries and launches.

use formats::Format;

use super::rules::Rule;
use super::{Check, QueryLife, ShaderFacts, hinted, require};
use crate::caps::{Cap, ComputeCap};
use crate::color::ColorUnion;
use crate::context::{Clearing, Compute, Drawing, Queries, RenderCondition};
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexBuffer, IndexSource};
use crate::error::PipeError;
use crate::flags::ClearFlags;
use crate::handle::*;
use crate::primitive::PrimType;
use crate::query::{
    PipelineStatistic, QueryResult, QueryType, QueryValueType, RenderConditionMode,
};
use crate::region::Region;
use crate::shader::{ComputeState, GridInfo, ShaderType};
use crate::state::ScissorState;

impl Check<'_, '_> {
    /// Checks that all state needed by a draw is bound.
    fn complete(&self, info: &DrawInfo<'_>) -> Result<(), PipeError> {
        let bound = &self.bound;
        let needed = |there: bool, what| if there { Ok(()) } else { Err(PipeError::Unbound(what)) };
        self.can_draw(info.mode)?;
        needed(bound.elements.is_some(), "vertex elements")?;
        let elements = bound.elements.and_then(|handle| self.elements.get(handle));
        for element in elements.into_iter().flatten() {
            let slot = usize::from(element.vertex_buffer_index);
            let there = bound.vertex_buffers.get(slot).is_some_and(Option::is_some);
            needed(there, "a vertex buffer of an element")?;
        }
        Ok(())
    }

    /// Checks the needs of draws other than vertices.
    fn can_draw(&self, mode: PrimType) -> Result<(), PipeError> {
        let bound = &self.bound;
        let needed = |there: bool, what| if there { Ok(()) } else { Err(PipeError::Unbound(what)) };
        let discards = bound
            .rasterizer
            .is_some_and(|handle| self.rasterizers.get(handle).is_some_and(|facts| facts.discards));
        let framebuffer = &bound.framebuffer;
        let drawable = framebuffer.width > 0 && framebuffer.height > 0;
        needed(drawable || discards, "a framebuffer")?;
        let attached = framebuffer.attachments().next().is_some() || discards;
        self.needs(!attached, Cap::FramebufferNoAttachment, "framebuffers without attachments")?;
        let shader = |stage: ShaderType| bound.shaders[stage].is_some();
        needed(shader(ShaderType::Vertex), "a vertex shader")?;
        needed(shader(ShaderType::Fragment) || discards, "a fragment shader")?;
        self.filters()?;
        if mode == PrimType::Patches {
            needed(shader(ShaderType::TessEval), "a tessellation evaluation shader")?;
            needed(bound.patch_vertices > 0, "a number of patch vertices")?;
        }
        Ok(())
    }

    /// Checks that linear filters are used only with float textures that the driver can filter.
    fn filters(&self) -> Result<(), PipeError> {
        let bound = &self.bound;
        let pairs = bound.samplers.0.iter().flatten().zip(bound.views.0.iter().flatten());
        for (sampler, view) in pairs {
            let (Some(sampler), Some(view)) = (sampler, view) else { continue };
            let linear = self.samplers.get(*sampler).is_some_and(|facts| facts.linear);
            let Some(format) = self.views.get(*view).filter(|_| linear) else { continue };
            let (full, half) = float_bits(*format);
            let what = "linear filters of 32-bit floats";
            self.needs(full, Cap::TextureFloatLinear, what)?;
            let what = "linear filters of 16-bit floats";
            self.needs(half, Cap::TextureHalfFloatLinear, what)?;
        }
        Ok(())
    }

    /// Checks that the indices of all draws are within their buffer.
    fn indices(&self, index: &IndexBuffer<'_>, draws: &[DrawStartCount]) -> Result<(), PipeError> {
        require(matches!(index.size, 1 | 2 | 4), "indices not of 1, 2 or 4 bytes")?;
        let available = match index.source {
            IndexSource::User(bytes) => bytes.len() as u64,
            IndexSource::Resource(resource) => {
                let template = self.template(resource)?;
                require(template.is_buffer(), "a texture where a buffer is needed")?;
                template.width0.into()
            }
        };
        for draw in draws {
            let end = u64::from(draw.start)
                .saturating_add(draw.count.into())
                .saturating_mul(index.size.into());
            PipeError::at_most("the end of the indices", end, available)?;
        }
        Ok(())
    }

    fn indirect(&self, info: &DrawInfo<'_>, indirect: &DrawIndirect) -> Result<(), PipeError> {
        match *indirect {
            DrawIndirect::StreamOutput(_) => {
                self.needs(true, Cap::StreamOutputPauseResume, "draws of streamed vertices")?;
                require(info.index.is_none(), "an indexed draw of streamed vertices")
            }
            DrawIndirect::Buffer { buffer, offset, stride, draw_count, indirect_draw_count } => {
                self.needs(true, Cap::DrawIndirect, "indirect draws")?;
                let multiple = draw_count > 1 || stride != 0;
                self.needs(multiple, Cap::MultiDrawIndirect, "multiple indirect draws")?;
                let size: u32 = if info.index.is_some() { 20 } else { 16 };
                let stride = if stride == 0 { size } else { stride };
                require(
                    offset.is_multiple_of(4) && stride.is_multiple_of(4),
                    "indirect words that are not aligned",
                )?;
                require(draw_count <= 1 || stride >= size, "indirect draws that overlap")?;
                if let Some(last) = draw_count.checked_sub(1) {
                    let last = u64::from(last).saturating_mul(stride.into());
                    self.buffer_range(buffer, offset, last.saturating_add(size.into()))?;
                }
                let Some((counter, offset)) = indirect_draw_count else { return Ok(()) };
                let cap = Cap::MultiDrawIndirectParams;
                self.needs(true, cap, "indirect draws whose number is in a buffer")?;
                require(offset.is_multiple_of(4), "indirect words that are not aligned")?;
                self.buffer_range(counter, offset, 4).map(|_| ())
            }
        }
    }

    fn restart(&self, info: &DrawInfo<'_>, index: &IndexBuffer<'_>) -> Result<(), PipeError> {
        if !info.primitive_restart {
            return Ok(());
        }
        let modes = self.cap(Cap::SupportedPrimModesWithRestart) as u32;
        if modes >> info.mode.number() & 1 == 0 {
            return Err(PipeError::Unsupported("restarts of this primitive type"));
        }
        if self.cap(Cap::PrimitiveRestart) != 0 {
            return Ok(());
        }
        let fixed = info.restart_index == index.max_index();
        require(fixed, "a restart index that is not the largest")?;
        self.needs(true, Cap::PrimitiveRestartFixedIndex, "primitive restart")
    }

    /// Checks that a box is a rectangle within a depth or colour surface.
    fn surface_region(
        &self,
        surface: SurfaceHandle,
        region: &Region,
        depth: bool,
    ) -> Result<(), PipeError> {
        let Some((_, template, size, _)) = self.surfaces.get(surface) else {
            return Err(PipeError::stale(surface));
        };
        require(
            template.format.is_depth_or_stencil() == depth,
            "a colour surface as depth or a depth surface as colour",
        )?;
        let rectangle = Region { z: 0, depth: 1, ..*region };
        if !rectangle.is_within(*size) {
            return Err(PipeError::RegionOutOfRange { region: *region, size: *size });
        }
        Ok(())
    }
}

impl Drawing for Check<'_, '_> {
    fn warnings(&self) -> crate::Warnings {
        self.warnings
    }

    fn primitives_drawn(&self) -> Option<u64> {
        self.inner.get_ref().primitives_drawn()
    }

    fn primitives_culled(&self) -> Option<u64> {
        self.inner.get_ref().primitives_culled()
    }

    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.complete(info)?;
        self.warn_of_draw(info, indirect, draws);
        let drawn = self.cap(Cap::SupportedPrimModes) as u32 >> info.mode.number() & 1 != 0;
        if !drawn {
            // A draw without vertices changes nothing.
            let none = self.next().draw_vbo(info, None, &[DrawStartCount::count(0)]);
            return Err(hinted(PipeError::Unsupported("this primitive type"), &none));
        }
        let draws = if indirect.is_some() { &[] } else { draws };
        match &info.index {
            None => {
                for draw in draws {
                    let end = u64::from(draw.start).saturating_add(draw.count.into());
                    PipeError::at_most("the last vertex", end, u32::MAX.into())?;
                }
            }
            Some(index) => {
                self.indices(index, draws)?;
                self.restart(info, index)?;
            }
        }
        let instances = u64::from(info.start_instance).saturating_add(info.instance_count.into());
        PipeError::at_most("the last instance", instances, u32::MAX.into())?;
        self.demands(|rule| matches!(rule, Rule::Draw(uses) if uses(info)))?;
        let mut driver = indirect.copied();
        if let Some(indirect) = indirect {
            self.indirect(info, indirect)?;
        }
        if let Some(DrawIndirect::StreamOutput(target)) = &mut driver {
            *target = self.owner.open(&self.targets, *target)?;
        }
        self.next().draw_vbo(info, driver.as_ref(), draws)
    }

    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: VertexStateHandle,
        info: &crate::DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.needs(true, Cap::DrawVertexState, "vertex states")?;
        self.can_draw(info.mode)?;
        let drawn = self.cap(Cap::SupportedPrimModes) as u32 >> info.mode.number() & 1 != 0;
        if !drawn {
            return Err(PipeError::Unsupported("this primitive type"));
        }
        self.next().draw_vertex_state(state, info, draws)
    }
}

impl Clearing for Check<'_, '_> {
    fn clear(
        &mut self,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        self.needs(scissor.is_some(), Cap::ClearScissored, "scissored clears")?;
        let clears_depth = buffers.contains(ClearFlags::DEPTH);
        require(!(clears_depth && depth.is_nan()), "a depth that is not a number")?;
        self.next().clear(buffers, scissor, color, depth, stencil)?;
        self.note_clear(buffers.intersects(ClearFlags::COLOR), clears_depth);
        Ok(())
    }

    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.surface_region(surface, region, false)?;
        let driver = self.owner.open(&self.surfaces, surface)?;
        self.next().clear_render_target(driver, color, region, render_condition_enabled)?;
        self.note_cleared(surface);
        self.note_clear(true, false);
        Ok(())
    }

    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.surface_region(surface, region, true)?;
        require(!depth.is_nan(), "a depth that is not a number")?;
        let driver = self.owner.open(&self.surfaces, surface)?;
        let next = self.next();
        let conditional = render_condition_enabled;
        next.clear_depth_stencil(driver, buffers, depth, stencil, region, conditional)?;
        self.note_cleared(surface);
        Ok(())
    }

    fn clear_texture(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.needs(true, Cap::ClearTexture, "clearing textures")?;
        let template = self.level_region(resource, level, region)?;
        require(!template.is_buffer(), "a buffer where a texture is needed")?;
        let block = template.format.block_bytes();
        require(texel.len() == block, "a clear value that is not one block")?;
        self.next().clear_texture(resource, level, region, texel)?;
        self.note_written(resource);
        Ok(())
    }

    fn clear_buffer(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        self.buffer_range(resource, offset, size.into())?;
        let whole = matches!(value.len(), 1..=16) && size.is_multiple_of(value.len() as u32);
        require(whole, "the clear value's size does not divide the range")?;
        self.next().clear_buffer(resource, offset, size, value)
    }
}

impl Queries for Check<'_, '_> {
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        use QueryType::*;
        let cap = match kind {
            OcclusionCounter | OcclusionPredicate | OcclusionPredicateConservative => {
                Some(Cap::OcclusionQuery)
            }
            Timestamp | TimestampDisjoint => Some(Cap::QueryTimestamp),
            TimeElapsed => Some(Cap::QueryTimeElapsed),
            PrimitivesEmitted | SoStatistics => Some(Cap::MaxStreamOutputBuffers),
            SoOverflowPredicate | SoOverflowAnyPredicate => Some(Cap::QuerySoOverflow),
            PipelineStatistics | PipelineStatisticsSingle => Some(Cap::QueryPipelineStatistics),
            PrimitivesGenerated | GpuFinished | DriverSpecific => None,
        };
        if let Some(cap) = cap {
            self.needs(true, cap, "this type of query")?;
        }
        if kind.has_stream() {
            let limit = (self.vertex_streams() as u64).saturating_sub(1);
            PipeError::at_most("the vertex stream", index.into(), limit)?;
        }
        let counters = PipelineStatistic::ALL.len() as u32;
        require(
            kind != PipelineStatisticsSingle || index < counters,
            "the query's index is no pipeline statistic",
        )?;
        if kind == DriverSpecific {
            self.driver_query(index)?;
        }
        self.queries.reserve()?;
        let query = self.next().create_query(kind, index)?;
        let query = self.owner.seal(query);
        self.queries.note(query, QueryLife { kind, running: false, ended: false })?;
        Ok(query)
    }

    fn destroy_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.queries, query)?;
        self.next().destroy_query(driver)?;
        self.queries.forget(query);
        Ok(())
    }

    fn begin_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        if let Some(life) = self.queries.get(query) {
            require(!life.running, "begin_query of a running query")?;
            require(life.kind.needs_begin(), "begin_query of a query that only ends")?;
        }
        let driver = self.owner.open(&self.queries, query)?;
        self.next().begin_query(driver)?;
        if let Some(life) = self.queries.get_mut(query) {
            (life.running, life.ended) = (true, false);
        }
        Ok(())
    }

    fn end_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        if let Some(life) = self.queries.get(query) {
            let begun = life.running || !life.kind.needs_begin();
            require(begun, "end_query of a query that was not begun")?;
        }
        let driver = self.owner.open(&self.queries, query)?;
        self.next().end_query(driver)?;
        if let Some(life) = self.queries.get_mut(query) {
            (life.running, life.ended) = (false, true);
        }
        Ok(())
    }

    fn get_query_result(
        &mut self,
        query: QueryHandle,
        wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        if let Some(life) = self.queries.get(query) {
            require(life.ended, "the result of a query that was not ended")?;
        }
        let query = self.owner.open(&self.queries, query)?;
        self.next().get_query_result(query, wait)
    }

    fn get_query_result_resource(
        &mut self,
        query: QueryHandle,
        wait: bool,
        value_type: QueryValueType,
        index: Option<u32>,
        resource: ResourceHandle,
        offset: u32,
    ) -> Result<(), PipeError> {
        self.needs(true, Cap::QueryBufferObject, "query results in buffers")?;
        if let Some(life) = self.queries.get(query) {
            require(life.ended, "the result of a query that was not ended")?;
        }
        let size: u32 = match value_type {
            QueryValueType::I32 | QueryValueType::U32 => 4,
            QueryValueType::I64 | QueryValueType::U64 => 8,
        };
        self.buffer_range(resource, offset, size.into())?;
        require(offset.is_multiple_of(size), "a query result that is not aligned")?;
        let query = self.owner.open(&self.queries, query)?;
        let next = self.next();
        next.get_query_result_resource(query, wait, value_type, index, resource, offset)
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.next().set_active_query_state(active);
    }
}

impl RenderCondition for Check<'_, '_> {
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        if let Some(life) = query.and_then(|query| self.queries.get(query)) {
            require(life.kind.is_condition(), "a query of a type that is no render condition")?;
            require(life.ended, "the result of a query that was not ended")?;
            self.needs(condition, Cap::ConditionalRenderInverted, "inverted conditions")?;
        }
        let query = self.owner.open_if(&self.queries, query)?;
        self.next().render_condition(query, condition, mode)
    }

    fn render_condition_mem(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        condition: bool,
    ) -> Result<(), PipeError> {
        self.buffer_range(resource, offset, 4)?;
        require(offset.is_multiple_of(4), "a condition that is not aligned")?;
        self.next().render_condition_mem(resource, offset, condition)
    }
}

impl<'m> Compute<'m> for Check<'_, 'm> {
    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        self.needs(true, Cap::Compute, "compute")?;
        self.code(ShaderType::Compute, &state.source)?;
        self.shaders.reserve()?;
        let handle = self.next().create_compute_state(state)?;
        let handle = self.owner.seal(handle);
        self.shaders.note(handle, ShaderFacts::none(ShaderType::Compute))?;
        Ok(handle)
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.made_for(ShaderType::Compute, handle)?;
        let driver = self.owner.open_if(&self.shaders, handle)?;
        self.next().bind_compute_state(driver)?;
        self.bound.shaders[ShaderType::Compute] = handle;
        Ok(())
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.shaders, handle)?;
        self.next().delete_compute_state(driver)?;
        self.forget_shader(handle);
        Ok(())
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        require(resources.len() == addresses.len(), "the numbers of buffers and addresses differ")?;
        for resource in resources.iter().flatten() {
            self.buffer_range(*resource, 0, 0)?;
        }
        self.next().set_global_binding(first, resources, addresses)
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        if self.bound.shaders[ShaderType::Compute].is_none() {
            return Err(PipeError::Unbound("a compute shader"));
        }
        require(matches!(info.work_dim, 1..=3), "a grid not of 1 to 3 dimensions")?;
        let dimensions = self.screen.get_compute_param(ComputeCap::GridDimension)[0];
        PipeError::at_most("the grid's dimensions", info.work_dim.into(), dimensions)?;
        let inputs = self.screen.get_compute_param(ComputeCap::MaxInputSize)[0];
        PipeError::at_most("the size of INPUT memory", info.input.len() as u64, inputs)?;
        self.demands(|rule| matches!(rule, Rule::Grid(uses) if uses(info)))?;
        let block_limit = self.screen.get_compute_param(ComputeCap::MaxBlockSize);
        let grid_limit = self.screen.get_compute_param(ComputeCap::MaxGridSize);
        let mut threads = 1u64;
        for (block, limit) in info.block.into_iter().zip(block_limit) {
            require(block > 0, "an empty block")?;
            PipeError::at_most("the block size", block.into(), limit)?;
            threads = threads.saturating_mul(block.into());
        }
        for (grid, limit) in info.grid.into_iter().zip(grid_limit) {
            PipeError::at_most("the grid size", grid.into(), limit)?;
        }
        let limit = self.screen.get_compute_param(ComputeCap::MaxThreadsPerBlock)[0];
        PipeError::at_most("the threads of a block", threads, limit)?;
        if let Some((buffer, offset)) = info.indirect {
            require(offset.is_multiple_of(4), "indirect words that are not aligned")?;
            self.buffer_range(buffer, offset, 12)?;
        }
        self.next().launch_grid(info)
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        let handle = self.owner.open(&self.shaders, handle)?;
        self.inner.get_ref().get_compute_state_info(handle)
    }

    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<SurfaceHandle>],
    ) -> Result<(), PipeError> {
        let limit = self.stage_limit(ShaderType::Compute, crate::ShaderCap::MaxShaderImages);
        super::slots("compute resources", start, surfaces.len(), limit as usize)?;
        const MOST: usize = crate::limits::MAX_SHADER_IMAGES;
        let surfaces = self.owner.open_all::<MOST, _, _>(&self.surfaces, surfaces)?;
        self.next().set_compute_resources(start, &surfaces)
    }

    fn get_compute_state_subgroup_size(&self, handle: ShaderHandle, block: [u32; 3]) -> u32 {
        let handle = self.owner.open(&self.shaders, handle);
        handle.map_or(0, |it| self.inner.get_ref().get_compute_state_subgroup_size(it, block))
    }
}

/// Returns whether a format has 32-bit floats, and whether it has 16-bit floats.
fn float_bits(format: Format) -> (bool, bool) {
    let desc = format.desc();
    let bits = |bits| format.is_float() && desc.channels.iter().any(|of| of.bits == bits);
    (bits(32), bits(16))
}
