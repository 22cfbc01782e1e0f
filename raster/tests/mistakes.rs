//! The likely mistakes of someone who writes a first firmware, each with what the program is told or
//! shows, and the cases that users of other renderers reported, each with the test that draws it.
//!
//! Run it with the features of a firmware that is looked at:
//! `--no-default-features --features check,std,compile,spans-all,memory-surfaces`.

mod panels;

use formats::Format;
use gallium_raster::{Config, Context, Screen, Small};
use os_shim::{Box, Os};
use pipe_core::context::*;
use pipe_core::{
    Bind, BlendState, ClearFlags, ColorUnion, CompareFunc, ContextFlags, DepthStencilAlphaState,
    DrawInfo, DrawStartCount, Face, FramebufferState, IndexBuffer, PipeError, PrimType,
    RasterizerState, RenderTargetBlendState, ResourceHandle, ResourceTemplate, SamplerState,
    SamplerViewTemplate, Screen as _, ShaderState, ShaderType, SurfaceTemplate, TexFilter,
    TexMipFilter, VertexBuffer, VertexElement, ViewportState, Warnings,
};

use self::panels::White;

/// Pixels of a side.
const SIDE: u32 = 16;
/// The pixels that are covered: the triangle's corners are three of the target's, and the diagonal is
/// neither a left nor an upper edge.
const HALF: u32 = SIDE * (SIDE - 1) / 2;

/// Position and coordinates, passed on; the position times a constant.
const VERTEX: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..1]
MUL OUT[0], IN[0], CONST[1]
MOV OUT[1], IN[1]
END";

const TEXEL: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END";

