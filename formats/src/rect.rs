//! Rectangles of pixels, with strides: unpack, pack, and convert between formats.
//!
//! Rows go through lanes, a batch of texels at a time. There are two exceptions: conversions
//! between formats of 8-bit channels or 565 use integer loops, and blocks are decoded and encoded
//! one by one.

use crate::block::{self, Codec};
use crate::index::{at, at_mut};
use crate::lanes::{self, Packer, Unpacker};
use crate::rows::{Rect, Rows};
use crate::{Description, Error, Format, bytes, channel, features};

/// Number of texels converted at a time. A batch of the widest format takes 768 bytes of stack; on
/// hosts it takes four times as many.
const BATCH: usize = if features::STD { 64 } else { 16 };

/// Number of words in a batch of the widest texels, 32 bytes each.
const BATCH_WORDS: usize = BATCH * 8;

/// The size of a rectangle's bytes in a format.
struct Layout {
    desc: Description,
    /// The decoder and encoder of blocks; `None` if texels are stored one by one.
    codec: Option<Codec>,
    /// Size of a row of texels or blocks, in bytes.
    row: usize,
    /// Number of rows of texels or blocks.
    rows: usize,
}

impl Layout {
    fn new(format: Format, width: usize, height: usize) -> Result<Layout, Error> {
        let desc = format.desc();
        let codec = if format.is_texel() {
            None
        } else {
            Some(Codec::of(&desc).ok_or(Error::Unsupported(format))?)
        };
        let block = desc.block;
        let row = width.div_ceil(block.width as usize).saturating_mul(block.bytes as usize);
        Ok(Layout { desc, codec, row, rows: height.div_ceil(block.height as usize) })
    }

    /// Returns the size for writing, or an error if the format has no encoder.
    fn written(format: Format, width: usize, height: usize) -> Result<Layout, Error> {
        let layout = Layout::new(format, width, height)?;
        match &layout.codec {
            Some(codec) if !codec.encodes() => Err(Error::Unsupported(format)),
            _ => Ok(layout),
        }
    }

    fn size(&self) -> usize {
        self.desc.block.bytes as usize
    }

    fn source<'a>(&self, src: Rect<&'a [u8]>) -> Result<Rows<&'a [u8]>, Error> {
        Rows::source(src, self.row, self.rows)
    }

    fn destination<'a>(&self, dst: Rect<&'a mut [u8]>) -> Result<Rows<&'a mut [u8]>, Error> {
        Rows::destination(dst, self.row, self.rows)
    }
}

/// A batch of texels in lanes, as shaders hold them.
struct Batch {
    words: [u32; BATCH_WORDS],
    rgba: [[u32; BATCH]; 4],
}

impl Batch {
    const fn new() -> Batch {
        Batch { words: [0; BATCH_WORDS], rgba: [[0; BATCH]; 4] }
    }

    /// Fills the first `count` lanes from tightly packed texels.
    #[inline(always)]
    fn read(&mut self, unpacker: &Unpacker, texels: &[u8], count: usize) {
        let format = unpacker.format();
        let words = self.words.get_mut(..count * lanes::words_per_texel(format));
        let words = words.unwrap_or_default();
        lanes::load(format, texels, words);
        let rgba = self.rgba.each_mut();
        let rgba = rgba.map(|component| component.get_mut(..count).unwrap_or_default());
        if features::STD {
            unpacker.unpack_inline(words, rgba);
        } else {
            unpacker.unpack(words, rgba);
        }
    }

    /// Copies the first lanes to pixels.
    #[inline(always)]
    fn pixels<T>(&self, pixels: &mut [[T; 4]], f: impl Fn(u32) -> T) {
        let [red, green, blue, alpha] = &self.rgba;
        let lanes = red.iter().zip(green).zip(blue).zip(alpha);
        for (pixel, (((&r, &g), &b), &a)) in pixels.iter_mut().zip(lanes) {
            *pixel = [f(r), f(g), f(b), f(a)];
        }
    }

    /// Copies pixels to the first lanes.
    #[inline(always)]
    fn set_pixels<T: Copy>(&mut self, pixels: &[[T; 4]], f: impl Fn(T) -> u32) {
        for (component, lanes) in self.rgba.iter_mut().enumerate() {
            for (lane, pixel) in lanes.iter_mut().zip(pixels) {
                *lane = f(at(pixel, component));
            }
        }
    }

    /// Writes the first `count` lanes as tightly packed texels.
    #[inline(always)]
    fn write(&mut self, packer: &Packer, texels: &mut [u8], count: usize) {
        let format = packer.format();
        let words = self.words.get_mut(..count * lanes::words_per_texel(format));
        let words = words.unwrap_or_default();
        let rgba = self.rgba.each_ref();
        let rgba = rgba.map(|component| component.get(..count).unwrap_or_default());
        if features::STD {
            packer.pack_inline(rgba, words);
        } else {
            packer.pack(rgba, words);
        }
        lanes::store(format, words, texels);
    }
}

