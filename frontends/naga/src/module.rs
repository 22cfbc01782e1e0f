//! Modules: parsed, validated, and translated an entry point at a time.

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{ShaderStage, Span, front};
use tgsi::shader::Shader;

use crate::declarations::Declarations;
use crate::entry::processor;
use crate::error::{Error, ErrorKind, Refusal, Result};
use crate::interface::{Interface, unsupported_stage};
use crate::slots::{Bindings, Slots};
use crate::translator::Translator;

/// The capabilities that the translator supports beyond WebGPU's core.
pub const CAPABILITIES: Capabilities = Capabilities::SHADER_FLOAT16
    .union(Capabilities::SHADER_FLOAT16_IN_FLOAT32)
    .union(Capabilities::CUBE_ARRAY_TEXTURES)
    .union(Capabilities::MULTISAMPLED_SHADING)
    .union(Capabilities::EARLY_DEPTH_TEST)
    .union(Capabilities::CLIP_DISTANCES)
    .union(Capabilities::PRIMITIVE_INDEX)
    .union(Capabilities::DUAL_SOURCE_BLENDING)
    .union(Capabilities::IMMEDIATES)
    .union(Capabilities::STORAGE_TEXTURE_16BIT_NORM_FORMATS)
    .union(Capabilities::SHADER_FLOAT32_ATOMIC)
    .union(Capabilities::TEXTURE_ATOMIC)
    .union(Capabilities::DRAW_INDEX);

/// The settings of a translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values of `override`s, by name or by the number of `@id`.
    pub constants: PipelineConstants,
    /// The slots of bindings, by group and binding. A binding without a slot here has the next
    /// number of its table, in the order of group and binding over the whole module: then all
    /// entry points of a module agree.
    pub bindings: Bindings,
    /// The number of expressions that loops with a known number of turns may be written out to, turn
    /// by turn, in an entry point. A loop that takes more, such as any if this is 0, stays a loop.
    pub unroll: usize,
    /// The constant buffer of immediates. `None` means the one after the last.
    pub immediates: Option<u8>,
    /// The draws' depth is mapped with [`DepthMap`]: a fragment shader that reads its depth undoes it, and
    /// one that writes depth applies it.
    pub depth_map: Option<DepthMap>,
}

/// A map of depths, `scale·z + offset`, which makes a driver round depths that it would cut off.
///
/// # Examples
/// ```
/// use gallium_naga::DepthMap;
/// // A driver that stores the top 16 bits stores the nearest of 65,536 depths.
/// let stored = |z: f32| (DepthMap::ROUND_16.apply(z) * 65536.0) as u32;
/// assert_eq!([0.0, 0.25, 0.5, 1.0].map(stored), [0, 16384, 32768, 65535]);
/// assert_eq!(stored(100.6 / 65535.0), 101);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DepthMap {
    /// The factor.
    pub scale: f32,
    /// What is added to the product.
    pub offset: f32,
}

impl Options {
    /// An [`unroll`](Options::unroll) that writes out all loops with a known number of turns, up to a size that
    /// compilers take: machine code for one pixel has no loops.
    pub const UNROLL_ALL: usize = 1 << 16;
}

impl DepthMap {
    /// The map for depth buffers of 16 bits: depth `n / 65535` becomes `(n + ½) / 65536`.
    pub const ROUND_16: DepthMap = DepthMap { scale: 65535.0 / 65536.0, offset: 0.5 / 65536.0 };

    /// Returns a depth mapped.
    pub fn apply(self, z: f32) -> f32 {
        z * self.scale + self.offset
    }
}

/// An entry point as a TGSI program, and what the host needs to use it.
#[derive(Debug)]
pub struct Translation {
    /// The program.
    pub shader: Shader<'static>,
    /// Slots, formats, sizes.
    pub interface: Interface,
    /// The place in the source of each instruction.
    spans: Vec<Span>,
}

/// A validated shader module.
///
/// # Examples
/// ```
/// let module = gallium_naga::Module::wgsl(
///     "@fragment fn red() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }",
///     "red.wgsl",
/// )?;
/// let translation = module.translate("red", &Default::default())?;
/// assert_eq!(translation.shader.to_string(), "FRAG
/// DCL OUT[0], COLOR
/// IMM[0] FLT32 {0x3f800000, 0x00000000, 0x00000000, 0x3f800000}
///   0: MOV OUT[0], IMM[0]
///   1: END
/// ");
/// # Ok::<(), gallium_naga::Error>(())
/// ```
#[derive(Debug)]
pub struct Module {
    source: Option<(String, String)>,
    module: naga::Module,
    info: ModuleInfo,
}

