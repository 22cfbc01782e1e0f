//! The tessellator: divides a patch's domain into points, and makes points, lines or triangles of
//! them.
//!
//! # Edges
//!
//! An edge of level `l` has `n` segments ([`Spacing`]), with its points at 16-bit fractions of the
//! edge. Point `k` and point `n - k` are exact mirror images. So two patches that share an edge and
//! its level have the same points on it, in both directions: there are no cracks, for any inner
//! levels.
//!
//! # Triangles
//!
//! Concentric triangles, one for every two segments of the inner level. Ring `r` has `n - 2r`
//! segments on each side. The inner level divides a whole edge; the perpendiculars from its points
//! meet the ring in the ring's points. The innermost ring is a triangle (odd `n`) or a point (even
//! `n`). The outer levels divide the outermost ring instead.
//!
//! ```text
//!          v                   outer level 0: the edge u = 0, from v to w
//!         / \                  outer level 1: the edge v = 0, from w to u
//!        / . \                 outer level 2: the edge w = 0, from u to v
//!       w ─── u
//! ```
//!
//! # Quadrilaterals
//!
//! A grid of the inner levels, `m` columns and `n` rows. Its outermost ring of cells is replaced by
//! a band that joins the grid to edges divided by the outer levels.
//!
//! ```text
//!   v=1 ┌──3──┐          outer levels 0 to 3: the edges u = 0, v = 0, u = 1, v = 1
//!       0     2          inner levels 0 and 1: along u, along v
//!   v=0 └──1──┘
//!      u=0   u=1
//! ```
//!
//! # Isolines
//!
//! Outer level 0 is the number of lines, at `v = 0, 1/n, …`, without `v = 1`. Outer level 1 divides
//! each line.
//!
//! # Levels
//!
//! A patch is dropped if an outer level of its domain is 0, negative, or NaN. All other levels are
//! limited to [`MAX_LEVEL`]. An inner level of 1 counts as slightly more if any other level of the
//! patch is above 1, because there must be an inner point.
//!
//! # Source
//! OpenGL 4.6 §11.2.2. The specification leaves the order of points and the diagonals of cells
//! open.

mod division;
mod edge;
mod isolines;
mod quads;
mod stitch;
mod triangles;

pub use division::Division;
pub use edge::{MAX_LEVEL, ONE};

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// The shape of a patch's domain: `TES_PRIM_MODE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Barycentric coordinates u, v and w = 1 - u - v.
    Triangles,
    /// The unit square.
    Quads,
    /// Lines along u, one above the other along v.
    Isolines,
}

/// The division of an edge: `TES_SPACING`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// An odd number of segments: all equal except two, which grow with the level.
    FractionalOdd = 0,
    /// An even number of segments: all equal except two, which grow with the level.
    FractionalEven = 1,
    /// The level rounded up, in equal segments.
    Equal = 2,
}

/// The primitives that a domain is divided into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Every point once.
    Points,
    /// Lines for isolines. For other domains triangles, counter-clockwise with u to the right and v
    /// up.
    CounterClockwise,
    /// Lines for isolines. For other domains triangles, clockwise with u to the right and v up.
    Clockwise,
}

/// The levels of a patch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Levels {
    /// One level per edge: three for triangles, two for isolines.
    pub outer: [f32; 4],
    /// One level per direction: one for triangles, none for isolines.
    pub inner: [f32; 2],
}

/// A point of a domain: coordinates in units of 1 / [`ONE`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Point {
    /// From 0 to [`ONE`].
    pub u: u32,
    /// From 0 to [`ONE`].
    pub v: u32,
}

impl Point {
    /// Returns u, v and w as the shader reads them, exactly. In domains other than triangles w is
    /// 0.
    pub fn coordinates(self, domain: Domain) -> [f32; 3] {
        let w = match domain {
            Domain::Triangles => ONE - self.u - self.v,
            Domain::Quads | Domain::Isolines => 0,
        };
        [self.u, self.v, w].map(|fixed| fixed as f32 / ONE as f32)
    }
}

/// Divides domains, and stores the points and primitives of a patch. A [`Division`] returns them
/// one by one instead.
///
/// ```
/// use gallium_draw::tessellator::{Domain, Levels, Output, Spacing, Tessellator};
/// let mut tessellator = Tessellator::new_in(os_shim::Memory::system());
/// let levels = Levels { outer: [3.0; 4], inner: [3.0; 2] };
/// tessellator.divide(Domain::Quads, Spacing::Equal, Output::CounterClockwise, &levels)?;
/// // A grid of 3 x 3 cells, of two triangles each.
/// assert_eq!(tessellator.points().len(), 4 * 4);
/// assert_eq!(tessellator.corners().len(), 3 * 2 * 3 * 3);
/// # Ok::<(), os_shim::memory::OutOfMemory>(())
/// ```
pub struct Tessellator<'m> {
    division: Division<'m>,
    points: Vec<'m, Point>,
    corners: Vec<'m, u16>,
}

impl<'m> Tessellator<'m> {
    /// Makes a tessellator; [`divide`](Self::divide) allocates.
    pub fn new_in(memory: Memory<'m>) -> Self {
        Tessellator {
            division: Division::new_in(memory),
            points: Vec::new_in(memory),
            corners: Vec::new_in(memory),
        }
    }

    /// Returns the points of the last patch.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the primitives of the last patch: three point numbers per triangle, two per line,
    /// one per point.
    pub fn corners(&self) -> &[u16] {
        &self.corners
    }

    /// Divides a patch. A dropped patch leaves no points and primitives.
    ///
    /// # Errors
    /// Out of memory: level 64 needs about 35 KB for points and 50 KB for triangles.
    pub fn divide(
        &mut self,
        domain: Domain,
        spacing: Spacing,
        output: Output,
        levels: &Levels,
    ) -> Result<(), OutOfMemory> {
        let Tessellator { division, points, corners } = self;
        points.clear();
        corners.clear();
        division.divide(domain, spacing, output, levels)?;
        points.try_reserve(division.count().into())?;
        for number in 0..division.count() {
            points.try_push(division.point(number))?;
        }
        division.each_primitive(|primitive| corners.try_extend_from_slice(primitive))
    }
}

#[cfg(test)]
mod tests;
