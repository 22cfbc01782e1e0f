//! Derives descriptions from the rows of the table, at compile time.
//!
//! The description of a plain format is read from its name, by the rules of the manual's chapter
//! "Formats": channels from the lowest address (the least significant bit) up, each a letter and a
//! number of bits, then the type. The letter names the components that the channel feeds: `L` red,
//! green and blue, `I` all four, `X` none. A missing colour is 0, a missing alpha 1. A name that
//! cannot be read fails the build.

use super::Format;
use super::desc::{Block, Channel, ChannelKind, ColorSpace, Description, Layout, Packing, Swizzle};

impl Description {
    /// Returns the description of a format of independent channels, read from its name.
    pub(crate) const fn plain(format: Format, name: &str) -> Description {
        Reader::read(format, name)
    }

    /// Returns the description of a format of dependent channels, read from its name.
    pub(crate) const fn packed(format: Format, name: &str, packing: Packing) -> Description {
        let mut desc = match packing {
            Packing::SharedExponent | Packing::Float111110 => Reader::read(format, name),
            // Blue is not stored.
            Packing::UnitVector => Reader::read(format, "R8G8_SNORM"),
        };
        desc.layout = Layout::Packed(packing);
        desc
    }

    /// Returns the description of [`Format::None`].
    pub(crate) const fn empty(format: Format) -> Description {
        Description {
            format,
            block: Block { width: 1, height: 1, depth: 1, bytes: 0 },
            layout: Layout::Empty,
            colorspace: ColorSpace::Rgb,
            channel_count: 0,
            channels: [Channel::VOID; 4],
            swizzle: [Swizzle::Zero, Swizzle::Zero, Swizzle::Zero, Swizzle::One],
        }
    }

    /// Returns the description of a format of blocks that decode to the components named by
    /// `letters`.
    #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
    pub(crate) const fn blocks(
        format: Format,
        name: &str,
        layout: Layout,
        block: Block,
        letters: &str,
    ) -> Description {
        let name = name.as_bytes();
        let mut desc = Description::empty(format);
        desc.block = block;
        desc.layout = layout;
        desc.colorspace = match layout {
            Layout::PackedYuv | Layout::Planar => ColorSpace::Yuv,
            _ if contains(name, b"YUYV") || contains(name, b"UYVY") => ColorSpace::Yuv,
            _ if contains(name, b"SRGB") => ColorSpace::Srgb,
            _ => ColorSpace::Rgb,
        };
        if contains(name, b"R8_G8B8") || contains(name, b"G8_B8") {
            desc.colorspace = ColorSpace::Rgb;
        }
        let float = contains(name, b"FLOAT");
        let channel = Channel {
            kind: if float {
                ChannelKind::Float
            } else if contains(name, b"SNORM") {
                ChannelKind::Signed
            } else {
                ChannelKind::Unsigned
            },
            normalized: !float,
            ..Channel::VOID
        };
        let letters = letters.as_bytes();
        desc.channel_count = letters.len() as u8;
        let mut i = 0;
        while i < letters.len() {
            desc.channels[i] = channel;
            route(&mut desc.swizzle, letters[i], i);
            i += 1;
        }
        desc
    }
}

/// Returns channel `index` as a swizzle source.
#[expect(clippy::panic, reason = "fails the build")]
const fn channel(index: usize) -> Swizzle {
    match index {
        0 => Swizzle::X,
        1 => Swizzle::Y,
        2 => Swizzle::Z,
        3 => Swizzle::W,
        _ => panic!("a format has at most four channels"),
    }
}

/// Returns true if `needle` occurs in `text`.
const fn contains(text: &[u8], needle: &[u8]) -> bool {
    find(text, needle) < text.len()
}

/// Returns the index at which `needle` first occurs in `text`; without a match, the length of
/// `text`.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn find(text: &[u8], needle: &[u8]) -> usize {
    let mut start = 0;
    while start + needle.len() <= text.len() {
        let mut i = 0;
        while i < needle.len() && text[start + i] == needle[i] {
            i += 1;
        }
        if i == needle.len() {
            return start;
        }
        start += 1;
    }
    text.len()
}

