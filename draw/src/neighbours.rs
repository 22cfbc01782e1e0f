//! Primitives with adjacency: lines of four vertices and triangles of six, for geometry shaders.
//!
//! ```text
//!   line        0---1---2---3        1 to 2 is the line, 0 and 3 are its neighbours
//!   triangle    1 3 5 are the neighbours across the edges 0-2, 2-4 and 4-0
//! ```

use heapless::Vec;
use pipe_core::PrimType;

/// The number of vertices that are kept. A triangle of a strip reaches from two vertices before its
/// first vertex to the vertex after its last neighbour.
const WINDOW: usize = 10;

/// Converts an index stream to primitives with their neighbours, in the order that a geometry
/// shader expects.
///
/// [`push`](Self::push) takes an index, [`finish`](Self::finish) ends the stream or restarts it.
///
/// ```
/// use gallium_draw::neighbours::NeighbourAssembler;
/// use pipe_core::PrimType;
/// let mut assembler = NeighbourAssembler::new(PrimType::LineStripAdjacency).expect("has neighbours");
/// let lines: Vec<_> = (0..5).filter_map(|index| assembler.push(index)).collect();
/// assert_eq!(lines, [[0, 1, 2, 3], [1, 2, 3, 4]]);
/// ```
///
/// # Source
/// OpenGL 4.6 §10.1.11 to §10.1.14, table 10.1.
#[derive(Clone, Debug)]
pub struct NeighbourAssembler {
    mode: PrimType,
    /// The last vertices: number `n` is at `n % WINDOW`.
    window: [u32; WINDOW],
    /// The number of vertices since the last restart.
    count: usize,
    /// Set if the last primitive is an odd triangle of a strip, with its first two vertices
    /// swapped.
    turned: bool,
}

/// The vertices of a line or triangle and its neighbours: four or six.
pub type Neighbourhood = Vec<u32, 6>;

impl NeighbourAssembler {
    /// Starts a stream of `mode`; `None` for types without adjacency.
    pub fn new(mode: PrimType) -> Option<Self> {
        use PrimType::*;
        let adjacent = matches!(
            mode,
            LinesAdjacency | LineStripAdjacency | TrianglesAdjacency | TriangleStripAdjacency
        );
        adjacent.then_some(NeighbourAssembler {
            mode,
            window: [0; WINDOW],
            count: 0,
            turned: false,
        })
    }

    /// Takes the next vertex; returns the primitive that it completes.
    pub fn push(&mut self, vertex: u32) -> Option<Neighbourhood> {
        if let Some(place) = self.window.get_mut(self.count % WINDOW) {
            *place = vertex;
        }
        self.count += 1;
        let count = self.count;
        match self.mode {
            PrimType::LinesAdjacency => count.is_multiple_of(4).then(|| self.last::<4>()),
            PrimType::LineStripAdjacency => (count >= 4).then(|| self.last::<4>()),
            PrimType::TrianglesAdjacency => count.is_multiple_of(6).then(|| self.last::<6>()),
            // A triangle is known not to be the strip's last one once the next triangle is
            // complete.
            PrimType::TriangleStripAdjacency if count >= 8 && count.is_multiple_of(2) => {
                Some(self.strip_triangle(count / 2 - 4, false))
            }
            _ => None,
        }
    }

    /// Ends the stream: returns a strip's last triangle and drops incomplete primitives. The next
    /// vertex starts a new one.
    pub fn finish(&mut self) -> Option<Neighbourhood> {
        let count = core::mem::take(&mut self.count);
        let strip = self.mode == PrimType::TriangleStripAdjacency;
        (strip && count >= 6).then(|| self.strip_triangle(count / 2 - 3, true))
    }

    /// Returns the provoking vertex of the last primitive: its number among the two of a line or
    /// the three of a triangle. `first_provokes` is the rasterizer state's `flatshade_first`.
    pub fn provoking(&self, first_provokes: bool) -> u8 {
        let is_line = matches!(self.mode, PrimType::LinesAdjacency | PrimType::LineStripAdjacency);
        match (first_provokes, is_line) {
            // In the order of the strip, an odd triangle begins with its second vertex.
            (true, _) => u8::from(self.turned),
            (false, true) => 1,
            (false, false) => 2,
        }
    }

