//! The cube on a PC: writes frames as raw RGB565, low byte first, to `FOLDER/host-N.rgb565`.
//!
//! ```sh
//! cargo run --package gallium-pico --example host -- 3 target
//! ```

use std::mem::MaybeUninit;

use formats::Format;
use gallium_pico::{Renderer, SIDE};
use pipe_core::{PanelError, PipeError, TilePanel};

/// A display that keeps the bytes of a file.
struct Pixels(Vec<[u8; 2]>);

impl TilePanel for Pixels {
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
        for (row, texels) in (y..).zip(pixels.chunks(stride_bytes)) {
            let to = self.0[(row * SIDE + x) as usize..][..width as usize].iter_mut();
            to.zip(texels.as_chunks().0).for_each(|(to, texel)| *to = *texel);
        }
        Ok(())
    }
}

/// Returns memory for the driver: pointers of a PC are larger than a board's.
fn heap() -> &'static mut [MaybeUninit<u8>] {
    Box::leak(vec![MaybeUninit::uninit(); 64 * 1024].into_boxed_slice())
}

/// Draws frames with `frame`.
fn drawn(
    count: usize,
    mut frame: impl FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
) -> Vec<Pixels> {
    let mut next = || {
        let mut pixels = Pixels(vec![[0; 2]; (SIDE * SIDE) as usize]);
        frame(&mut pixels).map(|()| pixels)
    };
    (0..count).map(|_| next().expect("the scene buffer holds the cube")).collect()
}

/// Draws frames.
fn frames(count: usize) -> Vec<Pixels> {
    let mut renderer = Renderer::new(heap()).expect("64 KiB are enough");
    drawn(count, |panel| renderer.frame(panel))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    for (number, Pixels(pixels)) in frames(count).into_iter().enumerate() {
        let path = format!("{folder}/host-{number}.rgb565");
        std::fs::write(&path, pixels.concat()).expect("the folder is there");
    }
}

#[test]
fn the_cube_is_there_and_turns() {
    let pictures = frames(2);
    let at = |frame: usize, x: u32, y: u32| {
        u16::from_le_bytes(pictures[frame].0[(y * SIDE + x) as usize])
    };
    // The clear colour (0.05, 0.07, 0.15) in 31sts and 63rds.
    let background = 2 << 11 | 4 << 5 | 5;
    for (x, y) in [(0, 239), (239, 239), (239, 0)] {
        assert_eq!(at(0, x, y), background);
    }
    // Seen from four units away, the front of a cube of two units takes two thirds of the picture's
    // height. Its top, which is tilted towards the viewer, takes some more.
    let covered =
        |frame: usize| pictures[frame].0.iter().filter(|it| u16::from_le_bytes(**it) != background);
    let share = covered(0).count() as f32 / (SIDE * SIDE) as f32;
    assert!((0.35..0.75).contains(&share), "{share}");
    // The text's letters are white; the brightest texel is not.
    assert!(covered(0).any(|pixel| *pixel == [0xff, 0xff]));
    assert!((0..SIDE).any(|x| at(0, x, 120) != at(1, x, 120)), "it stands still");
}

#[test]
fn the_kit_draws_the_same_cube() {
    let mut kit = gallium_pico::kit::Renderer::new(heap()).expect("64 KiB are enough");
    let kit = drawn(5, |panel| kit.frame(panel));
    for (number, (kit, by_hand)) in kit.iter().zip(&frames(5)).enumerate() {
        let differ = kit.0.iter().zip(&by_hand.0).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "pixels of frame {number} differ");
    }
}
