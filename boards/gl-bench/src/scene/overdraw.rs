//! Blended layers of one colour, each over the whole surface.

use anyhow::Result;
use glow::HasContext;

use super::Scene;
use crate::mesh::{Geometry, Mesh};
use crate::program::{FLAT, Program, WHOLE};
use crate::surface::Surface;

/// Layers a frame.
const LAYERS: u32 = 16;

/// The scene.
pub(super) struct Overdraw {
    program: Program,
    screen: Geometry,
}

impl Overdraw {
    /// Makes the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Overdraw> {
        // SAFETY: the context is current.
        unsafe {
            surface.gl.enable(glow::BLEND);
            surface.gl.blend_func(glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
        }
        let screen = Mesh::screen().load(surface)?;
        Ok(Overdraw { program: Program::new(surface, FLAT)?, screen })
    }
}

impl Scene for Overdraw {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        for layer in 0..LAYERS {
            self.program.place(surface, 0.0, WHOLE);
            self.program.color(surface, layer as f32 / LAYERS as f32, 0.2);
            self.screen.draw(surface);
        }
        Ok(())
    }
}
