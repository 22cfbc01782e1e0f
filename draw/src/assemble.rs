//! Primitive assembly: a stream of vertex indices becomes points, lines and triangles.
//!
//! The assembler works on indices, before vertices are fetched or shaded. So it sees a strip as one
//! stream, even if its vertices are shaded in several segments. Only this file deals with parity,
//! fans and loops.
//!
//! ```text
//! strip  0---2---4     odd triangles are turned to keep   quads  3---2   last provokes:  0 1 3 | 1 2 3
//!         \ / \ / \    their winding: 1 2 3 is emitted           |   |   first provokes: 0 1 2 | 0 2 3
//!          1---3---5   as 2 1 3, or 1 3 2 if first provokes      0---1
//! ```

use pipe_core::PrimType;

/// A point, line or triangle over vertices of type `V`: indices, or slots of the vertex cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Primitive<V> {
    /// The first `count` elements are its vertices, in winding order; the rest repeat the last one.
    pub vertices: [V; 3],
    /// 1 for a point, 2 for a line, 3 for a triangle.
    pub count: u8,
    /// The index in `vertices` of the vertex that gives the flat attributes.
    pub provoking: u8,
    /// Bit k is set if the edge from vertex k to the next belongs to a polygon or line of the draw;
    /// a diagonal has no bit. [`STARTS`](Self::STARTS) is set if a line, or a polygon's outline,
    /// starts here.
    pub edges: u8,
}

impl<V: Copy> Primitive<V> {
    /// Flag in `edges`: the line stipple starts again.
    pub const STARTS: u8 = 8;

    /// Makes a point at `a`.
    pub const fn point(a: V) -> Self {
        Primitive { vertices: [a; 3], count: 1, provoking: 0, edges: Self::STARTS | 1 }
    }

    /// Makes a line from `a` to `b` that is not part of a strip. `provoking` is 0 or 1.
    pub const fn line(a: V, b: V, provoking: u8) -> Self {
        Primitive { vertices: [a, b, b], count: 2, provoking, edges: Self::STARTS | 1 }
    }

    /// Makes a triangle that is not part of a larger polygon. `provoking` is 0 to 2.
    pub const fn triangle(a: V, b: V, c: V, provoking: u8) -> Self {
        Primitive { vertices: [a, b, c], count: 3, provoking, edges: Self::STARTS | 0b111 }
    }

    /// Replaces the vertices.
    #[inline(always)]
    pub(crate) fn over<W>(self, vertices: [W; 3]) -> Primitive<W> {
        let Primitive { count, provoking, edges, .. } = self;
        Primitive { vertices, count, provoking, edges }
    }

    /// Replaces the edges, for a piece of a strip or of a larger polygon.
    const fn with_edges(self, edges: u8) -> Self {
        Primitive { edges, ..self }
    }
}

/// Converts the index stream of one draw, or of one instance of it, to primitives.
///
/// [`push`](Self::push) takes an index, [`finish`](Self::finish) ends the stream or restarts it.
///
/// ```
/// use gallium_draw::assemble::Assembler;
/// use pipe_core::PrimType;
/// let mut triangles = Vec::new();
/// let mut emit = |primitive: gallium_draw::assemble::Primitive<u32>| {
///     triangles.push(primitive.vertices);
///     Ok::<(), std::convert::Infallible>(())
/// };
/// let mut assembler = Assembler::new(PrimType::TriangleStrip, true).expect("no patches");
/// for index in [10, 11, 12, 13] {
///     assembler.push(index, &mut emit)?;
/// }
/// assembler.finish(&mut emit)?;
/// // The second triangle is turned, so that both have one winding.
/// assert_eq!(triangles, [[10, 11, 12], [11, 13, 12]]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
///
/// # Source
/// OpenGL 4.6 compatibility §10.1 and §13.4 (provoking vertices); the manual's `flatshade_first`.
/// Quads follow the provoking vertex convention.
#[derive(Clone, Debug)]
pub struct Assembler {
    mode: PrimType,
    first_provokes: bool,
    /// The vertices that later primitives need: the first `held` elements.
    window: [u32; 5],
    held: usize,
    /// The first vertex since the last restart (fans, polygons, loops).
    first: u32,
    /// In triangle strips: set if the next triangle is turned. In line strips, loops and polygons:
    /// set if a line or triangle was made since the last restart.
    odd: bool,
    primitives: u64,
}

