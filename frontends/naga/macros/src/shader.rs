//! A source to a program.

use std::path::{Path, PathBuf};

use naga_frontend::naga::ShaderStage;
use naga_frontend::{Interface, Module, Options, Translation, glsl_stage};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::shader::Processor;

use crate::parse::{Error, Item};

/// The language of the strings of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Wgsl,
    Glsl,
}

/// The endings of files; any other string is a source.
const ENDINGS: [&str; 6] = ["wgsl", "glsl", "vert", "frag", "comp", "spv"];

/// A translated shader of the call.
pub(crate) struct Shader {
    module: Module,
    translation: Translation,
    /// The file that it comes from.
    pub(crate) file: Option<String>,
}

impl Shader {
    pub(crate) fn new(item: &Item, language: Language) -> Result<Shader, Error> {
        let at = |message: String| (message, item.span);
        let path = Path::new(&item.source);
        let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_file = !item.source.contains('\n') && ENDINGS.contains(&ending);
        let mut file = None;
        let module = if is_file {
            let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
            let path = folder.unwrap_or_default().join(path);
            let bytes = std::fs::read(&path)
                .map_err(|error| at(format!("cannot read {}: {error}", path.display())))?;
            file = Some(path.display().to_string());
            read(&bytes, ending, &item.source, item)?
        } else {
            let name = format!("{} (string at line {})", item.span.file(), item.span.line());
            match language {
                Language::Wgsl => Module::wgsl(&item.source, &name),
                Language::Glsl => Module::glsl(&item.source, stage(&item.source, item)?, &name),
            }
        };
        // The excerpt begins on a new line.
        let excerpt = |error: naga_frontend::Error| at(format!("the shader is refused\n{error}"));
        let module = module.map_err(excerpt)?;
        let names: Vec<&str> = module.entry_points().map(|(name, _)| name).collect();
        let entry = match (&item.entry, names.as_slice()) {
            (Some(entry), _) => entry.clone(),
            (None, [only]) => (*only).to_owned(),
            (None, _) => {
                let names = names.join(", ");
                return Err(at(format!("expected `=> entry`, one of the entry points {names}")));
            }
        };
        let unroll = if item.options.modes.pixel { Options::UNROLL_ALL } else { 0 };
        let options = Options { unroll, ..Options::default() };
        let translation = module.translate(&entry, &options).map_err(excerpt)?;
        Ok(Shader { module, translation, file })
    }

    pub(crate) fn interface(&self) -> &Interface {
        &self.translation.interface
    }

    pub(crate) fn is_vertex(&self) -> bool {
        self.interface().stage == Processor::Vertex
    }

    pub(crate) fn is_fragment(&self) -> bool {
        self.interface().stage == Processor::Fragment
    }

    /// Checks that a fragment shader finds its inputs.
    pub(crate) fn check_link(&self, vertex: &Shader) -> Result<(), String> {
        self.interface().check_link(vertex.interface())
    }

    /// Returns the expression of the program.
    pub(crate) fn program(&self, item: &Item) -> Result<String, Error> {
        let code = &self.translation.shader;
        let refused = |instruction: Option<u32>, reason: String| {
            let error = self.module.error_at(&self.translation, instruction, reason);
            (format!("the shader is refused\n{error}"), item.span)
        };
        let compiled =
            compile(code, &CompileOptions::DEFAULT, Memory::system()).map_err(|error| {
                let is_there =
                    |place| code.instructions().iter().position(|it| it.position == place);
                let instruction = error.position().and_then(is_there);
                refused(instruction.map(|at| at as u32), error.to_string())
            })?;
        let options = &item.options;
        emit::program(&compiled.program(), &code.to_string(), &options.path, &options.modes)
            .map_err(|refusal| {
                let instruction = refusal.op.and_then(|op| compiled.instruction(op));
                refused(instruction, refusal.reason)
            })
    }
}

/// Reads a file by its ending.
fn read(
    bytes: &[u8],
    ending: &str,
    name: &str,
    item: &Item,
) -> Result<Result<Module, naga_frontend::Error>, Error> {
    let text = String::from_utf8_lossy(bytes);
    Ok(match ending {
        "vert" => Module::glsl(&text, ShaderStage::Vertex, name),
        "frag" => Module::glsl(&text, ShaderStage::Fragment, name),
        "comp" => Module::glsl(&text, ShaderStage::Compute, name),
        "glsl" => Module::glsl(&text, stage(&text, item)?, name),
        "spv" => Module::spirv(bytes),
        _ => Module::wgsl(&text, name),
    })
}

/// Returns the stage of GLSL that no ending names.
fn stage(source: &str, item: &Item) -> Result<ShaderStage, Error> {
    item.options.stage.or_else(|| glsl_stage(source)).ok_or_else(|| {
        let message = "this GLSL does not say its stage; write `vertex;`, `fragment;` or `compute;` \
                       before the item, or `#pragma shader_stage(fragment)` in the source";
        (message.into(), item.span)
    })
}
