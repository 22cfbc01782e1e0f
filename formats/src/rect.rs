//! Rectangles of pixels, with strides: unpack, pack, and convert between formats.
//!
//! Rows go through lanes, sixteen texels at a time, unless both sides are bytes or 565, for which
//! there are integer loops.

use crate::lanes::{self, Packer, Unpacker};
use crate::{Error, Format, bytes, channel};

/// Texels converted at a time. Two batches of the widest format take 1 KB of stack.
const BATCH: usize = 16;

/// Words of a batch of the widest texels, 32 bytes each.
const BATCH_WORDS: usize = BATCH * 8;

/// A rectangle's extent in texels.
#[derive(Clone, Copy)]
struct Extent {
    width: usize,
    height: usize,
}

impl Extent {
    /// Elements from the first to the last of a rectangle whose rows have `row` elements.
    fn needed(self, stride: usize, row: usize) -> usize {
        if self.width == 0 || self.height == 0 {
            return 0;
        }
        (self.height - 1).saturating_mul(stride).saturating_add(row)
    }

    fn check_source(self, got: usize, stride: usize, row: usize) -> Result<(), Error> {
        let needed = self.needed(stride, row);
        if got < needed { Err(Error::SourceTooSmall { needed, got }) } else { Ok(()) }
    }

    fn check_destination(self, got: usize, stride: usize, row: usize) -> Result<(), Error> {
        let needed = self.needed(stride, row);
        if got < needed { Err(Error::DestinationTooSmall { needed, got }) } else { Ok(()) }
    }
}

/// The rows of two checked rectangles, of `dst_row` and `src_row` elements, to `each`.
fn rows<D, S>(
    extent: Extent,
    (dst, dst_stride, dst_row): (&mut [D], usize, usize),
    (src, src_stride, src_row): (&[S], usize, usize),
    mut each: impl FnMut(&mut [D], &[S]),
) {
    if extent.width == 0 {
        return;
    }
    for y in 0..extent.height {
        let (d, s) = (y * dst_stride, y * src_stride);
        if let (Some(dst), Some(src)) = (dst.get_mut(d..d + dst_row), src.get(s..s + src_row)) {
            each(dst, src);
        }
    }
}

/// `width` texels of `format` in bytes, if it has texels.
fn row_bytes(format: Format, width: usize) -> Result<usize, Error> {
    if format.is_texel() {
        Ok(width.saturating_mul(format.block_bytes()))
    } else {
        Err(Error::Unsupported(format))
    }
}

/// A batch in lanes, as shaders hold it.
struct Batch {
    words: [u32; BATCH_WORDS],
    rgba: [[u32; BATCH]; 4],
}

impl Batch {
    const fn new() -> Batch {
        Batch { words: [0; BATCH_WORDS], rgba: [[0; BATCH]; 4] }
    }

    /// Fills the first `count` lanes from tightly packed texels.
    fn read(&mut self, unpacker: &Unpacker, texels: &[u8], count: usize) {
        let format = unpacker.format();
        let words = &mut self.words[..count * lanes::words_per_texel(format)];
        lanes::load(format, texels, words);
        let rgba = self.rgba.each_mut().map(|component| &mut component[..count]);
        unpacker.unpack(words, rgba);
    }

    /// Writes the first `count` lanes as tightly packed texels.
    fn write(&mut self, packer: &Packer, texels: &mut [u8], count: usize) {
        let format = packer.format();
        let words = &mut self.words[..count * lanes::words_per_texel(format)];
        packer.pack(self.rgba.each_ref().map(|component| &component[..count]), words);
        lanes::store(format, words, texels);
    }
}

