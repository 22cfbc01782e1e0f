//! Pictures computed by hand.

use pipe_core::Screen as _;
use pipe_core::*;

use crate::bench::{Bench, VS, Vertex, WHITE, screen, vertex};

#[test]
fn a_triangle_owns_its_left_and_top_edges() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    // Corners on centres: the hypotenuse runs through the centres of a diagonal, a right edge.
    let corners = [(0.5, 0.5), (3.5, 0.5), (0.5, 3.5)];
    bench.draw(PrimType::Triangles, &corners.map(|(x, y)| vertex(x, y, 0.5, WHITE)));
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        255, 255, 255, 0,
        255, 255, 0, 0,
        255, 0, 0, 0,
        0, 0, 0, 0,
    ]);
}

#[test]
fn colours_change_linearly_from_centre_to_centre() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let (black, red) = ([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]);
    let strip = [
        vertex(0.0, 0.0, 0.5, black),
        vertex(4.0, 0.0, 0.5, red),
        vertex(0.0, 4.0, 0.5, black),
        vertex(4.0, 4.0, 0.5, red),
    ];
    bench.draw(PrimType::TriangleStrip, &strip);
    // 1/8, 3/8, 5/8 and 7/8 of 255.
    assert_eq!(bench.picture(), [32, 96, 159, 223].repeat(4));
}

#[test]
fn the_nearer_of_two_planes_shows() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let less = DepthStencilAlphaState::depth(CompareFunc::Less);
    let less = bench.context.create_depth_stencil_alpha_state(&less).unwrap();
    bench.context.bind_depth_stencil_alpha_state(Some(less)).unwrap();
    let nothing = ColorUnion::default();
    bench.context.clear(ClearFlags::DEPTH, None, &nothing, 1.0, 0).unwrap();
    let plane = |left: f32, right: f32, color: [f32; 4]| {
        [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (4.0, 4.0)]
            .map(|(x, y)| vertex(x, y, if x == 0.0 { left } else { right }, color))
    };
    // The planes meet in the middle: the first is nearer on the left.
    bench.draw(PrimType::TriangleStrip, &plane(0.0, 1.0, [0.25; 4]));
    bench.draw(PrimType::TriangleStrip, &plane(1.0, 0.0, [1.0; 4]));
    assert_eq!(bench.picture(), [64, 64, 255, 255].repeat(4));
    // 1/8 and 3/8 of 65535, rounded.
    let row = [8192u16, 24576, 24576, 8192].map(u16::to_le_bytes).concat();
    let depth = bench.depth;
    assert_eq!(bench.read(depth), row.repeat(4));
}

/// A strip over all rows, from a column to another.
fn columns([left, right]: [f32; 2], z: [f32; 2], color: [f32; 4]) -> [Vertex; 4] {
    let at = |x, y, z| vertex(x, y, z, color);
    [at(left, 0.0, z[0]), at(right, 0.0, z[1]), at(left, 4.0, z[0]), at(right, 4.0, z[1])]
}

#[test]
fn each_sample_is_covered_on_its_own() {
    // The first and the third of four samples lie left of a pixel's middle (x of 3/8 and 1/8).
    for (mask, wanted) in
        [(!0, [255, 128, 0, 0]), (0b0001, [64, 64, 0, 0]), (0b1010, [128, 0, 0, 0])]
    {
        let screen = screen();
        let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
        bench.multisample();
        bench.context.set_sample_mask(mask);
        bench.draw(PrimType::TriangleStrip, &columns([0.0, 1.5], [0.5; 2], WHITE));
        assert_eq!(bench.means(), wanted.repeat(4), "{mask:#b}");
    }
}

#[test]
fn each_sample_has_a_depth() {
    let screen = screen();
    let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
    bench.multisample();
    let less = DepthStencilAlphaState::depth(CompareFunc::Less);
    let less = bench.context.create_depth_stencil_alpha_state(&less).unwrap();
    bench.context.bind_depth_stencil_alpha_state(Some(less)).unwrap();
    bench.context.clear(ClearFlags::DEPTH, None, &ColorUnion::default(), 1.0, 0).unwrap();
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.5; 2], [0.0; 4]));
    // Half of the depth range is reached in the middle of the second pixel.
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.125, 1.125], WHITE));
    assert_eq!(bench.means(), [255, 128, 0, 0].repeat(4));
}

