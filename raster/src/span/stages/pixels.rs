//! The stages: a few pixels of a row from accumulators to the target's words.

use pipe_core::state::TexWrap;
use pipe_core::surface::Swizzle;

use super::super::paint::Plane32;
use super::super::shade::reciprocal;
use super::{Draw, ONE, PLANE_BITS, Planes, bilinear};
use crate::depth::Plain;
use crate::fixed::depth_unorm32;
use crate::lanes::{Level, Target, UnormLayout};

/// Pixels that go through the stages together. None of them sees its neighbours.
pub(super) const COUNT: usize = 16;

/// A row of values, one a pixel.
pub(super) type Row = [i32; COUNT];

/// One component of a texel: where it lies, and what a step of it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    shift: u32,
    /// The largest integer; 0 where the component is constant.
    max: u32,
    /// 2³¹ over `max`.
    step: u32,
    /// What rounds the integer's product up: its highest bit.
    top: u32,
    constant: i32,
}

impl Part {
    /// What a view of texels shows as a component.
    pub(super) fn of(layout: &UnormLayout, swizzle: Swizzle) -> Part {
        let component = match swizzle {
            Swizzle::X => 0,
            Swizzle::Y => 1,
            Swizzle::Z => 2,
            Swizzle::W => 3,
            Swizzle::One => return Part::constant(ONE),
            Swizzle::Zero | Swizzle::None => return Part::constant(0),
        };
        let (shift, max, _) = layout.channel(component);
        if max == 0 {
            // 0 or 1.
            let is_zero = layout.constant(component).to_bits() == 0;
            return Part::constant(if is_zero { 0 } else { ONE });
        }
        let step = ((ONE as u32 - 1) << 7).div_ceil(max);
        Part { shift, max, step, top: max.ilog2(), constant: 0 }
    }

    fn constant(constant: i32) -> Part {
        Part { shift: 0, max: 0, step: 0, top: 0, constant }
    }

    /// The component of a texel: 8 bits to nearest, 0 and 1 exact in all.
    #[inline(always)]
    pub(super) fn value(&self, texel: u32) -> i32 {
        let integer = self.integer(texel);
        (((integer * self.step) >> 7) + (integer >> self.top)) as i32 + self.constant
    }

    /// The component as it is stored.
    #[inline(always)]
    pub(super) fn integer(&self, texel: u32) -> u32 {
        texel >> self.shift & self.max
    }

    /// What [`Part::value`] is of an integer, of a mean of some in Q8.24.
    #[inline(always)]
    pub(super) fn scaled(&self, mean: u32) -> i32 {
        let scaled = (u64::from(mean) * u64::from(self.step << 1)) >> 32;
        scaled as i32 + (mean >> (24 + self.top)) as i32 + self.constant
    }
}

/// How coordinates along an axis of a texture become indices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Axis {
    size: i32,
    /// After how many texels everything repeats; 0: it does not.
    period: i32,
    /// Texels left of the first one mirror those right of it.
    mirrors: bool,
    /// 2³¹ over the period.
    reciprocal: i32,
}

impl Axis {
    /// An axis of `size` texels; `None` if it shows a border, which `linear` means of texels may.
    pub(super) fn new(wrap: TexWrap, linear: bool, size: u32) -> Option<Axis> {
        let size = i32::try_from(size).ok().filter(|size| (1..1 << 14).contains(size))?;
        let (period, mirrors) = match wrap {
            TexWrap::Repeat => (size, false),
            TexWrap::Clamp | TexWrap::MirrorClamp if linear => return None,
            TexWrap::Clamp | TexWrap::ClampToEdge => (0, false),
            TexWrap::MirrorRepeat => (2 * size, true),
            TexWrap::MirrorClamp | TexWrap::MirrorClampToEdge => (0, true),
            TexWrap::ClampToBorder | TexWrap::MirrorClampToBorder => return None,
        };
        let reciprocal = (1u32 << 31).checked_div(period as u32).unwrap_or(0) as i32;
        Some(Axis { size, period, mirrors, reciprocal })
    }

    /// From a coordinate to texels: what to multiply it by, and the bits that adds to it.
    pub(super) fn scale(&self) -> (i64, i32) {
        (self.size.into(), 32 - (self.size - 1).leading_zeros() as i32)
    }

    /// What makes an index of the texels from the first, where nothing else need be done.
    pub(super) fn mask(&self) -> Option<u32> {
        let repeats = self.period.count_ones() == 1 && !self.mirrors;
        repeats.then_some(self.period.wrapping_sub(1) as u32)
    }

