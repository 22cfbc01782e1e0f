//! Draws of two triangles with a constant changed before each draw.

use anyhow::Result;

use super::{Scene, center};
use crate::mesh::{Geometry, Mesh};
use crate::program::{FLAT, Program};
use crate::surface::Surface;

/// Columns and rows of rectangles, one draw per rectangle.
const CELLS: (u32, u32) = (125, 80);

/// The scene.
pub(super) struct DrawCalls {
    program: Program,
    rectangle: Geometry,
}

impl DrawCalls {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<DrawCalls> {
        let rectangle = Mesh::screen().load(surface)?;
        Ok(DrawCalls { program: Program::new(surface, FLAT)?, rectangle })
    }
}

impl Scene for DrawCalls {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        let (columns, rows) = CELLS;
        for call in 0..columns * rows {
            let x = center(call % columns, columns as f32);
            let y = center(call / columns, rows as f32);
            let scale = [0.7 / columns as f32, 0.7 / rows as f32];
            self.program.place(surface, 0.0, [x, y, scale[0], scale[1]]);
            self.program.color(surface, call as f32 / (columns * rows) as f32, 1.0);
            self.rectangle.draw(surface);
        }
        Ok(())
    }
}
