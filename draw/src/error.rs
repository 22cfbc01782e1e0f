//! The reasons for which a draw can end early.

use crate::features::STAGES;
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
    /// A shader of a vertex stage could not be run: see [`ExecError`].
    #[error("a shader of a vertex stage cannot be run: {0}")]
    Shader(ExecError),
    /// Patches need a tessellation evaluation shader, which reads nothing else.
    #[error(
        "patches need a tessellation evaluation shader, and it needs patches: bind or unbind it"
    )]
    Patches,
    /// The draw has other primitives than a list of triangles, or restarts, and the build lacks them.
    #[error("primitives other than lists of triangles need the feature `primitive-types`")]
    PrimitiveTypes,
    /// The geometry shader reads primitives of another kind than the draw has.
    #[error(
        "the geometry shader's GS_INPUT_PRIMITIVE has another number of vertices than the draw's primitives"
    )]
    GeometryInput,
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
            DrawError::Shader(_) => Self::Invalid("a shader of a vertex stage that does not run"),
            // Without stages after the vertex shader, patches are the only input that does not fit.
            DrawError::Patches | DrawError::GeometryInput if !STAGES => {
                Self::Unsupported("patches")
            }
            DrawError::Patches => Self::Invalid(
                "patches without a tessellation evaluation shader, or no patches with one",
            ),
            DrawError::GeometryInput => {
                Self::Invalid("primitives that the geometry shader does not read")
            }
            DrawError::PrimitiveTypes => Self::Unsupported(
                "primitives other than lists of triangles (the feature `primitive-types` has them)",
            ),
            DrawError::NoPosition => Self::Invalid("a vertex shader that writes no position"),
            DrawError::TooManyOutputs { .. } => Self::Unsupported("more than 64 vertex outputs"),
            DrawError::VertexFormat { .. } => Self::Unsupported("a vertex element's format"),
            DrawError::NoRoom => Self::Invalid("a scene buffer too small for one primitive"),
            DrawError::Stopped => Self::Invalid("a draw"),
        }
    }
}
