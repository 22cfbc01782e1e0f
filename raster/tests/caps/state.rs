//! State members that a build has no code for are rejected when the object is created.

use formats::Format;
use pipe_core::{Bind, ContextFlags};
use pipe_core::{
    ConservativeRasterMode, DepthStencilAlphaState, DrawInfo, DrawStartCount, PipeError,
    PolygonMode, PrimType, RasterizerState, ResourceFlags, ResourceTemplate, SamplerState,
    Screen as _, ShaderState, VertexElement,
};
use tgsi::program::Program;
use tgsi_macros::tgsi;

use crate::bench::*;

/// Checks that a call succeeds if the build `has` the feature, and otherwise fails with an error
/// that names something.
#[track_caller]
fn held<T>(what: &str, result: Done<T>, has: bool) {
    match result.err() {
        None => assert!(has, "{what} is accepted without its feature"),
        Some(PipeError::Unsupported(text)) => assert!(!has && !text.is_empty(), "{what}: {text}"),
        Some(error) => panic!("{what}: {error}"),
    }
}

#[test]
fn members_of_rasterizer_states() {
    let effects = cfg!(feature = "es2");
    let areas = effects && cfg!(feature = "fragments");
    let samples = cfg!(feature = "samples");
    let plain = RasterizerState::default();
    let conservative_raster_mode = ConservativeRasterMode::PostSnap;
    for (what, state, has) in [
        ("wireframes", RasterizerState { fill_front: PolygonMode::Line, ..plain }, effects),
        ("points of backs", RasterizerState { fill_back: PolygonMode::Point, ..plain }, effects),
        ("rectangles", RasterizerState { fill_front: PolygonMode::FillRectangle, ..plain }, areas),
        ("two-sided light", RasterizerState { light_twoside: true, ..plain }, effects),
        ("offset_tri", RasterizerState { offset_tri: true, ..plain }, effects),
        ("offset_line", RasterizerState { offset_line: true, ..plain }, effects),
        ("offset_point", RasterizerState { offset_point: true, ..plain }, effects),
        ("polygon stipple", RasterizerState { poly_stipple_enable: true, ..plain }, effects),
        ("line stipple", RasterizerState { line_stipple_enable: true, ..plain }, effects),
        ("smooth polygons", RasterizerState { poly_smooth: true, ..plain }, areas),
        ("smooth lines", RasterizerState { line_smooth: true, ..plain }, effects),
        ("smooth points", RasterizerState { point_smooth: true, ..plain }, effects),
        ("conservative", RasterizerState { conservative_raster_mode, ..plain }, areas),
        ("samples", RasterizerState { force_persample_interp: true, ..plain }, samples),
        ("precision", RasterizerState { subpixel_precision_x: 1, ..plain }, false),
        ("tile order", RasterizerState { tile_raster_order_fixed: true, ..plain }, false),
    ] {
        held(what, Bench::new().unwrap().rasterizer(&state), has);
    }
}

#[test]
fn members_of_other_states() {
    let mut bench = Bench::new().unwrap();
    let bounds = DepthStencilAlphaState { depth_bounds_test: true, ..Default::default() };
    held("depth bounds", bench.depth(&bounds), cfg!(feature = "es2"));
    let anisotropic = SamplerState { max_anisotropy: 2, ..SamplerState::default() };
    let sampler = bench.context.create_sampler_state(&anisotropic);
    held("anisotropy", sampler, cfg!(feature = "desktop"));
    let doubles = VertexElement { dual_slot: true, ..VertexElement::default() };
    let doubles = VertexElement { src_format: Format::R64G64Float, ..doubles };
    let elements = bench.context.create_vertex_elements_state(&[doubles]);
    held("dual_slot", elements, cfg!(feature = "all-formats"));
    let views = DrawInfo { view_mask: 1, ..DrawInfo::new(PrimType::Triangles) };
    let drawn = bench.context.draw_vbo(&views, None, &[DrawStartCount::count(3)]);
    held("view_mask", drawn, false);
    let template = ResourceTemplate::texture_2d(FORMAT, 4, 4, Bind::SAMPLER_VIEW);
    let sparse = cfg!(feature = "desktop");
    for (flags, has) in [(ResourceFlags::SPARSE, sparse), (ResourceFlags::ENCRYPTED, false)] {
        let made = bench.screen.resource_create(&ResourceTemplate { flags, ..template });
        held("flags of resources", made, has);
    }
    held("PROTECTED", bench.screen.context_create(ContextFlags::PROTECTED), false);
    let compute = bench.screen.context_create(ContextFlags::COMPUTE_ONLY);
    held("COMPUTE_ONLY", compute, cfg!(feature = "shader-memory"));
    held("DEBUG", bench.screen.context_create(ContextFlags::DEBUG), cfg!(feature = "desktop"));
}

#[test]
fn values_and_lookups_of_programs() {
    let vertex = |program: &'static Program<'static>| {
        let mut bench = Bench::new().unwrap();
        bench.context.create_vs_state(&ShaderState::program(program)).map(drop)
    };
    let fragment = |program: &'static Program<'static>| {
        let mut bench = Bench::new().unwrap();
        bench.context.create_fs_state(&ShaderState::program(program)).map(drop)
    };
    let stages = cfg!(feature = "stages");
    let shape = cfg!(feature = "es2");
    let layer = vertex!(
        DCL OUT[2], LAYER IMM[0] INT32 { 1, 0, 0, 0 } MOV OUT[2], IMM[0] MOV OUT[1], IN[0]
    );
    held("LAYER", vertex(layer), stages);
    let viewport = vertex!(
        DCL OUT[2], VIEWPORT_INDEX IMM[0] INT32 { 1, 0, 0, 0 } MOV OUT[2], IMM[0] MOV OUT[1], IN[0]
    );
    held("VIEWPORT_INDEX", vertex(viewport), stages);
    let mask = vertex!(
        DCL OUT[2], VIEWPORT_MASK IMM[0] INT32 { 1, 0, 0, 0 } MOV OUT[2], IMM[0] MOV OUT[1], IN[0]
    );
    held("VIEWPORT_MASK", vertex(mask), false);
    let face = tgsi!(FRAG DCL SV[0], FACE DCL OUT[0], COLOR MOV OUT[0], SV[0] END);
    held("FACE as a system value", fragment(face), cfg!(feature = "compile"));
    let number = tgsi!(FRAG DCL IN[0], PRIMID, CONSTANT DCL OUT[0], COLOR MOV OUT[0], IN[0] END);
    held("PRIMID", fragment(number), stages);
    let fetch = tgsi!(
        FRAG DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT IMM[0] INT32 { 0, 0, 0, 0 }
        TXF OUT[0], IMM[0], SAMP[0], 2D END
    );
    held("TXF", fragment(fetch), shape);
    let size = tgsi!(
        FRAG DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT IMM[0] INT32 { 0, 0, 0, 0 }
        TXQ OUT[0], IMM[0], SAMP[0], 2D END
    );
    held("TXQ", fragment(size), shape);
    let gather = tgsi!(
        FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
        IMM[0] INT32 { 0, 0, 0, 0 } TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D END
    );
    held("TG4", fragment(gather), shape);
    let cube = tgsi!(
        FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], CUBE, FLOAT
        TEX OUT[0], IN[0], SAMP[0], CUBE END
    );
    held("a cube map", fragment(cube), shape);
    held("a 2D texture", fragment(TEXEL), cfg!(feature = "textures"));
}
