//! Loads and stores of quads: between a target's bytes and rows of lanes.
//!
//! A stamp moves as four rows of four pixels. A packed quad has two pairs of neighbouring pixels,
//! so most quads move as four words or two double words. Quads at the target's edge move pixel by
//! pixel.

use tgsi::exec::{Lanes, Mask};

use super::{
    QuadPosition, QuadPositions, STAMP, Target, lane_of, lanes_of_rows, pixel, rows_of_lanes,
    set_lane, stamp_quads, stamps_per_batch,
};
use crate::features::SMALL_CODE;

/// Loads a little-endian word from the first `N` bytes.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "N is 1 to 4, so the compiler tests it")]
fn load<const N: usize>(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    for (word, byte) in word[..N].iter_mut().zip(bytes) {
        *word = *byte;
    }
    u32::from_le_bytes(word)
}

/// Stores the low `N` bytes of a word, little-endian.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "N is 1 to 4, so the compiler tests it")]
fn store<const N: usize>(word: u32, bytes: &mut [u8]) {
    for (byte, word) in bytes.iter_mut().zip(&word.to_le_bytes()[..N]) {
        *byte = *word;
    }
}

/// Returns each quad of a batch: its index, its position, and its four bits of `mask`.
#[inline(always)]
pub(crate) fn quads_with_mask(
    quads: &[QuadPosition],
    mask: Mask,
) -> impl Iterator<Item = (usize, QuadPosition, u32)> {
    let mut rest = mask;
    quads.iter().enumerate().map(move |(index, &quad)| {
        let bits = rest as u32 & 15;
        rest >>= 4;
        (index, quad, bits)
    })
}

/// Returns the quads of [`quads_with_mask`] with a bit in `mask`, at most as many as fill `R`.
#[inline(always)]
pub(crate) fn touched_quads<R: Lanes>(
    quads: &[QuadPosition],
    mask: Mask,
) -> impl Iterator<Item = (usize, QuadPosition, u32)> {
    let quads = quads.get(..R::COUNT / 4).unwrap_or(quads);
    quads_with_mask(quads, mask).filter(|&(_, _, bits)| bits != 0)
}

/// Loads a stamp's lanes from its rows.
#[inline(always)]
pub(crate) fn load_stamp<const N: usize>([a, b, c, d]: [&[u8]; 4]) -> [u32; STAMP] {
    lanes_of_rows([load_row::<N>(a), load_row::<N>(b), load_row::<N>(c), load_row::<N>(d)])
}

/// Stores a stamp's lanes to its rows.
#[inline(always)]
pub(crate) fn store_stamp<const N: usize>(lanes: &[u32; STAMP], rows: [&mut [u8]; 4]) {
    for (bytes, row) in rows.into_iter().zip(rows_of_lanes(lanes)) {
        store_row::<N>(row, bytes);
    }
}

/// Loads neighbouring pixels, `N` bytes each.
#[inline(always)]
pub(crate) fn load_pixels<const N: usize, const COUNT: usize>(
    pixels: &[[u8; N]; COUNT],
) -> [u32; COUNT] {
    let mut words = [0; COUNT];
    for (word, pixel) in words.iter_mut().zip(pixels) {
        *word = load::<N>(pixel);
    }
    words
}

/// Stores neighbouring pixels, `N` bytes each.
#[inline(always)]
pub(crate) fn store_pixels<const N: usize, const COUNT: usize>(
    words: &[u32; COUNT],
    pixels: &mut [[u8; N]; COUNT],
) {
    for (word, pixel) in words.iter().zip(pixels) {
        store::<N>(*word, pixel);
    }
}

/// Loads a row of four pixels, `N` bytes each.
#[inline(always)]
fn load_row<const N: usize>(bytes: &[u8]) -> [u32; 4] {
    let mut row = [0; 4];
    for (word, bytes) in row.iter_mut().zip(bytes.chunks_exact(N)) {
        *word = load::<N>(bytes);
    }
    row
}

/// Stores a row of four pixels, `N` bytes each.
#[inline(always)]
fn store_row<const N: usize>(row: [u32; 4], bytes: &mut [u8]) {
    for (word, bytes) in row.into_iter().zip(bytes.chunks_exact_mut(N)) {
        store::<N>(word, bytes);
    }
}

/// Loads the pixels of the quads that `mask` touches, `N` bytes each.
fn gather_n<const N: usize, R: Lanes>(
    target: &Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    words: &mut R,
) {
    let words = words.as_mut_slice();
    gather_quads::<N>(target, quads.packed_quads(), mask, words);
    if stamps_per_batch::<R>() == 0 {
        return;
    }
    for (lane, first) in quads.stamps() {
        let Some(lanes) = words.get_mut(lane..).and_then(|lanes| lanes.first_chunk_mut()) else {
            return;
        };
        match target.stamp::<N>(first) {
            Some(rows) => *lanes = load_stamp::<N>(rows),
            None => gather_quads::<N>(target, &stamp_quads(first), mask >> lane, lanes),
        }
    }
}

