//! Shapes: the area of a primitive, as up to four edges and a box of pixels.

use super::edge::{Edge, FillRule};
use crate::fixed::{SUBPIXEL_BITS, SUBPIXEL_ONE};
use crate::profile::Profile;

/// A box of pixels; the far ends are exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bounds {
    /// First column.
    pub x0: i32,
    /// First row.
    pub y0: i32,
    /// One past the last column.
    pub x1: i32,
    /// One past the last row.
    pub y1: i32,
}

impl Bounds {
    /// Returns the pixels that lie in both boxes.
    #[inline(always)]
    pub(crate) fn intersect(&self, other: &Bounds) -> Bounds {
        Bounds {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Returns the columns and rows of the tiles that the box touches. The box must not begin below
    /// 0.
    #[inline(always)]
    pub(crate) fn tiles<P: Profile>(&self) -> Bounds {
        let column = |pixel: i32| (pixel as u32 / P::TILE_WIDTH) as i32;
        let row = |pixel: i32| (pixel as u32 / P::TILE_HEIGHT) as i32;
        Bounds {
            x0: column(self.x0),
            y0: row(self.y0),
            x1: column(self.x1 - 1) + 1,
            y1: row(self.y1 - 1) + 1,
        }
    }

    /// Returns true if the box holds no pixel.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    /// Returns the number of pixels in a box that lies on a surface.
    #[inline(always)]
    pub(crate) fn area(&self) -> i32 {
        (self.x1 - self.x0).max(0) * (self.y1 - self.y0).max(0)
    }

    /// Returns the pixels with centres in the closed box around a triangle (Q24.8).
    #[inline]
    pub(crate) fn around(&[a, b, c]: &[[i32; 2]; 3], rule: FillRule) -> Bounds {
        Bounds {
            x0: rule.first_pixel(a[0].min(b[0]).min(c[0])),
            y0: rule.first_pixel(a[1].min(b[1]).min(c[1])),
            x1: rule.last_pixel(a[0].max(b[0]).max(c[0])) + 1,
            y1: rule.last_pixel(a[1].max(b[1]).max(c[1])) + 1,
        }
    }

    /// Returns the smallest box that holds both.
    fn join(&self, other: &Bounds) -> Bounds {
        Bounds {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }
}

/// A convex polygon of three or four edges.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    edges: [Edge; 4],
    count: usize,
    /// The box that holds all covered pixels.
    pub bounds: Bounds,
}

impl Shape {
    /// Returns the edges.
    #[inline(always)]
    pub(crate) fn edges(&self) -> &[Edge] {
        self.edges.get(..self.count).unwrap_or(&[])
    }

    /// Returns the shape as seen by samples at `offset` (Q24.8) from the pixels' centres; its
    /// bounds do not change.
    #[inline(always)]
    pub(crate) fn moved(&self, offset: [i32; 2]) -> Shape {
        Shape { edges: self.edges.map(|edge| edge.moved(offset)), ..*self }
    }

    /// Returns a shape that covers the centre of every pixel with a sample inside this shape.
    pub(crate) fn widened(&self) -> Shape {
        let Bounds { x0, y0, x1, y1 } = self.bounds;
        Shape {
            edges: self.edges.map(Edge::widened),
            bounds: Bounds { x0: x0 - 1, y0: y0 - 1, x1: x1 + 1, y1: y1 + 1 },
            ..*self
        }
    }

    /// Returns a shape that covers the pixels within `reach` (Q24.8) of this shape along both axes,
    /// its sides included.
    pub(super) fn touched(&self, reach: i32) -> Shape {
        // An edge begins at each corner.
        let corners = || self.edges().iter().map(Edge::begin);
        let ends = |axis: fn([i32; 2]) -> i32| {
            let low = corners().map(axis).min().unwrap_or(0).saturating_sub(reach);
            let high = corners().map(axis).max().unwrap_or(0).saturating_add(reach);
            let first = low.saturating_add(SUBPIXEL_ONE - 1) >> SUBPIXEL_BITS;
            (first, (high >> SUBPIXEL_BITS) + 1)
        };
        let ((x0, x1), (y0, y1)) = (ends(|[x, _]| x), ends(|[_, y]| y));
        Shape {
            edges: self.edges.map(|edge| edge.touched(reach)),
            bounds: Bounds { x0, y0, x1, y1 },
            ..*self
        }
    }

    /// Makes the shape of a triangle without area, for [`touched`](Shape::touched).
    pub(super) fn flat([a, b, c]: [[i32; 2]; 3], rule: FillRule) -> Shape {
        let edges = [Edge::new(a, b, rule), Edge::new(b, c, rule), Edge::new(c, a, rule)];
        let [ab, bc, ca] = edges;
        let bounds = Bounds::around(&[a, b, c], rule);
        Shape { edges: [ab, bc, ca, Edge::default()], count: 3, bounds }
    }

    /// Makes the shape of the upright rectangle around a triangle.
    pub(super) fn around([a, b, c]: &[[i32; 2]; 3], rule: FillRule) -> Shape {
        let (x0, x1) = (a[0].min(b[0]).min(c[0]), a[0].max(b[0]).max(c[0]));
        let (y0, y1) = (a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1]));
        Shape::quad([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], rule)
    }

