//! Draws and dispatches.

use pipe_core::{
    DrawIndirect, DrawInfo, DrawStartCount, GridInfo, IndexBuffer, PipeError, ResourceHandle,
    VertexBuffer,
};
use wgpu_hal::MAX_VERTEX_BUFFERS;
use wgpu_types::IndexFormat;

use crate::buffer::Buffer;
use crate::command::Part;
use crate::pipeline::RenderPipeline;
use crate::run::Run;

/// The vertex and index buffers of the current pass.
#[derive(Default)]
pub(super) struct Inputs<'c> {
    vertices: [Option<(&'c Buffer, u32)>; MAX_VERTEX_BUFFERS],
    are_dirty: bool,
    pub(super) index: Option<(&'c Buffer, u32, IndexFormat)>,
}

impl<'c> Inputs<'c> {
    pub(super) fn set(&mut self, index: u32, buffer: &'c Buffer, offset: u32) {
        if let Some(slot) = self.vertices.get_mut(index as usize) {
            *slot = Some((buffer, offset));
            self.are_dirty = true;
        }
    }
}

/// Returns the bytes of an index.
fn index_size(format: IndexFormat) -> u8 {
    match format {
        IndexFormat::Uint16 => 2,
        IndexFormat::Uint32 => 4,
    }
}

impl<'c> Run<'c> {
    /// Binds what changed since the last draw. Returns false if there is nothing to draw with.
    fn prepare(&mut self) -> Result<bool, PipeError> {
        let Some(pipeline) = self.pipeline.map(RenderPipeline::state) else { return Ok(false) };
        let is_bound = self.bound.is_some_and(|bound| bound.elements == pipeline.elements);
        if !is_bound {
            let context = &mut *self.context;
            context.bind_vs_state(Some(pipeline.vertex.handle))?;
            context.bind_fs_state(Some(pipeline.fragment_handle))?;
            context.bind_vertex_elements_state(Some(pipeline.elements))?;
            context.bind_rasterizer_state(Some(pipeline.rasterizer))?;
            context.bind_depth_stencil_alpha_state(Some(pipeline.depth_stencil))?;
            context.bind_blend_state(Some(pipeline.blend))?;
            context.set_sample_mask(pipeline.sample_mask);
            self.bound = Some(pipeline);
            self.inputs.are_dirty = true;
            self.bindings.touch_immediates();
        }
        if std::mem::take(&mut self.inputs.are_dirty) {
            let mut buffers = [None; MAX_VERTEX_BUFFERS];
            let slots = buffers.iter_mut().zip(&self.inputs.vertices).zip(&pipeline.strides);
            for ((slot, buffer), &stride) in slots {
                if let Some((buffer, buffer_offset)) = *buffer {
                    let resource = buffer.resource()?;
                    *slot = Some(VertexBuffer { resource, stride, buffer_offset });
                }
            }
            let used = buffers.get(..pipeline.strides.len()).unwrap_or(&buffers);
            self.context.set_vertex_buffers(0, used)?;
        }
        let fragment = pipeline.fragment.as_ref();
        self.apply_bindings([
            pipeline.vertex.immediates,
            fragment.and_then(|program| program.immediates),
            None,
        ])?;
        Ok(true)
    }

    /// Draws vertices, or with `base_vertex` indices.
    pub(super) fn draw(&mut self, part: Part, base_vertex: Option<i32>) -> Result<(), PipeError> {
        if part.count == 0 || part.instance_count == 0 || !self.prepare()? {
            return Ok(());
        }
        self.draw_prepared(part, base_vertex)
    }

    fn draw_prepared(&mut self, part: Part, base_vertex: Option<i32>) -> Result<(), PipeError> {
        let Some(pipeline) = self.pipeline.map(RenderPipeline::state) else { return Ok(()) };
        let mut info = DrawInfo {
            start_instance: part.first_instance,
            instance_count: part.instance_count,
            ..DrawInfo::new(pipeline.mode)
        };
        let mut start = part.first;
        if base_vertex.is_some() {
            let Some((buffer, offset, format)) = self.inputs.index else { return Ok(()) };
            let size = index_size(format);
            let index = IndexBuffer::resource(buffer.resource()?, size);
            start = start.saturating_add(offset / u32::from(size));
            info.primitive_restart = pipeline.restarts;
            info.restart_index = index.max_index();
            info.index = Some(index);
        }
        let index_bias = base_vertex.unwrap_or(0);
        let draw = DrawStartCount { start, count: part.count, index_bias };
        self.context.draw_vbo(&info, None, &[draw])
    }

    /// Draws records of a buffer. `limit` is a buffer with the number of records.
    pub(super) fn draw_indirect(
        &mut self,
        is_indexed: bool,
        (buffer, offset): (&Buffer, u32),
        count: u32,
        limit: Option<(&Buffer, u32)>,
    ) -> Result<(), PipeError> {
        let mut count = count;
        if let Some((buffer, offset)) = limit {
            let word = self.read(buffer, offset, 4)?;
            count = count.min(DrawIndirect::word(&word, 0));
        }
        let size = if is_indexed { 20 } else { 16 };
        let bytes = count.saturating_mul(size).min(buffer.size().saturating_sub(offset));
        if bytes == 0 || !self.prepare()? {
            return Ok(());
        }
        let records = self.read(buffer, offset, bytes)?;
        for record in records.chunks_exact(size as usize) {
            let word = |at: usize| DrawIndirect::word(record, at);
            let (base_vertex, first_instance) = match is_indexed {
                true => (Some(word(12) as i32), word(16)),
                false => (None, word(12)),
            };
            let part =
                Part { first: word(8), count: word(0), first_instance, instance_count: word(4) };
            if part.count > 0 && part.instance_count > 0 {
                self.machine.grant();
                self.draw_prepared(part, base_vertex)?;
            }
        }
        Ok(())
    }

    /// Runs workgroups of the current compute pipeline.
    pub(super) fn dispatch(
        &mut self,
        grid: [u32; 3],
        indirect: Option<(ResourceHandle, u32)>,
    ) -> Result<(), PipeError> {
        let Some(pipeline) = self.compute else { return Ok(()) };
        if grid.contains(&0) {
            return Ok(());
        }
        let program = pipeline.program();
        self.apply_bindings([None, None, program.immediates])?;
        let info =
            GridInfo { block: program.workgroup_size, grid, indirect, ..GridInfo::default() };
        self.context.launch_grid(&info)
    }
}
