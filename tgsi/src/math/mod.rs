//! Lane mathematics: the functions behind EX2, LG2, POW, SIN, COS and similar opcodes.
//!
//! They use only `+ - * /`, square roots, comparisons and integer operations on `f32` and `u32`
//! (integer divisions on hosts also `f64`), without branches and without fused operations. So plain
//! loops over them vectorise, and every IEEE machine gives the same bits (except payload and sign of
//! NaNs).
//!
//! | function | error | outside that |
//! |---|---|---|
//! | [`exp2`] | ≤ 1.2 ulp, denormal results included | |
//! | [`log2`] | ≤ 0.51 ulp, denormal operands included | |
//! | [`pow`] | ≤ 1.5 ulp, denormals included | special cases as C's `powf` |
//! | [`sin`], [`cos`] | ≤ 2 ulp or 2⁻²⁴ absolute for \|x\| ≤ 2¹³ | absolute error 2⁻²⁴ + 2⁻³⁴·\|x\| up to 2¹⁶; beyond, a value in [-1, 1] |
//! | [`idiv`], [`imod`], [`udiv`], [`umod`] | exact | |
//! | [`ldexp`] | exact, one rounding for denormal results | |
//!
//! GLSL ES requires 2⁻¹¹ absolute error of sine and cosine within [-π, π], and 3 ulp or more of the
//! remaining functions.

mod division;
mod half;
mod power;
mod trigonometry;

pub use division::{idiv, imod, udiv, umod};
pub use half::{f16_to_f32, f32_to_f16, round_to_f16};
pub use power::{exp2, log2, pow};
pub use trigonometry::{cos, sin};

pub use os_shim::math::{ceil, floor, fract, rcp, round_even, rsqrt, saturate, sqrt, trunc};

/// 1.5·2²³. Adding it rounds to a whole number, which is then in the low bits.
const ROUNDING: f32 = 12_582_912.0;

/// Returns the whole number nearest to `x`, ties to even, as a float and as an integer.
///
/// * `x`: magnitude at most 2²².
#[inline(always)]
fn nearest(x: f32) -> (f32, i32) {
    let shifted = x + ROUNDING;
    (shifted - ROUNDING, shifted.to_bits().wrapping_sub(ROUNDING.to_bits()) as i32)
}

/// Returns 2 to the `exponent`, from -126 to 127.
#[inline(always)]
const fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits((exponent.wrapping_add(127) as u32) << 23)
}

/// Returns `x`·2^`exponent`, rounded once: TGSI's `LDEXP`.
#[inline(always)]
pub const fn ldexp(x: f32, exponent: i32) -> f32 {
    // The step that may produce a denormal is the last and the largest. If an earlier step rounds,
    // the result is 0 or infinite anyway.
    let exponent = clamp(exponent, -330, 381);
    let last = clamp(exponent, -126, 127);
    let rest = exponent - last;
    let first = clamp(rest, -102, 127);
    let second = rest - first;
    x * power_of_two(first) * power_of_two(second) * power_of_two(last)
}

#[inline(always)]
const fn clamp(x: i32, low: i32, high: i32) -> i32 {
    let raised = if x < low { low } else { x };
    if raised > high { high } else { raised }
}

