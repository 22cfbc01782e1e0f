//! The calls of a context, each passed on and written as one line.

use super::{Line, Shown, Trace, brief_list};
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::{BarrierFlags, ClearFlags, FlushFlags, ResetStatus, TextureBarrierFlags};
use crate::handle::*;
use crate::panel::{Area, TilePanel};
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::shader::{ComputeState, GridInfo, ShaderState, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};
use crate::transfer::{MapFlags, Transfer};

/// Selects the form of a written argument: in full, or the form named after its type.
macro_rules! shown {
    ($value:ident) => {
        Shown::Full(&$value)
    };
    ($value:ident brief) => {
        Shown::Brief($value)
    };
    ($value:ident list) => {
        Shown::List(&|f| brief_list(f, $value))
    };
    ($value:ident bytes) => {
        Shown::Bytes($value.len())
    };
    ($value:ident panel) => {
        Shown::Full(&"panel")
    };
}

/// Defines methods that pass on and write their call.
macro_rules! traced {
    ($(
        fn $method:ident($( $argument:ident: $ty:ty $(; $how:ident)? ),* $(,)?)
        $( -> $result:ty )?;
    )+) => { $(
        fn $method(&mut self $(, $argument: $ty)*) $( -> $result )? {
            let outcome = self.inner.get().$method($($argument),*);
            let arguments: &[(&'static str, Shown<'_>)] =
                &[$( (stringify!($argument), shown!($argument $($how)?)), )*];
            let line = Line { method: stringify!($method), arguments, outcome: &outcome };
            self.sink.line(format_args!("{line}"));
            outcome
        }
    )+ };
}

impl<'m> Context<'m> for Trace<'_, 'm> {}

impl<'m> CsoState<'m> for Trace<'_, 'm> {
    traced! {
        fn create_blend_state(state: &BlendState; brief) -> Result<BlendHandle, PipeError>;
        fn bind_blend_state(handle: Option<BlendHandle>) -> Result<(), PipeError>;
        fn delete_blend_state(handle: BlendHandle) -> Result<(), PipeError>;
        fn create_depth_stencil_alpha_state(state: &DepthStencilAlphaState; brief)
            -> Result<DepthStencilAlphaHandle, PipeError>;
        fn bind_depth_stencil_alpha_state(handle: Option<DepthStencilAlphaHandle>)
            -> Result<(), PipeError>;
        fn delete_depth_stencil_alpha_state(handle: DepthStencilAlphaHandle)
            -> Result<(), PipeError>;
        fn create_rasterizer_state(state: &RasterizerState; brief)
            -> Result<RasterizerHandle, PipeError>;
        fn bind_rasterizer_state(handle: Option<RasterizerHandle>) -> Result<(), PipeError>;
        fn delete_rasterizer_state(handle: RasterizerHandle) -> Result<(), PipeError>;
        fn create_sampler_state(state: &SamplerState; brief) -> Result<SamplerHandle, PipeError>;
        fn bind_sampler_states(
            stage: ShaderType,
            start: usize,
            handles: &[Option<SamplerHandle>],
        ) -> Result<(), PipeError>;
        fn delete_sampler_state(handle: SamplerHandle) -> Result<(), PipeError>;
        fn create_vertex_elements_state(elements: &[VertexElement]; list)
            -> Result<VertexElementsHandle, PipeError>;
        fn bind_vertex_elements_state(handle: Option<VertexElementsHandle>)
            -> Result<(), PipeError>;
        fn delete_vertex_elements_state(handle: VertexElementsHandle) -> Result<(), PipeError>;
        fn create_shader_state(stage: ShaderType, state: &ShaderState<'_, 'm>)
            -> Result<ShaderHandle, PipeError>;
        fn bind_shader_state(stage: ShaderType, handle: Option<ShaderHandle>)
            -> Result<(), PipeError>;
        fn delete_shader_state(handle: ShaderHandle) -> Result<(), PipeError>;
        fn link_shader(handles: &[Option<ShaderHandle>; ShaderType::COUNT])
            -> Result<(), PipeError>;
        fn set_inlinable_constants(stage: ShaderType, values: &[u32]) -> Result<(), PipeError>;
    }
}

