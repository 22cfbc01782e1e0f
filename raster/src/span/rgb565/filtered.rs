//! Means of texels, in one mip level or between two, times a colour.
//!
//! ```text
//!   s and t in floats ──► texels of the base level, Q19.12 ──────────────┐
//!   λ of four pixels in a row, at their middle ──► a level, or two ──────┴─► four texels of each,
//!     8-bit weights ──► mean, Q6.16 ──► mixed with the next level's ──► times the colour ──► word
//! ```
//!
//! Two texels above each other share a word, so that one 32-bit product weighs a channel of both.
//! Weights are rounded down to 2⁻⁸ along an axis and between levels, and the general path computes
//! λ once per quad. So a pixel differs from the general path's by a step of the target where these
//! differences move a value over a tie.

use os_shim::math::{floor, to_i32};
use tgsi::exec::Lanes;

use super::Component;
use super::setup::{MAX, Setup};
use super::shade::masked;
use crate::features::FRAGMENTS;
use crate::lanes::{Level, quantise};
use crate::scene::recognised::Lookup;
use crate::span::DrawInputs;
use crate::span::float_planes::FloatPlanes;
use crate::texture::LodRule;

/// The fraction bits of coordinates.
const FRACTION: u32 = 12;

/// The bits of a weight.
const BITS: u32 = 8;

/// 1.0 in a mean: two weights multiply.
const ONE: u32 = 1 << (2 * BITS);

/// The number of pixels in a row, aligned to the picture's grid, that share one λ. Four keep λ
/// within a quarter of a level even if 1/w changes 16-fold over 64 pixels.
const GROUP: i32 = 4;

/// The middle of a group, from its first pixel.
const MIDDLE: f32 = 0.5 * (GROUP - 1) as f32;

/// The indices of s, t and the colour among a triangle's planes.
const S: usize = 0;
const T: usize = 1;
const COLOR: usize = 2;

/// The greatest coordinate, in texels of the base level, that fits in 32 bits with its fraction.
const REACH: f32 = (1u32 << (30 - FRACTION)) as f32;

/// The factor that a mean is multiplied by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Factor {
    /// No colour.
    One,
    /// The same component for all channels.
    Grey,
    /// One component per channel.
    Color,
}

impl Factor {
    fn of(color: &[Component; 3]) -> Factor {
        let is_same = |a: &Component, b: &Component| match (a, b) {
            (Component::Constant(a), Component::Constant(b)) => a.to_bits() == b.to_bits(),
            (Component::Varying(a), Component::Varying(b)) => a == b,
            (Component::Constant(_), Component::Varying(_))
            | (Component::Varying(_), Component::Constant(_)) => false,
        };
        let [red, green, blue] = color;
        if !is_same(red, green) || !is_same(red, blue) {
            return Factor::Color;
        }
        if is_same(red, &Component::Constant(1.0)) { Factor::One } else { Factor::Grey }
    }

    /// Returns the number of planes.
    fn planes(self) -> usize {
        match self {
            Factor::One => 0,
            Factor::Grey => 1,
            Factor::Color => 3,
        }
    }
}

/// A draw's texture and colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter<'a> {
    levels: &'a [Level<'a>],
    rule: LodRule,
    /// The varyings that give the coordinates.
    coordinates: [usize; 2],
    color: [Component; 3],
    factor: Factor,
}

impl<'a> Filter<'a> {
    /// Takes a draw's texture; `None` if it has none.
    pub(super) fn of<R: Lanes>(
        lookup: Lookup,
        color: [Component; 3],
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<Filter<'a>> {
        let (levels, rule) = inputs.samplers.get(usize::from(lookup.binding))?.mip_levels()?;
        let coordinates = [lookup.s.into(), lookup.t.into()];
        Some(Filter { levels, rule, coordinates, color, factor: Factor::of(&color) })
    }

    /// Takes the first of `levels`; the first two varyings are the coordinates.
    pub(super) fn of_level(levels: &'a [Level<'a>], color: [Component; 3]) -> Filter<'a> {
        let (rule, coordinates) = (LodRule::LINEAR, [0, 1]);
        Filter { levels, rule, coordinates, color, factor: Factor::of(&color) }
    }

    /// Views a level; a missing level, or one that is being drawn to, has no texels.
    #[inline(always)]
    fn level(&self, index: u32) -> FilteredLevel<'a> {
        let level = self.levels.get(index as usize).copied().unwrap_or_default();
        FilteredLevel {
            texels: bytemuck::try_cast_slice(level.bytes).unwrap_or(&[]),
            log2_width: level.width.trailing_zeros() & 31,
            shift: (index + FRACTION - BITS) & 31,
        }
    }
}

/// A mip level for filtering. Its rows must follow each other without a gap.
#[derive(Clone, Copy)]
struct FilteredLevel<'a> {
    texels: &'a [u16],
    log2_width: u32,
    /// The number of bits by which to shift coordinates of the base level down.
    shift: u32,
}

