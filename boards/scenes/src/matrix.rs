//! Matrices for the scenes, the same bits on every machine.
//!
//! A matrix consists of columns, as shaders use them: `clip = c0 x + c1 y + c2 z + c3`.
//! Right-handed, y up, clip z from -w to w. Uses only `+ - * /`, so that a Cortex-M4F and a PC
//! agree to the last bit.

/// Four columns of four numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mat4(pub [[f32; 4]; 4]);

impl Mat4 {
    /// Returns `self * other`: `other` is applied first.
    pub fn mul(&self, other: &Mat4) -> Mat4 {
        Mat4(other.0.map(|column| self.transform(column)))
    }

    /// Returns `self * vector`.
    pub fn transform(&self, vector: [f32; 4]) -> [f32; 4] {
        let [c0, c1, c2, c3] = &self.0;
        core::array::from_fn(|row| {
            c0[row] * vector[0] + c1[row] * vector[1] + c2[row] * vector[2] + c3[row] * vector[3]
        })
    }

    /// Returns the transpose times a direction: for a rotation, the inverse rotation.
    pub fn back(&self, direction: [f32; 3]) -> [f32; 3] {
        core::array::from_fn(|column| {
            let [x, y, z, _] = self.0[column];
            x * direction[0] + y * direction[1] + z * direction[2]
        })
    }

    /// Returns a translation.
    pub fn translation([x, y, z]: [f32; 3]) -> Mat4 {
        let mut matrix = Mat4::scale(1.0);
        matrix.0[3] = [x, y, z, 1.0];
        matrix
    }

    /// Returns a uniform scale.
    pub fn scale(by: f32) -> Mat4 {
        Mat4([[by, 0.0, 0.0, 0.0], [0.0, by, 0.0, 0.0], [0.0, 0.0, by, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// Returns a rotation about y, in turns; z turns towards x.
    pub fn rotation_y(turns: f32) -> Mat4 {
        let (sin, cos) = (sin_turns(turns), sin_turns(turns + 0.25));
        Mat4([
            [cos, 0.0, -sin, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [sin, 0.0, cos, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// Returns a rotation about x, in turns; y turns towards z.
    pub fn rotation_x(turns: f32) -> Mat4 {
        let (sin, cos) = (sin_turns(turns), sin_turns(turns + 0.25));
        Mat4([
            [1.0, 0.0, 0.0, 0.0],
            [0.0, cos, sin, 0.0],
            [0.0, -sin, cos, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// Returns the projection of a camera at the origin that looks along -z.
    ///
    /// * `focal`: 1 / tan(half the vertical field of view).
    /// * `aspect`: width / height.
    /// * `near`, `far`: distances, both positive.
    pub fn perspective(focal: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
        let depth = near - far;
        Mat4([
            [focal / aspect, 0.0, 0.0, 0.0],
            [0.0, focal, 0.0, 0.0],
            [0.0, 0.0, (far + near) / depth, -1.0],
            [0.0, 0.0, 2.0 * far * near / depth, 0.0],
        ])
    }
}

/// Returns the sine of an angle in turns, within 4e-6; exactly symmetric, for any finite argument.
pub fn sin_turns(turns: f32) -> f32 {
    let turns = turns - libm::floorf(turns);
    // Folds onto the quarter around 0, where a short series suffices.
    let folded = if turns < 0.25 {
        turns
    } else if turns < 0.75 {
        0.5 - turns
    } else {
        turns - 1.0
    };
    let x = folded * core::f32::consts::TAU;
    let square = x * x;
    let series = 1.0 / 362_880.0;
    let series = series * square - 1.0 / 5040.0;
    let series = series * square + 1.0 / 120.0;
    let series = series * square - 1.0 / 6.0;
    x + x * square * series
}

/// Returns the vector scaled to length 1; the zero vector is unchanged.
pub fn normalize(v: [f32; 3]) -> [f32; 3] {
    let length = libm::sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if length > 0.0 { v.map(|x| x / length) } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: [f32; 4], b: [f32; 4]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn sine_of_known_angles() {
        let half = core::f32::consts::FRAC_1_SQRT_2;
        for (turns, sine) in [
            (0.0, 0.0),
            (1.0 / 12.0, 0.5),
            (0.125, half),
            (0.25, 1.0),
            (0.5, 0.0),
            (0.75, -1.0),
            (-0.25, -1.0),
            (7.125, half),
        ] {
            assert!((sin_turns(turns) - sine).abs() < 5e-6, "{turns}: {}", sin_turns(turns));
        }
    }

    #[test]
    fn rotations_turn_axes() {
        let quarter = Mat4::rotation_y(0.25);
        assert!(close(quarter.transform([0.0, 0.0, 1.0, 1.0]), [1.0, 0.0, 0.0, 1.0]));
        let [x, y, z] = quarter.back([1.0, 0.0, 0.0]);
        assert!(close([x, y, z, 1.0], [0.0, 0.0, 1.0, 1.0]));
        let quarter = Mat4::rotation_x(0.25);
        assert!(close(quarter.transform([0.0, 1.0, 0.0, 1.0]), [0.0, 0.0, 1.0, 1.0]));
    }

    #[test]
    fn perspective_maps_near_and_far_to_the_clip_planes() {
        let matrix = Mat4::perspective(2.0, 4.0 / 3.0, 1.0, 5.0);
        let near = matrix.transform([0.0, 0.0, -1.0, 1.0]);
        let far = matrix.transform([0.0, 0.0, -5.0, 1.0]);
        assert!(close(near, [0.0, 0.0, -1.0, 1.0]) && close(far, [0.0, 0.0, 5.0, 5.0]));
        // With a focal of 2, half the height is seen at distance 2.
        assert!(close(matrix.transform([0.0, 1.0, -2.0, 1.0]), [0.0, 2.0, 0.5, 2.0]));
    }

    #[test]
    fn products_apply_right_to_left() {
        let both = Mat4::translation([1.0, 2.0, 3.0]).mul(&Mat4::scale(2.0));
        assert_eq!(both.transform([1.0, 1.0, 1.0, 1.0]), [3.0, 4.0, 5.0, 1.0]);
    }
}
