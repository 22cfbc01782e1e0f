//! Command encoders: they record.

use std::fmt;
use std::mem;
use std::ops::Range;

use pipe_core::{BlendColor, ScissorState};
use wgpu_hal as hal;
use wgpu_hal::DeviceError;
use wgpu_types as wgt;

use super::{Absent, Api};
use crate::bind::{BindGroup, PipelineLayout};
use crate::buffer::Buffer;
use crate::command::{ColorAttachment, Command, DepthAttachment, Part, RenderPass, Timestamps};
use crate::pipeline::{ComputePipeline, RenderPipeline};
use crate::query::QuerySet;
use crate::run::viewport;
use crate::texture::{Texture, TextureView};

/// Recorded commands.
pub struct CommandBuffer(Vec<Command>);

impl CommandBuffer {
    pub(super) fn commands(&self) -> &[Command] {
        &self.0
    }
}

impl fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commands", self.0.len())
    }
}

/// Records commands.
#[derive(Default)]
pub struct Encoder {
    commands: Vec<Command>,
    /// The timestamps of the current compute pass.
    timestamps: Option<Timestamps>,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commands so far", self.commands.len())
    }
}

/// Returns a position in a buffer. wgpu-core checks that it is within the buffer.
fn position(at: wgt::BufferAddress) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn timestamps(writes: Option<&hal::PassTimestampWrites<'_, QuerySet>>) -> Option<Timestamps> {
    writes.map(|writes| Timestamps {
        set: writes.query_set.clone(),
        beginning: writes.beginning_of_pass_write_index,
        end: writes.end_of_pass_write_index,
    })
}

impl Encoder {
    fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    fn indirect(
        &mut self,
        indexed: bool,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        count: u32,
        limit: Option<(&Buffer, wgt::BufferAddress)>,
    ) {
        self.push(Command::DrawIndirect {
            indexed,
            buffer: buffer.clone(),
            offset: position(offset),
            count,
            limit: limit.map(|(buffer, offset)| (buffer.clone(), position(offset))),
        });
    }
}

impl hal::CommandEncoder for Encoder {
    type A = Api;

    unsafe fn begin_encoding(&mut self, _: hal::Label<'_>) -> Result<(), DeviceError> {
        self.commands.clear();
        Ok(())
    }

    unsafe fn discard_encoding(&mut self) {
        self.commands.clear();
    }

    unsafe fn end_encoding(&mut self) -> Result<CommandBuffer, DeviceError> {
        Ok(CommandBuffer(mem::take(&mut self.commands)))
    }

    unsafe fn reset_all<I>(&mut self, command_buffers: I)
    where
        I: Iterator<Item = CommandBuffer>,
    {
        for CommandBuffer(mut commands) in command_buffers {
            // Keeps the largest allocation for the next recording.
            commands.clear();
            if commands.capacity() > self.commands.capacity() && self.commands.is_empty() {
                self.commands = commands;
            }
        }
    }

    unsafe fn transition_buffers<'a, T>(&mut self, _: T)
    where
        T: Iterator<Item = hal::BufferBarrier<'a, Buffer>>,
    {
    }

    unsafe fn transition_textures<'a, T>(&mut self, _: T)
    where
        T: Iterator<Item = hal::TextureBarrier<'a, Texture>>,
    {
    }

    unsafe fn clear_buffer(&mut self, buffer: &Buffer, range: hal::MemoryRange) {
        let offset = position(range.start);
        let size = position(range.end).saturating_sub(offset);
        self.push(Command::ClearBuffer { buffer: buffer.clone(), offset, size });
    }

    unsafe fn copy_buffer_to_buffer<T>(&mut self, src: &Buffer, dst: &Buffer, regions: T)
    where
        T: Iterator<Item = hal::BufferCopy>,
    {
        for copy in regions {
            self.push(Command::CopyBuffer { src: src.clone(), dst: dst.clone(), copy });
        }
    }

    unsafe fn copy_texture_to_texture<T>(
        &mut self,
        src: &Texture,
        _: wgt::TextureUses,
        dst: &Texture,
        regions: T,
    ) where
        T: Iterator<Item = hal::TextureCopy>,
    {
        for copy in regions {
            self.push(Command::CopyTexture { src: src.clone(), dst: dst.clone(), copy });
        }
    }

    unsafe fn copy_buffer_to_texture<T>(&mut self, src: &Buffer, dst: &Texture, regions: T)
    where
        T: Iterator<Item = hal::BufferTextureCopy>,
    {
        for copy in regions {
            self.push(Command::Upload { src: src.clone(), dst: dst.clone(), copy });
        }
    }

