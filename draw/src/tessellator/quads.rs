//! The quadrilateral domain: a grid within four edges.
//!
//! The grid's points come first, row by row, then the edges' points, counter-clockwise from the
//! origin. A patch with one segment everywhere has no grid.

use super::Point;
use super::division::Edges;
use super::edge::ONE;
use super::stitch::{Line, stitch};

/// The edges below, right, above and left, as numbers of outer levels.
const AROUND: [usize; 4] = [1, 2, 3, 0];

/// The inner points, column by column within a row.
struct Grid<'a> {
    /// The places of columns along u, and of rows along v.
    columns: &'a [u32],
    rows: &'a [u32],
}

impl<'a> Grid<'a> {
    fn new(edges: &'a Edges<'_>) -> Self {
        let [columns, rows] = &edges.inner;
        Grid { columns: inner(columns), rows: inner(rows) }
    }

    fn count(&self) -> u16 {
        (self.columns.len() * self.rows.len()) as u16
    }

    /// Returns the number of the point in a column and a row.
    fn number(&self, column: usize, row: usize) -> u16 {
        (row * self.columns.len() + column) as u16
    }

    /// Returns the points along a side, counter-clockwise: below, right, above, left. Places are
    /// measured along the side's direction.
    fn side(&self, side: usize) -> Line<'a> {
        let (width, height) = (self.columns.len(), self.rows.len());
        let (right, top) = (width.saturating_sub(1), height.saturating_sub(1));
        let corners = [
            self.number(0, 0),
            self.number(right, 0),
            self.number(right, top),
            self.number(0, top),
        ];
        // Points are symmetric, so places measured from either end of a side are the same.
        let (places, step) = match side {
            0 => (self.columns, 1),
            1 => (self.rows, width as i16),
            2 => (self.columns, -1),
            _ => (self.rows, -(width as i16)),
        };
        let corner = |side: usize| corners.get(side % 4).copied().unwrap_or(0);
        Line { places, first: corner(side), step, last: corner(side + 1) }
    }
}

/// Returns the points of an edge, except its ends.
fn inner(points: &[u32]) -> &[u32] {
    points.get(1..points.len().saturating_sub(1)).unwrap_or(&[])
}

/// Returns the number of points.
pub(super) fn count(edges: &Edges<'_>) -> u16 {
    AROUND.into_iter().fold(Grid::new(edges).count(), |sum, edge| sum + edges.segments(edge))
}

/// Returns a point.
pub(super) fn point(edges: &Edges<'_>, number: u16) -> Point {
    let grid = Grid::new(edges);
    let place = |places: &[u32], at: usize| places.get(at).copied().unwrap_or(0);
    let Some(mut left) = number.checked_sub(grid.count()) else {
        let width = grid.columns.len().max(1);
        let (row, column) = (usize::from(number) / width, usize::from(number) % width);
        return Point { u: place(grid.columns, column), v: place(grid.rows, row) };
    };
    for (side, edge) in AROUND.into_iter().enumerate() {
        let segments = edges.segments(edge);
        if left < segments {
            let along = edges.outer.get(edge).map_or(0, |edge| place(edge, left.into()));
            let (u, v) = match side {
                0 => (along, 0),
                1 => (ONE, along),
                2 => (ONE - along, ONE),
                _ => (0, ONE - along),
            };
            return Point { u, v };
        }
        left -= segments;
    }
    Point { u: 0, v: 0 }
}

/// Passes each triangle to `triangle`, counter-clockwise.
pub(super) fn each<E>(
    edges: &Edges<'_>,
    triangle: &mut impl FnMut(u16, u16, u16) -> Result<(), E>,
) -> Result<(), E> {
    let grid = Grid::new(edges);
    let first = grid.count();
    if first == 0 {
        triangle(0, 1, 2)?;
        return triangle(0, 2, 3);
    }
    for row in 1..grid.rows.len() {
        for column in 1..grid.columns.len() {
            let a = grid.number(column - 1, row - 1);
            let b = grid.number(column, row - 1);
            let c = grid.number(column, row);
            let d = grid.number(column - 1, row);
            triangle(a, b, c)?;
            triangle(a, c, d)?;
        }
    }
    // Counter-clockwise, beginning below the grid: each edge with the grid's side along it.
    let mut number = first;
    for (side, edge) in AROUND.into_iter().enumerate() {
        let next = number + edges.segments(edge);
        let last = if side == 3 { first } else { next };
        let places = edges.outer.get(edge).map_or(&[][..], |edge| edge);
        stitch(Line { places, first: number, step: 1, last }, grid.side(side), triangle)?;
        number = next;
    }
    Ok(())
}
