//! Where rows of pixels begin and end: edges solved for x, exactly.

use crate::setup::{Bounds, Edge, FillRule};

/// The largest tile's rows.
pub(super) const MAX_ROWS: usize = 64;

/// What a triangle covers of a region of at most 64×64 pixels: of each row a run.
#[derive(Debug)]
pub(crate) struct Runs {
    /// First covered column and the one past the last, from the region's left side.
    rows: [[u8; 2]; MAX_ROWS],
}

impl Runs {
    pub(crate) const EMPTY: Runs = Runs { rows: [[0; 2]; MAX_ROWS] };

    /// The run of a row, counted from the region's top.
    #[inline(always)]
    pub(super) fn row(&self, y: i32) -> (i32, i32) {
        let [left, right] = self.rows[y as usize % MAX_ROWS];
        (left.into(), right.into())
    }

    /// Solves a triangle's edges over `region`; `false` if nothing is covered.
    #[inline(never)]
    pub(super) fn solve(&mut self, v: &[[i32; 2]; 3], rule: FillRule, region: &Bounds) -> bool {
        let [a, b, c] = *v;
        let (x1, y1) = (b[0] - a[0], b[1] - a[1]);
        let (x2, y2) = (c[0] - a[0], c[1] - a[1]);
        let area = i64::from(x1) * i64::from(y2) - i64::from(y1) * i64::from(x2);
        if area == 0 {
            return false;
        }
        // Inside is on the right hand of each edge.
        let (b, c) = if area > 0 { (b, c) } else { (c, b) };
        let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
        let rows = self.rows.get_mut(..height as usize).unwrap_or(&mut []);
        rows.fill([0, width as u8]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let edge = Edge::new(from, to, rule);
            let (step_x, step_y) = (edge.step_x, edge.step_y);
            let value = edge.value(region.x0, region.y0);
            // Steps are below 2²⁴, regions at most 64 pixels wide.
            let rise = step_x.max(0) * (width - 1) + step_y.max(0) * (height - 1);
            let fall = step_x.min(0) * (width - 1) + step_y.min(0) * (height - 1);
            if value + i64::from(rise) < 0 {
                return false;
            }
            if value + i64::from(fall) < 0 {
                // It changes sign within the region, so it fits.
                cut(rows, value as i32, step_x, step_y);
            }
        }
        true
    }
}

/// Cuts off of each row what lies outside an edge.
#[inline(always)]
#[expect(clippy::manual_div_ceil, reason = "there is no overflow: no remainder is needed")]
fn cut(rows: &mut [[u8; 2]], mut value: i32, step_x: i32, step_y: i32) {
    if step_x > 0 {
        let step = step_x as u32;
        for row in rows {
            if value < 0 {
                let first = (value.unsigned_abs() + (step - 1)) / step;
                // Past the row's end: no pixel.
                row[0] = first.min(255).max(row[0].into()) as u8;
            }
            value = value.wrapping_add(step_y);
        }
    } else if step_x < 0 {
        let step = step_x.unsigned_abs();
        for row in rows {
            let end = if value < 0 { 0 } else { value as u32 / step + 1 };
            row[1] = end.min(row[1].into()) as u8;
            value = value.wrapping_add(step_y);
        }
    } else {
        for row in rows {
            if value < 0 {
                row[1] = 0;
            }
            value = value.wrapping_add(step_y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Shape;

    #[test]
    fn runs_are_what_the_edges_own() {
        let mut seed = 1u32;
        let mut random = |range: i32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as i32 % range
        };
        for case in 0..400 {
            let reach = [3000, 12_000, 40_000, 4_000_000][case % 4];
            let v = [(); 3].map(|()| [random(reach) - reach / 4, random(reach) - reach / 4]);
            let rule = FillRule { half_pixel_center: case % 3 != 0, bottom_edge: case % 5 == 0 };
            let Some(shape) = Shape::triangle(v, rule) else { continue };
            let clip = Bounds { x0: 3, y0: 5, x1: 61, y1: 50 };
            let bounds = shape.bounds.intersect(&clip);
            let mut runs = Runs::EMPTY;
            let covered = !bounds.is_empty() && runs.solve(&v, rule, &bounds);
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
