//! `f32` arithmetic in integers, for cores without an FPU: the results of IEEE 754, bit for bit.
//!
//! The compiler's own routines are written for size. Here finite operands of ordinary size take a
//! path without calls. [`soft_floats!`](crate::soft_floats) makes a firmware use them.

#[cfg(all(
    target_os = "none",
    target_arch = "arm",
    target_abi = "eabi",
    not(target_has_atomic = "ptr")
))]
pub mod armv6m;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
/// The bits of a mantissa that are stored.
const STORED: u32 = 0x7f_ffff;
/// The bit of a mantissa that is not stored.
const HIDDEN: u32 = 1 << 23;

/// True for Cortex-M0 and M0+, which neither multiply to 64 bits nor divide.
const ARMV6M: bool = cfg!(all(target_arch = "arm", not(target_has_atomic = "ptr")));

/// True if the core counts leading zeros in one instruction.
const COUNTS_ZEROS: bool = !ARMV6M && cfg!(not(target_arch = "riscv32"));

/// Shifts a number left until its highest bit is set; returns the number of bits that it moved. 0
/// moves 31 bits.
#[inline(always)]
fn raised(number: u32) -> (u32, u32) {
    let (mut number, mut moved) = (number | u32::from(number == 0), 0u32);
    if COUNTS_ZEROS {
        moved = number.leading_zeros();
        return (number << (moved & 31), moved);
    }
    if number >> 16 == 0 {
        number <<= 16;
        moved = 16;
    }
    if number >> 24 == 0 {
        number <<= 8;
        moved = moved.wrapping_add(8);
    }
    while number < SIGN {
        number <<= 1;
        moved = moved.wrapping_add(1);
    }
    (number, moved)
}

/// Rounds a mantissa with 8 bits more than are stored and its highest bit set. `exponent` is the
/// biased exponent, from 1 to 254; a carry out of the mantissa raises it.
#[inline(always)]
fn rounded(sign: u32, exponent: i32, mantissa: u32) -> u32 {
    // The mantissa's highest bit adds 1 to the exponent.
    let base = sign | (exponent.wrapping_sub(1) as u32) << 23;
    let result = base.wrapping_add(mantissa >> 8).wrapping_add(mantissa >> 7 & 1);
    // A tie was rounded up; of the two neighbours, the even one is right.
    if mantissa << 24 == SIGN { result & !1 } else { result }
}

/// Rounds as [`rounded`], for an exponent that may be beyond its range on either side.
#[cold]
#[inline(never)]
fn rounded_far(sign: u32, exponent: i32, mantissa: u32) -> u32 {
    if exponent >= 255 {
        return sign | INFINITY;
    }
    if exponent >= 1 {
        return rounded(sign, exponent, mantissa);
    }
    // Subnormal: the mantissa moves right, and the bits that drop out leave a mark.
    let shift = 1i32.wrapping_sub(exponent).min(31) as u32;
    let kept = mantissa >> shift;
    let mantissa = kept | u32::from(kept << shift != mantissa);
    let result = (mantissa >> 8).wrapping_add(mantissa >> 7 & 1);
    sign | if mantissa << 24 == SIGN { result & !1 } else { result }
}

/// Returns the even one of two neighbours if a result was a tie and was rounded up. `bit` is the
/// highest bit below the result's; `rest` is not 0 if a lower one is set.
#[cold]
#[inline(never)]
fn to_even(result: u32, bit: u32, rest: u32) -> u32 {
    if bit != 0 && rest == 0 { result & !1 } else { result }
}

/// Returns `a * b`; both are bits of an `f32`. The sign and payload of a NaN are not specified.
#[inline(always)]
pub fn multiply(a: u32, b: u32) -> u32 {
    // Sign and exponent.
    let (a_head, b_head) = (a >> 23, b >> 23);
    let (a_exponent, b_exponent) = ((a_head & 255).wrapping_sub(1), (b_head & 255).wrapping_sub(1));
    if a_exponent >= 254
        || b_exponent >= 254
        || a_exponent.wrapping_add(b_exponent).wrapping_sub(126) > 252
    {
        return multiply_special(a, b);
    }
    // The mantissa adds 1 to the exponent.
    let head = a_head.wrapping_add(b_head).wrapping_sub(127) << 23;
    let (high, low) = whole(a << 8 | SIGN, b << 8 | SIGN);
    // The lower bits matter only if the bits next to the rounded ones are 0.
    if high >= SIGN {
        return rounded_at::<8>(head, high, low);
    }
    rounded_at::<7>(head.wrapping_sub(HIDDEN), high, low)
}