/// Stores the pixels of `mask`, `N` bytes each.
fn scatter_n<const N: usize, R: Lanes>(
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    words: &R,
) {
    let words = words.as_slice();
    scatter_quads::<N>(target, quads.packed_quads(), mask, words);
    if stamps_per_batch::<R>() == 0 {
        return;
    }
    for (lane, first) in quads.stamps() {
        let Some(lanes) = words.get(lane..).and_then(|lanes| lanes.first_chunk()) else { return };
        let bits = (mask >> lane) as u32 & 0xffff;
        match target.stamp_mut::<N>(first) {
            Some(rows) if bits == 0xffff => store_stamp::<N>(lanes, rows),
            Some([a, b, c, d]) => {
                let mut new = load_stamp::<N>([a, b, c, d]);
                for (lane, (word, new)) in lanes.iter().zip(&mut new).enumerate() {
                    *new = if bits & 1 << lane != 0 { *word } else { *new };
                }
                store_stamp::<N>(&new, [a, b, c, d]);
            }
            None => scatter_quads::<N>(target, &stamp_quads(first), bits.into(), lanes),
        }
    }
}

/// Loads the pixels of the quads that `mask` touches, quad by quad.
fn gather_quads<const N: usize>(
    target: &Target<'_>,
    quads: &[QuadPosition],
    mask: Mask,
    words: &mut [u32],
) {
    let (lanes, _) = words.as_chunks_mut::<4>();
    for ((_, quad, bits), lanes) in quads_with_mask(quads, mask).zip(lanes) {
        if bits == 0 {
            continue;
        }
        if let Some([top, bottom]) = target.quad::<N>(quad) {
            let ((a, b), (c, d)) = (top.split_at(N), bottom.split_at(N));
            *lanes = [load::<N>(a), load::<N>(b), load::<N>(c), load::<N>(d)];
            continue;
        }
        for (corner, lane) in lanes.iter_mut().enumerate() {
            let (x, y) = pixel(quad, corner);
            if bits >> corner & 1 != 0
                && target.has(x, y)
                && let Some(bytes) = target.span(x, y, N, 1)
            {
                *lane = load::<N>(bytes);
            }
        }
    }
}

/// Stores two neighbouring pixels, each if its bit of the two lowest `bits` is set. It has no
/// branch, because a predictor cannot guess the edges of primitives.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the mask keeps the pair below 4, and N is 1 to 4")]
fn store_pair<const N: usize>([left, right]: [u32; 2], bits: u32, bytes: &mut [u8]) {
    let pixel = u64::MAX >> (64 - 8 * N);
    let covered = [0, pixel, pixel << (8 * N), pixel | pixel << (8 * N)][bits as usize & 3];
    let mut old = [0; 8];
    for (old, byte) in old[..2 * N].iter_mut().zip(&*bytes) {
        *old = *byte;
    }
    let new = u64::from(left) & pixel | u64::from(right) << (8 * N);
    let new = new & covered | u64::from_le_bytes(old) & !covered;
    for (byte, new) in bytes.iter_mut().zip(&new.to_le_bytes()[..2 * N]) {
        *byte = *new;
    }
}

/// Stores the pixels of `mask`, quad by quad.
fn scatter_quads<const N: usize>(
    target: &mut Target<'_>,
    quads: &[QuadPosition],
    mask: Mask,
    words: &[u32],
) {
    let (lanes, _) = words.as_chunks::<4>();
    for ((_, quad, bits), lanes) in quads_with_mask(quads, mask).zip(lanes) {
        if bits == 0 {
            continue;
        }
        if let Some([top, bottom]) = target.quad_mut::<N>(quad) {
            let &[a, b, c, d] = lanes;
            store_pair::<N>([a, b], bits, top);
            store_pair::<N>([c, d], bits >> 2, bottom);
            continue;
        }
        for (corner, lane) in lanes.iter().enumerate() {
            let (x, y) = pixel(quad, corner);
            if bits >> corner & 1 != 0
                && target.has(x, y)
                && let Some(bytes) = target.span_mut(x, y, N, 1)
            {
                store::<N>(*lane, bytes);
            }
        }
    }
}

/// Loads pixels of 1, 2 or 4 bytes, one word per lane. Lanes outside `mask` are unspecified.
pub(crate) fn gather<R: Lanes>(
    target: &Target<'_>,
    bytes: u32,
    quads: QuadPositions<'_>,
    mask: Mask,
    words: &mut R,
) {
    if SMALL_CODE {
        return gather_pixels(target, bytes as usize, quads, mask, core::slice::from_mut(words));
    }
    match bytes {
        4 => gather_n::<4, R>(target, quads, mask, words),
        2 => gather_n::<2, R>(target, quads, mask, words),
        _ => gather_n::<1, R>(target, quads, mask, words),
    }
}

/// Stores the pixels of `mask`, of 1, 2 or 4 bytes, one word per lane.
pub(crate) fn scatter<R: Lanes>(
    target: &mut Target<'_>,
    bytes: u32,
    quads: QuadPositions<'_>,
    mask: Mask,
    words: &R,
) {
    if SMALL_CODE {
        return scatter_pixels(target, bytes as usize, quads, mask, core::slice::from_ref(words));
    }
    match bytes {
        4 => scatter_n::<4, R>(target, quads, mask, words),
        2 => scatter_n::<2, R>(target, quads, mask, words),
        _ => scatter_n::<1, R>(target, quads, mask, words),
    }
}

