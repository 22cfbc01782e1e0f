//! FXT1: 8×4 texels in 128 bits, two halves of 4×4, in four modes.
//!
//! # Source
//! 3DFX_texture_compression_FXT1. Channels are widened to 8 bits by rounding v·255/31, and
//! steps between endpoints are rounded to the nearest.

use super::{Bytes, Texels};
use crate::index::each;

/// Red, green, blue, alpha.
type Color = [u32; 4];

const CLEAR: Color = [0; 4];

/// Widens 5 bits to 8.
const fn five(value: u32) -> u32 {
    (value * 255 + 15) / 31
}

/// Widens 6 bits to 8.
const fn six(value: u32) -> u32 {
    (value * 255 + 31) / 63
}

/// Returns `bits` bits of the block from bit `low` up.
const fn field(block: u128, low: u32, bits: u32) -> u32 {
    (block >> low) as u32 & ((1 << bits) - 1)
}

/// Returns the 5-bit channels of colour `index` of 15 bits, from bit `low` up: red, green, blue.
const fn raw(block: u128, low: u32, index: u32) -> [u32; 3] {
    let at = low + 15 * index;
    [field(block, at + 10, 5), field(block, at + 5, 5), field(block, at, 5)]
}

fn opaque(rgb: [u32; 3]) -> Color {
    let [r, g, b] = rgb.map(five);
    [r, g, b, 255]
}

/// Returns step `at` of `steps` from `a` to `b`.
fn step(a: Color, b: Color, at: u32, steps: u32) -> Color {
    each(a, b, |a, b| ((steps - at) * a + at * b + steps / 2) / steps)
}

/// Decodes mode CC_HI: two endpoints, 3 bits per texel: seven steps and transparent.
fn high(block: u128, texel: u32) -> Color {
    match field(block, 3 * texel, 3) {
        7 => CLEAR,
        code => step(opaque(raw(block, 96, 0)), opaque(raw(block, 96, 1)), code, 6),
    }
}

/// Decodes mode CC_CHROMA: four colours, 2 bits per texel.
fn chroma(block: u128, texel: u32) -> Color {
    opaque(raw(block, 64, field(block, 2 * texel, 2)))
}

/// Decodes mode CC_ALPHA: three colours with alpha. They are used directly, or as the ends of four
/// steps; both halves share the middle colour.
fn alpha(block: u128, texel: u32) -> Color {
    let color = |index: u32| {
        let [r, g, b, _] = opaque(raw(block, 64, index));
        [r, g, b, five(field(block, 109 + 5 * index, 5))]
    };
    let code = field(block, 2 * texel, 2);
    if field(block, 124, 1) != 0 {
        step(color(if texel < 16 { 0 } else { 2 }), color(1), code, 3)
    } else if code == 3 {
        CLEAR
    } else {
        color(code)
    }
}

/// Decodes mode CC_MIXED: two colours per half with 6-bit greens, and four steps, or three and
/// transparent.
fn mixed(block: u128, texel: u32) -> Color {
    let half = texel / 16;
    let (first, second) = (raw(block, 64, 2 * half), raw(block, 64, 2 * half + 1));
    let low = field(block, 125 + half, 1);
    let code = field(block, 2 * texel, 2);
    let mut b = opaque(second);
    b[1] = six(second[1] << 1 | low);
    let mut a = opaque(first);
    if field(block, 124, 1) == 0 {
        // The lowest bit of the first green is inverted if the high bit of the half's first code
        // is set.
        a[1] = six(first[1] << 1 | (low ^ field(block, 32 * half + 1, 1)));
        step(a, b, code, 3)
    } else {
        match code {
            0 => a,
            1 => each(a, b, |a, b| (a + b) / 2),
            2 => b,
            _ => CLEAR,
        }
    }
}

/// Decodes 32 texels.
pub(super) fn decode(block: &Bytes, texels: &mut Texels) {
    let block = u128::from_le_bytes(*block);
    let mode = match field(block, 125, 3) {
        0 | 1 => high,
        2 => chroma,
        3 => alpha,
        _ => mixed,
    };
    for (i, texel) in texels.iter_mut().take(32).enumerate() {
        let (x, y) = (i as u32 % 8, i as u32 / 8);
        *texel = mode(block, 16 * (x / 4) + 4 * y + x % 4).map(|x| x as u16);
    }
}
