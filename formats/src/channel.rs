//! Conversions of one channel's bits to and from `f32`, exact and without std's float functions.
//!
//! Reading a normalised channel gives the `f32` nearest to `value / max`. Writing clamps and rounds
//! to the nearest, ties to even; a NaN writes 0. Up to 16 bits the product `x * max` is first
//! rounded to `f32`, so a value within 2⁻²⁴ of a tie may go to the tie; above, it is exact.
//!
//! All functions consist of selects, additions and multiplications, so that loops around them
//! vectorise and all machines give equal bits.

use crate::index::at;

/// 2²³: adding it to a smaller positive `f32` rounds that to an integer, ties to even.
const TO_INTEGER: f32 = 8_388_608.0;

/// 1.5 · 2²³: adding it to an `f32` of either sign and smaller magnitude rounds that to an integer.
const TO_SIGNED: f32 = 12_582_912.0;

/// Returns the largest value of `bits` bits, 1 to 32.
#[inline(always)]
pub(crate) const fn max_of(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Returns the factor of [`to_byte`] for channels of up to 8 bits with the largest value `max`:
/// 255 · 2¹⁶ / `max`, rounded. No multiple of 255 / max lies close enough to a half to be
/// misrounded.
#[inline(always)]
pub(crate) const fn byte_factor(max: u32) -> u32 {
    ((255 << 16) + max / 2) / max
}

/// Widens a channel of up to 8 bits to 8 bits, to the nearest value. `factor` is [`byte_factor`]'s.
#[inline(always)]
pub(crate) const fn to_byte(value: u32, factor: u32) -> u32 {
    (value * factor + (1 << 15)) >> 16
}

/// The two factors that divide by `2^bits - 1`, correctly rounded without a division.
///
/// `v / (2ⁿ-1) = v·2⁻ⁿ·(1 + 2⁻ⁿ + 2⁻²ⁿ + …)`. `high` takes as many terms as keep `v·high` exact
/// in 24 bits, `low` is the remainder; only the sum rounds visibly. An exhaustive test compares
/// every value of 1 to 16 bits with the division (which takes 14 cycles on a Cortex-M4F, and
/// eight times as long as this in AVX2).
#[derive(Clone, Copy)]
pub(crate) struct Reciprocal {
    high: f32,
    low: f32,
}

impl Reciprocal {
    const fn new(bits: u32) -> Reciprocal {
        let max = max_of(bits) as f32;
        // 2⁻ⁿ, by its exponent.
        let unit = f32::from_bits((127 - bits) << 23);
        if bits == 1 {
            Reciprocal { high: 1.0, low: 0.0 }
        } else if bits <= 12 {
            Reciprocal { high: (max + 2.0) * unit * unit, low: unit * unit / max }
        } else {
            Reciprocal { high: unit, low: unit / max }
        }
    }

    /// Returns the factors for `bits` bits, 1 to 16.
    #[inline(always)]
    pub(crate) const fn of_bits(bits: u32) -> Reciprocal {
        at(&RECIPROCALS, (bits as usize).wrapping_sub(1))
    }

    /// Returns `value / (2^bits - 1)`, for `value` in that range, of either sign.
    #[inline(always)]
    pub(crate) fn of(self, value: i32) -> f32 {
        let value = value as f32;
        value * self.high + value * self.low
    }
}

/// The factors for 1 to 16 bits, precomputed because computing one takes a division.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
static RECIPROCALS: [Reciprocal; 16] = {
    let mut table = [Reciprocal { high: 0.0, low: 0.0 }; 16];
    let mut bits = 1;
    while bits <= 16 {
        table[bits as usize - 1] = Reciprocal::new(bits);
        bits += 1;
    }
    table
};

/// Converts an unsigned normalised channel of up to 32 bits to a number, 0 to 1.
#[inline]
pub(crate) fn unorm_to_f32(value: u32, bits: u32) -> f32 {
    if bits <= 24 {
        // Both are exact, so the quotient is the nearest `f32`.
        value as f32 / max_of(bits) as f32
    } else {
        // v / (2ⁿ-1) repeats the bits of v: two repetitions are 2n bits, rounded once.
        let twice = ((value as u64) << bits) | value as u64;
        // The lowest bit is kept: it lies below all significant bits, so rounding is the same. The
        // number becomes signed, and x86 has an instruction to convert signed numbers.
        let half = ((twice >> 1) | (twice & 1)) as i64;
        half as f32 * f32::from_bits((128 - 2 * bits) << 23)
    }
}

/// Returns the bits of the `f32` nearest to `value` / (2^24 - 1), for a value of 24 bits.
///
/// The quotient is value · 2⁻²⁴ · (1 + 2⁻²⁴ + …). It exceeds value · 2⁻²⁴, which is exact, by more
/// than half a unit in the last place and by at most one unit, so the next float is the nearest.
/// For 0 the result is 0.
#[inline(always)]
pub(crate) fn unorm24_to_f32(value: u32) -> u32 {
    // Through i32: unsigned conversions are slow on x86.
    let below = value as i32 as f32 * f32::from_bits((127 - 24) << 23);
    below.to_bits() + u32::from(value != 0)
}

/// Returns the unsigned normalised channel of up to 16 bits nearest to `x`; `max` is 2^bits - 1.
#[inline(always)]
pub(crate) fn f32_to_unorm16(x: f32, max: f32) -> u32 {
    // The comparisons are false for a NaN.
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < 1.0 { x } else { 1.0 };
    (x * max + TO_INTEGER).to_bits() & 0xffff
}

/// Returns the unsigned normalised channel of up to 32 bits nearest to `x`.
#[inline]
pub(crate) fn f32_to_unorm(x: f32, bits: u32) -> u32 {
    let max = max_of(bits);
    if bits <= 16 {
        return f32_to_unorm16(x, max as f32);
    }
    if x >= 1.0 {
        max
    } else if x > 0.0 {
        scale_exactly(x, max)
    } else {
        // Negative numbers and NaNs.
        0
    }
}

/// Returns `x * max` rounded to the nearest integer, ties to even, for `x` between 0 and 1; `max`
/// is 2^bits - 1.
fn scale_exactly(x: f32, max: u32) -> u32 {
    let exponent = x.to_bits() >> 23;
    let mantissa = (x.to_bits() & 0x7f_ffff) | 0x80_0000;
    // x = mantissa · 2^(exponent - 150), and the product has at most 56 bits.
    let product = mantissa as u64 * max as u64;
    let shift = 150 - exponent;
    if shift > 57 {
        // The product is less than a half; denormals end here, too.
        return 0;
    }
    // The only tie is x = 0.5, because max is odd, and its even neighbour is the upper one.
    ((product + (1 << (shift - 1))) >> shift) as u32
}

/// Converts a signed normalised channel of up to 32 bits, sign-extended, to a number, -1 to 1.
///
/// The lowest two values are both -1, as in D3D10 and OpenGL 4.2.
#[inline]
pub(crate) fn snorm_to_f32(value: i32, bits: u32) -> f32 {
    if bits <= 1 {
        return if value < 0 { -1.0 } else { 0.0 };
    }
    let magnitude = unorm_to_f32(value.unsigned_abs().min(max_of(bits - 1)), bits - 1);
    if value < 0 { -magnitude } else { magnitude }
}

/// Returns the signed normalised channel of up to 16 bits nearest to `x`, in the low bits; `max` is
/// 2^(bits-1) - 1.
#[inline(always)]
pub(crate) fn f32_to_snorm16(x: f32, max: f32) -> u32 {
    let x = if x > -1.0 { x } else { -1.0 };
    let x = if x < 1.0 { x } else { 1.0 };
    (x * max + TO_SIGNED).to_bits()
}

/// Returns 0 for a NaN, otherwise `x`.
#[inline(always)]
pub(crate) fn number(x: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x }
}

