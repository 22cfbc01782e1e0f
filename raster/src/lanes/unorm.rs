//! Unsigned normalised texels of up to 32 bits, converted by shifts and scales.
//!
//! 8888 in every order, 565, 4444, 5551, 10-10-10-2, L8, A8, L8A8, R8, R8G8, R16, R16G16 … differ
//! only in a few parameters. So one loop per direction serves them all and vectorises. All other
//! formats go through `formats`.

use formats::{ChannelKind, ColorSpace, Format, Layout};
use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

use super::{map, quantise};
use crate::features::{ALL_FORMATS, SMALL_CODE};
use crate::profile::MAX_QUADS;

/// The most lanes of a row.
const LANES: usize = 4 * MAX_QUADS;

/// The layout of a texel of at most four bytes: shift, width and scale of each component.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct UnormLayout {
    /// Bytes per texel: 1, 2 or 4; textures may also have 3.
    pub(crate) bytes: u32,
    /// Component `c` is `(texel >> shift[c]) & max[c]`, as an integer.
    shift: [u32; 4],
    max: [u32; 4],
    /// The integer `v` is the number `v * high + v * low`.
    high: [f32; 4],
    low: [f32; 4],
    /// The value of a component that is not stored. Its `max` is 0.
    constant: [f32; 4],
    /// The components that are written. A luminance is read as three components and written as one.
    stored: [bool; 4],
}

/// One component of an [`UnormLayout`], copied so that stores to rows cannot alias it.
#[derive(Clone, Copy)]
pub(crate) struct ChannelLayout {
    pub(crate) shift: u32,
    max: u32,
    high: f32,
    low: f32,
    constant: f32,
}

impl ChannelLayout {
    /// Extracts the component of a texel, as an integer.
    #[inline(always)]
    pub(crate) fn integer(self, texel: u32) -> f32 {
        // Through i32: unsigned conversions are slow on x86.
        (texel >> self.shift & self.max) as i32 as f32
    }

    /// Filters a component bilinearly, as [`UnormLayout::bilinear`] does. `shifted` moves the
    /// component's bits of a texel to the lowest place.
    #[inline(always)]
    fn bilinear(
        self,
        shifted: impl Fn(u32) -> u32,
        [a, b, d, e]: [&[u32]; 4],
        s: &[u32],
        t: &[u32],
        out: &mut [u32],
    ) {
        let integer = |texel: u32| (shifted(texel) & self.max) as i32 as f32;
        let lanes = out.iter_mut().zip(a).zip(b).zip(d).zip(e).zip(s).zip(t);
        for ((((((out, &a), &b), &d), &e), &s), &t) in lanes {
            let weights = [f32::from_bits(s), f32::from_bits(t)];
            *out = self.weighted([integer(a), integer(b), integer(d), integer(e)], weights);
        }
    }

    /// Filters a component of four texels as [`UnormLayout::bilinear`] does; returns its bits.
    #[inline(always)]
    fn mean(self, [a, b, d, e]: [u32; 4], weights: [f32; 2]) -> u32 {
        let integers = [self.integer(a), self.integer(b), self.integer(d), self.integer(e)];
        self.weighted(integers, weights)
    }

    /// Returns the bits of the mean of four integers, scaled.
    #[inline(always)]
    fn weighted(self, [a, b, d, e]: [f32; 4], [s, t]: [f32; 2]) -> u32 {
        let top = a + s * (b - a);
        let bottom = d + s * (e - d);
        self.scaled(top + t * (bottom - top)).to_bits()
    }

    /// Scales an integer, or a mean of several, to the component's value.
    #[inline(always)]
    pub(crate) fn scaled(self, integer: f32) -> f32 {
        integer * self.high + integer * self.low
    }
}

impl UnormLayout {
    /// Returns the layout of `format`; `None` unless its texels are unsigned normalised channels of
    /// up to 16 bits in 1, 2 or 4 bytes.
    pub(crate) fn of(format: Format) -> Option<UnormLayout> {
        if ALL_FORMATS && format.block_bytes() == 3 { None } else { UnormLayout::sampled(format) }
    }

