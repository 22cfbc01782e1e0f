//! Primitive types, and their numbers of vertices and primitives.

use crate::numbered::numbered;

numbered! {
    /// The primitive that vertices form. `PIPE_PRIM_*`.
    #[derive(Default)]
    pub enum PrimType {
        /// Each vertex is a point.
        Points = 0,
        /// Each two vertices are a line.
        Lines = 1,
        /// A line joins each vertex to the next, and the last to the first.
        LineLoop = 2,
        /// A line joins each vertex to the next.
        LineStrip = 3,
        /// Each three vertices are a triangle.
        #[default]
        Triangles = 4,
        /// Each vertex and the next two are a triangle.
        TriangleStrip = 5,
        /// The first vertex and each two neighbours are a triangle.
        TriangleFan = 6,
        /// Each four vertices are a quad.
        Quads = 7,
        /// Each two vertices and the next two are a quad.
        QuadStrip = 8,
        /// All vertices are one convex polygon.
        Polygon = 9,
        /// Lines with a neighbouring vertex at each end.
        LinesAdjacency = 10,
        /// A strip of lines with a neighbouring vertex at each end.
        LineStripAdjacency = 11,
        /// Triangles with a neighbouring vertex at each edge.
        TrianglesAdjacency = 12,
        /// A strip of triangles with a neighbouring vertex at each edge.
        TriangleStripAdjacency = 13,
        /// Patches, for tessellation.
        Patches = 14,
    }

    /// The kind of primitive that a type decomposes into.
    pub enum ReducedPrim {
        /// Points.
        Points = 0,
        /// Lines.
        Lines = 1,
        /// Triangles.
        Triangles = 4,
        /// Patches stay patches.
        Patches = 14,
    }
}

impl PrimType {
    /// Returns the number of vertices of the first primitive, and of each further one. For patches
    /// both are `patch_vertices`.
    const fn vertices(self, patch_vertices: u32) -> (u32, u32) {
        match self {
            Self::Points => (1, 1),
            Self::Lines => (2, 2),
            Self::LineLoop | Self::LineStrip => (2, 1),
            Self::Triangles => (3, 3),
            Self::TriangleStrip | Self::TriangleFan | Self::Polygon => (3, 1),
            Self::Quads => (4, 4),
            Self::QuadStrip => (4, 2),
            Self::LinesAdjacency => (4, 4),
            Self::LineStripAdjacency => (4, 1),
            Self::TrianglesAdjacency => (6, 6),
            Self::TriangleStripAdjacency => (6, 2),
            Self::Patches => (patch_vertices, patch_vertices),
        }
    }

    /// Returns the least number of vertices that draw a primitive; `patch_vertices` is used only
    /// for patches.
    pub const fn min_vertices(self, patch_vertices: u32) -> u32 {
        self.vertices(patch_vertices).0
    }

    /// Returns the number of vertices that each primitive after the first takes; `patch_vertices`
    /// is used only for patches.
    pub const fn step(self, patch_vertices: u32) -> u32 {
        self.vertices(patch_vertices).1
    }

