//! Float operations in few instructions on every target: `core` has no `floor`, and `f32::max` may
//! be a call.

/// Returns the largest integer not above `x`, as a float and as an integer, for |x| <= 2^22.
///
/// Adding 1.5·2²³ rounds, and leaves the integer in the low bits. A saturating cast would not
/// vectorise in LLVM.
#[inline(always)]
pub(crate) fn floor(x: f32) -> (f32, i32) {
    const ROUND: f32 = 12_582_912.0;
    let sum = x + ROUND;
    let rounded = sum - ROUND;
    let integer = sum.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let above = rounded > x;
    (if above { rounded - 1.0 } else { rounded }, integer.wrapping_sub(i32::from(above)))
}

/// Clamps `x` to [low, high]; NaN becomes `low`. Two instructions on any target (`f32::max` is a
/// library call on a Cortex-M4F).
#[inline(always)]
pub(crate) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > low { x } else { low };
    if x < high { x } else { high }
}

/// Quantises `x`, clamped to [0, 1], to an integer from 0 to `max` (below 2^16): to nearest, ties
/// to even; NaN becomes 0.
#[inline(always)]
pub(crate) fn quantise(x: f32, max: f32) -> u32 {
    // At 2^23 the spacing of floats is 1, so the addition rounds, and the low bits of the sum are
    // the integer: one instruction, with the same bits on cores without a rounding instruction.
    const TWO_23: f32 = 8_388_608.0;
    let x = clamp(x, 0.0, 1.0);
    (x * max + TWO_23).to_bits() & 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantising_rounds_to_even_and_clamps() {
        assert_eq!(quantise(0.5, 255.0), 128); // 127.5
        assert_eq!(quantise(2.5, 255.0), 255);
        assert_eq!(quantise(-1.0, 255.0), 0);
        assert_eq!(quantise(f32::NAN, 255.0), 0);
        assert_eq!(quantise(0.5, 31.0), 16); // 15.5
        assert_eq!(quantise(0.5, 1.0), 0); // 0.5
        assert_eq!(quantise(1.0, 65535.0), 65535);
    }
}
