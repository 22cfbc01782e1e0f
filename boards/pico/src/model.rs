//! The cube: shaders, vertices, a texture with sixteen brightnesses, and its rotation.

use bytemuck::Zeroable;
use wgsl::wgsl;

use vertex::{Cube, Vertex};

wgsl! {
    native(16); interface;
    /// Transforms the position, and selects one of the texture's sixteen brightnesses.
    pub(crate) static VERTEX: "src/cube.wgsl" => vs;

    /// Outputs the nearest texel.
    pub(crate) static FRAGMENT: "src/cube.wgsl" => fs;
}

/// Four corners per face.
pub(crate) static VERTICES: [Vertex; 24] = {
    let mut vertices = [Vertex { position: [0.0; 3], normal: [0.0; 3], uv: [0.0; 2] }; 24];
    let mut at = 0;
    while at < 24 {
        let (axis, side) = (at / 8, if at % 8 < 4 { 1.0 } else { -1.0 });
        // Counterclockwise as seen from outside.
        let u = if at % 4 == 1 || at % 4 == 2 { 1.0 } else { -1.0 };
        let v = if at % 4 >= 2 { 1.0 } else { -1.0 };
        let Vertex { position, normal, uv } = &mut vertices[at];
        position[axis] = side;
        position[(axis + 1) % 3] = u * side;
        position[(axis + 2) % 3] = v;
        normal[axis] = side;
        // The coordinates stay within the face's part of the texture, by a fiftieth of it.
        *uv = [0.5 + u * 0.48, 0.5 + v * 0.48];
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

/// Returns the matrix from model to clip space, and the direction to the light in model space.
pub(crate) fn constants([cos, sin]: [f32; 2]) -> Cube {
    // Rotates about the y axis, then by half a radian about the x axis.
    let (c, s) = (0.877_582_55, 0.479_425_55);
    let columns = [[cos, s * sin, -c * sin], [0.0, c, s], [sin, -s * cos, c * cos]];
    // The view is from four units away, with the near plane at 2 and the far plane at 6.
    let (focal, scale, offset, away) = (2.0, -2.0, -6.0, 4.0);
    let clip = |[x, y, z]: [f32; 3]| [focal * x, focal * y, scale * z, -z];
    let light = |[x, y, z]: [f32; 3]| 0.4 * x + 0.7 * y + 0.59 * z;
    let [a, b, d] = columns;
    let origin = [0.0, 0.0, offset - scale * away, away];
    let matrix = [clip(a), clip(b), clip(d), origin];
    Cube { matrix, light: [light(a), light(b), light(d)], ..Cube::zeroed() }
}