/// Six floats a vertex: x, y, z, w; s, t. Clockwise with y up.
const VERTICES: [[f32; 6]; 3] = [
    [-1.0, -1.0, 0.0, 1.0, 0.0, 0.0],
    [-1.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [1.0, 1.0, 0.0, 1.0, 1.0, 1.0],
];
static CORNERS: [[f32; 6]; 3] = VERTICES;

/// Four white texels.
static WHITE: [u8; 8] = [255; 8];

/// A program with one mistake.
struct Mistaken {
    vertex: &'static str,
    fragment: Option<&'static str>,
    fragment_handle_of_vertex: bool,
    elements: usize,
    stride: u32,
    offset: u32,
    bytes: &'static [u8],
    claimed: u32,
    viewport: bool,
    side: u16,
    depth: bool,
    clears_depth: bool,
    test: bool,
    raster: RasterizerState,
    constants: &'static [f32],
    texture: Option<(Format, u32, &'static [u8])>,
    view: bool,
    sampler: Option<SamplerState>,
    indices: Option<(&'static [u8], u8, u32)>,
    mode: PrimType,
    count: u32,
    blend: bool,
    clear: bool,
    presents: u32,
    target: Format,
    scene_bytes: usize,
}

/// A program without a mistake.
fn right() -> Mistaken {
    let bytes = bytemuck::cast_slice(&CORNERS);
    Mistaken {
        vertex: VERTEX,
        fragment: Some(TEXEL),
        fragment_handle_of_vertex: false,
        elements: 2,
        stride: 24,
        offset: 16,
        bytes,
        claimed: 72,
        viewport: true,
        side: SIDE as u16,
        depth: true,
        clears_depth: true,
        test: true,
        raster: RasterizerState {
            cull_face: Face::Front,
            half_pixel_center: true,
            ..RasterizerState::default()
        },
        constants: &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
        texture: Some((Format::B5G6R5Unorm, 2, &WHITE)),
        view: true,
        sampler: Some(SamplerState {
            min_img_filter: TexFilter::Nearest,
            mag_img_filter: TexFilter::Nearest,
            min_mip_filter: TexMipFilter::None,
            ..SamplerState::default()
        }),
        indices: None,
        mode: PrimType::Triangles,
        count: 3,
        blend: false,
        clear: true,
        presents: 1,
        target: Format::B5G6R5Unorm,
        scene_bytes: 0,
    }
}

impl Mistaken {
    /// Runs the program; returns the white pixels of its last frame, and the warnings.
    fn run(&self) -> (Result<u32, PipeError>, Warnings) {
        let config = Config { scene_bytes: self.scene_bytes };
        let screen = Screen::<Small>::new(Os::host(), config);
        let mut context = match screen.boxed_context(ContextFlags::empty()) {
            Ok(context) => context,
            Err(error) => return (Err(error), Warnings::empty()),
        };
        let shown = self.frame(&screen, &mut context).map(|(white, _)| white);
        (shown, context.warnings())
    }

    fn frame<'s>(
        &self,
        screen: &'s Screen<'static, Small>,
        context: &mut Box<'s, Context<'s, 'static, Small>>,
    ) -> Result<(u32, ResourceHandle), PipeError> {
        let target = ResourceTemplate::streamed(self.target, SIDE, SIDE);
        let target = screen.resource_create(&target)?;
        let color = context.create_surface(target, &SurfaceTemplate::of(self.target))?;
        let z16 = Format::Z16Unorm;
        let zsbuf = match self.depth {
            true => {
                let depth = ResourceTemplate::streamed_depth(z16, SIDE, SIDE);
                let depth = screen.resource_create(&depth)?;
                Some(context.create_surface(depth, &SurfaceTemplate::of(z16))?)
            }
            false => None,
        };
        let state = FramebufferState::single(self.side, self.side, color, zsbuf);
        context.set_framebuffer_state(&state)?;
        if self.viewport {
            context.set_viewport_states(0, &[ViewportState::y_up(SIDE, SIDE)])?;
        }
        let vs = context.create_vs_state(&ShaderState::text(self.vertex))?;
        context.bind_vs_state(Some(vs))?;
        if let Some(text) = self.fragment {
            let fs = context.create_fs_state(&ShaderState::text(text))?;
            context.bind_fs_state(Some(if self.fragment_handle_of_vertex { vs } else { fs }))?;
        }
        let place = VertexElement::per_vertex(0, Format::R32G32B32A32Float);
        let coordinates = VertexElement::per_vertex(self.offset, Format::R32G32Float);
        let elements = [place, coordinates];
        let elements = context.create_vertex_elements_state(&elements[..self.elements])?;
        context.bind_vertex_elements_state(Some(elements))?;
        let template = ResourceTemplate::buffer(self.claimed, Bind::VERTEX_BUFFER);
        let resource = screen.resource_from_user_memory(&template, self.bytes)?;
        let buffer = VertexBuffer { resource, stride: self.stride, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(buffer)])?;
        if self.test {
            let test = DepthStencilAlphaState::depth(CompareFunc::Less);
            let test = context.create_depth_stencil_alpha_state(&test)?;
            context.bind_depth_stencil_alpha_state(Some(test))?;
        }
        let raster = context.create_rasterizer_state(&self.raster)?;
        context.bind_rasterizer_state(Some(raster))?;
        if self.blend {
            let over = BlendState::uniform(RenderTargetBlendState::alpha_blending());
            let over = context.create_blend_state(&over)?;
            context.bind_blend_state(Some(over))?;
        }
        if !self.constants.is_empty() {
            let bytes = bytemuck::cast_slice(self.constants);
            let constants = Some(pipe_core::ConstantBuffer::User(bytes));
            context.set_constant_buffer(ShaderType::Vertex, 0, constants)?;
        }
        if let Some((format, side, texels)) = self.texture {
            let template = ResourceTemplate::texture_2d(format, side, side, Bind::SAMPLER_VIEW);
            let image = screen.resource_from_user_memory(&template, texels)?;
            let view =
                context.create_sampler_view(image, &SamplerViewTemplate::whole(&template))?;
            if self.view {
                context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
            }
        }
        if let Some(sampler) = &self.sampler {
            let sampler = context.create_sampler_state(sampler)?;
            context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])?;
        }
        let mut flags = ClearFlags::COLOR0;
        flags.set(ClearFlags::DEPTH, self.depth && self.clears_depth);
        if self.clear {
            context.clear(flags, None, &ColorUnion::default(), 1.0, 0)?;
        }
        let info = match self.indices {
            Some((bytes, size, _)) => DrawInfo::indexed(self.mode, IndexBuffer::user(bytes, size)),
            None => DrawInfo::new(self.mode),
        };
        let count = self.indices.map_or(self.count, |(.., count)| count);
        context.draw_vbo(&info, None, &[DrawStartCount::count(count)])?;
        let mut white = White(0);
        for _ in 0..self.presents {
            white = White(0);
            context.present(target.into(), &mut white)?;
        }
        Ok((white.0, target))
    }
}