impl FilteredLevel<'_> {
    /// Returns the means of red, green and blue around a place in the base level; [`ONE`] is a step
    /// of the texture.
    #[inline(always)]
    fn mean(&self, s: i32, t: i32) -> [u32; 3] {
        let half = 1 << (BITS - 1);
        let (s, t) = ((s >> self.shift) - half, (t >> self.shift) - half);
        let weight = |at: i32| at as u32 & ((1 << BITS) - 1);
        let (right, below) = (weight(s), weight(t));
        let [u, v] = [s, t].map(|at| (at >> BITS) as u32);
        let last = (1u32 << self.log2_width) - 1;
        let (u0, u1) = (u & last, u.wrapping_add(1) & last);
        // The mask of an index wraps rows, too.
        let (top, bottom) = (v << self.log2_width, v.wrapping_add(1) << self.log2_width);
        let texel = |row: u32, column: u32| u32::from(masked(self.texels, (row | column) as usize));
        let column = |u: u32| texel(top, u) | texel(bottom, u) << 16;
        let (first, second) = (column(u0), column(u1));
        [(11, 31), (5, 63), (0, 31)].map(|(shift, max)| {
            let channel = |column: u32| column >> shift & (max << 16 | max);
            // Along s in both halves of a word, because neither half overflows; then along t.
            let both = mix(channel(first), channel(second), right);
            mix(both & 0xffff, both >> 16, below)
        })
    }
}

/// Returns `a` and `b` mixed by the weight of `b`, times 2⁸. The sum is never negative, also in
/// each half of a word.
#[inline(always)]
fn mix(a: u32, b: u32, weight: u32) -> u32 {
    (a << BITS).wrapping_add(b.wrapping_sub(a).wrapping_mul(weight))
}

/// Rows of means over a triangle.
pub(super) struct FilteredRows<'f, 'a> {
    filter: &'f Filter<'a>,
    /// s and t in texels of the base level times 2¹², and the colour.
    planes: FloatPlanes<5>,
    /// True if s and t are over w.
    perspective: bool,
    /// The periods of s and t, if they may reach beyond 32 bits.
    periods: Option<[f32; 2]>,
    /// The level and the next level's weight, if they are the same for all pixels.
    constant: Option<(u32, f32)>,
    /// The picture's column at the region's first pixel.
    left: i32,
}

impl<'f, 'a> FilteredRows<'f, 'a> {
    /// Derives the planes; `w` is 1/w of the corners. Returns `None` if the triangle must take the
    /// general path: its coordinates reach too far, and the path exists.
    #[inline(never)]
    pub(super) fn new(
        filter: &'f Filter<'a>,
        setup: &Setup<'_, '_>,
        w: [f32; 3],
        left: i32,
    ) -> Option<FilteredRows<'f, 'a>> {
        let base = filter.levels.first()?;
        let [s, t] = filter.coordinates;
        let over_w = |varying| !setup.is_linear() && setup.attributes.is_perspective(varying);
        let perspective = over_w(s);
        let mut is_far = false;
        let mut values = [([0.0; 3], perspective); COLOR + 3];
        let axes = [(s, base.width), (t, base.height)];
        for ((values, _), (varying, size)) in values.iter_mut().zip(axes) {
            *values = setup.coordinate(varying, size.trailing_zeros() & 31);
            // NaN fails this comparison.
            is_far |= !values.iter().all(|value| value.abs() < REACH);
            values.iter_mut().for_each(|value| *value *= (1 << FRACTION) as f32);
        }
        if FRAGMENTS && is_far {
            return None;
        }
        for (value, component) in values.iter_mut().skip(COLOR).zip(filter.color) {
            let is_over_w = matches!(component, Component::Varying(varying) if over_w(varying));
            *value = (setup.component(component), is_over_w);
        }
        let count = COLOR + filter.factor.planes();
        let value = |index| values.get(index).copied().unwrap_or_default();
        let planes = setup.float_planes(w, count, value);
        let constant = filter.rule.constant_levels();
        let period = |log2: u32| (1u32 << (log2 + FRACTION)) as f32;
        let periods = [base.width, base.height].map(|size| period(size.trailing_zeros() & 15));
        let periods = (!FRAGMENTS && is_far).then_some(periods);
        Some(FilteredRows { filter, planes, perspective, periods, constant, left })
    }

