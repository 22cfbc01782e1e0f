//! Four colour buffers: a fragment program that writes them all, in layers over the whole surface.

use anyhow::Result;
use glow::HasContext;

use super::Scene;
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Layers a frame.
const LAYERS: u32 = 4;

/// Writes position, normal, texture coordinates and a colour, as deferred shading does.
const FRAGMENT: &str = "
uniform vec4 color;
varying vec3 n;
varying vec3 p;
varying vec2 t;
void main() {
    gl_FragData[0] = color;
    gl_FragData[1] = vec4(0.5 + 0.5 * n, 1.0);
    gl_FragData[2] = vec4(0.5 + 0.5 * p, 1.0);
    gl_FragData[3] = vec4(t, 0.0, 1.0);
}";

/// The scene.
pub(super) struct ColorBuffers {
    program: Program,
    screen: Geometry,
}

impl ColorBuffers {
    /// Makes the objects of the scene, for a surface of four colour buffers.
    pub(super) fn new(surface: &Surface) -> Result<ColorBuffers> {
        let buffers: Vec<u32> = (0..4).map(|index| glow::COLOR_ATTACHMENT0 + index).collect();
        // SAFETY: the context is current, and its framebuffer has the four buffers.
        unsafe { surface.gl.draw_buffers(&buffers) };
        let screen = Mesh::screen().load(surface)?;
        Ok(ColorBuffers { program: Program::new(surface, FRAGMENT)?, screen })
    }
}

impl Scene for ColorBuffers {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        for layer in 0..LAYERS {
            self.program.place(surface, 0.0, WHOLE);
            self.program.color(surface, layer as f32 / LAYERS as f32, 1.0);
            self.screen.draw(surface);
        }
        Ok(())
    }
}
