//! Primitives on pixels with several samples.
//!
//! ```text
//!  coverage plane per sample → early depth, plane by plane → batch (lane per pixel, mask per sample)
//!    → shade once per pixel, or once per sample → alpha, late depth, output: plane by plane
//! ```
//!
//! A lane of a batch is a pixel with a covered sample. Its inputs are evaluated at the pixel's
//! centre, or at a covered sample if they are declared centroid. A program that runs once per
//! sample gets inputs at that sample.

use tgsi::exec::{self, Lanes, Mask};

use super::coverage::fixed_depth;
use super::sample_inputs::pixels;
use super::stamps::{FEW_PIXELS, depth_from, stamp_depths};
use super::{Current, Fragments, PixelCounts};
use crate::depth;
use crate::features::{ES2, OfSamples, Only};
use crate::fixed::{BLOCK, depth_unorm32};
use crate::lanes::{
    QuadPosition, STAMP, STAMP_X, STAMP_Y, quads_with_mask, stamp_masks, stamp_quads,
    stamps_per_batch,
};
use crate::profile::Profile;
use crate::setup::{Bounds, FixedPlane, MAX_SAMPLES, MaskRead, Plane, Plane32, SampleRule, Shape};
use crate::tile::{Coverage, Planes, StampSamples, walk_sample_stamps, walk_samples};

/// The samples of a batch's pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleLanes<R: Lanes> {
    /// The covered lanes of each sample.
    pub(super) covered: [Mask; MAX_SAMPLES],
    /// The covered lanes of each sample before depth and stencil were tested, while the batch is shaded.
    pub(super) untested: [Mask; MAX_SAMPLES],
    /// Depth, Q2.30, of every lane at each sample, for tests that come with the batch.
    pub(super) z: [R; MAX_SAMPLES],
    /// The sample that is shaded, if the program runs once per sample.
    pub(super) current: OfSamples<Option<usize>>,
    /// Set if depth and stencil of the batch's pixels were tested block by block.
    pub(super) by_block: OfSamples<bool>,
    /// The steps of the primitive's depth, Q2.30, from a pixel's centre to each sample.
    depth_steps: [i32; MAX_SAMPLES],
}

impl<R: Lanes> SampleLanes<R> {
    /// No lanes.
    pub(super) const EMPTY: Self = SampleLanes {
        covered: [0; MAX_SAMPLES],
        untested: [0; MAX_SAMPLES],
        z: [R::ZERO; MAX_SAMPLES],
        current: Only::new(None),
        by_block: Only::new(false),
        depth_steps: [0; MAX_SAMPLES],
    };

    /// Returns the sample that is shaded, if the program runs once per sample.
    #[inline(always)]
    pub(super) fn current(&self) -> Option<usize> {
        self.current.get().copied().flatten()
    }

    /// Returns the covered lanes of a sample.
    #[inline(always)]
    pub(super) fn covered_by(&self, sample: usize) -> Mask {
        self.covered.get(sample).copied().unwrap_or(0)
    }

    /// Converts a plane of depths at pixel centres to the plane of one sample.
    #[inline(always)]
    fn depth_of(&self, depth: Plane32, sample: usize) -> Plane32 {
        depth.raised(self.depth_steps.get(sample).copied().unwrap_or(0))
    }

    /// Returns the covered samples of a lane, one bit per sample: of the one that is shaded, where each is.
    #[inline(always)]
    pub(super) fn of_lane(&self, lane: usize) -> u32 {
        self.of(&self.covered, lane)
    }

    /// Returns the samples of a lane that `masks` has, one bit per sample, as [`of_lane`](Self::of_lane) does.
    #[inline(always)]
    fn of(&self, masks: &[Mask; MAX_SAMPLES], lane: usize) -> u32 {
        let bit = |(sample, mask): (usize, &Mask)| ((mask >> lane & 1) as u32) << sample;
        let all = masks.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
        self.current().map_or(all, |sample| all & 1 << sample)
    }

