//! Depth and stencil texels: rows and single values, as `f32`, 32-bit unorm, and stencil bytes.
//!
//! Writing one part of a texel keeps the other. Between unorm widths, narrowing keeps the high
//! bits and widening repeats them, so a depth test done in 32 bits and one done in the format's
//! own bits agree; between unorm and `f32` the nearest value is taken.

use crate::channel::{f32_to_unorm, max_of, unorm_to_f32};
use crate::desc::ChannelKind;
use crate::{Error, Format, lanes};

/// Where depth and stencil are in a texel. Small, made once a draw.
///
/// # Examples
/// ```
/// use gallium_formats::{Format, depth::DepthLayout};
/// let layout = DepthLayout::new(Format::Z24UnormS8Uint).unwrap();
/// let mut texel = [0; 4];
/// layout.set_z_unorm32(&mut texel, 0x8000_0000);
/// layout.set_stencil(&mut texel, 7);
/// assert_eq!(u32::from_le_bytes(texel), 0x0780_0000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DepthLayout {
    /// Bytes a texel.
    pub bytes: u8,
    /// Depth, if there is any: always within the first four bytes.
    pub depth: Option<DepthBits>,
    /// The byte of the texel that is the stencil.
    pub stencil: Option<u8>,
}

/// The bits of depth in the first word of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DepthBits {
    /// Number of bits: 16, 24 or 32.
    pub bits: u8,
    /// The lowest bit.
    pub shift: u8,
    /// 32 bits are an `f32`, and not a unorm.
    pub float: bool,
}

impl DepthBits {
    const fn mask(self) -> u32 {
        max_of(self.bits as u32) << self.shift
    }

    /// Depth of a texel's first word as 32-bit unorm.
    #[inline]
    pub fn to_unorm32(self, word: u32) -> u32 {
        if self.float {
            return f32_to_unorm(f32::from_bits(word), 32);
        }
        let z = (word & self.mask()) >> self.shift;
        match self.bits {
            16 => z << 16 | z,
            24 => z << 8 | z >> 16,
            _ => z,
        }
    }

    /// A texel's first word with depth replaced by a 32-bit unorm.
    #[inline]
    pub fn with_unorm32(self, word: u32, z: u32) -> u32 {
        if self.float {
            return unorm_to_f32(z, 32).to_bits();
        }
        word & !self.mask() | z >> ((32 - self.bits) & 31) << self.shift
    }

    /// Depth of a texel's first word as a number.
    #[inline]
    pub fn to_f32(self, word: u32) -> f32 {
        if self.float {
            return f32::from_bits(word);
        }
        unorm_to_f32((word & self.mask()) >> self.shift, self.bits as u32)
    }

    /// A texel's first word with depth replaced by a number, clamped if it becomes a unorm.
    #[inline]
    pub fn with_f32(self, word: u32, z: f32) -> u32 {
        if self.float {
            return z.to_bits();
        }
        word & !self.mask() | f32_to_unorm(z, self.bits as u32) << self.shift
    }
}

impl DepthLayout {
    /// The layout of `format`, if it has depth or stencil.
    pub fn new(format: Format) -> Option<DepthLayout> {
        let desc = format.desc();
        if !format.is_depth_or_stencil() {
            return None;
        }
        let depth = desc.depth_channel().map(|channel| DepthBits {
            bits: channel.bits,
            shift: channel.shift,
            float: channel.kind == ChannelKind::Float,
        });
        let stencil = desc.stencil_channel().map(|channel| channel.shift / 8);
        Some(DepthLayout { bytes: desc.block.bytes, depth, stencil })
    }

    fn depth_word(self, texel: &[u8]) -> u32 {
        lanes::word(texel)
    }

    fn put_depth_word(self, texel: &mut [u8], word: u32) {
        let len = texel.len().min(self.bytes as usize);
        lanes::put_word(word, &mut texel[..len]);
    }

    /// The texel's depth as 32-bit unorm; 0 if there is none.
    #[inline]
    pub fn z_unorm32(self, texel: &[u8]) -> u32 {
        self.depth.map_or(0, |depth| depth.to_unorm32(self.depth_word(texel)))
    }

    /// Replaces the texel's depth.
    #[inline]
    pub fn set_z_unorm32(self, texel: &mut [u8], z: u32) {
        if let Some(depth) = self.depth {
            let word = depth.with_unorm32(self.depth_word(texel), z);
            self.put_depth_word(texel, word);
        }
    }

    /// The texel's depth as a number; 0 if there is none.
    #[inline]
    pub fn z_f32(self, texel: &[u8]) -> f32 {
        self.depth.map_or(0.0, |depth| depth.to_f32(self.depth_word(texel)))
    }

