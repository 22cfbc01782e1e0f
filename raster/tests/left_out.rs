//! A small build rejects calls that need disabled features, with errors that name the features.
//! With `std,spans-565` alone all calls in this test are rejected; a build with more features
//! performs them.

use formats::Format;
use gallium_raster::{Config, Screen, Small};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, ClearFlags, ColorUnion, DrawInfo, DrawStartCount, FramebufferState,
    PanelError, PipeError, PrimType, RasterizerState, RenderTargetBlendState, ResourceTemplate,
    SamplerState, Screen as _, ShaderState, SurfaceTemplate, TilePanel, VertexBuffer,
    VertexElement, ViewportState,
};
use tgsi::program::Program;
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
    native(16);
    static CUTTING: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1], CLIPDIST[0]
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[0]
    END
}

tgsi! {
    native(16);
    static COLORED: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1], GENERIC[0]
    IMM[0] FLT32 { 0.5, 1.0, 0.0, 0.0 }
    MOV OUT[0], IN[0]
    MAD OUT[1], IN[0], IMM[0].xxxx, IMM[0].xxxx
    END
}

tgsi! {
    static VARYING: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    MOV OUT[0], IN[0]
    END
}

tgsi! {
    native(4);
    static FOR_FEWER_LANES: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
}

tgsi! {
    static INTERPRETED: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
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

/// The format of the target.
const FORMAT: Format = Format::B5G6R5Unorm;

/// A panel that keeps the pixels it is shown, 16×16 of them.
#[derive(Default)]
struct Picture([[u16; 16]; 16]);

impl TilePanel for Picture {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        assert_eq!(format, FORMAT);
        let rows = pixels.chunks(stride_bytes).take(height as usize);
        for (row, bytes) in self.0[y as usize..].iter_mut().zip(rows) {
            let pixels = row[x as usize..].iter_mut().zip(bytes.as_chunks().0);
            pixels.take(width as usize).for_each(|(to, from)| *to = u16::from_le_bytes(*from));
        }
        Ok(())
    }
}

/// Checks that a call was rejected with the name of `feature`, or succeeded if the build `has` it.
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
    let format = FORMAT;
    let texture = ResourceTemplate::texture_2d(format, 4, 4, Bind::SAMPLER_VIEW);
    check(screen.resource_create(&texture), textures, "textures");
    check(context.create_sampler_state(&SamplerState::default()), textures, "textures");

    let clips = cfg!(feature = "primitive-types");
    let rasterizer = RasterizerState { clip_plane_enable: 1, ..RasterizerState::default() };
    check(context.create_rasterizer_state(&rasterizer), clips, "primitive-types");
    check(context.create_vs_state(&ShaderState::program(&CUTTING)), clips, "primitive-types");

    let blend = RenderTargetBlendState { blend_enable: true, ..Default::default() };
    let blends = cfg!(any(feature = "fragments", feature = "spans-generic"));
    check(context.create_blend_state(&BlendState::uniform(blend)), blends, "fragments");
}

#[test]
fn programs_that_are_interpreted_are_refused_by_name() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let has = cfg!(feature = "interpreter");
    for program in [&INTERPRETED, &FOR_FEWER_LANES] {
        check(context.create_vs_state(&ShaderState::program(program)), has, "interpreter");
    }
    check(context.create_vs_state(&ShaderState::program(&NATIVE)), true, "machine code");
    check(context.create_fs_state(&ShaderState::program(&WHITE)), true, "a kernel's program");
}

#[test]
fn surfaces_with_memory_are_refused_by_name() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let has = cfg!(feature = "memory-surfaces");
    let feature = "memory-surfaces";
    let target = ResourceTemplate::texture_2d(FORMAT, 4, 4, Bind::RENDER_TARGET);
    let target = screen.resource_create(&target);
    let fills = cfg!(any(feature = "es2", feature = "stages"));
    check(target, has || fills, feature);
    if let Ok(target) = target {
        check(context.create_surface(target, &SurfaceTemplate::of(FORMAT)), has, feature);
    }
    let picture = ResourceTemplate::texture_2d(FORMAT, 4, 4, Bind::empty());
    let picture = screen.resource_from_user_memory(&picture, &[0; 32]).unwrap();
    check(context.present(picture.into(), &mut Picture::default()), has, feature);
}

