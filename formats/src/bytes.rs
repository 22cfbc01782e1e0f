//! Integer loops for what displays and images use: 8888 in every order, one byte, 565.
//!
//! They give the same results as the general path, which goes through `f32`; a test compares them
//! for every pair of formats and every value of a channel.

use crate::channel::max_of;
use crate::desc::{ChannelKind, ColorSpace, Layout, Swizzle};
use crate::{Format, lanes};

/// Where the four components are in a texel of 8-bit unorm channels, up to four bytes.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    size: usize,
    shift: [u32; 4],
    /// Bits that are set in a component that is not stored: 255 for alpha.
    set: [u32; 4],
    /// 255 for components that are stored, 0 for others.
    mask: [u32; 4],
}

impl Order {
    /// The order of `format`'s bytes, if it has nothing else.
    pub(crate) fn new(format: Format) -> Option<Order> {
        let desc = format.desc();
        let size = format.block_bytes();
        if desc.layout != Layout::Plain || desc.colorspace != ColorSpace::Rgb || size > 4 {
            return None;
        }
        let mut order = Order { size, shift: [0; 4], set: [0; 4], mask: [0; 4] };
        for (component, from) in desc.swizzle.into_iter().enumerate() {
            match from.channel() {
                None => order.set[component] = if from == Swizzle::One { 255 } else { 0 },
                Some(index) => {
                    let channel = desc.channels[index];
                    let unorm = channel.kind == ChannelKind::Unsigned && channel.normalized;
                    if !unorm || channel.bits != 8 {
                        return None;
                    }
                    order.shift[component] = channel.shift as u32;
                    order.mask[component] = 255;
                }
            }
        }
        Some(order)
    }

    #[inline(always)]
    fn component(&self, word: u32, index: usize) -> u32 {
        (word >> self.shift[index]) & self.mask[index] | self.set[index]
    }

    #[inline(always)]
    fn rgba(&self, word: u32) -> [u8; 4] {
        core::array::from_fn(|index| self.component(word, index) as u8)
    }

    pub(crate) fn unpack(&self, src: &[u8], dst: &mut [[u8; 4]]) {
        if self.size == 4 {
            for (pixel, texel) in dst.iter_mut().zip(src.as_chunks().0) {
                *pixel = self.rgba(u32::from_le_bytes(*texel));
            }
        } else {
            for (pixel, texel) in dst.iter_mut().zip(src.chunks_exact(self.size)) {
                *pixel = self.rgba(lanes::word(texel));
            }
        }
    }
}

/// Where three or four unorm channels of up to 8 bits go in a word of 2 or 4 bytes.
#[derive(Clone, Copy)]
struct Target {
    size: usize,
    shift: [u32; 4],
    bits: [u32; 4],
}

impl Target {
    fn new(format: Format) -> Option<Target> {
        let desc = format.desc();
        let size = format.block_bytes();
        if desc.layout != Layout::Plain
            || desc.colorspace != ColorSpace::Rgb
            || !matches!(size, 2 | 4)
        {
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
            target.shift[component] = channel.shift as u32;
            target.bits[component] = channel.bits as u32;
        }
        Some(target)
    }
}

/// 8-bit channels in any order to unorm channels of up to 8 bits in any order.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle {
    from: Order,
    to: Target,
}

impl Shuffle {
    /// The loop from `src` to `dst`, if both are of the kind.
    pub(crate) fn new(dst: Format, src: Format) -> Option<Shuffle> {
        Some(Shuffle { from: Order::new(src)?, to: Target::new(dst)? })
    }

    /// Converts a row; both sides have the same number of texels.
    pub(crate) fn row(&self, dst: &mut [u8], src: &[u8]) {
        match (self.to.size, self.from.size, self.to.bits) {
            (4, 4, _) if self.to.bits.iter().all(|&bits| matches!(bits, 0 | 8)) => {
                let keep = self.to.bits.map(|bits| if bits == 8 { 255 } else { 0 });
                for (to, from) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    let word = u32::from_le_bytes(*from);
                    let part =
                        |i: usize| (self.from.component(word, i) & keep[i]) << self.to.shift[i];
                    *to = (part(0) | part(1) | part(2) | part(3)).to_le_bytes();
                }
            }
            (2, 4, [5, 6, 5, 0]) => {
                for (to, from) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    *to = self.rgb565(u32::from_le_bytes(*from)).to_le_bytes();
                }
            }
            _ => self.any(dst, src),
        }
    }

    #[inline(always)]
    fn rgb565(&self, word: u32) -> u16 {
        let [red, green, blue] = [0, 1, 2].map(|i| self.from.component(word, i));
        let [s0, s1, s2, _] = self.to.shift;
        (narrow::<5>(red) << s0 | narrow::<6>(green) << s1 | narrow::<5>(blue) << s2) as u16
    }

    fn any(&self, dst: &mut [u8], src: &[u8]) {
        let texels = src.chunks_exact(self.from.size);
        for (to, from) in dst.chunks_exact_mut(self.to.size).zip(texels) {
            let word = lanes::word(from);
            let packed = (0..4).filter(|&i| self.to.bits[i] > 0).fold(0, |packed, i| {
                let max = max_of(self.to.bits[i]);
                let value = (self.from.component(word, i) * max * 2 + 255) / 510;
                packed | value << self.to.shift[i]
            });
            lanes::put_word(packed, to);
        }
    }
}

/// `value / 255` in `BITS` bits, 5 or 6, rounded to the nearest.
///
/// x / 255 is (x + x/256 + 1) / 256 for every x below 65535, rounded down.
#[inline(always)]
const fn narrow<const BITS: u32>(value: u32) -> u32 {
    let x = value * ((1 << BITS) - 1) + 127;
    (x + (x >> 8) + 1) >> 8
}
