//! Every opcode, on ordinary and on awkward operands.
//!
//! Expected values come from the opcode's definition in the manual and the reference's list of
//! corner cases, worked out by hand. Every row runs with 4, 16 and 64 lanes, optimised and not,
//! with operands from inputs and from constants.

mod common;

use common::run_all;
use common::table::*;

#[test]
fn moves_and_modifiers() {
    let bits = u(0x7FC0_1234, 0x8000_0000, 1, ALL);
    unary("MOV", bits, bits);
    check("MOV R, $A.wzyx", &[i(1, 2, 3, 4)], i(4, 3, 2, 1));
    check("MOV R, -$A", &[f(1.0, -0.0, -INF, 0.0)], f(-1.0, 0.0, INF, -0.0));
    check("MOV R, |$A|", &[f(-1.0, -0.0, -INF, 2.0)], f(1.0, 0.0, INF, 2.0));
    check("MOV R, -|$A|", &[f(-1.0, 0.0, INF, 2.0)], f(-1.0, -0.0, -INF, -2.0));
    check("UADD R, -$A, $B", &[i(5, MIN, 0, -1), i(7, 0, 0, 0)], i(2, MIN, 0, 1));
    check("MOV_SAT R, $A", &[f(-1.0, 0.5, 2.0, NAN)], f(0.0, 0.5, 1.0, 0.0));
    check("MOV_SAT R, $A", &[f(-0.0, INF, -INF, 1.0)], f(0.0, 1.0, 0.0, 1.0));
    check(
        "ADD_SAT R, $A, $B",
        &[f(0.5, 0.25, -1.0, 1.0), f(0.75, 0.5, 0.5, 0.0)],
        f(1.0, 0.75, 0.0, 1.0),
    );
    check("MOV R.xz, $A", &[i(1, 2, 3, 4)], i(1, 0, 3, 0));
    unary("UARL", bits, bits);
    unary("ARL", f(1.7, -1.7, -0.5, 3e9), i(1, -2, -1, MIN));
    unary("ARR", f(0.5, 1.5, 2.5, -0.5), i(1, 2, 3, 0));
}

#[test]
fn selects() {
    let (b, c) = (i(1, 2, 3, 4), i(5, 6, 7, 8));
    ternary("CMP", f(-1.0, 0.0, -0.0, NAN), b, c, i(1, 6, 7, 8));
    ternary("CMP", f(-TINY, -INF, INF, -NAN), b, c, i(1, 2, 7, 8));
    ternary("UCMP", u(0, 1, 0x8000_0000, ALL), b, c, i(5, 2, 3, 4));
}

