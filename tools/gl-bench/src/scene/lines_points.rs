//! Wide lines and large points over the whole surface.

use anyhow::Result;
use glow::HasContext;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, SHADED, VERTEX_SHADER, WHOLE};
use crate::surface::Surface;

/// Number of indices of the lines, two per line.
const LINES: usize = 2 * 2000;
/// Number of points.
const POINTS: usize = 3000;

/// The scene.
pub(super) struct LinesPoints {
    program: Program,
    scattered: Geometry,
}

impl LinesPoints {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<LinesPoints> {
        // SAFETY: the context is current.
        unsafe {
            surface.gl.line_width(5.0);
            surface.gl.enable(glow::PROGRAM_POINT_SIZE);
        }
        let scattered = Mesh::scattered(LINES + POINTS).load(surface)?;
        let vertex = VERTEX_SHADER.replace("t = uv;", "t = uv; gl_PointSize = 12.0;");
        Ok(LinesPoints { program: Program::of(surface, &vertex, SHADED)?, scattered })
    }
}

impl Scene for LinesPoints {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.scattered.draw_part(surface, glow::POINTS, LINES..self.scattered.len());
        self.scattered.draw_part(surface, glow::LINES, 0..LINES);
        Ok(())
    }
}
