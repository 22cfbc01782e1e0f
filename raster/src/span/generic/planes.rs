//! Planes in integers: sets up a triangle without floats, for cores without an FPU.
//!
//! Vertex values are converted to fixed point by their bits. Slopes are exact 64-bit differences
//! times the reciprocal of the area, which takes one division of words.

use crate::setup::{PARALLEL, Plane32};
use crate::span::reciprocal::reciprocal;

/// log2 of the bound of vertex values. Their differences then fit in words.
pub(super) const BITS: i32 = 29;

/// Converts a float to an integer with `fraction` bits after the point, rounded to zero; `None` if
/// the integer is not below 2²⁹, or the float is NaN.
#[inline]
pub(super) fn fixed(value: f32, fraction: i32) -> Option<i32> {
    let bits = value.to_bits();
    let mantissa = (bits & 0x7f_ffff | 0x80_0000) as i32;
    let exponent = (bits >> 23 & 0xff) as i32;
    let magnitude = match exponent - 150 + fraction {
        _ if exponent == 0 => 0,
        _ if exponent == 255 => return None,
        shift @ 0..=5 => mantissa << shift,
        shift @ -23..0 => mantissa >> -shift,
        ..0 => 0,
        _ => return None,
    };
    Some(if bits >> 31 == 0 { magnitude } else { -magnitude })
}

/// Returns the fraction bits that make the largest magnitude of the values just below 2²⁹.
#[inline]
pub(super) fn fraction(values: &[f32; 3]) -> i32 {
    let bits = values.iter().fold(0, |most, value| (value.to_bits() & i32::MAX as u32).max(most));
    BITS - 1 - ((bits >> 23) as i32 - 127)
}

/// The weights that give planes from the values of a triangle's corners.
pub(super) struct Slopes {
    /// The vectors from vertex 0 to vertices 1 and 2, Q24.8.
    to_1: [i32; 2],
    to_2: [i32; 2],
    /// The vector from vertex 0 to the centre of its pixel, Q24.8.
    offset: [i32; 2],
    /// The pixels from vertex 0's pixel to the region's first.
    right: i32,
    down: i32,
    /// 2⁵⁶ divided by the area after shifting it left by `shift` bits, to between 2²⁹ and 2³⁰.
    reciprocal: i32,
    shift: i32,
    clockwise: bool,
    /// Set if the two vectors are nearly parallel: digits of planes in floats cancel.
    pub(super) parallel: bool,
}

/// A plane with 32 more fraction bits, so that the sums over a wide triangle do not accumulate
/// rounding errors. Modulo 2⁶⁴, as [`Plane32`] is modulo 2³².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane64 {
    value: i64,
    pub(super) dx: i64,
    dy: i64,
}

impl Plane64 {
    /// Makes a plane with the same value in each column.
    #[cfg(test)]
    pub(super) fn of_row(value: i64, dx: i64) -> Plane64 {
        Plane64 { value, dx, dy: 0 }
    }

    #[inline(always)]
    pub(super) fn at(&self, x: i32, y: i32) -> i64 {
        let (right, down) = (self.dx.wrapping_mul(x.into()), self.dy.wrapping_mul(y.into()));
        self.value.wrapping_add(right).wrapping_add(down)
    }

    /// Returns the integer part of a value.
    #[inline(always)]
    pub(super) fn whole(at: i64) -> i32 {
        (at >> 32) as i32
    }
}

/// `value / 2^shift`.
#[derive(Clone, Copy)]
struct Quotient {
    value: i64,
    shift: i32,
}

impl Quotient {
    /// Returns the product with a small factor, rounded down.
    #[inline]
    fn times(self, factor: i32) -> i32 {
        (self.value.wrapping_mul(factor.into()) >> self.shift.clamp(0, 63)) as i32
    }

    /// Returns the product with a small factor, with 32 fraction bits.
    #[inline]
    fn times_finely(self, factor: i32) -> i64 {
        let product = self.value.wrapping_mul(factor.into());
        match self.shift - 32 {
            shift @ 0.. => product >> shift.min(63),
            shift => product << -shift.max(-63),
        }
    }
}

impl Slopes {
    /// Prepares planes from the pixel (`x`, `y`) on, for a triangle with corners `v` (Q24.8);
    /// `center` is the sample's offset in a pixel (Q24.8). The area must not be 0.
    ///
    /// Planes are rounded at the pixel of vertex 0, and do not depend on tiles.
    pub(super) fn new(v: &[[i32; 2]; 3], center: i32, (x, y): (i32, i32)) -> Slopes {
        let [a, b, c] = *v;
        let (to_1, to_2) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let area =
            i64::from(to_1[0]) * i64::from(to_2[1]) - i64::from(to_1[1]) * i64::from(to_2[0]);
        let size = area.unsigned_abs();
        let shift = size.leading_zeros() as i32 - 34;
        let dot = i64::from(to_1[0]) * i64::from(to_2[0]) + i64::from(to_1[1]) * i64::from(to_2[1]);
        let normal = if shift >= 0 { size << shift } else { size >> -shift };
        Slopes {
            to_1,
            to_2,
            offset: a.map(|a| (a & !255) + center - a),
            right: x - (a[0] >> 8),
            down: y - (a[1] >> 8),
            reciprocal: reciprocal(normal as i32),
            shift,
            clockwise: area > 0,
            parallel: (dot ^ dot >> 63) as u64 >> PARALLEL >= size,
        }
    }

