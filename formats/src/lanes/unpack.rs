//! Conversion of texels in lanes to colours in lanes.

use crate::channel::{self, Reciprocal};
use crate::format::{Channel, ChannelKind, ColorSpace, Description, Layout, Packing, Swizzle};
use crate::index::at;
use crate::{Format, packed, plain, srgb};

/// The loop that converts the bits of a channel to a component.
#[derive(Clone, Copy)]
enum Read {
    /// A constant, for all lanes.
    Constant(u32),
    /// Divides by 2^bits - 1; up to 16 bits.
    Unorm,
    /// Divides by 2^(bits-1) - 1; up to 16 bits.
    Snorm,
    /// Divides by 2^24 - 1; 24 bits, as in fixed-point depth.
    Unorm24,
    /// Divides by 2^32 - 1; 32 bits.
    Unorm32,
    /// Divides by 2^31 - 1; 32 bits.
    Snorm32,
    /// Up to 8 bits by the sRGB curve.
    Srgb,
    /// Up to 32 bits, as an unsigned number.
    Unsigned,
    /// Up to 32 bits, as a signed number.
    Signed,
    /// 16.16 fixed point.
    Fixed,
    /// The bits as they are: floats of 32 bits, unsigned integers.
    Bits,
    /// Sign-extended integers.
    Integer,
    /// Binary 16.
    Half,
    /// Any other channel, by the scalar conversion of each lane.
    Wide,
}

/// The channel of a component, and the loop that reads it.
#[derive(Clone, Copy)]
struct Component {
    read: Read,
    channel: Channel,
    /// True if the component goes through the sRGB curve.
    curved: bool,
}

impl Component {
    const fn constant(bits: u32) -> Component {
        Component { read: Read::Constant(bits), channel: Channel::VOID, curved: false }
    }

    fn of(desc: &Description, index: usize, integers: bool) -> Component {
        let from = at(&desc.color_swizzle(), index);
        let Some(number) = from.channel() else {
            let one = if integers { 1 } else { 1f32.to_bits() };
            return Component::constant(if from == Swizzle::One { one } else { 0 });
        };
        let channel = at(&desc.channels, number);
        let Channel { kind, normalized, pure_integer, bits, .. } = channel;
        let narrow = bits <= 16;
        let curved = index < 3 && desc.colorspace == ColorSpace::Srgb;
        let read = match kind {
            ChannelKind::Void => Read::Constant(0),
            ChannelKind::Unsigned if curved && bits <= 8 => Read::Srgb,
            ChannelKind::Unsigned if pure_integer && bits <= 32 => Read::Bits,
            ChannelKind::Unsigned if normalized && narrow && !curved => Read::Unorm,
            ChannelKind::Unsigned if normalized && bits == 24 && !curved => Read::Unorm24,
            ChannelKind::Unsigned if normalized && bits == 32 && !curved => Read::Unorm32,
            ChannelKind::Unsigned if !normalized && bits <= 32 => Read::Unsigned,
            ChannelKind::Signed if pure_integer && bits <= 32 => Read::Integer,
            ChannelKind::Signed if normalized && narrow => Read::Snorm,
            ChannelKind::Signed if normalized && bits == 32 => Read::Snorm32,
            ChannelKind::Signed if !normalized && bits <= 32 => Read::Signed,
            ChannelKind::Fixed if bits == 32 => Read::Fixed,
            ChannelKind::Float if bits == 16 => Read::Half,
            ChannelKind::Float if bits == 32 => Read::Bits,
            _ => Read::Wide,
        };
        Component { read, channel, curved }
    }
}

/// Reads texels of one format into lanes. Small; create one per draw.
#[derive(Clone, Copy)]
pub struct Unpacker {
    format: Format,
    layout: Layout,
    planes: u8,
    components: [Component; 4],
    /// True for a green, blue or alpha equal to the component before it.
    repeats: [bool; 4],
}

impl Unpacker {
    /// Chooses the loops for `format`.
    ///
    /// An unpacker of a format without single texels (not [`Format::is_texel`]) reads zeros.
    pub fn new(format: Format) -> Unpacker {
        let desc = format.desc();
        let integers = desc.is_pure_integer();
        let components = if format.is_plain() {
            core::array::from_fn(|index| Component::of(&desc, index, integers))
        } else {
            [Component::constant(0); 4]
        };
        let swizzle = desc.color_swizzle();
        let stored = |index: usize| at(&swizzle, index).channel().is_some();
        let repeats = core::array::from_fn(|index| {
            index > 0 && stored(index) && at(&swizzle, index) == at(&swizzle, index - 1)
        });
        let planes = super::words_per_texel(format) as u8;
        Unpacker { format, layout: desc.layout, planes, components, repeats }
    }

    /// Returns the format that is read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Converts texels to colours.
    ///
    /// * `words`: `n` texels, plane by plane, where `n` is the length of `rgba[0]`.
    /// * `rgba`: bits of `f32`, or integers where the format is pure integer.
    pub fn unpack(&self, words: &[u32], rgba: [&mut [u32]; 4]) {
        self.unpack_inline(words, rgba);
    }

