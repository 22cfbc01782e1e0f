//! The samples of a pixel that are covered by a primitive, a mask, alpha or a window.

use super::{SIZE, WHOLE, means, rectangle, setup};
use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::query::{QueryResult, QueryType};
use pipe_core::{
    BlendFactor, BlendState, ConservativeRasterMode, PolygonMode, PrimType, RasterizerState,
    Screen as _,
};

in_all_profiles! {
    the_sample_mask_and_the_switch
    alpha_covers_samples
    dithered_alpha_covers_its_share_of_a_square
    conservative_pixels_have_all_samples
    smooth_edges_without_multisampling
    filled_rectangles_cover_the_samples_within_bounds
    window_rectangles_keep_all_samples_of_a_pixel_or_none
}

fn the_sample_mask_and_the_switch<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (mask, multisample, wanted) in [
        (0b0001, true, [64, 64, 0]),
        (0b1011, true, [191, 64, 0]),
        (!0, true, [255, 128, 0]),
        // The pixel's centre lies on the right edge, and that edge does not own it.
        (!0, false, [255, 0, 0]),
        (0b0110, false, [128, 0, 0]),
        (0, true, [0, 0, 0]),
    ] {
        let mut setup = setup(&screen, 4);
        setup.rasterizer(&RasterizerState { multisample, ..rasterizer() }).unwrap();
        setup.context.set_sample_mask(mask);
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let means = means(&screen, &mut setup);
        assert_eq!([3, 4, 5].map(|x| means[4 * x]), wanted, "{mask:#b} {multisample}");
    }
}

fn alpha_covers_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (alpha, wanted) in [(0.0, 0), (0.25, 64), (0.5, 128), (0.75, 191), (1.0, 255)] {
        let mut setup = setup(&screen, 4);
        let state = BlendState { alpha_to_coverage: true, ..BlendState::default() };
        setup.blend(&state).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle(WHOLE, 0.0, [1.0, 0.0, 0.0, alpha])).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        assert_eq!(means(&screen, &mut setup)[0], wanted, "{alpha}");
    }
}

/// In sixteen pixels, the number of covered samples is alpha times 64, to within one.
fn dithered_alpha_covers_its_share_of_a_square<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for samples in [0u8, 4] {
        let all = 16 * u32::from(samples.max(1));
        for step in 0..=20 {
            let alpha = step as f32 / 20.0;
            let mut setup = setup(&screen, samples);
            let state = BlendState {
                alpha_to_coverage: true,
                alpha_to_coverage_dither: true,
                ..BlendState::default()
            };
            setup.blend(&state).unwrap();
            setup.clear(BLACK, 1.0).unwrap();
            setup.upload(&screen, &rectangle(WHOLE, 0.0, [1.0, 0.0, 0.0, alpha])).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            let means = means(&screen, &mut setup);
            let red = |x: usize, y: usize| u32::from(means[4 * (y * SIZE as usize + x)]);
            for (left, top) in [(0, 0), (4, 8), (28, 28), (13, 21)] {
                let square = (0..16).map(|index| red(left + index % 4, top + index / 4));
                // A mean of samples is a multiple of 255 / samples, rounded.
                let covered: u32 = square.map(|red| (red * all / 16 + 127) / 255).sum();
                let wanted = alpha * all as f32;
                assert!((covered as f32 - wanted).abs() <= 1.0, "{alpha}: {covered} of {all}");
            }
        }
    }
}

/// A pixel that is touched only in a corner, off all samples, has all samples covered.
fn conservative_pixels_have_all_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let state = RasterizerState {
        conservative_raster_mode: ConservativeRasterMode::PostSnap,
        multisample: true,
        ..rasterizer()
    };
    setup.rasterizer(&state).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([8.96875, 8.96875, 17.03125, 10.5], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let means = means(&screen, &mut setup);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let inside = (8..18).contains(&x) && (8..11).contains(&y);
            let red = means[4 * (y * SIZE + x) as usize];
            assert_eq!(red, if inside { 255 } else { 0 }, "{x} {y}");
        }
    }
}