#[test]
fn sums_and_products() {
    binary("ADD", f(1.0, INF, 1e38, 0.1), f(2.0, -INF, 3e38, 0.2), f(3.0, NAN, INF, 0.1 + 0.2));
    check(
        "ADD R, $A, -$B",
        &[f(1.0, 2.0, 0.0, INF), f(3.0, 2.0, 0.0, INF)],
        f(-2.0, 0.0, 0.0, NAN),
    );
    check(
        "ADD R, -$A, $B",
        &[f(1.0, 2.0, 0.0, 5.0), f(3.0, 2.0, 0.0, 1.0)],
        f(2.0, 0.0, 0.0, -4.0),
    );
    check(
        "ADD R, -$A, -$B",
        &[f(1.0, 0.0, -3.0, 5.0), f(3.0, 0.0, 1.0, 1.0)],
        f(-4.0, -0.0, 2.0, -6.0),
    );
    binary("MUL", f(2.0, 0.0, -0.0, 1e30), f(3.0, INF, 5.0, 1e30), f(6.0, NAN, -0.0, INF));
    binary("DIV", f(1.0, 0.0, -1.0, 1.0), f(3.0, 0.0, 0.0, -0.0), f(1.0 / 3.0, NAN, -INF, -INF));
    // 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: only one rounding keeps the last term.
    let (x, product) = (1.0 + 1.0 / 4096.0, 1.0 + 1.0 / 2048.0);
    ternary(
        "MAD",
        f(x, 2.0, INF, 0.0),
        f(x, 3.0, 0.0, -1.0),
        f(-product, 1.0, 1.0, 0.0),
        f(0.0, 7.0, NAN, 0.0),
    );
    ternary(
        "FMA",
        f(x, 2.0, INF, -1.0),
        f(x, 3.0, 0.0, 5.0),
        f(-product, 1.0, 1.0, 5.0),
        f(1.0 / 16_777_216.0, 7.0, NAN, 0.0),
    );
    check(
        "MAD R, $A, $B, -$C",
        &[f(2.0, 1.0, 0.0, 3.0), f(3.0, 1.0, 0.0, 5.0), f(1.0, 1.0, 0.0, -1.0)],
        f(5.0, 0.0, 0.0, 16.0),
    );
    check(
        "MAD R, -$A, $B, $C",
        &[f(2.0, 1.0, 0.0, 3.0), f(3.0, 1.0, 0.0, 5.0), f(1.0, 1.0, 0.0, -1.0)],
        f(-5.0, 0.0, 0.0, -16.0),
    );
    check(
        "MAD R, $A, -$B, $C",
        &[f(2.0, 1.0, 0.0, 3.0), f(3.0, 1.0, 0.0, 5.0), f(1.0, 1.0, 0.0, -1.0)],
        f(-5.0, 0.0, 0.0, -16.0),
    );
    // a·(b-c)+c, not a·b+(1-a)·c.
    ternary(
        "LRP",
        f(0.5, 0.0, 1.0, 0.1),
        f(4.0, INF, 1e30, 0.3),
        f(2.0, 1.0, -1e38, 0.7),
        f(3.0, NAN, 1e30f32 - -1e38 + -1e38, 0.1 * (0.3 - 0.7) + 0.7),
    );
    let (a, b) = (f(1.0, 2.0, 3.0, 4.0), f(5.0, 6.0, 7.0, 8.0));
    binary("DP2", a, b, [17f32.to_bits(); 4]);
    binary("DP3", a, b, [38f32.to_bits(); 4]);
    binary("DP4", a, b, [70f32.to_bits(); 4]);
    // In the order x, y, z: 1e8 + 1 rounds to 1e8 before 1e8 is subtracted.
    binary("DP3", f(1e8, 1.0, -1e8, 0.0), f(1.0, 1.0, 1.0, 0.0), [0; 4]);
    binary("DST", f(9.0, 2.0, 3.0, 9.0), f(9.0, 5.0, 9.0, 4.0), f(1.0, 10.0, 3.0, 4.0));
}