    /// Returns the number of vertices of one decomposed primitive, including adjacent vertices.
    pub const fn vertices_per_primitive(self, patch_vertices: u32) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines | Self::LineLoop | Self::LineStrip => 2,
            Self::Triangles | Self::TriangleStrip | Self::TriangleFan => 3,
            Self::Quads | Self::QuadStrip | Self::Polygon => 3,
            Self::LinesAdjacency | Self::LineStripAdjacency => 4,
            Self::TrianglesAdjacency | Self::TriangleStripAdjacency => 6,
            Self::Patches => patch_vertices,
        }
    }

    /// Returns `count` without the vertices at the end that complete no primitive; 0 if no
    /// primitive is complete.
    pub const fn trim(self, count: u32, patch_vertices: u32) -> u32 {
        let (first, step) = self.vertices(patch_vertices);
        let Some(more) = count.checked_sub(first) else { return 0 };
        let Some(unused) = more.checked_rem(step) else { return 0 };
        count.saturating_sub(unused)
    }

    /// Returns the number of points, lines, triangles or patches that `count` vertices make,
    /// without primitive restart.
    pub const fn decomposed_primitives(self, count: u32, patch_vertices: u32) -> u32 {
        let (first, step) = self.vertices(patch_vertices);
        let Some(more) = count.checked_sub(first) else { return 0 };
        let Some(steps) = more.checked_div(step) else { return 0 };
        let primitives = steps.saturating_add(1);
        match self {
            // The last vertex connects to the first.
            Self::LineLoop => primitives.saturating_add(1),
            Self::Quads | Self::QuadStrip => primitives.saturating_mul(2),
            _ => primitives,
        }
    }

    /// Returns the kind of primitive that the type decomposes into.
    pub const fn reduced(self) -> ReducedPrim {
        match self {
            Self::Points => ReducedPrim::Points,
            Self::Lines | Self::LineLoop | Self::LineStrip => ReducedPrim::Lines,
            Self::LinesAdjacency | Self::LineStripAdjacency => ReducedPrim::Lines,
            Self::Patches => ReducedPrim::Patches,
            _ => ReducedPrim::Triangles,
        }
    }

    /// Returns true if the vertices include adjacent ones, which only geometry shaders see.
    pub const fn has_adjacency(self) -> bool {
        use PrimType::*;
        matches!(
            self,
            LinesAdjacency | LineStripAdjacency | TrianglesAdjacency | TriangleStripAdjacency
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_wire_s() {
        for (number, prim) in PrimType::ALL.iter().enumerate() {
            assert_eq!(PrimType::from_number(number as u32), Some(*prim));
        }
        assert_eq!(PrimType::from_number(15), None);
    }

    #[test]
    fn counts_by_hand() {
        use PrimType::*;
        // For each type, the number of primitives that 0, 1, 2, … vertices make.
        for (prim, counts) in [
            (Points, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
            (Lines, [0, 0, 1, 1, 2, 2, 3, 3, 4]),
            (LineLoop, [0, 0, 2, 3, 4, 5, 6, 7, 8]),
            (LineStrip, [0, 0, 1, 2, 3, 4, 5, 6, 7]),
            (Triangles, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
            (TriangleStrip, [0, 0, 0, 1, 2, 3, 4, 5, 6]),
            (TriangleFan, [0, 0, 0, 1, 2, 3, 4, 5, 6]),
            (Quads, [0, 0, 0, 0, 2, 2, 2, 2, 4]),
            (QuadStrip, [0, 0, 0, 0, 2, 2, 4, 4, 6]),
            (Polygon, [0, 0, 0, 1, 2, 3, 4, 5, 6]),
            (LinesAdjacency, [0, 0, 0, 0, 1, 1, 1, 1, 2]),
            (LineStripAdjacency, [0, 0, 0, 0, 1, 2, 3, 4, 5]),
            (TrianglesAdjacency, [0, 0, 0, 0, 0, 0, 1, 1, 1]),
            (TriangleStripAdjacency, [0, 0, 0, 0, 0, 0, 1, 1, 2]),
            (Patches, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        ] {
            for (count, expected) in counts.into_iter().enumerate() {
                let count = count as u32;
                assert_eq!(prim.decomposed_primitives(count, 3), expected, "{prim:?} of {count}");
                let trimmed = prim.trim(count, 3);
                assert!(trimmed <= count && count - trimmed < 8);
                assert_eq!(prim.decomposed_primitives(trimmed, 3), expected, "{prim:?} trimmed");
            }
        }
        assert_eq!(Patches.decomposed_primitives(9, 0), 0, "patches of nothing are nothing");
        assert_eq!((Triangles.trim(8, 0), QuadStrip.trim(7, 0), Quads.trim(3, 0)), (6, 6, 0));
    }
}
