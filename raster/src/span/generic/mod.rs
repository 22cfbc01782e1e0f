//! The generic kernel: paints every draw that `rgb565` does not take, a few pixels of a row at a
//! time, in passes.
//!
//! ```text
//!   depth test ──► colour: constants, planes ──► texels, times the colour
//!                     ──► alpha test ──► depth ──► blend with the target ──► pack, mask, store
//! ```
//!
//! Each pass is a loop over an array of pixels that decides once which loop to run, so that the
//! flash for kinds of targets, textures and blends adds up and does not multiply. Between the
//! passes colours are fixed point, with 1.0 as 2²⁴: as fine as the floats of the general path.
//! Texels of 8 bits have the nearest value, all other texels lie within 2⁻²² of it. Products and
//! sums of blends are rounded once more. A pixel differs from the general path's only if the exact
//! value lies within some 2⁻¹⁵ of a tie, or 2⁻⁴ with means of texels, and then by one step of the
//! target.

mod bilinear;
mod blend;
mod channel;
mod composed;
mod pixels;
mod planes;
mod sprite;
mod texels;

use formats::Format;
use pipe_core::surface::Swizzle;
use tgsi::exec::Lanes;

use self::bilinear::Fine;
use self::blend::Blend;
use self::channel::ChannelLayout;
use self::pixels::Pixels;
pub(super) use self::pixels::RowBuffers;
use self::planes::Slopes;
use self::sprite::{SPRITES, Sprite};
use self::texels::{Axis, Texels};
use super::attributes::Attributes;
use super::float_planes::FloatPlanes;
use super::recognise::Candidate;
use super::{Corners, DrawInputs, PaintTriangle, Scratch, SpanKernel, TileTriangle, Window};
use crate::depth::{Occlusion, Plain};
use crate::features::{Case, FRAGMENTS, SPANS_565, SPANS_ALL_TARGETS, SPANS_BILINEAR};
use crate::lanes::{Comparison, TileTargets, UnormLayout, quantise};
use crate::output::{ColorState, Parts};
use crate::resource::TextureBinding;
use crate::scene::recognised::{Kernel, Lookup, Recognised, Source};
use crate::scene::{DrawRecord, Varying, VaryingMode};
use crate::setup::{FillRule, Plane32};

/// Returns true if the format's channels have at most 8 bits.
fn has_bytes(format: Format) -> bool {
    UnormLayout::of(format).is_some_and(|layout| layout.is_bytes())
}

/// Returns true if the kernel draws to targets of the format.
fn is_target(format: Format) -> bool {
    (SPANS_ALL_TARGETS || format.block_bytes() == 1) && has_bytes(format)
}

impl SpanKernel for Generic<'_> {
    fn is_target(format: Format) -> bool {
        is_target(format)
    }

    #[inline(always)]
    fn takes(draw: &Candidate<'_>) -> Option<Kernel> {
        let Candidate { record, target, alpha, lookup, textures, .. } = *draw;
        let fits = takes(record, target, lookup, textures) && alpha.is_some();
        Case::new(()).filter(|_| fits).map(Kernel::Generic)
    }
}

/// Returns true if the kernel takes a draw's state. Its program must have been recognised.
#[inline(always)]
fn takes(
    record: &DrawRecord,
    target: &ColorState,
    lookup: Option<&Lookup>,
    textures: &[TextureBinding],
) -> bool {
    let blends = |target: &Parts<'_>| {
        target.blend.is_none_or(|(equation, _)| blend::Terms::of(equation).is_some())
    };
    let binding = lookup.and_then(|lookup| textures.get(usize::from(lookup.binding)));
    is_target(target.format)
        && record.alpha.is_none_or(|(_, reference)| !reference.is_nan())
        && target.parts().as_ref().is_some_and(blends)
        && (record.depth.is_none() || record.depth.plain().is_some())
        && binding.zip(lookup).is_none_or(|(binding, Lookup { wrap, linear, mipmapped, .. })| {
            let mut axes = wrap.iter().zip(binding.view.sides);
            has_bytes(binding.view.format)
                && !mipmapped
                && (!linear || SPANS_BILINEAR)
                && axes.all(|(wrap, side)| Axis::new(*wrap, *linear, side).is_some())
        })
}

