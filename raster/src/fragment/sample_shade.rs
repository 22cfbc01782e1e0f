//! Shades batches of pixels with several samples, and writes their samples.

use tgsi::exec::{self, Lanes, Mask};

use super::finish::{self, Plane};
use super::{Fragments, PixelCounts, range};
use crate::depth;
use crate::features::ES2;
use crate::profile::Profile;
use crate::setup::{MAX_SAMPLES, MaskRead, SampleRule};

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Shades a batch once per pixel or once per sample, and writes its samples.
    pub(super) fn shade_samples(&mut self) {
        let Some(samples) = self.sample_rule() else { return };
        if samples.mask_read == Some(MaskRead::Covered) {
            self.quads.samples.untested = self.quads.samples.covered;
        }
        self.test_early(samples);
        if samples.per_sample {
            for sample in samples.written() {
                let mask = self.quads.samples.covered_by(sample);
                if mask != 0 {
                    self.quads.samples.current.set(Some(sample));
                    self.quads.batch.mask = mask;
                    self.interpolate_at_sample();
                    let left = self.run_on(mask);
                    self.write_sample(sample, samples, left);
                }
            }
            self.quads.samples.current.set(None);
        } else {
            let any = self.quads.samples.covered.iter().fold(0, |any, mask| any | mask);
            if any != 0 {
                if samples.mask_read == Some(MaskRead::Passed)
                    && !self.quads.samples.by_block.is_set()
                {
                    // The program reads the samples that passed, but its inputs were set before the
                    // tests.
                    self.sample_inputs((0, P::Row::COUNT));
                }
                let left = self.run_on(any);
                if self.current.as_ref().is_some_and(finish::is_tested) {
                    self.write_tested(samples, left);
                } else {
                    for sample in samples.written() {
                        self.write_sample(sample, samples, left);
                    }
                }
            }
        }
        self.quads.samples.covered = [0; MAX_SAMPLES];
    }

    /// Runs the early tests that were not run block by block.
    fn test_early(&mut self, samples: SampleRule) {
        let (Some(current), Some(target)) = (&**self.current, &mut self.targets.depth) else {
            return;
        };
        let state = &current.record.depth;
        if !current.record.early_depth || state.is_none() || self.quads.samples.by_block.is_set() {
            return;
        }
        let (batch, lanes) = (&self.quads.batch, &mut self.quads.samples);
        for sample in samples.written() {
            let mut plane = target.plane(sample, samples.count);
            let (Some(z), Some(covered)) = (lanes.z.get(sample), lanes.covered.get_mut(sample))
            else {
                return;
            };
            *covered = depth::test_exported(
                state,
                &mut plane,
                batch.positions(),
                &finish::unorm32(z),
                None,
                *covered,
                batch.front,
            );
        }
    }

    /// Writes the samples of the lanes `left`, which have passed all tests.
    fn write_tested(&mut self, samples: SampleRule, left: Mask) {
        let Some(current) = &**self.current else { return };
        let mut covered = self.quads.samples.covered;
        covered.iter_mut().for_each(|mask| *mask &= left);
        let Some(covered) = covered.get(..samples.count as usize) else { return };
        let states = range(&self.inputs.scene.color, current.record.color);
        let (batch, rows, targets) = (&self.quads.batch, &*self.registers.rows, &mut *self.targets);
        exec::vectorize::<P::Row, _>(
            #[inline(always)]
            || finish::write_tested(current, states, batch, rows, targets, covered),
        );
        let passed = covered.iter().map(|mask| u64::from(mask.count_ones())).sum();
        self.count(PixelCounts { passed, shaded: 0 });
    }

    /// Adds to the pixel counts if a query counts the draw's pixels.
    #[inline(always)]
    fn count(&mut self, counts: PixelCounts) {
        if ES2 && self.current.as_ref().is_some_and(|current| current.record.counts_pixels) {
            self.counts += counts;
        }
    }

    /// Runs the program on the lanes of `mask`; returns the lanes that it did not discard.
    fn run_on(&mut self, mask: Mask) -> Mask {
        self.quads.batch.mask = mask;
        self.count(PixelCounts { passed: 0, shaded: mask.count_ones().into() });
        self.run_program()
    }

    /// Runs the remaining tests on one sample of the lanes `left`, and writes the lanes that pass.
    fn write_sample(&mut self, sample: usize, samples: SampleRule, left: Mask) {
        let Some(current) = &**self.current else { return };
        let mask = left & self.quads.samples.covered_by(sample);
        if mask == 0 {
            return;
        }
        let states = range(&self.inputs.scene.color, current.record.color);
        let (batch, rows) = (&self.quads.batch, &*self.registers.rows);
        let Some(z) = self.quads.samples.z.get(sample) else { return };
        let plane = Plane { sample, samples: samples.count, z };
        let mut targets = self.targets.plane(sample, samples.count);
        let survivors = exec::vectorize::<P::Row, _>(
            #[inline(always)]
            || finish::write(current, states, batch, rows, &mut targets, mask, &plane),
        );
        self.count(PixelCounts { passed: survivors.count_ones().into(), shaded: 0 });
    }

    /// Interpolates the inputs of the whole batch at the sample that is shaded. The batch holds one
    /// primitive.
    fn interpolate_at_sample(&mut self) {
        let [stamps, packed] = self.quads.batch.all();
        self.interpolate_quads::<false>(stamps);
        self.interpolate_quads::<true>(packed);
    }
}
