//! Conversion of colours in lanes to texels in lanes.

use crate::channel;
use crate::format::{Channel, ChannelKind, ColorSpace, Description, Layout, Packing};
use crate::index::{at, at_mut};
use crate::{Format, packed, plain, srgb};

/// The loop that converts a component to the bits of a channel.
#[derive(Clone, Copy)]
enum Write {
    /// Multiplies by 2^bits - 1; up to 16 bits.
    Unorm,
    /// Multiplies by 2^(bits-1) - 1; up to 16 bits.
    Snorm,
    /// 8 bits by the sRGB curve.
    Srgb,
    /// The bits of 32-bit floats.
    Bits,
    /// Unsigned integers, clamped.
    Unsigned,
    /// Signed integers, clamped.
    Signed,
    /// Binary 16.
    Half,
    /// Any other channel, by the scalar conversion of each lane.
    Wide,
}

/// A channel, its component, and the loop that writes it.
#[derive(Clone, Copy)]
struct Store {
    write: Write,
    /// Index of the component, 0 red to 3 alpha.
    source: u8,
    channel: Channel,
    /// True if the component goes through the sRGB curve.
    curved: bool,
}

impl Store {
    fn of(desc: &Description, index: usize) -> Option<Store> {
        let channel = at(&desc.channels, index);
        let source = desc.source_of(index)?;
        let Channel { kind, normalized, pure_integer, bits, .. } = channel;
        let narrow = bits <= 16;
        let curved = source < 3 && desc.colorspace == ColorSpace::Srgb;
        let write = match kind {
            ChannelKind::Void => return None,
            ChannelKind::Unsigned if curved && bits == 8 => Write::Srgb,
            ChannelKind::Unsigned if pure_integer && bits <= 32 => Write::Unsigned,
            ChannelKind::Unsigned if normalized && narrow && !curved => Write::Unorm,
            ChannelKind::Signed if pure_integer && bits <= 32 => Write::Signed,
            ChannelKind::Signed if normalized && narrow => Write::Snorm,
            ChannelKind::Float if bits == 16 => Write::Half,
            ChannelKind::Float if bits == 32 => Write::Bits,
            _ => Write::Wide,
        };
        Some(Store { write, source: source as u8, channel, curved })
    }
}

/// The loops of a format.
#[derive(Clone, Copy)]
enum Plan {
    /// Two to four unorm channels in one word, by component: one loop for 8888 in all orders,
    /// 565, 5551, 4444 and 10-10-10-2. A component that is not stored has a maximum of 0.
    Unorm { shift: [u8; 4], max: [f32; 4] },
    /// One loop per channel.
    Channels([Option<Store>; 4]),
    /// Texels of dependent channels.
    Packed(Packing),
    /// The format has no single texels: writes nothing.
    Nothing,
}

/// Writes lanes as texels of one format. Small; create one per draw.
#[derive(Clone, Copy)]
pub struct Packer {
    format: Format,
    planes: u8,
    plan: Plan,
}

impl Packer {
    /// Chooses the loops for `format`.
    ///
    /// A packer of a format without single texels (not [`Format::is_texel`]) writes nothing.
    pub fn new(format: Format) -> Packer {
        let desc = format.desc();
        let plan = match desc.layout {
            Layout::Packed(packing) => Plan::Packed(packing),
            Layout::Plain if desc.block.width == 1 => {
                let stores = core::array::from_fn(|index| Store::of(&desc, index));
                Packer::one_word_of_unorm(&desc, &stores).unwrap_or(Plan::Channels(stores))
            }
            _ => Plan::Nothing,
        };
        Packer { format, planes: super::words_per_texel(format) as u8, plan }
    }

    fn one_word_of_unorm(desc: &Description, stores: &[Option<Store>; 4]) -> Option<Plan> {
        let (mut shift, mut max) = ([0; 4], [0.0; 4]);
        // A format with one channel uses its single, shorter loop.
        if desc.block.bytes > 4 || stores.iter().flatten().count() < 2 {
            return None;
        }
        for store in stores.iter().flatten() {
            if !matches!(store.write, Write::Unorm) {
                return None;
            }
            *at_mut(&mut shift, store.source as usize) = store.channel.shift;
            *at_mut(&mut max, store.source as usize) =
                channel::max_of(store.channel.bits as u32) as f32;
        }
        Some(Plan::Unorm { shift, max })
    }

    /// Returns the format that is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Converts colours to texels, each component clamped and rounded to the nearest.
    ///
    /// * `rgba`: bits of `f32`, or integers where the format is pure integer; four slices of one
    ///   length, `n`.
    /// * `words`: `n` texels, plane by plane. Bits that no channel holds become 0.
    pub fn pack(&self, rgba: [&[u32]; 4], words: &mut [u32]) {
        self.pack_inline(rgba, words);
    }