impl Module {
    /// Parses and validates WGSL. `path` names the source in errors.
    ///
    /// The parser calls itself for each level of nested blocks. Without optimisation, 64 levels may take more than the
    /// 2 MiB of stack that Rust's threads have: parse sources that you do not know on a thread with 8 MiB.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`], [`ErrorKind::Validation`].
    pub fn wgsl(source: &str, path: &str) -> std::result::Result<Module, Error> {
        let module = front::wgsl::parse_str(source).map_err(|error| {
            let text = error.emit_to_string_with_path(source, path);
            Error::excerpt(ErrorKind::Syntax, error.to_string(), text, error.location(source))
        })?;
        Module::validated(module, Some((source, path)))
    }

    /// Parses and validates GLSL of one stage, Vulkan's dialect: `#version 440`, 450 or 460, with
    /// sets and bindings. The entry point is `main`.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`], [`ErrorKind::Validation`].
    pub fn glsl(
        source: &str,
        stage: ShaderStage,
        path: &str,
    ) -> std::result::Result<Module, Error> {
        let options = front::glsl::Options::from(stage);
        let module =
            front::glsl::Frontend::default().parse(&options, source).map_err(|errors| {
                let location = errors.errors.first().and_then(|error| error.location(source));
                let text = errors.emit_to_string_with_path(source, path);
                let message = errors.errors.first().map(|error| error.kind.to_string());
                Error::excerpt(ErrorKind::Syntax, message.unwrap_or_default(), text, location)
            })?;
        Module::validated(module, Some((source, path)))
    }

    /// Reads and validates SPIR-V. The position's y stays as it is, as in the other languages: SPIR-V
    /// for Vulkan counts y downwards.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`], [`ErrorKind::Validation`].
    pub fn spirv(bytes: &[u8]) -> std::result::Result<Module, Error> {
        let options = front::spv::Options { adjust_coordinate_space: false, ..Default::default() };
        let module = front::spv::parse_u8_slice(bytes, &options)
            .map_err(|error| Error::plain(ErrorKind::Syntax, error.to_string()))?;
        Module::validated(module, None)
    }

    /// Takes a module that naga validated with capabilities of [`CAPABILITIES`], with its source and
    /// the source's path for errors.
    pub fn from_naga(
        module: naga::Module,
        info: ModuleInfo,
        source: Option<(String, String)>,
    ) -> Module {
        Module { source, module, info }
    }

    /// Validates a parsed module.
    fn validated(
        module: naga::Module,
        source: Option<(&str, &str)>,
    ) -> std::result::Result<Module, Error> {
        let info = Validator::new(ValidationFlags::all(), CAPABILITIES)
            .validate(&module)
            .map_err(|error| Error::located(ErrorKind::Validation, &error, source))?;
        let source = source.map(|(source, path)| (source.into(), path.into()));
        Ok(Module { source, module, info })
    }

    /// Returns naga's module.
    pub fn naga(&self) -> &naga::Module {
        &self.module
    }

    /// Returns the names and stages of the entry points.
    pub fn entry_points(&self) -> impl Iterator<Item = (&str, ShaderStage)> {
        self.module.entry_points.iter().map(|entry| (entry.name.as_str(), entry.stage))
    }

    /// Translates the entry point of a name.
    ///
    /// # Errors
    /// [`ErrorKind::EntryPoint`], [`ErrorKind::Constants`], [`ErrorKind::Unsupported`].
    pub fn translate(
        &self,
        entry: &str,
        options: &Options,
    ) -> std::result::Result<Translation, Error> {
        let mut found = self.entry_points().filter(|(name, _)| *name == entry);
        let Some((_, stage)) = found.next() else {
            let names: Vec<&str> = self.entry_points().map(|(name, _)| name).collect();
            let message =
                format!("there is no entry point `{entry}`; there are: {}", names.join(", "));
            return Err(Error::plain(ErrorKind::EntryPoint, message));
        };
        if found.next().is_some() {
            let message = format!("there are several entry points `{entry}`");
            return Err(Error::plain(ErrorKind::EntryPoint, message));
        }
        self.translate_stage(stage, entry, options)
    }

