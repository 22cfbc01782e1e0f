//! Integer loops for common display and image formats: 8888 in every order, one to three bytes per
//! texel, and 565.
//!
//! The results equal the results of the general path through `f32`. A test compares them for every
//! pair of formats and every value of a channel.

use crate::channel::{Reciprocal, byte_factor, f32_to_unorm16, max_of, to_byte};
use crate::format::{ChannelKind, ColorSpace, Layout, Swizzle};
use crate::index::{at, at_mut};
use crate::simd::vectorize;
use crate::{Format, lanes};

/// The positions of the four components in a texel of at most four bytes, with unorm channels of at
/// most 8 bits.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    size: usize,
    shift: [u32; 4],
    /// The value of components that are not stored: 255 for an alpha of 1.
    set: [u32; 4],
    /// The bit mask of the channel for components that are stored, otherwise 0.
    mask: [u32; 4],
    /// The [`byte_factor`] that widens the channel to 8 bits.
    scale: [u32; 4],
    /// True if all channels have 8 bits.
    bytes: bool,
}

impl Order {
    /// Returns the positions of `format`'s components; `None` if a channel is of another kind.
    pub(crate) fn new(format: Format) -> Option<Order> {
        let desc = format.desc();
        let size = desc.block.bytes as usize;
        let plain = desc.layout == Layout::Plain && desc.block.width == 1;
        if !plain || desc.colorspace != ColorSpace::Rgb || size > 4 {
            return None;
        }
        let (zero, one) = ([0; 4], [1 << 16; 4]);
        let mut order = Order { size, shift: zero, set: zero, mask: zero, scale: one, bytes: true };
        for (component, from) in desc.swizzle.into_iter().enumerate() {
            match from.channel() {
                None => {
                    *at_mut(&mut order.set, component) = if from == Swizzle::One { 255 } else { 0 }
                }
                Some(index) => {
                    let channel = at(&desc.channels, index);
                    let unorm = channel.kind == ChannelKind::Unsigned && channel.normalized;
                    if !unorm || channel.bits > 8 {
                        return None;
                    }
                    let max = max_of(channel.bits as u32);
                    *at_mut(&mut order.shift, component) = channel.shift as u32;
                    *at_mut(&mut order.mask, component) = max;
                    *at_mut(&mut order.scale, component) = byte_factor(max);
                    order.bytes &= channel.bits == 8;
                }
            }
        }
        Some(order)
    }

    /// Returns true for `B5G6R5`.
    fn is_565(&self) -> bool {
        self.size == 2
            && matches!((self.shift, self.mask), ([11, 5, 0, _], [31, 63, 31, 0]))
            && self.set[3] == 255
    }

    /// Returns an 8-bit component of a texel with 8-bit channels only.
    #[inline(always)]
    fn byte(&self, word: u32, index: usize) -> u32 {
        (word >> at(&self.shift, index)) & at(&self.mask, index) | at(&self.set, index)
    }

    /// Returns a component widened to 8 bits.
    #[inline(always)]
    fn wide(&self, word: u32, index: usize) -> u32 {
        let value = (word >> at(&self.shift, index)) & at(&self.mask, index);
        to_byte(value, at(&self.scale, index)) | at(&self.set, index)
    }

    /// Packs a texel's components: red in the low byte to alpha in the high byte.
    #[inline(always)]
    fn rgba(&self, word: u32, component: impl Fn(&Order, u32, usize) -> u32) -> [u8; 4] {
        let part = |index| component(self, word, index) << (8 * index);
        (part(0) | part(1) | part(2) | part(3)).to_le_bytes()
    }

    /// Returns the byte permutation that gives red, green, blue, alpha, for texels of four bytes.
    fn permutation(&self) -> Permutation {
        let to = Target { size: 4, shift: [0, 8, 16, 24], bits: [8; 4] };
        Shuffle { from: *self, to }.permutation()
    }

