//! Shaders as the driver keeps them: lane programs, compiled here or at build time.

use os_shim::memory::Memory;
use pipe_core::{PipeError, ShaderSource};
use tgsi::program::Program;

/// A shader of any stage.
#[derive(Debug)]
pub(crate) enum Shader<'m> {
    /// From text or tokens, compiled when the state object was created.
    #[cfg(feature = "compile")]
    Compiled(tgsi::compile::Compiled<'m>),
    /// Compiled while Rust compiled, by `tgsi!`.
    Program(&'m Program<'m>),
}

/// The fragment stage's shader.
pub(crate) type FragmentShader<'m> = Shader<'m>;

impl<'m> Shader<'m> {
    /// Makes a shader of what the frontend hands over.
    ///
    /// # Errors
    /// Text that does not parse or tokens that do not decode, with the place; programs that are
    /// not sound; out of memory; text or tokens when the feature `compile` is off.
    pub(crate) fn new(source: &ShaderSource<'_, 'm>, memory: Memory<'m>) -> Result<Self, PipeError> {
        match *source {
            ShaderSource::Program(program) => {
                program.validate().map_err(|_| PipeError::Invalid("a lane program that is not sound"))?;
                Ok(Shader::Program(program))
            }
            _ => Self::compile(source, memory),
        }
    }

    #[cfg(not(feature = "compile"))]
    fn compile(_: &ShaderSource<'_, 'm>, _: Memory<'m>) -> Result<Self, PipeError> {
        Err(PipeError::Unsupported("shaders as text or tokens (feature `compile` is off)"))
    }

    #[cfg(feature = "compile")]
    fn compile(source: &ShaderSource<'_, 'm>, memory: Memory<'m>) -> Result<Self, PipeError> {
        use tgsi::compile::{CompileOptions, compile};
        let shader = match *source {
            ShaderSource::Text(text) => tgsi::text::parse(text, memory).map_err(|error| {
                PipeError::Shader {
                    what: "the text does not parse",
                    line: error.line(),
                    column: error.column(),
                }
            })?,
            _ => return Err(PipeError::Unsupported("shaders as tokens")),
        };
        let compiled = compile(&shader, &CompileOptions::default(), memory)
            .map_err(|_| PipeError::Invalid("a shader that does not compile"))?;
        Ok(Shader::Compiled(compiled))
    }

    /// The lane program.
    #[inline]
    pub(crate) fn program(&self) -> Program<'_> {
        match self {
            #[cfg(feature = "compile")]
            Shader::Compiled(compiled) => compiled.program(),
            Shader::Program(program) => **program,
        }
    }
}
