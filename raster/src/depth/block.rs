//! The early test of a block of 16×16 pixels, row by row: the sixteen pixels of a row move between
//! memory and lanes without a shuffle.

use os_shim::simd::vectorize;
use pipe_core::state::CompareFunc;

use super::stamp::{Words, mask, plain};
use super::{DepthBits, DepthStencil, General, Test};
use crate::fixed::{BLOCK, depth_unorm32};
use crate::lanes::{STAMP, Target, load_pixels, store_pixels};
use crate::setup::Plane32;

const _: () = assert!(BLOCK as usize == STAMP, "a row of a block fills the lanes of a test");

/// Tests the covered pixels of the block at first pixel (`x`, `y`), writes depth and stencil, and
/// removes the pixels that fail from `coverage` (one word of bits per row). The test must [take
/// rows](DepthStencil::takes_rows). Out of line, because it is long and every profile has callers.
///
/// * `depth`: Q2.30, from the block's first pixel on.
#[inline(never)]
pub(crate) fn test_block(
    state: &DepthStencil,
    target: &mut Target<'_>,
    first: (u32, u32),
    depth: Plane32,
    coverage: &mut [u16; STAMP],
    front: bool,
) {
    vectorize(
        #[inline(always)]
        move || {
            // Copies, so that stores to the target cannot change them.
            let mut rows = *coverage;
            Block { target, first, depth, coverage: &mut rows }.test(state.test, front);
            *coverage = rows;
        },
    );
}

/// A block of pixels to test: what [`test_block`] takes.
struct Block<'a, 't> {
    target: &'a mut Target<'t>,
    first: (u32, u32),
    depth: Plane32,
    coverage: &'a mut [u16; STAMP],
}

impl Block<'_, '_> {
    #[inline(always)]
    fn test(&mut self, test: Test, front: bool) {
        let general = match test {
            Test::Pass => return,
            Test::Fail => return self.coverage.fill(0),
            Test::Plain { depth, bytes, func, write } => match func {
                // The most common functions have their own loops.
                CompareFunc::Less => {
                    return self.plain(depth, bytes, write, |new, old| mask(new < old));
                }
                CompareFunc::LessEqual => {
                    return self.plain(depth, bytes, write, |new, old| mask(new <= old));
                }
                CompareFunc::Never
                | CompareFunc::Equal
                | CompareFunc::Greater
                | CompareFunc::NotEqual
                | CompareFunc::GreaterEqual
                | CompareFunc::Always => General::plain(depth, bytes, func, write),
            },
            Test::General(general) => general,
        };
        self.rows(
            general.bytes,
            true,
            #[inline(always)]
            |old, z, covered| general.sixteen(old, z, covered, front),
        );
    }

    /// Tests integer depths in texels of 2 or 4 bytes; `passes(new, old)` is all ones or 0.
    #[inline(always)]
    fn plain(
        &mut self,
        bits: DepthBits,
        bytes: u32,
        write: bool,
        passes: impl Fn(u32, u32) -> u32 + Copy,
    ) {
        // Each size has its own loop.
        if bytes == 4 {
            self.plain_rows(bits, 4, write, passes);
        } else {
            self.plain_rows(bits, 2, write, passes);
        }
    }

    #[inline(always)]
    fn plain_rows(
        &mut self,
        bits: DepthBits,
        bytes: usize,
        write: bool,
        passes: impl Fn(u32, u32) -> u32 + Copy,
    ) {
        self.rows(
            bytes,
            write,
            #[inline(always)]
            |old, z, covered| {
                let (new, passed) = plain(bits, passes, old, z, covered);
                (Some(new), passed)
            },
        );
    }

    /// Tests the rows, of texels of `bytes` bytes: 1, 2 or 4. `test` gets the words of a row, its depths as unorm32, and
    /// the covered pixels. It returns the new words, if they can change, and the pixels that pass. The words are stored
    /// if `write` is set.
    #[inline(always)]
    fn rows(
        &mut self,
        bytes: usize,
        write: bool,
        test: impl Fn(&Words, &Words, u32) -> (Option<Words>, u32),
    ) {
        let Block { target, first: (x, y), depth, coverage } = self;
        let count = target.width.saturating_sub(*x).min(BLOCK) as usize;
        for (row, covered) in coverage.iter_mut().enumerate() {
            if *covered == 0 {
                continue;
            }
            // Starts at the pixel before the row, so that no lane is a special case.
            let before = depth.at(-1, row as i32);
            let mut z = [0; STAMP];
            for (z, steps) in z.iter_mut().zip(1..) {
                *z = depth_unorm32(before.wrapping_add(depth.dx.wrapping_mul(steps)));
            }
            // Coverage ends at the target's edge, so a row outside the target has none.
            let texels = target.span_mut(*x, *y + row as u32, bytes, count).unwrap_or_default();
            let mut copy = [0; 4 * STAMP];
            let is_cut = texels.len() < bytes * STAMP;
            let whole = if is_cut {
                // The target's edge cuts the block. The missing pixels are not covered.
                copy.iter_mut().zip(&*texels).for_each(|(copy, texel)| *copy = *texel);
                &mut copy[..]
            } else {
                &mut *texels
            };
            let old = match bytes {
                4 => load::<4>(whole),
                2 => load::<2>(whole),
                _ => load::<1>(whole),
            };
            let (new, passed) = test(&old, &z, (*covered).into());
            if write && let Some(new) = new {
                match bytes {
                    4 => store::<4>(&new, whole),
                    2 => store::<2>(&new, whole),
                    _ => store::<1>(&new, whole),
                }
            }
            *covered = passed as u16;
            if is_cut {
                texels.iter_mut().zip(copy).for_each(|(texel, new)| *texel = new);
            }
        }
    }
}

/// Loads sixteen texels of `N` bytes.
#[inline(always)]
fn load<const N: usize>(bytes: &[u8]) -> Words {
    bytes.as_chunks::<N>().0.first_chunk().map_or([0; STAMP], load_pixels)
}

/// Stores sixteen texels of `N` bytes.
#[inline(always)]
fn store<const N: usize>(words: &Words, bytes: &mut [u8]) {
    if let Some(pixels) = bytes.as_chunks_mut::<N>().0.first_chunk_mut() {
        store_pixels(words, pixels);
    }
}
