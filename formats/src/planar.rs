//! Planes of video formats: their contents, and conversion to colours.

use crate::format::ColorSpace;
use crate::rows::{Rect, Rows};
use crate::{Error, Format, channel, yuv};

/// The encoding of a plane's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Sample {
    /// 8 bits.
    Eight,
    /// 16 bits, little-endian; the highest are significant.
    Sixteen,
    /// Three samples of 10 bits in 32, the first in the low bits.
    Tens,
}

impl Sample {
    /// Returns the size in bytes of a row of `count` samples.
    const fn bytes(self, count: usize) -> usize {
        match self {
            Sample::Eight => count,
            Sample::Sixteen => 2 * count,
            Sample::Tens => 4 * count.div_ceil(3),
        }
    }

    /// Returns sample `at` of a row, 0 to 255 with fractions; 0 beyond its end.
    fn read(self, row: &[u8], at: usize) -> f32 {
        match self {
            Sample::Eight => row.get(at).map_or(0.0, |&byte| byte as f32),
            Sample::Sixteen => {
                let word = row.as_chunks().0.get(at).copied().unwrap_or_default();
                u16::from_le_bytes(word) as f32 * (1.0 / 256.0)
            }
            Sample::Tens => {
                let word = row.as_chunks().0.get(at / 3).copied().unwrap_or_default();
                let ten = u32::from_le_bytes(word) >> (10 * (at % 3)) & 0x3ff;
                ten as f32 * 0.25
            }
        }
    }
}

/// One plane of a planar format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Plane {
    /// The format of a texture that holds this plane alone.
    pub format: Format,
    /// The encoding of the samples.
    pub sample: Sample,
    /// Number of picture pixels per sample: across and down.
    pub divisor: (u8, u8),
    /// The meaning of a texel's samples, in order: 0 luma (or red), 1 U (green), 2 V (blue).
    pub components: &'static [u8],
}

impl Plane {
    /// Returns the columns and rows of texels for a picture of `width` by `height` pixels.
    pub const fn size(&self, width: usize, height: usize) -> (usize, usize) {
        (width.div_ceil(self.divisor.0 as usize), height.div_ceil(self.divisor.1 as usize))
    }

    /// Returns the size in bytes of a row without padding, for a picture `width` pixels wide.
    pub const fn row_bytes(&self, width: usize) -> usize {
        self.sample.bytes(width.div_ceil(self.divisor.0 as usize) * self.components.len())
    }
}

const fn plane(format: Format, divisor: (u8, u8), components: &'static [u8]) -> Plane {
    let sample = match format {
        Format::R16Unorm | Format::R16G16Unorm => Sample::Sixteen,
        Format::R10G10B10X2Unorm => Sample::Tens,
        _ => Sample::Eight,
    };
    Plane { format, sample, divisor, components }
}

/// Lists a luma plane and one or two chroma planes.
macro_rules! planes {
    ($format:ident, $divisor:expr, $([$($component:literal),*] $chroma:ident),*) => {
        const {
            &[
                plane(Format::$format, (1, 1), &[0]),
                $(plane(Format::$chroma, $divisor, &[$($component),*])),*
            ]
        }
    };
}

impl Format {
    /// Returns the planes of a planar format; empty for any other format.
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::Format;
    /// let [luma, chroma] = Format::Nv12.planes() else { panic!() };
    /// assert_eq!((luma.format, chroma.format), (Format::R8Unorm, Format::R8G8Unorm));
    /// assert_eq!(chroma.size(640, 480), (320, 240));
    /// ```
    pub const fn planes(self) -> &'static [Plane] {
        const QUARTER: (u8, u8) = (2, 2);
        const HALF: (u8, u8) = (2, 1);
        const WHOLE: (u8, u8) = (1, 1);
        match self {
            Format::Yv12 => planes!(R8Unorm, QUARTER, [2] R8Unorm, [1] R8Unorm),
            Format::Yv16 => planes!(R8Unorm, HALF, [2] R8Unorm, [1] R8Unorm),
            Format::Iyuv | Format::Y8_U8_V8_420Unorm => {
                planes!(R8Unorm, QUARTER, [1] R8Unorm, [2] R8Unorm)
            }
            Format::Nv12 | Format::Y8_U8V8_420Unorm => planes!(R8Unorm, QUARTER, [1, 2] R8G8Unorm),
            Format::Nv21 => planes!(R8Unorm, QUARTER, [2, 1] R8G8Unorm),
            Format::Y8_U8_V8_422Unorm => planes!(R8Unorm, HALF, [1] R8Unorm, [2] R8Unorm),
            Format::Y8_U8V8_422Unorm => planes!(R8Unorm, HALF, [1, 2] R8G8Unorm),
            Format::Y8_U8_V8_444Unorm => planes!(R8Unorm, WHOLE, [1] R8Unorm, [2] R8Unorm),
            Format::Y16_U16_V16_420Unorm => {
                planes!(R16Unorm, QUARTER, [1] R16Unorm, [2] R16Unorm)
            }
            Format::Y16_U16V16_420Unorm | Format::P010 | Format::P012 | Format::P016 => {
                planes!(R16Unorm, QUARTER, [1, 2] R16G16Unorm)
            }
            Format::Y16_U16_V16_422Unorm => planes!(R16Unorm, HALF, [1] R16Unorm, [2] R16Unorm),
            Format::Y16_U16V16_422Unorm => planes!(R16Unorm, HALF, [1, 2] R16G16Unorm),
            Format::Y16_U16_V16_444Unorm => planes!(R16Unorm, WHOLE, [1] R16Unorm, [2] R16Unorm),
            Format::P030 => planes!(R10G10B10X2Unorm, QUARTER, [1, 2] R10G10B10X2Unorm),
            // The planes hold red, green and blue, not YUV.
            Format::R8_G8B8_420Unorm => planes!(R8Unorm, QUARTER, [1, 2] R8G8Unorm),
            Format::G8_B8R8_420Unorm => GREEN_AND_TWO,
            Format::G8_B8_R8_420Unorm => GREEN_BLUE_RED,
            _ => &[],
        }
    }
}