impl ResourceBinding for Trace<'_, '_> {
    traced! {
        fn set_constant_buffer(
            stage: ShaderType,
            index: usize,
            buffer: Option<ConstantBuffer<'_>>,
        ) -> Result<(), PipeError>;
        fn set_framebuffer_state(state: &FramebufferState; brief) -> Result<(), PipeError>;
        fn set_vertex_buffers(start: usize, buffers: &[Option<VertexBuffer>])
            -> Result<(), PipeError>;
    }
}

impl Parameters for Trace<'_, '_> {
    traced! {
        fn set_stencil_ref(reference: StencilRef);
        fn set_blend_color(color: &BlendColor);
        fn set_sample_mask(mask: u32);
        fn set_min_samples(samples: u8);
        fn set_clip_state(state: &ClipState; brief);
        fn set_polygon_stipple(stipple: &PolyStipple; brief);
        fn set_scissor_states(start: usize, scissors: &[ScissorState]) -> Result<(), PipeError>;
        fn set_viewport_states(start: usize, viewports: &[ViewportState]; list)
            -> Result<(), PipeError>;
        fn set_window_rectangles(rectangles: &WindowRectangles; brief) -> Result<(), PipeError>;
        fn set_sample_locations(locations: &[u8]) -> Result<(), PipeError>;
        fn set_tess_state(state: &TessState);
        fn set_patch_vertices(vertices: u8) -> Result<(), PipeError>;
    }

    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        // Its address would differ from run to run.
        let set = callback.is_some();
        self.sink.line(format_args!("set_debug_callback(callback: {set})"));
        self.inner.get().set_debug_callback(callback);
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        // Not written: the call changes nothing, and `&self` does not reach the sink's context.
        self.inner.get_ref().get_sample_position(sample_count, sample_index)
    }
}

impl SamplerViews for Trace<'_, '_> {
    traced! {
        fn create_sampler_view(resource: ResourceHandle, template: &SamplerViewTemplate)
            -> Result<SamplerViewHandle, PipeError>;
        fn sampler_view_destroy(view: SamplerViewHandle) -> Result<(), PipeError>;
        fn set_sampler_views(
            stage: ShaderType,
            start: usize,
            views: &[Option<SamplerViewHandle>],
        ) -> Result<(), PipeError>;
        fn generate_mipmap(
            resource: ResourceHandle,
            format: formats::Format,
            base_level: u32,
            last_level: u32,
            first_layer: u32,
            last_layer: u32,
        ) -> Result<(), PipeError>;
    }
}

impl ShaderResources for Trace<'_, '_> {
    traced! {
        fn set_shader_buffers(
            stage: ShaderType,
            start: usize,
            buffers: &[Option<ShaderBuffer>],
            writable: u32,
        ) -> Result<(), PipeError>;
        fn set_shader_images(stage: ShaderType, start: usize, images: &[Option<ImageView>])
            -> Result<(), PipeError>;
        fn set_hw_atomic_buffers(start: usize, buffers: &[Option<ShaderBuffer>])
            -> Result<(), PipeError>;
    }
}

impl Surfaces for Trace<'_, '_> {
    traced! {
        fn create_surface(resource: ResourceHandle, template: &SurfaceTemplate)
            -> Result<SurfaceHandle, PipeError>;
        fn surface_destroy(surface: SurfaceHandle) -> Result<(), PipeError>;
    }
}

impl StreamOutputs for Trace<'_, '_> {
    traced! {
        fn create_stream_output_target(resource: ResourceHandle, offset: u32, size: u32)
            -> Result<StreamOutputTargetHandle, PipeError>;
        fn stream_output_target_destroy(target: StreamOutputTargetHandle)
            -> Result<(), PipeError>;
        fn set_stream_output_targets(
            targets: &[Option<StreamOutputTargetHandle>],
            offsets: &[Option<u32>],
        ) -> Result<(), PipeError>;
        fn stream_output_target_offset(target: StreamOutputTargetHandle)
            -> Result<u32, PipeError>;
    }
}

