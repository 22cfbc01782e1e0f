//! Shades a batch of quads: interpolates inputs, runs the program, writes the results.

use core::ops::Range;

use tgsi::exec::{self, Mask};

use super::finish::{Plane, write};
use super::inputs_at::InputsAt;
use super::interpolate::{self, PixelCoordinates, Planes};
use super::resources::FragmentResources;
use super::sample_inputs::move_coordinates;
use super::{Current, Fragments, PixelCounts, range};
use crate::debug::{Debug, Phase};
use crate::features::{ES2, FRAGMENTS, GENERATED, Only, SAMPLES, SMALL_CODE};
use crate::generator;
use crate::lanes::stamps_per_batch;
use crate::profile::Profile;
use crate::resource::StageResources;

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Interpolates the inputs of the quads that were appended since the last call.
    pub(super) fn interpolate(&mut self) {
        if FRAGMENTS && self.quads.batch.has_fresh() {
            let [stamps, packed] = self.quads.batch.take_fresh();
            exec::vectorize::<P::Row, _>(
                #[inline(always)]
                || {
                    if stamps_per_batch::<P::Row>() > 0 {
                        self.interpolate_quads::<false>(stamps);
                    }
                    self.interpolate_quads::<true>(packed);
                },
            );
        }
    }

    /// Interpolates the inputs of some quads: `PACKED` quads, or quads of stamps.
    #[inline(always)]
    pub(super) fn interpolate_quads<const PACKED: bool>(&mut self, quads: Range<usize>) {
        if quads.is_empty() {
            return;
        }
        let Some(current) = &**self.current else { return };
        let Current { record, varyings, program: Some(program), .. } = current else { return };
        if !SMALL_CODE && varyings.is_empty() && record.special.1 == 0 {
            return;
        }
        let lanes = (quads.start * 4, quads.end * 4);
        let in_fours = PACKED && stamps_per_batch::<P::Row>() > 0;
        let rest = match in_fours && !self.is_sampled() {
            true => {
                let planes = Planes {
                    origin: &self.origin,
                    rcp_w: record.perspective.then_some(&self.perspective),
                    varyings,
                    planes: self.registers.planes,
                };
                let (coordinates, batch) = (&mut self.quads.coordinates, &self.quads.batch);
                coordinates.fours(batch, quads, &planes, self.registers.rows)
            }
            false => quads,
        };
        if !rest.is_empty() {
            let lanes = rest.start * 4..rest.end * 4;
            let (coordinates, batch) = (&mut self.quads.coordinates, &self.quads.batch);
            if PACKED {
                coordinates.place(batch, rest, &self.origin);
            } else {
                coordinates.place_stamps(batch, rest, &self.origin);
            }
            if SAMPLES {
                move_coordinates(current, self.quads, &self.perspective, (lanes.start, lanes.end));
            }
            if record.perspective {
                self.quads.coordinates.perspective(&self.perspective, lanes.clone());
            }
            for (varying, plane) in varyings.iter().zip(self.registers.planes.iter()) {
                let rows = &mut *self.registers.rows;
                let coordinates = match self.quads.centroids.get() {
                    Some(centroids) if varying.centroid.is_set() => centroids,
                    _ => &self.quads.coordinates,
                };
                coordinates.varying::<PACKED>(varying, plane, rows, lanes.clone());
            }
        }
        let height = self.inputs.scene.height;
        let pixels = PixelCoordinates::of(program.properties, height);
        for input in range(&self.inputs.scene.special, record.special) {
            interpolate::special(
                input,
                &self.quads.batch,
                &self.origin,
                pixels,
                &self.quads.coordinates,
                &self.rcp_w,
                self.unclamped.get().and_then(Option::as_ref),
                self.registers.rows,
                lanes,
            );
        }
        if SAMPLES {
            self.sample_inputs(lanes);
        }
    }

    /// Shades the batch and writes its pixels.
    #[inline(always)]
    pub(super) fn shade(&mut self) {
        if FRAGMENTS && !self.quads.batch.is_empty() {
            self.shade_batch();
        }
    }

    // Each step is a function, so that no step has another step's locals below it on the stack: the
    // stack is deepest in a program that samples.
    #[inline(never)]
    fn shade_batch(&mut self) {
        // A stopped frame drops the batches of its remaining tiles.
        let is_left_out = self.watch.leaves_out(Debug::TOSS_BATCHES);
        if !self.work.stops_after(0) && !self.work.is_stopped() && !is_left_out {
            self.batches += 1;
            self.watch.enter(Phase::Shading);
            self.interpolate();
            if SAMPLES && self.is_sampled() {
                self.shade_samples();
            } else {
                let mask = self.run_program();
                self.watch.enter(Phase::Output);
                self.write_pixels(mask);
            }
            self.watch.enter(Phase::Rasterizing);
        }
        self.quads.earlier.remove(&self.quads.batch);
        self.quads.batch.clear();
    }

    /// Runs the draw's program on the batch; returns the lanes that it did not discard.
    #[inline(never)]
    pub(super) fn run_program(&mut self) -> Mask {
        let mask = self.quads.batch.mask;
        if GENERATED
            && let Some(Current { program: Some(program), textures, runs_code, .. }) =
                &mut **self.current
            && !runs_code.is_set()
        {
            let runs = generator::enter::<P::Row>(textures.code, program, 1);
            runs_code.set(runs);
        }
        let Some(current) = &**self.current else { return mask };
        let Current { program: Some(program), textures, constants, .. } = current else {
            return mask;
        };
        let (batch, targets) = (&self.quads.batch, &mut *self.targets);
        let mut resources = FragmentResources {
            textures: StageResources { work: self.work, ..*textures },
            batch,
            targets,
            at: Only::new(InputsAt {
                samples: current.record.samples.rule(),
                lanes: &self.quads.samples,
                inputs: program.inputs,
                varyings: current.varyings,
                planes: self.registers.planes,
                perspective: &self.perspective,
                coordinates: &self.quads.coordinates,
            }),
        };
        let rows = &mut *self.registers.rows;
        let left = exec::run(program, rows, mask, constants, &mut resources);
        self.work.follow(resources.textures.work);
        // A program that exceeds its loop budget, or is stopped, draws nothing.
        left.unwrap_or(0) & mask
    }

    /// Runs the remaining tests on the batch and writes the pixels that pass.
    #[inline(never)]
    fn write_pixels(&mut self, mask: Mask) {
        let Some(current) = &**self.current else { return };
        let states = range(&self.inputs.scene.color, current.record.color);
        let (batch, rows, targets) = (&self.quads.batch, &*self.registers.rows, &mut *self.targets);
        let plane = Plane { sample: 0, samples: 1, z: &batch.z };
        let survivors = exec::vectorize::<P::Row, _>(
            #[inline(always)]
            || write(current, states, batch, rows, targets, mask, &plane),
        );
        if ES2 && current.record.counts_pixels {
            let shaded = batch.mask.count_ones().into();
            self.counts += PixelCounts { passed: survivors.count_ones().into(), shaded };
        }
    }
}
