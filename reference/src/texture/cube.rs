//! Cube maps: from a direction to a face, and across edges between faces (OpenGL 4.6, section
//! 8.13).

/// For each face, the directions of its centre, of increasing s and of increasing t.
const FACES: [[[i32; 3]; 3]; 6] = [
    [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
    [[-1, 0, 0], [0, 0, 1], [0, -1, 0]],
    [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
    [[0, -1, 0], [1, 0, 0], [0, 0, -1]],
    [[0, 0, 1], [1, 0, 0], [0, -1, 0]],
    [[0, 0, -1], [-1, 0, 0], [0, -1, 0]],
];

fn dot(a: [i32; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * b).sum()
}

/// Returns the face that a direction points to. Ties prefer x, then y.
fn face_of(direction: [f64; 3]) -> usize {
    let [x, y, z] = direction.map(f64::abs);
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    2 * axis + usize::from(direction[axis] < 0.0)
}

/// Returns the face that a direction points to, and s and t on it, 0 to 1.
pub(super) fn project(direction: [f64; 3]) -> (u32, f64, f64) {
    let face = face_of(direction);
    let [s, t] = on_face(face, direction);
    (face as u32, s, t)
}

/// Returns s and t of a direction on a face.
fn on_face(face: usize, direction: [f64; 3]) -> [f64; 2] {
    let [center, s, t] = FACES[face];
    let major = dot(center, direction);
    [s, t].map(|axis| 0.5 * dot(axis, direction) / major + 0.5)
}

/// Returns the change of s and t when the direction moves by `step`, on the face that the direction
/// points to (by the quotient rule).
pub(super) fn derivative(direction: [f64; 3], step: [f64; 3]) -> [f64; 2] {
    let [center, s, t] = FACES[face_of(direction)];
    let (major, growth) = (dot(center, direction), dot(center, step));
    [s, t].map(|axis| {
        0.5 * (dot(axis, step) * major - dot(axis, direction) * growth) / (major * major)
    })
}

/// Returns the movement in the plane of the face when the direction moves by `step`.
pub(super) fn in_plane(direction: [f64; 3], step: [f64; 3]) -> [f64; 3] {
    let [center, s, t] = FACES[face_of(direction)];
    // The face is at the distance of the direction's end, and twice as wide.
    let wide = 2.0 * dot(center, direction);
    let [ds, dt] = derivative(direction, step);
    [0, 1, 2].map(|axis| wide * (f64::from(s[axis]) * ds + f64::from(t[axis]) * dt))
}

/// Returns the face, column and row of a neighbouring texel on a cube with faces of `size` texels.
/// (`x`, `y`) lies one texel outside of `face`, across exactly one of its edges.
pub(super) fn across(face: u32, x: i64, y: i64, size: i64) -> (u32, u32, u32) {
    let [center, s, t] = FACES[face.min(5) as usize];
    // The texel's centre on a face of width 2. Folding maps it to the neighbour's plane: a step
    // outwards along the face becomes a step back along the face's direction.
    let place = |at: i64| (2 * at + 1) as f64 / size as f64 - 1.0;
    let (u, v) = (place(x), place(y));
    let (inside_u, inside_v) = (u.clamp(-1.0, 1.0), v.clamp(-1.0, 1.0));
    let depth = 1.0 - (u - inside_u).abs() - (v - inside_v).abs();
    let direction: [f64; 3] = core::array::from_fn(|axis| {
        f64::from(center[axis]) * depth
            + f64::from(s[axis]) * inside_u
            + f64::from(t[axis]) * inside_v
    });
    let (found, s, t) = project(direction);
    let texel = |at: f64| ((at * size as f64).floor() as i64).clamp(0, size - 1) as u32;
    (found, texel(s), texel(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_point_to_the_centres_of_the_faces() {
        for (face, [center, ..]) in FACES.into_iter().enumerate() {
            assert_eq!(project(center.map(f64::from)), (face as u32, 0.5, 0.5));
        }
    }

    #[test]
    fn directions_move_in_the_plane_of_their_face() {
        // On face +z, s grows with x and t with -y. A movement towards the face changes neither.
        assert_eq!(in_plane([0.0, 0.0, 2.0], [0.5, 0.25, 1.0]), [0.5, 0.25, 0.0]);
        // Away from the centre it does: (1, 0, 2) is the same direction as (1.5, 0, 3).
        assert_eq!(in_plane([1.0, 0.0, 2.0], [0.5, 0.0, 1.0]), [0.0; 3]);
    }

    #[test]
    fn neighbours_share_an_edge() {
        // The neighbours of +x are -z to its right, +z to its left, +y above and -y below.
        assert_eq!(across(0, 4, 1, 4), (5, 0, 1));
        assert_eq!(across(0, -1, 1, 4), (4, 3, 1));
        assert_eq!(across(0, 1, -1, 4), (2, 3, 2));
        assert_eq!(across(0, 1, 4, 4), (3, 3, 1));
    }
}