#[test]
fn comparisons() {
    let (a, b) = (f(1.0, 2.0, 2.0, NAN), f(2.0, 1.0, 2.0, 1.0));
    for (opcode, expected) in [
        ("SLT", [1, 0, 0, 0]),
        ("SGE", [0, 1, 1, 0]),
        ("SEQ", [0, 0, 1, 0]),
        ("SGT", [0, 1, 0, 0]),
        ("SLE", [1, 0, 1, 0]),
        ("SNE", [1, 1, 0, 1]),
    ] {
        binary(opcode, a, b, expected.map(|set| if set != 0 { 1f32.to_bits() } else { 0 }));
    }
    for (opcode, expected) in [
        ("FSLT", [1, 0, 0, 0]),
        ("FSGE", [0, 1, 1, 0]),
        ("FSEQ", [0, 0, 1, 0]),
        ("FSNE", [1, 1, 0, 1]),
    ] {
        binary(opcode, a, b, expected.map(|set| if set != 0 { ALL } else { 0 }));
        let zeros = f(0.0, -0.0, 0.0, NAN);
        let equal = [opcode == "FSGE" || opcode == "FSEQ"; 3].map(|set| if set { ALL } else { 0 });
        let nan = if opcode == "FSNE" { ALL } else { 0 };
        binary(opcode, zeros, f(-0.0, 0.0, 0.0, NAN), [equal[0], equal[1], equal[2], nan]);
    }
    binary("MIN", f(1.0, NAN, 3.0, -INF), f(2.0, 5.0, NAN, INF), f(1.0, 5.0, 3.0, -INF));
    binary("MAX", f(1.0, NAN, 3.0, -INF), f(2.0, 5.0, NAN, INF), f(2.0, 5.0, 3.0, INF));
    binary("MIN", f(NAN, 1.0, 1.0, 1.0), f(NAN, 1.0, -1.0, 0.5), f(NAN, 1.0, -1.0, 0.5));
    // IEEE 754-2019, minimumNumber and maximumNumber: -0 is below +0. `MAX x, -x` is a way to write |x|.
    let (left, right) = (f(0.0, -0.0, 0.0, -0.0), f(-0.0, 0.0, 0.0, -0.0));
    binary("MIN", left, right, f(-0.0, -0.0, 0.0, -0.0));
    binary("MAX", left, right, f(0.0, 0.0, 0.0, -0.0));
    unary("SSG", f(5.0, -TINY, 0.0, INF), f(1.0, -1.0, 0.0, 1.0));
    unary("SSG", f(NAN, -0.0, -NAN, -INF), f(0.0, 0.0, 0.0, -1.0));
}

#[test]
fn rounding() {
    unary("FLR", f(1.5, -1.5, -0.0, 1e30), f(1.0, -2.0, -0.0, 1e30));
    unary("CEIL", f(1.5, -1.5, -0.5, -INF), f(2.0, -1.0, -0.0, -INF));
    unary("TRUNC", f(1.5, -1.5, -0.5, NAN), f(1.0, -1.0, -0.0, NAN));
    unary("ROUND", f(0.5, 1.5, 2.5, -0.5), f(0.0, 2.0, 2.0, -0.0));
    unary("ROUND", f(-1.5, 0.49999997, 8388609.0, INF), f(-2.0, 0.0, 8388609.0, INF));
    unary("FRC", f(1.25, -1.25, 3.0, -1e-10), f(0.25, 0.75, 0.0, 1.0));
    unary("FRC", f(INF, NAN, 0.0, -0.5), f(NAN, NAN, 0.0, 0.5));
    binary("LDEXP", f(1.5, 1.0, 1.0, -1.0), i(4, -149, 200, -300), f(24.0, TINY, INF, -0.0));
}

/// Checks `opcode` of `x` in every component; the components y, z and w of the source must not
/// matter.
#[track_caller]
fn replicated(opcode: &str, x: f32, expected: f32) {
    unary(opcode, f(x, 7.0, NAN, -3.0), [expected.to_bits(); 4]);
}

#[test]
fn transcendental_corners() {
    for (opcode, cases) in [
        ("RCP", &[(4.0, 0.25), (0.0, INF), (-0.0, -INF), (INF, 0.0), (NAN, NAN)][..]),
        ("RSQ", &[(4.0, 0.5), (0.0, INF), (-0.0, -INF), (-1.0, NAN), (INF, 0.0), (NAN, NAN)]),
        ("SQRT", &[(9.0, 3.0), (0.0, 0.0), (-0.0, -0.0), (-1.0, NAN), (INF, INF)]),
        ("EX2", &[(3.0, 8.0), (-149.0, TINY), (-INF, 0.0), (INF, INF), (128.0, INF), (NAN, NAN)]),
        ("LG2", &[(8.0, 3.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (TINY, -149.0)]),
        ("SIN", &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN)]),
        ("COS", &[(0.0, 1.0), (-0.0, 1.0), (-INF, NAN), (NAN, NAN)]),
    ] {
        for &(x, expected) in cases {
            replicated(opcode, x, expected);
        }
    }
    for (x, y, expected) in [
        (0.0, 0.0, 1.0),
        (-2.0, 2.0, 4.0),
        (-2.0, 0.5, NAN),
        (0.0, -1.0, INF),
        (2.0, 10.0, 1024.0),
        (1.0, NAN, 1.0),
    ] {
        binary("POW", f(x, NAN, 0.0, 0.0), f(y, 1.0, 1.0, 1.0), [f32::to_bits(expected); 4]);
    }
}

