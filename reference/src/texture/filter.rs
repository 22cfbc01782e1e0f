//! Filters: combines texels of one or two levels to a colour.

use formats::ChannelKind;
use pipe_core::{ReductionMode, TexFilter, TexWrap};

use super::wrap::{Axis, Index};
use super::{Place, Size, Texture, cube};

/// A colour, component by component. `f64` represents 32-bit integers exactly.
pub(super) type Color = [f64; 4];

impl Texture<'_> {
    /// Returns the colour of a lookup, before the view's swizzle.
    pub(super) fn sample(&self, place: &Place, lambda: f64) -> Color {
        let levels = self.choose(lambda);
        let filter = match levels.magnified {
            true => self.filter(self.sampler.mag_img_filter),
            false => self.filter(self.sampler.min_img_filter),
        };
        let image = |level: u32| match filter {
            TexFilter::Nearest => self.nearest(level, place),
            TexFilter::Linear => self.linear(level, place),
        };
        let mut color = image(levels.first);
        if levels.weight > 0.0 {
            let second = image(levels.first + 1);
            for (color, second) in color.iter_mut().zip(second) {
                *color += levels.weight * (second - *color);
            }
        }
        color
    }

    /// Returns a colour as shaders hold it.
    pub(super) fn bits(&self, color: Color) -> [u32; 4] {
        if self.is_integer() {
            color.map(|component| component as i64 as u32)
        } else {
            color.map(|component| (component as f32).to_bits())
        }
    }

    /// Returns an axis of a level.
    fn axis(&self, axis: usize, size: Size, place: &Place) -> Axis {
        let modes = [self.sampler.wrap_s, self.sampler.wrap_t, self.sampler.wrap_r];
        // Seamless cube maps ignore wrap modes (OpenGL 4.6, section 8.15).
        let mode = if self.is_seamless() { TexWrap::ClampToEdge } else { modes[axis] };
        let normalized = self.is_normalized();
        Axis { mode, size: size[axis], normalized, offset: place.offset[axis] }
    }

    fn is_seamless(&self) -> bool {
        self.shape().cube && self.sampler.seamless_cube_map
    }

    fn nearest(&self, level: u32, place: &Place) -> Color {
        let size = self.size(level);
        let mut index = [Some(0), Some(0), Some(place.layer)];
        for (axis, index) in index.iter_mut().enumerate().take(self.shape().dimensions) {
            *index = self.axis(axis, size, place).nearest(place.coordinates[axis]);
        }
        self.color(level, index, place)
    }

    fn linear(&self, level: u32, place: &Place) -> Color {
        let dimensions = self.shape().dimensions;
        let size = self.size(level);
        let mut weights = [0.0; 3];
        for (axis, weight) in weights.iter_mut().enumerate().take(dimensions) {
            *weight = self.axis(axis, size, place).pair(place.coordinates[axis]).1;
        }
        let mut result: Option<Color> = None;
        for corner in 0..1usize << dimensions {
            let second = |axis: usize| corner >> axis & 1 != 0;
            let weight: f64 = (0..dimensions)
                .map(|axis| if second(axis) { weights[axis] } else { 1.0 - weights[axis] })
                .product();
            if weight == 0.0 {
                continue;
            }
            let color = self.corner(level, place, [second(0), second(1), second(2)]);
            result = Some(match (result, self.sampler.reduction_mode) {
                (None, ReductionMode::WeightedAverage) => color.map(|c| c * weight),
                (None, _) => color,
                (Some(sum), mode) => core::array::from_fn(|i| match mode {
                    ReductionMode::WeightedAverage => sum[i] + color[i] * weight,
                    ReductionMode::Min => sum[i].min(color[i]),
                    ReductionMode::Max => sum[i].max(color[i]),
                }),
            });
        }
        result.unwrap_or_default()
    }

    /// Returns the colour of one of the texels of a linear filter: along each axis the first or the
    /// second one.
    pub(super) fn corner(&self, level: u32, place: &Place, second: [bool; 3]) -> Color {
        let size = self.size(level);
        let dimensions = self.shape().dimensions;
        if self.is_seamless() {
            let [x, y] = [0, 1].map(|axis| {
                let (numbers, _) = self.axis(axis, size, place).pair(place.coordinates[axis]);
                numbers[usize::from(second[axis])]
            });
            return self.seam(level, [x, y], place);
        }
        let mut index = [Some(0), Some(0), Some(place.layer)];
        for (axis, index) in index.iter_mut().enumerate().take(dimensions) {
            let (pair, _) = self.axis(axis, size, place).linear(place.coordinates[axis]);
            *index = pair[usize::from(second[axis])];
        }
        self.color(level, index, place)
    }

    /// Returns the colour at (`x`, `y`) of a cube face, which may be one texel outside of it.
    fn seam(&self, level: u32, [x, y]: [i64; 2], place: &Place) -> Color {
        let size = i64::from(self.size(level)[0]);
        let (x, y) = (x.clamp(-1, size), y.clamp(-1, size));
        let (first, _) = self.layers();
        let face = (place.layer - first) % 6;
        let cube = place.layer - face;
        let texel = |(face, x, y): (u32, u32, u32)| {
            self.color(level, [Some(x), Some(y), Some(cube + face)], place)
        };
        let (inside_x, inside_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        match (x == inside_x, y == inside_y) {
            (true, true) => texel((face, x as u32, y as u32)),
            (true, false) | (false, true) => texel(cube::across(face, x, y, size)),
            // No texel lies beyond a corner: the mean of the three that meet there.
            (false, false) => {
                let three = [
                    texel((face, inside_x as u32, inside_y as u32)),
                    texel(cube::across(face, x, inside_y, size)),
                    texel(cube::across(face, inside_x, y, size)),
                ];
                core::array::from_fn(|i| three.iter().map(|color| color[i]).sum::<f64>() / 3.0)
            }
        }
    }

    /// Returns the colour of a texel, or of the border; compared where the lookup compares.
    fn color(&self, level: u32, index: [Index; 3], place: &Place) -> Color {
        let bits = match index {
            [Some(x), Some(y), Some(z)] => self.texel(level, [x, y, z]),
            _ => self.border(),
        };
        let integer = |bits: u32| match self.view.format.is_pure_sint() {
            true => f64::from(bits as i32),
            false => f64::from(bits),
        };
        let color = match self.is_integer() {
            true => bits.map(integer),
            false => bits.map(|bits| f64::from(f32::from_bits(bits))),
        };
        let Some(reference) = place.reference else { return color };
        let passes = self.sampler.compare_func.passes(reference, color[0]);
        let passed = if passes { 1.0 } else { 0.0 };
        [passed, passed, passed, 1.0]
    }

    /// Returns the border colour as texels of the format are: absent components are 0 or 1,
    /// normalised ones are clamped.
    fn border(&self) -> [u32; 4] {
        let border = self.sampler.border_color.bits;
        if self.is_integer() {
            return border;
        }
        let desc = self.view.format.desc();
        let sources = desc.color_swizzle();
        core::array::from_fn(|component| {
            let Some(channel) = sources[component].channel() else {
                let one = sources[component] == formats::Swizzle::One;
                return if one { 1.0f32.to_bits() } else { 0 };
            };
            let channel = desc.channels[channel];
            let value = f32::from_bits(border[component]);
            let value = match (channel.kind, channel.normalized) {
                (ChannelKind::Unsigned, true) => value.max(0.0).min(1.0),
                (ChannelKind::Signed, true) => value.max(-1.0).min(1.0),
                _ => value,
            };
            value.to_bits()
        })
    }

    /// Returns component `component`, after the view's swizzle, of the texels (i0, j1), (i1, j1),
    /// (i1, j0) and (i0, j0) of a linear filter in the view's first level.
    pub(super) fn gather(&self, place: &Place, component: u8) -> [u32; 4] {
        // A comparison is the same in the first three components.
        let component = if place.reference.is_some() { 0 } else { usize::from(component & 3) };
        [[false, true], [true, true], [true, false], [false, false]].map(|[x, y]| {
            let color = self.bits(self.corner(0, place, [x, y, false]));
            self.component(color, self.view.swizzle[component])
        })
    }
}
