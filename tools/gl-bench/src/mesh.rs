//! Computed meshes: vertices of eight floats (position, normal, texture coordinates), and indices
//! of triangles.

use std::f32::consts::TAU;
use std::ops::Range;

use anyhow::{Result, anyhow};
use glow::HasContext;

use crate::surface::Surface;

/// Floats per vertex.
const VERTEX: usize = 8;

/// A mesh.
pub(crate) struct Mesh {
    /// [`VERTEX`] floats per vertex.
    vertices: Vec<f32>,
    /// Three indices per triangle.
    pub(crate) indices: Vec<u32>,
}

impl Mesh {
    /// Returns a rectangle over the whole clip space.
    pub(crate) fn screen() -> Mesh {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0f32]];
        let vertices = corners
            .iter()
            .flat_map(|[x, y]| [*x, *y, 0.0, 0.0, 0.0, 1.0, 0.5 + 0.5 * x, 0.5 + 0.5 * y])
            .collect();
        Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3] }
    }

    /// Returns a torus of `2 * around * across` triangles that fits into the clip space.
    pub(crate) fn torus(around: u32, across: u32) -> Mesh {
        let (ring, tube) = (0.62, 0.28);
        let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
        for i in 0..=around {
            let u = i as f32 / around as f32;
            let (sin_u, cos_u) = (u * TAU).sin_cos();
            for j in 0..=across {
                let v = j as f32 / across as f32;
                let (sin_v, cos_v) = (v * TAU).sin_cos();
                let normal = [cos_u * cos_v, sin_u * cos_v, sin_v];
                let center = [ring * cos_u, ring * sin_u, 0.0];
                mesh.vertices.extend((0..3).map(|axis| center[axis] + tube * normal[axis]));
                mesh.vertices.extend(normal);
                mesh.vertices.extend([8.0 * u, 4.0 * v]);
            }
        }
        mesh.stitch(around, across);
        mesh
    }

    /// Returns a rippled sheet of `2 * columns * rows` triangles over the whole clip space.
    pub(crate) fn sheet(columns: u32, rows: u32) -> Mesh {
        let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
        for i in 0..=columns {
            let u = i as f32 / columns as f32;
            for j in 0..=rows {
                let v = j as f32 / rows as f32;
                let z = 0.2 * (9.0 * u).sin() * (7.0 * v).cos();
                mesh.vertices.extend([2.0 * u - 1.0, 2.0 * v - 1.0, z, 0.0, 0.0, 1.0, u, v]);
            }
        }
        mesh.stitch(columns, rows);
        mesh
    }

    /// Returns a cube from -1 to 1.
    pub(crate) fn cube() -> Mesh {
        let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
        for face in 0..6 {
            let (axis, side) = (face % 3, if face < 3 { -1.0 } else { 1.0f32 });
            let first = (mesh.vertices.len() / VERTEX) as u32;
            for [u, v] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0f32]] {
                let mut position = [0.0; 3];
                let mut normal = [0.0; 3];
                (position[axis], normal[axis]) = (side, side);
                (position[(axis + 1) % 3], position[(axis + 2) % 3]) = (u, v);
                mesh.vertices.extend(position);
                mesh.vertices.extend(normal);
                mesh.vertices.extend([0.5 + 0.5 * u, 0.5 + 0.5 * v]);
            }
            mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
        mesh
    }

    /// Returns `count` vertices scattered evenly over the clip space, with one index per vertex.
    pub(crate) fn scattered(count: usize) -> Mesh {
        let mut mesh = Mesh { vertices: Vec::new(), indices: (0..count as u32).collect() };
        for index in 0..count {
            // With the golden ratio and the root of two, no two places are close together.
            let (u, v) = (index as f64 * 0.618_033_988, index as f64 * 0.414_213_562);
            let (u, v) = (u.fract() as f32, v.fract() as f32);
            mesh.vertices.extend([2.0 * u - 1.0, 2.0 * v - 1.0, 0.0, 0.0, 0.0, 1.0, u, v]);
        }
        mesh
    }

    /// Copies the mesh to buffers of the driver and binds them with the vertex attributes.
    ///
    /// # Errors
    /// The driver creates no buffer.
    pub(crate) fn load(&self, surface: &Surface) -> Result<Geometry> {
        let narrow = self.vertices.len() / VERTEX <= 1 << 16;
        let vertices: Vec<u8> = self.vertices.iter().flat_map(|v| v.to_le_bytes()).collect();
        let indices: Vec<u8> = if narrow {
            self.indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect()
        } else {
            self.indices.iter().flat_map(|i| i.to_le_bytes()).collect()
        };
        let gl = &surface.gl;
        let buffers = [(glow::ARRAY_BUFFER, vertices), (glow::ELEMENT_ARRAY_BUFFER, indices)];
        // SAFETY: the context is current; the slices outlive the calls that copy them.
        unsafe {
            for (target, bytes) in buffers {
                let buffer = gl.create_buffer().map_err(|error| anyhow!(error))?;
                gl.bind_buffer(target, Some(buffer));
                gl.buffer_data_u8_slice(target, &bytes, glow::STATIC_DRAW);
            }
            let stride = 4 * VERTEX as i32;
            for (index, (size, offset)) in [(3, 0), (3, 12), (2, 24)].into_iter().enumerate() {
                gl.enable_vertex_attrib_array(index as u32);
                let kind = glow::FLOAT;
                gl.vertex_attrib_pointer_f32(index as u32, size, kind, false, stride, offset);
            }
        }
        Ok(Geometry { indices: self.indices.len(), narrow })
    }

    /// Returns both meshes as one; the indices of `other` come last.
    pub(crate) fn with(mut self, other: Mesh) -> Mesh {
        let first = (self.vertices.len() / VERTEX) as u32;
        self.vertices.extend(other.vertices);
        self.indices.extend(other.indices.iter().map(|index| first + index));
        self
    }

    /// Adds two triangles for each cell of a grid of vertices.
    fn stitch(&mut self, columns: u32, rows: u32) {
        for i in 0..columns {
            for j in 0..rows {
                let a = i * (rows + 1) + j;
                let b = a + rows + 1;
                self.indices.extend([a, b, b + 1, a, b + 1, a + 1]);
            }
        }
    }
}

