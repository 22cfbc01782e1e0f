//! Edge functions: exact tests of pixel centres against the sides of a primitive.

use crate::fixed::{SUBPIXEL_BITS, SUBPIXEL_ONE};

/// The sample position in a pixel, and the owner of a centre that lies on an edge.
///
/// From the rasterizer state (manual, Rasterizer: `half_pixel_center`, `bottom_edge_rule`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FillRule {
    /// Set for pixel centres at half-integer coordinates, unset for integer ones.
    pub half_pixel_center: bool,
    /// Set if the bottom edge owns the centres on it, unset for the top edge. Left edges own theirs
    /// in both cases.
    pub bottom_edge: bool,
}

impl FillRule {
    /// Returns the sample's offset from the pixel's corner, Q24.8.
    #[inline(always)]
    pub(crate) fn center(self) -> i32 {
        // Not a branch: the compiler would copy the setup of a triangle into both arms.
        i32::from(self.half_pixel_center) << (SUBPIXEL_BITS - 1)
    }

    /// Returns the first pixel with its centre at or after `position` (Q24.8).
    #[inline(always)]
    pub(crate) fn first_pixel(self, position: i32) -> i32 {
        (position - self.center() + (SUBPIXEL_ONE - 1)) >> SUBPIXEL_BITS
    }

    /// Returns the last pixel with its centre at or before `position` (Q24.8).
    #[inline(always)]
    pub(crate) fn last_pixel(self, position: i32) -> i32 {
        (position - self.center()) >> SUBPIXEL_BITS
    }
}

/// One directed edge; the inside is where its function is not negative.
///
/// For an edge from `a` to `b` the function at a centre `p` is `(b - a) × (p - a)`, positive on
/// the right hand of the direction with y down. Pixels are whole steps of 256 subpixels, so the
/// low 8 bits of the products never change and are shifted out: `value` is exact in `i64` and a
/// step to the next pixel is the edge's own extent in Q24.8.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge {
    x: i32,
    y: i32,
    /// Change of the function for a step of one pixel to the right: minus the edge's height.
    pub step_x: i32,
    /// Change for a step of one pixel down: the edge's width.
    pub step_y: i32,
    /// -1 on edges that do not own the centres they pass through.
    bias: i32,
}

impl Edge {
    /// Makes the edge from `a` to `b` (Q24.8) of a polygon that lies on its positive side.
    ///
    /// A left edge runs up (its height is negative), a top edge runs right, a bottom edge left.
    #[inline]
    pub(crate) fn new(a: [i32; 2], b: [i32; 2], rule: FillRule) -> Edge {
        let (width, height) = (b[0] - a[0], b[1] - a[1]);
        let owns_horizontal = if rule.bottom_edge { width < 0 } else { width > 0 };
        let owns = height < 0 || (height == 0 && owns_horizontal);
        Edge {
            x: a[0] - rule.center(),
            y: a[1] - rule.center(),
            step_x: -height,
            step_y: width,
            bias: if owns { 0 } else { -1 },
        }
    }

    /// Returns the edge as seen by samples at `offset` (Q24.8) from the pixels' centres.
    #[inline(always)]
    pub(crate) fn moved(self, [x, y]: [i32; 2]) -> Edge {
        Edge { x: self.x - x, y: self.y - y, ..self }
    }

    /// Returns the edge moved out by half a pixel along both axes: if one of a pixel's samples is
    /// inside the edge, its centre is inside the result.
    #[inline(always)]
    pub(crate) fn widened(self) -> Edge {
        self.shifted(SUBPIXEL_ONE / 2)
    }

    /// Returns the edge moved out by `way` (Q24.8) along both axes; a negative `way` moves it in.
    #[inline(always)]
    fn shifted(self, way: i32) -> Edge {
        self.moved([way * self.step_x.signum(), way * self.step_y.signum()])
    }

    /// Returns the edge moved out by `way` (Q24.8) along both axes. The result owns the centres on
    /// it.
    pub(super) fn touched(self, way: i32) -> Edge {
        Edge { bias: 0, ..self.shifted(way) }
    }

    /// Returns the point (Q24.8) where the edge begins, relative to a pixel's centre.
    pub(super) fn begin(&self) -> [i32; 2] {
        [self.x, self.y]
    }