/// 1.0 between the passes.
const ONE: i32 = 1 << 24;

/// The fraction bits in the planes of colours, which therefore reach from -4 to 4.
const PLANE_BITS: i32 = 27;

/// Converts a value to the fixed point between the passes; `None` if it is NaN or beyond ±7.9.
fn fixed(value: f32) -> Option<i32> {
    (value.abs() < 7.9).then(|| os_shim::math::to_i32(value * ONE as f32))
}

/// A component of a draw's colour: the product of the factors that are present.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Product {
    /// A component of the texel.
    texel: Option<ChannelLayout>,
    varying: Option<usize>,
    constant: f32,
    /// The constant in the fixed point between the passes.
    fixed: i32,
}

impl Product {
    /// Returns true if the component is the texel's component alone.
    fn is_texel(&self) -> bool {
        self.texel.is_some() && self.varying.is_none() && self.fixed == ONE
    }

    /// Rounds the constant to a step of the target's channel, as the general path does; `max` is
    /// the channel's largest integer. Constants often lie on ties.
    fn quantise_constant(&mut self, max: u32) {
        self.constant = quantise(self.constant, max as f32) as f32 / max as f32;
        self.fixed = os_shim::math::to_i32(self.constant * ONE as f32);
    }
}

/// The planes of a triangle in floats: two coordinates, then the colour.
const FLOATS: usize = COLOR + 4;

/// The number of the first component among the planes in floats.
const COLOR: usize = 2;

/// A draw's texture, and the varyings that give its coordinates.
#[derive(Clone, Copy, Debug)]
struct Texture<'a> {
    texels: Texels<'a>,
    coordinates: [usize; 2],
}

impl<'a> Texture<'a> {
    /// Prepares a draw's lookups, and the texel's components in the order of the view's swizzle;
    /// `None` if the texture does not fit.
    fn of<R: Lanes>(
        lookup: Lookup,
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<(Texture<'a>, [ChannelLayout; 4])> {
        let Lookup { binding, s, t, wrap, linear, swizzle, .. } = lookup;
        let sampler = inputs.samplers.get(usize::from(binding))?;
        let layout = sampler.layout().filter(|layout| layout.is_bytes())?;
        let texels = Texels::new(sampler.base()?, layout.bytes, wrap, linear)?;
        #[cfg(palettes)]
        let texels = Texels { indexed: sampler.indexed(), ..texels };
        if linear && !texels.is_whole() {
            return None;
        }
        let channels = swizzle.map(|of: Swizzle| ChannelLayout::of(layout, of));
        Some((Texture { texels, coordinates: [s.into(), t.into()] }, channels))
    }
}

/// The colours, the texture and the tests of a draw.
///
/// `IN_FLOATS`: triangles that integer planes cannot hold are painted in floats, not left to the
/// general path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generic<'a, const IN_FLOATS: bool = { !FRAGMENTS }> {
    color: [Product; 4],
    /// A bit for each component that is stored, tested or blended with.
    needed: u32,
    /// True if integer planes hold no triangle in perspective: some varyings are linear.
    mixed: bool,
    /// True if integers hold no triangle's colours: a constant is too great.
    beyond: bool,
    texture: Option<Texture<'a>>,
    target: Parts<'a>,
    blend: Option<Blend>,
    /// The path of means of texels of 16 bits, if the draw takes it.
    sprite: Option<Sprite>,
    /// Function and reference of the alpha test, and true if alpha is clamped first.
    alpha: Option<(Comparison, i32, bool)>,
    /// True if a triangle's pixels all have one word.
    flat: bool,
    varyings: &'a [Varying],
    depth: Option<Plain>,
    occlusion: Occlusion,
    /// True if any varying is in perspective.
    perspective: bool,
}

/// A triangle's planes.
#[derive(Default)]
struct Planes {
    /// The coordinates and the varyings of the components, if integers cannot hold them and there
    /// is no general path. The other planes are then not used.
    floats: Option<FloatPlanes<FLOATS>>,
    coordinates: [Plane32; 2],
    /// The fraction bits of the coordinates.
    fraction: [u32; 2],
    /// 1/w in Q2.30; `None`: no plane is in perspective.
    w: Option<Plane32>,
    /// The coordinates and 1/w for means of texels, instead of `coordinates` and `w`.
    fine: [Fine; bilinear::SLOTS],
    color: [Plane32; 4],
    /// The target's word of a flat triangle.
    word: u32,
}