#[test]
fn draws_without_a_streamed_surface_have_nowhere_to_go() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let state = FramebufferState { width: 16, height: 16, ..FramebufferState::default() };
    context.set_framebuffer_state(&state).unwrap();
    let vertex = context.create_vs_state(&ShaderState::program(&NATIVE)).unwrap();
    context.bind_vs_state(Some(vertex)).unwrap();
    let info = DrawInfo::new(PrimType::Triangles);
    let drawn = context.draw_vbo(&info, None, &[DrawStartCount::count(3)]);
    if !cfg!(feature = "memory-surfaces") {
        assert_eq!(drawn, Err(PipeError::Unbound("framebuffer")));
    }
}

/// Calls `draw` with a context, a streamed surface of 16×16 pixels and these programs, which draw
/// from [`CORNERS`]; returns the pixels that a panel is shown.
fn drawn(
    programs: [&'static Program<'static>; 2],
    mut draw: impl FnMut(&mut dyn FnMut(PrimType, u32) -> Result<(), PipeError>),
) -> [[u16; 16]; 16] {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.context_create(Default::default()).unwrap();
    let target = screen.resource_create(&ResourceTemplate::streamed(FORMAT, 16, 16)).unwrap();
    let surface = context.create_surface(target, &SurfaceTemplate::of(FORMAT)).unwrap();
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
    let [vertex, fragment] = programs.map(ShaderState::program);
    let vertex = context.create_vs_state(&vertex).unwrap();
    context.bind_vs_state(Some(vertex)).unwrap();
    let fragment = context.create_fs_state(&fragment).unwrap();
    context.bind_fs_state(Some(fragment)).unwrap();
    context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0).unwrap();
    draw(&mut |mode, count| {
        context.draw_vbo(&DrawInfo::new(mode), None, &[DrawStartCount::count(count)])
    });
    let mut picture = Picture::default();
    context.present(target.into(), &mut picture).unwrap();
    picture.0
}

#[test]
fn lists_of_triangles_are_drawn_and_strips_refused_by_name() {
    let has = cfg!(feature = "primitive-types");
    let picture = drawn([&NATIVE, &WHITE], |draw| {
        check(draw(PrimType::Triangles, 3), true, "a list of triangles");
        check(draw(PrimType::TriangleStrip, 4), has, "primitive-types");
    });
    let lit = picture.iter().flatten().filter(|pixel| **pixel == 0xffff).count();
    assert!(if has { lit == 256 } else { (112..=144).contains(&lit) }, "{lit}");
}

#[test]
fn small_triangles_are_drawn_with_and_without_their_own_way() {
    let picture = drawn([&COLORED, &VARYING], |draw| {
        check(draw(PrimType::Triangles, 3), true, "a list of triangles");
    });
    for (y, row) in picture.iter().enumerate() {
        // The triangle is the lower left half; red grows to the right and green to the top.
        for (x, pixel) in row.iter().enumerate().take(y) {
            let red = (x as f32 + 0.5) / 16.0 * 31.0;
            let green = (15.5 - y as f32) / 16.0 * 63.0;
            let [r, g, b] = [pixel >> 11, pixel >> 5 & 63, pixel & 31].map(f32::from);
            let off = (r - red).abs().max((g - green).abs()).max((b - 15.5).abs());
            assert!(off <= 1.0, "{x}, {y}: {pixel:04x}");
        }
    }
}

/// Ids of 16 bits name 65,536 words.
#[test]
fn a_scene_buffer_beyond_its_ids_is_refused() {
    for (scene_bytes, made) in [(262_144, true), (262_148, false), (4_000_000, false)] {
        let screen = Screen::<Small>::new(Os::host(), Config { scene_bytes });
        let error = screen.context_create(Default::default()).err();
        let what = "Config::scene_bytes";
        let refused = PipeError::OutOfRange { what, value: scene_bytes as u64, limit: 262_144 };
        assert_eq!(error, (!made).then_some(refused));
    }
}
