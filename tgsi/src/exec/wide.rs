//! 64-bit arithmetic: doubles and long integers, two rows per value.
//!
//! Doubles are Rust's `f64`. Cores without a unit for them compute in software, with the same bits.

use super::lanes::Lanes;
use super::program::{Row, Wide};

/// The operation of a `Wide` op. 32-bit operands and results are in the low word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum WideCode {
    /// a + b.
    DoubleAdd,
    /// a · b.
    DoubleMul,
    /// a / b.
    DoubleDiv,
    /// a · b + c, two roundings.
    DoubleMad,
    /// a · b + c, one rounding.
    DoubleFma,
    /// The smaller; if one is a NaN, the other.
    DoubleMin,
    /// The larger; if one is a NaN, the other.
    DoubleMax,
    /// Magnitude.
    DoubleAbs,
    /// Sign changed.
    DoubleNeg,
    /// 1 / a.
    DoubleRcp,
    /// √a.
    DoubleSqrt,
    /// 1 / √a.
    DoubleRsq,
    /// a - floor(a).
    DoubleFract,
    /// Largest whole number not above.
    DoubleFloor,
    /// Smallest whole number not below.
    DoubleCeil,
    /// Fraction dropped.
    DoubleTrunc,
    /// Nearest whole number, ties to even.
    DoubleRound,
    /// -1.0, 0.0 or 1.0.
    DoubleSign,
    /// Limited to 0 to 1; NaN becomes 0.
    DoubleSaturate,
    /// 32 ones where a < b.
    DoubleLess,
    /// 32 ones where a ≥ b.
    DoubleGreaterEqual,
    /// 32 ones where a = b.
    DoubleEqual,
    /// 32 ones where a ≠ b.
    DoubleNotEqual,
    /// a · 2^b, with a signed 32-bit b.
    DoubleLdexp,
    /// The significand of a, from 0.5 up to 1.
    DoubleSignificand,
    /// The exponent that belongs to this significand, 32 bits.
    DoubleExponent,
    /// Float to double.
    DoubleFromFloat,
    /// Signed to double.
    DoubleFromInt,
    /// Unsigned to double.
    DoubleFromUint,
    /// Signed 64 bits to double.
    DoubleFromInt64,
    /// Unsigned 64 bits to double.
    DoubleFromUint64,
    /// Double to float.
    FloatFromDouble,
    /// Double to signed; 0x80000000 for NaN and values out of range.
    IntFromDouble,
    /// The low word of the double as a signed integer of 64 bits; 0 for NaN.
    UintFromDouble,
    /// Double to signed 64 bits; the least for NaN and values out of range.
    Int64FromDouble,
    /// Double to unsigned 64 bits, limited; 0 for NaN.
    Uint64FromDouble,
    /// Float to signed 64 bits; the least for NaN and values out of range.
    Int64FromFloat,
    /// Float to unsigned 64 bits, limited; 0 for NaN.
    Uint64FromFloat,
    /// Signed to signed 64 bits.
    Int64FromInt,
    /// Unsigned to 64 bits.
    Uint64FromUint,
    /// Signed 64 bits to float.
    FloatFromInt64,
    /// Unsigned 64 bits to float.
    FloatFromUint64,
    /// Sum modulo 2⁶⁴.
    Add,
    /// Product modulo 2⁶⁴.
    Mul,
    /// Negation.
    Neg,
    /// Magnitude of a signed integer.
    Abs,
    /// -1, 0 or 1.
    Sign,
    /// The smaller, signed.
    SignedMin,
    /// The smaller, unsigned.
    UnsignedMin,
    /// The larger, signed.
    SignedMax,
    /// The larger, unsigned.
    UnsignedMax,
    /// Signed quotient; 0 for a division by 0.
    SignedDiv,
    /// Unsigned quotient; all bits for a division by 0.
    UnsignedDiv,
    /// Signed remainder; all bits for a division by 0.
    SignedMod,
    /// Unsigned remainder; all bits for a division by 0.
    UnsignedMod,
    /// Shift left by b modulo 64.
    ShiftLeft,
    /// Shift right with sign by b modulo 64.
    SignedShiftRight,
    /// Shift right by b modulo 64.
    UnsignedShiftRight,
    /// 32 ones where equal.
    Equal,
    /// 32 ones where different.
    NotEqual,
    /// 32 ones where a < b, signed.
    SignedLess,
    /// 32 ones where a < b, unsigned.
    UnsignedLess,
    /// 32 ones where a ≥ b, signed.
    SignedGreaterEqual,
    /// 32 ones where a ≥ b, unsigned.
    UnsignedGreaterEqual,
}

/// Returns 32 ones or none.
const fn mask(condition: bool) -> u64 {
    if condition { u32::MAX as u64 } else { 0 }
}

