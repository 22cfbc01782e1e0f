//! The reasons why a draw can end early.

use crate::features::STAGES;
use crate::limits::MAX_OUTPUTS;
use formats::Format;
use os_shim::memory::OutOfMemory;
use pipe_core::PipeError;
use tgsi::exec::ExecError;

/// The reason why a draw ended early. Primitives already passed to the sink stay drawn.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError<E> {
    /// The draw needs larger buffers than earlier draws, and there is no memory. Nothing was drawn.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A shader of a vertex stage could not be run: see [`ExecError`].
    #[error("a shader of a vertex stage cannot be run: {0}")]
    Shader(ExecError),
    /// The draw has patches but no tessellation evaluation shader, or the shader but no patches.
    #[error(
        "patches need a tessellation evaluation shader, and it needs patches: bind or unbind it"
    )]
    Patches,
    /// The draw has restarts, or primitives other than a list of triangles, and the build does not
    /// support them.
    #[error("primitives other than lists of triangles need the feature `primitive-types`")]
    PrimitiveTypes,
    /// The geometry shader reads another kind of primitive than the draw has.
    #[error(
        "the geometry shader's GS_INPUT_PRIMITIVE has another number of vertices than the draw's primitives"
    )]
    GeometryInput,
    /// Primitives are to be drawn, but the vertex shader has no `POSITION` output.
    #[error("the vertex shader has no POSITION output: declare one, or set rasterizer_discard")]
    NoPosition,
    /// The vertex shader has an output register beyond the last possible one.
    #[error("the vertex shader writes OUT[{register}], but the last possible output is OUT[63]")]
    TooManyOutputs {
        /// The number of the register.
        register: u16,
    },
    /// [`is_attribute`](crate::is_attribute) is false for the format of a vertex element.
    #[error("vertex element {element} has the format {format:?}, which attributes cannot have")]
    VertexFormat {
        /// The number of the element.
        element: usize,
        /// Its format.
        format: Format,
    },
    /// The [resources](tgsi::exec::Resources::stopped) stopped the draw.
    #[error("the draw was stopped")]
    Stopped,
    /// The sink made room for a primitive and still could not take it.
    #[error("the sink has no room for a single primitive: give it more memory")]
    NoRoom,
    /// The sink failed with its own error.
    #[error("the primitive sink failed")]
    Sink(E),
}

impl From<DrawError<PipeError>> for PipeError {
    fn from(error: DrawError<PipeError>) -> Self {
        match error {
            DrawError::OutOfMemory(error) => error.into(),
            DrawError::Sink(error) => error,
            DrawError::Shader(ExecError::Budget { limit }) => Self::OutOfRange {
                what: "the turns of a vertex stage's loops",
                value: u64::from(limit) + 1,
                limit: limit.into(),
            },
            DrawError::Shader(_) => Self::Invalid("a vertex stage's shader cannot run"),
            // Without stages after the vertex shader, patches are the only input that can be wrong.
            DrawError::Patches | DrawError::GeometryInput if !STAGES => {
                Self::Unsupported("patches")
            }
            DrawError::Patches => {
                Self::Invalid("patches need a tessellation evaluation shader, and it needs patches")
            }
            DrawError::GeometryInput => Self::Invalid("the geometry shader reads other primitives"),
            DrawError::PrimitiveTypes => Self::Unsupported(
                "primitives other than lists of triangles (the feature `primitive-types` has them)",
            ),
            DrawError::NoPosition => Self::Invalid("the vertex shader writes no POSITION"),
            DrawError::TooManyOutputs { register } => Self::OutOfRange {
                what: "the vertex shader's last output",
                value: register.into(),
                limit: u64::from(MAX_OUTPUTS) - 1,
            },
            DrawError::VertexFormat { format, .. } => {
                Self::UnsupportedFormat { format, usage: "a vertex attribute" }
            }
            DrawError::NoRoom => Self::Invalid("the scene buffer cannot hold one primitive"),
            DrawError::Stopped => Self::Invalid("the draw was stopped"),
        }
    }
}
