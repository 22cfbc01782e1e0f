//! A cube map drawn in one pass: a geometry shader sends each triangle to all six faces.

use anyhow::{Result, anyhow, ensure};
use glow::HasContext;

use super::{Scene, angle};
use crate::mesh::{Geometry, Mesh};
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Width and height of a face, in texels.
const SIZE: i32 = 256;

const VERTEX: &str = "
in vec3 position;
in vec3 normal;
uniform vec2 turn;
out vec3 p_in;
out vec3 n_in;
void main() {
    mat3 spin = mat3(turn.x, 0.0, -turn.y, 0.0, 1.0, 0.0, turn.y, 0.0, turn.x);
    p_in = spin * position;
    n_in = spin * normal;
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}";

/// Draws the mesh from a different side for each face.
const GEOMETRY: &str = "
layout(triangles) in;
layout(triangle_strip, max_vertices = 18) out;
in vec3 p_in[];
in vec3 n_in[];
out vec3 n;
void main() {
    for (int face = 0; face < 6; face++) {
        float side = face % 2 == 0 ? 1.0 : -1.0;
        for (int i = 0; i < 3; i++) {
            vec3 p = face < 2 ? p_in[i].zyx : face < 4 ? p_in[i].xzy : p_in[i].xyz;
            n = face < 2 ? n_in[i].zyx : face < 4 ? n_in[i].xzy : n_in[i].xyz;
            gl_Position = vec4(p.xy, side * p.z * 0.5, 1.0);
            gl_Layer = face;
            EmitVertex();
        }
        EndPrimitive();
    }
}";

const FRAGMENT: &str = "
in vec3 n;
void main() { gl_FragColor = vec4(0.5 + 0.5 * n, 1.0); }";

/// Shows the map on a cube that is viewed along a diagonal.
const SHOWN: &str = "
uniform samplerCube map;
varying vec3 p;
varying vec3 n;
void main() { gl_FragColor = textureCube(map, 1.9 * p) * (0.6 + 0.4 * abs(n.z)); }";

/// The scene.
pub(super) struct CubeLayers {
    layers: Program,
    shown: Program,
    /// The indices of the torus, then the indices of the cube.
    meshes: Geometry,
    torus: usize,
    map: glow::Framebuffer,
}

impl CubeLayers {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<CubeLayers> {
        surface.test_depth();
        let torus = Mesh::torus(96, 24);
        let count = torus.indices.len();
        let meshes = torus.with(Mesh::cube()).load(surface)?;
        let stages = [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::GEOMETRY_SHADER, GEOMETRY),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        let layers = Program::of_stages(surface, &stages, &[])?;
        let shown = Program::new(surface, SHOWN)?;
        Ok(CubeLayers { layers, shown, meshes, torus: count, map: map(surface)? })
    }
}

impl Scene for CubeLayers {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.map));
            gl.viewport(0, 0, SIZE, SIZE);
            gl.clear_color(0.3, 0.2, 0.1, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
            self.layers.bind(surface);
            self.layers.place(surface, angle(frame), WHOLE);
            self.meshes.draw_part(surface, glow::TRIANGLES, 0..self.torus);
            surface.bind();
        }
        self.shown.bind(surface);
        self.shown.place(surface, 0.6 + angle(frame), [0.0, 0.0, 0.6, 0.6]);
        self.meshes.draw_part(surface, glow::TRIANGLES, self.torus..self.meshes.len());
        Ok(())
    }
}

/// Creates a colour cube map, bound to sampler 0, and a framebuffer with all its faces and the
/// faces of a depth cube map.
fn map(surface: &Surface) -> Result<glow::Framebuffer> {
    let gl = &surface.gl;
    // SAFETY: the context is current; no texels are read from memory.
    unsafe {
        let map = gl.create_framebuffer().map_err(|error| anyhow!(error))?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(map));
        let depth = (
            glow::DEPTH_COMPONENT24,
            glow::DEPTH_COMPONENT,
            glow::UNSIGNED_INT,
            glow::DEPTH_ATTACHMENT,
        );
        let color = (glow::RGBA8, glow::RGBA, glow::UNSIGNED_BYTE, glow::COLOR_ATTACHMENT0);
        for (format, order, kind, attachment) in [depth, color] {
            let texture = gl.create_texture().map_err(|error| anyhow!(error))?;
            gl.bind_texture(glow::TEXTURE_CUBE_MAP, Some(texture));
            for face in 0..6 {
                gl.tex_image_2d(
                    glow::TEXTURE_CUBE_MAP_POSITIVE_X + face,
                    0,
                    format as i32,
                    SIZE,
                    SIZE,
                    0,
                    order,
                    kind,
                    glow::PixelUnpackData::Slice(None),
                );
            }
            for name in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
                gl.tex_parameter_i32(glow::TEXTURE_CUBE_MAP, name, glow::LINEAR as i32);
            }
            gl.framebuffer_texture(glow::FRAMEBUFFER, attachment, Some(texture), 0);
        }
        let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
        ensure!(status == glow::FRAMEBUFFER_COMPLETE, "an incomplete cube map: {status:#x}");
        surface.bind();
        Ok(map)
    }
}
