//! Narrow triangles: rows of a few pixels, whose beginnings are what takes long.

use pipe_core::CompareFunc;

use super::super::DepthTest;
use super::super::rows::Runs;
use super::super::shade::{Gouraud, Shade};
use super::{Depth, Fresh, Plane32, Tile};
use crate::setup::Bounds;

/// How far a narrow triangle reaches to either side of its vertex 0: 16 pixels, in Q24.8.
const REACH: i32 = 1 << 12;

/// Whether a triangle is narrow; a matter of the triangle alone, not of what a tile has of it.
#[inline(always)]
pub(in crate::span) fn is_narrow([a, b, c]: &[[i32; 2]; 3]) -> bool {
    let near = |x: i32| x.wrapping_sub(a[0]).wrapping_add(REACH) as u32;
    near(b[0]) | near(c[0]) < 2 * REACH as u32
}

impl Tile<'_> {
    /// Paints depth, red, green and blue where they are nearer, as [`Tile::paint`] does; `false` if
    /// the test is another, or rows of colour and depth do not lie alike.
    #[inline(never)]
    pub(in crate::span) fn paint_narrow(
        &mut self,
        runs: &Runs,
        fresh: &mut Fresh,
        region: &Bounds,
        planes: &[Plane32; 4],
    ) -> bool {
        let Some(depth) = &mut self.depth else { return false };
        let stride = self.color.stride;
        if self.test != DepthTest::Z16(CompareFunc::Less, true) || depth.stride != stride {
            return false;
        }
        let (x, y) = ((region.x0 - self.x) as usize, (region.y0 - self.y) as usize);
        let length = self.color.words.len().min(depth.words.len());
        // One check is for both.
        let (color, depth) = (&mut self.color.words[..length], &mut depth.words[..length]);
        let [z, rgb @ ..] = planes;
        let steps = rgb.each_ref().map(|plane| plane.dx);
        let mut start = y.wrapping_mul(stride).wrapping_add(x);
        let fresh = fresh.rows.get_mut(y..).unwrap_or(&mut []);
        let rows = runs.rows(region.y1 - region.y0).iter().zip(fresh);
        for (row, ([left, right], fresh)) in rows.enumerate() {
            let run = start + usize::from(*left)..start + usize::from(*right);
            start += stride;
            if left >= right {
                continue;
            }
            let Some(color) = color.get_mut(run.clone()) else { continue };
            let Some(depth) = depth.get_mut(run) else { continue };
            *fresh = false;
            let (x, y) = (i32::from(*left), row as i32);
            let mut z = Depth { value: z.at(x, y), step: z.dx };
            let mut at = rgb.each_ref().map(|plane| plane.at(x, y));
            for (color, depth) in color.iter_mut().zip(depth) {
                let new = z.next();
                if new < i32::from(*depth) {
                    *depth = new as u16;
                    *color = Gouraud.color(&at);
                }
                super::step(&mut at, &steps);
            }
        }
        true
    }
}
