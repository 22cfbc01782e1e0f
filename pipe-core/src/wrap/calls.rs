//! The calls of a context that wrappers pass on alike: number in recordings, name, arguments and
//! result, one list per chapter of a context.
//!
//! A list is a macro that passes its rows to another macro. The recorder and the tracer make a
//! method from each row, the player a case of a match. An argument is `val` (by value), `refs` (by
//! reference), `opt` (an optional reference), `list` (a slice) or `bytes`. A text trace writes these
//! in full. It writes `brief` (by reference) and the items of `each` (a slice) in their short form,
//! and the length of `data` (bytes). Numbers are permanent: a call that changes gets a new one.

macro_rules! cso_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        10 create_blend_state(state: brief BlendState) -> Result<BlendHandle, PipeError>;
        11 bind_blend_state(handle: val Option<BlendHandle>) -> Result<(), PipeError>;
        12 delete_blend_state(handle: val BlendHandle) -> Result<(), PipeError>;
        13 create_depth_stencil_alpha_state(state: brief DepthStencilAlphaState)
            -> Result<DepthStencilAlphaHandle, PipeError>;
        14 bind_depth_stencil_alpha_state(handle: val Option<DepthStencilAlphaHandle>)
            -> Result<(), PipeError>;
        15 delete_depth_stencil_alpha_state(handle: val DepthStencilAlphaHandle)
            -> Result<(), PipeError>;
        16 create_rasterizer_state(state: brief RasterizerState)
            -> Result<RasterizerHandle, PipeError>;
        17 bind_rasterizer_state(handle: val Option<RasterizerHandle>) -> Result<(), PipeError>;
        18 delete_rasterizer_state(handle: val RasterizerHandle) -> Result<(), PipeError>;
        19 create_sampler_state(state: brief SamplerState) -> Result<SamplerHandle, PipeError>;
        20 bind_sampler_states(
            stage: val ShaderType,
            start: val usize,
            handles: list Option<SamplerHandle>,
        ) -> Result<(), PipeError>;
        21 delete_sampler_state(handle: val SamplerHandle) -> Result<(), PipeError>;
        22 create_vertex_elements_state(elements: each VertexElement)
            -> Result<VertexElementsHandle, PipeError>;
        23 bind_vertex_elements_state(handle: val Option<VertexElementsHandle>)
            -> Result<(), PipeError>;
        24 delete_vertex_elements_state(handle: val VertexElementsHandle)
            -> Result<(), PipeError>;
        25 bind_shader_state(stage: val ShaderType, handle: val Option<ShaderHandle>)
            -> Result<(), PipeError>;
        26 delete_shader_state(handle: val ShaderHandle) -> Result<(), PipeError>;
        27 link_shader(handles: refs [Option<ShaderHandle>; ShaderType::COUNT])
            -> Result<(), PipeError>;
        28 set_inlinable_constants(stage: val ShaderType, values: list u32)
            -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use cso_calls;

macro_rules! binding_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        30 set_constant_buffer(
            stage: val ShaderType,
            index: val usize,
            buffer: val Option<ConstantBuffer<'_>>,
        ) -> Result<(), PipeError>;
        31 set_vertex_buffers(start: val usize, buffers: list Option<VertexBuffer>)
            -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use binding_calls;

macro_rules! parameter_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        40 set_stencil_ref(reference: val StencilRef) -> ();
        41 set_blend_color(color: refs BlendColor) -> ();
        42 set_sample_mask(mask: val u32) -> ();
        43 set_min_samples(samples: val u8) -> ();
        44 set_clip_state(state: brief ClipState) -> ();
        45 set_polygon_stipple(stipple: brief PolyStipple) -> ();
        46 set_scissor_states(start: val usize, scissors: list ScissorState)
            -> Result<(), PipeError>;
        47 set_viewport_states(start: val usize, viewports: each ViewportState)
            -> Result<(), PipeError>;
        48 set_window_rectangles(rectangles: brief WindowRectangles) -> Result<(), PipeError>;
        49 set_sample_locations(locations: bytes u8) -> Result<(), PipeError>;
        50 set_tess_state(state: refs TessState) -> ();
        51 set_patch_vertices(vertices: val u8) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use parameter_calls;

