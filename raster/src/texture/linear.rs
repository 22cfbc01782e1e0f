//! `LINEAR`: the weighted mean of 2, 4 or 8 texels per lane.
//!
//! The order of operations is fixed, so results are the same on every machine and for every lane
//! width: along s first, `a + w * (b - a)`, then along t, then along r.

use formats::lanes::Unpacker;
use os_shim::simd::vectorize;
use pipe_core::state::ReductionMode;
use tgsi::exec::{Lanes, Mask};

use super::blocks::BlockCache;
use super::compare::complete;
use super::fetch::Texel;
use super::loads::four_words;
use super::wrap::{Pair, Wrap};
use super::{Coordinates, Level, Sampler};
use crate::lanes::stamps_per_batch;

/// Mixes `a` and `b` into `b`: `a + weight * (b - a)`, or the minimum or maximum of both.
fn mix(mode: ReductionMode, a: &[u32], b: &mut [u32], weight: &[u32]) {
    vectorize(
        #[inline(always)]
        || match mode {
            ReductionMode::WeightedAverage => each_pair(a, b, weight, |x, y, w| x + w * (y - x)),
            ReductionMode::Min => each_pair(a, b, weight, |x, y, _| if y < x { y } else { x }),
            ReductionMode::Max => each_pair(a, b, weight, |x, y, _| if y > x { y } else { x }),
        },
    );
}

/// Sets `b` to `f(a, b, weight)`, on floats.
#[inline(always)]
fn each_pair(a: &[u32], b: &mut [u32], weight: &[u32], f: impl Fn(f32, f32, f32) -> f32) {
    for ((b, &a), &weight) in b.iter_mut().zip(a).zip(weight) {
        *b = f(f32::from_bits(a), f32::from_bits(*b), f32::from_bits(weight)).to_bits();
    }
}

/// Mixes `a` and `b` into `b`, in four rows: `a + weight * (b - a)`.
pub(super) fn mix_average<R: Lanes>(a: &[R; 4], b: &mut [R; 4], weight: &R) {
    for (a, b) in a.iter().zip(b) {
        mix(ReductionMode::WeightedAverage, a.as_slice(), b.as_mut_slice(), weight.as_slice());
    }
}

