//! Level of detail: the mip levels, their weights, and the image filter.
//!
//! λ = log2(ρ) + biases, clamped to the sampler's range. ρ is the longer of the two vectors that
//! one pixel in x and one in y span in the base level, in texels (OpenGL 4.6 §8.14.1). Implicit
//! derivatives give one λ per quad, other lookups one λ per lane.

use os_shim::simd::vectorize;
use pipe_core::state::{SamplerState, TexFilter, TexMipFilter};
use tgsi::exec::{Lanes, Mask, all_lanes};

use crate::lanes::{clamp, float, floor, lane_of, lanes_where, select};

/// The sampler state that turns λ into levels and filters. Derived once per draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LodRule {
    /// The filter where λ > 0.
    pub(super) min: TexFilter,
    /// The filter where λ <= 0.
    pub(super) mag: TexFilter,
    /// The choice of levels.
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

/// The levels and the image filter of a group of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// The first level.
    pub(super) level: u32,
    /// True if the next level is blended in.
    pub(super) two: bool,
    /// True if the texture is magnified.
    pub(super) magnified: bool,
}

impl Choice {
    /// Returns the choice of one level.
    #[inline(always)]
    pub(super) fn of_level(level: u32) -> Choice {
        Choice { level, two: false, magnified: false }
    }

    /// Packs the choice to a number, equal for equal choices.
    #[inline(always)]
    pub(super) fn key(self) -> u32 {
        self.level << 2 | u32::from(self.two) << 1 | u32::from(self.magnified)
    }

    fn from_key(key: u32) -> Choice {
        Choice { level: key >> 2, two: key & 2 != 0, magnified: key & 1 != 0 }
    }
}

/// Calls `filter` for each group of lanes of `mask` with equal keys, and keeps its results in the
/// group's lanes. Other lanes of `out` are unspecified.
#[inline(always)]
pub(super) fn in_groups<R: Lanes>(
    keys: &R,
    mask: Mask,
    out: &mut [R; 4],
    mut filter: impl FnMut(Choice, Mask, &mut [R; 4]),
) {
    let mask = mask & all_lanes::<R>();
    let mut rest = mask;
    while rest != 0 {
        let (choice, group) = first_group(keys.as_slice(), rest);
        if group == mask {
            filter(choice, group, out);
            return;
        }
        let mut color = [R::ZERO; 4];
        filter(choice, group, &mut color);
        for (out, color) in out.iter_mut().zip(&color) {
            select(group, color.as_slice(), out.as_mut_slice());
        }
        // The lane that `first_group` started from is always in its group.
        rest &= !group & (rest - 1);
    }
}

/// Returns the choice of the first lane of `rest`, and all lanes of `rest` that share this choice.
fn first_group(keys: &[u32], rest: Mask) -> (Choice, Mask) {
    let first = rest.trailing_zeros() as usize;
    let key = keys.get(first).copied().unwrap_or(0);
    let differs = keys.iter().fold(0, |differs, &other| differs | (other ^ key));
    let group = if differs == 0 {
        rest
    } else {
        lanes_where(keys.len(), |lane| lane_of(keys, lane) == key) & rest
    };
    (Choice::from_key(key), group)
}

impl LodRule {
    /// Filters the first level.
    pub(crate) const LINEAR: LodRule = LodRule {
        min: TexFilter::Linear,
        mag: TexFilter::Linear,
        mip: TexMipFilter::None,
        bias: 0.0,
        low: 0.0,
        high: 0.0,
        last: 0,
    };

    /// Takes the rule from a sampler state, for a view of `levels` levels.
    pub(super) fn new(state: &SamplerState, levels: usize) -> LodRule {
        LodRule {
            min: state.min_img_filter,
            mag: state.mag_img_filter,
            mip: state.min_mip_filter,
            bias: state.lod_bias,
            low: state.min_lod,
            high: state.max_lod,
            last: levels.saturating_sub(1) as u32,
        }
    }

    /// Returns the level and the weight of the next level if they are the same for every λ; `None`
    /// if they depend on λ.
    pub(crate) fn constant_levels(&self) -> Option<(u32, f32)> {
        self.constant().map(|(choice, weight)| (choice.level, weight))
    }

    /// Returns the level, and the weight of the next level, from the square of ρ. ρ is the number
    /// of base-level texels that a pixel spans.
    #[inline(always)]
    pub(crate) fn levels(&self, rho_squared: f32) -> (u32, f32) {
        let (key, weight) = self.choose(self.clamped(0.5 * log2(rho_squared) + self.bias));
        (Choice::from_key(key).level, weight)
    }

    /// Returns the choice and weight if they are the same for every λ; `None` if they depend on λ.
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

    /// Returns the image filter of a choice.
    #[inline(always)]
    pub(super) fn filter(&self, choice: Choice) -> TexFilter {
        if choice.magnified { self.mag } else { self.min }
    }

    /// Clamps λ to the sampler's range.
    #[inline(always)]
    pub(super) fn clamped(&self, lambda: f32) -> f32 {
        clamp(lambda, self.low, self.high)
    }

    /// Returns the key of the choice, and the second level's weight, for a clamped λ.
    fn choose(&self, lambda: f32) -> (u32, f32) {
        let last = self.last as f32;
        match self.mip {
            TexMipFilter::None => choose_none(lambda),
            TexMipFilter::Nearest => choose_nearest(lambda, last),
            TexMipFilter::Linear => choose_linear(lambda, last),
        }
    }