#[test]
fn lighting_and_parts() {
    unary("LIT", f(0.5, 4.0, 9.0, 2.0), f(1.0, 0.5, 16.0, 1.0));
    unary("LIT", f(-1.0, 4.0, 9.0, 2.0), f(1.0, 0.0, 0.0, 1.0));
    unary("LIT", f(NAN, 4.0, 9.0, 2.0), f(1.0, 0.0, 0.0, 1.0));
    unary("LIT", f(1.0, -4.0, 9.0, 0.0), f(1.0, 1.0, 1.0, 1.0));
    // The exponent is limited to 128: 2^128 overflows, 2^-128 does not vanish.
    unary("LIT", f(1.0, 2.0, 0.0, 1000.0), f(1.0, 1.0, INF, 1.0));
    unary("LIT", f(1.0, 2.0, 0.0, -1000.0), f(1.0, 1.0, f32::from_bits(1 << 21), 1.0));
    // 2^3.5 is not exact; the function's own test checks its error.
    check("EXP R.xyw, $A", &[f(3.5, 0.0, 0.0, 0.0)], f(8.0, 0.5, 0.0, 1.0));
    unary("EXP", f(3.0, 0.0, 0.0, 0.0), f(8.0, 0.0, 8.0, 1.0));
    unary("EXP", f(-1.0, 0.0, 0.0, 0.0), f(0.5, 0.0, 0.5, 1.0));
    unary("LOG", f(-12.0, 0.0, 0.0, 0.0), f(3.0, 1.5, 12f64.log2() as f32, 1.0));
    unary("LOG", f(0.0, 0.0, 0.0, 0.0), f(-INF, NAN, -INF, 1.0));
}

#[test]
fn conversions() {
    unary("F2I", f(1.9, -1.9, NAN, 3e9), i(1, -1, MIN, MIN));
    unary("F2I", f(-INF, 2147483520.0, -2147483648.0, 0.5), i(MIN, 2147483520, MIN, 0));
    unary("F2U", f(1.9, -1.0, NAN, 5e9), u(1, ALL, 0, 0x2A05_F200));
    unary("F2U", f(4294967040.0, 0.99, INF, -0.5), u(0xFFFF_FF00, 0, 0, 0));
    unary("I2F", i(-1, 16777217, MIN, 0), f(-1.0, 16777216.0, -2147483648.0, 0.0));
    unary("U2F", u(ALL, 16777219, 1, 0), f(4294967296.0, 16777220.0, 1.0, 0.0));
    unary("PK2H", f(1.0, -2.0, 0.0, 0.0), u(0xC000_3C00, 0xC000_3C00, 0xC000_3C00, 0xC000_3C00));
    unary("PK2H", f(65504.0, 1e6, 0.0, 0.0), [0x7C00_7BFF; 4]);
    unary("UP2H", u(0xC000_3C00, 5, 6, 7), f(1.0, -2.0, 1.0, -2.0));
    unary("UP2H", u(0x7C00_0001, 5, 6, 7), f(1.0 / 16777216.0, INF, 1.0 / 16777216.0, INF));
    unary("PK2US", f(1.0, 0.5, 9.0, 9.0), [0x8000_FFFF; 4]);
    unary("PK4UB", f(0.0, 1.0, 0.5, -1.0), [0x0080_FF00; 4]);
    unary("PK4UB", f(NAN, 2.0, 1.0 / 255.0, INF), [0xFF01_FF00; 4]);
    unary("PK4B", f(1.0, -1.0, 0.0, -2.0), [0x8100_817F; 4]);
    unary("PK4B", f(NAN, 0.5, -0.5, 9.0), [0x7FC0_4000; 4]);
    unary("UP2US", u(0xFFFF_0000, 1, 2, 3), f(0.0, 1.0, 0.0, 1.0));
    unary("UP4UB", u(0xFF00_3300, 1, 2, 3), f(0.0, 0.2, 0.0, 1.0));
    unary("UP4B", u(0x8181_7F00, 1, 2, 3), f(0.0, 1.0, -1.0, -1.0));
    unary("UP4B", u(0x80, 1, 2, 3), f(-1.0, 0.0, 0.0, 0.0));
}

