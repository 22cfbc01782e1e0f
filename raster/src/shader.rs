//! Shaders as the driver stores them: lane programs, compiled at run time or with the firmware.

use os_shim::Os;
use pipe_core::{PipeError, ShaderSource};
use tgsi::declaration::SemanticName;
use tgsi::exec::{ExecError, Lanes, MemorySpace};
use tgsi::program::{Input, Output, SystemValue};
use tgsi::program::{Program, Uses};
use tgsi::shader::{Processor, Property};

use crate::debug::Debug;
use crate::features::{
    DESKTOP, ES2, FRAGMENTS, INTERPRETER, PRIMITIVE_TYPES, SAMPLES, SHADER_MEMORY, STAGES,
    STATE_CHECKS, TEXTURES,
};
use crate::generator::{self, Generator};
use crate::report::Features;
use crate::resource::NO_TEXTURES;
use crate::scene::SpecialKind;

/// The machine code of a program, made at run time.
#[cfg(feature = "compile")]
pub(crate) type Code<'m> = Option<os_shim::Box<'m, dyn tgsi::exec::Generated + 'm>>;

/// A shader of any stage.
#[derive(Debug)]
#[cfg_attr(
    feature = "compile",
    expect(clippy::large_enum_variant, reason = "hosts compile; boards have the small one only")
)]
pub(crate) enum Shader<'m> {
    /// Compiled from text or tokens when the state object was created, with room for machine code
    /// if the program gets some.
    #[cfg(feature = "compile")]
    Compiled(tgsi::compile::Compiled<'m>, Code<'m>),
    /// Compiled with the firmware by `tgsi!`.
    Program(&'m Program<'m>),
}

impl<'m> Shader<'m> {
    /// Makes a shader from the frontend's text, tokens or program.
    ///
    /// # Errors
    /// Text that does not parse or tokens that do not decode, with the position; invalid programs;
    /// out of memory; text or tokens when the feature `compile` is disabled.
    pub(crate) fn new(
        source: &ShaderSource<'_, 'm>,
        generator: Generator<'m>,
        debug: Debug,
        os: Os<'m>,
    ) -> Result<Self, PipeError> {
        match *source {
            ShaderSource::Program(program) => {
                program.validate().map_err(|error| match error {
                    ExecError::LeftOut { .. } => PipeError::Unsupported(LEFT_OUT),
                    _ => PipeError::Invalid("the lane program is not sound"),
                })?;
                supported(program)?;
                Ok(Shader::Program(program))
            }
            _ => Self::compile(source, generator, debug, os),
        }
    }

    #[cfg(not(feature = "compile"))]
    fn compile(
        _: &ShaderSource<'_, 'm>,
        _: Generator<'m>,
        _: Debug,
        _: Os<'m>,
    ) -> Result<Self, PipeError> {
        Err(PipeError::Unsupported("shaders as text or tokens (feature `compile` is off)"))
    }

    #[cfg(feature = "compile")]
    fn compile(
        source: &ShaderSource<'_, 'm>,
        generator: Generator<'m>,
        debug: Debug,
        os: Os<'m>,
    ) -> Result<Self, PipeError> {
        let Some(shader) = parse(source, os)? else {
            return Err(PipeError::Invalid("the shader has neither text nor tokens"));
        };
        if debug.has(Debug::SHADERS) {
            os_shim::say!("shader:\n{}", printed(&shader));
        }
        // The checker only warns people; the compiler refuses programs that cannot run.
        if tgsi::sanity::is_printed(os.options) {
            tgsi::sanity::check_logged(&shader, os.options)?;
        }
        Self::of(&shader, 0, generator, debug, os)
    }

