//! Means of texels, in one mip level or between two, times a colour.
//!
//! ```text
//!   s and t in floats ──► texels of the base level, Q19.12 ──────────────┐
//!   λ of four pixels in a row, at their middle ──► a level, or two ──────┴─► four texels of each,
//!     8-bit weights ──► mean, Q6.16 ──► mixed with the next level's ──► times the colour ──► word
//!
//!   s and t at the begin of 64 pixels in a row ──► Q15.16 of one level, then integer steps
//!     steps along s alone, less than a texel ──► two columns of two texels: means along t
//!       each pixel between them ──► mean along s ──► word
//! ```
//!
//! Two texels above each other share a word, so that one 32-bit product weighs a channel of both.
//! Without perspective and colour, coordinates are stepped, and weights are rounded to 2⁻⁸.
//! Otherwise weights are rounded down to 2⁻⁸ along an axis and between levels, and colours to 2⁻¹⁶.
//! The general path computes λ once per quad. So a pixel differs from the general path's by a step
//! of the target where these differences move a value over a tie.

use os_shim::math::{floor, to_i32};
use tgsi::exec::Lanes;

use super::Component;
use super::setup::Setup;
use super::shade::masked;
use crate::features::FRAGMENTS;
use crate::lanes::Level;
use crate::scene::recognised::Lookup;
use crate::span::DrawInputs;
use crate::span::float_planes::FloatPlanes;
use crate::texture::LodRule;

/// The fraction bits of coordinates.
const FRACTION: u32 = 12;

/// The bits of a weight.
const BITS: u32 = 8;

/// The fraction bits of a colour. The product with a mean has a word of them.
const COLOR_FRACTION: u32 = 32 - 2 * BITS;

/// 1.0 in a mean: two weights multiply.
const ONE: u32 = 1 << (2 * BITS);

/// The number of pixels in a row, aligned to the picture's grid, that share one λ. Four keep λ
/// within a quarter of a level even if 1/w changes 16-fold over 64 pixels.
const GROUP: i32 = 4;

/// The number of pixels in a row, aligned to the picture's grid, that are stepped from one place.
const RUN: i32 = 64;

/// The bits after a weight's in the coordinates of a run, so that 64 steps are exact to 2⁻¹¹ texels.
const MORE: u32 = 8;

/// The distance from a texel's edge to its middle, in the coordinates of a run.
const HALF: i32 = 1 << (BITS + MORE - 1);

/// The greatest step, in coordinates per pixel, that a run is made of: no place within the run
/// leaves 32 bits.
const STEP_REACH: f32 = (1u32 << 24) as f32;

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
    /// Returns the indices of a row's first texel and of the next row's. The mask of an index wraps
    /// them.
    #[inline(always)]
    fn rows(&self, v: u32) -> [u32; 2] {
        [v << self.log2_width, v.wrapping_add(1) << self.log2_width]
    }

    /// Returns the texels of a column in two rows: the upper one's bits below the lower one's.
    #[inline(always)]
    fn column(&self, [top, bottom]: [u32; 2], u: u32) -> u32 {
        let u = u & ((1 << self.log2_width) - 1);
        let texel = |row: u32| u32::from(masked(self.texels, (row | u) as usize));
        texel(top) | texel(bottom) << 16
    }

    /// Returns the means of red, green and blue around a place in the base level; [`ONE`] is a step
    /// of the texture.
    #[inline(always)]
    fn mean(&self, s: i32, t: i32) -> [u32; 3] {
        let [s, t] = [s, t].map(|at| self.place(at));
        self.mean_from(s, t)
    }

    /// Converts a coordinate in the base level to the index of the first of two texels, with the
    /// weight of the second one as the fraction.
    #[inline(always)]
    fn place(&self, coordinate: i32) -> i32 {
        (coordinate >> self.shift) - (1 << (BITS - 1))
    }

    /// Returns the means of red, green and blue of four texels; `s` and `t` are the first one's
    /// indices, with the weight of the second ones as the fraction.
    #[inline(always)]
    fn mean_from(&self, s: i32, t: i32) -> [u32; 3] {
        let ([u, v], [right, below]) = ([s, t].map(|at| (at >> BITS) as u32), [s, t].map(weight));
        let rows = self.rows(v);
        let (first, second) = (self.column(rows, u), self.column(rows, u.wrapping_add(1)));
        CHANNELS.map(|channel| {
            // Along s in both halves of a word, because neither half overflows; then along t.
            let both = mix(halves(first, channel), halves(second, channel), right);
            mix(both & 0xffff, both >> 16, below)
        })
    }

    /// Writes the means for pixels that are `step`, less than a texel, apart along s. Pixels between
    /// the same columns share these columns' means.
    #[inline(always)]
    fn fill(&self, mut pixels: &mut [u16], (mut s, step): (i32, u32), t: i32) {
        let (rows, below) = (self.rows((t >> BITS) as u32), weight(t));
        let mut second = [0; 3];
        // No pixel lies left of the first column.
        let (mut next, mut count) = (s >> (BITS + MORE), 0u32);
        while !pixels.is_empty() {
            let column = self.column(rows, next as u32);
            let first = second;
            second = PLACES.map(|(mask, _, _)| mix(column & mask, column >> 16 & mask, below));
            let length = pixels.len().min(count as usize);
            let Some((between, rest)) = pixels.split_at_mut_checked(length) else { return };
            (pixels, next) = (rest, next.wrapping_add(1));
            let line = |(_, up, bits): (u32, u32, u32), first: u32, second: u32| {
                let (first, second) = (first << up, second << up);
                ((first << BITS).wrapping_add(1 << (31 - bits)), second.wrapping_sub(first))
            };
            let (red, green, blue) = (
                line(RED, first[0], second[0]),
                line(GREEN, first[1], second[1]),
                line(BLUE, first[2], second[2]),
            );
            for pixel in between {
                let right = weight(s >> MORE);
                let at = |(from, rise): (u32, u32)| from.wrapping_add(rise.wrapping_mul(right));
                *pixel = (at(red) >> 27 << 11 | at(green) >> 26 << 5 | at(blue) >> 27) as u16;
                s = s.wrapping_add(step as i32);
            }
            let rest_of_texel = !s as u32 & (2 * HALF as u32 - 1);
            count = rest_of_texel / step + 1;
        }
    }
}

