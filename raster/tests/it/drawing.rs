//! Whole draws through the contract, with pictures as text.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BlendFactor, BlendState, CompareFunc, DepthStencilAlphaState, PrimType, RasterizerState,
    ScissorState, ViewportState,
};

in_all_profiles! {
    a_triangle
    depth_keeps_the_nearest
    blending_adds_in_order
    scissors_cut
    lines_and_points
    a_scene_that_overflows_draws_everything
    colours_are_perspective_correct
    flat_shading_takes_the_provoking_vertex
    a_clear_between_draws
    a_fragment_program_that_kills
    integer_pixel_centres
    a_viewport_cuts_at_its_sides
    pixel_coordinates_as_the_properties_say
}

fn small() -> Options {
    Options { width: 8, height: 8, ..Options::default() }
}

/// Converts pixels of an 8×8 target to clip space.
fn at(x: f32, y: f32, z: f32, color: [f32; 4]) -> Vertex {
    vertex(x / 4.0 - 1.0, y / 4.0 - 1.0, z, color)
}

fn a_triangle<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corners = [at(1.0, 1.0, 0.0, RED), at(6.0, 1.0, 0.0, RED), at(1.0, 6.0, 0.0, RED)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    // The long side passes through centres, and a right-hand edge does not own them.
    assert_picture!(
        setup.text(),
        [
            "........", //
            ".rrrr...", ".rrr....", ".rr.....", ".r......", "........", "........", "........",
        ]
    );
}

/// Returns two triangles that cover the pixels from `(x0, y0)` to `(x1, y1)`.
fn rectangle(x0: f32, y0: f32, x1: f32, y1: f32, z: f32, color: [f32; 4]) -> [Vertex; 6] {
    let [a, b, c, d] =
        [at(x0, y0, z, color), at(x1, y0, z, color), at(x1, y1, z, color), at(x0, y1, z, color)];
    [a, b, c, a, c, d]
}

fn depth_keeps_the_nearest<P: Profile>() {
    for format in [Format::Z16Unorm, Format::Z24UnormS8Uint, Format::Z32Float] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, Options { depth: Some(format), ..small() }).unwrap();
        setup
            .depth_test(&DepthStencilAlphaState {
                depth_enabled: true,
                depth_writemask: true,
                depth_func: CompareFunc::Less,
                ..DepthStencilAlphaState::default()
            })
            .unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let mut vertices = rectangle(1.0, 1.0, 5.0, 5.0, 0.0, RED).to_vec();
        vertices.extend(rectangle(3.0, 3.0, 7.0, 7.0, 0.5, GREEN));
        vertices.extend(rectangle(0.0, 4.0, 8.0, 5.0, -0.5, BLUE));
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, 18).unwrap();
        assert_picture!(
            setup.text(),
            [
                "........", //
                ".rrrr...", ".rrrr...", ".rrrrgg.", "bbbbbbbb", "...gggg.", "...gggg.", "........",
            ],
            "{format:?}"
        );
    }
}

fn blending_adds_in_order<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let mut blend = BlendState::default();
    blend.rt[0].blend_enable = true;
    blend.rt[0].rgb_src_factor = BlendFactor::SrcAlpha;
    blend.rt[0].rgb_dst_factor = BlendFactor::InvSrcAlpha;
    blend.rt[0].alpha_src_factor = BlendFactor::One;
    blend.rt[0].alpha_dst_factor = BlendFactor::Zero;
    setup.blend(&blend).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // Red, then half of green over it, then half of blue over that: order matters.
    let mut vertices = rectangle(0.0, 0.0, 8.0, 8.0, 0.0, RED).to_vec();
    vertices.extend(rectangle(0.0, 0.0, 8.0, 8.0, 0.0, [0.0, 1.0, 0.0, 0.5]));
    vertices.extend(rectangle(0.0, 0.0, 8.0, 8.0, 0.0, [0.0, 0.0, 1.0, 0.5]));
    setup.upload(&screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, 18).unwrap();
    let pixels = setup.pixels().unwrap();
    // 255 → 127.5 → 128 (even) → 64; 127.5 → 128 → 64; 127.5 → 128.
    for pixel in pixels.chunks(4) {
        assert_eq!(pixel, [64, 64, 128, 128]);
    }
}

