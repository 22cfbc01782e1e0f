//! Layers over the whole surface, one draw per layer.

use anyhow::Result;

use super::Scene;
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// A scene of layers.
pub(super) struct Layers {
    program: Program,
    screen: Geometry,
    /// Layers per frame.
    count: u32,
    alpha: f32,
}

impl Layers {
    /// Creates the objects of a scene of `count` layers with a fragment shader. It may read the
    /// uniform `color`: a different hue for each layer, with this alpha.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub(super) fn new(surface: &Surface, fragment: &str, count: u32, alpha: f32) -> Result<Layers> {
        let screen = Mesh::screen().load(surface)?;
        Ok(Layers { program: Program::new(surface, fragment)?, screen, count, alpha })
    }
}

impl Scene for Layers {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        for layer in 0..self.count {
            self.program.place(surface, 0.0, WHOLE);
            self.program.color(surface, layer as f32 / self.count as f32, self.alpha);
            self.screen.draw(surface);
        }
        Ok(())
    }
}
