//! Division by w, once per pixel in perspective.

use crate::features::ARMV6M;

/// Returns `2⁵⁶ / w` for w in Q2.30 from 1/16 to 1, accurate to 2⁻²⁶: an integer division and a
/// Newton step.
#[inline(always)]
pub(super) fn reciprocal(w: i32) -> i32 {
    // 2⁴⁴ / w with a relative error of 2⁻¹⁴. The lowest bit keeps the divisor from being 0 and is
    // below the precision.
    let rough = u32::MAX / ((w >> 12) as u32 | 1);
    // rough * w - 2⁴⁴ is below 2³¹, so it is the low word.
    let error = rough.wrapping_mul(w as u32) as i32;
    ((rough << 12) as i32).wrapping_sub(high(rough as i32, error))
}

/// Exact quotients of one dividend by slowly changing divisors, for processors without a division.
/// Each quotient is found from the two before by a few subtractions.
pub(super) struct Quotient {
    dividend: u32,
    last: u32,
    step: u32,
}

impl Quotient {
    /// Prepares for the first two divisors: `divisor`, the first argument of [`of`](Self::of), and
    /// `next`. Neither may be 0.
    #[inline(always)]
    pub(super) fn new(dividend: u32, divisor: u32, next: u32) -> Quotient {
        let first = dividend / divisor;
        let step = (dividend / next).wrapping_sub(first);
        Quotient { dividend, last: first.wrapping_sub(step), step }
    }

    /// Returns the dividend over a divisor below 2²⁰, which must be near the divisor before and not
    /// 0. The number of its steps is the difference between the quotient's change and the change
    /// before.
    #[inline(always)]
    pub(super) fn of(&mut self, divisor: u32) -> u32 {
        let mut quotient = self.last.wrapping_add(self.step);
        // The word is the remainder: it is exact if the estimate is good.
        let mut rest = self.dividend.wrapping_sub(quotient.wrapping_mul(divisor)) as i32;
        while rest < 0 {
            rest = rest.wrapping_add(divisor as i32);
            quotient = quotient.wrapping_sub(1);
        }
        while rest >= divisor as i32 {
            rest = rest.wrapping_sub(divisor as i32);
            quotient = quotient.wrapping_add(1);
        }
        self.step = quotient.wrapping_sub(self.last);
        self.last = quotient;
        quotient
    }
}

/// Returns the upper word of a product.
#[inline(always)]
pub(super) fn high(a: i32, b: i32) -> i32 {
    // A 64-bit multiplication is a call there, and takes three times as long.
    if ARMV6M { high_by_halves(a, b) } else { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
}

/// Returns [`high`] of two factors with a product below 2⁴⁷.
#[inline(always)]
pub(super) fn high_short(a: i32, b: i32) -> i32 {
    if ARMV6M { high_short_by_halves(a, b) } else { high(a, b) }
}

/// Computes [`high_short`] with three products of 32 bits.
#[inline(always)]
fn high_short_by_halves(a: i32, b: i32) -> i32 {
    let (a_low, b_low, b_high) = (a as u32 & 0xffff, b as u32 & 0xffff, (b >> 16) as u32);
    // The product with a's lower half, without its 16 low bits.
    let low = (a_low.wrapping_mul(b_low) >> 16).wrapping_add(a_low.wrapping_mul(b_high));
    (a >> 16).wrapping_mul(b).wrapping_add(low as i32) >> 16
}

/// Computes [`high`] with four products of 16 bits.
#[inline(always)]
fn high_by_halves(a: i32, b: i32) -> i32 {
    let ([a_high, a_low], [b_high, b_low]) = ([a >> 16, a & 0xffff], [b >> 16, b & 0xffff]);
    let low = (a_low as u32).wrapping_mul(b_low as u32) >> 16;
    // Both sums fit in 32 bits: |a_high| is at most 2¹⁵, and b_low and low are below 2¹⁶.
    let middle = a_high.wrapping_mul(b_low).wrapping_add(low as i32);
    let other = a_low.wrapping_mul(b_high).wrapping_add(middle & 0xffff);
    a_high.wrapping_mul(b_high).wrapping_add(middle >> 16).wrapping_add(other >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_give_the_upper_word() {
        let corners = [0, 1, -1, 0xffff, -0xffff, 0x1_0000, -0x1_0000, i32::MAX, i32::MIN];
        let spread = (0..500u32).map(|i| i.wrapping_mul(0x9e37_79b9) as i32);
        let numbers: std::vec::Vec<i32> = corners.into_iter().chain(spread).collect();
        for &a in &numbers {
            for &b in &numbers {
                let exact = (i64::from(a) * i64::from(b)) >> 32;
                assert_eq!(i64::from(high_by_halves(a, b)), exact, "{a} {b}");
                let (a, b) = (a >> 2, (b >> 14).abs());
                let exact = (i64::from(a) * i64::from(b)) >> 32;
                assert_eq!(i64::from(high_short_by_halves(a, b)), exact, "{a} {b}");
            }
        }
    }

    #[test]
    fn reciprocals_are_good_to_twenty_six_bits() {
        let mut w = 1i64 << 30;
        while w >= 1 << 26 {
            let exact = (1u64 << 56) as f64 / w as f64;
            let error = (f64::from(reciprocal(w as i32)) - exact).abs() / exact;
            assert!(error < 1.0 / f64::from(1 << 26), "{w:#x}: {error:e}");
            w = w * 4093 / 4096 - 7;
        }
    }
}
