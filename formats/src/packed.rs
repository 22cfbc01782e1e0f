//! Texels with dependent channels: 11-11-10 floats, 9-9-9-5, unit vectors.

use crate::channel::{f32_to_small_float, f32_to_snorm, small_float_to_f32, snorm_to_f32};

/// Reads `R11G11B10_FLOAT` as red, green, blue.
#[inline(always)]
pub(crate) fn unpack_r11g11b10(word: u32) -> [f32; 3] {
    [
        small_float_to_f32::<6>(word & 0x7ff),
        small_float_to_f32::<6>((word >> 11) & 0x7ff),
        small_float_to_f32::<5>(word >> 22),
    ]
}

/// Packs red, green, blue as `R11G11B10_FLOAT`.
#[inline(always)]
pub(crate) fn pack_r11g11b10([r, g, b]: [f32; 3]) -> u32 {
    f32_to_small_float::<6>(r) | f32_to_small_float::<6>(g) << 11 | f32_to_small_float::<5>(b) << 22
}

/// Reads `R9G9B9E5_FLOAT` as red, green, blue: mantissa · 2^(exponent - 15 - 9).
#[inline(always)]
pub(crate) fn unpack_r9g9b9e5(word: u32) -> [f32; 3] {
    let scale = f32::from_bits(((word >> 27) + 127 - 24) << 23);
    [0, 9, 18].map(|shift| ((word >> shift) & 0x1ff) as i32 as f32 * scale)
}

/// Packs red, green, blue as `R9G9B9E5_FLOAT`.
///
/// # Source
/// EXT_texture_shared_exponent: the exponent is the largest component's, plus one if rounding its
/// mantissa requires it. Mantissas round half up. Negative numbers and NaNs become 0; the largest
/// value is 65408.
#[inline(always)]
pub(crate) fn pack_r9g9b9e5(rgb: [f32; 3]) -> u32 {
    const LARGEST: f32 = 65408.0;
    let [r, g, b] = rgb.map(|x| {
        let x = if x > 0.0 { x } else { 0.0 };
        if x < LARGEST { x } else { LARGEST }
    });
    let largest = if r > g { r } else { g };
    let largest = if largest > b { largest } else { b };
    // floor(log2) + 16, at least 0: the exponent field of a float is its floor(log2) + 127.
    let exponent = (largest.to_bits() >> 23).max(111) - 111;
    // 2^(24 - exponent) makes mantissas of 9 bits. Halves and sums are exact: at most 10 bits
    // stand before the point of the largest.
    let mantissa = |x: f32, exponent: u32| {
        let scaled = x * f32::from_bits((127 + 24 - exponent) << 23);
        (scaled + 0.5) as i32 as u32
    };
    let exponent = if mantissa(largest, exponent) == 512 { exponent + 1 } else { exponent };
    mantissa(r, exponent)
        | mantissa(g, exponent) << 9
        | mantissa(b, exponent) << 18
        | exponent << 27
}

/// Reads `R8G8Bx_SNORM` as a vector of length 1; its third component is not negative.
#[inline]
pub(crate) fn unpack_unit_vector(word: u32) -> [f32; 3] {
    let [x, y] = [word as i8, (word >> 8) as i8].map(|v| snorm_to_f32(v as i32, 8));
    let square = 1.0 - x * x - y * y;
    let z = if square > 0.0 { libm::sqrtf(square) } else { 0.0 };
    [x, y, z]
}

/// Packs the first two components of a vector as `R8G8Bx_SNORM`.
#[inline]
pub(crate) fn pack_unit_vector([x, y, _]: [f32; 3]) -> u32 {
    let [x, y] = [x, y].map(|v| f32_to_snorm(v, 8) as u32 & 0xff);
    x | y << 8
}