fn scissors_cut<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.rasterizer(&RasterizerState { scissor: true, ..rasterizer() }).unwrap();
    let scissor = ScissorState { minx: 3, miny: 2, maxx: 6, maxy: 4 };
    setup.context.set_scissor_states(0, &[scissor]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle(0.0, 0.0, 8.0, 8.0, 0.0, GREEN)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let text = setup.text();
    assert_eq!(text[1], "........");
    assert_eq!(text[2], "...ggg..");
    assert_eq!(text[3], "...ggg..");
    assert_eq!(text[4], "........");
}

fn lines_and_points<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let strip = [
        at(0.5, 0.5, 0.0, RED),
        at(5.5, 0.5, 0.0, RED),
        at(5.5, 4.5, 0.0, RED),
        at(1.5, 4.5, 0.0, RED),
    ];
    setup.upload(&screen, &strip).unwrap();
    setup.draw(PrimType::LineStrip, 4).unwrap();
    let points = [at(7.5, 7.5, 0.0, GREEN), at(3.2, 2.9, 0.0, BLUE)];
    setup.upload(&screen, &points).unwrap();
    setup.draw(PrimType::Points, 2).unwrap();
    // The last pixel of the strip is not drawn: lines own their start, not their end.
    assert_picture!(
        setup.text(),
        [
            "rrrrrr..", //
            ".....r..", "...b.r..", ".....r..", "..rrrr..", "........", "........", ".......g",
        ]
    );
}

fn a_scene_that_overflows_draws_everything<P: Profile>() {
    // A scene of 2 KB, and far more triangles than fit: stripes of alternating colours.
    let options = Options { width: 64, height: 64, ..Options::default() };
    let mut vertices = Vec::new();
    for pass in 0..8 {
        for row in 0..64 {
            let (y0, y1) = (row as f32 / 32.0 - 1.0, (row + 1) as f32 / 32.0 - 1.0);
            let color = if (row + pass) % 2 == 0 { RED } else { GREEN };
            let [a, b, c, d] = [
                vertex(-1.0, y0, 0.0, color),
                vertex(1.0, y0, 0.0, color),
                vertex(1.0, y1, 0.0, color),
                vertex(-1.0, y1, 0.0, color),
            ];
            vertices.extend([a, b, c, a, c, d]);
        }
    }
    let screen = screen::<P>(Os::host(), 2048);
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    setup.upload(&screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
    for (row, text) in setup.text().iter().enumerate() {
        let wanted = if (row + 7) % 2 == 0 { "r" } else { "g" };
        assert_eq!(*text, wanted.repeat(64), "{row}");
    }
}

fn colours_are_perspective_correct<P: Profile>() {
    let options = Options { width: 64, height: 4, ..Options::default() };
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // The left side at w = 1, the right side at w = 3.
    let corner = |x: f32, y: f32, w: f32, red: f32| Vertex {
        position: [x * w, y * w, 0.0, w],
        color: [red, 0.0, 0.0, 1.0],
    };
    let vertices = [
        corner(-1.0, -1.0, 1.0, 0.0),
        corner(1.0, -1.0, 3.0, 1.0),
        corner(1.0, 1.0, 3.0, 1.0),
        corner(-1.0, 1.0, 1.0, 0.0),
    ];
    setup.upload(&screen, &vertices).unwrap();
    setup.draw(PrimType::TriangleFan, 4).unwrap();
    let pixels = setup.pixels().unwrap();
    for x in 0..64 {
        let t = (x as f64 + 0.5) / 64.0;
        // red = (t / 3) / ((1 - t) / 1 + t / 3)
        let wanted = 255.0 * (t / 3.0) / ((1.0 - t) + t / 3.0);
        let red = f64::from(pixels[x * 4]);
        assert!((red - wanted).abs() <= 0.502, "{x}: {red} {wanted}");
    }
}

fn flat_shading_takes_the_provoking_vertex<P: Profile>() {
    for (first, wanted) in [(true, "r"), (false, "b")] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, small()).unwrap();
        let state = RasterizerState { flatshade: true, flatshade_first: first, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let vertices =
            [at(0.0, 0.0, 0.0, RED), at(16.0, 0.0, 0.0, GREEN), at(0.0, 16.0, 0.0, BLUE)];
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert!(setup.text().iter().all(|row| *row == wanted.repeat(8)));
    }
}