    #[inline(always)]
    fn numbers(&self, word: u32, reciprocals: &[Reciprocal; 4], set: &[f32; 4]) -> [f32; 4] {
        let part = |i: usize| {
            let value = (word >> at(&self.shift, i)) & at(&self.mask, i);
            at(reciprocals, i).of(value as i32) + at(set, i)
        };
        [part(0), part(1), part(2), part(3)]
    }

    /// Converts a row to numbers, each rounded to the nearest `f32`.
    pub(crate) fn unpack_f32(&self, src: &[u8], dst: &mut [[f32; 4]]) {
        let reciprocals = self.mask.map(|mask| match mask.count_ones() {
            0 => Reciprocal::of_bits(1),
            bits => Reciprocal::of_bits(bits),
        });
        let set = self.set.map(|set| if set > 0 { 1.0 } else { 0.0 });
        let pixel = |word: u32| self.numbers(word, &reciprocals, &set);
        vectorize(
            #[inline(always)]
            || match self.size {
                4 => {
                    for (to, texel) in dst.iter_mut().zip(src.as_chunks().0) {
                        *to = pixel(u32::from_le_bytes(*texel));
                    }
                }
                2 => {
                    for (to, texel) in dst.iter_mut().zip(src.as_chunks().0) {
                        *to = pixel(u16::from_le_bytes(*texel) as u32);
                    }
                }
                size => {
                    for (to, texel) in dst.iter_mut().zip(src.chunks_exact(size)) {
                        *to = pixel(lanes::word(texel));
                    }
                }
            },
        );
    }

    /// Returns the 8-bit red of a texel.
    #[inline(always)]
    pub(crate) fn red(&self, texel: &[u8]) -> u8 {
        self.wide(lanes::word(texel), 0) as u8
    }

    /// Converts a row to bytes red, green, blue, alpha.
    pub(crate) fn unpack(&self, src: &[u8], dst: &mut [[u8; 4]]) {
        vectorize(
            #[inline(always)]
            || match (self.size, self.bytes) {
                (4, true) => permute(self.permutation(), dst, src.as_chunks().0),
                (3, true) => {
                    for (pixel, texel) in dst.iter_mut().zip(src.as_chunks().0) {
                        *pixel = self.rgba(three(*texel), Order::byte);
                    }
                }
                (2, _) if self.is_565() => widened::<0, 16>(dst, src.as_chunks().0, 255 << 24),
                (2, _) => {
                    for (pixel, texel) in dst.iter_mut().zip(src.as_chunks().0) {
                        *pixel = self.rgba(u16::from_le_bytes(*texel) as u32, Order::wide);
                    }
                }
                (1, true) => {
                    for (pixel, &texel) in dst.iter_mut().zip(src) {
                        *pixel = self.rgba(texel as u32, Order::byte);
                    }
                }
                _ => {
                    for (pixel, texel) in dst.iter_mut().zip(src.chunks_exact(self.size)) {
                        *pixel = self.rgba(lanes::word(texel), Order::wide);
                    }
                }
            },
        );
    }
}

/// Returns a texel of three bytes as a word.
#[inline(always)]
const fn three([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0])
}

/// A permutation of the bytes of a word: the source of each byte, the bits kept, the bits set.
#[derive(Clone, Copy)]
struct Permutation {
    from: [u8; 4],
    and: u32,
    or: u32,
}