    /// Replaces the texel's depth.
    #[inline]
    pub fn set_z_f32(self, texel: &mut [u8], z: f32) {
        if let Some(depth) = self.depth {
            let word = depth.with_f32(self.depth_word(texel), z);
            self.put_depth_word(texel, word);
        }
    }

    /// The texel's stencil; 0 if there is none.
    #[inline]
    pub fn stencil(self, texel: &[u8]) -> u8 {
        self.stencil.and_then(|byte| texel.get(byte as usize)).copied().unwrap_or(0)
    }

    /// Replaces the texel's stencil.
    #[inline]
    pub fn set_stencil(self, texel: &mut [u8], stencil: u8) {
        if let Some(byte) = self.stencil.and_then(|byte| texel.get_mut(byte as usize)) {
            *byte = stencil;
        }
    }
}

/// The layout of `format` if it has the part asked for, and `bytes` can hold `count` texels.
fn layout(
    format: Format,
    part: fn(&DepthLayout) -> bool,
    count: usize,
    bytes: usize,
    too_small: fn(usize, usize) -> Error,
) -> Result<DepthLayout, Error> {
    let layout = DepthLayout::new(format).filter(part).ok_or(Error::Unsupported(format))?;
    let needed = count.saturating_mul(layout.bytes as usize);
    if bytes < needed { Err(too_small(needed, bytes)) } else { Ok(layout) }
}

const fn source(needed: usize, got: usize) -> Error {
    Error::SourceTooSmall { needed, got }
}

const fn destination(needed: usize, got: usize) -> Error {
    Error::DestinationTooSmall { needed, got }
}

fn has_depth(layout: &DepthLayout) -> bool {
    layout.depth.is_some()
}

fn has_stencil(layout: &DepthLayout) -> bool {
    layout.stencil.is_some()
}

/// Reads the depth of a row of `dst.len()` tightly packed texels as numbers.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, [`Error::SourceTooSmall`].
pub fn unpack_z_f32(format: Format, dst: &mut [f32], src: &[u8]) -> Result<(), Error> {
    let layout = layout(format, has_depth, dst.len(), src.len(), source)?;
    for (z, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
        *z = layout.z_f32(texel);
    }
    Ok(())
}

/// Writes the depth of a row of `src.len()` tightly packed texels; stencil stays.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, [`Error::DestinationTooSmall`].
pub fn pack_z_f32(format: Format, dst: &mut [u8], src: &[f32]) -> Result<(), Error> {
    let layout = layout(format, has_depth, src.len(), dst.len(), destination)?;
    for (&z, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
        layout.set_z_f32(texel, z);
    }
    Ok(())
}

/// Reads the depth of a row of `dst.len()` tightly packed texels as 32-bit unorm.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, [`Error::SourceTooSmall`].
pub fn unpack_z_unorm32(format: Format, dst: &mut [u32], src: &[u8]) -> Result<(), Error> {
    let layout = layout(format, has_depth, dst.len(), src.len(), source)?;
    for (z, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
        *z = layout.z_unorm32(texel);
    }
    Ok(())
}

/// Writes the depth of a row of `src.len()` tightly packed texels; stencil stays.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, [`Error::DestinationTooSmall`].
pub fn pack_z_unorm32(format: Format, dst: &mut [u8], src: &[u32]) -> Result<(), Error> {
    let layout = layout(format, has_depth, src.len(), dst.len(), destination)?;
    for (&z, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
        layout.set_z_unorm32(texel, z);
    }
    Ok(())
}

/// Reads the stencil of a row of `dst.len()` tightly packed texels.
///
/// # Errors
/// [`Error::Unsupported`] for a format without stencil, [`Error::SourceTooSmall`].
pub fn unpack_s8(format: Format, dst: &mut [u8], src: &[u8]) -> Result<(), Error> {
    let layout = layout(format, has_stencil, dst.len(), src.len(), source)?;
    for (stencil, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
        *stencil = layout.stencil(texel);
    }
    Ok(())
}

/// Writes the stencil of a row of `src.len()` tightly packed texels; depth stays.
///
/// # Errors
/// [`Error::Unsupported`] for a format without stencil, [`Error::DestinationTooSmall`].
pub fn pack_s8(format: Format, dst: &mut [u8], src: &[u8]) -> Result<(), Error> {
    let layout = layout(format, has_stencil, src.len(), dst.len(), destination)?;
    for (&stencil, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
        layout.set_stencil(texel, stencil);
    }
    Ok(())
}
