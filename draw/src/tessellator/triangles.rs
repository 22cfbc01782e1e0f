//! The triangle domain: concentric rings.

use super::edge::{ONE, Points, divide as divide_edge, drops, inner_level, limited, segments};
use super::stitch::{Along, stitch};
use super::{Levels, Spacing, Tessellator};
use heapless::Vec;
use os_shim::memory::OutOfMemory;

/// The points of one side of a ring.
type Side = Vec<Along, 65>;

/// Divides a triangle.
pub(super) fn divide(
    to: &mut Tessellator<'_>,
    spacing: Spacing,
    levels: &Levels,
) -> Result<(), OutOfMemory> {
    let [a, b, c, _] = levels.outer;
    if drops(a) || drops(b) || drops(c) {
        return Ok(());
    }
    let single = |level: f32| segments(limited(level, spacing), spacing) == 1;
    if single(a) && single(b) && single(c) && single(levels.inner[0]) {
        let w = to.point(0, 0)?;
        let u = to.point(ONE, 0)?;
        let v = to.point(0, ONE)?;
        return to.triangle(w, u, v);
    }
    let edges = [divide_edge(a, spacing), divide_edge(b, spacing), divide_edge(c, spacing)];
    let inner = divide_edge(inner_level(levels.inner[0], spacing), spacing);
    let n = inner.len() - 1;
    let mut outer = outer_ring(to, &edges)?;
    for ring in 1..=n / 2 {
        let within = inner_ring(to, &inner, ring)?;
        for (outer, inner) in outer.iter().zip(&within) {
            stitch(to, outer, inner)?;
        }
        outer = within;
    }
    // A ring of one segment a side is filled by a triangle.
    if let [[a, ..], [b, ..], [c, ..]] = outer.each_ref().map(Side::as_slice)
        && n % 2 == 1
    {
        to.triangle(a.number, b.number, c.number)?;
    }
    Ok(())
}

/// Returns the coordinates u and v of a point of side `side`, counter-clockwise from the corner v:
/// `along` from its first corner to the second, and `depth` from the edge.
fn place(side: usize, along: u32, depth: u32) -> (u32, u32) {
    // The weights of the first corner, the second, and the one across.
    let (second, across) = (along - depth / 2, depth);
    let first = ONE - second - across;
    match side {
        // From v to w, across is u.
        0 => (across, first),
        // From w to u, across is v.
        1 => (second, across),
        // From u to v, across is w.
        _ => (first, second),
    }
}

/// Adds the points of the edges; sides share their corners.
fn outer_ring(to: &mut Tessellator<'_>, edges: &[Points; 3]) -> Result<[Side; 3], OutOfMemory> {
    let mut ring = [Side::new(), Side::new(), Side::new()];
    for (side, (points, edge)) in ring.iter_mut().zip(edges).enumerate() {
        add_side(to, side, points, edge, 0)?;
    }
    close(&mut ring, ONE);
    Ok(ring)
}

/// Adds the points of ring `ring` of the inner level.
fn inner_ring(
    to: &mut Tessellator<'_>,
    inner: &Points,
    ring: usize,
) -> Result<[Side; 3], OutOfMemory> {
    let from_corner = inner.get(ring).copied().unwrap_or(0);
    // Perpendiculars from two edges, at t from their corner, meet at 2t/3 from both edges.
    let depth = 2 * ((from_corner + 1) / 3);
    let within = inner.get(ring..inner.len() - ring).unwrap_or(&[]);
    let mut sides = [Side::new(), Side::new(), Side::new()];
    if let [center] = within {
        // The innermost ring of an even level is a point, in all three sides.
        let (u, v) = place(0, *center, depth);
        let along = Along { number: to.point(u, v)?, place: *center };
        for side in &mut sides {
            let _ = side.push(along);
        }
        return Ok(sides);
    }
    for (side, points) in sides.iter_mut().enumerate() {
        add_side(to, side, points, within, depth)?;
    }
    close(&mut sides, within.last().copied().unwrap_or(ONE));
    Ok(sides)
}

/// Adds the points of a side but its last, which is the next side's first.
fn add_side(
    to: &mut Tessellator<'_>,
    side: usize,
    points: &mut Side,
    edge: &[u32],
    depth: u32,
) -> Result<(), OutOfMemory> {
    let Some((_, all_but_last)) = edge.split_last() else { return Ok(()) };
    for &along in all_but_last {
        let (u, v) = place(side, along, depth);
        let _ = points.push(Along { number: to.point(u, v)?, place: along });
    }
    Ok(())
}

/// Ends each side with the first point of the next one, at `place` along it.
fn close(sides: &mut [Side; 3], place: u32) {
    let firsts = sides.each_ref().map(|side| side.first().map_or(0, |along| along.number));
    for (side, number) in sides.iter_mut().zip([firsts[1], firsts[2], firsts[0]]) {
        let _ = side.push(Along { number, place });
    }
}
