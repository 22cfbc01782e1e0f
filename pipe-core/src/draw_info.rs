//! The arguments of a draw call.

use core::fmt;

use crate::handle::{ResourceHandle, StreamOutputTargetHandle};
use crate::key::brief;
use crate::primitive::PrimType;

/// The memory that indices are read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum IndexSource<'a> {
    /// A buffer resource.
    Resource(ResourceHandle),
    /// User memory, read before the call returns.
    User(&'a [u8]),
}

impl fmt::Debug for IndexSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(resource) => resource.fmt(f),
            Self::User(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

/// The index buffer of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexBuffer<'a> {
    /// The indices, little-endian and tightly packed.
    pub source: IndexSource<'a>,
    /// Size of an index, in bytes: 1, 2 or 4.
    pub size: u8,
}

impl<'a> IndexBuffer<'a> {
    /// Returns indices of `size` bytes in a buffer resource.
    pub const fn resource(resource: ResourceHandle, size: u8) -> Self {
        Self { source: IndexSource::Resource(resource), size }
    }

    /// Returns indices of `size` bytes in user memory.
    pub const fn user(bytes: &'a [u8], size: u8) -> Self {
        Self { source: IndexSource::User(bytes), size }
    }

    /// Returns the largest index of this size. APIs with a fixed restart index use it.
    pub const fn max_index(&self) -> u32 {
        match self.size {
            1 => 0xff,
            2 => 0xffff,
            _ => u32::MAX,
        }
    }
}

/// The properties common to all parts of a draw. `pipe_draw_info`.
///
/// ```
/// use gallium_pipe_core::{DrawInfo, DrawStartCount, IndexBuffer, PrimType};
///
/// let indices: Vec<u8> = [0u16, 1, 2, 2, 1, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
/// let info = DrawInfo::indexed(PrimType::Triangles, IndexBuffer::user(&indices, 2));
/// let first = DrawStartCount::count(6);
/// let quads = [first, DrawStartCount { index_bias: 4, ..first }];
/// assert_eq!(info.instance_count, 1);
/// assert_eq!(info.mode.decomposed_primitives(quads[1].count, 0), 2);
/// // context.draw_vbo(&info, None, &quads)?;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawInfo<'a> {
    /// The primitive that vertices form.
    pub mode: PrimType,
    /// The index buffer; `None`: vertices in order.
    pub index: Option<IndexBuffer<'a>>,
    /// Number of the first instance.
    pub start_instance: u32,
    /// Number of instances; 0 draws nothing.
    pub instance_count: u32,
    /// Lower bound of the indices used, if [`index_bounds_valid`](Self::index_bounds_valid). A
    /// hint.
    pub min_index: u32,
    /// Upper bound of the indices used, if [`index_bounds_valid`](Self::index_bounds_valid). A hint.
    pub max_index: u32,
    /// True if `min_index` and `max_index` are valid bounds.
    pub index_bounds_valid: bool,
    /// Makes `restart_index` end a strip and start another one.
    pub primitive_restart: bool,
    /// The restart index, compared before the bias is added.
    pub restart_index: u32,
    /// `DRAWID` of the first part.
    pub drawid_offset: u32,
    /// Adds 1 to `DRAWID` from one part to the next.
    pub increment_draw_id: bool,
    /// Bit mask of the views to draw to; 0 without multiview. No cap announces multiview: a driver
    /// without it refuses the draw.
    pub view_mask: u32,
}

impl Default for DrawInfo<'_> {
    /// Returns one instance of triangles, not indexed.
    fn default() -> Self {
        Self {
            mode: PrimType::Triangles,
            index: None,
            start_instance: 0,
            instance_count: 1,
            min_index: 0,
            max_index: u32::MAX,
            index_bounds_valid: false,
            primitive_restart: false,
            restart_index: u32::MAX,
            drawid_offset: 0,
            increment_draw_id: false,
            view_mask: 0,
        }
    }
}

brief!(DrawInfo<'_> {
    mode,
    index,
    start_instance,
    instance_count,
    min_index,
    max_index,
    index_bounds_valid,
    primitive_restart,
    restart_index,
    drawid_offset,
    increment_draw_id,
    view_mask,
});

impl<'a> DrawInfo<'a> {
    /// Returns a draw of one instance, not indexed.
    pub fn new(mode: PrimType) -> Self {
        Self { mode, ..Self::default() }
    }

