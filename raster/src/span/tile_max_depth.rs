//! Early depth rejection by the greatest depth of a tile.
//!
//! Once a triangle has covered a whole tile, no depth in the tile is farther than that triangle's
//! depth. A primitive that lies farther over its whole part of the tile is dropped before its
//! colour is set up. It would have failed the depth test at every pixel, so the pixels do not
//! depend on this, nor on the size of tiles.

use super::runs::Runs;
use crate::fixed::DEPTH_BITS;
use crate::lanes::Target;
use crate::setup::{Bounds, Gradient, Plane, Plane32};

/// The greatest depth that a tile may hold, plus a step of a 16-bit buffer. Any greater depth is
/// stored as a greater number in every buffer.
#[derive(Debug)]
pub(crate) struct TileMaxDepth(f32);

impl TileMaxDepth {
    /// The tile may hold any depth.
    pub(crate) const UNKNOWN: TileMaxDepth = TileMaxDepth(f32::INFINITY);

    /// Returns true if a triangle has covered the tile.
    #[inline(always)]
    pub(super) fn is_known(&self) -> bool {
        self.0.to_bits() != f32::INFINITY.to_bits()
    }

    /// Returns true if a primitive of this depth is farther than the whole tile over a region: a
    /// test for nearer depth then fails at each of its pixels.
    #[inline(always)]
    pub(crate) fn hides(&self, depth: &Plane, gradient: &Gradient, region: &Bounds) -> bool {
        self.is_known() && self.is_before(depth, gradient, region)
    }

    #[inline(never)]
    fn is_before(&self, depth: &Plane, gradient: &Gradient, region: &Bounds) -> bool {
        let Plane { a, dadx, dady } = *depth;
        let right = if dadx < 0.0 { region.x1 - 1 } else { region.x0 } - gradient.x;
        let down = if dady < 0.0 { region.y1 - 1 } else { region.y0 } - gradient.y;
        let (along, down) = (dadx * right as f32, dady * down as f32);
        // Greater than the sum of all rounding errors, both of these and of the integer plane.
        let error = (1.0 + along.abs() + down.abs()) / (1 << 20) as f32;
        a + along + down - error > self.0
    }

    /// Lowers the maximum if a triangle covers the whole target. The draw must leave nothing
    /// farther than the triangle. `z` is its depth from the region's first pixel on.
    #[inline(never)]
    pub(super) fn cover(&mut self, runs: &Runs, region: &Bounds, z: &Plane32, target: &Target<'_>) {
        let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
        // A triangle is convex: if it covers the first and the last row, it covers every row.
        let whole = (width as u32, height as u32) == (target.width, target.height);
        if !whole || [0, height - 1].into_iter().any(|row| runs.row(row) != (0, width)) {
            return;
        }
        let (right, below) = (width - 1, height - 1);
        // Inside the triangle the plane's values fit, so the corners' values fit too.
        let most = z.at(0, 0).max(z.at(right, 0)).max(z.at(0, below)).max(z.at(right, below));
        let most = (most.max(0) + (1 << (DEPTH_BITS - 16))) as f32 / (1 << DEPTH_BITS) as f32;
        // Depths near 1 and beyond are stored as the same number.
        if most < 1.0 - 1.0 / 32768.0 {
            self.0 = self.0.min(most);
        }
    }
}
