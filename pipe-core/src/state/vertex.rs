//! Fetching of vertex attributes from buffers (manual, chapter CSO, "Vertex Elements").

use formats::Format;

use crate::handle::ResourceHandle;
use crate::key::state_object;

/// One input of the vertex shader. `pipe_vertex_element`.
///
/// An attribute's address is `buffer_offset + stride·index + src_offset`, where index is the
/// vertex's, or `start_instance + instance / instance_divisor` where the divisor is not 0.
/// Components the format lacks are filled from (0, 0, 0, 1).
///
/// ```
/// use gallium_pipe_core::{Format, VertexElement};
///
/// // Vertices of 16 bytes in buffer 0: position, colour. Four floats an instance in buffer 1.
/// let elements = [
///     VertexElement::per_vertex(0, Format::R32G32B32Float),
///     VertexElement::per_vertex(12, Format::R8G8B8A8Unorm),
///     VertexElement { vertex_buffer_index: 1, instance_divisor: 1, ..VertexElement::default() },
/// ];
/// assert_eq!(elements[2].src_format, Format::R32G32B32A32Float);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexElement {
    /// Offset of the attribute within a vertex, in bytes.
    pub src_offset: u32,
    /// Index of the vertex buffer that holds it.
    pub vertex_buffer_index: u8,
    /// Says that the attribute fills two inputs: a 64-bit format of three or four components. A
    /// driver without such attributes refuses the object.
    pub dual_slot: bool,
    /// The format it is stored in; the shader reads floats, or integers where the format is pure
    /// integer.
    pub src_format: Format,
    /// 0: one value a vertex; n: one value for n instances in a row.
    pub instance_divisor: u32,
}

impl Default for VertexElement {
    /// Returns four floats at the start of buffer 0, one value a vertex.
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
    /// Returns an element of buffer 0 with one value a vertex, at `src_offset` bytes within it.
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
    /// The buffer resource.
    pub resource: ResourceHandle,
    /// Bytes from one vertex to the next; 0: all vertices read the same value.
    pub stride: u32,
    /// Offset of the first vertex, in bytes.
    pub buffer_offset: u32,
}
