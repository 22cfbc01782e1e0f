//! Grey panels of 1, 2 and 4 bits per pixel: converts pictures to the bytes of a display and back.
//!
//! The formats `L1_UNORM`, `L2_UNORM` and `L4_UNORM` keep the first texel in the low bits and take
//! red as the luminance, like Gallium. Panels differ in both: [`Panel`] names the bit order, and
//! grey is the luma of BT.601, (77 R + 150 G + 29 B) / 256, rounded.

use crate::Error;
use crate::rows::Rows;

/// The order of pixels in the bytes of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Panel {
    /// 4 bits, the left pixel in the high half of a byte: SSD1322, SSD1327, SSD1329.
    Grey4High,
    /// 4 bits, the left pixel in the low half, as in `L4_UNORM`.
    Grey4Low,
    /// 2 bits, the left pixel in the high bits: many electronic papers with four greys.
    Grey2High,
    /// 2 bits, the left pixel in the low bits, as in `L2_UNORM`.
    Grey2Low,
    /// 1 bit, the left pixel in the high bit: Sharp memory displays (in the documented order), most
    /// electronic papers.
    Mono1High,
    /// 1 bit, the left pixel in the low bit, as in `L1_UNORM`.
    Mono1Low,
    /// 1 bit, eight rows in a byte, the upper in the low bit: SSD1306, SH1106, ST7565. A row of
    /// bytes is a page of eight rows.
    MonoPages,
}

impl Panel {
    /// Returns the number of bits per pixel.
    pub const fn bits(self) -> u8 {
        match self {
            Panel::Grey4High | Panel::Grey4Low => 4,
            Panel::Grey2High | Panel::Grey2Low => 2,
            Panel::Mono1High | Panel::Mono1Low | Panel::MonoPages => 1,
        }
    }

    /// Returns the number of pixels per byte: across, down.
    pub const fn block(self) -> (usize, usize) {
        match self {
            Panel::MonoPages => (1, 8),
            _ => (8 / self.bits() as usize, 1),
        }
    }

    /// Returns the lowest bit of pixel (`x`, `y`), counted from the corner of its byte.
    const fn shift(self, x: usize, y: usize) -> u32 {
        let bits = self.bits() as u32;
        match self {
            Panel::MonoPages => y as u32,
            Panel::Grey4High | Panel::Grey2High | Panel::Mono1High => 8 - bits * (1 + x as u32),
            Panel::Grey4Low | Panel::Grey2Low | Panel::Mono1Low => bits * x as u32,
        }
    }
}

/// Returns the luma of red, green, blue.
///
/// # Examples
/// ```
/// use gallium_formats::grey;
/// assert_eq!(grey::luma([255, 255, 255]), 255);
/// assert_eq!(grey::luma([0, 255, 0]), 149);
/// ```
#[inline(always)]
pub const fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((77 * r as u32 + 150 * g as u32 + 29 * b as u32 + 128) >> 8) as u8
}

/// Returns the level of `bits` bits nearest to a grey.
#[inline(always)]
const fn level(grey: u8, bits: u8) -> u8 {
    match bits {
        1 => grey >> 7,
        2 => ((grey as u32 * 6 + 255) / 510) as u8,
        // (g · 30 + 255) / 510, as a multiplication and a shift.
        _ => ((grey as u32 * 15 + 135) >> 8) as u8,
    }
}

/// Writes a rectangle of red, green, blue, alpha as a panel's bytes; alpha is ignored.
///
/// * `width`, `height`: in pixels.
/// * `dst_stride`: bytes from a row of bytes to the next (in [`Panel::MonoPages`], from page to
///   page).
/// * `src_stride`: in pixels.
///
/// Pixels of the last bytes that lie beyond the right or lower edge become black.
///
/// # Errors
/// A buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::grey::{self, Panel};
/// let pixels = [[255; 4], [0, 0, 0, 255], [128, 128, 128, 255]];
/// let mut bytes = [0; 2];
/// grey::pack(Panel::Grey4High, &mut bytes, 2, &pixels, 3, 3, 1)?;
/// assert_eq!(bytes, [0xf0, 0x80]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn pack(
    panel: Panel,
    dst: &mut [u8],
    dst_stride: usize,
    src: &[[u8; 4]],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let (wide, high) = panel.block();
    let (row, rows) = (width.div_ceil(wide), height.div_ceil(high));
    let src = Rows::source(src, src_stride, width, height)?;
    let mut dst = Rows::destination(dst, dst_stride, row, rows)?;
    let bits = panel.bits();
    let grey = |&[r, g, b, _]: &[u8; 4]| level(luma([r, g, b]), bits);
    if width == 0 {
        return Ok(());
    }
    for y in 0..height {
        let (pixels, bytes) = (src.row(y), dst.row_mut(y / high));
        if panel == Panel::MonoPages {
            if y % 8 == 0 {
                bytes.fill(0);
            }
            for (byte, pixel) in bytes.iter_mut().zip(pixels) {
                *byte |= grey(pixel) << (y % 8);
            }
            continue;
        }
        for (byte, pixels) in bytes.iter_mut().zip(pixels.chunks(wide)) {
            *byte = pixels
                .iter()
                .enumerate()
                .fold(0, |byte, (x, pixel)| byte | grey(pixel) << panel.shift(x, 0));
        }
    }
    Ok(())
}

/// Reads a panel's bytes as red, green, blue, alpha: greys with alpha 255.
///
/// * `width`, `height`, `dst_stride`: in pixels. `src_stride`: bytes from a row of bytes to the
///   next.
///
/// # Errors
/// A buffer is too small.
pub fn unpack(
    panel: Panel,
    dst: &mut [[u8; 4]],
    dst_stride: usize,
    src: &[u8],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let (wide, high) = panel.block();
    let (row, rows) = (width.div_ceil(wide), height.div_ceil(high));
    let src = Rows::source(src, src_stride, row, rows)?;
    let mut dst = Rows::destination(dst, dst_stride, width, height)?;
    if width == 0 {
        return Ok(());
    }
    let bits = panel.bits();
    let (mask, scale) = (u8::MAX >> (8 - bits), u8::MAX / (u8::MAX >> (8 - bits)));
    for y in 0..height {
        let (bytes, pixels) = (src.row(y / high), dst.row_mut(y));
        for (x, pixel) in pixels.iter_mut().enumerate() {
            let byte = bytes.get(x / wide).copied().unwrap_or(0);
            let level = byte >> panel.shift(x % wide, y % high) & mask;
            let grey = level * scale;
            *pixel = [grey, grey, grey, 255];
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_nearest() {
        for grey in 0..=255u8 {
            for bits in [1, 2, 4] {
                let max = ((1u32 << bits) - 1) as f64;
                let exact = (grey as f64 / 255.0 * max).round() as u8;
                assert_eq!(level(grey, bits), exact, "{grey} in {bits} bits");
            }
        }
    }
}
