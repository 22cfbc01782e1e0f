//! From a block's coverage to stamps, with the early depth test.

use os_shim::simd;
use tgsi::exec::Lanes;

use super::finish::unorm32;
use super::{Current, Fragments, PixelCounts};
use crate::depth;
use crate::features::ES2;
use crate::fixed::BLOCK;
use crate::lanes::{
    QuadPosition, STAMP, STAMP_X, STAMP_Y, quads_with_mask, stamp_masks, stamp_quads,
    stamps_per_batch,
};
use crate::profile::Profile;
use crate::setup::{Bounds, FixedPlane, Plane32, Shape};
use crate::tile::{Coverage, is_small};

/// The most pixels of a small rectangle. A primitive inside it hardly fills a block, so coverage is
/// computed stamp by stamp.
pub(super) const FEW_PIXELS: i32 = 256;

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Returns true if a primitive has few pixels within `clip`, and only tests remove pixels from
    /// it.
    pub(super) fn has_few_pixels(&self, shape: &Shape, clip: &Bounds, few: i32) -> bool {
        !self.unusual
            && !self.is_cut()
            && self.current.as_ref().is_some_and(|current| current.solid.is_none())
            && is_small(shape)
            && shape.bounds.intersect(clip).area() < few
    }

    /// Tests the covered pixels of the block at (`x`, `y`). Fills the pixels that pass, or adds
    /// them to the batch.
    #[inline(never)]
    pub(super) fn rows(&mut self, (x, y): (i32, i32), coverage: &Coverage, depth: Plane32) {
        let (left, top) = (x - self.origin.tile_x, y - self.origin.tile_y);
        simd::vectorize(
            #[inline(always)]
            || {
                let (mut coverage, first) = (*coverage, (left as u32, top as u32));
                let tested = self.test_rows(first, depth, &mut coverage);
                if !self.fill(first, &coverage) {
                    self.stamps((left, top), &coverage, depth, tested);
                }
            },
        );
    }

    /// Removes the pixels of a block that fail the early tests; returns false if the tests cannot
    /// take rows.
    #[inline(always)]
    fn test_rows(&mut self, first: (u32, u32), depth: Plane32, coverage: &mut Coverage) -> bool {
        let Some(Current { record, .. }) = &**self.current else { return true };
        let takes_rows = record.depth.takes_rows();
        if let Some(target) = &mut self.targets.depth
            && takes_rows
            && record.early_depth
        {
            depth::test_block(&record.depth, target, first, depth, coverage, self.front);
        }
        takes_rows
    }

    /// Fills the pixels of a block if the draw is [`Solid`](super::solid::Solid); returns false if
    /// not.
    #[inline(always)]
    fn fill(&mut self, first: (u32, u32), coverage: &Coverage) -> bool {
        let Some(Current { record, solid: Some(solid), .. }) = &**self.current else {
            return false;
        };
        if ES2 && record.counts_pixels {
            let passed = coverage.iter().map(|row| u64::from(row.count_ones())).sum();
            // Counts each pixel as one invocation of the program.
            self.counts += PixelCounts { passed, shaded: passed };
        }
        self.batches += 1;
        solid.fill(self.targets, first, coverage);
        true
    }

    /// Adds the covered stamps of the block at (`left`, `top`) of the tile to the batch. Tests
    /// their pixels first, unless they are already `tested`. Adds a stamp whole if every quad has a
    /// pixel, otherwise quad by quad, so that no lanes are wasted.
    #[inline(always)]
    fn stamps(
        &mut self,
        (left, top): (i32, i32),
        coverage: &Coverage,
        depth: Plane32,
        tested: bool,
    ) {
        let offsets = offsets(&depth);
        for (row, rows) in coverage.as_chunks::<4>().0.iter().enumerate() {
            let masks = stamp_masks(*rows);
            if masks == 0 {
                continue;
            }
            if masks == u64::MAX
                && tested
                && row_fills_batch::<P::Row>()
                && self.quads.batch.is_empty()
            {
                self.whole_row(
                    (left, top + 4 * row as i32),
                    depth.moved(0, 4 * row as i32),
                    &offsets,
                );
                continue;
            }
            let mut rest = masks;
            while rest != 0 {
                let column = rest.trailing_zeros() / STAMP as u32;
                let covered = (rest >> (STAMP as u32 * column)) as u32 & 0xffff;
                rest &= !(0xffff << (STAMP as u32 * column));
                let (x, y) = (4 * column as i32, 4 * row as i32);
                let first = QuadPosition { x: (left + x) as u16, y: (top + y) as u16 };
                let corner = depth.at(x, y);
                self.stamp(first, covered, corner, &offsets, tested);
            }
        }
    }

    /// Shades one row of a block's stamps as a batch. All its pixels are covered and tested.
    #[inline(always)]
    fn whole_row(&mut self, (x, y): (i32, i32), depth: Plane32, offsets: &[i32; STAMP]) {
        let batch = &mut self.quads.batch;
        batch.fill_with_stamps(QuadPosition { x: x as u16, y: y as u16 }, self.front);
        if self.current.as_ref().is_some_and(|it| it.needs_depth) {
            batch.set_depths(depth.value, depth.dx.wrapping_mul(4), offsets);
        }
        self.shade();
    }

    /// Adds a stamp, from the depth of its first pixel and the other lanes' offsets.
    #[inline(always)]
    fn stamp(
        &mut self,
        first: QuadPosition,
        covered: u32,
        corner: i32,
        offsets: &[i32; STAMP],
        tested: bool,
    ) {
        let needs_depth = !tested || self.current.as_ref().is_some_and(|it| it.needs_depth);
        let mut z = [0; STAMP];
        if needs_depth {
            for (z, offset) in z.iter_mut().zip(offsets) {
                *z = corner.wrapping_add(*offset) as u32;
            }
        }
        let covered = if tested { covered } else { self.early_depth(first, covered, &z) };
        self.admit_stamp(first, covered, &z);
    }

    /// Adds a stamp after its pixels have passed the early test.
    #[inline(always)]
    fn admit_stamp(&mut self, first: QuadPosition, covered: u32, z: &[u32; STAMP]) {
        if !has_all_quads(covered) {
            if !self.quads.batch.lacks(4) && !self.quads.earlier.contains_stamp(first) {
                return self.quads.batch.push_quads(first, covered, self.front, z);
            }
            let quads = stamp_quads(first);
            for ((_, quad, pixels), z) in
                quads_with_mask(&quads, covered.into()).zip(z.as_chunks().0)
            {
                if pixels != 0 {
                    self.admit(quad, pixels, *z);
                }
            }
            return;
        }
        if self.quads.batch.lacks(4) || self.quads.earlier.contains_stamp(first) {
            self.shade();
        }
        self.quads.batch.push_stamp(first, covered, self.front, z);
    }

    /// Adds the covered pixels of the stamp at (`x`, `y`) of the surface. If every quad has a
    /// covered pixel, or the tests are `general`, adds the pixels that pass the early tests to the
    /// batch. Otherwise adds all pixels to the candidates.
    #[inline(always)]
    pub(super) fn small_stamp(
        &mut self,
        (x, y): (i32, i32),
        covered: u32,
        depth: &FixedPlane,
        general: bool,
    ) {
        let z = stamp_depths(depth_from(depth, (x, y)));
        let (x, y) = (x - self.origin.tile_x, y - self.origin.tile_y);
        let first = QuadPosition { x: x as u16, y: y as u16 };
        if general || has_all_quads(covered) {
            let covered = self.early_depth(first, covered, &z);
            return self.admit_stamp(first, covered, &z);
        }
        if self.quads.candidates.lacks(4) {
            self.test_candidates();
        }
        self.quads.candidates.push_quads(first, covered, self.front, &z);
    }

    /// Returns the covered lanes that pass the depth and stencil tests, or all if the tests come
    /// late.
    #[inline(always)]
    fn early_depth(&mut self, first: QuadPosition, covered: u32, z: &[u32; STAMP]) -> u32 {
        let Some(current) = &**self.current else { return 0 };
        let (record, target) = (current.record, self.targets.depth.as_mut());
        let tested = record.early_depth && !record.depth.is_none();
        let Some(target) = target.filter(|_| tested) else { return covered };
        depth::test_stamp(&record.depth, target, first, &unorm32(z), covered, self.front)
    }
}