/// Permutes the bytes of words. The common display orders use separate loops with constant
/// positions, which compile to byte shuffles.
#[inline(always)]
fn permute(permutation: Permutation, dst: &mut [[u8; 4]], src: &[[u8; 4]]) {
    match permutation.from {
        [0, 1, 2, 3] => permuted::<0, 1, 2, 3>(permutation, dst, src),
        // Red and blue swapped: the most frequent permutation, between displays and images.
        [2, 1, 0, 3] => {
            let Permutation { and, or, .. } = permutation;
            for (to, texel) in dst.iter_mut().zip(src) {
                let word = u32::from_le_bytes(*texel);
                let moved = word & 0xff00_ff00 | word.rotate_left(16) & 0x00ff_00ff;
                *to = (moved & and | or).to_le_bytes();
            }
        }
        [3, 2, 1, 0] => permuted::<3, 2, 1, 0>(permutation, dst, src),
        [1, 2, 3, 0] => permuted::<1, 2, 3, 0>(permutation, dst, src),
        [3, 0, 1, 2] => permuted::<3, 0, 1, 2>(permutation, dst, src),
        [0, 3, 2, 1] => permuted::<0, 3, 2, 1>(permutation, dst, src),
        from => {
            let [a, b, c, d] = from.map(usize::from);
            let Permutation { and, or, .. } = permutation;
            for (to, texel) in dst.iter_mut().zip(src) {
                let moved = [at(texel, a), at(texel, b), at(texel, c), at(texel, d)];
                *to = (u32::from_le_bytes(moved) & and | or).to_le_bytes();
            }
        }
    }
}

#[inline(always)]
fn permuted<const A: usize, const B: usize, const C: usize, const D: usize>(
    Permutation { and, or, .. }: Permutation,
    dst: &mut [[u8; 4]],
    src: &[[u8; 4]],
) {
    for (to, texel) in dst.iter_mut().zip(src) {
        let moved = [at(texel, A), at(texel, B), at(texel, C), at(texel, D)];
        *to = (u32::from_le_bytes(moved) & and | or).to_le_bytes();
    }
}

/// The positions of unorm channels of at most 8 bits in a word of one to four bytes.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    size: usize,
    shift: [u32; 4],
    bits: [u32; 4],
}

impl Target {
    /// Returns the positions of `format`'s channels; `None` if one is of another kind.
    pub(crate) fn new(format: Format) -> Option<Target> {
        let desc = format.desc();
        let size = desc.block.bytes as usize;
        let plain = desc.layout == Layout::Plain && desc.block.width == 1;
        if !plain || desc.colorspace != ColorSpace::Rgb || size > 4 {
            return None;
        }
        let mut target = Target { size, shift: [0; 4], bits: [0; 4] };
        for (index, channel) in desc.channels.iter().enumerate() {
            if channel.kind == ChannelKind::Void {
                continue;
            }
            let unorm = channel.kind == ChannelKind::Unsigned && channel.normalized;
            if !unorm || channel.bits > 8 {
                return None;
            }
            let component = desc.source_of(index)?;
            *at_mut(&mut target.shift, component) = channel.shift as u32;
            *at_mut(&mut target.bits, component) = channel.bits as u32;
        }
        Some(target)
    }

    #[inline(always)]
    fn word(&self, pixel: &[f32; 4], max: &[f32; 4]) -> u32 {
        let part = |i: usize| f32_to_unorm16(at(pixel, i), at(max, i)) << (at(&self.shift, i) & 31);
        part(0) | part(1) | part(2) | part(3)
    }

    /// Converts a row of numbers, each clamped and rounded.
    pub(crate) fn pack_f32(&self, dst: &mut [u8], src: &[[f32; 4]]) {
        let max = self.bits.map(|bits| if bits > 0 { max_of(bits) as f32 } else { 0.0 });
        let word = |pixel: &[f32; 4]| self.word(pixel, &max);
        vectorize(
            #[inline(always)]
            || match self.size {
                4 => {
                    for (to, pixel) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                        *to = word(pixel).to_le_bytes();
                    }
                }
                2 => {
                    for (to, pixel) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                        *to = (word(pixel) as u16).to_le_bytes();
                    }
                }
                size => {
                    for (to, pixel) in dst.chunks_exact_mut(size).zip(src) {
                        lanes::put_word(word(pixel), to);
                    }
                }
            },
        );
    }

    fn is_rgba_or_bgra(&self) -> bool {
        self.is_bytes() && matches!(self.shift, [0, 8, 16, _] | [16, 8, 0, _])
    }

    fn is_bytes(&self) -> bool {
        self.bits.iter().all(|&bits| matches!(bits, 0 | 8))
    }
}

