//! The isoline domain: lines along u, one after the other.

use super::Point;
use super::division::Edges;
use super::edge::ONE;

/// Returns the number of points.
pub(super) fn count(edges: &Edges<'_>) -> u16 {
    edges.lines * (edges.segments(0) + 1)
}

/// Returns a point.
pub(super) fn point(edges: &Edges<'_>, number: u16) -> Point {
    let (along, lines) = (edges.segments(0) + 1, u32::from(edges.lines).max(1));
    let (line, at) = (u32::from(number / along), usize::from(number % along));
    let u = edges.outer[0].get(at).copied().unwrap_or(0);
    Point { u, v: (line * ONE + lines / 2) / lines }
}

/// Passes each line's two points to `line`.
pub(super) fn each<E>(
    edges: &Edges<'_>,
    mut line: impl FnMut(u16, u16) -> Result<(), E>,
) -> Result<(), E> {
    let segments = edges.segments(0);
    for number in 0..edges.lines {
        let first = number * (segments + 1);
        (first..first + segments).try_for_each(|at| line(at, at + 1))?;
    }
    Ok(())
}
