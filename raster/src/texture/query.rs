//! `TXF`, `TXQ`, `LODQ`: texels, sizes and levels of a view, without filtering.

use tgsi::exec::{Lanes, SampleKind, SampleRequest};

use super::lod::{Choice, in_groups};
use super::{Level, Sampler, cube, lod};
use crate::lanes::{each_lane, lane_of, map, map_f32, set_lane};

/// Clamps a signed number to 0 to `limit`.
#[inline(always)]
fn clamped(value: u32, limit: i32) -> u32 {
    (value as i32).clamp(0, limit) as u32
}

/// Returns the rows of the first `dims` dimensions.
fn first<'a, 'b>(rows: &'a [&'b [u32]; 3], dims: usize) -> &'a [&'b [u32]] {
    rows.get(..dims).unwrap_or(rows)
}

impl Sampler<'_> {
    /// Fetches the texels at integer coordinates. Coordinates, layer and level are clamped to the
    /// view; sampler state has no effect.
    pub(super) fn fetch<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        if let Some(level) = self.view.levels.first().filter(|level| level.samples() > 1) {
            return self.fetch_samples(level, request, out);
        }
        let last = self.view.levels.len().saturating_sub(1) as u32;
        let mut keys = R::ZERO;
        if let Some(lod) = request.lod {
            let last = i32::try_from(last).unwrap_or(i32::MAX);
            map(lod.as_slice(), keys.as_mut_slice(), |lod| {
                Choice::of_level(clamped(lod, last)).key()
            });
        }
        in_groups(&keys, request.live, out, |choice, group, color| {
            if let Some(level) = self.view.levels.get(choice.level as usize) {
                let index = self.texel_indices(level, request);
                self.colors(level, index.each_ref(), group, color);
            }
        });
        self.swizzled(out);
    }

    /// Returns the indices of the texels at integer coordinates, clamped to `level` and the view.
    #[expect(clippy::indexing_slicing, reason = "axes are below the three of dims()")]
    pub(super) fn texel_indices<R: Lanes>(
        &self,
        level: &Level<'_>,
        request: &SampleRequest<'_, R>,
    ) -> [R; 3] {
        let mut index = [R::ZERO; 3];
        let sizes = [level.width, level.height, level.depth];
        for axis in 0..self.shape.dims() {
            let limit = i32::try_from(sizes[axis]).unwrap_or(i32::MAX).max(1) - 1;
            let offset = i32::from(request.offset[axis]);
            map(request.coord[axis].as_slice(), index[axis].as_mut_slice(), |at| {
                clamped((at as i32).saturating_add(offset) as u32, limit)
            });
        }
        if self.shape.dims() < 3 {
            let (first, last) = (self.view.first_layer, self.view.last_layer);
            index[2] = R::splat(first.min(last));
            if let Some(layer) = request.layer {
                map(layer.as_slice(), index[2].as_mut_slice(), |layer| {
                    first.saturating_add((layer as i32).max(0) as u32).min(last)
                });
            }
        }
        index
    }

    /// Writes the sizes of the level `request.lod`: width, height or layers, depth or layers or
    /// cubes, and the number of levels. A level beyond the last has size 0.
    #[expect(clippy::indexing_slicing, reason = "dims() is 3 at most, and 2 of arrays")]
    pub(super) fn size<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let levels = self.view.levels.len() as u32;
        let layers = self.view.last_layer.saturating_sub(self.view.first_layer).saturating_add(1);
        each_lane(request.live, R::COUNT, |lane| {
            let index = request.lod.map_or(0, |lod| lane_of(lod.as_slice(), lane));
            let mut size = [0, 0, 0, levels];
            if let Some(level) = self.view.levels.get(index as usize) {
                let sizes = [level.width, level.height, level.depth];
                size[..self.shape.dims()].copy_from_slice(&sizes[..self.shape.dims()]);
                if self.shape.array() {
                    let per_layer = if self.shape.cube() { 6 } else { 1 };
                    size[self.shape.dims()] = layers / per_layer;
                }
            }
            for (row, component) in out.iter_mut().zip(size) {
                set_lane(row.as_mut_slice(), lane, component);
            }
        });
    }

    /// Writes the level that a lookup would access to x, and the unclamped λ to y.
    pub(super) fn lod_query<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let [accessed, lambda, z, w] = out;
        self.lambda(request, lambda);
        map_f32(lambda.as_slice(), accessed.as_mut_slice(), |lambda| self.rule.accessed(lambda));
        (*z, *w) = (R::ZERO, R::ZERO);
    }

    /// Computes λ of every lane with all biases, not clamped.
    pub(super) fn lambda<R: Lanes>(&self, request: &SampleRequest<'_, R>, lambda: &mut R) {
        let dims = self.shape.dims();
        let (bias, scale) = (self.rule.bias, &self.scale);
        let lambda = lambda.as_mut_slice();
        let coord = request.coord.each_ref().map(|row| row.as_slice());
        match request.kind {
            SampleKind::Lod => match request.lod {
                Some(lod) => map_f32(lod.as_slice(), lambda, |lod| lod + bias),
                None => lambda.fill(bias.to_bits()),
            },
            SampleKind::Gradient => {
                let ddx = request.ddx.each_ref().map(|row| row.as_slice());
                let ddy = request.ddy.each_ref().map(|row| row.as_slice());
                if self.shape.cube() {
                    cube::gradient_lod(coord, ddx, ddy, scale[0], bias, lambda);
                } else {
                    lod::gradient(first(&ddx, dims), first(&ddy, dims), scale, bias, lambda);
                }
            }
            kind => {
                if self.shape.cube() {
                    cube::implicit_lod(coord, scale[0], bias, lambda);
                } else {
                    lod::implicit(first(&coord, dims), scale, bias, lambda);
                }
                if let (SampleKind::Bias, Some(extra)) = (kind, request.lod) {
                    for (lambda, &extra) in lambda.iter_mut().zip(extra.as_slice()) {
                        *lambda = (f32::from_bits(*lambda) + f32::from_bits(extra)).to_bits();
                    }
                }
            }
        }
    }

    /// Computes the array layer of every lane, as an index into a level.
    pub(super) fn layers<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut R) {
        let (first, last) = (self.view.first_layer, self.view.last_layer);
        match request.layer {
            Some(layer) if self.shape.array() => {
                // Whole cubes: the last cube that fits, even if the view's range ends inside the
                // next.
                let (count, step) = match last.saturating_sub(first).saturating_add(1) {
                    layers if self.shape.cube() => ((layers / 6).max(1), 6),
                    layers => (layers, 1),
                };
                map(layer.as_slice(), out.as_mut_slice(), |layer| {
                    first.saturating_add(step * lod::layer(f32::from_bits(layer), count - 1))
                });
            }
            _ => *out = R::splat(first),
        }
    }
}
