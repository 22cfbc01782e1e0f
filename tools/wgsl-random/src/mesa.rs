//! Runs WGSL on Mesa: naga's GLSL back end writes a compute shader, which a process with an OpenGL context runs.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use naga_frontend::CAPABILITIES;
use naga_frontend::naga::back::glsl;
use naga_frontend::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga_frontend::naga::valid::{ValidationFlags, Validator};
use naga_frontend::naga::{ResourceBinding, ShaderStage, front};
use serde_json::{Value, json};

/// The OpenGL process ended while it compiled or ran a shader.
#[derive(Debug)]
pub struct Ended(ExitStatus);

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the OpenGL process ended: {}", self.0)
    }
}

impl std::error::Error for Ended {}

/// Mesa in a process. A shader that ends the process costs a new one.
pub struct Mesa {
    program: PathBuf,
    process: Process,
    /// The driver's name.
    pub renderer: String,
}

/// The process with the OpenGL context.
struct Process {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the program; returns the driver's name, too.
    fn start(program: &Path) -> Result<(Process, String)> {
        let mut process = Command::new(program)
            .arg("--compute")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("GALLIUM_DRIVER", "llvmpipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = process.stdin.take().context("the process has no input")?;
        let output = process.stdout.take().context("the process has no output")?;
        let mut process = Process { process, input, output: BufReader::new(output) };
        let hello = process.answer()?;
        Ok((process, hello["renderer"].as_str().unwrap_or_default().to_owned()))
    }

    /// Reads an answer.
    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(Ended(self.process.wait()?).into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Mesa {
    /// Starts `gallium-gl-bench --compute` on Mesa's llvmpipe.
    ///
    /// # Errors
    /// The program does not start, or there is no OpenGL.
    pub fn new(program: &Path) -> Result<Mesa> {
        let (process, renderer) = Process::start(program)?;
        Ok(Mesa { program: program.to_owned(), process, renderer })
    }

    /// Runs one workgroup of the entry point `main`. Uniform and storage buffers are given by the numbers of their
    /// bindings in group 0. Returns the storage buffers.
    ///
    /// # Errors
    /// naga or the driver refuses the shader, or the process ends; the next shader has a new process.
    pub fn run(
        &mut self,
        wgsl: &str,
        uniforms: &[(u32, Vec<u8>)],
        buffers: &[(u32, Vec<u8>)],
    ) -> Result<Vec<Vec<u8>>> {
        let job = json!({ "glsl": glsl_of(wgsl)?, "uniforms": uniforms, "buffers": buffers });
        writeln!(self.process.input, "{job}")?;
        let answer = match self.process.answer() {
            Ok(answer) => answer,
            Err(error) => {
                self.process = Process::start(&self.program)?.0;
                return Err(error);
            }
        };
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        Ok(serde_json::from_value(answer["buffers"].clone())?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns GLSL 4.50 for the compute entry point `main`, without the line of the version.
///
/// # Errors
/// naga refuses the shader.
pub fn glsl_of(wgsl: &str) -> Result<String> {
    let module =
        front::wgsl::parse_str(wgsl).map_err(|error| anyhow!(error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), CAPABILITIES).validate(&module)?;
    let bindings = module
        .global_variables
        .iter()
        .filter_map(|(_, global)| global.binding)
        .map(|it| (ResourceBinding { ..it }, it.binding as u8));
    let options = glsl::Options {
        version: glsl::Version::Desktop(450),
        writer_flags: glsl::WriterFlags::empty(),
        binding_map: bindings.collect(),
        zero_initialize_workgroup_memory: true,
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: "main".into(),
        multiview: None,
    };
    let policies = BoundsCheckPolicies {
        index: BoundsCheckPolicy::Unchecked,
        buffer: BoundsCheckPolicy::Unchecked,
        image_load: BoundsCheckPolicy::Unchecked,
        ..BoundsCheckPolicies::default()
    };
    let mut text = String::new();
    glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)?.write()?;
    let (version, rest) = text.split_once('\n').context("naga wrote no GLSL")?;
    ensure!(version.starts_with("#version"), "naga wrote no version");
    Ok(rest.to_owned())
}
