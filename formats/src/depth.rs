//! Depth and stencil: rectangles and single texels, as `f32`, 32-bit unorm, and stencil bytes.
//!
//! Writing depth or stencil keeps the other part. Between unorm widths, narrowing keeps the high
//! bits and widening repeats them, so that a depth test in 32 bits agrees with one in the format's
//! bits. Between unorm and `f32` the nearest value is taken.

use crate::channel::{Reciprocal, f32_to_unorm, f32_to_unorm16, max_of, unorm_to_f32};
use crate::format::ChannelKind;
use crate::rows::{Rect, Rows};
use crate::{Error, Format, lanes};

/// The positions of depth and stencil in a texel of one format. Small; create one per draw.
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
    /// Size of a texel, in bytes.
    pub bytes: u8,
    /// The position of depth, always within the first four bytes; `None` without depth.
    pub depth: Option<DepthBits>,
    /// Index of the stencil byte in the texel; `None` without stencil.
    pub stencil: Option<u8>,
}

/// The position of depth in the first word of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DepthBits {
    /// Number of bits: 16, 24 or 32.
    pub bits: u8,
    /// Position of the lowest bit.
    pub shift: u8,
    /// True if the 32 bits are an `f32`, otherwise depth is unorm.
    pub float: bool,
}

impl DepthBits {
    const fn mask(self) -> u32 {
        max_of(self.bits as u32) << self.shift
    }

    /// Returns the depth of a texel's first word as 32-bit unorm.
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

    /// Returns a texel's first word with depth replaced by a 32-bit unorm.
    #[inline]
    pub fn with_unorm32(self, word: u32, z: u32) -> u32 {
        if self.float {
            return unorm_to_f32(z, 32).to_bits();
        }
        word & !self.mask() | z >> ((32 - self.bits) & 31) << self.shift
    }

    /// Returns the depth of a texel's first word as a number.
    #[inline]
    pub fn to_f32(self, word: u32) -> f32 {
        if self.float {
            return f32::from_bits(word);
        }
        unorm_to_f32((word & self.mask()) >> self.shift, self.bits as u32)
    }

    /// Returns a texel's first word with depth replaced by a number, clamped if depth is unorm.
    #[inline]
    pub fn with_f32(self, word: u32, z: f32) -> u32 {
        if self.float {
            return z.to_bits();
        }
        word & !self.mask() | f32_to_unorm(z, self.bits as u32) << self.shift
    }
}

impl DepthLayout {
    /// Returns the layout of `format`; `None` if it has neither depth nor stencil.
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
        for (to, from) in texel.iter_mut().take(self.bytes.into()).zip(word.to_le_bytes()) {
            *to = from;
        }
    }

    /// Returns the texel's depth as 32-bit unorm; 0 without depth.
    #[inline]
    pub fn z_unorm32(self, texel: &[u8]) -> u32 {
        self.depth.map_or(0, |depth| depth.to_unorm32(self.depth_word(texel)))
    }

    /// Replaces the texel's depth by a 32-bit unorm; keeps stencil.
    #[inline]
    pub fn set_z_unorm32(self, texel: &mut [u8], z: u32) {
        if let Some(depth) = self.depth {
            let word = depth.with_unorm32(self.depth_word(texel), z);
            self.put_depth_word(texel, word);
        }
    }

    /// Returns the texel's depth as a number; 0 without depth.
    #[inline]
    pub fn z_f32(self, texel: &[u8]) -> f32 {
        self.depth.map_or(0.0, |depth| depth.to_f32(self.depth_word(texel)))
    }

    /// Replaces the texel's depth by a number, clamped if depth is unorm; keeps stencil.
    #[inline]
    pub fn set_z_f32(self, texel: &mut [u8], z: f32) {
        if let Some(depth) = self.depth {
            let word = depth.with_f32(self.depth_word(texel), z);
            self.put_depth_word(texel, word);
        }
    }

    /// Returns the texel's stencil; 0 without stencil.
    #[inline]
    pub fn stencil(self, texel: &[u8]) -> u8 {
        self.stencil.and_then(|byte| texel.get(byte as usize)).copied().unwrap_or(0)
    }

    /// Replaces the texel's stencil; keeps depth.
    #[inline]
    pub fn set_stencil(self, texel: &mut [u8], stencil: u8) {
        if let Some(byte) = self.stencil.and_then(|byte| texel.get_mut(byte as usize)) {
            *byte = stencil;
        }
    }
}

impl DepthLayout {
    /// Returns the size of a row of texels, in bytes.
    fn row(self, width: usize) -> usize {
        width.saturating_mul(self.bytes as usize)
    }
}

/// Returns the layout of `format`, or an error if it lacks the part that `part` checks.
fn layout(format: Format, part: fn(&DepthLayout) -> bool) -> Result<DepthLayout, Error> {
    DepthLayout::new(format).filter(part).ok_or(Error::Unsupported(format))
}

fn has_depth(layout: &DepthLayout) -> bool {
    layout.depth.is_some()
}

fn has_stencil(layout: &DepthLayout) -> bool {
    layout.stencil.is_some()
}

/// Converts texels of `N` bytes.
#[inline(always)]
fn texels<const N: usize, T>(dst: &mut [T], src: &[u8], f: impl Fn([u8; N]) -> T) {
    for (to, texel) in dst.iter_mut().zip(src.as_chunks().0) {
        *to = f(*texel);
    }
}

