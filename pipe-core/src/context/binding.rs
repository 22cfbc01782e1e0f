//! Binding of buffers and surfaces (manual, chapter Context, "Resource Binding State").

use core::fmt;

use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::shader::ShaderType;
use crate::state::{FramebufferState, VertexBuffer};

/// The memory of a constant buffer. `pipe_constant_buffer`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ConstantBuffer<'a> {
    /// A range of a buffer resource.
    Resource {
        /// The buffer resource.
        resource: ResourceHandle,
        /// Offset of the range, in bytes.
        buffer_offset: u32,
        /// Size of the range, in bytes.
        buffer_size: u32,
    },
    /// User memory, copied before the call returns.
    User(&'a [u8]),
}

impl fmt::Debug for ConstantBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource { resource, buffer_offset, buffer_size } => {
                write!(f, "{buffer_size} bytes at {buffer_offset} of {resource:?}")
            }
            Self::User(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

/// Binding of the buffers and surfaces that draws use.
pub trait ResourceBinding {
    /// Binds constant buffer `index` of a stage; `None` unbinds. Shaders read 0 beyond its end.
    ///
    /// # Errors
    /// The resource is stale, `index` is beyond `MAX_CONSTANT_BUFFERS`, or there is no memory for a
    /// copy.
    fn set_constant_buffer(
        &mut self,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError>;

    /// Binds the attachments that draws write to.
    ///
    /// # Errors
    /// A surface is stale, or the driver cannot draw to this combination of attachments.
    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError>;

    /// Binds vertex buffers to slots `start..`; `None` unbinds a slot, other slots stay.
    ///
    /// # Errors
    /// A resource is stale, or a slot is beyond `MAX_ATTRIBS`; then nothing changes.
    fn set_vertex_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError>;
}
