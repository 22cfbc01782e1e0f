//! Descriptions of how formats are stored: block, channels, swizzle, colour space.
//!
//! `derive.rs` derives them at compile time.

use super::Format;
use crate::index::at;

/// The interpretation of a channel's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum ChannelKind {
    /// Padding: ignored by reads, 0 in writes.
    Void,
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// Two's complement fixed point, 16 of 32 bits after the point.
    Fixed,
    /// IEEE 754 binary 16, 32 or 64; 10 and 11 bits are the unsigned floats of `R11G11B10_FLOAT`.
    Float,
}

/// One channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Channel {
    /// The interpretation of the bits.
    pub kind: ChannelKind,
    /// True if the largest integer means 1.0.
    pub normalized: bool,
    /// True if shaders read the integer itself.
    pub pure_integer: bool,
    /// Width in bits; 0 in compressed and video formats.
    pub bits: u8,
    /// Position of the lowest bit in the little-endian texel.
    pub shift: u8,
}

impl Channel {
    /// The description of a channel that does not exist.
    pub const VOID: Channel = Channel {
        kind: ChannelKind::Void,
        normalized: false,
        pure_integer: false,
        bits: 0,
        shift: 0,
    };
}

/// The source of a colour component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Swizzle {
    /// The first channel.
    X,
    /// The second channel.
    Y,
    /// The third channel.
    Z,
    /// The fourth channel.
    W,
    /// The constant 0.
    Zero,
    /// The constant 1.
    One,
    /// No source: depth without stencil, or the reverse.
    None,
}

impl Swizzle {
    /// Returns the channel's index; `None` for constants.
    pub const fn channel(self) -> Option<usize> {
        match self {
            Swizzle::X => Some(0),
            Swizzle::Y => Some(1),
            Swizzle::Z => Some(2),
            Swizzle::W => Some(3),
            Swizzle::Zero | Swizzle::One | Swizzle::None => None,
        }
    }
}

/// The meaning of the components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum ColorSpace {
    /// Linear red, green, blue, alpha.
    Rgb,
    /// Red, green and blue by the sRGB curve, alpha linear.
    Srgb,
    /// Luma and two chroma differences.
    Yuv,
    /// Depth (`swizzle[0]`) and stencil (`swizzle[1]`).
    Zs,
}

/// Packings of one texel with dependent channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Packing {
    /// `R11G11B10_FLOAT`: unsigned floats of 5 exponent bits.
    Float111110,
    /// `R9G9B9E5_FLOAT`: three mantissas, one exponent.
    SharedExponent,
    /// `R8G8Bx_SNORM`: the third component completes a unit vector.
    UnitVector,
}

/// The layout of texels in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Layout {
    /// No bytes: [`Format::None`].
    Empty,
    /// Independent channels. Texels of less than 8 bits share a byte.
    Plain,
    /// One texel of dependent channels.
    Packed(Packing),
    /// Two texels that share samples.
    Subsampled,
    /// Luma and chroma together.
    PackedYuv,
    /// Luma and chroma in separate planes.
    Planar,
    /// DXT1 to DXT5, also called BC1 to BC3.
    S3tc,
    /// BC4 and BC5, red or red and green.
    Rgtc,
    /// BC4 and BC5, luminance and alpha.
    Latc,
    /// BC6H and BC7.
    Bptc,
    /// ETC1, ETC2 and EAC.
    Etc,
    /// ASTC.
    Astc,
    /// AMD's ATC.
    Atc,
    /// 3dfx's FXT1.
    Fxt1,
}

/// The unit that a format stores: one texel, or a small box of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Block {
    /// Number of texels across.
    pub width: u8,
    /// Number of texels down.
    pub height: u8,
    /// Number of slices; 1 except in three-dimensional ASTC.
    pub depth: u8,
    /// Size in bytes.
    pub bytes: u8,
}

/// The description of a format: its layout in memory, and the meaning of its bits.
///
/// # Examples
/// ```
/// use gallium_formats::{ColorSpace, Format, Swizzle};
/// let desc = Format::B5G6R5Unorm.desc();
/// assert_eq!((desc.block.bytes, desc.channel_count), (2, 3));
/// assert_eq!((desc.channels[2].shift, desc.channels[2].bits), (11, 5));
/// assert_eq!(desc.swizzle, [Swizzle::Z, Swizzle::Y, Swizzle::X, Swizzle::One]);
/// assert_eq!(desc.colorspace, ColorSpace::Rgb);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Description {
    /// The format described.
    pub format: Format,
    /// Size of the stored unit.
    pub block: Block,
    /// The layout of texels in a block.
    pub layout: Layout,
    /// The meaning of the components.
    pub colorspace: ColorSpace,
    /// Number of channels, padding included.
    pub channel_count: u8,
    /// The channels from the lowest bit up; the rest are [`Channel::VOID`].
    pub channels: [Channel; 4],
    /// The sources of red, green, blue and alpha; in `Zs` formats, of depth and stencil.
    pub swizzle: [Swizzle; 4],
}

impl Description {
    /// Returns Gallium's name without `PIPE_FORMAT_`.
    #[cfg(feature = "names")]
    pub const fn name(&self) -> &'static str {
        self.format.name()
    }

    /// Returns true if shaders read integers: pure-integer colours, or stencil without depth.
    pub const fn is_pure_integer(&self) -> bool {
        let mut i = 0;
        while i < self.channels.len() {
            if at(&self.channels, i).pure_integer {
                return self.depth_channel().is_none();
            }
            i += 1;
        }
        false
    }

    /// Returns the channel of depth; `None` without depth.
    pub const fn depth_channel(&self) -> Option<Channel> {
        self.zs_channel(0)
    }

    /// Returns the channel of stencil; `None` without stencil.
    pub const fn stencil_channel(&self) -> Option<Channel> {
        self.zs_channel(1)
    }

    const fn zs_channel(&self, part: usize) -> Option<Channel> {
        match (self.colorspace, at(&self.swizzle, part).channel()) {
            (ColorSpace::Zs, Some(index)) => Some(at(&self.channels, index)),
            _ => None,
        }
    }

    /// Returns the sources of red, green, blue and alpha when the format is read as a colour.
    ///
    /// Depth reads as (z, z, z, 1), OpenGL's default; stencil without depth as (s, s, s, s), by
    /// table 3.5 of the manual.
    pub const fn color_swizzle(&self) -> [Swizzle; 4] {
        use Swizzle::One;
        match self.colorspace {
            ColorSpace::Zs if self.swizzle[0].channel().is_some() => {
                let z = self.swizzle[0];
                [z, z, z, One]
            }
            ColorSpace::Zs => [self.swizzle[1]; 4],
            _ => self.swizzle,
        }
    }

    /// Returns the component (0 red to 3 alpha) that is written to channel `index`, if any.
    ///
    /// Luminance is written from red, like Gallium's packers do.
    pub(crate) const fn source_of(&self, index: usize) -> Option<usize> {
        let swizzle = self.color_swizzle();
        let mut component = 0;
        while component < 4 {
            if let Some(channel) = at(&swizzle, component).channel()
                && channel == index
            {
                return Some(component);
            }
            component += 1;
        }
        None
    }
}
