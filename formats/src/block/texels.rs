//! Decodes blocks to texels of a plain format, for samplers that cache decoded blocks.

use super::{Codec, MAX_TEXELS, Scale, Texels};
use crate::Format;
use crate::format::ColorSpace;
use crate::index::at;
use crate::lanes::words_per_texel;

/// Decodes blocks of one format to texels of a plain format that represents their values exactly.
/// Small; create one per draw.
///
/// # Examples
/// ```
/// use gallium_formats::{BlockDecoder, DecodedBlock, Format};
/// // Eight texels of a bit each; the first is in the lowest bit.
/// let decoder = BlockDecoder::new(Format::R1Unorm).expect("a format of blocks");
/// assert_eq!(decoder.texel_format(), Format::R8G8B8A8Unorm);
/// let mut words = [0; 8];
/// decoder.decode(&[0b0000_0010], &mut DecodedBlock::new(), &mut words);
/// assert_eq!(words[..2], [0xff00_0000, 0xff00_00ff]);
/// ```
#[derive(Clone, Copy)]
pub struct BlockDecoder {
    codec: Codec,
    texel: Format,
    /// The channel of each component.
    sources: [usize; 4],
    /// The factors that widen the codes to 8 bits; 0 for components that are not stored.
    scales: [u32; 4],
    /// The bits of the components that are not stored.
    constant: u32,
}

/// The codes of the block being decoded. Reuse it: clearing it takes longer than decoding a block.
#[derive(Clone, Copy)]
pub struct DecodedBlock(Texels);

impl DecodedBlock {
    /// Returns storage for a block of any format.
    pub const fn new() -> DecodedBlock {
        DecodedBlock([[0; 4]; MAX_TEXELS])
    }
}

impl Default for DecodedBlock {
    fn default() -> Self {
        DecodedBlock::new()
    }
}

impl BlockDecoder {
    /// Returns the decoder of a block format. Returns `None` for formats of single texels, and if
    /// this build has no decoder.
    pub fn new(format: Format) -> Option<BlockDecoder> {
        use crate::Swizzle::{One, X, Y, Zero};
        let codec = Codec::of(&format.desc())?;
        let (texel, scale, one) = match (codec.scale, codec.desc.colorspace) {
            (Scale::Unorm(bits @ (1 | 2 | 4 | 8)), ColorSpace::Rgb) => {
                (Format::R8G8B8A8Unorm, 255 / crate::channel::max_of(bits.into()), 255)
            }
            (Scale::Unorm(8), ColorSpace::Srgb) => (Format::R8G8B8A8Srgb, 1, 255),
            (Scale::Snorm(8), ColorSpace::Rgb) => (Format::R8G8B8A8Snorm, 1, 127),
            #[cfg(feature = "bptc")]
            (Scale::Half, ColorSpace::Rgb) => (Format::R16G16B16X16Float, 1, 0),
            (_, ColorSpace::Rgb) if codec.desc.swizzle == [X, Zero, Zero, One] => {
                (Format::R32Float, 1, 0)
            }
            (_, ColorSpace::Rgb) if codec.desc.swizzle == [X, Y, Zero, One] => {
                (Format::R32G32Float, 1, 0)
            }
            _ => (Format::R32G32B32A32Float, 1, 0),
        };
        let channels = codec.desc.swizzle.map(|from| from.channel());
        let sources = channels.map(|channel| channel.unwrap_or(0) % 4);
        let scales = channels.map(|channel| if channel.is_some() { scale } else { 0 });
        // Colours that are not stored are 0, alpha is 1.
        let constant = if channels[3].is_none() { one << 24 } else { 0 };
        Some(BlockDecoder { codec, texel, sources, scales, constant })
    }

    /// Returns the format of the decoded texels: `R8G8B8A8_UNORM`, `_SRGB` or `_SNORM`,
    /// `R16G16B16X16_FLOAT`, or `R32_FLOAT`, `R32G32_FLOAT` or `R32G32B32A32_FLOAT`.
    pub fn texel_format(&self) -> Format {
        self.texel
    }

    /// Decodes a block to the words of its texels, row by row. Bytes missing at its end count as 0.
    ///
    /// * `words`: receives the words of one texel of [`texel_format`](Self::texel_format) after the
    ///   other. Texels that do not fit are dropped.
    pub fn decode(&self, block: &[u8], scratch: &mut DecodedBlock, words: &mut [u32]) {
        let DecodedBlock(texels) = scratch;
        self.codec.decode(block, texels);
        match self.texel {
            Format::R8G8B8A8Unorm | Format::R8G8B8A8Srgb | Format::R8G8B8A8Snorm => {
                let BlockDecoder { sources, scales, constant, .. } = *self;
                for (word, codes) in words.iter_mut().zip(texels.iter()) {
                    let part = |component: usize| {
                        let code = u32::from(at(codes, at(&sources, component)));
                        ((code * at(&scales, component)) & 0xff) << (8 * component)
                    };
                    *word = constant | part(0) | part(1) | part(2) | part(3);
                }
            }
            Format::R16G16B16X16Float => {
                for (word, codes) in words.as_chunks_mut().0.iter_mut().zip(texels.iter()) {
                    let [r, g, b, _] = codes.map(u32::from);
                    *word = [r | g << 16, b];
                }
            }
            _ => {
                let size = words_per_texel(self.texel).max(1);
                for (words, codes) in words.chunks_exact_mut(size).zip(texels.iter()) {
                    for (word, component) in words.iter_mut().zip(self.codec.to_f32(*codes)) {
                        *word = component.to_bits();
                    }
                }
            }
        }
    }
}

impl core::fmt::Debug for BlockDecoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "blocks of {:?} to {:?}", self.codec.desc.format, self.texel)
    }
}