    /// Converts like [`pack`](Self::pack), inlined into the caller.
    #[inline(always)]
    pub fn pack_inline(&self, rgba: [&[u32]; 4], words: &mut [u32]) {
        let lanes = rgba[0].len();
        debug_assert!(words.len() >= lanes * self.planes as usize, "too few words");
        match &self.plan {
            // Without alpha the loop takes a quarter less time.
            Plan::Unorm { shift, max } if max[3] == 0.0 => {
                pack_unorm::<false>(shift, max, rgba, words);
            }
            Plan::Unorm { shift, max } => pack_unorm::<true>(shift, max, rgba, words),
            Plan::Packed(Packing::Float111110) => each(rgba, words, packed::pack_r11g11b10),
            Plan::Packed(Packing::SharedExponent) => each(rgba, words, packed::pack_r9g9b9e5),
            Plan::Packed(Packing::UnitVector) => each(rgba, words, packed::pack_unit_vector),
            Plan::Channels(stores) => {
                words.iter_mut().take(lanes * self.planes as usize).for_each(|word| *word = 0);
                for store in stores.iter().flatten() {
                    let plane = store.channel.shift as usize / 32 * lanes;
                    let words = words.get_mut(plane..).unwrap_or(&mut []);
                    pack_channel(store, at(&rgba, store.source as usize), words);
                }
            }
            Plan::Nothing => {}
        }
    }
}

/// Adds a component's bits to the texels' words, in one loop over the lanes.
#[inline(always)]
fn merge(from: &[u32], words: &mut [u32], f: impl Fn(u32) -> u32) {
    for (word, &bits) in words.iter_mut().zip(from) {
        *word |= f(bits);
    }
}

#[inline(always)]
fn pack_channel(store: &Store, from: &[u32], words: &mut [u32]) {
    let Channel { bits, shift, .. } = store.channel;
    let shift = shift as u32 % 32;
    let mask = channel::max_of((bits as u32).clamp(1, 32));
    match store.write {
        Write::Unorm => {
            let max = mask as f32;
            merge(from, words, |x| channel::f32_to_unorm16(f32::from_bits(x), max) << shift);
        }
        Write::Snorm => {
            let max = (mask >> 1) as f32;
            merge(from, words, |x| {
                let x = channel::number(f32::from_bits(x));
                (channel::f32_to_snorm16(x, max) & mask) << shift
            });
        }
        Write::Srgb => {
            merge(from, words, |x| (srgb::encode(f32::from_bits(x)) as u32) << shift);
        }
        Write::Bits => merge(from, words, |x| x),
        Write::Unsigned => merge(from, words, |x| x.min(mask) << shift),
        Write::Signed => {
            let max = (mask >> 1) as i32;
            merge(from, words, |x| (((x as i32).clamp(-max - 1, max) as u32) & mask) << shift);
        }
        Write::Half => {
            merge(from, words, |x| channel::f32_to_half(f32::from_bits(x)) << shift);
        }
        Write::Wide => pack_wide(store, from, words),
    }
}

/// Writes a channel with the scalar conversion, one lane at a time.
fn pack_wide(store: &Store, from: &[u32], words: &mut [u32]) {
    let Store { channel, curved, .. } = *store;
    let lanes = from.len();
    for (lane, &x) in from.iter().enumerate() {
        let value = if channel.pure_integer {
            plain::from_int(x, channel)
        } else {
            plain::from_f32(f32::from_bits(x), channel, curved)
        };
        let low = value as u32 & channel::max_of((channel.bits as u32).min(32));
        if let Some(word) = words.get_mut(lane) {
            *word |= low << (channel.shift % 32);
        }
        if channel.bits > 32
            && let Some(word) = words.get_mut(lanes + lane)
        {
            *word |= (value >> 32) as u32;
        }
    }
}

/// Packs texels of dependent channels, in one loop over the lanes.
#[inline(always)]
fn each(rgba: [&[u32]; 4], words: &mut [u32], f: impl Fn([f32; 3]) -> u32) {
    let [red, green, blue, _] = rgba;
    for (((word, &red), &green), &blue) in words.iter_mut().zip(red).zip(green).zip(blue) {
        *word = f([red, green, blue].map(f32::from_bits));
    }
}

/// Packs all components in one loop.
#[inline(always)]
fn pack_unorm<const ALPHA: bool>(
    shift: &[u8; 4],
    max: &[f32; 4],
    rgba: [&[u32]; 4],
    words: &mut [u32],
) {
    let [red, green, blue, alpha] = rgba;
    let [s0, s1, s2, s3] = shift.map(u32::from);
    let [m0, m1, m2, m3] = *max;
    // The mask proves to the compiler that shifts are less than 32.
    let part =
        |bits, max, shift| channel::f32_to_unorm16(f32::from_bits(bits), max) << (shift & 31);
    let colors = red.iter().zip(green).zip(blue).zip(alpha);
    for (word, (((&red, &green), &blue), &alpha)) in words.iter_mut().zip(colors) {
        *word = part(red, m0, s0) | part(green, m1, s1) | part(blue, m2, s2);
        if ALPHA {
            *word |= part(alpha, m3, s3);
        }
    }
}
