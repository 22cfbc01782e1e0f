//! Adapters to embedded-graphics, in both directions.
//!
//! * [`TargetPanel`]: any `DrawTarget` (a driver crate's display, a simulator) as a [`TilePanel`].
//! * [`Canvas`]: a tile, or any pixels in memory, as a `DrawTarget`. With
//!   [`Overlay`](super::Overlay), text and widgets are drawn over a 3D frame before it is
//!   presented.
//! * [`draw_on`](crate::auxiliary::draw_on) lends a canvas on a resource in memory.

use core::convert::Infallible;
use core::marker::PhantomData;

use embedded_graphics_core::Drawable;
use embedded_graphics_core::draw_target::DrawTarget;
use embedded_graphics_core::geometry::{Dimensions, Point, Size};
use embedded_graphics_core::pixelcolor::raw::{RawData, RawU8, RawU16};
use embedded_graphics_core::pixelcolor::{Gray8, PixelColor, Rgb565, Rgb888, RgbColor};
use embedded_graphics_core::{Pixel, primitives::Rectangle};
use formats::Format;

use super::{Area, PanelError, TilePanel};

impl From<Area> for Rectangle {
    fn from(area: Area) -> Self {
        Rectangle::new(Point::new(area.x as i32, area.y as i32), Size::new(area.width, area.height))
    }
}

/// A colour that our pixels convert to, rounded to the nearest value. All colours of
/// embedded-graphics implement it.
pub trait Shown: PixelColor + From<Rgb565> + From<Rgb888> + From<Gray8> {}

impl<C: PixelColor + From<Rgb565> + From<Rgb888> + From<Gray8>> Shown for C {}

/// A display of embedded-graphics as a panel: converts pixels to the display's colour, tile by
/// tile.
///
/// Surfaces may be `B5G6R5_UNORM`, `L8_UNORM` or `R8_UNORM` (as grey), or have 8 bits per channel
/// (red or blue first).
#[derive(Clone, Copy, Debug)]
pub struct TargetPanel<D>(pub D);

impl<D> TargetPanel<D>
where
    D: DrawTarget,
    D::Color: Shown,
{
    fn fill<const N: usize, C: Into<D::Color>>(
        &mut self,
        area: Area,
        pixels: &[u8],
        stride_bytes: usize,
        read: impl Fn([u8; N]) -> C,
    ) -> Result<(), PanelError> {
        let rows = pixels.chunks(stride_bytes.max(1)).take(area.height as usize);
        let texels =
            rows.flat_map(|row| row.as_chunks::<N>().0.iter().copied().take(area.width as usize));
        let colors = texels.map(|texel| read(texel).into());
        self.0.fill_contiguous(&area.into(), colors).map_err(|_| PanelError::REFUSED)
    }
}

impl<D> TilePanel for TargetPanel<D>
where
    D: DrawTarget,
    D::Color: Shown,
{
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let area = Area { x, y, width, height };
        match format {
            Format::B5G6R5Unorm => self.fill(area, pixels, stride_bytes, |texel| {
                Rgb565::from(RawU16::new(u16::from_le_bytes(texel)))
            }),
            Format::L8Unorm | Format::R8Unorm => {
                self.fill(area, pixels, stride_bytes, |[grey]| Gray8::new(grey))
            }
            Format::R8G8B8A8Unorm | Format::R8G8B8X8Unorm => {
                self.fill(area, pixels, stride_bytes, |[r, g, b, _]| Rgb888::new(r, g, b))
            }
            Format::B8G8R8A8Unorm | Format::B8G8R8X8Unorm => {
                self.fill(area, pixels, stride_bytes, |[b, g, r, _]| Rgb888::new(r, g, b))
            }
            _ => Err(PanelError::FORMAT),
        }
    }
}

/// A colour of embedded-graphics that our pixel formats can store.
pub trait Drawn: PixelColor {
    /// Size of a pixel, in bytes.
    const BYTES: usize;
    /// Returns true if [`Drawn::store`] writes pixels of this format.
    fn suits(format: Format) -> bool;
    /// Writes the colour to the first [`Drawn::BYTES`] bytes of `pixel`.
    fn store(self, pixel: &mut [u8]);
}

impl Drawn for Rgb565 {
    const BYTES: usize = 2;
    fn suits(format: Format) -> bool {
        format == Format::B5G6R5Unorm
    }
    fn store(self, pixel: &mut [u8]) {
        pixel.copy_from_slice(&RawU16::from(self).into_inner().to_le_bytes());
    }
}

impl Drawn for Gray8 {
    const BYTES: usize = 1;
    fn suits(format: Format) -> bool {
        matches!(format, Format::L8Unorm | Format::R8Unorm)
    }
    fn store(self, pixel: &mut [u8]) {
        pixel.copy_from_slice(&[RawU8::from(self).into_inner()]);
    }
}