    /// Chooses levels for unclamped λ, biases included: writes keys for [`in_groups`], and replaces
    /// each λ by the second level's weight.
    pub(super) fn choices(&self, lambda: &mut [u32], keys: &mut [u32]) {
        vectorize(
            #[inline(always)]
            || {
                let (low, high, last) = (self.low, self.high, self.last as f32);
                // One loop per mip filter.
                match self.mip {
                    TexMipFilter::None => {
                        each_choice(lambda, keys, |x| choose_none(clamp(x, low, high)));
                    }
                    TexMipFilter::Nearest => {
                        each_choice(lambda, keys, |x| choose_nearest(clamp(x, low, high), last));
                    }
                    TexMipFilter::Linear => {
                        each_choice(lambda, keys, |x| choose_linear(clamp(x, low, high), last));
                    }
                }
            },
        );
    }

    /// Returns the level accessed, as `LODQ` reports it, for an unclamped λ.
    #[inline(always)]
    pub(super) fn accessed(&self, lambda: f32) -> f32 {
        let (key, weight) = self.choose(self.clamped(lambda));
        (key >> 2) as f32 + weight
    }
}

/// Replaces every λ with the weight, and every key with the key, that `choose` returns for it.
#[inline(always)]
fn each_choice(lambda: &mut [u32], keys: &mut [u32], choose: impl Fn(f32) -> (u32, f32)) {
    for (lambda, key) in lambda.iter_mut().zip(keys) {
        let (chosen, weight) = choose(f32::from_bits(*lambda));
        *key = chosen;
        *lambda = weight.to_bits();
    }
}

#[inline(always)]
fn choose_none(lambda: f32) -> (u32, f32) {
    (Choice { level: 0, two: false, magnified: lambda <= 0.0 }.key(), 0.0)
}

#[inline(always)]
fn choose_nearest(lambda: f32, last: f32) -> (u32, f32) {
    // `last` bounds λ, so rounding up cannot exceed it.
    let level = floor(clamp(lambda, 0.0, last) + 0.5).1 as u32;
    (Choice { level, two: false, magnified: lambda <= 0.0 }.key(), 0.0)
}

#[inline(always)]
fn choose_linear(lambda: f32, last: f32) -> (u32, f32) {
    let bounded = clamp(lambda, 0.0, last);
    let (whole, level) = floor(bounded);
    let weight = bounded - whole;
    let choice = Choice { level: level as u32, two: weight > 0.0, magnified: lambda <= 0.0 };
    (choice.key(), weight)
}

/// Returns the base-two logarithm of |x|, with the same bits on every target: exact at powers of
/// two, error below 1e-6.
///
/// 0 gives -127, infinity 128, denormals a value between -127 and -126.
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

/// Computes λ of every quad from the differences between its lanes, plus `bias`, for its four
/// lanes.
///
/// `coords` has one row per dimension; `scale` turns each into texels of the base level.
pub(super) fn implicit(coords: &[&[u32]], scale: &[f32; 3], bias: f32, lambda: &mut [u32]) {
    const QUADS: usize = 16;
    vectorize(
        #[inline(always)]
        || {
            // ρ² along x and along y.
            let (mut x, mut y) = ([0.0f32; QUADS], [0.0f32; QUADS]);
            for (coord, scale) in coords.iter().zip(scale) {
                let quads = coord.as_chunks::<4>().0.iter();
                for ((quad, x), y) in quads.zip(&mut x).zip(&mut y) {
                    let [origin, right, below, _] = quad.map(f32::from_bits);
                    let (dx, dy) = ((right - origin) * scale, (below - origin) * scale);
                    *x += dx * dx;
                    *y += dy * dy;
                }
            }
            // Quads first, then lanes: the loop of logarithms is a quarter as long as one over
            // lanes.
            let lanes = lambda.as_chunks_mut::<4>().0;
            let quads = x.get_mut(..lanes.len()).unwrap_or_default();
            for (x, y) in quads.iter_mut().zip(&y) {
                *x = 0.5 * log2(if *x > *y { *x } else { *y }) + bias;
            }
            for (lanes, lambda) in lanes.iter_mut().zip(quads) {
                lanes.fill(lambda.to_bits());
            }
        },
    );
}

/// Computes λ of every lane from explicit derivatives, one row per dimension, plus `bias`.
pub(super) fn gradient(
    ddx: &[&[u32]],
    ddy: &[&[u32]],
    scale: &[f32; 3],
    bias: f32,
    lambda: &mut [u32],
) {
    for (lane, lambda) in lambda.iter_mut().enumerate() {
        let (mut x, mut y) = (0.0f32, 0.0f32);
        for ((ddx, ddy), scale) in ddx.iter().zip(ddy).zip(scale) {
            let dx = float(ddx, lane) * scale;
            let dy = float(ddy, lane) * scale;
            x += dx * dx;
            y += dy * dy;
        }
        *lambda = (0.5 * log2(if x > y { x } else { y }) + bias).to_bits();
    }
}

/// Rounds an array layer: `floor(layer + 0.5)`, clamped to 0 to `last` (OpenGL 4.6, chapter 8.9).
#[inline(always)]
pub(super) fn layer(layer: f32, last: u32) -> u32 {
    (floor(clamp(layer + 0.5, 0.0, 4_194_304.0)).1 as u32).min(last)
}
