//! Loads: rows of texel indices to rows of words, as the words are in memory.

use formats::lanes::word;
use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

use super::Level;
use super::wrap::Pair;
use crate::features::ALL_FORMATS;
use crate::lanes::{lane_of, set_lane, stamps_per_batch};
use crate::profile::MAX_QUADS;

/// The most lanes of a row.
pub(super) const LANES: usize = 4 * MAX_QUADS;

impl Level<'_> {
    /// Returns true if rows and layers are a whole number of texels of `bytes` apart, as
    /// [`TypedLevel`] needs.
    pub(super) fn is_whole(&self, bytes: usize) -> bool {
        self.row_stride.is_multiple_of(bytes) && self.layer_stride.is_multiple_of(bytes)
    }

    /// Returns the byte offset of the block at (x, y, z). Wraps rather than overflows: loads check
    /// the offset against the level's bytes.
    #[inline(always)]
    pub(super) fn offset(&self, x: u32, y: u32, z: u32, bytes: usize) -> usize {
        (z as usize)
            .wrapping_mul(self.layer_stride)
            .wrapping_add((y as usize).wrapping_mul(self.row_stride))
            .wrapping_add((x as usize).wrapping_mul(bytes))
    }
}

/// A level seen as texels of `N` bytes: a load is one comparison and one instruction.
///
/// Needs strides that are whole texels, see [`Level::is_whole`].
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

    /// Returns the index of the first texel of row `y` of layer `z`. Wraps rather than overflows:
    /// `at` checks the index.
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

    /// Returns the texel at `x` of a row, of at most four bytes, as a little-endian word; 0 outside
    /// the level's bytes.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "N is 1 to 4, so the compiler tests it")]
    fn at(&self, row: usize, x: u32) -> u32 {
        let Some(texel) = self.get(row, x) else { return 0 };
        let mut word = [0; 4];
        word[..N].copy_from_slice(texel);
        u32::from_le_bytes(word)
    }
}

/// Loads the texels at (x, y, z), of `size` bytes (1 to 4), as words.
///
/// An index outside the level loads 0 or another texel of the level, so lanes need no mask.
pub(super) fn words<R: Lanes>(level: &Level<'_>, size: u32, [x, y, z]: [&R; 3], out: &mut R) {
    let (rows, out) = ([x.as_slice(), y.as_slice(), z.as_slice()], out.as_mut_slice());
    if stamps_per_batch::<R>() > 0 && u32::try_from(level.bytes.len()).is_ok() {
        return match size {
            4 => offset_words::<4>(level, rows, out),
            3 => offset_words::<3>(level, rows, out),
            2 => offset_words::<2>(level, rows, out),
            _ => offset_words::<1>(level, rows, out),
        };
    }
    // The size is tested outside the loop over lanes.
    match size {
        4 => words_of::<4>(level, rows, out),
        3 if ALL_FORMATS => words_of::<3>(level, rows, out),
        2 => words_of::<2>(level, rows, out),
        _ => words_of::<1>(level, rows, out),
    }
}

/// [`words`] of a level below 2³² bytes.
///
/// Two plain loops over lanes: one for offsets, one for loads. A single loop would not vectorise
/// the offsets.
fn offset_words<const N: usize>(level: &Level<'_>, [x, y, z]: [&[u32]; 3], out: &mut [u32]) {
    let (row, layer) = (level.row_stride as u32, level.layer_stride as u32);
    // The offsets are kept in the row that receives the texels.
    let lanes = out.iter_mut().zip(x).zip(y).zip(z);
    vectorize(
        #[inline(always)]
        || {
            for (((offset, x), y), z) in lanes {
                let first = z.wrapping_mul(layer).wrapping_add(x.wrapping_mul(N as u32));
                *offset = y.wrapping_mul(row).wrapping_add(first);
            }
        },
    );
    for texel in out {
        *texel = word_at::<N>(level.bytes, *texel as usize);
    }
}

/// Returns the texel of `N` bytes (1 to 4) at an offset, little-endian; 0 outside the level's
/// bytes.
#[inline(always)]
pub(super) fn word_at<const N: usize>(bytes: &[u8], offset: usize) -> u32 {
    // A texel of four bytes is one load, of three bytes two.
    if N == 3
        && let Some(&[a, b, c, d]) = bytes.get(offset..offset + 4)
    {
        return u32::from_le_bytes([a, b, c, d]) & 0xff_ffff;
    }
    match bytes.get(offset..offset + N) {
        Some(texel) => word(texel),
        None => 0,
    }
}

