//! Formats stored in blocks of several texels: compressed, subsampled, and less than a byte per
//! texel.
//!
//! A family's decoder turns a block into *codes*: the channels of its texels as integers (or 16-bit
//! floats), row by row. The remaining steps are the same for all families: [`Scale`] converts codes
//! to numbers, the swizzle selects components, and the colour space's curve is applied. Encoding
//! does the reverse.

mod bits;
mod rect;
mod texels;

#[cfg(feature = "astc")]
mod astc;
#[cfg(feature = "atc")]
mod atc;
#[cfg(feature = "bptc")]
mod bptc;
#[cfg(feature = "etc")]
mod eac;
#[cfg(feature = "etc")]
mod etc;
#[cfg(feature = "fxt1")]
mod fxt1;
#[cfg(feature = "rgtc")]
mod rgtc;
#[cfg(feature = "s3tc")]
mod s3tc;
#[cfg(feature = "s3tc")]
mod s3tc_fit;
#[cfg(any(feature = "s3tc", feature = "rgtc", feature = "atc"))]
mod steps;
#[cfg(feature = "video")]
mod video;

pub(crate) use rect::{convert, pack, unpack};
pub use texels::{BlockDecoder, DecodedBlock};

use crate::channel::{self, Reciprocal};
use crate::format::{ChannelKind, ColorSpace, Description, Format, Layout, Swizzle};
use crate::index::at;
use crate::{features, srgb};

impl Format {
    /// Returns true if this build can unpack rectangles of the format. Blocks need the cargo
    /// feature of their compressed family or `video`. Planar formats can only be read by `planar`.
    pub fn can_unpack(self) -> bool {
        self.is_texel() || Codec::of(&self.desc()).is_some()
    }

    /// Returns true if this build can pack rectangles of the format.
    pub fn can_pack(self) -> bool {
        self.is_texel() || Codec::of(&self.desc()).is_some_and(|codec| codec.encodes())
    }
}

/// The channels of a texel, in the order of the description.
pub(crate) type Codes = [u16; 4];

/// Number of texels in the largest block that is decoded.
pub(crate) const MAX_TEXELS: usize = if features::ASTC { 144 } else { 32 };

/// The codes of a block, row by row.
pub(crate) type Texels = [Codes; MAX_TEXELS];

/// Returns the codes of a block's texel; zeros beyond the last.
#[inline(always)]
pub(crate) fn texel(texels: &Texels, index: usize) -> Codes {
    texels.get(index).copied().unwrap_or_default()
}

/// The bytes of a block, followed by zeros.
pub(crate) type Bytes = [u8; 16];

/// Splits a block into its first and its last 8 bytes.
#[cfg(any(feature = "s3tc", feature = "etc", feature = "atc"))]
fn halves(block: &Bytes) -> [[u8; 8]; 2] {
    let word = u128::from_le_bytes(*block);
    [word, word >> 64].map(|half| (half as u64).to_le_bytes())
}

/// The conversion of codes to numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Divides by 2^bits - 1.
    Unorm(u8),
    /// Divides two's complement by 2^(bits-1) - 1.
    Snorm(u8),
    /// Reads 16-bit floats.
    #[cfg(feature = "bptc")]
    Half,
}

/// The decoder of a format's blocks.
#[derive(Clone, Copy)]
enum Method {
    Bits,
    #[cfg(feature = "video")]
    Video(video::Samples),
    #[cfg(feature = "s3tc")]
    S3tc(s3tc::Kind),
    #[cfg(feature = "rgtc")]
    Rgtc,
    #[cfg(feature = "bptc")]
    Bptc(bptc::Kind),
    #[cfg(feature = "etc")]
    Etc(etc::Kind),
    #[cfg(feature = "etc")]
    Eac,
    #[cfg(feature = "astc")]
    Astc,
    #[cfg(feature = "atc")]
    Atc(atc::Kind),
    #[cfg(feature = "fxt1")]
    Fxt1,
}

impl Method {
    fn of(desc: &Description) -> Option<Method> {
        Some(match desc.layout {
            Layout::Plain if desc.block.width > 1 => Method::Bits,
            #[cfg(feature = "video")]
            Layout::Subsampled | Layout::PackedYuv => {
                Method::Video(video::Samples::of(desc.format)?)
            }
            #[cfg(feature = "s3tc")]
            Layout::S3tc => Method::S3tc(s3tc::Kind::of(desc.format)),
            #[cfg(feature = "rgtc")]
            Layout::Rgtc | Layout::Latc => Method::Rgtc,
            #[cfg(feature = "bptc")]
            Layout::Bptc => Method::Bptc(bptc::Kind::of(desc.format)),
            #[cfg(feature = "etc")]
            Layout::Etc if desc.channel_count <= 2 => Method::Eac,
            #[cfg(feature = "etc")]
            Layout::Etc => Method::Etc(etc::Kind::of(desc)),
            // Three-dimensional blocks have descriptions only.
            #[cfg(feature = "astc")]
            Layout::Astc if desc.block.depth == 1 => Method::Astc,
            #[cfg(feature = "atc")]
            Layout::Atc => Method::Atc(atc::Kind::of(desc.format)),
            #[cfg(feature = "fxt1")]
            Layout::Fxt1 => Method::Fxt1,
            _ => return None,
        })
    }

