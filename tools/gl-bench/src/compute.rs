//! Compute shaders from standard input, for programs that compare results with a driver's.

use std::io::{BufRead as _, Write as _};

use anyhow::{Result, anyhow};
use glow::HasContext;
use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// A line of the input: a shader, and buffers by the numbers of their bindings.
#[derive(Deserialize)]
struct Job {
    /// GLSL 4.50 without the line of the version.
    glsl: String,
    /// Uniform buffers.
    uniforms: Vec<(u32, Vec<u8>)>,
    /// Storage buffers.
    buffers: Vec<(u32, Vec<u8>)>,
}

/// A line of the output: the first names the driver, the others answer jobs.
#[derive(Serialize, Default)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    renderer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The storage buffers after the run, in the job's order.
    buffers: Vec<Vec<u8>>,
}

/// Runs one workgroup of each job until the input ends.
///
/// # Errors
/// There is no OpenGL, or a line is no job.
pub(crate) fn serve() -> Result<()> {
    let surface = Surface::new(1, 1, (1, 1), true)?;
    let mut output = std::io::stdout().lock();
    let mut answer = |answer: &Answer| -> Result<()> {
        writeln!(output, "{}", serde_json::to_string(answer)?)?;
        Ok(output.flush()?)
    };
    answer(&Answer { renderer: Some(surface.renderer()), ..Answer::default() })?;
    for line in std::io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        answer(&match run(&surface, &job) {
            Ok(buffers) => Answer { buffers, ..Answer::default() },
            Err(error) => Answer { error: Some(format!("{error:#}")), ..Answer::default() },
        })?;
    }
    Ok(())
}

fn run(surface: &Surface, job: &Job) -> Result<Vec<Vec<u8>>> {
    let program = Program::of_compute(surface, &job.glsl)?;
    let mut uniforms = Vec::new();
    for (binding, bytes) in &job.uniforms {
        uniforms.push(bind(surface, glow::UNIFORM_BUFFER, *binding, bytes)?);
    }
    let mut buffers = Vec::new();
    for (binding, bytes) in &job.buffers {
        buffers.push(bind(surface, glow::SHADER_STORAGE_BUFFER, *binding, bytes)?);
    }
    storage::launch(surface, &program, [1, 1]);
    let mut contents = Vec::new();
    for (buffer, (_, bytes)) in buffers.iter().zip(&job.buffers) {
        let mut after = vec![0; bytes.len()];
        // SAFETY: the context is current, and the slice is as long as the buffer.
        unsafe {
            surface.gl.bind_buffer(glow::SHADER_STORAGE_BUFFER, Some(*buffer));
            surface.gl.get_buffer_sub_data(glow::SHADER_STORAGE_BUFFER, 0, &mut after);
        }
        contents.push(after);
    }
    program.delete(surface);
    for buffer in uniforms.into_iter().chain(buffers) {
        // SAFETY: the context is current.
        unsafe { surface.gl.delete_buffer(buffer) }
    }
    surface.check()?;
    Ok(contents)
}

/// Creates a buffer with these bytes and binds it.
fn bind(surface: &Surface, target: u32, binding: u32, bytes: &[u8]) -> Result<glow::Buffer> {
    let gl = &surface.gl;
    // SAFETY: the context is current, and the slice outlives the call that copies it.
    unsafe {
        let buffer = gl.create_buffer().map_err(|error| anyhow!(error))?;
        gl.bind_buffer(target, Some(buffer));
        gl.buffer_data_u8_slice(target, bytes, glow::DYNAMIC_COPY);
        gl.bind_buffer_base(target, binding, Some(buffer));
        Ok(buffer)
    }
}