    /// Divides a value by the area.
    #[inline]
    fn quotient(&self, value: i64) -> Quotient {
        let excess = (33 - value.unsigned_abs().leading_zeros() as i32).max(0);
        let value = i64::from((value >> excess) as i32) * i64::from(self.reciprocal);
        let value = if self.clockwise { value } else { -value };
        // Drops bits so that products fit in 64 bits; their integers keep all bits.
        let shift = 56 - excess - self.shift;
        if shift >= 20 {
            return Quotient { value: value >> 20, shift: shift - 20 };
        }
        Quotient { value: value >> shift.max(0), shift: shift.min(0) }
    }

    /// Returns the changes of the corners' values over 1/256 pixel to the right and down.
    #[inline(always)]
    fn changes(&self, v: [i32; 3]) -> [Quotient; 2] {
        let (d1, d2) = (i64::from(v[1] - v[0]), i64::from(v[2] - v[0]));
        let ([x1, y1], [x2, y2]) = (self.to_1, self.to_2);
        [
            self.quotient(d1 * i64::from(y2) - d2 * i64::from(y1)),
            self.quotient(d2 * i64::from(x1) - d1 * i64::from(x2)),
        ]
    }

    /// Returns the plane through the corners' values.
    #[inline(never)]
    pub(super) fn plane(&self, v: [i32; 3]) -> Plane32 {
        let [across, down] = self.changes(v);
        let first = across.times(self.offset[0]).wrapping_add(down.times(self.offset[1]));
        let (dx, dy) = (across.times(256), down.times(256));
        let (right, down) = (dx.wrapping_mul(self.right), dy.wrapping_mul(self.down));
        let value = v[0].wrapping_add(first).wrapping_add(right).wrapping_add(down);
        Plane32 { value, dx, dy }
    }

    /// Returns the plane through the corners' values with 32 more fraction bits.
    #[inline(never)]
    pub(super) fn fine(&self, v: [i32; 3]) -> Plane64 {
        let [across, down] = self.changes(v);
        let [x, y] = self.offset;
        let first = across.times_finely(x).wrapping_add(down.times_finely(y));
        let (dx, dy) = (across.times_finely(256), down.times_finely(256));
        let right = dx.wrapping_mul(self.right.into());
        let down = dy.wrapping_mul(self.down.into());
        let value = (i64::from(v[0]) << 32).wrapping_add(first);
        Plane64 { value: value.wrapping_add(right).wrapping_add(down), dx, dy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn floats_become_integers_by_their_bits() {
        assert_eq!(fixed(1.5, 4), Some(24));
        assert_eq!(fixed(-1.5, 4), Some(-24));
        assert_eq!(fixed(0.0, 28), Some(0));
        assert_eq!(fixed(1e-30, 28), Some(0));
        assert_eq!(fixed(-0.999_999_94, 29), Some(-((1 << 29) - 32)));
        assert_eq!(fixed(1.0, 29), None);
        assert_eq!(fixed(f32::NAN, 0), None);
        assert_eq!(fixed(f32::NEG_INFINITY, 0), None);
        for values in [[0.1, -3.0, 2.0], [1e-4, 1e-9, -2e-5], [1000.0, -65_535.9, 0.0]] {
            let fraction = fraction(&values).min(29);
            let most = values.map(|v| fixed(v, fraction).unwrap().abs()).into_iter().max().unwrap();
            assert!(most < 1 << 29 && (most >= 1 << 28 || fraction == 29), "{values:?}");
        }
        assert_eq!(fixed(f32::INFINITY, fraction(&[f32::INFINITY, 0.0, 0.0])), None);
    }

    #[test]
    fn planes_pass_through_their_corners() {
        let mut numbers = Random(1);
        let mut random = |range: i32| (numbers.bits() >> 2) as i32 % range;
        for case in 0..3000 {
            let reach = [600, 3000, 40_000, 4_000_000][case % 4];
            let corners = [(); 3].map(|()| [random(reach), random(reach)]);
            let v = [(); 3].map(|()| random(1 << 29) - random(1 << 29));
            let [a, b, c] = corners.map(|corner| corner.map(f64::from));
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            if area.abs() < f64::from(reach) {
                continue;
            }
            let weights = [0.2, 0.3, 0.5];
            let inside = [0, 1].map(|i| weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i]);
            let (x, y) = ((inside[0] / 256.0) as i32, (inside[1] / 256.0) as i32);
            let slopes = Slopes::new(&corners, 128, (x, y));
            let (plane, fine) = (slopes.plane(v), slopes.fine(v));
            let [v0, v1, v2] = v.map(f64::from);
            let dx = ((v1 - v0) * (c[1] - a[1]) - (v2 - v0) * (b[1] - a[1])) / area;
            let dy = ((v2 - v0) * (b[0] - a[0]) - (v1 - v0) * (c[0] - a[0])) / area;
            let at = |x: i32, y: i32| {
                let (x, y) = (f64::from(x * 256 + 128) - a[0], f64::from(y * 256 + 128) - a[1]);
                v0 + dx * x + dy * y
            };
            // The reciprocal's error over the parts of the sum, and the rounding of the steps per
            // pixel.
            let away = [(inside[0] - a[0]).abs(), (inside[1] - a[1]).abs()];
            let parts = dx.abs() * away[0] + dy.abs() * away[1];
            let steps = (away[0] + away[1]) / 256.0;
            let slack = 8.0 + (parts + 256.0 * (dx.abs() + dy.abs())) / f64::from(1 << 24);
            for (right, down) in [(0, 0), (1, 0), (0, 1)] {
                let want = at(x + right, y + down);
                for (got, slack) in [
                    (plane.at(right, down), slack + steps),
                    (Plane64::whole(fine.at(right, down)), slack),
                ] {
                    // Modulo a word.
                    let error = f64::from(got.wrapping_sub((want as i64) as i32));
                    assert!(error.abs() <= slack, "{corners:?} {v:?}: {error} of {slack}");
                }
            }
        }
    }
}
