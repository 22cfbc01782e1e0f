//! Boxes in one instanced draw, with a different place, angle and colour per instance.

use anyhow::Result;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, SHADED, WHOLE};
use crate::surface::Surface;

/// Boxes per frame.
const BOXES: u32 = 4000;

/// Places an instance by its number: 80 columns and 50 rows.
const VERTEX: &str = "
#extension GL_ARB_draw_instanced : require
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform vec2 turn;
uniform vec4 place;
varying vec3 n;
varying vec2 t;
void main() {
    float number = float(gl_InstanceIDARB);
    vec2 cell = vec2(mod(number, 80.0), floor(number / 80.0));
    vec2 side = vec2(cos(number), sin(number));
    vec2 both = vec2(turn.x * side.x - turn.y * side.y, turn.x * side.y + turn.y * side.x);
    mat3 spin = mat3(both.x, 0.0, -both.y, 0.0, 1.0, 0.0, both.y, 0.0, both.x);
    vec3 p = spin * position;
    n = spin * normal;
    t = (cell + uv) / vec2(80.0, 50.0);
    vec2 center = (2.0 * cell + 1.0) / vec2(80.0, 50.0) - 1.0;
    gl_Position = vec4(p.xy * vec2(0.012, 0.016) * place.zw + center, 0.02 * p.z, 1.0);
}";

/// The scene.
pub(super) struct Instanced {
    program: Program,
    cube: Geometry,
}

impl Instanced {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Instanced> {
        surface.test_depth();
        let cube = Mesh::cube().load(surface)?;
        Ok(Instanced { program: Program::of(surface, VERTEX, SHADED)?, cube })
    }
}

impl Scene for Instanced {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        self.cube.draw_instances(surface, BOXES);
        Ok(())
    }
}
