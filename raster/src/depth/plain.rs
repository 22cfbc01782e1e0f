//! The depth test on integers alone, without stencil and bounds: the common case.
//!
//! One pass over the quads: load four depths, compare, select, store. The pass has no rows in
//! between, so it is as good for 4 lanes on a microcontroller as for 64 on a host.

use pipe_core::state::CompareFunc;
use tgsi::exec::Mask;

use super::DepthBits;
use crate::features::SMALL_CODE;
use crate::lanes::{Comparison, QuadPosition, Target, pixel, quads_with_mask};

/// Tests a batch as [`super::test`] does. Selects the function and texel size once per batch.
#[expect(clippy::too_many_arguments, reason = "one value each, all from the caller's registers")]
pub(super) fn test(
    depth: DepthBits,
    bytes: u32,
    func: CompareFunc,
    write: bool,
    target: &mut Target<'_>,
    quads: &[QuadPosition],
    z: &[u32],
    mask: Mask,
) -> Mask {
    let mut run = Run { depth, write, target, quads, mask };
    let any = Comparison::new(func);
    // `Less` and `LessEqual` get their own loops, except where flash is scarce: there spans do most
    // tests anyway.
    match func {
        CompareFunc::Less if !SMALL_CODE => run.sized(bytes, z, |new, old| new < old),
        CompareFunc::LessEqual if !SMALL_CODE => run.sized(bytes, z, |new, old| new <= old),
        CompareFunc::Never
        | CompareFunc::Less
        | CompareFunc::Equal
        | CompareFunc::LessEqual
        | CompareFunc::Greater
        | CompareFunc::NotEqual
        | CompareFunc::GreaterEqual
        | CompareFunc::Always => run.sized(bytes, z, |new, old| any.passes(new, old)),
    }
}

struct Run<'a, 't> {
    depth: DepthBits,
    write: bool,
    target: &'a mut Target<'t>,
    quads: &'a [QuadPosition],
    mask: Mask,
}

impl Run<'_, '_> {
    /// Tests quads of texels of 2 or 4 bytes; returns the lanes that pass.
    #[inline(always)]
    fn sized(&mut self, bytes: u32, z: &[u32], passes: impl Fn(u32, u32) -> bool + Copy) -> Mask {
        if bytes == 2 { self.quads::<2>(z, passes) } else { self.quads::<4>(z, passes) }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a quad has four texels, each of N bytes, 2 or 4")]
    fn quads<const N: usize>(
        &mut self,
        z: &[u32],
        passes: impl Fn(u32, u32) -> bool + Copy,
    ) -> Mask {
        let Run { depth, write, target, quads, mask } = self;
        let bits = depth.mask();
        let down = 32 - depth.bits;
        let shift = depth.shift;
        let mut survivors = 0;
        let (lanes, _) = z.as_chunks::<4>();
        for ((index, quad, wanted), z) in quads_with_mask(quads, *mask).zip(lanes) {
            if wanted == 0 {
                continue;
            }
            let new = z.map(|z| (z >> down) << shift);
            let passed = match target.quad_mut::<N>(quad) {
                Some([top, bottom]) => {
                    let (a, b) = top.split_at_mut(N);
                    let (c, d) = bottom.split_at_mut(N);
                    let old = [load::<N>(a), load::<N>(b), load::<N>(c), load::<N>(d)];
                    let mut passed = 0;
                    let mut words = old;
                    for i in 0..4 {
                        // Both sides are shifted alike, so they compare like the depth bits alone.
                        let pass = u32::from(passes(new[i], old[i] & bits)) & (wanted >> i & 1);
                        passed |= pass << i;
                        words[i] = if pass != 0 { new[i] | old[i] & !bits } else { old[i] };
                    }
                    if *write && passed != 0 {
                        for (texel, word) in [a, b, c, d].into_iter().zip(words) {
                            texel.copy_from_slice(&word.to_le_bytes()[..N]);
                        }
                    }
                    passed
                }
                None => target.edge_quad::<N>(quad, wanted, new, bits, *write, passes),
            };
            survivors |= Mask::from(passed) << (4 * index);
        }
        survivors
    }
}

/// Loads a little-endian word of `N` bytes.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "its callers pass N bytes, 2 or 4")]
fn load<const N: usize>(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..N].copy_from_slice(&bytes[..N]);
    u32::from_le_bytes(word)
}

impl Target<'_> {
    /// Tests a quad that the target's edge cuts, pixel by pixel. Returns the pixels that pass.
    #[expect(clippy::indexing_slicing, reason = "N is 2 or 4, the bytes of a word")]
    fn edge_quad<const N: usize>(
        &mut self,
        quad: QuadPosition,
        wanted: u32,
        new: [u32; 4],
        bits: u32,
        write: bool,
        passes: impl Fn(u32, u32) -> bool,
    ) -> u32 {
        let mut passed = 0;
        for (corner, new) in new.into_iter().enumerate() {
            let (x, y) = pixel(quad, corner);
            if wanted >> corner & 1 == 0 || !self.has(x, y) {
                continue;
            }
            let Some(texel) = self.span_mut(x, y, N, 1) else { continue };
            let old = load::<N>(texel);
            if passes(new, old & bits) {
                passed |= 1 << corner;
                if write {
                    let word = new | old & !bits;
                    texel.copy_from_slice(&word.to_le_bytes()[..N]);
                }
            }
        }
        passed
    }
}
