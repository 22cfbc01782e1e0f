//! Division by w, once a pixel in perspective.

/// Returns `2⁵⁶ / w` for w in Q2.30 from 1/16 to 1, good to 2⁻²⁶: an integer division and a Newton
/// step.
#[inline(always)]
pub(super) fn reciprocal(w: i32) -> i32 {
    // 2⁴⁴ / w within 2⁻¹⁴ of itself. The lowest bit keeps the divisor from being 0 and is below the
    // precision.
    let rough = u32::MAX / ((w >> 12) as u32 | 1);
    // rough * w - 2⁴⁴ is below 2³¹, so it is the low word.
    let error = rough.wrapping_mul(w as u32) as i32;
    ((rough << 12) as i32).wrapping_sub(high(rough as i32, error))
}

/// Returns the upper word of a product.
#[inline(always)]
pub(super) fn high(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

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