/// Each channel's mask in a texel, by how many bits to shift a mean of that in its place until the
/// whole part has the highest bits, and how many these are.
const PLACES: [(u32, u32, u32); 3] = [RED, GREEN, BLUE];
const RED: (u32, u32, u32) = (31 << 11, 0, 5);
const GREEN: (u32, u32, u32) = (63 << 5, 5, 6);
const BLUE: (u32, u32, u32) = (31, 11, 5);

/// Returns the weight of the second texel, from the first one's index with that fraction.
#[inline(always)]
fn weight(at: i32) -> u32 {
    at as u32 & ((1 << BITS) - 1)
}

/// The first bit of each channel of a texel, and its mask.
const CHANNELS: [(u32, u32); 3] = [(11, 31), (5, 63), (0, 31)];

/// Returns a channel of both texels of a column, each in half of a word.
#[inline(always)]
fn halves(column: u32, (shift, max): (u32, u32)) -> u32 {
    column >> shift & (max << 16 | max)
}

/// Returns `a` and `b` mixed by the weight of `b`, times 2⁸. Each half of a word may hold a value.
#[inline(always)]
fn mix(a: u32, b: u32, weight: u32) -> u32 {
    a.wrapping_mul((1 << BITS) - weight).wrapping_add(b.wrapping_mul(weight))
}

