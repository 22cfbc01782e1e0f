//! Attribute and depth planes: values as linear functions of the pixel.

use os_shim::math::to_i32;

use super::Plane32;
use crate::features::SHEARS;
use crate::fixed::SUBPIXEL_BITS;
use crate::fixed::{DEPTH_BITS, SUBPIXEL_ONE};

/// A vertex's place in window space, as stored in the scene.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// Q24.8.
    pub(crate) x: i32,
    /// Q24.8.
    pub(crate) y: i32,
    /// Depth, 0 to 1.
    pub(crate) z: f32,
    /// 1 / clip w.
    pub(crate) rcp_w: f32,
}

/// The weights that turn the values at a primitive's vertices into the plane of that value.
///
/// For vertex values v0, v1, v2 the plane is `a = v0 + (v1 - v0) * (…) + (v2 - v0) * (…)`,
/// evaluated from the primitive's reference pixel (the pixel that holds vertex 0), so a pixel's
/// value does not depend on tiles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gradient {
    /// The weights of d/dx: per pixel a value grows by `(v1 - v0) * x1 + (v2 - v0) * x2`.
    x1: f32,
    x2: f32,
    /// The weights of d/dy.
    y1: f32,
    y2: f32,
    /// The part of `v1 - v0` that is taken from `v2 - v0`. It is 0 unless the two sides are
    /// [nearly parallel](PARALLEL).
    shear: f32,
    /// The offset from vertex 0 to the centre of the reference pixel, in pixels.
    offset_x: f32,
    offset_y: f32,
    /// The reference pixel.
    pub(crate) x: i32,
    pub(crate) y: i32,
    /// Set for a triangle within [`NEAR`] of its vertex 0.
    small: bool,
}

/// `a + dadx * (x - xref) + dady * (y - yref)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    pub(crate) a: f32,
    pub(crate) dadx: f32,
    pub(crate) dady: f32,
}

impl Plane {
    /// Returns the value at a place, in pixels from the centre of the reference pixel.
    #[inline(always)]
    pub(crate) fn at(&self, [x, y]: [f32; 2]) -> f32 {
        self.a + self.dadx * x + self.dady * y
    }
}

/// The factor from subpixels to pixels.
const SCALE: f32 = 1.0 / SUBPIXEL_ONE as f32;

/// The reach of a small triangle from its vertex 0: 64 pixels, in Q24.8.
const NEAR: u32 = 1 << 14;

/// Returns the vectors from a triangle's corner 0 to corners 1 and 2.
#[inline(always)]
fn sides([a, b, c]: &[[i32; 2]; 3]) -> [i32; 4] {
    [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]]
}

/// Returns twice the area of a triangle (Q48.16), exact; positive where its corners run clockwise
/// with y down.
#[inline(always)]
pub(crate) fn area(v: &[[i32; 2]; 3]) -> i64 {
    let [x1, y1, x2, y2] = sides(v).map(i64::from);
    x1 * y2 - y1 * x2
}

/// The least reach from corner 0 of a triangle that may be sheared: 16 pixels, in Q24.8. Digits
/// that cancel in shorter triangles are worth thousandths of a pixel.
pub(crate) const LONG: u32 = 1 << 12;

/// Two sides are nearly parallel if their dot product is at least 2 to this power times the
/// triangle's [`area`]. Their weights are then great and cancel, and so do the digits of the
/// weights' products with a value's differences.
pub(crate) const PARALLEL: u32 = 6;

/// Steps per unit of a [`shear`](Gradient::shear), as a power of 2.
const STEPS: u32 = 20;

/// The limit of a shear in steps, as a power of 2. Only triangles with two corners a few subpixels
/// apart need more.
const MAX_SHEAR: u32 = 38;

/// Returns a number with as many bits as the greatest magnitude of four.
#[inline(always)]
pub(crate) fn reach(sides: [i32; 4]) -> u32 {
    let [x1, y1, x2, y2] = sides.map(|x| (x ^ x >> 31) as u32);
    x1 | y1 | x2 | y2
}

/// Converts an area of more than 32 bits. Cold: so large a triangle takes long anyway.
#[cold]
#[inline(never)]
fn wide(area: i64) -> f32 {
    area as f32
}