/// Returns the smaller of two; the other if one is a NaN. -0 is below +0.
fn min(a: f64, b: f64) -> f64 {
    let smaller = if a < b { a } else { b };
    let smaller = if a == b { f64::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    if b.is_nan() { a } else { smaller }
}

/// Returns the larger of two; the other if one is a NaN. +0 is above -0.
fn max(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    let larger = if a == b { f64::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    if b.is_nan() { a } else { larger }
}

fn sign(x: f64) -> f64 {
    let positive = if x > 0.0 { 1.0 } else { 0.0 };
    if x < 0.0 { -1.0 } else { positive }
}

/// Returns the significand, from 0.5 up to 1, and the exponent. Returns 0, infinity and NaN
/// unchanged, with exponent 0.
fn parts(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() { (x, 0) } else { libm::frexp(x) }
}

/// Converts towards 0; returns the least value for NaN and values out of range.
fn to_i64(x: f64) -> i64 {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x);
    if fits { x as i64 } else { i64::MIN }
}

impl WideCode {
    /// Returns the result for one lane.
    pub fn evaluate(self, a: u64, b: u64, c: u64) -> u64 {
        use WideCode::*;
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let (float, word) = (f32::from_bits(a as u32), a as u32);
        let (i, j) = (a as i64, b as i64);
        let double = match self {
            DoubleAdd => x + y,
            DoubleMul => x * y,
            DoubleDiv => x / y,
            DoubleMad => x * y + z,
            DoubleFma => libm::fma(x, y, z),
            DoubleMin => min(x, y),
            DoubleMax => max(x, y),
            DoubleAbs => f64::from_bits(a & !(1 << 63)),
            DoubleNeg => f64::from_bits(a ^ 1 << 63),
            DoubleRcp => 1.0 / x,
            DoubleSqrt => libm::sqrt(x),
            DoubleRsq => 1.0 / libm::sqrt(x),
            DoubleFract => x - libm::floor(x),
            DoubleFloor => libm::floor(x),
            DoubleCeil => libm::ceil(x),
            DoubleTrunc => libm::trunc(x),
            DoubleRound => libm::rint(x),
            DoubleSign => sign(x),
            // 0.0 + -0.0 is 0.0.
            DoubleSaturate => min(max(x, 0.0), 1.0) + 0.0,
            DoubleLdexp => libm::ldexp(x, b as i32),
            DoubleSignificand => parts(x).0,
            DoubleFromFloat => float.into(),
            DoubleFromInt => (word as i32).into(),
            DoubleFromUint => word.into(),
            DoubleFromInt64 => i as f64,
            DoubleFromUint64 => a as f64,
            _ => return self.evaluate_integer([a, b], [i, j], [x, y], float),
        };
        double.to_bits()
    }

    /// Computes the results that are not doubles.
    fn evaluate_integer(
        self,
        [a, b]: [u64; 2],
        [i, j]: [i64; 2],
        [x, y]: [f64; 2],
        float: f32,
    ) -> u64 {
        use WideCode::*;
        let word = a as u32;
        let signed = match self {
            DoubleLess => return mask(x < y),
            DoubleGreaterEqual => return mask(x >= y),
            DoubleEqual => return mask(x == y),
            DoubleNotEqual => return mask(x != y),
            DoubleExponent => parts(x).1.into(),
            FloatFromDouble => return (x as f32).to_bits().into(),
            FloatFromInt64 => return (i as f32).to_bits().into(),
            FloatFromUint64 => return (a as f32).to_bits().into(),
            IntFromDouble => match libm::trunc(x) {
                whole if (-2_147_483_648.0..2_147_483_648.0).contains(&whole) => {
                    (whole as i32).into()
                }
                _ => i32::MIN.into(),
            },
            UintFromDouble => to_i64(x) & 0xFFFF_FFFF,
            Int64FromDouble => to_i64(x),
            Uint64FromDouble => return x as u64,
            Int64FromFloat => to_i64(float.into()),
            Uint64FromFloat => return float as u64,
            Int64FromInt => (word as i32).into(),
            Uint64FromUint => word.into(),
            Add => i.wrapping_add(j),
            Mul => i.wrapping_mul(j),
            Neg => i.wrapping_neg(),
            Abs => i.wrapping_abs(),
            Sign => i.signum(),
            SignedMin => i.min(j),
            UnsignedMin => return a.min(b),
            SignedMax => i.max(j),
            UnsignedMax => return a.max(b),
            SignedDiv => {
                if j == 0 {
                    0
                } else {
                    i.wrapping_div(j)
                }
            }
            UnsignedDiv => return a.checked_div(b).unwrap_or(!0),
            SignedMod => {
                if j == 0 {
                    -1
                } else {
                    i.wrapping_rem(j)
                }
            }
            UnsignedMod => return a.checked_rem(b).unwrap_or(!0),
            ShiftLeft => i.wrapping_shl(b as u32),
            SignedShiftRight => i.wrapping_shr(b as u32),
            UnsignedShiftRight => return a.wrapping_shr(b as u32),
            Equal => return mask(a == b),
            NotEqual => return mask(a != b),
            SignedLess => return mask(i < j),
            UnsignedLess => return mask(a < b),
            SignedGreaterEqual => return mask(i >= j),
            UnsignedGreaterEqual => return mask(a >= b),
            // `evaluate` computes the remaining codes.
            _ => 0,
        };
        signed as u64
    }
}

/// Executes the arithmetic of an op. `None`: the table names rows that do not exist.
pub(super) fn wide<R: Lanes>(wide: &Wide, rows: &mut [R]) -> Option<()> {
    let operand = |words: [Row; 2]| -> Option<[R; 2]> {
        let row = |row: Row| match row.index() {
            None => Some(R::ZERO),
            Some(index) => rows.get(index).copied(),
        };
        Some([row(words[0])?, row(words[1])?])
    };
    let operands = [operand(wide.a)?, operand(wide.b)?, operand(wide.c)?];
    let mut result = [R::ZERO; 2];
    let [low, high] = &mut result;
    let lanes = low.as_mut_slice().iter_mut().zip(high.as_mut_slice()).enumerate();
    for (lane, (low, high)) in lanes {
        let word = |row: &R| u64::from(row.as_slice().get(lane).copied().unwrap_or(0));
        let [a, b, c] = operands.each_ref().map(|[low, high]| word(low) | word(high) << 32);
        let value = wide.code.evaluate(a, b, c);
        (*low, *high) = (value as u32, (value >> 32) as u32);
    }
    for (row, value) in wide.dst.into_iter().zip(result) {
        if let Some(index) = row.index() {
            *rows.get_mut(index)? = value;
        }
    }
    Some(())
}
