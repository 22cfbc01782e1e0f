//! Exact coverage from edge functions: tile, block, row.
//!
//! ```text
//!  ┌────┬────┬────┬────┐   a block (16×16) that lies outside one edge is skipped,
//!  │skip│part│part│skip│   one inside all edges needs no test per pixel,
//!  ├────┼────┼────┼────┤   the rest compare only the edges that cross them,
//!  │part│full│full│part│   16 pixels of a row at a time.
//!  └────┴────┴────┴────┘
//! ```

use os_shim::simd::negative_lanes;

use crate::features::SMALL_CODE;
use crate::fixed::BLOCK;
use crate::setup::{Bounds, Edge, Shape};

/// The covered pixels of one block: bit `x` of row `y`.
pub(crate) type Coverage = [u16; BLOCK as usize];

const SIZE: i32 = BLOCK as i32;

/// Beyond this an edge function cannot change sign within a block.
const FAR: i64 = 1 << 30;

/// Visits the blocks of `clip` that `shape` covers, top to bottom, left to right.
///
/// `visit` gets x and y of a block's first pixel, a multiple of the block's size, and the pixels of
/// the block that are covered within `clip`.
#[inline(always)]
pub(crate) fn walk(shape: &Shape, clip: &Bounds, mut visit: impl FnMut(i32, i32, &Coverage)) {
    let bounds = shape.bounds.intersect(clip);
    if bounds.is_empty() {
        return;
    }
    let edges = shape.edges();
    let (first_x, first_y) = (bounds.x0 & -SIZE, bounds.y0 & -SIZE);
    let mut by = first_y;
    while by < bounds.y1 {
        let mut bx = first_x;
        while bx < bounds.x1 {
            if let Some(coverage) = block(edges, &bounds, bx, by) {
                visit(bx, by, &coverage);
            }
            bx += SIZE;
        }
        by += SIZE;
    }
}

/// Returns the pixels of `bounds` that lie inside all edges, for the block at first pixel (`bx`,
/// `by`); `None` if the block is outside one of the edges.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the mask keeps the edge below 4")]
pub(super) fn block(edges: &[Edge], bounds: &Bounds, bx: i32, by: i32) -> Option<Coverage> {
    // The edges that cross this block: the function at the block's first pixel, and its steps.
    let mut crossing = [(0i32, 0i32, 0i32); 4];
    let mut count = 0;
    for edge in edges {
        let value = edge.value(bx, by);
        if value + edge.rise(SIZE - 1, SIZE - 1) < 0 {
            return None;
        }
        if value + edge.fall(SIZE - 1) < 0 {
            // In range: |value| is at most a block's rise here, below 2^29.
            let value = value.clamp(-FAR, FAR) as i32;
            crossing[count & 3] = (value, edge.step_x, edge.step_y);
            count += 1;
        }
    }
    Some(cover(&crossing, count, bounds, bx, by))
}

/// Covers one block from the edges that cross it: (function at the first pixel, step in x, step in
/// y).
#[inline(always)]
fn cover(
    crossing: &[(i32, i32, i32); 4],
    count: usize,
    bounds: &Bounds,
    bx: i32,
    by: i32,
) -> Coverage {
    let (left, right) = ((bounds.x0 - bx).max(0), (bounds.x1 - bx).min(SIZE));
    let (top, bottom) = ((bounds.y0 - by).max(0), (bounds.y1 - by).min(SIZE));
    let columns = (((1u32 << right) - 1) & !((1u32 << left) - 1)) as u16;
    let mut coverage = [0; BLOCK as usize];
    let rows = coverage.get_mut(top as usize & 15..(bottom as usize).min(16)).unwrap_or_default();
    match (count, crossing) {
        (0, _) => rows.fill(columns),
        (1, [a, ..]) => fill(rows, columns, top, left, right, [*a]),
        (2, [a, b, ..]) => fill(rows, columns, top, left, right, [*a, *b]),
        (3, [a, b, c, _]) => fill(rows, columns, top, left, right, [*a, *b, *c]),
        (_, all) => fill(rows, columns, top, left, right, *all),
    }
    coverage
}

