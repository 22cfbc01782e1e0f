//! The contract works without a rasterizer: a frame with every kind of call through the null
//! driver, called as `&mut dyn Context`.

use std::collections::HashSet;

use gallium_pipe_core::context::*;
use gallium_pipe_core::query::{QueryValueType, RenderConditionMode};
use gallium_pipe_core::wrap::NullScreen;
use gallium_pipe_core::*;
use os_shim::{FailAt, Memory, System};

const VS: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
const FS: &str = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 1.0, 0.0, 0.0, 1.0 }\n  \
                  0: MOV OUT[0], IMM[0]\n  1: END\n";

struct Panel(Vec<&'static str>);

impl TilePanel for Panel {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        assert_eq!((width, height), (320, 240));
        self.0.push("begin");
        Ok(())
    }
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        self.0.push("tile");
        Ok(())
    }
    fn finish(&mut self) -> Result<(), PanelError> {
        self.0.push("finish");
        Ok(())
    }
}

/// Draws a frame like a frontend: state, data, draws, read back, clean up.
fn frame<'m>(screen: &dyn Screen<'m>, context: &mut dyn Context<'m>) -> Result<(), PipeError> {
    let color =
        screen.resource_create(&ResourceTemplate::streamed(Format::B5G6R5Unorm, 320, 240))?;
    let depth = screen.resource_create(&ResourceTemplate::texture_2d(
        Format::Z16Unorm,
        320,
        240,
        Bind::DEPTH_STENCIL,
    ))?;
    let vertices = screen.resource_create(&ResourceTemplate::buffer(36, Bind::VERTEX_BUFFER))?;
    context.buffer_subdata(vertices, MapFlags::WRITE, 0, &[0; 36])?;

    let surface = context.create_surface(color, &SurfaceTemplate::of(Format::B5G6R5Unorm))?;
    let zs = context.create_surface(depth, &SurfaceTemplate::of(Format::Z16Unorm))?;
    context.set_framebuffer_state(&FramebufferState::single(320, 240, surface, Some(zs)))?;
    context.set_viewport_states(0, &[ViewportState::y_up(320, 240)])?;

    let blend = context.create_blend_state(&BlendState::default())?;
    let dsa = context
        .create_depth_stencil_alpha_state(&DepthStencilAlphaState::depth(CompareFunc::Less))?;
    let rasterizer = context.create_rasterizer_state(&RasterizerState::default())?;
    let elements = context
        .create_vertex_elements_state(&[VertexElement::per_vertex(0, Format::R32G32B32Float)])?;
    let vs = context.create_vs_state(&ShaderState::text(VS))?;
    let fs = context.create_fs_state(&ShaderState::text(FS))?;
    context.bind_blend_state(Some(blend))?;
    context.bind_depth_stencil_alpha_state(Some(dsa))?;
    context.bind_rasterizer_state(Some(rasterizer))?;
    context.bind_vertex_elements_state(Some(elements))?;
    context.bind_vs_state(Some(vs))?;
    context.bind_fs_state(Some(fs))?;
    let buffer = VertexBuffer { resource: vertices, stride: 12, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(buffer)])?;
    context.set_constant_buffer(ShaderType::Vertex, 0, Some(ConstantBuffer::User(&[0; 64])))?;

    let query = context.create_query(QueryType::OcclusionCounter, 0)?;
    context.begin_query(query)?;
    context.clear(
        ClearFlags::COLOR0 | ClearFlags::DEPTH,
        None,
        &ColorUnion::float([0.0, 0.0, 0.5, 1.0]),
        1.0,
        0,
    )?;
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &[DrawStartCount::count(3)])?;
    context.end_query(query)?;
    assert_eq!(context.get_query_result(query, true)?, Some(QueryResult::U64(0)));
    context.render_condition(Some(query), false, RenderConditionMode::Wait)?;
    context.render_condition(None, false, RenderConditionMode::Wait)?;

    let mut panel = Panel(Vec::new());
    context.present(color.into(), &mut panel)?;
    assert_eq!(panel.0, ["begin", "finish"], "nothing is drawn");
    let fence = context.flush(FlushFlags::END_OF_FRAME)?.expect("every flush has a fence");
    screen.fence_destroy(fence)?;

    let region = Region::rect(8, 8, 16, 4);
    let transfer = context.transfer_map(depth, 0, MapFlags::READ, &region)?;
    assert_eq!((transfer.stride, transfer.layer_stride), (32, 128));
    assert_eq!(context.transfer_bytes(transfer.handle)?, [0; 128]);
    context.transfer_unmap(transfer.handle)?;

    context.destroy_query(query)?;
    context.surface_destroy(surface)?;
    context.surface_destroy(zs)?;
    context.delete_blend_state(blend)?;
    context.delete_depth_stencil_alpha_state(dsa)?;
    context.delete_rasterizer_state(rasterizer)?;
    context.delete_vertex_elements_state(elements)?;
    context.delete_shader_state(vs)?;
    context.delete_shader_state(fs)?;
    for resource in [color, depth, vertices] {
        screen.resource_destroy(resource)?;
    }
    Ok(())
}