/// Makes channel `index`, called `letter`, the source of its components.
#[expect(clippy::panic, reason = "fails the build")]
const fn route(swizzle: &mut [Swizzle; 4], letter: u8, index: usize) {
    let from = channel(index);
    match letter {
        b'R' => swizzle[0] = from,
        b'G' => swizzle[1] = from,
        b'B' => swizzle[2] = from,
        b'A' => swizzle[3] = from,
        b'L' => {
            swizzle[0] = from;
            swizzle[1] = from;
            swizzle[2] = from;
        }
        b'I' => *swizzle = [from; 4],
        // Depth and stencil, in their positions in a `Zs` description.
        b'Z' => swizzle[0] = from,
        b'S' => swizzle[1] = from,
        // `X` is padding, `E` the shared exponent.
        b'X' | b'E' => {}
        _ => panic!("unknown channel letter"),
    }
}

/// The state of reading a name, from left to right.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
    const fn peek(&self, ahead: usize) -> u8 {
        if self.at + ahead < self.text.len() { self.text[self.at + ahead] } else { b'_' }
    }

    const fn number(&mut self) -> u8 {
        let mut value = 0;
        while self.peek(0).is_ascii_digit() {
            value = value * 10 + (self.peek(0) - b'0');
            self.at += 1;
        }
        value
    }

    /// Returns the text up to the next underscore.
    const fn word(&mut self) -> &'a [u8] {
        let rest = self.text.split_at(self.at).1;
        let mut len = 0;
        while self.peek(0) != b'_' {
            self.at += 1;
            len += 1;
        }
        rest.split_at(len).0
    }

    /// Returns the channel with the type that `word` names.
    #[expect(clippy::panic, reason = "fails the build")]
    const fn typed(channel: Channel, word: &[u8]) -> Channel {
        use ChannelKind::{Fixed, Float, Signed, Unsigned};
        let (kind, normalized, pure_integer) = match word {
            b"UNORM" | b"SRGB" => (Unsigned, true, false),
            b"SNORM" => (Signed, true, false),
            b"USCALED" => (Unsigned, false, false),
            b"SSCALED" => (Signed, false, false),
            b"UINT" => (Unsigned, false, true),
            b"SINT" => (Signed, false, true),
            b"FIXED" => (Fixed, false, false),
            b"FLOAT" => (Float, false, false),
            // Each channel has its own sign, and its kind is known already.
            b"NORM" => (channel.kind, true, false),
            _ => panic!("unknown channel type"),
        };
        Channel { kind, normalized, pure_integer, ..channel }
    }

    #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
    const fn read(format: Format, name: &str) -> Description {
        let mut desc = Description::empty(format);
        desc.layout = Layout::Plain;
        let whole = name.as_bytes();
        let view = find(whole, b"_AS_");
        let at = if view < whole.len() { view + 4 } else { 0 };
        let mut reader = Reader { text: whole, at };
        let mut letters = [b'X'; 4];
        let mut count = 0;
        let mut untyped = 0;
        let mut bits = 0u16;
        while reader.at < whole.len() {
            if reader.peek(0) == b'_' {
                reader.at += 1;
            } else if reader.peek(1).is_ascii_digit() {
                letters[count] = reader.peek(0);
                reader.at += 1;
                let width = reader.number();
                let mut kind = ChannelKind::Unsigned;
                if matches!(reader.peek(0), b'S' | b'U') && !reader.peek(1).is_ascii_digit() {
                    if reader.peek(0) == b'S' {
                        kind = ChannelKind::Signed;
                    }
                    reader.at += 1;
                }
                desc.channels[count] = Channel {
                    kind,
                    normalized: true,
                    bits: width,
                    shift: bits as u8,
                    ..Channel::VOID
                };
                bits += width as u16;
                count += 1;
            } else {
                let word = reader.word();
                if matches!(word, b"SRGB") {
                    desc.colorspace = ColorSpace::Srgb;
                }
                // The type applies to all channels since the last type.
                while untyped < count {
                    desc.channels[untyped] = Reader::typed(desc.channels[untyped], word);
                    untyped += 1;
                }
            }
        }
        let mut i = 0;
        while i < count {
            if letters[i] == b'Z' || letters[i] == b'S' {
                desc.colorspace = ColorSpace::Zs;
                desc.swizzle = [Swizzle::None; 4];
            }
            i += 1;
        }
        i = 0;
        while i < count {
            route(&mut desc.swizzle, letters[i], i);
            if letters[i] == b'X' {
                let Channel { bits, shift, .. } = desc.channels[i];
                desc.channels[i] = Channel { bits, shift, ..Channel::VOID };
            }
            i += 1;
        }
        desc.channel_count = count as u8;
        // Less than a byte per texel: a block is one byte of texels.
        let width = if bits < 8 { 8 / bits } else { 1 };
        desc.block =
            Block { width: width as u8, height: 1, depth: 1, bytes: (bits * width / 8) as u8 };
        desc
    }
}