    /// Returns the offset, in pixels, from the centre of a lane's pixel to its centroid: `None` for a pixel
    /// whose samples are all covered, else the place of the first covered sample.
    ///
    /// Called while the batch is filled, so that samples that fail early tests count unless the program
    /// asks for coverage after the tests.
    #[inline(always)]
    pub(super) fn centroid(&self, lane: usize, samples: SampleRule) -> Option<[f32; 2]> {
        offset_of(self.of_lane(lane), samples)
    }

    /// Returns the offset of [`centroid`](Self::centroid) while the batch is shaded.
    #[inline(always)]
    pub(super) fn shaded_centroid(&self, lane: usize, samples: SampleRule) -> Option<[f32; 2]> {
        let masks = match samples.mask_read {
            Some(MaskRead::Covered) => &self.untested,
            _ => &self.covered,
        };
        offset_of(self.of(masks, lane), samples)
    }
}

/// Returns the offset, in pixels, from a pixel's centre to the first covered sample; `None` where all samples
/// are covered, or none.
#[inline(always)]
fn offset_of(covered: u32, samples: SampleRule) -> Option<[f32; 2]> {
    let in_part = covered != 0 && covered != samples.mask;
    in_part.then(|| samples.offset(covered.trailing_zeros() as usize).map(pixels))
}

/// The samples of a stamp that a primitive covers.
struct StampCoverage {
    first: QuadPosition,
    /// The stamp's first pixel in its block.
    x: i32,
    y: i32,
    /// The lanes with a covered sample.
    any: u32,
    /// The lanes of each sample.
    samples: [u16; MAX_SAMPLES],
}

