//! Primitive types, and how many of them vertices make.

use crate::numbered::numbered;

numbered! {
    /// What vertices make. `PIPE_PRIM_*`.
    #[derive(Default)]
    pub enum PrimType {
        /// Every vertex a point.
        Points = 0,
        /// Every two a line.
        Lines = 1,
        /// A line from each to the next, and from the last to the first.
        LineLoop = 2,
        /// A line from each to the next.
        LineStrip = 3,
        /// Every three a triangle.
        #[default]
        Triangles = 4,
        /// A triangle of each and the next two.
        TriangleStrip = 5,
        /// A triangle of the first and each two neighbours.
        TriangleFan = 6,
        /// Every four a quad.
        Quads = 7,
        /// A quad of every two and the next two.
        QuadStrip = 8,
        /// All one polygon.
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

    /// What primitives become when they are taken apart.
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
    /// Vertices of the first primitive, and of each further one. Patches have `patch_vertices`.
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

    /// The fewest vertices that draw something; `patch_vertices` counts for patches only.
    pub const fn min_vertices(self, patch_vertices: u32) -> u32 {
        self.vertices(patch_vertices).0
    }

    /// Vertices each further primitive takes.
    pub const fn step(self, patch_vertices: u32) -> u32 {
        self.vertices(patch_vertices).1
    }

    /// Vertices of one decomposed primitive, neighbours included.
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

    /// `count` without the vertices left over at the end; 0 if it draws nothing.
    pub const fn trim(self, count: u32, patch_vertices: u32) -> u32 {
        let (first, step) = self.vertices(patch_vertices);
        if count < first || step == 0 { 0 } else { count - (count - first) % step }
    }

    /// Points, lines, triangles or patches that `count` vertices make, without restarts.
    pub const fn decomposed_primitives(self, count: u32, patch_vertices: u32) -> u32 {
        let (first, step) = self.vertices(patch_vertices);
        if count < first || step == 0 {
            return 0;
        }
        let primitives = (count - first) / step + 1;
        match self {
            // One more closes the loop.
            Self::LineLoop => primitives + 1,
            Self::Quads | Self::QuadStrip => primitives * 2,
            _ => primitives,
        }
    }

    /// What it is made of.
    pub const fn reduced(self) -> ReducedPrim {
        match self {
            Self::Points => ReducedPrim::Points,
            Self::Lines | Self::LineLoop | Self::LineStrip => ReducedPrim::Lines,
            Self::LinesAdjacency | Self::LineStripAdjacency => ReducedPrim::Lines,
            Self::Patches => ReducedPrim::Patches,
            _ => ReducedPrim::Triangles,
        }
    }

    /// Whether vertices include neighbours that only geometry shaders see.
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
        // vertices: primitives made of 0, 1, 2, … of them.
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
