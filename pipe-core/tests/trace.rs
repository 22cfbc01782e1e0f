//! The text of traces.

use std::sync::Mutex;

use gallium_pipe_core::context::*;
use gallium_pipe_core::wrap::{NullContext, NullScreen, Trace, TraceScreen, WriteSink};
use gallium_pipe_core::*;
use os_shim::Memory;

#[test]
fn a_line_a_call() {
    let memory = Memory::system();
    let null = NullScreen::new(memory);
    let sink = WriteSink::new(String::new());
    let screen = TraceScreen::new(&null, &sink, memory);
    let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 8, 8, Bind::RENDER_TARGET);
    let color = screen.resource_create(&template).expect("null accepts it");
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");

    let mut blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    blend.dither = true;
    let blend = context.create_blend_state(&blend).expect("null accepts it");
    context.bind_blend_state(Some(blend)).expect("it is live");
    let surface = context.create_surface(color, &SurfaceTemplate::of(Format::B5G6R5Unorm));
    let surface = surface.expect("null accepts it");
    context
        .set_framebuffer_state(&FramebufferState::single(8, 8, surface, None))
        .expect("it is live");
    let element = VertexElement::per_vertex(4, Format::R8G8B8A8Unorm);
    context.create_vertex_elements_state(&[element]).expect("null accepts it");
    let constants = Some(ConstantBuffer::User(&[0; 16]));
    context.set_constant_buffer(ShaderType::Fragment, 0, constants).expect("null accepts it");
    context.set_sample_mask(0xff);
    let info = DrawInfo::indexed(PrimType::TriangleStrip, IndexBuffer::user(&[0, 1, 2], 1));
    let draws = [DrawStartCount { start: 1, count: 3, index_bias: -1 }];
    context.draw_vbo(&info, None, &draws).expect("null draws nothing");
    let region = Region::rect(0, 2, 4, 1);
    let transfer = context
        .transfer_map(color, 0, MapFlags::READ | MapFlags::DONTBLOCK, &region)
        .expect("it is within");
    context.transfer_bytes(transfer.handle).expect("it is open");
    context.transfer_unmap(transfer.handle).expect("it is open");
    context.delete_blend_state(blend).expect("it is live");
    context.bind_blend_state(Some(blend)).expect_err("it is not any more");
    context.evaluate_depth_buffer();
    drop(context);

    let expected = "\
resource_create(template: ResourceTemplate { format: B5G6R5_UNORM, width0: 8, height0: 8, \
bind: RENDER_TARGET }) = resource#0.1
context_create(flags: 0)
create_blend_state(state: BlendState { dither: true, rt: [RenderTargetBlendState { \
blend_enable: true, rgb_src_factor: SrcAlpha, rgb_dst_factor: InvSrcAlpha, \
alpha_src_factor: SrcAlpha, alpha_dst_factor: InvSrcAlpha }] }) = blend#0.1
bind_blend_state(handle: Some(blend#0.1))
create_surface(resource: resource#0.1, template: SurfaceTemplate { format: B5G6R5_UNORM, \
nr_samples: 0, range: Texture { level: 0, first_layer: 0, last_layer: 0 } }) = surface#0.1
set_framebuffer_state(state: FramebufferState { width: 8, height: 8, cbufs: \
[Some(surface#0.1), None, None, None, None, None, None, None] })
create_vertex_elements_state(elements: [VertexElement { src_offset: 4, \
src_format: R8G8B8A8_UNORM }]) = vertex_elements#0.1
set_constant_buffer(stage: Fragment, index: 0, buffer: Some(16 bytes))
set_sample_mask(mask: 255)
draw_vbo(info: DrawInfo { mode: TriangleStrip, index: Some(IndexBuffer { source: 3 bytes, \
size: 1 }) }, indirect: None, draws: [DrawStartCount { start: 1, count: 3, index_bias: -1 }])
transfer_map(resource: resource#0.1, level: 0, usage: READ | DONTBLOCK, region: Region { y: 2, \
width: 4, height: 1, depth: 1 }) = Transfer { handle: transfer#0.1, stride: 8, layer_stride: 8 }
transfer_bytes(transfer: transfer#0.1) = 8 bytes
transfer_unmap(transfer: transfer#0.1)
delete_blend_state(handle: blend#0.1)
bind_blend_state(handle: Some(blend#0.1)) ! stale handle blend#0.1
evaluate_depth_buffer()
";
    assert_eq!(sink.into_inner(), expected);
}

#[test]
fn a_callback_is_a_sink_too() {
    let screen = NullScreen::new(Memory::system());
    let mut context = NullContext::new(&screen);
    let lines = Mutex::new(Vec::new());
    let sink = |line: core::fmt::Arguments<'_>| {
        lines.lock().expect("one thread").push(line.to_string());
    };
    let mut trace = Trace::new(&mut context, &sink);
    trace.set_stencil_ref(StencilRef { ref_value: [1, 2] });
    trace.emit_string_marker("frame 1");
    assert_eq!(trace.get_device_reset_status(), ResetStatus::NoReset);
    drop(trace);
    let expected = [
        "set_stencil_ref(reference: StencilRef { ref_value: [1, 2] })",
        "emit_string_marker(marker: \"frame 1\")",
        "get_device_reset_status() = NoReset",
    ];
    assert_eq!(lines.into_inner().expect("one thread"), expected);
}

#[test]
fn traces_of_the_same_calls_are_the_same() {
    let run = || {
        let memory = Memory::system();
        let null = NullScreen::new(memory);
        let sink = WriteSink::new(String::new());
        let screen = TraceScreen::new(&null, &sink, memory);
        let mut context = screen.context_create(ContextFlags::DEBUG).expect("memory is there");
        context.create_sampler_state(&SamplerState::trilinear(TexWrap::Clamp)).expect("accepted");
        context.flush(FlushFlags::DEFERRED).expect("nothing can fail");
        let _time = screen.get_timestamp();
        drop(context);
        sink.into_inner()
    };
    let text = run();
    assert_eq!(text, run());
    assert_eq!(text.lines().count(), 4);
}