impl Clearing for Trace<'_, '_> {
    traced! {
        fn clear(
            buffers: ClearFlags,
            scissor: Option<&ScissorState>,
            color: &ColorUnion,
            depth: f64,
            stencil: u8,
        ) -> Result<(), PipeError>;
        fn clear_render_target(
            surface: SurfaceHandle,
            color: &ColorUnion,
            region: &Region; brief,
            render_condition_enabled: bool,
        ) -> Result<(), PipeError>;
        fn clear_depth_stencil(
            surface: SurfaceHandle,
            buffers: ClearFlags,
            depth: f64,
            stencil: u8,
            region: &Region; brief,
            render_condition_enabled: bool,
        ) -> Result<(), PipeError>;
        fn clear_texture(
            resource: ResourceHandle,
            level: u32,
            region: &Region; brief,
            texel: &[u8],
        ) -> Result<(), PipeError>;
        fn clear_buffer(resource: ResourceHandle, offset: u32, size: u32, value: &[u8])
            -> Result<(), PipeError>;
    }
}

impl Drawing for Trace<'_, '_> {
    traced! {
        fn draw_vbo(
            info: &DrawInfo<'_>; brief,
            indirect: Option<&DrawIndirect>,
            draws: &[DrawStartCount]; list,
        ) -> Result<(), PipeError>;
    }

    #[cfg(feature = "desktop")]
    traced! {
        fn draw_vertex_state(
            state: VertexStateHandle,
            info: &crate::DrawVertexStateInfo,
            draws: &[DrawStartCount]; list,
        ) -> Result<(), PipeError>;
    }
}

impl Queries for Trace<'_, '_> {
    traced! {
        fn create_query(kind: QueryType, index: u32) -> Result<QueryHandle, PipeError>;
        fn destroy_query(query: QueryHandle) -> Result<(), PipeError>;
        fn begin_query(query: QueryHandle) -> Result<(), PipeError>;
        fn end_query(query: QueryHandle) -> Result<(), PipeError>;
        fn get_query_result(query: QueryHandle, wait: bool)
            -> Result<Option<QueryResult>, PipeError>;
        fn get_query_result_resource(
            query: QueryHandle,
            wait: bool,
            value_type: QueryValueType,
            index: Option<u32>,
            resource: ResourceHandle,
            offset: u32,
        ) -> Result<(), PipeError>;
        fn set_active_query_state(active: bool);
    }
}

impl RenderCondition for Trace<'_, '_> {
    traced! {
        fn render_condition(
            query: Option<QueryHandle>,
            condition: bool,
            mode: RenderConditionMode,
        ) -> Result<(), PipeError>;
        fn render_condition_mem(resource: ResourceHandle, offset: u32, condition: bool)
            -> Result<(), PipeError>;
    }
}

impl Flushing for Trace<'_, '_> {
    traced! {
        fn flush(flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError>;
        fn flush_resource(resource: ResourceHandle) -> Result<(), PipeError>;
        fn invalidate_resource(resource: ResourceHandle) -> Result<(), PipeError>;
        fn present(source: PresentSource, panel: &mut dyn TilePanel; panel)
            -> Result<(), PipeError>;
        fn present_tile(source: PresentSource, index: u32, pixels: &mut [u8]; bytes)
            -> Result<Option<Area>, PipeError>;
        fn texture_barrier(flags: TextureBarrierFlags);
        fn memory_barrier(flags: BarrierFlags);
        fn evaluate_depth_buffer();
        fn emit_string_marker(marker: &str);
    }

    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<crate::Referenced, PipeError> {
        self.inner.get_ref().is_resource_referenced(resource, level, layer)
    }

    #[cfg(feature = "diagnostics")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.inner.get_ref().dump_debug_state(out)
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: core::ops::Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let outcome = self.inner.get().present_rows(source, rows.clone(), panel);
        let arguments: &[(&'static str, Shown<'_>)] =
            &[("source", shown!(source)), ("rows", shown!(rows)), ("panel", shown!(panel panel))];
        let line = Line { method: "present_rows", arguments, outcome: &outcome };
        self.sink.line(format_args!("{line}"));
        outcome
    }
}

impl Fences for Trace<'_, '_> {
    traced! {
        fn fence_server_sync(fence: FenceHandle) -> Result<(), PipeError>;
        fn fence_server_signal(fence: FenceHandle) -> Result<(), PipeError>;
    }
}

