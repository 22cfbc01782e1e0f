//! Index generation: converts the indices of primitives of any type to the indices of a list.
//!
//! A driver that draws only lists, or a frontend without primitive restart, first converts strips,
//! fans, loops, quads and polygons to lists. [`Pipeline`](crate::Pipeline) takes all types
//! directly; both use the same assemblers.

use crate::groups::{Group, GroupAssembler, Groups};
use crate::index::IndexBytes;
use pipe_core::PrimType;

/// The vertex of a primitive that gives its flat attributes: the rasterizer state's
/// `flatshade_first`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Provoking {
    /// The first vertex, as in Direct3D.
    First,
    /// The last vertex, as in OpenGL.
    Last,
}

/// Returns the list type that primitives of a type are converted to: points, lines or triangles.
/// Lines and triangles keep their adjacency; patches stay patches.
///
/// ```
/// use gallium_draw::indices::list_of;
/// use pipe_core::PrimType::*;
/// let strips = [LineLoop, QuadStrip, TriangleStripAdjacency, Patches];
/// assert_eq!(strips.map(list_of), [Lines, Triangles, TrianglesAdjacency, Patches]);
/// ```
pub const fn list_of(mode: PrimType) -> PrimType {
    use PrimType::*;
    match mode {
        Points => Points,
        Lines | LineLoop | LineStrip => Lines,
        Triangles | TriangleStrip | TriangleFan | Quads | QuadStrip | Polygon => Triangles,
        LinesAdjacency | LineStripAdjacency => LinesAdjacency,
        TrianglesAdjacency | TriangleStripAdjacency => TrianglesAdjacency,
        Patches => Patches,
    }
}

/// Converts a stream of indices to the indices of a list.
///
/// [`push`](Self::push) takes an index, [`finish`](Self::finish) ends the stream or restarts it.
/// Each passes the indices of the primitives that it completes to `emit`, one primitive at a time:
/// as many as the type from [`list_of`] has vertices.
///
/// Triangles keep their winding. A line is reversed if its provoking vertex has to move.
///
/// ```
/// use gallium_draw::indices::{ListGenerator, Provoking};
/// use pipe_core::PrimType;
/// // A strip of OpenGL, for a driver that takes flat colours from first vertices.
/// let strip = PrimType::TriangleStrip;
/// let mut generator = ListGenerator::new(strip, 0, Provoking::Last, Provoking::First);
/// let mut list = Vec::new();
/// for index in [10, 11, 12, 13] {
///     generator.push(index, |primitive| list.extend_from_slice(primitive));
/// }
/// generator.finish(|primitive| list.extend_from_slice(primitive));
/// // 12 and 13 provoke.
/// assert_eq!(list, [12, 10, 11, 13, 12, 11]);
/// ```
#[derive(Clone)]
pub struct ListGenerator {
    assembler: GroupAssembler,
    list: PrimType,
    provoking: Provoking,
}

impl ListGenerator {
    /// Starts a stream of `mode`. Patches have `patch_vertices`, 1 to 32.
    ///
    /// `from` is the convention for provoking vertices in the stream, `to` the one in the list.
    pub fn new(mode: PrimType, patch_vertices: u8, from: Provoking, to: Provoking) -> Self {
        let first_provokes = from == Provoking::First;
        let assembler = GroupAssembler::new(mode, patch_vertices, first_provokes, true);
        ListGenerator { assembler, list: list_of(mode), provoking: to }
    }

    /// Takes the next index.
    pub fn push(&mut self, index: u32, emit: impl FnMut(&[u32])) {
        let groups = self.assembler.push(index);
        self.hand_over(groups, emit);
    }

    /// Ends a strip, fan, loop or polygon: closes a loop, drops incomplete primitives. The next
    /// index starts a new one.
    pub fn finish(&mut self, emit: impl FnMut(&[u32])) {
        let groups = self.assembler.finish();
        self.hand_over(groups, emit);
    }

    /// Takes a range of a buffer's indices, and ends the stream. The index `restart` ends a strip,
    /// fan, loop or polygon.
    ///
    /// ```
    /// use gallium_draw::IndexBytes;
    /// use gallium_draw::indices::{ListGenerator, Provoking::Last};
    /// use pipe_core::PrimType;
    /// let fans = IndexBytes { bytes: &[0, 1, 2, 3, 255, 4, 5, 6], size: 1 };
    /// let mut list = Vec::new();
    /// let mut generator = ListGenerator::new(PrimType::TriangleFan, 0, Last, Last);
    /// generator.run(&fans, 0..8, Some(255), |triangle| list.extend_from_slice(triangle));
    /// assert_eq!(list, [0, 1, 2, 0, 2, 3, 4, 5, 6]);
    /// ```
    pub fn run(
        &mut self,
        indices: &IndexBytes<'_>,
        range: core::ops::Range<u32>,
        restart: Option<u32>,
        mut emit: impl FnMut(&[u32]),
    ) {
        let mut stream = indices.from(range.start);
        for _ in range {
            let index = stream.take();
            if Some(index) == restart {
                self.finish(&mut emit);
            } else {
                self.push(index, &mut emit);
            }
        }
        self.finish(emit);
    }

