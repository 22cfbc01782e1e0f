//! Blocks to texels of a plain format, for samplers that keep decoded blocks.

use super::{Codec, MAX_TEXELS, Scale};
use crate::Format;
use crate::format::ColorSpace;
use crate::lanes::words_per_texel;

/// Decodes the blocks of one format to texels of a plain format that holds their values exactly.
/// Small; create one for each draw.
///
/// # Examples
/// ```
/// use gallium_formats::{BlockDecoder, Format};
/// // Eight texels of a bit each; the first is in the lowest bit.
/// let decoder = BlockDecoder::new(Format::R1Unorm).expect("a format of blocks");
/// assert_eq!(decoder.texel_format(), Format::R8G8B8A8Unorm);
/// let mut words = [0; 8];
/// decoder.decode(&[0b0000_0010], &mut words);
/// assert_eq!(words[..2], [0xff00_0000, 0xff00_00ff]);
/// ```
#[derive(Clone, Copy)]
pub struct BlockDecoder {
    codec: Codec,
    texel: Format,
    /// The channel of each component; `None` where it is not stored.
    sources: [Option<usize>; 4],
    /// Widens a code to the texel's 8 bits.
    scale: u32,
    /// The bits of the components that are not stored.
    constant: u32,
}

impl BlockDecoder {
    /// Returns the decoder of a format of blocks; `None` for formats of single texels, and where this
    /// build has no decoder.
    pub fn new(format: Format) -> Option<BlockDecoder> {
        let codec = Codec::of(&format.desc())?;
        let (texel, scale, one) = match (codec.scale, codec.desc.colorspace) {
            (Scale::Unorm(bits @ (1 | 2 | 4 | 8)), ColorSpace::Rgb) => {
                (Format::R8G8B8A8Unorm, 255 / crate::channel::max_of(bits.into()), 255)
            }
            (Scale::Unorm(8), ColorSpace::Srgb) => (Format::R8G8B8A8Srgb, 1, 255),
            (Scale::Snorm(8), ColorSpace::Rgb) => (Format::R8G8B8A8Snorm, 1, 127),
            _ => (Format::R32G32B32A32Float, 1, 0),
        };
        let sources = codec.desc.swizzle.map(|from| from.channel());
        // Colours that are not stored are 0, alpha is 1.
        let constant = if sources[3].is_none() { one << 24 } else { 0 };
        Some(BlockDecoder { codec, texel, sources, scale, constant })
    }

    /// Returns the format of the decoded texels: `R8G8B8A8_UNORM`, `_SRGB` or `_SNORM`, or
    /// `R32G32B32A32_FLOAT`.
    pub fn texel_format(&self) -> Format {
        self.texel
    }

    /// Decodes a block to the words of its texels, row by row; bytes missing at its end count as 0.
    ///
    /// * `words`: one a texel, or four one after the other where texels are floats. Texels that do not
    ///   fit are left out.
    pub fn decode(&self, block: &[u8], words: &mut [u32]) {
        let mut texels = [[0; 4]; MAX_TEXELS];
        self.codec.decode(block, &mut texels);
        if words_per_texel(self.texel) == 1 {
            for (word, codes) in words.iter_mut().zip(&texels) {
                *word = self.sources.iter().enumerate().fold(
                    self.constant,
                    |word, (component, source)| match source {
                        Some(channel) => {
                            let code = u32::from(codes[channel % 4]) * self.scale & 0xff;
                            word | code << (8 * component)
                        }
                        None => word,
                    },
                );
            }
        } else {
            for (word, codes) in words.as_chunks_mut::<4>().0.iter_mut().zip(&texels) {
                *word = self.codec.to_f32(*codes).map(f32::to_bits);
            }
        }
    }
}

impl core::fmt::Debug for BlockDecoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "blocks of {:?} to {:?}", self.codec.desc.format, self.texel)
    }
}
