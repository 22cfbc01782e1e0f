//! Cube maps: from a direction to a face and a place on it, and across the faces' edges.
//!
//! Every face has a major axis; its two other axes, signed, are the face's s and t (OpenGL 4.6,
//! table 8.19):
//!
//! ```text
//!   face   0 +X  1 -X  2 +Y  3 -Y  4 +Z  5 -Z
//!   s       -z    +z    +x    +x    +x    -x
//!   t       -y    -y    +z    -z    -y    -y
//! ```

use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

use super::lod::log2;
use crate::lanes::float;

/// The axis of s and of t of each face, and true if the axis is negated.
const FACES: [[(usize, bool); 2]; 6] = [
    [(2, true), (1, true)],
    [(2, false), (1, true)],
    [(0, false), (2, false)],
    [(0, false), (2, true)],
    [(0, false), (1, true)],
    [(0, true), (1, true)],
];

/// A face, as conditions that a vector can select by in all lanes.
#[derive(Clone, Copy)]
struct Face {
    /// Set if the major axis is x.
    is_x: bool,
    /// Set if the major axis is y.
    is_y: bool,
    negative: bool,
}

impl Face {
    /// Returns the face that `direction` points to. Ties go to x, then y.
    #[inline(always)]
    fn of([x, y, z]: [f32; 3]) -> Face {
        let length = |v: f32| f32::from_bits(v.to_bits() & 0x7fff_ffff);
        let is_x = (length(x) >= length(y)) & (length(x) >= length(z));
        let is_y = !is_x & (length(y) >= length(z));
        let major = choose(is_x, x, choose(is_y, y, z));
        Face { is_x, is_y, negative: major < 0.0 }
    }

    /// Returns the face's number, 0 to 5.
    #[inline(always)]
    fn number(self) -> u32 {
        let axis = if self.is_x { 0 } else { 2 - u32::from(self.is_y) };
        2 * axis + u32::from(self.negative)
    }

    /// Returns `vector` in the face's axes, as in [`FACES`]: s, t, and along the face's direction.
    #[inline(always)]
    fn place(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let Face { is_x, is_y, negative } = self;
        let s = choose(is_x, choose(negative, z, -z), choose(negative & !is_y, -x, x));
        let t = choose(is_y, choose(negative, -z, z), -y);
        let major = choose(is_x, x, choose(is_y, y, z));
        [s, t, choose(negative, -major, major)]
    }
}

/// Returns `yes` if `which`, else `no`. Both are computed already.
#[inline(always)]
fn choose(which: bool, yes: f32, no: f32) -> f32 {
    if which { yes } else { no }
}

/// Projects the directions of a batch: s and t on a face, in [0, 1], and the face, 0 to 5.
fn project([x, y, z]: [&[u32]; 3], s: &mut [u32], t: &mut [u32], faces: &mut [u32]) {
    vectorize(
        #[inline(always)]
        || {
            let lanes = s.iter_mut().zip(t).zip(faces).zip(x).zip(y).zip(z);
            for (((((s, t), face_out), x), y), z) in lanes {
                let vector = [f32::from_bits(*x), f32::from_bits(*y), f32::from_bits(*z)];
                let face = Face::of(vector);
                let [sc, tc, major] = face.place(vector);
                *s = (0.5 * (sc / major) + 0.5).to_bits();
                *t = (0.5 * (tc / major) + 0.5).to_bits();
                *face_out = face.number();
            }
        },
    );
}

/// Projects directions as [`project`] does, and adds the face to the layer.
pub(super) fn place<R: Lanes>(direction: [&R; 3], [s, t]: [&mut R; 2], layer: &mut R) {
    let mut face = R::ZERO;
    project(
        direction.map(|row| row.as_slice()),
        s.as_mut_slice(),
        t.as_mut_slice(),
        face.as_mut_slice(),
    );
    for (layer, face) in layer.as_mut_slice().iter_mut().zip(face.as_slice()) {
        *layer = layer.saturating_add(*face);
    }
}