#[test]
fn programs_that_name_samples_run_for_each() {
    let screen = screen();
    let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
    bench.multisample();
    let number = "FRAG\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 0.2, 0.0, 0.0, 0.0 }\n\
                  DCL TEMP[0]\nU2F TEMP[0].x, SV[0].xxxx\nMUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx\nEND";
    bench.shaders(VS, number);
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.5; 2], WHITE));
    // The mean of 0, 1, 2 and 3 fifths of 255: 76.5.
    let wanted = [76, 77];
    assert!(bench.means().iter().all(|red| wanted.contains(red)));
}

#[test]
fn half_of_white_over_black_is_grey() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8G8B8A8Unorm, Format::Z16Unorm);
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let blend = bench.context.create_blend_state(&blend).unwrap();
    bench.context.bind_blend_state(Some(blend)).unwrap();
    let point = vertex(1.5, 2.5, 0.5, [1.0, 0.5, 0.0, 0.5]);
    bench.draw(PrimType::Points, &[point]);
    let mut expected = [[0; 4]; 16];
    // 255/2, 255/4, 0, and alpha: 255/4.
    expected[2 * 4 + 1] = [128, 64, 0, 64];
    assert_eq!(bench.picture(), expected.concat());
}

#[test]
fn a_line_leaves_its_last_pixel_out() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.draw(PrimType::Lines, &[vertex(0.5, 1.5, 0.5, WHITE), vertex(3.5, 1.5, 0.5, WHITE)]);
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 0, 0, 0,
        255, 255, 255, 0,
        0, 0, 0, 0,
        0, 0, 0, 0,
    ]);
}

#[test]
fn a_bilinear_lookup_weighs_four_texels() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let template = ResourceTemplate::texture_2d(Format::R8Unorm, 2, 2, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let whole = Region::whole(2, 2, 1);
    let texels = [0, 80, 160, 240];
    bench.context.texture_subdata(texture, 0, MapFlags::WRITE, &whole, &texels, 2, 4).unwrap();
    let view =
        bench.context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template)).unwrap();
    bench.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    let linear = SamplerState::trilinear(TexWrap::ClampToEdge);
    let linear = bench.context.create_sampler_state(&linear).unwrap();
    bench.context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(linear)]).unwrap();
    let fs = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
              DCL SVIEW[0], 2D, FLOAT\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND";
    bench.shaders(VS, fs);
    let strip = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (4.0, 4.0)]
        .map(|(x, y)| vertex(x, y, 0.5, [x / 4.0, y / 4.0, 0.0, 1.0]));
    bench.draw(PrimType::TriangleStrip, &strip);
    // Centres lie a quarter of a texel before and after each texel's centre; beyond the outer ones
    // the edge repeats: weights of the second texel 0, 1/4, 3/4, 1.
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 20, 60, 80,
        40, 60, 100, 120,
        120, 140, 180, 200,
        160, 180, 220, 240,
    ]);
}

#[test]
fn members_that_the_driver_lacks_are_refused_by_name() {
    let screen = screen();
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let ordered = RasterizerState { tile_raster_order_fixed: true, ..RasterizerState::default() };
    let refused = context.create_rasterizer_state(&ordered);
    assert_eq!(refused, Err(PipeError::Unsupported("tile_raster_order_fixed")));
}

#[test]
fn deleting_what_is_bound_unbinds_it() {
    let screen = screen();
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let blend = context.create_blend_state(&BlendState::default()).unwrap();
    context.bind_blend_state(Some(blend)).unwrap();
    assert_eq!(context.delete_blend_state(blend), Ok(()));
    assert_eq!(context.bind_blend_state(Some(blend)), Err(PipeError::stale(blend)));
}

/// The plain driver lacks some calls that desktop frontends use, and returns errors that name them.
#[test]
fn calls_that_it_lacks_are_refused() {
    let screen = screen();
    for cap in [Cap::Memobj, Cap::FenceSignal, Cap::DrawVertexState, Cap::Dmabuf] {
        assert_eq!(screen.get_param(cap), 0, "{cap:?}");
    }
    assert!(screen.get_driver_query_info().is_empty());
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let query = context.create_query(QueryType::DriverSpecific, 0);
    assert!(matches!(query, Err(PipeError::Unsupported(_))), "{query:?}");
    let texture = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&texture).unwrap();
    let name = screen.resource_get_handle(None, texture, WinsysHandleType::Shared);
    assert!(matches!(name, Err(PipeError::Unsupported(_))), "{name:?}");
    // Every call is complete when it returns.
    let waiting = context.is_resource_referenced(texture, 0, 0);
    assert_eq!(waiting, Ok(Referenced::empty()));
}
