//! The alpha test, and coverage from alpha.

use pipe_core::state::CompareFunc;
use tgsi::exec::{Lanes, Mask};

use crate::features::SAMPLES;
use crate::lanes::{Comparison, float, lanes_where};

/// Returns the lanes of `mask` that pass the test `alpha FUNC reference`.
///
/// Neither side is clamped here; the caller clamps alpha for fixed-point targets.
pub(crate) fn alpha_test<R: Lanes>(
    func: CompareFunc,
    reference: f32,
    alpha: &R,
    mask: Mask,
) -> Mask {
    match func {
        CompareFunc::Never => 0,
        CompareFunc::Always => mask,
        CompareFunc::Less
        | CompareFunc::Equal
        | CompareFunc::LessEqual
        | CompareFunc::Greater
        | CompareFunc::NotEqual
        | CompareFunc::GreaterEqual => {
            let alpha = alpha.as_slice();
            let func = Comparison::new(func);
            lanes_where(R::COUNT, |lane| func.passes(float(alpha, lane), reference)) & mask
        }
    }
}

/// Returns the lanes of `mask` where alpha covers sample `sample` of `samples` (manual, CSO,
/// "Blend": bits in proportion to alpha). A single sample is covered if alpha is at least ½. Sample
/// `i` of `n` samples is covered if alpha exceeds `i / n`, so that alpha 0 covers none and alpha 1
/// covers all.
pub(crate) fn alpha_to_coverage<R: Lanes>(
    alpha: &R,
    sample: usize,
    samples: u32,
    mask: Mask,
) -> Mask {
    let alpha = alpha.as_slice();
    if SAMPLES && samples > 1 {
        let share = sample as f32 / samples as f32;
        return lanes_where(R::COUNT, |lane| float(alpha, lane) > share) & mask;
    }
    lanes_where(R::COUNT, |lane| float(alpha, lane) >= 0.5) & mask
}

/// Returns the lanes of `mask` where alpha covers sample `sample` of `samples`, as
/// [`alpha_to_coverage`] does, but with thresholds that differ between the pixels of a square of
/// 4×4. Over the square, the number of covered samples is alpha times all samples, to 1/16 of a
/// sample. `position` returns a lane's pixel.
pub(crate) fn dithered_alpha_to_coverage<R: Lanes>(
    alpha: &R,
    sample: usize,
    samples: u32,
    mask: Mask,
    position: impl Fn(usize) -> [u32; 2],
) -> Mask {
    let alpha = alpha.as_slice();
    lanes_where(R::COUNT, |lane| {
        let share = (sample as f32 + dither(position(lane))) / samples as f32;
        float(alpha, lane) > share
    }) & mask
}

/// Returns a pixel's threshold, a multiple of 1/16 below 1. Each threshold occurs once in a square
/// of 4×4, far from its neighbours' thresholds (an ordered dither, the Bayer matrix).
fn dither([x, y]: [u32; 2]) -> f32 {
    // Bits of x ^ y and y take turns, the lowest in the highest place.
    let (mixed, y) = (x ^ y, y);
    let rank = (mixed & 1) << 3 | (y & 1) << 2 | (mixed >> 1 & 1) << 1 | (y >> 1 & 1);
    rank as f32 / 16.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_against_a_reference() {
        let alpha = [0.25f32, 0.5, 0.75, f32::NAN].map(f32::to_bits);
        for (func, want) in [
            (CompareFunc::Never, 0b0000),
            (CompareFunc::Less, 0b0001),
            (CompareFunc::Equal, 0b0010),
            (CompareFunc::LessEqual, 0b0011),
            (CompareFunc::Greater, 0b0100),
            (CompareFunc::NotEqual, 0b1101),
            (CompareFunc::GreaterEqual, 0b0110),
            (CompareFunc::Always, 0b1111),
        ] {
            assert_eq!(alpha_test(func, 0.5, &alpha, 0b1111), want, "{func:?}");
            assert_eq!(alpha_test(func, 0.5, &alpha, 0b0101), want & 0b0101, "{func:?}");
        }
    }

    #[test]
    fn coverage_of_a_single_sample_rounds_alpha() {
        let alpha = [0.0f32, 0.49, 0.5, 1.0].map(f32::to_bits);
        assert_eq!(alpha_to_coverage(&alpha, 0, 1, 0b1111), 0b1100);
        assert_eq!(alpha_to_coverage(&alpha, 0, 1, 0b0111), 0b0100);
    }

    #[test]
    fn coverage_of_samples_is_in_proportion_to_alpha() {
        let alpha = [0.0f32, 0.25, 0.5, 1.0].map(f32::to_bits);
        let samples = [0, 1, 2, 3].map(|sample| alpha_to_coverage(&alpha, sample, 4, 0b1111));
        // One sample of the second lane, two of the third, all of the fourth.
        assert_eq!(samples, [0b1110, 0b1100, 0b1000, 0b1000]);
    }
}
