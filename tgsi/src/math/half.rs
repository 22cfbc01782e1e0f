//! Half floats, for PK2H and UP2H.

/// Returns the nearest half, ties to even, in the low 16 bits: 1 sign, 5 exponent and 10 fraction
/// bits. Infinite from 65520 on; NaN becomes 0x7e00 and keeps its sign.
#[inline(always)]
pub const fn f32_to_f16(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    // Halves below 2⁻¹⁴ are multiples of 2⁻²⁴, and a float sum near 0.5 rounds to such multiples.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3F00_0000);
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xFFF + odd) >> 13;
    let large = if magnitude > 0x7F80_0000 { 0x7E00 } else { 0x7C00 };
    let half = if magnitude < 113 << 23 { small } else { normal };
    sign | if magnitude >= 143 << 23 { large } else { half }
}

/// 2¹¹².
const TWO_TO_112: f32 = f32::from_bits((127 + 112) << 23);

/// Returns the value of the half in the low 16 bits, ignoring the upper 16. Exact; NaN payloads are
/// kept.
#[inline(always)]
pub const fn f16_to_f32(half: u32) -> f32 {
    let sign = (half & 0x8000) << 16;
    let magnitude = (half & 0x7FFF) << 13;
    // As an f32 the bits have 2⁻¹¹² times the value, also for denormals.
    let finite = (f32::from_bits(magnitude) * TWO_TO_112).to_bits();
    let bits = if magnitude >= 0x7C00 << 13 { magnitude | 0x7F80_0000 } else { finite };
    f32::from_bits(sign | bits)
}

/// Returns the value of the nearest half, as [`f32_to_f16`] chooses it. NaNs stay NaNs.
#[inline(always)]
pub const fn round_to_f16(x: f32) -> f32 {
    let bits = x.to_bits();
    let (sign, magnitude) = (bits & 0x8000_0000, f32::from_bits(bits & 0x7FFF_FFFF));
    // The power of two below. Halves below 2⁻¹⁴ have the steps of the numbers above it.
    let power = f32::from_bits(bits & 0x7F80_0000);
    let power = if power < SMALLEST_NORMAL { SMALLEST_NORMAL } else { power };
    let power = if power > LARGEST_POWER { LARGEST_POWER } else { power };
    // A sum near 1.5·2¹³ times the power has the steps of halves near the power.
    let large = power * 12288.0;
    let rounded = (magnitude + large) - large;
    // From 65536 on the first product is infinite.
    let rounded = (rounded * TWO_TO_112) * (1.0 / TWO_TO_112);
    f32::from_bits(sign | rounded.to_bits())
}

/// 2⁻¹⁴.
const SMALLEST_NORMAL: f32 = 1.0 / 16384.0;

/// The greatest power of two that is a half.
const LARGEST_POWER: f32 = 32768.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::patterns;

    /// Returns the value of a half, computed from its definition.
    fn value(half: u32) -> f64 {
        let (exponent, fraction) = ((half >> 10 & 31) as i32, f64::from(half & 0x3FF));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
        };
        if half & 0x8000 != 0 { -magnitude } else { magnitude }
    }

    #[test]
    fn every_half_is_read_and_comes_back() {
        for half in 0..0x1_0000 {
            let x = f16_to_f32(half);
            if value(half).is_nan() {
                assert!(x.is_nan());
                assert_eq!(f32_to_f16(x), half & 0x8000 | 0x7E00);
            } else {
                assert_eq!(f64::from(x), value(half), "{half:#x}");
                assert_eq!(f32_to_f16(x), half);
            }
        }
        assert_eq!(f16_to_f32(0xFFFF_3C00), 1.0);
    }

    #[test]
    fn rounding_is_packing_and_unpacking() {
        let check = |x: f32| {
            let (got, expected) = (round_to_f16(x), f16_to_f32(f32_to_f16(x)));
            assert!(got.to_bits() == expected.to_bits() || (got.is_nan() && x.is_nan()), "{x:e}");
        };
        patterns(977).for_each(check);
        // Halves, the middles between them, and the floats beside these.
        for half in 0..0x7C00 {
            let (low, high) = (value(half), value(half + 1));
            let high = if high.is_finite() { high } else { 65536.0 };
            let middle = ((low + high) / 2.0) as f32;
            for x in [low as f32, middle.next_down(), middle, middle.next_up()] {
                check(x);
                check(-x);
            }
        }
        [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-45, -0.0]
            .into_iter()
            .for_each(check);
    }

    #[test]
    fn the_nearest_half_is_chosen() {
        for x in patterns(977).filter(|x| x.abs() < 65520.0) {
            let half = f32_to_f16(x);
            let error = (f64::from(x) - value(half)).abs();
            for neighbour in [half.wrapping_sub(1) & 0xFFFF, (half + 1) & 0xFFFF] {
                let other = (f64::from(x) - value(neighbour)).abs();
                assert!(
                    !(other < error || (other == error && half & 1 == 1 && half & 0x7FFF != 0)),
                    "{x:e} became {half:#x}, but {neighbour:#x} is nearer"
                );
            }
        }
        for (x, half) in [
            (65519.0, 0x7BFF),
            (65520.0, 0x7C00),
            (1e30, 0x7C00),
            (f32::NEG_INFINITY, 0xFC00),
            (0.5, 0x3800),
            (-0.0, 0x8000),
        ] {
            assert_eq!(f32_to_f16(x), half, "{x}");
        }
    }
}
