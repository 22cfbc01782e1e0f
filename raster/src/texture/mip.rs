//! Mip filtering: lanes that read the same levels are filtered together.
//!
//! Lanes may disagree about levels and about minification. They are taken in groups that agree:
//! one group in most batches, two where a level boundary crosses the batch.

use pipe_core::state::TexFilter;
use tgsi::exec::{Lanes, Mask, all_lanes};

use super::lod::Choice;
use super::rows::{build_f32, float, select};
use super::{Coordinates, Sampler};

impl Sampler<'_> {
    /// Filters every lane of `mask` between and within the levels its λ asks for.
    ///
    /// `lambda` is not called when the answer does not depend on it.
    #[inline(always)]
    pub(super) fn mipmapped<R: Lanes>(
        &self,
        at: &Coordinates<'_, R>,
        mask: Mask,
        lambda: impl FnOnce() -> R,
        out: &mut [R; 4],
    ) {
        let mask = mask & all_lanes::<R>();
        if let Some((choice, weight)) = self.constant {
            self.levels(choice, at, mask, &R::splat(weight.to_bits()), out);
            return;
        }
        let choices = self.rule.choices(&lambda());
        let mut rest = mask;
        while rest != 0 {
            let (choice, group) = choices.first_group(rest);
            let mut color = [R::ZERO; 4];
            self.levels(choice, at, group, &choices.weight, &mut color);
            for (out, color) in out.iter_mut().zip(&color) {
                select(group, color, out);
            }
            // The lane that `first_group` started from is always in its group.
            rest &= !group & (rest - 1);
        }
    }

    /// Filters lanes that read the same one or two levels.
    #[inline(always)]
    fn levels<R: Lanes>(
        &self,
        choice: Choice,
        at: &Coordinates<'_, R>,
        mask: Mask,
        weight: &R,
        out: &mut [R; 4],
    ) {
        let filter = if choice.magnified { self.rule.mag } else { self.rule.min };
        let mut first = [R::ZERO; 4];
        let count = if choice.two { 2 } else { 1 };
        // A loop, not two calls: the filters are inlined, and large.
        for step in 0..count {
            let Some(level) = self.view.levels.get(choice.level as usize + step) else {
                break;
            };
            match filter {
                TexFilter::Nearest => self.nearest(level, at, mask, out),
                TexFilter::Linear => self.linear(level, at, mask, out),
            }
            if step == 0 && choice.two {
                first = *out;
            }
        }
        if choice.two {
            for (out, first) in out.iter_mut().zip(&first) {
                *out = build_f32(|lane| {
                    let a = float(first, lane);
                    a + float(weight, lane) * (float(out, lane) - a)
                });
            }
        }
    }
}
