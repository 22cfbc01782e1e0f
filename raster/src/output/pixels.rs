//! Quads of pixels between a target's bytes and rows of lanes.
//!
//! The pixels of a quad are two pairs of neighbours, so most quads move as four words or two
//! double words. Quads at the target's edge, or partly covered, move pixel by pixel.

use tgsi::exec::{Lanes, Mask};

use super::{QuadPosition, Target};

/// The little-endian word at the start of `bytes`, of `N` bytes.
#[inline(always)]
fn load<const N: usize>(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    for (word, byte) in word[..N].iter_mut().zip(bytes) {
        *word = *byte;
    }
    u32::from_le_bytes(word)
}

/// The reverse of [`load`].
#[inline(always)]
fn store<const N: usize>(word: u32, bytes: &mut [u8]) {
    for (byte, word) in bytes.iter_mut().zip(&word.to_le_bytes()[..N]) {
        *byte = *word;
    }
}

impl Target<'_> {
    /// Byte offset of a pixel; wraps on nonsense, for `get` to refuse.
    #[inline(always)]
    fn offset(&self, x: u32, y: u32, bytes: usize) -> usize {
        (y as usize).wrapping_mul(self.stride).wrapping_add(x as usize * bytes)
    }

    /// The bytes of `count` pixels from (`x`, `y`) on.
    #[inline(always)]
    fn span(&self, x: u32, y: u32, bytes: usize, count: usize) -> Option<&[u8]> {
        self.bytes.get(self.offset(x, y, bytes)..)?.get(..count * bytes)
    }

    /// The same, to write.
    #[inline(always)]
    pub(crate) fn span_mut(&mut self, x: u32, y: u32, bytes: usize, count: usize) -> Option<&mut [u8]> {
        let offset = self.offset(x, y, bytes);
        self.bytes.get_mut(offset..)?.get_mut(..count * bytes)
    }

    /// Whether a quad lies within the target whole.
    #[inline(always)]
    fn holds(&self, quad: QuadPosition) -> bool {
        u32::from(quad.x) + 1 < self.width && u32::from(quad.y) + 1 < self.height
    }

    /// The two rows of a quad that lies within the target whole, `N` bytes a pixel.
    #[inline(always)]
    pub(crate) fn quad_mut<const N: usize>(&mut self, quad: QuadPosition) -> Option<[&mut [u8]; 2]> {
        if !self.holds(quad) {
            return None;
        }
        let offset = self.offset(u32::from(quad.x), u32::from(quad.y), N);
        let rest = self.bytes.get_mut(offset..)?;
        let (top, bottom) = rest.split_at_mut_checked(self.stride)?;
        Some([top.get_mut(..2 * N)?, bottom.get_mut(..2 * N)?])
    }

    /// Whether a pixel lies within the target.
    #[inline(always)]
    pub(crate) fn has(&self, x: u32, y: u32) -> bool {
        x < self.width && y < self.height
    }
}

/// Pixel `corner` (0 to 3) of a quad.
#[inline(always)]
pub(crate) fn pixel(quad: QuadPosition, corner: usize) -> (u32, u32) {
    (u32::from(quad.x) + (corner as u32 & 1), u32::from(quad.y) + (corner as u32 >> 1))
}

/// The quads of a batch that `mask` touches: index, position, and their four bits.
#[inline(always)]
pub(crate) fn touched<R: Lanes>(
    quads: &[QuadPosition],
    mask: Mask,
) -> impl Iterator<Item = (usize, QuadPosition, u32)> {
    quads
        .iter()
        .take(R::COUNT / 4)
        .enumerate()
        .map(move |(index, &quad)| (index, quad, (mask >> (4 * index)) as u32 & 15))
        .filter(|&(_, _, bits)| bits != 0)
}

