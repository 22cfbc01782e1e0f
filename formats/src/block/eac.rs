//! EAC: one channel, eight modifiers around a base. Used by the alpha of ETC2, and by R11 and RG11.

use super::{Bytes, Texels};
use crate::format::{ChannelKind, Description};
use crate::index::{at, at_mut};

/// The negative modifiers of each table; the positive ones are `-1 - x`.
const MODIFIERS: [[i8; 4]; 16] = [
    [-3, -6, -9, -15],
    [-3, -7, -10, -13],
    [-2, -5, -8, -13],
    [-2, -4, -6, -13],
    [-3, -6, -8, -12],
    [-3, -7, -9, -11],
    [-4, -7, -8, -11],
    [-3, -5, -8, -11],
    [-2, -6, -8, -10],
    [-2, -5, -8, -10],
    [-2, -4, -8, -10],
    [-2, -5, -7, -10],
    [-3, -4, -7, -10],
    [-1, -2, -3, -10],
    [-4, -6, -8, -9],
    [-3, -5, -7, -9],
];

/// Returns the modifier of texel `i`, row by row, times the multiplier. Codes go column by column,
/// from the high bits down.
fn modifier(word: u64, i: usize) -> i32 {
    let place = 4 * (i % 4) + i / 4;
    let code = (word >> (45 - 3 * place)) as usize & 7;
    let negative = at(&at(&MODIFIERS, (word >> 48) as usize), code) as i32;
    if code < 4 { negative } else { -1 - negative }
}

/// Decodes the alpha of an ETC2 block: 8 bits.
pub(super) fn alpha(block: [u8; 8], texels: &mut Texels) {
    let word = u64::from_be_bytes(block);
    let (base, multiplier) = (block[0] as i32, block[1] as i32 >> 4);
    for (i, texel) in texels.iter_mut().take(16).enumerate() {
        texel[3] = (base + modifier(word, i) * multiplier).clamp(0, 255) as u16;
    }
}

/// Decodes 16 texels of one or two channels of 11 bits.
pub(super) fn decode(desc: &Description, block: &Bytes, texels: &mut Texels) {
    let signed = desc.channels[0].kind == ChannelKind::Signed;
    for (channel, half) in block.as_chunks().0.iter().take(desc.channel_count.into()).enumerate() {
        let word = u64::from_be_bytes(*half);
        let multiplier = match half[1] as i32 >> 4 {
            0 => 1,
            multiplier => 8 * multiplier,
        };
        for (i, texel) in texels.iter_mut().take(16).enumerate() {
            let step = modifier(word, i) * multiplier;
            *at_mut(texel, channel) = if signed {
                // -128 counts as -127.
                let base = (half[0] as i8).max(-127) as i32 * 8;
                (base + step).clamp(-1023, 1023) as u16
            } else {
                (half[0] as i32 * 8 + 4 + step).clamp(0, 2047) as u16
            };
        }
    }
}
