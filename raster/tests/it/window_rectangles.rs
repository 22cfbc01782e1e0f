//! Window rectangles: `GL_EXT_window_rectangles`, of draws and of blits.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlitInfo, BlitSurface, Cap, PipeError, PrimType, Region, ResourceTemplate, ScissorState,
    Screen as _, TexFilter, WindowRectangles,
};

in_all_profiles! {
    draws_keep_the_pixels_that_the_rectangles_keep
    later_draws_have_other_rectangles
    blits_have_rectangles_of_their_own
}

const SIZE: (u32, u32) = (75, 41);

/// (first column, first row, end column, end row).
type Rectangle = (u16, u16, u16, u16);

fn rectangles(include: bool, list: &[Rectangle]) -> WindowRectangles {
    let list: Vec<_> = list
        .iter()
        .map(|&(minx, miny, maxx, maxy)| ScissorState { minx, miny, maxx, maxy })
        .collect();
    WindowRectangles::new(include, &list).unwrap()
}

/// Implements the extension's rule: inside any rectangle, or outside all.
fn is_kept(include: bool, list: &[Rectangle], x: u32, y: u32) -> bool {
    let (x, y) = (x as u16, y as u16);
    let inside = list.iter().any(|&(x0, y0, x1, y1)| x0 <= x && x < x1 && y0 <= y && y < y1);
    inside == include
}

/// Empty, beyond the target, across edges of tiles and blocks, overlapping, eight of them.
const LISTS: [&[Rectangle]; 6] = [
    &[],
    &[(3, 2, 20, 30)],
    &[(5, 5, 5, 9), (9, 9, 30, 9)],
    &[(0, 0, 1000, 1000)],
    &[(10, 10, 40, 30), (30, 20, 70, 41), (16, 16, 32, 32)],
    &[
        (1, 1, 2, 40),
        (3, 1, 4, 40),
        (5, 3, 66, 4),
        (63, 0, 65, 41),
        (31, 15, 33, 17),
        (70, 30, 999, 999),
        (0, 40, 75, 41),
        (20, 20, 24, 24),
    ],
];

fn assert_kept(setup: &mut Setup<'_, '_>, mode: PrimType, include: bool, list: &[Rectangle]) {
    let pixels = setup.pixels().unwrap();
    let size = setup.options.format.block_bytes();
    for (at, pixel) in (0..).zip(pixels.chunks(size)) {
        let (x, y) = (at % SIZE.0, at / SIZE.0);
        let drawn = pixel[0] != 0 || pixel[1] != 0;
        assert_eq!(drawn, is_kept(include, list, x, y), "{mode:?} {include} {list:?}: {x}, {y}");
    }
}

fn draws_keep_the_pixels_that_the_rectangles_keep<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::MaxWindowRectangles), 8);
    // Integer spans draw RGB565 on another path.
    for (format, streamed) in
        [(Format::R8G8B8A8Unorm, false), (Format::B5G6R5Unorm, false), (Format::B5G6R5Unorm, true)]
    {
        let (width, height) = SIZE;
        let options = Options { width, height, format, streamed, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        let triangle = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let triangle = triangle.map(|(x, y)| vertex(x, y, 0.0, WHITE));
        // A line along the middle of each row.
        let lines = (0..height).flat_map(|row| {
            let y = (2 * row + 1) as f32 / height as f32 - 1.0;
            [vertex(-1.5, y, 0.0, WHITE), vertex(1.5, y, 0.0, WHITE)]
        });
        let lines: Vec<_> = lines.collect();
        for (mode, vertices) in [(PrimType::Triangles, &triangle[..]), (PrimType::Lines, &lines)] {
            setup.upload(&screen, vertices).unwrap();
            for (include, list) in LISTS.iter().flat_map(|list| [(false, list), (true, list)]) {
                let windows = rectangles(include, list);
                setup.context.set_window_rectangles(&windows).unwrap();
                // Clears ignore the rectangles.
                setup.clear([0.0; 4], 1.0).unwrap();
                setup.draw(mode, vertices.len() as u32).unwrap();
                assert_kept(&mut setup, mode, include, list);
            }
        }
    }
}

/// Draws wait in one scene, each with the rectangles that were set when it was recorded.
fn later_draws_have_other_rectangles<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.clear(BLACK, 1.0).unwrap();
    for (color, include, list) in [
        (RED, true, &[(0, 0, 16, 1)][..]),
        (GREEN, true, &[(1, 0, 3, 2)]),
        (BLUE, false, &[(0, 0, 16, 15)]),
    ] {
        setup.context.set_window_rectangles(&rectangles(include, list)).unwrap();
        setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, color))).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
    }
    let mut wanted = vec![".".repeat(16); 16];
    wanted[0] = "rggrrrrrrrrrrrrr".into();
    wanted[1] = ".gg.............".into();
    wanted[15] = "b".repeat(16);
    assert_picture!(setup.text(), wanted);
    let many = WindowRectangles { count: 9, ..WindowRectangles::default() };
    let refused = setup.context.set_window_rectangles(&many);
    assert!(matches!(refused, Err(PipeError::OutOfRange { .. })), "{refused:?}");
}

fn blits_have_rectangles_of_their_own<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (width, height) = SIZE;
    let format = Format::R8G8B8A8Unorm;
    let options = Options { width, height, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let template = ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW);
    let texels = vec![255; (4 * width * height) as usize];
    let white = setup.image(&screen, &template, &texels).unwrap();
    // The draws' rectangles do not apply to blits.
    setup.context.set_window_rectangles(&rectangles(true, &[])).unwrap();
    for (include, list) in LISTS.iter().flat_map(|list| [(false, list), (true, list)]) {
        setup.clear([0.0; 4], 1.0).unwrap();
        let end = |resource| {
            let region = Region::whole(width, height, 1);
            BlitSurface { resource, level: 0, region, format }
        };
        let info = BlitInfo::new(end(setup.color), end(white), TexFilter::Nearest);
        let window_rectangles = rectangles(include, list);
        setup.context.blit(&BlitInfo { window_rectangles, ..info }).unwrap();
        assert_kept(&mut setup, PrimType::Triangles, include, list);
    }
}
