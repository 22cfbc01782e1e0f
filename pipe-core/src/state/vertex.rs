//! Vertex attributes and their fetch from buffers (manual, chapter CSO, "Vertex Elements").

use formats::Format;

use crate::handle::ResourceHandle;
use crate::key::state_object;

/// One input of the vertex shader. `pipe_vertex_element`.
///
/// An attribute's address is `buffer_offset + stride·index + src_offset`. `index` is the vertex's
/// index, or `start_instance + instance / instance_divisor` if the divisor is not 0. Missing
/// components of the format are filled from (0, 0, 0, 1).
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
    /// True if the attribute fills two inputs of the shader: three or four 64-bit components.
    /// [`inputs`](Self::inputs) splits it. A driver without such attributes refuses the object.
    pub dual_slot: bool,
    /// The stored format; the shader reads floats, or integers if the format is pure integer.
    pub src_format: Format,
    /// 0: one value per vertex; n: one value for n consecutive instances.
    pub instance_divisor: u32,
}

impl Default for VertexElement {
    /// Returns four floats at the start of buffer 0, one value per vertex.
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
    /// Returns an element of buffer 0 with one value per vertex, at `src_offset` bytes within the
    /// vertex.
    pub const fn per_vertex(src_offset: u32, src_format: Format) -> Self {
        Self {
            src_offset,
            vertex_buffer_index: 0,
            dual_slot: false,
            src_format,
            instance_divisor: 0,
        }
    }

    /// Returns an element for each input of the shader that this one fills: two with `dual_slot`,
    /// otherwise one. Inputs consist of 32-bit words; a 64-bit component takes two words.
    ///
    /// Formats of 64-bit unsigned integers stand for any 64-bit words, including doubles. They
    /// become formats of 32-bit unsigned integers, and so do signed integers and floats in dual
    /// slots. The second input reads 0 if the format has two components or less. Other elements
    /// stay unchanged.
    ///
    /// ```
    /// use gallium_pipe_core::{Format, VertexElement};
    ///
    /// // Three doubles.
    /// let element = VertexElement {
    ///     dual_slot: true,
    ///     ..VertexElement::per_vertex(8, Format::R64G64B64Uint)
    /// };
    /// let [first, second] = element.inputs()[..] else { panic!("two inputs") };
    /// assert_eq!((first.src_offset, first.src_format), (8, Format::R32G32B32A32Uint));
    /// assert_eq!((second.src_offset, second.src_format), (24, Format::R32G32Uint));
    /// ```
    pub fn inputs(&self) -> heapless::Vec<VertexElement, 2> {
        use Format::*;
        let bytes = self.src_format.block_bytes() as u32;
        let is_unsigned =
            matches!(self.src_format, R64Uint | R64G64Uint | R64G64B64Uint | R64G64B64A64Uint);
        let has_words = matches!(
            self.src_format,
            R64Sint
                | R64G64Sint
                | R64G64B64Sint
                | R64G64B64A64Sint
                | R64Float
                | R64G64Float
                | R64G64B64Float
                | R64G64B64A64Float
        );
        let words = |bytes: u32| if bytes > 8 { R32G32B32A32Uint } else { R32G32Uint };
        let mut inputs = heapless::Vec::new();
        let first = match is_unsigned || (self.dual_slot && has_words) {
            true => words(bytes),
            false => self.src_format,
        };
        // There is room for two.
        let _ = inputs.push(VertexElement { dual_slot: false, src_format: first, ..*self });
        if self.dual_slot {
            let rest = VertexElement {
                dual_slot: false,
                src_format: words(bytes.saturating_sub(16)),
                src_offset: self.src_offset.saturating_add(16),
                // Attributes outside of all buffers read 0.
                vertex_buffer_index: if bytes > 16 { self.vertex_buffer_index } else { u8::MAX },
                ..*self
            };
            let _ = inputs.push(rest);
        }
        inputs
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
