//! Converts texels of any format, as planes of words, to and from rows of colours with
//! `formats::lanes`.
//!
//! Plane `i` holds word `i` of each texel, so texels of up to 16 bytes have up to four planes.

use formats::lanes::{Packer, Unpacker};
use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

/// Lanes packed at once. It bounds the words on the stack.
const CHUNK: usize = 16;

/// Unpacks texels of `planes` words each to four rows of colours.
pub(crate) fn unpack<R: Lanes>(
    unpacker: &Unpacker,
    planes: usize,
    texels: &[R; 4],
    rgba: &mut [R; 4],
) {
    let words = R::as_words(texels);
    let words = words.get(..planes * R::COUNT).unwrap_or(words);
    vectorize(
        #[inline(always)]
        || unpacker.unpack_inline(words, rgba.each_mut().map(|row| row.as_mut_slice())),
    );
}

/// Packs four rows of colours to texels of `planes` words each; the other planes are 0.
pub(crate) fn pack<R: Lanes>(packer: &Packer, planes: usize, rgba: [&R; 4]) -> [R; 4] {
    let mut texels = [R::ZERO; 4];
    if planes == 1 {
        packer.pack(rgba.map(|row| row.as_slice()), texels[0].as_mut_slice());
        return texels;
    }
    for start in (0..R::COUNT).step_by(CHUNK) {
        let range = start..R::COUNT.min(start + CHUNK);
        let count = range.len();
        let mut words = [0; 4 * CHUNK];
        let rows = rgba.map(|row| row.as_slice().get(range.clone()).unwrap_or(&[]));
        let words = words.get_mut(..planes.min(4) * count).unwrap_or_default();
        packer.pack(rows, words);
        for (texels, words) in texels.iter_mut().zip(words.chunks_exact(count)) {
            if let Some(texels) = texels.as_mut_slice().get_mut(range.clone()) {
                texels.copy_from_slice(words);
            }
        }
    }
    texels
}
