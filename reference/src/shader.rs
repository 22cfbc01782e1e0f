//! Shaders: lane programs, compiled when the shader object is created.

use os_shim::Memory;
use pipe_core::{PipeError, ShaderSource, ShaderState, ShaderType};
use tgsi::compile::{CompileError, CompileOptions, Compiled, compile};
use tgsi::declaration::SemanticName;
use tgsi::exec::MemorySpace;
use tgsi::program::{Program, Uses};
use tgsi::shader::{Processor, Property};

use crate::streamed::Streamed;

/// A shader of any stage.
#[derive(Debug)]
pub(crate) struct Shader<'m> {
    code: Code<'m>,
    pub(crate) streamed: Streamed<'m>,
    /// Bytes that the invocations of a block share, of compute programs.
    pub(crate) shared: u32,
    /// Bytes of private memory per invocation, of compute programs.
    pub(crate) private: u32,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few shaders, and most are compiled")]
enum Code<'m> {
    /// From text or tokens.
    Compiled(Compiled<'m>),
    /// Compiled at build time by `tgsi!`, together with the frontend.
    Program(&'m Program<'m>),
}

impl<'m> Shader<'m> {
    /// Compiles a shader.
    ///
    /// # Errors
    /// [`PipeError::Shader`], [`PipeError::ShaderSyntax`] or [`PipeError::Invalid`]: the shader is
    /// not valid, or is of another stage; [`PipeError::Unsupported`]: it needs a feature that the
    /// driver lacks; [`PipeError::OutOfMemory`].
    pub(crate) fn new(
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        let code = match state.source {
            ShaderSource::Program(program) => {
                let sound = program.validate();
                sound.map_err(|_| PipeError::Invalid("the program is not sound"))?;
                Code::Program(program)
            }
            ShaderSource::Text(text) => compiled(&tgsi::text::parse(text, memory)?, memory)?,
            ShaderSource::Tokens(tokens) => compiled(&decode(tokens, memory)?, memory)?,
        };
        let streamed = Streamed::new(&state.stream_output, memory)?;
        let shader = Shader { code, streamed, shared: 0, private: 0 };
        let program = shader.program();
        if program.processor != stage.processor() {
            return Err(PipeError::Invalid("the shader has another stage"));
        }
        check(&program)?;
        Ok(shader)
    }

    /// Returns the lane program.
    pub(crate) fn program(&self) -> Program<'_> {
        match &self.code {
            Code::Compiled(compiled) => compiled.program(),
            Code::Program(program) => **program,
        }
    }
}

fn decode<'m>(tokens: &[u32], memory: Memory<'m>) -> Result<tgsi::shader::Shader<'m>, PipeError> {
    tgsi::token::decode(tokens, memory).map_err(|error| match error {
        tgsi::token::TokenError::OutOfMemory(error) => error.into(),
        _ => PipeError::Invalid("the tokens are not a shader"),
    })
}

fn compiled<'m>(
    shader: &tgsi::shader::Shader<'_>,
    memory: Memory<'m>,
) -> Result<Code<'m>, PipeError> {
    let compiled = compile(shader, &CompileOptions::default(), memory).map_err(compile_error)?;
    Ok(Code::Compiled(compiled))
}

/// Checks that the driver supports everything a program uses beyond registers and textures.
fn check(program: &Program<'_>) -> Result<(), PipeError> {
    if program.uses.contains(Uses::BINDLESS) {
        return Err(PipeError::Unsupported("bindless handles in shaders"));
    }
    let mut spaces = program.memory.iter().map(|access| access.space);
    if spaces.any(|space| !has_memory(program.processor, space)) {
        return Err(PipeError::Unsupported("memory that shaders of this stage lack"));
    }
    let properties = program.properties;
    if properties.is_set(Property::LayerViewportRelative) {
        return Err(PipeError::Unsupported(Property::LayerViewportRelative.name()));
    }
    if properties.is_set(Property::FsPostDepthCoverage) && !properties.early_depth_stencil() {
        return Err(PipeError::Invalid(
            "FS_POST_DEPTH_COVERAGE needs FS_EARLY_DEPTH_STENCIL: set both",
        ));
    }
    let value = |property| properties.value(property);
    if program.processor == Processor::Geometry
        && (value(Property::GsMaxOutputVertices) > draw::MAX_EMITTED
            || value(Property::GsInvocations) > draw::MAX_INVOCATIONS)
    {
        let what = "GS_MAX_OUTPUT_VERTICES or GS_INVOCATIONS exceeds its limit";
        return Err(PipeError::Invalid(what));
    }
    let mut values = program.system_values.iter().map(|value| value.semantic.name);
    let value = values.find(|name| !has_system_value(program.processor, *name));
    let mut outputs = program.outputs.iter().map(|output| output.semantic.name);
    let output = outputs.find(|name| *name == SemanticName::ViewportMask);
    match value.or(output) {
        Some(name) => Err(PipeError::Unsupported(name.name())),
        None => Ok(()),
    }
}

/// Returns true if programs of a stage have a kind of memory.
fn has_memory(stage: Processor, space: MemorySpace) -> bool {
    match space {
        MemorySpace::Buffer | MemorySpace::Image | MemorySpace::Counter | MemorySpace::Constant => {
            true
        }
        MemorySpace::ColorBuffer => stage == Processor::Fragment,
        MemorySpace::Shared
        | MemorySpace::Arguments
        | MemorySpace::Global
        | MemorySpace::Private => stage == Processor::Compute,
    }
}

/// Returns true if programs of a stage can read the system value (manual, TGSI, "Declaration
/// Semantic").
fn has_system_value(stage: Processor, name: SemanticName) -> bool {
    use SemanticName::*;
    match stage {
        Processor::Vertex => draw::is_vertex_system_value(name),
        Processor::Geometry => matches!(name, PrimitiveId | InvocationId),
        Processor::TessControl => matches!(
            name,
            PrimitiveId | InvocationId | VerticesIn | TessDefaultOuterLevel | TessDefaultInnerLevel
        ),
        Processor::TessEval => {
            matches!(name, PrimitiveId | VerticesIn | TessCoord | TessOuter | TessInner)
        }
        Processor::Compute => matches!(name, GridSize | BlockId | BlockSize | ThreadId | WorkDim),
        Processor::Fragment => matches!(
            name,
            Position
                | Face
                | HelperInvocation
                | SampleId
                | Layer
                | ViewportIndex
                | PrimitiveId
                | SamplePosition
                | SampleMask
        ),
    }
}

fn compile_error(error: CompileError) -> PipeError {
    let (what, position) = match error {
        CompileError::OutOfMemory(error) => return error.into(),
        CompileError::TooLarge { limit } => return PipeError::Invalid(limit.as_str()),
        CompileError::Operand { position, .. } => ("an operand that is not supported", position),
        CompileError::Nesting { position, .. } => ("control flow without a counterpart", position),
        CompileError::Depth { position, .. } => ("control flow nested too deep", position),
        _ => return PipeError::Invalid("the shader does not compile"),
    };
    PipeError::Shader { what, line: position.line, column: position.column }
}