/// Returns ρ² on a face of `size` texels, looking along `direction` and moving by `step`.
///
/// Uses the quotient rule on s = ½·sc/ma + ½, so it holds even if neighbours lie on other faces.
#[inline(always)]
pub(super) fn rho_squared(direction: [f32; 3], step: [f32; 3], size: f32) -> f32 {
    let face = Face::of(direction);
    let [s, t, major] = face.place(direction);
    let [ds, dt, dmajor] = face.place(step);
    let scale = 0.5 * size / (major * major);
    let u = (ds * major - s * dmajor) * scale;
    let v = (dt * major - t * dmajor) * scale;
    u * u + v * v
}

/// Returns the part of `step` that keeps a direction in the plane of its face.
#[inline(always)]
pub(super) fn in_plane(direction: [f32; 3], step: [f32; 3]) -> [f32; 3] {
    let face = Face::of(direction);
    let [[.., major], [.., step_major]] = [direction, step].map(|vector| face.place(vector));
    let ratio = step_major / major;
    let [[x, y, z], [dx, dy, dz]] = [direction, step];
    [dx - x * ratio, dy - y * ratio, dz - z * ratio]
}

/// Returns the differences of a lane's direction from pixel to pixel in x and in y, as `DDX` and
/// `DDY` do.
#[inline(always)]
pub(super) fn quad_steps(direction: [&[u32]; 3], lane: usize) -> [[f32; 3]; 2] {
    let corner = |i: usize| direction.map(|row| float(row, lane & !3 | i));
    [(2, 3), (0, 2)].map(|(from, to)| {
        let ([x0, y0, z0], [x1, y1, z1]) = (corner(from), corner(to));
        [x1 - x0, y1 - y0, z1 - z0]
    })
}

/// Computes λ of every lane from the differences between its quad's directions, plus `bias`. Equals
/// [`gradient_lod`] with the derivatives of `DDX` and `DDY`.
pub(super) fn implicit_lod(direction: [&[u32]; 3], size: f32, bias: f32, lambda: &mut [u32]) {
    for (lane, lambda) in lambda.iter_mut().enumerate() {
        let at = direction.map(|row| float(row, lane));
        let [x, y] = quad_steps(direction, lane).map(|step| rho_squared(at, step, size));
        *lambda = (0.5 * log2(if x > y { x } else { y }) + bias).to_bits();
    }
}

/// Computes λ of every lane from explicit derivatives of its direction, plus `bias`.
pub(super) fn gradient_lod(
    direction: [&[u32]; 3],
    ddx: [&[u32]; 3],
    ddy: [&[u32]; 3],
    size: f32,
    bias: f32,
    lambda: &mut [u32],
) {
    for (lane, lambda) in lambda.iter_mut().enumerate() {
        let at = |rows: [&[u32]; 3]| rows.map(|row| float(row, lane));
        let x = rho_squared(at(direction), at(ddx), size);
        let y = rho_squared(at(direction), at(ddy), size);
        *lambda = (0.5 * log2(if x > y { x } else { y }) + bias).to_bits();
    }
}

