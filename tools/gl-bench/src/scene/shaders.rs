//! New shaders, each with a small rectangle: measures the time until a shader draws.

use anyhow::Result;

use super::{Scene, center, turned};
use crate::mesh::{Geometry, Mesh};
use crate::program::Program;
use crate::surface::Surface;

/// Shaders per frame.
const SHADERS: u32 = 50;

/// The scene.
pub(super) struct Shaders {
    rectangle: Geometry,
}

impl Shaders {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Shaders> {
        Ok(Shaders { rectangle: Mesh::screen().load(surface)? })
    }
}

impl Scene for Shaders {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        for number in 0..SHADERS {
            // A different constant makes each text, and so each shader, new.
            let text = format!(
                "const float own = {}.0;\n{}",
                frame * SHADERS + number,
                turned::LIT.replace("32.0", "32.0 + 0.001 * own")
            );
            let program = Program::new(surface, &text)?;
            let [x, y] = [center(number % 10, 10.0), center(number / 10, 5.0)];
            program.place(surface, 0.3, [x, y, 0.08, 0.15]);
            self.rectangle.draw(surface);
            program.delete(surface);
        }
        Ok(())
    }
}
