//! Loads: rows of texel indices to rows of words, as they lie in memory.

use formats::lanes::word;
use tgsi::exec::Lanes;

use super::Level;
use super::wrap::Pair;
use crate::features::ALL_FORMATS;

impl Level<'_> {
    /// Returns true if rows and layers lie whole texels of `bytes` apart, as [`TypedLevel`] needs.
    pub(super) fn is_whole(&self, bytes: usize) -> bool {
        self.row_stride.is_multiple_of(bytes) && self.layer_stride.is_multiple_of(bytes)
    }

    /// Returns the byte offset of the block at (x, y, z). Wraps rather than overflows: loads check
    /// it against the level's bytes.
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

/// Loads the texels at (x, y, z), of `size` bytes (1 to 4), as words.
///
/// An index outside the level loads 0 or another of its texels, so lanes need no mask.
pub(super) fn words<R: Lanes>(level: &Level<'_>, size: u32, [x, y, z]: [&R; 3], out: &mut R) {
    let (rows, out) = ([x.as_slice(), y.as_slice(), z.as_slice()], out.as_mut_slice());
    // The size is tested outside the loop over lanes.
    match size {
        4 => words_of::<4>(level, rows, out),
        3 if ALL_FORMATS => words_of::<3>(level, rows, out),
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

/// Loads texels of `size` bytes (1 to 4, 6, 8, 12 or 16) as [`words`] does: word `i` of a texel goes to
/// `planes[i]`.
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
        if let Some(texel) = texels.get(texels.row(y[lane], z[lane]), x[lane]) {
            for (plane, bytes) in planes.iter_mut().zip(texel.chunks(4)) {
                plane.as_mut_slice()[lane] = word(bytes);
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
        3 if ALL_FORMATS => four_words_of::<3>(level, s, t, z, out),
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
