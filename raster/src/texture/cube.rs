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

use super::lod::log2;
use crate::lanes::float;

/// The axis of s and of t of each face, and whether it is negated.
const FACES: [[(usize, bool); 2]; 6] = [
    [(2, true), (1, true)],
    [(2, false), (1, true)],
    [(0, false), (2, false)],
    [(0, false), (2, true)],
    [(0, false), (1, true)],
    [(0, true), (1, true)],
];

/// Returns the face that `direction` points to. Ties go to x, then y.
#[inline(always)]
fn face_of(direction: [f32; 3]) -> usize {
    let [x, y, z] = direction.map(|v| f32::from_bits(v.to_bits() & 0x7fff_ffff));
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    #[expect(clippy::indexing_slicing, reason = "axis is 0 to 2")]
    let negative = direction[axis] < 0.0;
    2 * axis + usize::from(negative)
}

/// Returns `vector` in the axes of `face`, 0 to 5: s, t, and along the face's own direction.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "its callers pass a face, and FACES has axes")]
fn in_face(face: usize, vector: [f32; 3]) -> [f32; 3] {
    let [s, t] =
        FACES[face].map(|(axis, negated)| if negated { -vector[axis] } else { vector[axis] });
    let major = vector[face / 2];
    [s, t, if face & 1 == 0 { major } else { -major }]
}

/// Projects the directions of a batch: s and t on a face, in [0, 1], and the face, 0 to 5.
pub(super) fn project(direction: [&[u32]; 3], s: &mut [u32], t: &mut [u32], faces: &mut [u32]) {
    for (lane, ((s, t), face_out)) in s.iter_mut().zip(t).zip(faces).enumerate() {
        let vector = direction.map(|row| float(row, lane));
        let face = face_of(vector);
        let [sc, tc, major] = in_face(face, vector);
        *s = (0.5 * (sc / major) + 0.5).to_bits();
        *t = (0.5 * (tc / major) + 0.5).to_bits();
        *face_out = face as u32;
    }
}

/// Returns ρ² on a face of `size` texels, looking along `direction` and moving by `step`.
///
/// The quotient rule on s = ½·sc/ma + ½, so it holds where neighbours lie on other faces.
#[inline(always)]
fn rho_squared(direction: [f32; 3], step: [f32; 3], size: f32) -> f32 {
    let face = face_of(direction);
    let [s, t, major] = in_face(face, direction);
    let [ds, dt, dmajor] = in_face(face, step);
    let scale = 0.5 * size / (major * major);
    let u = (ds * major - s * dmajor) * scale;
    let v = (dt * major - t * dmajor) * scale;
    u * u + v * v
}

/// Computes λ of every lane from the differences between its quad's directions, plus `bias`: as
/// [`gradient_lod`] with the derivatives of `DDX` and `DDY`.
pub(super) fn implicit_lod(direction: [&[u32]; 3], size: f32, bias: f32, lambda: &mut [u32]) {
    for (lane, lambda) in lambda.iter_mut().enumerate() {
        let at = |lane: usize| direction.map(|row| float(row, lane));
        let corner = |i: usize| at(lane & !3 | i);
        let step = |from: usize, to: usize| {
            let (from, to) = (corner(from), corner(to));
            let ([x0, y0, z0], [x1, y1, z1]) = (from, to);
            [x1 - x0, y1 - y0, z1 - z0]
        };
        let x = rho_squared(at(lane), step(2, 3), size);
        let y = rho_squared(at(lane), step(0, 2), size);
        *lambda = (0.5 * log2(if x > y { x } else { y }) + bias).to_bits();
    }
}

/// Computes λ of every lane from its own derivatives of the direction, plus `bias`.
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

/// Returns face, x and y of the texel that continues `face`, of `size` texels, at (`x`, `y`) one texel
/// outside of it. Exactly one of the coordinates must be -1 or `size`.
#[expect(
    clippy::indexing_slicing,
    reason = "faces are below 6 by `min`, half of one and axes below 3"
)]
pub(super) fn across(face: u32, x: i32, y: i32, size: i32) -> (u32, i32, i32) {
    let face = (face as usize).min(5);
    // Twice the texel's centre, from the cube's centre: exact in integers. The coordinate that
    // is outside is ±(size + 1), longer than the major axis, so it names the new face.
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
        // The old major axis is the row of texels along the edge; the other one carries over.
        if v.abs() == size { if v > 0 { size - 1 } else { 0 } } else { (v + size - 1) / 2 }
    });
    (face as u32, x.clamp(0, size - 1), y.clamp(0, size - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The centre of a texel as a direction, in f64.
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
                    // And stepping back lands where we came from, beside the edge.
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
        // Looking at +Z, moving 1/1000 in x: s moves by ½·0.001/2, 64 texels a face.
        let rho = rho_squared([0.2, 0.3, 2.0], [0.001, 0.0, 0.0], 64.0);
        assert!((rho.sqrt() - 0.016).abs() < 1e-6);
        // Moving along the direction itself does not move the place.
        assert!(rho_squared([0.2, 0.3, 2.0], [0.2, 0.3, 2.0], 64.0) < 1e-9);
    }
}
