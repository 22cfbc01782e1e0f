//! Blits of one layer: scaled, mirrored, converted, masked.
//!
//! Colours go through the sampler and the colour output, like the colours of a draw. So a blit
//! converts any format to any other and decodes and encodes sRGB. Stencil takes the nearest texel.

mod box_filter;
mod means;

use formats::depth::DepthLayout;
use pipe_core::resource::TextureTarget;
use pipe_core::state::{SamplerState, TexFilter, TexMipFilter, TexWrap};
use pipe_core::surface::Swizzle;
use pipe_core::{BlendColor, BlendFactor, BlendState, BlitMask, ColorMask};
use tgsi::exec::{Lanes, Mask, SampleKind, SampleRequest};

pub(crate) use self::box_filter::average_level;
pub(crate) use self::means::Means;
use crate::budget::Work;
use crate::lanes::means;
use crate::lanes::{Level, QuadPosition, QuadPositions, Target};
use crate::output::{self, ColorState};
use crate::profile::{MAX_QUADS, quads_per_batch};
use crate::setup::Bounds;
use crate::texture::{Sampler, TextureView};

/// The map from destination pixels along one axis to source texels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// The source's first texel and its number of texels. A mirrored source begins at its lower end
    /// too.
    source: i64,
    texels: i64,
    mirrored: bool,
    /// The destination's first pixel and its number of pixels.
    start: i64,
    pixels: i64,
}

impl Axis {
    /// Maps a source (start, size) to a destination (start, size). A negative size mirrors.
    pub(crate) fn new(source: (i32, i32), destination: (i32, i32)) -> Axis {
        let upright = |(start, size): (i32, i32)| {
            let (start, size) = (i64::from(start), i64::from(size));
            if size < 0 { (start + size, -size) } else { (start, size) }
        };
        let ((from, texels), (start, pixels)) = (upright(source), upright(destination));
        let mirrored = (source.1 < 0) != (destination.1 < 0);
        Axis { source: from, texels, mirrored, start, pixels: pixels.max(1) }
    }

    /// Returns true if each pixel is one texel, in the same direction.
    pub(crate) fn is_plain(&self) -> bool {
        self.texels == self.pixels && !self.mirrored
    }

    /// Returns the texel under the centre of `pixel`, and the position of that centre in the texel
    /// (0 to 1).
    fn texel(&self, pixel: i32) -> (i64, f32) {
        // Pixels of a quad that lie outside of a huge box may overflow, and are not drawn.
        let scaled = (2 * (i64::from(pixel) - self.start) + 1).wrapping_mul(self.texels);
        let whole = scaled.div_euclid(2 * self.pixels);
        let part = scaled.rem_euclid(2 * self.pixels) as f32 / (2 * self.pixels) as f32;
        if self.mirrored {
            (self.source + self.texels - 1 - whole, 1.0 - part)
        } else {
            (self.source + whole, part)
        }
    }

    /// Returns the texel nearest to the centre of `pixel`.
    pub(crate) fn nearest(&self, pixel: i32) -> i32 {
        self.texel(pixel).0.clamp(0, i32::MAX.into()) as i32
    }

    /// Returns the texel nearest to the centre of `pixel` among the first `size`.
    fn nearest_of(&self, pixel: i32, size: u32) -> usize {
        self.nearest(pixel).min(size as i32 - 1).max(0) as usize
    }

    /// Returns the texel nearest to the centre of `pixel`; `None` if it lies outside the first
    /// `size`.
    fn nearest_in(&self, pixel: i32, size: u32) -> Option<usize> {
        usize::try_from(self.texel(pixel).0).ok().filter(|texel| *texel < size as usize)
    }

    /// Returns the centre of `pixel` in source coordinates. Texel `i` has its centre at `i` + 0.5.
    fn place(&self, pixel: i32, filter: TexFilter) -> f32 {
        let (texel, part) = self.texel(pixel);
        match filter {
            TexFilter::Nearest => texel as f32 + 0.5,
            TexFilter::Linear => texel as f32 + part,
        }
    }
}