/// Reads a rectangle as red, green, blue, alpha; linear if the format is sRGB, and the numbers
/// themselves if it is pure integer.
///
/// * `dst_stride` is in pixels, `src_stride` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] if the format has no texels of its own, or a buffer is too small.
pub fn unpack_rgba_f32(
    format: Format,
    dst: &mut [[f32; 4]],
    dst_stride: usize,
    src: &[u8],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let extent = Extent { width, height };
    let row = row_bytes(format, width)?;
    extent.check_source(src.len(), src_stride, row)?;
    extent.check_destination(dst.len(), dst_stride, width)?;
    let size = format.block_bytes();
    let desc = format.desc();
    let integers = desc.is_pure_integer();
    let unpacker = Unpacker::new(format);
    let mut batch = Batch::new();
    rows(extent, (dst, dst_stride, width), (src, src_stride, row), |dst, src| {
        if integers {
            for (pixel, texel) in dst.iter_mut().zip(src.chunks_exact(size)) {
                *pixel = desc.fetch_rgba_f32(texel);
            }
            return;
        }
        for (pixels, texels) in dst.chunks_mut(BATCH).zip(src.chunks(BATCH * size)) {
            batch.read(&unpacker, texels, pixels.len());
            let [red, green, blue, alpha] = &batch.rgba;
            let lanes = red.iter().zip(green).zip(blue).zip(alpha);
            for (pixel, (((&r, &g), &b), &a)) in pixels.iter_mut().zip(lanes) {
                *pixel = [r, g, b, a].map(f32::from_bits);
            }
        }
    });
    Ok(())
}

/// Writes a rectangle from red, green, blue, alpha: clamped, rounded to the nearest, encoded if
/// the format is sRGB.
///
/// * `dst_stride` is in bytes, `src_stride` in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if the format has no texels of its own, or a buffer is too small.
pub fn pack_rgba_f32(
    format: Format,
    dst: &mut [u8],
    dst_stride: usize,
    src: &[[f32; 4]],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let extent = Extent { width, height };
    let row = row_bytes(format, width)?;
    extent.check_source(src.len(), src_stride, width)?;
    extent.check_destination(dst.len(), dst_stride, row)?;
    let size = format.block_bytes();
    let desc = format.desc();
    let integers = desc.is_pure_integer();
    let packer = Packer::new(format);
    let mut batch = Batch::new();
    rows(extent, (dst, dst_stride, row), (src, src_stride, width), |dst, src| {
        if integers {
            for (texel, &pixel) in dst.chunks_exact_mut(size).zip(src) {
                desc.store_rgba_f32(pixel, texel);
            }
            return;
        }
        for (texels, pixels) in dst.chunks_mut(BATCH * size).zip(src.chunks(BATCH)) {
            for (component, lanes) in batch.rgba.iter_mut().enumerate() {
                for (lane, pixel) in lanes.iter_mut().zip(pixels) {
                    *lane = pixel[component].to_bits();
                }
            }
            batch.write(&packer, texels, pixels.len());
        }
    });
    Ok(())
}

/// Reads a rectangle as red, green, blue, alpha of 8 bits, 255 for 1.0; linear if the format is
/// sRGB.
///
/// * `dst_stride` is in pixels, `src_stride` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] if the format has no texels of its own or is pure integer, or a buffer
/// is too small.
pub fn unpack_rgba_u8(
    format: Format,
    dst: &mut [[u8; 4]],
    dst_stride: usize,
    src: &[u8],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let extent = Extent { width, height };
    let row = row_bytes(format, width)?;
    if format.is_pure_integer() {
        return Err(Error::Unsupported(format));
    }
    extent.check_source(src.len(), src_stride, row)?;
    extent.check_destination(dst.len(), dst_stride, width)?;
    let size = format.block_bytes();
    let order = bytes::Order::new(format);
    let unpacker = Unpacker::new(format);
    let mut batch = Batch::new();
    rows(extent, (dst, dst_stride, width), (src, src_stride, row), |dst, src| {
        if let Some(order) = order {
            order.unpack(src, dst);
            return;
        }
        for (pixels, texels) in dst.chunks_mut(BATCH).zip(src.chunks(BATCH * size)) {
            batch.read(&unpacker, texels, pixels.len());
            for (component, lanes) in batch.rgba.iter().enumerate() {
                for (pixel, &lane) in pixels.iter_mut().zip(lanes) {
                    pixel[component] = channel::f32_to_unorm16(f32::from_bits(lane), 255.0) as u8;
                }
            }
        }
    });
    Ok(())
}

