//! Four colour buffers: a fragment program that writes them all, in layers over the whole surface.

use glow::HasContext;

use super::Scene;
use crate::surface::Surface;

/// Writes position, normal, texture coordinates and a colour, as deferred shading does.
pub(super) const FRAGMENT: &str = "
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

/// Selects the four colour buffers.
pub(super) fn set_up(surface: &Surface) {
    let buffers: Vec<u32> = (0..4).map(|index| glow::COLOR_ATTACHMENT0 + index).collect();
    // SAFETY: the context is current, and its framebuffer has the four buffers.
    unsafe { surface.gl.draw_buffers(&buffers) };
}

/// Draws four layers.
pub(super) fn draw(scene: &Scene, surface: &Surface) {
    for layer in 0..4 {
        scene.place(surface, scene.program, 0.0, [0.0, 0.0, 1.0, 1.0]);
        scene.color(surface, scene.program, layer as f32 / 4.0, 1.0);
        scene.once(surface);
    }
}
