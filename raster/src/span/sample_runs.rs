//! Coverage of rows of four samples per pixel: one run per sample, with edges moved by the sample's
//! offset.

use super::runs::{MAX_ROWS, Runs, Sorted, small_product};
use crate::features::SAMPLES;
use crate::fixed::{SUBPIXEL_BITS, SUBPIXEL_ONE};
use crate::setup::{Bounds, FillRule};

/// The number of samples that are solved and painted together.
pub(super) const LANES: usize = 4;

/// For each sample, the run that a triangle covers in a row: its first column and the column past
/// its last, from the region's left side. Columns may lie beyond the region's right side, up to
/// 255.
pub(super) type RowRuns = [[u8; 2]; LANES];

/// No pixel: beyond all columns.
const NONE: RowRuns = [[u8::MAX, 0]; LANES];

/// The most rows of a tile; 0 in builds that do not compute samples.
pub(super) const SAMPLE_ROWS: usize = if SAMPLES { MAX_ROWS } else { 0 };

/// The runs of each row, in a region of at most 64×64 pixels.
#[derive(Debug)]
pub(crate) struct SampleRuns {
    rows: [RowRuns; SAMPLE_ROWS],
}

impl SampleRuns {
    pub(crate) const EMPTY: SampleRuns = SampleRuns { rows: [[[0; 2]; LANES]; SAMPLE_ROWS] };

    /// Returns the runs of the first `count` rows.
    #[inline(always)]
    pub(super) fn rows(&self, count: i32) -> &[RowRuns] {
        self.rows.get(..count as usize).unwrap_or(&[])
    }

    /// Returns true if no sample is covered in the first `count` rows of a region `width` pixels
    /// wide.
    pub(super) fn are_empty(&self, count: i32, width: i32) -> bool {
        let is_empty = |&[left, right]: &[u8; 2]| i32::from(left) >= width.min(right.into());
        self.rows(count).as_flattened().iter().all(is_empty)
    }

    /// Solves a triangle of any size in all rows of a region, see
    /// [`solve_small`](Self::solve_small). `runs` is scratch memory for solving one sample.
    #[inline(never)]
    pub(super) fn solve(
        &mut self,
        runs: &mut Runs,
        v: &[[i32; 2]; 3],
        clockwise: bool,
        rule: FillRule,
        offsets: &[[i32; 2]; LANES],
        whole: &Bounds,
    ) {
        let rows = self.rows.get_mut(..(whole.y1 - whole.y0) as usize).unwrap_or(&mut []);
        rows.fill(NONE);
        for (lane, [x, y]) in offsets.iter().enumerate() {
            let (v, mut reached) = (v.map(|v| [v[0] - x, v[1] - y]), *whole);
            if runs.solve(&v, clockwise, rule, &mut reached) {
                let rows = rows.iter_mut().skip((reached.y0 - whole.y0) as usize);
                for (row, run) in rows.zip(runs.rows(reached.y1 - reached.y0)) {
                    if let Some(to) = row.get_mut(lane) {
                        *to = *run;
                    }
                }
            }
        }
    }

    /// Solves a triangle of at most 128×128 pixels as seen by samples at `offsets` (Q24.8, less
    /// than a pixel apart) from the pixels' centres, and cuts `region` to the rows that any sample
    /// may cover; `false` if there is none. All rows may be empty.
    #[inline(never)]
    pub(super) fn solve_small(
        &mut self,
        v: &[[i32; 2]; 3],
        clockwise: bool,
        rule: FillRule,
        offsets: &[[i32; 2]; LANES],
        region: &mut Bounds,
    ) -> bool {
        let Sorted { top, middle, end, long } = Sorted::new(v, clockwise);
        let center = rule.center();
        // The first row with its sample below a corner, or at the corner's height if the rule gives
        // such rows to the edges below.
        let first = i32::from(rule.bottom_edge) + SUBPIXEL_ONE - 1;
        let row = |y: i32| (y + first) >> SUBPIXEL_BITS;
        let [[_, a], [_, b], [_, c], [_, d]] = *offsets;
        let (least, most) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        let y0 = region.y0.max(row(top[1] - center - most));
        let y1 = region.y1.min(row(end[1] - center - least));
        (region.y0, region.y1) = (y0, y1);
        if y0 >= y1 {
            return false;
        }
        let rows = self.rows.get_mut(..(y1 - y0) as usize).unwrap_or(&mut []);
        // x counts from the centre of the pixel before the region's first, y from the centres of
        // rows.
        let x = (region.x0 << SUBPIXEL_BITS) + center - SUBPIXEL_ONE;
        let at = |v: [i32; 2]| [v[0] - x, v[1] - center];
        let (top, middle, end) = (at(top), at(middle), at(end));
        // The samples' first rows differ by at most one.
        let bend = |offset: i32| row(middle[1] - offset).max(y0).min(y1);
        let (first_bend, last_bend) = (bend(most), bend(least));
        let upper = [Side::new(top, end, y0), Side::new(top, middle, y0)];
        let lower = [Side::new(top, end, first_bend), Side::new(middle, end, first_bend)];
        for (lane, &[x, y]) in offsets.iter().enumerate() {
            let late = i32::from(bend(y) > first_bend);
            if let Some(rows) = rows.get_mut(..(last_bend - y0) as usize) {
                walk(rows, lane, long, &upper, [x, y], 0);
            }
            if let Some(rows) = rows.get_mut((first_bend + late - y0) as usize..) {
                walk(rows, lane, long, &lower, [x, y], late);
            }
            let (from, to) = (row(top[1] - y), row(end[1] - y));
            if from > y0
                && let Some(row) = rows.first_mut().and_then(|row| row.get_mut(lane))
            {
                *row = NONE[0];
            }
            if to < y1
                && let Some(row) = rows.last_mut().and_then(|row| row.get_mut(lane))
            {
                *row = NONE[0];
            }
        }
        true
    }
}

