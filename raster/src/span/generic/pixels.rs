//! Passes over a few pixels of a row, from accumulators to the target's words.

use os_shim::math::to_i32;

use super::sprite::SPRITES;
use super::texels::word;
use super::{COLOR, FLOATS, Generic, ONE, PLANE_BITS, Planes, bilinear};
use crate::depth::Plain;
use crate::fixed::depth_unorm32;
use crate::lanes::{Target, UnormLayout};
use crate::setup::Plane32;
use crate::span::float_planes::FloatPlanes;
use crate::span::reciprocal::reciprocal;

/// The number of pixels that go through the passes together.
pub(super) const COUNT: usize = 16;

/// A row of values, one per pixel.
pub(super) type Row = [i32; COUNT];

/// Writes the lowest bytes of a word, little-endian: the reverse of [`word`].
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

/// Reads pixels of `bytes` bytes: 1, 2 or 4.
fn read(from: &[u8], bytes: u32, words: &mut [u32; COUNT]) {
    fn chunks<const N: usize>(from: &[u8], words: &mut [u32; COUNT]) {
        for (pixel, bytes) in words.iter_mut().zip(from.as_chunks::<N>().0) {
            *pixel = word(bytes);
        }
    }
    match bytes {
        1 => chunks::<1>(from, words),
        2 => chunks::<2>(from, words),
        _ => chunks::<4>(from, words),
    }
}

/// Writes the pixels that have their bit set in `live`, `bytes` bytes each.
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

/// Returns a value without its lowest `shift` bits, multiplied by the pixel's w in perspective.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the remainder is below COUNT")]
pub(super) fn over_w(at: i32, w: Option<&Row>, pixel: usize, shift: u32) -> i32 {
    match w {
        None => at >> shift,
        // A product of two words and shifts by less than a word, because 64-bit shifts are calls.
        Some(w) => {
            let product = i64::from(at) * i64::from(w[pixel % COUNT]);
            ((product >> 26) as i32) >> shift
        }
    }
}

/// Returns a plane's value [over w](over_w), and steps to the next pixel.
#[inline(always)]
fn step(plane: &Plane32, at: &mut i32, w: Option<&Row>, pixel: usize, shift: u32) -> i32 {
    let value = over_w(*at, w, pixel, shift);
    *at = at.wrapping_add(plane.dx);
    value
}

/// Returns `a * b`, rounded; [`ONE`] is 1.0.
#[inline(always)]
pub(super) fn times(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b) + i64::from(ONE / 2)) >> 24) as i32
}

/// The values of a row's pixels between the passes.
#[derive(Debug)]
pub(in super::super) struct RowBuffers {
    /// 2⁵⁶ / w.
    w: Row,
    color: [Row; 4],
    texels: [u32; COUNT],
    around: [bilinear::Corners; bilinear::SLOTS],
    depths: [u32; COUNT],
    words: [u32; COUNT],
    old: [u32; COUNT],
}

impl RowBuffers {
    pub(in super::super) const EMPTY: RowBuffers = RowBuffers {
        w: [0; COUNT],
        color: [[0; COUNT]; 4],
        texels: [0; COUNT],
        around: [bilinear::Corners::EMPTY; bilinear::SLOTS],
        depths: [0; COUNT],
        words: [0; COUNT],
        old: [0; COUNT],
    };
}

/// A triangle's planes, and the memory that its pixels are computed in and written to.
pub(super) struct Pixels<'p, 't, const IN_FLOATS: bool> {
    pub(super) kernel: &'p Generic<'p, IN_FLOATS>,
    pub(super) planes: &'p Planes,
    pub(super) target: &'p mut Target<'t>,
    pub(super) depth: Option<(&'p Plain, &'p mut Target<'t>)>,
    pub(super) rows: &'p mut RowBuffers,
}

impl<const IN_FLOATS: bool> Pixels<'_, '_, IN_FLOATS> {
    /// Draws the pixels of a row in one pass; `false` if they must take the passes of
    /// [`draw`](Self::draw).
    #[inline(always)]
    pub(super) fn sprite(&mut self, (x, y): (i32, i32), count: i32, place: (i32, i32)) -> bool {
        let Some(fine) =
            self.planes.fine.first().filter(|_| SPRITES && self.kernel.sprite.is_some())
        else {
            return false;
        };
        if self.depth.is_some() || self.planes.floats.is_some() || count <= 0 {
            return false;
        }
        let Some(pixels) = self.target.span_mut(x as u32, y as u32, 2, count as usize) else {
            return false;
        };
        self.kernel.sprite_row(fine, self.planes.fraction, place, pixels)
    }

    /// Draws `count` pixels from (`x`, `y`) of the tile on; `place` is the first pixel's position
    /// in the region.
    #[inline(never)]
    pub(super) fn draw(
        &mut self,
        (x, y): (i32, i32),
        count: usize,
        place: (i32, i32),
        z: &Plane32,
    ) {
        let (x, y) = (x as u32, y as u32);
        let Some(mut live) = self.test_depth((x, y), count, place, z) else { return };
        let flat = self.kernel.flat;
        if !flat {
            self.colors(count, place);
        }
        live &= self.test_alpha(count);
        self.write_depth((x, y), count, live);
        self.write_color((x, y), count, live);
    }