macro_rules! view_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        60 create_sampler_view(resource: val ResourceHandle, template: refs SamplerViewTemplate)
            -> Result<SamplerViewHandle, PipeError>;
        61 sampler_view_destroy(view: val SamplerViewHandle) -> Result<(), PipeError>;
        62 set_sampler_views(
            stage: val ShaderType,
            start: val usize,
            views: list Option<SamplerViewHandle>,
        ) -> Result<(), PipeError>;
        63 generate_mipmap(
            resource: val ResourceHandle,
            format: val Format,
            base_level: val u32,
            last_level: val u32,
            first_layer: val u32,
            last_layer: val u32,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use view_calls;

macro_rules! shader_resource_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        70 set_shader_buffers(
            stage: val ShaderType,
            start: val usize,
            buffers: list Option<ShaderBuffer>,
            writable: val u32,
        ) -> Result<(), PipeError>;
        71 set_shader_images(
            stage: val ShaderType,
            start: val usize,
            images: list Option<ImageView>,
        ) -> Result<(), PipeError>;
        72 set_hw_atomic_buffers(start: val usize, buffers: list Option<ShaderBuffer>)
            -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use shader_resource_calls;

macro_rules! stream_output_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        80 create_stream_output_target(
            resource: val ResourceHandle,
            offset: val u32,
            size: val u32,
        ) -> Result<StreamOutputTargetHandle, PipeError>;
        81 stream_output_target_destroy(target: val StreamOutputTargetHandle)
            -> Result<(), PipeError>;
        82 set_stream_output_targets(
            targets: list Option<StreamOutputTargetHandle>,
            offsets: list Option<u32>,
        ) -> Result<(), PipeError>;
        83 stream_output_target_offset(target: val StreamOutputTargetHandle)
            -> Result<u32, PipeError>;
    } };
}
pub(in crate::wrap) use stream_output_calls;

macro_rules! clearing_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        90 clear(
            buffers: val ClearFlags,
            scissor: opt ScissorState,
            color: refs ColorUnion,
            depth: val f64,
            stencil: val u8,
        ) -> Result<(), PipeError>;
        91 clear_render_target(
            surface: val SurfaceHandle,
            color: refs ColorUnion,
            region: brief Region,
            render_condition_enabled: val bool,
        ) -> Result<(), PipeError>;
        92 clear_depth_stencil(
            surface: val SurfaceHandle,
            buffers: val ClearFlags,
            depth: val f64,
            stencil: val u8,
            region: brief Region,
            render_condition_enabled: val bool,
        ) -> Result<(), PipeError>;
        93 clear_texture(
            resource: val ResourceHandle,
            level: val u32,
            region: brief Region,
            texel: bytes u8,
        ) -> Result<(), PipeError>;
        94 clear_buffer(
            resource: val ResourceHandle,
            offset: val u32,
            size: val u32,
            value: bytes u8,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use clearing_calls;

macro_rules! drawing_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        100 draw_vbo(
            info: brief DrawInfo<'_>,
            indirect: opt DrawIndirect,
            draws: each DrawStartCount,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use drawing_calls;

macro_rules! query_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        110 create_query(kind: val QueryType, index: val u32) -> Result<QueryHandle, PipeError>;
        111 destroy_query(query: val QueryHandle) -> Result<(), PipeError>;
        112 begin_query(query: val QueryHandle) -> Result<(), PipeError>;
        113 end_query(query: val QueryHandle) -> Result<(), PipeError>;
        114 get_query_result(query: val QueryHandle, wait: val bool)
            -> Result<Option<QueryResult>, PipeError>;
        115 get_query_result_resource(
            query: val QueryHandle,
            wait: val bool,
            value_type: val QueryValueType,
            index: val Option<u32>,
            resource: val ResourceHandle,
            offset: val u32,
        ) -> Result<(), PipeError>;
        116 set_active_query_state(active: val bool) -> ();
    } };
}
pub(in crate::wrap) use query_calls;

macro_rules! condition_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        120 render_condition(
            query: val Option<QueryHandle>,
            condition: val bool,
            mode: val RenderConditionMode,
        ) -> Result<(), PipeError>;
        121 render_condition_mem(
            resource: val ResourceHandle,
            offset: val u32,
            condition: val bool,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use condition_calls;

macro_rules! flushing_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        130 flush_resource(resource: val ResourceHandle) -> Result<(), PipeError>;
        131 invalidate_resource(resource: val ResourceHandle) -> Result<(), PipeError>;
        132 texture_barrier(flags: val TextureBarrierFlags) -> ();
        133 memory_barrier(flags: val BarrierFlags) -> ();
        134 evaluate_depth_buffer() -> ();
        135 emit_string_marker(marker: val &str) -> ();
    } };
}
pub(in crate::wrap) use flushing_calls;

