//! Points, lines and polygons by the rasterizer state, with pictures drawn by hand.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BlendFactor, BlendState, CapF, CompareFunc, DepthStencilAlphaState, Face, PolyStipple,
    PolygonMode, PrimType, RasterizerState, Screen as _, SpriteCoordMode, ViewportState,
};

in_all_profiles! {
    points_have_a_size
    points_have_sizes_of_their_own
    sprites_know_the_place_within_the_point
    points_reach_beyond_the_viewport
    lines_have_a_width
    widths_are_multiples_of_the_granularity
    lines_are_stippled
    polygons_are_stippled
    polygons_are_outlines
    back_faces_have_back_colours
    polygons_are_offset_in_depth
    an_offset_of_one_unit_is_always_seen
    smooth_points_fade_out
    smooth_lines_fade_out
}

fn small() -> Options {
    Options { width: 8, height: 8, ..Options::default() }
}

/// Converts pixels of an 8×8 target to clip space.
fn at(x: f32, y: f32, z: f32, color: [f32; 4]) -> Vertex {
    vertex(x / 4.0 - 1.0, y / 4.0 - 1.0, z, color)
}

/// Returns the picture of one draw over black.
fn picture<P: Profile>(
    state: &RasterizerState,
    mode: PrimType,
    vertices: &[Vertex],
) -> Vec<String> {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.rasterizer(state).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, vertices).unwrap();
    setup.draw(mode, vertices.len() as u32).unwrap();
    setup.text()
}

fn widths_are_multiples_of_the_granularity<P: Profile>() {
    let step = screen::<P>(Os::host(), 0).get_paramf(CapF::LineWidthGranularity);
    assert_eq!(step, 0.125);
    // A horizontal line around 4 covers the centres at 2.5, 3.5, 4.5 and 5.5 that are nearer than
    // half its width, and the upper one of two equally near. A width between two steps is rounded
    // to the nearer step.
    for (width, rows) in [
        (0.25, 1),
        (1.0, 1),
        (1.06, 1),
        (1.07, 2),
        (1.5, 2),
        (2.5, 2),
        (2.94, 3),
        (3.0, 3),
        (3.07, 4),
        (3.5, 4),
    ] {
        for line_rectangular in [false, true] {
            let state = RasterizerState { line_width: width, line_rectangular, ..rasterizer() };
            let ends = [at(1.0, 4.0, 0.0, RED), at(7.0, 4.0, 0.0, RED)];
            let picture = picture::<P>(&state, PrimType::Lines, &ends);
            let covered = picture.iter().filter(|row| row.as_bytes()[4] == b'r').count();
            // Rectangles at most one pixel wide are lines by the diamond rule.
            assert_eq!(covered, rows, "{width}, rectangular: {line_rectangular}\n{picture:#?}");
        }
    }
}

fn points_have_a_size<P: Profile>() {
    let state = RasterizerState { point_size: 3.0, ..rasterizer() };
    let points = [at(2.3, 2.8, 0.0, RED), at(6.9, 6.9, 0.0, GREEN)];
    // By the legacy rules both surround the centre of their pixel.
    let wanted = [
        "........", ".rrr....", ".rrr....", ".rrr....", "........", ".....ggg", ".....ggg",
        ".....ggg",
    ];
    assert_eq!(picture::<P>(&state, PrimType::Points, &points), wanted);
    // As quads they stay where they are: from 1.3 to 4.3, from 0.8 to 3.8.
    let state = RasterizerState { point_quad_rasterization: true, ..state };
    let quads = picture::<P>(&state, PrimType::Points, &[at(2.8, 2.3, 0.0, RED)]);
    assert_eq!(quads[..5], ["........", ".rrr....", ".rrr....", ".rrr....", "........"]);
}

fn points_have_sizes_of_their_own<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let state = RasterizerState { point_size_per_vertex: true, ..rasterizer() };
    setup.rasterizer(&state).unwrap();
    // The size is the colour's alpha.
    let shader = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], PSIZE
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].x, IN[1].wwww
END";
    setup.shaders(shader, COLOR).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let points = [at(1.5, 1.5, 0.0, [1.0, 0.0, 0.0, 1.0]), at(5.0, 5.0, 0.0, [0.0, 1.0, 0.0, 4.0])];
    setup.upload(&screen, &points).unwrap();
    setup.draw(PrimType::Points, 2).unwrap();
    let wanted = [
        "........", ".r......", "........", "...gggg.", "...gggg.", "...gggg.", "...gggg.",
        "........",
    ];
    assert_picture!(setup.text(), wanted);
}

