//! Strokes: shapes of lines and points according to the rasterizer state.

use super::edge::FillRule;
use super::shape::Shape;
use crate::features::{Case, ES2, SAMPLES};
use crate::fixed::SUBPIXEL_ONE;
use crate::lanes::clamp;
use os_shim::math::{round_even, sqrt};
use pipe_core::{ConservativeRasterMode, RasterizerState};

/// The largest point and the widest line, in pixels.
pub(crate) const MAX_STROKE: f32 = 255.0;

/// The step of line widths, in pixels.
pub(crate) const LINE_WIDTH_GRANULARITY: f32 = 0.125;

/// The rasterizer state's rules for lines.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct LineRule {
    /// The width, Q24.8.
    width: i32,
    /// Set for rectangles instead of parallelograms.
    rectangular: bool,
    last_pixel: bool,
    pub(crate) smooth: bool,
    /// Set if samples smooth the line's edges.
    sampled: bool,
}

impl LineRule {
    pub(crate) fn new(rasterizer: &RasterizerState) -> LineRule {
        let smooth = ES2 && rasterizer.line_smooth && !is_conservative(rasterizer);
        // Widths are multiples of the granularity that the screen announces.
        let width = clamp(rasterizer.line_width, 1.0, MAX_STROKE);
        let steps = round_even(width * (1.0 / LINE_WIDTH_GRANULARITY));
        let rectangular = smooth || rasterizer.line_rectangular;
        LineRule {
            width: (steps * (LINE_WIDTH_GRANULARITY * SUBPIXEL_ONE as f32)) as i32,
            rectangular,
            last_pixel: rasterizer.line_last_pixel,
            smooth,
            sampled: SAMPLES && rasterizer.multisample,
        }
    }

    /// Returns the shape of a line; the shape of a smooth line includes partly covered pixels.
    pub(crate) fn shape(&self, a: [i32; 2], b: [i32; 2], rule: FillRule) -> Option<Shape> {
        if self.smooth {
            // The centre of a partly covered pixel lies within half a diagonal.
            let (width, cap) = (self.width + 2 * SUBPIXEL_ONE, SUBPIXEL_ONE);
            Shape::rectangle(a, b, width, cap, rule)
        } else if self.rectangular && (self.width > SUBPIXEL_ONE || self.sampled) {
            Shape::rectangle(a, b, self.width, 0, rule)
        } else {
            Shape::line(a, b, self.width, self.last_pixel, rule)
        }
    }

    /// Returns the coverage of pixels at a smooth line's edge.
    pub(crate) fn coverage(&self, a: [i32; 2], b: [i32; 2]) -> Falloff {
        let pixels = |value: i32| value as f32 / SUBPIXEL_ONE as f32;
        let (dx, dy) = (pixels(b[0] - a[0]), pixels(b[1] - a[1]));
        let length = sqrt(dx * dx + dy * dy).max(f32::MIN_POSITIVE);
        Falloff::Line {
            x: pixels(a[0]),
            y: pixels(a[1]),
            along: [dx / length, dy / length],
            length,
            half: pixels(self.width) * 0.5,
        }
    }
}

/// Returns true if primitives cover all pixels that they touch, and are not smooth (manual, CSO,
/// "Rasterizer").
fn is_conservative(rasterizer: &RasterizerState) -> bool {
    rasterizer.conservative_raster_mode != ConservativeRasterMode::Off
}

/// The rasterizer state's rules for points.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct PointRule {
    /// The size (Q24.8) of points without a size from the shader.
    size: i32,
    /// The varying that is the size.
    pub(crate) varying: Option<u32>,
    /// Set for OpenGL's legacy rules: a point covers whole pixels.
    whole: bool,
    pub(crate) smooth: bool,
}

/// A point's place and size, Q24.8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    pub(crate) center: [i32; 2],
    pub(crate) size: i32,
    smooth: bool,
}

impl PointRule {
    pub(crate) fn new(rasterizer: &RasterizerState, varying: Option<u32>) -> PointRule {
        let smooth = ES2 && rasterizer.point_smooth && !rasterizer.point_quad_rasterization;
        let smooth = smooth && !is_conservative(rasterizer);
        PointRule {
            size: size(rasterizer.point_size),
            varying,
            whole: !rasterizer.point_quad_rasterization && !smooth,
            smooth,
        }
    }

    /// Returns the point at a window position (Q24.8). `own_size` is its size in pixels if the
    /// shader wrote one.
    pub(crate) fn at(&self, place: [i32; 2], own_size: Option<f32>) -> Point {
        let mut size = own_size.map_or(self.size, size);
        let mut center = place;
        if self.whole {
            // A point of odd size surrounds a pixel's centre, one of even size a pixel's corner.
            let pixels = (size + SUBPIXEL_ONE / 2).max(SUBPIXEL_ONE) / SUBPIXEL_ONE;
            size = pixels * SUBPIXEL_ONE;
            center = center.map(|at| match pixels % 2 {
                1 => (at & -SUBPIXEL_ONE) + SUBPIXEL_ONE / 2,
                _ => (at + SUBPIXEL_ONE / 2) & -SUBPIXEL_ONE,
            });
        }
        Point { center, size, smooth: self.smooth }
    }
}

