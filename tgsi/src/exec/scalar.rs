//! The arithmetic ops on one lane: 32 bits in, 32 bits out.
//!
//! The executor maps these functions over rows and the compiler folds constants with them, so both
//! give the same bits. Corner cases match the reference interpreter.

use crate::math;

#[inline(always)]
const fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// Returns all bits or none.
#[inline(always)]
const fn mask(condition: bool) -> u32 {
    (condition as u32).wrapping_neg()
}

/// Returns 1.0 or 0.0.
#[inline(always)]
const fn unit(condition: bool) -> u32 {
    mask(condition) & 1f32.to_bits()
}

/// Defines functions from one, two or three floats to a float.
macro_rules! floats {
    ($($name:ident($($arg:ident),+) = $value:expr;)*) => {$(
        #[inline(always)]
        #[must_use]
        #[expect(missing_docs, reason = "the table in `op` says what each does")]
        pub fn $name($($arg: u32),+) -> u32 {
            $(let $arg = f($arg);)+
            f32::to_bits($value)
        }
    )*};
}

/// Defines functions from words to a word.
macro_rules! words {
    ($($name:ident($($arg:ident),+) = $value:expr;)*) => {$(
        #[inline(always)]
        #[must_use]
        #[expect(missing_docs, reason = "the table in `op` says what each does")]
        pub fn $name($($arg: u32),+) -> u32 {
            $value
        }
    )*};
}

floats! {
    add(a, b) = a + b;
    sub(a, b) = a - b;
    mul(a, b) = a * b;
    div(a, b) = a / b;
    mad(a, b, c) = a * b + c;
    msub(a, b, c) = a * b - c;
    nmad(a, b, c) = c - a * b;
    fma(a, b, c) = libm::fmaf(a, b, c);
    min(a, b) = math::min(a, b);
    max(a, b) = math::max(a, b);
    saturate(a) = math::saturate(a);
    mad_saturate(a, b, c) = math::saturate(a * b + c);
    sub_mul(a, b, c) = (a - b) * c;
    dot2(a, b, c, d) = a * b + c * d;
    mad_add(a, b, c, d) = a * b + c + d;
    sub_mad(a, b, c, d) = (a - b) * c + d;
    mad_min(a, b, c, d) = math::min(a * b + c, d);
    mad_max(a, b, c, d) = math::max(a * b + c, d);
    fract(a) = math::fract(a);
    floor(a) = math::floor(a);
    ceil(a) = math::ceil(a);
    trunc(a) = math::trunc(a);
    round(a) = math::round_even(a);
    rcp(a) = math::rcp(a);
    rsq(a) = math::rsqrt(a);
    sqrt(a) = math::sqrt(a);
    exp2(a) = math::exp2(a);
    log2(a) = math::log2(a);
    pow(a, b) = math::pow(a, b);
    sin(a) = math::sin(a);
    cos(a) = math::cos(a);
}

