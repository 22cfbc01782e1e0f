//! Any bytes as a picture of any format: nothing panics, and all ways of reading agree.
//!
//! `cargo +nightly fuzz run decode -- -max_total_time=120`
#![no_main]

use gallium_formats::{
    Format, convert, depth, pack_rgba_f32, unpack_rgba_f32, unpack_rgba_i32, unpack_rgba_u8,
};
use libfuzzer_sys::fuzz_target;

/// The largest side of a picture.
const SIDE: usize = 24;

fuzz_target!(|data: &[u8]| {
    let Some((head, bytes)) = data.split_first_chunk::<8>() else { return };
    let pick = |low: u8, high: u8| {
        let index = u16::from_le_bytes([low, high]) as usize;
        Format::ALL[index % Format::ALL.len()]
    };
    let (format, other) = (pick(head[0], head[1]), pick(head[2], head[3]));
    let (width, height) = (head[4] as usize % (SIDE + 1), head[5] as usize % (SIDE + 1));
    // Strides are anything, overlapping and too large ones among them.
    let stride = u16::from_le_bytes([head[6], head[7]]) as usize % 1024;
    let mut floats = [[0.0; 4]; SIDE * SIDE];
    let mut pixels = [[0; 4]; SIDE * SIDE];
    let read = unpack_rgba_f32(format, &mut floats, SIDE, bytes, stride, width, height);
    let narrow = unpack_rgba_u8(format, &mut pixels, SIDE, bytes, stride, width, height);
    if !format.is_pure_integer() {
        assert_eq!(read, narrow);
    }
    if read.is_ok() && !format.is_pure_integer() {
        let block = format.block();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let (wide, high) = (block.width as usize, block.height as usize);
            let at = y / high * stride + x / wide * block.bytes as usize;
            let texel = format.fetch_rgba_f32_at(&bytes[at..], x % wide, y % high);
            let float = floats[y * SIDE + x];
            for (i, (a, b)) in texel.into_iter().zip(float).enumerate() {
                assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{format} {i}");
                let byte = (a.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
                assert!(pixels[y * SIDE + x][i].abs_diff(byte) <= 1, "{format}: {a}");
            }
        }
    }
    let mut out = [0; SIDE * SIDE * 32];
    let pitch = SIDE * 32;
    let _ = convert(other, &mut out, pitch, format, bytes, stride, width, height);
    let _ = pack_rgba_f32(other, &mut out, pitch, &floats, SIDE, width, height);
    let mut integers = [[0; 4]; SIDE * SIDE];
    let _ = unpack_rgba_i32(format, &mut integers, SIDE, bytes, stride, width, height);
    let mut z = [0.0; SIDE * SIDE];
    let _ = depth::unpack_z_f32(format, &mut z, SIDE, bytes, stride, width, height);
    let mut stencil = [0; SIDE * SIDE];
    let _ = depth::unpack_s8(format, &mut stencil, SIDE, bytes, stride, width, height);
});