/// A conversion between formats with unorm channels of at most 8 bits, in any order.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle {
    from: Order,
    to: Target,
}

impl Shuffle {
    /// Returns the loop from `src` to `dst`; `None` unless both formats are of this kind and one
    /// has 8-bit channels. Between narrower channels, rounding twice would not be exact.
    pub(crate) fn new(dst: Format, src: Format) -> Option<Shuffle> {
        let shuffle = Shuffle { from: Order::new(src)?, to: Target::new(dst)? };
        (shuffle.from.bytes || shuffle.to.is_bytes()).then_some(shuffle)
    }

    /// Converts a row. Both sides have the same number of texels.
    pub(crate) fn row(&self, dst: &mut [u8], src: &[u8]) {
        vectorize(
            #[inline(always)]
            || self.row_inline(dst, src),
        );
    }

    #[inline(always)]
    fn row_inline(&self, dst: &mut [u8], src: &[u8]) {
        let words = src.as_chunks().0.iter().map(|texel| u32::from_le_bytes(*texel));
        let keep = self.to.bits.map(|bits| if bits == 8 { 255 } else { 0 });
        match (self.to.size, self.from.size, self.to.bits) {
            (4, 4, _) if self.from.bytes && self.to.is_bytes() => {
                permute(self.permutation(), dst.as_chunks_mut().0, src.as_chunks().0);
            }
            (3, 4, _) if self.from.bytes && self.to.is_bytes() => {
                for (to, word) in dst.as_chunks_mut().0.iter_mut().zip(words) {
                    let [a, b, c, _] = self.bytes(word, &keep, Order::byte).to_le_bytes();
                    *to = [a, b, c];
                }
            }
            (4, 3, _) if self.from.bytes && self.to.is_bytes() => {
                for (to, from) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    *to = self.bytes(three(*from), &keep, Order::byte).to_le_bytes();
                }
            }
            (4, 2, _) if self.from.is_565() && self.to.is_rgba_or_bgra() => {
                let (dst, src) = (dst.as_chunks_mut().0, src.as_chunks().0);
                let alpha = keep[3] << 24;
                match self.to.shift {
                    [0, _, 16, _] => widened::<0, 16>(dst, src, alpha),
                    _ => widened::<16, 0>(dst, src, alpha),
                }
            }
            (4, 2, _) if self.to.is_bytes() => {
                for (to, from) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    let word = u16::from_le_bytes(*from) as u32;
                    *to = self.bytes(word, &keep, Order::wide).to_le_bytes();
                }
            }
            (4, 1, _) if self.from.bytes && self.to.is_bytes() => {
                for (to, from) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                    *to = self.bytes(*from as u32, &keep, Order::byte).to_le_bytes();
                }
            }
            (2, 4, [5, 6, 5, 0]) => {
                let dst = dst.as_chunks_mut().0;
                match (self.from.shift, self.to.shift) {
                    // Red, green, blue, or blue, green, red, to `B5G6R5`.
                    ([0, 8, 16, _], [11, 5, 0, _]) => narrowed::<0, 16>(dst, words),
                    ([16, 8, 0, _], [11, 5, 0, _]) => narrowed::<16, 0>(dst, words),
                    _ => {
                        for (to, word) in dst.iter_mut().zip(words) {
                            *to = self.rgb565(word).to_le_bytes();
                        }
                    }
                }
            }
            _ => self.any(dst, src),
        }
    }

    /// Returns the byte permutation, if the texels of both sides have four bytes.
    fn permutation(&self) -> Permutation {
        let (mut from, mut and, mut or) = ([0, 1, 2, 3], 0, 0);
        for component in 0..4 {
            if at(&self.to.bits, component) == 8 {
                let to = at(&self.to.shift, component);
                *at_mut(&mut from, to as usize / 8) = at(&self.from.shift, component) as u8 / 8;
                and |= at(&self.from.mask, component) << to;
                or |= at(&self.from.set, component) << to;
            }
        }
        // If all bits of a byte are cleared, its source does not matter. Choosing the one unused
        // byte gives one of the permutations with a loop of constant positions.
        if let Some(free) = (0..4).find(|&byte| and >> (8 * byte) & 255 == 0)
            && let Some(left) =
                (0..4).find(|byte| (0..4).all(|to| to == free || at(&from, to) != *byte))
        {
            *at_mut(&mut from, free) = left;
        }
        Permutation { from, and, or }
    }

    /// Returns a word with its bytes in the target's order.
    #[inline(always)]
    fn bytes(
        &self,
        word: u32,
        keep: &[u32; 4],
        component: impl Fn(&Order, u32, usize) -> u32,
    ) -> u32 {
        let part =
            |i: usize| (component(&self.from, word, i) & at(keep, i)) << at(&self.to.shift, i);
        part(0) | part(1) | part(2) | part(3)
    }

    #[inline(always)]
    fn rgb565(&self, word: u32) -> u16 {
        let [red, green, blue] = [0, 1, 2].map(|i| self.from.byte(word, i));
        let [s0, s1, s2, _] = self.to.shift;
        (five(red) << s0 | six(green) << s1 | five(blue) << s2) as u16
    }

    fn any(&self, dst: &mut [u8], src: &[u8]) {
        let texels = src.chunks_exact(self.from.size);
        for (to, from) in dst.chunks_exact_mut(self.to.size).zip(texels) {
            let word = lanes::word(from);
            let mut packed = 0;
            for i in 0..4 {
                let bits = at(&self.to.bits, i);
                let value = self.from.wide(word, i);
                let value = match bits {
                    0 => 0,
                    8 => value,
                    _ => (value * max_of(bits) * 2 + 255) / 510,
                };
                packed |= value << at(&self.to.shift, i);
            }
            lanes::put_word(packed, to);
        }
    }
}