impl Blitting for Trace<'_, '_> {
    traced! {
        fn resource_copy_region(
            dst: ResourceHandle,
            dst_level: u32,
            dst_x: u32,
            dst_y: u32,
            dst_z: u32,
            src: ResourceHandle,
            src_level: u32,
            src_region: &Region; brief,
        ) -> Result<(), PipeError>;
        fn blit(info: &BlitInfo) -> Result<(), PipeError>;
    }
}

impl Transfers for Trace<'_, '_> {
    traced! {
        fn transfer_map(
            resource: ResourceHandle,
            level: u32,
            usage: MapFlags,
            region: &Region; brief,
        ) -> Result<Transfer, PipeError>;
        fn transfer_flush_region(transfer: TransferHandle, region: &Region; brief)
            -> Result<(), PipeError>;
        fn transfer_unmap(transfer: TransferHandle) -> Result<(), PipeError>;
        fn buffer_subdata(
            resource: ResourceHandle,
            usage: MapFlags,
            offset: u32,
            data: &[u8]; bytes,
        ) -> Result<(), PipeError>;
        fn texture_subdata(
            resource: ResourceHandle,
            level: u32,
            usage: MapFlags,
            region: &Region; brief,
            data: &[u8]; bytes,
            stride: usize,
            layer_stride: usize,
        ) -> Result<(), PipeError>;
        fn resource_commit(
            resource: ResourceHandle,
            level: u32,
            region: &Region; brief,
            commit: bool,
        ) -> Result<(), PipeError>;
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        let result = self.inner.get().transfer_bytes(transfer);
        match &result {
            Ok(bytes) => {
                let count = bytes.len();
                self.sink
                    .line(format_args!("transfer_bytes(transfer: {transfer:?}) = {count} bytes"));
            }
            Err(error) => {
                self.sink.line(format_args!("transfer_bytes(transfer: {transfer:?}) ! {error}"));
            }
        }
        result
    }
}

impl<'m> Compute<'m> for Trace<'_, 'm> {
    traced! {
        fn create_compute_state(state: &ComputeState<'_, 'm>) -> Result<ShaderHandle, PipeError>;
        fn bind_compute_state(handle: Option<ShaderHandle>) -> Result<(), PipeError>;
        fn delete_compute_state(handle: ShaderHandle) -> Result<(), PipeError>;
        fn launch_grid(info: &GridInfo<'_>) -> Result<(), PipeError>;
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        // Addresses are not written: they are specific to the driver, and differ from run to run.
        let outcome = self.inner.get().set_global_binding(first, resources, addresses);
        let arguments = [("first", Shown::Full(&first)), ("resources", Shown::Full(&resources))];
        let line = Line { method: "set_global_binding", arguments: &arguments, outcome: &outcome };
        self.sink.line(format_args!("{line}"));
        outcome
    }

    #[cfg(feature = "desktop")]
    traced! {
        fn set_compute_resources(start: usize, surfaces: &[Option<SurfaceHandle>])
            -> Result<(), PipeError>;
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        self.inner.get_ref().get_compute_state_info(handle)
    }

    fn get_compute_state_subgroup_size(&self, handle: ShaderHandle, block: [u32; 3]) -> u32 {
        self.inner.get_ref().get_compute_state_subgroup_size(handle, block)
    }
}

impl DeviceReset for Trace<'_, '_> {
    traced! {
        fn get_device_reset_status() -> ResetStatus;
    }

    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        // Its address would differ from run to run.
        let set = callback.is_some();
        self.sink.line(format_args!("set_device_reset_callback(callback: {set})"));
        self.inner.get().set_device_reset_callback(callback);
    }
}

impl Bindless for Trace<'_, '_> {
    traced! {
        fn create_texture_handle(view: SamplerViewHandle, sampler: SamplerHandle)
            -> Result<u64, PipeError>;
        fn delete_texture_handle(handle: u64) -> Result<(), PipeError>;
        fn make_texture_handle_resident(handle: u64, resident: bool) -> Result<(), PipeError>;
        fn create_image_handle(image: &ImageView) -> Result<u64, PipeError>;
        fn delete_image_handle(handle: u64) -> Result<(), PipeError>;
        fn make_image_handle_resident(handle: u64, access: ImageAccess, resident: bool)
            -> Result<(), PipeError>;
    }
}