    /// Makes the shape of a triangle of either winding; `None` if it has no area.
    #[inline]
    pub(crate) fn triangle(v: [[i32; 2]; 3], rule: FillRule) -> Option<Shape> {
        let (x1, y1) = (v[1][0] - v[0][0], v[1][1] - v[0][1]);
        let (x2, y2) = (v[2][0] - v[0][0], v[2][1] - v[0][1]);
        let area = x1 as i64 * y2 as i64 - y1 as i64 * x2 as i64;
        if area == 0 {
            return None;
        }
        let bounds = Bounds::around(&v, rule);
        // Number by number: processors wait if both numbers are read at once just after each was written.
        let [a, [bx, by], [cx, cy]] = v;
        let either = |first: i32, second: i32| if area > 0 { first } else { second };
        let (b, c) = ([either(bx, cx), either(by, cy)], [either(cx, bx), either(cy, by)]);
        let edges = [Edge::new(a, b, rule), Edge::new(b, c, rule), Edge::new(c, a, rule)];
        let [ab, bc, ca] = edges;
        Some(Shape { edges: [ab, bc, ca, Edge::default()], count: 3, bounds })
    }

    /// Makes the shape of a line of `width` (Q24.8): a parallelogram. `width` is its height for a
    /// mainly horizontal line, and its width for a mainly vertical line. Its ends own the first
    /// centre but not the last (unless `last` is set), so that the pieces of a strip do not draw
    /// their joint twice.
    ///
    /// # Source
    /// OpenGL 4.6 §14.5.1: within one pixel of the diamond-exit rule.
    pub(crate) fn line(
        a: [i32; 2],
        b: [i32; 2],
        width: i32,
        last: bool,
        rule: FillRule,
    ) -> Option<Shape> {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        if dx == 0 && dy == 0 {
            return None;
        }
        let half = width / 2;
        // Left and top ends own their centre. A line that starts at the other end is moved by one
        // subpixel, so that its start owns the centre and its end does not.
        let horizontal = dx.abs() >= dy.abs();
        let shift = if horizontal { [i32::from(dx < 0), 0] } else { [0, i32::from(dy < 0)] };
        let (a, mut b) = ([a[0] + shift[0], a[1] + shift[1]], [b[0] + shift[0], b[1] + shift[1]]);
        if last {
            let end = if horizontal { dx.signum() } else { dy.signum() };
            let [x, y] = &mut b;
            *(if horizontal { x } else { y }) += end;
        }
        // The side that edges cross when they run clockwise around the inside.
        let side = if horizontal {
            if dx > 0 { [0, -half] } else { [0, half] }
        } else if dy > 0 {
            [half, 0]
        } else {
            [-half, 0]
        };
        let points = [
            [a[0] + side[0], a[1] + side[1]],
            [b[0] + side[0], b[1] + side[1]],
            [b[0] - side[0], b[1] - side[1]],
            [a[0] - side[0], a[1] - side[1]],
        ];
        Some(Shape::quad(points, rule))
    }