/// Loads pixels of any size up to 16 bytes: word `i` of a pixel goes to `planes[i]`. Lanes outside
/// `mask` are unspecified.
pub(crate) fn gather_planes<R: Lanes>(
    target: &Target<'_>,
    bytes: usize,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &mut [R],
) {
    match planes {
        [words, ..] if !SMALL_CODE && matches!(bytes, 1 | 2 | 4) => {
            gather(target, bytes as u32, quads, mask, words);
        }
        planes if !SMALL_CODE && bytes == 8 => gather_wide::<8, R>(target, quads, mask, planes),
        planes if !SMALL_CODE && bytes == 16 => gather_wide::<16, R>(target, quads, mask, planes),
        planes => gather_pixels(target, bytes, quads, mask, planes),
    }
}

/// Loads pixels of `N` bytes as [`gather_planes`] does, row by row of each quad.
fn gather_wide<const N: usize, R: Lanes>(
    target: &Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &mut [R],
) {
    let mut cut = 0;
    for (index, quad, _) in touched_quads::<R>(quads.quads, mask) {
        let Some(rows) = target.quad::<N>(quad) else {
            cut |= 15 << (4 * index);
            continue;
        };
        let pixels = rows.into_iter().flat_map(|row| row.as_chunks::<N>().0);
        for (pixel, lane) in pixels.zip(4 * index..) {
            for (plane, word) in planes.iter_mut().zip(pixel.as_chunks().0) {
                set_lane(plane.as_mut_slice(), lane, u32::from_le_bytes(*word));
            }
        }
    }
    if cut & mask != 0 {
        gather_pixels(target, N, quads, cut & mask, planes);
    }
}

/// Loads the pixels of `mask` one by one, as [`gather_planes`] does.
fn gather_pixels<R: Lanes>(
    target: &Target<'_>,
    bytes: usize,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &mut [R],
) {
    for (index, quad, bits) in touched_quads::<R>(quads.quads, mask) {
        for corner in (0..4).filter(|corner| bits >> corner & 1 != 0) {
            let (x, y) = pixel(quad, corner);
            if target.has(x, y)
                && let Some(texel) = target.span(x, y, bytes, 1)
            {
                for (plane, word) in planes.iter_mut().zip(texel.chunks(4)) {
                    set_lane(plane.as_mut_slice(), 4 * index + corner, load::<4>(word));
                }
            }
        }
    }
}

/// Stores the pixels of `mask`, of any size up to 16 bytes: word `i` comes from `planes[i]`.
pub(crate) fn scatter_planes<R: Lanes>(
    target: &mut Target<'_>,
    bytes: usize,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &[R],
) {
    match planes {
        [words, ..] if !SMALL_CODE && matches!(bytes, 1 | 2 | 4) => {
            scatter(target, bytes as u32, quads, mask, words);
        }
        planes if !SMALL_CODE && bytes == 8 => scatter_wide::<8, R>(target, quads, mask, planes),
        planes if !SMALL_CODE && bytes == 16 => scatter_wide::<16, R>(target, quads, mask, planes),
        planes => scatter_pixels(target, bytes, quads, mask, planes),
    }
}

/// Stores pixels of `N` bytes as [`scatter_planes`] does. Whole quads are stored row by row.
fn scatter_wide<const N: usize, R: Lanes>(
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &[R],
) {
    let mut rest = 0;
    for (index, quad, bits) in touched_quads::<R>(quads.quads, mask) {
        let whole = if bits == 15 { target.quad_mut::<N>(quad) } else { None };
        let Some(rows) = whole else {
            rest |= Mask::from(bits) << (4 * index);
            continue;
        };
        let pixels = rows.into_iter().flat_map(|row| row.as_chunks_mut::<N>().0);
        for (pixel, lane) in pixels.zip(4 * index..) {
            for (word, plane) in pixel.as_chunks_mut().0.iter_mut().zip(planes) {
                *word = lane_of(plane.as_slice(), lane).to_le_bytes();
            }
        }
    }
    if rest != 0 {
        scatter_pixels(target, N, quads, rest, planes);
    }
}

/// Stores the pixels of `mask` one by one, as [`scatter_planes`] does.
fn scatter_pixels<R: Lanes>(
    target: &mut Target<'_>,
    bytes: usize,
    quads: QuadPositions<'_>,
    mask: Mask,
    planes: &[R],
) {
    for (index, quad, bits) in touched_quads::<R>(quads.quads, mask) {
        for corner in (0..4).filter(|corner| bits >> corner & 1 != 0) {
            let (x, y) = pixel(quad, corner);
            if target.has(x, y)
                && let Some(texel) = target.span_mut(x, y, bytes, 1)
            {
                for (plane, word) in planes.iter().zip(texel.chunks_mut(4)) {
                    store::<4>(lane_of(plane.as_slice(), 4 * index + corner), word);
                }
            }
        }
    }
}