/// One layer of a blit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer<'a> {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// The slice's centre in 3D sources.
    pub(crate) z: f32,
    /// The destination's pixels.
    pub(crate) bounds: Bounds,
    pub(crate) mask: BlitMask,
    pub(crate) filter: TexFilter,
    pub(crate) alpha_blend: bool,
    /// The work budget of the blit: one unit per row of texels, or per strip of a row.
    pub(crate) work: Work<'a>,
}

impl Layer<'_> {
    /// Returns the source coordinate of the destination slice `pixel`.
    pub(crate) fn slice(axis: &Axis, pixel: i32, filter: TexFilter) -> f32 {
        axis.place(pixel, filter)
    }

    /// Copies colours from a level of `format`: a 3D texture, or one layer.
    pub(crate) fn color<R: Lanes>(
        &self,
        level: &Level<'_>,
        format: formats::Format,
        target: &mut Target<'_>,
    ) {
        if self.copy(level, format, target) {
            return;
        }
        let volume = level.depth > 1;
        let view = TextureView {
            format,
            target: if volume { TextureTarget::Texture3D } else { TextureTarget::Texture2D },
            swizzle: Swizzle::IDENTITY,
            levels: core::slice::from_ref(level),
            first_layer: 0,
            last_layer: 0,
        };
        let sampler = Sampler::new(&view, &self.sampler_state());
        let blend = self.blend_state();
        let state = ColorState::derive(&blend, 0, target.format, &BlendColor::default());
        let Bounds { x0, y0, x1, y1 } = self.bounds;
        for left in (x0 & !1..x1).step_by(2 * quads_per_batch::<R>()) {
            // The columns are the same for all rows.
            let mut s = R::ZERO;
            for (lane, s) in s.as_mut_slice().iter_mut().enumerate() {
                *s = self.x.place(column(left, lane), self.filter).to_bits();
            }
            for top in (y0 & !1..y1).step_by(2) {
                if self.work.spend(1).is_err() {
                    return;
                }
                self.quads(&sampler, &s, &state, target, (left, top));
            }
        }
    }

    /// Copies texels unchanged if the blit needs nothing else; returns false if it does.
    fn copy(&self, level: &Level<'_>, format: formats::Format, target: &mut Target<'_>) -> bool {
        self.rows(level, format, target, |texels, out| {
            if let Some(texels) = texels.get(..out.len()) {
                out.copy_from_slice(texels);
            }
        })
    }

    /// Averages samples if the blit needs nothing else; returns false if it does. `level` is the
    /// plane of the first sample. The rows of the other samples follow at a distance of `stride`
    /// bytes.
    pub(crate) fn resolve(
        &self,
        level: &Level<'_>,
        format: formats::Format,
        target: &mut Target<'_>,
        stride: usize,
    ) -> bool {
        let samples = level.samples() as usize;
        self.rows(level, format, target, |texels, out| {
            means(format, texels, stride, samples, out);
        })
    }

    /// Calls `write` for each row, with the level's bytes from the row's first texel on and the
    /// row's pixels. Returns false if the blit scales, mirrors or converts.
    fn rows(
        &self,
        level: &Level<'_>,
        format: formats::Format,
        target: &mut Target<'_>,
        mut write: impl FnMut(&[u8], &mut [u8]),
    ) -> bool {
        let Bounds { x0, y0, x1, y1 } = self.bounds;
        let [first, last] = [x0, x1 - 1].map(|x| self.x.nearest_in(x, level.width));
        let rows = [y0, y1 - 1].map(|y| self.y.nearest_in(y, level.height));
        let (Some(first), Some(last), [Some(_), Some(_)]) = (first, last, rows) else {
            return false;
        };
        let is_plain = self.x.is_plain()
            && self.y.is_plain()
            && self.mask.contains(BlitMask::RGBA)
            && !self.alpha_blend
            && level.depth <= 1
            && format == target.format
            && !format.is_compressed();
        if !is_plain {
            return false;
        }
        let (size, count) = (format.block_bytes(), last + 1 - first);
        for y in y0..y1 {
            if self.work.spend(1).is_err() {
                break;
            }
            let at = self.y.nearest_of(y, level.height) * level.row_stride + first * size;
            let out = target.span_mut(x0 as u32, y as u32, size, count);
            if let (Some(texels), Some(out)) = (level.bytes.get(at..), out) {
                write(texels, out);
            }
        }
        true
    }

    /// Copies a batch of quads that lie side by side, starting at pixel (`left`, `top`). `s` has
    /// their source columns.
    fn quads<R: Lanes>(
        &self,
        sampler: &Sampler<'_>,
        s: &R,
        state: &ColorState,
        target: &mut Target<'_>,
        (left, top): (i32, i32),
    ) {
        let Bounds { x0, y0, x1, y1 } = self.bounds;
        let [upper, lower] = [top, top + 1].map(|y| self.y.place(y, self.filter).to_bits());
        let mut t = R::ZERO;
        let mut mask: Mask = 0;
        for (lane, t) in t.as_mut_slice().iter_mut().enumerate() {
            let x = column(left, lane);
            let (y, place) = if lane & 2 == 0 { (top, upper) } else { (top + 1, lower) };
            *t = place;
            let inside = x >= x0 && x < x1 && y >= y0 && y < y1;
            mask |= Mask::from(inside) << lane;
        }
        let mut positions = [QuadPosition::default(); MAX_QUADS];
        for (quad, position) in positions.iter_mut().enumerate() {
            *position = QuadPosition { x: (left + 2 * quad as i32) as u16, y: top as u16 };
        }
        let zero = R::ZERO;
        let r = R::splat(self.z.to_bits());
        let request = SampleRequest {
            view: 0,
            sampler: 0,
            target: tgsi::shader::TextureTarget::Texture2D,
            kind: SampleKind::Lod,
            coord: [s, &t, &r],
            layer: None,
            compare: None,
            lod: None,
            ddx: [&zero; 3],
            ddy: [&zero; 3],
            offset: [0; 3],
            component: 0,
            live: mask,
        };
        let mut color = [R::ZERO; 4];
        sampler.sample(&request, &mut color);
        let positions = positions.get(..quads_per_batch::<R>()).unwrap_or(&[]);
        output::write(
            state,
            target,
            QuadPositions::packed(positions),
            mask,
            color.each_ref(),
            None,
        );
    }

    /// Returns the sampler state: texel coordinates, clamped to the edge.
    fn sampler_state(&self) -> SamplerState {
        SamplerState {
            wrap_s: TexWrap::ClampToEdge,
            wrap_t: TexWrap::ClampToEdge,
            wrap_r: TexWrap::ClampToEdge,
            min_img_filter: self.filter,
            mag_img_filter: self.filter,
            min_mip_filter: TexMipFilter::None,
            normalized_coords: false,
            ..SamplerState::default()
        }
    }

    /// Returns the blend state: the colour mask and, if requested, blending by the source's alpha.
    fn blend_state(&self) -> BlendState {
        let mut blend = BlendState::default();
        let target = &mut blend.rt[0];
        target.colormask = ColorMask::from_bits_truncate(self.mask.bits());
        if self.alpha_blend {
            target.blend_enable = true;
            (target.rgb_src_factor, target.alpha_src_factor) =
                (BlendFactor::SrcAlpha, BlendFactor::SrcAlpha);
            (target.rgb_dst_factor, target.alpha_dst_factor) =
                (BlendFactor::InvSrcAlpha, BlendFactor::InvSrcAlpha);
        }
        blend
    }

    /// Returns the weighted mean of the four depths around a pixel's centre.
    fn mean_depth(&self, level: &Level<'_>, from: DepthLayout, x: i32, y: i32) -> f32 {
        let around = |axis: &Axis, pixel: i32, size: u32| {
            let place = axis.place(pixel, TexFilter::Linear) - 0.5;
            let whole = os_shim::math::floor(place);
            let last = size.saturating_sub(1) as f32;
            let texels = [whole, whole + 1.0].map(|texel| texel.clamp(0.0, last) as usize);
            (texels, place - whole)
        };
        let (columns, s) = around(&self.x, x, level.width);
        let (rows, t) = around(&self.y, y, level.height);
        let size = usize::from(from.bytes);
        let mean = |row: usize| {
            let [a, b] = columns.map(|column| {
                let at = row * level.row_stride + column * size;
                level.bytes.get(at..at + size).map_or(0.0, |texel| from.z_f32(texel))
            });
            a + s * (b - a)
        };
        let [a, b] = rows.map(mean);
        a + t * (b - a)
    }

    /// Copies depth, stencil or both from a one-layer level of `format`.
    pub(crate) fn depth_stencil(
        &self,
        level: &Level<'_>,
        format: formats::Format,
        target: &mut Target<'_>,
    ) {
        let layouts = DepthLayout::new(format).zip(DepthLayout::new(target.format));
        let Some((from, to)) = layouts else { return };
        let both = |part: bool, a: bool, b: bool| part && a && b;
        let depth = both(self.mask.contains(BlitMask::Z), from.depth.is_some(), to.depth.is_some());
        let stencil =
            both(self.mask.contains(BlitMask::S), from.stencil.is_some(), to.stencil.is_some());
        let floats = [from, to].map(|layout| layout.depth.is_some_and(|depth| depth.float));
        let (size, pixel) = (usize::from(from.bytes), usize::from(to.bytes));
        for y in self.bounds.y0..self.bounds.y1 {
            if self.work.spend(1).is_err() {
                return;
            }
            let row = self.y.nearest_of(y, level.height) * level.row_stride;
            for x in self.bounds.x0..self.bounds.x1 {
                let at = row + self.x.nearest_of(x, level.width) * size;
                let Some(texel) = level.bytes.get(at..at + size) else { continue };
                let Some(out) = target.span_mut(x as u32, y as u32, pixel, 1) else { continue };
                if depth && self.filter == TexFilter::Linear {
                    to.set_z_f32(out, self.mean_depth(level, from, x, y));
                } else if depth && floats == [false; 2] {
                    to.set_z_unorm32(out, from.z_unorm32(texel));
                } else if depth {
                    to.set_z_f32(out, from.z_f32(texel));
                }
                if stencil {
                    to.set_stencil(out, from.stencil(texel));
                }
            }
        }
    }
}

