//! A loop of arithmetic for every pixel.

use anyhow::Result;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Iterates points that escape and points that stay in the same way: no branch diverges, and no
/// iteration is saved.
const FRAGMENT: &str = "
uniform vec4 color;
varying vec2 t;
void main() {
    vec2 z = vec2(0.0);
    vec2 c = 2.4 * t - vec2(1.7, 1.2) + 0.1 * color.xy;
    float near = 4.0;
    for (int turn = 0; turn < 64; turn++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        z = clamp(z, -2.0, 2.0);
        near = min(near, dot(z, z));
    }
    gl_FragColor = vec4(near, 0.25 * z + 0.5, 1.0);
}";

/// The scene.
pub(super) struct Arithmetic {
    program: Program,
    screen: Geometry,
}

impl Arithmetic {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Arithmetic> {
        let screen = Mesh::screen().load(surface)?;
        Ok(Arithmetic { program: Program::new(surface, FRAGMENT)?, screen })
    }
}

impl Scene for Arithmetic {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, 0.0, WHOLE);
        self.program.color(surface, 0.5 + 0.5 * angle(frame).sin(), 1.0);
        self.screen.draw(surface);
        Ok(())
    }
}
