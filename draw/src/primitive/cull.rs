//! Facing and culling, by the exact area of snapped positions.

use crate::vertex::Window;
#[cfg(feature = "primitive-effects")]
use pipe_core::ConservativeRasterMode;
use pipe_core::{Face, RasterizerState};

/// The faces that are dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cull {
    front_ccw: bool,
    drop_ccw: bool,
    drop_cw: bool,
    /// Set if triangles without area are drawn, as back faces: they still touch pixels.
    #[cfg(feature = "primitive-effects")]
    keep_flat: bool,
}

impl Cull {
    /// Takes winding and culled faces from the rasterizer state.
    pub(crate) fn new(rasterizer: &RasterizerState) -> Cull {
        let face: Face = rasterizer.cull_face;
        Cull {
            front_ccw: rasterizer.front_ccw,
            drop_ccw: face.includes(rasterizer.front_ccw),
            drop_cw: face.includes(!rasterizer.front_ccw),
            #[cfg(feature = "primitive-effects")]
            keep_flat: rasterizer.conservative_raster_mode == ConservativeRasterMode::PreSnap
                && !face.includes(false),
        }
    }

    /// Returns true if a triangle of this [`area`] is front-facing, and `None` if it is dropped. A
    /// triangle without area is a back face under conservative rasterization before snapping
    /// (manual, CSO, "Rasterizer").
    #[inline(always)]
    pub(crate) fn facing(&self, area: i64) -> Option<bool> {
        if area == 0 {
            return self.keeps_flat().then_some(false);
        }
        // y points down, so a triangle that looks counter-clockwise has a negative area.
        let ccw = area < 0;
        let dropped = if ccw { self.drop_ccw } else { self.drop_cw };
        (!dropped).then_some(ccw == self.front_ccw)
    }
}

#[cfg(feature = "primitive-effects")]
impl Cull {
    /// Returns true if triangles without area are drawn.
    #[inline(always)]
    pub(crate) fn keeps_flat(&self) -> bool {
        self.keep_flat
    }
}

#[cfg(not(feature = "primitive-effects"))]
impl Cull {
    /// Returns false: triangles without area are dropped.
    #[inline(always)]
    pub(crate) fn keeps_flat(&self) -> bool {
        false
    }
}

/// Returns twice the signed area, in units of 2^-16 pixels, exactly; positive if clockwise on the
/// screen.
#[inline(always)]
pub(crate) fn area(a: &Window, b: &Window, c: &Window) -> i64 {
    // Coordinates have 23 bits with sign, differences 24, products 48.
    let (abx, aby) = (i64::from(b.x - a.x), i64::from(b.y - a.y));
    let (acx, acy) = (i64::from(c.x - a.x), i64::from(c.y - a.y));
    abx * acy - acx * aby
}

/// Returns true for a triangle with this [`area`], other than 0, that is at least about 32 pixels
/// long and narrower than about half a pixel: snapping changes the plane of its values.
#[inline(always)]
pub(crate) fn is_narrow(area: i64, a: &Window, b: &Window, c: &Window) -> bool {
    let [x1, y1, x2, y2] = [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y];
    let magnitude = |x: i32| (x ^ x >> 31) as u32;
    // Has as many bits as the greatest magnitude.
    let most = magnitude(x1) | magnitude(y1) | magnitude(x2) | magnitude(y2);
    most >= 1 << 13 && is_needle(area, [x1, y1, x2, y2])
}

/// Returns true for a triangle at most half a pixel to a pixel wide. Takes the differences of two
/// corners from the first.
#[cold]
#[inline(never)]
fn is_needle(area: i64, differences: [i32; 4]) -> bool {
    // The square of the length, to within a factor of two.
    let square: u64 = differences.iter().map(|&x| i64::from(x).unsigned_abs().pow(2)).sum();
    // An area is the product of length and width.
    let area = area.unsigned_abs();
    area != 0 && area.saturating_mul(area) < square << 15
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i32, y: i32) -> Window {
        Window { x, y, z: 0.0, rcp_w: 1.0 }
    }

    /// Down, then right, with row 0 on top: counter-clockwise on the screen.
    const SEEN_CCW: [(i32, i32); 3] = [(0, 0), (0, 2560), (2560, 2560)];

    #[test]
    fn area_is_exact_at_the_limits() {
        let g = 1 << 22;
        let [a, b, c] = [at(-g, -g), at(g, -g), at(g, g)];
        assert_eq!(area(&a, &b, &c), 1 << 46);
        // One subpixel off the line through the whole range.
        assert_eq!(area(&at(-g, -g), &at(g, g), &at(g, g - 1)), -(1 << 23));
        assert_eq!(area(&a, &a, &c), 0);
    }

    #[cfg(feature = "primitive-effects")]
    #[test]
    fn flat_triangles_are_back_faces_before_snapping() {
        use ConservativeRasterMode::{Off, PostSnap, PreSnap};
        for (conservative_raster_mode, cull_face, wanted) in [
            (Off, Face::None, None),
            (PostSnap, Face::None, None),
            (PreSnap, Face::None, Some(false)),
            (PreSnap, Face::Front, Some(false)),
            (PreSnap, Face::Back, None),
        ] {
            let state = RasterizerState {
                conservative_raster_mode,
                cull_face,
                ..RasterizerState::default()
            };
            assert_eq!(Cull::new(&state).facing(0), wanted, "{state:?}");
        }
    }

    #[test]
    fn facing_table() {
        let [a, b, c] = SEEN_CCW.map(|(x, y)| at(x, y));
        let ccw = area(&a, &b, &c);
        assert!(ccw < 0);
        // front_ccw, culled face, then the facing of a triangle that looks counter-clockwise and of
        // one that looks clockwise.
        let rows = [
            (true, Face::None, Some(true), Some(false)),
            (true, Face::Front, None, Some(false)),
            (true, Face::Back, Some(true), None),
            (true, Face::FrontAndBack, None, None),
            (false, Face::None, Some(false), Some(true)),
            (false, Face::Front, Some(false), None),
            (false, Face::Back, None, Some(true)),
            (false, Face::FrontAndBack, None, None),
        ];
        for (front_ccw, cull_face, if_ccw, if_cw) in rows {
            let state = RasterizerState { front_ccw, cull_face, ..RasterizerState::default() };
            let cull = Cull::new(&state);
            let got = (cull.facing(ccw), cull.facing(-ccw), cull.facing(0));
            assert_eq!(got, (if_ccw, if_cw, None), "{front_ccw} {cull_face:?}");
        }
    }
}
