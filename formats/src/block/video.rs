//! Subsampled and packed YUV: two texels that share chroma, or one texel with all its samples.

use super::{Bytes, Codes, Texels};
use crate::index;
use crate::{Format, yuv};

/// The positions of the samples in a block.
#[derive(Clone, Copy)]
pub(super) enum Samples {
    /// Two texels in four samples. One channel has a sample per texel; the texels share the samples
    /// of the other channels.
    Pair {
        /// The channel with a sample per texel.
        own: u8,
        /// The two texels' samples of that channel.
        at: [u8; 2],
        /// The shared sample of each channel; the entry of `own` is unused.
        shared: [u8; 3],
        /// Size of a sample in bytes, 1 or 2.
        bytes: u8,
        /// Number of significant bits, at the top of the sample.
        bits: u8,
    },
    /// One texel of bytes: the sample of each channel.
    Bytes([u8; 4]),
    /// One texel of 16-bit samples: U, Y, V, A.
    Words {
        /// Number of significant bits, at the top of the sample.
        bits: u8,
    },
    /// Y410: U, Y and V of 10 bits, alpha of 2 bits.
    Tens,
    /// One sample of luma.
    Luma,
}

/// Returns the samples of two 4:2:2 texels.
const fn pair(own: u8, at: [u8; 2], shared: [u8; 3]) -> Samples {
    Samples::Pair { own, at, shared, bytes: 1, bits: 8 }
}

const fn wide_pair(bits: u8) -> Samples {
    Samples::Pair { own: 0, at: [0, 2], shared: [0, 1, 3], bytes: 2, bits }
}

impl Samples {
    /// Returns the samples of a subsampled or packed YUV format.
    pub(super) fn of(format: Format) -> Option<Samples> {
        Some(match format {
            // Luma, U, V.
            Format::Yuyv => pair(0, [0, 2], [0, 1, 3]),
            Format::Uyvy => pair(0, [1, 3], [0, 0, 2]),
            // Green per texel, red and blue shared.
            Format::R8G8_B8G8Unorm => pair(1, [1, 3], [0, 0, 2]),
            Format::G8R8_G8B8Unorm => pair(1, [0, 2], [1, 0, 3]),
            // Red per texel, green and blue shared.
            Format::R8G8_R8B8Unorm => pair(0, [0, 2], [0, 1, 3]),
            Format::G8R8_B8R8Unorm => pair(0, [1, 3], [0, 0, 2]),
            Format::Y210 => wide_pair(10),
            Format::Y212 => wide_pair(12),
            Format::Y216 => wide_pair(16),
            // Bytes V, U, Y, A.
            Format::Ayuv | Format::Xyuv => Samples::Bytes([2, 1, 0, 3]),
            Format::Y410 => Samples::Tens,
            Format::Y412 => Samples::Words { bits: 12 },
            Format::Y416 => Samples::Words { bits: 16 },
            Format::Y8Unorm | Format::Y8_400Unorm => Samples::Luma,
            _ => return None,
        })
    }

    /// Returns the number of bits of a code.
    pub(super) fn bits(self) -> u8 {
        match self {
            Samples::Pair { bits, .. } | Samples::Words { bits } => bits,
            Samples::Tens => 10,
            Samples::Bytes(_) | Samples::Luma => 8,
        }
    }

    pub(super) fn decode(self, block: &Bytes, texels: &mut Texels) {
        let word = |at: u8| {
            let at = 2 * at as usize;
            u16::from_le_bytes([index::at(block, at), index::at(block, at + 1)])
        };
        match self {
            Samples::Pair { own, at, shared, bytes, bits } => {
                let sample = |at: u8| match bytes {
                    1 => index::at(block, at.into()) as u16,
                    _ => word(at) >> (16 - bits),
                };
                for (texel, at) in texels.iter_mut().zip(at) {
                    let [r, g, b] = shared.map(sample);
                    *texel = [r, g, b, 0];
                    *index::at_mut(texel, own.into()) = sample(at);
                }
            }
            Samples::Bytes(order) => texels[0] = order.map(|at| index::at(block, at.into()) as u16),
            Samples::Words { bits } => {
                texels[0] = [1, 0, 2, 3].map(|at| word(at) >> (16 - bits));
            }
            Samples::Tens => {
                let [a, b, c, d, ..] = *block;
                let word = u32::from_le_bytes([a, b, c, d]);
                let ten = |low: u32| (word >> low & 0x3ff) as u16;
                // 1/3 is 341/1023.
                texels[0] = [ten(10), ten(0), ten(20), (word >> 30) as u16 * 341];
            }
            Samples::Luma => texels[0] = [block[0] as u16, 0, 0, 0],
        }
    }

    pub(super) fn encode(self, texels: &Texels) -> Bytes {
        let mut block = [0; 16];
        let put_word = |block: &mut Bytes, at: u8, word: u16| {
            let (at, [low, high]) = (2 * at as usize, word.to_le_bytes());
            *index::at_mut(block, at) = low;
            *index::at_mut(block, at + 1) = high;
        };
        match self {
            Samples::Pair { own, at, shared, bytes, bits } => {
                let mut put = |at: u8, code: u16| match bytes {
                    1 => *index::at_mut(&mut block, at.into()) = code as u8,
                    _ => put_word(&mut block, at, code << (16 - bits)),
                };
                let [first, second] = [texels[0], texels[1]];
                for (channel, &at) in shared.iter().enumerate() {
                    if channel != own as usize {
                        let sum =
                            index::at(&first, channel) as u32 + index::at(&second, channel) as u32;
                        put(at, sum.div_ceil(2) as u16);
                    }
                }
                put(at[0], index::at(&first, own.into()));
                put(at[1], index::at(&second, own.into()));
            }
            Samples::Bytes(order) => {
                for (at, code) in order.into_iter().zip(texels[0]) {
                    *index::at_mut(&mut block, at.into()) = code as u8;
                }
            }
            Samples::Words { bits } => {
                for (at, code) in [1, 0, 2, 3].into_iter().zip(texels[0]) {
                    put_word(&mut block, at, code << (16 - bits));
                }
            }
            Samples::Tens => {
                let [y, u, v, a] = texels[0].map(|code| code as u32 & 0x3ff);
                let word = u | y << 10 | v << 20 | ((a + 170) / 341) << 30;
                block[..4].copy_from_slice(&word.to_le_bytes());
            }
            Samples::Luma => block[0] = texels[0][0] as u8,
        }
        block
    }

    /// Returns a code in units of an 8-bit sample.
    fn level(self, code: u16) -> f32 {
        // 2^(8 - bits).
        code as f32 * f32::from_bits((127 + 8 - self.bits() as u32) << 23)
    }

    /// Converts Y, U, V to red, green, blue.
    pub(super) fn to_rgb(self, codes: Codes) -> [f32; 3] {
        let [y, u, v, _] = codes.map(|code| self.level(code));
        match self {
            Samples::Luma => yuv::to_rgb([y, yuv::NEUTRAL, yuv::NEUTRAL]),
            _ => yuv::to_rgb([y, u, v]),
        }
    }

    /// Returns the nearest Y, U, V.
    pub(super) fn codes(self, rgb: [f32; 3]) -> [u16; 3] {
        let scale = f32::from_bits((127 + self.bits() as u32 - 8) << 23);
        // Levels are positive and well below 256: rounding cannot leave the range.
        yuv::from_rgb(rgb).map(|x| (x * scale + 0.5) as u16)
    }
}
