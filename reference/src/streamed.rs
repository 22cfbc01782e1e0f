//! The layout of stream output, stored with its shader.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::limits::MAX_SO_BUFFERS;
use pipe_core::{StreamOutput, StreamOutputInfo};

/// The outputs that a shader writes to stream output.
#[derive(Debug)]
pub(crate) struct Streamed<'m> {
    stride: [u16; MAX_SO_BUFFERS],
    outputs: Vec<'m, StreamOutput>,
}

impl<'m> Streamed<'m> {
    /// Copies a layout.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new(
        info: &StreamOutputInfo<'_>,
        memory: Memory<'m>,
    ) -> Result<Self, OutOfMemory> {
        let outputs = Vec::try_from_slice_in(info.outputs, memory)?;
        Ok(Streamed { stride: info.stride, outputs })
    }

    /// Returns true if there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Iterates over the outputs of a vertex stream.
    pub(crate) fn outputs(&self, stream: u8) -> impl Iterator<Item = &StreamOutput> {
        self.outputs.iter().filter(move |output| output.stream == stream)
    }

    /// Returns true if an output of a vertex stream goes to a target.
    pub(crate) fn writes(&self, stream: u8, target: usize) -> bool {
        self.outputs(stream).any(|output| usize::from(output.output_buffer) == target)
    }

    /// Returns the size of a vertex's record in a target, in bytes.
    pub(crate) fn record(&self, target: usize) -> u32 {
        4 * u32::from(self.stride.get(target).copied().unwrap_or(0))
    }
}
