//! Where vertex attributes come from.

use formats::Format;

use crate::handle::ResourceHandle;
use crate::key::state_object;

/// One input attribute. `pipe_vertex_element`.
///
/// The address of an attribute is `buffer_offset + stride·index + src_offset`, where index is
/// the vertex's, or `start_instance + instance / instance_divisor` if the divisor is not 0.
/// Components the format lacks are filled from (0, 0, 0, 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexElement {
    /// Offset of the attribute within a vertex, in bytes.
    pub src_offset: u32,
    /// The vertex buffer it is in.
    pub vertex_buffer_index: u8,
    /// Whether it fills two inputs (64-bit formats of three or four components).
    pub dual_slot: bool,
    /// Its format.
    pub src_format: Format,
    /// 0: per vertex; n: per instance, each value for n instances in a row.
    pub instance_divisor: u32,
}

impl Default for VertexElement {
    /// Four floats at the start of buffer 0.
    fn default() -> Self {
        Self {
            src_offset: 0,
            vertex_buffer_index: 0,
            dual_slot: false,
            src_format: Format::R32G32B32A32Float,
            instance_divisor: 0,
        }
    }
}

state_object!(VertexElement {
    src_offset,
    vertex_buffer_index,
    dual_slot,
    src_format,
    instance_divisor,
});

impl VertexElement {
    /// An attribute of every vertex, in buffer 0.
    pub const fn per_vertex(src_offset: u32, src_format: Format) -> Self {
        Self {
            src_offset,
            vertex_buffer_index: 0,
            dual_slot: false,
            src_format,
            instance_divisor: 0,
        }
    }
}

/// A bound vertex buffer. `pipe_vertex_buffer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexBuffer {
    /// The buffer.
    pub resource: ResourceHandle,
    /// Bytes from one vertex to the next; 0: all vertices read the same.
    pub stride: u32,
    /// Where the first vertex is, in bytes.
    pub buffer_offset: u32,
}
