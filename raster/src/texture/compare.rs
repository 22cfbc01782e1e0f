//! Shadow lookups: a texel becomes 1 or 0 before it is filtered.

use tgsi::exec::Lanes;

use super::{Coordinates, Sampler};
use crate::lanes::{clamp, map_f32, map2_f32};

/// Clamps reference values to [0, 1], as fixed-point depth formats ask.
pub(super) fn clamp_reference(reference: &[u32], out: &mut [u32]) {
    map_f32(reference, out, |reference| clamp(reference, 0.0, 1.0));
}

impl<R> Coordinates<'_, R> {
    /// Returns the number of components that filters work on: comparisons have one.
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
    /// Replaces red by the outcome of the comparison, 0 or 1, where the lookup compares.
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
