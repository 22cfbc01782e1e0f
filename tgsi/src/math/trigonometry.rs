//! Sine and cosine.
//!
//! The argument is reduced to [-π/4, π/4] by subtracting multiples of π/2. π/2 is split into four
//! parts with few bits, so that the products are exact. Two polynomials give sine and cosine of the
//! remainder. The quadrant selects one of them and its sign.

use super::nearest;

/// Arguments are clamped to this magnitude, because multiples of π/2 are counted in 22 bits.
const LIMIT: f32 = 6_000_000.0;

/// π/2 in parts: 8, 11 and 11 bits, so that products with 13-bit counts are exact, and the rest.
const HALF_PI: [f32; 4] = [1.570_312_5, 4.837_513e-4, 7.549_533_6e-8, 2.563_344e-12];

/// Returns the sine of `x` radians. NaN for infinities; see [the table](super) for the error.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    quadrant(x, 0)
}

/// Returns the cosine of `x` radians. NaN for infinities; see [the table](super) for the error.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    quadrant(x, 1)
}

/// Returns the sine of `x` + `quarters`·π/2.
#[inline(always)]
fn quadrant(x: f32, quarters: i32) -> f32 {
    let limited = super::max(super::min(x, LIMIT), -LIMIT);
    let (count, quadrant) = nearest(limited * core::f32::consts::FRAC_2_PI);
    let [a, b, c, d] = HALF_PI;
    let r = (((limited - count * a) - count * b) - count * c) - count * d;
    // For large arguments the products round; clamp the remainder to where the polynomials are
    // small.
    let r = super::max(super::min(r, 1.0), -1.0);
    let quadrant = quadrant.wrapping_add(quarters);
    let (sine, cosine) = (sine(r), cosine(r));
    let chosen = if quadrant & 1 == 0 { sine } else { cosine };
    let signed = f32::from_bits(chosen.to_bits() ^ ((quadrant & 2) as u32) << 30);
    let zero_keeps_its_sign = if x == 0.0 && quarters == 0 { x } else { signed };
    if x.is_finite() { zero_keeps_its_sign } else { f32::NAN }
}

/// Returns the sine of `r` within [-π/4, π/4]. Error of the polynomial: 2⁻²⁹.
#[inline(always)]
fn sine(r: f32) -> f32 {
    let z = r * r;
    let tail = 2.724_962e-6;
    let tail = -1.984_008_4e-4 + z * tail;
    let tail = 8.333_332e-3 + z * tail;
    let tail = -0.166_666_67 + z * tail;
    r + r * (z * tail)
}

/// Returns the cosine of `r` within [-π/4, π/4]. Error of the polynomial: 2⁻³⁰.
#[inline(always)]
fn cosine(r: f32) -> f32 {
    let z = r * r;
    let tail = -2.730_070_3e-7;
    let tail = 2.480_059_8e-5 + z * tail;
    let tail = -1.388_888_8e-3 + z * tail;
    let tail = 4.166_666_8e-2 + z * tail;
    let half = 0.5 * z;
    // 1 - z/2 loses up to half an ulp; add it back.
    let head = 1.0 - half;
    head + (((1.0 - head) - half) + z * (z * tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::{patterns, ulps};
    extern crate std;
    use std::println;

    fn check(name: &str, ours: fn(f32) -> f32, exact: fn(f64) -> f64) {
        let mut worst = (0.0, 0.0, 0.0);
        let dense = (0..1_000_000).map(|i| (i as f32 - 500_000.0) * (8192.0 / 500_000.0));
        let near = (0..400_000).map(|i| (i as f32 - 200_000.0) * (4.0 / 200_000.0));
        for x in patterns(4001).filter(|x| x.abs() <= 8192.0).chain(dense).chain(near) {
            let reference = exact(f64::from(x));
            let error = ulps(ours(x), reference);
            let absolute = (f64::from(ours(x)) - reference).abs();
            assert!(error <= 2.0 || absolute <= 2f64.powi(-24), "{name}({x:e}): {error} ulp");
            if error > worst.0 && absolute > 2f64.powi(-24) {
                worst = (error, x, absolute);
            }
        }
        println!("{name}: worst {} ulp at {:e}, {:e} absolute", worst.0, worst.1, worst.2);
        for x in patterns(9001).filter(|x| x.abs() > 8192.0 && x.abs() <= 65536.0) {
            let absolute = (f64::from(ours(x)) - exact(f64::from(x))).abs();
            let allowed = 2f64.powi(-24) + f64::from(x.abs()) * 2f64.powi(-34);
            assert!(absolute <= allowed, "{name}({x:e}): {absolute:e}");
        }
        for x in patterns(9001).filter(|x| x.is_finite()) {
            assert!(ours(x).abs() <= 1.0, "{name}({x:e}) = {}", ours(x));
        }
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(ours(x).is_nan(), "{name}({x})");
        }
    }

    #[test]
    fn sine_is_close() {
        check("sin", sin, f64::sin);
        assert_eq!(sin(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(sin(1e-40), 1e-40);
    }

    #[test]
    fn cosine_is_close() {
        check("cos", cos, f64::cos);
        assert_eq!(cos(0.0), 1.0);
    }
}
