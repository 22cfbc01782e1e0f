//! Draws, clears, queries, copies, transfers and compute of the null driver: handles are checked,
//! and all further arguments are ignored.

use super::context::{NullContext, all_live, live, remove};
use crate::auxiliary::MapBytes;
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexSource};
use crate::error::PipeError;
use crate::flags::{ClearFlags, FlushFlags};
use crate::handle::*;
use crate::limits::MAP_BUFFER_ALIGNMENT;
use crate::panel::{Area, TilePanel};
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::resource::layout::Layout;
use crate::screen::Screen;
use crate::shader::{ComputeState, GridInfo, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView};
use crate::transfer::{MapFlags, Transfer};

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

    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: VertexStateHandle,
        _info: &crate::DrawVertexStateInfo,
        _draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.screen.check_vertex_state(state)
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
    fn flush(&mut self, _flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        self.screen.fence_create().map(Some)
    }

    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource(resource)
    }

    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource(resource)
    }

    /// Returns that no commands are pending: every call is done when it returns.
    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        _level: u32,
        _layer: u32,
    ) -> Result<crate::Referenced, PipeError> {
        self.resource(resource).map(|()| crate::Referenced::empty())
    }

    /// Begins and finishes a picture without tiles.
    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let resource = self.presented(source)?;
        let template = self.screen.resource_template(resource)?;
        panel.begin(template.width0, template.height0)?;
        Ok(panel.finish()?)
    }

    /// Ends the picture, which has no tiles.
    fn present_tile(
        &mut self,
        source: PresentSource,
        _: u32,
        _: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let resource = self.presented(source)?;
        self.screen.resource_template(resource).map(|_| None)
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
        // The level and the box must be valid, because memory of the box's size is allocated.
        let size =
            template.level_size(level).ok_or(PipeError::Invalid("the level does not exist"))?;
        let extent = Layout::of(&template)?.extent(region);
        let Some([stride, rows, layers]) = extent.filter(|_| region.is_within(size)) else {
            return Err(PipeError::RegionOutOfRange { region: *region, size });
        };
        let layer_stride = stride.saturating_mul(rows);
        let (offset, bytes) = (region.x.max(0) as usize, layer_stride.saturating_mul(layers));
        let bytes = MapBytes::zeros(MAP_BUFFER_ALIGNMENT, offset, bytes, self.screen.memory)?;
        let handle = Handle::new(self.transfers.insert(bytes)?);
        Ok(Transfer { handle, stride, layer_stride })
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        let bytes = self.transfers.get_mut(transfer.raw()).ok_or(PipeError::stale(transfer))?;
        Ok(&mut **bytes)
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

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        self.shader(ShaderType::Compute, Some(handle))?;
        Ok(crate::ComputeStateObjectInfo {
            max_threads: 1024,
            preferred_simd_size: 1,
            simd_sizes: 1,
            private_memory: 0,
        })
    }

    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        _start: usize,
        surfaces: &[Option<SurfaceHandle>],
    ) -> Result<(), PipeError> {
        all_live(&self.surfaces, surfaces)
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
        self.bindless.remove(raw).ok_or(PipeError::Invalid("the value is not a bindless handle"))
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

impl NullContext<'_, '_> {
    /// Returns the resource of a picture to present.
    fn presented(&self, source: PresentSource) -> Result<ResourceHandle, PipeError> {
        match source {
            PresentSource::Resource(resource) => Ok(resource),
            PresentSource::Surface(surface) => {
                self.surfaces.get(surface.raw()).copied().ok_or(PipeError::stale(surface))
            }
        }
    }
}
