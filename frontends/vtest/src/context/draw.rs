//! Draws, clears, dispatches, barriers.

use std::rc::Rc;

use pipe_core::*;

use super::objects::Object;
use super::{Done, Shared, SubContext, decode};
use crate::reader::Reader;
use crate::transfer::{self, Place};

impl<'s> SubContext<'s> {
    pub(super) fn clear(&mut self, mut reader: Reader<'_>) -> Done {
        let buffers = ClearFlags::from_bits_truncate(reader.word()?);
        let color = ColorUnion::uint(reader.words()?);
        let depth = reader.double()?;
        let stencil = reader.word()? as u8;
        let depth = if depth.is_nan() { 0.0 } else { depth };
        self.work += 1;
        Ok(self.driver.clear(buffers, None, &color, depth, stencil)?)
    }

    pub(super) fn draw_vbo(&mut self, mut reader: Reader<'_>, shared: &mut Shared<'s>) -> Done {
        let [start, count, mode, indexed, instance_count, index_bias] = reader.words()?;
        let [start_instance, primitive_restart, restart_index] = reader.words()?;
        let [min_index, max_index, streamed] = reader.words()?;
        let mode = decode("primitive type", PrimType::from_number, mode)?;
        let mut info = DrawInfo {
            mode,
            start_instance,
            instance_count,
            min_index,
            max_index,
            index_bounds_valid: indexed != 0 && max_index != u32::MAX,
            primitive_restart: primitive_restart != 0,
            restart_index,
            ..DrawInfo::default()
        };
        if let Ok([patch_vertices, drawid]) = reader.words() {
            info.drawid_offset = drawid;
            if mode == PrimType::Patches {
                let vertices = u8::try_from(patch_vertices).unwrap_or(u8::MAX);
                self.driver.set_patch_vertices(vertices)?;
            }
        }
        let indirect = self.indirect(reader, streamed, shared)?;
        let draw = DrawStartCount { start, count, index_bias: index_bias as i32 };
        self.work += 1;
        self.draws += 1;
        self.pause_queries_for_clears();
        if indexed == 0 {
            return Ok(self.driver.draw_vbo(&info, indirect.as_ref(), &[draw])?);
        }
        self.draw_indexed(info, indirect, draw, &mut shared.scratch)
    }

    fn draw_indexed(
        &mut self,
        info: DrawInfo<'_>,
        indirect: Option<DrawIndirect>,
        mut draw: DrawStartCount,
        scratch: &mut os_shim::Vec<'static, u8>,
    ) -> Done {
        let Some(index) = &self.bound.index else {
            return Err(PipeError::Unbound("an index buffer").into());
        };
        let resource = index.resource.handle()?;
        let size = match index.size {
            1 | 2 | 4 => index.size,
            _ => return Err(PipeError::Invalid("the index size is not 1, 2 or 4 bytes").into()),
        };
        let offset = first_index(index.offset, draw.start.wrapping_mul(size));
        draw.start = offset / size;
        if offset.is_multiple_of(size) {
            let index = Some(IndexBuffer::resource(resource, size as u8));
            let info = DrawInfo { index, ..info };
            return Ok(self.driver.draw_vbo(&info, indirect.as_ref(), &[draw])?);
        }
        // Indices at an odd place: the contract counts from the buffer's start.
        let bytes = draw.count.saturating_mul(size);
        let place = Place {
            level: 0,
            region: Region::bytes(offset, bytes),
            stride: 0,
            layer_stride: 0,
            offset: 0,
        };
        scratch.clear();
        scratch.try_reserve_exact(bytes as usize).map_err(PipeError::from)?;
        transfer::read(&mut *self.driver, &index.resource, &place, |_, bytes| {
            Ok(scratch.try_extend_from_slice(bytes)?)
        })?;
        draw.start = 0;
        let info = DrawInfo { index: Some(IndexBuffer::user(scratch, size as u8)), ..info };
        Ok(self.driver.draw_vbo(&info, indirect.as_ref(), &[draw])?)
    }

    /// Returns the buffer that a draw's parameters come from, if the command does not hold them.
    fn indirect(
        &self,
        mut reader: Reader<'_>,
        streamed: u32,
        shared: &Shared<'s>,
    ) -> Result<Option<DrawIndirect>, super::CommandError> {
        if streamed != 0 {
            // The target that wrote the resource bound as vertex buffer 0.
            let first = self.bound.first_vertex_buffer.as_ref();
            let target = self.objects.values().find_map(|object| match &**object {
                Object::Target { handle, resource }
                    if first.is_some_and(|first| Rc::ptr_eq(resource, first)) =>
                {
                    Some(*handle)
                }
                _ => None,
            });
            let target = target.ok_or(PipeError::Unbound("a stream output target"))?;
            return Ok(Some(DrawIndirect::StreamOutput(target)));
        }
        let Ok([buffer, offset, stride, draw_count, count_offset, counter]) = reader.words() else {
            return Ok(None);
        };
        let buffer = shared.resources.find(buffer)?.handle()?;
        let indirect_draw_count = match counter {
            0 => None,
            counter => Some((shared.resources.find(counter)?.handle()?, count_offset)),
        };
        Ok(Some(DrawIndirect::Buffer { buffer, offset, stride, draw_count, indirect_draw_count }))
    }

    pub(super) fn launch_grid(&mut self, mut reader: Reader<'_>, shared: &mut Shared<'s>) -> Done {
        let (block, grid) = (reader.words()?, reader.words()?);
        let [buffer, offset] = reader.words()?;
        let indirect = match buffer {
            0 => None,
            buffer => Some((shared.resources.find(buffer)?.handle()?, offset)),
        };
        self.work += 1;
        let info = GridInfo { block, grid, indirect, ..GridInfo::default() };
        Ok(self.driver.launch_grid(&info)?)
    }

    pub(super) fn memory_barrier(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.memory_barrier(BarrierFlags::from_bits_truncate(reader.word()?));
        Ok(())
    }

    pub(super) fn texture_barrier(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.texture_barrier(TextureBarrierFlags::from_bits_truncate(reader.word()?));
        Ok(())
    }

    pub(super) fn emit_string_marker(&mut self, mut reader: Reader<'_>) -> Done {
        let size = reader.word()? as usize;
        let bytes = reader.rest();
        if let Ok(marker) = str::from_utf8(bytes.get(..size).unwrap_or(bytes)) {
            self.driver.emit_string_marker(marker);
        }
        Ok(())
    }
}

/// Returns the byte at which a draw's indices begin, from the `offset` that its index buffer is
/// bound at and its `start` in bytes.
///
/// The offset is the start for an index buffer of the client. Indices in the client's memory were
/// uploaded to another place; that place less the start is the offset, which may be below 0.
fn first_index(offset: u32, start: u32) -> u32 {
    if offset == start { offset } else { offset.wrapping_add(start) }
}
