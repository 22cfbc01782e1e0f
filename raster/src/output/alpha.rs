//! The alpha test, and coverage from alpha.

use pipe_core::state::CompareFunc;
use tgsi::exec::{Lanes, Mask};

use crate::lanes::{Comparison, float, lanes_where};

/// Returns the lanes of `mask` whose alpha passes `alpha FUNC reference`.
///
/// Neither side is clamped here; the caller clamps alpha for fixed-point targets.
pub fn alpha_test<R: Lanes>(func: CompareFunc, reference: f32, alpha: &R, mask: Mask) -> Mask {
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

/// Returns the lanes of `mask` that alpha covers. With one sample a pixel that is alpha of at least ½
/// (manual, CSO, "Blend": bits in proportion to alpha).
pub fn alpha_to_coverage<R: Lanes>(alpha: &R, mask: Mask) -> Mask {
    lanes_where(R::COUNT, |lane| float(alpha.as_slice(), lane) >= 0.5) & mask
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
        assert_eq!(alpha_to_coverage(&alpha, 0b1111), 0b1100);
        assert_eq!(alpha_to_coverage(&alpha, 0b0111), 0b0100);
    }
}
