//! Grey panels of 1, 2 and 4 bits per pixel: converts pictures to the bytes of a display and back.
//!
//! The formats `L1_UNORM`, `L2_UNORM` and `L4_UNORM` keep the first texel in the low bits and take
//! red as the luminance, like Gallium. Panels differ in both: [`Panel`] names the bit order, and
//! grey is the luma of BT.601, (77 R + 150 G + 29 B) / 256, rounded.

use crate::Error;
use crate::rows::{Rect, Rows};

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

/// A pattern of thresholds that turns greys between two levels into a mixture of both.
///
/// The pattern depends on the pixel's place in the picture, so tiles join without a seam, and a
/// still picture does not flicker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Pattern {
    /// No pattern: the nearest level.
    #[default]
    None,
    /// Bayer's matrix of 2×2 pixels: five shades between two levels.
    Bayer2,
    /// Bayer's matrix of 4×4 pixels: seventeen shades between two levels.
    Bayer4,
    /// 16×16 pixels of blue noise, which has no visible grid. The table takes 256 bytes of flash.
    BlueNoise,
}

/// Bayer's matrices: a pixel with a lower number becomes the brighter level first.
const BAYER2: [[u8; 2]; 2] = [[0, 2], [3, 1]];
const BAYER4: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Blue noise by Ulichney's void-and-cluster method, with a Gaussian of 1.5 pixels: the order in
/// which pixels become the brighter level.
#[rustfmt::skip]
const BLUE_NOISE: [[u8; 16]; 16] = [
    [172, 102, 228, 88, 207, 59, 95, 5, 185, 222, 104, 162, 211, 49, 146, 73],
    [205, 154, 38, 130, 10, 236, 150, 215, 31, 129, 68, 26, 91, 184, 242, 29],
    [232, 57, 190, 254, 110, 167, 75, 116, 54, 169, 253, 199, 124, 65, 135, 92],
    [115, 17, 142, 67, 25, 186, 40, 197, 229, 96, 1, 149, 39, 216, 9, 165],
    [196, 85, 212, 159, 97, 219, 131, 13, 145, 72, 193, 237, 107, 178, 249, 47],
    [127, 239, 33, 120, 233, 48, 86, 247, 171, 28, 121, 52, 83, 20, 144, 74],
    [2, 168, 60, 182, 6, 152, 208, 61, 106, 217, 181, 227, 160, 209, 101, 224],
    [147, 206, 94, 250, 79, 114, 180, 19, 139, 42, 78, 8, 133, 37, 188, 55],
    [24, 111, 43, 138, 203, 32, 231, 90, 198, 240, 153, 98, 251, 69, 122, 244],
    [164, 220, 189, 12, 158, 66, 128, 163, 3, 118, 53, 170, 202, 16, 176, 89],
    [62, 126, 76, 243, 103, 218, 46, 255, 71, 187, 230, 27, 112, 143, 223, 36],
    [238, 18, 148, 51, 174, 23, 191, 108, 34, 140, 87, 214, 50, 80, 192, 105],
    [200, 166, 225, 93, 201, 134, 84, 151, 226, 177, 11, 123, 161, 241, 4, 132],
    [81, 41, 113, 0, 70, 234, 15, 210, 58, 100, 248, 63, 204, 35, 155, 56],
    [183, 213, 141, 246, 157, 109, 45, 173, 119, 22, 194, 136, 82, 179, 99, 252],
    [125, 21, 64, 175, 30, 195, 137, 245, 77, 156, 44, 235, 7, 117, 221, 14],
];