/// What a mistake gives.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// The right picture: it is no mistake here.
    Right,
    /// An error with these words.
    Error(&'static str),
    /// A warning with these words.
    Warning(Warnings, &'static str),
}

/// A mistake: its name, the change of the right program, and what it gives.
type Row = (&'static str, fn(&mut Mistaken), Told);

static ROWS: &[Row] = &[
    ("none", |_| (), Told::Right),
    (
        "viewport forgotten",
        |it| it.viewport = false,
        Told::Warning(Warnings::NO_VIEWPORT.union(Warnings::ALL_CULLED), "set_viewport_states"),
    ),
    (
        "constants forgotten",
        |it| it.constants = &[],
        Told::Warning(Warnings::NO_CONSTANTS.union(Warnings::EMPTY_FRAME), "set_constant_buffer"),
    ),
    (
        "constants too short",
        |it| it.constants = &[0.0; 4],
        Told::Warning(
            Warnings::FEW_CONSTANTS.union(Warnings::EMPTY_FRAME),
            "16 bytes for each CONST",
        ),
    ),
    (
        "depth never cleared",
        |it| it.clears_depth = false,
        Told::Warning(Warnings::DEPTH_NOT_CLEARED, "depth of 1.0"),
    ),
    (
        "depth test without a depth buffer",
        |it| it.depth = false,
        Told::Warning(Warnings::NO_DEPTH_BUFFER, "zsbuf"),
    ),
    (
        "texture forgotten",
        |it| it.view = false,
        Told::Warning(Warnings::NO_TEXTURE, "set_sampler_views"),
    ),
    (
        "sampler forgotten",
        |it| it.sampler = None,
        Told::Warning(Warnings::NO_SAMPLER, "bind_sampler_states"),
    ),
    (
        "an input that nothing writes",
        |it| {
            it.fragment = Some(
                "FRAG
DCL IN[0], GENERIC[5], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END",
            );
        },
        Told::Warning(Warnings::UNWRITTEN_INPUT, "same semantic"),
    ),
    (
        "vertices counted as triangles",
        |it| it.count = 1,
        Told::Warning(
            Warnings::COUNTS_TRIANGLES.union(Warnings::NO_TRIANGLE).union(Warnings::EMPTY_FRAME),
            "count",
        ),
    ),
    ("stride 0", |it| it.stride = 0, Told::Warning(Warnings::ZERO_STRIDE, "stride")),
    (
        "stride 20 for 24",
        |it| it.stride = 20,
        Told::Warning(Warnings::BEYOND_STRIDE.union(Warnings::ALL_CULLED), "stride"),
    ),
    (
        "one element for two inputs",
        |it| it.elements = 1,
        Told::Warning(Warnings::FEW_ELEMENTS, "add elements"),
    ),
    (
        "both faces culled",
        |it| it.raster.cull_face = Face::FrontAndBack,
        Told::Warning(Warnings::CULLS_ALL.union(Warnings::ALL_CULLED), "cull_face"),
    ),
    (
        "the wrong face culled",
        |it| it.raster.cull_face = Face::Back,
        Told::Warning(Warnings::ALL_CULLED, "front_ccw"),
    ),
    (
        "a matrix that moves all away",
        |it| it.constants = &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0],
        Told::Warning(Warnings::EMPTY_FRAME, "matrix"),
    ),
    ("presented twice", |it| it.presents = 2, Told::Warning(Warnings::NOT_CLEARED, "call clear")),
    ("fragment shader forgotten", |it| it.fragment = None, Told::Error("fragment shader")),
    (
        "a vertex shader bound as a fragment shader",
        |it| it.fragment_handle_of_vertex = true,
        Told::Error("stage"),
    ),
    (
        "a typo in a shader",
        |it| it.fragment = Some("FRAG\nDCL OUT[0], COLOR\nMVO OUT[0], OUT[0]\nEND"),
        Told::Error("line 3, column 1: expected an opcode"),
    ),
    ("framebuffer larger than its target", |it| it.side = 2 * SIDE as u16, Told::Error("width")),
    (
        "buffer shorter than its template",
        |it| it.claimed = 96,
        Told::Error("the template's size in bytes is 96, the limit is 72"),
    ),
    (
        "texels too few",
        |it| it.texture = Some((Format::B5G6R5Unorm, 4, &WHITE)),
        Told::Error("the template's size in bytes is 32, the limit is 8"),
    ),
    (
        "a texture of floats",
        |it| it.texture = Some((Format::R32G32Float, 1, &WHITE)),
        Told::Error("R32G32_FLOAT"),
    ),
    (
        "a target of floats",
        |it| it.target = Format::R32G32B32A32Float,
        Told::Error("R32G32B32A32_FLOAT"),
    ),
    ("lines", |it| it.mode = PrimType::Lines, Told::Error("fragments")),
    ("strips", |it| it.mode = PrimType::TriangleStrip, Told::Error("primitive-types")),
    (
        "polygons as lines",
        |it| it.raster.fill_front = pipe_core::PolygonMode::Line,
        Told::Error("es2"),
    ),
    ("an offset of polygons", |it| it.raster.offset_tri = true, Told::Error("es2")),
    (
        "indices of three bytes",
        |it| it.indices = Some((&[0, 0, 0, 1, 0, 0, 2, 0, 0], 3, 3)),
        Told::Error("1, 2 or 4 bytes"),
    ),
    (
        "more indices than there are",
        |it| it.indices = Some((&[0, 1, 2], 1, 30)),
        Told::Error("the end of the indices is 30, the limit is 3"),
    ),
    (
        "a scene beyond what the profile addresses",
        |it| it.scene_bytes = 4_000_000,
        Told::Error("262144"),
    ),
    (
        "vertices not aligned",
        |it| {
            static MOVED: [u8; 73] = {
                let (mut bytes, mut at) = ([0; 73], 0);
                while at < 72 {
                    bytes[at + 1] = VERTICES[at / 24][at % 24 / 4].to_le_bytes()[at % 4];
                    at += 1;
                }
                bytes
            };
            it.bytes = &MOVED[1..];
        },
        Told::Right,
    ),
    (
        "mips asked of a texture with one level",
        |it| {
            let mips = |sampler| SamplerState { min_mip_filter: TexMipFilter::Nearest, ..sampler };
            it.sampler = it.sampler.map(mips);
        },
        Told::Error("`fragments` takes all"),
    ),
    (
        "a draw past the vertices",
        |it| it.count = 9,
        Told::Warning(Warnings::VERTICES_BEYOND, "lower the draw's count"),
    ),
    (
        "an index out of range",
        |it| it.indices = Some((&[0, 1, 200], 1, 3)),
        Told::Warning(Warnings::INDEX_BEYOND, "check the indices"),
    ),
    ("alpha blending", |it| it.blend = true, Told::Right),
    (
        "a texture of odd sides",
        |it| {
            static FIFTY: [u8; 3 * 3 * 2] = [255; 18];
            it.texture = Some((Format::B5G6R5Unorm, 3, &FIFTY));
        },
        Told::Right,
    ),
];

#[test]
fn each_mistake_is_told() {
    let mut wrong = String::new();
    for &(name, change, told) in ROWS {
        let mut program = right();
        change(&mut program);
        let (shown, warnings) = program.run();
        let is_told = match told {
            Told::Right => shown == Ok(HALF) && warnings.is_empty(),
            Told::Error(words) => {
                shown.as_ref().is_err_and(|error| error.to_string().contains(words))
            }
            Told::Warning(expected, words) => {
                warnings.intersects(expected)
                    && (warnings & expected).text().contains(words)
                    && expected.contains(warnings)
            }
        };
        if !is_told {
            let text = shown.map_err(|error| error.to_string());
            wrong += &format!("{name}: expected {told:?}, got {text:?}, {warnings:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The mistakes and public cases that other tests have: what, and the test's file and name.
const ELSEWHERE: [(&str, &str, &str); 30] = [
    (
        "heap too small",
        "raster/tests/checked.rs",
        "too_little_memory_is_one_error_with_the_bytes_that_are_enough",
    ),
    (
        "features that blends, textures and lines lack",
        "raster/tests/checked.rs",
        "hints_of_the_driver_are_kept",
    ),
    ("state without its code", "raster/tests/checked.rs", "state_that_would_be_ignored_is_refused"),
    (
        "a scene too small, by its number",
        "raster/tests/it/streaming.rs",
        "a_frame_that_does_not_fit_says_what_it_needs",
    ),
    (
        "a panel with small or odd buffers",
        "raster/tests/checked.rs",
        "buffers_at_odd_addresses_are_refused_not_left_black",
    ),
    (
        "features that are left out",
        "raster/tests/left_out.rs",
        "what_is_left_out_is_refused_by_name",
    ),
    (
        "handles of another context",
        "pipe-core/tests/caps.rs",
        "handles_of_another_context_name_nothing",
    ),
    ("handles after their destruction", "pipe-core/tests/null.rs", "stale_handles_are_errors"),
    (
        "shaders that do not declare what they use",
        "pipe-core/tests/check.rs",
        "shaders_are_read_and_checked",
    ),
    (
        "triangles through the near plane",
        "raster/tests/near.rs",
        "a_textured_ground_is_what_rays_hit",
    ),
    ("geometry below the camera", "raster/tests/near.rs", "a_textured_ground_is_what_rays_hit"),
    ("coordinates where z clips", "raster/tests/near.rs", "a_filtered_ground_is_what_rays_hit"),
    (
        "attributes affine in screen space",
        "raster/tests/near.rs",
        "linear_and_perspective_inputs_keep_their_modes",
    ),
    (
        "gaps between neighbours",
        "raster/tests/near.rs",
        "neighbours_leave_no_gap_and_paint_no_pixel_twice",
    ),
    (
        "primitives past the edge",
        "raster/tests/near.rs",
        "a_quad_far_beyond_the_screen_shows_its_texels",
    ),
    ("textures of odd sizes", "raster/tests/near.rs", "textures_of_odd_sizes_and_addresses_repeat"),
    ("transparent texels", "raster/tests/palettes.rs", "sprites_with_alpha_are_blended"),
    ("translucent fills", "kit/tests/draws.rs", "blended_sprites_are_between_the_colours"),
    (
        "a picture drawn, then shown as a texture",
        "kit/tests/draws.rs",
        "a_picture_of_a_second_camera_is_a_texture",
    ),
    ("palettes", "raster/tests/palettes.rs", "indices_of_all_sizes_show_their_colours"),
    (
        "RGB565 of the other byte order",
        "pipe-core/src/panel/in_flight.rs",
        "a_tile_is_drawn_while_the_one_before_is_sent",
    ),
    (
        "windows with even edges, pages of eight rows",
        "raster/tests/checked.rs",
        "a_target_that_does_not_fit_the_panel_s_windows_is_refused",
    ),
    ("only changed tiles", "pipe-core/tests/panels.rs", "only_changed_tiles_are_sent"),
    ("turned panels", "pipe-core/tests/panels.rs", "pictures_are_turned_tile_by_tile"),
    (
        "the tearing signal",
        "pipe-core/tests/panels.rs",
        "each_picture_waits_once_for_the_tearing_signal",
    ),
    ("greys to one bit", "formats/src/grey.rs", "patterns_keep_the_mean"),
    (
        "targets of 8 bits",
        "raster/tests/it/spans_generic.rs",
        "flat_colours_are_the_same_on_every_target",
    ),
    ("own models", "kit/assets/tests/convert.rs", "a_mesh_keeps_its_place_and_gets_normals"),
    ("lines three wide", "raster/tests/it/strokes.rs", "lines_have_a_width"),
    (
        "an offset against fighting depth",
        "raster/tests/it/strokes.rs",
        "an_offset_of_one_unit_is_always_seen",
    ),
];

#[test]
fn tests_that_are_elsewhere_are_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (case, file, test) in ELSEWHERE {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        assert!(text.contains(test), "{case}: {file} has no {test}");
    }
}

/// A decal in the plane of a wall, far away: every pixel of it is seen, with `LessEqual`.
#[test]
fn a_decal_in_the_plane_of_a_wall_does_not_fight() {
    // The wall and the decal are the same triangle, and depth comes from the same plane.
    let mut program = right();
    program.presents = 0;
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.boxed_context(ContextFlags::empty()).unwrap();
    let (_, target) = program.frame(&screen, &mut context).unwrap();
    let test = DepthStencilAlphaState::depth(CompareFunc::LessEqual);
    let test = context.create_depth_stencil_alpha_state(&test).unwrap();
    context.bind_depth_stencil_alpha_state(Some(test)).unwrap();
    let black = "FRAG
DCL OUT[0], COLOR
IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
MOV OUT[0], IMM[0]
END";
    let black = context.create_fs_state(&ShaderState::text(black)).unwrap();
    context.bind_fs_state(Some(black)).unwrap();
    let triangle = [DrawStartCount::count(3)];
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &triangle).unwrap();
    let mut white = White(0);
    context.present(target.into(), &mut white).unwrap();
    assert_eq!(white.0, 0, "the wall shows through its decal");
}