    /// Returns the layout of `format` as [`of`](Self::of) does, and also for texels of 3 bytes. No
    /// kernel draws to those.
    pub(crate) fn sampled(format: Format) -> Option<UnormLayout> {
        let desc = format.desc();
        let block = desc.block;
        let plain = desc.layout == Layout::Plain
            && desc.colorspace == ColorSpace::Rgb
            && (block.width, block.height) == (1, 1)
            && (matches!(block.bytes, 1 | 2 | 4) || ALL_FORMATS && block.bytes == 3);
        if !plain {
            return None;
        }
        let mut layout = UnormLayout::empty(u32::from(block.bytes));
        let mut written = [false; 4];
        #[expect(clippy::indexing_slicing, reason = "components and channels are 0 to 3")]
        for (component, swizzle) in desc.swizzle.iter().enumerate() {
            let Some(index) = swizzle.channel() else {
                layout.constant[component] =
                    if *swizzle == formats::Swizzle::One { 1.0 } else { 0.0 };
                continue;
            };
            let channel = desc.channels[index];
            // Channels of more than 16 bits are left to `formats`: integers and weights must share
            // 24 bits.
            if channel.kind != ChannelKind::Unsigned || !channel.normalized || channel.bits > 16 {
                return None;
            }
            let max = (1u32 << channel.bits) - 1;
            layout.shift[component] = u32::from(channel.shift);
            layout.max[component] = max;
            (layout.high[component], layout.low[component]) = reciprocal(u32::from(channel.bits));
            layout.stored[component] = !core::mem::replace(&mut written[index], true);
        }
        Some(layout)
    }

    /// Returns the layout of texels of this many bytes without channels.
    const fn empty(bytes: u32) -> UnormLayout {
        UnormLayout {
            bytes,
            shift: [0; 4],
            max: [0; 4],
            high: [0.0; 4],
            low: [0.0; 4],
            constant: [0.0; 4],
            stored: [false; 4],
        }
    }

    /// `B5G6R5_UNORM`.
    pub(crate) const B5G6R5: UnormLayout =
        UnormLayout::of_word([Some((11, 5)), Some((5, 6)), Some((0, 5)), None]);

    /// `B4G4R4A4_UNORM`.
    pub(crate) const B4G4R4A4: UnormLayout =
        UnormLayout::of_word([Some((8, 4)), Some((4, 4)), Some((0, 4)), Some((12, 4))]);

