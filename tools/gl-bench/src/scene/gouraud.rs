//! Interpolated colour with depth: layers of two triangles over the whole surface that intersect.

use anyhow::Result;

use super::Scene;
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, SHADED};
use crate::surface::Surface;

/// Layers per frame, each turned by a quarter of a radian more than the previous one.
const LAYERS: i32 = 8;

/// The scene.
pub(super) struct Gouraud {
    program: Program,
    screen: Geometry,
}

impl Gouraud {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Gouraud> {
        surface.test_depth();
        let screen = Mesh::screen().load(surface)?;
        Ok(Gouraud { program: Program::new(surface, SHADED)?, screen })
    }
}

impl Scene for Gouraud {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        for layer in 0..LAYERS {
            // Cosines are between 1 and 0.5, so twice the size covers the surface at every angle.
            let angle = (layer - LAYERS / 2) as f32 * 0.25 + 0.04 * (0.1 * frame as f32).sin();
            self.program.place(surface, angle, [0.0, 0.0, 2.0, 2.0]);
            self.screen.draw(surface);
        }
        Ok(())
    }
}
