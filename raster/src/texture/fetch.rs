//! Texel fetch: rows of texel indices to rows of decoded colours.

use formats::Format;
use formats::lanes::Unpacker;
use tgsi::exec::{Lanes, Mask};

use super::wrap::{BORDER, Pair};
use super::{Level, Sampler};
use crate::features::ALL_FORMATS;
use crate::lanes::planes::unpack;
use crate::lanes::{UnormLayout, each_lane, lanes_where};

/// The decoder of a view's texels, picked once a draw.
#[derive(Clone, Copy)]
pub(super) enum Texel {
    /// Unsigned normalised channels, by shifts and scales.
    Unorm(UnormLayout),
    /// Rows at once by `formats`, from texels of this many bytes: 1, 2, 4, 8 or 16.
    Planes(Unpacker, usize),
    /// One texel after the other: compressed blocks and odd sizes.
    Single,
}

impl Texel {
    /// Picks the decoder for the levels of a view.
    pub(super) fn of(format: Format, levels: &[Level<'_>]) -> Texel {
        let block = format.block();
        let bytes = usize::from(block.bytes);
        let loops = format.is_texel()
            && (block.width, block.height) == (1, 1)
            && matches!(bytes, 1 | 2 | 4 | 8 | 16)
            && levels.iter().all(|level| level.is_whole(bytes));
        if !loops {
            return Texel::Single;
        }
        match UnormLayout::of(format) {
            Some(layout) => Texel::Unorm(layout),
            None if !ALL_FORMATS => Texel::Single,
            None => Texel::Planes(Unpacker::new(format), bytes),
        }
    }
}

impl Level<'_> {
    /// Returns true if rows and layers lie whole texels of `bytes` apart, as [`TypedLevel`] needs.
    fn is_whole(&self, bytes: usize) -> bool {
        self.row_stride.is_multiple_of(bytes) && self.layer_stride.is_multiple_of(bytes)
    }

    /// Returns the byte offset of the block at (x, y, z). Wraps rather than overflows: loads check
    /// it against the level's bytes.
    #[inline(always)]
    fn offset(&self, x: u32, y: u32, z: u32, bytes: usize) -> usize {
        (z as usize)
            .wrapping_mul(self.layer_stride)
            .wrapping_add((y as usize).wrapping_mul(self.row_stride))
            .wrapping_add((x as usize).wrapping_mul(bytes))
    }
}

/// A level seen as texels of `N` bytes: a load is one comparison and one instruction.
///
/// Needs strides that are whole texels, see [`Texel::of`].
struct TypedLevel<'a, const N: usize> {
    texels: &'a [[u8; N]],
    pitch: usize,
    slice: usize,
}

impl<'a, const N: usize> TypedLevel<'a, N> {
    #[inline(always)]
    fn of(level: &Level<'a>) -> Self {
        let (texels, _) = level.bytes.as_chunks::<N>();
        TypedLevel { texels, pitch: level.row_stride / N, slice: level.layer_stride / N }
    }

    /// Returns the index of the first texel of row `y` of layer `z`. Wraps rather than overflows: `at`
    /// checks it.
    #[inline(always)]
    fn row(&self, y: u32, z: u32) -> usize {
        let layer = (z as usize).wrapping_mul(self.slice);
        layer.wrapping_add((y as usize).wrapping_mul(self.pitch))
    }

    /// Returns the texel at `x` of a row; `None` outside the level's bytes.
    #[inline(always)]
    fn get(&self, row: usize, x: u32) -> Option<&[u8; N]> {
        self.texels.get(row.wrapping_add(x as usize))
    }

    /// Returns the texel at `x` of a row, of at most four bytes, as a little-endian word; 0 outside the
    /// level's bytes.
    #[inline(always)]
    fn at(&self, row: usize, x: u32) -> u32 {
        let Some(texel) = self.get(row, x) else { return 0 };
        let mut word = [0; 4];
        word[..N].copy_from_slice(texel);
        u32::from_le_bytes(word)
    }
}

/// Loads the texels at (x, y, z), of `size` bytes (1, 2 or 4), as words.
///
/// An index outside the level loads 0 or another of its texels, so lanes need no mask.
pub(super) fn words<R: Lanes>(level: &Level<'_>, size: u32, [x, y, z]: [&R; 3], out: &mut R) {
    let (rows, out) = ([x.as_slice(), y.as_slice(), z.as_slice()], out.as_mut_slice());
    // The size is tested outside the loop over lanes.
    match size {
        4 => words_of::<4>(level, rows, out),
        2 => words_of::<2>(level, rows, out),
        _ => words_of::<1>(level, rows, out),
    }
}

