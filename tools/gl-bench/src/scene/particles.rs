//! Particles that a vertex shader moves from one buffer to another by transform feedback.

use anyhow::{Result, anyhow};
use glow::HasContext;

use super::Scene;
use crate::program::{Program, WHOLE};
use crate::surface::Surface;

/// Number of particles.
const COUNT: i32 = 100_000;
/// Bytes per particle: place and velocity, two floats each.
const BYTES: i32 = 16;

/// Moves a particle; walls reflect it.
const MOVE: &str = "
in vec4 position;
out vec4 moved;
void main() {
    vec2 place = position.xy + position.zw;
    vec2 inside = vec2(lessThan(abs(place), vec2(1.0)));
    moved = vec4(clamp(place, -1.0, 1.0), position.zw * (2.0 * inside - 1.0));
    gl_Position = vec4(place, 0.0, 1.0);
}";

const NOTHING: &str = "void main() { gl_FragColor = vec4(1.0); }";

const SHOW: &str = "
in vec4 position;
out vec4 tint;
void main() {
    tint = vec4(0.5 + 60.0 * position.zw, 0.9, 1.0);
    gl_Position = vec4(position.xy, 0.0, 1.0);
}";

const TINTED: &str = "
in vec4 tint;
void main() { gl_FragColor = tint; }";

/// The scene.
pub(super) struct Particles {
    moving: Program,
    shown: Program,
    /// Frames read one buffer and write the other, alternately.
    buffers: [glow::Buffer; 2],
}

impl Particles {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<Particles> {
        let stages =
            |vertex, fragment| [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)];
        let moving = Program::of_stages(surface, &stages(MOVE, NOTHING), &["moved"])?;
        let shown = Program::of_stages(surface, &stages(SHOW, TINTED), &[])?;
        let particles: Vec<u8> = (0..COUNT)
            .flat_map(|index| {
                let part = |step: f64| (f64::from(index) * step).fract();
                let angle = std::f64::consts::TAU * part(0.618_033_988);
                let speed = 0.002 + 0.006 * part(0.414_213_562);
                [0.0, 0.0, speed * angle.cos(), speed * angle.sin()]
            })
            .flat_map(|value| (value as f32).to_le_bytes())
            .collect();
        let gl = &surface.gl;
        let buffer = || -> Result<glow::Buffer> {
            // SAFETY: the context is current, and the slice outlives the call that copies it.
            unsafe {
                let buffer = gl.create_buffer().map_err(|error| anyhow!(error))?;
                gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
                gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &particles, glow::DYNAMIC_COPY);
                Ok(buffer)
            }
        };
        let buffers = [buffer()?, buffer()?];
        // SAFETY: the context is current.
        unsafe { gl.enable_vertex_attrib_array(0) };
        Ok(Particles { moving, shown, buffers })
    }

    /// Reads particles from a buffer.
    ///
    /// # Safety
    /// The context must be current.
    unsafe fn read(&self, surface: &Surface, buffer: glow::Buffer) {
        let gl = &surface.gl;
        // SAFETY: guaranteed by the caller.
        unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.vertex_attrib_pointer_f32(0, 4, glow::FLOAT, false, BYTES, 0);
        }
    }
}

impl Scene for Particles {
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()> {
        let gl = &surface.gl;
        let [mut from, mut to] = self.buffers;
        if frame % 2 == 1 {
            (from, to) = (to, from);
        }
        self.moving.bind(surface);
        // SAFETY: the context is current; both buffers hold all particles.
        unsafe {
            self.read(surface, from);
            gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(to));
            gl.enable(glow::RASTERIZER_DISCARD);
            gl.begin_transform_feedback(glow::POINTS);
            gl.draw_arrays(glow::POINTS, 0, COUNT);
            gl.end_transform_feedback();
            gl.disable(glow::RASTERIZER_DISCARD);
            gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, None);
            self.read(surface, to);
        }
        self.shown.bind(surface);
        self.shown.place(surface, 0.0, WHOLE);
        // SAFETY: the context is current; the buffer holds all particles.
        unsafe { gl.draw_arrays(glow::POINTS, 0, COUNT) };
        Ok(())
    }
}