/// Returns the signed normalised channel of up to 32 bits nearest to `x`.
#[inline]
pub(crate) fn f32_to_snorm(x: f32, bits: u32) -> i32 {
    if bits <= 1 {
        return if x <= -0.5 { -1 } else { 0 };
    }
    let magnitude = f32_to_unorm(f32::from_bits(x.to_bits() & 0x7fff_ffff), bits - 1) as i32;
    if x < 0.0 { -magnitude } else { magnitude }
}

/// Returns the integer nearest to `x`, ties to even.
#[inline(always)]
pub(crate) fn round_even(x: f32) -> f32 {
    let magnitude = f32::from_bits(x.to_bits() & 0x7fff_ffff);
    let rounded = (magnitude + TO_INTEGER) - TO_INTEGER;
    let rounded = f32::from_bits(rounded.to_bits() | (x.to_bits() & 0x8000_0000));
    // From 2²³ on every float is an integer; a NaN is returned as it is.
    if magnitude < TO_INTEGER { rounded } else { x }
}

/// Returns the unsigned integer of `bits` bits nearest to `x`; saturates.
#[inline]
pub(crate) fn f32_to_uint(x: f32, bits: u32) -> u64 {
    // Casts saturate, and take a NaN to 0.
    (round_even(x) as u64).min(u64::MAX >> (64 - bits))
}