/// Converts a size in pixels to Q24.8.
fn size(pixels: f32) -> i32 {
    (clamp(pixels, 0.0, MAX_STROKE) * SUBPIXEL_ONE as f32) as i32
}

impl Point {
    /// Returns the point's shape; the shape of a smooth point includes partly covered pixels.
    pub(crate) fn shape(&self, rule: FillRule) -> Shape {
        Shape::point(self.center, self.extent(), rule)
    }

    /// Returns the point's [`shape`](Point::shape) for tests at pixel centres alone.
    pub(crate) fn box_shape(&self, rule: FillRule) -> Shape {
        Shape::box_of_point(self.center, self.extent(), rule)
    }

    /// Returns the side of the square that holds all covered pixels, Q24.8.
    fn extent(&self) -> i32 {
        self.size + if self.smooth { 2 * SUBPIXEL_ONE } else { 0 }
    }

    /// Returns the coverage of pixels at a smooth point's edge.
    pub(crate) fn coverage(&self) -> Falloff {
        let [x, y] = self.center.map(|at| at as f32 / SUBPIXEL_ONE as f32);
        Falloff::Point { x, y, radius: self.size as f32 / SUBPIXEL_ONE as f32 * 0.5 }
    }
}

/// The falloff of coverage at the edge of smooth primitives.
///
/// For lines and points a pixel counts as a disc one pixel wide: its coverage falls from 1 to 0
/// while the edge crosses it. For triangles it counts as a square. All lengths are in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Falloff {
    /// Around a line from (`x`, `y`) in the direction `along`.
    Line { x: f32, y: f32, along: [f32; 2], length: f32, half: f32 },
    /// Around a point.
    Point { x: f32, y: f32, radius: f32 },
    /// Around a triangle with these corners, Q24.8.
    Area(Case<[[i32; 2]; 3], { ES2 as usize }>),
}

impl Falloff {
    /// Returns the coverage, 0 to 1, of the pixel with centre (`px`, `py`).
    pub(crate) fn at(&self, px: f32, py: f32) -> f32 {
        match *self {
            Falloff::Line { x, y, along: [ax, ay], length, half } => {
                let (dx, dy) = (px - x, py - y);
                let (along, across) = (dx * ax + dy * ay, (dx * ay - dy * ax).abs());
                // A line thinner than a pixel covers no more than its width.
                let side = ((half + 0.5 - across).min(2.0 * half)).clamp(0.0, 1.0);
                let ends = (along.min(length - along) + 0.5).min(length).clamp(0.0, 1.0);
                side * ends
            }
            Falloff::Point { x, y, radius } => {
                let (dx, dy) = (px - x, py - y);
                (radius + 0.5 - sqrt(dx * dx + dy * dy)).min(2.0 * radius).clamp(0.0, 1.0)
            }
            Falloff::Area(ref corners) => {
                corners.get().map_or(0.0, |corners| super::area::share(corners, [px, py]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_pixels_by_the_old_rules() {
        let of = |state: &RasterizerState, x: i32, own: f32| {
            let rule = PointRule::new(state, Some(0));
            let point = rule.at([x, 0], Some(own));
            (point.center[0], point.size)
        };
        let old = RasterizerState::default();
        // 2.3 pixels at 5.25 pixels: two pixels around 5; 3 around 5.5; 0 is 1.
        assert_eq!(of(&old, 1344, 2.3), (5 * 256, 512));
        assert_eq!(of(&old, 1344, 2.5), (5 * 256 + 128, 768));
        assert_eq!(of(&old, 1344, 0.0), (5 * 256 + 128, 256));
        let quad = RasterizerState { point_quad_rasterization: true, ..old };
        assert_eq!(of(&quad, 1344, 2.5), (1344, 640));
        for wild in [f32::NAN, -3.0, f32::NEG_INFINITY] {
            assert_eq!(of(&quad, 1344, wild), (1344, 0), "{wild}");
        }
        assert_eq!(of(&quad, 0, f32::INFINITY), (0, 255 * 256));
        assert_eq!(PointRule::new(&old, None).at([0, 0], None).size, 256);
    }

    #[test]
    fn coverage_falls_at_the_rim() {
        let point = Falloff::Point { x: 4.0, y: 4.0, radius: 2.0 };
        assert_eq!(
            [4.0, 5.5, 6.0, 6.25, 6.5, 9.0].map(|x| point.at(x, 4.0)),
            [1.0, 1.0, 0.5, 0.25, 0.0, 0.0]
        );
        let line = LineRule {
            width: 512,
            rectangular: true,
            last_pixel: false,
            smooth: true,
            sampled: false,
        }
        .coverage([256, 512], [5 * 256, 512]);
        assert_eq!(
            [0.5, 1.0, 1.25, 2.0, 5.0, 5.5].map(|x| line.at(x, 2.0)),
            [0.0, 0.5, 0.75, 1.0, 0.5, 0.0]
        );
        assert_eq!([1.0, 2.5, 2.75, 3.0].map(|y| line.at(3.0, y)), [0.5, 1.0, 0.75, 0.5]);
    }
}
