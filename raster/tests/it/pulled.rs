//! Frames pulled tile by tile: the same picture as `present`, drawn to memory of the caller.

use gallium_raster::{Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{ClearFlags, ColorUnion, PipeError, PrimType, Tiles};

use crate::common::*;

const WIDTH: u32 = 70;
const HEIGHT: u32 = 50;

fn options() -> Options {
    Options { width: WIDTH, height: HEIGHT, streamed: true, ..Options::default() }
}

fn triangles() -> Vec<Vertex> {
    let corners = [(-0.9, -0.8, RED), (0.95, -0.2, GREEN), (-0.1, 0.9, BLUE)];
    let turned = [(0.9, 0.8, WHITE), (-0.7, 0.6, BLUE), (0.3, -0.95, RED)];
    corners.iter().chain(&turned).map(|&(x, y, color)| vertex(x, y, 0.0, color)).collect()
}

/// Clears and draws a frame.
fn frame<'s, 'm, P: Profile>(screen: &'s gallium_raster::Screen<'m, P>) -> Setup<'s, 'm> {
    let mut setup = Setup::new(screen, options()).unwrap();
    setup.upload(screen, &triangles()).unwrap();
    draw(&mut setup);
    setup
}

fn draw(setup: &mut Setup<'_, '_>) {
    let dark = ColorUnion::float([0.0, 0.0, 0.5, 1.0]);
    setup.context.clear(ClearFlags::COLOR0, None, &dark, 1.0, 0).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
}

/// Copies a tile's pixels, of four bytes, into a picture.
fn put(picture: &mut [u8], area: pipe_core::Area, pixels: &[u8]) {
    let row = area.width as usize * 4;
    for (y, from) in pixels.chunks_exact(row).take(area.height as usize).enumerate() {
        let at = ((area.y as usize + y) * WIDTH as usize + area.x as usize) * 4;
        picture[at..at + row].copy_from_slice(from);
    }
}

fn pulled<P: Profile>(os: fn() -> Os<'static>) {
    let screen = screen::<P>(os(), 0);
    let mut setup = frame(&screen);
    let mut expected = Picture::new(&setup.options);
    setup.context.present(setup.color.into(), &mut expected).unwrap();
    let colors: std::collections::HashSet<_> = expected.bytes.chunks(4).collect();
    assert!(colors.len() > 100, "{}", colors.len());

    // Two frames: the end of the first one makes room for the second.
    let mut tiles = Tiles::new(setup.color);
    for _ in 0..2 {
        draw(&mut setup);
        let mut picture = vec![0; expected.bytes.len()];
        let mut pixels = vec![0xAA; (P::TILE_PIXELS * 4) as usize];
        let mut drawn = 0;
        while let Some(area) = tiles.next_tile(&mut *setup.context, &mut pixels).unwrap() {
            put(&mut picture, area, &pixels);
            drawn += area.width * area.height;
        }
        assert_eq!(drawn, WIDTH * HEIGHT);
        assert_eq!(picture, expected.bytes);
    }
}

#[test]
fn tiles_make_the_picture() {
    pulled::<Tiny>(Os::host);
    pulled::<Small>(Os::host);
}

#[test]
fn a_tile_can_be_drawn_again_and_out_of_order() {
    let screen = screen::<Tiny>(Os::host(), 0);
    let mut setup = frame(&screen);
    let color = setup.color.into();
    let mut tile = |index: u32| {
        let mut pixels = vec![0; (Tiny::TILE_PIXELS * 4) as usize];
        let area = setup.context.present_tile(color, index, &mut pixels).unwrap();
        (area, pixels)
    };
    let (third, first) = (tile(2), tile(0));
    assert_ne!(third, first);
    assert_eq!((tile(0), tile(2)), (first, third));
    assert_eq!(tile(10_000).0, None, "the frame ends");
    let (_, empty) = tile(0);
    assert!(empty.iter().all(|byte| *byte == 0), "nothing is left of the frame");
}

#[test]
fn memory_too_small_says_how_much_is_needed() {
    let screen = screen::<Tiny>(Os::host(), 0);
    let mut setup = frame(&screen);
    let color = setup.color.into();
    let needed = u64::from(Tiny::TILE_PIXELS * 4);
    let mut short = vec![0; needed as usize - 1];
    let refused = setup.context.present_tile(color, 0, &mut short).unwrap_err();
    let expected =
        PipeError::OutOfRange { what: "the bytes of a tile", value: needed, limit: needed - 1 };
    assert_eq!(refused, expected);
    // The frame is still there.
    let mut enough = vec![0; needed as usize];
    assert!(setup.context.present_tile(color, 0, &mut enough).unwrap().is_some());
}

#[test]
fn a_surface_with_memory_is_refused() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let color = setup.color.into();
    let refused = setup.context.present_tile(color, 0, &mut [0; 64]);
    assert!(matches!(refused, Err(PipeError::Unbound(_))), "{refused:?}");
}