    /// Compiles a shader from the instruction `entry` on: 0, or a subroutine of a compute program.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new); no subroutine begins at `entry`.
    #[cfg(feature = "compile")]
    pub(crate) fn of(
        shader: &tgsi::shader::Shader<'_>,
        entry: u32,
        generator: Generator<'m>,
        debug: Debug,
        os: Os<'m>,
    ) -> Result<Self, PipeError> {
        use tgsi::compile::{CompileOptions, compile};
        let memory = os.memory;
        let options = CompileOptions { entry, ..CompileOptions::DEFAULT };
        let compiled = compile(shader, &options, memory).map_err(compile_error)?;
        supported(&compiled.program())?;
        if debug.has(Debug::SHADERS) {
            let program = compiled.program();
            let (ops, rows) = (program.preamble.len() + program.body.len(), program.rows);
            os_shim::say!("lane code: {} ops, {} rows", ops, rows);
        }
        let code = generated(generator, &compiled.program(), os);
        Ok(Shader::Compiled(compiled, code))
    }

    /// Checks that the program runs on rows of `R`. Without an interpreter it needs machine code
    /// for these lanes. Without the feature `fragments`, an integer kernel runs the bodies of
    /// fragment programs.
    ///
    /// # Errors
    /// The program has no machine code for these lanes.
    pub(crate) fn check_lanes<R: Lanes>(&self) -> Result<(), PipeError> {
        let program = self.program();
        let by_kernel = !FRAGMENTS && program.processor == Processor::Fragment;
        if INTERPRETER || program.runs::<R>() || (by_kernel && program.prepares()) {
            return Ok(());
        }
        Err(PipeError::Unsupported(
            "a shader without machine code for these lanes (the feature `interpreter` runs it)",
        ))
    }

    /// Returns the lane program.
    #[inline]
    pub(crate) fn program(&self) -> Program<'_> {
        match self {
            #[cfg(feature = "compile")]
            Shader::Compiled(compiled, _) => compiled.program(),
            Shader::Program(program) => **program,
        }
    }

    /// Returns the program's machine code, which may still have to be made; none if it never gets
    /// any.
    pub(crate) fn code(&self) -> generator::Code<'_> {
        match self {
            #[cfg(feature = "compile")]
            Shader::Compiled(_, code) => code.as_deref(),
            _ => Default::default(),
        }
    }
}

/// Returns the machine code of a program, if it gets any.
#[cfg(feature = "compile")]
fn generated<'m>(generator: Generator<'m>, program: &Program<'_>, os: Os<'m>) -> Code<'m> {
    let generator = generator.filter(|_| generates(program.processor, os));
    generator.and_then(|generator| generator.generate(program, os.memory))
}

/// Returns a shader as chips' logs print it: they print only types that `defmt` supports.
#[cfg(all(feature = "compile", feature = "defmt", not(feature = "std")))]
fn printed<'a, 'm>(shader: &'a tgsi::shader::Shader<'m>) -> impl defmt::Format + use<'a, 'm> {
    defmt::Display2Format(shader)
}

/// Returns a shader as logs print it.
#[cfg(all(feature = "compile", not(all(feature = "defmt", not(feature = "std")))))]
fn printed<'a, 'm>(shader: &'a tgsi::shader::Shader<'m>) -> &'a tgsi::shader::Shader<'m> {
    shader
}

/// Returns true if programs of a stage get machine code. `DRAW_USE_LLVM` turns it off for the
/// stages before rasterization, as the manual says.
#[cfg(feature = "compile")]
fn generates(stage: Processor, os: Os<'_>) -> bool {
    use os_shim::options::{bool_option, names};
    matches!(stage, Processor::Fragment | Processor::Compute)
        || bool_option(os.options, names::DRAW_USE_LLVM, true)
}

/// Parses the text or tokens of a shader; returns `None` for a compiled program.
///
/// # Errors
/// Text that does not parse or tokens that do not decode, with the position; out of memory.
#[cfg(feature = "compile")]
pub(crate) fn parse<'m>(
    source: &ShaderSource<'_, 'm>,
    os: Os<'m>,
) -> Result<Option<tgsi::shader::Shader<'m>>, PipeError> {
    match *source {
        ShaderSource::Text(text) => {
            let options = tgsi::text::ParseOptions::from_options(os.options);
            tgsi::text::parse_with(text, &options, os.memory).map(Some).map_err(text_error)
        }
        ShaderSource::Tokens(tokens) => {
            tgsi::token::decode(tokens, os.memory).map(Some).map_err(token_error)
        }
        ShaderSource::Program(_) => Ok(None),
    }
}

