//! Two-sided stencil volumes: tori are counted into the stencil buffer behind the depth of a
//! rectangle across the surface. Then a blended layer covers all pixels inside a torus.

use anyhow::Result;
use glow::HasContext;

use super::{Scene, angle, center};
use crate::mesh::{Geometry, Mesh};
use crate::program::{FLAT, Program};
use crate::surface::Surface;

/// Volumes per frame.
const VOLUMES: u32 = 12;

/// The scene.
pub(super) struct StencilVolumes {
    program: Program,
    /// The indices of the volume, then the indices of the rectangle.
    meshes: Geometry,
    torus: usize,
}

impl StencilVolumes {
    /// Creates the objects of the scene, and sets the state that all frames share.
    pub(super) fn new(surface: &Surface) -> Result<StencilVolumes> {
        surface.test_depth();
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.blend_func(glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
            gl.stencil_op_separate(glow::FRONT, glow::KEEP, glow::DECR_WRAP, glow::KEEP);
            gl.stencil_op_separate(glow::BACK, glow::KEEP, glow::INCR_WRAP, glow::KEEP);
        }
        let torus = Mesh::torus(48, 20);
        let count = torus.indices.len();
        let meshes = torus.with(Mesh::screen()).load(surface)?;
        Ok(StencilVolumes { program: Program::new(surface, FLAT)?, meshes, torus: count })
    }

    /// Draws a rectangle at an angle that covers at least the surface.
    fn rectangle(&self, surface: &Surface, angle: f32) {
        self.program.place(surface, angle, [0.0, 0.0, 2.0, 2.0]);
        self.meshes.draw_part(surface, glow::TRIANGLES, self.torus..self.meshes.len());
    }
}

impl Scene for StencilVolumes {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.clear(glow::STENCIL_BUFFER_BIT);
            self.program.color(surface, 0.3, 1.0);
            self.rectangle(surface, 0.6);
            gl.enable(glow::STENCIL_TEST);
            gl.color_mask(false, false, false, false);
            gl.depth_mask(false);
            gl.stencil_func(glow::ALWAYS, 0, 0xff);
            for volume in 0..VOLUMES {
                let place = [center(volume % 4, 4.0), center(volume / 4, 3.0), 0.5, 0.6];
                self.program.place(surface, angle(frame) + volume as f32, place);
                self.meshes.draw_part(surface, glow::TRIANGLES, 0..self.torus);
            }
            gl.color_mask(true, true, true, true);
            gl.disable(glow::DEPTH_TEST);
            gl.enable(glow::BLEND);
            gl.stencil_func(glow::NOTEQUAL, 0, 0xff);
            self.program.color(surface, 0.0, 0.5);
            self.rectangle(surface, 0.0);
            gl.disable(glow::BLEND);
            gl.disable(glow::STENCIL_TEST);
            gl.enable(glow::DEPTH_TEST);
            gl.depth_mask(true);
        }
        Ok(())
    }
}
