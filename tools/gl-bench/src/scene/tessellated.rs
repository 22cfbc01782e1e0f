//! A sphere of patches: the sides of a cube, divided, projected to the sphere and displaced.

use anyhow::Result;
use glow::HasContext;

use super::{Scene, angle};
use crate::mesh::Mesh;
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Instances per side: the side is divided into five by two parts.
const PARTS: i32 = 10;

const VERTEX: &str = "
in vec3 position;
out vec3 corner;
out float part;
void main() {
    corner = position;
    part = float(gl_InstanceID);
}";

const CONTROL: &str = "
layout(vertices = 4) out;
in vec3 corner[];
in float part[];
out vec3 control[];
patch out vec2 cell;
void main() {
    control[gl_InvocationID] = corner[gl_InvocationID];
    cell = vec2(mod(part[0], 5.0), floor(part[0] / 5.0));
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 64.0;
    gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 64.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 64.0;
}";

const EVALUATION: &str = "
layout(quads, equal_spacing, ccw) in;
in vec3 control[];
patch in vec2 cell;
uniform vec2 turn;
uniform vec4 place;
out vec3 n;
void main() {
    vec2 at = (gl_TessCoord.xy + cell) / vec2(5.0, 2.0);
    vec3 side = mix(mix(control[0], control[1], at.x), mix(control[3], control[2], at.x), at.y);
    vec3 out_ = normalize(side);
    float bump = 0.04 * sin(24.0 * out_.x) * sin(24.0 * out_.y) * sin(24.0 * out_.z);
    mat3 spin = mat3(turn.x, 0.0, -turn.y, 0.0, 1.0, 0.0, turn.y, 0.0, turn.x);
    n = spin * out_ * (1.0 + 8.0 * bump);
    vec3 p = spin * out_ * (0.8 + bump);
    gl_Position = vec4(p.xy * place.zw + place.xy, p.z * 0.5, 1.0);
}";

const FRAGMENT: &str = "
in vec3 n;
void main() { gl_FragColor = vec4(0.5 + 0.5 * n, 1.0); }";

/// The scene.
pub(super) struct Tessellated {
    program: Program,
    /// Number of corners of the sides, four per side.
    corners: i32,
}

impl Tessellated {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Tessellated> {
        surface.test_depth();
        let corners = 4 * 6;
        Mesh::cube().load(surface)?;
        let stages = [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::TESS_CONTROL_SHADER, CONTROL),
            (glow::TESS_EVALUATION_SHADER, EVALUATION),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        let program = Program::of_stages(surface, &stages, &[])?;
        // SAFETY: the context is current.
        unsafe { surface.gl.patch_parameter_i32(glow::PATCH_VERTICES, 4) };
        Ok(Tessellated { program, corners })
    }
}

impl Scene for Tessellated {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        self.program.place(surface, angle(frame), WHOLE);
        // SAFETY: the context is current, and the bound buffer holds the corners.
        unsafe { surface.gl.draw_arrays_instanced(glow::PATCHES, 0, self.corners, PARTS) };
        Ok(())
    }
}