/// Reads a rectangle as red, green, blue and alpha. Values of sRGB formats are converted to linear;
/// pure integers are returned unchanged.
///
/// * The stride of `dst` is in pixels, that of `src` in bytes, from a row of texels or blocks to the next.
/// * `[width, height]`: in texels. The rectangle may end within a block, but begins at one.
///
/// # Errors
/// [`Error::Unsupported`] if this build has no decoder for the format, or a buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::{Format, Rect, unpack_rgba_f32};
///
/// // Two rows of one texel, each padded to 4 bytes.
/// let texels = [0x00, 0xf8, 9, 9, 0x1f, 0x00, 9, 9];
/// let mut pixels = [[0.0; 4]; 2];
/// unpack_rgba_f32(Format::B5G6R5Unorm, Rect::new(&mut pixels, 1), Rect::new(&texels, 4), [1, 2])?;
/// assert_eq!(pixels, [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn unpack_rgba_f32(
    format: Format,
    dst: Rect<&mut [[f32; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = Layout::new(format, width, height)?;
    let src = layout.source(src)?;
    let mut dst = Rows::destination(dst, width, height)?;
    if let Some(codec) = &layout.codec {
        block::unpack(codec, src, (width, height), |x, y, codes| {
            for (pixel, codes) in dst.row_mut(y).iter_mut().skip(x).zip(codes) {
                *pixel = codec.to_f32(*codes);
            }
        });
        return Ok(());
    }
    let (desc, size) = (&layout.desc, layout.size());
    let integers = desc.is_pure_integer();
    if let Some(order) = bytes::Order::new(format) {
        dst.fill_from(src, |dst, src| order.unpack_f32(src, dst));
        return Ok(());
    }
    let unpacker = Unpacker::new(format);
    let mut batch = Batch::new();
    dst.fill_from(
        src,
        #[inline(always)]
        |dst, src| {
            if integers {
                for (pixel, texel) in dst.iter_mut().zip(src.chunks_exact(size)) {
                    *pixel = desc.fetch_rgba_f32(texel);
                }
                return;
            }
            for (pixels, texels) in dst.chunks_mut(BATCH).zip(src.chunks(BATCH * size)) {
                batch.read(&unpacker, texels, pixels.len());
                batch.pixels(pixels, f32::from_bits);
            }
        },
    );
    Ok(())
}

/// Writes a rectangle from red, green, blue and alpha: clamped to the format's range, rounded to
/// the nearest, and encoded by the sRGB curve if the format is sRGB.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in pixels.
///
/// A block at the rectangle's edge is written whole, padded with the rectangle's last texels.
///
/// # Errors
/// [`Error::Unsupported`] if this build has no encoder for the format, or a buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::{Format, Rect, pack_rgba_f32};
///
/// let pixels = [[0.5, 2.0, -1.0, 1.0]];
/// let mut texel = [0; 4];
/// pack_rgba_f32(Format::R8G8B8A8Unorm, Rect::new(&mut texel, 4), Rect::new(&pixels, 1), [1, 1])?;
/// assert_eq!(texel, [128, 255, 0, 255]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn pack_rgba_f32(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[f32; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = Layout::written(format, width, height)?;
    let src = Rows::source(src, width, height)?;
    let dst = layout.destination(dst)?;
    if let Some(codec) = &layout.codec {
        block::pack(codec, dst, (width, height), |x, y| {
            codec.codes(src.row(y).get(x).copied().unwrap_or_default())
        });
        return Ok(());
    }
    let (desc, size) = (&layout.desc, layout.size());
    let integers = desc.is_pure_integer();
    if let Some(target) = bytes::Target::new(format) {
        dst.fill_from(src, |dst, src| target.pack_f32(dst, src));
        return Ok(());
    }
    let packer = Packer::new(format);
    let mut batch = Batch::new();
    dst.fill_from(
        src,
        #[inline(always)]
        |dst, src| {
            if integers {
                for (texel, &pixel) in dst.chunks_exact_mut(size).zip(src) {
                    desc.store_rgba_f32(pixel, texel);
                }
                return;
            }
            for (texels, pixels) in dst.chunks_mut(BATCH * size).zip(src.chunks(BATCH)) {
                batch.set_pixels(pixels, f32::to_bits);
                batch.write(&packer, texels, pixels.len());
            }
        },
    );
    Ok(())
}

