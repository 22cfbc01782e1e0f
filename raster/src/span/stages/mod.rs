//! Staged spans: whatever the tight loops do not draw, a few pixels of a row at a time, in stages.
//!
//! ```text
//!   depth test ──► colour: constants, planes ──► texels, times the colour
//!                     ──► alpha test ──► depth ──► blend with what is there ──► pack, mask, store
//! ```
//!
//! Each stage is a loop over an array of pixels and decides once what it does, so that kinds of
//! targets, textures and blends add up in flash and do not multiply. Between the stages colours are
//! fixed point, 1.0 being 2²⁴: as fine as the floats of the general path. Texels of 8 bits are
//! nearest to their value, other ones within 2⁻²²; products and sums of blends are rounded once
//! more. What comes out differs from the general path by a step of the target where the exact value
//! lies within some 2⁻¹⁵ of a tie, of means of texels within 2⁻⁴, and nowhere else.

mod bilinear;
mod blend;
mod pixels;
mod planes;

use pipe_core::state::TexWrap;
use pipe_core::surface::Swizzle;
use tgsi::exec::Lanes;

use self::bilinear::Fine;
use self::blend::Blend;
pub(super) use self::pixels::Rows;
use self::pixels::{Axis, Part, Pixels, Texels};
use self::planes::Slopes;
use super::paint::Plane32;
use super::setup::Setup;
use super::{Component, Scratch};
use crate::lanes::{Comparison, TileTargets, UnormLayout, quantise};
use crate::output::{ColorState, Parts};
use crate::resource::Sampler;
use crate::scene::recognised::{Recognised, Source, Texture};
use crate::scene::{DrawRecord, Varying, VaryingMode};
use crate::setup::Bounds;

/// Whether texels of the format are of channels of up to 8 bits: stages look them up and draw them.
pub(super) fn has_bytes(format: formats::Format) -> bool {
    UnormLayout::of(format).is_some_and(|layout| layout.is_bytes())
}

/// Whether stages wrap coordinates so, of texels' means where that is `linear`.
pub(super) fn can_wrap(wrap: TexWrap, linear: bool) -> bool {
    Axis::new(wrap, linear, 1).is_some()
}

/// Returns whether the kernel blends by a target's equation, if it has one.
pub(super) fn can_blend(target: &Parts<'_>) -> bool {
    target.blend.is_none_or(|(equation, _)| blend::Terms::of(equation).is_some())
}

/// 1.0 between the stages.
const ONE: i32 = 1 << 24;

/// Fraction bits in the planes of colours, which so reach from -4 to 4.
const PLANE_BITS: i32 = 27;

/// A value between the stages; `None` if it is not a number, or far from colours.
fn fixed(value: f32) -> Option<i32> {
    (value.abs() < 7.9).then_some((value * ONE as f32) as i32)
}

/// A component of the colour of a draw: the product of what is there.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Product {
    /// A component of texels.
    texel: Option<Part>,
    varying: Option<usize>,
    constant: f32,
    /// The constant as it is between the stages.
    fixed: i32,
}

impl Product {
    /// Whether there is nothing but the texel.
    fn is_texel(&self) -> bool {
        self.texel.is_some() && self.varying.is_none() && self.fixed == ONE
    }
}

/// What the triangles of a draw are painted with, in stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw<'a> {
    color: [Product; 4],
    /// The components that are stored, or that something depends on, a bit each.
    needed: u32,
    texture: Option<(Texels<'a>, [usize; 2])>,
    target: Parts<'a>,
    blend: Option<Blend>,
    /// Function, reference, and whether alpha is clamped before.
    alpha: Option<(Comparison, i32, bool)>,
    /// Nothing varies over a triangle: one word for all its pixels.
    flat: bool,
}

/// A triangle's planes.
struct Planes {
    coordinates: [Plane32; 2],
    /// Fraction bits of the coordinates.
    fraction: [u32; 2],
    /// 1/w in Q2.30; all are in perspective, where there is one.
    w: Option<Plane32>,
    /// The coordinates and 1/w again, where texels are mixed.
    fine: [Fine; bilinear::SLOTS],
    color: [Plane32; 4],
    word: u32,
}

