//! The band of triangles between an outer and an inner line of points.

use super::Tessellator;
use os_shim::memory::OutOfMemory;

/// A point of a line: its number, and its place along the edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Along {
    pub(super) number: u16,
    pub(super) place: u32,
}

/// Fills the band between two lines that go along one edge, the inner one on its left. The inner line
/// may be a single point.
pub(super) fn stitch(
    to: &mut Tessellator<'_>,
    outer: &[Along],
    inner: &[Along],
) -> Result<(), OutOfMemory> {
    let (mut outer, mut inner) = (outer, inner);
    while let ([a, rest_outer @ ..], [b, rest_inner @ ..]) = (outer, inner) {
        match (rest_outer, rest_inner) {
            ([], []) => break,
            // The step whose middle comes first makes the better triangle.
            ([next, ..], [other, ..]) if a.place + next.place > b.place + other.place => {
                to.triangle(a.number, other.number, b.number)?;
                inner = rest_inner;
            }
            ([next, ..], _) => {
                to.triangle(a.number, next.number, b.number)?;
                outer = rest_outer;
            }
            ([], [other, ..]) => {
                to.triangle(a.number, other.number, b.number)?;
                inner = rest_inner;
            }
        }
    }
    Ok(())
}