impl Assembler {
    /// Starts a stream of `mode`.
    ///
    /// `first_provokes` is the rasterizer state's `flatshade_first`. Returns `None` for patches,
    /// because only a tessellator can split them.
    pub fn new(mode: PrimType, first_provokes: bool) -> Option<Self> {
        (mode != PrimType::Patches).then_some(Assembler {
            mode,
            first_provokes,
            window: [0; 5],
            held: 0,
            first: 0,
            odd: false,
            primitives: 0,
        })
    }

    /// Returns the number of whole primitives of the draw's type so far. A quad or a polygon counts
    /// as one, although it becomes several triangles.
    pub fn primitives(&self) -> u64 {
        self.primitives
    }

    /// Resets the count of primitives to 0.
    pub(crate) fn forget_primitives(&mut self) {
        self.primitives = 0;
    }

    /// Takes the next vertex, and passes the primitives that it completes to `emit`.
    ///
    /// # Errors
    /// The error of `emit`; the primitives after it are lost.
    #[inline]
    pub fn push<E>(
        &mut self,
        v: u32,
        emit: &mut impl FnMut(Primitive<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        use Primitive as P;
        let [a, b, c, _, e] = self.window;
        let mode = self.mode;
        match mode {
            PrimType::Points => {
                self.primitives += 1;
                emit(P::point(v))
            }
            PrimType::Lines if self.completes(1, v) => emit(self.line(a, v)),
            PrimType::LineStrip | PrimType::LineLoop => {
                if self.held == 0 {
                    self.first = v;
                    self.hold(v);
                    return Ok(());
                }
                self.window[0] = v;
                // A loop of one vertex has no line to close it with.
                self.primitives += 1;
                emit(self.strip_line(a, v))
            }
            PrimType::LinesAdjacency if self.completes(3, v) => emit(self.line(b, c)),
            PrimType::LineStripAdjacency => {
                if self.holds_back(3, v) {
                    return Ok(());
                }
                self.window = [b, c, v, 0, 0];
                self.primitives += 1;
                emit(self.strip_line(b, c))
            }
            PrimType::Triangles if self.completes(2, v) => emit(self.list_triangle(a, b, v)),
            PrimType::TrianglesAdjacency if self.completes(5, v) => {
                emit(self.list_triangle(a, c, e))
            }
            PrimType::TriangleStrip => {
                if self.holds_back(2, v) {
                    return Ok(());
                }
                self.window = [b, v, 0, 0, 0];
                emit(self.strip_triangle(a, b, v))
            }
            PrimType::TriangleStripAdjacency => self.push_strip_adjacency(v, emit),
            PrimType::Polygon => {
                // The last edge is only known at the end, so a triangle waits for the vertex after
                // it.
                if self.holds_back(3, v) {
                    return Ok(());
                }
                self.window = [a, c, v, 0, 0];
                emit(self.polygon_triangle([a, b, c], false))
            }
            PrimType::TriangleFan => {
                if self.holds_back(2, v) {
                    return Ok(());
                }
                self.window[1] = v;
                self.primitives += 1;
                // Each triangle of a fan takes its flat attributes from a different vertex.
                emit(P::triangle(a, b, v, if self.first_provokes { 1 } else { 2 }))
            }
            PrimType::Quads if self.completes(3, v) => self.quad([a, b, c, v], emit),
            PrimType::QuadStrip => {
                if self.holds_back(3, v) {
                    return Ok(());
                }
                self.window = [c, v, 0, 0, 0];
                self.held = 2;
                self.primitives += 1;
                self.quad_strip_quad([a, b, v, c], emit)
            }
            _ => Ok(()),
        }
    }

    /// Ends a strip, fan, loop or polygon: closes a loop, drops incomplete primitives. The next
    /// vertex starts a new one.
    ///
    /// Call it for a restart index and at the end of the stream.
    ///
    /// # Errors
    /// The error of `emit`.
    pub fn finish<E>(
        &mut self,
        emit: &mut impl FnMut(Primitive<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        let open_loop = self.mode == PrimType::LineLoop && self.odd;
        let open_polygon = self.mode == PrimType::Polygon && self.held == 3;
        let [a, b, c, ..] = self.window;
        let last = match (open_loop, open_polygon) {
            (true, _) => {
                self.primitives += 1;
                Some(self.strip_line(a, self.first))
            }
            (_, true) => Some(self.polygon_triangle([a, b, c], true)),
            _ => None,
        };
        self.held = 0;
        self.odd = false;
        last.map_or(Ok(()), emit)
    }

    /// Keeps `v` for later primitives.
    #[inline(always)]
    fn hold(&mut self, v: u32) {
        if let Some(place) = self.window.get_mut(self.held) {
            *place = v;
            self.held += 1;
        }
    }

    /// For strips: keeps `v` and returns `true` if it is one of the `held` vertices before the
    /// first primitive.
    #[inline(always)]
    fn holds_back(&mut self, held: usize, v: u32) -> bool {
        let back = self.held < held;
        if back {
            self.hold(v);
        }
        back
    }

    /// For lists: returns `true` if `v` completes a group of `held + 1` vertices, otherwise keeps
    /// it.
    #[inline(always)]
    fn completes(&mut self, held: usize, v: u32) -> bool {
        if self.holds_back(held, v) {
            return false;
        }
        self.held = 0;
        self.primitives += 1;
        true
    }

    /// Makes a line that is not part of a strip, with the draw's provoking vertex.
    #[inline(always)]
    fn line(&self, a: u32, b: u32) -> Primitive<u32> {
        Primitive::line(a, b, if self.first_provokes { 0 } else { 1 })
    }

    /// Makes the next line of a strip or loop; the first one starts the line stipple.
    #[inline(always)]
    fn strip_line(&mut self, a: u32, b: u32) -> Primitive<u32> {
        let line = self.line(a, b);
        if core::mem::replace(&mut self.odd, true) { line.with_edges(1) } else { line }
    }

    /// Makes a triangle of a polygon, around the polygon's first vertex, which provokes.
    fn polygon_triangle(&mut self, [a, b, c]: [u32; 3], last: bool) -> Primitive<u32> {
        let first = !core::mem::replace(&mut self.odd, true);
        self.primitives += u64::from(first);
        let starts = if first { Primitive::<u32>::STARTS | 1 } else { 0 };
        Primitive::triangle(a, b, c, 0).with_edges(0b010 | starts | u8::from(last) << 2)
    }

    /// Makes a triangle of a list.
    #[inline(always)]
    pub(crate) fn list_triangle(&self, a: u32, b: u32, c: u32) -> Primitive<u32> {
        Primitive::triangle(a, b, c, if self.first_provokes { 0 } else { 2 })
    }

    /// Makes the next triangle of a strip. Every other triangle has the opposite winding, and is
    /// turned about its provoking vertex.
    #[inline(always)]
    fn strip_triangle(&mut self, a: u32, b: u32, c: u32) -> Primitive<u32> {
        let odd = self.odd;
        self.odd = !odd;
        self.primitives += 1;
        match (odd, self.first_provokes) {
            (false, _) => self.list_triangle(a, b, c),
            (true, true) => Primitive::triangle(a, c, b, 0),
            (true, false) => Primitive::triangle(b, a, c, 2),
        }
    }

    /// Takes a vertex of a triangle strip with adjacency. The strip's own vertices are the even
    /// ones; a triangle is complete once its last neighbour has arrived.
    fn push_strip_adjacency<E>(
        &mut self,
        v: u32,
        emit: &mut impl FnMut(Primitive<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        let [a, b, c, neighbour, _] = self.window;
        // `window[3]` is 1 if the next vertex is a neighbour.
        self.window[3] = if self.held == 0 { 1 } else { neighbour ^ 1 };
        if self.held == 0 || neighbour == 0 {
            if self.held == 3 {
                self.window = [b, c, v, 1, 0];
            } else {
                self.hold(v);
                self.window[3] = 1;
            }
            return Ok(());
        }
        if self.held < 3 {
            return Ok(());
        }
        emit(self.strip_triangle(a, b, c))
    }

    /// Emits the two triangles of a quad.
    fn quad<E>(
        &self,
        [a, b, c, d]: [u32; 4],
        emit: &mut impl FnMut(Primitive<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        const STARTS: u8 = Primitive::<u32>::STARTS;
        // Both halves need the provoking vertex, so it decides the diagonal.
        if self.first_provokes {
            emit(Primitive::triangle(a, b, c, 0).with_edges(STARTS | 0b011))?;
            emit(Primitive::triangle(a, c, d, 0).with_edges(0b110))
        } else {
            emit(Primitive::triangle(a, b, d, 2).with_edges(STARTS | 0b101))?;
            emit(Primitive::triangle(b, c, d, 2).with_edges(0b011))
        }
    }

    /// Emits the two triangles of a strip's quad. `c` is the third vertex around the quad and the
    /// last of the four in the stream.
    fn quad_strip_quad<E>(
        &self,
        [a, b, c, d]: [u32; 4],
        emit: &mut impl FnMut(Primitive<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        const STARTS: u8 = Primitive::<u32>::STARTS;
        let provoking = if self.first_provokes { 0 } else { 2 };
        emit(Primitive::triangle(a, b, c, provoking).with_edges(STARTS | 0b011))?;
        if self.first_provokes {
            emit(Primitive::triangle(a, c, d, 0).with_edges(0b110))
        } else {
            emit(Primitive::triangle(d, a, c, 2).with_edges(0b101))
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use core::convert::Infallible;
    use std::vec::Vec;

    const RESTART: u32 = u32::MAX;

    /// Assembles a stream; returns (vertices, provoking *vertex*) of all primitives, and the number
    /// of whole primitives.
    fn assemble(mode: PrimType, first: bool, stream: &[u32]) -> (Vec<(Vec<u32>, u32)>, u64) {
        let mut out = Vec::new();
        let mut emit = |p: Primitive<u32>| {
            let vertices = p.vertices[..usize::from(p.count)].to_vec();
            let provoking = vertices[usize::from(p.provoking)];
            out.push((vertices, provoking));
            Ok::<(), Infallible>(())
        };
        let mut assembler = Assembler::new(mode, first).expect("not patches");
        for &v in stream {
            if v == RESTART {
                assembler.finish(&mut emit).unwrap();
            } else {
                assembler.push(v, &mut emit).unwrap();
            }
        }
        assembler.finish(&mut emit).unwrap();
        (out, assembler.primitives())
    }

    /// One row: type and stream. Then the primitives as vertices with the provoking vertex, under
    /// the first-vertex and under the last-vertex convention. Then the number of whole primitives.
    type Row<'r> = (PrimType, &'r [u32], &'r [(&'r [u32], u32)], &'r [(&'r [u32], u32)], u64);

    /// From the tables of OpenGL 4.6 §10.1 and §13.4, by hand.
    const TABLE: &[Row<'_>] = &[
        (
            PrimType::Points,
            &[4, 7, RESTART, 9],
            &[(&[4], 4), (&[7], 7), (&[9], 9)],
            &[(&[4], 4), (&[7], 7), (&[9], 9)],
            3,
        ),
        (
            PrimType::Lines,
            &[0, 1, 2, 3, 4],
            &[(&[0, 1], 0), (&[2, 3], 2)],
            &[(&[0, 1], 1), (&[2, 3], 3)],
            2,
        ),
        // The pending half line is dropped by the restart.
        (PrimType::Lines, &[0, RESTART, 1, 2], &[(&[1, 2], 1)], &[(&[1, 2], 2)], 1),
        (
            PrimType::LineStrip,
            &[0, 1, 2, RESTART, 5, 6],
            &[(&[0, 1], 0), (&[1, 2], 1), (&[5, 6], 5)],
            &[(&[0, 1], 1), (&[1, 2], 2), (&[5, 6], 6)],
            3,
        ),
        (
            PrimType::LineLoop,
            &[0, 1, 2],
            &[(&[0, 1], 0), (&[1, 2], 1), (&[2, 0], 2)],
            &[(&[0, 1], 1), (&[1, 2], 2), (&[2, 0], 0)],
            3,
        ),
        // Each run is a separate loop; a run of one vertex has no lines.
        (
            PrimType::LineLoop,
            &[0, 1, RESTART, 7, RESTART, 4, 5],
            &[(&[0, 1], 0), (&[1, 0], 1), (&[4, 5], 4), (&[5, 4], 5)],
            &[(&[0, 1], 1), (&[1, 0], 0), (&[4, 5], 5), (&[5, 4], 4)],
            4,
        ),
        (
            PrimType::Triangles,
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[(&[0, 1, 2], 0), (&[3, 4, 5], 3)],
            &[(&[0, 1, 2], 2), (&[3, 4, 5], 5)],
            2,
        ),
        (
            PrimType::TriangleStrip,
            &[0, 1, 2, 3, 4],
            &[(&[0, 1, 2], 0), (&[1, 3, 2], 1), (&[2, 3, 4], 2)],
            &[(&[0, 1, 2], 2), (&[2, 1, 3], 3), (&[2, 3, 4], 4)],
            3,
        ),
        // A restart resets the parity.
        (
            PrimType::TriangleStrip,
            &[0, 1, 2, RESTART, 3, 4, 5, 6],
            &[(&[0, 1, 2], 0), (&[3, 4, 5], 3), (&[4, 6, 5], 4)],
            &[(&[0, 1, 2], 2), (&[3, 4, 5], 5), (&[5, 4, 6], 6)],
            3,
        ),
        (
            PrimType::TriangleFan,
            &[0, 1, 2, 3, RESTART, 4, 5, 6],
            &[(&[0, 1, 2], 1), (&[0, 2, 3], 2), (&[4, 5, 6], 5)],
            &[(&[0, 1, 2], 2), (&[0, 2, 3], 3), (&[4, 5, 6], 6)],
            3,
        ),
        // The first vertex of a polygon provokes under both conventions.
        (
            PrimType::Polygon,
            &[0, 1, 2, 3, 4],
            &[(&[0, 1, 2], 0), (&[0, 2, 3], 0), (&[0, 3, 4], 0)],
            &[(&[0, 1, 2], 0), (&[0, 2, 3], 0), (&[0, 3, 4], 0)],
            1,
        ),
        (
            PrimType::Polygon,
            &[0, 1, 2, RESTART, 3, 4, 5],
            &[(&[0, 1, 2], 0), (&[3, 4, 5], 3)],
            &[(&[0, 1, 2], 0), (&[3, 4, 5], 3)],
            2,
        ),
        (
            PrimType::Quads,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            &[(&[0, 1, 2], 0), (&[0, 2, 3], 0), (&[4, 5, 6], 4), (&[4, 6, 7], 4)],
            &[(&[0, 1, 3], 3), (&[1, 2, 3], 3), (&[4, 5, 7], 7), (&[5, 6, 7], 7)],
            2,
        ),
        // Around the second quad: 2 3 5 4.
        (
            PrimType::QuadStrip,
            &[0, 1, 2, 3, 4, 5, 6],
            &[(&[0, 1, 3], 0), (&[0, 3, 2], 0), (&[2, 3, 5], 2), (&[2, 5, 4], 2)],
            &[(&[0, 1, 3], 3), (&[2, 0, 3], 3), (&[2, 3, 5], 5), (&[4, 2, 5], 5)],
            2,
        ),
        (
            PrimType::LinesAdjacency,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            &[(&[1, 2], 1), (&[5, 6], 5)],
            &[(&[1, 2], 2), (&[5, 6], 6)],
            2,
        ),
        (
            PrimType::LineStripAdjacency,
            &[0, 1, 2, 3, 4],
            &[(&[1, 2], 1), (&[2, 3], 2)],
            &[(&[1, 2], 2), (&[2, 3], 3)],
            2,
        ),
        (
            PrimType::TrianglesAdjacency,
            &[0, 1, 2, 3, 4, 5, 6],
            &[(&[0, 2, 4], 0)],
            &[(&[0, 2, 4], 4)],
            1,
        ),
        (
            PrimType::TriangleStripAdjacency,
            &[0, 1, 2, 3, 4, 5, 6],
            &[(&[0, 2, 4], 0)],
            &[(&[0, 2, 4], 4)],
            1,
        ),
        (PrimType::TriangleStripAdjacency, &[0, 1, 2, 3, 4], &[], &[], 0),
        (
            PrimType::TriangleStripAdjacency,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            &[(&[0, 2, 4], 0), (&[2, 6, 4], 2), (&[4, 6, 8], 4)],
            &[(&[0, 2, 4], 4), (&[4, 2, 6], 6), (&[4, 6, 8], 8)],
            3,
        ),
        (
            PrimType::TriangleStripAdjacency,
            &[9, 8, 7, RESTART, 0, 1, 2, 3, 4, 5],
            &[(&[0, 2, 4], 0)],
            &[(&[0, 2, 4], 4)],
            1,
        ),
    ];

    #[test]
    fn every_type_against_the_specification() {
        for &(mode, stream, first, last, count) in TABLE {
            for (first_provokes, expected) in [(true, first), (false, last)] {
                let expected: Vec<(Vec<u32>, u32)> =
                    expected.iter().map(|(v, p)| (v.to_vec(), *p)).collect();
                assert_eq!(
                    assemble(mode, first_provokes, stream),
                    (expected, count),
                    "{mode:?}, first provokes: {first_provokes}, {stream:?}"
                );
            }
        }
    }

    /// The outline of every polygon has each of its edges once and starts once, for any number of
    /// triangles.
    #[test]
    fn outlines_have_no_diagonals() {
        type Edges<'e> = &'e [(u32, u32)];
        let rows: [(PrimType, u32, Edges<'_>, usize); 6] = [
            (PrimType::Triangles, 3, &[(0, 1), (1, 2), (2, 0)], 1),
            (PrimType::Quads, 4, &[(0, 1), (1, 2), (2, 3), (3, 0)], 1),
            (PrimType::QuadStrip, 4, &[(0, 1), (1, 3), (3, 2), (2, 0)], 1),
            (PrimType::Polygon, 5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], 1),
            (PrimType::Polygon, 3, &[(0, 1), (1, 2), (2, 0)], 1),
            (PrimType::LineLoop, 3, &[(0, 1), (1, 2), (2, 0)], 1),
        ];
        for (mode, count, wanted, starts) in rows {
            for first in [false, true] {
                let (mut edges, mut started) = (Vec::new(), 0);
                let mut emit = |p: Primitive<u32>| {
                    let sides = if p.count == 3 { 3 } else { 1 };
                    for k in (0..sides).filter(|k| p.edges >> k & 1 != 0) {
                        edges.push((p.vertices[k], p.vertices[(k + 1) % 3]));
                    }
                    started += usize::from(p.edges & Primitive::<u32>::STARTS != 0);
                    Ok::<(), Infallible>(())
                };
                let mut assembler = Assembler::new(mode, first).expect("not patches");
                (0..count).for_each(|v| assembler.push(v, &mut emit).unwrap());
                assembler.finish(&mut emit).unwrap();
                edges.sort_unstable();
                let mut wanted = wanted.to_vec();
                wanted.sort_unstable();
                assert_eq!((edges, started), (wanted, starts), "{mode:?} {first}");
            }
        }
    }

    #[test]
    fn patches_are_refused() {
        assert!(Assembler::new(PrimType::Patches, true).is_none());
    }

    /// Strips of triangles in a plane keep their winding: with vertices on a zigzag, every
    /// triangle has the same orientation.
    #[test]
    fn strips_keep_their_winding() {
        for (mode, step) in [
            (PrimType::TriangleStrip, 1),
            (PrimType::QuadStrip, 1),
            (PrimType::TriangleStripAdjacency, 2),
        ] {
            for first in [false, true] {
                let stream: Vec<u32> = (0..20).collect();
                let (out, _) = assemble(mode, first, &stream);
                let at = |v: u32| ((v / step / 2) as i32, (v / step % 2) as i32);
                for (t, _) in &out {
                    let [(ax, ay), (bx, by), (cx, cy)] = [at(t[0]), at(t[1]), at(t[2])];
                    let area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
                    assert!(area < 0, "{mode:?} {first} {t:?}");
                }
                assert!(!out.is_empty());
            }
        }
    }
}
