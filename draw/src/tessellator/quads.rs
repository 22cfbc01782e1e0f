//! The quadrilateral domain: a grid within four edges.

use super::edge::{ONE, Points, divide as divide_edge, drops, inner_level, limited, segments};
use super::stitch::{Along, stitch};
use super::{Levels, Spacing, Tessellator};
use heapless::Vec;
use os_shim::memory::OutOfMemory;

/// The points of one side of a ring.
type Side = Vec<Along, 65>;

/// Divides a quadrilateral.
pub(super) fn divide(
    to: &mut Tessellator<'_>,
    spacing: Spacing,
    levels: &Levels,
) -> Result<(), OutOfMemory> {
    if levels.outer.into_iter().any(drops) {
        return Ok(());
    }
    let single = |level: &f32| segments(limited(*level, spacing), spacing) == 1;
    if levels.outer.iter().chain(&levels.inner).all(single) {
        return whole(to);
    }
    let [columns, rows] =
        levels.inner.map(|level| divide_edge(inner_level(level, spacing), spacing));
    let grid = Grid::new(to, &columns, &rows)?;
    grid.cells(to)?;
    // Counter-clockwise: up from below the grid, each with the grid's side along it.
    let [left, below, right, above] = levels.outer.map(|level| divide_edge(level, spacing));
    let outer = outer_ring(to, [&below, &right, &above, &left])?;
    for (side, outer) in outer.iter().enumerate() {
        stitch(to, outer, &grid.side(side, &columns, &rows))?;
    }
    Ok(())
}

/// Fills the domain by two triangles.
fn whole(to: &mut Tessellator<'_>) -> Result<(), OutOfMemory> {
    let a = to.point(0, 0)?;
    let b = to.point(ONE, 0)?;
    let c = to.point(ONE, ONE)?;
    let d = to.point(0, ONE)?;
    to.triangle(a, b, c)?;
    to.triangle(a, c, d)
}

/// The inner points, column by column within a row.
struct Grid {
    first: u16,
    columns: u16,
    rows: u16,
}

impl Grid {
    /// Adds the points within the domain.
    fn new(to: &mut Tessellator<'_>, columns: &Points, rows: &Points) -> Result<Grid, OutOfMemory> {
        let grid = Grid {
            first: to.points.len() as u16,
            columns: inner(columns).len() as u16,
            rows: inner(rows).len() as u16,
        };
        for &v in inner(rows) {
            for &u in inner(columns) {
                to.point(u, v)?;
            }
        }
        Ok(grid)
    }

    /// Returns the number of the point in a column and a row.
    fn number(&self, column: u16, row: u16) -> u16 {
        self.first + row * self.columns + column
    }

    /// Fills the cells between the points.
    fn cells(&self, to: &mut Tessellator<'_>) -> Result<(), OutOfMemory> {
        for row in 1..self.rows {
            for column in 1..self.columns {
                let a = self.number(column - 1, row - 1);
                let b = self.number(column, row - 1);
                let c = self.number(column, row);
                let d = self.number(column - 1, row);
                to.triangle(a, b, c)?;
                to.triangle(a, c, d)?;
            }
        }
        Ok(())
    }

    /// Returns the points along a side, counter-clockwise: below, right, above, left. Places are
    /// those along the side's own direction.
    fn side(&self, side: usize, columns: &Points, rows: &Points) -> Side {
        let (last_column, last_row) = (self.columns - 1, self.rows - 1);
        let along = |list: &Points, number: &dyn Fn(u16) -> u16| -> Side {
            let points = inner(list).iter().enumerate();
            points.map(|(at, &place)| Along { number: number(at as u16), place }).collect()
        };
        match side {
            0 => along(columns, &|at| self.number(at, 0)),
            1 => along(rows, &|at| self.number(last_column, at)),
            // Points are symmetric, so the places of the way back are those of the way there.
            2 => along(columns, &|at| self.number(last_column - at, last_row)),
            _ => along(rows, &|at| self.number(0, last_row - at)),
        }
    }
}

/// Returns the points of an edge but its ends.
fn inner(points: &Points) -> &[u32] {
    points.get(1..points.len() - 1).unwrap_or(&[])
}

/// Adds the points of the edges, counter-clockwise from the origin; sides share their corners.
fn outer_ring(to: &mut Tessellator<'_>, edges: [&Points; 4]) -> Result<[Side; 4], OutOfMemory> {
    let mut ring = [Side::new(), Side::new(), Side::new(), Side::new()];
    for (side, (points, edge)) in ring.iter_mut().zip(edges).enumerate() {
        let Some((_, all_but_last)) = edge.split_last() else { continue };
        for &place in all_but_last {
            let (u, v) = match side {
                0 => (place, 0),
                1 => (ONE, place),
                2 => (ONE - place, ONE),
                _ => (0, ONE - place),
            };
            let _ = points.push(Along { number: to.point(u, v)?, place });
        }
    }
    let firsts = ring.each_ref().map(|side| side.first().map_or(0, |along| along.number));
    let nexts = [firsts[1], firsts[2], firsts[3], firsts[0]];
    for (side, number) in ring.iter_mut().zip(nexts) {
        let _ = side.push(Along { number, place: ONE });
    }
    Ok(ring)
}
