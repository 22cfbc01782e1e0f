//! Anisotropic filtering: the mean of lookups along the longer side of a pixel's footprint.
//!
//! ```text
//!   a pixel's steps in x and y ──► longer, shorter ──► N = longer / shorter, rounded up, at most the
//!                                                      sampler's ratio
//!   λ = log2(longer / N) ──► N lookups at i / (N + 1) of the longer step, i = 1 … N ──► their mean
//! ```
//!
//! No lookup is added where the longer step is a texel or less.
//!
//! # Source
//! EXT_texture_filter_anisotropic, "Texture Minification".

use os_shim::math::sqrt;
use pipe_core::state::TexFilter;
use tgsi::exec::{Lanes, Mask, SampleKind, SampleRequest, all_lanes};

use super::lod::log2;
use super::{Coordinates, Sampler};
use crate::lanes::{float, floor};

/// The largest `max_anisotropy`.
pub(crate) const MAX_ANISOTROPY: u8 = 16;

/// The lookups of a batch's lanes.
struct Footprints<R> {
    /// λ of every lane with all biases, not clamped.
    lambda: R,
    /// The number of lookups.
    count: R,
    /// The longer step, s and t.
    along: [R; 2],
}

/// The lookups of one footprint.
struct Footprint {
    lambda: f32,
    count: u32,
    /// Set if the longer step is that in y.
    in_y: bool,
}

impl Footprint {
    /// Derives the lookups from the squared lengths, in texels, of a pixel's steps in x and in y.
    #[inline(always)]
    fn new(x: f32, y: f32, most: f32) -> Footprint {
        let in_y = y > x;
        let (long, short) = if in_y { (y, x) } else { (x, y) };
        // NaN takes no lookup more.
        let ratio = if long > 1.0 && long > short {
            let ratio = if short > 0.0 { sqrt(long / short) } else { most };
            ratio.min(sqrt(long)).min(most)
        } else {
            1.0
        };
        // Rounding errors of the steps add no lookup.
        let count = floor(ratio + (1.0 - 1.0 / 64.0)).1;
        let lambda = 0.5 * log2(long) - log2(count as f32);
        Footprint { lambda, count: count as u32, in_y }
    }
}

impl Sampler<'_> {
    /// Returns true if lookups of a kind follow their footprint.
    #[inline(always)]
    pub(super) fn is_anisotropic(&self, kind: SampleKind) -> bool {
        self.anisotropy > 1
            && self.rule.min == TexFilter::Linear
            && self.shape.dims() == 2
            && !self.shape.cube()
            && matches!(kind, SampleKind::Implicit | SampleKind::Bias | SampleKind::Gradient)
    }

    /// Filters every lane along its footprint.
    #[inline(never)]
    pub(super) fn anisotropic<R: Lanes>(
        &self,
        request: &SampleRequest<'_, R>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) {
        let live = request.live & all_lanes::<R>();
        let Footprints { lambda, count, along } = self.footprints(request);
        let counts = count.as_slice();
        let beyond = |least: u32| -> Mask {
            let bits = counts.iter().map(|count| Mask::from(*count > least));
            bits.zip(0..).fold(0, |mask, (bit, lane)| mask | bit << lane)
        };
        if beyond(1) & live == 0 {
            return self.mipmapped(at, live, |row| *row = lambda, out);
        }
        let mut sums = [R::ZERO; 4];
        for index in 0..u32::from(MAX_ANISOTROPY) {
            let mask = beyond(index) & live;
            if mask == 0 {
                break;
            }
            let [mut s, mut t] = [*at.coord[0], *at.coord[1]];
            for (row, along) in [(&mut s, &along[0]), (&mut t, &along[1])] {
                let steps = along.as_slice().iter().zip(counts);
                for (at, (along, count)) in row.as_mut_slice().iter_mut().zip(steps) {
                    let way = (index + 1) as f32 / (count + 1) as f32 - 0.5;
                    *at = (f32::from_bits(*at) + way * f32::from_bits(*along)).to_bits();
                }
            }
            let moved = Coordinates { coord: [&s, &t, at.coord[2]], ..*at };
            let mut color = [R::ZERO; 4];
            self.mipmapped(&moved, mask, |row| *row = lambda, &mut color);
            for (sum, color) in sums.iter_mut().zip(&color) {
                add(sum.as_mut_slice(), color.as_slice(), mask);
            }
        }
        for (out, sum) in out.iter_mut().zip(&sums) {
            let lanes = sum.as_slice().iter().zip(counts);
            for (out, (sum, count)) in out.as_mut_slice().iter_mut().zip(lanes) {
                *out = (f32::from_bits(*sum) / (*count).max(1) as f32).to_bits();
            }
        }
    }

    /// Derives the lookups of every lane.
    fn footprints<R: Lanes>(&self, request: &SampleRequest<'_, R>) -> Footprints<R> {
        let most = f32::from(self.anisotropy.min(MAX_ANISOTROPY));
        let mut prints = Footprints { lambda: R::ZERO, count: R::ZERO, along: [R::ZERO; 2] };
        let extra = request.lod.filter(|_| request.kind == SampleKind::Bias);
        let Footprints { lambda, count, along: [along_s, along_t] } = &mut prints;
        let rows = lambda.as_mut_slice().iter_mut().zip(count.as_mut_slice());
        let rows = rows.zip(along_s.as_mut_slice().iter_mut().zip(along_t.as_mut_slice()));
        for (lane, ((lambda, count), (along_s, along_t))) in rows.enumerate() {
            let [x, y] = self.steps(request, lane);
            let [width, height, _] = self.scale;
            let texels = |[s, t]: [f32; 2]| {
                let [s, t] = [s * width, t * height];
                s * s + t * t
            };
            let print = Footprint::new(texels(x), texels(y), most);
            let bias = self.rule.bias + extra.map_or(0.0, |row| float(row.as_slice(), lane));
            *lambda = (print.lambda + bias).to_bits();
            *count = print.count;
            let [s, t] = if print.in_y { y } else { x };
            (*along_s, *along_t) = (s.to_bits(), t.to_bits());
        }
        prints
    }

    /// Returns a lane's steps (s, t) for a pixel in x and in y.
    #[inline(always)]
    fn steps<R: Lanes>(&self, request: &SampleRequest<'_, R>, lane: usize) -> [[f32; 2]; 2] {
        let at = |row: &R, lane: usize| float(row.as_slice(), lane);
        if request.kind == SampleKind::Gradient {
            return [request.ddx, request.ddy].map(|[s, t, _]| [at(s, lane), at(t, lane)]);
        }
        let [s, t, _] = request.coord;
        let first = lane & !3;
        [1, 2].map(|way| [s, t].map(|row| at(row, first + way) - at(row, first)))
    }
}

/// Adds the lanes of `mask`.
fn add(sum: &mut [u32], color: &[u32], mask: Mask) {
    for (lane, (sum, color)) in sum.iter_mut().zip(color).enumerate() {
        if mask >> lane & 1 != 0 {
            *sum = (f32::from_bits(*sum) + f32::from_bits(*color)).to_bits();
        }
    }
}