fn words_of<const N: usize>(level: &Level<'_>, [x, y, z]: [&[u32]; 3], out: &mut [u32]) {
    let texels = TypedLevel::<N>::of(level);
    for (((out, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
        *out = texels.at(texels.row(y, z), x);
    }
}

/// Loads texels of 8 or 16 bytes as [`words`] does: word `i` of a texel goes to `planes[i]`.
fn wide_words<R: Lanes, const N: usize>(
    level: &Level<'_>,
    [x, y, z]: [&R; 3],
    planes: &mut [R; 4],
) {
    let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
    let texels = TypedLevel::<N>::of(level);
    for lane in 0..R::COUNT {
        if let Some(texel) = texels.get(texels.row(y[lane], z[lane]), x[lane]) {
            for (plane, word) in planes.iter_mut().zip(texel.as_chunks::<4>().0) {
                plane.as_mut_slice()[lane] = u32::from_le_bytes(*word);
            }
        }
    }
}

/// Loads the four texels of bilinear filtering as [`words`] does: (first, first), (second, first),
/// (first, second), (second, second) along s and t, in layer `z`.
pub(super) fn four_words<R: Lanes>(
    level: &Level<'_>,
    size: u32,
    s: &Pair<R>,
    t: &Pair<R>,
    z: &R,
    out: &mut [R; 4],
) {
    let s = [s.first.as_slice(), s.second.as_slice()];
    let t = [t.first.as_slice(), t.second.as_slice()];
    let z = z.as_slice();
    let out = out.each_mut().map(|row| row.as_mut_slice());
    match size {
        4 => four_words_of::<4>(level, s, t, z, out),
        2 => four_words_of::<2>(level, s, t, z, out),
        _ => four_words_of::<1>(level, s, t, z, out),
    }
}

fn four_words_of<const N: usize>(
    level: &Level<'_>,
    [left, right]: [&[u32]; 2],
    [top, bottom]: [&[u32]; 2],
    z: &[u32],
    [a, b, c, d]: [&mut [u32]; 4],
) {
    let texels = TypedLevel::<N>::of(level);
    let lanes = a.iter_mut().zip(b).zip(c).zip(d);
    let lanes = lanes.zip(left).zip(right).zip(top).zip(bottom).zip(z);
    for ((((((((a, b), c), d), &left), &right), &top), &bottom), &z) in lanes {
        let (top, bottom) = (texels.row(top, z), texels.row(bottom, z));
        (*a, *b) = (texels.at(top, left), texels.at(top, right));
        (*c, *d) = (texels.at(bottom, left), texels.at(bottom, right));
    }
}

impl Sampler<'_> {
    /// Decodes one texel, before the view's swizzle; zeros outside the level's bytes.
    pub(super) fn texel(&self, level: &Level<'_>, x: u32, y: u32, z: u32) -> [u32; 4] {
        let block = self.view.format.block();
        let (width, height) = (u32::from(block.width.max(1)), u32::from(block.height.max(1)));
        let size = usize::from(block.bytes);
        let offset = level.offset(x / width, y / height, z, size);
        let Some(bytes) = level.bytes.get(offset..).and_then(|rest| rest.get(..size)) else {
            return [0; 4];
        };
        let format = self.view.format;
        if format.is_texel() {
            return format.fetch_rgba_bits(bytes);
        }
        let place = ((x % width) as usize, (y % height) as usize);
        format.fetch_rgba_f32_at(bytes, place.0, place.1).map(f32::to_bits)
    }

    /// Fetches the colours at (x, y, z) of the lanes of `mask`, before the view's swizzle.
    ///
    /// An index of [`BORDER`] in any dimension gives the border colour. Lanes outside `mask` are
    /// unspecified.
    pub(super) fn colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        index: [&R; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let [x, y, z] = index.map(|row| row.as_slice());
        let touched = |row: &[u32]| row.iter().fold(false, |any, &i| any | (i == BORDER));
        let border = if self.has_border && (touched(x) || touched(y) || touched(z)) {
            lanes_where(R::COUNT, |lane| [x[lane], y[lane], z[lane]].contains(&BORDER)) & mask
        } else {
            0
        };
        match &self.texel {
            Texel::Unorm(layout) => {
                let mut texels = R::ZERO;
                words(level, layout.bytes, index, &mut texels);
                layout.unpack(&texels, out);
            }
            // `is_format_supported` refuses such a view.
            Texel::Planes(..) | Texel::Single if !ALL_FORMATS => *out = [R::ZERO; 4],
            Texel::Planes(unpacker, bytes) => {
                let mut planes = [R::ZERO; 4];
                match bytes {
                    16 => wide_words::<R, 16>(level, index, &mut planes),
                    8 => wide_words::<R, 8>(level, index, &mut planes),
                    _ => words(level, *bytes as u32, index, &mut planes[0]),
                }
                unpack(unpacker, bytes.div_ceil(4), &planes, out);
            }
            Texel::Single => each_lane(mask & !border, R::COUNT, |lane| {
                let texel = self.texel(level, x[lane], y[lane], z[lane]);
                for (row, component) in out.iter_mut().zip(texel) {
                    row.as_mut_slice()[lane] = component;
                }
            }),
        }
        each_lane(border, R::COUNT, |lane| {
            for (row, component) in out.iter_mut().zip(self.border) {
                row.as_mut_slice()[lane] = component;
            }
        });
    }
}