    /// Writes the colours of pixels in a row; `from` is the first pixel's column and row, relative
    /// to the region's first pixel.
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let (y, mut x) = self.planes.row(from);
        let mut column = self.left + from.0;
        let mut rest = pixels;
        while !rest.is_empty() {
            let start = column & (GROUP - 1);
            let (levels, next) = match self.constant {
                Some(levels) => (levels, rest.len() as i32),
                None => (self.levels((x - start) as f32 + MIDDLE, y), GROUP - start),
            };
            let count = rest.len().min(next as usize);
            let Some((pixels, others)) = rest.split_at_mut_checked(count) else { return };
            if !FRAGMENTS && self.periods.is_some() {
                self.far_group(pixels, (x, y), levels);
            } else if !self.perspective && self.filter.factor == Factor::One && levels.1 == 0.0 {
                self.plain(pixels, (x, y), levels.0);
            } else {
                self.group::<false>(pixels, (x, y), levels);
            }
            (x, column, rest) = (x + count as i32, column + count as i32, others);
        }
    }

    /// Returns s and t at a place in the picture, in texels of the base level times 2¹²; if they
    /// may be `FAR`, in the texture's first period.
    #[inline(always)]
    fn coordinates<const FAR: bool>(&self, at: [f32; 2], w: Option<f32>) -> [i32; 2] {
        let mut coordinates = self.planes.first_two(at, w);
        if let Some(periods) = self.periods.filter(|_| FAR) {
            for (coordinate, period) in coordinates.iter_mut().zip(periods) {
                let turns = *coordinate / period;
                *coordinate = (turns - floor(turns)) * period;
            }
        }
        coordinates.map(to_i32)
    }

    /// Returns the level, and the weight of the next level, at a place in the picture.
    #[inline(always)]
    fn levels(&self, x: f32, y: f32) -> (u32, f32) {
        let w = self.perspective.then(|| self.planes.w(x, y));
        let [s, t] = self.planes.first_two([x, y], w);
        let [s, t] = [(S, s), (T, t)].map(|(axis, value)| self.planes.derivatives(axis, value, w));
        let square = |a: f32, b: f32| a * a + b * b;
        let (along, down) = (square(s[0], t[0]), square(s[1], t[1]));
        // From 2⁻¹² texels to texels, squared.
        let scale = 1.0 / (1u32 << (2 * FRACTION)) as f32;
        self.filter.rule.levels(if along > down { along } else { down } * scale)
    }

    /// Writes the texels' means for the pixels from `x` on, in one level and without perspective.
    #[inline(never)]
    fn plain(&self, pixels: &mut [u16], (x, y): (i32, f32), level: u32) {
        let level = self.filter.level(level);
        if level.texels.is_empty() {
            return pixels.fill(0);
        }
        for (x, pixel) in (x..).zip(pixels) {
            let [s, t] = self.coordinates::<false>([x as f32, y], None);
            *pixel = rounded(level.mean(s, t));
        }
    }

    /// Writes the colours of pixels with coordinates that may be far from the first texel.
    #[cold]
    #[inline(never)]
    fn far_group(&self, pixels: &mut [u16], from: (i32, f32), levels: (u32, f32)) {
        self.group::<true>(pixels, from, levels);
    }

    /// Writes the colours of the pixels from `x` on. They share their levels.
    #[inline(never)]
    fn group<const FAR: bool>(
        &self,
        pixels: &mut [u16],
        (x, y): (i32, f32),
        (level, weight): (u32, f32),
    ) {
        let weight = to_i32(weight * (1 << BITS) as f32) as u32;
        let first = self.filter.level(level);
        let second = self.filter.level(if weight != 0 { level + 1 } else { level });
        if first.texels.is_empty() || second.texels.is_empty() {
            return pixels.fill(0);
        }
        for (x, pixel) in (x..).zip(pixels) {
            let at = [x as f32, y];
            let w = self.planes.w(at[0], y);
            let [s, t] = self.coordinates::<FAR>(at, self.perspective.then_some(w));
            let mut means = first.mean(s, t);
            if weight != 0 {
                for (mean, other) in means.iter_mut().zip(second.mean(s, t)) {
                    *mean = mix(*mean, other, weight) >> BITS;
                }
            }
            let color = match self.filter.factor {
                Factor::One => {
                    *pixel = rounded(means);
                    continue;
                }
                Factor::Grey => [self.planes.value(COLOR, at, w); 3],
                Factor::Color => [0, 1, 2].map(|channel| self.planes.value(COLOR + channel, at, w)),
            };
            *pixel = product(means, color);
        }
    }
}

/// Rounds means to a target word.
#[inline(always)]
fn rounded(means: [u32; 3]) -> u16 {
    let [red, green, blue] = means.map(|mean| (mean + ONE / 2) / ONE);
    (red << 11 | green << 5 | blue) as u16
}

/// Rounds means times a colour to a target word.
#[inline(always)]
fn product([red, green, blue]: [u32; 3], color: [f32; 3]) -> u16 {
    let channel = |mean: u32, factor: f32, max: f32| {
        quantise(mean as f32 * factor * (1.0 / (max * ONE as f32)), max)
    };
    (channel(red, color[0], MAX[0]) << 11
        | channel(green, color[1], MAX[1]) << 5
        | channel(blue, color[2], MAX[2])) as u16
}
