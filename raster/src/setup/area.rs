//! Areas: the pixels that a triangle covers if the rasterizer state extends it beyond its sides.

use pipe_core::{ConservativeRasterMode, PolygonMode, RasterizerState};

use super::MAX_DILATION;
use super::edge::FillRule;
use super::shape::Shape;
use crate::features::OfEs2;
use crate::fixed::SUBPIXEL_ONE;

/// The rasterizer state's rules for areas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AreaRule {
    /// Half the side (Q24.8) of the square around a pixel's centre that must touch a primitive; 0
    /// if the centre itself must lie inside.
    touch: i32,
    /// Set for front faces, then back faces, that cover their bounding rectangle.
    rectangles: [bool; 2],
    /// Set if the alpha of partly covered pixels is multiplied by the covered share.
    pub(crate) smooth: bool,
}

impl OfEs2<AreaRule> {
    /// Returns the rules; none in builds without rules.
    #[inline(always)]
    pub(crate) fn rule(&self) -> &AreaRule {
        const PLAIN: &AreaRule = &AreaRule { touch: 0, rectangles: [false; 2], smooth: false };
        self.get().unwrap_or(PLAIN)
    }
}

impl AreaRule {
    /// Derives the rules; conservative rasterization ignores smoothing (manual, CSO, "Rasterizer").
    pub(crate) fn new(rasterizer: &RasterizerState) -> AreaRule {
        let dilated = rasterizer.conservative_raster_dilate.clamp(0.0, MAX_DILATION);
        let dilated = (dilated * SUBPIXEL_ONE as f32) as i32;
        let touch = match rasterizer.conservative_raster_mode {
            ConservativeRasterMode::Off => 0,
            ConservativeRasterMode::PostSnap => SUBPIXEL_ONE / 2 + dilated,
            // Snapping moves a corner by up to half a subpixel.
            ConservativeRasterMode::PreSnap => SUBPIXEL_ONE / 2 + dilated + 1,
        };
        let fills = [rasterizer.fill_front, rasterizer.fill_back];
        AreaRule {
            touch,
            rectangles: fills.map(|fill| fill == PolygonMode::FillRectangle),
            smooth: rasterizer.poly_smooth && touch == 0,
        }
    }

    /// Returns true if no rule applies: triangles fully cover the pixels with centres inside.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        *self == AreaRule::default()
    }

    /// Returns true if primitives cover each pixel that they touch, with all its samples.
    #[inline(always)]
    pub(crate) fn is_conservative(&self) -> bool {
        self.touch != 0
    }

    /// Returns the largest distance, along both axes, between a primitive and the centre of a pixel
    /// that it covers, Q24.8.
    #[inline(always)]
    pub(crate) fn reach(&self) -> i32 {
        if self.smooth { SUBPIXEL_ONE / 2 } else { self.touch }
    }

    /// Returns the shape of a triangle; `None` if it covers no pixel.
    pub(crate) fn triangle(
        &self,
        corners: [[i32; 2]; 3],
        front: bool,
        rule: FillRule,
    ) -> Option<Shape> {
        let [for_front, for_back] = self.rectangles;
        let shape = match Shape::triangle(corners, rule) {
            Some(_) if if front { for_front } else { for_back } => Shape::around(&corners, rule),
            Some(shape) => shape,
            None if self.is_conservative() => Shape::flat(corners, rule),
            None => return None,
        };
        Some(if self.reach() == 0 { shape } else { shape.touched(self.reach()) })
    }

    /// Extends the shape of a line or point by the rules.
    pub(crate) fn stroke(&self, shape: Shape) -> Shape {
        if self.is_conservative() { shape.touched(self.touch) } else { shape }
    }
}

/// Returns the share of the pixel with centre (`px`, `py`) that a triangle covers; all in pixels.
///
/// The pixel is the square around its centre, so the shares of neighbouring triangles add up to 1
/// along their common side.
pub(super) fn share(corners: &[[i32; 2]; 3], [px, py]: [f32; 2]) -> f32 {
    let place = |[x, y]: [i32; 2]| {
        [x as f32 / SUBPIXEL_ONE as f32 - px, y as f32 / SUBPIXEL_ONE as f32 - py]
    };
    let mut polygon = Polygon { corners: [[0.0; 2]; MAX_CORNERS], count: 3 };
    for (to, corner) in polygon.corners.iter_mut().zip(corners) {
        *to = place(*corner);
    }
    for side in [-1.0, 1.0] {
        polygon = polygon.cut(|[x, _]| 0.5 - side * x).cut(|[_, y]| 0.5 - side * y);
    }
    polygon.area().clamp(0.0, 1.0)
}

/// Each of the four cuts adds at most one corner to the triangle.
const MAX_CORNERS: usize = 7;

/// A convex polygon.
struct Polygon {
    corners: [[f32; 2]; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    /// Returns each corner and the next corner.
    fn sides(&self) -> impl Iterator<Item = ([f32; 2], [f32; 2])> + '_ {
        let corners = self.corners.get(..self.count).unwrap_or(&[]);
        corners.iter().copied().zip(corners.iter().cycle().skip(1).copied())
    }