    /// Returns the layout of texels of 2 bytes: lowest bit and number of bits of each component.
    /// `None`: the component is 1.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    const fn of_word(components: [Option<(u32, u32)>; 4]) -> UnormLayout {
        let mut layout = UnormLayout::empty(2);
        let mut c = 0;
        while c < 4 {
            match components[c] {
                None => layout.constant[c] = 1.0,
                Some((shift, bits)) => {
                    (layout.shift[c], layout.max[c]) = (shift, (1 << bits) - 1);
                    (layout.high[c], layout.low[c]) = reciprocal(bits);
                    layout.stored[c] = true;
                }
            }
            c += 1;
        }
        layout
    }

    /// Returns true if all channels have up to 8 bits.
    pub(crate) fn is_bytes(&self) -> bool {
        self.max.iter().all(|max| *max <= 255)
    }

    /// Returns a component's shift, its largest integer (0: it is constant, see
    /// [`UnormLayout::constant`]), and true if the component is written.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below 4")]
    pub(crate) const fn channel(&self, c: usize) -> (u32, u32, bool) {
        let c = c % 4;
        (self.shift[c], self.max[c], self.stored[c])
    }

    /// Returns the value of a component that is not stored.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below 4")]
    pub(crate) const fn constant(&self, c: usize) -> f32 {
        self.constant[c % 4]
    }

    /// Returns the layout of component `c`, 0 to 3.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "its callers count four components")]
    fn channel_layout(&self, c: usize) -> ChannelLayout {
        ChannelLayout {
            shift: self.shift[c],
            max: self.max[c],
            high: self.high[c],
            low: self.low[c],
            constant: self.constant[c],
        }
    }

    /// Returns each component's layout, its largest integer, and all ones if it is written. A
    /// component that is not stored has integer 0.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(crate) fn channels(&self) -> [(ChannelLayout, f32, u32); 4] {
        [0, 1, 2, 3].map(|c| {
            let stored = u32::from(self.stored[c]).wrapping_neg();
            (self.channel_layout(c), self.max[c] as f32, stored)
        })
    }

    /// Returns the mean of `count` texels, channel by channel, rounded to nearest.
    pub(crate) fn mean(&self, texels: impl Iterator<Item = u32>, count: u32) -> u32 {
        let mut sums = [count / 2; 4];
        for texel in texels {
            for ((sum, shift), max) in sums.iter_mut().zip(self.shift).zip(self.max) {
                *sum += texel >> shift & max;
            }
        }
        let parts = sums.iter().zip(self.shift).zip(self.stored);
        parts.fold(
            0,
            |mean, ((sum, shift), stored)| {
                if stored { mean | (sum / count.max(1)) << shift } else { mean }
            },
        )
    }

    /// Unpacks a row of texels to four rows of f32.
    pub(crate) fn unpack<R: Lanes>(&self, texels: &R, rgba: &mut [R; 4]) {
        self.unpack_rows(texels.as_slice(), rgba.each_mut().map(|row| row.as_mut_slice()));
    }

    /// Unpacks texels to rows of the same length, as [`unpack`](Self::unpack) does.
    pub(crate) fn unpack_rows(&self, texels: &[u32], rgba: [&mut [u32]; 4]) {
        vectorize(
            #[inline(always)]
            || self.unpack_inline(texels, rgba),
        );
    }

    /// Unpacks as [`unpack`](Self::unpack) does, inside a caller that is already vectorised.
    #[inline(always)]
    pub(crate) fn unpack_inline(&self, texels: &[u32], rgba: [&mut [u32]; 4]) {
        for (c, out) in rgba.into_iter().enumerate() {
            let channel = self.channel_layout(c);
            if channel.max == 0 {
                out.fill(channel.constant.to_bits());
            } else {
                map(texels, out, |texel| channel.scaled(channel.integer(texel)).to_bits());
            }
        }
    }

    /// Filters as [`bilinear`](Self::bilinear) does, inside a caller that is already vectorised.
    #[inline(always)]
    pub(crate) fn bilinear_inline(
        &self,
        texels: &[[u32; LANES]; 4],
        s: &[u32; LANES],
        t: &[u32; LANES],
        mut rgba: [&mut [u32]; 4],
    ) {
        let (red, green) = (self.channel_layout(0), self.channel_layout(1));
        let (blue, alpha) = (self.channel_layout(2), self.channel_layout(3));
        let [r, g, b, a] = &mut rgba;
        let [upper, beside, lower, last] = texels;
        let lanes = r.iter_mut().zip(&mut **g).zip(&mut **b).zip(&mut **a);
        let texels = upper.iter().zip(beside).zip(lower).zip(last);
        for (((out, texels), s), t) in lanes.zip(texels).zip(s).zip(t) {
            let (((r, g), b), a) = out;
            let (((upper, beside), lower), last) = texels;
            let texels = [*upper, *beside, *lower, *last];
            let weights = [f32::from_bits(*s), f32::from_bits(*t)];
            *r = red.mean(texels, weights);
            *g = green.mean(texels, weights);
            *b = blue.mean(texels, weights);
            *a = alpha.mean(texels, weights);
        }
        for (channel, out) in [red, green, blue, alpha].iter().zip(rgba) {
            if channel.max == 0 {
                out.fill(channel.constant.to_bits());
            }
        }
    }

    /// Filters texels at (0, 0), (1, 0), (0, 1), (1, 1) bilinearly; `s` and `t` are the weights of
    /// the second texels along each axis. Filters the integers and scales once at the end.
    pub(crate) fn bilinear<R: Lanes>(&self, texels: &[R; 4], s: &R, t: &R, rgba: &mut [R; 4]) {
        self.bilinear_rows(
            texels.each_ref().map(|row| row.as_slice()),
            s.as_slice(),
            t.as_slice(),
            rgba.each_mut().map(|row| row.as_mut_slice()),
        );
    }

    fn bilinear_rows(&self, texels: [&[u32]; 4], s: &[u32], t: &[u32], rgba: [&mut [u32]; 4]) {
        vectorize(
            #[inline(always)]
            || {
                for (c, out) in rgba.into_iter().enumerate() {
                    let channel = self.channel_layout(c);
                    // Vectors shift by a constant in fewer instructions.
                    match channel.shift {
                        _ if channel.max == 0 => out.fill(channel.constant.to_bits()),
                        0 if !SMALL_CODE => channel.bilinear(|texel| texel, texels, s, t, out),
                        8 if !SMALL_CODE => channel.bilinear(|texel| texel >> 8, texels, s, t, out),
                        16 if !SMALL_CODE => {
                            channel.bilinear(|texel| texel >> 16, texels, s, t, out);
                        }
                        24 if !SMALL_CODE => {
                            channel.bilinear(|texel| texel >> 24, texels, s, t, out);
                        }
                        shift => channel.bilinear(|texel| texel >> shift, texels, s, t, out),
                    }
                }
            },
        );
    }

    /// Packs four rows of f32 to a row of texels: clamps to [0, 1], rounds to nearest, ties to
    /// even, NaN to 0. Padding is 0.
    pub(crate) fn pack<R: Lanes>(&self, rgba: [&R; 4], texels: &mut R) {
        self.pack_rows(rgba.map(|row| row.as_slice()), texels.as_mut_slice());
    }

    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    fn pack_rows(&self, rgba: [&[u32]; 4], texels: &mut [u32]) {
        vectorize(
            #[inline(always)]
            || {
                let max = self.max.map(|max| max as f32);
                let [r, g, b, a] = rgba;
                let shift = self.shift;
                let part = |c: usize, x: u32| quantise(f32::from_bits(x), max[c]) << shift[c];
                if self.stored == [true; 4] {
                    for ((((out, &r), &g), &b), &a) in texels.iter_mut().zip(r).zip(g).zip(b).zip(a)
                    {
                        *out = part(0, r) | part(1, g) | part(2, b) | part(3, a);
                    }
                    return;
                }
                texels.fill(0);
                for (c, row) in rgba.into_iter().enumerate() {
                    if self.stored[c] {
                        for (out, &x) in texels.iter_mut().zip(row) {
                            *out |= part(c, x);
                        }
                    }
                }
            },
        );
    }
}