/// The layouts with specialized loops.
enum Common {
    /// 16-bit depth without stencil.
    Z16,
    /// Depth in the low 24 bits of 32; the high bits are kept.
    Z24Low,
    /// 32-bit float depth without stencil.
    Float,
    Other,
}

impl Common {
    fn of(layout: DepthLayout) -> Common {
        let Some(DepthBits { bits, shift, float }) = layout.depth else { return Common::Other };
        match (layout.bytes, bits, shift, float) {
            (2, 16, 0, false) => Common::Z16,
            (4, 24, 0, false) => Common::Z24Low,
            (4, 32, 0, true) => Common::Float,
            _ => Common::Other,
        }
    }
}

/// Reads the depth of a rectangle as numbers, 0 to 1 if depth is unorm.
///
/// * `[width, height]`: in texels. The stride of `dst` is in elements, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, or a buffer is too small.
pub fn unpack_z_f32(
    format: Format,
    dst: Rect<&mut [f32]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_depth)?;
    let common = Common::of(layout);
    let src = Rows::source(src, layout.row(width), height)?;
    let dst = Rows::destination(dst, width, height)?;
    dst.fill_from(src, |dst, src| match common {
        Common::Z16 => {
            let reciprocal = Reciprocal::of_bits(16);
            texels(dst, src, |texel| reciprocal.of(u16::from_le_bytes(texel) as i32));
        }
        Common::Z24Low => texels(dst, src, |texel| {
            let z = u32::from_le_bytes(texel) & 0xff_ffff;
            z as i32 as f32 / 16_777_215.0
        }),
        Common::Float => texels(dst, src, f32::from_le_bytes),
        Common::Other => {
            for (z, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
                *z = layout.z_f32(texel);
            }
        }
    });
    Ok(())
}

/// Writes the depth of a rectangle, clamped if depth is unorm; keeps stencil.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in elements.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, or a buffer is too small.
pub fn pack_z_f32(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[f32]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_depth)?;
    let common = Common::of(layout);
    let src = Rows::source(src, width, height)?;
    let dst = Rows::destination(dst, layout.row(width), height)?;
    dst.fill_from(src, |dst, src| match common {
        Common::Z16 => {
            for (texel, &z) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                *texel = (f32_to_unorm16(z, 65535.0) as u16).to_le_bytes();
            }
        }
        Common::Float => {
            for (texel, &z) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                *texel = z.to_le_bytes();
            }
        }
        Common::Z24Low | Common::Other => {
            for (&z, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
                layout.set_z_f32(texel, z);
            }
        }
    });
    Ok(())
}

/// Reads the depth of a rectangle as 32-bit unorm.
///
/// * `[width, height]`: in texels. The stride of `dst` is in elements, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, or a buffer is too small.
pub fn unpack_z_unorm32(
    format: Format,
    dst: Rect<&mut [u32]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_depth)?;
    let common = Common::of(layout);
    let src = Rows::source(src, layout.row(width), height)?;
    let dst = Rows::destination(dst, width, height)?;
    dst.fill_from(src, |dst, src| match common {
        Common::Z16 => texels(dst, src, |texel| u16::from_le_bytes(texel) as u32 * 0x1_0001),
        Common::Z24Low => texels(dst, src, |texel| {
            let z = u32::from_le_bytes(texel) << 8;
            z | z >> 24
        }),
        Common::Float | Common::Other => {
            for (z, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
                *z = layout.z_unorm32(texel);
            }
        }
    });
    Ok(())
}

/// Writes the depth of a rectangle from 32-bit unorm; keeps stencil.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in elements.
///
/// # Errors
/// [`Error::Unsupported`] for a format without depth, or a buffer is too small.
pub fn pack_z_unorm32(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[u32]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_depth)?;
    let common = Common::of(layout);
    let src = Rows::source(src, width, height)?;
    let dst = Rows::destination(dst, layout.row(width), height)?;
    dst.fill_from(src, |dst, src| match common {
        Common::Z16 => {
            for (texel, &z) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                *texel = ((z >> 16) as u16).to_le_bytes();
            }
        }
        Common::Z24Low => {
            for (texel, &z) in dst.as_chunks_mut().0.iter_mut().zip(src) {
                *texel = (u32::from_le_bytes(*texel) & 0xff00_0000 | z >> 8).to_le_bytes();
            }
        }
        Common::Float | Common::Other => {
            for (&z, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
                layout.set_z_unorm32(texel, z);
            }
        }
    });
    Ok(())
}

/// Reads the stencil of a rectangle.
///
/// * `[width, height]`: in texels. The stride of `dst` is in elements, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] for a format without stencil, or a buffer is too small.
pub fn unpack_s8(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_stencil)?;
    let src = Rows::source(src, layout.row(width), height)?;
    let dst = Rows::destination(dst, width, height)?;
    dst.fill_from(src, |dst, src| {
        for (stencil, texel) in dst.iter_mut().zip(src.chunks_exact(layout.bytes as usize)) {
            *stencil = layout.stencil(texel);
        }
    });
    Ok(())
}

/// Writes the stencil of a rectangle; keeps depth.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in elements.
///
/// # Errors
/// [`Error::Unsupported`] for a format without stencil, or a buffer is too small.
pub fn pack_s8(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = layout(format, has_stencil)?;
    let src = Rows::source(src, width, height)?;
    let dst = Rows::destination(dst, layout.row(width), height)?;
    dst.fill_from(src, |dst, src| {
        for (&stencil, texel) in src.iter().zip(dst.chunks_exact_mut(layout.bytes as usize)) {
            layout.set_stencil(texel, stencil);
        }
    });
    Ok(())
}