words! {
    mov(a) = a;
    neg(a) = a ^ 0x8000_0000;
    abs(a) = a & 0x7FFF_FFFF;
    slt(a, b) = unit(f(a) < f(b));
    sge(a, b) = unit(f(a) >= f(b));
    seq(a, b) = unit(f(a) == f(b));
    sne(a, b) = unit(f(a) != f(b));
    fslt(a, b) = mask(f(a) < f(b));
    fsge(a, b) = mask(f(a) >= f(b));
    fseq(a, b) = mask(f(a) == f(b));
    fsne(a, b) = mask(f(a) != f(b));
    // A NaN is neither above nor below 0.
    sign(a) = unit(f(a) > 0.0) | mask(f(a) < 0.0) & (-1f32).to_bits();
    // Less than 0.0, as bits: the sign is set, but the value is neither -0 nor a NaN.
    cmp(a, b, c) = {
        let negative = mask(a.wrapping_sub(0x8000_0001) < 0x7F80_0000);
        b & negative | c & !negative
    };
    ucmp(a, b, c) = {
        let set = mask(a != 0);
        b & set | c & !set
    };
    ldexp(a, b) = math::ldexp(f(a), b as i32).to_bits();
    f2i(a) = math::to_signed(f(a));
    f2u(a) = math::to_unsigned(f(a));
    i2f(a) = (a as i32 as f32).to_bits();
    u2f(a) = (a as f32).to_bits();
    pack_halves(a, b) = math::f32_to_f16(f(a)) | math::f32_to_f16(f(b)) << 16;
    unpack_low_half(a) = math::f16_to_f32(a & 0xFFFF).to_bits();
    unpack_high_half(a) = math::f16_to_f32(a >> 16).to_bits();
    round_half(a) = math::round_to_f16(f(a)).to_bits();
    uadd(a, b) = a.wrapping_add(b);
    usub(a, b) = a.wrapping_sub(b);
    umul(a, b) = a.wrapping_mul(b);
    umad(a, b, c) = a.wrapping_mul(b).wrapping_add(c);
    imul_hi(a, b) = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
    umul_hi(a, b) = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    idiv(a, b) = math::idiv(a, b);
    udiv(a, b) = math::udiv(a, b);
    imod(a, b) = math::imod(a, b);
    umod(a, b) = math::umod(a, b);
    imax(a, b) = if a as i32 > b as i32 { a } else { b };
    imin(a, b) = if (a as i32) < b as i32 { a } else { b };
    umax(a, b) = if a > b { a } else { b };
    umin(a, b) = if a < b { a } else { b };
    ineg(a) = a.wrapping_neg();
    iabs(a) = (a as i32).wrapping_abs() as u32;
    isign(a) = ((a as i32 > 0) as u32) | ((a as i32) >> 31) as u32;
    islt(a, b) = mask((a as i32) < b as i32);
    isge(a, b) = mask(a as i32 >= b as i32);
    uslt(a, b) = mask(a < b);
    usge(a, b) = mask(a >= b);
    useq(a, b) = mask(a == b);
    usne(a, b) = mask(a != b);
    not(a) = !a;
    and(a, b) = a & b;
    or(a, b) = a | b;
    xor(a, b) = a ^ b;
    // Wrapping shifts take the count modulo 32.
    shl(a, b) = a.wrapping_shl(b);
    ishr(a, b) = (a as i32).wrapping_shr(b) as u32;
    ushr(a, b) = a.wrapping_shr(b);
    ibfe(value, offset, bits) = {
        let (field, tail) = field_shifts(offset, bits);
        let extracted = (value.wrapping_shl(field) as i32).wrapping_shr(tail) as u32;
        let beyond = (value as i32).wrapping_shr(offset) as u32;
        choose_field(value, offset, bits, extracted, beyond)
    };
    ubfe(value, offset, bits) = {
        let (field, tail) = field_shifts(offset, bits);
        let extracted = value.wrapping_shl(field).wrapping_shr(tail);
        choose_field(value, offset, bits, extracted, value.wrapping_shr(offset))
    };
    // BFI takes three steps: the mask of the field, the bits to insert, the selection by bits.
    field_mask(offset, bits) = {
        let ones = 1u32.wrapping_shl(bits).wrapping_sub(1);
        if bits == 32 { !0 } else { ones.wrapping_shl(offset) }
    };
    field_insert(insert, offset, bits) = {
        if bits == 32 { insert } else { insert.wrapping_shl(offset) }
    };
    select_less(a, b, c, d) = if f(a) < f(b) { c } else { d };
    select_not_less(a, b, c, d) = if f(a) >= f(b) { c } else { d };
    bit_select(mask, set, clear) = set & mask | clear & !mask;
    reverse_bits(a) = a.reverse_bits();
    count_ones(a) = a.count_ones();
    // Without a set bit the result is -1, as in the ops below.
    lowest_bit(a) = if a == 0 { !0 } else { a.trailing_zeros() };
    highest_bit(a) = 31u32.wrapping_sub(a.leading_zeros());
    highest_difference(a) = 31u32.wrapping_sub((a ^ ((a as i32) >> 31) as u32).leading_zeros());
}

/// Returns the shifts, left and then right, that extract a field within the word.
#[inline(always)]
const fn field_shifts(offset: u32, bits: u32) -> (u32, u32) {
    let left = 32u32.wrapping_sub(offset & 31).wrapping_sub(bits & 31);
    (left, 32u32.wrapping_sub(bits & 31))
}

/// Selects the result of a bit field as the reference does: all, nothing, within the word, up to
/// its end.
#[inline(always)]
const fn choose_field(value: u32, offset: u32, bits: u32, extracted: u32, beyond: u32) -> u32 {
    let (start, width) = (offset & 31, bits & 31);
    let field = if start + width < 32 { extracted } else { beyond };
    let field = if width == 0 { 0 } else { field };
    if bits == 32 && start == 0 { value } else { field }
}
