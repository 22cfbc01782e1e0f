//! Anisotropic filtering: the mean of lookups along the longer side of a pixel's footprint.
//!
//! ```text
//!   pixel's steps in x and y ──► longer, shorter ──► N = longer / shorter, rounded up, at most the
//!                                                    sampler's ratio
//!   λ = log2(longer / N) ──► N lookups at i / (N + 1) of the longer step, i = 1 … N ──► their mean
//! ```
//!
//! A footprint with a longer step of at most one texel gets one lookup. Directions into a cube move
//! in the plane of their face. Each moved direction then selects its face again.
//!
//! # Source
//! EXT_texture_filter_anisotropic, "Texture Minification".

use os_shim::math::sqrt;
use pipe_core::state::TexFilter;
use tgsi::exec::{Lanes, Mask, SampleKind, SampleRequest, all_lanes};

use super::lod::log2;
use super::{Coordinates, Sampler, cube};
use crate::lanes::{float, floor, set_lane};

/// The largest `max_anisotropy`.
pub(crate) const MAX_ANISOTROPY: u8 = 16;

/// The lookups of a batch's lanes.
struct Footprints<R> {
    /// λ of every lane with all biases, not clamped.
    lambda: R,
    /// The number of lookups.
    count: R,
    /// The longer step of each coordinate, 0 in lanes of one lookup.
    along: [R; 3],
}

/// The steps of a lane's coordinates for a pixel in x and in y.
struct Steps {
    /// Squared lengths in texels.
    texels: [f32; 2],
    coordinates: [[f32; 3]; 2],
}

/// The lookups of one footprint.
struct Footprint {
    lambda: f32,
    count: u32,
    /// Set if the longer step is the one in y.
    in_y: bool,
}

impl Footprint {
    /// Derives the lookups from the squared lengths, in texels, of a pixel's steps in x and in y.
    #[inline(always)]
    fn new(x: f32, y: f32, most: f32) -> Footprint {
        let in_y = y > x;
        let (long, short) = if in_y { (y, x) } else { (x, y) };
        // NaN adds no lookup.
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
    /// Returns the sampler's ratio; 0 in builds without the filter.
    #[inline(always)]
    pub(super) fn ratio(&self) -> u8 {
        self.anisotropy.get().copied().unwrap_or(0)
    }

    /// Returns true if lookups of a kind follow their footprint.
    #[inline(always)]
    pub(super) fn is_anisotropic(&self, kind: SampleKind) -> bool {
        self.ratio() > 1
            && self.rule.min == TexFilter::Linear
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
        let start = if self.shape.cube() { request.coord } else { at.coord };
        let mut layers = R::ZERO;
        self.layers(request, &mut layers);
        let mut sums = [R::ZERO; 4];
        for index in 0..u32::from(MAX_ANISOTROPY) {
            let mask = beyond(index) & live;
            if mask == 0 {
                break;
            }
            let mut place = start.map(|row| *row);
            for (row, along) in place.iter_mut().zip(&along).take(self.coordinates()) {
                let steps = along.as_slice().iter().zip(counts);
                for (at, (along, count)) in row.as_mut_slice().iter_mut().zip(steps) {
                    let way = (index + 1) as f32 / (count + 1) as f32 - 0.5;
                    *at = (f32::from_bits(*at) + way * f32::from_bits(*along)).to_bits();
                }
            }
            let mut color = [R::ZERO; 4];
            let mut filter = |coord, layer| {
                let moved = Coordinates { coord, layer, ..*at };
                self.mipmapped(&moved, mask, |row| *row = lambda, &mut color);
            };
            if self.shape.cube() {
                let [mut s, mut t, mut layer] = [R::ZERO, R::ZERO, layers];
                cube::place(place.each_ref(), [&mut s, &mut t], &mut layer);
                filter([&s, &t, &t], &layer);
            } else {
                filter(place.each_ref(), at.layer);
            }
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
        let most = f32::from(self.ratio().min(MAX_ANISOTROPY));
        let mut prints = Footprints { lambda: R::ZERO, count: R::ZERO, along: [R::ZERO; 3] };
        let extra = request.lod.filter(|_| request.kind == SampleKind::Bias);
        let Footprints { lambda, count, along } = &mut prints;
        let rows = lambda.as_mut_slice().iter_mut().zip(count.as_mut_slice());
        for (lane, (lambda, count)) in rows.enumerate() {
            let Steps { texels: [x, y], coordinates: [in_x, in_y] } = self.steps(request, lane);
            let print = Footprint::new(x, y, most);
            let bias = self.rule.bias + extra.map_or(0.0, |row| float(row.as_slice(), lane));
            *lambda = (print.lambda + bias).to_bits();
            *count = print.count;
            if print.count > 1 {
                let step = if print.in_y { in_y } else { in_x };
                for (row, step) in along.iter_mut().zip(step).take(self.coordinates()) {
                    set_lane(row.as_mut_slice(), lane, step.to_bits());
                }
            }
        }
        prints
    }

    /// Returns the number of coordinates that vary.
    #[inline(always)]
    fn coordinates(&self) -> usize {
        if self.shape.cube() { 3 } else { self.shape.dims() }
    }

    /// Returns a lane's steps.
    #[inline(always)]
    fn steps<R: Lanes>(&self, request: &SampleRequest<'_, R>, lane: usize) -> Steps {
        let at = |rows: [&R; 3], lane: usize| rows.map(|row| float(row.as_slice(), lane));
        let is_cube = self.shape.cube();
        let steps = match request.kind {
            SampleKind::Gradient => [request.ddx, request.ddy].map(|rows| at(rows, lane)),
            _ if is_cube => cube::quad_steps(request.coord.map(|row| row.as_slice()), lane),
            _ => {
                let [first, x, y] = [0, 1, 2].map(|way| at(request.coord, lane & !3 | way));
                [x, y].map(|[s, t, r]| [s - first[0], t - first[1], r - first[2]])
            }
        };
        if is_cube {
            let direction = at(request.coord, lane);
            let [size, ..] = self.scale;
            let texels = steps.map(|step| cube::rho_squared(direction, step, size));
            return Steps {
                texels,
                coordinates: steps.map(|step| cube::in_plane(direction, step)),
            };
        }
        let texels = steps.map(|step| {
            let axes = step.into_iter().zip(self.scale).take(self.shape.dims());
            axes.fold(0.0, |sum, (step, size)| sum + (step * size) * (step * size))
        });
        Steps { texels, coordinates: steps }
    }
}

/// Adds the colours of the lanes in `mask` to `sum`.
fn add(sum: &mut [u32], color: &[u32], mask: Mask) {
    for (lane, (sum, color)) in sum.iter_mut().zip(color).enumerate() {
        if mask >> lane & 1 != 0 {
            *sum = (f32::from_bits(*sum) + f32::from_bits(*color)).to_bits();
        }
    }
}