/// An edge down from a corner.
struct Side {
    /// The product of x and the height, both Q24.8, at the centres of a row; minus 1, see
    /// `runs.rs`.
    value: i32,
    width: i32,
    /// At least 1.
    height: i32,
}

impl Side {
    /// Makes the edge from a corner to another, at a row.
    #[inline(always)]
    fn new(from: [i32; 2], to: [i32; 2], row: i32) -> Side {
        let (width, height) = (to[0] - from[0], (to[1] - from[1]).max(1));
        Side { value: small_product(from, [width, height], row), width, height }
    }

    /// Returns the value for samples at `offset`, without its 8 low bits.
    #[inline(always)]
    fn beside(&self, [x, y]: [i32; 2]) -> i32 {
        let beside = self.width.wrapping_mul(y).wrapping_sub(self.height.wrapping_mul(x));
        self.value.wrapping_add(beside) >> SUBPIXEL_BITS
    }
}

/// Fills in the runs of the sample at `offset` between the long side and another edge, from `late`
/// rows below the sides' on.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a lane is below 4, an end below 2")]
fn walk(
    rows: &mut [RowRuns],
    lane: usize,
    long: usize,
    [a, b]: &[Side; 2],
    offset: [i32; 2],
    late: i32,
) {
    let mut at = a.beside(offset).wrapping_add(a.width.wrapping_mul(late));
    let mut other = b.beside(offset).wrapping_add(b.width.wrapping_mul(late));
    let (height, other_height) = (a.height.max(1), b.height.max(1));
    for row in rows {
        let run = &mut row[lane & 3];
        run[long & 1] = (at / height).clamp(0, 255) as u8;
        run[long & 1 ^ 1] = (other / other_height).clamp(0, 255) as u8;
        at = at.wrapping_add(a.width);
        other = other.wrapping_add(b.width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::setup::{Shape, area};

    #[test]
    fn runs_are_those_of_moved_edges() {
        let mut numbers = Random(9);
        let mut random = |range: i32| numbers.below(range);
        let clip = Bounds { x0: 3, y0: 5, x1: 61, y1: 50 };
        for case in 0..3000 {
            let reach = [3000, 12_000, 32_000, 4_000_000][case % 4];
            let mut v = [(); 3].map(|()| [random(reach) - reach / 4, random(reach) - reach / 4]);
            if case % 7 < 3 {
                // Corners, horizontal and vertical edges at the places of samples.
                v = v.map(|v| v.map(|at| at & -16));
                v[case % 3][case % 2] = v[(case + 1) % 3][case % 2];
            }
            let rule = FillRule { half_pixel_center: case % 3 != 0, bottom_edge: case % 5 == 0 };
            let offsets = [(); LANES].map(|()| [(random(16) - 8) * 16, (random(16) - 8) * 16]);
            let Some(shape) = Shape::triangle(v, rule) else { continue };
            let (mut region, mut one) = (clip, Runs::EMPTY);
            let mut runs = SampleRuns { rows: [[[1, 9]; LANES]; MAX_ROWS] };
            let clockwise = area(&v) > 0;
            let solved = if reach <= 32_000 && case % 8 < 4 {
                if shape.widened().bounds.intersect(&clip).is_empty() {
                    continue;
                }
                runs.solve_small(&v, clockwise, rule, &offsets, &mut region)
            } else {
                runs.solve(&mut one, &v, clockwise, rule, &offsets, &region);
                !runs.are_empty(region.y1 - region.y0, region.x1 - region.x0)
            };
            for (lane, offset) in offsets.into_iter().enumerate() {
                let moved = shape.moved(offset);
                for y in clip.y0..clip.y1 {
                    for x in clip.x0..clip.x1 {
                        let inside = moved.edges().iter().all(|edge| edge.value(x, y) >= 0);
                        let run = solved && (region.y0..region.y1).contains(&y) && {
                            let rows = runs.rows(region.y1 - region.y0);
                            let [left, right] = rows[(y - region.y0) as usize][lane].map(i32::from);
                            (left..right).contains(&(x - clip.x0))
                        };
                        assert_eq!(run, inside, "{v:?} {offset:?} {x} {y}");
                    }
                }
            }
        }
    }
}
