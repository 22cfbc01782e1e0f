//! Memory that shaders write: storage buffers, compute grids, and a pass over the whole surface
//! that shows the contents of a buffer.

use anyhow::{Result, anyhow};
use glow::HasContext;

use crate::program::Program;
use crate::surface::Surface;

/// A vertex shader without inputs that draws a triangle over the whole surface.
const WHOLE_SURFACE: &str = "
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";

/// Creates a buffer with these words.
///
/// # Errors
/// OpenGL creates no buffer.
pub(crate) fn buffer(surface: &Surface, words: &[u32]) -> Result<glow::Buffer> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let gl = &surface.gl;
    // SAFETY: the context is current, and the slice outlives the call that copies it.
    unsafe {
        let buffer = gl.create_buffer().map_err(|error| anyhow!(error))?;
        gl.bind_buffer(glow::SHADER_STORAGE_BUFFER, Some(buffer));
        gl.buffer_data_u8_slice(glow::SHADER_STORAGE_BUFFER, &bytes, glow::DYNAMIC_COPY);
        Ok(buffer)
    }
}

/// Creates a buffer with this number of zero words.
///
/// # Errors
/// As [`buffer`].
pub(crate) fn zeros(surface: &Surface, words: usize) -> Result<glow::Buffer> {
    buffer(surface, &vec![0; words])
}

/// Binds storage buffers, the first to slot 0.
pub(crate) fn bind(surface: &Surface, buffers: &[glow::Buffer]) {
    for (slot, buffer) in buffers.iter().enumerate() {
        // SAFETY: the context is current.
        unsafe {
            let target = glow::SHADER_STORAGE_BUFFER;
            surface.gl.bind_buffer_base(target, slot as u32, Some(*buffer));
        }
    }
}

/// Links a compute shader in GLSL 4.30.
///
/// # Errors
/// A shader that does not compile or link, with the driver's log.
pub(crate) fn grid_program(surface: &Surface, shader: &str) -> Result<Program> {
    Program::of_memory(surface, &[(glow::COMPUTE_SHADER, shader)])
}

/// Runs a grid of blocks of a compute program. Later commands see the memory that it wrote.
pub(crate) fn launch(surface: &Surface, program: &Program, [columns, rows]: [u32; 2]) {
    program.bind(surface);
    // SAFETY: the context is current.
    unsafe { surface.gl.dispatch_compute(columns, rows, 1) };
    written(surface);
}

/// Makes memory written by shaders visible to later commands.
pub(crate) fn written(surface: &Surface) {
    let uses = glow::SHADER_STORAGE_BARRIER_BIT
        | glow::SHADER_IMAGE_ACCESS_BARRIER_BIT
        | glow::VERTEX_ATTRIB_ARRAY_BARRIER_BIT
        | glow::BUFFER_UPDATE_BARRIER_BIT;
    // SAFETY: the context is current.
    unsafe { surface.gl.memory_barrier(uses) }
}

/// Links a fragment shader in GLSL 4.30 with the triangle of [`draw_whole`].
///
/// # Errors
/// As [`grid_program`].
pub(crate) fn whole_program(surface: &Surface, fragment: &str) -> Result<Program> {
    let stages = [(glow::VERTEX_SHADER, WHOLE_SURFACE), (glow::FRAGMENT_SHADER, fragment)];
    Program::of_memory(surface, &stages)
}

/// Draws the whole surface with a program of [`whole_program`].
pub(crate) fn draw_whole(surface: &Surface, program: &Program) {
    program.bind(surface);
    // SAFETY: the context is current, and the program reads no vertex.
    unsafe { surface.gl.draw_arrays(glow::TRIANGLES, 0, 3) }
}
