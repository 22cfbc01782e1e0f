//! Powers and logarithms to base 2, and POW from both.
//!
//! POW multiplies a logarithm of up to 128 by the exponent. An error in the 32nd bit of the
//! logarithm becomes an error in the 24th bit of the result. The logarithm is therefore a [`Pair`].

use super::{nearest, power_of_two};

/// A number as the sum of two floats.
///
/// `head` has at most 12 significant bits, so that a product of two heads is exact. `tail` is less
/// than an ulp of 12 bits. A pair has about 36 significant bits.
#[derive(Clone, Copy)]
struct Pair {
    head: f32,
    tail: f32,
}

/// Returns `x` with its last 12 bits cleared, so that 12 significant bits remain.
#[inline(always)]
const fn leading_bits(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xFFFF_F000)
}

impl Pair {
    #[inline(always)]
    const fn from_f32(x: f32) -> Pair {
        let head = leading_bits(x);
        Pair { head, tail: x - head }
    }

    /// Returns `large` + `small`. `large` must be 0 or not much smaller than `small`.
    #[inline(always)]
    const fn from_sum(large: f32, small: f32) -> Pair {
        let head = leading_bits(large + small);
        Pair { head, tail: (large - head) + small }
    }

    #[inline(always)]
    const fn sum(self) -> f32 {
        self.head + self.tail
    }

    #[inline(always)]
    const fn times(self, other: Pair) -> Pair {
        let mixed = self.head * other.tail + self.tail * other.sum();
        Pair::from_sum(self.head * other.head, mixed)
    }

    /// Returns `large` + the pair. `large` must be a whole number, and the pair's magnitude at most
    /// 1.
    #[inline(always)]
    const fn add_to(self, large: f32) -> Pair {
        let head = leading_bits(large + self.sum());
        Pair { head, tail: ((large - head) + self.head) + self.tail }
    }
}

/// 2 / ln 2.
const TWO_OVER_LN_2: Pair = Pair { head: 2.884_765_6, tail: 6.244_568e-4 };

/// Returns the base-2 logarithm of a positive, finite `x`, including denormals.
#[inline(always)]
const fn log2_pair(x: f32) -> Pair {
    let denormal = x < f32::MIN_POSITIVE;
    let scaled = if denormal { x * 16_777_216.0 } else { x };
    let bias = if denormal { -24 } else { 0 };
    // x = m·2^k with m from √½ to √2, so that k is 0 around 1 and nothing cancels.
    let above = scaled.to_bits().wrapping_sub(0x3F35_04F3) as i32;
    let k = above >> 23;
    let m = f32::from_bits(scaled.to_bits().wrapping_sub((k << 23) as u32));
    // s = (m - 1) / (m + 1). The numerator is exact; the denominator and s are pairs.
    let numerator = m - 1.0;
    let denominator = m + 1.0;
    let denominator_pair = Pair {
        head: leading_bits(denominator),
        tail: (denominator - leading_bits(denominator)) + (m - (denominator - 1.0)),
    };
    let reciprocal = 1.0 / denominator;
    let head = leading_bits(numerator * reciprocal);
    let left = (numerator - head * denominator_pair.head) - head * denominator_pair.tail;
    let s = Pair { head, tail: left * reciprocal };
    // log2 m = 2/ln 2 · s · (1 + s²/3 + s⁴/5 + …)
    let square = s.times(s);
    let z = square.sum();
    let small = z * (0.2 + z * (0.142_857_66 + z * (0.111_023_45 + z * 0.095_612_15)));
    let third = Pair::from_sum(0.333_251_95, 8.138_021e-5 + small);
    let series = square.times(third).add_to(1.0);
    let fraction = s.times(series).times(TWO_OVER_LN_2);
    fraction.add_to((k + bias) as f32)
}

