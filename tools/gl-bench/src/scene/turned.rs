//! One turning mesh, depth-tested.

use anyhow::Result;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Diffuse and specular light on two kinds of surface.
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

/// The shaders for a mesh that goes through a geometry shader.
pub(super) struct Shaders {
    pub(super) vertex: &'static str,
    pub(super) geometry: &'static str,
    pub(super) fragment: &'static str,
}

/// The shader [`VERTEX_SHADER`](crate::program::VERTEX_SHADER), written to precede a geometry
/// shader.
pub(super) const BEFORE_GEOMETRY: &str = "
in vec3 position;
in vec3 normal;
in vec2 uv;
uniform vec2 turn;
uniform vec4 place;
out vec3 n_in;
out vec2 t_in;
void main() {
    mat3 spin = mat3(turn.x, 0.0, -turn.y, 0.0, 1.0, 0.0, turn.y, 0.0, turn.x);
    vec3 p = spin * position;
    n_in = spin * normal;
    t_in = uv;
    gl_Position = vec4(p.xy * place.zw + place.xy, p.z * 0.5, 1.0);
}";

/// Makes a geometry shader that passes triangles on, with the normal and the additional varyings
/// `$declared`, which get the values `$given`.
macro_rules! passed {
    ($declared:literal, $given:literal) => {
        concat!(
            "
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec3 n_in[];
in vec2 t_in[];
out vec3 n;
",
            $declared,
            "
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        ",
            $given,
            "
        EmitVertex();
    }
}"
        )
    };
}

pub(super) use passed;

/// Passes triangles on, coloured like [`SHADED`](crate::program::SHADED).
pub(super) const PASS: Shaders = Shaders {
    vertex: BEFORE_GEOMETRY,
    geometry: passed!("out vec2 t;", "n = n_in[i]; t = t_in[i];"),
    fragment: "
in vec3 n;
in vec2 t;
void main() { gl_FragColor = vec4(t, 0.5 + 0.5 * n.z, 1.0); }",
};

/// A scene with one mesh.
pub(super) struct Turned {
    program: Program,
    mesh: Geometry,
}

impl Turned {
    /// Creates the objects of the scene.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub(super) fn new(surface: &Surface, mesh: &Mesh, fragment: &str) -> Result<Turned> {
        surface.test_depth();
        let mesh = mesh.load(surface)?;
        Ok(Turned { program: Program::new(surface, fragment)?, mesh })
    }

    /// Creates a scene with a geometry shader.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub(super) fn with_geometry(
        surface: &Surface,
        mesh: &Mesh,
        shaders: &Shaders,
    ) -> Result<Turned> {
        surface.test_depth();
        let mesh = mesh.load(surface)?;
        let stages = [
            (glow::VERTEX_SHADER, shaders.vertex),
            (glow::GEOMETRY_SHADER, shaders.geometry),
            (glow::FRAGMENT_SHADER, shaders.fragment),
        ];
        Ok(Turned { program: Program::of_stages(surface, &stages, &[])?, mesh })
    }
}

impl Scene for Turned {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.mesh.draw(surface);
        Ok(())
    }
}
