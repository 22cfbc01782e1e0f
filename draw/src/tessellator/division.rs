//! A divided patch. Its points and primitives are computed from its edges on request.

use super::edge::{drops, inner_level, limited, segments};
use super::{Domain, Levels, Output, Point, Spacing, edge, isolines, quads, triangles};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// A divided patch. Only its edges take memory, at most 1.6 KB at level 64.
///
/// ```
/// use gallium_draw::tessellator::{Division, Domain, Levels, Output, Spacing};
/// let mut division = Division::new_in(os_shim::Memory::system());
/// let levels = Levels { outer: [1.0; 4], inner: [1.0; 2] };
/// division.divide(Domain::Triangles, Spacing::Equal, Output::CounterClockwise, &levels)?;
/// assert_eq!(division.count(), 3);
/// division.each_primitive(|corners| {
///     let place = division.point(corners[0]).coordinates(Domain::Triangles);
///     assert_eq!(place, [0.0, 0.0, 1.0]);
///     Ok::<(), os_shim::memory::OutOfMemory>(())
/// })?;
/// # Ok::<(), os_shim::memory::OutOfMemory>(())
/// ```
pub struct Division<'m> {
    edges: Edges<'m>,
    domain: Domain,
    output: Output,
    /// The number of points of the patch; 0 for a dropped patch.
    count: u16,
}

/// The points along each edge, from 0 to [`edge::ONE`], and along the inner directions.
pub(super) struct Edges<'m> {
    pub(super) outer: [Vec<'m, u32>; 4],
    /// Empty if there is no inner point.
    pub(super) inner: [Vec<'m, u32>; 2],
    /// The number of isolines.
    pub(super) lines: u16,
}

impl Edges<'_> {
    /// Returns the number of segments of an outer edge.
    pub(super) fn segments(&self, side: usize) -> u16 {
        self.outer.get(side).map_or(0, |edge| edge.len().saturating_sub(1)) as u16
    }

    /// Returns the number of segments of an inner direction.
    pub(super) fn inner_segments(&self, direction: usize) -> u16 {
        self.inner.get(direction).map_or(0, |edge| edge.len().saturating_sub(1)) as u16
    }

    fn divide(
        &mut self,
        spacing: Spacing,
        outer: &[f32],
        inner: &[f32],
    ) -> Result<(), OutOfMemory> {
        for (points, level) in self.outer.iter_mut().zip(outer) {
            edge::divide(points, *level, spacing)?;
        }
        let single = |level: &f32| segments(limited(*level, spacing), spacing) == 1;
        let whole = outer.iter().chain(inner).all(single);
        for (points, level) in self.inner.iter_mut().zip(inner) {
            points.clear();
            if !whole {
                edge::divide(points, inner_level(*level, spacing), spacing)?;
            }
        }
        Ok(())
    }
}

impl<'m> Division<'m> {
    /// Makes a division without points; [`divide`](Self::divide) allocates.
    pub fn new_in(memory: Memory<'m>) -> Self {
        let edge = || Vec::new_in(memory);
        let edges =
            Edges { outer: [edge(), edge(), edge(), edge()], inner: [edge(), edge()], lines: 0 };
        Division { edges, domain: Domain::Triangles, output: Output::Points, count: 0 }
    }

    /// Divides a patch. A dropped patch gets no points.
    ///
    /// # Errors
    /// Out of memory.
    pub fn divide(
        &mut self,
        domain: Domain,
        spacing: Spacing,
        output: Output,
        levels: &Levels,
    ) -> Result<(), OutOfMemory> {
        (self.domain, self.output, self.count) = (domain, output, 0);
        let (outer, inner) = match domain {
            Domain::Triangles => (3, 1),
            Domain::Quads => (4, 2),
            Domain::Isolines => (2, 0),
        };
        let outer = levels.outer.get(..outer).unwrap_or(&[]);
        let inner = levels.inner.get(..inner).unwrap_or(&[]);
        if outer.iter().any(|level| drops(*level)) {
            return Ok(());
        }
        match (domain, outer) {
            (Domain::Isolines, [lines, parts]) => {
                // The lines themselves are always spaced equally.
                let lines = segments(limited(*lines, Spacing::Equal), Spacing::Equal);
                self.edges.lines = lines as u16;
                edge::divide(&mut self.edges.outer[0], *parts, spacing)?;
            }
            _ => self.edges.divide(spacing, outer, inner)?,
        }
        self.count = match domain {
            Domain::Triangles => triangles::count(&self.edges),
            Domain::Quads => quads::count(&self.edges),
            Domain::Isolines => isolines::count(&self.edges),
        };
        Ok(())
    }

    /// Returns the number of points. There are at most twice as many primitives.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// Returns a point; any point if the number is out of range.
    pub fn point(&self, number: u16) -> Point {
        match self.domain {
            Domain::Triangles => triangles::point(&self.edges, number),
            Domain::Quads => quads::point(&self.edges, number),
            Domain::Isolines => isolines::point(&self.edges, number),
        }
    }

    /// Passes the point numbers of each primitive to `each`, in order: three numbers for a
    /// triangle, two for a line, one for a point.
    ///
    /// # Errors
    /// The first error of `each`, which ends the iteration.
    pub fn each_primitive<E>(
        &self,
        mut each: impl FnMut(&[u16]) -> Result<(), E>,
    ) -> Result<(), E> {
        match (self.count, self.output, self.domain) {
            (0, ..) => Ok(()),
            (count, Output::Points, _) => (0..count).try_for_each(|number| each(&[number])),
            (.., Domain::Isolines) => isolines::each(&self.edges, |a, b| each(&[a, b])),
            (_, output, domain) => {
                let clockwise = output == Output::Clockwise;
                let mut triangle = |a, b, c| {
                    let [b, c] = if clockwise { [c, b] } else { [b, c] };
                    each(&[a, b, c])
                };
                match domain {
                    Domain::Triangles => triangles::each(&self.edges, &mut triangle),
                    _ => quads::each(&self.edges, &mut triangle),
                }
            }
        }
    }
}
