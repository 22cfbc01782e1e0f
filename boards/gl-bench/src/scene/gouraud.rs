//! Gouraud with depth: layers of two triangles that cut through each other over the whole surface.

use super::Scene;
use crate::surface::Surface;

/// Layers, each turned further than the one before.
const LAYERS: i32 = 8;

/// Draws the layers of frame `frame`.
pub(super) fn draw(scene: &Scene, surface: &Surface, frame: u32) {
    for layer in 0..LAYERS {
        // Cosines from 1 down to 0.5: twice the size covers the surface at every angle.
        let angle = (layer - LAYERS / 2) as f32 * 0.25 + 0.04 * (0.1 * frame as f32).sin();
        scene.place(surface, scene.program, angle, [0.0, 0.0, 2.0, 2.0]);
        scene.once(surface);
    }
}