/// Returns the features among `es2` and `shader-memory` that a program needs.
pub(crate) fn needs(program: &Program<'_>) -> Features {
    let apart = program.samplers.iter().any(|used| used.view != used.unit);
    let fragment = program.processor == Processor::Fragment;
    let vertex_textures = !fragment && !program.samplers.is_empty();
    let looks_up = !program.samples.iter().all(is_plain);
    let mut needs = Features::empty();
    needs.set(Features::ES2, apart || vertex_textures || looks_up);
    let memory = program.processor == Processor::Compute || program.uses.contains(Uses::MEMORY);
    needs.set(Features::SHADER_MEMORY, memory);
    needs
}

/// The error for programs that need a `gallium-tgsi` feature that is disabled.
const LEFT_OUT: &str = "a shader that needs a feature of gallium-tgsi";

/// Checks that the driver supports everything a program needs beyond registers and textures.
fn supported(program: &Program<'_>) -> Result<(), PipeError> {
    let apart = !ES2 && program.samplers.iter().any(|used| used.view != used.unit);
    let geometry = program.processor == Processor::Geometry;
    let there = match program.processor {
        Processor::Vertex | Processor::Fragment => true,
        Processor::Geometry => STAGES,
        Processor::TessControl | Processor::TessEval => STAGES,
        Processor::Compute => SHADER_MEMORY,
    };
    if !there {
        Err(PipeError::Unsupported("shaders of this stage"))
    } else if geometry && !is_bounded(program) {
        Err(PipeError::Invalid("GS_MAX_OUTPUT_VERTICES or GS_INVOCATIONS exceeds its limit"))
    } else if !PRIMITIVE_TYPES && clips(program) {
        Err(NO_USER_CLIP_PLANES)
    } else if program.properties.value(Property::FsBlendEquationAdvanced) != 0 {
        Err(PipeError::Unsupported("FS_BLEND_EQUATION_ADVANCED"))
    } else if !TEXTURES && !program.samplers.is_empty() {
        Err(NO_TEXTURES)
    } else if !ES2 && program.processor != Processor::Fragment && !program.samplers.is_empty() {
        Err(PipeError::Unsupported("textures in vertex shaders"))
    } else if !DESKTOP && program.uses.contains(Uses::BINDLESS) {
        Err(PipeError::Unsupported(LACKS_MEMORY))
    } else if let Some(space) = missing_memory(program) {
        Err(PipeError::Unsupported(memory_name(space)))
    } else if !SAMPLES && program.uses.contains(Uses::INTERPOLATES) {
        Err(PipeError::Unsupported("inputs evaluated elsewhere in the pixel"))
    } else if apart {
        Err(PipeError::Unsupported("a sampler with another unit's view (the feature `es2` has it)"))
    } else {
        if STATE_CHECKS {
            properties(program)?;
            semantics(program)?;
        } else if is_beyond_firmware(program) {
            return Err(PipeError::Unsupported(
                "values of `compile` or `stages`, or lookups of `es2`",
            ));
        }
        Ok(())
    }
}

/// Returns true if a program needs something that firmware builds leave out: values that no draw
/// fills or reads, and some kinds of lookups.
fn is_beyond_firmware(program: &Program<'_>) -> bool {
    use SemanticName::{Layer, PrimitiveId, ViewportIndex, ViewportMask};
    let fragment = program.processor == Processor::Fragment;
    let filled = |name| match program.processor {
        Processor::Vertex => draw::is_vertex_system_value(name),
        _ => !fragment,
    };
    let unread = |name| !fragment && matches!(name, Layer | ViewportIndex | ViewportMask);
    let mut values = program.system_values.iter();
    let mut inputs = program.inputs.iter();
    let mut outputs = program.outputs.iter();
    let mut samples = program.samples.iter();
    values.any(|value| !filled(value.semantic.name))
        || !STAGES && fragment && inputs.any(|input| input.semantic.name == PrimitiveId)
        || !STAGES && outputs.any(|output| unread(output.semantic.name))
        || !ES2 && samples.any(|sample| !is_plain(sample))
}

