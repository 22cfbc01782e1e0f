//! The reasons for which a draw can end early.

use os_shim::memory::OutOfMemory;
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