#[test]
fn integer_arithmetic() {
    binary("UADD", u(1, ALL, 0x8000_0000, 5), u(2, 1, 0x8000_0000, 0), u(3, 0, 0, 5));
    check("UADD R, $A, -$B", &[i(1, MIN, 0, 5), i(2, 1, -1, 5)], i(-1, i32::MAX, 1, 0));
    binary("UMUL", u(3, ALL, 0x1_0000, 7), u(5, 2, 0x1_0000, 0), u(15, ALL - 1, 0, 0));
    ternary("UMAD", u(3, ALL, 2, 0), u(5, 2, 2, 9), u(1, 3, ALL, 7), u(16, 1, 3, 7));
    binary("IMUL_HI", i(-1, MIN, 1 << 20, -3), i(1, MIN, 1 << 20, 5), i(-1, 1 << 30, 256, -1));
    binary("UMUL_HI", u(ALL, 1, 1 << 31, 0), u(ALL, 1, 2, 5), u(ALL - 1, 0, 1, 0));
    binary("IDIV", i(7, -7, 5, MIN), i(2, 2, 0, -1), i(3, -3, 0, MIN));
    binary("UDIV", u(7, ALL, 5, 0), u(2, 2, 0, 0), u(3, 0x7FFF_FFFF, ALL, ALL));
    binary("MOD", i(7, -7, 5, MIN), i(3, 3, 0, -1), i(1, -1, -1, 0));
    binary("UMOD", u(7, ALL, 5, 0), u(3, 16, 0, 7), u(1, 15, ALL, 0));
    binary("IMAX", i(1, -1, MIN, 5), i(2, -2, 0, 5), i(2, -1, 0, 5));
    binary("IMIN", i(1, -1, MIN, 5), i(2, -2, 0, 5), i(1, -2, MIN, 5));
    binary("UMAX", u(1, ALL, 0, 5), u(2, 1, 7, 5), u(2, ALL, 7, 5));
    binary("UMIN", u(1, ALL, 0, 5), u(2, 1, 7, 5), u(1, 1, 0, 5));
    unary("INEG", i(1, -1, MIN, 0), i(-1, 1, MIN, 0));
    unary("IABS", i(1, -1, MIN, 0), i(1, 1, MIN, 0));
    unary("ISSG", i(7, -7, MIN, 0), i(1, -1, -1, 0));
}

#[test]
fn integer_comparisons() {
    let (a, b) = (i(1, -1, 2, MIN), i(2, 1, 2, i32::MAX));
    for (opcode, expected) in [
        ("ISLT", [1, 1, 0, 1]),
        ("ISGE", [0, 0, 1, 0]),
        ("USLT", [1, 0, 0, 0]),
        ("USGE", [0, 1, 1, 1]),
        ("USEQ", [0, 0, 1, 0]),
        ("USNE", [1, 1, 0, 1]),
    ] {
        binary(opcode, a, b, expected.map(|set| if set != 0 { ALL } else { 0 }));
    }
}

