//! The scenes, each a stress of one part of a driver.

mod color_buffers;
mod gouraud;
mod stencil_volumes;

use anyhow::{Result, anyhow, ensure};
use glow::HasContext;

use crate::mesh::{Mesh, VERTEX};
use crate::surface::Surface;

/// The scenes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Eight times the whole surface in one colour.
    Fill,
    /// Eight times the whole surface, trilinear texture of 512×512.
    Textured,
    /// A torus of 20,000 triangles, lit per pixel.
    Lit,
    /// A sheet of 60,000 triangles of a few pixels each, depth-tested.
    SmallTriangles,
    /// Sixteen blended layers over the whole surface.
    Overdraw,
    /// Eight layers of interpolated colour that cut through each other, depth-tested.
    Gouraud,
    /// Four layers over the whole surface, written to four colour buffers.
    ColorBuffers,
    /// Twelve closed meshes counted into the stencil buffer, front and back faces apart.
    StencilVolumes,
    /// 2,000 draws of two triangles, with a constant changed before each.
    DrawCalls,
    /// 50 new shaders a frame, a small rectangle with each: the time to a first frame.
    Shaders,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Kind; 10] = [
        Kind::Fill,
        Kind::Textured,
        Kind::Lit,
        Kind::SmallTriangles,
        Kind::Overdraw,
        Kind::Gouraud,
        Kind::ColorBuffers,
        Kind::StencilVolumes,
        Kind::DrawCalls,
        Kind::Shaders,
    ];

    /// Returns the number of colour buffers that the scene draws to.
    pub(crate) fn color_buffers(self) -> u32 {
        if self == Kind::ColorBuffers { 4 } else { 1 }
    }
}

const VERTEX_SHADER: &str = "
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform vec4 turn;   // cosine, sine, of the angle; scale; offset
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

const FLAT: &str = "
uniform vec4 color;
void main() { gl_FragColor = color; }";

const TEXTURED: &str = "
uniform sampler2D image;
varying vec2 t;
void main() { gl_FragColor = texture2D(image, t); }";

const SHADED: &str = "
varying vec3 n;
varying vec2 t;
void main() { gl_FragColor = vec4(t, 0.5 + 0.5 * n.z, 1.0); }";

const LIT: &str = "
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

/// A scene with its shaders, mesh and texture.
pub(crate) struct Scene {
    kind: Kind,
    program: glow::Program,
    indices: i32,
}

