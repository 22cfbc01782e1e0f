//! Varyings of a triangle in floats. The arithmetic is the same as in the general path
//! (`fragment/interpolate.rs`), and so are the values.

use crate::setup::{Gradient, Plane};

/// The planes of up to `N` values.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatPlanes<const N: usize> {
    planes: [Plane; N],
    /// True for values in perspective: their planes hold values over w.
    perspective: [bool; N],
    rcp_w: Plane,
    /// The offset from the planes' reference pixel to the region's first.
    right: i32,
    down: i32,
}

impl<const N: usize> FloatPlanes<N> {
    /// Derives the planes of the first `count` values. `right` and `down` are the region's first
    /// pixel, relative to the gradient's reference pixel; `w` is 1/w of the corners. `value`
    /// returns a value at the corners, and true if it is in perspective.
    #[inline(always)]
    pub(super) fn new(
        gradient: &Gradient,
        [right, down]: [i32; 2],
        w: [f32; 3],
        count: usize,
        value: impl Fn(usize) -> ([f32; 3], bool),
    ) -> FloatPlanes<N> {
        let mut planes = FloatPlanes {
            planes: [Plane::default(); N],
            perspective: [false; N],
            rcp_w: plane(gradient, w),
            right,
            down,
        };
        let each = planes.planes.iter_mut().zip(&mut planes.perspective);
        for (index, (to, perspective)) in each.take(count).enumerate() {
            let mut corners;
            (corners, *perspective) = value(index);
            if *perspective {
                for (corner, w) in corners.iter_mut().zip(&w) {
                    *corner *= w;
                }
            }
            *to = plane(gradient, corners);
        }
        planes
    }

    /// Converts the column and row `from` of the region to the row's y and the first pixel's x,
    /// from the planes' reference pixel.
    #[inline(always)]
    pub(super) fn row(&self, from: (i32, i32)) -> (f32, i32) {
        ((self.down + from.1) as f32, self.right + from.0)
    }

    /// Returns w at a pixel, from its coordinates.
    #[inline(always)]
    pub(super) fn w(&self, x: f32, y: f32) -> f32 {
        1.0 / at(&self.rcp_w, x, y)
    }

    /// Returns the first two values at a pixel, from its coordinates and, if they are in
    /// perspective, w.
    #[inline(always)]
    pub(super) fn first_two(&self, [x, y]: [f32; 2], w: Option<f32>) -> [f32; 2] {
        let [first, second, ..] = self.planes.as_slice() else { return [0.0; 2] };
        let (first, second) = (at(first, x, y), at(second, x, y));
        match w {
            Some(w) => [first * w, second * w],
            None => [first, second],
        }
    }

    /// Returns the first two planes' values at a pixel, from its coordinates, and their steps to the
    /// next pixel along x.
    #[inline(always)]
    pub(super) fn first_two_steps(&self, [x, y]: [f32; 2]) -> [(f32, f32); 2] {
        let [first, second, ..] = self.planes.as_slice() else { return [(0.0, 0.0); 2] };
        [first, second].map(|plane| (at(plane, x, y), plane.dadx))
    }

    /// Lowers a value at all pixels.
    pub(super) fn lower(&mut self, index: usize, by: f32) {
        let Some(plane) = self.planes.get_mut(index) else { return };
        if self.perspective.get(index) != Some(&true) {
            plane.a -= by;
            return;
        }
        plane.a -= by * self.rcp_w.a;
        plane.dadx -= by * self.rcp_w.dadx;
        plane.dady -= by * self.rcp_w.dady;
    }

    /// Returns a value at a pixel, from its coordinates and w.
    #[inline(always)]
    pub(super) fn value(&self, index: usize, [x, y]: [f32; 2], w: f32) -> f32 {
        let Some(plane) = self.planes.get(index) else { return 0.0 };
        let value = at(plane, x, y);
        if self.perspective.get(index) == Some(&true) { value * w } else { value }
    }

    /// Returns the derivatives of a value along x and y. The value is in perspective if `w` is
    /// present.
    #[inline(always)]
    pub(super) fn derivatives(&self, index: usize, value: f32, w: Option<f32>) -> [f32; 2] {
        let Some(plane) = self.planes.get(index) else { return [0.0; 2] };
        let Some(w) = w else { return [plane.dadx, plane.dady] };
        // By the quotient rule.
        [(plane.dadx, self.rcp_w.dadx), (plane.dady, self.rcp_w.dady)]
            .map(|(over_w, rcp_w)| (over_w - value * rcp_w) * w)
    }

    /// Returns the values at a pixel, from its coordinates.
    #[inline(always)]
    pub(super) fn values(&self, x: f32, y: f32) -> impl Iterator<Item = f32> {
        let w = 1.0 / at(&self.rcp_w, x, y);
        self.planes.iter().zip(&self.perspective).map(move |(plane, perspective)| {
            let value = at(plane, x, y);
            if *perspective { value * w } else { value }
        })
    }
}

/// Returns the plane of three values at the corners. Kept out of line where few triangles need
/// floats.
#[cfg_attr(not(any(feature = "spans-filtered", feature = "spans-programs")), inline(never))]
fn plane(gradient: &Gradient, [a, b, c]: [f32; 3]) -> Plane {
    gradient.plane(a, b, c)
}

/// Returns a plane's value at a pixel.
#[inline(always)]
fn at(plane: &Plane, x: f32, y: f32) -> f32 {
    plane.a + plane.dadx * x + plane.dady * y
}