/// A mesh in the driver's buffers. They stay bound, because a scene has only one mesh.
pub(crate) struct Geometry {
    indices: usize,
    /// True for 16-bit indices, false for 32-bit indices.
    narrow: bool,
}

impl Geometry {
    /// Returns the number of indices.
    pub(crate) fn len(&self) -> usize {
        self.indices
    }

    /// Draws all triangles.
    pub(crate) fn draw(&self, surface: &Surface) {
        self.draw_part(surface, glow::TRIANGLES, 0..self.indices);
    }

    /// Draws primitives of some of the indices. Indices beyond the mesh's last are not drawn.
    pub(crate) fn draw_part(&self, surface: &Surface, mode: u32, part: Range<usize>) {
        let end = part.end.min(self.indices);
        let count = end.saturating_sub(part.start) as i32;
        let (kind, size) = self.index();
        // SAFETY: the context is current, and the bound buffers contain this many indices.
        unsafe { surface.gl.draw_elements(mode, count, kind, size * part.start as i32) }
    }

    /// Draws this many instances of all triangles in one call.
    pub(crate) fn draw_instances(&self, surface: &Surface, instances: u32) {
        let (count, instances) = (self.indices as i32, instances as i32);
        let kind = self.index().0;
        // SAFETY: as in `draw_part`.
        unsafe {
            surface.gl.draw_elements_instanced(glow::TRIANGLES, count, kind, 0, instances);
        }
    }

    /// Returns the type and the size in bytes of an index.
    fn index(&self) -> (u32, i32) {
        if self.narrow { (glow::UNSIGNED_SHORT, 2) } else { (glow::UNSIGNED_INT, 4) }
    }
}