impl Gradient {
    fn reference([origin_x, origin_y]: [i32; 2], center: i32) -> Gradient {
        let (x, y) = (origin_x >> 8, origin_y >> 8);
        Gradient {
            offset_x: ((x << 8) + center - origin_x) as f32 * SCALE,
            offset_y: ((y << 8) + center - origin_y) as f32 * SCALE,
            x,
            y,
            ..Gradient::default()
        }
    }

    /// Derives the weights over a triangle; `center` is the sample's offset in a pixel (Q24.8).
    #[inline]
    pub(crate) fn triangle(v: &[Position; 3], center: i32) -> Gradient {
        let points = v.map(|v| [v.x, v.y]);
        Gradient::with_area(&points, area(&points), center)
    }

    /// Derives the weights over a triangle of known [`area`], which must not be 0 (Draw drops such
    /// triangles).
    #[inline(always)]
    pub(crate) fn with_area(v: &[[i32; 2]; 3], area: i64, center: i32) -> Gradient {
        // Both conversions give the same number; from 32 bits it is one FPU instruction.
        let narrow = area as i32;
        let area = if i64::from(narrow) == area { narrow as f32 } else { wide(area) };
        let mut gradient = Gradient::over(v, area, center);
        if SHEARS && reach(sides(v)) >= LONG {
            let [x1, y1, x2, y2] = sides(v).map(|x| x as f32);
            let scale = SUBPIXEL_ONE as f32 / area;
            let ratio = ((x1 * x2 + y1 * y2) * scale).abs();
            // By the bits: a comparison of floats takes long without an FPU.
            if ratio.to_bits() >= ((SUBPIXEL_ONE << PARALLEL) as f32).to_bits() {
                gradient.straighten(v, scale);
            }
        }
        gradient
    }

    /// Derives the weights over a triangle with an area that fits in 32 bits, without regard to its
    /// shape.
    #[inline(always)]
    pub(crate) fn of_small(v: &[[i32; 2]; 3], area: i32, center: i32) -> Gradient {
        Gradient::over(v, area as f32, center)
    }

    #[inline(always)]
    fn over(v: &[[i32; 2]; 3], area: f32, center: i32) -> Gradient {
        let [x1, y1, x2, y2] = sides(v);
        let scale = SUBPIXEL_ONE as f32 / area;
        Gradient {
            x1: y2 as f32 * scale,
            x2: -(y1 as f32) * scale,
            y1: -(x2 as f32) * scale,
            y2: x1 as f32 * scale,
            small: reach(sides(v)) < NEAR,
            ..Gradient::reference(v[0], center)
        }
    }

    /// Shears the second side along the first, until it is a side along an axis, at an angle of at
    /// least half a right angle to the first, to within a step. The triangle's area and the planes
    /// stay the same, and no digits cancel.
    #[cold]
    #[inline(never)]
    fn straighten(&mut self, v: &[[i32; 2]; 3], scale: f32) {
        let [x1, y1, x2, y2] = sides(v);
        let (one, two) = if x1.abs() > y1.abs() { (x1, x2) } else { (y1, y2) };
        let steps = to_i64(two as f32 / one as f32 * (1 << STEPS) as f32);
        if steps.unsigned_abs() >> MAX_SHEAR != 0 {
            return;
        }
        // Exact: digits cancel here.
        let rest = |one: i32, two: i32| ((i64::from(two) << STEPS) - i64::from(one) * steps) as f32;
        let step = 1.0 / (1 << STEPS) as f32;
        self.x1 = rest(y1, y2) * (scale * step);
        self.y1 = -rest(x1, x2) * (scale * step);
        self.shear = steps as f32 * step;
    }

    /// Derives the weights along a line: values change with the projection on its direction.
    pub(crate) fn line(v: &[Position; 2], center: i32) -> Gradient {
        let (dx, dy) = ((v[1].x - v[0].x) as f32 * SCALE, (v[1].y - v[0].y) as f32 * SCALE);
        let length = dx * dx + dy * dy;
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        Gradient { x1: dx * scale, y1: dy * scale, ..Gradient::reference([v[0].x, v[0].y], center) }
    }

