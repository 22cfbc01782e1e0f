//! Early depth reject: what a whole tile hides.
//!
//! Once a triangle has covered all of a tile, nothing in the tile is farther than it. A primitive
//! that lies farther still, over all of its part of the tile, is dropped before its colour is set
//! up. It would have failed the depth test at every pixel: no pixel depends on this, nor on the size
//! of tiles.

use super::paint::Plane32;
use super::rows::Runs;
use crate::fixed::DEPTH_BITS;
use crate::lanes::Target;
use crate::setup::{Bounds, Gradient, Plane};

/// The farthest depth that a tile may hold, and a step of a 16-bit buffer more: what is stored of
/// anything beyond is greater, whatever the buffer.
#[derive(Debug)]
pub(crate) struct Farthest(f32);

impl Farthest {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Farthest = Farthest(f32::INFINITY);

    /// Whether all of a primitive of this depth is hidden in a region, if its draw tests for what
    /// is nearer.
    #[inline(always)]
    pub(crate) fn hides(&self, depth: &Plane, gradient: &Gradient, region: &Bounds) -> bool {
        self.0.to_bits() != f32::INFINITY.to_bits() && self.is_before(depth, gradient, region)
    }

    #[inline(never)]
    fn is_before(&self, depth: &Plane, gradient: &Gradient, region: &Bounds) -> bool {
        let Plane { a, dadx, dady } = *depth;
        let right = if dadx < 0.0 { region.x1 - 1 } else { region.x0 } - gradient.x;
        let down = if dady < 0.0 { region.y1 - 1 } else { region.y0 } - gradient.y;
        let (along, down) = (dadx * right as f32, dady * down as f32);
        // More than all roundings, these and the integer plane's.
        let error = (1.0 + along.abs() + down.abs()) / (1 << 20) as f32;
        a + along + down - error > self.0
    }

    /// A triangle whose draw leaves nothing farther than itself is painted, with depth from a
    /// region's first pixel on.
    #[inline(never)]
    pub(super) fn cover(&mut self, runs: &Runs, region: &Bounds, z: &Plane32, target: &Target<'_>) {
        let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
        // A triangle is convex: the first and the last row say what all are.
        let whole = (width as u32, height as u32) == (target.width, target.height);
        if !whole || [0, height - 1].into_iter().any(|row| runs.row(row) != (0, width)) {
            return;
        }
        let (right, below) = (width - 1, height - 1);
        // Inside a triangle values fit.
        let most = z.at(0, 0).max(z.at(right, 0)).max(z.at(0, below)).max(z.at(right, below));
        let most = (most.max(0) + (1 << (DEPTH_BITS - 16))) as f32 / (1 << DEPTH_BITS) as f32;
        // Depths near 1 and beyond are stored alike.
        if most < 1.0 - 1.0 / 32768.0 {
            self.0 = self.0.min(most);
        }
    }
}
