//! Values at the place that a vertex is snapped to, not at its exact place.
//!
//! A rasterizer draws the plane through the values of a triangle's vertices at their window
//! positions, which are snapped to 1/256 pixel. In a narrow triangle, that plane is far from the
//! true plane. If the vertices have the true plane's values at their snapped places, the rasterizer
//! draws the true plane.
//!
//! With the corners' clip positions, x and y in pixels, as the columns `a`, `b`, `c` of a matrix,
//! each corner's share over w is linear over the window, and so are 1/w, the sum of the shares, and
//! depth:
//! ```text
//!   share of b = (c × a) · (x, y, 1) / det     share of c = (a × b) · (x, y, 1) / det
//!   1/w        = ((b - a) × (c - a)) · (x, y, 1) / det     det = a · ((b - a) × (c - a))
//! ```
//! (Olano and Greer, Triangle Scan Conversion using 2D Homogeneous Coordinates, 1997.) A vertex
//! moves by a fraction of a pixel, so the slopes need few exact digits: neither corners behind the
//! eye nor w = 0 are special. The offset to the snapped place needs many digits. A cut's w may be a
//! small difference of large values, and then its place may be pixels away from the place of its
//! weights.

use super::polygon::{ClippedPolygon, PolygonVertex};
use crate::project::Projection;

/// Pixels per subpixel.
const PIXELS: f32 = 1.0 / 256.0;

type Vector = [f32; 3];

/// The sum of two floats. The second float holds the digits that do not fit in the first.
type Double = [f32; 2];

/// The slopes over the window of the values that are linear there.
pub(super) struct Slopes {
    /// The corners' clip positions.
    corners: [[f32; 4]; 3],
    /// The slopes of the shares of corners 1 and 2, and of 1/w, for a pixel to the right and a
    /// pixel down, times `det`.
    slopes: [Vector; 3],
    /// 1 / `det`.
    rcp_det: f32,
}

impl Slopes {
    /// Derives the slopes from the corners' clip positions.
    pub(super) fn new(projection: &Projection, corners: [[f32; 4]; 3]) -> Slopes {
        let [x_scale, y_scale, _] = projection.scale;
        let [a, b, c] = &corners.map(|[x, y, _, w]| [x * x_scale, y * y_scale, w]);
        let (b, c) = (difference(b, a), difference(c, a));
        let w = cross(&b, &c);
        Slopes {
            corners,
            slopes: [cross(&c, a), cross(a, &b), w],
            rcp_det: 1.0 / (a[0] * w[0] + a[1] * w[1] + a[2] * w[2]),
        }
    }

    /// Moves the values of a vertex to the place that it is snapped to.
    pub(super) fn unsnap(&self, projection: &Projection, vertex: &mut PolygonVertex) {
        let [[ax, ay, az, aw], [bx, by, bz, bw], [cx, cy, cz, cw]] = self.corners;
        let [p, q, r] = vertex.weights;
        let (wa, wb, wc) = (aw * p, bw * q, cw * r);
        let (x, y, w) = (ax * p + bx * q + cx * r, ay * p + by * q + cy * r, wa + wb + wc);
        let mut rcp = 1.0 / w;
        let [x_scale, y_scale, z_scale] = projection.scale;
        let [x_offset, y_offset, z_offset] = projection.translate;
        let window = &mut vertex.window;
        let to = [window.x as f32 * PIXELS - x_offset, window.y as f32 * PIXELS - y_offset];
        let mut right = (to[0] * w - x_scale * x) * rcp;
        let mut down = (to[1] * w - y_scale * y) * rcp;
        // Few digits are left if large values cancel.
        if !(wa.abs() + wb.abs() + wc.abs() < 4.0 * w) {
            let z;
            [right, down, z, rcp] = self.exact(to, [x_scale, y_scale], &vertex.weights);
            window.z = z * z_scale + z_offset;
        }
        (right, down) = (right * self.rcp_det, down * self.rcp_det);
        let [one, two, more] = self.slopes.map(|[x, y, _]| x * right + y * down);
        let moved = one.abs() + two.abs() + 4.0 * more.abs();
        // Close to the eye, and in triangles with almost no area, a step is not small. NaN fails.
        if moved == 0.0 || !(moved < rcp) {
            return;
        }
        let change = one * (bz - az) + two * (cz - az) + more * az;
        window.z += change * z_scale;
        let rcp_here = rcp + more;
        let [zero, first, second] = &mut vertex.weights;
        let one = (one - *first * more) / rcp_here;
        let two = (two - *second * more) / rcp_here;
        (*zero, *first, *second) = (*zero - one - two, *first + one, *second + two);
        // If 1/w is written in the window, the vertex keeps its 1/w.
        if more != 0.0 {
            window.rcp_w = rcp_here;
        }
        // Values moved to another place are no longer the corner's values.
        vertex.number = ClippedPolygon::NEW;
    }
}

impl Slopes {
    /// Returns the offset from the place with these weights to another place, along both axes in
    /// pixels, and z over w and 1/w at the first place.
    #[cold]
    #[inline(never)]
    fn exact(&self, to: [f32; 2], scale: [f32; 2], weights: &Vector) -> [f32; 4] {
        let mut sums = [[0.0; 2]; 4];
        for (corner, weight) in self.corners.iter().zip(weights) {
            for (sum, value) in sums.iter_mut().zip(corner) {
                *sum = add_product(*sum, *value, *weight);
            }
        }
        let [x, y, z, w] = sums;
        let rcp = 1.0 / w[0];
        let mut way = [0.0; 2];
        for (((way, to), scale), from) in way.iter_mut().zip(to).zip(scale).zip([x, y]) {
            let sum = add_product(add_product([0.0; 2], to, w[0]), -scale, from[0]);
            *way = (sum[0] + (sum[1] + (to * w[1] - scale * from[1]))) * rcp;
        }
        [way[0], way[1], z[0] * rcp, rcp]
    }
}

/// Adds a product to a sum, both with twice the digits of a float.
#[inline(never)]
fn add_product([high, low]: Double, a: f32, b: f32) -> Double {
    // Halves of the digits, so that their products are exact.
    let split = |x: f32| {
        let high = f32::from_bits(x.to_bits() & !0xfff);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let product = a * b;
    let rest = a_high * b_high - product + (a_high * b_low + a_low * b_high) + a_low * b_low;
    // The error of the sum, exact whichever operand is larger.
    let sum = high + product;
    let added = sum - high;
    let error = (high - (sum - added)) + (product - added);
    [sum, low + error + rest]
}

fn difference(a: &Vector, b: &Vector) -> Vector {
    let ([ax, ay, aw], [bx, by, bw]) = (*a, *b);
    [ax - bx, ay - by, aw - bw]
}

#[inline(never)]
fn cross(a: &Vector, b: &Vector) -> Vector {
    let ([ax, ay, aw], [bx, by, bw]) = (*a, *b);
    [ay * bw - aw * by, aw * bx - ax * bw, ax * by - ay * bx]
}