    /// Returns the part where the linear function `depth` is not negative.
    fn cut(&self, depth: impl Fn([f32; 2]) -> f32) -> Polygon {
        let mut left = Polygon { corners: [[0.0; 2]; MAX_CORNERS], count: 0 };
        for (from, to) in self.sides() {
            let (near, far) = (depth(from), depth(to));
            if near >= 0.0 {
                left.push(from);
            }
            if (near >= 0.0) != (far >= 0.0) {
                let t = near / (near - far);
                left.push([from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t]);
            }
        }
        left
    }

    fn push(&mut self, corner: [f32; 2]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    fn area(&self) -> f32 {
        let twice = self.sides().map(|(from, to)| from[0] * to[1] - to[0] * from[1]).sum::<f32>();
        (twice * 0.5).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    fn pixels(shape: &Shape) -> std::vec::Vec<[i32; 2]> {
        let mut pixels = std::vec![];
        for y in shape.bounds.y0..shape.bounds.y1 {
            for x in shape.bounds.x0..shape.bounds.x1 {
                if shape.edges().iter().all(|edge| edge.value(x, y) >= 0) {
                    pixels.push([x, y]);
                }
            }
        }
        pixels
    }

    fn state(mode: ConservativeRasterMode, dilate: f32) -> AreaRule {
        AreaRule::new(&RasterizerState {
            conservative_raster_mode: mode,
            conservative_raster_dilate: dilate,
            ..RasterizerState::default()
        })
    }

    /// Returns true if a triangle and the closed square of side 2 × `half` around a centre have a
    /// common point. Cuts the triangle with the square's sides (Q24.8, exact in `f64`).
    fn touches(corners: &[[i32; 2]; 3], center: [i32; 2], half: i32) -> bool {
        let mut polygon: std::vec::Vec<[f64; 2]> = corners
            .iter()
            .map(|corner| [0, 1].map(|axis| f64::from(corner[axis] - center[axis])))
            .collect();
        for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let depth = |corner: &[f64; 2]| f64::from(half) - side * corner[axis];
            let mut left = std::vec![];
            for (index, from) in polygon.iter().enumerate() {
                let to = &polygon[(index + 1) % polygon.len()];
                let (near, far) = (depth(from), depth(to));
                if near >= 0.0 {
                    left.push(*from);
                }
                if near * far < 0.0 {
                    let t = near / (near - far);
                    let mut cut = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * t);
                    cut[axis] = side * f64::from(half);
                    left.push(cut);
                }
            }
            polygon = left;
        }
        !polygon.is_empty()
    }

    #[test]
    fn every_touched_pixel_is_covered_and_no_other() {
        let mut random = Random(7);
        let mut number = |most: u32| random.below(most as i32);
        for round in 0..400 {
            let most = [12 * 256, 3 * 256, 256][round % 3] as u32;
            let corners = [0; 3].map(|_| [1024 + number(most), 1024 + number(most)]);
            for (dilate, half) in [(0.0, 128), (0.5, 256)] {
                let rule = state(ConservativeRasterMode::PostSnap, dilate);
                let shape = rule.triangle(corners, true, RULE).expect("even flat ones touch");
                let covered = pixels(&shape);
                for y in 0..20 {
                    for x in 0..20 {
                        let center = [x * 256 + 128, y * 256 + 128];
                        let wanted = touches(&corners, center, half);
                        assert_eq!(covered.contains(&[x, y]), wanted, "{corners:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn flat_triangles_touch_the_pixels_along_them() {
        let rule = state(ConservativeRasterMode::PreSnap, 0.0);
        let line = rule.triangle([[300, 300], [800, 300], [500, 300]], true, RULE).unwrap();
        assert_eq!(pixels(&line), [[1, 1], [2, 1], [3, 1]]);
        let point = rule.triangle([[640, 900]; 3], true, RULE).unwrap();
        assert_eq!(pixels(&point), [[2, 3]]);
        assert!(AreaRule::default().triangle([[640, 900]; 3], true, RULE).is_none());
    }

    #[test]
    fn rectangles_are_around_their_triangles() {
        let rule = AreaRule::new(&RasterizerState {
            fill_back: PolygonMode::FillRectangle,
            ..RasterizerState::default()
        });
        let corners = [[256, 256], [1024, 512], [512, 768]];
        let back = rule.triangle(corners, false, RULE).unwrap();
        // The rectangle's sides give columns 1 to 3 and rows 1 and 2.
        assert_eq!(pixels(&back).len(), 6);
        let front = rule.triangle(corners, true, RULE).unwrap();
        assert_eq!(pixels(&front), pixels(&Shape::triangle(corners, RULE).unwrap()));
    }

    #[test]
    fn shares_add_up_to_the_area() {
        for corners in [
            [[300, 260], [2000, 700], [777, 1900]],
            [[300, 260], [2000, 300], [1900, 310]],
            [[512, 512], [768, 512], [512, 768]],
        ] {
            let [a, b, c]: [[i32; 2]; 3] = corners;
            let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            let wanted = twice.abs() as f32 / 2.0 / 65_536.0;
            let mut sum = 0.0;
            for y in 0..10 {
                for x in 0..10 {
                    sum += share(&corners, [x as f32 + 0.5, y as f32 + 0.5]);
                }
            }
            assert!((sum - wanted).abs() < 1e-4, "{sum} {wanted}");
        }
        let half = [[512, 512], [768, 512], [512, 768]];
        assert_eq!(share(&half, [2.5, 2.5]), 0.5);
    }
}
