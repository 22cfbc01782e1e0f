//! Stream output: the outputs of the last vertex stage, written to buffers.
//!
//! A target is a range of a buffer and the offset at which writing continues. During a draw the
//! buffers' bytes are taken out of their resources, like surfaces that are drawn to. A primitive
//! that does not fit in every buffer is dropped, but counted. Only builds with the feature `stages`
//! stream.

use draw::Streamed;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::limits::MAX_SO_BUFFERS;
use pipe_core::{
    PipeError, Region, ResourceHandle, StreamOutput, StreamOutputInfo, StreamOutputTargetHandle,
};

use super::{check, object};
use crate::device::{Device, hold, pool_error, release, resource};
use crate::features::{Case, OfStages, Only, STAGES};
use crate::resource::{LevelBytes, Resource};

/// A range of a buffer.
#[derive(Clone, Copy, Debug)]
struct Target {
    resource: RawHandle,
    offset: u32,
    size: u32,
    /// Bytes written so far.
    written: u32,
    /// Bytes per vertex in the records of the last draw that wrote here.
    stride: u32,
}

/// The outputs that a shader streams.
#[derive(Debug)]
struct Info<'m> {
    shader: RawHandle,
    stride: [u16; MAX_SO_BUFFERS],
    outputs: Vec<'m, StreamOutput>,
}

/// The number of buffers that draws stream to.
const BUFFERS: usize = if STAGES { MAX_SO_BUFFERS } else { 0 };

/// Targets, and the outputs that shaders stream.
#[derive(Debug)]
pub(crate) struct StreamState<'m> {
    targets: OfStages<Pool<'m, Target>>,
    bound: [Option<RawHandle>; BUFFERS],
    infos: OfStages<Vec<'m, Info<'m>>>,
}

