//! The triangle domain: concentric rings, from the edges inwards.
//!
//! A ring's points go counter-clockwise from the corner v; sides share their corners. A patch with
//! one segment everywhere has no inner rings.

use super::Point;
use super::division::Edges;
use super::edge::ONE;
use super::stitch::{Line, stitch};

/// A ring of the inner level.
#[derive(Clone, Copy)]
struct Ring {
    /// The ring's number, from 1.
    ring: u16,
    /// The number of the ring's first point.
    first: u16,
    /// The number of segments per side; 0 if the ring is a point.
    segments: u16,
}

impl Ring {
    fn first(edges: &Edges<'_>) -> Option<Ring> {
        let first = (0..3).map(|side| edges.segments(side)).sum();
        let segments = edges.inner_segments(0).checked_sub(2)?;
        Some(Ring { ring: 1, first, segments })
    }

    fn next(self) -> Option<Ring> {
        let segments = self.segments.checked_sub(2)?;
        Some(Ring { ring: self.ring + 1, first: self.first + self.count(), segments })
    }

    /// Returns the number of points.
    fn count(self) -> u16 {
        if self.segments == 0 { 1 } else { 3 * self.segments }
    }

    /// Returns the places of the points along a side.
    fn places(self, inner: &[u32]) -> &[u32] {
        let ring = usize::from(self.ring);
        inner.get(ring..inner.len().saturating_sub(ring)).unwrap_or(&[])
    }

    fn side(self, side: u16, inner: &[u32]) -> Line<'_> {
        let first = self.first + side * self.segments;
        let last = if side == 2 { self.first } else { first + self.segments };
        Line { places: self.places(inner), first, step: 1, last }
    }

    /// Returns a point of the ring, the `number`th counter-clockwise from the ring's first.
    fn point(self, number: u16, inner: &[u32]) -> Point {
        let (each, places) = (self.segments.max(1), self.places(inner));
        let place_of = |at: u16| places.get(usize::from(at)).copied().unwrap_or(0);
        let from_corner = place_of(0);
        // Perpendiculars from two edges, at distance t from their corner, meet at distance 2t/3
        // from both edges.
        let depth = (2 * from_corner + 1) / 3;
        // Rounding may put the last points of a side a unit beyond its end.
        let along = depth + (place_of(number % each) - from_corner);
        place(number / each, along.min(ONE - 2 * depth), depth)
    }
}

/// Returns the rings of the inner level.
fn rings(edges: &Edges<'_>) -> impl Iterator<Item = Ring> {
    core::iter::successors(Ring::first(edges), |ring| ring.next())
}

/// Returns the number of points.
pub(super) fn count(edges: &Edges<'_>) -> u16 {
    let outer: u16 = (0..3).map(|side| edges.segments(side)).sum();
    rings(edges).last().map_or(outer, |ring| ring.first + ring.count())
}

/// Returns a point.
pub(super) fn point(edges: &Edges<'_>, number: u16) -> Point {
    let mut left = number;
    for (side, edge) in edges.outer.iter().enumerate().take(3) {
        let segments = edges.segments(side);
        if left < segments {
            return place(side as u16, edge.get(usize::from(left)).copied().unwrap_or(0), 0);
        }
        left -= segments;
    }
    let inner = &edges.inner[0];
    let ring = rings(edges).find(|ring| number < ring.first + ring.count());
    ring.map_or(Point { u: 0, v: 0 }, |ring| ring.point(number - ring.first, inner))
}

/// Returns a point of a side, counter-clockwise from the corner v: the weights of the side's second
/// corner and of the corner opposite.
fn place(side: u16, second: u32, across: u32) -> Point {
    let first = ONE.saturating_sub(second + across);
    let (u, v) = match side {
        // From v to w, opposite is u.
        0 => (across, first),
        // From w to u, opposite is v.
        1 => (second, across),
        // From u to v, opposite is w.
        _ => (first, second),
    };
    Point { u, v }
}

/// Passes each triangle to `triangle`, counter-clockwise.
pub(super) fn each<E>(
    edges: &Edges<'_>,
    triangle: &mut impl FnMut(u16, u16, u16) -> Result<(), E>,
) -> Result<(), E> {
    let inner = &edges.inner[0];
    let mut before: Option<Ring> = None;
    for ring in rings(edges) {
        let mut number = 0;
        for side in 0..3 {
            let outer = match before {
                Some(before) => before.side(side, inner),
                None => {
                    let edge = usize::from(side);
                    let first = number;
                    number += edges.segments(edge);
                    let last = if side == 2 { 0 } else { number };
                    let places = edges.outer.get(edge).map_or(&[][..], |edge| edge);
                    Line { places, first, step: 1, last }
                }
            };
            stitch(outer, ring.side(side, inner), triangle)?;
        }
        before = Some(ring);
    }
    match before {
        None => triangle(1, 2, 0),
        // One triangle fills a ring with one segment per side.
        Some(Ring { first, segments: 1, .. }) => triangle(first, first + 1, first + 2),
        Some(_) => Ok(()),
    }
}
