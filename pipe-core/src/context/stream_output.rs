//! Stream output (manual, chapter Context, "Stream output targets").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, StreamOutputTargetHandle};

/// Stream output, also known as transform feedback: writes vertices to buffers.
///
/// A target is a range of a buffer; primitives that do not fit are dropped whole. The target counts
/// the bytes written to it, so that a draw can take its vertex count from it.
pub trait StreamOutputs {
    /// Creates a target of `size` bytes at `offset` bytes of a buffer.
    ///
    /// # Errors
    /// The resource is stale, the range is not within it, or [`PipeError::Unsupported`].
    fn create_stream_output_target(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        let _ = (resource, offset, size);
        unsupported("stream output")
    }

    /// Destroys a target.
    ///
    /// # Errors
    /// The handle is stale.
    fn stream_output_target_destroy(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        Err(PipeError::stale(target))
    }

    /// Binds all targets; fewer targets than before unbind the rest. Writes to target i continue at
    /// `offsets[i]` bytes, or with `None` after the earlier writes.
    ///
    /// # Errors
    /// A handle is stale, there are more than `MAX_SO_BUFFERS`, or [`PipeError::Unsupported`].
    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let _ = offsets;
        if targets.iter().all(Option::is_none) { Ok(()) } else { unsupported("stream output") }
    }

    /// Returns the number of bytes written to a target so far.
    ///
    /// # Errors
    /// The handle is stale.
    fn stream_output_target_offset(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        Err(PipeError::stale(target))
    }
}
