//! The cube: shaders, vertices, a texture with sixteen brightnesses, and its rotation.

use tgsi::program::Program;
use tgsi_macros::tgsi;

/// Transforms the position by the matrix in `CONST[0..3]`. The light on the face, from direction
/// `CONST[4]`, selects one of the texture's sixteen brightnesses.
pub(crate) static VERTEX: &Program<'static> = tgsi!(
    native(16);
    VERT
    DCL IN[0..2]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL CONST[0..4]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.0, 11.9, 4.0, 0.0625 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
    MAD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy, IMM[0].zzzz
    FLR TEMP[1].x, TEMP[1].xxxx
    ADD TEMP[1].y, TEMP[1].xxxx, IN[2].yyyy
    MOV OUT[1].x, IN[2].xxxx
    MUL OUT[1].y, TEMP[1].yyyy, IMM[0].wwww
    END
);

/// Outputs the nearest texel.
pub(crate) static FRAGMENT: &Program<'static> = tgsi!(
    FRAG
    DCL IN[0].xy, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    TEX OUT[0], IN[0], SAMP[0], 2D
    END
);

/// Position, normal and texture coordinate, four corners per face.
pub(crate) static VERTICES: [[f32; 8]; 24] = {
    let mut vertices = [[0.0; 8]; 24];
    let mut at = 0;
    while at < 24 {
        let (axis, side) = (at / 8, if at % 8 < 4 { 1.0 } else { -1.0 });
        // Counterclockwise as seen from outside.
        let u = if at % 4 == 1 || at % 4 == 2 { 1.0 } else { -1.0 };
        let v = if at % 4 >= 2 { 1.0 } else { -1.0 };
        vertices[at][axis] = side;
        vertices[at][(axis + 1) % 3] = u * side;
        vertices[at][(axis + 2) % 3] = v;
        vertices[at][3 + axis] = side;
        // The coordinates stay within the face's part of the texture, by a fiftieth of it.
        vertices[at][6] = 0.5 + u * 0.48;
        vertices[at][7] = 0.5 + v * 0.48;
        at += 1;
    }
    vertices
};

/// Two triangles per face.
pub(crate) static INDICES: [u16; 36] = {
    let mut indices = [0; 36];
    let mut at = 0;
    while at < 36 {
        indices[at] = (at / 6 * 4 + [0, 1, 2, 0, 2, 3][at % 6]) as u16;
        at += 1;
    }
    indices
};

/// Width and height of the texture, in texels: sixteen pictures one below the other.
pub(crate) const TEXTURE_SIZE: [u32; 2] = [16, 256];

/// A checkerboard with a border in RGB565, from a sixteenth of its brightness to full brightness.
pub(crate) static TEXELS: [u16; 16 * 256] = {
    let mut texels = [0; 16 * 256];
    let mut at = 0;
    while at < texels.len() {
        let (x, y, light) = (at % 16, at / 16 % 16, (at / 256 + 1) as u16);
        let [r, g, b] = if x == 0 || y == 0 || x == 15 || y == 15 {
            [8, 30, 31]
        } else if (x + 1) / 4 % 2 == (y + 1) / 4 % 2 {
            [31, 34, 4]
        } else {
            [30, 58, 24]
        };
        texels[at] = (r * light / 16) << 11 | (g * light / 16) << 5 | (b * light / 16);
        at += 1;
    }
    texels
};

/// Turns by a 120th of a circle. Uses only additions and products, so that every machine agrees.
pub(crate) fn step([cos, sin]: [f32; 2]) -> [f32; 2] {
    let (c, s) = (0.998_629_5, 0.052_335_96);
    [cos * c - sin * s, sin * c + cos * s]
}

/// Returns the columns of the matrix from model to clip space, and the direction to the light in
/// model space.
pub(crate) fn constants([cos, sin]: [f32; 2]) -> [[f32; 4]; 5] {
    // Rotates about the y axis, then by half a radian about the x axis.
    let (c, s) = (0.877_582_55, 0.479_425_55);
    let columns = [[cos, s * sin, -c * sin], [0.0, c, s], [sin, -s * cos, c * cos]];
    // The view is from four units away, with the near plane at 2 and the far plane at 6.
    let (focal, scale, offset, away) = (2.0, -2.0, -6.0, 4.0);
    let clip = |[x, y, z]: [f32; 3]| [focal * x, focal * y, scale * z, -z];
    let light = |[x, y, z]: [f32; 3]| 0.4 * x + 0.7 * y + 0.59 * z;
    let [a, b, d] = columns;
    let origin = [0.0, 0.0, offset - scale * away, away];
    [clip(a), clip(b), clip(d), origin, [light(a), light(b), light(d), 0.0]]
}
