//! The early test of a block of 16×16 pixels, a row at once: sixteen neighbours, which move between
//! memory and lanes without a shuffle.

use super::stamp::Words;
use super::{DepthStencil, General, Test};
use crate::fixed::{BLOCK, depth_unorm32};
use crate::lanes::{STAMP, Target, load_pixels, store_pixels};
use crate::setup::Plane32;

const _: () = assert!(BLOCK as usize == STAMP, "a row of a block fills the lanes of a test");

/// Tests the covered pixels of the block whose first pixel is (`x`, `y`), writes depth and stencil, and
/// removes the pixels that fail from `coverage`, a word of bits a row. For tests that
/// [take rows](DepthStencil::takes_rows).
///
/// * `depth`: Q2.30, from the block's first pixel on.
#[inline(always)]
pub(crate) fn test_block(
    state: &DepthStencil,
    target: &mut Target<'_>,
    first: (u32, u32),
    depth: Plane32,
    coverage: &mut [u16; STAMP],
    front: bool,
) {
    match state.test {
        Test::Pass => {}
        Test::Fail => coverage.fill(0),
        Test::Plain { depth: bits, bytes, func, write } => {
            let test = General::plain(bits, bytes, func, write);
            if bytes == 4 {
                test.block::<4>(target, first, depth, coverage, front);
            } else {
                test.block::<2>(target, first, depth, coverage, front);
            }
        }
        Test::General(test) => match test.bytes {
            4 => test.block::<4>(target, first, depth, coverage, front),
            2 => test.block::<2>(target, first, depth, coverage, front),
            _ => test.block::<1>(target, first, depth, coverage, front),
        },
    }
}

impl General {
    /// Tests the rows of a block, of texels of `N` bytes.
    #[inline(always)]
    fn block<const N: usize>(
        &self,
        target: &mut Target<'_>,
        (x, y): (u32, u32),
        depth: Plane32,
        coverage: &mut [u16; STAMP],
        front: bool,
    ) {
        let count = target.width.saturating_sub(x).min(BLOCK) as usize;
        for (row, covered) in coverage.iter_mut().enumerate() {
            if *covered == 0 {
                continue;
            }
            // From the pixel before the row, so that no lane is a special case.
            let before = depth.at(-1, row as i32);
            let mut z = [0; STAMP];
            for (z, steps) in z.iter_mut().zip(1..) {
                *z = depth_unorm32(before.wrapping_add(depth.dx.wrapping_mul(steps)));
            }
            // Coverage ends at the target's edge, so a row that is not there has none.
            let bytes = target.span_mut(x, y + row as u32, N, count).unwrap_or_default();
            let texels = bytes.as_chunks_mut::<N>().0;
            let passed = match texels.first_chunk_mut() {
                Some(texels) => self.row(texels, &z, (*covered).into(), front),
                None => self.cut_row(texels, &z, (*covered).into(), front),
            };
            *covered = passed as u16;
        }
    }

    /// Tests the pixels `covered` of a row, and returns those that pass.
    #[inline(always)]
    fn row<const N: usize>(
        &self,
        texels: &mut [[u8; N]; STAMP],
        z: &Words,
        covered: u32,
        front: bool,
    ) -> u32 {
        let (new, passed) = self.sixteen(&load_pixels(texels), z, covered, front);
        if let Some(new) = new {
            store_pixels(&new, texels);
        }
        passed
    }

    /// As [`row`](Self::row), where the target's edge cuts the block.
    #[cold]
    #[inline(never)]
    fn cut_row<const N: usize>(
        &self,
        texels: &mut [[u8; N]],
        z: &Words,
        covered: u32,
        front: bool,
    ) -> u32 {
        let mut whole = [[0; N]; STAMP];
        for (copy, texel) in whole.iter_mut().zip(&*texels) {
            *copy = *texel;
        }
        let inside = (1 << texels.len().min(STAMP)) - 1;
        let passed = self.row(&mut whole, z, covered & inside, front);
        for (texel, new) in texels.iter_mut().zip(whole) {
            *texel = new;
        }
        passed
    }
}
