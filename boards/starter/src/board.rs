//! The board support, for you to replace: start-up, memory, display. This display exists in RAM
//! only.

use core::convert::Infallible;

use embedded_graphics_core::Pixel;
use embedded_graphics_core::draw_target::DrawTarget;
use embedded_graphics_core::geometry::{OriginDimensions, Size};
use embedded_graphics_core::pixelcolor::{Rgb565, RgbColor};

/// A display of 48×24 pixels, lit or dark. Replace it with the display of a driver crate.
pub(crate) struct Display([[bool; 48]; 24]);

impl OriginDimensions for Display {
    fn size(&self) -> Size {
        Size::new(48, 24)
    }
}

impl DrawTarget for Display {
    type Color = Rgb565;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Rgb565>>,
    {
        for Pixel(place, color) in pixels {
            let row = self.0.get_mut(place.y as usize);
            if let Some(lit) = row.and_then(|row| row.get_mut(place.x as usize)) {
                *lit = color != Rgb565::BLACK;
            }
        }
        Ok(())
    }
}

#[cfg(target_os = "none")]
mod start {
    use core::mem::MaybeUninit;

    /// Memory for the driver, in bytes.
    const HEAP_BYTES: usize = 20 * 1024;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let heap = cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
        if let Some(heap) = heap {
            // Handle the error as your product needs.
            let _ = crate::triangle(super::Display([[false; 48]; 24]), heap);
        }
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        loop {
            cortex_m::asm::bkpt();
        }
    }
}

/// On a PC: prints the picture as text.
#[cfg(not(target_os = "none"))]
pub(crate) mod start {
    use core::convert::Infallible;
    use core::mem::MaybeUninit;

    use embedded_graphics_core::Pixel;
    use embedded_graphics_core::draw_target::DrawTarget;
    use embedded_graphics_core::geometry::{OriginDimensions, Size};
    use embedded_graphics_core::pixelcolor::Rgb565;

    use super::Display;

    /// A display that we keep and lend for drawing.
    struct Lent<'d>(&'d mut Display);

    impl OriginDimensions for Lent<'_> {
        fn size(&self) -> Size {
            self.0.size()
        }
    }

    impl DrawTarget for Lent<'_> {
        type Color = Rgb565;
        type Error = Infallible;

        fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
        where
            I: IntoIterator<Item = Pixel<Rgb565>>,
        {
            self.0.draw_iter(pixels)
        }
    }

    #[cfg_attr(test, expect(dead_code, reason = "the test harness has its own"))]
    pub(crate) fn main() {
        for row in picture() {
            println!("{row}");
        }
    }

    fn picture() -> Vec<String> {
        let mut display = Display([[false; 48]; 24]);
        let mut heap = vec![MaybeUninit::uninit(); 20 * 1024];
        crate::triangle(Lent(&mut display), &mut heap).expect("20 KB are enough");
        let text = |row: &[bool; 48]| row.iter().map(|lit| if *lit { '#' } else { '.' }).collect();
        display.0.iter().map(text).collect()
    }

    #[cfg(test)]
    #[test]
    fn the_triangle_is_there() {
        let picture = picture();
        let lit =
            picture.iter().flat_map(|row| row.chars()).filter(|letter| *letter == '#').count();
        // 1.6 × 1.6 / 2 of the 2 × 2 clip square, of 48 × 24 pixels.
        assert!((lit as i32 - 369).abs() < 25, "{lit}");
        assert_eq!(picture[0], ".".repeat(48));
        assert_eq!(&picture[20][..6], "......");
        assert_eq!(&picture[20][23..25], "##");
    }
}