impl<'a> Draw<'a> {
    /// For a draw whose constants are in `rows`. `None`: it is not for this.
    pub(super) fn new<R: Lanes>(
        span: &Recognised,
        record: &DrawRecord,
        varyings: &[Varying],
        rows: &[R],
        samplers: &[Sampler<'a>],
        target: &'a ColorState,
    ) -> Option<Draw<'a>> {
        let target = target.parts()?;
        let mut texture = None;
        let mut layout = None;
        let mut swizzle = Swizzle::IDENTITY;
        if let Some(Texture { binding, s, t, wrap, linear, swizzle: of_view }) = span.texture {
            let sampler = samplers.get(usize::from(binding))?;
            let of_texels = sampler.layout().filter(|layout| layout.is_bytes())?;
            let texels = Texels::new(sampler.base()?, of_texels.bytes, wrap, linear)?;
            if linear && !texels.is_whole() {
                return None;
            }
            texture = Some((texels, [s.into(), t.into()]));
            (layout, swizzle) = (Some(of_texels), of_view);
        }
        let mut needed = 0;
        for component in 0..4 {
            needed |= u32::from(target.layout.channel(component).2) << component;
        }
        if record.alpha.is_some() || target.blend.is_some() {
            needed |= 8;
        }
        let product = |source: Source| {
            let row = source.uniform.index().and_then(|row| rows.get(row));
            let bits = row.and_then(|lanes| lanes.as_slice().first()).copied();
            let constant = bits.map_or(1.0, f32::from_bits);
            let fixed = fixed(constant)?;
            let texel = match (source.texel, layout) {
                (Some(component), Some(layout)) => {
                    Some(Part::of(layout, *swizzle.get(usize::from(component))?))
                }
                _ => None,
            };
            Some(Product { texel, varying: source.varying.map(usize::from), constant, fixed })
        };
        let [r, g, b, a] = span.color;
        let mut color = [product(r)?, product(g)?, product(b)?, product(a)?];
        for (component, product) in color.iter_mut().enumerate() {
            // What is stored as it is: constants often lie on ties, which the general path decides.
            let as_it_is = product.texel.is_none() && product.varying.is_none();
            let (_, max, stored) = target.layout.channel(component);
            if as_it_is && stored && target.blend.is_none() && record.alpha.is_none() {
                product.constant = quantise(product.constant, max as f32) as f32 / max as f32;
                product.fixed = (product.constant * ONE as f32) as i32;
            }
        }
        let alpha = match record.alpha {
            None => None,
            Some((func, reference)) => {
                Some((Comparison::new(func), fixed(reference)?, record.clamp_color))
            }
        };
        let is_flat = |product: &Product| {
            let mode = product.varying.and_then(|index| varyings.get(index)).map(|v| v.mode);
            product.texel.is_none() && mode.is_none_or(|mode| mode == VaryingMode::Flat)
        };
        let flat = color.iter().all(is_flat) && alpha.is_none() && target.blend.is_none();
        let blend = match target.blend {
            None => None,
            Some((equation, constant)) => Some(Blend::new(equation, constant, target.layout)?),
        };
        Some(Draw { color, needed, texture, target, blend, alpha, flat })
    }

    /// Paints what a triangle covers; `false` if it must be drawn the general way.
    #[expect(clippy::too_many_arguments, reason = "a triangle's and a tile's, and nothing twice")]
    pub(super) fn triangle(
        &self,
        at: &Setup<'_, '_>,
        points: &[[i32; 2]; 3],
        record: &DrawRecord,
        Scratch { runs, fresh, rows, .. }: &mut Scratch,
        region: &Bounds,
        (x, y): (i32, i32),
        z: &Plane32,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let slopes = Slopes::new(points, record.rule.center(), (region.x0, region.y0));
        let Some(planes) = self.planes(at, &slopes) else { return false };
        let TileTargets { color: [Some(color), ..], depth, .. } = targets else { return true };
        let mut pixels = Pixels { draw: self, planes: &planes, target: color, depth: None, rows };
        if let Some(test) = record.depth.plain() {
            let Some(target) = depth else { return true };
            pixels.depth = Some((test, target));
        }
        for row in 0..region.y1 - region.y0 {
            let (mut left, right) = runs.row(row);
            if left < right {
                fresh.touch(region.y0 - y + row);
            }
            while left < right {
                let count = (right - left).min(pixels::COUNT as i32);
                let place = (region.x0 - x + left, region.y0 - y + row);
                pixels.draw(place, count as usize, (left, row), z);
                left += count;
            }
        }
        true
    }