/// Returns 2 to the `large` + `small`. The sum must be from -160 to 160, and `small` at most 1.
#[inline(always)]
fn exp2_sum(large: f32, small: f32) -> f32 {
    let (whole, n) = nearest(large + small);
    let f = (large - whole) + small;
    // 2^f within [-½, ½]; error of the polynomial: 2⁻³⁰.
    let p = 1.545_318_2e-4;
    let p = 1.339_088_7e-3 + f * p;
    let p = 9.618_082e-3 + f * p;
    let p = 5.550_357e-2 + f * p;
    let p = 0.240_226_5 + f * p;
    let p = core::f32::consts::LN_2 + f * p;
    let p = 1.0 + f * p;
    // Scale in two steps; the second one may round to a denormal or overflow.
    let half = n >> 1;
    p * power_of_two(half) * power_of_two(n - half)
}

/// Returns 2 to the `x`. Error at most 1.2 ulp; exact for whole `x`.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let limited = super::max(super::min(x, 160.0), -160.0);
    let power = exp2_sum(limited, 0.0);
    if x.is_nan() { x } else { power }
}

/// Returns the base-2 logarithm of `x`. Error at most 0.51 ulp; exact for powers of two. -∞ for
/// zeros of either sign, NaN for negative `x`.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let finite = log2_pair(x).sum();
    let infinite = if x > 0.0 { x } else { f32::NEG_INFINITY };
    let defined = if x > 0.0 && x < f32::INFINITY { finite } else { infinite };
    if x < 0.0 || x.is_nan() { f32::NAN } else { defined }
}

