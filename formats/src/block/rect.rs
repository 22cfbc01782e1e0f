//! Rectangles of block formats. Their right and lower edges may lie within a block.

use super::{Codec, Codes, MAX_TEXELS, Texels, texel};
use crate::format::Description;
use crate::rows::Rows;
use crate::{Format, bytes};

/// Decodes blocks. Calls `row` for each row of a block within the rectangle: x, y, codes.
pub(crate) fn unpack(
    codec: &Codec,
    src: Rows<&[u8]>,
    (width, height): (usize, usize),
    mut row: impl FnMut(usize, usize, &[Codes]),
) {
    let block = codec.desc.block;
    let (wide, high, size) = (block.width as usize, block.height as usize, block.bytes as usize);
    let mut texels = [[0; 4]; MAX_TEXELS];
    for top in (0..height).step_by(high) {
        let bytes = src.row(top / high).chunks(size);
        for (left, bytes) in (0..width).step_by(wide).zip(bytes) {
            codec.decode(bytes, &mut texels);
            let inside = wide.min(width - left);
            for y in 0..high.min(height - top) {
                let codes = texels.get(y * wide..).and_then(|row| row.get(..inside));
                row(left, top + y, codes.unwrap_or_default());
            }
        }
    }
}

/// Encodes blocks from the codes that `texel` returns for x, y. Texels of a block that lie outside
/// the rectangle repeat the nearest texel inside.
pub(crate) fn pack(
    codec: &Codec,
    mut dst: Rows<&mut [u8]>,
    (width, height): (usize, usize),
    mut texel: impl FnMut(usize, usize) -> Codes,
) {
    let block = codec.desc.block;
    let (wide, high, size) = (block.width as usize, block.height as usize, block.bytes as usize);
    let mut texels: Texels = [[0; 4]; MAX_TEXELS];
    for top in (0..height).step_by(high) {
        let row = dst.row_mut(top / high).chunks_mut(size);
        for (left, bytes) in (0..width).step_by(wide).zip(row) {
            for (i, to) in texels.iter_mut().take(wide * high).enumerate() {
                let x = (left + i % wide).min(width - 1);
                let y = (top + i / wide).min(height - 1);
                *to = texel(x, y);
            }
            codec.encode(&texels, bytes);
        }
    }
}

/// One side of a conversion: a block format or a format of single texels.
pub(crate) struct Side {
    desc: Description,
    codec: Option<Codec>,
}

/// The source block decoded last.
struct Cache {
    block: Option<(usize, usize)>,
    texels: Texels,
}

impl Side {
    fn new(desc: Description) -> Side {
        Side { desc, codec: Codec::of(&desc) }
    }

    fn at(&self, src: Rows<&[u8]>, x: usize, y: usize, cache: &mut Cache) -> [f32; 4] {
        let block = self.desc.block;
        let (wide, high) = (block.width as usize, block.height as usize);
        let (column, row) = (x / wide, y / high);
        let bytes = src.row(row).get(column * block.bytes as usize..).unwrap_or(&[]);
        let bytes = bytes.get(..block.bytes as usize).unwrap_or(bytes);
        let Some(codec) = &self.codec else {
            return self.desc.fetch_rgba_f32(bytes);
        };
        if cache.block != Some((column, row)) {
            codec.decode(bytes, &mut cache.texels);
            cache.block = Some((column, row));
        }
        codec.to_f32(texel(&cache.texels, y % high * wide + x % wide))
    }
}

/// Converts a rectangle if at least one side is a block format.
pub(crate) fn convert(
    (dst_desc, mut dst): (Description, Rows<&mut [u8]>),
    (src_desc, src): (Description, Rows<&[u8]>),
    size: (usize, usize),
) {
    let source = Side::new(src_desc);
    match (&source.codec, Codec::of(&dst_desc)) {
        (_, Some(codec)) => {
            let mut cache = Cache { block: None, texels: [[0; 4]; MAX_TEXELS] };
            pack(&codec, dst, size, |x, y| codec.codes(source.at(src, x, y, &mut cache)));
        }
        (Some(codec), None) => {
            let bytes = dst_desc.block.bytes as usize;
            let shuffle = bytes::Shuffle::new(dst_desc.format, Format::R8G8B8A8Unorm);
            let shuffle = shuffle.filter(|_| codec.is_bytes());
            unpack(codec, src, size, |x, y, codes| {
                let at = x * bytes;
                let dst = dst.row_mut(y).get_mut(at..at + codes.len() * bytes).unwrap_or(&mut []);
                if let Some(shuffle) = &shuffle {
                    let mut pixels = [[0; 4]; 16];
                    let pixels = pixels.get_mut(..codes.len().min(16)).unwrap_or_default();
                    codec.to_u8(codes, pixels);
                    shuffle.row(dst, pixels.as_flattened());
                    return;
                }
                for (texel, codes) in dst.chunks_exact_mut(bytes).zip(codes) {
                    dst_desc.store_rgba_f32(codec.to_f32(*codes), texel);
                }
            });
        }
        // Two formats of single texels are converted by other functions.
        (None, None) => debug_assert!(false, "{} has no blocks", dst_desc.format),
    }
}