    /// Returns vertex `number` since the last restart. It must be one of the last [`WINDOW`].
    fn at(&self, number: usize) -> u32 {
        self.window.get(number % WINDOW).copied().unwrap_or(0)
    }

    /// Returns the last `N` vertices.
    fn last<const N: usize>(&self) -> Neighbourhood {
        (self.count - N..self.count).map(|number| self.at(number)).collect()
    }

    /// Returns triangle `i` of a strip. Every other triangle is turned, so that all have the same
    /// winding.
    fn strip_triangle(&mut self, i: usize, is_last: bool) -> Neighbourhood {
        let before = if i == 0 { 1 } else { 2 * i - 2 };
        let after = if is_last { 2 * i + 5 } else { 2 * i + 6 };
        let (first, second, third, beside) = (2 * i, 2 * i + 2, 2 * i + 4, 2 * i + 3);
        self.turned = !i.is_multiple_of(2);
        let numbers = if self.turned {
            [second, before, first, beside, third, after]
        } else {
            [first, before, second, after, third, beside]
        };
        numbers.into_iter().map(|number| self.at(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn all(mode: PrimType, count: u32) -> Vec<Neighbourhood> {
        let mut assembler = NeighbourAssembler::new(mode).expect("has neighbours");
        let mut list: Vec<_> = (1..=count).filter_map(|v| assembler.push(v)).collect();
        list.extend(assembler.finish());
        list
    }

    /// Rows of table 10.1 of OpenGL 4.6, numbered from 1 as in the table: vertices 1st, 2nd, 3rd,
    /// neighbours of 1-2, 2-3, 3-1.
    fn table(i: u32, n: u32) -> [u32; 6] {
        let (odd, last) = (i % 2 == 1, i == n - 1);
        match (n, i, odd, last) {
            (1, ..) => [1, 3, 5, 2, 6, 4],
            (_, 0, ..) => [1, 3, 5, 2, 7, 4],
            (_, _, true, false) => {
                [2 * i + 3, 2 * i + 1, 2 * i + 5, 2 * i - 1, 2 * i + 4, 2 * i + 7]
            }
            (_, _, false, false) => {
                [2 * i + 1, 2 * i + 3, 2 * i + 5, 2 * i - 1, 2 * i + 7, 2 * i + 4]
            }
            (_, _, true, true) => {
                [2 * i + 3, 2 * i + 1, 2 * i + 5, 2 * i - 1, 2 * i + 4, 2 * i + 6]
            }
            (_, _, false, true) => {
                [2 * i + 1, 2 * i + 3, 2 * i + 5, 2 * i - 1, 2 * i + 6, 2 * i + 4]
            }
        }
    }

    #[test]
    fn strips_are_those_of_the_specification() {
        for count in 0..40 {
            let list = all(PrimType::TriangleStripAdjacency, count);
            let n = (count / 2).saturating_sub(2);
            assert_eq!(list.len(), n as usize, "{count} vertices");
            for (i, triangle) in list.iter().enumerate() {
                let [a, b, c, ab, bc, ca] = table(i as u32, n);
                assert_eq!(triangle[..], [a, ab, b, bc, c, ca], "triangle {i} of {n}");
            }
        }
    }

    #[test]
    fn lists_drop_what_is_incomplete() {
        assert_eq!(all(PrimType::LinesAdjacency, 11).len(), 2);
        assert_eq!(all(PrimType::TrianglesAdjacency, 17)[1][..], [7, 8, 9, 10, 11, 12]);
        assert_eq!(all(PrimType::LineStripAdjacency, 3).len(), 0);
    }

    #[test]
    fn a_restart_begins_a_strip_anew() {
        let mut assembler = NeighbourAssembler::new(PrimType::TriangleStripAdjacency).unwrap();
        (1..=6).for_each(|v| assert_eq!(assembler.push(v), None));
        let first = assembler.finish().expect("one triangle");
        (1..=6).for_each(|v| assert_eq!(assembler.push(v), None));
        assert_eq!(assembler.finish(), Some(first));
        assert_eq!(assembler.finish(), None);
    }
}