#[test]
fn a_frame_of_everything() {
    let screen = NullScreen::new(Memory::system());
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
    assert_eq!(frame(&screen, &mut *context), Ok(()));
    assert_eq!(screen.resource_count(), 0);
}

#[test]
fn every_allocation_may_fail() {
    let system = System::new();
    let memory = Memory::new(&system);
    for nth in 0.. {
        let failing = FailAt::new(memory, nth);
        {
            let screen = NullScreen::new(Memory::new(&failing));
            let result = screen
                .context_create(ContextFlags::empty())
                .and_then(|mut context| frame(&screen, &mut *context));
            match result {
                Ok(()) => {
                    assert!(nth > 8, "something must have allocated");
                    break;
                }
                Err(error) => {
                    assert!(matches!(error, PipeError::OutOfMemory { .. }), "{nth}: {error}");
                }
            }
        }
        assert_eq!(memory.usage().used, 0, "leaked after failure {nth}");
    }
}

#[test]
fn stale_handles_are_errors() {
    let screen = NullScreen::new(Memory::system());
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
    let blend = context.create_blend_state(&BlendState::default()).expect("accepts everything");
    assert_eq!(context.delete_blend_state(blend), Ok(()));
    let stale = Err(PipeError::StaleHandle { kind: "blend", handle: blend.raw() });
    assert_eq!(context.bind_blend_state(Some(blend)), stale);
    assert_eq!(context.delete_blend_state(blend), stale);
    let again = context.create_blend_state(&BlendState::default()).expect("accepts everything");
    assert_ne!(again, blend, "the slot is used again, the handle is another");

    let buffer = ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_create(&buffer).expect("a good template");
    screen.resource_destroy(buffer).expect("it is there");
    let gone = Err(PipeError::stale(buffer));
    let vertices = VertexBuffer { resource: buffer, stride: 4, buffer_offset: 0 };
    assert_eq!(context.set_vertex_buffers(0, &[Some(vertices)]), gone);
    let whole = Region::bytes(0, 16);
    assert_eq!(context.transfer_map(buffer, 0, MapFlags::READ, &whole).map(|_| ()), gone);
    assert_eq!(context.invalidate_resource(buffer), gone);
    let index = IndexBuffer::resource(buffer, 2);
    let info = DrawInfo::indexed(PrimType::Points, index);
    assert_eq!(context.draw_vbo(&info, None, &[]), gone);
    let query = context.create_query(QueryType::TimeElapsed, 0).expect("accepts everything");
    let write =
        context.get_query_result_resource(query, false, QueryValueType::U64, None, buffer, 0);
    assert_eq!(write, gone);
}

#[test]
fn shaders_stay_in_their_stage() {
    let screen = NullScreen::new(Memory::system());
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
    let vs = context.create_vs_state(&ShaderState::text(VS)).expect("accepts everything");
    let wrong = Err(PipeError::Invalid("the shader has another stage"));
    assert_eq!(context.bind_fs_state(Some(vs)), wrong);
    assert_eq!(context.bind_vs_state(Some(vs)), Ok(()));
}

#[test]
fn every_flush_has_a_fence() {
    let screen = NullScreen::new(Memory::system());
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
    let fence = context.flush(FlushFlags::empty()).expect("nothing can fail");
    let fence = fence.expect("whatever the flags");
    assert_eq!(screen.fence_finish(Some(&mut *context), fence, 0), Ok(true));
    assert_eq!(context.fence_server_sync(fence), Ok(()));
    assert_eq!(screen.fence_destroy(fence), Ok(()));
    assert_eq!(screen.fence_finish(None, fence, 0), Err(PipeError::stale(fence)));
}

#[test]
fn user_memory_must_hold_the_resource() {
    static TEXELS: [u8; 32] = [0; 32];
    let screen = NullScreen::new(Memory::system());
    let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 4, 4, Bind::SAMPLER_VIEW);
    assert!(screen.resource_from_user_memory(&template, &TEXELS).is_ok());
    let small = screen.resource_from_user_memory(&template, &TEXELS[1..]);
    assert_eq!(small, Err(PipeError::Invalid("the memory is smaller than the resource")));
}

#[test]
fn states_are_keys_of_maps() {
    let mut seen = HashSet::new();
    let sampler = SamplerState::default();
    assert!(seen.insert(Key(sampler)));
    assert!(!seen.insert(Key(sampler)));
    assert!(seen.insert(Key(SamplerState { lod_bias: f32::NAN, ..sampler })));
    assert!(!seen.insert(Key(SamplerState { lod_bias: f32::NAN, ..sampler })));
}
