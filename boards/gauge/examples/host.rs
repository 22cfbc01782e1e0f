//! The gauge on a PC: writes frames as raw RGB565, low byte first, to `FOLDER/host-N.rgb565`, and
//! prints their hashes.
//!
//! ```sh
//! cargo run --package gallium-gauge --example host -- 4 target
//! ```

use std::mem::MaybeUninit;

#[cfg(test)]
use gallium::pipe_core::panel::Changed;
use gallium::prelude::*;
use gallium_gauge::{Gauge, HEAP_BYTES, Hash, SIDE};

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

/// Returns memory for the driver. Pointers of a PC are larger than a board's.
fn heap() -> &'static mut [MaybeUninit<u8>] {
    Box::leak(vec![MaybeUninit::uninit(); HEAP_BYTES].into_boxed_slice())
}

/// Draws frames with `frame`.
fn frames(
    count: usize,
    mut frame: impl FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
) -> Vec<Pixels> {
    let mut next = || {
        let mut pixels = Pixels(vec![[0; 2]; (SIDE * SIDE) as usize]);
        frame(&mut pixels).map(|()| pixels)
    };
    (0..count).map(|_| next().expect("the scene buffer holds the gauge")).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    let mut gauge = Gauge::new(heap()).expect("the memory is enough");
    for (number, Pixels(pixels)) in frames(count, |panel| gauge.frame(panel)).iter().enumerate() {
        let bytes = pixels.concat();
        let mut hash = Hash(0);
        let stride = SIDE as usize * 2;
        hash.tile(0, 0, SIDE, SIDE, Format::B5G6R5Unorm, &bytes, stride).expect("it keeps a hash");
        println!("frame {number} {:08x}", hash.0);
        let path = format!("{folder}/host-{number}.rgb565");
        std::fs::write(&path, bytes).expect("the folder is there");
    }
}

/// A display that counts the bytes that it gets.
#[cfg(test)]
struct Count(u32);

#[cfg(test)]
impl TilePanel for Count {
    fn tile(
        &mut self,
        _x: u32,
        _y: u32,
        width: u32,
        height: u32,
        format: Format,
        _pixels: &[u8],
        _stride_bytes: usize,
    ) -> Result<(), PanelError> {
        self.0 += width * height * format.block_bytes() as u32;
        Ok(())
    }
}

#[test]
fn a_third_of_the_picture_is_sent_after_the_first() {
    let mut gauge = Gauge::new(heap()).unwrap();
    let mut hashes = [0; (SIDE * SIDE / 64) as usize];
    let mut panel = Changed::in_parts(Count(0), &mut hashes, [8, 8]);
    let whole = SIDE * SIDE * 2;
    gauge.frame(&mut panel).unwrap();
    assert_eq!(panel.panel().0, whole);
    for frame in 1..12 {
        let before = panel.panel().0;
        gauge.frame(&mut panel).unwrap();
        let percent = (panel.panel().0 - before) * 100 / whole;
        assert!((20..35).contains(&percent), "frame {frame} sends {percent} % of its bytes");
    }
}

#[test]
fn the_kit_draws_what_is_drawn_by_hand() {
    let mut kit = Gauge::new(heap()).unwrap();
    let mut by_hand = gallium_gauge::by_hand::Gauge::new(heap()).unwrap();
    let kit = frames(4, |panel| kit.frame(panel));
    let by_hand = frames(4, |panel| by_hand.frame(panel));
    for (number, (kit, by_hand)) in kit.iter().zip(&by_hand).enumerate() {
        let differ = kit.0.iter().zip(&by_hand.0).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "pixels of frame {number} differ");
    }
    let differ = kit[0].0.iter().zip(&kit[3].0).filter(|(a, b)| a != b).count();
    assert!(differ > 2000, "the gear and the needle stand still: {differ} pixels changed");
}
