//! Shapes: convex polygons. A shape covers the pixels with centres that it owns.

use super::PIXEL;
use super::area::area_under;

/// The position of centres in pixels, and which shape owns a centre on an edge (manual, chapter
/// CSO, "Rasterizer").
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillRule {
    /// Centres are at halves if set, otherwise at whole numbers.
    pub(crate) half_pixel_center: bool,
    /// Bottom edges own the centres on them if set, otherwise top edges. Left edges always do.
    pub(crate) bottom_edge: bool,
}

impl FillRule {
    /// Returns the centre of pixel (`x`, `y`), Q24.8.
    pub(crate) fn center(self, x: i32, y: i32) -> [i32; 2] {
        let center = if self.half_pixel_center { PIXEL / 2 } else { 0 };
        [x * PIXEL + center, y * PIXEL + center]
    }

    /// Returns the first pixel with a centre at or after `position` (Q24.8).
    pub(crate) fn first_pixel(self, position: i32) -> i32 {
        let center = if self.half_pixel_center { PIXEL / 2 } else { 0 };
        (position - center + PIXEL - 1).div_euclid(PIXEL)
    }
}

/// A box of pixels; the far ends are excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) x0: i32,
    pub(crate) y0: i32,
    pub(crate) x1: i32,
    pub(crate) y1: i32,
}

impl Bounds {
    /// Returns the pixels that lie in both boxes.
    pub(crate) fn intersection(self, other: Bounds) -> Bounds {
        Bounds {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Returns true if pixel (`x`, `y`) lies in the box.
    pub(crate) fn contains(self, x: i32, y: i32) -> bool {
        (self.x0..self.x1).contains(&x) && (self.y0..self.y1).contains(&y)
    }
}

/// A convex polygon of three or four corners, Q24.8, clockwise with y down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    corners: [[i32; 2]; 4],
    count: usize,
}

/// Returns (b - a) × (p - a): positive if p lies to the right of the line from a to b, with y down.
/// Q48.16, exact.
pub(super) fn cross(a: [i32; 2], b: [i32; 2], p: [i32; 2]) -> i64 {
    let difference = |from: i32, to: i32| i64::from(to) - i64::from(from);
    difference(a[0], b[0]) * difference(a[1], p[1])
        - difference(a[1], b[1]) * difference(a[0], p[0])
}

impl Shape {
    /// Returns the shape of a triangle of either winding.
    pub(crate) fn triangle([a, b, c]: [[i32; 2]; 3]) -> Shape {
        let (b, c) = if cross(a, b, c) < 0 { (c, b) } else { (b, c) };
        Shape { corners: [a, b, c, a], count: 3 }
    }

    /// Returns the rectangle around a triangle.
    pub(super) fn around(corners: [[i32; 2]; 3]) -> Shape {
        let [[x0, x1], [y0, y1]] = [0, 1].map(|axis: usize| {
            let places = corners.map(|corner| corner[axis]);
            [places[0].min(places[1]).min(places[2]), places[0].max(places[1]).max(places[2])]
        });
        Shape::quad([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    }

    fn sides(&self) -> impl Iterator<Item = ([i32; 2], [i32; 2])> + '_ {
        (0..self.count).map(|index| (self.corners[index], self.corners[(index + 1) % self.count]))
    }

    /// Returns true if the shape and the square around `center` (Q24.8) have a point in common.
    /// `half` is half the side of the square (Q23.9). Edges and corners count.
    ///
    /// Uses the separating axis theorem: two convex shapes are disjoint exactly if their
    /// projections on the normal of one of their sides are disjoint.
    pub(crate) fn touches(&self, center: [i32; 2], half: i64) -> bool {
        let place = |corner: [i32; 2]| {
            [0, 1].map(|axis: usize| 2 * (i64::from(corner[axis]) - i64::from(center[axis])))
        };
        let apart = |[x, y]: [i64; 2]| {
            let shadows = self.corners[..self.count].iter().map(|corner| {
                let [px, py] = place(*corner);
                x * px + y * py
            });
            let (least, greatest) = shadows.fold((i64::MAX, i64::MIN), |(least, greatest), at| {
                (least.min(at), greatest.max(at))
            });
            let reach = half * (x.abs() + y.abs());
            least > reach || greatest < -reach
        };
        let mut normals = self.sides().map(|(a, b)| {
            let ([ax, ay], [bx, by]) = (place(a), place(b));
            [ay - by, bx - ax]
        });
        !apart([1, 0]) && !apart([0, 1]) && !normals.any(apart)
    }

    /// Returns the share of the pixel with centre `center` (Q24.8) that the shape covers.
    pub(crate) fn share(&self, center: [i32; 2]) -> f64 {
        let place = |corner: [i32; 2]| {
            [0, 1]
                .map(|axis: usize| f64::from(corner[axis] - center[axis]) / f64::from(PIXEL) + 0.5)
        };
        let areas = self.sides().map(|(a, b)| area_under(place(a), place(b)));
        areas.sum::<f64>().abs().min(1.0)
    }

    /// Returns the shape of a quadrilateral with its corners clockwise, y down.
    pub(super) fn quad(corners: [[i32; 2]; 4]) -> Shape {
        Shape { corners, count: 4 }
    }

    /// Returns a box of pixels that contains all covered ones.
    pub(crate) fn bounds(&self) -> Bounds {
        let range = |axis: usize| {
            let places = self.corners.iter().map(|corner| corner[axis]);
            let (low, high) = places
                .fold((i32::MAX, i32::MIN), |(low, high), place| (low.min(place), high.max(place)));
            (low.div_euclid(PIXEL), high.div_euclid(PIXEL) + 1)
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        Bounds { x0, y0, x1, y1 }
    }

    /// Returns true if the shape owns a place (Q24.8).
    pub(crate) fn covers(&self, place: [i32; 2], rule: FillRule) -> bool {
        self.sides().all(|(a, b)| match cross(a, b, place) {
            0 => owns(a, b, rule),
            side => side > 0,
        })
    }
}

/// Returns true if the edge from `a` to `b` of a clockwise polygon owns the centres on it.
fn owns(a: [i32; 2], b: [i32; 2], rule: FillRule) -> bool {
    if a[1] != b[1] {
        // Left edges run up.
        return b[1] < a[1];
    }
    // Top edges run right, bottom edges left.
    if rule.bottom_edge { b[0] < a[0] } else { b[0] > a[0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    #[test]
    fn shared_edges_have_one_owner() {
        // A square of 2x2 pixels with corners at pixel centres, cut along its diagonal.
        let [a, b, c, d] = [[128, 128], [640, 128], [640, 640], [128, 640]];
        let halves = [Shape::triangle([a, b, c]), Shape::triangle([a, c, d])];
        for bottom_edge in [false, true] {
            let rule = FillRule { bottom_edge, ..RULE };
            for (x, y) in (0..3).flat_map(|y| (0..3).map(move |x| (x, y))) {
                let owners =
                    halves.iter().filter(|half| half.covers(rule.center(x, y), rule)).count();
                let row = if bottom_edge { 1..3 } else { 0..2 };
                let inside = x < 2 && row.contains(&y);
                assert_eq!(owners, usize::from(inside), "({x}, {y}), bottom {bottom_edge}");
            }
        }
    }

    #[test]
    fn centres_at_whole_numbers() {
        let rule = FillRule { half_pixel_center: false, ..RULE };
        let shape = Shape::triangle([[0, 0], [256, 0], [0, 256]]);
        let covers = |x, y| shape.covers(rule.center(x, y), rule);
        assert!(covers(0, 0) && !covers(1, 0) && !covers(0, 1));
    }
}
