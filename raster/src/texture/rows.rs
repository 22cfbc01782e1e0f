//! Small helpers over rows of lanes, shared by texture, output and depth.
//!
//! A row is one `u32` a lane (`tgsi::exec::Lanes`); floats are stored as their bits. All
//! helpers inline into the caller's loop, so they vectorise with the caller's instruction set.

use tgsi::exec::{Lanes, Mask, all_lanes};

/// Builds a row lane by lane.
#[inline(always)]
pub(crate) fn build<R: Lanes>(value: impl Fn(usize) -> u32) -> R {
    let mut row = R::ZERO;
    for (lane, word) in row.as_mut_slice().iter_mut().enumerate() {
        *word = value(lane);
    }
    row
}

/// Builds a row of floats lane by lane.
#[inline(always)]
pub(crate) fn build_f32<R: Lanes>(value: impl Fn(usize) -> f32) -> R {
    build(|lane| value(lane).to_bits())
}

/// One lane as a float.
#[inline(always)]
pub(crate) fn float<R: Lanes>(row: &R, lane: usize) -> f32 {
    f32::from_bits(row.as_slice()[lane])
}

/// The mask of the lanes for which `test` holds.
///
/// Bits are gathered in groups of eight lanes: a plain `mask |= bit << lane` over 64 lanes is one
/// chain of 64 dependent steps.
#[inline(always)]
pub(crate) fn mask<R: Lanes>(test: impl Fn(usize) -> bool) -> Mask {
    let mut mask = 0;
    let mut base = 0;
    while base < R::COUNT {
        let mut group = 0u32;
        for lane in 0..8 {
            if base + lane < R::COUNT {
                group |= u32::from(test(base + lane)) << lane;
            }
        }
        mask |= Mask::from(group) << base;
        base += 8;
    }
    mask
}

/// Calls `visit` for each lane of `mask`, in order. A full mask takes the loop without tests.
#[inline(always)]
pub(crate) fn each_lane<R: Lanes>(mask: Mask, mut visit: impl FnMut(usize)) {
    let full = all_lanes::<R>();
    if mask & full == full {
        for lane in 0..R::COUNT {
            visit(lane);
        }
    } else {
        let mut rest = mask & full;
        while rest != 0 {
            visit(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Whether `mask` has `lane`.
#[inline(always)]
pub(crate) fn has(mask: Mask, lane: usize) -> bool {
    mask >> lane & 1 != 0
}

/// Copies the lanes of `mask` from `src` to `dst`.
#[inline(always)]
pub(crate) fn select<R: Lanes>(mask: Mask, src: &R, dst: &mut R) {
    let full = all_lanes::<R>();
    if mask & full == full {
        *dst = *src;
    } else {
        let src = src.as_slice();
        for (lane, word) in dst.as_mut_slice().iter_mut().enumerate() {
            *word = if has(mask, lane) { src[lane] } else { *word };
        }
    }
}