    /// Returns true if all samples of the `size` × `size` pixels from (`x`, `y`) on are inside.
    #[inline(always)]
    pub(crate) fn holds_samples(&self, x: i32, y: i32, size: i32) -> bool {
        // Samples lie within half a pixel of the centre.
        let inner = self.shifted(-(SUBPIXEL_ONE / 2));
        inner.value(x, y) + inner.fall(size - 1) >= 0
    }

    /// Returns the function's value at the centre of pixel (`x`, `y`).
    #[inline]
    pub(crate) fn value(&self, x: i32, y: i32) -> i64 {
        let dx = (x << SUBPIXEL_BITS) - self.x;
        let dy = (y << SUBPIXEL_BITS) - self.y;
        (self.step_x as i64 * dx as i64 + self.step_y as i64 * dy as i64 + self.bias as i64)
            >> SUBPIXEL_BITS
    }

    /// Returns the largest growth of the function within `right` pixels right and `down` pixels
    /// down.
    #[inline(always)]
    pub(crate) fn rise(&self, right: i32, down: i32) -> i64 {
        self.step_x.max(0) as i64 * right as i64 + self.step_y.max(0) as i64 * down as i64
    }

    /// Returns the largest fall of the function within `extent` pixels right and down, as a number
    /// that is not positive.
    #[inline(always)]
    pub(crate) fn fall(&self, extent: i32) -> i64 {
        (self.step_x.min(0) as i64 + self.step_y.min(0) as i64) * extent as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GL: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    /// No centre of a square cut along its diagonal is counted twice or missed.
    #[test]
    fn a_diagonal_belongs_to_one_side() {
        let (a, b) = ([0, 0], [4 * 256, 4 * 256]);
        let (one, other) = (Edge::new(a, b, GL), Edge::new(b, a, GL));
        for y in 0..4 {
            for x in 0..4 {
                assert!((one.value(x, y) >= 0) != (other.value(x, y) >= 0), "{x} {y}");
            }
        }
    }

    #[test]
    fn left_and_top_own_their_centres() {
        // A vertical edge through the centres of column 2; an edge that runs up is a left edge.
        let left = Edge::new([640, 2560], [640, 0], GL);
        assert!(left.value(2, 3) >= 0 && left.value(1, 3) < 0);
        let right = Edge::new([640, 0], [640, 2560], GL);
        assert!(right.value(2, 3) < 0 && right.value(1, 3) >= 0);
        // A horizontal edge through the centres of row 2; an edge that runs right is a top edge.
        let top = Edge::new([0, 640], [2560, 640], GL);
        assert!(top.value(3, 2) >= 0 && top.value(3, 1) < 0);
        let bottom = Edge::new([2560, 640], [0, 640], GL);
        assert!(bottom.value(3, 2) < 0 && bottom.value(3, 1) >= 0);
        let flipped = FillRule { bottom_edge: true, ..GL };
        assert!(Edge::new([0, 640], [2560, 640], flipped).value(3, 2) < 0);
        assert!(Edge::new([2560, 640], [0, 640], flipped).value(3, 2) >= 0);
    }

    #[test]
    fn integer_centres_shift_by_half_a_pixel() {
        let d3d9 = FillRule { half_pixel_center: false, bottom_edge: false };
        let left = Edge::new([512, 2560], [512, 0], d3d9);
        assert!(left.value(2, 3) >= 0 && left.value(1, 3) < 0);
        assert_eq!(d3d9.first_pixel(512), 2);
        assert_eq!(GL.first_pixel(512), 2);
        assert_eq!(GL.first_pixel(641), 3);
        assert_eq!(GL.last_pixel(639), 1);
        assert_eq!(GL.last_pixel(640), 2);
    }

    #[test]
    fn far_vertices_do_not_overflow() {
        let reach = crate::fixed::GUARD_BAND << 8;
        let edge = Edge::new([-reach, -reach], [reach, reach - 256], GL);
        // The edge passes just above the diagonal: (x, x) is inside for x < reach.
        assert!(edge.value(16000, 16000) >= 0);
        assert!(edge.value(16000, 15990) < 0);
    }
}