    fn hand_over(&self, mut groups: Groups, mut emit: impl FnMut(&[u32])) {
        for group in &mut groups {
            self.turn(group);
            emit(&group.vertices);
        }
    }

    /// Moves the provoking vertex of a group to its place.
    fn turn(&self, group: &mut Group) {
        let provoking = usize::from(group.shape.provoking);
        match (self.list, self.provoking) {
            (PrimType::Lines | PrimType::LinesAdjacency, wanted)
                if (wanted == Provoking::First) != (provoking == 0) =>
            {
                group.vertices.reverse();
            }
            (PrimType::Triangles | PrimType::TrianglesAdjacency, wanted) => {
                // A neighbour follows each vertex, if the type has adjacency.
                let step = group.vertices.len() / 3;
                let first = match wanted {
                    Provoking::First => provoking,
                    Provoking::Last => (provoking + 1) % 3,
                };
                group.vertices.rotate_left(first * step);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::assemble::Assembler;
    use core::convert::Infallible;
    use std::vec::Vec;

    const BOTH: [Provoking; 2] = [Provoking::First, Provoking::Last];

    fn list(mode: PrimType, count: u32, from: Provoking, to: Provoking) -> Vec<Vec<u32>> {
        let mut generator = ListGenerator::new(mode, 3, from, to);
        let mut list = Vec::new();
        (0..count).for_each(|index| generator.push(index, |group| list.push(group.to_vec())));
        generator.finish(|group| list.push(group.to_vec()));
        list
    }

    /// Returns the vertices without neighbours.
    fn own(mode: PrimType, group: &[u32]) -> Vec<u32> {
        match (mode.has_adjacency(), group) {
            (true, [_, a, b, _]) => [*a, *b].into(),
            (true, [a, _, b, _, c, _]) => [*a, *b, *c].into(),
            _ => group.to_vec(),
        }
    }

    /// The lists are the assembler's primitives, which are tested against the specification. The
    /// provoking vertex is in its place and the winding is kept.
    #[test]
    fn lists_are_the_assembled_primitives() {
        for &mode in PrimType::ALL.iter().filter(|mode| **mode != PrimType::Patches) {
            for (from, to) in BOTH.into_iter().flat_map(|from| BOTH.map(|to| (from, to))) {
                let mut wanted = Vec::new();
                let mut emit = |primitive: crate::assemble::Primitive<u32>| {
                    wanted.push(primitive);
                    Ok::<(), Infallible>(())
                };
                let first = from == Provoking::First;
                let mut assembler = Assembler::new(mode, first).expect("no patches");
                (0..13).for_each(|index| assembler.push(index, &mut emit).unwrap());
                assembler.finish(&mut emit).unwrap();
                let list = list(mode, 13, from, to);
                assert_eq!(list.len(), wanted.len(), "{mode:?}");
                for (group, wanted) in list.iter().zip(&wanted) {
                    let case = std::format!("{mode:?} {from:?} {to:?} {group:?} {wanted:?}");
                    let own = own(mode, group);
                    let vertices = &wanted.vertices[..usize::from(wanted.count)];
                    let at = if to == Provoking::First { 0 } else { own.len() - 1 };
                    let provoking = vertices[usize::from(wanted.provoking)];
                    assert_eq!(own[at], provoking, "{case}");
                    // A rotation of a triangle; a line may be reversed.
                    let shift = vertices.iter().position(|v| *v == own[0]).expect("a vertex");
                    let turned: Vec<u32> =
                        (0..own.len()).map(|i| vertices[(i + shift) % own.len()]).collect();
                    assert_eq!(own, turned, "{case}");
                }
            }
        }
    }

    #[test]
    fn neighbours_go_along() {
        let triangle = PrimType::TrianglesAdjacency;
        let turned = list(triangle, 6, Provoking::Last, Provoking::First);
        assert_eq!(turned, [[4, 5, 0, 1, 2, 3]]);
        let line = list(PrimType::LinesAdjacency, 4, Provoking::First, Provoking::Last);
        assert_eq!(line, [[3, 2, 1, 0]]);
        assert_eq!(
            list(PrimType::Patches, 7, Provoking::First, Provoking::Last),
            [[0, 1, 2], [3, 4, 5]]
        );
    }
}