/// Tests the pixels of some rows against `N` edges.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "all three arrays have an element an edge")]
fn fill<const N: usize>(
    rows: &mut [u16],
    columns: u16,
    top: i32,
    left: i32,
    right: i32,
    edges: [(i32, i32, i32); N],
) {
    let is_narrow = right - left <= 4;
    if !SMALL_CODE && !is_narrow {
        return fill_rows(rows, columns, top, edges);
    }
    let mut at = edges.map(|(value, _, step_y)| value + step_y * top);
    if is_narrow {
        // A narrow block: pixel by pixel is less work than all 16 columns.
        for row in rows {
            let mut value = [0; N];
            for n in 0..N {
                value[n] = at[n] + edges[n].1 * left;
            }
            let mut mask = 0;
            for x in left..right {
                let signs = value.iter().fold(0, |signs, value| signs | value);
                mask |= u16::from(signs >= 0) << x;
                for n in 0..N {
                    value[n] = value[n].wrapping_add(edges[n].1);
                }
            }
            *row = mask;
            for n in 0..N {
                at[n] = at[n].wrapping_add(edges[n].2);
            }
        }
        return;
    }
    for row in rows {
        // A pixel outside an edge has a negative function there, so the signs are or'ed.
        let mut signs = [0i32; BLOCK as usize];
        for n in 0..N {
            for (x, sign) in signs.iter_mut().enumerate() {
                *sign |= at[n].wrapping_add(edges[n].1.wrapping_mul(x as i32));
            }
            at[n] = at[n].wrapping_add(edges[n].2);
        }
        let mut mask = 0;
        for (x, sign) in signs.iter().enumerate() {
            mask |= u16::from(*sign >= 0) << x;
        }
        *row = mask & columns;
    }
}

/// Tests pixels as [`fill`] does, with vectors of a row.
#[inline(always)]
fn fill_rows<const N: usize>(
    rows: &mut [u16],
    columns: u16,
    top: i32,
    edges: [(i32, i32, i32); N],
) {
    let mut at = [[0i32; BLOCK as usize]; N];
    for (at, (value, step_x, step_y)) in at.iter_mut().zip(edges) {
        let first = step_y.wrapping_mul(top).wrapping_add(value);
        for (at, column) in at.iter_mut().zip(0..) {
            *at = step_x.wrapping_mul(column).wrapping_add(first);
        }
    }
    for row in rows {
        // A pixel outside an edge has a negative function there, so the signs are or'ed.
        let mut signs = [0; BLOCK as usize];
        for (at, (_, _, step_y)) in at.iter_mut().zip(edges) {
            for (sign, at) in signs.iter_mut().zip(at) {
                *sign |= *at;
                *at = at.wrapping_add(step_y);
            }
        }
        *row = columns & !negative_lanes(&signs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::FillRule;

    const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    fn draw(points: [[i32; 2]; 3], width: i32, height: i32) -> std::vec::Vec<std::string::String> {
        let shape = Shape::triangle(points, RULE).unwrap();
        let mut picture = std::vec![std::vec![b'.'; width as usize]; height as usize];
        let clip = Bounds { x0: 0, y0: 0, x1: width, y1: height };
        walk(&shape, &clip, |bx, by, coverage| {
            for (y, row) in coverage.iter().enumerate() {
                for x in 0..16 {
                    if row >> x & 1 != 0 {
                        picture[by as usize + y][bx as usize + x] = b'#';
                    }
                }
            }
        });
        picture.into_iter().map(|row| std::string::String::from_utf8(row).unwrap()).collect()
    }

    #[test]
    fn a_small_triangle() {
        // The right angle at (1, 1); the long side passes exactly through centres,
        // which a right-hand edge does not own.
        let picture = draw([[256, 256], [6 * 256, 256], [256, 6 * 256]], 8, 7);
        assert_eq!(
            picture,
            [
                "........", //
                ".####...", ".###....", ".##.....", ".#......", "........", "........",
            ]
        );
    }

    #[test]
    fn every_pixel_as_its_edges_say() {
        let points = [[-3000, 500], [40 * 256 + 13, -900], [20 * 256 + 7, 45 * 256 + 201]];
        let picture = draw(points, 48, 48);
        let shape = Shape::triangle(points, RULE).unwrap();
        for (y, row) in picture.iter().enumerate() {
            for (x, pixel) in row.bytes().enumerate() {
                let inside =
                    shape.edges().iter().all(|edge: &Edge| edge.value(x as i32, y as i32) >= 0);
                assert_eq!(pixel == b'#', inside, "{x} {y}");
            }
        }
    }
}