/// Writes a rectangle from red, green, blue, alpha of 8 bits, 255 for 1.0; encoded if the format
/// is sRGB.
///
/// * `dst_stride` is in bytes, `src_stride` in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if the format has no texels of its own or is pure integer, or a buffer
/// is too small.
pub fn pack_rgba_u8(
    format: Format,
    dst: &mut [u8],
    dst_stride: usize,
    src: &[[u8; 4]],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let bytes = src.as_flattened();
    let stride = src_stride.saturating_mul(4);
    if format.is_pure_integer() {
        return Err(Error::Unsupported(format));
    }
    // The error of a short source is to speak of pixels.
    let extent = Extent { width, height };
    row_bytes(format, width)?;
    extent.check_source(src.len(), src_stride, width)?;
    convert(format, dst, dst_stride, Format::R8G8B8A8Unorm, bytes, stride, width, height)
}

/// Converts a rectangle from one format to another.
///
/// * Both strides are in bytes.
///
/// Numbers keep their value as far as the destination can hold it: they are clamped and rounded
/// to the nearest, and sRGB is decoded and encoded. Integers are clamped.
///
/// # Errors
/// [`Error::Unsupported`] if a format has no texels of its own, [`Error::Incompatible`] if just
/// one is pure integer, or a buffer is too small.
#[expect(clippy::too_many_arguments, reason = "two rectangles are eight numbers")]
pub fn convert(
    dst_format: Format,
    dst: &mut [u8],
    dst_stride: usize,
    src_format: Format,
    src: &[u8],
    src_stride: usize,
    width: usize,
    height: usize,
) -> Result<(), Error> {
    let extent = Extent { width, height };
    let src_row = row_bytes(src_format, width)?;
    let dst_row = row_bytes(dst_format, width)?;
    if src_format.is_pure_integer() != dst_format.is_pure_integer() {
        return Err(Error::Incompatible { from: src_format, to: dst_format });
    }
    extent.check_source(src.len(), src_stride, src_row)?;
    extent.check_destination(dst.len(), dst_stride, dst_row)?;
    let (to, from) = ((dst, dst_stride, dst_row), (src, src_stride, src_row));
    if dst_format == src_format {
        rows(extent, to, from, |dst, src| dst.copy_from_slice(src));
    } else if let Some(shuffle) = bytes::Shuffle::new(dst_format, src_format) {
        rows(extent, to, from, |dst, src| shuffle.row(dst, src));
    } else {
        let conversion = Conversion::new(dst_format, src_format);
        rows(extent, to, from, |dst, src| conversion.row(dst, src));
    }
    Ok(())
}

/// Any format to any other, through lanes.
struct Conversion {
    packer: Packer,
    unpacker: Unpacker,
    /// Unsigned integers that become signed end at this.
    largest: u32,
    /// Signed integers become unsigned: negative ones are 0.
    positive: bool,
}

impl Conversion {
    fn new(dst: Format, src: Format) -> Conversion {
        Conversion {
            packer: Packer::new(dst),
            unpacker: Unpacker::new(src),
            largest: if src.is_pure_uint() && dst.is_pure_sint() { i32::MAX as u32 } else { !0 },
            positive: src.is_pure_sint() && dst.is_pure_uint(),
        }
    }

    fn row(&self, dst: &mut [u8], src: &[u8]) {
        let (dst_size, src_size) =
            (self.packer.format().block_bytes(), self.unpacker.format().block_bytes());
        let mut batch = Batch::new();
        let batches = dst.chunks_mut(BATCH * dst_size).zip(src.chunks(BATCH * src_size));
        for (to, from) in batches {
            let count = from.len() / src_size;
            batch.read(&self.unpacker, from, count);
            if self.positive || self.largest != !0 {
                for x in batch.rgba.as_flattened_mut() {
                    *x = if self.positive && (*x as i32) < 0 { 0 } else { (*x).min(self.largest) };
                }
            }
            batch.write(&self.packer, to, count);
        }
    }
}