fn sprites_know_the_place_within_the_point<P: Profile>() {
    let vertex = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], TEXCOORD[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";
    // No shader writes TEXCOORD[0]: bit 0 makes it the sprite's coordinate. TEXCOORD[1] stays the
    // vertex's.
    let fragment = "FRAG
DCL IN[0], TEXCOORD[0], MODE
DCL IN[1], TEXCOORD[1], PERSPECTIVE
DCL IN[2], PCOORD, LINEAR
DCL OUT[0], COLOR
MOV OUT[0].x, IN[0].xxxx
MOV OUT[0].y, IN[0].yyyy
MOV OUT[0].z, IN[1].xxxx
ADD OUT[0].w, IN[2].yyyy, IN[0].wwww
END";
    for (mode, below, interpolation) in [
        (SpriteCoordMode::UpperLeft, false, "PERSPECTIVE"),
        (SpriteCoordMode::LowerLeft, true, "PERSPECTIVE"),
        (SpriteCoordMode::UpperLeft, false, "CONSTANT"),
    ] {
        let fragment = &fragment.replace("MODE", interpolation);
        let screen = screen::<P>(Os::host(), 0);
        let format = Format::R32G32B32A32Float;
        let mut setup = Setup::new(&screen, Options { format, ..small() }).unwrap();
        let state = RasterizerState {
            point_size: 4.0,
            point_quad_rasterization: true,
            sprite_coord_enable: 1,
            sprite_coord_mode: mode,
            ..rasterizer()
        };
        setup.rasterizer(&state).unwrap();
        setup.shaders(vertex, fragment).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let mut point = at(4.0, 4.0, 0.0, [0.25, 0.0, 0.0, 1.0]);
        point.position = point.position.map(|value| value * 2.0);
        setup.upload(&screen, &[point]).unwrap();
        setup.draw(PrimType::Points, 1).unwrap();
        let pixels = setup.pixels().unwrap();
        for y in 2..6 {
            for x in 2..6 {
                let texel = &pixels[(y * 8 + x) * 16..][..16];
                let value = |i: usize| f32::from_le_bytes(texel[i * 4..][..4].try_into().unwrap());
                let s = (x as f32 - 1.5) / 4.0;
                let t = (y as f32 - 1.5) / 4.0;
                let t = if below { 1.0 - t } else { t };
                assert_eq!([value(0), value(1), value(2), value(3)], [s, t, 0.25, t + 1.0]);
            }
        }
    }
}

fn points_reach_beyond_the_viewport<P: Profile>() {
    let viewport =
        ViewportState { scale: [2.0, 2.0, 0.5], translate: [4.0, 4.0, 0.5], ..Default::default() };
    for (square, wanted) in [(false, ".rrrr..."), (true, "..rrr...")] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, small()).unwrap();
        let state = RasterizerState {
            point_size: 4.0,
            point_quad_rasterization: true,
            point_tri_clip: square,
            ..rasterizer()
        };
        setup.rasterizer(&state).unwrap();
        setup.context.set_viewport_states(0, &[viewport]).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        // The viewport covers pixels 2 to 5. The first point is at (3, 4). The other point, at (8,
        // 4), is outside; a larger square would reach into the viewport.
        let points = [vertex(-0.5, 0.0, 0.0, RED), vertex(2.0, 0.0, 0.0, GREEN)];
        setup.upload(&screen, &points).unwrap();
        setup.draw(PrimType::Points, 2).unwrap();
        assert_eq!(setup.text()[4], wanted, "{square}");
    }
}

fn lines_have_a_width<P: Profile>() {
    let state = RasterizerState { line_width: 3.0, ..rasterizer() };
    let lines = [
        at(1.5, 1.5, 0.0, RED),
        at(6.5, 1.5, 0.0, RED),
        at(2.5, 4.5, 0.0, GREEN),
        at(2.5, 7.5, 0.0, GREEN),
    ];
    let wanted = [
        ".rrrrr..", ".rrrrr..", ".rrrrr..", "........", ".ggg....", ".ggg....", ".ggg....",
        "........",
    ];
    assert_eq!(picture::<P>(&state, PrimType::Lines, &lines), wanted);
    // Half a pixel is drawn as one pixel.
    let thin = RasterizerState { line_width: 0.5, ..state };
    assert_eq!(
        picture::<P>(&thin, PrimType::Lines, &lines[..2])[..3],
        ["........", ".rrrrr..", "........"]
    );
}