impl Pattern {
    /// Returns the level of `bits` bits that the pattern gives a grey at a pixel of the picture.
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::grey::Pattern;
    /// // Half of the pixels of a middle grey are white.
    /// let square = [(0, 0), (1, 0), (0, 1), (1, 1)];
    /// let levels = square.map(|(x, y)| Pattern::Bayer2.level(128, 1, x, y));
    /// assert_eq!(levels, [1, 0, 0, 1]);
    /// ```
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the remainders are below the tables' sides")]
    pub fn level(self, grey: u8, bits: u8, x: usize, y: usize) -> u8 {
        let (order, count) = match self {
            Pattern::None => return level(grey, bits),
            Pattern::Bayer2 => (BAYER2[y % 2][x % 2], 4),
            Pattern::Bayer4 => (BAYER4[y % 4][x % 4], 16),
            Pattern::BlueNoise => (BLUE_NOISE[y % 16][x % 16], 256),
        };
        let max = (1u32 << bits) - 1;
        // The grey in levels times 255, and the middle of the order's step on the same scale, both
        // times twice the count: exact.
        let whole = u32::from(grey) * max;
        let (base, rest) = (whole / 255, whole % 255);
        let brighter = rest * 2 * count > 255 * (2 * u32::from(order) + 1);
        (base + u32::from(brighter)) as u8
    }
}

/// Writes a rectangle of red, green, blue, alpha as a panel's bytes; alpha is ignored. Each grey
/// becomes the nearest level; [`dither`] mixes levels.
///
/// * The stride of `dst` is in bytes, from a row of bytes to the next (in [`Panel::MonoPages`], from
///   page to page); that of `src` is in pixels.
/// * `[width, height]`: in pixels.
///
/// Pixels of the last bytes that lie beyond the right or lower edge become black.
///
/// # Errors
/// A buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::Rect;
/// use gallium_formats::grey::{self, Panel};
/// let pixels = [[255; 4], [0, 0, 0, 255], [128, 128, 128, 255]];
/// let mut bytes = [0; 2];
/// grey::pack(Panel::Grey4High, Rect::new(&mut bytes, 2), Rect::new(&pixels, 3), [3, 1])?;
/// assert_eq!(bytes, [0xf0, 0x80]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn pack(
    panel: Panel,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[u8; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let size = [width, height];
    dither(panel, Pattern::None, [0, 0], dst, src, size)
}