    /// Derives the weights over a point: every value is constant.
    pub(crate) fn point(v: &Position, center: i32) -> Gradient {
        Gradient::reference([v.x, v.y], center)
    }

    /// Returns the plane through the vertex values.
    #[inline(always)]
    pub(crate) fn plane(&self, v0: f32, v1: f32, mut v2: f32) -> Plane {
        // By the bits: a comparison of floats takes long without an FPU.
        if SHEARS && self.shear.to_bits() != 0 {
            v2 = self.sheared(v0, v1, v2);
        }
        self.unsheared(v0, v1, v2)
    }

    /// Returns the value at the end of the sheared side.
    #[cold]
    #[inline(never)]
    fn sheared(&self, v0: f32, v1: f32, v2: f32) -> f32 {
        v2 - (v1 - v0) * self.shear
    }

    /// Returns the plane through the vertex values of a triangle that is not sheared.
    #[inline(always)]
    pub(crate) fn unsheared(&self, v0: f32, v1: f32, v2: f32) -> Plane {
        let (d1, d2) = (v1 - v0, v2 - v0);
        let dadx = d1 * self.x1 + d2 * self.x2;
        let dady = d1 * self.y1 + d2 * self.y2;
        Plane { a: v0 + dadx * self.offset_x + dady * self.offset_y, dadx, dady }
    }

    /// Returns a depth plane in integers, Q2.30.
    #[inline]
    pub(crate) fn fixed_depth(&self, plane: &Plane) -> FixedPlane {
        self.fixed(plane, (1u32 << DEPTH_BITS) as f32)
    }

    /// Converts a plane of this gradient to integers; `scale` is the integer for 1.0.
    #[inline]
    pub(crate) fn fixed(&self, plane: &Plane, scale: f32) -> FixedPlane {
        let Gradient { x, y, .. } = *self;
        if self.small {
            // Casts saturate, and the tests of steepness detect saturated values.
            let [value, dx, dy] =
                [plane.a, plane.dadx, plane.dady].map(|number| to_i32(number * scale));
            let plane = Plane32 { value, dx, dy };
            if plane.steepness() | plane.saturation() >= 0 {
                return FixedPlane::Near { x, y, plane };
            }
        }
        // 16 more fraction bits than the result. Steep planes wrap; see `FixedPlane`.
        let scale = scale * 65_536.0;
        FixedPlane::Far {
            x,
            y,
            value: to_i64(plane.a * scale),
            dx: to_i64(plane.dadx * scale),
            dy: to_i64(plane.dady * scale),
        }
    }
}

/// Computes `x as i64`. The cast is a call of some forty instructions on a 32-bit machine.
#[inline(never)]
fn to_i64(x: f32) -> i64 {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 150;
    let mantissa = (bits & 0x7f_ffff | 0x80_0000) as i64;
    if exponent > 38 {
        return x as i64;
    }
    let magnitude = match exponent {
        0.. => mantissa << exponent,
        -23.. => mantissa >> -exponent,
        _ => 0,
    };
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

/// An integer plane: depth in Q2.30, or another value that changes over a primitive.
///
/// All arithmetic is modulo a power of two. Where the true value fits in 32 bits (inside the
/// primitive it does), the low 32 bits are right even if the sums have wrapped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FixedPlane {
    /// The plane of a small triangle. 32 bits from its reference pixel are exact enough.
    Near { x: i32, y: i32, plane: Plane32 },
    /// The plane of a large triangle: 16 more fraction bits.
    Far { x: i32, y: i32, value: i64, dx: i64, dy: i64 },
}

/// The largest tile's edge in pixels.
const GRID: i32 = 64;

