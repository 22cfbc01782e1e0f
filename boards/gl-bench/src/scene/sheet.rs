//! A rippled sheet of small triangles, depth-tested.

use anyhow::Result;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, SHADED, WHOLE};
use crate::surface::Surface;

/// The scene.
pub(super) struct Sheet {
    program: Program,
    sheet: Geometry,
}

impl Sheet {
    /// Makes the objects of the scene: `2 * columns * rows` triangles.
    pub(super) fn new(surface: &Surface, columns: u32, rows: u32) -> Result<Sheet> {
        surface.test_depth();
        let sheet = Mesh::sheet(columns, rows).load(surface)?;
        Ok(Sheet { program: Program::new(surface, SHADED)?, sheet })
    }
}

impl Scene for Sheet {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.sheet.draw(surface);
        Ok(())
    }
}