    /// Makes the shape of a line as a rectangle of `width` (Q24.8), extended by `cap` at both ends.
    pub(crate) fn rectangle(
        a: [i32; 2],
        b: [i32; 2],
        width: i32,
        cap: i32,
        rule: FillRule,
    ) -> Option<Shape> {
        let (dx, dy) = ((b[0] - a[0]) as f32, (b[1] - a[1]) as f32);
        let length = os_shim::math::sqrt(dx * dx + dy * dy);
        if length == 0.0 {
            return None;
        }
        let scaled = |value: f32, by: f32| os_shim::math::round_even(value / length * by) as i32;
        // Along the line, and to its left as seen with y down.
        let half = width as f32 * 0.5;
        let along = [scaled(dx, cap as f32), scaled(dy, cap as f32)];
        let left = [scaled(dy, half), -scaled(dx, half)];
        let corner = |p: [i32; 2], along: [i32; 2], side: i32| {
            [p[0] + along[0] + side * left[0], p[1] + along[1] + side * left[1]]
        };
        let back = along.map(|step| -step);
        let points =
            [corner(a, back, 1), corner(b, along, 1), corner(b, along, -1), corner(a, back, -1)];
        Some(Shape::quad(points, rule))
    }

    /// Makes the shape of a point: a square of `size` pixels (Q24.8).
    pub(crate) fn point(center: [i32; 2], size: i32, rule: FillRule) -> Shape {
        let (low, high) = (size / 2, size - size / 2);
        let [x, y] = center;
        let points =
            [[x - low, y - low], [x + high, y - low], [x + high, y + high], [x - low, y + high]];
        Shape::quad(points, rule)
    }

    /// Makes the shape of a [`point`](Shape::point) that is tested at pixel centres alone: a box without edges.
    pub(crate) fn box_of_point(center: [i32; 2], size: i32, rule: FillRule) -> Shape {
        let low = size / 2;
        let [left, top] = center.map(|at| at - low);
        let (right, bottom) = (left + size, top + size);
        // A centre belongs to the left side and not to the right one; to the top or the bottom by the rule.
        let below = i32::from(rule.bottom_edge);
        let bounds = Bounds {
            x0: rule.first_pixel(left),
            y0: rule.first_pixel(top + below),
            x1: rule.last_pixel(right - 1) + 1,
            y1: rule.last_pixel(bottom - 1 + below) + 1,
        };
        Shape { bounds, ..Shape::default() }
    }