/// Stores opaque pixels, red first.
impl Drawn for Rgb888 {
    const BYTES: usize = 4;
    fn suits(format: Format) -> bool {
        matches!(format, Format::R8G8B8A8Unorm | Format::R8G8B8X8Unorm)
    }
    fn store(self, pixel: &mut [u8]) {
        pixel.copy_from_slice(&[self.r(), self.g(), self.b(), 255]);
    }
}

/// Pixels in memory as a `DrawTarget` in the surface's coordinates. Drawings outside of the tile
/// are clipped.
#[derive(Debug)]
pub struct Canvas<'p, C> {
    pixels: &'p mut [u8],
    stride_bytes: usize,
    area: Area,
    color: PhantomData<C>,
}

impl<'p, C: Drawn> Canvas<'p, C> {
    /// Returns a canvas over `pixels` with `area.height` rows that are `stride_bytes` apart.
    /// Returns `None` if the format cannot store this colour, or `pixels` is too short.
    pub fn new(
        area: Area,
        format: Format,
        pixels: &'p mut [u8],
        stride_bytes: usize,
    ) -> Option<Self> {
        let row = (area.width as usize).checked_mul(C::BYTES)?;
        let above = stride_bytes.checked_mul((area.height as usize).saturating_sub(1))?;
        let fits =
            C::suits(format) && row <= stride_bytes && above.checked_add(row)? <= pixels.len();
        fits.then_some(Canvas { pixels, stride_bytes, area, color: PhantomData })
    }

    /// Returns the pixels of a part of a row; (`x`, `y`) counts from the area's upper left corner.
    fn row(&mut self, x: u32, y: u32, width: u32) -> impl Iterator<Item = &mut [u8]> {
        // An overflow is beyond all pixels.
        let bytes = |pixels: u32| (pixels as usize).saturating_mul(C::BYTES);
        let start = (y as usize).saturating_mul(self.stride_bytes).saturating_add(bytes(x));
        let end = start.saturating_add(bytes(width));
        self.pixels.get_mut(start..end).unwrap_or(&mut []).chunks_exact_mut(C::BYTES)
    }
}

/// Draws a text, a widget or another drawing of embedded-graphics into pixels, in the surface's
/// coordinates: what the function of an [`Overlay`](super::Overlay) does.
///
/// Pixels that [cannot be a canvas](Canvas::new) stay as they are.
pub fn draw<C: Drawn>(
    drawing: &impl Drawable<Color = C>,
    area: Area,
    format: Format,
    pixels: &mut [u8],
    stride_bytes: usize,
) {
    if let Some(mut canvas) = Canvas::<C>::new(area, format, pixels, stride_bytes) {
        let Ok(_) = drawing.draw(&mut canvas);
    }
}

impl<C> Dimensions for Canvas<'_, C> {
    fn bounding_box(&self) -> Rectangle {
        self.area.into()
    }
}