/// OpenGL 4.6, chapter 14.6.6: multisampling replaces smoothing; without it, all samples of a pixel
/// get the smoothed colour.
fn smooth_edges_without_multisampling<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut over = BlendState::default();
    over.rt[0].blend_enable = true;
    (over.rt[0].rgb_src_factor, over.rt[0].rgb_dst_factor) =
        (BlendFactor::SrcAlpha, BlendFactor::One);
    for (multisample, wanted) in [(true, [255, 128, 0]), (false, [255, 64, 0])] {
        let mut setup = setup(&screen, 4);
        let state =
            RasterizerState { poly_smooth: true, line_smooth: true, multisample, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.blend(&over).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        // With smoothing the side is at 4.25, so a quarter of column 4 is covered. With samples it
        // is at 4.5, right of the samples at 1/8 and 3/8.
        let right = if multisample { 4.5 } else { 4.25 };
        setup.upload(&screen, &rectangle([0.0, 0.0, right, 32.0], 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let means = means(&screen, &mut setup);
        let row = 4 * 17 * SIZE as usize;
        assert_eq!([2, 4, 6].map(|x| means[row + 4 * x]), wanted, "{multisample}");
        // A line from (2, 20) to (30, 20), a pixel wide: half of the rows above and below.
        if !multisample {
            setup.clear(BLACK, 1.0).unwrap();
            let line = [rectangle([2.0, 20.0, 30.0, 21.0], 0.0, WHITE)];
            let ends = [line[0][0], line[0][1]];
            setup.upload(&screen, &ends).unwrap();
            setup.draw(PrimType::Lines, 2).unwrap();
            let means = self::means(&screen, &mut setup);
            let red = |y: usize| means[4 * (y * SIZE as usize + 16)];
            assert_eq!([18, 19, 20, 21].map(red), [0, 128, 128, 0]);
        }
    }
}

/// A triangle's bounds end in the middle of column 4, with two of its pixels' samples on each side.
fn filled_rectangles_cover_the_samples_within_bounds<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let fill = PolygonMode::FillRectangle;
    let state =
        RasterizerState { fill_front: fill, fill_back: fill, multisample: true, ..rasterizer() };
    setup.rasterizer(&state).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let [low, right, high, ..] = rectangle([2.0, 3.0, 4.5, 9.0], 0.0, WHITE);
    setup.upload(&screen, &[low, right, high]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let means = means(&screen, &mut setup);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let wanted = match (x, (3..9).contains(&y)) {
                (2 | 3, true) => 255,
                (4, true) => 128,
                _ => 0,
            };
            assert_eq!(means[4 * (y * SIZE + x) as usize], wanted, "{x} {y}");
        }
    }
}

#[test]
fn occlusion_counts_samples() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    let query = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.context.end_query(query).unwrap();
    // Four columns of four samples, and one of two.
    let counted = setup.context.get_query_result(query, true).unwrap();
    assert_eq!(counted, Some(QueryResult::U64(32 * (4 * 4 + 2))));
}

fn window_rectangles_keep_all_samples_of_a_pixel_or_none<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    if screen.get_param(pipe_core::Cap::MaxWindowRectangles) == 0 {
        return;
    }
    let mut setup = setup::<P>(&screen, 4);
    let inside = |x: u32, y: u32| (3..18).contains(&x) && (5..29).contains(&y);
    let window = pipe_core::ScissorState { minx: 3, miny: 5, maxx: 18, maxy: 29 };
    for include in [true, false] {
        let windows = pipe_core::WindowRectangles::new(include, &[window]).unwrap();
        setup.context.set_window_rectangles(&windows).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        for (at, pixel) in (0..).zip(means(&screen, &mut setup).chunks(4)) {
            let (x, y) = (at % SIZE, at / SIZE);
            let wanted = if inside(x, y) == include { 255 } else { 0 };
            assert_eq!(pixel[0], wanted, "{include}: {x}, {y}");
        }
    }
}
