//! The tests of sixteen pixels of one primitive at once, without a branch per lane: a stamp, or a
//! row of a block (`block.rs`).
//!
//! A lane's outcome is a mask, all ones or zero, and masks make every choice. Choices that depend
//! on the state alone are made outside the loops over lanes, so that the loops vectorise.

use os_shim::simd::negative_lanes;
use pipe_core::state::StencilOp;

use super::stencil::Face;
use super::{DepthBits, DepthStencil, DepthTest, General, StencilTest, Test, test};
use crate::lanes::{Comparison, QuadPosition, STAMP, Target, load_stamp, stamp_quads, store_stamp};

/// One word per lane.
pub(super) type Words = [u32; STAMP];

/// Tests the lanes `covered` of the stamp at `first`, writes depth and stencil, and returns the
/// lanes that pass. `z`: depth of each lane as `unorm32`. Inlined: it is a step of a loop over
/// stamps.
#[inline(always)]
pub(crate) fn test_stamp(
    state: &DepthStencil,
    target: &mut Target<'_>,
    first: QuadPosition,
    z: &Words,
    covered: u32,
    front: bool,
) -> u32 {
    let passed = match state.test {
        Test::Pass => Some(covered),
        Test::Fail => Some(0),
        Test::Plain { depth, bytes, func, write } => {
            let test = General::plain(depth, bytes, func, write);
            test.stamp(target, first, z, covered, front)
        }
        Test::General(test) => test.stamp(target, first, z, covered, front),
    };
    passed.unwrap_or_else(|| test_quads(state, target, first, z, covered, front))
}

/// Tests a stamp that the target's edge cuts, or that has texels of more than four bytes.
#[cold]
#[inline(never)]
fn test_quads(
    state: &DepthStencil,
    target: &mut Target<'_>,
    first: QuadPosition,
    z: &Words,
    covered: u32,
    front: bool,
) -> u32 {
    let front = if front { 0xffff } else { 0 };
    test(state, target, &stamp_quads(first), z, covered.into(), front) as u32
}

impl General {
    #[inline(always)]
    fn stamp(
        &self,
        target: &mut Target<'_>,
        first: QuadPosition,
        z: &Words,
        covered: u32,
        front: bool,
    ) -> Option<u32> {
        match self.bytes {
            4 => Some(self.rows::<4>(target.stamp_mut::<4>(first)?, z, covered, front)),
            2 => Some(self.rows::<2>(target.stamp_mut::<2>(first)?, z, covered, front)),
            1 => Some(self.rows::<1>(target.stamp_mut::<1>(first)?, z, covered, front)),
            _ => None,
        }
    }

    /// Tests the pixels of a stamp, of `N` bytes each.
    #[inline(always)]
    fn rows<const N: usize>(
        &self,
        [a, b, c, d]: [&mut [u8]; 4],
        z: &Words,
        covered: u32,
        front: bool,
    ) -> u32 {
        let old = load_stamp::<N>([a, b, c, d]);
        let (new, passed) = self.sixteen(&old, z, covered, front);
        if let Some(new) = new {
            store_stamp::<N>(&new, [a, b, c, d]);
        }
        passed
    }

    /// Tests bounds, stencil and depth of sixteen texels, in the order of [`General::test`].
    /// Returns the texels' new words, if they can change, and the lanes that pass.
    #[inline(always)]
    pub(super) fn sixteen(
        &self,
        old: &Words,
        z: &Words,
        covered: u32,
        front: bool,
    ) -> (Option<Words>, u32) {
        let bounded = self.bounded(old, covered);
        let stencil = self.stencil.as_ref().map(|test| (test, test.face(front)));
        let matched = match stencil {
            Some((test, face)) => matched(test, face, old, &bounded),
            None => bounded,
        };
        let mut words = *old;
        let (mut live, mut changes) = (matched, false);
        if let Some(depth) = &self.depth {
            let new = stored(depth.bits, z);
            nearer(depth, &new, old, &mut live);
            if depth.write {
                changes = true;
                let mask = depth.bits.mask();
                #[expect(clippy::indexing_slicing, reason = "lanes are below STAMP")]
                for lane in 0..STAMP {
                    let word = new[lane] << depth.bits.shift | old[lane] & !mask;
                    words[lane] = choose(live[lane], word, old[lane]);
                }
            }
        }
        if let Some((test, face)) = stencil
            && face.writes()
        {
            changes = true;
            let (mut failed, mut hidden) = ([0; STAMP], [0; STAMP]);
            #[expect(clippy::indexing_slicing, reason = "lanes are below STAMP")]
            for lane in 0..STAMP {
                failed[lane] = bounded[lane] & !matched[lane];
                hidden[lane] = matched[lane] & !live[lane];
            }
            update(test, face, face.fail, &failed, &mut words);
            update(test, face, face.zfail, &hidden, &mut words);
            update(test, face, face.zpass, &live, &mut words);
        }
        // A passing lane is all ones.
        let passed = negative_lanes(bytemuck::cast_ref(&live));
        (changes.then_some(words), passed.into())
    }

    /// Returns the covered lanes with stored depth inside the depth bounds.
    #[inline(always)]
    fn bounded(&self, old: &Words, covered: u32) -> Words {
        let mut live = lanes_of_bits(covered);
        let Some((bits, low, high)) = self.bounds else { return live };
        for (live, old) in live.iter_mut().zip(old) {
            let old = (old & bits.mask()) >> bits.shift;
            *live &= if bits.float {
                let old = f32::from_bits(old);
                mask(f32::from_bits(low) <= old) & mask(old <= f32::from_bits(high))
            } else {
                mask(low <= old) & mask(old <= high)
            };
        }
        live
    }
}