    /// Sets a triangle up; `None` if its values are too great, or w changes too much.
    #[inline(never)]
    fn planes(&self, at: &Setup<'_, '_>, slopes: &Slopes) -> Option<Planes> {
        let mut planes = Planes {
            coordinates: [Plane32::default(); 2],
            fraction: [0; 2],
            w: None,
            fine: Default::default(),
            color: [Plane32::default(); 4],
            word: 0,
        };
        if self.flat {
            for (component, product) in self.color.iter().enumerate() {
                let (shift, max, stored) = self.target.layout.channel(component);
                if stored {
                    planes.word |= quantise(self.corners(at, product)[0], max as f32) << shift;
                }
            }
            return Some(planes);
        }
        let mut ws = None;
        let [a, b, c] = at.w.map(f32::to_bits);
        if at.painter.perspective && (a != b || b != c) {
            let mut w = all_fixed(at.w, planes::fraction(&at.w))?;
            for w in &mut w {
                // Up to 1/16 of 2³⁰, which the largest is just below.
                *w <<= 1;
                if *w < 1 << 26 {
                    return None;
                }
            }
            ws = Some(w);
            match planes.fine.first_mut() {
                Some(fine) if self.is_bilinear() => fine.w = Some(slopes.fine(w)),
                _ => planes.w = Some(slopes.plane(w)),
            }
        }
        let over_w = |values: [i32; 3]| match ws {
            None => values,
            Some(w) => {
                [0, 1, 2].map(|i: usize| ((i64::from(values[i]) * i64::from(w[i])) >> 30) as i32)
            }
        };
        if let Some((texels, varyings)) = &self.texture {
            for (axis, varying) in varyings.iter().enumerate() {
                let values = at.component(Component::Varying(*varying));
                let fraction = planes::fraction(&values).min(planes::BITS);
                let values = all_fixed(values, fraction)?;
                let (size, bits) = texels.axes[axis].scale();
                let fraction = fraction - bits;
                if fraction < if texels.linear { bilinear::LEAST_FRACTION } else { 1 } {
                    return None;
                }
                let values = values.map(|value| ((i64::from(value) * size) >> bits) as i32);
                planes.fraction[axis] = fraction as u32;
                match planes.fine.first_mut() {
                    Some(fine) if texels.linear => {
                        fine.coordinates[axis] = slopes.fine(over_w(values));
                    }
                    _ => planes.coordinates[axis] = slopes.plane(over_w(values)),
                }
            }
        }
        for component in 0..4 {
            let product = &self.color[component];
            if product.varying.is_none() || self.needed >> component & 1 == 0 {
                continue;
            }
            let same = |other: &Product| {
                (other.varying, other.constant.to_bits())
                    == (product.varying, product.constant.to_bits())
            };
            if let Some(before) = self.color[..component].iter().position(same)
                && self.needed >> before & 1 != 0
            {
                planes.color[component] = planes.color[before];
                continue;
            }
            let values = all_fixed(self.corners(at, product), PLANE_BITS)?;
            planes.color[component] = slopes.plane(over_w(values));
        }
        Some(planes)
    }

    /// Whether texels are mixed.
    fn is_bilinear(&self) -> bool {
        bilinear::SLOTS != 0 && self.texture.as_ref().is_some_and(|(texels, _)| texels.linear)
    }

    /// What a component has at the corners, besides the texel.
    fn corners(&self, at: &Setup<'_, '_>, product: &Product) -> [f32; 3] {
        let Some(varying) = product.varying else { return [product.constant; 3] };
        let values = at.component(Component::Varying(varying));
        if product.constant.to_bits() == 1.0f32.to_bits() {
            return values;
        }
        values.map(|value| value * product.constant)
    }
}

/// Three floats as integers.
fn all_fixed([a, b, c]: [f32; 3], fraction: i32) -> Option<[i32; 3]> {
    let fixed = |value| planes::fixed(value, fraction);
    Some([fixed(a)?, fixed(b)?, fixed(c)?])
}
