//! The null driver's context: pools of nothing.

use os_shim::Vec;
use os_shim::pool::Pool;

use super::NullScreen;
use crate::context::*;
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexSource};
use crate::error::PipeError;
use crate::flags::{ClearFlags, FlushFlags};
use crate::handle::*;
use crate::layout::Layout;
use crate::panel::TilePanel;
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::screen::Screen;
use crate::shader::{ComputeState, GridInfo, ShaderState, ShaderType};
use crate::state::*;
use crate::surface::{
    ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate,
};
use crate::transfer::{MapFlags, Transfer};

/// A context of the null driver.
pub struct NullContext<'s, 'm> {
    screen: &'s NullScreen<'m>,
    blends: Pool<'m, ()>,
    depth_stencil_alphas: Pool<'m, ()>,
    rasterizers: Pool<'m, ()>,
    samplers: Pool<'m, ()>,
    vertex_elements: Pool<'m, ()>,
    shaders: Pool<'m, ShaderType>,
    views: Pool<'m, ()>,
    surfaces: Pool<'m, ResourceHandle>,
    targets: Pool<'m, ()>,
    queries: Pool<'m, QueryType>,
    /// The bytes of open transfers.
    transfers: Pool<'m, Vec<'m, u8>>,
    bindless: Pool<'m, ()>,
}

/// `Ok` if the handle is of an object in the pool.
fn live<T, K: Kind>(pool: &Pool<'_, T>, handle: Handle<K>) -> Result<(), PipeError> {
    if pool.contains(handle.raw()) { Ok(()) } else { Err(PipeError::stale(handle)) }
}

/// The same for slots that may be empty.
fn all_live<T, K: Kind>(
    pool: &Pool<'_, T>,
    handles: &[Option<Handle<K>>],
) -> Result<(), PipeError> {
    handles.iter().flatten().try_for_each(|handle| live(pool, *handle))
}

/// Takes an object out of its pool.
fn remove<T, K: Kind>(pool: &mut Pool<'_, T>, handle: Handle<K>) -> Result<T, PipeError> {
    pool.remove(handle.raw()).ok_or(PipeError::stale(handle))
}

impl<'s, 'm> NullContext<'s, 'm> {
    /// A context of `screen`.
    pub fn new(screen: &'s NullScreen<'m>) -> Self {
        let memory = screen.memory;
        Self {
            screen,
            blends: Pool::new_in(memory),
            depth_stencil_alphas: Pool::new_in(memory),
            rasterizers: Pool::new_in(memory),
            samplers: Pool::new_in(memory),
            vertex_elements: Pool::new_in(memory),
            shaders: Pool::new_in(memory),
            views: Pool::new_in(memory),
            surfaces: Pool::new_in(memory),
            targets: Pool::new_in(memory),
            queries: Pool::new_in(memory),
            transfers: Pool::new_in(memory),
            bindless: Pool::new_in(memory),
        }
    }

    /// How many objects of this context there are.
    pub fn object_count(&self) -> usize {
        self.blends.len()
            + self.depth_stencil_alphas.len()
            + self.rasterizers.len()
            + self.samplers.len()
            + self.vertex_elements.len()
            + self.shaders.len()
            + self.views.len()
            + self.surfaces.len()
            + self.targets.len()
            + self.queries.len()
            + self.transfers.len()
            + self.bindless.len()
    }

    fn resource(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.screen.resource_template(resource).map(|_| ())
    }

    fn shader(&self, stage: ShaderType, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        let Some(handle) = handle else { return Ok(()) };
        match self.shaders.get(handle.raw()) {
            None => Err(PipeError::stale(handle)),
            Some(made_for) if *made_for != stage => {
                Err(PipeError::Invalid("a shader of another stage"))
            }
            Some(_) => Ok(()),
        }
    }

    fn bindless(&self, handle: u64) -> Result<os_shim::pool::RawHandle, PipeError> {
        u32::try_from(handle)
            .ok()
            .and_then(os_shim::pool::RawHandle::from_bits)
            .filter(|raw| self.bindless.contains(*raw))
            .ok_or(PipeError::Invalid("not a bindless handle"))
    }
}

impl<'m> Context<'m> for NullContext<'_, 'm> {}