/// Rows of means over a triangle.
pub(super) struct FilteredRows<'f, 'a> {
    filter: &'f Filter<'a>,
    /// s and t in texels of the base level times 2¹², and the colour times 2¹⁶.
    planes: FloatPlanes<5>,
    /// True if s and t are over w.
    perspective: bool,
    /// True if runs of means alone can be stepped: the texture is not in perspective, has no
    /// colour, and no step is beyond [`STEP_REACH`].
    is_plain: bool,
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
            let corners = setup.component(component);
            *value = (corners.map(|corner| corner * (1 << COLOR_FRACTION) as f32), is_over_w);
        }
        let count = COLOR + filter.factor.planes();
        let value = |index| values.get(index).copied().unwrap_or_default();
        let planes = setup.float_planes(w, count, value);
        let constant = filter.rule.constant_levels();
        let period = |log2: u32| (1u32 << (log2 + FRACTION)) as f32;
        let periods = [base.width, base.height].map(|size| period(size.trailing_zeros() & 15));
        let periods = (!FRAGMENTS && is_far).then_some(periods);
        let steps = planes.first_two_steps([0.0; 2]).map(|(_, step)| step);
        let is_plain = !perspective
            && filter.factor == Factor::One
            && steps.iter().all(|step| step.abs() < STEP_REACH);
        Some(FilteredRows { filter, planes, perspective, is_plain, periods, constant, left })
    }

    /// Writes the colours of pixels in a row; `from` is the first pixel's column and row, relative
    /// to the region's first pixel.
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let (y, mut x) = self.planes.row(from);
        let mut column = self.left + from.0;
        let mut rest = pixels;
        while !rest.is_empty() {
            let (levels, length) = match self.constant {
                Some(levels) if FRAGMENTS || self.periods.is_none() => (levels, RUN),
                Some(levels) => (levels, GROUP),
                None => (self.levels((x - (column & (GROUP - 1))) as f32 + MIDDLE, y), GROUP),
            };
            let start = column & (length - 1);
            let count = rest.len().min((length - start) as usize);
            let Some((pixels, others)) = rest.split_at_mut_checked(count) else { return };
            if !FRAGMENTS && self.periods.is_some() {
                self.far_group(pixels, (x, y), levels);
            } else if self.is_plain && levels.1 == 0.0 {
                self.plain(pixels, (x - start, y), start, levels.0);
            } else {
                self.group(pixels, (x, y), levels);
            }
            (x, column, rest) = (x + count as i32, column + count as i32, others);
        }
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

    /// Writes the texels' means for pixels of a run in one level: those from `start` on, where the
    /// run begins at `from`.
    #[inline(never)]
    fn plain(&self, pixels: &mut [u16], (x, y): (i32, f32), start: i32, level: u32) {
        let index = level & 31;
        let level = self.filter.level(level);
        if level.texels.is_empty() {
            return pixels.fill(0);
        }
        let [(mut s, along_s), (mut t, along_t)] =
            self.planes.first_two_steps([x as f32, y]).map(|(value, step)| {
                let more = 1 << (BITS + MORE - FRACTION);
                let step = to_i32(step * more as f32) >> index;
                let value = to_i32(value).wrapping_mul(more) >> index;
                // Half a texel less, and half of a weight's last bit more: weights are rounded.
                let begin = value.wrapping_add(step.wrapping_mul(start));
                (begin.wrapping_sub(HALF - (1 << (MORE - 1))), step)
            });
        if along_t == 0 && (1..2 * HALF).contains(&along_s) {
            return level.fill(pixels, (s, along_s as u32), t >> MORE);
        }
        for pixel in pixels {
            *pixel = rounded(level.mean_from(s >> MORE, t >> MORE));
            (s, t) = (s.wrapping_add(along_s), t.wrapping_add(along_t));
        }
    }

    /// Writes the colours of pixels with coordinates that may be far from the first texel.
    #[cold]
    #[inline(never)]
    fn far_group(&self, pixels: &mut [u16], (x, y): (i32, f32), levels: (u32, f32)) {
        let mut near = FilteredRows { planes: self.planes, ..*self };
        let at = [x as f32, y];
        let w = self.perspective.then(|| self.planes.w(at[0], y));
        let periods = self.periods.unwrap_or([1.0; 2]);
        for (axis, (coordinate, period)) in
            self.planes.first_two(at, w).into_iter().zip(periods).enumerate()
        {
            near.planes.lower(axis, floor(coordinate / period) * period);
        }
        near.group(pixels, (x, y), levels);
    }

    /// Writes the colours of the pixels from `x` on. They share their levels.
    #[inline(never)]
    fn group(&self, pixels: &mut [u16], (x, y): (i32, f32), (level, weight): (u32, f32)) {
        let weight = to_i32(weight * (1 << BITS) as f32) as u32;
        let first = self.filter.level(level);
        let second = self.filter.level(if weight != 0 { level + 1 } else { level });
        if first.texels.is_empty() || second.texels.is_empty() {
            return pixels.fill(0);
        }
        for (x, pixel) in (x..).zip(pixels) {
            let at = [x as f32, y];
            let w = self.planes.w(at[0], y);
            let [s, t] = self.planes.first_two(at, self.perspective.then_some(w)).map(to_i32);
            let mut means = first.mean(s, t);
            if weight != 0 {
                for (mean, other) in means.iter_mut().zip(second.mean(s, t)) {
                    *mean = mix(*mean, other, weight) >> BITS;
                }
            }
            let color = |index| to_i32(self.planes.value(COLOR + index, at, w)).max(0) as u32;
            let color = match self.filter.factor {
                Factor::One => {
                    *pixel = rounded(means);
                    continue;
                }
                Factor::Grey => [color(0); 3],
                Factor::Color => [color(0), color(1), color(2)],
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

/// Rounds means times a colour, Q15.16, to a target word.
#[inline(always)]
fn product([r, g, b]: [u32; 3], [red, green, blue]: [u32; 3]) -> u16 {
    let channel = |mean: u32, factor: u32, max: u64| {
        let product = u64::from(mean) * u64::from(factor);
        ((product + (1 << 31)) >> 32).min(max) as u16
    };
    channel(r, red, 31) << 11 | channel(g, green, 63) << 5 | channel(b, blue, 31)
}
