//! Meshes that are computed: vertices of eight floats (position, normal, texture coordinates) and
//! triangles of 16-bit indices.

use std::f32::consts::TAU;

/// Floats of a vertex.
pub(crate) const VERTEX: usize = 8;

/// A mesh.
pub(crate) struct Mesh {
    /// [`VERTEX`] floats each.
    pub(crate) vertices: Vec<f32>,
    /// Three a triangle.
    pub(crate) indices: Vec<u16>,
}

impl Mesh {
    /// A rectangle over the whole clip space.
    pub(crate) fn screen() -> Mesh {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0f32]];
        let vertices = corners
            .iter()
            .flat_map(|[x, y]| [*x, *y, 0.0, 0.0, 0.0, 1.0, 0.5 + 0.5 * x, 0.5 + 0.5 * y])
            .collect();
        Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3] }
    }

    /// A torus of `2 * around * across` triangles; fits into the clip space.
    pub(crate) fn torus(around: u16, across: u16) -> Mesh {
        let (ring, tube) = (0.62, 0.28);
        let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
        for i in 0..=around {
            let u = f32::from(i) / f32::from(around);
            let (sin_u, cos_u) = (u * TAU).sin_cos();
            for j in 0..=across {
                let v = f32::from(j) / f32::from(across);
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

    /// A rippled sheet of `2 * columns * rows` triangles over the whole clip space.
    pub(crate) fn sheet(columns: u16, rows: u16) -> Mesh {
        let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
        for i in 0..=columns {
            let u = f32::from(i) / f32::from(columns);
            for j in 0..=rows {
                let v = f32::from(j) / f32::from(rows);
                let z = 0.2 * (9.0 * u).sin() * (7.0 * v).cos();
                mesh.vertices.extend([2.0 * u - 1.0, 2.0 * v - 1.0, z, 0.0, 0.0, 1.0, u, v]);
            }
        }
        mesh.stitch(columns, rows);
        mesh
    }

    /// Returns both meshes as one: the indices of `other` come last.
    pub(crate) fn with(mut self, other: Mesh) -> Mesh {
        let first = (self.vertices.len() / VERTEX) as u16;
        self.vertices.extend(other.vertices);
        self.indices.extend(other.indices.iter().map(|index| first + index));
        self
    }

    /// Two triangles between neighbouring vertices of a grid.
    fn stitch(&mut self, columns: u16, rows: u16) {
        for i in 0..columns {
            for j in 0..rows {
                let a = i * (rows + 1) + j;
                let b = a + rows + 1;
                self.indices.extend([a, b, b + 1, a, b + 1, a + 1]);
            }
        }
    }
}
