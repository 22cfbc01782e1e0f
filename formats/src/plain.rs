//! Reads and writes plain texels by their description: the reference for every fast path.

use crate::channel as number;
use crate::format::{Channel, ChannelKind, ColorSpace, Description, Swizzle};
use crate::index::at;
use crate::srgb;

/// Returns the bits of `channel` in a little-endian texel; missing bytes are 0.
#[inline]
fn read(texel: &[u8], channel: Channel) -> u64 {
    let first = channel.shift as usize / 8;
    let offset = channel.shift as u32 % 8;
    // Channels of more than 32 bits begin at a byte, so a window of 8 bytes suffices.
    let bytes = texel.get(first..).unwrap_or(&[]);
    let window = bytes.iter().take(8).rev().fold(0, |window, &byte| window << 8 | byte as u64);
    (window >> offset) & mask(channel)
}

/// Sets the bits of `channel` in a texel that is 0 there.
#[inline]
fn write(texel: &mut [u8], channel: Channel, value: u64) {
    let first = channel.shift as usize / 8;
    let mut window = (value & mask(channel)) << (channel.shift as u32 % 8);
    for byte in texel.iter_mut().skip(first).take(8) {
        *byte |= window as u8;
        window >>= 8;
    }
}

#[inline]
const fn mask(channel: Channel) -> u64 {
    match channel.bits {
        0 => 0,
        bits => u64::MAX >> (64 - bits as u32),
    }
}

#[inline]
const fn sign_extend(value: u64, channel: Channel) -> i64 {
    let unused = 64 - channel.bits as u32;
    ((value << unused) as i64) >> unused
}

/// Converts a channel's value to a number, by the sRGB curve where `srgb`.
#[inline]
pub(crate) fn to_f32(value: u64, channel: Channel, srgb: bool) -> f32 {
    let bits = channel.bits as u32;
    match channel.kind {
        ChannelKind::Void => 0.0,
        ChannelKind::Unsigned if srgb && bits == 8 => srgb::decode(value as u8),
        ChannelKind::Unsigned if srgb => srgb::decode_unorm(value as u32, bits),
        ChannelKind::Unsigned if channel.normalized => number::unorm_to_f32(value as u32, bits),
        ChannelKind::Unsigned => value as f32,
        ChannelKind::Signed if channel.normalized => {
            number::snorm_to_f32(sign_extend(value, channel) as i32, bits)
        }
        ChannelKind::Signed => sign_extend(value, channel) as f32,
        ChannelKind::Fixed => number::fixed_to_f32(value as i32),
        ChannelKind::Float => match bits {
            16 => number::half_to_f32(value as u32),
            64 => f64::from_bits(value) as f32,
            _ => f32::from_bits(value as u32),
        },
    }
}

/// Returns the channel's value nearest to `x`.
#[inline]
pub(crate) fn from_f32(x: f32, channel: Channel, srgb: bool) -> u64 {
    let bits = channel.bits as u32;
    match channel.kind {
        ChannelKind::Void => 0,
        ChannelKind::Unsigned if srgb && bits == 8 => srgb::encode(x) as u64,
        ChannelKind::Unsigned if srgb => srgb::encode_unorm(x, bits) as u64,
        ChannelKind::Unsigned if channel.normalized => number::f32_to_unorm(x, bits) as u64,
        ChannelKind::Unsigned => number::f32_to_uint(x, bits),
        ChannelKind::Signed if channel.normalized => number::f32_to_snorm(x, bits) as u64,
        ChannelKind::Signed => number::f32_to_sint(x, bits) as u64,
        ChannelKind::Fixed => number::f32_to_fixed(x) as u64,
        ChannelKind::Float => match bits {
            16 => number::f32_to_half(x) as u64,
            64 => (x as f64).to_bits(),
            _ => x.to_bits() as u64,
        },
    }
}

/// Returns true if component `index` goes through the sRGB curve.
#[inline]
const fn curved(desc: &Description, index: usize) -> bool {
    index < 3 && matches!(desc.colorspace, ColorSpace::Srgb)
}

/// Reads a texel as red, green, blue and alpha.
pub(crate) fn fetch_f32(desc: &Description, texel: &[u8]) -> [f32; 4] {
    let swizzle = desc.color_swizzle();
    core::array::from_fn(|index| match at(&swizzle, index) {
        Swizzle::One => 1.0,
        from => from.channel().map_or(0.0, |from| {
            let channel = at(&desc.channels, from);
            to_f32(read(texel, channel), channel, curved(desc, index))
        }),
    })
}

/// Converts a pure-integer channel's value, sign-extended; values beyond 32 bits saturate.
#[inline]
pub(crate) fn to_int(value: u64, channel: Channel) -> u32 {
    match channel.kind {
        ChannelKind::Signed => {
            sign_extend(value, channel).clamp(i32::MIN as i64, i32::MAX as i64) as u32
        }
        _ => value.min(u32::MAX as u64) as u32,
    }
}

/// Returns the pure-integer channel's value nearest to `x`, which is an `i32` where the channel is
/// signed.
#[inline]
pub(crate) fn from_int(x: u32, channel: Channel) -> u64 {
    let bits = channel.bits as u32;
    match channel.kind {
        ChannelKind::Signed => clamp_signed(x, bits) as u64,
        _ => x.min(number::max_of(bits.min(32))) as u64,
    }
}

/// Reads a texel of a pure-integer format as red, green, blue and alpha.
pub(crate) fn fetch_int(desc: &Description, texel: &[u8]) -> [u32; 4] {
    desc.color_swizzle().map(|from| match from {
        Swizzle::One => 1,
        from => from.channel().map_or(0, |from| {
            let channel = at(&desc.channels, from);
            to_int(read(texel, channel), channel)
        }),
    })
}

/// Writes a texel from red, green, blue and alpha.
pub(crate) fn store_f32(desc: &Description, rgba: [f32; 4], texel: &mut [u8]) {
    texel.fill(0);
    for (index, &channel) in desc.channels.iter().enumerate() {
        if let Some(source) = desc.source_of(index) {
            write(texel, channel, from_f32(at(&rgba, source), channel, curved(desc, source)));
        }
    }
}

/// Writes a texel from integers, clamped to the channels' ranges, as `i32` where they are signed.
pub(crate) fn store_int(desc: &Description, rgba: [u32; 4], texel: &mut [u8]) {
    texel.fill(0);
    for (index, &channel) in desc.channels.iter().enumerate() {
        if let Some(source) = desc.source_of(index) {
            write(texel, channel, from_int(at(&rgba, source), channel));
        }
    }
}

/// Clamps `value`, an `i32`, to `bits` bits.
#[inline(always)]
fn clamp_signed(value: u32, bits: u32) -> i64 {
    if bits >= 32 {
        return value as i32 as i64;
    }
    let max = (1 << (bits - 1)) - 1;
    (value as i32).clamp(-max - 1, max) as i64
}
