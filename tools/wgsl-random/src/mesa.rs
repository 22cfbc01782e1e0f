//! Runs WGSL on Mesa: naga's GLSL back end writes a compute shader, which a process with an OpenGL context runs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use naga_frontend::CAPABILITIES;
use naga_frontend::naga::back::glsl;
use naga_frontend::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga_frontend::naga::valid::{ValidationFlags, Validator};
use naga_frontend::naga::{ResourceBinding, ShaderStage, front};
use serde_json::{Value, json};

/// The process with the OpenGL context.
pub struct Mesa {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The driver's name.
    pub renderer: String,
}

impl Mesa {
    /// Starts `gallium-gl-bench --compute` on Mesa's llvmpipe.
    ///
    /// # Errors
    /// The program does not start, or there is no OpenGL.
    pub fn new(program: &Path) -> Result<Mesa> {
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
        let mut mesa =
            Mesa { process, input, output: BufReader::new(output), renderer: String::new() };
        let hello = mesa.answer()?;
        mesa.renderer = hello["renderer"].as_str().unwrap_or_default().to_owned();
        Ok(mesa)
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the OpenGL process ended");
        Ok(serde_json::from_str(&line)?)
    }

    /// Runs one workgroup of the entry point `main`. Uniform and storage buffers are given by the numbers of their
    /// bindings in group 0. Returns the storage buffers.
    ///
    /// # Errors
    /// naga or the driver refuses the shader.
    pub fn run(
        &mut self,
        wgsl: &str,
        uniforms: &[(u32, Vec<u8>)],
        buffers: &[(u32, Vec<u8>)],
    ) -> Result<Vec<Vec<u8>>> {
        let job = json!({ "glsl": glsl_of(wgsl)?, "uniforms": uniforms, "buffers": buffers });
        writeln!(self.input, "{job}")?;
        let answer = self.answer()?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        Ok(serde_json::from_value(answer["buffers"].clone())?)
    }
}

impl Drop for Mesa {
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
