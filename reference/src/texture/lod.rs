//! Levels of detail: from derivatives to the levels that a lookup reads (OpenGL 4.6, section 8.14).

use pipe_core::TexMipFilter;

use super::{Lookup, Texture, cube};

/// The levels of a lookup.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Levels {
    pub(super) first: u32,
    /// Weight of the level after the first.
    pub(super) weight: f64,
    /// True if the texture is magnified.
    pub(super) magnified: bool,
}

impl Texture<'_> {
    /// Returns the level of detail of a quad's coordinates. The step along x is taken from the
    /// quad's first row, or for cube maps from the last row, like `DDX`. OpenGL allows both, and
    /// they differ if coordinates are far from linear.
    pub(super) fn implicit_lambda(&self, lookup: &Lookup) -> f64 {
        self.lambda(lookup.coordinates, self.quad_steps(lookup))
    }

    /// Returns the steps of a quad's coordinates to the right and down; see
    /// [`implicit_lambda`](Self::implicit_lambda).
    pub(super) fn quad_steps(&self, lookup: &Lookup) -> [[f64; 3]; 2] {
        let [first, right, below, last] = lookup.quad;
        let row = if self.shape().cube { [below, last] } else { [first, right] };
        let difference = |[from, to]: [[f64; 3]; 2]| [0, 1, 2].map(|axis| to[axis] - from[axis]);
        [row, [first, below]].map(difference)
    }

    /// Returns log2 of the longer of two steps, in texels of the first level: the change of the
    /// coordinates from a pixel to the next one right, and to the next one down.
    pub(super) fn lambda(&self, coordinates: [f64; 3], gradients: [[f64; 3]; 2]) -> f64 {
        let shape = self.shape();
        let size = self.size(0);
        let rho = gradients.map(|gradient| {
            let step = if shape.cube {
                let [s, t] = cube::derivative(coordinates, gradient);
                [s, t, 0.0]
            } else {
                gradient
            };
            let texels = (0..shape.dimensions).map(|axis| {
                let unit = if self.is_normalized() { f64::from(size[axis]) } else { 1.0 };
                step[axis] * unit
            });
            texels.map(|texels| texels * texels).sum::<f64>().sqrt()
        });
        rho[0].max(rho[1]).log2()
    }

    /// Clamps a level of detail to the sampler's limits.
    pub(super) fn clamped(&self, lambda: f64) -> f64 {
        let (low, high) = (self.sampler.min_lod.into(), self.sampler.max_lod.into());
        lambda.max(low).min(high)
    }

    /// Returns the levels that a lookup reads; `lambda` is not yet clamped.
    pub(super) fn choose(&self, lambda: f64) -> Levels {
        let lambda = self.clamped(lambda);
        let magnified = lambda <= 0.0;
        let bounded = lambda.max(0.0).min(f64::from(self.levels() - 1));
        // Integers cannot be mixed.
        let mix = !self.is_integer();
        match self.sampler.min_mip_filter {
            TexMipFilter::None => Levels { first: 0, weight: 0.0, magnified },
            TexMipFilter::Linear if mix => {
                let first = bounded.floor();
                Levels { first: first as u32, weight: bounded - first, magnified }
            }
            TexMipFilter::Linear | TexMipFilter::Nearest => {
                let first = (bounded + 0.5).floor() as u32;
                Levels { first: first.min(self.levels() - 1), weight: 0.0, magnified }
            }
        }
    }
}