    /// Makes a convex quadrilateral from corners that run clockwise as seen with y down.
    fn quad(v: [[i32; 2]; 4], rule: FillRule) -> Shape {
        let [a, b, c, d] = v;
        Shape {
            edges: [
                Edge::new(a, b, rule),
                Edge::new(b, c, rule),
                Edge::new(c, d, rule),
                Edge::new(d, a, rule),
            ],
            count: 4,
            bounds: Bounds::around(&[a, b, c], rule).join(&Bounds::around(&[a, c, d], rule)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    fn pixels(shape: &Shape) -> std::vec::Vec<(i32, i32)> {
        let mut pixels = std::vec![];
        for y in shape.bounds.y0..shape.bounds.y1 {
            for x in shape.bounds.x0..shape.bounds.x1 {
                if shape.edges().iter().all(|edge| edge.value(x, y) >= 0) {
                    pixels.push((x, y));
                }
            }
        }
        pixels
    }

    #[test]
    fn lines_in_all_directions() {
        let p = |x: i32, y: i32| [x * 256 + 128, y * 256 + 128];
        let line = |a, b| pixels(&Shape::line(a, b, 256, false, RULE).unwrap());
        assert_eq!(line(p(1, 1), p(4, 1)), [(1, 1), (2, 1), (3, 1)]);
        assert_eq!(line(p(4, 1), p(1, 1)), [(2, 1), (3, 1), (4, 1)]);
        assert_eq!(line(p(1, 1), p(1, 4)), [(1, 1), (1, 2), (1, 3)]);
        assert_eq!(line(p(1, 4), p(1, 1)), [(1, 2), (1, 3), (1, 4)]);
        assert_eq!(line(p(0, 0), p(3, 3)), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(Shape::line(p(1, 1), p(1, 1), 256, false, RULE).map(|_| ()), None);
        let whole = |a, b| pixels(&Shape::line(a, b, 256, true, RULE).unwrap());
        assert_eq!(whole(p(1, 1), p(3, 1)), [(1, 1), (2, 1), (3, 1)]);
        assert_eq!(whole(p(3, 1), p(1, 1)), [(1, 1), (2, 1), (3, 1)]);
        assert_eq!(whole(p(1, 3), p(1, 1)), [(1, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn wide_lines() {
        let p = |x: i32, y: i32| [x * 256 + 128, y * 256 + 128];
        let line = pixels(&Shape::line(p(1, 2), p(3, 2), 3 * 256, false, RULE).unwrap());
        assert_eq!(line, [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (2, 3)]);
        // Two wide along a diagonal: two pixels in every column. Both sides pass through centres;
        // the lower left one owns them.
        let line = pixels(&Shape::line(p(0, 1), p(2, 3), 2 * 256, false, RULE).unwrap());
        assert_eq!(line, [(0, 1), (0, 2), (1, 2), (1, 3)]);
        // A rectangle from (1, 1) to (5, 1), two wide; and with caps of one pixel.
        let (a, b) = ([256, 256], [5 * 256, 256]);
        let rectangle = |cap| pixels(&Shape::rectangle(a, b, 512, cap, RULE).unwrap()).len();
        assert_eq!([rectangle(0), rectangle(256)], [8, 12]);
        // A vertical line covers the same pixels in both directions.
        let down = pixels(&Shape::rectangle([256, 0], [256, 1024], 512, 0, RULE).unwrap());
        let up = pixels(&Shape::rectangle([256, 1024], [256, 0], 512, 0, RULE).unwrap());
        assert_eq!((down.len(), &down), (8, &up));
        assert!(Shape::rectangle(a, a, 512, 0, RULE).is_none());
    }

    #[test]
    fn a_point_is_the_pixel_it_lies_in() {
        assert_eq!(pixels(&Shape::point([700, 300], 256, RULE)), [(2, 1)]);
        assert_eq!(pixels(&Shape::point([640, 384], 256, RULE)), [(2, 1)]);
        assert_eq!(pixels(&Shape::point([1024, 1024], 512, RULE)).len(), 4);
    }

    #[test]
    fn a_point_without_edges_covers_the_same_pixels() {
        let mut random = Random(1);
        for half_pixel_center in [false, true] {
            for bottom_edge in [false, true] {
                let rule = FillRule { half_pixel_center, bottom_edge };
                for case in 0..4000 {
                    // Every second place has a side or a centre on a pixel's centre.
                    let unit = if case % 2 == 0 { 1 } else { 128 };
                    let center = [0, 0].map(|_| 2560 + random.below(512 / unit) * unit);
                    let size = random.below(1600 / unit) * unit;
                    let expected = pixels(&Shape::point(center, size, rule));
                    let covered = pixels(&Shape::box_of_point(center, size, rule));
                    assert_eq!(covered, expected, "{size} subpixels at {center:?}, {rule:?}");
                }
            }
        }
    }

    #[test]
    fn a_flat_triangle_covers_nothing() {
        assert!(Shape::triangle([[0, 0], [256, 256], [512, 512]], RULE).is_none());
    }
}