    /// Translates the entry point of a stage and name.
    ///
    /// # Errors
    /// As [`translate`](Module::translate).
    pub fn translate_stage(
        &self,
        stage: ShaderStage,
        entry: &str,
        options: &Options,
    ) -> std::result::Result<Translation, Error> {
        let source = self.source.as_ref().map(|(source, path)| (source.as_str(), path.as_str()));
        let slots = Slots::new(&self.module, &options.bindings, options.immediates);
        let wanted = Some((stage, entry));
        let (module, info) =
            process_overrides(&self.module, &self.info, wanted, &options.constants)
                .map_err(|error| Error::plain(ErrorKind::Constants, error.to_string()))?;
        translate(&module, &info, (stage, entry), &slots, options, source)
            .map_err(|refusal| Error::refused(refusal, source))
    }

    /// Returns an error at the place in the source that an instruction of a translation comes
    /// from, or without an instruction at the entry point.
    pub fn error_at(
        &self,
        translation: &Translation,
        instruction: Option<u32>,
        message: impl Into<String>,
    ) -> Error {
        let span = match instruction {
            Some(at) => translation.spans.get(at as usize).copied(),
            None => self.entry_span(&translation.interface.entry),
        };
        let source = self.source.as_ref().map(|(source, path)| (source.as_str(), path.as_str()));
        Error::refused(Refusal::new(message, span.unwrap_or_default()), source)
    }

    /// Returns the place of an entry point's name in the source.
    fn entry_span(&self, name: &str) -> Option<Span> {
        let (source, _) = self.source.as_ref()?;
        let is_name = |at: &usize| {
            let before = source.get(..*at).unwrap_or_default();
            let after = source.get(at + name.len()..).unwrap_or_default();
            ["fn", "void"].iter().any(|word| before.trim_end().ends_with(word))
                && after.trim_start().starts_with('(')
        };
        let start = source.match_indices(name).map(|(at, _)| at).find(is_name)?;
        Some(Span::new(start as u32, (start + name.len()) as u32))
    }
}

/// Returns the stage that GLSL names in a line `#pragma shader_stage(fragment)`.
///
/// # Examples
/// ```
/// use gallium_naga::{glsl_stage, naga::ShaderStage};
/// let source = "#version 450\n#pragma shader_stage(compute)\nvoid main() {}";
/// assert_eq!(glsl_stage(source), Some(ShaderStage::Compute));
/// ```
pub fn glsl_stage(source: &str) -> Option<ShaderStage> {
    let pragma = |line: &str| {
        let words = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
        let (stage, _) = words.trim().strip_prefix("shader_stage(")?.split_once(')')?;
        match stage.trim() {
            "vertex" => Some(ShaderStage::Vertex),
            "fragment" => Some(ShaderStage::Fragment),
            "compute" => Some(ShaderStage::Compute),
            _ => None,
        }
    };
    source.lines().find_map(pragma)
}

/// Translates an entry point of a module without overrides.
fn translate(
    module: &naga::Module,
    info: &ModuleInfo,
    (stage, name): (ShaderStage, &str),
    slots: &Slots,
    options: &Options,
    source: Option<(&str, &str)>,
) -> Result<Translation> {
    let is_wanted = |entry: &naga::EntryPoint| entry.stage == stage && entry.name == name;
    let index = module.entry_points.iter().position(is_wanted);
    let (Some(index), Some(processor)) = (index, processor(stage)) else {
        return Err(unsupported_stage(stage, name));
    };
    let declarations = Declarations::new(processor);
    let mut translator = Translator::new(module, info, slots, declarations, options.unroll);
    translator.depth_map = options.depth_map.map(|map| (map.scale, map.offset));
    translator.entry_point(index)?;
    let shared = translator.shared_bytes;
    let text = source.map(|(text, _)| text).unwrap_or_default();
    let (shader, spans) = translator.declarations.finish(translator.code, text)?;
    let Some(entry) = module.entry_points.get(index) else {
        return Err(unsupported_stage(stage, name));
    };
    let function = info.get_entry_point(index);
    let interface = Interface::new(module, entry, function, processor, slots, shared)?;
    Ok(Translation { shader, interface, spans })
}
