//! Vertices beyond the end of their buffers, which a draw reads as zeros.

use super::Check;
use crate::draw_info::{DrawInfo, DrawStartCount, IndexBuffer, IndexSource};
use crate::handle::ResourceHandle;
use crate::state::VertexElement;
use crate::warnings::Warnings;

/// A draw that reads a vertex beyond the end of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Beyond {
    /// The greatest number of a vertex that is read.
    pub(super) last: i64,
    /// The vertices that the shortest buffer has.
    pub(super) there: u64,
    /// True if an index names the vertex.
    indexed: bool,
}

impl Beyond {
    /// Returns the warning about the draw.
    pub(super) fn warning(self) -> Warnings {
        match self.indexed {
            true => Warnings::INDEX_BEYOND,
            false => Warnings::VERTICES_BEYOND,
        }
    }
}

/// Returns the greatest index of a draw in bytes of indices, without those that restart a strip.
fn greatest_index(
    bytes: &[u8],
    index: &IndexBuffer<'_>,
    draw: &DrawStartCount,
    restart: Option<u32>,
) -> Option<u32> {
    let size = usize::from(index.size).max(1);
    let indices = bytes.chunks_exact(size).skip(draw.start as usize).take(draw.count as usize);
    let number = |bytes: &[u8]| {
        bytes.iter().rev().fold(0, |number: u32, byte| number << 8 | u32::from(*byte))
    };
    indices.map(number).filter(|number| Some(*number) != restart).max()
}

impl Check<'_, '_> {
    /// Returns the bytes of a buffer from an offset on.
    fn buffer_bytes(&self, resource: ResourceHandle, offset: u32) -> Option<u64> {
        let template = self.screen.resource_template(resource).ok()?;
        u64::from(template.width0).checked_sub(offset.into())
    }

    /// Returns the vertices that an element's buffer has whole; `None` if the element does not
    /// advance with vertices, or ends beyond the stride, which has its own warning.
    fn vertices_of(&self, element: &VertexElement) -> Option<u64> {
        let slot = usize::from(element.vertex_buffer_index);
        let buffer = self.bound.vertex_buffers.get(slot)?.as_ref()?;
        if element.instance_divisor != 0 || buffer.stride == 0 {
            return None;
        }
        let bytes = self.buffer_bytes(buffer.resource, buffer.buffer_offset)?;
        let end =
            (element.src_offset as u64).saturating_add(element.src_format.block_bytes() as u64);
        let one = (end <= buffer.stride.into()).then_some(end)?;
        let after = bytes.checked_sub(one).map(|more| more.checked_div(buffer.stride.into()));
        Some(after.flatten().map_or(0, |more| more.saturating_add(1)))
    }

    /// Returns the fact that one of some draws reads a vertex beyond the end of a buffer. Does not
    /// look into indices of a resource, which only the driver can read.
    pub(super) fn vertices_beyond(
        &self,
        info: &DrawInfo<'_>,
        draws: &[DrawStartCount],
        elements: &[VertexElement],
    ) -> Option<Beyond> {
        let there = elements.iter().filter_map(|element| self.vertices_of(element)).min()?;
        let restart = info.primitive_restart.then_some(info.restart_index);
        let last = |draw: &DrawStartCount| match info.index {
            None => {
                let more = draw.count.checked_sub(1)?;
                Some(i64::from(draw.start).saturating_add(more.into()))
            }
            Some(index @ IndexBuffer { source: IndexSource::User(bytes), .. }) => {
                let greatest = greatest_index(bytes, &index, draw, restart)?;
                Some(i64::from(greatest).saturating_add(draw.index_bias.into()))
            }
            Some(_) => None,
        };
        let last = draws.iter().filter_map(last).max()?;
        let is_beyond = u64::try_from(last).is_ok_and(|last| last >= there);
        is_beyond.then_some(Beyond { last, there, indexed: info.index.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_index_is_of_the_draw_alone() {
        // Little-endian: 1, 258, 3, 65535.
        let bytes = [1, 0, 2, 1, 3, 0, 255, 255];
        let index = IndexBuffer::user(&bytes, 2);
        let greatest = |start, count, restart| {
            let draw = DrawStartCount { start, count, index_bias: 0 };
            greatest_index(&bytes, &index, &draw, restart)
        };
        assert_eq!(greatest(0, 4, None), Some(65535));
        assert_eq!(greatest(0, 4, Some(65535)), Some(258));
        assert_eq!(greatest(2, 1, None), Some(3));
        assert_eq!(greatest(0, 0, None), None);
        assert_eq!(greatest(9, 3, None), None);
    }
}
