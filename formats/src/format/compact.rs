//! Descriptions in four bytes each: 2 KB of flash for all formats instead of 14 KB.
//!
//! At compile time, every [`Description`] is split into a few parts. Each part has a table of its
//! distinct values, and a word holds the indices into these tables.
//!
//! | bits | plain and packed formats | block formats |
//! |---|---|---|
//! | 0..4 | layout | layout |
//! | 4..8 | kinds of the channels | the same |
//! | 8..13 | order: swizzle, and which channels are padding | the same |
//! | 13..15 | colour space | the same |
//! | 16..32 | widths of four channels, 4 bits each | width, height, depth, bytes, minus 1: 4, 4, 3, 5 bits |

use super::Format;
use super::desc::{Block, Channel, ChannelKind, ColorSpace, Description, Layout, Packing, Swizzle};
use crate::index::{at, at_mut};

/// Layouts by number.
const LAYOUTS: [Layout; 16] = [
    Layout::Empty,
    Layout::Plain,
    Layout::Packed(Packing::Float111110),
    Layout::Packed(Packing::SharedExponent),
    Layout::Packed(Packing::UnitVector),
    Layout::Subsampled,
    Layout::PackedYuv,
    Layout::Planar,
    Layout::S3tc,
    Layout::Rgtc,
    Layout::Latc,
    Layout::Bptc,
    Layout::Etc,
    Layout::Astc,
    Layout::Atc,
    Layout::Fxt1,
];

/// Returns the index in [`LAYOUTS`]; a test compares the two for every format.
const fn layout_number(layout: Layout) -> u32 {
    match layout {
        Layout::Empty => 0,
        Layout::Plain => 1,
        Layout::Packed(Packing::Float111110) => 2,
        Layout::Packed(Packing::SharedExponent) => 3,
        Layout::Packed(Packing::UnitVector) => 4,
        Layout::Subsampled => 5,
        Layout::PackedYuv => 6,
        Layout::Planar => 7,
        Layout::S3tc => 8,
        Layout::Rgtc => 9,
        Layout::Latc => 10,
        Layout::Bptc => 11,
        Layout::Etc => 12,
        Layout::Astc => 13,
        Layout::Atc => 14,
        Layout::Fxt1 => 15,
    }
}

const SWIZZLES: [Swizzle; 8] = [
    Swizzle::X,
    Swizzle::Y,
    Swizzle::Z,
    Swizzle::W,
    Swizzle::Zero,
    Swizzle::One,
    Swizzle::None,
    Swizzle::None,
];

const SPACES: [ColorSpace; 4] =
    [ColorSpace::Rgb, ColorSpace::Srgb, ColorSpace::Yuv, ColorSpace::Zs];

const KINDS: [ChannelKind; 8] = [
    ChannelKind::Void,
    ChannelKind::Unsigned,
    ChannelKind::Signed,
    ChannelKind::Fixed,
    ChannelKind::Float,
    ChannelKind::Void,
    ChannelKind::Void,
    ChannelKind::Void,
];

/// A set of at most `N` values, found by index.
struct Distinct<const N: usize> {
    values: [u32; N],
    len: usize,
}

impl<const N: usize> Distinct<N> {
    const NEW: Self = Distinct { values: [0; N], len: 0 };

    /// Returns the index of `value`, and adds it if it is new. More than `N` values fail the build.
    #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
    const fn place(&mut self, value: u32) -> u32 {
        let mut i = 0;
        while i < self.len {
            if self.values[i] == value {
                return i as u32;
            }
            i += 1;
        }
        self.values[i] = value;
        self.len += 1;
        i as u32
    }
}

/// The words of all formats, and the tables that they index.
pub(crate) struct Compact<const N: usize> {
    words: [u32; N],
    /// Four swizzles of 3 bits, and a bit for each channel of padding.
    orders: [u16; 32],
    /// Four channels of 5 bits each: kind, normalised, pure integer.
    kinds: [u32; 16],
    widths: [u8; 16],
}

/// Returns the kinds of four channels. Padding gets the kind of another channel, which keeps the
/// number of distinct values small.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn kinds(desc: &Description) -> u32 {
    let mut first = 0;
    while first < 3 && matches!(desc.channels[first].kind, ChannelKind::Void) {
        first += 1;
    }
    let mut word = 0;
    let mut i = 0;
    while i < 4 {
        let void = matches!(desc.channels[i].kind, ChannelKind::Void);
        let Channel { kind, normalized, pure_integer, .. } =
            desc.channels[if void { first } else { i }];
        word |= (kind as u32 | (normalized as u32) << 3 | (pure_integer as u32) << 4) << (5 * i);
        i += 1;
    }
    word
}

#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn order(desc: &Description) -> u32 {
    let mut word = 0;
    let mut i = 0;
    while i < 4 {
        word |= (desc.swizzle[i] as u32) << (3 * i);
        if matches!(desc.channels[i].kind, ChannelKind::Void) {
            word |= 1 << (12 + i);
        }
        i += 1;
    }
    word
}