fn lines_are_stippled<P: Profile>() {
    let state = RasterizerState {
        line_stipple_enable: true,
        line_stipple_pattern: 0b0110_0110_0110_0110,
        ..rasterizer()
    };
    let strip = [at(0.5, 1.5, 0.0, RED), at(6.5, 1.5, 0.0, RED), at(6.5, 6.5, 0.0, GREEN)];
    // 011001 across, from x = 0, then 10011 down: the pattern continues in the second line.
    let picture = picture::<P>(&state, PrimType::LineStrip, &strip);
    let drawn: Vec<String> = picture.iter().map(|row| row.replace(|c| c != '.', "#")).collect();
    let wanted = [
        "........", ".##..##.", "........", "........", "......#.", "......#.", "........",
        "........",
    ];
    assert_eq!(drawn, wanted);
}

fn polygons_are_stippled<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup =
        Setup::new(&screen, Options { width: 40, height: 35, ..Options::default() }).unwrap();
    setup.rasterizer(&RasterizerState { poly_stipple_enable: true, ..rasterizer() }).unwrap();
    let mut stipple = PolyStipple { stipple: [0; 32] };
    stipple.stipple[0] = 0xf000_0001;
    stipple.stipple[1] = 0x8000_0000;
    setup.context.set_polygon_stipple(&stipple);
    setup.clear(BLACK, 1.0).unwrap();
    let corners =
        [vertex(-1.0, -1.0, 0.0, RED), vertex(3.0, -1.0, 0.0, RED), vertex(-1.0, 3.0, 0.0, RED)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    // A change after the draw does not affect the draw.
    setup.context.set_polygon_stipple(&PolyStipple::default());
    // Polygon stipple does not apply to lines.
    setup
        .upload(&screen, &[vertex(-1.0, 0.99, 0.0, GREEN), vertex(1.0, 0.99, 0.0, GREEN)])
        .unwrap();
    setup.draw(PrimType::Lines, 2).unwrap();
    let text = setup.text();
    let first = format!("rrrr{}rrrrr....", ".".repeat(27));
    assert_eq!(text[0], first);
    assert_eq!(text[1], format!("r{}r.......", ".".repeat(31)));
    assert_eq!(text[2], ".".repeat(40));
    assert_eq!(text[32], first, "it repeats");
    assert_eq!(text[34], "g".repeat(40));
}

fn polygons_are_outlines<P: Profile>() {
    let quad = [
        at(1.5, 1.5, 0.0, RED),
        at(1.5, 6.5, 0.0, RED),
        at(6.5, 6.5, 0.0, RED),
        at(6.5, 1.5, 0.0, RED),
    ];
    let lines = RasterizerState { fill_front: PolygonMode::Line, ..rasterizer() };
    let wanted = [
        "........", ".rrrrrr.", ".r....r.", ".r....r.", ".r....r.", ".r....r.", ".rrrrrr.",
        "........",
    ];
    assert_eq!(picture::<P>(&lines, PrimType::Quads, &quad), wanted);
    assert_eq!(picture::<P>(&lines, PrimType::Polygon, &quad), wanted);
    let culled = RasterizerState { cull_face: Face::Front, ..lines };
    assert_eq!(picture::<P>(&culled, PrimType::Quads, &quad), ["........"; 8]);
    let points = RasterizerState { fill_front: PolygonMode::Point, ..rasterizer() };
    let wanted = [
        "........", ".r....r.", "........", "........", "........", "........", ".r....r.",
        "........",
    ];
    assert_eq!(picture::<P>(&points, PrimType::Quads, &quad), wanted);
}

fn back_faces_have_back_colours<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.rasterizer(&RasterizerState { light_twoside: true, ..rasterizer() }).unwrap();
    let shader = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1].yxzw
END";
    setup.shaders(shader, COLOR).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let [a, b, c] = [at(0.0, 0.0, 0.0, RED), at(0.0, 4.0, 0.0, RED), at(4.0, 0.0, 0.0, RED)];
    let [d, e, f] = [at(8.0, 8.0, 0.0, RED), at(4.0, 8.0, 0.0, RED), at(8.0, 4.0, 0.0, RED)];
    setup.upload(&screen, &[a, b, c, d, e, f]).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let text = setup.text();
    assert_eq!([&text[0][..2], &text[7][6..]], ["rr", "gg"]);
}

