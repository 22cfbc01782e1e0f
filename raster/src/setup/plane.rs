//! Attribute and depth planes: values as linear functions of the pixel.

use crate::fixed::{BLOCK, DEPTH_BITS, SUBPIXEL_ONE};

/// A vertex's place in window space, as the scene keeps it.
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

/// How values change over a primitive: the weights that give a plane from its vertex values.
///
/// For vertex values v0, v1, v2 the plane is
/// `a = v0 + (v1 - v0) * (…) + (v2 - v0) * (…)`, evaluated from the primitive's own reference
/// pixel (the one that holds vertex 0), so a pixel's value does not depend on tiles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gradient {
    /// d/dx of a value is `(v1 - v0) * x1 + (v2 - v0) * x2`, per pixel.
    x1: f32,
    x2: f32,
    /// d/dy likewise.
    y1: f32,
    y2: f32,
    /// From vertex 0 to the centre of the reference pixel, in pixels.
    offset_x: f32,
    offset_y: f32,
    /// The reference pixel.
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// `a + dadx * (x - xref) + dady * (y - yref)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    pub(crate) a: f32,
    pub(crate) dadx: f32,
    pub(crate) dady: f32,
}

/// Subpixels to pixels.
const SCALE: f32 = 1.0 / SUBPIXEL_ONE as f32;

impl Gradient {
    fn reference(origin: &Position, center: i32) -> Gradient {
        let (x, y) = (origin.x >> 8, origin.y >> 8);
        Gradient {
            offset_x: ((x << 8) + center - origin.x) as f32 * SCALE,
            offset_y: ((y << 8) + center - origin.y) as f32 * SCALE,
            x,
            y,
            ..Gradient::default()
        }
    }

    /// Over a triangle; `center` is the sample's offset in a pixel (Q24.8).
    #[inline]
    pub(crate) fn triangle(v: &[Position; 3], center: i32) -> Gradient {
        let (x1, y1) = (v[1].x - v[0].x, v[1].y - v[0].y);
        let (x2, y2) = (v[2].x - v[0].x, v[2].y - v[0].y);
        // Twice the area, exact; never 0 (Draw drops such triangles).
        let area = x1 as i64 * y2 as i64 - y1 as i64 * x2 as i64;
        let scale = SUBPIXEL_ONE as f32 / area as f32;
        Gradient {
            x1: y2 as f32 * scale,
            x2: -(y1 as f32) * scale,
            y1: -(x2 as f32) * scale,
            y2: x1 as f32 * scale,
            ..Gradient::reference(&v[0], center)
        }
    }

    /// Along a line: values change with the projection on its direction.
    pub(crate) fn line(v: &[Position; 2], center: i32) -> Gradient {
        let (dx, dy) = ((v[1].x - v[0].x) as f32 * SCALE, (v[1].y - v[0].y) as f32 * SCALE);
        let length = dx * dx + dy * dy;
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        Gradient { x1: dx * scale, y1: dy * scale, ..Gradient::reference(&v[0], center) }
    }

    /// Over a point: everything is constant.
    pub(crate) fn point(v: &Position, center: i32) -> Gradient {
        Gradient::reference(v, center)
    }

    /// The plane through the vertex values.
    #[inline(always)]
    pub(crate) fn plane(&self, v0: f32, v1: f32, v2: f32) -> Plane {
        let (d1, d2) = (v1 - v0, v2 - v0);
        let dadx = d1 * self.x1 + d2 * self.x2;
        let dady = d1 * self.y1 + d2 * self.y2;
        Plane { a: v0 + dadx * self.offset_x + dady * self.offset_y, dadx, dady }
    }

    /// The depth plane through the vertex depths.
    #[inline]
    pub(crate) fn depth(&self, z0: f32, z1: f32, z2: f32) -> DepthPlane {
        let plane = self.plane(z0, z1, z2);
        // Q18.46: Q2.30 with 16 more fraction bits. Steep planes wrap; see `DepthPlane`.
        let scale = (1u64 << (DEPTH_BITS + 16)) as f32;
        DepthPlane {
            x: self.x,
            y: self.y,
            z: (plane.a * scale) as i64,
            dzdx: (plane.dadx * scale) as i64,
            dzdy: (plane.dady * scale) as i64,
        }
    }
}

/// Depth as an integer plane.
///
/// All arithmetic is modulo a power of two: where the true value is between -2 and 2 (inside the
/// primitive it is between 0 and 1) the low 32 bits are right however far the sums have wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DepthPlane {
    x: i32,
    y: i32,
    z: i64,
    dzdx: i64,
    dzdy: i64,
}

/// Depth over one block: Q2.30, exact steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockDepth {
    pub(crate) z: i32,
    pub(crate) dzdx: i32,
    pub(crate) dzdy: i32,
}

impl DepthPlane {
    /// The plane over the block whose first pixel is (`x`, `y`).
    #[inline]
    pub(crate) fn block(&self, x: i32, y: i32) -> BlockDepth {
        debug_assert!(x % BLOCK as i32 == 0 && y % BLOCK as i32 == 0);
        let right = self.dzdx.wrapping_mul((x - self.x) as i64);
        let down = self.dzdy.wrapping_mul((y - self.y) as i64);
        BlockDepth {
            z: (self.z.wrapping_add(right).wrapping_add(down) >> 16) as i32,
            dzdx: (self.dzdx >> 16) as i32,
            dzdy: (self.dzdy >> 16) as i32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn depth_is_the_same_from_any_block() {
        let v = [at(3.5, 2.5), at(200.5, 7.5), at(40.5, 150.5)];
        let plane = Gradient::triangle(&v, 128).depth(0.25, 0.75, 0.5);
        let near = plane.block(0, 0);
        let z = near.z.wrapping_add(near.dzdx * 3).wrapping_add(near.dzdy * 2);
        assert!((z - (1 << 28)).abs() < 64, "{z}");
        let far = plane.block(192, 0);
        let z = far.z.wrapping_add(far.dzdx * 8).wrapping_add(far.dzdy * 7);
        assert!((z - 3 * (1 << 28)).abs() < 256, "{z}");
    }
}
