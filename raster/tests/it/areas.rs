//! Areas by the rasterizer state: conservative rasterization, rectangles around triangles, smooth
//! polygons.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BlendFactor, BlendState, ConservativeRasterMode, Face, PolygonMode, PrimType, RasterizerState,
};

in_all_profiles! {
    touched_pixels_across_tiles
    flat_triangles_before_snapping
    triangles_of_one_vertex_before_snapping
    strokes_touch_pixels
    rectangles_with_extended_values
    smooth_shares_add_up
}

const SIZE: u32 = 96;

/// Converts pixels to clip space.
fn at(x: f32, y: f32, color: [f32; 4]) -> Vertex {
    let half = SIZE as f32 / 2.0;
    vertex(x / half - 1.0, y / half - 1.0, 0.0, color)
}

/// Draws over black; returns the red of each pixel.
fn reds<P: Profile>(
    state: &RasterizerState,
    blend: &BlendState,
    mode: PrimType,
    vertices: &[Vertex],
) -> Vec<u8> {
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: SIZE, height: SIZE, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.rasterizer(state).unwrap();
    setup.blend(blend).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, vertices).unwrap();
    setup.draw(mode, vertices.len() as u32).unwrap();
    setup.pixels().unwrap().iter().step_by(4).copied().collect()
}

fn conservative(mode: ConservativeRasterMode, dilate: f32) -> RasterizerState {
    RasterizerState {
        conservative_raster_mode: mode,
        conservative_raster_dilate: dilate,
        ..rasterizer()
    }
}

/// Returns the pixels (x, y) that are not black.
fn drawn(reds: &[u8]) -> Vec<(u32, u32)> {
    let place = |index: usize| (index as u32 % SIZE, index as u32 / SIZE);
    (0..reds.len()).filter(|index| reds[*index] != 0).map(place).collect()
}

/// A right triangle with a long side from the upper right to the lower left. It touches the pixels
/// (x, y) that have a corner at x + y ≤ the length of its legs, and crosses the borders of tiles.
fn touched_pixels_across_tiles<P: Profile>() {
    let none = BlendState::default();
    // Legs of 80 pixels from (8.25, 8.25): x + y = 96.5 is the long side.
    let corners = [at(8.25, 8.25, RED), at(88.25, 8.25, RED), at(8.25, 88.25, RED)];
    for (mode, dilate) in [
        (ConservativeRasterMode::PostSnap, 0.0),
        (ConservativeRasterMode::PreSnap, 0.0),
        (ConservativeRasterMode::PostSnap, 0.5),
    ] {
        let got =
            drawn(&reds::<P>(&conservative(mode, dilate), &none, PrimType::Triangles, &corners));
        let mut wanted = Vec::new();
        for y in 0..SIZE {
            for x in 0..SIZE {
                // The pixel's square, enlarged by the dilation.
                let (x0, y0) = (x as f32 - dilate, y as f32 - dilate);
                let (x1, y1) = (x as f32 + 1.0 + dilate, y as f32 + 1.0 + dilate);
                if x1 >= 8.25 && y1 >= 8.25 && x0 + y0 <= 96.5 && x0 <= 88.25 && y0 <= 88.25 {
                    wanted.push((x, y));
                }
            }
        }
        assert_eq!(got, wanted, "{mode:?} {dilate}");
    }
}

/// Manual, CSO, "Rasterizer": triangles without area are back faces with the provoking vertex's
/// attributes.
fn flat_triangles_before_snapping<P: Profile>() {
    let none = BlendState::default();
    let line = [at(30.5, 30.5, GREEN), at(34.5, 30.5, GREEN), at(32.5, 30.5, RED)];
    let draw = |state| drawn(&reds::<P>(&state, &none, PrimType::Triangles, &line));
    let pixels = [(30, 30), (31, 30), (32, 30), (33, 30), (34, 30)];
    let pre_snap = conservative(ConservativeRasterMode::PreSnap, 0.0);
    let flat = RasterizerState { flatshade: true, ..pre_snap };
    assert_eq!(draw(pre_snap), pixels);
    assert_eq!(draw(flat), pixels);
    assert_eq!(draw(RasterizerState { cull_face: Face::Back, ..flat }), []);
    assert_eq!(draw(conservative(ConservativeRasterMode::PostSnap, 0.0)), []);
    assert_eq!(draw(rasterizer()), []);
}

