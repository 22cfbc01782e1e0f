//! Coverage of rows: solves a triangle's edges for x, exactly.

use crate::features::ARMV6M;
use crate::fixed::{SUBPIXEL_BITS, SUBPIXEL_ONE};
use crate::profile::MAX_TILE_HEIGHT;
use crate::setup::{Bounds, FillRule};

/// The largest tile's rows.
pub(super) const MAX_ROWS: usize = MAX_TILE_HEIGHT as usize;

/// For each row, the run of pixels that a triangle covers, in a region of at most 64×64 pixels.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The first covered column and the column past the last, from the region's left side.
    rows: [[u8; 2]; MAX_ROWS],
}

impl Runs {
    pub(crate) const EMPTY: Runs = Runs { rows: [[0; 2]; MAX_ROWS] };

    /// Returns the run of a row; rows count from the region's top.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below MAX_ROWS")]
    pub(super) fn row(&self, y: i32) -> (i32, i32) {
        let [left, right] = self.rows[y as usize % MAX_ROWS];
        (left.into(), right.into())
    }

    /// Returns the runs of the first `count` rows.
    #[inline(always)]
    pub(super) fn rows(&self, count: i32) -> &[[u8; 2]] {
        self.rows.get(..count as usize).unwrap_or(&[])
    }

    /// Solves a triangle over `region`, and cuts `region` to the rows that the triangle reaches;
    /// `false` if no pixel is covered. `clockwise` is the triangle's winding with y down. The area
    /// must not be 0.
    #[inline(never)]
    pub(super) fn solve(
        &mut self,
        v: &[[i32; 2]; 3],
        clockwise: bool,
        rule: FillRule,
        region: &mut Bounds,
    ) -> bool {
        self.solve_with(Side::new, v, clockwise, rule, region) == Some(true)
    }

    /// Solves a triangle of at most 128×128 pixels that reaches into the region; `false` if it has
    /// no row there. All rows may be empty.
    #[inline(always)]
    pub(super) fn solve_small(
        &mut self,
        v: &[[i32; 2]; 3],
        clockwise: bool,
        rule: FillRule,
        region: &mut Bounds,
    ) -> bool {
        self.solve_with(Side::new_small, v, clockwise, rule, region).is_some()
    }

    /// Walks down the two sides of a triangle from its top: a long side, and one that bends. A row
    /// at the height of a corner belongs to the edges above or below the corner, by the rule for
    /// horizontal edges. So that rule also decides horizontal edges.
    #[inline(always)]
    fn solve_with(
        &mut self,
        side: impl Fn([i32; 2], [i32; 2], i32) -> Side,
        v: &[[i32; 2]; 3],
        clockwise: bool,
        rule: FillRule,
        region: &mut Bounds,
    ) -> Option<bool> {
        let Sorted { top: a, middle, end, long } = Sorted::new(v, clockwise);
        // The first row with its centre below the corner, or at the corner's height if the rule
        // gives such rows to the edges below.
        let center = rule.center();
        let first = i32::from(rule.bottom_edge) + SUBPIXEL_ONE - 1 - center;
        let [top, bend, bottom] = [a, middle, end].map(|v| (v[1] + first) >> SUBPIXEL_BITS);
        let (y0, y1) = (region.y0.max(top), region.y1.min(bottom));
        (region.y0, region.y1) = (y0, y1);
        if y0 >= y1 {
            return None;
        }
        // x counts from the centre of the pixel before the region's first, y from the centres of
        // rows.
        let x = (region.x0 << SUBPIXEL_BITS) + center - SUBPIXEL_ONE;
        let [a, middle, end] = [a, middle, end].map(|v| [v[0] - x, v[1] - center]);
        let width = (region.x1 - region.x0) as u32;
        let mut long_side = side(a, end, y0);
        let rows = self.rows.get_mut(..(y1 - y0) as usize).unwrap_or(&mut []);
        let (above, below) = rows.split_at_mut(((bend - y0).max(0) as usize).min(rows.len()));
        let mut covered = 0;
        for (rows, from, to, y) in [(above, a, middle, y0), (below, middle, end, bend.max(y0))] {
            if !rows.is_empty() {
                covered |= walk(rows, long, width, &mut long_side, side(from, to, y));
            }
        }
        Some(covered != 0)
    }
}

/// A triangle's corners, sorted from the top.
pub(super) struct Sorted {
    pub(super) top: [i32; 2],
    pub(super) middle: [i32; 2],
    /// The end of the long side, which begins at `top`.
    pub(super) end: [i32; 2],
    /// The long side's index among a row's ends: 0 on the left, 1 on the right.
    pub(super) long: usize,
}

