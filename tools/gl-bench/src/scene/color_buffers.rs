//! Four colour buffers: a fragment program that writes to all of them.

use anyhow::Result;
use glow::HasContext;

use super::layers::Layers;
use crate::surface::Surface;

/// Writes position, normal, texture coordinates and a colour, like deferred shading.
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

/// Creates the scene, for a surface with four colour buffers.
///
/// # Errors
/// A shader that does not compile.
pub(super) fn scene(surface: &Surface) -> Result<Layers> {
    let buffers: Vec<u32> = (0..4).map(|index| glow::COLOR_ATTACHMENT0 + index).collect();
    // SAFETY: the context is current, and its framebuffer has the four buffers.
    unsafe { surface.gl.draw_buffers(&buffers) };
    Layers::new(surface, FRAGMENT, 4, 1.0)
}