impl<C: Drawn> DrawTarget for Canvas<'_, C> {
    type Color = C;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<C>>,
    {
        let Area { x, y, width, height } = self.area;
        for Pixel(Point { x: px, y: py }, color) in pixels {
            // Coordinates left of or above the area wrap around to large numbers.
            let (px, py) = ((px as u32).wrapping_sub(x), (py as u32).wrapping_sub(y));
            if px < width && py < height {
                self.row(px, py, 1).for_each(|pixel| color.store(pixel));
            }
        }
        Ok(())
    }

    fn fill_solid(&mut self, area: &Rectangle, color: C) -> Result<(), Infallible> {
        let area = area.intersection(&self.bounding_box());
        if area.is_zero_sized() {
            return Ok(());
        }
        let x = (area.top_left.x as u32).saturating_sub(self.area.x);
        let y = (area.top_left.y as u32).saturating_sub(self.area.y);
        for row in y..y.saturating_add(area.size.height) {
            self.row(x, row, area.size.width).for_each(|pixel| color.store(pixel));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::panel::Overlay;
    use embedded_graphics::mock_display::MockDisplay;
    use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_4X6};
    use embedded_graphics::pixelcolor::{BinaryColor, Gray4, GrayColor, WebColors};
    use embedded_graphics::text::{Baseline, Text};
    use std::vec::Vec;

    #[test]
    fn tiles_reach_a_display_in_its_colours() {
        let mut panel = TargetPanel(MockDisplay::<Rgb565>::new());
        // Red, green; padding; blue, white.
        let pixels = [0x00, 0xf8, 0xe0, 0x07, 9, 9, 0x1f, 0x00, 0xff, 0xff];
        panel.tile(1, 2, 2, 2, Format::B5G6R5Unorm, &pixels, 6).unwrap();
        panel.0.assert_pattern(&["   ", "   ", " RG", " BW"]);
        // A 1-bit display lights pixels that are at least half as bright as white.
        let mut panel = TargetPanel(MockDisplay::<BinaryColor>::new());
        panel.tile(0, 0, 2, 2, Format::B5G6R5Unorm, &pixels, 6).unwrap();
        panel.0.assert_pattern(&[".#", ".#"]);
    }

    #[test]
    fn grey_is_rounded_to_the_display_s_steps() {
        let mut panel = TargetPanel(MockDisplay::<Gray4>::new());
        // Steps are 17 apart: 8 is nearer to 0, and 9 is nearer to 17.
        panel.tile(0, 0, 4, 1, Format::L8Unorm, &[8, 9, 25, 247], 4).unwrap();
        panel.0.assert_pattern(&["011F"]);
        assert_eq!(Gray4::from(Gray8::new(26)).luma(), 2);
    }

    #[test]
    fn channels_of_eight_bits_come_in_both_orders() {
        let mut panel = TargetPanel(MockDisplay::<Rgb888>::new());
        panel.tile(0, 0, 1, 1, Format::R8G8B8A8Unorm, &[255, 0, 0, 9], 4).unwrap();
        panel.tile(1, 0, 1, 1, Format::B8G8R8X8Unorm, &[255, 0, 0, 9], 4).unwrap();
        panel.0.assert_pattern(&["RB"]);
        let depth = panel.tile(2, 0, 1, 1, Format::Z16Unorm, &[0, 0], 2);
        assert_eq!(depth, Err(PanelError::FORMAT));
    }

    #[test]
    fn a_display_that_refuses_is_an_error() {
        struct Broken;
        impl Dimensions for Broken {
            fn bounding_box(&self) -> Rectangle {
                Rectangle::zero()
            }
        }
        impl DrawTarget for Broken {
            type Color = Gray8;
            type Error = ();
            fn draw_iter<I: IntoIterator<Item = Pixel<Gray8>>>(&mut self, _: I) -> Result<(), ()> {
                Err(())
            }
        }
        let tile = TargetPanel(Broken).tile(0, 0, 1, 1, Format::L8Unorm, &[0], 1);
        assert_eq!(tile, Err(PanelError::REFUSED));
    }

    /// Text over two tiles must equal text over the whole picture.
    #[test]
    fn an_overlay_is_cut_at_tiles_and_joined_again() {
        let style = MonoTextStyle::new(&FONT_4X6, Rgb565::CSS_WHITE);
        let drawing = Text::with_baseline("G4l", Point::new(-1, 1), style, Baseline::Top);
        let whole = Area { x: 0, y: 0, width: 12, height: 8 };
        let mut expected = [0u8; 12 * 8 * 2];
        let mut canvas = Canvas::new(whole, Format::B5G6R5Unorm, &mut expected, 24).unwrap();
        drawing.draw(&mut canvas).unwrap();
        assert!(expected.contains(&255));

        let display = TargetPanel(MockDisplay::<Rgb565>::new());
        let mut panel = Overlay::new(display, |area, format, pixels: &mut [u8], stride_bytes| {
            draw(&drawing, area, format, pixels, stride_bytes);
        });
        for (x, width) in [(0, 5), (5, 7)] {
            let mut pixels = [0u8; 7 * 8 * 2];
            let area = Area { x, y: 0, width, height: 8 };
            panel.overlay(area, Format::B5G6R5Unorm, &mut pixels, 14);
            panel.tile(x, 0, width, 8, Format::B5G6R5Unorm, &pixels, 14).unwrap();
        }
        for y in 0..8 {
            let row: Vec<u16> = (0..12)
                .map(|x| panel.panel.0.get_pixel(Point::new(x, y)).unwrap())
                .map(|color| RawU16::from(color).into_inner())
                .collect();
            let bytes = expected[y as usize * 24..][..24].as_chunks::<2>().0;
            let wanted: Vec<u16> = bytes.iter().map(|&b| u16::from_le_bytes(b)).collect();
            assert_eq!(row, wanted, "row {y}");
        }
    }

    #[test]
    fn fills_are_cut_off() {
        let mut pixels = [0u8; 12];
        let area = Area { x: 10, y: 10, width: 3, height: 2 };
        let mut canvas = Canvas::<Gray8>::new(area, Format::R8Unorm, &mut pixels, 6).unwrap();
        let fill = Rectangle::new(Point::new(12, -5), Size::new(50, 16));
        canvas.fill_solid(&fill, Gray8::new(7)).unwrap();
        canvas.fill_solid(&Rectangle::new(Point::zero(), Size::new(9, 9)), Gray8::new(1)).unwrap();
        let outside = Pixel(Point::new(9, 11), Gray8::new(2));
        canvas.draw_iter([outside, Pixel(Point::new(10, 11), Gray8::new(3))]).unwrap();
        assert_eq!(pixels, [0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
        assert!(Canvas::<Gray8>::new(area, Format::R8Unorm, &mut pixels[..8], 6).is_none());
        assert!(Canvas::<Rgb565>::new(area, Format::R8Unorm, &mut pixels, 6).is_none());
    }
}
