//! An icosahedron: corners on the unit ball, faces counter-clockwise as seen from outside.

/// 1 and the golden ratio, divided by the length of (0, 1, golden ratio).
const A: f32 = 0.525_731_1;
const B: f32 = 0.850_650_8;

/// The corners.
pub(crate) static CORNERS: [[f32; 3]; 12] = [
    [-A, B, 0.0],
    [A, B, 0.0],
    [-A, -B, 0.0],
    [A, -B, 0.0],
    [0.0, -A, B],
    [0.0, A, B],
    [0.0, -A, -B],
    [0.0, A, -B],
    [B, 0.0, -A],
    [B, 0.0, A],
    [-B, 0.0, -A],
    [-B, 0.0, A],
];

/// Three corners per face, counter-clockwise. Looking along z, x is to the right and y is up.
#[rustfmt::skip]
pub(crate) static FACES: [u16; 60] = [
    0, 5, 11,  0, 1, 5,   0, 7, 1,   0, 10, 7,  0, 11, 10,
    1, 9, 5,   5, 4, 11,  11, 2, 10, 10, 6, 7,  7, 8, 1,
    3, 4, 9,   3, 2, 4,   3, 6, 2,   3, 8, 6,   3, 9, 8,
    4, 5, 9,   2, 11, 4,  6, 10, 2,  8, 7, 6,   9, 1, 8,
];
