//! Text over a frame: the instruction count of the previous frame.

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_4X6};
use embedded_graphics::pixelcolor::{Gray8, GrayColor};
use embedded_graphics::prelude::{Drawable, Point};
use embedded_graphics::text::{Baseline, Text};
use formats::Format;
use pipe_core::Area;
use pipe_core::panel::graphics::Canvas;

/// The longest text: `4294967k`.
const LETTERS: usize = 8;

/// The rectangle that [`count_overlay`] draws in: letters of 4×6 pixels, one pixel from the corner.
pub const COUNT_BOUNDS: Area = Area { x: 1, y: 1, width: 4 * LETTERS as u32, height: 6 };

/// Writes an instruction count, in thousands, into the upper left corner of a grey tile.
///
/// The other arguments are the arguments of [`pipe_core::Overlay`]'s function.
pub fn count_overlay(
    instructions: u32,
    area: Area,
    format: Format,
    pixels: &mut [u8],
    stride_bytes: usize,
) {
    let Some(mut canvas) = Canvas::<Gray8>::new(area, format, pixels, stride_bytes) else { return };
    let mut letters = [0; LETTERS];
    let text = thousands(instructions, &mut letters);
    let style = MonoTextStyle::new(&FONT_4X6, Gray8::WHITE);
    let Ok(_) = Text::with_baseline(text, Point::new(1, 1), style, Baseline::Top).draw(&mut canvas);
}

/// Formats `1234567` as `1234k`, without `core::fmt`, which would take kilobytes of code.
fn thousands(number: u32, letters: &mut [u8; LETTERS]) -> &str {
    let mut rest = number / 1000;
    let mut start = LETTERS;
    for (place, letter) in letters.iter_mut().enumerate().rev() {
        *letter = if place == LETTERS - 1 {
            b'k'
        } else if rest == 0 && place < LETTERS - 2 {
            break;
        } else {
            b'0' + (rest % 10) as u8
        };
        if place < LETTERS - 1 {
            rest /= 10;
        }
        start = place;
    }
    str::from_utf8(letters.get(start..).unwrap_or(&[])).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_thousands() {
        for (number, text) in [
            (0, "0k"),
            (999, "0k"),
            (1000, "1k"),
            (10_499, "10k"),
            (1_234_567, "1234k"),
            (u32::MAX, "4294967k"),
        ] {
            assert_eq!(thousands(number, &mut [0; LETTERS]), text);
        }
    }

    #[test]
    fn the_count_is_in_the_corner_only() {
        let mut pixels = [0; 40 * 8];
        let area = Area { x: 0, y: 0, width: 40, height: 8 };
        count_overlay(88_888, area, Format::L8Unorm, &mut pixels, 40);
        assert!(pixels.contains(&255));
        // Three characters of four pixels from column 1, six rows from row 1.
        for (at, pixel) in pixels.iter().enumerate() {
            let (x, y) = (at % 40, at / 40);
            assert!(*pixel == 0 || ((1..13).contains(&x) && (1..7).contains(&y)), "{x},{y}");
        }
    }
}
