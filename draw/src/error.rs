//! What can stop a draw.

use os_shim::memory::OutOfMemory;
use tgsi::exec::ExecError;

/// Why a draw ended early. What was drawn until then stays drawn.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError<E> {
    /// The first draw of a kind could not get its buffers. Nothing was drawn.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The vertex shader could not be run.
    #[error("vertex shader: {0}")]
    Shader(ExecError),
    /// Patches need a tessellation shader.
    #[error("patches without tessellation")]
    Patches,
    /// The vertex shader has no `POSITION` output.
    #[error("the vertex shader writes no position")]
    NoPosition,
    /// More outputs than the pipeline can name.
    #[error("vertex shader output {register} is beyond the last possible one, 63")]
    TooManyOutputs {
        /// The register.
        register: u16,
    },
    /// A vertex element's format is not one attributes can have.
    #[error("vertex element {element} has a format that is not for vertices")]
    VertexFormat {
        /// The element.
        element: usize,
    },
    /// The sink made room twice for one primitive and still could not take it.
    #[error("the sink has no room for a single primitive")]
    NoRoom,
    /// The sink failed.
    #[error("the sink failed")]
    Sink(E),
}