impl FixedPlane {
    /// Returns the plane from the pixel (`x`, `y`) on, valid within the pixel's square of the grid.
    ///
    /// The grid's squares are [`GRID`] pixels wide and aligned like the largest tiles. Values start
    /// from the exact value at a square's first pixel, so they do not depend on the tile size.
    #[inline]
    pub(crate) fn from(&self, to_x: i32, to_y: i32) -> Plane32 {
        match *self {
            FixedPlane::Near { x, y, plane } => plane.moved(to_x - x, to_y - y),
            FixedPlane::Far { x, y, value, dx, dy } => {
                let (grid_x, grid_y) = (to_x & -GRID, to_y & -GRID);
                let right = dx.wrapping_mul((grid_x - x) as i64);
                let down = dy.wrapping_mul((grid_y - y) as i64);
                let first = (value.wrapping_add(right).wrapping_add(down) >> 16) as i32;
                Plane32 { value: first, dx: (dx >> 16) as i32, dy: (dy >> 16) as i32 }
                    .moved(to_x - grid_x, to_y - grid_y)
            }
        }
    }

    /// Returns the step from a pixel's centre to a sample at `offset` (Q24.8).
    ///
    /// It is a part of the step to the next pixel. That step exceeds 32 bits for steep planes.
    pub(crate) fn step(&self, offset: [i32; 2]) -> i32 {
        match *self {
            FixedPlane::Near { plane, .. } => plane.step(offset),
            FixedPlane::Far { dx, dy, .. } => {
                let [x, y] = offset.map(i64::from);
                let right = (dx >> 16).wrapping_mul(x);
                let down = (dy >> 16).wrapping_mul(y);
                (right.wrapping_add(down) >> SUBPIXEL_BITS) as i32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(x: f32, y: f32) -> Position {
        Position { x: (x * 256.0) as i32, y: (y * 256.0) as i32, z: 0.0, rcp_w: 1.0 }
    }

    #[test]
    fn a_plane_passes_through_its_vertices() {
        let v = [at(0.5, 0.5), at(8.5, 0.5), at(0.5, 4.5)];
        let gradient = Gradient::triangle(&v, 128);
        let plane = gradient.plane(1.0, 9.0, 5.0);
        assert_eq!(plane, Plane { a: 1.0, dadx: 1.0, dady: 1.0 });
        assert_eq!((gradient.x, gradient.y), (0, 0));
        // A vertex off the centre: the value at the centre of its pixel.
        let v = [at(0.25, 0.5), at(8.25, 0.5), at(0.25, 4.5)];
        assert_eq!(Gradient::triangle(&v, 128).plane(1.0, 9.0, 5.0).a, 1.25);
    }

    #[test]
    fn a_line_changes_along_itself() {
        let gradient = Gradient::line(&[at(0.5, 0.5), at(4.5, 4.5)], 128);
        let plane = gradient.plane(0.0, 8.0, 0.0);
        assert_eq!(plane.dadx, 1.0);
        assert_eq!(plane.dady, 1.0);
    }

    /// Triangles down to 1/256 pixel in width, in all directions and from all corners: inside of
    /// them a plane is about as exact as its corners' values.
    #[test]
    fn planes_of_thin_triangles_keep_their_digits() {
        let mut random = Random(3);
        for case in 0..6000 {
            let limit = [20, 60, 400, 4000][case % 4] << SUBPIXEL_BITS;
            let [a, b] = [(); 2].map(|()| [(); 2].map(|()| random.below(2 * limit) - limit));
            let (along, width) = (random.below(257), 1 << random.below(11));
            let beside = |axis: usize| {
                let difference = i64::from(b[axis] - a[axis]);
                a[axis] + ((difference * i64::from(along)) >> 8) as i32 + random.below(2 * width)
                    - width
            };
            let mut points = [a, b, [0, 1].map(beside)];
            points.rotate_left(case % 3);
            if case & 16 != 0 {
                points.swap(1, 2);
            }
            if area(&points) == 0 || reach(sides(&points)) < LONG {
                continue;
            }
            // A plane from about -1 to 1, and its values at the corners.
            let slopes = [(); 2].map(|()| f64::from(random.below(2001) - 1000) / 2000.0);
            let value = |at: [f64; 2]| {
                slopes.iter().zip(at).map(|(slope, x)| slope * x / f64::from(limit)).sum::<f64>()
            };
            let corners = points.map(|point| point.map(f64::from));
            let values = corners.map(|corner| value(corner) as f32);
            let gradient = Gradient::with_area(&points, area(&points), 128);
            let plane = gradient.plane(values[0], values[1], values[2]);
            for weights in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.3, 0.4]] {
                let mix = |of: [f64; 3]| of.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
                let [x, y] = [0, 1].map(|axis| mix(corners.map(|corner| corner[axis])));
                let (right, down) = (
                    x / 256.0 - 0.5 - f64::from(gradient.x),
                    y / 256.0 - 0.5 - f64::from(gradient.y),
                );
                let got = f64::from(plane.a)
                    + f64::from(plane.dadx) * right
                    + f64::from(plane.dady) * down;
                let error = (got - mix(values.map(f64::from))).abs() * f64::from(1 << 24);
                assert!(error < 40.0, "{points:?} {values:?} {weights:?}: {error}");
            }
        }
    }

    #[test]
    fn conversion_is_as_the_language_does_it() {
        for exponent in -40..70 {
            for mantissa in [1.0f32, 1.000_000_1, 1.5, 1.999_999_9] {
                let x = mantissa * f32::powi(2.0, exponent);
                assert_eq!((to_i64(x), to_i64(-x)), (x as i64, -x as i64), "{x}");
            }
        }
        assert_eq!((to_i64(0.0), to_i64(f32::NAN), to_i64(1e-40)), (0, 0, 0));
    }

    fn depth(v: &[Position; 3], [a, b, c]: [f32; 3]) -> FixedPlane {
        let gradient = Gradient::triangle(v, 128);
        gradient.fixed_depth(&gradient.plane(a, b, c))
    }

    #[test]
    fn depth_is_the_same_from_any_block() {
        let v = [at(3.5, 2.5), at(200.5, 7.5), at(40.5, 150.5)];
        let plane = depth(&v, [0.25, 0.75, 0.5]);
        let near = plane.from(3, 2);
        let z = near.value;
        assert!((z - (1 << 28)).abs() < 64, "{z}");
        let far = plane.from(200, 7);
        let z = far.value;
        assert!((z - 3 * (1 << 28)).abs() < 256, "{z}");
    }

    /// A depth that grows by 4 per pixel: sixteenths and halves of it still fit.
    #[test]
    fn steps_to_samples_of_a_steep_plane_do_not_wrap() {
        let v = [at(8.5, 0.5), at(8.75, 0.5), at(8.5, 4.5)];
        let plane = depth(&v, [0.0, 1.0, 1.0]);
        assert!(matches!(plane, FixedPlane::Far { .. }));
        for (offset, step) in [
            ([0, 0], 0),
            ([16, 0], 1 << 28),
            ([64, 0], 1 << 30),
            ([-96, 0], -3 << 29),
            // A quarter of a pixel down.
            ([0, 64], 1 << 26),
            ([-16, 128], -(1 << 27)),
        ] {
            assert_eq!(plane.step(offset), step, "{offset:?}");
        }
    }

    #[test]
    fn depth_of_small_triangles_is_exact_from_their_own_pixel() {
        // 1/64 per pixel right, 1/128 per pixel down; 0.5 at the centre of pixel (100, 70).
        let v = [at(100.5, 70.5), at(132.5, 70.5), at(100.5, 86.5)];
        let plane = depth(&v, [0.5, 1.0, 0.625]);
        assert!(matches!(plane, FixedPlane::Near { x: 100, y: 70, .. }));
        let there = |x: i32, y: i32| (1 << 29) + (x - 100) * (1 << 24) + (y - 70) * (1 << 23);
        for (x, y) in [(100, 70), (64, 64), (128, 64), (110, 80)] {
            assert_eq!(plane.from(x, y).value, there(x, y), "{x} {y}");
        }
        // One too large for 32 bits, and one too steep.
        let large = [at(0.5, 0.5), at(65.0, 0.5), at(0.5, 9.5)];
        let steep = [at(8.5, 0.5), at(8.625, 0.5), at(8.5, 4.5)];
        for v in [large, steep] {
            let plane = depth(&v, [0.25, 0.75, 0.25]);
            assert!(matches!(plane, FixedPlane::Far { .. }), "{v:?}");
        }
    }
}