    /// Tests depth; returns one bit per passing pixel, or `None` if no pixel passes.
    #[inline(always)]
    fn test_depth(
        &mut self,
        (x, y): (u32, u32),
        count: usize,
        place: (i32, i32),
        z: &Plane32,
    ) -> Option<u32> {
        let mut live = (1 << count) - 1;
        if let Some((test, target)) = &mut self.depth {
            let bytes = target.span_mut(x, y, test.bytes as usize, count)?;
            read(bytes, test.bytes, &mut self.rows.depths);
            let mut z_at = z.at(place.0, place.1);
            for (pixel, depth) in self.rows.depths.iter_mut().take(count).enumerate() {
                match test.test(depth_unorm32(z_at), *depth) {
                    Some(new) => *depth = new,
                    None => live &= !(1 << pixel),
                }
                z_at = z_at.wrapping_add(z.dx);
            }
        }
        (live != 0).then_some(live)
    }

    /// Tests alpha; returns a mask without the pixels that fail.
    #[inline(always)]
    fn test_alpha(&self, count: usize) -> u32 {
        let mut live = u32::MAX;
        if let Some((func, reference, clamp)) = self.kernel.alpha {
            let [.., alphas] = &self.rows.color;
            for (pixel, alpha) in alphas.iter().take(count).enumerate() {
                let alpha = if clamp { (*alpha).clamp(0, ONE) } else { *alpha };
                if !func.passes(alpha, reference) {
                    live &= !(1 << pixel);
                }
            }
        }
        live
    }

    /// Writes the depths of the pixels of `live`.
    #[inline(always)]
    fn write_depth(&mut self, (x, y): (u32, u32), count: usize, live: u32) {
        if let Some((test, target)) = &mut self.depth
            && test.write
            && let Some(bytes) = target.span_mut(x, y, test.bytes as usize, count)
        {
            write(bytes, test.bytes, live, &self.rows.depths);
        }
    }

    /// Blends, packs, masks and writes the colours of the pixels of `live`.
    #[inline(always)]
    fn write_color(&mut self, (x, y): (u32, u32), count: usize, live: u32) {
        let RowBuffers { color, words, old, .. } = &mut *self.rows;
        let parts = &self.kernel.target;
        let size = parts.layout.bytes;
        let Some(bytes) = self.target.span_mut(x, y, size as usize, count) else { return };
        if self.kernel.blend.is_some() || parts.writable.is_some() {
            read(bytes, size, old);
        }
        *words = [self.planes.word; COUNT];
        if !self.kernel.flat {
            if let Some(blend) = &self.kernel.blend {
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

    /// Computes the colours from planes in floats.
    #[cold]
    #[inline(never)]
    fn colors_in_floats(&mut self, floats: &FloatPlanes<FLOATS>, count: usize, from: (i32, i32)) {
        let RowBuffers { color, around, .. } = &mut *self.rows;
        let texels = self.kernel.texture.as_ref().map(|texture| &texture.texels);
        let mut around = around.first_mut().filter(|_| self.kernel.is_bilinear());
        let (y, first) = floats.row(from);
        for (x, pixel) in (first..).zip(0..count) {
            let at = [x as f32, y];
            let w = floats.w(at[0], y);
            let value = |index| floats.value(index, at, w);
            let mut texel = 0;
            if let Some(texels) = texels {
                let coordinates = [value(0), value(1)];
                match &mut around {
                    Some(around) => texels.look_around_at(coordinates, around),
                    None => texel = texels.nearest(coordinates),
                }
            }
            for (component, (row, product)) in color.iter_mut().zip(&self.kernel.color).enumerate()
            {
                let scale = match (&product.texel, &around) {
                    _ if self.kernel.needed >> component & 1 == 0 => continue,
                    (None, _) => ONE,
                    (Some(channel), Some(around)) => around.first(channel),
                    (Some(channel), None) => channel.value(texel),
                };
                let varying = product.varying.map_or(1.0, |_| value(COLOR + component));
                if let Some(to) = row.get_mut(pixel) {
                    *to = to_i32(varying * product.constant * scale as f32);
                }
            }
        }
    }

    /// Computes the colours for the tests and the blending.
    fn colors(&mut self, count: usize, (x, y): (i32, i32)) {
        if let Some(floats) = self.planes.floats.as_ref().filter(|_| IN_FLOATS) {
            return self.colors_in_floats(floats, count, (x, y));
        }
        let Planes { coordinates, fraction, w, fine, color: planes, .. } = self.planes;
        let RowBuffers { w: ws, color, texels, around, .. } = &mut *self.rows;
        let texture = self.kernel.texture.as_ref().map(|texture| &texture.texels);
        let mut around = around.first_mut().filter(|_| self.kernel.is_bilinear());
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
        let mut needed = self.kernel.needed;
        for ((row, plane), product) in color.iter_mut().zip(planes).zip(&self.kernel.color) {
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

/// Packs colours into the target's words, rounded to nearest.
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