/// Returns true if a lookup filters a 2D texture.
fn is_plain(sample: &tgsi::program::Sample) -> bool {
    use tgsi::exec::SampleKind::{Bias, Gradient, Implicit, Lod};
    use tgsi::shader::TextureTarget::{Rect, Shadow2D, ShadowRect, Texture2D};
    matches!(sample.kind, Implicit | Bias | Lod | Gradient)
        && matches!(sample.target, Texture2D | Rect | Shadow2D | ShadowRect)
}

/// The error for clip planes and clip and cull distances in builds without them.
pub(crate) const NO_USER_CLIP_PLANES: PipeError = PipeError::Unsupported(
    "user clip planes, clip or cull distances (the feature `primitive-types` has them)",
);

/// Returns true if a program writes clip or cull distances.
fn clips(program: &Program<'_>) -> bool {
    let mut outputs = program.outputs.iter();
    outputs.any(|output| output.semantic.name == SemanticName::ClipDistance)
}

/// Returns true if a geometry program emits no more vertices than Draw has room for.
#[cfg(feature = "stages")]
fn is_bounded(program: &Program<'_>) -> bool {
    use tgsi::shader::Property::{GsInvocations, GsMaxOutputVertices};
    let value = |property| program.properties.value(property);
    value(GsMaxOutputVertices) <= draw::MAX_EMITTED && value(GsInvocations) <= draw::MAX_INVOCATIONS
}

/// Returns false: this build runs no geometry programs.
#[cfg(not(feature = "stages"))]
fn is_bounded(_: &Program<'_>) -> bool {
    false
}

/// The error for memory in builds that do not name it.
const LACKS_MEMORY: &str = "bindless handles, or memory that shaders of this stage lack";

/// Returns the first kind of memory that a program uses and that the driver or the program's stage
/// lacks.
fn missing_memory(program: &Program<'_>) -> Option<MemorySpace> {
    let fragment = program.processor == Processor::Fragment;
    let compute = program.processor == Processor::Compute;
    let has = |space| match space {
        MemorySpace::ColorBuffer => DESKTOP && fragment,
        MemorySpace::Buffer | MemorySpace::Image | MemorySpace::Counter | MemorySpace::Constant => {
            SHADER_MEMORY
        }
        MemorySpace::Shared | MemorySpace::Arguments => SHADER_MEMORY && compute,
        MemorySpace::Global => DESKTOP && compute,
        MemorySpace::Private => DESKTOP && compute,
    };
    if !program.uses.contains(Uses::MEMORY) {
        return None;
    }
    let mut spaces = program.memory.iter().map(|access| access.space);
    match SHADER_MEMORY || DESKTOP {
        true => spaces.find(|space| !has(*space)),
        false => Some(MemorySpace::Buffer),
    }
}

/// Returns the error text for memory that a shader may not use. Firmware without a compiler has one
/// text for all kinds, to save flash.
fn memory_name(space: MemorySpace) -> &'static str {
    if !STATE_CHECKS {
        return LACKS_MEMORY;
    }
    match space {
        MemorySpace::ColorBuffer => "FBFETCH in shaders of this stage",
        MemorySpace::Shared => "SHARED memory in shaders of this stage",
        MemorySpace::Arguments => "INPUT memory in shaders of this stage",
        MemorySpace::Global => "GLOBAL memory in shaders of this stage",
        MemorySpace::Private => "PRIVATE memory in shaders of this stage",
        _ => "buffers, images, counters, or loads from constant buffers",
    }
}

/// Checks that the driver supports all properties of a program. Firmware does not check its
/// built-in programs, to save flash.
fn properties(program: &Program<'_>) -> Result<(), PipeError> {
    let properties = program.properties;
    if properties.is_set(Property::LayerViewportRelative) {
        // `Cap::ViewportMask` announces both.
        return Err(PipeError::Unsupported(Property::LayerViewportRelative.name()));
    }
    if properties.is_set(Property::FsPostDepthCoverage) && !properties.early_depth_stencil() {
        return Err(PipeError::Invalid(
            "FS_POST_DEPTH_COVERAGE needs FS_EARLY_DEPTH_STENCIL: set both",
        ));
    }
    Ok(())
}

