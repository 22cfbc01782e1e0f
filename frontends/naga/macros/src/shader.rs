//! A source to a program.

use std::path::{Path, PathBuf};

use naga_frontend::naga::ShaderStage;
use naga_frontend::{Interface, Module, Translation};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::shader::{Processor, Shader as Code};

use crate::parse::{Error, Item};

/// The endings of files; any other string is a source.
const ENDINGS: [&str; 5] = ["wgsl", "vert", "frag", "comp", "spv"];

/// A translated shader of the call.
pub(crate) struct Shader {
    code: Code<'static>,
    pub(crate) interface: Interface,
    /// The file that it comes from.
    pub(crate) file: Option<String>,
}

impl Shader {
    pub(crate) fn new(item: &Item) -> Result<Shader, Error> {
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
            read(&bytes, ending, &item.source)
        } else {
            let line = item.span.line();
            Module::wgsl(&item.source, &format!("{} (string at line {line})", item.span.file()))
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
        let Translation { shader, interface } =
            module.translate(&entry, &Default::default()).map_err(excerpt)?;
        Ok(Shader { code: shader, interface, file })
    }

    pub(crate) fn is_vertex(&self) -> bool {
        self.interface.stage == Processor::Vertex
    }

    pub(crate) fn is_fragment(&self) -> bool {
        self.interface.stage == Processor::Fragment
    }

    /// Checks that a fragment shader finds its inputs.
    pub(crate) fn check_link(&self, vertex: &Shader) -> Result<(), String> {
        self.interface.check_link(&vertex.interface)
    }

    /// Returns the expression of the program.
    pub(crate) fn program(&self, item: &Item) -> Result<String, Error> {
        let at = |message: String| (message, item.span);
        let compiled = compile(&self.code, &CompileOptions::DEFAULT, Memory::system())
            .map_err(|error| at(error.to_string()))?;
        let text = self.code.to_string();
        let options = &item.options;
        emit::program(&compiled.program(), &text, &options.path, &options.modes).map_err(at)
    }
}

/// Reads a file by its ending.
fn read(bytes: &[u8], ending: &str, name: &str) -> Result<Module, naga_frontend::Error> {
    let text = String::from_utf8_lossy(bytes);
    match ending {
        "vert" => Module::glsl(&text, ShaderStage::Vertex, name),
        "frag" => Module::glsl(&text, ShaderStage::Fragment, name),
        "comp" => Module::glsl(&text, ShaderStage::Compute, name),
        "spv" => Module::spirv(bytes),
        _ => Module::wgsl(&text, name),
    }
}
