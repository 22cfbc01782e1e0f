//! Meshes: vertices and indices in memory that stays.

use pipe_core::context::{Drawing, ResourceBinding};
use pipe_core::{
    Bind, DrawInfo, DrawStartCount, Format, IndexBuffer, PipeError, PrimType, ResourceTemplate,
    Screen, VertexBuffer, VertexElement,
};

use crate::device::Device;

/// The attributes of a vertex: offset and format of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// The position in model space.
    pub position: VertexElement,
    /// The unit normal.
    pub normal: Option<VertexElement>,
    /// The texture coordinate.
    pub uv: Option<VertexElement>,
    /// The colour.
    pub color: Option<VertexElement>,
}

impl Layout {
    /// Returns a layout of positions alone. Add other attributes to its fields.
    pub const fn positions(stride: u32, format: Format) -> Self {
        let position = VertexElement::per_vertex(0, format);
        Layout { stride, position, normal: None, uv: None, color: None }
    }

    /// Adds normals at an offset in bytes.
    #[must_use]
    pub const fn normal(mut self, offset: u32, format: Format) -> Self {
        self.normal = Some(VertexElement::per_vertex(offset, format));
        self
    }

    /// Adds texture coordinates at an offset in bytes.
    #[must_use]
    pub const fn uv(mut self, offset: u32, format: Format) -> Self {
        self.uv = Some(VertexElement::per_vertex(offset, format));
        self
    }

    /// Adds colours at an offset in bytes.
    #[must_use]
    pub const fn color(mut self, offset: u32, format: Format) -> Self {
        self.color = Some(VertexElement::per_vertex(offset, format));
        self
    }
}

/// The bytes of a mesh, as `gallium-assets` writes them: a triangle list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeshData<'a> {
    /// The vertices.
    pub vertices: &'a [u8],
    /// The attributes of a vertex.
    pub layout: Layout,
    /// The indices, little-endian; empty: the vertices in order.
    pub indices: &'a [u8],
    /// Bytes of an index: 1, 2 or 4.
    pub index_bytes: u8,
}

impl<'a> MeshData<'a> {
    /// Returns a mesh over arrays of vertices and 16-bit indices.
    pub fn of<V: bytemuck::NoUninit>(
        vertices: &'a [V],
        layout: Layout,
        indices: &'a [u16],
    ) -> Self {
        let vertices = bytemuck::cast_slice(vertices);
        MeshData { vertices, layout, indices: bytemuck::cast_slice(indices), index_bytes: 2 }
    }
}

/// A mesh that a device draws in place. Indices are in user memory, vertices in a resource over
/// user memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mesh<'m> {
    /// The vertices.
    pub buffer: VertexBuffer,
    /// The attributes of a vertex.
    pub layout: Layout,
    /// The indices; `None`: the vertices in order.
    pub indices: Option<IndexBuffer<'m>>,
    /// Number of indices, or of vertices without indices.
    pub count: u32,
    /// The primitive that vertices form.
    pub mode: PrimType,
}

impl<'m> Mesh<'m> {
    /// Creates the resource of a mesh over its bytes, which are not copied.
    ///
    /// # Errors
    /// Out of memory; sizes that contradict each other; the driver cannot use memory in place.
    pub fn new(device: &mut impl Device<'m>, data: &MeshData<'m>) -> Result<Self, PipeError> {
        let &MeshData { vertices, layout, indices, index_bytes } = data;
        let bytes = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
        if layout.stride == 0 || !matches!(index_bytes, 1 | 2 | 4) {
            return Err(PipeError::Invalid(
                "a mesh of stride 0, or with indices of other than 1, 2 or 4 bytes",
            ));
        }
        let template = ResourceTemplate::buffer(bytes, Bind::VERTEX_BUFFER);
        let resource = device.parts().0.resource_from_user_memory(&template, vertices)?;
        let count = match indices.len() {
            0 => bytes / layout.stride,
            bytes => u32::try_from(bytes / usize::from(index_bytes)).unwrap_or(u32::MAX),
        };
        Ok(Mesh {
            buffer: VertexBuffer { resource, stride: layout.stride, buffer_offset: 0 },
            layout,
            indices: (!indices.is_empty()).then_some(IndexBuffer::user(indices, index_bytes)),
            count,
            mode: PrimType::Triangles,
        })
    }

    /// Binds the vertices and draws the mesh with the bound pipeline.
    ///
    /// # Errors
    /// The errors of `draw_vbo`.
    pub fn draw(&self, device: &mut impl Device<'m>) -> Result<(), PipeError> {
        let info = DrawInfo { index: self.indices, ..DrawInfo::new(self.mode) };
        draw(device, self.buffer, &info, self.count)
    }
}

/// Binds vertices and draws so many of them, or of their indices, with the bound pipeline.
pub(crate) fn draw<'m>(
    device: &mut impl Device<'m>,
    vertices: VertexBuffer,
    info: &DrawInfo<'m>,
    count: u32,
) -> Result<(), PipeError> {
    let context = device.context();
    context.set_vertex_buffers(0, &[Some(vertices)])?;
    context.draw_vbo(info, None, &[DrawStartCount::count(count)])
}
