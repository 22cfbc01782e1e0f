//! Two-sided stencil volumes: tori counted into the stencil where they lie behind the depth of a
//! rectangle across the surface, then a blended shade over all pixels inside one.

use glow::HasContext;

use super::{Scene, center};
use crate::surface::Surface;

/// Volumes a frame.
const VOLUMES: u32 = 12;
/// Corners of the torus, along and across; the mesh ends with a rectangle.
pub(super) const TORUS: (u16, u16) = (48, 20);
/// Indices of the rectangle.
const RECTANGLE: i32 = 6;

/// Enables the tests that all frames share.
pub(super) fn set_up(surface: &Surface) {
    let gl = &surface.gl;
    // SAFETY: the context is current.
    unsafe {
        gl.enable(glow::DEPTH_TEST);
        gl.blend_func(glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
        gl.stencil_op_separate(glow::FRONT, glow::KEEP, glow::DECR_WRAP, glow::KEEP);
        gl.stencil_op_separate(glow::BACK, glow::KEEP, glow::INCR_WRAP, glow::KEEP);
    }
}

/// Draws frame `frame`.
pub(super) fn draw(scene: &Scene, surface: &Surface, frame: u32) {
    let gl = &surface.gl;
    let torus = scene.indices - RECTANGLE;
    let rectangle = |angle| {
        scene.place(surface, scene.program, angle, [0.0, 0.0, 2.0, 2.0]);
        scene.part(surface, torus, RECTANGLE);
    };
    // SAFETY: the context is current.
    unsafe {
        gl.clear(glow::STENCIL_BUFFER_BIT);
        scene.color(surface, scene.program, 0.3, 1.0);
        rectangle(0.6);
        gl.enable(glow::STENCIL_TEST);
        gl.color_mask(false, false, false, false);
        gl.depth_mask(false);
        gl.stencil_func(glow::ALWAYS, 0, 0xff);
        for volume in 0..VOLUMES {
            let place = [center(volume % 4, 4.0), center(volume / 4, 3.0), 0.5, 0.6];
            scene.place(surface, scene.program, 0.02 * frame as f32 + volume as f32, place);
            scene.part(surface, 0, torus);
        }
        gl.color_mask(true, true, true, true);
        gl.disable(glow::DEPTH_TEST);
        gl.enable(glow::BLEND);
        gl.stencil_func(glow::NOTEQUAL, 0, 0xff);
        scene.color(surface, scene.program, 0.0, 0.5);
        rectangle(0.0);
        gl.disable(glow::BLEND);
        gl.disable(glow::STENCIL_TEST);
        gl.enable(glow::DEPTH_TEST);
        gl.depth_mask(true);
    }
}