    unsafe fn copy_texture_to_buffer<T>(
        &mut self,
        src: &Texture,
        _: wgt::TextureUses,
        dst: &Buffer,
        regions: T,
    ) where
        T: Iterator<Item = hal::BufferTextureCopy>,
    {
        for copy in regions {
            self.push(Command::Download { src: src.clone(), dst: dst.clone(), copy });
        }
    }

    unsafe fn copy_acceleration_structure_to_acceleration_structure(
        &mut self,
        _: &Absent,
        _: &Absent,
        _: wgt::AccelerationStructureCopy,
    ) {
    }

    unsafe fn set_bind_group(
        &mut self,
        layout: &PipelineLayout,
        index: u32,
        group: &BindGroup,
        dynamic_offsets: &[wgt::DynamicOffset],
    ) {
        self.push(Command::BindGroup {
            layout: layout.clone(),
            index,
            group: group.clone(),
            offsets: dynamic_offsets.into(),
        });
    }

    unsafe fn set_immediates(&mut self, _: &PipelineLayout, offset_bytes: u32, data: &[u32]) {
        self.push(Command::Immediates { offset: offset_bytes, data: data.into() });
    }

    unsafe fn insert_debug_marker(&mut self, _: &str) {}

    unsafe fn begin_debug_marker(&mut self, _: &str) {}

    unsafe fn end_debug_marker(&mut self) {}

    unsafe fn begin_query(&mut self, set: &QuerySet, index: u32) {
        self.push(Command::BeginQuery { set: set.clone(), index });
    }

    unsafe fn end_query(&mut self, set: &QuerySet, index: u32) {
        self.push(Command::EndQuery { set: set.clone(), index });
    }

    unsafe fn write_timestamp(&mut self, set: &QuerySet, index: u32) {
        self.push(Command::WriteTimestamp { set: set.clone(), index });
    }

    unsafe fn reset_queries(&mut self, set: &QuerySet, range: Range<u32>) {
        self.push(Command::ResetQueries { set: set.clone(), first: range.start, end: range.end });
    }

    unsafe fn copy_query_results(
        &mut self,
        set: &QuerySet,
        range: Range<u32>,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        stride: wgt::BufferSize,
    ) {
        self.push(Command::ResolveQueries {
            set: set.clone(),
            first: range.start,
            end: range.end,
            buffer: buffer.clone(),
            offset: position(offset),
            stride: position(stride.get()),
        });
    }

