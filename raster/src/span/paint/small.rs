//! Small triangles: rows of a few pixels, whose beginnings are what takes long.

use super::super::rows::Runs;
use super::super::shade::{GouraudSmall, Shade};
use super::{Depth, Fresh, Plane32, Tile};
use crate::fixed::SUBPIXEL_BITS;
use crate::setup::Bounds;

/// How far a small triangle reaches to each side of its vertex 0: 32 pixels, in Q24.8. Sums of 16
/// bits are then good to 2⁻⁶ of a channel's step.
const REACH: i32 = 1 << 13;

/// Whether a triangle is small, but not so thin that its planes are not good at its pixels: half a
/// pixel's area. A matter of the triangle alone, not of what a tile has of it.
#[inline(always)]
pub(in crate::span) fn is_small([a, b, c]: &[[i32; 2]; 3], area: i64) -> bool {
    let near = |x: i32, a: i32| x.wrapping_sub(a).wrapping_add(REACH) as u32;
    let (b, c) = (near(b[0], a[0]) | near(b[1], a[1]), near(c[0], a[0]) | near(c[1], a[1]));
    // What is small has an area of less than 32 bits.
    b | c < 2 * REACH as u32 && (area as i32).unsigned_abs() >> (2 * SUBPIXEL_BITS) != 0
}

impl Tile<'_> {
    /// Paints depth, green, and blue and red where they are nearer, as [`Tile::paint`] does; `false`
    /// if the test is another, or rows of colour and depth do not lie alike.
    #[inline(never)]
    pub(in crate::span) fn paint_small(
        &mut self,
        runs: &Runs,
        fresh: &mut Fresh,
        region: &Bounds,
        z: &Plane32,
        [green, both]: &[Plane32; 2],
    ) -> bool {
        let (x, y) = ((region.x0 - self.x) as usize, (region.y0 - self.y) as usize);
        let Some((color, depth, stride)) = self.nearer() else { return false };
        let steps = [green.dx, both.dx];
        let mut start = y.wrapping_mul(stride).wrapping_add(x);
        let fresh = fresh.touched.get_mut(y..).unwrap_or(&mut []);
        let rows = runs.rows(region.y1 - region.y0).iter().zip(fresh);
        for (row, ([left, right], fresh)) in rows.enumerate() {
            let run = start + usize::from(*left)..start + usize::from(*right);
            start += stride;
            if left >= right {
                continue;
            }
            let Some(color) = color.get_mut(run.clone()) else { continue };
            let Some(depth) = depth.get_mut(run) else { continue };
            *fresh = Fresh::ALL;
            let (x, y) = (i32::from(*left), row as i32);
            let mut z = Depth { value: z.at(x, y), step: z.dx };
            let mut at = [green.at(x, y), both.at(x, y)];
            for (color, depth) in color.iter_mut().zip(depth) {
                let new = z.next();
                if new < i32::from(*depth) {
                    *depth = new as u16;
                    *color = GouraudSmall.color(&at);
                }
                super::step(&mut at, &steps);
            }
        }
        true
    }
}