/// Returns the column of a lane's pixel, for quads that lie side by side from column `left` on.
fn column(left: i32, lane: usize) -> i32 {
    left + (lane / 4 * 2 + (lane & 1)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_find_their_texels() {
        let nearest = |source, destination, pixels: core::ops::Range<i32>| {
            let axis = Axis::new(source, destination);
            pixels.map(|pixel| axis.nearest(pixel)).collect::<std::vec::Vec<_>>()
        };
        assert_eq!(nearest((4, 4), (0, 4), 0..4), [4, 5, 6, 7]);
        assert_eq!(nearest((4, 2), (0, 4), 0..4), [4, 4, 5, 5]);
        assert_eq!(nearest((0, 8), (0, 2), 0..2), [2, 6]);
        // Mirrored when either size is negative; not mirrored when both are.
        assert_eq!(nearest((8, -4), (0, 4), 0..4), [7, 6, 5, 4]);
        assert_eq!(nearest((4, 4), (4, -4), 0..4), [7, 6, 5, 4]);
        assert_eq!(nearest((8, -4), (4, -4), 0..4), [4, 5, 6, 7]);
        let half = Axis::new((0, 2), (0, 4));
        let places = [0, 1, 2, 3].map(|pixel| half.place(pixel, TexFilter::Linear));
        assert_eq!(places, [0.25, 0.75, 1.25, 1.75]);
        let mirrored = Axis::new((2, -2), (0, 4));
        let places = [0, 1, 2, 3].map(|pixel| mirrored.place(pixel, TexFilter::Linear));
        assert_eq!(places, [1.75, 1.25, 0.75, 0.25]);
        assert!(Axis::new((3, 5), (9, 5)).is_plain() && !half.is_plain());
    }
}
