//! `f32` functions that `core` lacks, without branches and with equal bits on every machine.
//!
//! They use only additions, comparisons, bit operations and a correctly rounded square root. So
//! they give equal results on every IEEE 754 machine and vectorise in plain loops. The payload and
//! sign of a NaN that an operation creates depend on the machine.

mod convert;
mod normalised;
pub mod soft;
mod sqrt;

pub use convert::{to_i32, to_u32};
pub use normalised::{snorm16, unorm8};
pub use sqrt::sqrt;

/// 2²³: from here on every `f32` is whole.
const WHOLE: f32 = 8_388_608.0;

/// Rounds to the nearest whole number, ties to the even one. Exact; keeps the sign of zeros;
/// returns NaN, infinities and whole numbers unchanged.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    let magnitude = x.abs();
    // The sum has no bits for a fraction, so the addition rounds to nearest even.
    let rounded = (magnitude + WHOLE) - WHOLE;
    keep_large(x, rounded.copysign(x))
}

/// Returns the greatest whole number not above `x`. Exact, like [`round_even`].
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    let rounded = round_even(x);
    if rounded > x { rounded - 1.0 } else { rounded }
}

/// Returns the least whole number not below `x`. Exact, like [`round_even`]: -0.5 becomes -0.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    -floor(-x)
}

/// Returns `x` without its fraction. Exact, like [`round_even`]: -0.5 becomes -0.
#[inline(always)]
pub fn trunc(x: f32) -> f32 {
    let magnitude = x.abs();
    let rounded = (magnitude + WHOLE) - WHOLE;
    let towards_zero = if rounded > magnitude { rounded - 1.0 } else { rounded };
    keep_large(x, towards_zero.copysign(x))
}

/// Returns `x - floor(x)`, TGSI's `FRC`. The result is from 0 to below 1, except that it is 1 for
/// negative `x` smaller than half an ulp of 1. NaN for infinities.
#[inline(always)]
pub fn fract(x: f32) -> f32 {
    x - floor(x)
}

/// Returns `x` if it is NaN or so large that it is whole, otherwise `rounded`.
#[inline(always)]
fn keep_large(x: f32, rounded: f32) -> f32 {
    if x.abs() < WHOLE { rounded } else { x }
}

/// Returns the magnitude: clears the sign bit, even of NaN.
#[inline(always)]
pub const fn abs(x: f32) -> f32 {
    x.abs()
}

/// Returns `magnitude` with the sign bit of `sign`.
#[inline(always)]
pub const fn copysign(magnitude: f32, sign: f32) -> f32 {
    magnitude.copysign(sign)
}

/// Returns 1 / x, correctly rounded (TGSI's `RCP` asks for less).
#[inline(always)]
pub const fn rcp(x: f32) -> f32 {
    1.0 / x
}

/// Returns 1 / √x in two correctly rounded steps: within 1 ulp. Infinity with the sign of `x` for
/// zeros, NaN for negative `x`.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    1.0 / sqrt(x)
}

/// Limits `x` to 0…1; 0 for NaN and -0.
#[inline(always)]
pub const fn saturate(x: f32) -> f32 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low < 1.0 { low } else { 1.0 }
}

/// Limits `x` to `low`…`high`; `low` for NaN.
#[inline(always)]
pub const fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let raised = if x > low { x } else { low };
    if raised < high { raised } else { high }
}