/// Returns `x` to the `y`. Error at most 1.5 ulp. Special cases as C's `powf`: any `x` to the 0 is
/// 1, and 1 to any `y` is 1; a negative `x` needs a whole `y`.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let magnitude = x.abs();
    let log = log2_pair(magnitude);
    // The product as a single float shows an overflow. The pair would overflow to NaN.
    let exponent = y * log.sum();
    let product = log.times(Pair::from_f32(y));
    // For zero and infinity only the sign of the logarithm matters.
    let extreme = magnitude == 0.0 || magnitude == f32::INFINITY;
    let grows = if extreme { (magnitude == 0.0) == (y < 0.0) } else { exponent > 129.0 };
    let shrinks = if extreme { !grows } else { exponent < -151.0 };
    // The power of 2 is unused in both cases; compute it for 0, because an underflow would cost a
    // hundred cycles.
    let head = if grows | shrinks { 0.0 } else { product.head };
    let head = super::max(super::min(head, 150.0), -155.0);
    let tail = super::max(super::min(product.tail, 1.0), -1.0);
    let ordinary = exp2_sum(head, tail);
    let power = if grows { f32::INFINITY } else { ordinary };
    let power = if shrinks { 0.0 } else { power };
    // From 2²⁴ on all floats are even.
    let whole = super::trunc(y) == y;
    let odd = whole && y.abs() < 16_777_216.0 && y as i32 & 1 != 0;
    let negative = x.to_bits() >> 31 != 0 && odd;
    let power = f32::from_bits(power.to_bits() | (negative as u32) << 31);
    let undefined = x < 0.0 && !whole && magnitude < f32::INFINITY;
    let power = if undefined || x.is_nan() || y.is_nan() { f32::NAN } else { power };
    let one = x == 1.0 || y == 0.0 || (magnitude == 1.0 && y.abs() == f32::INFINITY);
    if one { 1.0 } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::{patterns, ulps};
    extern crate std;
    use std::println;

    #[test]
    fn exp2_is_close() {
        let mut worst = (0.0, 0.0);
        let dense = (0..3_000_000).map(|i| i as f32 * 1e-4 - 152.0);
        for x in patterns(3001).filter(|x| !x.is_nan()).chain(dense) {
            let error = ulps(exp2(x), f64::from(x).exp2());
            if error > worst.0 {
                worst = (error, x);
            }
        }
        println!("exp2: worst {} ulp at {:e}", worst.0, worst.1);
        assert!(worst.0 <= 1.2, "{worst:?}");
        for n in -149..=127 {
            assert_eq!(f64::from(exp2(n as f32)), 2f64.powi(n));
        }
        assert_eq!(exp2(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp2(f32::NEG_INFINITY), 0.0);
        assert_eq!(
            (exp2(0.0), exp2(-0.0), exp2(128.0), exp2(-151.0)),
            (1.0, 1.0, f32::INFINITY, 0.0)
        );
        assert!(exp2(f32::NAN).is_nan());
    }

    #[test]
    fn log2_is_close() {
        let mut worst = (0.0, 0.0);
        let near_one = (0..2_000_000u32).map(|i| f32::from_bits(0x3F80_0000 - 1_000_000 + i));
        let sparse = (0..2_000_000u32).map(|i| f32::from_bits(0x3F00_0000 + 8 * i));
        for x in patterns(1501).filter(|x| *x > 0.0).chain(near_one).chain(sparse) {
            let error = ulps(log2(x), f64::from(x).log2());
            if error > worst.0 {
                worst = (error, x);
            }
        }
        println!("log2: worst {} ulp at {:e}", worst.0, worst.1);
        assert!(worst.0 <= 0.51, "{worst:?}");
        for n in -149..=127 {
            assert_eq!(log2(2f64.powi(n) as f32), n as f32);
        }
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
        assert_eq!((log2(0.0), log2(-0.0)), (f32::NEG_INFINITY, f32::NEG_INFINITY));
        assert!(log2(-1.0).is_nan() && log2(f32::NEG_INFINITY).is_nan() && log2(f32::NAN).is_nan());
        assert!(log2(-1e-40).is_nan());
    }

    #[test]
    fn pow_is_close() {
        let mut worst = (0.0, 0.0, 0.0);
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for _ in 0..4_000_000 {
            let x = f32::from_bits(random() << 7 ^ random() & 0x7FFF_FFFF);
            // Exponents with results over the whole range, including the ends.
            let target = (random() as f32 / 16_777_216.0) * 282.0 - 152.0;
            let y = (f64::from(target) / f64::from(x).log2()) as f32;
            if !(x > 0.0 && x < f32::INFINITY && y.is_finite()) {
                continue;
            }
            let error = ulps(pow(x, y), f64::from(x).powf(f64::from(y)));
            if error > worst.0 {
                worst = (error, x, y);
            }
        }
        println!("pow: worst {} ulp at {:e}, {:e}", worst.0, worst.1, worst.2);
        assert!(worst.0 <= 1.5, "{worst:?}");
    }

    #[test]
    fn pow_has_c_special_cases() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        for (x, y, expected) in [
            (0.0, 0.0, 1.0),
            (nan, 0.0, 1.0),
            (1.0, nan, 1.0),
            (1.0, inf, 1.0),
            (-1.0, inf, 1.0),
            (-1.0, -inf, 1.0),
            (-2.0, 2.0, 4.0),
            (-2.0, 3.0, -8.0),
            (-2.0, 0.5, nan),
            (0.0, -1.0, inf),
            (-0.0, -1.0, -inf),
            (-0.0, -2.0, inf),
            (0.0, 2.0, 0.0),
            (-0.0, 3.0, -0.0),
            (0.0, 0.5, 0.0),
            (-0.0, 0.5, 0.0),
            (0.0, inf, 0.0),
            (0.0, -inf, inf),
            (2.0, inf, inf),
            (2.0, -inf, 0.0),
            (0.5, inf, 0.0),
            (0.5, -inf, inf),
            (-0.5, inf, 0.0),
            (inf, 2.0, inf),
            (inf, -2.0, 0.0),
            (-inf, 3.0, -inf),
            (-inf, 2.0, inf),
            (-inf, 0.5, inf),
            (-inf, -3.0, -0.0),
            (nan, 1.0, nan),
            (2.0, nan, nan),
            (2.0, 128.0, inf),
            (2.0, -150.0, 0.0),
            (2.0, -149.0, f32::from_bits(1)),
            (2.0, 1e30, inf),
            (0.5, 1e30, 0.0),
            (-1.0, 16_777_216.0, 1.0),
            (-1.0, 16_777_215.0, -1.0),
            (10.0, 2.0, 100.0),
            (4.0, 0.5, 2.0),
        ] {
            let ours = pow(x, y);
            let same = ours.to_bits() == expected.to_bits() || (ours.is_nan() && expected.is_nan());
            assert!(same, "pow({x}, {y}) = {ours}, expected {expected}");
        }
    }
}
