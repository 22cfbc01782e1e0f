//! From a block's coverage to quads: stipple, smooth edges, clamped depth, the early depth test.

use os_shim::simd;

use super::Fragments;
use super::finish::unorm32;
use crate::depth;
use crate::features::ES2;
use crate::fixed::{BLOCK, DEPTH_BITS, SUBPIXEL_ONE};
use crate::lanes::{QuadPosition, stamps_per_batch};
use crate::profile::Profile;
use crate::setup::Plane32;
use crate::tile::Coverage;

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Appends the covered quads of one block to the candidates.
    #[inline(always)]
    pub(super) fn block(&mut self, x: i32, y: i32, coverage: &Coverage, depth: Plane32) {
        let stippled;
        let mut coverage = coverage;
        if ES2 && !self.stipple.is_empty() {
            stippled = stipple(coverage, self.stipple, x, y);
            coverage = &stippled;
        }
        let kept;
        if !self.windows().is_empty() {
            kept = crate::tile::keep_windows(coverage, self.windows(), x, y);
            coverage = &kept;
        }
        if stamps_per_batch::<P::Row>() > 0 && !self.unusual {
            self.rows((x, y), coverage, depth);
        } else {
            self.quads((x, y), coverage, depth);
        }
    }

    /// Returns true if a stipple or window rectangles remove pixels from the primitives.
    #[inline(always)]
    pub(super) fn is_cut(&self) -> bool {
        !self.windows().is_empty() || !self.stipple.is_empty()
    }

    /// Appends the covered quads of a block.
    #[inline(always)]
    fn quads(&mut self, (x, y): (i32, i32), coverage: &Coverage, depth: Plane32) {
        let (left, top) = (x - self.origin.tile_x, y - self.origin.tile_y);
        for row in 0..BLOCK as usize / 2 {
            #[expect(clippy::indexing_slicing, reason = "half of BLOCK are below it")]
            let (upper, lower) = (coverage[2 * row] as u32, coverage[2 * row + 1] as u32);
            let mut covered = upper | lower;
            if covered == 0 {
                continue;
            }
            let row_z = depth.value.wrapping_add(depth.dy.wrapping_mul(2 * row as i32));
            while covered != 0 {
                let column = covered.trailing_zeros() & !1;
                covered &= !(3 << column);
                let mut pixels = upper >> column & 3 | (lower >> column & 3) << 2;
                let z = row_z.wrapping_add(depth.dx.wrapping_mul(column as i32));
                let right = z.wrapping_add(depth.dx);
                let mut z = [z, right, z.wrapping_add(depth.dy), right.wrapping_add(depth.dy)];
                let mut edge_coverage = [0; 4];
                if self.unusual {
                    let (px, py) = (x + column as i32, y + 2 * row as i32);
                    z = self.limited_depth(z, px, py);
                    edge_coverage = self.edge_coverage_at(px, py);
                    // A pixel without any coverage makes no fragment.
                    for (pixel, covered) in edge_coverage.iter().enumerate() {
                        pixels &= !(u32::from(*covered == 0) << pixel);
                    }
                    if pixels == 0 {
                        continue;
                    }
                }
                if self.quads.candidates.lacks(1) {
                    self.test_candidates();
                }
                let quad = QuadPosition {
                    x: (left + column as i32) as u16,
                    y: (top + 2 * row as i32) as u16,
                };
                self.quads.candidates.push(quad, pixels, self.front, z.map(|z| z as u32));
                if self.unusual {
                    self.quads.candidates.set_edge_coverage(edge_coverage);
                }
            }
        }
    }

    /// Returns a quad's depths, clamped to the draw's depth range.
    #[cold]
    fn limited_depth(&self, z: [i32; 4], x: i32, y: i32) -> [i32; 4] {
        core::array::from_fn(|pixel| {
            let (x, y) = (x + (pixel as i32 & 1), y + (pixel as i32 >> 1));
            let place = [x - self.origin.x, y - self.origin.y].map(|way| way as f32);
            #[expect(clippy::indexing_slicing, reason = "`from_fn` counts the four pixels of z")]
            self.bounded_depth(z[pixel], place)
        })
    }

    /// Returns a depth clamped to the draw's depth range: `z`, or the steep plane's depth if there
    /// is such a plane. `place` is in pixels from the planes' reference pixel.
    #[inline(always)]
    pub(super) fn bounded_depth(&self, z: i32, place: [f32; 2]) -> i32 {
        self.in_depth_range(self.steep.as_ref().map_or(z, |plane| fixed_depth(plane.at(place))))
    }

    /// Clamps a depth to the draw's depth range.
    #[inline(always)]
    pub(super) fn in_depth_range(&self, z: i32) -> i32 {
        let range = self.current.as_ref().and_then(|current| current.record.clip.depth_range);
        let [low, high] = range.unwrap_or([i32::MIN, i32::MAX]);
        z.max(low).min(high)
    }

    /// Returns the share of each pixel of a quad that the primitive covers, f32 bits.
    #[cold]
    pub(super) fn edge_coverage_at(&self, x: i32, y: i32) -> [u32; 4] {
        let Some(edge) = self.edge_coverage.filter(|_| ES2) else {
            return [1.0f32.to_bits(); 4];
        };
        let center = self.current.as_ref().map_or(0, |current| current.record.rule.center());
        let center = center as f32 / SUBPIXEL_ONE as f32;
        core::array::from_fn(|pixel| {
            let (x, y) = (x + (pixel as i32 & 1), y + (pixel as i32 >> 1));
            edge.at(x as f32 + center, y as f32 + center).to_bits()
        })
    }

    /// Moves the candidates that pass early depth into the batch.
    #[inline(never)]
    pub(super) fn test_candidates(&mut self) {
        if self.quads.candidates.is_empty() {
            return;
        }
        if let Some(current) = &**self.current
            && current.record.early_depth
            && let Some(target) = &mut self.targets.depth
        {
            let candidates = &mut self.quads.candidates;
            simd::vectorize(
                #[inline(always)]
                || {
                    candidates.mask = depth::test(
                        &current.record.depth,
                        target,
                        candidates.quads(),
                        &unorm32(&candidates.z),
                        candidates.mask,
                        candidates.front,
                    );
                },
            );
        }
        let smooth = self.current.as_ref().is_some_and(|current| current.record.is_smooth());
        for index in 0..self.quads.candidates.packed() {
            let pixels = (self.quads.candidates.mask >> (index * 4) & 0xf) as u32;
            if pixels == 0 {
                continue;
            }
            let Some(quad) = self.quads.candidates.quads.get(index).copied() else { break };
            let z = self.quads.candidates.depths(index);
            self.admit(quad, pixels, z);
            if smooth {
                let whole = [1.0f32.to_bits(); 4];
                let candidates = &self.quads.candidates;
                let share = self.edge_coverage.map_or(whole, |_| candidates.edge_coverage(index));
                self.quads.batch.set_edge_coverage(share);
            }
        }
        self.quads.candidates.clear();
    }

    /// Adds a quad with the pixels that have passed the early test to the batch.
    #[inline(always)]
    pub(super) fn admit(&mut self, quad: QuadPosition, pixels: u32, z: [u32; 4]) {
        if self.quads.batch.lacks(1) || self.quads.earlier.contains(quad) {
            self.shade();
        }
        self.quads.batch.push(quad, pixels, self.front, z);
    }
}

/// Converts a depth to Q2.30 and clamps it to 0 to 1.
pub(super) fn fixed_depth(z: f32) -> i32 {
    const ONE: f32 = (1u32 << DEPTH_BITS) as f32;
    // `as` takes NaN to 0.
    (z.clamp(0.0, 1.0) * ONE) as i32
}

/// Returns the part of a block's coverage that a polygon stipple leaves; (`x`, `y`) is the block's
/// first pixel.
pub(super) fn stipple(coverage: &Coverage, rows: &[u32], x: i32, y: i32) -> Coverage {
    core::array::from_fn(|row| {
        let pattern = rows.get((y as usize + row) & 31).copied().unwrap_or(u32::MAX);
        // The leftmost pixel is the pattern's highest bit and the coverage's lowest.
        coverage.get(row).copied().unwrap_or(0) & (pattern.reverse_bits() >> (x & 31)) as u16
    })
}
