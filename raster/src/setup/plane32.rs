//! An integer plane of 32 bits, and the tests that a plane fits in them.

use crate::fixed::SUBPIXEL_BITS;

/// A plane from a pixel on: the value there, and its exact steps.
///
/// Arithmetic is modulo 2³². Inside the primitive values fit, even if the sums have wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plane32 {
    pub(crate) value: i32,
    /// The step to the pixel on the right.
    pub(crate) dx: i32,
    /// The step to the pixel below.
    pub(crate) dy: i32,
}

impl Plane32 {
    /// Returns the value `x` pixels to the right and `y` pixels down.
    #[inline(always)]
    pub(crate) fn at(&self, x: i32, y: i32) -> i32 {
        self.value.wrapping_add(self.dx.wrapping_mul(x)).wrapping_add(self.dy.wrapping_mul(y))
    }

    /// Returns the plane from the pixel `right` to the right and `down` below.
    #[inline(always)]
    pub(crate) fn moved(self, right: i32, down: i32) -> Plane32 {
        Plane32 { value: self.at(right, down), ..self }
    }

    /// Returns the plane as seen by samples at `offset` (Q24.8) from the pixels' centres. The
    /// plane's steps must fit in 32 bits.
    #[inline(always)]
    pub(crate) fn beside(self, offset: [i32; 2]) -> Plane32 {
        self.raised(self.step(offset))
    }

    /// Returns the plane with `step` added to its values.
    #[inline(always)]
    pub(crate) fn raised(self, step: i32) -> Plane32 {
        Plane32 { value: self.value.wrapping_add(step), ..self }
    }

    /// Returns the step from a pixel's centre to a sample at `offset` (Q24.8). The steps to the
    /// next pixels must fit in 32 bits.
    #[inline(always)]
    pub(crate) fn step(self, [x, y]: [i32; 2]) -> i32 {
        let step = i64::from(self.dx) * i64::from(x) + i64::from(self.dy) * i64::from(y);
        (step >> SUBPIXEL_BITS) as i32
    }

    /// Returns a negative number if a step is 2³⁰ or more, or below -2³⁰: too steep for sums of 32
    /// bits. Steps that a cast saturated are too steep as well.
    #[inline(always)]
    pub(crate) fn steepness(&self) -> i32 {
        // The two top bits of such steps differ.
        (self.dx ^ self.dx << 1) | (self.dy ^ self.dy << 1)
    }

    /// Returns a negative number if the value is the least or the greatest of 32 bits, as after a
    /// cast saturated.
    #[inline(always)]
    pub(crate) fn saturation(&self) -> i32 {
        // The magnitude plus one, which wraps at the greatest magnitude.
        (self.value ^ self.value >> 31).wrapping_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_that_does_not_fit_is_negative() {
        let plane = |value: f32, dx: f32, dy: f32| Plane32 {
            value: value as i32,
            dx: dx as i32,
            dy: dy as i32,
        };
        let two_30 = (1u32 << 30) as f32;
        for (fits, plane) in [
            (true, plane(0.0, 0.0, 0.0)),
            (true, plane(1.9 * two_30, 0.9 * two_30, -0.9 * two_30)),
            (false, plane(0.0, two_30, 0.0)),
            (false, plane(0.0, 0.0, -1.1 * two_30)),
            (false, plane(0.0, f32::INFINITY, 0.0)),
            (false, plane(2.0 * two_30, 0.0, 0.0)),
            (false, plane(f32::NEG_INFINITY, 0.0, 0.0)),
        ] {
            assert_eq!(plane.steepness() | plane.saturation() >= 0, fits, "{plane:?}");
        }
    }

    #[test]
    fn sums_wrap() {
        let plane = Plane32 { value: i32::MAX, dx: 1, dy: -2 };
        assert_eq!(plane.at(1, 0), i32::MIN);
        assert_eq!(plane.moved(3, 1).value, i32::MIN);
    }
}