fn a_clear_between_draws<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle(0.0, 0.0, 8.0, 8.0, 0.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    setup.upload(&screen, &rectangle(2.0, 2.0, 4.0, 4.0, 0.0, GREEN)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let text = setup.text();
    assert_eq!(text[0], "bbbbbbbb");
    assert_eq!(text[3], "bbggbbbb");
}

fn a_fragment_program_that_kills<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let depth = Some(Format::Z16Unorm);
    let mut setup = Setup::new(&screen, Options { depth, ..small() }).unwrap();
    // Kills pixels left of window x = 4. Killed pixels write no depth either.
    let kill = "FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], COLOR, COLOR
DCL OUT[0], COLOR
DCL TEMP[0]
IMM FLT32 {4.0, 0.0, 0.0, 0.0}
ADD TEMP[0].x, IN[0].xxxx, -IMM[0].xxxx
KILL_IF TEMP[0].xxxx
MOV OUT[0], IN[1]
END";
    setup
        .depth_test(&DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: CompareFunc::Less,
            ..DepthStencilAlphaState::default()
        })
        .unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.shaders(PASS, kill).unwrap();
    setup.upload(&screen, &rectangle(0.0, 0.0, 8.0, 8.0, -0.5, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.shaders(PASS, COLOR).unwrap();
    setup.upload(&screen, &rectangle(0.0, 0.0, 8.0, 8.0, 0.0, GREEN)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    assert!(setup.text().iter().all(|row| row == "ggggrrrr"));
}

fn integer_pixel_centres<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.rasterizer(&RasterizerState { half_pixel_center: false, ..rasterizer() }).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // From 1.5 to 3.5: the centres 2 and 3.
    setup.upload(&screen, &rectangle(1.5, 1.5, 3.5, 3.5, 0.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let text = setup.text();
    assert_eq!(text[1], "........");
    assert_eq!(text[2], "..rr....");
    assert_eq!(text[3], "..rr....");
    assert_eq!(text[4], "........");
}

fn a_viewport_cuts_at_its_sides<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    // Pixels 2 to 5 across, 1 to 2 down; the triangle extends far beyond.
    let viewport = ViewportState {
        scale: [2.0, -1.0, 0.5],
        translate: [4.0, 2.0, 0.5],
        ..ViewportState::default()
    };
    setup.context.set_viewport_states(0, &[viewport]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corners =
        [vertex(-9.0, -9.0, 0.0, RED), vertex(30.0, -9.0, 0.0, RED), vertex(-9.0, 30.0, 0.0, RED)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let text = setup.text();
    assert_eq!(text[0], "........");
    assert_eq!(text[1], "..rrrr..");
    assert_eq!(text[2], "..rrrr..");
    assert_eq!(text[3], "........");
}

fn pixel_coordinates_as_the_properties_say<P: Profile>() {
    // The window x and y that the program reads at column 2, row 5 of 8 rows.
    for (properties, x, y) in [
        ("", 2.5, 5.5),
        ("PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n", 2.0, 5.0),
        ("PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n", 2.5, 2.5),
    ] {
        let screen = screen::<P>(Os::host(), 0);
        let format = Format::R32G32B32A32Float;
        let mut setup = Setup::new(&screen, Options { format, ..small() }).unwrap();
        let show = format!(
            "FRAG\n{properties}DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\n\
             MOV OUT[0], IN[0]\nEND"
        );
        setup.shaders(PASS, &show).unwrap();
        setup.upload(&screen, &rectangle(0.0, 0.0, 8.0, 8.0, 0.5, RED)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let pixels = setup.pixels().unwrap();
        let texel = &pixels[(5 * 8 + 2) * 16..][..16];
        let value = |at: usize| f32::from_le_bytes(texel[at * 4..][..4].try_into().unwrap());
        // z of 0.5 in clip space is 0.75 in the window; w is 1.
        assert_eq!([value(0), value(1), value(2), value(3)], [x, y, 0.75, 1.0]);
    }
}
