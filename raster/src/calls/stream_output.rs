//! Stream output: the outputs of the last vertex stage, written to buffers.

use pipe_core::context::StreamOutputs;
#[cfg(feature = "stages")]
use pipe_core::{PipeError, ResourceHandle, StreamOutputTargetHandle, limits::MAX_SO_BUFFERS};

use crate::context::Context;
use crate::profile::Profile;

#[cfg(not(feature = "stages"))]
impl<P: Profile> StreamOutputs for Context<'_, '_, P> {}

#[cfg(feature = "stages")]
impl<P: Profile> StreamOutputs for Context<'_, '_, P> {
    fn create_stream_output_target(
        &mut self,
        buffer: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        self.graphics()?;
        self.state.streams.create(self.renderer.device, buffer, offset, size)
    }

    fn stream_output_target_destroy(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        self.state.streams.destroy(self.renderer.device, target)
    }

    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let count = targets.len() as u64;
        PipeError::at_most("stream output targets", count, MAX_SO_BUFFERS as u64)?;
        self.state.streams.bind(targets, offsets)
    }

    fn stream_output_target_offset(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        self.state.streams.offset(target)
    }
}