/// Create, bind and delete of a kind of state object that is nothing but its name.
macro_rules! triplet {
    ($pool:ident, $state:ty, $handle:ty, $create:ident, $bind:ident, $delete:ident) => {
        fn $create(&mut self, _state: $state) -> Result<$handle, PipeError> {
            Ok(Handle::new(self.$pool.insert(())?))
        }
        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            all_live(&self.$pool, &[handle])
        }
        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            remove(&mut self.$pool, handle)
        }
    };
}

impl<'m> CsoState<'m> for NullContext<'_, 'm> {
    triplet!(
        blends,
        &BlendState,
        BlendHandle,
        create_blend_state,
        bind_blend_state,
        delete_blend_state
    );
    triplet!(
        depth_stencil_alphas,
        &DepthStencilAlphaState,
        DepthStencilAlphaHandle,
        create_depth_stencil_alpha_state,
        bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state
    );
    triplet!(
        rasterizers,
        &RasterizerState,
        RasterizerHandle,
        create_rasterizer_state,
        bind_rasterizer_state,
        delete_rasterizer_state
    );
    triplet!(
        vertex_elements,
        &[VertexElement],
        VertexElementsHandle,
        create_vertex_elements_state,
        bind_vertex_elements_state,
        delete_vertex_elements_state
    );

    fn create_sampler_state(&mut self, _state: &SamplerState) -> Result<SamplerHandle, PipeError> {
        Ok(Handle::new(self.samplers.insert(())?))
    }

    fn bind_sampler_states(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        all_live(&self.samplers, handles)
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        remove(&mut self.samplers, handle)
    }

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        _state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        Ok(Handle::new(self.shaders.insert(stage)?))
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        self.shader(stage, handle)
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        remove(&mut self.shaders, handle).map(|_| ())
    }

    fn link_shader(
        &mut self,
        handles: &[Option<ShaderHandle>; ShaderType::COUNT],
    ) -> Result<(), PipeError> {
        all_live(&self.shaders, handles)
    }

    fn set_inlinable_constants(
        &mut self,
        _stage: ShaderType,
        _values: &[u32],
    ) -> Result<(), PipeError> {
        Ok(())
    }
}

impl ResourceBinding for NullContext<'_, '_> {
    fn set_constant_buffer(
        &mut self,
        _stage: ShaderType,
        _index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        match buffer {
            Some(ConstantBuffer::Resource { resource, .. }) => self.resource(resource),
            _ => Ok(()),
        }
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        state.attachments().try_for_each(|surface| live(&self.surfaces, surface))
    }

    fn set_vertex_buffers(
        &mut self,
        _start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }
}

impl Parameters for NullContext<'_, '_> {
    fn set_stencil_ref(&mut self, _reference: StencilRef) {}
    fn set_blend_color(&mut self, _color: &BlendColor) {}
    fn set_sample_mask(&mut self, _mask: u32) {}
    fn set_min_samples(&mut self, _samples: u8) {}
    fn set_clip_state(&mut self, _state: &ClipState) {}
    fn set_polygon_stipple(&mut self, _stipple: &PolyStipple) {}

    fn set_scissor_states(
        &mut self,
        _start: usize,
        _scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        _start: usize,
        _viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_window_rectangles(&mut self, _rectangles: &WindowRectangles) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_sample_locations(&mut self, _locations: &[u8]) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_patch_vertices(&mut self, _vertices: u8) -> Result<(), PipeError> {
        Ok(())
    }
}

impl SamplerViews for NullContext<'_, '_> {
    fn create_sampler_view(
        &mut self,
        resource: ResourceHandle,
        _template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.views.insert(())?))
    }

    fn sampler_view_destroy(&mut self, view: SamplerViewHandle) -> Result<(), PipeError> {
        remove(&mut self.views, view)
    }

    fn set_sampler_views(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        all_live(&self.views, views)
    }

    fn generate_mipmap(
        &mut self,
        resource: ResourceHandle,
        _format: formats::Format,
        _base_level: u32,
        _last_level: u32,
        _first_layer: u32,
        _last_layer: u32,
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }
}

impl ShaderResources for NullContext<'_, '_> {
    fn set_shader_buffers(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        buffers: &[Option<ShaderBuffer>],
        _writable: u32,
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }

    fn set_shader_images(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        images.iter().flatten().try_for_each(|image| self.resource(image.resource))
    }

    fn set_hw_atomic_buffers(
        &mut self,
        _start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }
}

impl Surfaces for NullContext<'_, '_> {
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        _template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.surfaces.insert(resource)?))
    }

    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        remove(&mut self.surfaces, surface).map(|_| ())
    }
}

impl StreamOutputs for NullContext<'_, '_> {
    fn create_stream_output_target(
        &mut self,
        resource: ResourceHandle,
        _offset: u32,
        _size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.targets.insert(())?))
    }

    fn stream_output_target_destroy(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        remove(&mut self.targets, target)
    }

    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        _offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        all_live(&self.targets, targets)
    }

    fn stream_output_target_offset(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        live(&self.targets, target).map(|()| 0)
    }
}

impl Clearing for NullContext<'_, '_> {
    fn clear(
        &mut self,
        _buffers: ClearFlags,
        _scissor: Option<&ScissorState>,
        _color: &ColorUnion,
        _depth: f64,
        _stencil: u8,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        _color: &ColorUnion,
        _region: &Region,
        _render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        live(&self.surfaces, surface)
    }

    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        _buffers: ClearFlags,
        _depth: f64,
        _stencil: u8,
        _region: &Region,
        _render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        live(&self.surfaces, surface)
    }

    fn clear_texture(
        &mut self,
        resource: ResourceHandle,
        _level: u32,
        _region: &Region,
        _texel: &[u8],
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }

    fn clear_buffer(
        &mut self,
        resource: ResourceHandle,
        _offset: u32,
        _size: u32,
        _value: &[u8],
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }
}

impl Drawing for NullContext<'_, '_> {
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        _draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        if let Some(IndexSource::Resource(resource)) = info.index.map(|index| index.source) {
            self.resource(resource)?;
        }
        match indirect {
            None => Ok(()),
            Some(DrawIndirect::StreamOutput(target)) => live(&self.targets, *target),
            Some(DrawIndirect::Buffer { buffer, indirect_draw_count, .. }) => {
                self.resource(*buffer)?;
                indirect_draw_count.map_or(Ok(()), |(buffer, _)| self.resource(buffer))
            }
        }
    }
}

impl Queries for NullContext<'_, '_> {
    fn create_query(&mut self, kind: QueryType, _index: u32) -> Result<QueryHandle, PipeError> {
        Ok(Handle::new(self.queries.insert(kind)?))
    }

    fn destroy_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        remove(&mut self.queries, query).map(|_| ())
    }

    fn begin_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        live(&self.queries, query)
    }

    fn end_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        live(&self.queries, query)
    }

    fn get_query_result(
        &mut self,
        query: QueryHandle,
        _wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        let kind = self.queries.get(query.raw()).ok_or(PipeError::stale(query))?;
        Ok(Some(QueryResult::zero(*kind)))
    }

    fn get_query_result_resource(
        &mut self,
        query: QueryHandle,
        _wait: bool,
        _value_type: QueryValueType,
        _index: Option<u32>,
        resource: ResourceHandle,
        _offset: u32,
    ) -> Result<(), PipeError> {
        live(&self.queries, query)?;
        self.resource(resource)
    }
}

impl RenderCondition for NullContext<'_, '_> {
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        _condition: bool,
        _mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        all_live(&self.queries, &[query])
    }

    fn render_condition_mem(
        &mut self,
        resource: ResourceHandle,
        _offset: u32,
        _condition: bool,
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }
}

impl Flushing for NullContext<'_, '_> {
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        let wants_none = (flags - FlushFlags::END_OF_FRAME).is_empty();
        if wants_none { Ok(None) } else { self.screen.fence_create().map(Some) }
    }

    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource(resource)
    }

    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource(resource)
    }

    /// Begins and finishes a picture without any tile.
    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let resource = match source {
            PresentSource::Resource(resource) => resource,
            PresentSource::Surface(surface) => {
                *self.surfaces.get(surface.raw()).ok_or(PipeError::stale(surface))?
            }
        };
        let template = self.screen.resource_template(resource)?;
        panel.begin(template.width0, template.height0)?;
        Ok(panel.finish()?)
    }
}