    /// The index of the texel `at` texels from the first.
    #[inline(always)]
    fn index(&self, at: i32) -> u32 {
        self.folded(self.reduced(at))
    }

    /// The index of the texel `at` texels from the first, and that of the next one.
    #[inline(always)]
    pub(super) fn pair(&self, at: i32) -> [u32; 2] {
        let first = self.reduced(at);
        let next = if first + 1 == self.period { 0 } else { first + 1 };
        [self.folded(first), self.folded(next)]
    }

    /// The same place in the first period, if there is one.
    #[inline(always)]
    fn reduced(&self, at: i32) -> i32 {
        let mut at = at;
        if self.period & (self.period - 1) == 0 {
            // A power of two, or none.
            at &= self.period - 1;
        } else {
            // Within a period of it.
            let times = ((i64::from(at) * i64::from(self.reciprocal)) >> 31) as i32;
            at -= times * self.period;
            at += if at < 0 { self.period } else { 0 };
            at -= if at >= self.period { self.period } else { 0 };
        }
        at
    }

    /// The texel that stands at a place in the first period.
    #[inline(always)]
    fn folded(&self, at: i32) -> u32 {
        let mut at = at;
        if self.mirrors {
            if self.period != 0 {
                at = at.min(self.period - 1 - at);
            } else if at < 0 {
                at = -1 - at;
            }
        }
        at.min(self.size - 1).max(0) as u32
    }
}

/// A level of a texture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) stride: usize,
    /// Of a texel.
    pub(super) size: u32,
    /// Lookups mix four of them.
    pub(super) linear: bool,
    pub(super) axes: [Axis; 2],
}

impl<'a> Texels<'a> {
    /// A level whose texels have `size` bytes.
    pub(super) fn new(
        level: &Level<'a>,
        size: u32,
        [s, t]: [TexWrap; 2],
        linear: bool,
    ) -> Option<Texels<'a>> {
        let axes = [Axis::new(s, linear, level.width)?, Axis::new(t, linear, level.height)?];
        Some(Texels { bytes: level.bytes, stride: level.row_stride, size, linear, axes })
    }

    /// Whether rows lie whole texels apart.
    pub(super) fn is_whole(&self) -> bool {
        self.stride.is_multiple_of(self.size as usize)
    }

    /// A texel; 0 where there is none.
    #[inline(always)]
    fn load(&self, s: u32, t: u32) -> u32 {
        let start = (t as usize).wrapping_mul(self.stride).wrapping_add((s * self.size) as usize);
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        match self.size {
            1 => rest.first_chunk::<1>().map_or(0, word),
            2 => rest.first_chunk::<2>().map_or(0, word),
            _ => rest.first_chunk::<4>().map_or(0, word),
        }
    }
}

/// A little-endian word of 1, 2 or 4 bytes. (Copies of so few bytes may be calls.)
#[inline(always)]
pub(super) fn word<const N: usize>(bytes: &[u8; N]) -> u32 {
    match *bytes.as_slice() {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// The reverse of [`word`].
#[inline(always)]
fn set_word<const N: usize>(bytes: &mut [u8; N], word: u32) {
    let [first, second, third, fourth] = word.to_le_bytes();
    match bytes.as_mut_slice() {
        [a] => *a = first,
        [a, b] => (*a, *b) = (first, second),
        [a, b, c, d] => (*a, *b, *c, *d) = (first, second, third, fourth),
        _ => {}
    }
}

/// Reads words of `bytes` bytes.
fn read(from: &[u8], bytes: u32, words: &mut [u32; COUNT]) {
    fn chunks<const N: usize>(from: &[u8], words: &mut [u32; COUNT]) {
        for (word, bytes) in words.iter_mut().zip(from.as_chunks::<N>().0) {
            *word = self::word(bytes);
        }
    }
    match bytes {
        1 => chunks::<1>(from, words),
        2 => chunks::<2>(from, words),
        _ => chunks::<4>(from, words),
    }
}

/// Writes the words of the pixels of `live`.
fn write(to: &mut [u8], bytes: u32, live: u32, words: &[u32; COUNT]) {
    fn chunks<const N: usize>(to: &mut [u8], live: u32, words: &[u32; COUNT]) {
        let mut live = live;
        for (word, bytes) in words.iter().zip(to.as_chunks_mut::<N>().0) {
            if live & 1 != 0 {
                set_word(bytes, *word);
            }
            live >>= 1;
        }
    }
    match bytes {
        1 => chunks::<1>(to, live, words),
        2 => chunks::<2>(to, live, words),
        _ => chunks::<4>(to, live, words),
    }
}

/// A value without its lowest `shift` bits, times the pixel's w where there is one.
#[inline(always)]
pub(super) fn over_w(at: i32, w: Option<&Row>, pixel: usize, shift: u32) -> i32 {
    match w {
        None => at >> shift,
        // As two words' products and shifts by less than a word: those of 64 bits are calls.
        Some(w) => {
            let product = i64::from(at) * i64::from(w[pixel % COUNT]);
            ((product >> 26) as i32) >> shift
        }
    }
}

/// A plane's value so, and on to the next pixel.
#[inline(always)]
fn step(plane: &Plane32, at: &mut i32, w: Option<&Row>, pixel: usize, shift: u32) -> i32 {
    let value = over_w(*at, w, pixel, shift);
    *at = at.wrapping_add(plane.dx);
    value
}

/// `a * b` of colours.
#[inline(always)]
pub(super) fn times(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b) + i64::from(ONE / 2)) >> 24) as i32
}

