//! Stream output: writes the outputs of the last vertex stage to buffers, primitive by primitive.

use std::sync::Arc;

use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::StreamOutputs;
use pipe_core::limits::MAX_SO_BUFFERS;
use pipe_core::{PipeError, Region, ResourceHandle, StreamOutput, StreamOutputTargetHandle};

use super::{Context, bind_range, object, refuse};
use crate::resource::Resource;
use crate::streamed::Streamed;

/// A range of a buffer.
#[derive(Clone, Debug)]
struct StreamTarget<'m> {
    resource: Arc<Resource<'m>>,
    /// In bytes.
    offset: u32,
    /// In bytes.
    size: u32,
    /// Number of bytes written so far.
    written: u32,
    /// Bytes per vertex, from the last draw that wrote.
    stride: u32,
}

/// The targets of a context, and which of them are bound.
#[derive(Debug)]
pub(super) struct StreamState<'m> {
    targets: Pool<'m, StreamTarget<'m>>,
    bound: [Option<RawHandle>; MAX_SO_BUFFERS],
}

impl<'m> StreamState<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        StreamState { targets: Pool::new_in(memory), bound: [None; MAX_SO_BUFFERS] }
    }

    /// Returns the number of vertices written to a target.
    ///
    /// # Errors
    /// The handle is stale.
    pub(super) fn vertices(&self, handle: StreamOutputTargetHandle) -> Result<u32, PipeError> {
        let target = object(&self.targets, handle)?;
        Ok(target.written.checked_div(target.stride).unwrap_or(0))
    }

    /// Writes the vertices of a primitive to the targets of a vertex stream. Returns false, and
    /// writes nothing, if a target has no room.
    pub(super) fn write(
        &mut self,
        streamed: &Streamed<'_>,
        stream: u8,
        vertices: &[&[[f32; 4]]],
    ) -> bool {
        let used = || (0..MAX_SO_BUFFERS).filter(|target| streamed.writes(stream, *target));
        for index in used() {
            let size = streamed.record(index) as usize * vertices.len();
            let room = self.bound[index]
                .and_then(|raw| self.targets.get(raw))
                .map(|target| target.size.saturating_sub(target.written) as usize);
            if room.is_none_or(|room| room < size) {
                return false;
            }
        }
        for outputs in vertices {
            for output in streamed.outputs(stream) {
                self.write_output(output, outputs);
            }
            for index in used() {
                if let Some(target) = self.bound[index].and_then(|raw| self.targets.get_mut(raw)) {
                    target.stride = streamed.record(index);
                    target.written += target.stride;
                }
            }
        }
        true
    }

    /// Writes one output of a vertex to the current record of its target.
    fn write_output(&self, output: &StreamOutput, outputs: &[[f32; 4]]) {
        let bound = self.bound.get(usize::from(output.output_buffer)).copied().flatten();
        let Some(target) = bound.and_then(|raw| self.targets.get(raw)) else { return };
        let register = outputs.get(usize::from(output.register_index)).copied().unwrap_or_default();
        let start = (target.offset + target.written) as usize + 4 * usize::from(output.dst_offset);
        let words = register.iter().skip(usize::from(output.start_component));
        for (word, at) in words.take(output.num_components.into()).zip((start..).step_by(4)) {
            // Targets are only created on writable buffers.
            let _ = target.resource.write(|bytes| {
                if let Some(bytes) = bytes.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&word.to_bits().to_le_bytes());
                }
            });
        }
    }
}

impl StreamOutputs for Context<'_, '_> {
    fn create_stream_output_target(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        let resource = self.device.resource(handle)?;
        refuse(!resource.is_writable(), "writing to user memory")?;
        let length = resource.template.width0;
        if offset.checked_add(size).is_none_or(|end| end > length) {
            let region = Region::bytes(offset, size);
            return Err(PipeError::RegionOutOfRange { region, size: [length, 1, 1] });
        }
        let target = StreamTarget { resource, offset, size, written: 0, stride: 0 };
        Ok(StreamOutputTargetHandle::new(self.streams.targets.insert(target)?))
    }

    fn stream_output_target_destroy(
        &mut self,
        handle: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        object(&self.streams.targets, handle)?;
        for slot in &mut self.streams.bound {
            *slot = slot.filter(|bound| *bound != handle.raw());
        }
        self.streams.targets.remove(handle.raw());
        Ok(())
    }

    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let mut bound = [None; MAX_SO_BUFFERS];
        let StreamState { targets: pool, bound: slots } = &mut self.streams;
        bind_range("stream output targets", pool, &mut bound, 0, targets)?;
        *slots = bound;
        for (slot, offset) in bound.iter().zip(offsets) {
            if let Some(target) = slot.and_then(|raw| pool.get_mut(raw))
                && let Some(offset) = offset
            {
                target.written = (*offset).min(target.size);
            }
        }
        Ok(())
    }

    fn stream_output_target_offset(
        &mut self,
        handle: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        object(&self.streams.targets, handle).map(|target| target.written)
    }
}
