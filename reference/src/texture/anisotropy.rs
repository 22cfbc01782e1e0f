//! Anisotropic filtering: the mean of lookups along the longer side of a pixel's footprint.
//!
//! # Source
//! EXT_texture_filter_anisotropic, "Texture Minification". Pmax and Pmin are the longer and shorter
//! step in texels. N is their ratio, rounded up and limited by the sampler. λ is log2(Pmax / N),
//! and lookup i of N lies at i / (N + 1) of the longer step. N is at most Pmax, so that no lookup
//! uses a level above the first.

use pipe_core::TexFilter;
use tgsi::exec::SampleKind;

use super::{Lookup, Texture, cube};

/// The maximum of `max_anisotropy`.
pub(crate) const MAX_ANISOTROPY: u8 = 16;

/// The lookups along a footprint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    /// The level of detail, without biases.
    pub(super) lambda: f64,
    /// The number of lookups.
    pub(super) count: u32,
    /// The longer step, in coordinates.
    along: [f64; 3],
}

impl Texture<'_> {
    /// Returns the footprint of a lookup. `steps` are the changes of the coordinates from a pixel
    /// to the next one right and the next one down. Returns `None` if one lookup suffices. `moved`
    /// is added to the ratio of the sides.
    pub(super) fn footprint(
        &self,
        kind: SampleKind,
        lookup: &Lookup,
        steps: [[f64; 3]; 2],
        moved: f64,
    ) -> Option<Footprint> {
        let follows = self.sampler.max_anisotropy > 1
            && self.filter(self.sampler.min_img_filter) == TexFilter::Linear
            && matches!(kind, SampleKind::Implicit | SampleKind::Bias | SampleKind::Gradient);
        if !follows {
            return None;
        }
        let (shape, size) = (self.shape(), self.size(0));
        let length = |step: [f64; 3]| {
            let step = match shape.cube {
                true => cube::derivative(lookup.coordinates, step).to_vec(),
                false => step.to_vec(),
            };
            let texels = step.iter().zip(size).take(shape.dimensions).map(|(step, size)| {
                let texels = if self.is_normalized() { step * f64::from(size) } else { *step };
                texels * texels
            });
            texels.sum::<f64>().sqrt()
        };
        let [right, down] = steps.map(length);
        let (longer, shorter, along) =
            if down > right { (down, right, steps[1]) } else { (right, down, steps[0]) };
        // In a cube map the direction moves in the plane of its face.
        let along = if shape.cube { cube::in_plane(lookup.coordinates, along) } else { along };
        let most = f64::from(self.sampler.max_anisotropy.min(MAX_ANISOTROPY));
        // With a NaN there is one lookup.
        let ratio = (longer / shorter + moved).min(longer + moved).min(most);
        let count = ratio.ceil().max(1.0);
        let lambda = (longer / count).log2();
        Some(Footprint { lambda, count: count as u32, along })
    }
}

impl Footprint {
    /// Iterates over the lookups.
    pub(super) fn lookups(self, lookup: &Lookup) -> impl Iterator<Item = Lookup> {
        let lookup = *lookup;
        (1..=self.count).map(move |number| {
            let part = f64::from(number) / f64::from(self.count + 1) - 0.5;
            let coordinates =
                core::array::from_fn(|axis| lookup.coordinates[axis] + part * self.along[axis]);
            Lookup { coordinates, ..lookup }
        })
    }
}