/// Returns the signed integer of `bits` bits nearest to `x`; saturates.
#[inline]
pub(crate) fn f32_to_sint(x: f32, bits: u32) -> i64 {
    let max = i64::MAX >> (64 - bits);
    (round_even(x) as i64).clamp(-max - 1, max)
}

/// Converts signed 16.16 fixed point to a number.
#[inline(always)]
pub(crate) fn fixed_to_f32(value: i32) -> f32 {
    value as f32 * (1.0 / 65536.0)
}

/// Returns the signed 16.16 fixed point nearest to `x`; saturates.
#[inline(always)]
pub(crate) fn f32_to_fixed(x: f32) -> i32 {
    round_even(x * 65536.0) as i32
}

/// Converts binary 16 to binary 32, exactly.
#[inline(always)]
pub(crate) fn half_to_f32(half: u32) -> f32 {
    let sign = (half & 0x8000) << 16;
    f32::from_bits(small_float_to_f32::<10>(half & 0x7fff).to_bits() | sign)
}

/// Converts an unsigned float of 5 exponent bits and `MANTISSA` mantissa bits to binary 32,
/// exactly.
#[inline(always)]
pub(crate) fn small_float_to_f32<const MANTISSA: u32>(small: u32) -> f32 {
    let bits = small << (23 - MANTISSA);
    let exponent = bits & 0x0f80_0000;
    // Infinities and NaNs keep a full exponent; other exponents move from bias 15 to 127.
    let bias = if exponent == 0x0f80_0000 { 224 << 23 } else { 112 << 23 };
    let normal = f32::from_bits(bits + bias);
    // A denormal gets the implicit bit of 2⁻¹⁴, and the subtraction removes it.
    let denormal = f32::from_bits(bits + (113 << 23)) - f32::from_bits(113 << 23);
    if exponent == 0 { denormal } else { normal }
}

/// Returns the binary 16 nearest to `x`, ties to even; numbers too large become infinite.
#[inline(always)]
pub(crate) fn f32_to_half(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let small = round_small::<10>(magnitude);
    // 65520 and above round to 2¹⁶, which has the exponent of infinity.
    let finite = if small < 0x7c00 { small } else { 0x7c00 };
    let nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    sign | if magnitude > 0x7f80_0000 { nan } else { finite }
}

/// Returns the unsigned float of 5 exponent bits and `MANTISSA` mantissa bits nearest to `x`, ties
/// to even.
///
/// Negative numbers become 0, numbers too large the largest finite one; infinities and NaNs stay,
/// as EXT_packed_float and D3D10 demand.
#[inline(always)]
pub(crate) fn f32_to_small_float<const MANTISSA: u32>(x: f32) -> u32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let infinity = 31 << MANTISSA;
    let small = round_small::<MANTISSA>(magnitude);
    let finite = if small < infinity { small } else { infinity - 1 };
    let positive = if magnitude == 0x7f80_0000 { infinity } else { finite };
    let number = if bits >> 31 == 1 { 0 } else { positive };
    if magnitude > 0x7f80_0000 { infinity | 1 << (MANTISSA - 1) } else { number }
}