impl Fences for NullContext<'_, '_> {
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        self.screen.check_fence(fence)
    }

    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        self.screen.check_fence(fence)
    }
}

impl Blitting for NullContext<'_, '_> {
    fn resource_copy_region(
        &mut self,
        dst: ResourceHandle,
        _dst_level: u32,
        _dst_x: u32,
        _dst_y: u32,
        _dst_z: u32,
        src: ResourceHandle,
        _src_level: u32,
        _src_region: &Region,
    ) -> Result<(), PipeError> {
        self.resource(dst)?;
        self.resource(src)
    }

    fn blit(&mut self, info: &BlitInfo) -> Result<(), PipeError> {
        self.resource(info.dst.resource)?;
        self.resource(info.src.resource)
    }
}

impl Transfers for NullContext<'_, '_> {
    fn transfer_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        _usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        let template = self.screen.resource_template(resource)?;
        // The one argument that must be sane here: memory of its size is allocated.
        let size = template.level_size(level).ok_or(PipeError::Invalid("no such level"))?;
        let extent = Layout::of(&template)?.extent(region);
        let Some([stride, rows, layers]) = extent.filter(|_| region.is_within(size)) else {
            return Err(PipeError::RegionOutOfRange { region: *region, size });
        };
        let layer_stride = stride * rows;
        let mut bytes = Vec::new_in(self.screen.memory);
        bytes.try_resize(layer_stride * layers, 0)?;
        let handle = Handle::new(self.transfers.insert(bytes)?);
        Ok(Transfer { handle, stride, layer_stride })
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        let bytes = self.transfers.get_mut(transfer.raw()).ok_or(PipeError::stale(transfer))?;
        Ok(bytes.as_mut_slice())
    }

    fn transfer_flush_region(
        &mut self,
        transfer: TransferHandle,
        _region: &Region,
    ) -> Result<(), PipeError> {
        live(&self.transfers, transfer)
    }

    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        remove(&mut self.transfers, transfer).map(|_| ())
    }

    fn buffer_subdata(
        &mut self,
        resource: ResourceHandle,
        _usage: MapFlags,
        _offset: u32,
        _data: &[u8],
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }

    fn texture_subdata(
        &mut self,
        resource: ResourceHandle,
        _level: u32,
        _usage: MapFlags,
        _region: &Region,
        _data: &[u8],
        _stride: usize,
        _layer_stride: usize,
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }

    fn resource_commit(
        &mut self,
        resource: ResourceHandle,
        _level: u32,
        _region: &Region,
        _commit: bool,
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }
}

impl<'m> Compute<'m> for NullContext<'_, 'm> {
    fn create_compute_state(
        &mut self,
        _state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        Ok(Handle::new(self.shaders.insert(ShaderType::Compute)?))
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.shader(ShaderType::Compute, handle)
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        remove(&mut self.shaders, handle).map(|_| ())
    }

    fn set_global_binding(
        &mut self,
        _first: usize,
        resources: &[Option<ResourceHandle>],
        _addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        resources.iter().flatten().try_for_each(|resource| self.resource(*resource))
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        info.indirect.map_or(Ok(()), |(buffer, _)| self.resource(buffer))
    }
}

impl DeviceReset for NullContext<'_, '_> {}

impl Bindless for NullContext<'_, '_> {
    fn create_texture_handle(
        &mut self,
        view: SamplerViewHandle,
        sampler: SamplerHandle,
    ) -> Result<u64, PipeError> {
        live(&self.views, view)?;
        live(&self.samplers, sampler)?;
        Ok(self.bindless.insert(())?.to_bits().into())
    }

    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let raw = self.bindless(handle)?;
        self.bindless.remove(raw).ok_or(PipeError::Invalid("not a bindless handle"))
    }

    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        _resident: bool,
    ) -> Result<(), PipeError> {
        self.bindless(handle).map(|_| ())
    }

    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        self.resource(image.resource)?;
        Ok(self.bindless.insert(())?.to_bits().into())
    }

    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        self.delete_texture_handle(handle)
    }

    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        _access: ImageAccess,
        _resident: bool,
    ) -> Result<(), PipeError> {
        self.bindless(handle).map(|_| ())
    }
}
