//! Conversions of `f32` to whole numbers that vectorise in loops.
//!
//! `x as i32` gives the same results but stays scalar on x86-64: in a loop over 64 values, compiled
//! for AVX2, it takes six times as long.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a conversion without the check that was made before")
)]

/// Returns `x as i32`: rounds towards zero; saturates out of range; 0 for NaN.
#[inline(always)]
pub fn to_i32(x: f32) -> i32 {
    chosen::to_i32(x)
}

/// Returns `x as u32`: rounds towards zero; saturates out of range; 0 for NaN.
#[inline(always)]
pub fn to_u32(x: f32) -> u32 {
    chosen::to_u32(x)
}

/// Conversion for x86-64. Its instruction returns one fixed value for all inputs out of range.
#[cfg(target_arch = "x86_64")]
mod chosen {
    /// 2³¹.
    const LIMIT: f32 = 2_147_483_648.0;
    /// The greatest `f32` below 2³¹.
    const GREATEST: f32 = 2_147_483_520.0;

    #[inline(always)]
    pub(super) fn to_i32(x: f32) -> i32 {
        let below = if x < GREATEST { x } else { GREATEST };
        let within = if below > -LIMIT { below } else { -LIMIT };
        // SAFETY: not NaN, because a NaN `x` became `GREATEST`; from -2³¹ to below 2³¹.
        let converted: i32 = unsafe { within.to_int_unchecked() };
        let limited = if x >= LIMIT { i32::MAX } else { converted };
        if x.is_nan() { 0 } else { limited }
    }

    #[inline(always)]
    pub(super) fn to_u32(x: f32) -> u32 {
        // For the upper half of the range, convert `x` - 2³¹, which is exact.
        let upper = x >= LIMIT;
        let lowered = if upper { x - LIMIT } else { x };
        let below = if lowered < GREATEST { lowered } else { GREATEST };
        let within = if below > 0.0 { below } else { 0.0 };
        // SAFETY: not NaN, because a NaN became `GREATEST`; from 0 to below 2³¹.
        let converted: i32 = unsafe { within.to_int_unchecked() };
        let raised = converted as u32 | if upper { 1 << 31 } else { 0 };
        let limited = if x >= 2.0 * LIMIT { u32::MAX } else { raised };
        if x.is_nan() { 0 } else { limited }
    }
}

/// Conversion by integer operations, for Arm cores without an FPU. The compiler calls a function,
/// and three comparisons of floats to saturate. The function may come from a boot ROM that rounds
/// downwards, as on the RP2040.
#[cfg(all(target_arch = "arm", target_abi = "eabi"))]
mod chosen {
    pub(super) use super::by_bits::{to_i32, to_u32};
}

/// Conversion by `as`, for CPUs with a saturating conversion instruction or a compiler function
/// that truncates.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "arm", target_abi = "eabi"))))]
mod chosen {
    #[inline(always)]
    pub(super) fn to_i32(x: f32) -> i32 {
        x as i32
    }

    #[inline(always)]
    pub(super) fn to_u32(x: f32) -> u32 {
        x as u32
    }
}

/// Conversions by integer operations.
#[cfg(any(test, all(target_arch = "arm", target_abi = "eabi")))]
mod by_bits {
    pub(super) fn to_i32(x: f32) -> i32 {
        let magnitude = whole(x).min(if x.is_sign_negative() { 1 << 31 } else { u32::MAX >> 1 });
        let number = magnitude as i32;
        if x.is_sign_negative() { number.wrapping_neg() } else { number }
    }

    pub(super) fn to_u32(x: f32) -> u32 {
        if x.is_sign_negative() { 0 } else { whole(x) }
    }

    /// Returns the integer part of the magnitude, limited to 32 bits; 0 for NaN.
    fn whole(x: f32) -> u32 {
        let magnitude = x.to_bits() << 1 >> 1;
        // 1.0 has the exponent 127; a larger one moves the binary point to the right.
        match (magnitude >> 23).checked_sub(127) {
            None => 0,
            Some(exponent @ 0..=31) => (magnitude << 8 | 1 << 31) >> 31u32.wrapping_sub(exponent),
            Some(_) if magnitude > 0x7f80_0000 => 0,
            Some(_) => u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::patterns;

    #[test]
    fn bits_agree_with_as() {
        for x in patterns() {
            assert_eq!(by_bits::to_i32(x), x as i32, "{x:e}");
            assert_eq!(by_bits::to_u32(x), x as u32, "{x:e}");
        }
    }

    #[test]
    fn agree_with_as() {
        for x in patterns() {
            assert_eq!(to_i32(x), x as i32, "{x:e}");
            assert_eq!(to_u32(x), x as u32, "{x:e}");
        }
    }

    #[test]
    fn limits_by_hand() {
        for (x, signed, unsigned) in [
            (0.0, 0, 0),
            (-0.0, 0, 0),
            (-0.99, 0, 0),
            (1.99, 1, 1),
            (-1.99, -1, 0),
            (f32::NAN, 0, 0),
            (-f32::NAN, 0, 0),
            (f32::INFINITY, i32::MAX, u32::MAX),
            (f32::NEG_INFINITY, i32::MIN, 0),
            (2_147_483_520.0, 2_147_483_520, 2_147_483_520),
            (2_147_483_648.0, i32::MAX, 2_147_483_648),
            (-2_147_483_648.0, i32::MIN, 0),
            (-2_147_483_904.0, i32::MIN, 0),
            (4_294_967_040.0, i32::MAX, 4_294_967_040),
            (4_294_967_296.0, i32::MAX, u32::MAX),
        ] {
            assert_eq!((to_i32(x), to_u32(x)), (signed, unsigned), "{x:e}");
        }
    }
}
