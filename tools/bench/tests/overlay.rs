//! embedded-graphics over a 3D frame, in memory and on the tiles of a streamed frame.

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_6X10};
use embedded_graphics::pixelcolor::{Gray8, Rgb565, RgbColor, WebColors};
use embedded_graphics::prelude::{Drawable, Point, Primitive, Size};
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};
use gallium_bench::screens;
use gallium_host::picture::Picture;
use gallium_host::render::{self, BOARD, PicturePanel};
use os_shim::{Memory, Os};
use pipe_core::auxiliary::draw_on;
use pipe_core::panel::graphics::{Canvas, Drawn};
use pipe_core::{Area, ContextFlags, Format, Overlay, PipeError};
use raster::AnyProfile;
use scenes::{DEMOS, SceneRenderer, Surface, View};

const SURFACE: Surface = Surface { width: 96, height: 64, ..BOARD };
const WHOLE: Area = Area { x: 0, y: 0, width: 96, height: 64 };
/// The bar crosses the border between tiles of 32 pixels, and leaves the picture on the right.
const BAR: Rectangle = Rectangle::new(Point::new(20, 28), Size::new(90, 9));

/// Draws a magenta bar with white letters on it.
fn label(canvas: &mut Canvas<'_, Rgb565>) {
    let Ok(()) = BAR.into_styled(PrimitiveStyle::with_fill(Rgb565::CSS_MAGENTA)).draw(canvas);
    let style = MonoTextStyle::new(&FONT_6X10, Rgb565::CSS_WHITE);
    let Ok(_) =
        Text::with_baseline("S2 fps", Point::new(22, 27), style, Baseline::Top).draw(canvas);
}

/// Returns the bunny in memory, with `draw` applied to the picture.
fn in_memory<C: Drawn>(
    area: Area,
    draw: impl FnOnce(&mut Canvas<'_, C>),
) -> anyhow::Result<Picture> {
    let os = Os::bare(Memory::system());
    screens::with_screen(AnyProfile::Small, os, &SURFACE, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderer = SceneRenderer::new(screen, &mut *context, &SURFACE, DEMOS[0])?;
        renderer.draw(&mut *context, &View::turntable(3, 36, SURFACE.aspect()))?;
        let color = renderer.color().expect("a colour buffer");
        // There is no flush before this call: the transfer waits for the draw.
        let drawn = draw_on(&mut *context, color, SURFACE.color, area, draw);
        let picture = render::read(&renderer, &mut *context, &SURFACE)?;
        renderer.destroy(screen, &mut *context);
        drawn?;
        Ok(picture)
    })
}

fn inside_bar(x: u32, y: u32) -> bool {
    (20..110).contains(&x) && (28..37).contains(&y)
}

fn at(picture: &Picture, x: u32, y: u32) -> [u8; 4] {
    picture.pixels[(y * picture.width + x) as usize]
}

#[test]
fn a_label_is_drawn_over_a_frame_in_memory() {
    let plain = in_memory(WHOLE, |_: &mut Canvas<'_, Rgb565>| ()).unwrap();
    let labelled = in_memory(WHOLE, label).unwrap();
    let (magenta, white) = ([255, 0, 255, 255], [255; 4]);
    let mut letters = 0;
    for y in 0..SURFACE.height.into() {
        for x in 0..SURFACE.width.into() {
            let pixel = at(&labelled, x, y);
            if inside_bar(x, y) {
                assert!(pixel == magenta || pixel == white, "({x}, {y}): {pixel:?}");
                letters += usize::from(pixel == white);
            } else if !(22..58).contains(&x) || !(27..37).contains(&y) {
                assert_eq!(pixel, at(&plain, x, y), "({x}, {y})");
            }
        }
    }
    // Five letters of about five strokes in each direction, one pixel wide.
    assert!((40..140).contains(&letters), "{letters} pixels of letters");
    assert_ne!(plain, labelled);
}

#[test]
fn streamed_tiles_show_what_memory_does() {
    let surface = Surface { streamed: true, ..SURFACE };
    let os = Os::bare(Memory::system());
    let streamed = screens::with_screen(AnyProfile::Small, os, &surface, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderer = SceneRenderer::new(screen, &mut *context, &surface, DEMOS[0])?;
        renderer.draw(&mut *context, &View::turntable(3, 36, surface.aspect()))?;
        let draw = |area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize| {
            label(&mut Canvas::new(area, format, pixels, stride_bytes).expect("RGB565"));
        };
        let mut panel = Overlay::new(PicturePanel::default(), draw);
        renderer.present(&mut *context, &mut panel)?;
        renderer.destroy(screen, &mut *context);
        panel.panel.picture()
    });
    assert_eq!(streamed.unwrap(), in_memory(WHOLE, label).unwrap());
}

#[test]
fn what_is_drawn_on_a_part_stays_in_it() {
    let part = Area { x: 30, y: 20, width: 10, height: 30 };
    let plain = in_memory(WHOLE, |_: &mut Canvas<'_, Rgb565>| ()).unwrap();
    let drawn = in_memory(part, |canvas| {
        let all = Rectangle::new(Point::new(-50, -50), Size::new(500, 500));
        let Ok(()) = all.into_styled(PrimitiveStyle::with_fill(Rgb565::YELLOW)).draw(canvas);
    })
    .unwrap();
    for y in 0..SURFACE.height.into() {
        for x in 0..SURFACE.width.into() {
            let inside = (30..40).contains(&x) && (20..50).contains(&y);
            let expected = if inside { [255, 255, 0, 255] } else { at(&plain, x, y) };
            assert_eq!(at(&drawn, x, y), expected, "({x}, {y})");
        }
    }
}

#[test]
fn colours_that_the_format_does_not_store_are_refused() {
    let grey = in_memory(WHOLE, |_: &mut Canvas<'_, Gray8>| panic!("there is no such canvas"));
    let error = grey.unwrap_err().downcast::<PipeError>().expect("the driver's error");
    assert!(matches!(error, PipeError::Unsupported(_)), "{error}");
    let outside = Area { x: 90, y: 0, width: 10, height: 4 };
    assert!(in_memory(outside, |_: &mut Canvas<'_, Rgb565>| ()).is_err());
}
