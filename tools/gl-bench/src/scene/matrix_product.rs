//! The product of two matrices of 512×512, in tiles that are copied to shared memory.

use anyhow::Result;

use super::Scene;
use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// Rows and columns, a multiple of 16, the size of a tile.
const SIZE: u32 = 512;

const MULTIPLY: &str = "
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer Left { float left[]; };
layout(std430, binding = 1) readonly buffer Right { float right[]; };
layout(std430, binding = 2) writeonly buffer Product { float product[]; };
shared float rows[16][16];
shared float columns[16][16];
void main() {
    uvec2 at = gl_GlobalInvocationID.xy, cell = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint tile = 0u; tile < 512u; tile += 16u) {
        rows[cell.y][cell.x] = left[at.y * 512u + tile + cell.x];
        columns[cell.y][cell.x] = right[(tile + cell.y) * 512u + at.x];
        barrier();
        for (uint i = 0u; i < 16u; i++) sum += rows[cell.y][i] * columns[i][cell.x];
        barrier();
    }
    product[at.y * 512u + at.x] = sum;
}";

/// Shows the product as greys: its elements are from 0 to 512.
const SHOW: &str = "
layout(std430, binding = 2) readonly buffer Product { float product[]; };
layout(location = 0) out vec4 color;
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy) & 511u;
    color = vec4(vec3(product[at.y * 512u + at.x] / 400.0), 1.0);
}";

/// The scene.
pub(super) struct MatrixProduct {
    multiply: Program,
    show: Program,
    buffers: [glow::Buffer; 3],
}

impl MatrixProduct {
    /// Creates the objects of the scene: matrices of waves and rings, with elements from 0 to 1.
    pub(super) fn new(surface: &Surface) -> Result<MatrixProduct> {
        let matrix = |value: fn(f32, f32) -> f32| -> Vec<u32> {
            let cells = (0..SIZE).flat_map(|row| (0..SIZE).map(move |column| (row, column)));
            cells.map(|(row, column)| value(row as f32, column as f32).to_bits()).collect()
        };
        let left = matrix(|row, column| 0.5 + 0.5 * (0.02 * row + 0.05 * column).sin());
        let right =
            matrix(|row, column| 0.5 + 0.5 * (0.0004 * (row * row + column * column)).cos());
        Ok(MatrixProduct {
            multiply: storage::grid_program(surface, MULTIPLY)?,
            show: storage::whole_program(surface, SHOW)?,
            buffers: [
                storage::buffer(surface, &left)?,
                storage::buffer(surface, &right)?,
                storage::zeros(surface, (SIZE * SIZE) as usize)?,
            ],
        })
    }
}

impl Scene for MatrixProduct {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        storage::bind(surface, &self.buffers);
        storage::launch(surface, &self.multiply, [SIZE / 16, SIZE / 16]);
        storage::draw_whole(surface, &self.show);
        Ok(())
    }
}