impl Sampler<'_> {
    /// Writes the pair of texels along `axis`, of `size` texels.
    #[expect(clippy::indexing_slicing, reason = "axes are below the three of dims()")]
    fn pair<R: Lanes>(&self, axis: usize, size: u32, at: &Coordinates<'_, R>, pair: &mut Pair<R>) {
        let wrap = if self.seamless() { Wrap::SEAM } else { self.linear[axis] };
        wrap.axis(size, self.normalized, i32::from(at.offset[axis])).linear(
            at.coord[axis].as_slice(),
            pair.first.as_mut_slice(),
            pair.second.as_mut_slice(),
            pair.weight.as_mut_slice(),
        );
    }

    /// Returns the pairs of texels along each axis. An axis that the texture lacks gets texel 0 (s,
    /// t) or the layer (r).
    #[expect(clippy::indexing_slicing, reason = "axes are below the three of dims()")]
    pub(super) fn pairs<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
    ) -> [Pair<R>; 3] {
        let layer = Pair { first: *at.layer, second: *at.layer, weight: R::ZERO };
        let mut pairs = [Pair::NONE, Pair::NONE, layer];
        let sizes = [level.width, level.height, level.depth];
        for axis in 0..self.shape.dims() {
            self.pair(axis, sizes[axis], at, &mut pairs[axis]);
        }
        pairs
    }

    /// Filters the texels of `level` for the lanes of `mask`. Comparisons come before filtering.
    pub(super) fn linear<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        match &self.texel {
            Texel::Unorm(layout) if self.plain_bilinear => {
                if self.plain_linear(level, at, out) {
                    return;
                }
                let (mut s, mut t) = (Pair::NONE, Pair::NONE);
                self.pair(0, level.width, at, &mut s);
                if self.shape.dims() > 1 {
                    self.pair(1, level.height, at, &mut t);
                }
                if self.has_border && (s.touches_border() || t.touches_border()) {
                    self.corners(level, at, &self.pairs(level, at), mask, out);
                    return;
                }
                let mut texels = [R::ZERO; 4];
                four_words(level, layout.bytes, &s, &t, at.layer, &mut texels);
                layout.bilinear(&texels, &s.weight, &t.weight, out);
            }
            Texel::Planes(unpacker, bytes)
                if stamps_per_batch::<R>() > 0
                    && at.reference.is_some()
                    && *bytes <= 4
                    && unpacker.has_plain_channels()
                    && self.has_plain_means() =>
            {
                self.compared_linear(level, at, (unpacker, *bytes as u32), mask, out);
            }
            Texel::Unorm(_) | Texel::Planes(..) | Texel::Single(_) => {
                self.corners(level, at, &self.pairs(level, at), mask, out);
            }
            Texel::Indices(..) => self.corners(level, at, &self.pairs(level, at), mask, out),
            Texel::Blocks(blocks) => {
                let Some(blocks) = blocks.get() else { return };
                // The corners of a lane and of its neighbours lie in few blocks.
                let mut cache = BlockCache::new();
                let fetch = |index: [&R; 3], out: &mut [R; 4]| {
                    self.block_colors((blocks, &mut cache), level, index, mask, out);
                };
                self.corners_of(level, at, &self.pairs(level, at), mask, fetch, out);
            }
        }
    }

    /// Returns true if filtering takes up to four texels of one layer.
    pub(super) fn has_plain_means(&self) -> bool {
        self.shape.dims() <= 2
            && !self.seamless()
            && self.reduction == ReductionMode::WeightedAverage
    }

    /// Filters comparisons of texels of one word, if [means are plain](Self::has_plain_means). Not
    /// inlined: its rows would be on the stack of every lookup.
    #[inline(never)]
    fn compared_linear<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        (unpacker, bytes): (&Unpacker, u32),
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let (mut s, mut t) = (Pair::NONE, Pair::NONE);
        self.pair(0, level.width, at, &mut s);
        if self.shape.dims() > 1 {
            self.pair(1, level.height, at, &mut t);
        }
        let touches_border = self.has_border && (s.touches_border() || t.touches_border());
        let Some(reference) = at.reference.filter(|_| !touches_border) else {
            self.corners(level, at, &self.pairs(level, at), mask, out);
            return;
        };
        let mut texels = [R::ZERO; 4];
        four_words(level, bytes, &s, &t, at.layer, &mut texels);
        let texels = texels.each_ref().map(|row| row.as_slice());
        let weights = [s.weight.as_slice(), t.weight.as_slice()];
        vectorize(
            #[inline(always)]
            || {
                let (reference, red) = (reference.as_slice(), out[0].as_mut_slice());
                self.mean_comparison(unpacker, reference, texels, weights, red);
            },
        );
        complete(at, out);
    }

    /// Filters in any number of dimensions and any format.
    fn corners<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        pairs: &[Pair<R>; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let fetch = |index: [&R; 3], out: &mut [R; 4]| self.colors(level, index, mask, out);
        self.corners_of(level, at, pairs, mask, fetch, out);
    }

    /// Filters the colours that `fetch` returns for rows of texel indices.
    fn corners_of<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        pairs: &[Pair<R>; 3],
        mask: Mask,
        mut fetch: impl FnMut([&R; 3], &mut [R; 4]),
        out: &mut [R; 4],
    ) {
        let (dims, components) = (self.shape.dims(), at.components());
        // Corners come in binary order. The second corner along an axis is mixed at once with the
        // value kept for the first, as a binary counter carries.
        let mut kept = [[R::ZERO; 4]; 3];
        for corner in 0..1usize << dims {
            let [s, t, r] = pairs;
            let index = [s.texel(corner & 1), t.texel(corner >> 1 & 1), r.texel(corner >> 2)];
            let mut color = [R::ZERO; 4];
            self.corner_colors(level, index, at, mask, &mut fetch, &mut color);
            let mut axis = 0;
            for (kept, pair) in kept.iter().zip(pairs).take(dims) {
                if corner >> axis & 1 == 0 {
                    break;
                }
                for (color, kept) in color.iter_mut().zip(kept).take(components) {
                    let weight = pair.weight.as_slice();
                    mix(self.reduction, kept.as_slice(), color.as_mut_slice(), weight);
                }
                axis += 1;
            }
            match kept.get_mut(axis) {
                Some(kept) if axis < dims => *kept = color,
                _ => *out = color,
            }
        }
        complete(at, out);
    }
}