/// Returns the two words of a product.
#[inline(always)]
fn whole(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a).wrapping_mul(b.into());
    ((product >> 32) as u32, product as u32)
}

/// Returns the rounded product of two mantissas of 24 bits with a biased exponent.
fn product(sign: u32, exponent: i32, [a, b]: [u32; 2]) -> u32 {
    let (high, low) = whole(a << 8, b << 8);
    let mut mantissa = high | u32::from(low != 0);
    let mut exponent = exponent.wrapping_add(1);
    if mantissa < SIGN {
        mantissa <<= 1;
        exponent = exponent.wrapping_sub(1);
    }
    rounded_far(sign, exponent, mantissa)
}

/// Splits a finite number that is not 0 into a biased exponent, below 1 for subnormal numbers, and a
/// mantissa of 24 bits.
#[inline(always)]
fn normal(bits: u32) -> (i32, u32) {
    match bits >> 23 & 255 {
        0 => {
            let (mantissa, moved) = raised(bits & !SIGN);
            (9i32.wrapping_sub(moved as i32), mantissa >> 8)
        }
        exponent => (exponent as i32, bits & STORED | HIDDEN),
    }
}

/// Returns [`multiply`] of numbers among which are zeros, subnormal numbers, infinities or NaN.
#[cold]
#[inline(never)]
fn multiply_special(a: u32, b: u32) -> u32 {
    let (sign, a, b) = ((a ^ b) & SIGN, a & !SIGN, b & !SIGN);
    if a > INFINITY || b > INFINITY {
        return NAN;
    }
    if a == 0 || b == 0 {
        return if a == INFINITY || b == INFINITY { NAN } else { sign };
    }
    if a == INFINITY || b == INFINITY {
        return sign | INFINITY;
    }
    let ((a_exponent, a), (b_exponent, b)) = (normal(a), normal(b));
    product(sign, a_exponent.wrapping_add(b_exponent).wrapping_sub(127), [a, b])
}

/// Returns `a / b`; both are bits of an `f32`. The sign and payload of a NaN are not specified.
///
/// It divides words, so it is slow on cores without a division.
#[inline(always)]
pub fn divide(a: u32, b: u32) -> u32 {
    let (a_exponent, b_exponent) = (a >> 23 & 255, b >> 23 & 255);
    if a_exponent.wrapping_sub(1) >= 254 || b_exponent.wrapping_sub(1) >= 254 {
        return divide_special(a, b);
    }
    let exponent = (a_exponent as i32).wrapping_sub(b_exponent as i32);
    quotient((a ^ b) & SIGN, exponent, [a & STORED | HIDDEN, b & STORED | HIDDEN])
}

/// Returns the rounded quotient of two mantissas of 24 bits; `exponent` is without bias.
#[inline(always)]
fn quotient(sign: u32, exponent: i32, [a, b]: [u32; 2]) -> u32 {
    // 1 to below 2 over `b`, 31 bits after the point: the first digit, then 8, 8, 8 and 7 bits.
    let (less, a) = if a < b { (1, a << 1) } else { (0, a) };
    let mut rest = a.wrapping_sub(b);
    let mut mantissa = 1;
    for bits in [8, 8, 8, 7] {
        // `b` is at least 2²³.
        let digit = (rest << bits).checked_div(b).unwrap_or(0);
        rest = (rest << bits).wrapping_sub(digit.wrapping_mul(b));
        mantissa = mantissa << bits | digit;
    }
    let mantissa = mantissa | u32::from(rest != 0);
    let exponent = exponent.wrapping_add(127).wrapping_sub(less);
    if (exponent.wrapping_sub(1) as u32) < 254 {
        return rounded(sign, exponent, mantissa);
    }
    rounded_far(sign, exponent, mantissa)
}

/// Returns [`divide`] of numbers among which are zeros, subnormal numbers, infinities or NaN.
#[cold]
#[inline(never)]
fn divide_special(a: u32, b: u32) -> u32 {
    let (sign, a, b) = ((a ^ b) & SIGN, a & !SIGN, b & !SIGN);
    if a > INFINITY || b > INFINITY || a == b && (a == 0 || a == INFINITY) {
        return NAN;
    }
    if a == INFINITY || b == 0 {
        return sign | INFINITY;
    }
    if a == 0 || b == INFINITY {
        return sign;
    }
    let ((a_exponent, a), (b_exponent, b)) = (normal(a), normal(b));
    quotient(sign, a_exponent.wrapping_sub(b_exponent), [a, b])
}

