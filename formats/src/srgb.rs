//! The sRGB curve with 8 bits on the encoded side, exact in both directions.
//!
//! Decoding is a table of the 256 values, each the `f32` nearest to the formula of IEC 61966-2-1.
//! There are 255 numbers at which the formula, scaled to 255, passes a half. Encoding searches
//! these numbers for the interval that contains its argument. Both tables are computed at compile
//! time, in `f64`, by code that all compilers evaluate alike.

use crate::channel;
use crate::index::at;

/// Returns `x^(1/5)` for `x` in 0..1, by Newton's method.
const fn fifth_root(x: f64) -> f64 {
    // From above, the steps fall monotonically until they are below the precision.
    let mut root = 1.0;
    loop {
        let square = root * root;
        let next = root - (root - x / (square * square)) / 5.0;
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// Returns the linear intensity of the encoded value `x`, 0 to 1.
const fn linear(x: f64) -> f64 {
    if x <= 0.04045 {
        x / 12.92
    } else {
        // x^2.4 = (x^(1/5))^12
        let root = fifth_root((x + 0.055) / 1.055);
        let cube = root * root * root;
        let sixth = cube * cube;
        sixth * sixth
    }
}

/// The linear intensity of each code.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
static LINEAR: [f32; 256] = {
    let mut table = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = linear(code as f64 / 255.0) as f32;
        code += 1;
    }
    table[255] = 1.0;
    table
};

/// Entry `i` is the smallest `f32` that is encoded as more than `i`.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
static STEPS: [f32; 255] = {
    let mut table = [0.0; 255];
    let mut code = 0;
    while code < 255 {
        let exact = linear((code as f64 + 0.5) / 255.0);
        let near = exact as f32;
        // The nearest float may lie below; then the next one is the first that is not.
        let above = if (near as f64) < exact { near.to_bits() + 1 } else { near.to_bits() };
        table[code] = f32::from_bits(above);
        code += 1;
    }
    table
};

/// Returns the linear intensity of `code`, 0 to 1.
#[inline]
pub fn decode(code: u8) -> f32 {
    at(&LINEAR, code as usize)
}

/// Returns the code nearest to the encoding of the linear intensity `x`; clamped; 0 for a NaN.
#[inline]
pub fn encode(x: f32) -> u8 {
    // Eight halvings count the steps at or below `x`.
    let mut code = 0;
    let mut stride = 128;
    while stride > 0 {
        if STEPS.get(code + stride - 1).is_some_and(|step| x >= *step) {
            code += stride;
        }
        stride /= 2;
    }
    code as u8
}

/// Returns the linear intensity of `code` in 8 bits.
#[inline]
pub fn decode_u8(code: u8) -> u8 {
    channel::f32_to_unorm16(decode(code), 255.0) as u8
}

/// Returns the code nearest to the encoding of a linear intensity of 8 bits.
#[inline]
pub fn encode_u8(linear: u8) -> u8 {
    encode(channel::unorm_to_f32(linear as u32, 8))
}

/// Returns the linear intensity of an encoded value of `bits` bits, 1 to 8.
///
/// Values of 5 and 6 bits stand for the nearest of the 256 codes, as in texture units.
#[inline]
pub(crate) fn decode_unorm(value: u32, bits: u32) -> f32 {
    let factor = channel::byte_factor(channel::max_of(bits));
    decode(channel::to_byte(value, factor) as u8)
}

/// Returns the encoded value of `bits` bits, 1 to 8, nearest to the code of the linear intensity
/// `x`.
#[inline]
pub(crate) fn encode_unorm(x: f32, bits: u32) -> u32 {
    let max = channel::max_of(bits);
    (encode(x) as u32 * 2 * max + 255) / 510
}
