//! Coverage rules other than "the pixel's centre is inside", with pictures computed by hand.

use pipe_core::*;

use crate::bench::{Bench, Vertex, WHITE, screen, vertex};

fn drawn(state: &RasterizerState, corners: &[Vertex], mode: PrimType) -> Vec<u8> {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.rasterizer(state);
    bench.draw(mode, corners);
    bench.picture()
}

fn at(places: &[(f32, f32)]) -> Vec<Vertex> {
    places.iter().map(|(x, y)| vertex(*x, *y, 0.5, WHITE)).collect()
}

#[test]
fn touched_pixels_are_covered() {
    let state = |mode, dilate| RasterizerState {
        conservative_raster_mode: mode,
        conservative_raster_dilate: dilate,
        ..RasterizerState::default()
    };
    let post = ConservativeRasterMode::PostSnap;
    // Its hypotenuse runs from (2.5, 1.25) to (1.25, 2.5), through pixel (2, 1) and (1, 2) but not
    // (2, 2).
    let small = at(&[(1.25, 1.25), (2.5, 1.25), (1.25, 2.5)]);
    #[rustfmt::skip]
    assert_eq!(drawn(&state(post, 0.0), &small, PrimType::Triangles), [
        0, 0, 0, 0,
        0, 255, 255, 0,
        0, 255, 0, 0,
        0, 0, 0, 0,
    ]);
    // Half a pixel more on each side reaches pixels 0 to 2, and also 3 to the right and below.
    #[rustfmt::skip]
    assert_eq!(drawn(&state(post, 0.5), &small, PrimType::Triangles), [
        255, 255, 255, 255,
        255, 255, 255, 255,
        255, 255, 255, 0,
        255, 255, 0, 0,
    ]);
    // A triangle without area covers pixels only before snapping.
    let flat = at(&[(0.5, 1.5), (2.5, 1.5), (1.5, 1.5)]);
    assert_eq!(drawn(&state(post, 0.0), &flat, PrimType::Triangles), [0; 16]);
    let pre = ConservativeRasterMode::PreSnap;
    #[rustfmt::skip]
    assert_eq!(drawn(&state(pre, 0.0), &flat, PrimType::Triangles), [
        0, 0, 0, 0,
        255, 255, 255, 0,
        0, 0, 0, 0,
        0, 0, 0, 0,
    ]);
}

#[test]
fn rectangles_stand_around_their_triangles() {
    let state = RasterizerState {
        fill_front: PolygonMode::FillRectangle,
        fill_back: PolygonMode::FillRectangle,
        ..RasterizerState::default()
    };
    let triangle = at(&[(1.0, 1.0), (3.0, 2.0), (2.0, 4.0)]);
    #[rustfmt::skip]
    assert_eq!(drawn(&state, &triangle, PrimType::Triangles), [
        0, 0, 0, 0,
        0, 255, 255, 0,
        0, 255, 255, 0,
        0, 255, 255, 0,
    ]);
}

#[test]
fn smooth_polygons_have_the_alpha_of_their_share() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8G8B8A8Unorm, Format::Z16Unorm);
    bench.rasterizer(&RasterizerState { poly_smooth: true, ..RasterizerState::default() });
    // Legs of 1.5 pixels: one pixel without a corner, and parts of two neighbours.
    bench.draw(PrimType::Triangles, &at(&[(1.0, 1.0), (2.5, 1.0), (1.0, 2.5)]));
    let picture = bench.picture();
    let alpha = |x: usize, y: usize| picture[4 * (4 * y + x) + 3];
    // 1 - 1/2 · (1/2)² = 7/8; 1/2 · (1/2)² = 1/8.
    assert_eq!([alpha(1, 1), alpha(2, 1), alpha(1, 2)], [223, 32, 32]);
    assert_eq!([alpha(2, 2), alpha(0, 1), alpha(1, 0)], [0; 3]);
}