/// Returns `a + b`; both are bits of an `f32`. The sign and payload of a NaN are not specified.
#[inline(always)]
pub fn add(a: u32, b: u32) -> u32 {
    let (a, b) = if a << 1 < b << 1 { (b, a) } else { (a, b) };
    let (a_exponent, b_exponent) = (a >> 23 & 255, b >> 23 & 255);
    // With such exponents no difference is subnormal, and no sum infinite.
    if b_exponent <= 32 || a_exponent >= 254 {
        return add_special(a, b);
    }
    let apart = a_exponent.wrapping_sub(b_exponent);
    if apart >= 26 {
        return a;
    }
    // 7 bits below the mantissa and one above it are free. The highest bit of `a` is not in its
    // mantissa: it belongs to the exponent.
    let b_mantissa = (b << 8 | SIGN) >> 1;
    let kept = b_mantissa >> apart;
    let lost = kept << apart ^ b_mantissa;
    let (head, fraction) = (a >> 23, a << 9 >> 2);
    if (a ^ b) < SIGN {
        let sum = fraction.wrapping_add(kept);
        if sum < 1 << 30 {
            return rounded_at::<7>(head << 23, sum, lost);
        }
        return rounded_at::<8>((head << 23).wrapping_add(1 << 22), sum, lost);
    }
    // The lost bits borrow 1.
    let difference = fraction.wrapping_sub(kept).wrapping_sub(u32::from(lost != 0));
    if difference < SIGN {
        return rounded_at::<7>(head << 23, difference, lost);
    }
    let difference = difference.wrapping_add(1 << 30);
    if difference == 0 {
        return 0;
    }
    let (mantissa, moved) = raised(difference);
    rounded_at::<8>(head.wrapping_sub(moved) << 23, mantissa, lost)
}

/// Adds a mantissa with `BITS` more bits than are stored to sign and exponent, and rounds it.
/// `lost` is not 0 if bits below the mantissa's are set.
#[inline(always)]
fn rounded_at<const BITS: u32>(head: u32, mantissa: u32, lost: u32) -> u32 {
    let last = BITS.wrapping_sub(1);
    let half = 1u32 << last;
    let (bit, below) = (mantissa & half, half.wrapping_sub(1));
    let result = head.wrapping_add(mantissa >> BITS).wrapping_add(bit >> last);
    if mantissa & below == 0 { to_even(result, bit, lost) } else { result }
}

/// Returns `a - b`; both are bits of an `f32`. The sign and payload of a NaN are not specified.
#[inline(always)]
pub fn subtract(a: u32, b: u32) -> u32 {
    add(a, b ^ SIGN)
}

/// Returns [`add`] of `a` and a `b` that is not greater in magnitude.
#[cold]
#[inline(never)]
fn add_special(a: u32, b: u32) -> u32 {
    let (a_size, b_size) = (a & !SIGN, b & !SIGN);
    if a_size >= INFINITY {
        let is_nan = a_size > INFINITY || (b_size == INFINITY && a != b);
        return if is_nan { NAN } else { a };
    }
    if b_size == 0 {
        // Two zeros have the sign that both have.
        return if a_size == 0 { a & b } else { a };
    }
    // A subnormal number has the exponent of the least normal ones.
    let [a_exponent, b_exponent] = [a_size, b_size].map(|size| (size >> 23).max(1));
    let apart = a_exponent.wrapping_sub(b_exponent);
    if apart >= 31 {
        return a;
    }
    let [a_mantissa, b_mantissa] = [a_size, b_size].map(|size| {
        let hidden = if size < HIDDEN { 0 } else { HIDDEN };
        (size & STORED | hidden) << 6
    });
    let kept = b_mantissa >> apart;
    let b_mantissa = kept | u32::from(kept << apart != b_mantissa);
    let sum = if (a ^ b) < SIGN {
        a_mantissa.wrapping_add(b_mantissa)
    } else {
        a_mantissa.wrapping_sub(b_mantissa)
    };
    if sum == 0 {
        return 0;
    }
    let (mantissa, moved) = raised(sum);
    let exponent = (a_exponent as i32).wrapping_add(2).wrapping_sub(moved as i32);
    rounded_far(a & SIGN, exponent, mantissa)
}

/// Returns the bits of `number`, which has a sign, as an `f32`.
#[inline(always)]
pub fn from_i32(number: u32) -> u32 {
    let number = number as i32;
    number as u32 & SIGN | from_u32(number.unsigned_abs())
}

