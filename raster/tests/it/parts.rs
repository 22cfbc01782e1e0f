//! Frames drawn in parts: the same picture from a scene buffer that cannot hold the whole frame.

use gallium_raster::{Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bands, ClearFlags, ColorUnion, Context, DrawInfo, DrawStartCount, PipeError, PrimType,
    RasterizerState,
};

use crate::common::*;

const WIDTH: u32 = 70;
const HEIGHT: u32 = 150;
const TRIANGLES: u32 = 200;

fn options() -> Options {
    Options { width: WIDTH, height: HEIGHT, streamed: true, ..Options::default() }
}

/// Returns small triangles all over the picture, some across its edges.
fn triangles() -> Vec<Vertex> {
    let colors = [RED, GREEN, BLUE, WHITE, [0.3, 0.55, 0.7, 1.0]];
    let at = |i: u32| {
        let (x, y) = ((i * 37 % 101) as f32 / 50.0 - 1.0, (i * 53 % 97) as f32 / 48.0 - 1.0);
        let corner = |k: u32, dx: f32, dy: f32| {
            vertex(x + dx, y + dy, 0.0, colors[(i + k) as usize % colors.len()])
        };
        [corner(0, 0.0, 0.0), corner(1, 0.3, 0.02), corner(3, 0.05, 0.2)]
    };
    (0..TRIANGLES).flat_map(at).collect()
}

fn setup<'s, 'm, P: Profile>(screen: &'s gallium_raster::Screen<'m, P>) -> Setup<'s, 'm> {
    let mut setup = Setup::new(screen, options()).unwrap();
    setup.rasterizer(&RasterizerState { scissor: true, ..rasterizer() }).unwrap();
    setup.upload(screen, &triangles()).unwrap();
    setup
}

/// Clears, and draws the part of the frame that some rows show.
fn frame<'m>(
    context: &mut dyn Context<'m>,
    rows: std::ops::Range<u32>,
    count: u32,
) -> Result<(), PipeError> {
    context.set_scissor_states(0, &[Bands::scissor(&rows)])?;
    context.clear(ClearFlags::COLOR0, None, &ColorUnion::float([0.0, 0.0, 0.5, 1.0]), 1.0, 0)?;
    let draws = [DrawStartCount::count(count * 3)];
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &draws)
}

/// Returns the picture of the whole frame.
fn expected() -> Vec<u8> {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen);
    frame(&mut *setup.context, 0..HEIGHT, TRIANGLES).unwrap();
    let mut picture = Picture::new(&setup.options);
    setup.context.present(setup.color.into(), &mut picture).unwrap();
    let colors: std::collections::HashSet<_> = picture.bytes.chunks(4).collect();
    assert!(colors.len() > 100, "{}", colors.len());
    picture.bytes
}

/// Returns the least bytes of a scene that holds some rows.
fn needs(rows: std::ops::Range<u32>) -> usize {
    let fits = |bytes| {
        let screen = screen::<Small>(Os::host(), bytes);
        frame(&mut *setup(&screen).context, rows.clone(), TRIANGLES).is_ok()
    };
    let (mut small, mut enough) = (1024, 1 << 16);
    assert!(!fits(small) && fits(enough));
    while enough - small > 4 {
        let middle = (small + enough) / 2;
        *(if fits(middle) { &mut enough } else { &mut small }) = middle;
    }
    enough
}

fn parts<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    let mut picture = Picture::new(&setup.options);
    for rows in [0..64, 64..128, 128..HEIGHT] {
        frame(&mut *setup.context, rows.clone(), TRIANGLES).unwrap();
        setup.context.present_rows(setup.color.into(), rows, &mut picture).unwrap();
    }
    assert_eq!(picture.bytes, expected());
    assert!(picture.seen.iter().all(|times| *times == 1));
}

#[test]
fn parts_make_the_whole_picture() {
    parts::<Tiny>();
    parts::<Small>();
}

#[test]
fn rows_that_are_no_part_are_refused() {
    let small = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&small);
    frame(&mut *setup.context, 0..HEIGHT, TRIANGLES).unwrap();
    let mut picture = Picture::new(&setup.options);
    let reversed = std::ops::Range { start: 128, end: 64 };
    for rows in [0..63, 10..64, 64..64, 64..HEIGHT + 1, 128..192, reversed] {
        let refused = setup.context.present_rows(setup.color.into(), rows.clone(), &mut picture);
        assert!(matches!(refused, Err(PipeError::Invalid(_))), "{rows:?}: {refused:?}");
    }
    assert!(picture.seen.iter().all(|times| *times == 0));
    // The frame is still there.
    setup.context.present(setup.color.into(), &mut picture).unwrap();
    assert_eq!(picture.bytes, expected());

    let mut in_memory = Setup::new(&small, Options::default()).unwrap();
    let color = in_memory.color;
    let refused = in_memory.context.present_rows(color.into(), 0..16, &mut picture);
    assert!(matches!(refused, Err(PipeError::Unbound(_))), "{refused:?}");
}

#[test]
fn a_frame_too_large_is_drawn_in_parts() {
    let expected = expected();
    let half = needs(0..128);
    let quarter = needs(0..64).max(needs(64..128)).max(needs(128..HEIGHT));
    assert!(quarter < half && half < needs(0..HEIGHT), "{quarter} {half}");
    for (bytes, rows) in [(0, None), (half, Some(128)), (quarter, Some(64))] {
        let screen = screen::<Small>(Os::host(), bytes);
        let mut setup = setup(&screen);
        let mut bands = Bands::new();
        let mut drawn = Vec::new();
        for _ in 0..2 {
            drawn.clear();
            let mut picture = Picture::new(&setup.options);
            let context = &mut *setup.context;
            let shown =
                bands.present(context, setup.color, HEIGHT, &mut picture, |context, rows| {
                    drawn.push(rows.clone());
                    frame(context, rows, TRIANGLES)
                });
            shown.unwrap();
            assert_eq!(picture.bytes, expected, "{bytes} bytes");
            assert!(picture.seen.iter().all(|times| *times == 1), "{bytes} bytes");
        }
        assert_eq!(bands.rows(), rows, "{bytes} bytes");
        // The second frame began with the rows per part that the first frame had found.
        let wanted: &[_] = match rows {
            None => core::array::from_ref(&(0..150)),
            Some(128) => &[0..128, 128..150],
            _ => &[0..64, 64..128, 128..150],
        };
        assert_eq!(drawn, wanted, "{bytes} bytes");
    }
}

#[test]
fn a_part_too_large_says_what_it_needs() {
    let screen = screen::<Small>(Os::host(), 1024);
    let mut setup = setup(&screen);
    let (color, mut bands) = (setup.color, Bands::new());
    let mut picture = Picture::new(&setup.options);
    let context = &mut *setup.context;
    let mut present = |count: u32, picture: &mut Picture| {
        bands.present(context, color, HEIGHT, picture, |context, rows| frame(context, rows, count))
    };
    let full = present(TRIANGLES, &mut picture);
    let Err(PipeError::SceneFull { capacity: 1024, needed }) = full else { panic!("{full:?}") };
    // Some 90 triangles of 200 touch its rows; each takes at least 40 bytes.
    assert!((2000..12_000).contains(&needed), "{needed}");
    assert!(picture.seen.iter().all(|times| *times == 0));
    // The failed part left nothing behind; a smaller part fits.
    present(2, &mut picture).unwrap();
    assert!(picture.seen.iter().all(|times| *times == 1));
}