impl Scene {
    /// Makes the objects of the scene, and binds them.
    ///
    /// # Errors
    /// A shader that does not compile, with the driver's log.
    pub(crate) fn new(surface: &Surface, kind: Kind) -> Result<Scene> {
        let mesh = match kind {
            Kind::Lit => Mesh::torus(200, 50),
            Kind::SmallTriangles => Mesh::sheet(200, 150),
            Kind::StencilVolumes => {
                let (around, across) = stencil_volumes::TORUS;
                Mesh::torus(around, across).with(Mesh::screen())
            }
            _ => Mesh::screen(),
        };
        let fragment = match kind {
            Kind::Textured => TEXTURED,
            Kind::Lit => LIT,
            Kind::SmallTriangles | Kind::Gouraud => SHADED,
            Kind::ColorBuffers => color_buffers::FRAGMENT,
            _ => FLAT,
        };
        let program = link(surface, fragment)?;
        let gl = &surface.gl;
        // SAFETY: the context is current; the slices outlive the calls that copy them.
        unsafe {
            for target in [glow::ARRAY_BUFFER, glow::ELEMENT_ARRAY_BUFFER] {
                let buffer = gl.create_buffer().map_err(|error| anyhow!(error))?;
                gl.bind_buffer(target, Some(buffer));
            }
            let bytes: Vec<u8> = mesh.vertices.iter().flat_map(|v| v.to_le_bytes()).collect();
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            let bytes: Vec<u8> = mesh.indices.iter().flat_map(|i| i.to_le_bytes()).collect();
            gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            let stride = 4 * VERTEX as i32;
            for (index, (size, offset)) in [(3, 0), (3, 12), (2, 24)].into_iter().enumerate() {
                gl.enable_vertex_attrib_array(index as u32);
                let kind = glow::FLOAT;
                gl.vertex_attrib_pointer_f32(index as u32, size, kind, false, stride, offset);
            }
            if matches!(kind, Kind::Lit | Kind::SmallTriangles | Kind::Gouraud) {
                gl.enable(glow::DEPTH_TEST);
            }
            if kind == Kind::Overdraw {
                gl.enable(glow::BLEND);
                gl.blend_func(glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
            }
        }
        match kind {
            Kind::Textured => texture(surface)?,
            Kind::ColorBuffers => color_buffers::set_up(surface),
            Kind::StencilVolumes => stencil_volumes::set_up(surface),
            _ => {}
        }
        surface.check()?;
        Ok(Scene { kind, program, indices: mesh.indices.len() as i32 })
    }

    /// Draws frame `frame`; does not wait for it.
    ///
    /// # Errors
    /// A shader that does not compile.
    pub(crate) fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        let gl = &surface.gl;
        let angle = 0.02 * frame as f32;
        // SAFETY: the context is current.
        unsafe {
            gl.clear_color(0.1, 0.15, 0.25, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
            gl.use_program(Some(self.program));
        }
        match self.kind {
            Kind::Lit | Kind::SmallTriangles => {
                self.place(surface, self.program, angle, [0.0, 0.0, 1.0, 1.0]);
                self.once(surface);
            }
            Kind::Fill | Kind::Textured => {
                for layer in 0..8 {
                    self.place(surface, self.program, 0.0, [0.0, 0.0, 1.0, 1.0]);
                    self.color(surface, self.program, layer as f32 / 8.0, 1.0);
                    self.once(surface);
                }
            }
            Kind::Overdraw => {
                for layer in 0..16 {
                    self.place(surface, self.program, 0.0, [0.0, 0.0, 1.0, 1.0]);
                    self.color(surface, self.program, layer as f32 / 16.0, 0.2);
                    self.once(surface);
                }
            }
            Kind::Gouraud => gouraud::draw(self, surface, frame),
            Kind::ColorBuffers => color_buffers::draw(self, surface),
            Kind::StencilVolumes => stencil_volumes::draw(self, surface, frame),
            Kind::DrawCalls => {
                for call in 0..2000u32 {
                    let place = [center(call % 50, 50.0), center(call / 50, 40.0), 0.015, 0.02];
                    self.place(surface, self.program, 0.0, place);
                    self.color(surface, self.program, call as f32 / 2000.0, 1.0);
                    self.once(surface);
                }
            }
            Kind::Shaders => {
                for number in 0..50u32 {
                    // A constant of its own makes each text, and so each shader, a new one.
                    let text = format!(
                        "const float own = {}.0;\n{}",
                        frame * 50 + number,
                        LIT.replace("32.0", "32.0 + 0.001 * own")
                    );
                    let program = link(surface, &text)?;
                    let [x, y] = [center(number % 10, 10.0), center(number / 10, 5.0)];
                    // SAFETY: the context is current.
                    unsafe { gl.use_program(Some(program)) };
                    self.place(surface, program, 0.3, [x, y, 0.08, 0.15]);
                    self.once(surface);
                    // SAFETY: as above; OpenGL keeps the program while it is in use.
                    unsafe { gl.delete_program(program) };
                }
            }
        }
        surface.check()
    }

    fn once(&self, surface: &Surface) {
        self.part(surface, 0, self.indices);
    }

    /// Draws `count` indices of the mesh from `first` on, at most those that it has.
    fn part(&self, surface: &Surface, first: i32, count: i32) {
        let first = first.clamp(0, self.indices);
        let count = count.clamp(0, self.indices - first);
        // SAFETY: the context is current, and the buffers that are bound hold so many indices.
        unsafe {
            surface.gl.draw_elements(glow::TRIANGLES, count, glow::UNSIGNED_SHORT, 2 * first);
        }
    }

    fn place(&self, surface: &Surface, program: glow::Program, angle: f32, place: [f32; 4]) {
        let gl = &surface.gl;
        // SAFETY: the context is current, the program in use.
        unsafe {
            let turn = gl.get_uniform_location(program, "turn");
            gl.uniform_4_f32(turn.as_ref(), angle.cos(), angle.sin(), 0.0, 0.0);
            let [x, y, width, height] = place;
            let place = gl.get_uniform_location(program, "place");
            gl.uniform_4_f32(place.as_ref(), x, y, width, height);
        }
    }

    fn color(&self, surface: &Surface, program: glow::Program, hue: f32, alpha: f32) {
        let gl = &surface.gl;
        // SAFETY: the context is current, the program in use.
        unsafe {
            let color = gl.get_uniform_location(program, "color");
            gl.uniform_4_f32(color.as_ref(), hue, 1.0 - hue, 0.5 + 0.5 * hue, alpha);
        }
    }
}

/// Returns the centre of one of `cells` cells from -1 to 1.
fn center(cell: u32, cells: f32) -> f32 {
    (2.0 * cell as f32 + 1.0) / cells - 1.0
}

/// A program of the one vertex shader and `fragment`.
fn link(surface: &Surface, fragment: &str) -> Result<glow::Program> {
    let gl = &surface.gl;
    // SAFETY: the context is current.
    unsafe {
        let program = gl.create_program().map_err(|error| anyhow!(error))?;
        let stages = [(glow::VERTEX_SHADER, VERTEX_SHADER), (glow::FRAGMENT_SHADER, fragment)];
        for (stage, text) in stages {
            let shader = gl.create_shader(stage).map_err(|error| anyhow!(error))?;
            gl.shader_source(shader, &format!("#version 120\n{text}"));
            gl.compile_shader(shader);
            let log = gl.get_shader_info_log(shader);
            ensure!(gl.get_shader_compile_status(shader), "a shader does not compile: {log}");
            gl.attach_shader(program, shader);
            gl.delete_shader(shader);
        }
        for (index, name) in ["position", "normal", "uv"].into_iter().enumerate() {
            gl.bind_attrib_location(program, index as u32, name);
        }
        gl.link_program(program);
        let log = gl.get_program_info_log(program);
        ensure!(gl.get_program_link_status(program), "a program does not link: {log}");
        Ok(program)
    }
}

/// A texture of rings and squares, mipmapped, trilinear.
fn texture(surface: &Surface) -> Result<()> {
    const SIZE: i32 = 512;
    let texels: Vec<u8> = (0..SIZE * SIZE)
        .flat_map(|i| {
            let (x, y) = (i % SIZE, i / SIZE);
            let (dx, dy) = (x - SIZE / 2, y - SIZE / 2);
            let ring = ((dx * dx + dy * dy) / 256) as u8;
            [ring, (x ^ y) as u8, if (x / 32 + y / 32) % 2 == 0 { 220 } else { 60 }, 255]
        })
        .collect();
    let gl = &surface.gl;
    // SAFETY: the context is current; the slice holds SIZE × SIZE texels of four bytes.
    unsafe {
        let texture = gl.create_texture().map_err(|error| anyhow!(error))?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::RGBA as i32,
            SIZE,
            SIZE,
            0,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelUnpackData::Slice(Some(&texels)),
        );
        gl.generate_mipmap(glow::TEXTURE_2D);
        let trilinear = glow::LINEAR_MIPMAP_LINEAR as i32;
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MIN_FILTER, trilinear);
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAG_FILTER, glow::LINEAR as i32);
    }
    Ok(())
}