    /// Returns a draw of one instance, indexed.
    pub fn indexed(mode: PrimType, index: IndexBuffer<'a>) -> Self {
        Self { mode, index: Some(index), ..Self::default() }
    }

    /// Returns draw `number` of the records in a buffer. The first record is at `offset`, and
    /// records are `stride` bytes apart, or tightly packed if `stride` is 0: see
    /// [`DrawIndirect::Buffer`]. Returns `None` for a record that is not completely in the buffer.
    pub fn record(
        &self,
        bytes: &[u8],
        offset: u32,
        stride: u32,
        number: u32,
    ) -> Option<(Self, DrawStartCount)> {
        let size = if self.index.is_some() { 20 } else { 16 };
        let stride = if stride == 0 { size } else { stride as usize };
        let at = (number as usize).checked_mul(stride)?.checked_add(offset as usize)?;
        let bytes = bytes.get(at..)?.get(..size)?;
        let [count, instance_count, start, d, e] =
            [0, 4, 8, 12, 16].map(|at| DrawIndirect::word(bytes, at));
        let (index_bias, start_instance) =
            if self.index.is_some() { (d as i32, e) } else { (0, d) };
        let drawid_offset = self.drawid_offset.wrapping_add(number);
        let info = Self { start_instance, instance_count, drawid_offset, ..*self };
        Some((info, DrawStartCount { start, count, index_bias }))
    }
}

/// A part of a draw: a range of vertices or indices. `pipe_draw_start_count_bias`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DrawStartCount {
    /// The first vertex, or the first index.
    pub start: u32,
    /// Number of vertices or indices.
    pub count: u32,
    /// Added to every index after lookup; used only in indexed draws.
    pub index_bias: i32,
}

impl DrawStartCount {
    /// Returns the first `count` vertices or indices.
    pub const fn count(count: u32) -> Self {
        Self { start: 0, count, index_bias: 0 }
    }
}

/// An indirect source of a draw's counts. `pipe_draw_indirect_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawIndirect {
    /// A buffer of little-endian words: count, instance_count, start, start_instance; or, for
    /// indexed draws, count, instance_count, start, index_bias, start_instance.
    Buffer {
        /// The buffer resource.
        buffer: ResourceHandle,
        /// Offset of the first draw's words, in bytes.
        offset: u32,
        /// Bytes from one draw's words to the next; 0: tightly packed.
        stride: u32,
        /// Maximum number of draws.
        draw_count: u32,
        /// A buffer and an offset in bytes: a word there holds the number of draws.
        indirect_draw_count: Option<(ResourceHandle, u32)>,
    },
    /// A stream output target: as many vertices as were written to it.
    StreamOutput(StreamOutputTargetHandle),
}

impl DrawIndirect {
    /// Returns the little-endian word at `at` of a buffer's bytes; 0 beyond the end.
    pub fn word(bytes: &[u8], at: usize) -> u32 {
        let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
        word.map_or(0, |word| u32::from_le_bytes(*word))
    }
}

brief!(DrawStartCount { start, count, index_bias });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_a_buffer() {
        let bytes: [u8; 44] = core::array::from_fn(|at| if at % 4 == 0 { at as u8 / 4 } else { 0 });
        let plain = DrawInfo { drawid_offset: 7, ..DrawInfo::new(PrimType::Points) };
        let (info, part) = plain.record(&bytes, 4, 0, 1).expect("words 5 to 8");
        assert_eq!(part, DrawStartCount { count: 5, start: 7, index_bias: 0 });
        assert_eq!((info.instance_count, info.start_instance, info.drawid_offset), (6, 8, 8));
        let indexed = DrawInfo::indexed(PrimType::Points, IndexBuffer::user(&[], 2));
        let (info, part) = indexed.record(&bytes, 0, 24, 1).expect("words 6 to 10");
        assert_eq!(part, DrawStartCount { count: 6, start: 8, index_bias: 9 });
        assert_eq!((info.instance_count, info.start_instance, info.drawid_offset), (7, 10, 1));
        assert_eq!(indexed.record(&bytes, 4, 24, 1), None, "the last word is missing");
        assert_eq!(plain.record(&bytes, u32::MAX, u32::MAX, u32::MAX), None);
        assert_eq!(DrawIndirect::word(&bytes, 40), 10);
        assert_eq!(DrawIndirect::word(&bytes, 41), 0, "beyond the end");
    }
}