/// Returns two factors. The sum of their products with an integer of `bits` bits is the integer
/// divided by `2^bits - 1`, correctly rounded.
///
/// 1/(2ⁿ-1) = 2⁻ⁿ(1 + 2⁻ⁿ + …): `high` is the head of the series, short enough that a product
/// with an integer is exact, `low` the rest; so only their sum rounds, as a division would.
const fn reciprocal(bits: u32) -> (f32, f32) {
    let max = ((1u32 << bits) - 1) as f32;
    let unit = 1.0 / (1u32 << bits) as f32;
    match bits {
        1 => (1.0, 0.0),
        2..=12 => ((max + 2.0) * unit * unit, unit * unit / max),
        _ => (unit, unit / max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::float;

    #[test]
    fn constant_layouts_are_those_of_their_formats() {
        assert_eq!(UnormLayout::of(Format::B5G6R5Unorm), Some(UnormLayout::B5G6R5));
        assert_eq!(UnormLayout::of(Format::B4G4R4A4Unorm), Some(UnormLayout::B4G4R4A4));
    }

    #[test]
    fn integers_of_every_width_are_divided_exactly() {
        for bits in 1..=16 {
            let (high, low) = reciprocal(bits);
            let max = (1u32 << bits) - 1;
            for value in 0..=max {
                let v = value as f32;
                assert_eq!(v * high + v * low, v / max as f32, "{value} of {bits} bits");
            }
        }
    }

    #[test]
    fn fast_and_general_code_agree_on_all_formats_of_the_kind() {
        let mut kinds = 0;
        for &format in Format::ALL {
            let Some(layout) = UnormLayout::sampled(format) else { continue };
            kinds += 1;
            for seed in 0..64u32 {
                let word = seed.wrapping_mul(0x9e37_79b9) ^ (seed << 7);
                let word = word & (u64::MAX >> (64 - 8 * layout.bytes)) as u32;
                let bytes = word.to_le_bytes();
                let texel = &bytes[..layout.bytes as usize];
                let mut rgba = [[0u32; 4]; 4];
                layout.unpack(&[word; 4], &mut rgba);
                let got = [0, 1, 2, 3].map(|c| float(&rgba[c], 0));
                assert_eq!(got, format.fetch_rgba_f32(texel), "{format:?} {word:#x}");
                let mut want = [0; 4];
                format.store_rgba_f32(got, &mut want[..layout.bytes as usize]);
                let mut packed = [0; 4];
                layout.pack([&rgba[0], &rgba[1], &rgba[2], &rgba[3]], &mut packed);
                assert_eq!(packed[0], u32::from_le_bytes(want), "{format:?} {word:#x}");
            }
        }
        assert!(kinds > 10, "only {kinds} formats");
    }
}