impl Sorted {
    /// Sorts corners in Q24.8; `clockwise` is their winding with y down.
    #[inline(always)]
    pub(super) fn new(&[a, b, c]: &[[i32; 2]; 3], clockwise: bool) -> Sorted {
        // Rotating the corners until `a` is the top keeps the winding.
        let (a, b, c) = if a[1] <= b[1] && a[1] <= c[1] {
            (a, b, c)
        } else if b[1] <= c[1] {
            (b, c, a)
        } else {
            (c, a, b)
        };
        // Clockwise, `b` lies to the right of `c`; `end` is on the long side.
        let (mut middle, mut end, mut long) = (b, c, usize::from(!clockwise));
        if b[1] > c[1] {
            (middle, end, long) = (c, b, long ^ 1);
        }
        Sorted { top: a, middle, end, long }
    }
}

/// An edge that is walked down row by row.
#[derive(Clone, Copy)]
struct Side {
    /// The product of x and the edge's height, both Q24.8, without its 8 low bits.
    value: i32,
    width: i32,
    height: u32,
}

impl Side {
    /// Makes the edge down from `from` to `to`, at the row `y` below `from`.
    ///
    /// x is the first pixel at or right of the crossing: left edges own the centres they pass
    /// through, right edges do not. It counts from the second pixel, which rounds it up.
    #[inline(always)]
    fn new(from: [i32; 2], to: [i32; 2], y: i32) -> Side {
        let (width, height) = (to[0] - from[0], to[1] - from[1]);
        let down = (y << SUBPIXEL_BITS) - from[1];
        let value = i64::from(height) * i64::from(from[0]) + i64::from(width) * i64::from(down) - 1;
        // A value that is clamped, or that makes sums saturate, is beyond 64 columns for 64 rows.
        let high = ((value >> 32) as i32).clamp(-128, 127);
        let value = high << 24 | (value as u32 >> 8) as i32;
        Side { value, width, height: height.max(1) as u32 }
    }

    /// Makes the edge of a triangle so small that products fit in 32 bits, see [`new`](Self::new).
    #[inline(always)]
    fn new_small(from: [i32; 2], to: [i32; 2], y: i32) -> Side {
        let (width, height) = (to[0] - from[0], to[1] - from[1]);
        let value = small_product(from, [width, height], y) >> SUBPIXEL_BITS;
        Side { value, width, height: height.max(1) as u32 }
    }

    /// Returns the first pixel on the right of the edge, and steps to the next row.
    #[inline(always)]
    fn next(&mut self, limit: u32) -> u32 {
        let x = self.value.max(0) as u32 / self.height;
        self.value = self.value.saturating_add(self.width);
        x.min(limit)
    }

    /// Returns the edge with quotients that are stepped, not divided.
    #[inline(always)]
    fn steps(&self) -> Steps {
        // In 64 rows an edge moves less than 2³⁰ columns.
        const FAR: i32 = 1 << 30;
        let ((x, rest), (along, more)) =
            (floor(self.value, self.height), floor(self.width, self.height));
        let (height, more) = (self.height as i32, more as i32);
        Steps {
            x: x.clamp(-FAR, FAR),
            rest: (rest as i32).wrapping_sub(height),
            along,
            more,
            height,
        }
    }

    /// Steps down by a number of rows, at most 64.
    #[inline(always)]
    fn skip(&mut self, rows: usize) {
        self.value = self.value.saturating_add(self.width.wrapping_mul(rows as i32));
    }
}

/// Returns the greatest whole number not above `value / divisor`, and the rest.
#[inline(always)]
fn floor(value: i32, divisor: u32) -> (i32, u32) {
    let flipped = (value ^ value >> 31) as u32;
    let quotient = flipped / divisor;
    let rest = flipped.wrapping_sub(quotient.wrapping_mul(divisor));
    if value < 0 {
        return (!(quotient as i32), divisor.wrapping_sub(1).wrapping_sub(rest));
    }
    (quotient as i32, rest)
}

/// An edge that is walked down without a division per row.
#[derive(Clone, Copy)]
struct Steps {
    /// The first pixel on the right of the edge, and what remains less the whole, in parts of the
    /// height.
    x: i32,
    rest: i32,
    /// The steps of both to the next row.
    along: i32,
    more: i32,
    height: i32,
}

impl Steps {
    /// Does what [`Side::next`] does.
    #[inline(always)]
    fn next(&mut self, limit: u32) -> u32 {
        let x = self.x.max(0) as u32;
        self.rest = self.rest.wrapping_add(self.more);
        // Not branches, which the compiler makes selections with more registers. All bits are set
        // without a carry.
        let none = self.rest >> 31;
        self.x = self.x.wrapping_add(self.along).wrapping_add(none).wrapping_add(1);
        self.rest = self.rest.wrapping_sub(self.height & !none);
        x.min(limit)
    }
}

