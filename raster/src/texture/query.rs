//! `TXF`, `TXQ`, `LODQ`: what a view holds, without filtering.

use tgsi::exec::{Lanes, SampleRequest};

use super::rows::{build, build_f32, each_lane, float};
use super::{Sampler, lod};

impl Sampler<'_> {
    /// The texels at integer coordinates. Coordinates, layer and level are clamped to the view;
    /// sampler state does not matter.
    pub(super) fn fetch<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let last = self.view.levels.len().saturating_sub(1);
        each_lane::<R>(request.live, |lane| {
            let word = |row: &R| row.as_slice()[lane] as i32;
            let level = request.lod.map_or(0, |lod| word(lod).clamp(0, last as i32) as usize);
            let Some(level) = self.view.levels.get(level) else {
                return;
            };
            let sizes = [level.width, level.height, level.depth];
            let mut at = [0; 3];
            for axis in 0..self.shape.dims {
                let limit = i32::try_from(sizes[axis]).unwrap_or(i32::MAX).max(1) - 1;
                let texel = word(request.coord[axis]).saturating_add(i32::from(request.offset[axis]));
                at[axis] = texel.clamp(0, limit) as u32;
            }
            if self.shape.dims < 3 {
                let layer = request.layer.map_or(0, |layer| word(layer).max(0) as u32);
                at[2] = self.view.first_layer.saturating_add(layer).min(self.view.last_layer);
            }
            let texel = self.texel(level, at[0], at[1], at[2]);
            for (row, component) in out.iter_mut().zip(texel) {
                row.as_mut_slice()[lane] = component;
            }
        });
        self.swizzled(out);
    }

    /// Sizes of the level that `request.lod` names: width, height or layers, depth or layers or
    /// cubes, and the number of levels. A level that is not there has size 0.
    pub(super) fn size<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let levels = self.view.levels.len() as u32;
        let layers = self.view.last_layer.saturating_sub(self.view.first_layer).saturating_add(1);
        each_lane::<R>(request.live, |lane| {
            let index = request.lod.map_or(0, |lod| lod.as_slice()[lane]);
            let mut size = [0, 0, 0, levels];
            if let Some(level) = self.view.levels.get(index as usize) {
                let sizes = [level.width, level.height, level.depth];
                size[..self.shape.dims].copy_from_slice(&sizes[..self.shape.dims]);
                if self.shape.array {
                    let per_layer = if self.shape.cube { 6 } else { 1 };
                    size[self.shape.dims] = layers / per_layer;
                }
            }
            for (row, component) in out.iter_mut().zip(size) {
                row.as_mut_slice()[lane] = component;
            }
        });
    }

    /// The level that would be accessed in x, the unclamped λ in y.
    pub(super) fn lod_query<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let lambda = self.lambda(request);
        *out = [
            build_f32(|lane| self.rule.accessed(float(&lambda, lane))),
            lambda,
            R::ZERO,
            R::ZERO,
        ];
    }

    /// λ of every lane with all biases, not clamped.
    #[inline(always)]
    pub(super) fn lambda<R: Lanes>(&self, request: &SampleRequest<'_, R>) -> R {
        use tgsi::exec::SampleKind;
        let dims = self.shape.dims;
        let extra = |lane: usize| request.lod.map_or(0.0, |lod| float(lod, lane));
        let bias = self.rule.bias;
        match request.kind {
            SampleKind::Lod => build_f32(|lane| extra(lane) + bias),
            SampleKind::Gradient => {
                let rho = if self.shape.cube {
                    super::cube::gradient_lod(
                        request.coord,
                        request.ddx,
                        request.ddy,
                        self.scale[0],
                    )
                } else {
                    lod::gradient(&request.ddx[..dims], &request.ddy[..dims], &self.scale)
                };
                build_f32(|lane| float(&rho, lane) + bias)
            }
            kind => {
                let rho: R = if self.shape.cube {
                    super::cube::implicit_lod(request.coord, self.scale[0])
                } else {
                    lod::implicit(&request.coord[..dims], &self.scale)
                };
                if kind == SampleKind::Bias && request.lod.is_some() {
                    build_f32(|lane| float(&rho, lane) + (bias + extra(lane)))
                } else {
                    build_f32(|lane| float(&rho, lane) + bias)
                }
            }
        }
    }

    /// The view's array layer of every lane, as an index into a level.
    #[inline(always)]
    pub(super) fn layers<R: Lanes>(&self, request: &SampleRequest<'_, R>) -> R {
        let (first, last) = (self.view.first_layer, self.view.last_layer);
        match request.layer {
            Some(layer) if self.shape.cube && self.shape.array => build(|lane| {
                // Whole cubes: the last one that fits, whatever the view's range.
                let cubes = (last.saturating_sub(first).saturating_add(1) / 6).max(1);
                first.saturating_add(6 * lod::layer(float(layer, lane), 0, cubes - 1))
            }),
            Some(layer) if self.shape.array => {
                build(|lane| lod::layer(float(layer, lane), first, last))
            }
            _ => R::splat(first),
        }
    }
}
