//! The tests of sixteen pixels of one primitive at once, without a branch per lane: a stamp, or a
//! row of a block (`block.rs`).
//!
//! A lane's outcome is a mask, all ones or zero, and masks make every choice. Choices that depend
//! on the state alone are made outside the loops over lanes, so that the loops vectorise.

use os_shim::simd::{negative_lanes, vectorize};
use pipe_core::state::{CompareFunc, StencilOp};

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
    let passed = match &state.test {
        Test::Pass => Some(covered),
        Test::Fail => Some(0),
        Test::Plain { depth, bytes: 4, func, write } => {
            plain_stamp::<4>((*depth, *func, *write), target, first, z, covered)
        }
        Test::Plain { depth, func, write, .. } => {
            plain_stamp::<2>((*depth, *func, *write), target, first, z, covered)
        }
        Test::General(test) => test.stamp(target, first, z, covered, front),
    };
    passed.unwrap_or_else(|| test_quads(state, target, first, z, covered, front))
}

/// Tests a stamp by integer depth alone, in texels of `N` bytes; `None` if the target's edge cuts it.
#[inline(always)]
fn plain_stamp<const N: usize>(
    (bits, func, write): (DepthBits, CompareFunc, bool),
    target: &mut Target<'_>,
    first: QuadPosition,
    z: &Words,
    covered: u32,
) -> Option<u32> {
    let [a, b, c, d] = target.stamp_mut::<N>(first)?;
    let old = load_stamp::<N>([a, b, c, d]);
    let outcomes = Outcomes::of(Comparison::new(func));
    let (new, passed) = plain(
        bits,
        #[inline(always)]
        |new, old| outcomes.orders(new, old),
        &old,
        z,
        covered,
    );
    if write {
        store_stamp::<N>(&new, [a, b, c, d]);
    }
    Some(passed)
}

/// Tests sixteen texels by integer depth alone; the counterpart of [`General::sixteen`]. `passes(new, old)` is all ones
/// or 0. Returns the texels' new words, and the lanes that pass.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "lanes are below STAMP")]
pub(super) fn plain(
    bits: DepthBits,
    passes: impl Fn(u32, u32) -> u32,
    old: &Words,
    z: &Words,
    covered: u32,
) -> (Words, u32) {
    let stored = bits.mask();
    let mut live = lanes_of_bits(covered);
    let mut words = *old;
    for lane in 0..STAMP {
        // Both sides are shifted alike, so they compare like the depth bits alone.
        let new = bits.integer(z[lane]) << bits.shift;
        live[lane] &= passes(new, old[lane] & stored);
        words[lane] = choose(live[lane], new | old[lane] & !stored, old[lane]);
    }
    (words, negative_lanes(bytemuck::cast_ref(&live)).into())
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
    /// Tests a stamp; `None` if the target's edge cuts it, or its texels have more than four bytes. Out of line, because
    /// it is long and stamps are tested at several places.
    #[inline(never)]
    fn stamp(
        &self,
        target: &mut Target<'_>,
        first: QuadPosition,
        z: &Words,
        covered: u32,
        front: bool,
    ) -> Option<u32> {
        vectorize(
            #[inline(always)]
            || {
                let old = match self.bytes {
                    4 => load_stamp::<4>(target.stamp::<4>(first)?),
                    2 => load_stamp::<2>(target.stamp::<2>(first)?),
                    1 => load_stamp::<1>(target.stamp::<1>(first)?),
                    _ => return None,
                };
                let (new, passed) = self.sixteen(&old, z, covered, front);
                if let Some(new) = new {
                    match self.bytes {
                        4 => store_stamp::<4>(&new, target.stamp_mut::<4>(first)?),
                        2 => store_stamp::<2>(&new, target.stamp_mut::<2>(first)?),
                        _ => store_stamp::<1>(&new, target.stamp_mut::<1>(first)?),
                    }
                }
                Some(passed)
            },
        )
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
fn lanes_of_bits(bits: u32) -> Words {
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
fn choose(mask: u32, yes: u32, no: u32) -> u32 {
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
///
/// Every operation is the same arithmetic with other numbers, so that there is one loop instead of one per operation:
/// `(stored & keep ^ flip) + add`, limited.
#[inline(always)]
fn update(test: &StencilTest, face: &Face, op: StencilOp, lanes: &Words, words: &mut Words) {
    const BYTE: [i32; 2] = [0, 255];
    const WRAPPED: [i32; 2] = [-1, 256];
    let (keep, flip, add, [low, high]) = match op {
        StencilOp::Keep => return,
        StencilOp::Zero => (0, 0, 0, BYTE),
        StencilOp::Replace => (0, face.reference.into(), 0, BYTE),
        StencilOp::Incr => (0xff, 0, 1, BYTE),
        StencilOp::Decr => (0xff, 0, -1, BYTE),
        StencilOp::IncrWrap => (0xff, 0, 1, WRAPPED),
        StencilOp::DecrWrap => (0xff, 0, -1, WRAPPED),
        StencilOp::Invert => (0xff, 0xff, 0, BYTE),
    };
    let (shift, writemask) = (test.shift, u32::from(face.writemask) << test.shift);
    for (word, lanes) in words.iter_mut().zip(lanes) {
        let stored: u32 = *word >> shift & 0xff;
        let new = ((stored & keep ^ flip) as i32 + add).max(low).min(high) as u32 & 0xff;
        *word = choose(writemask & lanes, new << shift, *word);
    }
}