/// Rounds a byte to 5 bits.
#[inline(always)]
const fn five(byte: u32) -> u32 {
    (byte * 249 + 1014) >> 11
}

/// Rounds a byte to 6 bits.
#[inline(always)]
const fn six(byte: u32) -> u32 {
    (byte * 253 + 505) >> 10
}

/// Converts words with green in bits 8 to 15 to `B5G6R5`. Constant positions make it faster.
#[inline(always)]
fn narrowed<const RED: u32, const BLUE: u32>(
    dst: &mut [[u8; 2]],
    words: impl Iterator<Item = u32>,
) {
    for (to, word) in dst.iter_mut().zip(words) {
        let byte = |at: u32| word >> at & 255;
        let color = five(byte(RED)) << 11 | six(byte(8)) << 5 | five(byte(BLUE));
        *to = (color as u16).to_le_bytes();
    }
}

/// Converts `B5G6R5` to words with green in bits 8 to 15, each channel rounded to the nearest byte.
#[inline(always)]
fn widened<const RED: u32, const BLUE: u32>(dst: &mut [[u8; 4]], src: &[[u8; 2]], alpha: u32) {
    for (to, texel) in dst.iter_mut().zip(src) {
        let word = u16::from_le_bytes(*texel) as u32;
        let five = |at: u32| ((word >> at & 31) * 527 + 23) >> 6;
        let green = ((word >> 5 & 63) * 259 + 33) >> 6;
        *to = (five(11) << RED | green << 8 | five(0) << BLUE | alpha).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_narrowed_to_the_nearest() {
        for byte in 0..=255u32 {
            let exact = |max: f64| (byte as f64 * max / 255.0).round() as u32;
            assert_eq!((five(byte), six(byte)), (exact(31.0), exact(63.0)), "{byte}");
        }
    }
}
