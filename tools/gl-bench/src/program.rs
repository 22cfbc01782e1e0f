//! Shader programs of the scenes: most scenes share a vertex shader. Uniforms are found by name.

use anyhow::{Result, anyhow, ensure};
use glow::HasContext;

use crate::surface::Surface;

/// The vertex shader of most scenes: turns the mesh about the y axis, then scales and shifts it.
pub(crate) const VERTEX_SHADER: &str = "
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform vec2 turn;   // cosine and sine of the angle
uniform vec4 place;  // offset in clip space, scale
varying vec3 n;
varying vec3 p;
varying vec2 t;
void main() {
    mat3 spin = mat3(turn.x, 0.0, -turn.y, 0.0, 1.0, 0.0, turn.y, 0.0, turn.x);
    p = spin * position;
    n = spin * normal;
    t = uv;
    gl_Position = vec4(p.xy * place.zw + place.xy, p.z * 0.5, 1.0);
}";

/// A fragment shader with a single colour.
pub(crate) const FLAT: &str = "
uniform vec4 color;
void main() { gl_FragColor = color; }";

/// A fragment shader with interpolated colours.
pub(crate) const SHADED: &str = "
varying vec3 n;
varying vec2 t;
void main() { gl_FragColor = vec4(t, 0.5 + 0.5 * n.z, 1.0); }";

/// The placement of a mesh without offset or scale.
pub(crate) const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// A linked program. Its methods need it to be in use.
pub(crate) struct Program {
    /// The object.
    object: glow::Program,
    turn: Option<glow::UniformLocation>,
    place: Option<glow::UniformLocation>,
    color: Option<glow::UniformLocation>,
}

impl Program {
    /// Links [`VERTEX_SHADER`] and a fragment shader, and uses the program.
    ///
    /// # Errors
    /// A shader that does not compile or link, with the driver's log.
    pub(crate) fn new(surface: &Surface, fragment: &str) -> Result<Program> {
        Program::of(surface, VERTEX_SHADER, fragment)
    }

    /// Links a vertex shader with the inputs `position`, `normal` and `uv` and a fragment shader,
    /// both in GLSL 1.20, and uses the program.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub(crate) fn of(surface: &Surface, vertex: &str, fragment: &str) -> Result<Program> {
        let stages = [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)];
        Program::link(surface, "#version 120", &stages, &[])
    }

    /// Links shaders in GLSL 1.50 plus tessellation, like [`Program::of`]. The outputs named in
    /// `captured` are written to one buffer.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub(crate) fn of_stages(
        surface: &Surface,
        stages: &[(u32, &str)],
        captured: &[&str],
    ) -> Result<Program> {
        let tessellates = stages.iter().any(|(stage, _)| *stage == glow::TESS_EVALUATION_SHADER);
        let version = if tessellates {
            "#version 150\n#extension GL_ARB_tessellation_shader : require"
        } else {
            "#version 150 compatibility"
        };
        Program::link(surface, version, stages, captured)
    }

    /// Links shaders in GLSL 4.30, which may read and write memory, like [`Program::of`].
    ///
    /// # Errors
    /// As [`Program::new`].
    pub(crate) fn of_memory(surface: &Surface, stages: &[(u32, &str)]) -> Result<Program> {
        Program::link(surface, "#version 430", stages, &[])
    }

    /// Links a compute shader in GLSL 4.50, like [`Program::of`].
    ///
    /// # Errors
    /// As [`Program::new`].
    pub(crate) fn of_compute(surface: &Surface, text: &str) -> Result<Program> {
        Program::link(surface, "#version 450", &[(glow::COMPUTE_SHADER, text)], &[])
    }

    fn link(
        surface: &Surface,
        version: &str,
        stages: &[(u32, &str)],
        captured: &[&str],
    ) -> Result<Program> {
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            let object = gl.create_program().map_err(|error| anyhow!(error))?;
            for (stage, text) in stages {
                let shader = gl.create_shader(*stage).map_err(|error| anyhow!(error))?;
                gl.shader_source(shader, &format!("{version}\n{text}"));
                gl.compile_shader(shader);
                let log = gl.get_shader_info_log(shader);
                ensure!(gl.get_shader_compile_status(shader), "a shader does not compile: {log}");
                gl.attach_shader(object, shader);
                gl.delete_shader(shader);
            }
            for (index, name) in ["position", "normal", "uv"].into_iter().enumerate() {
                gl.bind_attrib_location(object, index as u32, name);
            }
            if !captured.is_empty() {
                gl.transform_feedback_varyings(object, captured, glow::INTERLEAVED_ATTRIBS);
            }
            gl.link_program(object);
            let log = gl.get_program_info_log(object);
            ensure!(gl.get_program_link_status(object), "a program does not link: {log}");
            gl.use_program(Some(object));
            let [turn, place, color] =
                ["turn", "place", "color"].map(|name| gl.get_uniform_location(object, name));
            Ok(Program { object, turn, place, color })
        }
    }

    /// Uses the program.
    pub(crate) fn bind(&self, surface: &Surface) {
        // SAFETY: the context is current.
        unsafe { surface.gl.use_program(Some(self.object)) }
    }

    /// Deletes the program; OpenGL keeps it while it is in use.
    pub(crate) fn delete(self, surface: &Surface) {
        // SAFETY: the context is current.
        unsafe { surface.gl.delete_program(self.object) }
    }

    /// Sets the angle of the mesh, in radians, and its placement: offset in clip space, scale.
    pub(crate) fn place(&self, surface: &Surface, angle: f32, place: [f32; 4]) {
        let [x, y, width, height] = place;
        // SAFETY: the context is current.
        unsafe {
            surface.gl.uniform_2_f32(self.turn.as_ref(), angle.cos(), angle.sin());
            surface.gl.uniform_4_f32(self.place.as_ref(), x, y, width, height);
        }
    }

    /// Sets the colour of [`FLAT`] from a hue, 0 to 1, and its alpha.
    pub(crate) fn color(&self, surface: &Surface, hue: f32, alpha: f32) {
        let [red, green, blue] = [hue, 1.0 - hue, 0.5 + 0.5 * hue];
        // SAFETY: the context is current.
        unsafe { surface.gl.uniform_4_f32(self.color.as_ref(), red, green, blue, alpha) }
    }
}