/// Writes a rectangle of red, green, blue, alpha as a panel's bytes, with levels mixed by a
/// pattern; alpha is ignored.
///
/// * `origin`: the place in the picture of the rectangle's first pixel, for tiles.
/// * The strides and `[width, height]` are those of [`pack`].
///
/// # Errors
/// A buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::Rect;
/// use gallium_formats::grey::{self, Panel, Pattern};
/// let grey = [[64, 64, 64, 255]; 8];
/// let mut byte = [0];
/// // A quarter of the pixels are white, by two rows of the matrix.
/// let (tile, mono) = (Rect::new(&grey[..], 8), Panel::Mono1High);
/// grey::dither(mono, Pattern::Bayer2, [0, 0], Rect::new(&mut byte, 1), tile, [8, 1])?;
/// assert_eq!(byte, [0b1010_1010]);
/// grey::dither(mono, Pattern::Bayer2, [0, 1], Rect::new(&mut byte, 1), tile, [8, 1])?;
/// assert_eq!(byte, [0]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn dither(
    panel: Panel,
    pattern: Pattern,
    origin: [usize; 2],
    dst: Rect<&mut [u8]>,
    src: Rect<&[[u8; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let (wide, high) = panel.block();
    let (row, rows) = (width.div_ceil(wide), height.div_ceil(high));
    let src = Rows::source(src, width, height)?;
    let mut dst = Rows::destination(dst, row, rows)?;
    let bits = panel.bits();
    let grey = |&[r, g, b, _]: &[u8; 4], x: usize, y: usize| {
        pattern.level(luma([r, g, b]), bits, x.wrapping_add(origin[0]), y.wrapping_add(origin[1]))
    };
    if width == 0 {
        return Ok(());
    }
    for y in 0..height {
        let (pixels, bytes) = (src.row(y), dst.row_mut(y / high));
        if panel == Panel::MonoPages {
            if y % 8 == 0 {
                bytes.fill(0);
            }
            for (x, (byte, pixel)) in bytes.iter_mut().zip(pixels).enumerate() {
                *byte |= grey(pixel, x, y) << (y % 8);
            }
            continue;
        }
        for (index, (byte, pixels)) in bytes.iter_mut().zip(pixels.chunks(wide)).enumerate() {
            *byte = pixels.iter().enumerate().fold(0, |byte, (x, pixel)| {
                byte | grey(pixel, index * wide + x, y) << panel.shift(x, 0)
            });
        }
    }
    Ok(())
}

/// Reads a panel's bytes as red, green, blue, alpha: greys with alpha 255.
///
/// * `[width, height]` and the stride of `dst` are in pixels; the stride of `src` is in bytes, from a row of bytes
///   to the next.
///
/// # Errors
/// A buffer is too small.
pub fn unpack(
    panel: Panel,
    dst: Rect<&mut [[u8; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let (wide, high) = panel.block();
    let (row, rows) = (width.div_ceil(wide), height.div_ceil(high));
    let src = Rows::source(src, row, rows)?;
    let mut dst = Rows::destination(dst, width, height)?;
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

    /// Each pattern shows a grey as the share of brighter pixels that the grey asks for, to half a
    /// pixel of the pattern's square.
    #[test]
    fn patterns_keep_the_mean() {
        for (pattern, side) in
            [(Pattern::Bayer2, 2), (Pattern::Bayer4, 4), (Pattern::BlueNoise, 16)]
        {
            for bits in [1, 2, 4] {
                let max = f64::from((1u32 << bits) - 1);
                for grey in 0..=255u8 {
                    let places = (0..side * side).map(|at| (at % side, at / side));
                    let sum: u32 =
                        places.map(|(x, y)| u32::from(pattern.level(grey, bits, x, y))).sum();
                    let exact = f64::from(grey) / 255.0 * max * (side * side) as f64;
                    assert!(
                        (f64::from(sum) - exact).abs() <= 0.5,
                        "{pattern:?} {bits} {grey}: {sum}"
                    );
                }
            }
        }
    }

    /// Blue noise has every order once, and few low frequencies: the means of 4×4 blocks differ less
    /// than those of pixels in any order would, by a factor of four or more.
    #[test]
    fn blue_noise_is_blue() {
        let mut orders: [u8; 256] = core::array::from_fn(|at| BLUE_NOISE[at / 16][at % 16]);
        orders.sort_unstable();
        assert!(orders.iter().enumerate().all(|(at, order)| at == usize::from(*order)));
        let mean = |left: usize, top: usize| {
            let sum: u32 = (0..16)
                .map(|at| u32::from(BLUE_NOISE[(top + at / 4) % 16][(left + at % 4) % 16]))
                .sum();
            f64::from(sum) / 16.0
        };
        let squares = (0..256).map(|at| (mean(at % 16, at / 16) - 127.5).powi(2));
        // The variance of 0 to 255 is (256² - 1) / 12; of a mean of 16 of them, drawn without
        // replacement, that times (256 - 16) / (255 · 16).
        let random = (65_536.0 - 1.0) / 12.0 * 240.0 / (255.0 * 16.0);
        let variance: f64 = squares.sum::<f64>() / 256.0;
        assert!(variance * 4.0 < random, "{variance} of {random}");
    }

    #[test]
    fn tiles_of_a_dithered_picture_join() {
        let pixels: [[u8; 4]; 256] = core::array::from_fn(|at| [at as u8, at as u8, at as u8, 255]);
        for pattern in [Pattern::Bayer2, Pattern::Bayer4, Pattern::BlueNoise] {
            let mut whole = [0; 32];
            dither(
                Panel::Mono1High,
                pattern,
                [0, 0],
                Rect::new(&mut whole, 2),
                Rect::new(&pixels, 16),
                [16, 16],
            )
            .unwrap();
            let mut parts = [0; 32];
            for (x, y) in [(0, 0), (8, 0), (0, 5), (8, 5)] {
                let rows = if y == 0 { 5 } else { 11 };
                let (to, from) = (&mut parts[y * 2 + x / 8..], &pixels[y * 16 + x..]);
                dither(
                    Panel::Mono1High,
                    pattern,
                    [x, y],
                    Rect::new(to, 2),
                    Rect::new(from, 16),
                    [8, rows],
                )
                .unwrap();
            }
            assert_eq!(whole, parts, "{pattern:?}");
        }
    }

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