impl<'a> Generic<'a> {
    /// Makes the kernel for a draw; `None` if its texture or blending does not fit.
    pub(super) fn new<R: Lanes>(
        span: &Recognised,
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<Generic<'a>> {
        let record = inputs.record;
        let target = inputs.target?.parts()?;
        let texture = match span.lookup {
            None => None,
            Some(lookup) => Some(Texture::of(lookup, inputs)?),
        };
        let mut beyond = false;
        let mut product = |source: Source| {
            let constant = inputs.uniform(source.uniform).unwrap_or(1.0);
            let texel = match (source.texel, &texture) {
                (Some(component), Some((_, channels))) => {
                    Some(*channels.get(usize::from(component))?)
                }
                _ => None,
            };
            let varying = source.varying.map(usize::from);
            let integer = fixed(constant);
            beyond |= integer.is_none();
            Some(Product { texel, varying, constant, fixed: integer.unwrap_or(0) })
        };
        let [r, g, b, a] = span.color;
        let mut color = [product(r)?, product(g)?, product(b)?, product(a)?];
        let is_stored_as_it_is = target.blend.is_none() && record.alpha.is_none();
        let mut needed = if is_stored_as_it_is { 0 } else { 8 };
        for (component, product) in color.iter_mut().enumerate() {
            let (_, max, stored) = target.layout.channel(component);
            needed |= u32::from(stored) << component;
            let is_constant = product.texel.is_none() && product.varying.is_none();
            if is_constant && stored && is_stored_as_it_is {
                product.quantise_constant(max);
            }
        }
        let is_flat = |product: &Product| {
            let mode = product.varying.map(|index| inputs.mode(index));
            product.texel.is_none() && mode.is_none_or(|mode| mode == VaryingMode::Flat)
        };
        let blend = match target.blend {
            None => None,
            Some((equation, constant)) => Some(Blend::new(equation, constant, target.layout)?),
        };
        let alpha = match record.alpha {
            None => None,
            Some((func, reference)) => {
                let reference = os_shim::math::to_i32(reference * ONE as f32);
                Some((Comparison::new(func), reference, record.clamp_color))
            }
        };
        let layout = span.lookup.filter(|it| SPRITES && it.linear && record.alpha.is_none());
        let layout = layout.and_then(|lookup| {
            inputs.samplers.get(usize::from(lookup.binding)).and_then(|it| it.layout())
        });
        let sprite = match (&texture, layout) {
            (Some((texture, channels)), Some(layout)) if !texture.texels.has_palette() => {
                Sprite::of(layout, channels, &color, &target, blend.as_ref())
            }
            _ => None,
        };
        Some(Generic {
            sprite,
            flat: color.iter().all(is_flat) && is_stored_as_it_is,
            color,
            needed,
            mixed: super::is_mixed(inputs.varyings),
            beyond,
            texture: texture.map(|(texture, _)| texture),
            target,
            blend,
            alpha,
            varyings: inputs.varyings,
            depth: record.depth.plain(),
            occlusion: inputs.occlusion(),
            perspective: inputs.is_perspective(),
        })
    }

    /// Paints the pixels of a tile that a triangle covers; `false` if it must take the general
    /// path.
    ///
    /// This function has no parameters, so it is compiled with this crate's functions in reach.
    #[inline(never)]
    pub(super) fn triangle(
        &self,
        corners: &Corners<'_>,
        rule: FillRule,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        self.solve_and_paint(corners, &rule, window, scratch, targets)
    }
}