    unsafe fn begin_render_pass(
        &mut self,
        desc: &hal::RenderPassDescriptor<'_, QuerySet, TextureView>,
    ) -> Result<(), DeviceError> {
        let color = |color: &hal::ColorAttachment<'_, TextureView>| ColorAttachment {
            view: color.target.view.clone(),
            slice: color.depth_slice,
            resolve: color.resolve_target.as_ref().map(|target| target.view.clone()),
            ops: color.ops,
            clear: color.clear_value,
        };
        let depth = desc.depth_stencil_attachment.as_ref().map(|it| DepthAttachment {
            view: it.target.view.clone(),
            depth_ops: it.depth_ops,
            stencil_ops: it.stencil_ops,
            depth: it.clear_value.0,
            stencil: it.clear_value.1,
        });
        self.push(Command::BeginRender(Box::new(RenderPass {
            width: desc.extent.width,
            height: desc.extent.height,
            samples: desc.sample_count,
            colors: desc.color_attachments.iter().map(|it| it.as_ref().map(color)).collect(),
            depth,
            timestamps: timestamps(desc.timestamp_writes.as_ref()),
        })));
        Ok(())
    }

    unsafe fn end_render_pass(&mut self) {
        self.push(Command::EndRender);
    }

    unsafe fn set_render_pipeline(&mut self, pipeline: &RenderPipeline) {
        self.push(Command::RenderPipeline(pipeline.clone()));
    }

    unsafe fn set_index_buffer<'a>(
        &mut self,
        binding: hal::BufferBinding<'a, Buffer>,
        format: wgt::IndexFormat,
    ) {
        if let Some(buffer) = Buffer::of(&binding) {
            let offset = position(binding.offset);
            self.push(Command::IndexBuffer { buffer, offset, format });
        }
    }

    unsafe fn set_vertex_buffer<'a>(
        &mut self,
        index: u32,
        binding: hal::BufferBinding<'a, Buffer>,
    ) {
        if let Some(buffer) = Buffer::of(&binding) {
            let offset = position(binding.offset);
            self.push(Command::VertexBuffer { index, buffer, offset });
        }
    }

    unsafe fn set_viewport(&mut self, rect: &hal::Rect<f32>, depth_range: Range<f32>) {
        let depth = [depth_range.start, depth_range.end];
        self.push(Command::Viewport(viewport(rect.x, rect.y, rect.w, rect.h, depth)));
    }

    unsafe fn set_scissor_rect(&mut self, rect: &hal::Rect<u32>) {
        let side = |at: u32| u16::try_from(at).unwrap_or(u16::MAX);
        self.push(Command::Scissor(ScissorState {
            minx: side(rect.x),
            miny: side(rect.y),
            maxx: side(rect.x.saturating_add(rect.w)),
            maxy: side(rect.y.saturating_add(rect.h)),
        }));
    }

    unsafe fn set_stencil_reference(&mut self, value: u32) {
        self.push(Command::StencilReference(value as u8));
    }

    unsafe fn set_blend_constants(&mut self, color: &[f32; 4]) {
        self.push(Command::BlendColor(BlendColor { color: *color }));
    }

    unsafe fn draw(
        &mut self,
        first_vertex: u32,
        vertex_count: u32,
        first_instance: u32,
        instance_count: u32,
    ) {
        self.push(Command::Draw(Part {
            first: first_vertex,
            count: vertex_count,
            first_instance,
            instance_count,
        }));
    }

    unsafe fn draw_indexed(
        &mut self,
        first_index: u32,
        index_count: u32,
        base_vertex: i32,
        first_instance: u32,
        instance_count: u32,
    ) {
        let part = Part { first: first_index, count: index_count, first_instance, instance_count };
        self.push(Command::DrawIndexed { part, base_vertex });
    }

    unsafe fn draw_indirect(
        &mut self,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        draw_count: u32,
    ) {
        self.indirect(false, buffer, offset, draw_count, None);
    }

    unsafe fn draw_indexed_indirect(
        &mut self,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        draw_count: u32,
    ) {
        self.indirect(true, buffer, offset, draw_count, None);
    }

    unsafe fn draw_indirect_count(
        &mut self,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        count_buffer: &Buffer,
        count_offset: wgt::BufferAddress,
        max_count: u32,
    ) {
        self.indirect(false, buffer, offset, max_count, Some((count_buffer, count_offset)));
    }

    unsafe fn draw_indexed_indirect_count(
        &mut self,
        buffer: &Buffer,
        offset: wgt::BufferAddress,
        count_buffer: &Buffer,
        count_offset: wgt::BufferAddress,
        max_count: u32,
    ) {
        self.indirect(true, buffer, offset, max_count, Some((count_buffer, count_offset)));
    }

    unsafe fn draw_mesh_tasks(&mut self, _: u32, _: u32, _: u32) {}

    unsafe fn draw_mesh_tasks_indirect(&mut self, _: &Buffer, _: wgt::BufferAddress, _: u32) {}

    unsafe fn draw_mesh_tasks_indirect_count(
        &mut self,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: &Buffer,
        _: wgt::BufferAddress,
        _: u32,
    ) {
    }

    unsafe fn begin_compute_pass(&mut self, desc: &hal::ComputePassDescriptor<'_, QuerySet>) {
        self.timestamps = timestamps(desc.timestamp_writes.as_ref());
        let timestamps = self.timestamps.clone();
        self.push(Command::BeginCompute(timestamps));
    }

    unsafe fn end_compute_pass(&mut self) {
        let timestamps = self.timestamps.take();
        self.push(Command::EndCompute { timestamps });
    }

    unsafe fn set_compute_pipeline(&mut self, pipeline: &ComputePipeline) {
        self.push(Command::ComputePipeline(pipeline.clone()));
    }

    unsafe fn dispatch_workgroups(&mut self, count: [u32; 3]) {
        self.push(Command::Dispatch(count));
    }

    unsafe fn dispatch_workgroups_indirect(&mut self, buffer: &Buffer, offset: wgt::BufferAddress) {
        self.push(Command::DispatchIndirect { buffer: buffer.clone(), offset: position(offset) });
    }

    unsafe fn build_acceleration_structures<'a, T>(&mut self, _: u32, _: T)
    where
        Api: 'a,
        T: IntoIterator<Item = hal::BuildAccelerationStructureDescriptor<'a, Buffer, Absent>>,
    {
    }

    unsafe fn place_acceleration_structure_barrier(
        &mut self,
        _: hal::AccelerationStructureBarrier,
    ) {
    }

    unsafe fn read_acceleration_structure_compact_size(&mut self, _: &Absent, _: &Buffer) {}

    unsafe fn set_acceleration_structure_dependencies(_: &[&CommandBuffer], _: &[&Absent]) {}

    unsafe fn begin_ray_tracing_pass(&mut self, _: &hal::RayTracingPassDescriptor<'_>) {}

    unsafe fn end_ray_tracing_pass(&mut self) {}

    unsafe fn set_ray_tracing_pipeline(&mut self, _: &Absent) {}

    unsafe fn trace_rays(
        &mut self,
        _: [u32; 3],
        _: hal::PipelineGroupData<'_, Buffer>,
        _: hal::PipelineGroupData<'_, Buffer>,
        _: hal::PipelineGroupData<'_, Buffer>,
    ) {
    }
}