impl<const N: usize> Compact<N> {
    /// Splits descriptions at compile time.
    #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
    pub(crate) const fn new(descriptions: &[Description; N]) -> Self {
        let mut orders = Distinct::<32>::NEW;
        let mut distinct_kinds = Distinct::<16>::NEW;
        let mut distinct_widths = Distinct::<16>::NEW;
        // Index 0 is width 0, so that a word with its high bits 0 is a texel of no bits.
        distinct_widths.place(0);
        let mut words = [0; N];
        let mut at = 0;
        while at < N {
            let desc = &descriptions[at];
            let mut word = layout_number(desc.layout)
                | distinct_kinds.place(kinds(desc)) << 4
                | orders.place(order(desc)) << 8
                | (desc.colorspace as u32) << 13;
            if matches!(desc.layout, Layout::Plain | Layout::Packed(_) | Layout::Empty) {
                let mut i = 0;
                while i < 4 {
                    let width = desc.channels[i].bits as u32;
                    word |= distinct_widths.place(width) << (16 + 4 * i);
                    i += 1;
                }
            } else {
                let Block { width, height, depth, bytes } = desc.block;
                assert!(width <= 16 && height <= 16 && depth <= 8 && bytes <= 32);
                word |= (width as u32 - 1) << 16;
                word |= (height as u32 - 1) << 20;
                word |= (depth as u32 - 1) << 24;
                word |= (bytes as u32 - 1) << 27;
            }
            words[at] = word;
            at += 1;
        }
        let mut compact =
            Compact { words, orders: [0; 32], kinds: distinct_kinds.values, widths: [0; 16] };
        let mut i = 0;
        while i < 32 {
            compact.orders[i] = orders.values[i] as u16;
            compact.widths[i % 16] = distinct_widths.values[i % 16] as u8;
            i += 1;
        }
        compact
    }

    /// Returns the word of a format.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "there is a word for every format")]
    const fn word(&self, format: Format) -> u32 {
        self.words[format as usize]
    }

    /// Returns the layout of the format's blocks.
    #[inline]
    pub(crate) const fn layout(&self, format: Format) -> Layout {
        at(&LAYOUTS, self.word(format) as usize)
    }

    /// Returns the meaning of the format's components.
    #[inline]
    pub(crate) const fn colorspace(&self, format: Format) -> ColorSpace {
        at(&SPACES, (self.word(format) >> 13) as usize)
    }

    /// Returns true if two formats differ only in the sRGB curve.
    pub(crate) const fn differ_in_curve(&self, a: Format, b: Format) -> bool {
        let curve = (ColorSpace::Rgb as u32 ^ ColorSpace::Srgb as u32) << 13;
        let (a, b) = (self.word(a), self.word(b));
        // Among linear formats only unorm ones have an sRGB counterpart, so the kinds are equal.
        a ^ b == curve && a & 2 << 13 == 0
    }

    /// Returns the width in bits of channel `i` of a format that is not a block format.
    #[inline]
    const fn width(&self, word: u32, i: usize) -> u8 {
        at(&self.widths, (word >> (16 + 4 * i)) as usize)
    }

    /// Returns the format's block.
    pub(crate) const fn block(&self, format: Format) -> Block {
        let word = self.word(format);
        if matches!(self.layout(format), Layout::Plain | Layout::Packed(_) | Layout::Empty) {
            let mut bits = 0;
            let mut i = 0;
            while i < 4 {
                bits += self.width(word, i) as u32;
                i += 1;
            }
            // For texels of less than 8 bits a block is a byte of texels.
            let width = if bits > 0 && bits < 8 { 8 / bits } else { 1 };
            return Block {
                width: width as u8,
                height: 1,
                depth: 1,
                bytes: (bits * width / 8) as u8,
            };
        }
        Block {
            width: (word >> 16 & 15) as u8 + 1,
            height: (word >> 20 & 15) as u8 + 1,
            depth: (word >> 24 & 7) as u8 + 1,
            bytes: (word >> 27) as u8 + 1,
        }
    }

    /// Assembles the description.
    #[inline(never)]
    pub(crate) const fn desc(&self, format: Format) -> Description {
        let word = self.word(format);
        let layout = self.layout(format);
        let blocks = !matches!(layout, Layout::Plain | Layout::Packed(_) | Layout::Empty);
        let kinds = at(&self.kinds, (word >> 4) as usize);
        let order = at(&self.orders, (word >> 8) as usize) as u32;
        let mut channels = [Channel::VOID; 4];
        let mut swizzle = [Swizzle::None; 4];
        let mut channel_count = 0;
        let mut shift = 0;
        let mut i = 0;
        while i < 4 {
            *at_mut(&mut swizzle, i) = at(&SWIZZLES, (order >> (3 * i)) as usize);
            let channel = at_mut(&mut channels, i);
            let bits = if blocks { 0 } else { self.width(word, i) };
            let void = order >> (12 + i) & 1 != 0;
            if !void {
                let kind = kinds >> (5 * i);
                channel.kind = at(&KINDS, kind as usize);
                channel.normalized = kind >> 3 & 1 != 0;
                channel.pure_integer = kind >> 4 & 1 != 0;
            }
            if bits > 0 || (blocks && !void) {
                channel.bits = bits;
                channel.shift = shift;
                channel_count += 1;
            }
            shift = shift.wrapping_add(bits);
            i += 1;
        }
        Description {
            format,
            block: self.block(format),
            layout,
            colorspace: self.colorspace(format),
            channel_count,
            channels,
            swizzle,
        }
    }
}
