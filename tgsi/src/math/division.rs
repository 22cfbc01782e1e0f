//! Quotients and remainders of integers.
//!
//! Vector units have no integer division. Where doubles are fast, quotients are computed in
//! doubles, which gives the same integers: the exact quotient of two 32-bit integers is an integer
//! or at least 1/b away from one, and a double rounds it by less than that.

/// Targets of 64 bits have vectors of doubles.
const DOUBLES: bool = cfg!(target_pointer_width = "64");

/// Returns ⌊a / b⌋. `b` must not be 0.
#[inline(always)]
fn quotient(a: u32, b: u32) -> u32 {
    if !DOUBLES {
        return a / b;
    }
    // The sum has no bits for a fraction, so it is rounded to an integer, which its low bits hold.
    const NO_FRACTION: f64 = (1u64 << 52) as f64;
    let (dividend, divisor) = (f64::from(a), f64::from(b));
    let nearest = (dividend / divisor + NO_FRACTION) - NO_FRACTION;
    let floor = if nearest * divisor > dividend { nearest - 1.0 } else { nearest };
    (floor + NO_FRACTION).to_bits() as u32
}

/// Returns a / b rounded toward zero, modulo 2³². `b` must not be 0.
#[inline(always)]
fn signed_quotient(a: i32, b: i32) -> u32 {
    if !DOUBLES {
        return a.wrapping_div(b) as u32;
    }
    let sign = ((a ^ b) >> 31) as u32;
    (quotient(a.unsigned_abs(), b.unsigned_abs()) ^ sign).wrapping_sub(sign)
}

/// Returns the unsigned quotient; all bits for a division by 0.
#[inline(always)]
pub fn udiv(a: u32, b: u32) -> u32 {
    if b == 0 { !0 } else { quotient(a, b) }
}

/// Returns the unsigned remainder; all bits for a division by 0.
#[inline(always)]
pub fn umod(a: u32, b: u32) -> u32 {
    if b == 0 { !0 } else { a.wrapping_sub(quotient(a, b).wrapping_mul(b)) }
}

/// Returns the signed quotient, rounded toward zero; 0 for a division by 0.
#[inline(always)]
pub fn idiv(a: u32, b: u32) -> u32 {
    if b == 0 { 0 } else { signed_quotient(a as i32, b as i32) }
}

/// Returns the signed remainder, with the sign of `a`; all bits for a division by 0.
#[inline(always)]
pub fn imod(a: u32, b: u32) -> u32 {
    if b == 0 { !0 } else { a.wrapping_sub(signed_quotient(a as i32, b as i32).wrapping_mul(b)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;

    fn check(a: u32, b: u32) {
        let (x, y) = (a as i32, b as i32);
        let (signed, rest) = match y {
            0 => (0, -1),
            _ => (x.wrapping_div(y), x.wrapping_rem(y)),
        };
        let words = [udiv(a, b), umod(a, b), idiv(a, b), imod(a, b)];
        let unsigned = [a.checked_div(b).unwrap_or(!0), a.checked_rem(b).unwrap_or(!0)];
        assert_eq!(words, [unsigned[0], unsigned[1], signed as u32, rest as u32], "{a} / {b}");
    }

    #[test]
    fn divisions_are_exact() {
        let power_of_two = |power: u32| (1u64 << power) as u32;
        let edges = (0..=32).flat_map(|power| {
            (0..5).map(move |i| power_of_two(power).wrapping_add(i).wrapping_sub(2))
        });
        let edges = edges.collect::<std::vec::Vec<_>>();
        for &a in &edges {
            for &b in &edges {
                check(a, b);
                // Multiples and their neighbours, where rounding would show.
                for i in 0..3u32 {
                    check(a.wrapping_mul(b).wrapping_add(i).wrapping_sub(1), b);
                }
            }
        }
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.rotate_left(16)
        };
        for turn in 0..1_000_000 {
            let (a, b) = (next(), next() >> (turn % 32));
            check(a, b);
            check((a >> (turn % 31)).wrapping_mul(b).wrapping_sub(turn & 1), b);
        }
    }
}