    fn scale(self, desc: &Description) -> Scale {
        let signed = desc.channels[0].kind == ChannelKind::Signed;
        let bits = match self {
            Method::Bits => desc.channels[0].bits,
            #[cfg(feature = "video")]
            Method::Video(samples) => samples.bits(),
            #[cfg(feature = "bptc")]
            Method::Bptc(bptc::Kind::Float { .. }) => return Scale::Half,
            #[cfg(feature = "etc")]
            Method::Eac => 11,
            #[allow(unreachable_patterns, reason = "without features there is nothing else")]
            _ => 8,
        };
        if signed { Scale::Snorm(bits) } else { Scale::Unorm(bits) }
    }
}

/// Reads and writes the blocks of one format. Small; create one per rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Codec {
    pub(crate) desc: Description,
    method: Method,
    scale: Scale,
}

impl Codec {
    /// Returns the codec of a block format; `None` if this build has no decoder for it.
    pub(crate) fn of(desc: &Description) -> Option<Codec> {
        let method = Method::of(desc)?;
        Some(Codec { desc: *desc, method, scale: method.scale(desc) })
    }

    /// Returns true if the format has an encoder.
    pub(crate) fn encodes(&self) -> bool {
        match self.method {
            Method::Bits => true,
            #[cfg(feature = "video")]
            Method::Video(_) => true,
            #[cfg(feature = "s3tc")]
            Method::S3tc(_) => true,
            #[cfg(feature = "rgtc")]
            Method::Rgtc => true,
            #[cfg(any(
                feature = "bptc",
                feature = "etc",
                feature = "astc",
                feature = "atc",
                feature = "fxt1"
            ))]
            _ => false,
        }
    }

    /// Returns true if all components are unorm, exact in 8 bits, and not sRGB.
    fn is_bytes(&self) -> bool {
        matches!(self.scale, Scale::Unorm(1 | 2 | 4 | 8)) && self.desc.colorspace == ColorSpace::Rgb
    }

    /// Decodes a block. If `block` is too short, the missing bytes are 0.
    pub(crate) fn decode(&self, block: &[u8], texels: &mut Texels) {
        let mut bytes = [0; 16];
        let block = block.iter().take(self.desc.block.bytes.into());
        bytes.iter_mut().zip(block).for_each(|(to, from)| *to = *from);
        match self.method {
            Method::Bits => bits::decode(bytes[0], self.desc.channels[0].bits, texels),
            #[cfg(feature = "video")]
            Method::Video(samples) => samples.decode(&bytes, texels),
            #[cfg(feature = "s3tc")]
            Method::S3tc(kind) => s3tc::decode(kind, &bytes, texels),
            #[cfg(feature = "rgtc")]
            Method::Rgtc => rgtc::decode(&self.desc, &bytes, texels),
            #[cfg(feature = "bptc")]
            Method::Bptc(kind) => bptc::decode(kind, &bytes, texels),
            #[cfg(feature = "etc")]
            Method::Etc(kind) => etc::decode(kind, &bytes, texels),
            #[cfg(feature = "etc")]
            Method::Eac => eac::decode(&self.desc, &bytes, texels),
            #[cfg(feature = "astc")]
            Method::Astc => astc::decode(&self.desc, &bytes, texels),
            #[cfg(feature = "atc")]
            Method::Atc(kind) => atc::decode(kind, &bytes, texels),
            #[cfg(feature = "fxt1")]
            Method::Fxt1 => fxt1::decode(&bytes, texels),
        }
    }

    /// Encodes a block. Writes nothing if the format has no encoder ([`encodes`](Self::encodes)).
    pub(crate) fn encode(&self, texels: &Texels, block: &mut [u8]) {
        let bytes: Bytes = match self.method {
            Method::Bits => bits::encode(texels, self.desc.channels[0].bits),
            #[cfg(feature = "video")]
            Method::Video(samples) => samples.encode(texels),
            #[cfg(feature = "s3tc")]
            Method::S3tc(kind) => s3tc::encode(kind, texels),
            #[cfg(feature = "rgtc")]
            Method::Rgtc => rgtc::encode(&self.desc, texels),
            #[cfg(any(
                feature = "bptc",
                feature = "etc",
                feature = "astc",
                feature = "atc",
                feature = "fxt1"
            ))]
            _ => return,
        };
        for (to, from) in block.iter_mut().zip(bytes) {
            *to = from;
        }
    }

    fn number(&self, code: u16, component: usize) -> f32 {
        let curved = component < 3 && self.desc.colorspace == ColorSpace::Srgb;
        match self.scale {
            Scale::Unorm(8) if curved => srgb::decode(code as u8),
            // Codes have at most 16 bits.
            Scale::Unorm(bits) => Reciprocal::of_bits(bits.into()).of(code.into()),
            Scale::Snorm(bits) => {
                let x = Reciprocal::of_bits(u32::from(bits) - 1).of((code as i16).into());
                if x > -1.0 { x } else { -1.0 }
            }
            #[cfg(feature = "bptc")]
            Scale::Half => channel::half_to_f32(code as u32),
        }
    }

    fn code(&self, x: f32, component: usize) -> u16 {
        let curved = component < 3 && self.desc.colorspace == ColorSpace::Srgb;
        match self.scale {
            Scale::Unorm(8) if curved => srgb::encode(x) as u16,
            Scale::Unorm(bits) => channel::f32_to_unorm(x, bits as u32) as u16,
            Scale::Snorm(bits) => channel::f32_to_snorm(x, bits as u32) as u16,
            #[cfg(feature = "bptc")]
            Scale::Half => channel::f32_to_half(x) as u16,
        }
    }

    /// Converts a texel's codes to linear red, green, blue and alpha.
    pub(crate) fn to_f32(self, codes: Codes) -> [f32; 4] {
        let mut rgba = [0.0, 0.0, 0.0, 1.0];
        for (component, x) in rgba.iter_mut().enumerate() {
            if let Some(channel) = at(&self.desc.swizzle, component).channel() {
                *x = self.number(at(&codes, channel), component);
            }
        }
        #[cfg(feature = "video")]
        if let (Method::Video(samples), ColorSpace::Yuv) = (self.method, self.desc.colorspace) {
            let [r, g, b] = samples.to_rgb(codes);
            return [r, g, b, rgba[3]];
        }
        rgba
    }

    /// Converts a row of codes to red, green, blue and alpha of 8 bits. The results are linear,
    /// even if the format is sRGB.
    pub(crate) fn to_u8(self, codes: &[Codes], pixels: &mut [[u8; 4]]) {
        if !self.is_bytes() {
            for (pixel, codes) in pixels.iter_mut().zip(codes) {
                *pixel = self.to_f32(*codes).map(|x| channel::f32_to_unorm16(x, 255.0) as u8);
            }
            return;
        }
        let Scale::Unorm(bits) = self.scale else { return };
        let scale = 255 / channel::max_of(bits as u32);
        let swizzle = self.desc.swizzle.map(Swizzle::channel);
        for (pixel, codes) in pixels.iter_mut().zip(codes) {
            *pixel = [0, 0, 0, 255];
            for (x, from) in pixel.iter_mut().zip(swizzle) {
                if let Some(channel) = from {
                    *x = (at(codes, channel) as u32 * scale) as u8;
                }
            }
        }
    }

    /// Returns the loops for formats of less than a byte per texel; `None` for other formats.
    pub(crate) fn bits(&self) -> Option<bits::Loops> {
        matches!(self.method, Method::Bits).then(|| bits::Loops::new(&self.desc))
    }

    /// Returns the codes nearest to a linear colour.
    pub(crate) fn codes(&self, rgba: [f32; 4]) -> Codes {
        let mut codes = [0; 4];
        for (channel, code) in codes.iter_mut().enumerate() {
            if let Some(component) = self.desc.source_of(channel) {
                *code = self.code(at(&rgba, component), component);
            }
        }
        #[cfg(feature = "video")]
        if let (Method::Video(samples), ColorSpace::Yuv) = (self.method, self.desc.colorspace) {
            let [y, u, v] = samples.codes([rgba[0], rgba[1], rgba[2]]);
            return [y, u, v, codes[3]];
        }
        codes
    }

    /// Reads one texel of a block; `x` and `y` count from its corner and wrap around.
    pub(crate) fn fetch(&self, block: &[u8], x: usize, y: usize) -> [f32; 4] {
        let mut texels = [[0; 4]; MAX_TEXELS];
        self.decode(block, &mut texels);
        let (width, height) = (self.desc.block.width as usize, self.desc.block.height as usize);
        self.to_f32(texel(&texels, (y % height) * width + x % width))
    }
}