/// Returns `a + t·(b - a)`, with each step rounded. Exact at `t` = 0.
#[inline(always)]
pub const fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f32::consts::SQRT_2;

    /// Bit patterns over the whole range: every 257th, and all near whole numbers and halves.
    pub(super) fn patterns() -> impl Iterator<Item = f32> {
        let strided = (0..u32::MAX / 257).map(|i| i * 257);
        let near = (0..4096u32).flat_map(|i| {
            let half = (i as f32 * 0.5).to_bits();
            (0..5).map(move |step| (half + step).saturating_sub(2))
        });
        let large = (0..512u32).map(|i| (WHOLE / 4.0).to_bits() - 64 + i * 0x8_0000 / 16);
        let special =
            [0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF, 1, 0x7F_FFFF, 0x7F7F_FFFF];
        let positive = strided.chain(near).chain(large).chain(special);
        positive.flat_map(|bits| [f32::from_bits(bits), f32::from_bits(bits ^ 0x8000_0000)])
    }

    /// Asserts that both values have equal bits or are NaN.
    #[track_caller]
    fn same(x: f32, ours: f32, expected: f32) {
        let equal = ours.to_bits() == expected.to_bits() || (ours.is_nan() && expected.is_nan());
        assert!(equal, "of {x:e} ({:#x}): {ours:e}, expected {expected:e}", x.to_bits());
    }

    #[test]
    fn whole_numbers_agree_with_libm() {
        for x in patterns() {
            same(x, round_even(x), libm::rintf(x));
            same(x, floor(x), libm::floorf(x));
            same(x, ceil(x), libm::ceilf(x));
            same(x, trunc(x), libm::truncf(x));
        }
    }

    #[test]
    fn square_roots_agree_with_libm() {
        for x in patterns() {
            same(x, sqrt(x), libm::sqrtf(x));
        }
    }

    #[test]
    fn halves_by_hand() {
        for (x, even, down, up, zero) in [
            (0.5, 0.0, 0.0, 1.0, 0.0),
            (1.5, 2.0, 1.0, 2.0, 1.0),
            (2.5, 2.0, 2.0, 3.0, 2.0),
            (-0.5, -0.0, -1.0, -0.0, -0.0),
            (-1.5, -2.0, -2.0, -1.0, -1.0),
            (-2.5, -2.0, -3.0, -2.0, -2.0),
            (0.0, 0.0, 0.0, 0.0, 0.0),
            (-0.0, -0.0, -0.0, -0.0, -0.0),
            (8_388_607.5, 8_388_608.0, 8_388_607.0, 8_388_608.0, 8_388_607.0),
            (f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::INFINITY),
        ] {
            same(x, round_even(x), even);
            same(x, floor(x), down);
            same(x, ceil(x), up);
            same(x, trunc(x), zero);
        }
    }

    #[test]
    fn fractions() {
        same(1.25, fract(1.25), 0.25);
        same(-1.25, fract(-1.25), 0.75);
        same(-1e-10, fract(-1e-10), 1.0);
        same(3.0, fract(3.0), 0.0);
        same(f32::INFINITY, fract(f32::INFINITY), f32::NAN);
    }

    #[test]
    fn limits() {
        for (x, saturated, clamped) in [
            (0.5, 0.5, 0.5),
            (2.0, 1.0, 2.0),
            (-2.0, 0.0, -1.0),
            (9.0, 1.0, 3.0),
            (-0.0, 0.0, -0.0),
            (f32::NAN, 0.0, -1.0),
            (f32::INFINITY, 1.0, 3.0),
            (f32::NEG_INFINITY, 0.0, -1.0),
        ] {
            same(x, saturate(x), saturated);
            same(x, clamp(x, -1.0, 3.0), clamped);
        }
    }

    #[test]
    fn the_rest() {
        same(4.0, rsqrt(4.0), 0.5);
        same(2.0, sqrt(2.0), SQRT_2);
        same(0.0, rsqrt(0.0), f32::INFINITY);
        same(-0.0, rsqrt(-0.0), f32::NEG_INFINITY);
        same(-1.0, rsqrt(-1.0), f32::NAN);
        same(-0.0, rcp(-0.0), f32::NEG_INFINITY);
        same(8.0, rcp(8.0), 0.125);
        same(-3.0, abs(-3.0), 3.0);
        same(3.0, copysign(3.0, -0.0), -3.0);
        same(0.25, lerp(1.0, 3.0, 0.25), 1.5);
    }
}
