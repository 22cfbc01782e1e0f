//! The reasons for which a draw can end early.

use os_shim::memory::OutOfMemory;
use pipe_core::PipeError;
use tgsi::exec::ExecError;

/// The reason for which a draw ended early. Primitives handed over before stay drawn.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError<E> {
    /// A draw needs larger buffers than those before, and there is no memory. Nothing was drawn.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The vertex shader could not be run: see [`ExecError`].
    #[error("the vertex shader cannot be run: {0}")]
    Shader(ExecError),
    /// Patches need a tessellation shader.
    #[error("patches need tessellation shaders, which Draw does not have: draw other primitives")]
    Patches,
    /// The vertex shader has no `POSITION` output, although primitives are to be drawn.
    #[error("the vertex shader has no POSITION output: declare one, or set rasterizer_discard")]
    NoPosition,
    /// The vertex shader has an output register beyond the last possible one.
    #[error("the vertex shader writes OUT[{register}], but the last possible output is OUT[63]")]
    TooManyOutputs {
        /// The number of the register.
        register: u16,
    },
    /// A vertex element has a format for which [`is_attribute`](crate::is_attribute) is false.
    #[error(
        "vertex element {element} has a format that vertex attributes cannot have: see is_attribute"
    )]
    VertexFormat {
        /// The number of the element.
        element: usize,
    },
    /// The [resources](tgsi::exec::Resources::stopped) stopped the draw.
    #[error("the draw was stopped")]
    Stopped,
    /// The sink made room for a primitive and still could not take it.
    #[error("the sink has no room for a single primitive: give it more memory")]
    NoRoom,
    /// The sink failed with an error of its own.
    #[error("the primitive sink failed")]
    Sink(E),
}

impl From<DrawError<PipeError>> for PipeError {
    fn from(error: DrawError<PipeError>) -> Self {
        match error {
            DrawError::OutOfMemory(error) => error.into(),
            DrawError::Sink(error) => error,
            DrawError::Shader(_) => Self::Invalid("a vertex shader that does not run"),
            DrawError::Patches => Self::Unsupported("patches"),
            DrawError::NoPosition => Self::Invalid("a vertex shader that writes no position"),
            DrawError::TooManyOutputs { .. } => Self::Unsupported("more than 64 vertex outputs"),
            DrawError::VertexFormat { .. } => Self::Unsupported("a vertex element's format"),
            DrawError::NoRoom => Self::Invalid("a scene buffer too small for one primitive"),
            DrawError::Stopped => Self::Invalid("a draw"),
        }
    }
}
