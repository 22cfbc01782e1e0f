//! Strokes: the shapes of lines and points, and the coverage at the edges of smooth ones.

use pipe_core::RasterizerState;

use super::PIXEL;
use super::shape::Shape;

/// The widest line and the largest point, in pixels.
pub(crate) const MAX_STROKE: f32 = 255.0;

/// Returns a size in pixels, limited to what the driver draws; 0 for a NaN.
fn limited(size: f32) -> f64 {
    f64::from(size.max(0.0).min(MAX_STROKE))
}

/// Returns a length in pixels as Q24.8, rounded down.
fn fixed(pixels: f64) -> i32 {
    (pixels * f64::from(PIXEL)) as i32
}

/// The rasterizer state's rules for lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRule {
    /// In pixels.
    width: f64,
    rectangular: bool,
    last_pixel: bool,
    pub(crate) smooth: bool,
    /// True if several samples smooth the edges of lines.
    sampled: bool,
}

impl LineRule {
    pub(crate) fn new(rasterizer: &RasterizerState) -> LineRule {
        let smooth = rasterizer.line_smooth;
        let rectangular = smooth || rasterizer.line_rectangular;
        let width = limited(rasterizer.line_width);
        // A multiple of `LineWidthGranularity`, at least the minimum width (manual, "Screen").
        let width = (width * 8.0).round_ties_even().max(8.0) / 8.0;
        let (last_pixel, sampled) = (rasterizer.line_last_pixel, rasterizer.multisample);
        LineRule { width, rectangular, last_pixel, smooth, sampled }
    }

    /// Returns the shape of a line, including pixels that a smooth line covers in part; `None` for
    /// a line of length 0. `grown` is added to the width and length of rectangles, in pixels.
    pub(crate) fn shape(&self, a: [i32; 2], b: [i32; 2], grown: f64) -> Option<Shape> {
        if a == b {
            None
        } else if self.smooth {
            // A pixel covered in part has its centre within half a diagonal of the line's edge.
            Some(rectangle(a, b, self.width + 2.0 + grown, 1.0 + grown))
        } else if self.rectangular && (self.width > 1.0 || self.sampled) {
            Some(rectangle(a, b, self.width + grown, grown))
        } else {
            Some(parallelogram(a, b, fixed(self.width), self.last_pixel))
        }
    }

    /// Returns the coverage of a smooth line that is `grown` pixels wider.
    pub(crate) fn falloff(&self, a: [i32; 2], b: [i32; 2], grown: f64) -> Falloff {
        Falloff::Line { a, b, half: (self.width + grown) * 0.5 }
    }
}

/// Returns a line as a parallelogram: `width` (Q24.8) high if it is mainly horizontal, otherwise
/// `width` wide. The line owns the centre at its start, and with `last` the centre at its end. The
/// pieces of a strip therefore share no pixel.
///
/// # Source
/// OpenGL 4.6, section 14.5.1: the result is within a pixel of the diamond-exit rule.
fn parallelogram(a: [i32; 2], b: [i32; 2], width: i32, last: bool) -> Shape {
    let way = [b[0] - a[0], b[1] - a[1]];
    let major = usize::from(way[0].abs() < way[1].abs());
    let half = width / 2;
    let (mut a, mut b) = (a, b);
    if way[major] < 0 {
        // Left and top ends own their centre, so a line to the left or up is moved by a subpixel.
        a[major] += 1;
        b[major] += 1;
    }
    if last {
        b[major] += way[major].signum();
    }
    let mut side = [0; 2];
    side[1 - major] = match (major, way[major] > 0) {
        (0, true) | (1, false) => -half,
        (_, _) => half,
    };
    Shape::quad([
        [a[0] + side[0], a[1] + side[1]],
        [b[0] + side[0], b[1] + side[1]],
        [b[0] - side[0], b[1] - side[1]],
        [a[0] - side[0], a[1] - side[1]],
    ])
}

/// Returns a line as a rectangle of `width` pixels, longer by `cap` pixels at both ends.
fn rectangle(a: [i32; 2], b: [i32; 2], width: f64, cap: f64) -> Shape {
    let (dx, dy) = (f64::from(b[0] - a[0]), f64::from(b[1] - a[1]));
    let length = dx.hypot(dy);
    let scaled =
        |way: f64, pixels: f64| (way / length * pixels * f64::from(PIXEL)).round_ties_even() as i32;
    let along = [scaled(dx, cap), scaled(dy, cap)];
    let left = [scaled(dy, width * 0.5), scaled(-dx, width * 0.5)];
    let corner = |end: [i32; 2], forth: i32, side: i32| {
        [0, 1].map(|axis: usize| end[axis] + forth * along[axis] + side * left[axis])
    };
    Shape::quad([corner(a, -1, 1), corner(b, 1, 1), corner(b, 1, -1), corner(a, -1, -1)])
}