#[test]
fn bits() {
    let (a, b) = (u(0xF0F0, ALL, 0, 0x1234_5678), u(0xFF00, 0, 5, 0xFF));
    binary("AND", a, b, u(0xF000, 0, 0, 0x78));
    binary("OR", a, b, u(0xFFF0, ALL, 5, 0x1234_56FF));
    binary("XOR", a, b, u(0x0FF0, ALL, 5, 0x1234_5687));
    unary("NOT", a, u(0xFFFF_0F0F, 0, ALL, 0xEDCB_A987));
    binary("SHL", u(1, 1, 1, ALL), u(31, 32, 33, 4), u(1 << 31, 1, 2, 0xFFFF_FFF0));
    binary("ISHR", i(-16, -16, 16, MIN), i(2, 34, 32, 31), i(-4, -4, 16, -1));
    binary("USHR", u(ALL, ALL, 16, 1 << 31), u(28, 60, 32, 31), u(15, 15, 16, 1));
    unary("BREV", u(1, 0xF, ALL, 0x8000_0001), u(1 << 31, 0xF << 28, ALL, 0x8000_0001));
    unary("POPC", u(0, 1, ALL, 0xF0F0), u(0, 1, 32, 8));
    unary("LSB", u(0, 1, 0x80, 1 << 31), i(-1, 0, 7, 31));
    unary("IMSB", i(0, -1, MIN, 0x80), i(-1, -1, 30, 7));
    unary("IMSB", i(1, -2, i32::MAX, -256), i(0, 0, 30, 7));
    unary("UMSB", u(0, 1, ALL, 0x80), i(-1, 0, 31, 7));
}

#[test]
fn bit_fields() {
    let value = u(0xABCD_EF12, 0xABCD_EF12, 0xABCD_EF12, 0xABCD_EF12);
    // An ordinary field, no bits, all bits, all bits from another offset.
    ternary("UBFE", value, i(8, 5, 0, 4), i(8, 0, 32, 32), u(0xEF, 0, 0xABCD_EF12, 0));
    ternary("IBFE", value, i(8, 5, 0, 4), i(8, 0, 32, 32), u(0xFFFF_FFEF, 0, 0xABCD_EF12, 0));
    // Up to the end, beyond the end, an offset of 32, a width of 33.
    ternary("UBFE", value, i(28, 28, 32, 0), i(4, 10, 4, 33), u(0xA, 0xA, 2, 0));
    ternary(
        "IBFE",
        value,
        i(28, 28, 32, 4),
        i(4, 10, 5, 4),
        u(0xFFFF_FFFA, 0xFFFF_FFFA, 0xFFFF_FFF2, 1),
    );
    let (base, insert) = (u(ALL, ALL, 0, 0x1111_1111), u(0, 0, ALL, 0xABC));
    let bfi = |offset, bits, expected| {
        check("BFI R, $A, $B, $C, $D", &[base, insert, offset, bits], expected);
    };
    bfi(i(4, 0, 8, 4), i(8, 0, 32, 12), u(0xFFFF_F00F, ALL, ALL, 0x1111_ABC1));
    bfi(i(36, 31, 31, 28), i(8, 1, 1, 8), u(0xFFFF_F00F, 0x7FFF_FFFF, 1 << 31, 0xC111_1111));
}

#[test]
fn nothing_and_null() {
    let source = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nNOP\nMOV OUT[0], IN[0]\nNOP\nEND\n";
    let results = run_all(source, &[vec![[1, 2, 3, 4]]], &[]);
    assert_eq!(results[0].as_ref().unwrap()[0], [1, 2, 3, 4]);
}

#[test]
fn sources_are_read_before_the_destination_is_written() {
    let source = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n\
                  MOV TEMP[0].xy, TEMP[0].yxyy\nDP4 TEMP[0].zw, TEMP[0], TEMP[0]\nMOV OUT[0], TEMP[0]\nEND\n";
    let results = run_all(source, &[vec![f(1.0, 2.0, 3.0, 4.0)]], &[]);
    assert_eq!(results[0].as_ref().unwrap()[0], f(2.0, 1.0, 30.0, 30.0));
}