/// Rows of pixels on their way through the stages: what they are kept in.
#[derive(Debug)]
pub(in super::super) struct Rows {
    /// 2⁵⁶ / w of each.
    w: Row,
    color: [Row; 4],
    texels: [u32; COUNT],
    around: [bilinear::Rows; bilinear::SLOTS],
    depths: [u32; COUNT],
    words: [u32; COUNT],
    old: [u32; COUNT],
}

impl Rows {
    pub(in super::super) const EMPTY: Rows = Rows {
        w: [0; COUNT],
        color: [[0; COUNT]; 4],
        texels: [0; COUNT],
        around: [bilinear::Rows::EMPTY; bilinear::SLOTS],
        depths: [0; COUNT],
        words: [0; COUNT],
        old: [0; COUNT],
    };
}

/// A triangle's pixels.
pub(super) struct Pixels<'p, 't> {
    pub(super) draw: &'p Draw<'p>,
    pub(super) planes: &'p Planes,
    pub(super) target: &'p mut Target<'t>,
    pub(super) depth: Option<(Plain, &'p mut Target<'t>)>,
    pub(super) rows: &'p mut Rows,
}

impl Pixels<'_, '_> {
    /// Draws `count` pixels from (`x`, `y`) of the tile on, which is `place` of the region.
    #[inline(never)]
    pub(super) fn draw(
        &mut self,
        (x, y): (i32, i32),
        count: usize,
        place: (i32, i32),
        z: &Plane32,
    ) {
        let (x, y) = (x as u32, y as u32);
        let mut live = (1 << count) - 1;
        if let Some((test, target)) = &mut self.depth {
            let Some(bytes) = target.span_mut(x, y, test.bytes as usize, count) else { return };
            read(bytes, test.bytes, &mut self.rows.depths);
            let mut z_at = z.at(place.0, place.1);
            for (pixel, depth) in self.rows.depths.iter_mut().take(count).enumerate() {
                match test.test(depth_unorm32(z_at), *depth) {
                    Some(new) => *depth = new,
                    None => live &= !(1 << pixel),
                }
                z_at = z_at.wrapping_add(z.dx);
            }
            if live == 0 {
                return;
            }
        }
        let flat = self.draw.flat;
        if !flat {
            self.colors(count, place);
        }
        let Rows { color, depths, words, old, .. } = &mut *self.rows;
        if let Some((func, reference, clamp)) = self.draw.alpha {
            for (pixel, alpha) in color[3].iter().take(count).enumerate() {
                let alpha = if clamp { (*alpha).clamp(0, ONE) } else { *alpha };
                if !func.passes(alpha, reference) {
                    live &= !(1 << pixel);
                }
            }
        }
        if let Some((test, target)) = &mut self.depth
            && test.write
            && let Some(bytes) = target.span_mut(x, y, test.bytes as usize, count)
        {
            write(bytes, test.bytes, live, depths);
        }
        let parts = &self.draw.target;
        let size = parts.layout.bytes;
        let Some(bytes) = self.target.span_mut(x, y, size as usize, count) else { return };
        if parts.blend.is_some() || parts.writable.is_some() {
            read(bytes, size, old);
        }
        *words = [self.planes.word; COUNT];
        if !flat {
            if let Some(blend) = &self.draw.blend {
                blend.row(parts.layout, color, old, count);
            }
            pack(parts.layout, color, words, count);
        }
        if let Some(writable) = parts.writable {
            for (word, old) in words.iter_mut().zip(old).take(count) {
                *word = *word & writable | *old & !writable;
            }
        }
        write(bytes, size, live, words);
    }