impl StampCoverage {
    /// Returns its part in some lanes.
    #[inline(always)]
    fn within(&self, lanes: u32) -> StampCoverage {
        let samples = self.samples.map(|sample| sample & lanes as u16);
        StampCoverage { any: self.any & lanes, samples, ..*self }
    }
}

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Returns the sample rule of the current draw.
    #[inline(always)]
    pub(super) fn sample_rule(&self) -> Option<SampleRule> {
        self.current.as_ref().map(|current| *current.record.samples.rule())
    }

    /// Returns true if pixels have several samples.
    #[inline(always)]
    pub(super) fn is_sampled(&self) -> bool {
        self.sample_rule().is_some_and(|samples| samples.count > 1)
    }

    /// Ends a primitive: shades the batch if the program needs the primitive's planes.
    #[inline(always)]
    pub(super) fn end_alone(&mut self) {
        if self.sample_rule().is_some_and(|samples| samples.alone) {
            self.shade();
        }
    }

    /// Draws the pixels with a sample inside `shape`. The planes of varyings must be set up.
    #[inline(never)]
    pub(super) fn sampled(&mut self, shape: &Shape, clip: &Bounds, depth: &FixedPlane) {
        let Some(samples) = self.sample_rule() else { return };
        for (sample, step) in
            self.quads.samples.depth_steps.iter_mut().enumerate().take(samples.count as usize)
        {
            *step = depth.step(samples.offset(sample));
        }
        let by_block = self.tests_blocks();
        if self.quads.samples.by_block.is_set() != by_block {
            // Pixels of a batch are tested alike.
            self.shade();
            self.quads.samples.by_block.set(by_block);
        }
        let few = stamps_per_batch::<P::Row>() > 0
            && !samples.covers_alike()
            && self.has_few_pixels(shape, clip, 4 * FEW_PIXELS);
        exec::vectorize::<P::Row, _>(
            #[inline(always)]
            || {
                if few {
                    walk_sample_stamps(
                        shape,
                        clip,
                        samples,
                        #[inline(always)]
                        |x, y, covered| self.small_sampled_stamp((x, y), covered, depth, samples),
                    );
                } else {
                    walk_samples(shape, clip, samples, |x, y, planes| {
                        self.sampled_block((x, y), planes, depth.from(x, y), samples);
                    });
                }
            },
        );
        self.quads.earlier.insert_fresh(&self.quads.batch);
        self.interpolate();
    }

    /// Tests the covered samples of a block. Fills the samples that pass, or adds their pixels to
    /// the batch.
    fn sampled_block(
        &mut self,
        (x, y): (i32, i32),
        planes: &mut Planes,
        depth: Plane32,
        samples: SampleRule,
    ) {
        if !self.stipple.is_empty() {
            for plane in planes.iter_mut() {
                *plane = super::coverage::stipple(plane, self.stipple, x, y);
            }
        }
        if !self.windows().is_empty() {
            for plane in planes.iter_mut() {
                *plane = crate::tile::keep_windows(plane, self.windows(), x, y);
            }
        }
        let first = ((x - self.origin.tile_x) as u32, (y - self.origin.tile_y) as u32);
        if self.tests_blocks() {
            self.test_planes(first, planes, depth, samples);
        }
        if !self.fill_planes(first, planes, samples) {
            self.sampled_stamps((x, y), planes, depth, samples);
        }
    }

    /// Tests the covered samples of the stamp at (`x`, `y`), and adds the pixels with passing
    /// samples to the batch.
    #[inline(always)]
    fn small_sampled_stamp(
        &mut self,
        (x, y): (i32, i32),
        covered: &mut StampSamples,
        depth: &FixedPlane,
        samples: SampleRule,
    ) {
        let depth = depth_from(depth, (x, y));
        let [left, top] = [x - self.origin.tile_x, y - self.origin.tile_y];
        let first = QuadPosition { x: left as u16, y: top as u16 };
        if self.tests_blocks()
            && let (Some(current), Some(target)) = (&**self.current, &mut self.targets.depth)
            && !current.record.depth.is_none()
        {
            for (sample, covered) in covered.iter_mut().enumerate().take(samples.count as usize) {
                if *covered == 0 {
                    continue;
                }
                let z = stamp_depths(self.quads.samples.depth_of(depth, sample))
                    .map(|z| depth_unorm32(z as i32));
                let mut target = target.plane(sample, samples.count);
                let lanes = u32::from(*covered);
                let state = &current.record.depth;
                *covered =
                    depth::test_stamp(state, &mut target, first, &z, lanes, self.front) as u16;
            }
        }
        let any = covered.iter().fold(0, |any, lanes| any | lanes).into();
        if any != 0 {
            let stamp = StampCoverage { first, x, y, any, samples: *covered };
            self.sampled_stamp(&stamp, depth, samples);
        }
    }

    /// Returns true if depth and stencil are tested block by block, before shading. A program that
    /// reads the coverage from before the tests gets batches of untested samples instead.
    fn tests_blocks(&self) -> bool {
        let record = self.current.as_ref().map(|current| current.record);
        record.is_some_and(|record| {
            record.early_depth
                && record.samples.rule().mask_read != Some(MaskRead::Covered)
                && record.depth.takes_rows()
                && (!self.unusual || record.depth.is_none())
        })
    }

    /// Removes the samples of a block that fail the tests of depth and stencil.
    fn test_planes(
        &mut self,
        first: (u32, u32),
        planes: &mut Planes,
        depth: Plane32,
        samples: SampleRule,
    ) {
        let (Some(current), Some(target)) = (&**self.current, &mut self.targets.depth) else {
            return;
        };
        let (state, front) = (&current.record.depth, self.front);
        if state.is_none() {
            return;
        }
        for sample in samples.written() {
            let Some(plane) = planes.get_mut(sample) else { return };
            if *plane == [0; BLOCK as usize] {
                continue;
            }
            let mut target = target.plane(sample, samples.count);
            let depth = self.quads.samples.depth_of(depth, sample);
            depth::test_block(state, &mut target, first, depth, plane, front);
        }
    }

    /// Fills the covered samples of a block if the draw is [`Solid`](super::solid::Solid); returns
    /// false if not.
    fn fill_planes(&mut self, first: (u32, u32), planes: &Planes, samples: SampleRule) -> bool {
        let Some(Current { record, solid: Some(solid), .. }) = &**self.current else {
            return false;
        };
        if !self.tests_blocks() || record.is_smooth() {
            return false;
        }
        for sample in samples.written() {
            let Some(plane) = planes.get(sample) else { break };
            solid.fill(&mut self.targets.plane(sample, samples.count), first, plane);
        }
        if ES2 && record.counts_pixels {
            let count = |rows: &Coverage| rows.iter().map(|row| u64::from(row.count_ones())).sum();
            let mut any = [0; BLOCK as usize];
            for plane in planes {
                any.iter_mut().zip(plane).for_each(|(any, row)| *any |= row);
            }
            let passed = planes.iter().map(count).sum();
            self.counts += PixelCounts { passed, shaded: count(&any) };
        }
        self.batches += 1;
        true
    }

    /// Adds the pixels of a block with a covered sample to the batch.
    fn sampled_stamps(
        &mut self,
        (x, y): (i32, i32),
        planes: &Planes,
        depth: Plane32,
        samples: SampleRule,
    ) {
        let (left, top) = (x - self.origin.tile_x, y - self.origin.tile_y);
        for row in 0..BLOCK as usize / 4 {
            let mut masks = [0u64; MAX_SAMPLES];
            for (mask, plane) in masks.iter_mut().zip(planes).take(samples.count as usize) {
                let rows = plane.as_chunks::<4>().0.get(row).copied().unwrap_or_default();
                *mask = stamp_masks(rows);
            }
            let any = masks.iter().fold(0, |any, mask| any | mask);
            for column in 0..BLOCK as usize / 4 {
                let of_stamp = |mask: u64| (mask >> (STAMP * column)) as u16;
                if of_stamp(any) == 0 {
                    continue;
                }
                let (in_x, in_y) = (4 * column as i32, 4 * row as i32);
                let stamp = StampCoverage {
                    first: QuadPosition { x: (left + in_x) as u16, y: (top + in_y) as u16 },
                    x: x + in_x,
                    y: y + in_y,
                    any: of_stamp(any).into(),
                    samples: masks.map(of_stamp),
                };
                self.sampled_stamp(&stamp, depth.moved(in_x, in_y), samples);
            }
        }
    }

    /// Adds a stamp, whole if each of its quads has a covered pixel, otherwise quad by quad.
    fn sampled_stamp(&mut self, stamp: &StampCoverage, depth: Plane32, samples: SampleRule) {
        let mut z = self.depths(stamp, depth, [0; 2]);
        if let Some(Some(plane)) = self.steep_centers.get() {
            self.limit_centers(stamp, plane, &mut z);
        }
        let pairs = stamp.any | stamp.any >> 1;
        let whole = (pairs | pairs >> 2) & 0x1111 == 0x1111;
        if whole && stamps_per_batch::<P::Row>() > 0 && !self.unusual {
            if self.quads.batch.lacks(4) || self.quads.earlier.contains_stamp(stamp.first) {
                self.shade();
            }
            self.quads.batch.push_stamp(stamp.first, stamp.any, self.front, &z);
            let lane = self.quads.batch.last_stamp_lane();
            self.note_samples(stamp, depth, samples, 0, (lane, STAMP));
            return;
        }
        let quads = stamp_quads(stamp.first);
        for (index, quad, pixels) in quads_with_mask(&quads, stamp.any.into()) {
            let mut pixels = pixels;
            let mut share = [0; 4];
            if self.unusual {
                let from = |first: u16, quad: u16| i32::from(quad) - i32::from(first);
                let x = stamp.x + from(stamp.first.x, quad.x);
                let y = stamp.y + from(stamp.first.y, quad.y);
                share = self.edge_coverage_at(x, y);
                // A pixel without any coverage makes no fragment.
                for (pixel, share) in share.iter().enumerate() {
                    pixels &= !(u32::from(*share == 0) << pixel);
                }
            }
            if pixels == 0 {
                continue;
            }
            let z = z.as_chunks::<4>().0.get(index).copied().unwrap_or_default();
            self.admit(quad, pixels, z);
            if self.unusual {
                self.quads.batch.set_edge_coverage(share);
            }
            let lane = self.quads.batch.last_packed_lane();
            let stamp = stamp.within(pixels << (4 * index));
            self.note_samples(&stamp, depth, samples, 4 * index, (lane, 4));
        }
    }

    /// Records the covered samples of the `count` pixels of a stamp from lane `from` on, and their
    /// depths if a test or the program needs them. The pixels lie in the batch from `lane` on.
    fn note_samples(
        &mut self,
        stamp: &StampCoverage,
        depth: Plane32,
        samples: SampleRule,
        from: usize,
        (lane, count): (usize, usize),
    ) {
        let bits = u32::MAX >> (32 - count);
        let tested = self.tests_blocks()
            || self.current.as_ref().is_none_or(|current| current.record.depth.is_none());
        let needs_depth = !tested || samples.per_sample;
        for sample in samples.written() {
            let (Some(new), Some(covered)) =
                (stamp.samples.get(sample), self.quads.samples.covered.get_mut(sample))
            else {
                return;
            };
            *covered |= Mask::from(u32::from(*new) >> from & bits) << lane;
            if needs_depth {
                let depth = self.quads.samples.depth_of(depth, sample);
                let z = self.depths(stamp, depth, samples.offset(sample));
                let row = self.quads.samples.z.get_mut(sample);
                let to = row.and_then(|row| row.as_mut_slice().get_mut(lane..lane + count));
                if let (Some(to), Some(z)) = (to, z.get(from..from + count)) {
                    to.copy_from_slice(z);
                }
            }
        }
    }

    /// Returns the depths, Q2.30, of a stamp's pixels, from a plane of depths at `offset` from the
    /// centres.
    #[inline(always)]
    fn depths(&self, stamp: &StampCoverage, depth: Plane32, offset: [i32; 2]) -> [u32; STAMP] {
        let mut z = stamp_depths(depth);
        if self.unusual {
            self.limit_depths(stamp, offset, &mut z);
        }
        z
    }

    /// Clamps the depths of a stamp to the draw's depth range.
    #[cold]
    fn limit_depths(&self, stamp: &StampCoverage, offset: [i32; 2], z: &mut [u32; STAMP]) {
        let [right, down] = offset.map(pixels);
        for (z, [x, y]) in z.iter_mut().zip(self.places(stamp)) {
            *z = self.bounded_depth(*z as i32, [x + right, y + down]) as u32;
        }
    }

    /// Replaces the depths of a stamp's centres with the depths of `depth`. That plane is so steep
    /// that centres next to the primitive have depths beyond Q2.30.
    #[cold]
    fn limit_centers(&self, stamp: &StampCoverage, depth: &Plane, z: &mut [u32; STAMP]) {
        for (z, place) in z.iter_mut().zip(self.places(stamp)) {
            *z = self.in_depth_range(fixed_depth(depth.at(place))) as u32;
        }
    }

    /// Returns the centres of a stamp's pixels, in pixels from the centre of the planes' reference
    /// pixel.
    fn places(&self, stamp: &StampCoverage) -> impl Iterator<Item = [f32; 2]> {
        let [left, top] = [stamp.x - self.origin.x, stamp.y - self.origin.y];
        STAMP_X.into_iter().zip(STAMP_Y).map(move |(x, y)| [(left + x) as f32, (top + y) as f32])
    }
}
