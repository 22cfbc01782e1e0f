//! Texels in lanes: converts between structures of arrays and packed texels.
//!
//! A batch of `n` texels is `words_per_texel(format) * n` words, plane by plane: word `w` of lane
//! `i` is `words[w * n + i]`. Texels of less than 4 bytes sit in the low bits of a word. Colours
//! are four arrays of `n` bit patterns, as shaders hold them: `f32` for most formats, integers for
//! pure-integer ones.
//!
//! The loops are plain and vectorise. [`Packer::new`] and [`Unpacker::new`] choose the loops for a
//! format once; [`pack()`] and [`unpack()`] do both steps. Callers that enable wider instruction
//! sets use the `*_inline` methods.
//!
//! # Examples
//! ```
//! use gallium_formats::{Format, lanes};
//! // Two lanes, red and half-transparent white, to bytes B, G, R, A.
//! let one = 1f32.to_bits();
//! let (r, g, b, a) = ([one; 2], [0, one], [0, one], [one, 0.5f32.to_bits()]);
//! let mut words = [0; 2];
//! lanes::pack(Format::B8G8R8A8Unorm, [&r, &g, &b, &a], &mut words);
//! assert_eq!(words, [0xffff_0000, 0x80ff_ffff]);
//! ```

mod pack;
mod unpack;
mod word;

pub use pack::Packer;
pub use unpack::Unpacker;
pub use word::{load, put_word, store, word};

use crate::Format;

/// Returns the number of 32-bit words that hold a texel.
pub const fn words_per_texel(format: Format) -> usize {
    format.block_bytes().div_ceil(4)
}

/// Converts texels to colours; see [`Unpacker::unpack`].
pub fn unpack(format: Format, words: &[u32], rgba: [&mut [u32]; 4]) {
    Unpacker::new(format).unpack(words, rgba);
}

/// Converts colours to texels; see [`Packer::pack`].
pub fn pack(format: Format, rgba: [&[u32]; 4], words: &mut [u32]) {
    Packer::new(format).pack(rgba, words);
}
