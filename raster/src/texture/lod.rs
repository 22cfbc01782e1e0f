//! Level of detail: which mip levels, with what weight, under which image filter.
//!
//! λ = log2(ρ) + biases, clamped to the sampler's range; ρ is the longer of the two vectors that
//! one pixel in x and one in y span in the base level, in texels (OpenGL 4.6 §8.14.1). One value
//! a quad where derivatives are implicit, one a lane otherwise.

use pipe_core::state::{TexFilter, TexMipFilter};
use tgsi::exec::{Lanes, Mask};

use super::rows::{build, build_f32, float, mask};
use super::wrap::{clamp, floor_i32};

/// What a sampler does with λ. Derived once a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct LodRule {
    /// The filter where λ > 0.
    pub(super) min: TexFilter,
    /// The filter where λ <= 0.
    pub(super) mag: TexFilter,
    /// How levels are picked.
    pub(super) mip: TexMipFilter,
    /// Added to every λ.
    pub(super) bias: f32,
    /// Lower bound of λ, after the bias.
    pub(super) low: f32,
    /// Upper bound of λ, after the bias.
    pub(super) high: f32,
    /// Index of the view's last level.
    pub(super) last: u32,
}

/// What lanes that share it do: two levels at most, one image filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// The first level.
    pub(super) level: u32,
    /// Whether the level after it is blended in.
    pub(super) two: bool,
    /// Whether the texture is magnified.
    pub(super) magnified: bool,
}

impl Choice {
    fn from_key(key: u32) -> Choice {
        Choice { level: key >> 2, two: key & 2 != 0, magnified: key & 1 != 0 }
    }
}

/// The choices of a batch: a key a lane, and the second level's weight.
pub(super) struct Choices<R> {
    keys: R,
    /// Weight of the second level, f32.
    pub(super) weight: R,
}

impl<R: Lanes> Choices<R> {
    /// The choice of the first lane of `rest`, and all lanes of `rest` that share it.
    #[inline(always)]
    pub(super) fn first_group(&self, rest: Mask) -> (Choice, Mask) {
        let keys = self.keys.as_slice();
        let lane = (rest.trailing_zeros() as usize).min(R::COUNT - 1);
        let key = keys[lane];
        (Choice::from_key(key), mask::<R>(|lane| keys[lane] == key) & rest)
    }
}

impl LodRule {
    /// The choice that all lanes make whatever λ they compute, if there is one.
    pub(super) fn constant(&self) -> Option<(Choice, f32)> {
        let one_level = self.mip == TexMipFilter::None || self.last == 0;
        if one_level && self.min == self.mag {
            return Some((Choice { level: 0, two: false, magnified: false }, 0.0));
        }
        if self.low >= self.high {
            let (key, weight) = self.choose(self.low);
            return Some((Choice::from_key(key), weight));
        }
        None
    }

    /// λ within the sampler's range.
    #[inline(always)]
    pub(super) fn clamped(&self, lambda: f32) -> f32 {
        clamp(lambda, self.low, self.high)
    }

    /// The key and weight for a clamped λ.
    #[inline(always)]
    fn choose(&self, lambda: f32) -> (u32, f32) {
        let magnified = lambda <= 0.0;
        let lambda = clamp(lambda, 0.0, self.last as f32);
        let (level, weight) = match self.mip {
            TexMipFilter::None => (0, 0.0),
            // Bounded above by `last`, so rounding up cannot pass it.
            TexMipFilter::Nearest => ((lambda + 0.5) as u32, 0.0),
            TexMipFilter::Linear => {
                let level = lambda as u32;
                (level, lambda - level as f32)
            }
        };
        (level << 2 | u32::from(weight > 0.0) << 1 | u32::from(magnified), weight)
    }

    /// The choices for unclamped λ (biases included).
    #[inline(always)]
    pub(super) fn choices<R: Lanes>(&self, lambda: &R) -> Choices<R> {
        let clamped: R = build_f32(|lane| self.clamped(float(lambda, lane)));
        Choices {
            keys: build(|lane| self.choose(float(&clamped, lane)).0),
            weight: build(|lane| self.choose(float(&clamped, lane)).1.to_bits()),
        }
    }

    /// What `LODQ` reports as the level accessed, for an unclamped λ.
    #[inline(always)]
    pub(super) fn accessed(&self, lambda: f32) -> f32 {
        let (key, weight) = self.choose(self.clamped(lambda));
        (key >> 2) as f32 + weight
    }
}

/// Base-two logarithm, the same on every target: exact at powers of two, error below 1e-6.
///
/// The sign is ignored. 0 gives -127, infinity 128, denormals something between -127 and -126.
///
/// # Source
/// The series ln(m) = 2·artanh((m-1)/(m+1)) with m in [√½, √2).
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    const TWO_OVER_LN2: f32 = 2.885_39;
    // Subtracting √½'s bits first moves the split between exponents from 1 to √½.
    let bits = (x.to_bits() & 0x7fff_ffff).wrapping_sub(SQRT_HALF);
    let exponent = (bits as i32) >> 23;
    let m = f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF));
    let t = (m - 1.0) / (m + 1.0);
    let t2 = t * t;
    let series = 1.0 + t2 * (1.0 / 3.0 + t2 * (1.0 / 5.0 + t2 * (1.0 / 7.0)));
    exponent as f32 + TWO_OVER_LN2 * (t * series)
}

/// λ of every quad from the differences between its lanes; the same value in its four lanes.
///
/// `coords` has one row a dimension; `scale` turns each into texels of the base level.
#[inline(always)]
pub(super) fn implicit<R: Lanes>(coords: &[&R], scale: &[f32; 3]) -> R {
    // The first COUNT / 4 lanes of this row hold one value a quad, so that the logarithm's loop is
    // a quarter as long.
    let mut squares = R::ZERO;
    for (quad, square) in squares.as_mut_slice()[..R::COUNT / 4].iter_mut().enumerate() {
        let (mut x, mut y) = (0.0f32, 0.0f32);
        for (coord, scale) in coords.iter().zip(scale) {
            let origin = float(*coord, 4 * quad);
            let dx = (float(*coord, 4 * quad + 1) - origin) * scale;
            let dy = (float(*coord, 4 * quad + 2) - origin) * scale;
            x += dx * dx;
            y += dy * dy;
        }
        *square = (if x > y { x } else { y }).to_bits();
    }
    for square in &mut squares.as_mut_slice()[..R::COUNT / 4] {
        *square = (0.5 * log2(f32::from_bits(*square))).to_bits();
    }
    let squares = squares.as_slice();
    build(|lane| squares[lane / 4])
}

/// λ of every lane from its own derivatives, one row a dimension.
#[inline(always)]
pub(super) fn gradient<R: Lanes>(ddx: &[&R], ddy: &[&R], scale: &[f32; 3]) -> R {
    build_f32(|lane| {
        let (mut x, mut y) = (0.0f32, 0.0f32);
        for ((ddx, ddy), scale) in ddx.iter().zip(ddy).zip(scale) {
            let dx = float(*ddx, lane) * scale;
            let dy = float(*ddy, lane) * scale;
            x += dx * dx;
            y += dy * dy;
        }
        0.5 * log2(if x > y { x } else { y })
    })
}

/// The index of an array layer: `floor(layer + 0.5)`, from `first`, no further than `last`.
#[inline(always)]
pub(super) fn layer(layer: f32, first: u32, last: u32) -> u32 {
    let rounded = floor_i32(layer + 0.5).max(0) as u32;
    first.saturating_add(rounded).min(last)
}