/// Returns face, x and y of the texel that continues `face`, of `size` texels, at (`x`, `y`) one
/// texel outside the face. Exactly one of the coordinates must be -1 or `size`.
#[expect(
    clippy::indexing_slicing,
    reason = "faces are below 6 by `min`, half of one and axes below 3"
)]
pub(super) fn across(face: u32, x: i32, y: i32, size: i32) -> (u32, i32, i32) {
    let face = (face as usize).min(5);
    // Twice the vector from the cube's centre to the texel's centre: exact in integers. The outside
    // coordinate is ±(size + 1), longer than the major axis, so it selects the new face.
    let mut vector = [0i32; 3];
    vector[face / 2] = if face & 1 == 0 { size } else { -size };
    for ((axis, negated), at) in FACES[face].into_iter().zip([x, y]) {
        let centre = 2 * at + 1 - size;
        vector[axis] = if negated { -centre } else { centre };
    }
    let outside = (0..3).find(|&axis| vector[axis].abs() > size).unwrap_or(face / 2);
    let face = 2 * outside + usize::from(vector[outside] < 0);
    let [x, y] = FACES[face].map(|(axis, negated)| {
        let v = if negated { -vector[axis] } else { vector[axis] };
        // The old major axis becomes the row of texels along the edge; the other axis carries over.
        if v.abs() == size { if v > 0 { size - 1 } else { 0 } } else { (v + size - 1) / 2 }
    });
    (face as u32, x.clamp(0, size - 1), y.clamp(0, size - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the direction of a texel's centre, in f64.
    fn direction(face: u32, x: i32, y: i32, size: i32) -> [f64; 3] {
        let s = (2 * x + 1) as f64 / size as f64 - 1.0;
        let t = (2 * y + 1) as f64 / size as f64 - 1.0;
        // Written out from the table of OpenGL 4.6, solved for (x, y, z).
        match face {
            0 => [1.0, -t, -s],
            1 => [-1.0, -t, s],
            2 => [s, 1.0, t],
            3 => [s, -1.0, -t],
            4 => [s, -t, 1.0],
            _ => [-s, -t, -1.0],
        }
    }

    /// Face, s and t of a direction.
    fn projected(direction: [f64; 3]) -> (u32, f32, f32) {
        let rows = direction.map(|v| [(v as f32).to_bits()]);
        let (mut s, mut t, mut face) = ([0], [0], [0]);
        project(rows.each_ref().map(|row| row.as_slice()), &mut s, &mut t, &mut face);
        (face[0], float(&s, 0), float(&t, 0))
    }

    #[test]
    fn the_six_axes_point_to_the_centres_of_the_faces() {
        let axes = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
        for (face, axis) in axes.iter().enumerate() {
            assert_eq!(projected(axis.map(|v| v as f64 * 3.0)), (face as u32, 0.5, 0.5));
        }
    }

    #[test]
    fn centres_of_texels_come_back_on_every_face() {
        let size = 4;
        for face in 0..6 {
            for (x, y) in (0..size).flat_map(|y| (0..size).map(move |x| (x, y))) {
                let (found, s, t) = projected(direction(face, x, y, size));
                assert_eq!(found, face);
                assert!((s as f64 - (x as f64 + 0.5) / size as f64).abs() < 1e-6);
                assert!((t as f64 - (y as f64 + 0.5) / size as f64).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn stepping_over_an_edge_lands_on_the_nearest_texel() {
        let size = 4;
        for face in 0..6 {
            for i in 0..size {
                for (x, y) in [(-1, i), (size, i), (i, -1), (i, size)] {
                    let want = direction(face, x, y, size);
                    let (other, x2, y2) = across(face, x, y, size);
                    assert_ne!(other, face);
                    let got = direction(other, x2, y2, size);
                    let dot: f64 = (0..3).map(|k| want[k] * got[k]).sum();
                    let length = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
                    let cosine = dot / length(want) / length(got);
                    // One texel of a face of four spans at most 27 degrees.
                    assert!(cosine > 0.95, "face {face} ({x}, {y}) -> {other} ({x2}, {y2})");
                    // And a step back lands on the original texel, at the edge.
                    let back = [(x2 - 1, y2), (x2 + 1, y2), (x2, y2 - 1), (x2, y2 + 1)]
                        .into_iter()
                        .filter(|&(a, b)| (a < 0 || a >= size) ^ (b < 0 || b >= size))
                        .any(|(a, b)| {
                            let inside = (x.clamp(0, size - 1), y.clamp(0, size - 1));
                            across(other, a, b, size) == (face, inside.0, inside.1)
                        });
                    assert!(back);
                }
            }
        }
    }

    #[test]
    fn derivatives_follow_finite_differences() {
        // Looking at +Z, moving 1/1000 in x: s moves by ½·0.001/2 on a face of 64 texels.
        let rho = rho_squared([0.2, 0.3, 2.0], [0.001, 0.0, 0.0], 64.0);
        assert!((rho.sqrt() - 0.016).abs() < 1e-6);
        // Moving along the direction itself does not move the place.
        assert!(rho_squared([0.2, 0.3, 2.0], [0.2, 0.3, 2.0], 64.0) < 1e-9);
    }
}
