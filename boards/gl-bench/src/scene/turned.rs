//! One mesh that turns, depth-tested.

use anyhow::Result;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Diffuse and specular light on two kinds of skin.
pub(super) const LIT: &str = "
varying vec3 n;
varying vec3 p;
varying vec2 t;
void main() {
    vec3 normal = normalize(n);
    vec3 light = normalize(vec3(0.6, 0.8, -1.5) - p);
    vec3 eye = normalize(vec3(0.0, 0.0, -3.0) - p);
    vec3 half_way = normalize(light + eye);
    float diffuse = max(dot(normal, light), 0.0);
    float shine = pow(max(dot(normal, half_way), 0.0), 32.0);
    vec3 skin = mix(vec3(0.8, 0.3, 0.1), vec3(0.1, 0.5, 0.8), step(0.5, fract(t.x)));
    gl_FragColor = vec4(skin * (0.15 + 0.85 * diffuse) + vec3(0.6) * shine, 1.0);
}";

/// A scene of one mesh.
pub(super) struct Turned {
    program: Program,
    mesh: Geometry,
}

impl Turned {
    /// Makes the objects of the scene.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub(super) fn new(surface: &Surface, mesh: &Mesh, fragment: &str) -> Result<Turned> {
        surface.test_depth();
        let mesh = mesh.load(surface)?;
        Ok(Turned { program: Program::new(surface, fragment)?, mesh })
    }
}

impl Scene for Turned {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.mesh.draw(surface);
        Ok(())
    }
}