/// Returns the bits of `number` as an `f32`.
#[inline(always)]
pub fn from_u32(number: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    let (mantissa, moved) = raised(number);
    rounded(0, 158i32.wrapping_sub(moved as i32), mantissa)
}

/// Defines the compiler's float routines with this crate's: sums, differences and products of `f32`,
/// conversions of integers, and quotients if the core divides.
///
/// On Cortex-M0 and M0+ they are in assembler, and products of 64 bits and quotients of words come
/// with them.
///
/// Write it once in a firmware for a core without an FPU, unless another crate defines them, as
/// rp2040-hal does with the routines of the chip's boot ROM. On other targets it does nothing.
/// Pixels do not change.
#[macro_export]
macro_rules! soft_floats {
    () => {
        #[cfg(all(
            target_os = "none", target_arch = "arm", target_abi = "eabi", not(target_has_atomic = "ptr")
        ))]
        $crate::soft_floats_armv6m!();
        #[cfg(all(
            target_os = "none", target_arch = "arm", target_abi = "eabi", target_has_atomic = "ptr"
        ))]
        $crate::soft_floats!(
            __aeabi_fadd add(a, b), __aeabi_fsub subtract(a, b), __aeabi_fmul multiply(a, b),
            __aeabi_fdiv divide(a, b), __aeabi_i2f from_i32(a), __aeabi_ui2f from_u32(a),
        );
        #[cfg(all(target_os = "none", target_arch = "riscv32", not(target_feature = "f")))]
        $crate::soft_floats!(
            __addsf3 add(a, b), __subsf3 subtract(a, b), __mulsf3 multiply(a, b),
            __divsf3 divide(a, b), __floatsisf from_i32(a), __floatunsisf from_u32(a),
        );
    };
    ($($name:ident $function:ident($($operand:ident),+),)+) => {$(
        const _: () = {
            // SAFETY: the compiler calls this name for the operation that it computes, and passes
            // an `f32` as an integer of 32 bits on these targets.
            #[allow(unsafe_code, reason = "the compiler calls these names")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($operand: u32),+) -> u32 {
                $crate::math::soft::$function($($operand),+)
            }
        };
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Numbers at both ends of the range, near powers of two, and spread over all bit patterns.
    fn numbers() -> Vec<f32> {
        let ends =
            [0, 1, 2, 3, STORED - 1, STORED, HIDDEN, HIDDEN + 1, INFINITY - 1, INFINITY, NAN];
        let near = (0..255u32).step_by(3).flat_map(|exponent| {
            [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, STORED - 1, STORED]
                .map(|mantissa| exponent << 23 | mantissa)
        });
        let spread = (0..900u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 1);
        // Numbers of like size, so that sums cancel.
        let alike = (0..300u32).map(|i| 0x3f00_0000 + i.wrapping_mul(0x9e37_79b9) % 0x180_0000);
        let all = ends.into_iter().chain(near).chain(spread).chain(alike);
        all.flat_map(|bits| [bits, bits | SIGN].map(f32::from_bits)).collect()
    }

    #[track_caller]
    fn same(what: &str, [a, b]: [f32; 2], ours: u32, expected: f32) {
        let equal =
            ours == expected.to_bits() || f32::from_bits(ours).is_nan() && expected.is_nan();
        assert!(equal, "{a:e} {what} {b:e}: {ours:#x}, expected {:#x}", expected.to_bits());
    }

    #[test]
    fn sums_and_products_are_those_of_the_processor() {
        let numbers = numbers();
        for &a in &numbers {
            for &b in &numbers {
                same("+", [a, b], add(a.to_bits(), b.to_bits()), a + b);
                same("-", [a, b], subtract(a.to_bits(), b.to_bits()), a - b);
                same("/", [a, b], divide(a.to_bits(), b.to_bits()), a / b);
                same("*", [a, b], multiply(a.to_bits(), b.to_bits()), a * b);
            }
        }
    }

    #[test]
    fn integers_become_floats_as_on_the_processor() {
        let near = (0..32)
            .flat_map(|bit| (-3..4).map(move |step| ((1i64 << bit) as i32).wrapping_add(step)));
        let spread = (0..100_000u32).map(|i| i.wrapping_mul(0x9e37_79b9) as i32);
        for number in near.chain(spread).chain([i32::MIN, i32::MIN + 1, i32::MAX]) {
            same("", [number as f32; 2], from_i32(number as u32), number as f32);
            same("", [number as f32; 2], from_u32(number as u32), number as u32 as f32);
        }
    }
}