/// Rounds the bits of a positive finite float to 5 exponent bits and `MANTISSA` mantissa bits.
#[inline(always)]
fn round_small<const MANTISSA: u32>(magnitude: u32) -> u32 {
    let drop = 23 - MANTISSA;
    // Rounding may carry from the mantissa into the exponent, which is right.
    let odd = (magnitude >> drop) & 1;
    let normal =
        magnitude.wrapping_sub(112 << 23).wrapping_add((1 << (drop - 1)) - 1 + odd) >> drop;
    // For denormals, this addition rounds: the last place of `place` is the smallest denormal.
    let place = f32::from_bits((113 + drop) << 23);
    let denormal = (f32::from_bits(magnitude) + place).to_bits().wrapping_sub(place.to_bits());
    if magnitude < 113 << 23 { denormal } else { normal }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats of every sign, exponent and many mantissas, without NaNs.
    fn floats() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(40_009).map(f32::from_bits).filter(|x| !x.is_nan())
    }

    #[test]
    fn reciprocals_divide_every_value() {
        for bits in 1..=16 {
            let max = max_of(bits);
            for value in 0..=max {
                let x = Reciprocal::of_bits(bits).of(value as i32);
                assert_eq!(x, value as f32 / max as f32, "{value}/{max}");
                assert_eq!(x, unorm_to_f32(value, bits), "{value}/{max}");
                assert_eq!(Reciprocal::of_bits(bits).of(-(value as i32)), -x, "-{value}/{max}");
            }
        }
    }

    #[test]
    fn depths_of_24_bits_are_divided_exactly() {
        let max = max_of(24);
        for value in 0..=max {
            assert_eq!(f32::from_bits(unorm24_to_f32(value)), value as f32 / max as f32, "{value}");
        }
    }

    #[test]
    fn wide_unorm_is_the_nearest_float() {
        for bits in [24, 31, 32] {
            let max = max_of(bits);
            for value in (0..=max).step_by(104_729).chain(max - 300..=max).chain(0..300) {
                // Distances from the quotient, exactly: times max and 2^64. (In f64, the quotient
                // may round to a tie of two floats that it only comes close to.)
                let distance = |x: f32| {
                    let x = (x as f64 * 2f64.powi(64)) as u128;
                    (x * max as u128).abs_diff((value as u128) << 64)
                };
                let x = unorm_to_f32(value, bits);
                assert!(distance(x) <= distance(x.next_up()), "{value}/{max}: {x}");
                assert!(distance(x) <= distance(x.next_down().max(0.0)), "{value}/{max}: {x}");
            }
        }
    }

    #[test]
    fn unorm_is_rounded_to_the_nearest() {
        for x in floats() {
            for bits in [1, 4, 5, 8, 10, 16, 24, 31, 32] {
                let max = max_of(bits);
                // A product of 24 and 32 bits is rounded in f64, but never across a half: only
                // 0.5 is a tie.
                let exact = x.clamp(0.0, 1.0) as f64 * max as f64;
                let got = f32_to_unorm(x, bits) as f64;
                let slack = if bits <= 16 { max as f64 * 2f64.powi(-24) } else { 0.0 };
                assert!((got - exact).abs() <= 0.5 + slack, "{x} * {max}: {got}");
            }
        }
    }

    #[test]
    fn integers_are_rounded_to_even() {
        for x in floats() {
            assert_eq!(round_even(x), x.round_ties_even(), "{x}");
        }
        assert!(round_even(f32::NAN).is_nan());
    }

    #[test]
    fn halves_are_those_of_another_implementation() {
        for bits in 0..=0xffff {
            let (ours, theirs) = (half_to_f32(bits), half::f16::from_bits(bits as u16).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan());
        }
        for x in floats() {
            assert_eq!(f32_to_half(x), half::f16::from_f32(x).to_bits() as u32, "{x}");
        }
        assert_eq!(f32_to_half(f32::NAN) & 0x7e00, 0x7e00);
    }

    /// Returns the unsigned float of `MANTISSA` bits nearest to `x`, by search.
    fn nearest_small<const MANTISSA: u32>(x: f32) -> u32 {
        let largest = (31 << MANTISSA) - 1;
        let value = |small: u32| small_float_to_f32::<MANTISSA>(small) as f64;
        let x = (x as f64).clamp(0.0, value(largest));
        let (mut low, mut high) = (0, largest);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if value(middle) <= x { low = middle } else { high = middle }
        }
        let (below, above) = (x - value(low), value(high) - x);
        if below < above || (below == above && low % 2 == 0) { low } else { high }
    }

    #[test]
    fn small_floats_are_the_nearest() {
        for x in floats() {
            if x == f32::INFINITY {
                continue;
            }
            assert_eq!(f32_to_small_float::<6>(x), nearest_small::<6>(x), "{x}");
            assert_eq!(f32_to_small_float::<5>(x), nearest_small::<5>(x), "{x}");
        }
        assert_eq!(f32_to_small_float::<6>(f32::INFINITY), 0x7c0);
        assert_eq!(f32_to_small_float::<5>(f32::INFINITY), 0x3e0);
    }

    #[test]
    fn small_floats_are_halves_without_a_sign() {
        for bits in 0..0x7c0 {
            let half = half::f16::from_bits((bits << 4) as u16).to_f32();
            assert_eq!(small_float_to_f32::<6>(bits), half);
        }
        for bits in 0..0x3e0 {
            let half = half::f16::from_bits((bits << 5) as u16).to_f32();
            assert_eq!(small_float_to_f32::<5>(bits), half);
        }
    }
}