    /// The colours, before anything is done with them.
    fn colors(&mut self, count: usize, (x, y): (i32, i32)) {
        let Planes { coordinates, fraction, w, fine, color: planes, .. } = self.planes;
        let Rows { w: ws, color, texels, around, .. } = &mut *self.rows;
        let texture = self.draw.texture.as_ref().map(|(texture, _)| texture);
        let mut around = around.first_mut().filter(|_| self.draw.is_bilinear());
        let mut in_perspective = w.is_some();
        if let (Some(rows), Some(fine), Some(texture)) = (&mut around, fine.first(), texture) {
            texture.look_around(fine, *fraction, (x, y), count, ws, rows);
            in_perspective = fine.w.is_some();
        }
        if let Some(plane) = w {
            let mut at = plane.at(x, y);
            for w in ws.iter_mut().take(count) {
                *w = reciprocal(at);
                at = at.wrapping_add(plane.dx);
            }
        }
        let ws = in_perspective.then_some(&*ws);
        if let (None, Some(texture)) = (&around, texture) {
            let [s, t] = coordinates;
            let (mut s_at, mut t_at) = (s.at(x, y), t.at(x, y));
            for (pixel, texel) in texels.iter_mut().take(count).enumerate() {
                let s = texture.axes[0].index(step(s, &mut s_at, ws, pixel, fraction[0]));
                let t = texture.axes[1].index(step(t, &mut t_at, ws, pixel, fraction[1]));
                *texel = texture.load(s, t);
            }
        }
        let mut needed = self.draw.needed;
        for ((row, plane), product) in color.iter_mut().zip(planes).zip(&self.draw.color) {
            if needed & 1 != 0 {
                let only_mean = around.is_some() && product.is_texel();
                if product.varying.is_some() {
                    let mut at = plane.at(x, y);
                    for (pixel, value) in row.iter_mut().take(count).enumerate() {
                        *value = step(plane, &mut at, ws, pixel, PLANE_BITS as u32 - 24);
                    }
                } else if !only_mean {
                    *row = [product.fixed; COUNT];
                }
                if let (Some(texel), Some(around)) = (&product.texel, &around) {
                    around.multiply(texel, !only_mean, row, count);
                } else if let Some(texel) = &product.texel {
                    for (value, texels) in row.iter_mut().zip(&*texels).take(count) {
                        *value = times(*value, texel.value(*texels));
                    }
                }
            }
            needed >>= 1;
        }
    }
}

/// Colours as the target's words.
pub(super) fn pack(layout: &UnormLayout, color: &[Row; 4], words: &mut [u32; COUNT], count: usize) {
    for (component, row) in color.iter().enumerate() {
        let (shift, max, stored) = layout.channel(component);
        if stored {
            for (word, value) in words.iter_mut().zip(row).take(count) {
                let value = (*value).clamp(0, ONE) as u32;
                *word |= ((value * max + ONE as u32 / 2) >> 24) << shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texel that stands `at` texels from the first of `size`, as OpenGL says.
    fn wrapped(wrap: TexWrap, at: i64, size: i64) -> i64 {
        match wrap {
            TexWrap::Repeat => at.rem_euclid(size),
            TexWrap::MirrorRepeat => {
                let place = at.rem_euclid(2 * size);
                if place < size { place } else { 2 * size - 1 - place }
            }
            TexWrap::MirrorClampToEdge => (if at < 0 { -1 - at } else { at }).min(size - 1),
            _ => at.clamp(0, size - 1),
        }
    }

    #[test]
    fn indices_are_those_of_the_wraps() {
        use TexWrap::{ClampToEdge, MirrorClampToEdge, MirrorRepeat, Repeat};
        for wrap in [Repeat, MirrorRepeat, ClampToEdge, MirrorClampToEdge] {
            for size in [1, 2, 3, 5, 7, 8, 13, 100, 640, 1 << 13, (1 << 14) - 1] {
                let axis = Axis::new(wrap, true, size).unwrap();
                let near = -300..300;
                let far = [-1 << 29, -12_345_678, 9_999_999, (1 << 29) + 1];
                for at in near.chain(far) {
                    let [first, next] =
                        [at, at + 1].map(|at| wrapped(wrap, at.into(), size.into()) as u32);
                    assert_eq!(axis.index(at), first, "{wrap:?} {size} {at}");
                    assert_eq!(axis.pair(at), [first, next], "{wrap:?} {size} {at}");
                    if let Some(mask) = axis.mask() {
                        assert_eq!(at as u32 & mask, first, "{wrap:?} {size} {at}");
                    }
                }
            }
        }
    }
}