/// Returns all ones in the lanes with their bit set, and 0 in all other lanes.
#[inline(always)]
pub(super) fn lanes_of_bits(bits: u32) -> Words {
    let mut lanes = [0; STAMP];
    // Each lane's bit becomes its sign bit. `bits` moves up by one first. Otherwise the compiler
    // would find shorter code for lane 0 alone, and the loop would not vectorise.
    let bits = bits << 1;
    for (lane, out) in lanes.iter_mut().enumerate() {
        *out = ((bits << (STAMP - 2 + 16 - lane)) as i32 >> 31) as u32;
    }
    lanes
}

/// Returns all ones for true and 0 for false.
#[inline(always)]
pub(super) fn mask(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

/// Returns `yes` where `mask` is all ones, and `no` where it is 0.
#[inline(always)]
pub(super) fn choose(mask: u32, yes: u32, no: u32) -> u32 {
    yes & mask | no & !mask
}

/// Converts fragments' depths to the buffer's representation, in the low bits.
#[inline(always)]
fn stored(bits: DepthBits, z: &Words) -> Words {
    let mut out = [0; STAMP];
    if bits.float {
        for (out, z) in out.iter_mut().zip(z) {
            *out = bits.stored(*z);
        }
    } else {
        for (out, z) in out.iter_mut().zip(z) {
            *out = bits.integer(*z);
        }
    }
    out
}

/// The outcomes of a comparison as masks.
#[derive(Clone, Copy)]
struct Outcomes {
    unordered: u32,
    less: u32,
    equal: u32,
    greater: u32,
}

impl Outcomes {
    #[inline(always)]
    fn of(func: Comparison) -> Outcomes {
        let [unordered, less, equal, greater] = func.outcomes();
        Outcomes { unordered, less, equal, greater }
    }

    /// Returns the mask of `left FUNC right`.
    #[inline(always)]
    fn orders(self, left: u32, right: u32) -> u32 {
        // Starts from the outcome for equal values, then corrects it for less and greater.
        self.equal
            ^ (mask(left < right) & (self.less ^ self.equal))
            ^ (mask(left > right) & (self.greater ^ self.equal))
    }

    /// Returns the mask of `left FUNC right`, on floats.
    #[inline(always)]
    fn passes(self, left: f32, right: f32) -> u32 {
        let (less, equal) = (mask(left < right), mask(left == right));
        let greater = mask(left > right);
        let unordered = !(less | equal | greater);
        self.less & less | self.equal & equal | self.greater & greater | self.unordered & unordered
    }
}

/// Removes the lanes that fail the depth test.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "lanes are below STAMP")]
fn nearer(test: &DepthTest, new: &Words, old: &Words, live: &mut Words) {
    let DepthBits { shift, float, .. } = test.bits;
    let bits = test.bits.mask();
    let outcomes = Outcomes::of(Comparison::new(test.func));
    if float {
        for lane in 0..STAMP {
            let old = f32::from_bits((old[lane] & bits) >> shift);
            live[lane] &= outcomes.passes(f32::from_bits(new[lane]), old);
        }
    } else {
        for lane in 0..STAMP {
            live[lane] &= outcomes.orders(new[lane], (old[lane] & bits) >> shift);
        }
    }
}

/// Returns the lanes of `bounded` that pass the stencil test.
#[inline(always)]
fn matched(test: &StencilTest, face: &Face, old: &Words, bounded: &Words) -> Words {
    let mut live = *bounded;
    let valuemask = u32::from(face.valuemask);
    let (shift, reference) = (test.shift, u32::from(face.reference) & valuemask);
    let outcomes = Outcomes::of(face.func);
    for (live, old) in live.iter_mut().zip(old) {
        *live &= outcomes.orders(reference, old >> shift & valuemask);
    }
    live
}

/// Applies a stencil operation to the stencil of `lanes`.
#[inline(always)]
fn update(test: &StencilTest, face: &Face, op: StencilOp, lanes: &Words, words: &mut Words) {
    let reference = u32::from(face.reference);
    let target = (test.shift, u32::from(face.writemask), lanes);
    match op {
        StencilOp::Keep => {}
        StencilOp::Zero => store(target, words, |_| 0),
        StencilOp::Replace => store(target, words, |_| reference),
        StencilOp::Incr => store(target, words, |stored| (stored + 1).min(255)),
        StencilOp::Decr => store(target, words, |stored| stored.saturating_sub(1)),
        StencilOp::IncrWrap => store(target, words, |stored| (stored + 1) & 0xff),
        StencilOp::DecrWrap => store(target, words, |stored| stored.wrapping_sub(1) & 0xff),
        StencilOp::Invert => store(target, words, |stored| !stored & 0xff),
    }
}

/// Replaces the stencil at `shift`, under `writemask`, of `lanes`.
#[inline(always)]
fn store(
    (shift, writemask, lanes): (u32, u32, &Words),
    words: &mut Words,
    new: impl Fn(u32) -> u32,
) {
    for (word, lanes) in words.iter_mut().zip(lanes) {
        let new = new(*word >> shift & 0xff) << shift;
        *word = choose(writemask << shift & lanes, new, *word);
    }
}