#[test]
fn registers_never_written_read_zero() {
    let source = "VERT\nDCL OUT[0], POSITION\nDCL TEMP[0..2], ARRAY(1)\nDCL TEMP[3]\nDCL ADDR[0]\n\
                  UADD OUT[0], TEMP[3], TEMP[ADDR[0].x+1](1)\nEND\n";
    assert_eq!(run_all(source, &[vec![]], &[])[0].as_ref().unwrap()[0], [0; 4]);
}

#[test]
fn derivatives() {
    let quads = [[1.0, 3.0, 6.0, 13.0], [0.0, 0.5, 0.25, INF]];
    let inputs: Vec<_> =
        quads.as_flattened().iter().map(|x| vec![f(*x, -*x, 2.0 * *x, 1.0)]).collect();
    for (opcode, expected) in [
        ("DDX", [[7.0; 4], [INF; 4]]),
        ("DDY", [[5.0; 4], [0.25; 4]]),
        ("DDX_FINE", [[2.0, 2.0, 7.0, 7.0], [0.5, 0.5, INF, INF]]),
        ("DDY_FINE", [[5.0, 10.0, 5.0, 10.0], [0.25, INF, 0.25, INF]]),
    ] {
        let source = format!(
            "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\n{opcode} OUT[0], IN[0]\nEND\n"
        );
        let results = run_all(&source, &inputs, &[]);
        for (lane, &expected) in results.iter().zip(expected.as_flattened()) {
            let lane = lane.as_ref().unwrap()[0].map(f32::from_bits);
            assert_eq!(lane, [expected, -expected, 2.0 * expected, 0.0], "{opcode}");
        }
    }
}

#[test]
fn opcodes_of_former_days() {
    unary("NRM", f(3.0, 4.0, 0.0, 9.0), f(0.6, 0.8, 0.0, 1.0));
    unary("NRM4", f(2.0, 2.0, 2.0, 2.0), f(0.5, 0.5, 0.5, 0.5));
    binary("RFL", f(0.0, 2.0, 0.0, 9.0), f(1.0, 1.0, 0.0, 9.0), f(-1.0, 1.0, 0.0, 1.0));
    let (least, most) = (2f32.powi(-64), 2f32.powi(64));
    for (x, expected) in [
        (2.0, 0.5),
        (-4.0, -0.25),
        (0.0, most),
        (-0.0, -most),
        (1e-30, most),
        (-1e30, -least),
        (INF, least),
    ] {
        unary("RCC", f(x, 7.0, 7.0, 7.0), [f32::to_bits(expected); 4]);
    }
    let (a, b) = (f(3.0, 4.0, 9.0, 9.0), f(5.0, 6.0, 7.0, 8.0));
    ternary("X2D", f(1.0, 2.0, 9.0, 9.0), a, b, f(40.0, 55.0, 40.0, 55.0));
    check("MOV R, $A\nLFENCE\nMFENCE\nSFENCE", &[i(1, 2, 3, 4)], i(1, 2, 3, 4));
}

/// Returns the words in the string literals of a Rust source.
fn words_of_literals(source: &str) -> Vec<String> {
    let literals = source.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    let text = literals.replace("\\n", " ");
    text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

#[test]
fn no_opcode_is_left_out() {
    let sources = [
        include_str!("opcodes.rs"),
        include_str!("opcodes_wide.rs"),
        include_str!("opcodes_memory.rs"),
        include_str!("opcodes_lanes.rs"),
        include_str!("texture.rs"),
        include_str!("flow.rs"),
        include_str!("stages.rs"),
    ];
    let words: std::collections::HashSet<String> =
        sources.into_iter().flat_map(words_of_literals).collect();
    let missing: Vec<&str> = gallium_tgsi::opcode::Opcode::ALL
        .iter()
        .map(|opcode| opcode.name())
        .filter(|name| !words.contains(*name))
        .collect();
    assert_eq!(missing, [""; 0]);
}
