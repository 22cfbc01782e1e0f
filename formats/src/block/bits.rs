//! Texels of 1, 2 and 4 bits: a block is a byte, the first texel in its low bits.

use super::{Bytes, Texels};

/// Takes a byte apart.
pub(super) fn decode(byte: u8, bits: u8, texels: &mut Texels) {
    let mask = u8::MAX >> (8 - bits);
    for (i, texel) in texels.iter_mut().take(8 / bits as usize).enumerate() {
        *texel = [(byte >> (i * bits as usize) & mask) as u16, 0, 0, 0];
    }
}

/// Puts a byte together.
pub(super) fn encode(texels: &Texels, bits: u8) -> Bytes {
    let mut block = [0; 16];
    for (i, texel) in texels.iter().take(8 / bits as usize).enumerate() {
        block[0] |= (texel[0] as u8) << (i * bits as usize);
    }
    block
}