/// Returns true if a batch has as many lanes as a row of a block's stamps has pixels.
#[inline(always)]
const fn row_fills_batch<R: Lanes>() -> bool {
    stamps_per_batch::<R>() * 4 == BLOCK as usize
}

/// Returns the plane of depth from the pixel at (`x`, `y`) on. It starts from the plane at the
/// block's first pixel, so that depths are rounded alike in every profile.
#[inline(always)]
pub(super) fn depth_from(depth: &FixedPlane, (x, y): (i32, i32)) -> Plane32 {
    let (left, top) = (x & -(BLOCK as i32), y & -(BLOCK as i32));
    depth.from(left, top).moved(x - left, y - top)
}

/// Returns the depths, Q2.30, of a stamp. The plane begins at the stamp's first pixel.
#[inline(always)]
pub(super) fn stamp_depths(depth: Plane32) -> [u32; STAMP] {
    let mut z = [0; STAMP];
    for ((z, x), y) in z.iter_mut().zip(STAMP_X).zip(STAMP_Y) {
        *z = depth.at(x, y) as u32;
    }
    z
}

/// Returns the difference between each lane's depth and the depth of the stamp's first pixel.
#[inline(always)]
fn offsets(depth: &Plane32) -> [i32; STAMP] {
    let steps = Plane32 { value: 0, ..*depth };
    let mut offsets = [0; STAMP];
    for ((offset, x), y) in offsets.iter_mut().zip(STAMP_X).zip(STAMP_Y) {
        *offset = steps.at(x, y);
    }
    offsets
}

/// Returns true if every quad of a stamp has a covered pixel.
#[inline(always)]
fn has_all_quads(covered: u32) -> bool {
    let pairs = covered | covered >> 1;
    (pairs | pairs >> 2) & 0x1111 == 0x1111
}
