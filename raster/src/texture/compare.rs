//! Shadow lookups: a comparison turns each texel into 1 or 0 before it is filtered.

use formats::lanes::Unpacker;
use pipe_core::state::CompareFunc;
use tgsi::exec::Lanes;

use super::loads::LANES;
use super::{Coordinates, Sampler};
use crate::lanes::{Comparison, clamp, map_f32, map2_f32};

/// Clamps reference values to [0, 1], as fixed-point depth formats require.
pub(super) fn clamp_reference(reference: &[u32], out: &mut [u32]) {
    map_f32(reference, out, |reference| clamp(reference, 0.0, 1.0));
}

impl<R> Coordinates<'_, R> {
    /// Returns the number of components to filter: one for comparisons.
    #[inline(always)]
    pub(super) fn components(&self) -> usize {
        if self.reference.is_some() { 1 } else { 4 }
    }
}

/// Completes the outcome of a comparison in red to (red, red, red, 1).
pub(super) fn complete<R: Lanes>(at: &Coordinates<'_, R>, color: &mut [R; 4]) {
    if at.reference.is_some() {
        (color[1], color[2]) = (color[0], color[0]);
        color[3] = R::splat(1.0f32.to_bits());
    }
}

impl Sampler<'_> {
    /// Filters the outcomes of the comparison with the depths in texels at (0, 0), (1, 0), (0, 1),
    /// (1, 1), of one word each; `weights` are those of the second texels along s and t.
    #[inline(always)]
    pub(super) fn mean_comparison(
        &self,
        unpacker: &Unpacker,
        reference: &[u32],
        [a, b, c, d]: [&[u32]; 4],
        weights: [&[u32]; 2],
        out: &mut [u32],
    ) {
        const LESS_EQUAL: Comparison = Comparison::new(CompareFunc::LessEqual);
        let mut spare = [[0; LANES]; 4];
        let [v, w, x, y] = &mut spare;
        let texels = [(a, v), (b, w), (c, x), (d, y)];
        let texels = texels.map(|(texels, spare)| unpacker.red_inline(texels, spare));
        let func = self.comparison;
        // The most common shadow function has its own loop.
        if func == LESS_EQUAL {
            means(reference, texels, weights, out, |reference, depth| reference <= depth);
        } else {
            means(reference, texels, weights, out, |reference, depth| {
                func.passes(reference, depth)
            });
        }
    }

    /// Replaces red with the outcome of the comparison, 0 or 1, if the lookup compares.
    pub(super) fn compare<R: Lanes>(&self, at: &Coordinates<'_, R>, color: &mut [R; 4]) {
        if let Some(reference) = at.reference {
            let texel = color[0];
            let func = self.comparison;
            map2_f32(reference.as_slice(), texel.as_slice(), color[0].as_mut_slice(), |r, t| {
                if func.passes(r, t) { 1.0 } else { 0.0 }
            });
        }
    }
}

/// Filters the outcomes of `passes(reference, depth)` bilinearly, as
/// [`mean_comparison`](Sampler::mean_comparison) does.
#[inline(always)]
fn means(
    reference: &[u32],
    [a, b, c, d]: [&[u32]; 4],
    [s, t]: [&[u32]; 2],
    out: &mut [u32],
    passes: impl Fn(f32, f32) -> bool,
) {
    let lanes = out.iter_mut().zip(reference);
    let lanes = lanes.zip(a).zip(b).zip(c).zip(d).zip(s).zip(t);
    for (((((((out, &reference), &a), &b), &c), &d), &s), &t) in lanes {
        let reference = f32::from_bits(reference);
        let passes = |depth| if passes(reference, f32::from_bits(depth)) { 1.0f32 } else { 0.0 };
        let (a, b, c, d) = (passes(a), passes(b), passes(c), passes(d));
        let (s, t) = (f32::from_bits(s), f32::from_bits(t));
        let (top, bottom) = (a + s * (b - a), c + s * (d - c));
        *out = (top + t * (bottom - top)).to_bits();
    }
}
