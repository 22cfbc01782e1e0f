//! A shadow map: the depth of a torus as seen by its light. Then torus and ground are drawn with
//! four comparisons with that map per pixel.

use anyhow::{Result, anyhow, ensure};
use glow::HasContext;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Width and height of the map, in texels.
const SIZE: i32 = 512;

/// Writes depth only.
const DEPTH: &str = "
void main() { gl_FragColor = vec4(1.0); }";

/// The light looks along the view axis from above, so the position of a pixel in the map is its own
/// position, shifted according to its depth.
const SHADOWED: &str = "
uniform sampler2DShadow map;
varying vec3 n;
varying vec3 p;
void main() {
    vec3 place = vec3(0.5 + 0.4 * p.xy + 0.15 * p.z, 0.5 + 0.25 * p.z - 0.02);
    float lit = 0.0;
    for (int tap = 0; tap < 4; tap++) {
        vec2 step = vec2(mod(float(tap), 2.0), floor(float(tap) / 2.0)) - 0.5;
        lit += 0.25 * shadow2D(map, place + vec3(step / 256.0, 0.0)).r;
    }
    float diffuse = 0.3 + 0.7 * abs(normalize(n).z);
    gl_FragColor = vec4(vec3(0.9, 0.8, 0.6) * diffuse * (0.4 + 0.6 * lit), 1.0);
}";

/// The scene.
pub(super) struct Shadow {
    depth: Program,
    shadowed: Program,
    /// The indices of the torus, then the indices of the ground.
    meshes: Geometry,
    torus: usize,
    map: glow::Framebuffer,
}

impl Shadow {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Shadow> {
        surface.test_depth();
        let torus = Mesh::torus(96, 24);
        let count = torus.indices.len();
        let meshes = torus.with(Mesh::screen()).load(surface)?;
        let (depth, shadowed) = (Program::new(surface, DEPTH)?, Program::new(surface, SHADOWED)?);
        Ok(Shadow { depth, shadowed, meshes, torus: count, map: map(surface)? })
    }
}

impl Scene for Shadow {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.map));
            gl.viewport(0, 0, SIZE, SIZE);
            gl.clear(glow::DEPTH_BUFFER_BIT);
            self.depth.bind(surface);
            self.depth.place(surface, angle(frame), [0.0, 0.0, 0.8, 0.8]);
            self.meshes.draw_part(surface, glow::TRIANGLES, 0..self.torus);
            surface.bind();
        }
        self.shadowed.bind(surface);
        self.shadowed.place(surface, angle(frame), WHOLE);
        self.meshes.draw_part(surface, glow::TRIANGLES, 0..self.torus);
        self.shadowed.place(surface, 0.5, [0.0, 0.0, 2.0, 2.0]);
        self.meshes.draw_part(surface, glow::TRIANGLES, self.torus..self.meshes.len());
        Ok(())
    }
}

/// Creates a depth texture with comparison, bound to sampler 0, and a framebuffer with it.
fn map(surface: &Surface) -> Result<glow::Framebuffer> {
    let gl = &surface.gl;
    // SAFETY: the context is current; no texels are read from memory.
    unsafe {
        let texture = gl.create_texture().map_err(|error| anyhow!(error))?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::DEPTH_COMPONENT24 as i32,
            SIZE,
            SIZE,
            0,
            glow::DEPTH_COMPONENT,
            glow::UNSIGNED_INT,
            glow::PixelUnpackData::Slice(None),
        );
        for (name, value) in [
            (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
            (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
            (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
            (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            (glow::TEXTURE_COMPARE_MODE, glow::COMPARE_REF_TO_TEXTURE),
            (glow::TEXTURE_COMPARE_FUNC, glow::LEQUAL),
        ] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
        }
        let map = gl.create_framebuffer().map_err(|error| anyhow!(error))?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(map));
        let attachment = glow::DEPTH_ATTACHMENT;
        gl.framebuffer_texture_2d(
            glow::FRAMEBUFFER,
            attachment,
            glow::TEXTURE_2D,
            Some(texture),
            0,
        );
        gl.draw_buffer(glow::NONE);
        gl.read_buffer(glow::NONE);
        let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
        ensure!(status == glow::FRAMEBUFFER_COMPLETE, "an incomplete depth map: {status:#x}");
        surface.bind();
        Ok(map)
    }
}