/// Checks that each semantic of a program has a source or a use in this driver. The error names the
/// first that has none. Firmware does not check its built-in programs, to save flash.
fn semantics(program: &Program<'_>) -> Result<(), PipeError> {
    let fragment = program.processor == Processor::Fragment;
    let has_value = |value: &&SystemValue| match value.semantic.name {
        name if fragment => SpecialKind::of_system_value(name).is_some(),
        name if program.processor != Processor::Vertex => {
            is_later_system_value(program.processor, name)
        }
        name => draw::is_vertex_system_value(name),
    };
    // Without stages after the vertex shader, the driver does not count primitives.
    let unwritten =
        |input: &&Input| !STAGES && fragment && input.semantic.name == SemanticName::PrimitiveId;
    // Without stages there is one layer and one viewport.
    let unread = |output: &&Output| match output.semantic.name {
        SemanticName::Layer | SemanticName::ViewportIndex => !fragment && !STAGES,
        SemanticName::ViewportMask => !fragment,
        _ => false,
    };
    let values = program.system_values.iter().find(|value| !has_value(value));
    let inputs = program.inputs.iter().find(unwritten);
    let outputs = program.outputs.iter().find(unread);
    let semantic = values
        .map(|value| value.semantic)
        .or(inputs.map(|input| input.semantic))
        .or(outputs.map(|output| output.semantic));
    match semantic {
        Some(semantic) => Err(PipeError::Unsupported(semantic.name.name())),
        None => Ok(()),
    }
}

/// Returns true if draws fill this system value of a stage after the vertex shader.
fn is_later_system_value(stage: Processor, name: SemanticName) -> bool {
    use SemanticName::*;
    match stage {
        Processor::Geometry => matches!(name, PrimitiveId | InvocationId),
        Processor::TessControl => matches!(
            name,
            PrimitiveId | InvocationId | VerticesIn | TessDefaultOuterLevel | TessDefaultInnerLevel
        ),
        Processor::TessEval => {
            matches!(name, PrimitiveId | VerticesIn | TessCoord | TessOuter | TessInner)
        }
        Processor::Compute => matches!(name, GridSize | BlockId | BlockSize | ThreadId | WorkDim),
        Processor::Vertex | Processor::Fragment => false,
    }
}

/// Returns the error for text that does not parse: the expected syntax and its position.
#[cfg(feature = "compile")]
fn text_error(error: tgsi::text::TextError) -> PipeError {
    match error {
        tgsi::text::TextError::Syntax(error) => PipeError::ShaderSyntax {
            expected: error.expected,
            line: error.position.line,
            column: error.position.column,
        },
        tgsi::text::TextError::OutOfMemory(error) => error.into(),
        tgsi::text::TextError::TooLong { .. } => PipeError::Invalid(
            "the shader text has more bytes than the option TGSI_MAX_TEXT allows",
        ),
        _ => PipeError::Invalid("a shader text"),
    }
}

#[cfg(feature = "compile")]
fn token_error(error: tgsi::token::TokenError) -> PipeError {
    match error {
        tgsi::token::TokenError::OutOfMemory(error) => error.into(),
        _ => PipeError::Invalid("the tokens are not a shader"),
    }
}

#[cfg(feature = "compile")]
fn compile_error(error: tgsi::compile::CompileError) -> PipeError {
    use tgsi::compile::CompileError;
    let (what, position) = match error {
        CompileError::OutOfMemory(error) => return error.into(),
        CompileError::LeftOut { .. } => return PipeError::Unsupported(LEFT_OUT),
        CompileError::TooLarge { limit } => return PipeError::Invalid(limit.as_str()),
        CompileError::Operand { position, .. } => (
            "an operand that is not declared, or of a file or index that its opcode cannot have",
            position,
        ),
        CompileError::Nesting { position, .. } => ("control flow without a counterpart", position),
        CompileError::Depth { position, .. } => ("control flow nested too deep", position),
        CompileError::Entry { .. } => {
            return PipeError::Invalid("no subroutine begins at pc");
        }
        _ => return PipeError::Invalid("the shader does not compile"),
    };
    PipeError::Shader { what, line: position.line, column: position.column }
}