/// Reads a rectangle as red, green, blue and alpha of 8 bits, 255 for 1.0. Values of sRGB formats
/// are converted to linear.
///
/// * `[width, height]`: in texels. The stride of `dst` is in pixels, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] if this build has no decoder for the format or the format is pure
/// integer, or a buffer is too small.
pub fn unpack_rgba_u8(
    format: Format,
    dst: Rect<&mut [[u8; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let layout = Layout::new(format, width, height)?;
    if layout.desc.is_pure_integer() {
        return Err(Error::Unsupported(format));
    }
    let src = layout.source(src)?;
    let mut dst = Rows::destination(dst, width, height)?;
    if let Some(codec) = &layout.codec {
        if let Some(bits) = codec.bits() {
            dst.fill_from(src, |dst, src| bits.unpack(src, dst));
            return Ok(());
        }
        block::unpack(codec, src, (width, height), |x, y, codes| {
            codec.to_u8(codes, dst.row_mut(y).get_mut(x..).unwrap_or(&mut []));
        });
        return Ok(());
    }
    let size = layout.size();
    let order = bytes::Order::new(format);
    let unpacker = Unpacker::new(format);
    let mut batch = Batch::new();
    dst.fill_from(
        src,
        #[inline(always)]
        |dst, src| {
            if let Some(order) = order {
                order.unpack(src, dst);
                return;
            }
            for (pixels, texels) in dst.chunks_mut(BATCH).zip(src.chunks(BATCH * size)) {
                batch.read(&unpacker, texels, pixels.len());
                for (component, lanes) in batch.rgba.iter().enumerate() {
                    for (pixel, &lane) in pixels.iter_mut().zip(lanes) {
                        *at_mut(pixel, component) =
                            channel::f32_to_unorm16(f32::from_bits(lane), 255.0) as u8;
                    }
                }
            }
        },
    );
    Ok(())
}

/// Writes a rectangle from red, green, blue and alpha of 8 bits, 255 for 1.0; encoded by the sRGB
/// curve if the format is sRGB.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if this build has no encoder for the format or the format is pure
/// integer, or a buffer is too small.
pub fn pack_rgba_u8(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[u8; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let bytes = Rect::new(src.data.as_flattened(), src.stride.saturating_mul(4));
    let layout = Layout::written(format, width, height)?;
    if layout.desc.is_pure_integer() {
        return Err(Error::Unsupported(format));
    }
    // Checked here, so that the error counts pixels instead of bytes.
    Rows::source(src, width, height)?;
    convert(format, dst, Format::R8G8B8A8Unorm, bytes, [width, height])
}

/// Reads a rectangle of a pure-integer format as red, green, blue and alpha; negative numbers
/// become 0.
///
/// * `[width, height]`: in texels. The stride of `dst` is in pixels, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] if the format is not pure integer, or a buffer is too small.
pub fn unpack_rgba_u32(
    format: Format,
    dst: Rect<&mut [[u32; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let clamp = if format.is_pure_sint() { |x: u32| (x as i32).max(0) as u32 } else { |x| x };
    unpack_integers(format, dst, src, [width, height], clamp)
}

/// Reads a rectangle of a pure-integer format as red, green, blue and alpha; numbers of 2³¹ and
/// more become 2³¹ - 1.
///
/// * `[width, height]`: in texels. The stride of `dst` is in pixels, that of `src` in bytes.
///
/// # Errors
/// [`Error::Unsupported`] if the format is not pure integer, or a buffer is too small.
pub fn unpack_rgba_i32(
    format: Format,
    dst: Rect<&mut [[i32; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let clamp =
        if format.is_pure_uint() { |x: u32| x.min(i32::MAX as u32) as i32 } else { |x| x as i32 };
    unpack_integers(format, dst, src, [width, height], clamp)
}

/// Writes a rectangle of a pure-integer format from red, green, blue and alpha, clamped to its
/// range.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if the format is not pure integer, or a buffer is too small.
pub fn pack_rgba_u32(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[u32; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let clamp = if format.is_pure_sint() { |x: u32| x.min(i32::MAX as u32) } else { |x| x };
    pack_integers(format, dst, src, [width, height], clamp)
}

/// Writes a rectangle of a pure-integer format from red, green, blue and alpha, clamped to its
/// range.
///
/// * `[width, height]`: in texels. The stride of `dst` is in bytes, that of `src` in pixels.
///
/// # Errors
/// [`Error::Unsupported`] if the format is not pure integer, or a buffer is too small.
pub fn pack_rgba_i32(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[i32; 4]]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let clamp = if format.is_pure_uint() { |x: i32| x.max(0) as u32 } else { |x| x as u32 };
    pack_integers(format, dst, src, [width, height], clamp)
}

/// Returns the size of a rectangle of a pure-integer format.
fn integers(format: Format, width: usize, height: usize) -> Result<Layout, Error> {
    let layout = Layout::new(format, width, height)?;
    if layout.desc.is_pure_integer() { Ok(layout) } else { Err(Error::Unsupported(format)) }
}

fn unpack_integers<T>(
    format: Format,
    dst: Rect<&mut [[T; 4]]>,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
    clamp: fn(u32) -> T,
) -> Result<(), Error> {
    let layout = integers(format, width, height)?;
    let src = layout.source(src)?;
    let dst = Rows::destination(dst, width, height)?;
    let unpacker = Unpacker::new(format);
    let mut batch = Batch::new();
    dst.fill_from(
        src,
        #[inline(always)]
        |dst, src| {
            for (pixels, texels) in dst.chunks_mut(BATCH).zip(src.chunks(BATCH * layout.size())) {
                batch.read(&unpacker, texels, pixels.len());
                batch.pixels(pixels, clamp);
            }
        },
    );
    Ok(())
}

fn pack_integers<T: Copy>(
    format: Format,
    dst: Rect<&mut [u8]>,
    src: Rect<&[[T; 4]]>,
    [width, height]: [usize; 2],
    clamp: fn(T) -> u32,
) -> Result<(), Error> {
    let layout = integers(format, width, height)?;
    let src = Rows::source(src, width, height)?;
    let dst = layout.destination(dst)?;
    let packer = Packer::new(format);
    let mut batch = Batch::new();
    dst.fill_from(
        src,
        #[inline(always)]
        |dst, src| {
            for (texels, pixels) in dst.chunks_mut(BATCH * layout.size()).zip(src.chunks(BATCH)) {
                batch.set_pixels(pixels, clamp);
                batch.write(&packer, texels, pixels.len());
            }
        },
    );
    Ok(())
}

/// Converts a rectangle from one format to another.
///
/// * `[width, height]`: in texels.
/// * Strides are in bytes, from a row of texels or blocks to the next.
///
/// Values are kept as far as the destination can represent them: clamped, rounded to the nearest,
/// decoded and encoded by the sRGB curve. Integers are clamped. If both formats are the same, the
/// bytes are copied.
///
/// # Errors
/// [`Error::Unsupported`] if this build lacks a decoder or encoder, [`Error::Incompatible`] if only
/// one of the formats is pure integer, or a buffer is too small.
///
/// # Examples
/// ```
/// use gallium_formats::{Format, Rect, convert};
///
/// let rgba = [255, 0, 0, 255, 0, 0, 255, 0];
/// let mut bgr = [0; 6];
/// convert(Format::B8G8R8Unorm, Rect::new(&mut bgr, 6), Format::R8G8B8A8Unorm, Rect::new(&rgba, 8), [2, 1])?;
/// assert_eq!(bgr, [0, 0, 255, 255, 0, 0]);
/// # Ok::<(), gallium_formats::Error>(())
/// ```
pub fn convert(
    dst_format: Format,
    dst: Rect<&mut [u8]>,
    src_format: Format,
    src: Rect<&[u8]>,
    [width, height]: [usize; 2],
) -> Result<(), Error> {
    let source = Layout::new(src_format, width, height)?;
    if dst_format == src_format {
        let src = source.source(src)?;
        let dst = source.destination(dst)?;
        dst.fill_from(src, |dst, src| dst.copy_from_slice(src));
        return Ok(());
    }
    let target = Layout::written(dst_format, width, height)?;
    if source.desc.is_pure_integer() != target.desc.is_pure_integer() {
        return Err(Error::Incompatible { from: src_format, to: dst_format });
    }
    let src = source.source(src)?;
    let dst = target.destination(dst)?;
    if let Some(bits) = target.codec.as_ref().and_then(Codec::bits)
        && let Some(order) = bytes::Order::new(src_format)
    {
        dst.fill_from(src, |dst, src| bits.pack(dst, src, order, source.size()));
    } else if source.codec.is_some() || target.codec.is_some() {
        block::convert((target.desc, dst), (source.desc, src), (width, height));
    } else if let Some(shuffle) = bytes::Shuffle::new(dst_format, src_format) {
        dst.fill_from(src, |dst, src| shuffle.row(dst, src));
    } else {
        let conversion = Conversion::new(dst_format, src_format);
        dst.fill_from(
            src,
            #[inline(always)]
            |dst, src| conversion.row(dst, src),
        );
    }
    Ok(())
}

/// A conversion between any two formats of texels, through lanes.
struct Conversion {
    packer: Packer,
    unpacker: Unpacker,
    /// Upper bound of unsigned integers that become signed.
    largest: u32,
    /// True if signed integers become unsigned: negative ones become 0.
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

    #[inline(always)]
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
