//! The board support, for you to replace: start-up, memory, display. This display exists in RAM
//! only.

use formats::Format;
use pipe_core::{PanelError, TilePanel};

/// A display of 64×48 pixels of RGB565. Replace it with one that sends tiles to your controller.
pub(crate) struct Display([[u16; 64]; 48]);

impl TilePanel for Display {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        _height: u32,
        _format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let rows = self.0.iter_mut().skip(y as usize);
        for (row, pixels) in rows.zip(pixels.chunks(stride_bytes)) {
            let pixels = pixels.chunks_exact(2).take(width as usize);
            for (pixel, bytes) in row.iter_mut().skip(x as usize).zip(pixels) {
                *pixel = bytes.iter().rev().fold(0, |word, byte| word << 8 | u16::from(*byte));
            }
        }
        Ok(())
    }
}

#[cfg(target_os = "none")]
mod start {
    use core::mem::MaybeUninit;

    use super::Display;

    /// Memory for the pipeline, in bytes.
    const HEAP_BYTES: usize = 12 * 1024;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let heap = cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
        let display = cortex_m::singleton!(: Display = Display([[0; 64]; 48]));
        if let (Some(heap), Some(display)) = (heap, display) {
            // Handle the error as your product needs.
            let _ = crate::draw(display, heap);
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

/// On a PC: prints the picture as text; denser letters are brighter.
#[cfg(not(target_os = "none"))]
pub(crate) mod start {
    use core::mem::MaybeUninit;

    use super::Display;

    #[cfg_attr(test, expect(dead_code, reason = "the test harness has its own"))]
    pub(crate) fn main() {
        for row in picture() {
            println!("{row}");
        }
    }

    fn picture() -> Vec<String> {
        let mut display = Display([[0; 64]; 48]);
        let mut heap = vec![MaybeUninit::uninit(); 12 * 1024];
        crate::draw(&mut display, &mut heap).expect("12 KB are enough");
        let letter = |pixel: &u16| char::from(b".,:;-=+*o%#@"[usize::from(pixel >> 11) * 11 / 31]);
        let row = |row: &[u16; 64]| row.iter().map(letter).collect();
        display.0.iter().map(row).collect()
    }

    #[cfg(test)]
    #[test]
    fn the_ball_is_lit_from_above() {
        let picture = picture();
        let is_drawn = |letter: &char| *letter != '.';
        let drawn = |row: &String| row.chars().filter(is_drawn).count();
        // A ball of radius 1, 3 units away, covers 1 / √8 of the view's height, times 2.4. On a
        // display of 4:3, the factor 1.8 for the width makes it round.
        let area: usize = picture.iter().map(drawn).sum();
        let ball = core::f32::consts::PI * (2.4 / 8f32.sqrt() * 24.0) * (1.8 / 8f32.sqrt() * 32.0);
        assert!((0.7 * ball..ball).contains(&(area as f32)), "{area} of {ball}\n{picture:#?}");
        let brightest = |rows: &[String]| {
            let letters = rows.iter().flat_map(|row| row.chars());
            letters.map(|letter| ".,:;-=+*o%#@".find(letter).unwrap()).max().unwrap()
        };
        assert!(brightest(&picture[..20]) > brightest(&picture[28..]) + 4);
    }
}
