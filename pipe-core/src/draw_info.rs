//! What one draw call draws.

use core::fmt;

use crate::handle::{ResourceHandle, StreamOutputTargetHandle};
use crate::key::brief;
use crate::primitive::PrimType;

/// Where indices come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum IndexSource<'a> {
    /// A buffer resource.
    Resource(ResourceHandle),
    /// The caller's memory, read before the call returns.
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
    /// The indices, little-endian.
    pub source: IndexSource<'a>,
    /// Bytes of an index: 1, 2 or 4.
    pub size: u8,
}

impl<'a> IndexBuffer<'a> {
    /// Indices of `size` bytes in a resource.
    pub const fn resource(resource: ResourceHandle, size: u8) -> Self {
        Self { source: IndexSource::Resource(resource), size }
    }

    /// Indices of `size` bytes in the caller's memory.
    pub const fn user(bytes: &'a [u8], size: u8) -> Self {
        Self { source: IndexSource::User(bytes), size }
    }

    /// The largest index: the restart index of APIs that have a fixed one.
    pub const fn max_index(&self) -> u32 {
        match self.size {
            1 => 0xff,
            2 => 0xffff,
            _ => u32::MAX,
        }
    }
}

/// `pipe_draw_info`: what all parts of a draw have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawInfo<'a> {
    /// What vertices make.
    pub mode: PrimType,
    /// The indices; `None`: vertices in order.
    pub index: Option<IndexBuffer<'a>>,
    /// The first instance's number.
    pub start_instance: u32,
    /// How many instances.
    pub instance_count: u32,
    /// The least index used, if [`index_bounds_valid`](Self::index_bounds_valid). A hint that
    /// may be too small.
    pub min_index: u32,
    /// The greatest index used. A hint that may be too large.
    pub max_index: u32,
    /// Whether the two mean something.
    pub index_bounds_valid: bool,
    /// Whether `restart_index` ends a strip and starts another.
    pub primitive_restart: bool,
    /// The index that restarts, compared before the bias is added.
    pub restart_index: u32,
    /// `DRAWID` of the first part.
    pub drawid_offset: u32,
    /// Whether `DRAWID` grows from part to part.
    pub increment_draw_id: bool,
    /// Views to draw to, a bit each; 0: not multiview.
    pub view_mask: u32,
}

impl Default for DrawInfo<'_> {
    /// One instance of triangles, not indexed.
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
    /// One instance, not indexed.
    pub fn new(mode: PrimType) -> Self {
        Self { mode, ..Self::default() }
    }

    /// One instance, indexed.
    pub fn indexed(mode: PrimType, index: IndexBuffer<'a>) -> Self {
        Self { mode, index: Some(index), ..Self::default() }
    }
}

/// One part of a draw. `pipe_draw_start_count_bias`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DrawStartCount {
    /// The first vertex, or the first index.
    pub start: u32,
    /// How many vertices or indices.
    pub count: u32,
    /// Added to every index after lookup; indexed draws only.
    pub index_bias: i32,
}

impl DrawStartCount {
    /// `count` vertices or indices from the first on.
    pub const fn count(count: u32) -> Self {
        Self { start: 0, count, index_bias: 0 }
    }
}

/// Draws whose numbers come from elsewhere. `pipe_draw_indirect_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawIndirect {
    /// From a buffer of little-endian words: count, instance_count, start, start_instance; or,
    /// for indexed draws, count, instance_count, start, index_bias, start_instance.
    Buffer {
        /// The buffer.
        buffer: ResourceHandle,
        /// Where the first draw's words are, in bytes.
        offset: u32,
        /// Bytes from one draw's words to the next; 0: tightly packed.
        stride: u32,
        /// How many draws at most.
        draw_count: u32,
        /// A buffer and byte offset of a word that says how many draws.
        indirect_draw_count: Option<(ResourceHandle, u32)>,
    },
    /// As many vertices as were written to a stream output target.
    StreamOutput(StreamOutputTargetHandle),
}

brief!(DrawStartCount { start, count, index_bias });
