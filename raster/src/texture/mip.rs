//! Mip filtering: lanes that read the same levels are filtered together.
//!
//! Lanes may disagree about levels and about minification. They are processed in groups that agree:
//! one group in most batches, two if a level boundary crosses the batch.

use pipe_core::state::TexFilter;
use tgsi::exec::{Lanes, Mask, all_lanes};

use super::linear::mix_average;
use super::lod::{Choice, in_groups};
use super::{Coordinates, Sampler};
use crate::lanes::stamps_per_batch;

impl Sampler<'_> {
    /// Filters every lane of `mask` between and within the levels that its λ selects.
    ///
    /// `lambda` is not called if the result does not depend on it.
    pub(super) fn mipmapped<R: Lanes>(
        &self,
        at: &Coordinates<'_, R>,
        mask: Mask,
        lambda: impl FnOnce(&mut R),
        out: &mut [R; 4],
    ) {
        if stamps_per_batch::<R>() > 0
            && let Some((choice, _)) = self.constant
            && !choice.two
        {
            // Most lookups are of this kind: they need no rows of keys and weights.
            self.level(choice, 0, at, mask & all_lanes::<R>(), out);
            return;
        }
        let mut keys = R::ZERO;
        let mut weight = R::ZERO;
        match self.constant {
            Some((choice, constant)) => {
                keys = R::splat(choice.key());
                weight = R::splat(constant.to_bits());
            }
            None => {
                lambda(&mut weight);
                self.rule.choices(weight.as_mut_slice(), keys.as_mut_slice());
            }
        }
        in_groups(&keys, mask, out, |choice, group, color| {
            self.levels(choice, at, group, &weight, color);
        });
    }

    /// Filters lanes that read the same one or two levels.
    fn levels<R: Lanes>(
        &self,
        choice: Choice,
        at: &Coordinates<'_, R>,
        mask: Mask,
        weight: &R,
        out: &mut [R; 4],
    ) {
        self.level(choice, 0, at, mask, out);
        if choice.two {
            let mut second = [R::ZERO; 4];
            self.level(choice, 1, at, mask, &mut second);
            mix_average(out, &mut second, weight);
            *out = second;
        }
    }

    /// Filters one level: the first or the second of `choice`.
    fn level<R: Lanes>(
        &self,
        choice: Choice,
        step: usize,
        at: &Coordinates<'_, R>,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        if let Some(level) = self.view.levels.get(choice.level as usize + step) {
            match self.rule.filter(choice) {
                TexFilter::Nearest => self.nearest(level, at, mask, out),
                TexFilter::Linear => self.linear(level, at, mask, out),
            }
        }
    }
}
