//! Flags of contexts and of resources: each works as named, or is rejected by name.

use crate::common::*;
use formats::Format;
use gallium_raster::Small;
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, Cap, ClearFlags, ColorUnion, ComputeState, ContextFlags,
    DepthStencilAlphaState, DrawInfo, DrawStartCount, FramebufferState, GridInfo, MapFlags,
    PipeError, RasterizerState, Region, ResourceFlags, ResourceTemplate, SamplerState, Screen as _,
    ShaderSource, ShaderState, SurfaceTemplate, VertexElement,
};

/// Stores 7 to the first word of a buffer.
const STORE: &str = "COMP
DCL BUFFER[0]
IMM[0] UINT32 { 0, 7, 0, 0 }
STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
END";

#[test]
fn compute_only_contexts_launch_grids_and_refuse_graphics() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut context = screen.context_create(ContextFlags::COMPUTE_ONLY).unwrap();
    let format = Format::R8G8B8A8Unorm;
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let texture =
        screen.resource_create(&ResourceTemplate::texture_2d(format, 4, 4, bind)).unwrap();
    let surface = context.create_surface(texture, &SurfaceTemplate::of(format)).unwrap();
    let buffer = ResourceTemplate::buffer(16, Bind::SHADER_BUFFER);
    let buffer = screen.resource_create(&buffer).unwrap();

    let refused = |result: Result<(), PipeError>, what: &str| match result {
        Err(PipeError::Unsupported(name)) => assert!(name.contains("COMPUTE_ONLY"), "{name}"),
        other => panic!("{what}: {other:?}"),
    };
    let one = Region::rect(0, 0, 4, 4);
    let white = ColorUnion::float([1.0; 4]);
    let framebuffer = FramebufferState::single(4, 4, surface, None);
    refused(context.set_framebuffer_state(&framebuffer), "set_framebuffer_state");
    refused(context.create_blend_state(&BlendState::default()).map(drop), "blend");
    let dsa = context.create_depth_stencil_alpha_state(&DepthStencilAlphaState::default());
    refused(dsa.map(drop), "depth, stencil, alpha");
    let rasterizer = context.create_rasterizer_state(&RasterizerState::default());
    refused(rasterizer.map(drop), "rasterizer");
    let elements = context.create_vertex_elements_state(&[VertexElement::default()]);
    refused(elements.map(drop), "vertex elements");
    refused(context.create_vs_state(&ShaderState::text(PASS)).map(drop), "vertex shader");
    refused(context.create_fs_state(&ShaderState::text(COLOR)).map(drop), "fragment shader");
    let draw = context.draw_vbo(&DrawInfo::default(), None, &[DrawStartCount::count(3)]);
    refused(draw, "draw");
    refused(context.clear(ClearFlags::COLOR0, None, &white, 1.0, 0), "clear");
    refused(context.clear_render_target(surface, &white, &one, false), "clear_render_target");
    refused(context.generate_mipmap(texture, format, 0, 0, 0, 0), "generate_mipmap");

    // Samplers, copies and maps serve grids too.
    context.create_sampler_state(&SamplerState::default()).unwrap();
    let shader = ComputeState {
        source: ShaderSource::Text(STORE),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let shader = context.create_compute_state(&shader).unwrap();
    context.bind_compute_state(Some(shader)).unwrap();
    let range = pipe_core::ShaderBuffer { resource: buffer, buffer_offset: 0, buffer_size: 16 };
    let stage = pipe_core::ShaderType::Compute;
    context.set_shader_buffers(stage, 0, &[Some(range)], 1).unwrap();
    let grid = GridInfo { block: [1; 3], grid: [1; 3], ..GridInfo::default() };
    context.launch_grid(&grid).unwrap();
    let map = context.transfer_map(buffer, 0, MapFlags::READ, &Region::bytes(0, 4)).unwrap();
    assert_eq!(context.transfer_bytes(map.handle).unwrap(), [7, 0, 0, 0]);
}

#[cfg(feature = "desktop")]
#[test]
fn debug_contexts_check_their_calls() {
    let screen = screen::<Small>(Os::host(), 0);
    let wrong = RasterizerState { line_width: f32::NAN, ..RasterizerState::default() };
    let mut plain = screen.context_create(ContextFlags::empty()).unwrap();
    plain.create_rasterizer_state(&wrong).expect("nobody looks");
    let mut checked = screen.context_create(ContextFlags::DEBUG).unwrap();
    let found = checked.create_rasterizer_state(&wrong);
    assert_eq!(found, Err(PipeError::Invalid("a line width or point size is not finite")));
    // Correct calls succeed, and draw.
    checked.create_rasterizer_state(&RasterizerState::default()).unwrap();
    // A context of the driver's own type cannot check calls, so the flag is rejected.
    let own = screen.boxed_context(ContextFlags::DEBUG).map(drop);
    assert!(matches!(own, Err(PipeError::Unsupported(_))), "{own:?}");
}

#[test]
fn protected_content_is_refused_as_the_cap_says() {
    let screen = screen::<Small>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::DeviceProtectedContent), 0);
    let protected = screen.context_create(ContextFlags::PROTECTED).map(drop);
    assert!(matches!(protected, Err(PipeError::Unsupported(_))), "{protected:?}");
    let flags = ResourceFlags::ENCRYPTED;
    let format = Format::R8G8B8A8Unorm;
    let texture = ResourceTemplate::texture_2d(format, 4, 4, Bind::SAMPLER_VIEW);
    for template in [texture, ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER)] {
        assert!(screen.can_create_resource(&template));
        let template = ResourceTemplate { flags, ..template };
        assert!(!screen.can_create_resource(&template));
        let made = screen.resource_create(&template);
        assert!(matches!(made, Err(PipeError::Unsupported(_))), "{made:?}");
    }
}

#[test]
fn priorities_are_hints() {
    let screen = screen::<Small>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::ContextPriorityMask), 0);
    for flags in [
        ContextFlags::HIGH_PRIORITY,
        ContextFlags::LOW_PRIORITY,
        ContextFlags::PREFER_THREADED,
        ContextFlags::ROBUST_BUFFER_ACCESS,
    ] {
        let mut context = screen.context_create(flags).unwrap();
        context.create_blend_state(&BlendState::default()).unwrap();
    }
}