/// Fills in one end of each run. Two loops for the two ends: a core without a division has too few
/// registers for both.
#[inline(never)]
#[expect(clippy::indexing_slicing, reason = "a bit is below 2")]
fn fill_end(rows: &mut [[u8; 2]], end: usize, width: u32, side: &Side) {
    let mut steps = side.steps();
    for row in rows {
        row[end & 1] = steps.next(width) as u8;
    }
}

/// Returns x times the height of an edge down from a corner, Q16.16, minus 1, at the centre of the
/// row `y`. The edge must be so small that the product fits in 32 bits.
#[inline(always)]
pub(super) fn small_product(from: [i32; 2], [width, height]: [i32; 2], y: i32) -> i32 {
    let down = (y << SUBPIXEL_BITS) - from[1];
    height.wrapping_mul(from[0]).wrapping_add(width.wrapping_mul(down)).wrapping_sub(1)
}

/// Fills in the runs between the long side and another edge; returns 0 if all are empty.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a bit is below 2")]
fn walk(rows: &mut [[u8; 2]], long: usize, width: u32, side: &mut Side, mut other: Side) -> u32 {
    if ARMV6M {
        fill_end(rows, long, width, side);
        side.skip(rows.len());
        fill_end(rows, long ^ 1, width, &other);
        return rows.iter().any(|[left, right]| left != right).into();
    }
    let mut covered = 0;
    for row in rows {
        let ends = [side.next(width), other.next(width)];
        covered |= ends[0] ^ ends[1];
        row[long & 1] = ends[0] as u8;
        row[long & 1 ^ 1] = ends[1] as u8;
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::setup::{Shape, area};

    #[test]
    fn steps_are_quotients() {
        let mut random = Random(5);
        for case in 0..20_000 {
            let reach = [300, 20_000, 1 << 22][case % 3];
            let mut side = Side {
                value: [random.bits() as i32, random.below(reach) * 64, i32::MAX, i32::MIN]
                    [case % 4],
                width: random.below(2 * reach) - reach,
                height: 1 + random.below(reach) as u32,
            };
            let (mut steps, mut last) = (side.steps(), side);
            last.skip(64);
            for _ in 0..64 {
                assert_eq!(steps.next(63), side.next(63));
            }
            assert_eq!(last.value, side.value);
        }
    }

    #[test]
    fn runs_are_the_pixels_that_edge_functions_own() {
        let mut numbers = Random(1);
        let mut random = |range: i32| numbers.below(range);
        for case in 0..4000 {
            let reach = [3000, 12_000, 32_000, 4_000_000][case % 4];
            let mut v = [(); 3].map(|()| [random(reach) - reach / 4, random(reach) - reach / 4]);
            if case % 7 < 3 {
                // Corners, horizontal and vertical edges at pixels' centres.
                v = v.map(|v| v.map(|at| at & -128));
                v[case % 3][case % 2] = v[(case + 1) % 3][case % 2];
            }
            let rule = FillRule { half_pixel_center: case % 3 != 0, bottom_edge: case % 5 == 0 };
            let Some(shape) = Shape::triangle(v, rule) else { continue };
            let clip = Bounds { x0: 3, y0: 5, x1: 61, y1: 50 };
            let mut bounds = clip;
            let mut runs = Runs::EMPTY;
            let covered = runs.solve(&v, area(&v) > 0, rule, &mut bounds);
            if reach <= 32_000 && !shape.bounds.intersect(&clip).is_empty() {
                let (mut small, mut same) = (Runs::EMPTY, clip);
                assert!(small.solve_small(&v, area(&v) > 0, rule, &mut same) || !covered, "{v:?}");
                let rows = (same.y0..same.y1).len() as i32;
                assert_eq!((same, small.rows(rows)), (bounds, runs.rows(rows)), "{v:?}");
            }
            for y in clip.y0..clip.y1 {
                for x in clip.x0..clip.x1 {
                    let inside = shape.edges().iter().all(|edge| edge.value(x, y) >= 0);
                    let in_bounds =
                        (bounds.x0..bounds.x1).contains(&x) && (bounds.y0..bounds.y1).contains(&y);
                    let run = covered && in_bounds && {
                        let (left, right) = runs.row(y - bounds.y0);
                        (left..right).contains(&(x - bounds.x0))
                    };
                    assert_eq!(run, inside, "{v:?} {x} {y}");
                }
            }
        }
    }
}