/// Reads the pixels of the quads that `mask` touches, of `N` bytes each. Others are 0.
#[inline(always)]
fn gather_n<R: Lanes, const N: usize>(
    target: &Target<'_>,
    quads: &[QuadPosition],
    mask: Mask,
) -> R {
    let mut words = R::ZERO;
    let (lanes, _) = words.as_mut_slice().as_chunks_mut::<4>();
    for (index, quad, bits) in touched::<R>(quads, mask) {
        let Some(lanes) = lanes.get_mut(index) else { break };
        let (x, y) = pixel(quad, 0);
        let pairs = (target.span(x, y, N, 2), target.span(x, y + 1, N, 2));
        if let (true, (Some(top), Some(bottom))) = (target.holds(quad), pairs) {
            *lanes = [
                load::<N>(&top[..N]),
                load::<N>(&top[N..]),
                load::<N>(&bottom[..N]),
                load::<N>(&bottom[N..]),
            ];
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
    words
}

/// Writes the pixels of `mask`, of `N` bytes each.
#[inline(always)]
fn scatter_n<R: Lanes, const N: usize>(
    target: &mut Target<'_>,
    quads: &[QuadPosition],
    mask: Mask,
    words: &R,
) {
    let (lanes, _) = words.as_slice().as_chunks::<4>();
    for (index, quad, bits) in touched::<R>(quads, mask) {
        let Some(lanes) = lanes.get(index) else { break };
        if bits == 15 && target.holds(quad) {
            let (x, y) = pixel(quad, 0);
            for (row, pair) in [[lanes[0], lanes[1]], [lanes[2], lanes[3]]].iter().enumerate() {
                if let Some(bytes) = target.span_mut(x, y + row as u32, N, 2) {
                    store::<N>(pair[0], &mut bytes[..N]);
                    store::<N>(pair[1], &mut bytes[N..]);
                }
            }
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

/// Reads pixels of 1, 2 or 4 bytes. Lanes outside `mask` are unspecified.
#[inline(always)]
pub(crate) fn gather<R: Lanes>(
    target: &Target<'_>,
    bytes: u32,
    quads: &[QuadPosition],
    mask: Mask,
) -> R {
    match bytes {
        4 => gather_n::<R, 4>(target, quads, mask),
        2 => gather_n::<R, 2>(target, quads, mask),
        _ => gather_n::<R, 1>(target, quads, mask),
    }
}

/// Writes pixels of 1, 2 or 4 bytes under `mask`.
#[inline(always)]
pub(crate) fn scatter<R: Lanes>(
    target: &mut Target<'_>,
    bytes: u32,
    quads: &[QuadPosition],
    mask: Mask,
    words: &R,
) {
    match bytes {
        4 => scatter_n::<R, 4>(target, quads, mask, words),
        2 => scatter_n::<R, 2>(target, quads, mask, words),
        _ => scatter_n::<R, 1>(target, quads, mask, words),
    }
}

/// Reads pixels of any size up to 16 bytes, as planes of words. Lanes outside `mask` are 0.
pub(crate) fn gather_planes<R: Lanes>(
    target: &Target<'_>,
    bytes: usize,
    quads: &[QuadPosition],
    mask: Mask,
) -> [R; 4] {
    let mut planes = [R::ZERO; 4];
    for (index, quad, bits) in touched::<R>(quads, mask) {
        for corner in (0..4).filter(|corner| bits >> corner & 1 != 0) {
            let (x, y) = pixel(quad, corner);
            if target.has(x, y)
                && let Some(texel) = target.span(x, y, bytes, 1)
            {
                for (plane, word) in planes.iter_mut().zip(texel.chunks(4)) {
                    plane.as_mut_slice()[4 * index + corner] = load::<4>(word);
                }
            }
        }
    }
    planes
}

/// Writes pixels of any size up to 16 bytes under `mask`.
pub(crate) fn scatter_planes<R: Lanes>(
    target: &mut Target<'_>,
    bytes: usize,
    quads: &[QuadPosition],
    mask: Mask,
    planes: &[R; 4],
) {
    for (index, quad, bits) in touched::<R>(quads, mask) {
        for corner in (0..4).filter(|corner| bits >> corner & 1 != 0) {
            let (x, y) = pixel(quad, corner);
            if target.has(x, y)
                && let Some(texel) = target.span_mut(x, y, bytes, 1)
            {
                for (plane, word) in planes.iter().zip(texel.chunks_mut(4)) {
                    store::<4>(plane.as_slice()[4 * index + corner], word);
                }
            }
        }
    }
}
