//! Shaders in files, by their endings.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use naga_frontend::naga::ShaderStage;
use naga_frontend::{Error, Module, glsl_stage};

/// The endings of the files that are read from folders.
const ENDINGS: [&str; 6] = ["wgsl", "glsl", "vert", "frag", "comp", "spv"];

fn ending(path: &Path) -> &str {
    path.extension().and_then(|it| it.to_str()).unwrap_or_default()
}

/// Lists files, and the shaders below folders, in order.
///
/// # Errors
/// A folder that cannot be read.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries =
            fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
        let mut inside = entries.map(|it| Ok(it?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        inside.retain(|path| path.is_dir() || ENDINGS.contains(&ending(path)));
        inside.sort();
        files.extend(self::files(&inside)?);
    }
    Ok(files)
}

/// Reads a module; the inner error is the shader's.
///
/// # Errors
/// A file that cannot be read; a `.glsl` file that does not name its stage.
pub fn read(path: &Path) -> Result<Result<Module, Error>> {
    let mut bytes = Vec::new();
    let name = match path == Path::new("-") {
        true => {
            io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
            "<stdin>".into()
        }
        false => {
            bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            path.display().to_string()
        }
    };
    let text = || String::from_utf8_lossy(&bytes);
    Ok(match ending(path) {
        "vert" => Module::glsl(&text(), ShaderStage::Vertex, &name),
        "frag" => Module::glsl(&text(), ShaderStage::Fragment, &name),
        "comp" => Module::glsl(&text(), ShaderStage::Compute, &name),
        "glsl" => {
            let stage = glsl_stage(&text()).with_context(|| {
                format!("{name}: write its stage, `#pragma shader_stage(fragment)`")
            })?;
            Module::glsl(&text(), stage, &name)
        }
        "spv" => Module::spirv(&bytes),
        _ => Module::wgsl(&text(), &name),
    })
}