/// Returns the smaller of two, or the number if one is a NaN; -0 is below +0 (IEEE 754-2019,
/// `minimumNumber`).
#[inline(always)]
pub const fn min(a: f32, b: f32) -> f32 {
    let smaller = if a < b { a } else { b };
    // Equal numbers have the same bits, except zeros.
    let smaller = if a == b { f32::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    if b.is_nan() { a } else { smaller }
}

/// Returns the larger of two, or the number if one is a NaN; +0 is above -0 (IEEE 754-2019,
/// `maximumNumber`).
#[inline(always)]
pub const fn max(a: f32, b: f32) -> f32 {
    let larger = if a > b { a } else { b };
    // Equal numbers have the same bits, except zeros.
    let larger = if a == b { f32::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    if b.is_nan() { a } else { larger }
}

/// Returns the integer part of `x` as a signed integer; 0x80000000 for NaN and out of range.
#[inline(always)]
pub fn to_signed(x: f32) -> u32 {
    let fits = (-2_147_483_648.0..2_147_483_648.0).contains(&x);
    if fits { os_shim::math::to_i32(x) as u32 } else { 0x8000_0000 }
}

/// Returns the low 32 bits of the integer part of `x` as a signed 64-bit integer, so -1 becomes
/// 0xffffffff. Returns 0 for NaN and values beyond 64 bits.
#[inline(always)]
pub const fn to_unsigned(x: f32) -> u32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xFF) as i32 - 150;
    let significand = bits & 0x7F_FFFF | 0x80_0000;
    let left = significand.wrapping_shl(exponent as u32);
    let left = if exponent < 32 { left } else { 0 };
    let right = significand.wrapping_shr(exponent.wrapping_neg() as u32);
    let right = if exponent > -32 { right } else { 0 };
    let magnitude = if exponent >= 0 { left } else { right };
    if bits >> 31 != 0 { magnitude.wrapping_neg() } else { magnitude }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    extern crate std;

    /// Returns the distance of `ours` from the exact `reference`, in units in the last place of the
    /// nearest float (at least the smallest denormal).
    pub(crate) fn ulps(ours: f32, reference: f64) -> f64 {
        let rounded = reference as f32;
        if rounded.is_infinite() || ours.is_infinite() {
            return if ours == rounded { 0.0 } else { f64::INFINITY };
        }
        let exponent = ((rounded.to_bits() >> 23 & 0xFF) as i32).max(1) - 150;
        (f64::from(ours) - reference).abs() / 2f64.powi(exponent)
    }

    /// Bit patterns over all floats, including signs and special values.
    pub(crate) fn patterns(step: usize) -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(step).map(f32::from_bits)
    }

    #[test]
    fn ldexp_rounds_once() {
        for (x, exponent, expected) in [
            (1.5, 4, 24.0),
            (1.0, -149, f32::from_bits(1)),
            (1.0, -150, 0.0),
            (1.5, -150, f32::from_bits(1)),
            (1.0, 128, f32::INFINITY),
            (f32::from_bits(1), 276, power_of_two(127)),
            (f32::MAX, i32::MIN, 0.0),
            (f32::from_bits(1), i32::MAX, f32::INFINITY),
            (-1.0, i32::MIN, -0.0),
            (0.0, 1000, 0.0),
            (f32::INFINITY, -1000, f32::INFINITY),
        ] {
            assert_eq!(ldexp(x, exponent).to_bits(), expected.to_bits(), "{x} {exponent}");
        }
        assert!(ldexp(f32::NAN, 1).is_nan());
        for x in patterns(40_009).filter(|x| x.is_finite()) {
            for exponent in [-200, -151, -127, -126, -110, -24, -1, 0, 1, 100, 127, 128, 250] {
                let expected = (f64::from(x) * 2f64.powi(exponent)) as f32;
                assert_eq!(ldexp(x, exponent).to_bits(), expected.to_bits(), "{x:e} {exponent}");
            }
        }
    }

    #[test]
    fn conversions_follow_the_reference() {
        for (x, signed, unsigned) in [
            (0.0, 0, 0),
            (-0.0, 0, 0),
            (1.99, 1, 1),
            (-1.99, u32::MAX, u32::MAX),
            (2_147_483_648.0, 0x8000_0000, 0x8000_0000),
            (-2_147_483_648.0, 0x8000_0000, 0x8000_0000),
            (4_294_967_040.0, 0x8000_0000, 0xFFFF_FF00),
            (5e9, 0x8000_0000, 0x2A05_F200),
            (f32::NAN, 0x8000_0000, 0),
            (f32::INFINITY, 0x8000_0000, 0),
            (1e30, 0x8000_0000, 0),
            (1e-30, 0, 0),
        ] {
            assert_eq!(to_signed(x), signed, "{x}");
            assert_eq!(to_unsigned(x), unsigned, "{x}");
        }
        for x in patterns(6007).filter(|x| x.abs() < 9e18) {
            assert_eq!(to_unsigned(x), x as i64 as u32, "{x:e}");
        }
    }

    #[test]
    fn a_nan_loses() {
        assert_eq!(min(f32::NAN, 1.0), 1.0);
        assert_eq!(min(1.0, f32::NAN), 1.0);
        assert_eq!(max(f32::NAN, 1.0), 1.0);
        assert_eq!(max(1.0, f32::NAN), 1.0);
        assert!(min(f32::NAN, f32::NAN).is_nan() && max(f32::NAN, f32::NAN).is_nan());
        assert_eq!((min(1.0, 2.0), max(1.0, 2.0)), (1.0, 2.0));
    }
}