/// A triangle with three equal corners, after a normal triangle.
fn triangles_of_one_vertex_before_snapping<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: SIZE, height: SIZE, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.rasterizer(&conservative(ConservativeRasterMode::PreSnap, 0.0)).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let places = [(10.5, 10.5), (11.5, 10.5), (10.5, 11.5), (40.5, 50.5)];
    setup.upload(&screen, &places.map(|(x, y)| at(x, y, RED))).unwrap();
    setup.draw_indexed(PrimType::Triangles, &[0, 1, 2, 3, 3, 3]).unwrap();
    let reds: Vec<u8> = setup.pixels().unwrap().iter().step_by(4).copied().collect();
    // The long side of the first runs through a corner of pixel (11, 11).
    assert_eq!(drawn(&reds), [(10, 10), (11, 10), (10, 11), (11, 11), (40, 50)]);
}

fn strokes_touch_pixels<P: Profile>() {
    let none = BlendState::default();
    let state = RasterizerState {
        // Both are ignored in this mode.
        line_smooth: true,
        line_stipple_enable: true,
        line_stipple_pattern: 0x1111,
        line_rectangular: true,
        point_quad_rasterization: true,
        line_width: 2.0,
        ..conservative(ConservativeRasterMode::PostSnap, 0.0)
    };
    // From 4.25 to 7.75 along, from 19.25 to 21.25 across.
    let line = [at(4.25, 20.25, RED), at(7.75, 20.25, RED)];
    let got = drawn(&reds::<P>(&state, &none, PrimType::Lines, &line));
    let wanted: Vec<_> = (19..22).flat_map(|y| (4..8).map(move |x| (x, y))).collect();
    assert_eq!(got, wanted);
    // A square of one pixel around (70.75, 40.25).
    let point = [at(70.75, 40.25, RED)];
    let got = drawn(&reds::<P>(&state, &none, PrimType::Points, &point));
    assert_eq!(got, [(70, 39), (71, 39), (70, 40), (71, 40)]);
}

/// The plane of the triangle's values extends beyond its sides.
fn rectangles_with_extended_values<P: Profile>() {
    let state = RasterizerState { fill_front: PolygonMode::FillRectangle, ..rasterizer() };
    let state = RasterizerState { fill_back: PolygonMode::FillRectangle, ..state };
    let ramp = |x: f32| [x / 255.0, 0.0, 0.0, 1.0];
    // Red is x + 50 inside the triangle.
    let corners =
        [at(20.0, 10.0, ramp(70.0)), at(60.0, 30.0, ramp(110.0)), at(30.0, 70.0, ramp(80.0))];
    let got = reds::<P>(&state, &BlendState::default(), PrimType::Triangles, &corners);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let red = got[(y * SIZE + x) as usize];
            if (20..60).contains(&x) && (10..70).contains(&y) {
                // 50.5 + x, rounded either way.
                assert!(u32::from(red).abs_diff(50 + x) <= 1, "{x} {y}: {red}");
            } else {
                assert_eq!(red, 0, "{x} {y}");
            }
        }
    }
}

/// The shares of a rectangle's two triangles add up: nothing shines through along their common
/// side. Along the other sides a pixel shows as much as lies inside it.
fn smooth_shares_add_up<P: Profile>() {
    let state = RasterizerState { poly_smooth: true, ..rasterizer() };
    let mut add = BlendState::default();
    add.rt[0].blend_enable = true;
    (add.rt[0].rgb_src_factor, add.rt[0].rgb_dst_factor) =
        (BlendFactor::SrcAlpha, BlendFactor::One);
    let at = |x, y| at(x, y, RED);
    let corners = [
        [at(10.25, 10.5), at(70.25, 10.5), at(10.25, 60.75)],
        [at(70.25, 10.5), at(70.25, 60.75), at(10.25, 60.75)],
    ];
    let got = reds::<P>(&state, &add, PrimType::Triangles, corners.as_flattened());
    let share = |pixel: u32, low: f32, high: f32| {
        let (from, to) = (pixel as f32, pixel as f32 + 1.0);
        (to.min(high) - from.max(low)).clamp(0.0, 1.0)
    };
    for y in 0..SIZE {
        for x in 0..SIZE {
            let wanted = share(x, 10.25, 70.25) * share(y, 10.5, 60.75) * 255.0;
            let red = f32::from(got[(y * SIZE + x) as usize]);
            // Each of two triangles is rounded to a step of the target.
            assert!((red - wanted).abs() <= 1.5, "{x} {y}: {red}, not {wanted}");
        }
    }
    let sharp = reds::<P>(&rasterizer(), &add, PrimType::Triangles, corners.as_flattened());
    assert!(sharp.iter().all(|red| [0, 255].contains(red)));
}