macro_rules! fence_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        140 fence_server_sync(fence: val FenceHandle) -> Result<(), PipeError>;
        141 fence_server_signal(fence: val FenceHandle) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use fence_calls;

macro_rules! blitting_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        150 resource_copy_region(
            dst: val ResourceHandle,
            dst_level: val u32,
            dst_x: val u32,
            dst_y: val u32,
            dst_z: val u32,
            src: val ResourceHandle,
            src_level: val u32,
            src_region: brief Region,
        ) -> Result<(), PipeError>;
        151 blit(info: refs BlitInfo) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use blitting_calls;

macro_rules! transfer_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        160 buffer_subdata(
            resource: val ResourceHandle,
            usage: val MapFlags,
            offset: val u32,
            data: data u8,
        ) -> Result<(), PipeError>;
        161 texture_subdata(
            resource: val ResourceHandle,
            level: val u32,
            usage: val MapFlags,
            region: brief Region,
            data: data u8,
            stride: val usize,
            layer_stride: val usize,
        ) -> Result<(), PipeError>;
        162 resource_commit(
            resource: val ResourceHandle,
            level: val u32,
            region: brief Region,
            commit: val bool,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use transfer_calls;

macro_rules! compute_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        170 bind_compute_state(handle: val Option<ShaderHandle>) -> Result<(), PipeError>;
        171 delete_compute_state(handle: val ShaderHandle) -> Result<(), PipeError>;
        172 launch_grid(info: refs GridInfo<'_>) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use compute_calls;

macro_rules! bindless_calls {
    ($then:ident $($with:tt)*) => { $then! { [$($with)*]
        180 create_texture_handle(view: val SamplerViewHandle, sampler: val SamplerHandle)
            -> Result<u64, PipeError>;
        181 delete_texture_handle(handle: val u64) -> Result<(), PipeError>;
        182 make_texture_handle_resident(handle: val u64, resident: val bool)
            -> Result<(), PipeError>;
        183 create_image_handle(image: refs ImageView) -> Result<u64, PipeError>;
        184 delete_image_handle(handle: val u64) -> Result<(), PipeError>;
        185 make_image_handle_resident(
            handle: val u64,
            access: val ImageAccess,
            resident: val bool,
        ) -> Result<(), PipeError>;
    } };
}
pub(in crate::wrap) use bindless_calls;

/// Passes the lists of all chapters to another macro, each with the name of its chapter.
macro_rules! all_calls {
    ($then:ident) => {
        cso_calls!($then cso);
        binding_calls!($then binding);
        parameter_calls!($then parameter);
        view_calls!($then view);
        shader_resource_calls!($then shader_resource);
        stream_output_calls!($then stream_output);
        clearing_calls!($then clearing);
        drawing_calls!($then drawing);
        query_calls!($then query);
        condition_calls!($then condition);
        flushing_calls!($then flushing);
        fence_calls!($then fence);
        blitting_calls!($then blitting);
        transfer_calls!($then transfer);
        compute_calls!($then compute);
        bindless_calls!($then bindless);
    };
}
pub(in crate::wrap) use all_calls;

/// The functions that a macro made of the lists of all chapters.
macro_rules! all_chapters {
    () => {
        [
            cso,
            binding,
            parameter,
            view,
            shader_resource,
            stream_output,
            clearing,
            drawing,
            query,
            condition,
            flushing,
            fence,
            blitting,
            transfer,
            compute,
            bindless,
        ]
    };
}
pub(in crate::wrap) use all_chapters;

/// The type of a parameter.
macro_rules! parameter {
    (val $ty:ty) => { $ty };
    (refs $ty:ty) => { &$ty };
    (brief $ty:ty) => { &$ty };
    (opt $ty:ty) => { Option<&$ty> };
    (list $ty:ty) => { &[$ty] };
    (each $ty:ty) => { &[$ty] };
    (bytes $ty:ty) => { &[$ty] };
    (data $ty:ty) => { &[$ty] };
}
pub(in crate::wrap) use parameter;