fn polygons_are_offset_in_depth<P: Profile>() {
    for (format, units, hidden) in [
        (Format::Z16Unorm, 1.0, true),
        (Format::Z16Unorm, 0.0, false),
        (Format::Z16Unorm, -1.0, false),
        (Format::Z24X8Unorm, 1.0, true),
        (Format::Z32Float, 1.0, true),
        (Format::Z32Float, -1.0, false),
    ] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, Options { depth: Some(format), ..small() }).unwrap();
        let test = DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: CompareFunc::LessEqual,
            ..Default::default()
        };
        setup.depth_test(&test).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let face = |color| {
            [at(0.0, 0.0, 0.2, color), at(0.0, 16.0, 0.2, color), at(16.0, 0.0, 0.2, color)]
        };
        setup.upload(&screen, &face(RED)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let offset = RasterizerState { offset_tri: true, offset_units: units, ..rasterizer() };
        setup.rasterizer(&offset).unwrap();
        setup.upload(&screen, &face(GREEN)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let wanted = if hidden { "rrrrrrrr" } else { "gggggggg" };
        assert_eq!(setup.text()[3], wanted, "{format:?} {units}");
    }
}

/// One unit of offset always changes the stored depth, with any slope.
fn an_offset_of_one_unit_is_always_seen<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let format = Format::Z24X8Unorm;
    let mut setup = Setup::new(&screen, Options { depth: Some(format), ..small() }).unwrap();
    let test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..Default::default()
    };
    setup.depth_test(&test).unwrap();
    let nearer = RasterizerState { offset_tri: true, offset_units: -1.0, ..rasterizer() };
    let mut random = Random(1);
    for _ in 0..64 {
        let depths = [(); 3].map(|()| random.between(-1.0, 1.0));
        let face = |color| {
            let [a, b, c] = depths;
            [at(-20.0, -20.0, a, color), at(-20.0, 61.0, b, color), at(61.0, -20.0, c, color)]
        };
        setup.clear(BLACK, 1.0).unwrap();
        setup.rasterizer(&rasterizer()).unwrap();
        setup.upload(&screen, &face(RED)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        setup.rasterizer(&nearer).unwrap();
        setup.upload(&screen, &face(GREEN)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_picture!(setup.text(), ["gggggggg"; 8], "{depths:?}");
    }
}

/// Draws white over black, blended by alpha; returns red as bytes.
fn faded<P: Profile>(state: &RasterizerState, mode: PrimType, vertices: &[Vertex]) -> Vec<Vec<u8>> {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.rasterizer(state).unwrap();
    let mut blend = BlendState::default();
    blend.rt[0].blend_enable = true;
    blend.rt[0].rgb_src_factor = BlendFactor::SrcAlpha;
    blend.rt[0].rgb_dst_factor = BlendFactor::InvSrcAlpha;
    setup.blend(&blend).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, vertices).unwrap();
    setup.draw(mode, vertices.len() as u32).unwrap();
    let pixels = setup.pixels().unwrap();
    pixels.chunks(32).map(|row| row.chunks(4).map(|texel| texel[0]).collect()).collect()
}

fn smooth_points_fade_out<P: Profile>() {
    let state = RasterizerState { point_smooth: true, point_size: 4.0, ..rasterizer() };
    let rows = faded::<P>(&state, PrimType::Points, &[at(4.5, 4.5, 0.0, WHITE)]);
    // On the row of the centre, distances are whole: 2 is half covered.
    assert_eq!(rows[4], [0, 0, 128, 255, 255, 255, 128, 0]);
    // The diagonal: sqrt(2) is inside, 2 sqrt(2) is outside.
    assert_eq!([rows[3][3], rows[2][2]], [255, 0]);
    // sqrt(5) is 2.236: 0.264 is covered.
    assert_eq!(rows[3][2], 67);
}

fn smooth_lines_fade_out<P: Profile>() {
    let state = RasterizerState { line_smooth: true, line_width: 2.0, ..rasterizer() };
    let line = [at(1.5, 3.5, 0.0, WHITE), at(6.5, 3.5, 0.0, WHITE)];
    let rows = faded::<P>(&state, PrimType::Lines, &line);
    assert_eq!(rows[3], [0, 128, 255, 255, 255, 255, 128, 0]);
    assert_eq!(rows[2], [0, 64, 128, 128, 128, 128, 64, 0]);
    assert_eq!((rows[1].iter().max(), &rows[4]), (Some(&0), &rows[2]));
}
