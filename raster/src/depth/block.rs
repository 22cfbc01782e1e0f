//! The early test of a block of 16×16 pixels, row by row: the sixteen pixels of a row move between
//! memory and lanes without a shuffle.

use os_shim::simd::negative_lanes;
use pipe_core::state::CompareFunc;

use super::stamp::{Words, choose, lanes_of_bits, mask};
use super::{DepthBits, DepthStencil, General, Test};
use crate::fixed::{BLOCK, depth_unorm32};
use crate::lanes::{STAMP, Target, load_pixels, store_pixels};
use crate::setup::Plane32;

const _: () = assert!(BLOCK as usize == STAMP, "a row of a block fills the lanes of a test");

/// Tests the covered pixels of the block at first pixel (`x`, `y`), writes depth and stencil, and
/// removes the pixels that fail from `coverage` (one word of bits per row). The test must [take
/// rows](DepthStencil::takes_rows).
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
    let mut block = Block { target, first, depth, coverage };
    match state.test {
        Test::Pass => {}
        Test::Fail => block.coverage.fill(0),
        Test::Plain { depth, bytes, func, write } => match func {
            // The most common functions have their own loops.
            CompareFunc::Less => block.plain(depth, bytes, write, u32::lt),
            CompareFunc::LessEqual => block.plain(depth, bytes, write, u32::le),
            CompareFunc::Never
            | CompareFunc::Equal
            | CompareFunc::Greater
            | CompareFunc::NotEqual
            | CompareFunc::GreaterEqual
            | CompareFunc::Always => {
                block.general(&General::plain(depth, bytes, func, write), front);
            }
        },
        Test::General(test) => block.general(&test, front),
    }
}

/// A block of pixels to test: what [`test_block`] takes.
struct Block<'a, 't> {
    target: &'a mut Target<'t>,
    first: (u32, u32),
    depth: Plane32,
    coverage: &'a mut [u16; STAMP],
}

impl Block<'_, '_> {
    /// Tests integer depths in texels of 2 or 4 bytes with `passes(new, old)`.
    #[inline(always)]
    fn plain(
        &mut self,
        bits: DepthBits,
        bytes: u32,
        write: bool,
        passes: impl Fn(&u32, &u32) -> bool + Copy,
    ) {
        if bytes == 4 {
            self.plain_rows::<4>(bits, write, passes);
        } else {
            self.plain_rows::<2>(bits, write, passes);
        }
    }

    #[inline(always)]
    fn plain_rows<const N: usize>(
        &mut self,
        bits: DepthBits,
        write: bool,
        passes: impl Fn(&u32, &u32) -> bool + Copy,
    ) {
        self.rows::<N>(
            write,
            #[inline(always)]
            |old, z, covered| plain(bits, passes, old, z, covered),
        );
    }

    /// Tests with `test` in texels of up to 4 bytes.
    #[inline(always)]
    fn general(&mut self, test: &General, front: bool) {
        match test.bytes {
            4 => self.general_rows::<4>(test, front),
            2 => self.general_rows::<2>(test, front),
            _ => self.general_rows::<1>(test, front),
        }
    }

    #[inline(always)]
    fn general_rows<const N: usize>(&mut self, test: &General, front: bool) {
        self.rows::<N>(
            true,
            #[inline(always)]
            |old, z, covered| test.sixteen(old, z, covered, front),
        );
    }

    /// Tests the rows, of texels of `N` bytes. `test` gets the words of a row, its depths as
    /// unorm32, and the covered pixels. It returns the new words, if they can change, and the
    /// pixels that pass.
    #[inline(always)]
    fn rows<const N: usize>(
        &mut self,
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
            let bytes = target.span_mut(*x, *y + row as u32, N, count).unwrap_or_default();
            let texels = bytes.as_chunks_mut::<N>().0;
            let is_cut = texels.len() < STAMP;
            let mut copy = [[0; N]; STAMP];
            let whole = match texels.first_chunk_mut() {
                Some(whole) => whole,
                // The target's edge cuts the block. The missing pixels are not covered.
                None => {
                    copy.iter_mut().zip(&*texels).for_each(|(copy, texel)| *copy = *texel);
                    &mut copy
                }
            };
            let (new, passed) = test(&load_pixels(whole), &z, (*covered).into());
            if write && let Some(new) = new {
                store_pixels(&new, whole);
            }
            *covered = passed as u16;
            if is_cut {
                texels.iter_mut().zip(copy).for_each(|(texel, new)| *texel = new);
            }
        }
    }
}

/// Tests sixteen texels by integer depth alone; the counterpart of [`General::sixteen`].
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "lanes are below STAMP")]
fn plain(
    bits: DepthBits,
    passes: impl Fn(&u32, &u32) -> bool,
    old: &Words,
    z: &Words,
    covered: u32,
) -> (Option<Words>, u32) {
    let stored = bits.mask();
    let mut live = lanes_of_bits(covered);
    let mut words = *old;
    for lane in 0..STAMP {
        // Both sides are shifted alike, so they compare like the depth bits alone.
        let new = bits.integer(z[lane]) << bits.shift;
        live[lane] &= mask(passes(&new, &(old[lane] & stored)));
        words[lane] = choose(live[lane], new | old[lane] & !stored, old[lane]);
    }
    (Some(words), negative_lanes(bytemuck::cast_ref(&live)).into())
}