impl<const IN_FLOATS: bool> Generic<'_, IN_FLOATS> {
    /// Sets up a triangle; `None` if its values are too great, or w changes too much.
    #[inline(never)]
    fn planes(&self, corners: &Attributes<'_>, w: &[f32; 3], slopes: &Slopes) -> Option<Planes> {
        let mut planes = Planes::default();
        if self.flat {
            planes.word = self.flat_word(corners);
            return Some(planes);
        }
        let mut ws = None;
        let [a, b, c] = w.map(f32::to_bits);
        if self.beyond {
            return None;
        }
        if self.perspective && (a != b || b != c) {
            if self.mixed {
                return None;
            }
            let w = normalised(w)?;
            ws = Some(w);
            match planes.fine.first_mut() {
                Some(fine) if self.is_bilinear() => fine.w = Some(slopes.fine(w)),
                _ => planes.w = Some(slopes.plane(w)),
            }
        }
        let over_w = |values: [i32; 3]| match &ws {
            None => values,
            Some(w) => times_w(values, w),
        };
        if let Some(texture) = &self.texture {
            texture.planes(corners, slopes, over_w, &mut planes)?;
        }
        self.color_planes(corners, slopes, over_w, &mut planes.color)?;
        Some(planes)
    }

    /// Sets up a triangle in floats.
    #[cold]
    #[inline(never)]
    fn planes_in_floats(&self, corners: &Attributes<'_>, triangle: &TileTriangle<'_>) -> Planes {
        let &TileTriangle { gradient, region, w, .. } = triangle;
        let place = [region.x0 - gradient.x, region.y0 - gradient.y];
        let floats = FloatPlanes::new(gradient, place, w, FLOATS, |index| {
            let varying = match (index.checked_sub(COLOR), &self.texture) {
                (Some(component), _) => self.color.get(component).and_then(|it| it.varying),
                (None, Some(texture)) => texture.coordinates.get(index).copied(),
                (None, None) => None,
            };
            let Some(varying) = varying else { return Default::default() };
            (varying_at_corners(corners, varying), corners.is_perspective(varying))
        });
        Planes { floats: Some(floats), ..Planes::default() }
    }

    /// Returns the target's word of a flat triangle.
    #[inline(always)]
    fn flat_word(&self, corners: &Attributes<'_>) -> u32 {
        let mut word = 0;
        for (component, product) in self.color.iter().enumerate() {
            let (shift, max, stored) = self.target.layout.channel(component);
            if stored {
                word |= quantise(at_corners(corners, product)[0], max as f32) << shift;
            }
        }
        word
    }

    /// Derives the planes of the needed components that vary.
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and `before` is one of them"
    )]
    fn color_planes(
        &self,
        corners: &Attributes<'_>,
        slopes: &Slopes,
        over_w: impl Fn([i32; 3]) -> [i32; 3],
        planes: &mut [Plane32; 4],
    ) -> Option<()> {
        for component in 0..4 {
            let product = &self.color[component];
            if product.varying.is_none() || self.needed >> component & 1 == 0 {
                continue;
            }
            let is_equal = |other: &Product| {
                (other.varying, other.constant.to_bits())
                    == (product.varying, product.constant.to_bits())
            };
            if let Some(before) = self.color[..component].iter().position(is_equal)
                && self.needed >> before & 1 != 0
            {
                planes[component] = planes[before];
                continue;
            }
            let values = all_fixed(at_corners(corners, product), PLANE_BITS)?;
            planes[component] = slopes.plane(over_w(values));
        }
        Some(())
    }

    /// Returns true if lookups take means of texels.
    fn is_bilinear(&self) -> bool {
        bilinear::SLOTS != 0 && self.texture.as_ref().is_some_and(|texture| texture.texels.linear)
    }
}