const GREEN_AND_TWO: &[Plane] =
    &[plane(Format::R8Unorm, (1, 1), &[1]), plane(Format::R8G8Unorm, (2, 2), &[2, 0])];

const GREEN_BLUE_RED: &[Plane] = &[
    plane(Format::R8Unorm, (1, 1), &[1]),
    plane(Format::R8Unorm, (2, 2), &[2]),
    plane(Format::R8Unorm, (2, 2), &[0]),
];

/// Reads the planes of a picture as red, green, blue and alpha 1. YUV goes through
/// [`yuv::to_rgb`]; chroma is taken from the nearest sample.
///
/// * `planes`: for each of [`Format::planes`], its bytes and its stride in bytes.
/// * `[width, height]` and the stride of `dst` are in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if the format is not planar or has another number of planes, or a buffer
/// is too small.
pub fn unpack_rgba_f32(
    format: Format,
    dst: Rect<&mut [[f32; 4]]>,
    planes: &[Rect<&[u8]>],
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    unpack(format, dst, planes, [width, height], |rgba| rgba)
}

/// Reads the planes of a picture in 8 bits, otherwise like [`unpack_rgba_f32`].
///
/// # Errors
/// As [`unpack_rgba_f32`].
pub fn unpack_rgba_u8(
    format: Format,
    dst: Rect<&mut [[u8; 4]]>,
    planes: &[Rect<&[u8]>],
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let narrow = |rgba: [f32; 4]| rgba.map(|x| channel::f32_to_unorm16(x, 255.0) as u8);
    unpack(format, dst, planes, [width, height], narrow)
}

fn unpack<T>(
    format: Format,
    dst: Rect<&mut [[T; 4]]>,
    planes: &[Rect<&[u8]>],
    [width, height]: [usize; 2],
    pixel: impl Fn([f32; 4]) -> [T; 4],
) -> Result<(), Error> {
    let descriptions = format.planes();
    if descriptions.is_empty() || descriptions.len() != planes.len() {
        return Err(Error::Unsupported(format));
    }
    let mut dst = Rows::destination(dst, width, height)?;
    for (plane, src) in descriptions.iter().zip(planes) {
        let (_, rows) = plane.size(width, height);
        Rows::source(*src, plane.row_bytes(width), rows)?;
    }
    let yuv = format.colorspace() == ColorSpace::Yuv;
    for y in 0..height {
        for (x, to) in dst.row_mut(y).iter_mut().enumerate() {
            let mut levels = [0.0; 3];
            for (plane, src) in descriptions.iter().zip(planes) {
                let (column, row) = (x / plane.divisor.0 as usize, y / plane.divisor.1 as usize);
                let row = src.data.get(row * src.stride..).unwrap_or(&[]);
                for (i, &component) in plane.components.iter().enumerate() {
                    let at = column * plane.components.len() + i;
                    if let Some(level) = levels.get_mut(component as usize) {
                        *level = plane.sample.read(row, at);
                    }
                }
            }
            let [r, g, b] = if yuv { yuv::to_rgb(levels) } else { levels.map(|x| x / 255.0) };
            *to = pixel([r, g, b, 1.0]);
        }
    }
    Ok(())
}
