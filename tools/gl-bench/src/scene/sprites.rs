//! Points that a geometry shader turns into squares.

use anyhow::Result;

use super::turned::BEFORE_GEOMETRY;
use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Number of points.
const COUNT: usize = 200_000;

const GEOMETRY: &str = "
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
in vec3 n_in[];
in vec2 t_in[];
out vec2 t;
out vec2 place;
void main() {
    for (int i = 0; i < 4; i++) {
        place = vec2(i % 2, i / 2) * 2.0 - 1.0;
        t = t_in[0];
        gl_Position = gl_in[0].gl_Position + vec4(0.006 * place * n_in[0].z, 0.0, 0.0);
        EmitVertex();
    }
}";

/// Draws a disc of one colour.
const FRAGMENT: &str = "
in vec2 t;
in vec2 place;
void main() {
    if (dot(place, place) > 1.0) discard;
    gl_FragColor = vec4(t, 1.0 - t.x, 1.0);
}";

/// The scene.
pub(super) struct Sprites {
    program: Program,
    points: Geometry,
}

impl Sprites {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Sprites> {
        let points = Mesh::scattered(COUNT).load(surface)?;
        let stages = [
            (glow::VERTEX_SHADER, BEFORE_GEOMETRY),
            (glow::GEOMETRY_SHADER, GEOMETRY),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        Ok(Sprites { program: Program::of_stages(surface, &stages, &[])?, points })
    }
}

impl Scene for Sprites {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.points.draw_part(surface, glow::POINTS, 0..self.points.len());
        Ok(())
    }
}
