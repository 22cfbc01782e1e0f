//! Shadow lookups: a texel becomes 1 or 0 before it is filtered.

use pipe_core::state::CompareFunc;
use tgsi::exec::Lanes;

use super::rows::{build, float};
use super::wrap::clamp;
use super::{Coordinates, Sampler};

/// The reference values of a batch, clamped to [0, 1] where the depth format is fixed-point.
#[inline(always)]
pub(super) fn reference<R: Lanes>(fixed_point: bool, reference: &R) -> R {
    if fixed_point {
        build(|lane| clamp(float(reference, lane), 0.0, 1.0).to_bits())
    } else {
        *reference
    }
}

/// `reference FUNC texel` as 1.0 or 0.0.
#[inline(always)]
pub(super) fn compare<R: Lanes>(func: CompareFunc, reference: &R, texel: &R) -> R {
    build(|lane| {
        let pass = func.passes(float(reference, lane), float(texel, lane));
        if pass { 1.0f32.to_bits() } else { 0 }
    })
}

impl Sampler<'_> {
    /// Replaces colours by the outcome of the comparison, where the sampler compares.
    #[inline(always)]
    pub(super) fn compare<R: Lanes>(&self, at: &Coordinates<'_, R>, color: &mut [R; 4]) {
        if let Some(reference) = at.reference {
            let texel = color[0];
            let pass = compare::<R>(self.compare_func, reference, &texel);
            *color = [pass, pass, pass, R::splat(1.0f32.to_bits())];
        }
    }

    /// The outcome for one texel.
    pub(super) fn compared(&self, reference: f32, texel: f32) -> [f32; 4] {
        let pass = if self.compare_func.passes(reference, texel) { 1.0 } else { 0.0 };
        [pass, pass, pass, 1.0]
    }
}
