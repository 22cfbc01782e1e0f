//! Conversion between the bytes of texels and words, little-endian.

use crate::Format;

use super::words_per_texel;

/// Returns the little-endian word in the first bytes of `texel`, at most four; missing bytes are 0.
#[inline(always)]
pub fn word(texel: &[u8]) -> u32 {
    match *texel {
        [] => 0,
        [a] => a as u32,
        [a, b] => u16::from_le_bytes([a, b]) as u32,
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
    }
}

/// Writes the low bytes of `word` to the first bytes of `texel`, at most four.
#[inline(always)]
pub fn put_word(word: u32, texel: &mut [u8]) {
    for (to, from) in texel.iter_mut().zip(word.to_le_bytes()) {
        *to = from;
    }
}

/// Spreads the bytes of tightly packed texels into words, plane by plane.
///
/// `words` determines the number of lanes; lanes beyond the end of `bytes` keep their words.
#[inline]
pub fn load(format: Format, bytes: &[u8], words: &mut [u32]) {
    match format.block_bytes() {
        1 => {
            for (word, &byte) in words.iter_mut().zip(bytes) {
                *word = byte as u32;
            }
        }
        2 => {
            for (word, texel) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u16::from_le_bytes(*texel) as u32;
            }
        }
        4 => {
            for (word, texel) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u32::from_le_bytes(*texel);
            }
        }
        8 => load_words::<8>(bytes, words),
        16 => load_words::<16>(bytes, words),
        size => load_any(size, words_per_texel(format), bytes, words),
    }
}

/// Loads texels of whole words: a loop for each plane.
fn load_words<const SIZE: usize>(bytes: &[u8], words: &mut [u32]) {
    let lanes = words.len() / (SIZE / 4);
    let texels = bytes.as_chunks::<SIZE>().0;
    for (plane, words) in words.chunks_exact_mut(lanes.max(1)).take(SIZE / 4).enumerate() {
        for (word, texel) in words.iter_mut().zip(texels) {
            let bytes = texel.as_chunks().0.get(plane).copied().unwrap_or_default();
            *word = u32::from_le_bytes(bytes);
        }
    }
}

fn load_any(size: usize, planes: usize, bytes: &[u8], words: &mut [u32]) {
    if size == 0 {
        return;
    }
    let lanes = words.len() / planes;
    for (lane, texel) in bytes.chunks_exact(size).take(lanes).enumerate() {
        for (plane, part) in words.chunks_exact_mut(lanes).zip(texel.chunks(4)) {
            if let Some(place) = plane.get_mut(lane) {
                *place = word(part);
            }
        }
    }
}

/// Gathers the bytes of texels from words, plane by plane; the reverse of [`load`].
///
/// `words` determines the number of lanes; lanes beyond the end of `bytes` are not stored.
#[inline]
pub fn store(format: Format, words: &[u32], bytes: &mut [u8]) {
    match format.block_bytes() {
        1 => {
            for (byte, &word) in bytes.iter_mut().zip(words) {
                *byte = word as u8;
            }
        }
        2 => {
            for (texel, &word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                *texel = (word as u16).to_le_bytes();
            }
        }
        4 => {
            for (texel, &word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                *texel = word.to_le_bytes();
            }
        }
        8 => store_words::<8>(words, bytes),
        16 => store_words::<16>(words, bytes),
        size => store_any(size, words_per_texel(format), words, bytes),
    }
}

/// Stores texels of whole words: a loop for each plane.
fn store_words<const SIZE: usize>(words: &[u32], bytes: &mut [u8]) {
    let lanes = words.len() / (SIZE / 4);
    let texels = bytes.as_chunks_mut::<SIZE>().0;
    for (plane, words) in words.chunks_exact(lanes.max(1)).take(SIZE / 4).enumerate() {
        for (&word, texel) in words.iter().zip(&mut *texels) {
            if let Some(bytes) = texel.as_chunks_mut().0.get_mut(plane) {
                *bytes = word.to_le_bytes();
            }
        }
    }
}

fn store_any(size: usize, planes: usize, words: &[u32], bytes: &mut [u8]) {
    if size == 0 {
        return;
    }
    let lanes = words.len() / planes;
    for (lane, texel) in bytes.chunks_exact_mut(size).take(lanes).enumerate() {
        for (plane, part) in words.chunks_exact(lanes).zip(texel.chunks_mut(4)) {
            put_word(plane.get(lane).copied().unwrap_or(0), part);
        }
    }
}