fn words_of<const N: usize>(level: &Level<'_>, [x, y, z]: [&[u32]; 3], out: &mut [u32]) {
    let texels = TypedLevel::<N>::of(level);
    for (((out, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
        *out = texels.at(texels.row(y, z), x);
    }
}

/// Loads texels of `size` bytes (1 to 4, 6, 8, 12 or 16) as [`words`] does. Word `i` of a texel
/// goes to `planes[i]`.
pub(super) fn planes<R: Lanes>(
    level: &Level<'_>,
    size: usize,
    index: [&R; 3],
    planes: &mut [R; 4],
) {
    match size {
        16 => wide_words::<R, 16>(level, index, planes),
        12 => wide_words::<R, 12>(level, index, planes),
        8 => wide_words::<R, 8>(level, index, planes),
        6 => wide_words::<R, 6>(level, index, planes),
        size => words(level, size as u32, index, &mut planes[0]),
    }
}

fn wide_words<R: Lanes, const N: usize>(
    level: &Level<'_>,
    [x, y, z]: [&R; 3],
    planes: &mut [R; 4],
) {
    let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
    let texels = TypedLevel::<N>::of(level);
    for lane in 0..R::COUNT {
        let [x, y, z] = [x, y, z].map(|row| lane_of(row, lane));
        if let Some(texel) = texels.get(texels.row(y, z), x) {
            for (plane, bytes) in planes.iter_mut().zip(texel.chunks(4)) {
                set_lane(plane.as_mut_slice(), lane, word(bytes));
            }
        }
    }
}

/// Loads the four texels of bilinear filtering: (first, first), (second, first), (first, second),
/// (second, second) along s and t, in layer `z`. Works as [`words`], except that the bits above the
/// texel's size are unspecified.
pub(super) fn four_words<R: Lanes>(
    level: &Level<'_>,
    size: u32,
    s: &Pair<R>,
    t: &Pair<R>,
    z: &R,
    out: &mut [R; 4],
) {
    let neighbours = stamps_per_batch::<R>() > 0 && s.are_neighbours();
    let s = [s.first.as_slice(), s.second.as_slice()];
    let t = [t.first.as_slice(), t.second.as_slice()];
    let z = z.as_slice();
    let out = out.each_mut().map(|row| row.as_mut_slice());
    if neighbours && u32::try_from(level.bytes.len()).is_ok() {
        return match size {
            4 => pairs_of::<4>(level, s[0], t, z, out),
            3 => pairs_of::<3>(level, s[0], t, z, out),
            2 => pairs_of::<2>(level, s[0], t, z, out),
            _ => pairs_of::<1>(level, s[0], t, z, out),
        };
    }
    match size {
        4 => four_words_of::<4>(level, s, t, z, out),
        3 if ALL_FORMATS => four_words_of::<3>(level, s, t, z, out),
        2 => four_words_of::<2>(level, s, t, z, out),
        _ => four_words_of::<1>(level, s, t, z, out),
    }
}

/// [`four_words`] if the second texel is the first's right neighbour in s: one load fetches both.
///
/// Three plain loops over lanes: offsets, loads, words. A single loop would not vectorise.
fn pairs_of<const N: usize>(
    level: &Level<'_>,
    x: &[u32],
    [top, bottom]: [&[u32]; 2],
    z: &[u32],
    [a, b, c, d]: [&mut [u32]; 4],
) {
    // The offsets are kept in the rows that receive the first texels.
    offsets::<N>(level, x, [top, bottom], z, [a, c]);
    let mut pairs = [[0; 2]; LANES];
    for ((pair, top), bottom) in pairs.iter_mut().zip(&*a).zip(&*c) {
        *pair = [*top, *bottom].map(|offset| pair_at::<N>(level.bytes, offset as usize));
    }
    split::<N>(&pairs, [a, b, c, d]);
}

/// Writes the byte offsets, below 2³², of the texels at (x, y, z) for both y.
#[inline(never)]
fn offsets<const N: usize>(
    level: &Level<'_>,
    x: &[u32],
    [top, bottom]: [&[u32]; 2],
    z: &[u32],
    [a, c]: [&mut [u32]; 2],
) {
    let (row, layer) = (level.row_stride as u32, level.layer_stride as u32);
    vectorize(
        #[inline(always)]
        || {
            let lanes = a.iter_mut().zip(c).zip(x).zip(top).zip(bottom).zip(z);
            for (((((a, c), x), top), bottom), z) in lanes {
                let first = z.wrapping_mul(layer).wrapping_add(x.wrapping_mul(N as u32));
                *a = top.wrapping_mul(row).wrapping_add(first);
                *c = bottom.wrapping_mul(row).wrapping_add(first);
            }
        },
    );
}

/// Writes the texels of the upper and the lower pair of each lane.
#[inline(never)]
fn split<const N: usize>(pairs: &[[u64; 2]], [a, b, c, d]: [&mut [u32]; 4]) {
    vectorize(
        #[inline(always)]
        || {
            let lanes = a.iter_mut().zip(b).zip(c).zip(d).zip(pairs);
            for ((((a, b), c), d), [top, bottom]) in lanes {
                (*a, *b) = (*top as u32, (*top >> (8 * N)) as u32);
                (*c, *d) = (*bottom as u32, (*bottom >> (8 * N)) as u32);
            }
        },
    );
}

/// Returns two neighbouring texels of `N` bytes, little-endian; zeros outside the level's bytes.
#[inline(always)]
pub(super) fn pair_at<const N: usize>(bytes: &[u8], offset: usize) -> u64 {
    match bytes.get(offset..offset + 8) {
        Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => last_pair_at::<N>(bytes, offset),
    }
}

/// [`pair_at`] at the end of the bytes.
#[cold]
#[inline(never)]
fn last_pair_at<const N: usize>(bytes: &[u8], offset: usize) -> u64 {
    let texels = bytes.get(offset..).unwrap_or(&[]).as_chunks::<N>().0;
    let mut pair = [0; 8];
    for (texel, bytes) in texels.iter().zip(pair.as_chunks_mut().0) {
        *bytes = *texel;
    }
    u64::from_le_bytes(pair)
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
