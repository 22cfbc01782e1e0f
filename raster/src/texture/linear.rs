//! `LINEAR`: the weighted mean of 2, 4 or 8 texels a lane.
//!
//! The order of operations is fixed, so results are the same on every machine and for every lane
//! width: along s first, `a + w * (b - a)`, then along t, then along r.

use pipe_core::state::ReductionMode;
use tgsi::exec::{Lanes, Mask};

use super::fetch::{Texel, words};
use super::rows::{build_f32, float};
use super::unorm::Unorm;
use super::wrap::{Pair, Wrap};
use super::{Coordinates, Level, Sampler};

/// `a` and `b` mixed: `a + weight * (b - a)`, or the lesser or greater of both.
#[inline(always)]
fn mix<R: Lanes>(mode: ReductionMode, a: &R, b: &R, weight: &R) -> R {
    match mode {
        ReductionMode::WeightedAverage => build_f32(|lane| {
            let (a, b) = (float(a, lane), float(b, lane));
            a + float(weight, lane) * (b - a)
        }),
        ReductionMode::Min => build_f32(|lane| {
            let (a, b) = (float(a, lane), float(b, lane));
            if b < a { b } else { a }
        }),
        ReductionMode::Max => build_f32(|lane| {
            let (a, b) = (float(a, lane), float(b, lane));
            if b > a { b } else { a }
        }),
    }
}

impl Sampler<'_> {
    /// The pairs of texels along each axis; those the texture does not have are texel 0 (s, t) or
    /// the layer (r).
    #[inline(always)]
    pub(super) fn pairs<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
    ) -> [Pair<R>; 3] {
        let none = Pair { first: R::ZERO, second: R::ZERO, weight: R::ZERO };
        let layer = Pair { first: *at.layer, second: *at.layer, weight: R::ZERO };
        let mut pairs = [none, none, layer];
        let sizes = [level.width, level.height, level.depth];
        for axis in 0..self.shape.dims {
            let wrap = if self.seamless { Wrap::SEAM } else { self.linear[axis] };
            pairs[axis] = wrap
                .axis(sizes[axis], self.normalized, i32::from(at.offset[axis]))
                .linear(at.coord[axis]);
        }
        pairs
    }

    /// The filtered colour of `level` for the lanes of `mask`; comparisons come before filtering.
    #[inline(always)]
    pub(super) fn linear<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let pairs = self.pairs(level, at);
        match &self.texel {
            Texel::Unorm(layout) if self.plain_bilinear => {
                bilinear(layout, level, &pairs, mask, out);
            }
            _ => self.corners(level, at, &pairs, mask, out),
        }
    }

    /// Any number of dimensions, any format.
    #[inline(always)]
    fn corners<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        pairs: &[Pair<R>; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let dims = self.shape.dims;
        // Corners come in binary order; a corner that is the second along an axis is mixed at once
        // with what was kept for the first, as a binary counter carries.
        let mut kept = [[R::ZERO; 4]; 3];
        for corner in 0..1usize << dims {
            let pick = |axis: usize| {
                if corner >> axis & 1 == 0 { &pairs[axis].first } else { &pairs[axis].second }
            };
            let index = [pick(0), pick(1), pick(2)];
            let mut color = [R::ZERO; 4];
            if self.seamless {
                self.seam_colors(level, index, at, mask, &mut color);
            } else {
                self.colors(level, index, mask, &mut color);
                self.compare(at, &mut color);
            }
            let mut axis = 0;
            while axis < dims && corner >> axis & 1 == 1 {
                for (color, kept) in color.iter_mut().zip(&kept[axis]) {
                    *color = mix(self.reduction, kept, color, &pairs[axis].weight);
                }
                axis += 1;
            }
            match kept.get_mut(axis) {
                Some(kept) if axis < dims => *kept = color,
                _ => *out = color,
            }
        }
    }
}

/// Four texels a lane of a format of shifts and scales, where no border can be seen.
///
/// Filters the texels' integers and scales once at the end: three multiplications a component
/// instead of seven.
#[inline(always)]
fn bilinear<R: Lanes>(
    layout: &Unorm,
    level: &Level<'_>,
    [s, t, r]: &[Pair<R>; 3],
    mask: Mask,
    out: &mut [R; 4],
) {
    let load = |x: &R, y: &R| words(level, layout.bytes, [x, y, &r.first], mask);
    let texels = [
        load(&s.first, &t.first),
        load(&s.second, &t.first),
        load(&s.first, &t.second),
        load(&s.second, &t.second),
    ];
    for (c, out) in out.iter_mut().enumerate() {
        if let Some(constant) = layout.constant(c) {
            *out = R::splat(constant.to_bits());
            continue;
        }
        let [a, b, c0, d]: [R; 4] = [
            layout.integers(c, &texels[0]),
            layout.integers(c, &texels[1]),
            layout.integers(c, &texels[2]),
            layout.integers(c, &texels[3]),
        ];
        *out = build_f32(|lane| {
            let (u, v) = (float(&s.weight, lane), float(&t.weight, lane));
            let top = float(&a, lane) + u * (float(&b, lane) - float(&a, lane));
            let bottom = float(&c0, lane) + u * (float(&d, lane) - float(&c0, lane));
            layout.scaled(c, top + v * (bottom - top))
        });
    }
}