impl<'m> StreamState<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        StreamState {
            targets: Only::with(|| Pool::new_in(memory)),
            bound: [None; BUFFERS],
            infos: Only::with(|| Vec::new_in(memory)),
        }
    }

    fn target(&self, handle: RawHandle) -> Option<&Target> {
        self.targets.get().and_then(|targets| targets.get(handle))
    }

    fn target_mut(&mut self, handle: RawHandle) -> Option<&mut Target> {
        self.targets.get_mut().and_then(|targets| targets.get_mut(handle))
    }

    /// Returns the targets.
    ///
    /// # Errors
    /// The build has none.
    fn targets(&self) -> Result<&Pool<'m, Target>, PipeError> {
        self.targets.get().ok_or(PipeError::Unsupported("stream output"))
    }

    /// Returns the outputs that the shader with this number streams.
    fn info(&self, number: usize) -> Option<&Info<'m>> {
        self.infos.get().and_then(|infos| infos.get(number))
    }

    /// Stores the outputs that a shader streams.
    #[inline]
    pub(crate) fn add_shader(
        &mut self,
        shader: RawHandle,
        info: &StreamOutputInfo<'_>,
    ) -> Result<(), OutOfMemory> {
        let Some(infos) = self.infos.get_mut().filter(|_| !info.outputs.is_empty()) else {
            return Ok(());
        };
        let outputs = Vec::try_from_slice_in(info.outputs, infos.memory())?;
        infos.try_push(Info { shader, stride: info.stride, outputs })
    }

    /// Forgets a shader.
    #[inline(always)]
    pub(crate) fn remove_shader(&mut self, shader: RawHandle) {
        if let Some(infos) = self.infos.get_mut() {
            infos.retain(|info| info.shader != shader);
        }
    }

    /// Returns the resources that targets hold.
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        self.targets.iter().flat_map(Pool::iter).map(|(_, target)| target.resource)
    }

    /// Returns the resources that a draw writes to.
    pub(crate) fn written(&self) -> [Option<RawHandle>; BUFFERS] {
        self.bound.map(|bound| self.target(bound?).map(|target| target.resource))
    }

    /// Takes out the buffers that a draw streams to. `shader` is the draw's last vertex stage.
    /// Returns `None` if it streams nothing.
    #[inline]
    pub(crate) fn capture(
        &self,
        shader: Option<RawHandle>,
        resources: &mut Pool<'m, Resource<'m>>,
    ) -> Option<Capture<'m>> {
        let mut infos = self.infos.get()?.iter();
        let info = infos.position(|info| Some(info.shader) == shader)?;
        let mut case = Case::with(|| Captured {
            info,
            levels: heapless::Vec::new(),
            buffers: [const { None }; MAX_SO_BUFFERS],
            streamed: Streamed::default(),
        })?;
        let capture = case.get_mut()?;
        for (buffer, bound) in capture.buffers.iter_mut().zip(self.bound) {
            let Some(target) = bound.and_then(|bound| self.target(bound)) else { continue };
            let taken = capture.levels.iter().position(|level| level.resource == target.resource);
            let level = match taken {
                Some(level) => level,
                None => {
                    let taken = resources.get_mut(target.resource).and_then(|r| r.take_level(0));
                    let Some(bytes) = taken else { continue };
                    let level = Level { resource: target.resource, bytes };
                    let _ = capture.levels.push(level);
                    capture.levels.len() - 1
                }
            };
            let first = target.offset as usize;
            let (at, end) = (first + target.written as usize, first + target.size as usize);
            *buffer = Some(Buffer { level, first, at, end });
        }
        Some(Capture(case))
    }

    /// Stores the offsets at which writing continues.
    ///
    /// Returns the number of primitives that were written, and the number that would have been
    /// written with enough room.
    pub(crate) fn finish(&mut self, Capture(case): &Capture<'m>) -> Streamed {
        let Some(capture) = case.get() else { return Streamed::default() };
        let strides = self.info(capture.info).map_or([0; MAX_SO_BUFFERS], |info| info.stride);
        for ((buffer, bound), stride) in capture.buffers.iter().zip(self.bound).zip(strides) {
            if let Some(buffer) = buffer
                && let Some(target) = bound.and_then(|bound| self.target_mut(bound))
            {
                target.written = (buffer.at as u32).saturating_sub(target.offset);
                target.stride = 4 * u32::from(stride);
            }
        }
        capture.streamed
    }

    /// Returns the outputs and strides of a capture.
    pub(crate) fn streamed(&self, capture: &Capture<'m>) -> StreamOutputInfo<'_> {
        let info = capture.0.get().and_then(|capture| self.info(capture.info));
        info.map_or(StreamOutputInfo::NONE, |info| StreamOutputInfo {
            stride: info.stride,
            outputs: &info.outputs,
        })
    }

    /// Returns the number of vertices that were written to a target.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn vertices(&self, handle: StreamOutputTargetHandle) -> Result<u32, PipeError> {
        let target = object(self.targets()?, handle)?;
        Ok(target.written.checked_div(target.stride).unwrap_or(0))
    }

    /// Returns the offset in a target at which writing continues.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn offset(&self, handle: StreamOutputTargetHandle) -> Result<u32, PipeError> {
        object(self.targets()?, handle).map(|target| target.written)
    }

    /// Makes a target.
    ///
    /// # Errors
    /// The handle is stale; user memory; a range beyond the buffer; out of memory.
    pub(crate) fn create(
        &mut self,
        device: &Device<'m>,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        let mut shared = device.shared.lock();
        let buffer = resource(&shared.resources, handle)?;
        if !buffer.is_writable() {
            return Err(PipeError::Unsupported("writing to user memory"));
        }
        let length = buffer.template.width0;
        if offset.checked_add(size).is_none_or(|end| end > length) {
            let region = Region::bytes(offset, size);
            return Err(PipeError::RegionOutOfRange { region, size: [length, 1, 1] });
        }
        let target = Target { resource: handle.raw(), offset, size, written: 0, stride: 0 };
        let targets = self.targets.get_mut().ok_or(PipeError::Unsupported("stream output"))?;
        let target = targets.insert(target).map_err(pool_error)?;
        hold(&mut shared.resources, handle.raw());
        Ok(StreamOutputTargetHandle::new(target))
    }

    /// Destroys a target.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn destroy(
        &mut self,
        device: &Device<'m>,
        handle: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        let target = self.targets.get_mut().and_then(|targets| targets.remove(handle.raw()));
        let target = target.ok_or_else(|| PipeError::stale(handle))?;
        for bound in &mut self.bound {
            *bound = bound.filter(|bound| *bound != handle.raw());
        }
        release(&mut device.shared.lock().resources, target.resource);
        Ok(())
    }

    /// Binds targets. Writing continues at an offset, or where it stopped.
    ///
    /// # Errors
    /// A handle is stale.
    pub(crate) fn bind(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        for target in targets {
            check(self.targets()?, *target)?;
        }
        self.bound = [None; BUFFERS];
        let offsets = offsets.iter().copied().chain(core::iter::repeat(None));
        for ((slot, target), offset) in self.bound.iter_mut().zip(targets).zip(offsets) {
            *slot = target.map(StreamOutputTargetHandle::raw);
            if let Some(target) = slot.and_then(|raw| self.targets.get_mut()?.get_mut(raw))
                && let Some(offset) = offset
            {
                target.written = offset.min(target.size);
            }
        }
        Ok(())
    }
}

