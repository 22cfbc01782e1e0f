//! Texels of 1, 2 and 4 bits: a block is one byte, with the first texel in its low bits.

use super::{Bytes, Texels};
use crate::bytes::Order;
use crate::format::{Description, Swizzle};

/// Splits a byte into texels.
pub(super) fn decode(byte: u8, bits: u8, texels: &mut Texels) {
    let mask = u8::MAX >> (8 - bits);
    for (i, texel) in texels.iter_mut().take(8 / bits as usize).enumerate() {
        *texel = [(byte >> (i * bits as usize) & mask) as u16, 0, 0, 0];
    }
}

/// Joins texels to a byte.
pub(super) fn encode(texels: &Texels, bits: u8) -> Bytes {
    let mut block = [0; 16];
    for (i, texel) in texels.iter().take(8 / bits as usize).enumerate() {
        block[0] |= (texel[0] as u8) << (i * bits as usize);
    }
    block
}

/// Loops over rows of a format of one channel.
#[derive(Clone, Copy)]
pub(crate) struct Loops {
    bits: u8,
    /// 1 in each byte of a pixel that comes from the channel.
    spread: u32,
    /// The bits that are set in every pixel: constant alpha.
    set: u32,
}

impl Loops {
    pub(super) fn new(desc: &Description) -> Loops {
        let mut loops = Loops { bits: desc.channels[0].bits, spread: 0, set: 0 };
        for (component, from) in desc.swizzle.into_iter().enumerate() {
            match from {
                Swizzle::X => loops.spread |= 1 << (8 * component),
                Swizzle::One => loops.set |= 255 << (8 * component),
                _ => {}
            }
        }
        loops
    }

    /// Reads a row as red, green, blue, alpha.
    pub(crate) fn unpack(&self, src: &[u8], dst: &mut [[u8; 4]]) {
        match self.bits {
            1 => self.unpack_bits::<1>(src, dst),
            2 => self.unpack_bits::<2>(src, dst),
            _ => self.unpack_bits::<4>(src, dst),
        }
    }

    fn unpack_bits<const BITS: usize>(&self, src: &[u8], dst: &mut [[u8; 4]]) {
        let mask = (1 << BITS) - 1;
        let step = 255 / mask * self.spread;
        for (pixels, &byte) in dst.chunks_mut(8 / BITS).zip(src) {
            for (i, pixel) in pixels.iter_mut().enumerate() {
                let value = byte as u32 >> (BITS * i) & mask;
                *pixel = ((value * step) | self.set).to_le_bytes();
            }
        }
    }

    /// Writes a row from the red components of texels of `size` bytes. The last byte is padded with
    /// the last texel.
    pub(crate) fn pack(&self, dst: &mut [u8], src: &[u8], order: Order, size: usize) {
        match self.bits {
            1 => pack_bits::<1>(dst, src, order, size),
            2 => pack_bits::<2>(dst, src, order, size),
            _ => pack_bits::<4>(dst, src, order, size),
        }
    }
}

fn pack_bits<const BITS: usize>(dst: &mut [u8], src: &[u8], order: Order, size: usize) {
    let max = (1 << BITS) - 1;
    for (byte, texels) in dst.iter_mut().zip(src.chunks(8 / BITS * size)) {
        *byte = 0;
        let mut last = 0;
        let mut at = 0;
        for texel in texels.chunks_exact(size) {
            last = ((order.red(texel) as u32 * 2 * max + 255) / 510) as u8;
            *byte |= last << at;
            at += BITS;
        }
        while at < 8 {
            *byte |= last << at;
            at += BITS;
        }
    }
}