impl<const IN_FLOATS: bool> PaintTriangle for Generic<'_, IN_FLOATS> {
    type State = FillRule;

    #[inline(always)]
    fn rule(rule: &FillRule) -> FillRule {
        *rule
    }

    #[inline(always)]
    fn depth(&self, _: &FillRule) -> (&Occlusion, bool) {
        (&self.occlusion, self.depth.is_some())
    }

    #[inline(always)]
    fn paint(
        &self,
        triangle: &TileTriangle<'_>,
        corners: &Corners<'_>,
        rule: &FillRule,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let mut attributes = Attributes::new(corners, self.varyings);
        attributes.read();
        let region = triangle.region;
        let slopes = Slopes::new(triangle.points, rule.center(), (region.x0, region.y0));
        let planes = match self.planes(&attributes, &triangle.w, &slopes) {
            Some(planes) => planes,
            None if !IN_FLOATS => return false,
            None => self.planes_in_floats(&attributes, triangle),
        };
        let mut z = *triangle.z;
        if !FRAGMENTS && slopes.parallel {
            z = thin_depth(&slopes, triangle.depths);
        }
        let TileTargets { color: [Some(color), ..], depth, .. } = targets else { return true };
        let Scratch { runs, row: rows, cleared_depth, .. } = scratch;
        let Some(rows) = rows.get_mut() else { return true };
        let mut pixels = Pixels { kernel: self, planes: &planes, target: color, depth: None, rows };
        if let Some(test) = &self.depth {
            let Some(target) = depth else { return true };
            pixels.depth = Some((test, target));
        }
        let (x, y) = (window.tile.x0, window.tile.y0);
        for row in 0..region.y1 - region.y0 {
            let (mut left, right) = runs.row(row);
            if pixels.sprite((region.x0 - x + left, region.y0 - y + row), right - left, (left, row))
            {
                continue;
            }
            if SPANS_565 && left < right {
                cleared_depth.touch(region.y0 - y + row);
            }
            while left < right {
                let count = (right - left).min(pixels::COUNT as i32);
                let place = (region.x0 - x + left, region.y0 - y + row);
                pixels.draw(place, count as usize, (left, row), &z);
                left += count;
            }
        }
        true
    }
}

impl Texture<'_> {
    /// Derives the planes of the coordinates, in texels; `None` if they reach too far for the
    /// fraction that a lookup needs.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "there are two axes")]
    fn planes(
        &self,
        corners: &Attributes<'_>,
        slopes: &Slopes,
        over_w: impl Fn([i32; 3]) -> [i32; 3],
        planes: &mut Planes,
    ) -> Option<()> {
        let Texture { texels, coordinates, .. } = self;
        for (axis, varying) in coordinates.iter().enumerate() {
            let values = varying_at_corners(corners, *varying);
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
        Some(())
    }
}

/// Returns the plane of depth (Q2.30) over a triangle with sides that are nearly parallel. In floats,
/// digits cancel there.
#[cold]
#[inline(never)]
fn thin_depth(slopes: &Slopes, depths: [f32; 3]) -> Plane32 {
    let Plane32 { value, dx, dy } = slopes.plane(all_fixed(depths, 28).unwrap_or_default());
    Plane32 { value: value << 2, dx: dx << 2, dy: dy << 2 }
}

/// Returns the product of a component's factors at the corners, without the texel.
fn at_corners(corners: &Attributes<'_>, product: &Product) -> [f32; 3] {
    let Some(varying) = product.varying else { return [product.constant; 3] };
    let values = varying_at_corners(corners, varying);
    if product.constant.to_bits() == 1.0f32.to_bits() {
        return values;
    }
    values.map(|value| value * product.constant)
}

#[inline(never)]
fn varying_at_corners(corners: &Attributes<'_>, varying: usize) -> [f32; 3] {
    corners.varying(varying)
}

/// Returns the corners' values over w, with 1/w in Q2.30.
#[inline(never)]
fn times_w([a, b, c]: [i32; 3], [u, v, w]: &[i32; 3]) -> [i32; 3] {
    let times = |value: i32, w: i32| ((i64::from(value) * i64::from(w)) >> 30) as i32;
    [times(a, *u), times(b, *v), times(c, *w)]
}

/// Converts 1/w of the corners to Q2.30, shifted left until the greatest is just below 1; `None` if
/// one is below 1/16.
fn normalised(w: &[f32; 3]) -> Option<[i32; 3]> {
    let w = all_fixed(*w, planes::fraction(w))?.map(|w| w << 1);
    w.iter().all(|w| *w >= 1 << 26).then_some(w)
}

/// Converts three floats to integers of `fraction` bits; `None` if one is too great.
fn all_fixed([a, b, c]: [f32; 3], fraction: i32) -> Option<[i32; 3]> {
    let fixed = |value| planes::fixed(value, fraction);
    Some([fixed(a)?, fixed(b)?, fixed(c)?])
}
