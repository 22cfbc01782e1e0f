//! Particles moved by a compute grid, in the same buffer that they are drawn from.

use anyhow::Result;
use glow::HasContext;

use super::Scene;
use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// Number of particles, a multiple of 128, the size of a block.
const COUNT: u32 = 128 * 1563;

/// Moves a particle: two centres attract it, and walls reflect it.
const MOVE: &str = "
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer Particles { vec4 particles[]; };
vec2 pull(vec2 way) { return way * 0.00002 / (dot(way, way) + 0.01); }
void main() {
    vec4 p = particles[gl_GlobalInvocationID.x];
    p.zw += pull(vec2(0.4, 0.1) - p.xy) + pull(vec2(-0.4, -0.2) - p.xy);
    p.xy += p.zw;
    bvec2 outside = greaterThan(abs(p.xy), vec2(1.0));
    p.zw = mix(p.zw, -p.zw, outside);
    p.xy = clamp(p.xy, -1.0, 1.0);
    particles[gl_GlobalInvocationID.x] = p;
}";

const VERTEX: &str = "
layout(location = 0) in vec4 particle;
out vec4 tint;
void main() {
    tint = vec4(0.5 + 60.0 * particle.zw, 0.9, 1.0);
    gl_Position = vec4(particle.xy, 0.0, 1.0);
}";

const FRAGMENT: &str = "
in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }";

/// The scene.
pub(super) struct GridParticles {
    moving: Program,
    shown: Program,
    particles: glow::Buffer,
}

impl GridParticles {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<GridParticles> {
        let words: Vec<u32> = (0..COUNT)
            .flat_map(|index| {
                let part = |step: f64| (f64::from(index) * step).fract() as f32;
                let place = [part(0.618_033_988), part(0.414_213_562)].map(|at| 1.8 * at - 0.9);
                let speed = [part(0.732_050_807), part(0.236_067_977)].map(|at| 0.004 * (at - 0.5));
                [place[0], place[1], speed[0], speed[1]].map(f32::to_bits)
            })
            .collect();
        let stages = [(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, FRAGMENT)];
        Ok(GridParticles {
            moving: storage::grid_program(surface, MOVE)?,
            shown: Program::of_memory(surface, &stages)?,
            particles: storage::buffer(surface, &words)?,
        })
    }
}

impl Scene for GridParticles {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        storage::bind(surface, &[self.particles]);
        storage::launch(surface, &self.moving, [COUNT / 128, 1]);
        self.shown.bind(surface);
        let gl = &surface.gl;
        // SAFETY: the context is current, and the buffer holds all particles.
        unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.particles));
            gl.enable_vertex_attrib_array(0);
            gl.vertex_attrib_pointer_f32(0, 4, glow::FLOAT, false, 16, 0);
            gl.draw_arrays(glow::POINTS, 0, COUNT as i32);
        }
        Ok(())
    }
}