/// The rasterizer state's rules for points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointRule {
    /// In pixels, for points without a size from the shader.
    size: f64,
    /// True for OpenGL's legacy rules: a point covers whole pixels.
    whole: bool,
    pub(crate) smooth: bool,
}

/// A point's place and size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Q24.8.
    pub(crate) center: [i32; 2],
    /// Q24.8.
    pub(crate) size: i32,
}

impl PointRule {
    pub(crate) fn new(rasterizer: &RasterizerState) -> PointRule {
        let smooth = rasterizer.point_smooth && !rasterizer.point_quad_rasterization;
        PointRule {
            size: limited(rasterizer.point_size),
            whole: !rasterizer.point_quad_rasterization && !smooth,
            smooth,
        }
    }

    /// Returns the point at a window position (Q24.8). `own_size` is the shader's point size in
    /// pixels, if there is one.
    pub(crate) fn at(&self, place: [i32; 2], own_size: Option<f32>) -> Point {
        let size = own_size.map_or(self.size, limited);
        if !self.whole {
            return Point { center: place, size: fixed(size) };
        }
        let pixels = (size + 0.5).floor().max(1.0) as i32;
        // A point of odd size has its centre at a pixel's centre, one of even size at a corner.
        let center = place.map(|at| match pixels % 2 {
            1 => at.div_euclid(PIXEL) * PIXEL + PIXEL / 2,
            _ => (at + PIXEL / 2).div_euclid(PIXEL) * PIXEL,
        });
        Point { center, size: pixels * PIXEL }
    }

    /// Returns the square of a point, including pixels that a smooth point covers in part.
    pub(crate) fn shape(&self, point: &Point) -> Shape {
        let size = point.size + if self.smooth { 2 * PIXEL } else { 0 };
        let (low, high) = (size / 2, size - size / 2);
        let [x, y] = point.center;
        Shape::quad([
            [x - low, y - low],
            [x + high, y - low],
            [x + high, y + high],
            [x - low, y + high],
        ])
    }

    /// Returns the coverage of a smooth point.
    pub(crate) fn falloff(&self, point: &Point) -> Falloff {
        let radius = f64::from(point.size) / f64::from(PIXEL) * 0.5;
        Falloff::Point { center: point.center, radius }
    }
}

/// The coverage at the edge of a smooth primitive. For lines and points, a pixel counts as a disc
/// one pixel wide, and its coverage falls from 1 to 0 while the edge crosses it. For polygons,
/// coverage is the share of the pixel's square that the polygon covers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Falloff {
    /// A line from `a` to `b` (Q24.8); `half` is half of its width, in pixels.
    Line { a: [i32; 2], b: [i32; 2], half: f64 },
    /// A point at `center` (Q24.8); its radius is in pixels.
    Point { center: [i32; 2], radius: f64 },
    /// A polygon; `moved` is added to its share of each pixel.
    Area { shape: Shape, moved: f64 },
}

impl Falloff {
    /// Returns the coverage, 0 to 1, of the pixel with its centre at `at` (Q24.8).
    pub(crate) fn at(&self, at: [i32; 2]) -> f64 {
        let way = |from: [i32; 2], to: [i32; 2]| {
            [0, 1].map(|axis: usize| f64::from(to[axis] - from[axis]) / f64::from(PIXEL))
        };
        match *self {
            Falloff::Line { a, b, half } => {
                let ([lx, ly], [dx, dy]) = (way(a, b), way(a, at));
                let length = lx.hypot(ly);
                let along = (dx * lx + dy * ly) / length;
                let across = ((dx * ly - dy * lx) / length).abs();
                // A line thinner than a pixel covers no more than its width.
                let side = (half + 0.5 - across).min(2.0 * half).clamp(0.0, 1.0);
                let ends = (along.min(length - along) + 0.5).min(length).clamp(0.0, 1.0);
                side * ends
            }
            Falloff::Area { shape, moved } => (shape.share(at) + moved).clamp(0.0, 1.0),
            Falloff::Point { center, radius } => {
                let [dx, dy] = way(center, at);
                (radius + 0.5 - dx.hypot(dy)).min(2.0 * radius).clamp(0.0, 1.0)
            }
        }
    }
}
