//! Areas: the pixels that a primitive touches, and the share of a pixel that a triangle covers.

use pipe_core::{ConservativeRasterMode, PolygonMode, RasterizerState};

use super::PIXEL;
use super::shape::Shape;

/// The greatest dilation of conservative rasterization, in pixels.
pub(crate) const MAX_DILATION: f32 = 0.75;

/// The rasterizer state's rules for areas (manual, CSO, "Rasterizer").
#[derive(Clone, Copy, Debug)]
pub(crate) struct AreaRule {
    /// For conservative rasterization: half the side of the square around a pixel's centre that a
    /// primitive must touch, in half subpixels (Q23.9).
    pub(crate) touch: Option<i64>,
    /// True if coverage smooths the edges of polygons.
    pub(crate) smooth: bool,
    fills: [PolygonMode; 2],
}

impl AreaRule {
    /// Derives the rules; `moved` is added to the distance, in pixels, that snapping moves a
    /// corner.
    pub(crate) fn new(rasterizer: &RasterizerState, moved: f64) -> AreaRule {
        let steps = f64::from(2 * PIXEL);
        // Dilations have the granularity of a subpixel.
        let dilation = f64::from(rasterizer.conservative_raster_dilate.max(0.0).min(MAX_DILATION));
        let dilation = 2 * (dilation * f64::from(PIXEL)) as i64;
        let touch = match rasterizer.conservative_raster_mode {
            ConservativeRasterMode::Off => None,
            ConservativeRasterMode::PostSnap => Some(i64::from(PIXEL) + dilation),
            // Before snapping, corners were up to half a subpixel away.
            ConservativeRasterMode::PreSnap => {
                Some(i64::from(PIXEL) + dilation + 1 + (moved * steps).round() as i64)
            }
        };
        let smooth = rasterizer.poly_smooth && touch.is_none();
        AreaRule { touch, smooth, fills: [rasterizer.fill_front, rasterizer.fill_back] }
    }

    /// Returns the shape of a triangle; `front` is its facing.
    pub(crate) fn triangle(&self, corners: [[i32; 2]; 3], front: bool) -> Shape {
        match self.fills[usize::from(!front)] {
            PolygonMode::FillRectangle => Shape::around(corners),
            _ => Shape::triangle(corners),
        }
    }
}

/// Integrates the height of a segment from (x0, y0) to (x1, y1) over its part with x from 0 to 1.
/// Heights are clamped to 0 to 1. Segments that run to the left count as negative.
pub(super) fn area_under([x0, y0]: [f64; 2], [x1, y1]: [f64; 2]) -> f64 {
    if x0 == x1 {
        return 0.0;
    }
    let height = |x: f64| y0 + (y1 - y0) * ((x - x0) / (x1 - x0));
    let (from, to) = (x0.clamp(0.0, 1.0), x1.clamp(0.0, 1.0));
    // Between these places the clamped height is linear.
    let mut places = vec![from, to];
    for level in [0.0, 1.0] {
        if y0 != y1 {
            let at = x0 + (x1 - x0) * ((level - y0) / (y1 - y0));
            if (from.min(to)..from.max(to)).contains(&at) {
                places.push(at);
            }
        }
    }
    places.sort_by(f64::total_cmp);
    let clamped = |x: f64| height(x).clamp(0.0, 1.0);
    let parts = places
        .windows(2)
        .map(|part| (part[1] - part[0]) * (clamped(part[0]) + clamped(part[1])) * 0.5);
    let sum: f64 = parts.sum();
    if from > to { -sum } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_pixel_are_areas() {
        // Half of the pixel below its diagonal, all of a large triangle, none of a triangle far
        // away.
        let corners = [[0, 0], [256, 0], [0, 256]];
        let share = |corners, x, y| Shape::triangle(corners).share([x, y]);
        assert_eq!(share(corners, 128, 128), 0.5);
        assert_eq!(share([[-2560, -2560], [7680, -2560], [-2560, 7680]], 128, 128), 1.0);
        assert_eq!(share(corners, 384, 128), 0.0);
        // Corners at quarters: 3/4 of the width, 1/2 of the height, half of that.
        assert_eq!(share([[64, 64], [256, 64], [64, 192]], 128, 128), 0.75 * 0.5 * 0.5);
        // The shares of all pixels add up to the area: legs of 3 and 5 pixels.
        let corners = [[100, 77], [100 + 768, 77], [100, 77 + 1280]];
        let pixels = (0..8).flat_map(|y| (0..8).map(move |x| [256 * x + 128, 256 * y + 128]));
        let sum: f64 = pixels.map(|[x, y]| share(corners, x, y)).sum();
        assert!((sum - 7.5).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn touching_is_closed() {
        let rule = |mode| {
            AreaRule::new(
                &RasterizerState { conservative_raster_mode: mode, ..Default::default() },
                0.0,
            )
        };
        let post = rule(ConservativeRasterMode::PostSnap).touch.expect("it is on");
        let pre = rule(ConservativeRasterMode::PreSnap).touch.expect("it is on");
        // Its upper left corner is the lower right one of pixel (0, 0).
        let shape = Shape::triangle([[256, 256], [1024, 256], [256, 1024]]);
        assert!(shape.touches([128, 128], post));
        assert!(shape.touches([640, 640], post), "the diagonal runs through the pixel");
        assert!(shape.touches([640 + 256, 640], post), "it runs through a corner");
        assert!(!shape.touches([640 + 256, 640 + 256], post));
        // Moving by half a subpixel makes the difference.
        let shape = Shape::triangle([[257, 256], [1024, 256], [257, 1024]]);
        assert!(!shape.touches([128, 384], post) && !shape.touches([128, 384], pre));
        let point = Shape::triangle([[256, 300]; 3]);
        assert!(point.touches([128, 384], post) && point.touches([384, 384], post));
        assert!(!point.touches([640, 384], pre));
    }
}
