//! Loops over rows of lanes, and masks with one bit per lane.
//!
//! Kernels take rows as slices: one copy of each serves every lane width, and a loop of unknown
//! length is not unrolled 64 times. Each kernel runs inside its own `os_shim::simd::vectorize`, so
//! that its callers need not be inlined.

use tgsi::exec::Mask;

/// Returns one lane as a float; 0 beyond the last.
#[inline(always)]
pub(crate) fn float(row: &[u32], lane: usize) -> f32 {
    f32::from_bits(lane_of(row, lane))
}

/// Returns one lane; 0 beyond the last.
#[inline(always)]
pub(crate) fn lane_of(row: &[u32], lane: usize) -> u32 {
    row.get(lane).copied().unwrap_or(0)
}

/// Sets one lane; does nothing beyond the last.
#[inline(always)]
pub(crate) fn set_lane(row: &mut [u32], lane: usize, value: u32) {
    if let Some(at) = row.get_mut(lane) {
        *at = value;
    }
}

/// Sets `out[i] = f(a[i])`.
#[inline(always)]
pub(crate) fn map(a: &[u32], out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

/// Sets `out[i] = f(a[i])`, on floats.
#[inline(always)]
pub(crate) fn map_f32(a: &[u32], out: &mut [u32], f: impl Fn(f32) -> f32) {
    map(a, out, |a| f(f32::from_bits(a)).to_bits());
}

/// Sets `out[i] = f(a[i], b[i])`.
#[inline(always)]
pub(crate) fn map2(a: &[u32], b: &[u32], out: &mut [u32], f: impl Fn(u32, u32) -> u32) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

/// Sets `out[i] = f(a[i], b[i])`, on floats.
#[inline(always)]
pub(crate) fn map2_f32(a: &[u32], b: &[u32], out: &mut [u32], f: impl Fn(f32, f32) -> f32) {
    map2(a, b, out, |a, b| f(f32::from_bits(a), f32::from_bits(b)).to_bits());
}

/// Returns the mask of the lanes below `count` that pass `test`.
///
/// Lanes come in halves of 32, because shifts of 64 bits are slow on a 32-bit core.
#[inline(always)]
pub(crate) fn lanes_where(count: usize, test: impl Fn(usize) -> bool) -> Mask {
    let mut halves = [0u32; 2];
    for (half, bits) in halves.iter_mut().enumerate() {
        for lane in 0..count.saturating_sub(32 * half).min(32) {
            *bits |= u32::from(test(32 * half + lane)) << lane;
        }
    }
    Mask::from(halves[0]) | Mask::from(halves[1]) << 32
}

/// Calls `visit` for each lane of `mask` below `count`, in order.
#[inline(always)]
pub(crate) fn each_lane(mask: Mask, count: usize, mut visit: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        if lane >= count {
            return;
        }
        visit(lane);
        rest &= rest - 1;
    }
}

/// Returns true if `mask` has `lane`.
#[inline(always)]
pub(crate) fn has_lane(mask: Mask, lane: usize) -> bool {
    mask >> lane & 1 != 0
}

/// Copies the lanes of `mask` from `src` to `dst`.
pub(crate) fn select(mask: Mask, src: &[u32], dst: &mut [u32]) {
    each_lane(mask, src.len().min(dst.len()), |lane| set_lane(dst, lane, lane_of(src, lane)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_a_lane() {
        assert_eq!(lanes_where(4, |lane| lane == 2), 0b0100);
        assert_eq!(lanes_where(64, |lane| lane % 63 == 0), 1 << 63 | 1);
        let mut seen = 0;
        each_lane(0b1010_0001, 6, |lane| seen |= 1 << lane);
        assert_eq!(seen, 0b0010_0001, "lanes from 6 on are not there");
    }
}
