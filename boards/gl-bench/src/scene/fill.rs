//! Opaque layers of one colour, each over the whole surface.

use anyhow::Result;

use super::Scene;
use crate::mesh::{Geometry, Mesh};
use crate::program::{FLAT, Program, WHOLE};
use crate::surface::Surface;

/// Layers a frame.
const LAYERS: u32 = 8;

/// The scene.
pub(super) struct Fill {
    program: Program,
    screen: Geometry,
}

impl Fill {
    /// Makes the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Fill> {
        let screen = Mesh::screen().load(surface)?;
        Ok(Fill { program: Program::new(surface, FLAT)?, screen })
    }
}

impl Scene for Fill {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        for layer in 0..LAYERS {
            self.program.place(surface, 0.0, WHOLE);
            self.program.color(surface, layer as f32 / LAYERS as f32, 1.0);
            self.screen.draw(surface);
        }
        Ok(())
    }
}