/// A buffer's bytes while a draw writes to them.
#[derive(Debug)]
struct Level<'m> {
    resource: RawHandle,
    bytes: LevelBytes<'m>,
}

/// The rest of a target: its level and byte offsets in the level.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    level: usize,
    first: usize,
    at: usize,
    end: usize,
}

/// The buffers of one draw.
#[derive(Debug)]
pub(crate) struct Capture<'m>(Case<Captured<'m>, { STAGES as usize }>);

#[derive(Debug)]
struct Captured<'m> {
    info: usize,
    levels: heapless::Vec<Level<'m>, MAX_SO_BUFFERS>,
    buffers: [Option<Buffer>; MAX_SO_BUFFERS],
    streamed: Streamed,
}

impl<'m> Capture<'m> {
    /// Puts the buffers back.
    #[inline]
    pub(crate) fn put_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        if let Some(captured) = self.0.get_mut() {
            captured.put_back(resources);
        }
    }

    /// Writes the vertices of one primitive of `stream`.
    #[inline]
    pub(crate) fn primitive(
        &mut self,
        stream: u8,
        info: &StreamOutputInfo<'_>,
        vertices: &[&[[f32; 4]]],
    ) {
        if let Some(captured) = self.0.get_mut() {
            captured.primitive(stream, info, vertices);
        }
    }
}

impl<'m> Captured<'m> {
    fn put_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        let handles: heapless::Vec<RawHandle, MAX_SO_BUFFERS> =
            self.levels.iter().map(|level| level.resource).collect();
        for level in core::mem::take(&mut self.levels) {
            if let Some(resource) = resources.get_mut(level.resource) {
                resource.put_level(0, level.bytes);
            }
        }
        for buffer in self.buffers.iter().flatten() {
            let written = handles.get(buffer.level).and_then(|handle| resources.get_mut(*handle));
            if let Some(resource) = written {
                resource.drop_absent(0, buffer.first..buffer.at);
            }
        }
    }

    fn primitive(&mut self, stream: u8, info: &StreamOutputInfo<'_>, vertices: &[&[[f32; 4]]]) {
        if let Some(needed) = self.streamed.needed.get_mut(usize::from(stream)) {
            *needed += 1;
        }
        let records = info.stride.map(|stride| 4 * usize::from(stride));
        let of_stream = || info.outputs.iter().filter(|output| output.stream == stream);
        let writes =
            |buffer: usize| of_stream().any(|output| usize::from(output.output_buffer) == buffer);
        for (buffer, record) in records.iter().enumerate().filter(|(buffer, _)| writes(*buffer)) {
            let fits = self.buffers.get(buffer).copied().flatten().is_some_and(|buffer| {
                buffer.end.saturating_sub(buffer.at) >= record * vertices.len()
            });
            if !fits {
                return;
            }
        }
        if let Some(emitted) = self.streamed.emitted.get_mut(usize::from(stream)) {
            *emitted += 1;
        }
        for outputs in vertices {
            for output in of_stream() {
                let buffer = self.buffers.get(usize::from(output.output_buffer)).copied().flatten();
                let Some(buffer) = buffer else { continue };
                let Some(level) = self.levels.get_mut(buffer.level) else { continue };
                let bytes = level.bytes.as_mut_slice();
                let value = outputs.get(usize::from(output.register_index)).copied();
                let first = usize::from(output.start_component);
                let words = value.unwrap_or_default();
                let words = words.iter().skip(first).take(output.num_components.into());
                let start = buffer.at + 4 * usize::from(output.dst_offset);
                for (word, at) in words.zip((start..).step_by(4)) {
                    if let Some(bytes) = bytes.get_mut(at..at + 4) {
                        bytes.copy_from_slice(&word.to_bits().to_le_bytes());
                    }
                }
            }
            for (index, (buffer, record)) in self.buffers.iter_mut().zip(records).enumerate() {
                if let Some(buffer) = buffer.as_mut().filter(|_| writes(index)) {
                    buffer.at += record;
                }
            }
        }
    }
}