    /// Converts like [`unpack`](Self::unpack), inlined into the caller.
    #[inline(always)]
    pub fn unpack_inline(&self, words: &[u32], rgba: [&mut [u32]; 4]) {
        let lanes = rgba[0].len();
        debug_assert!(words.len() >= lanes * self.planes as usize, "too few words");
        match self.layout {
            Layout::Packed(Packing::Float111110) => {
                each(words, rgba, packed::unpack_r11g11b10);
            }
            Layout::Packed(Packing::SharedExponent) => {
                each(words, rgba, packed::unpack_r9g9b9e5);
            }
            Layout::Packed(Packing::UnitVector) => {
                each(words, rgba, packed::unpack_unit_vector);
            }
            _ => {
                let mut last: &[u32] = &[];
                for (index, out) in rgba.into_iter().enumerate() {
                    if at(&self.repeats, index) {
                        map(last, out, |bits| bits);
                    } else {
                        self.component(index, words, lanes, out);
                    }
                    last = out;
                }
            }
        }
    }

    /// Returns true if each component is a separate channel or constant.
    pub fn has_plain_channels(&self) -> bool {
        !matches!(self.layout, Layout::Packed(_))
    }

    /// Returns the red components of texels of one word each, like [`unpack`](Self::unpack), for
    /// formats that [have plain channels](Self::has_plain_channels): the words themselves, if they
    /// are the components, or what it writes to `spare`.
    #[inline(always)]
    pub fn red_inline<'w>(&self, words: &'w [u32], spare: &'w mut [u32]) -> &'w [u32] {
        let Component { read, channel, .. } = at(&self.components, 0);
        if matches!(read, Read::Bits) && channel.bits == 32 && channel.shift == 0 {
            return words;
        }
        self.component(0, words, spare.len(), spare);
        spare
    }

    #[inline(always)]
    fn component(&self, index: usize, words: &[u32], lanes: usize, out: &mut [u32]) {
        let Component { read, channel, .. } = at(&self.components, index);
        let plane = channel.shift as usize / 32;
        let shift = channel.shift as u32 % 32;
        let bits = (channel.bits as u32).clamp(1, 32);
        let words = words.get(plane * lanes..).unwrap_or(&[]);
        // Shifts the channel's highest bit to bit 31, then its lowest bit to bit 0.
        let (up, down) = ((32 - bits).saturating_sub(shift), 32 - bits);
        let unsigned = |word: u32| (word << up) >> down;
        let signed = |word: u32| ((word << up) as i32) >> down;
        match read {
            Read::Constant(bits) => out.fill(bits),
            Read::Unorm => {
                let reciprocal = Reciprocal::of_bits(bits);
                map(words, out, |word| reciprocal.of(unsigned(word) as i32).to_bits());
            }
            Read::Snorm => {
                let reciprocal = Reciprocal::of_bits(bits - 1);
                map(words, out, |word| {
                    let x = reciprocal.of(signed(word));
                    (if x > -1.0 { x } else { -1.0 }).to_bits()
                });
            }
            Read::Unorm24 => map(words, out, |word| channel::unorm24_to_f32(unsigned(word))),
            Read::Unorm32 => {
                map(words, out, |word| channel::unorm_to_f32(word, 32).to_bits());
            }
            Read::Snorm32 => {
                map(words, out, |word| channel::snorm_to_f32(word as i32, 32).to_bits());
            }
            Read::Srgb if bits == 8 => {
                map(words, out, |word| srgb::decode((word >> shift) as u8).to_bits());
            }
            Read::Srgb => {
                map(words, out, |word| srgb::decode_unorm(unsigned(word), bits).to_bits());
            }
            Read::Fixed => {
                map(words, out, |word| channel::fixed_to_f32(signed(word)).to_bits());
            }
            // Through i32 if that is exact: unsigned conversions are slow on x86.
            Read::Unsigned if bits < 32 => {
                map(words, out, |word| (unsigned(word) as i32 as f32).to_bits());
            }
            Read::Unsigned => map(words, out, |word| (word as f32).to_bits()),
            Read::Signed => map(words, out, |word| (signed(word) as f32).to_bits()),
            Read::Bits => map(words, out, unsigned),
            Read::Integer => map(words, out, |word| signed(word) as u32),
            Read::Half => map(words, out, |word| channel::half_to_f32(unsigned(word)).to_bits()),
            Read::Wide => self.wide(index, words, lanes, out),
        }
    }

    /// Reads a channel with the scalar conversion, one lane at a time.
    fn wide(&self, index: usize, words: &[u32], lanes: usize, out: &mut [u32]) {
        let Component { channel, curved, .. } = at(&self.components, index);
        let high = words.get(lanes..).unwrap_or(&[]);
        for (lane, (out, &low)) in out.iter_mut().zip(words).enumerate() {
            let value = if channel.bits > 32 {
                let high = high.get(lane).copied().unwrap_or(0);
                (high as u64) << 32 | low as u64
            } else {
                let bits = channel.bits as u32;
                ((low >> (channel.shift % 32)) & channel::max_of(bits)) as u64
            };
            *out = if channel.pure_integer {
                plain::to_int(value, channel)
            } else {
                plain::to_f32(value, channel, curved).to_bits()
            };
        }
    }
}

/// Converts the texels' words to a component, in one loop over the lanes.
#[inline(always)]
fn map(words: &[u32], out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, &word) in out.iter_mut().zip(words) {
        *out = f(word);
    }
}

/// Unpacks texels of dependent channels, in one loop over the lanes; alpha is 1.
#[inline(always)]
fn each(words: &[u32], rgba: [&mut [u32]; 4], f: impl Fn(u32) -> [f32; 3]) {
    let [red, green, blue, alpha] = rgba;
    for (((red, green), blue), &word) in red.iter_mut().zip(green).zip(blue).zip(words) {
        [*red, *green, *blue] = f(word).map(f32::to_bits);
    }
    alpha.fill(1f32.to_bits());
}
