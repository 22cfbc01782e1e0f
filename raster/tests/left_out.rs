//! A small build refuses the parts that it leaves out, by errors that name the features that have them.
//! With the features `std,spans-565` alone all parts are refused; a build with more features has them.
//! (Tests have all of tgsi, so the interpreter is always there.)

use formats::Format;
use gallium_raster::{Config, Screen, Small};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, DrawInfo, DrawStartCount, FramebufferState, PipeError, PrimType,
    RasterizerState, RenderTargetBlendState, ResourceTemplate, SamplerState, Screen as _,
    ShaderState, SurfaceTemplate, VertexBuffer, VertexElement, ViewportState,
};
use tgsi_macros::tgsi;

tgsi! {
    native(16);
    static NATIVE: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
}

tgsi! {
    static CUTTING: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1], CLIPDIST[0]
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[0]
    END
}

tgsi! {
    static WHITE: FRAG
    DCL OUT[0], COLOR
    IMM[0] FLT32 { 1.0, 1.0, 1.0, 1.0 }
    MOV OUT[0], IMM[0]
    END
}

/// The corners of the target, in clip space.
static CORNERS: [[f32; 4]; 4] =
    [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]];

/// Checks that a call was refused by the name of `feature`, or done where the build `has` it.
#[track_caller]
fn check<T>(result: Result<T, PipeError>, has: bool, feature: &str) {
    let error = result.err();
    assert_eq!(error.is_none(), has, "{feature}: {error:?}");
    let text = error.map_or_else(String::new, |error| error.to_string());
    assert!(has || text.contains(&format!("`{feature}`")), "{feature}: {text}");
}

#[test]
fn what_is_left_out_is_refused_by_name() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let textures = cfg!(feature = "textures");
    let format = Format::B5G6R5Unorm;
    let texture = ResourceTemplate::texture_2d(format, 4, 4, Bind::SAMPLER_VIEW);
    check(screen.resource_create(&texture), textures, "textures");
    check(context.create_sampler_state(&SamplerState::default()), textures, "textures");

    let clips = cfg!(feature = "user-clip-planes");
    let rasterizer = RasterizerState { clip_plane_enable: 1, ..RasterizerState::default() };
    check(context.create_rasterizer_state(&rasterizer), clips, "user-clip-planes");
    check(context.create_vs_state(&ShaderState::program(&CUTTING)), clips, "user-clip-planes");

    let blend = RenderTargetBlendState { blend_enable: true, ..Default::default() };
    let blends = cfg!(any(feature = "fragments", feature = "spans-generic"));
    check(context.create_blend_state(&BlendState::uniform(blend)), blends, "fragments");
}

#[test]
fn lists_of_triangles_are_drawn_and_strips_refused_by_name() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let format = Format::B5G6R5Unorm;
    let target = ResourceTemplate::texture_2d(format, 16, 16, Bind::RENDER_TARGET);
    let target = screen.resource_create(&target).unwrap();
    let surface = context.create_surface(target, &SurfaceTemplate::of(format)).unwrap();
    context.set_framebuffer_state(&FramebufferState::single(16, 16, surface, None)).unwrap();
    context.set_viewport_states(0, &[ViewportState::y_up(16, 16)]).unwrap();
    let bytes = bytemuck::cast_slice(&CORNERS);
    let buffer = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
    let resource = screen.resource_from_user_memory(&buffer, bytes).unwrap();
    let buffer = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(buffer)]).unwrap();
    let elements = [VertexElement::per_vertex(0, Format::R32G32B32A32Float)];
    let elements = context.create_vertex_elements_state(&elements).unwrap();
    context.bind_vertex_elements_state(Some(elements)).unwrap();
    let vertex = context.create_vs_state(&ShaderState::program(&NATIVE)).unwrap();
    context.bind_vs_state(Some(vertex)).unwrap();
    let fragment = context.create_fs_state(&ShaderState::program(&WHITE)).unwrap();
    context.bind_fs_state(Some(fragment)).unwrap();
    let mut draw =
        |mode, count| context.draw_vbo(&DrawInfo::new(mode), None, &[DrawStartCount::count(count)]);
    check(draw(PrimType::Triangles, 3), true, "a list of triangles");
    let has = cfg!(feature = "primitive-types");
    check(draw(PrimType::TriangleStrip, 4), has, "primitive-types");
}
