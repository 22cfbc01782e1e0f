//! Every opcode on 64-bit values, with ordinary and awkward operands.
//!
//! Expected values come from the manual and the reference's list of corner cases, worked out by
//! hand or with Rust's arithmetic. Rows run like the rows of `opcodes.rs`.

mod common;

use common::run_all;
use common::table::*;

const DNAN: f64 = f64::NAN;
const DINF: f64 = f64::INFINITY;
const LEAST: i64 = i64::MIN;

/// Returns a register with two values.
fn w(xy: u64, zw: u64) -> Vec4 {
    [xy as u32, (xy >> 32) as u32, zw as u32, (zw >> 32) as u32]
}

fn d(xy: f64, zw: f64) -> Vec4 {
    w(xy.to_bits(), zw.to_bits())
}

fn l(xy: i64, zw: i64) -> Vec4 {
    w(xy as u64, zw as u64)
}

/// Returns the masks of a comparison: in x and z; y and w are 0.
fn masks(xy: bool, zw: bool) -> Vec4 {
    let mask = |set: bool| if set { ALL } else { 0 };
    [mask(xy), 0, mask(zw), 0]
}

#[test]
fn double_sums_and_products() {
    binary("DADD", d(1.5, DINF), d(0.25, -DINF), d(1.75, DNAN));
    binary("DADD", d(-0.0, 1e308), d(-0.0, 1e308), d(-0.0, DINF));
    binary("DMUL", d(3.0, 0.0), d(-0.5, DINF), d(-1.5, DNAN));
    binary("DMUL", d(1e-200, -0.0), d(1e-200, 5.0), d(0.0, -0.0));
    binary("DDIV", d(1.0, 0.0), d(3.0, 0.0), d(1.0 / 3.0, DNAN));
    binary("DDIV", d(1.0, -1.0), d(0.0, 0.0), d(DINF, -DINF));
    // 1 + 2^-27 squared is 1 + 2^-26 + 2^-54: only one rounding keeps the last term.
    let x = 1.0 + 1.0 / 134_217_728.0;
    let product = 1.0 + 1.0 / 67_108_864.0;
    let last = 1.0 / 18_014_398_509_481_984.0;
    ternary("DMAD", d(x, 2.0), d(x, 3.0), d(-product, 1.0), d(0.0, 7.0));
    ternary("DFMA", d(x, DINF), d(x, 0.0), d(-product, 1.0), d(last, DNAN));
    binary("DMIN", d(1.0, DNAN), d(2.0, 5.0), d(1.0, 5.0));
    binary("DMIN", d(-DINF, 3.0), d(DINF, DNAN), d(-DINF, 3.0));
    binary("DMAX", d(1.0, DNAN), d(2.0, 5.0), d(2.0, 5.0));
    binary("DMAX", d(DNAN, 3.0), d(DNAN, DNAN), d(DNAN, 3.0));
    binary("DMIN", d(0.0, -0.0), d(-0.0, 0.0), d(-0.0, -0.0));
    binary("DMAX", d(0.0, -0.0), d(-0.0, 0.0), d(0.0, 0.0));
}

#[test]
fn double_functions() {
    unary("DABS", d(-1.5, -0.0), d(1.5, 0.0));
    unary("DABS", d(DNAN, -DINF), d(DNAN, DINF));
    unary("DNEG", d(1.5, -0.0), d(-1.5, 0.0));
    unary("DRCP", d(4.0, 0.0), d(0.25, DINF));
    unary("DRCP", d(-0.0, DINF), d(-DINF, 0.0));
    unary("DSQRT", d(2.0, -1.0), d(std::f64::consts::SQRT_2, DNAN));
    unary("DSQRT", d(-0.0, DINF), d(-0.0, DINF));
    unary("DRSQ", d(4.0, 0.0), d(0.5, DINF));
    unary("DRSQ", d(-1.0, DINF), d(DNAN, 0.0));
    unary("DFRAC", d(1.25, -1.25), d(0.25, 0.75));
    unary("DFRAC", d(3.0, DINF), d(0.0, DNAN));
    unary("DFLR", d(1.5, -1.5), d(1.0, -2.0));
    unary("DCEIL", d(1.5, -0.5), d(2.0, -0.0));
    unary("DTRUNC", d(-1.5, 1e300), d(-1.0, 1e300));
    unary("DROUND", d(0.5, 2.5), d(0.0, 2.0));
    unary("DROUND", d(1.5, -0.5), d(2.0, -0.0));
    unary("DSSG", d(5.0, -DINF), d(1.0, -1.0));
    unary("DSSG", d(-0.0, DNAN), d(0.0, 0.0));
    check("DLDEXP R, $A, $B", &[d(1.5, 1.0), i(4, 999, -1074, 999)], d(24.0, f64::from_bits(1)));
    check("DLDEXP R, $A, $B", &[d(-1.0, 1.0), i(-2000, 0, 2000, 0)], d(-0.0, DINF));
}

#[test]
fn double_comparisons() {
    for (opcode, less, equal, unordered) in [
        ("DSLT", true, false, false),
        ("DSGE", false, true, false),
        ("DSEQ", false, true, false),
        ("DSNE", true, false, true),
    ] {
        binary(opcode, d(1.0, 2.0), d(2.0, 2.0), masks(less, equal));
        binary(opcode, d(DNAN, 0.0), d(1.0, -0.0), masks(unordered, equal));
        // A mask goes to the first enabled component of its pair.
        let flag = |set: bool| if set { ALL } else { 0 };
        let expected = [0, flag(less), 0, flag(equal)];
        check(&format!("{opcode} R.yw, $A, $B"), &[d(1.0, 2.0), d(2.0, 2.0)], expected);
        let expected = [flag(less), 0, 0, 0];
        check(&format!("{opcode} R.x, $A, $B"), &[d(1.0, 2.0), d(2.0, 2.0)], expected);
    }
}

#[test]
fn double_parts() {
    let source = |masks: [&str; 2]| {
        format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {{7, 7, 7, 7}}\n\
             MOV OUT[0], IMM[0]\nMOV OUT[1], IMM[0]\n\
             DFRACEXP OUT[0]{}, OUT[1]{}, IN[0]\nEND\n",
            masks[0], masks[1]
        )
    };
    for (x, significand, exponent) in
        [(8.0, 0.5, 4), (-0.75, -0.75, 0), (0.0, 0.0, 0), (5e-324, 0.5, -1073), (DINF, DINF, 0)]
    {
        let inputs = vec![vec![d(x, 99.0)]; 5];
        for lane in run_all(&source([".xy", ".x"]), &inputs, &[]) {
            let [low, high, ..] = d(significand, 0.0);
            assert_eq!(lane.unwrap(), [[low, high, 7, 7], [exponent as u32, 7, 7, 7]], "{x}");
        }
        for lane in run_all(&source([".zw", ".yw"]), &inputs, &[]) {
            let [low, high, ..] = d(significand, 0.0);
            let exponent = exponent as u32;
            assert_eq!(lane.unwrap(), [[7, 7, low, high], [7, exponent, 7, exponent]], "{x}");
        }
    }
}

#[test]
fn double_conversions() {
    unary("F2D", f(1.5, -INF, 9.0, 9.0), d(1.5, -DINF));
    unary("F2D", f(TINY, -0.0, 9.0, 9.0), d(f64::from(TINY), -0.0));
    unary("I2D", i(-7, MIN, 9, 9), d(-7.0, -2_147_483_648.0));
    unary("U2D", u(ALL, 5, 9, 9), d(4_294_967_295.0, 5.0));
    // The first enabled component takes the first pair, the second component the second pair.
    unary("D2F", d(1.5, 1e300), f(1.5, INF, 0.0, 0.0));
    check("D2F R.yw, $A", &[d(0.1, -0.0)], f(0.0, 0.1, 0.0, -0.0));
    check("D2F R.z, $A", &[d(1.0 + 1e-9, 5.0)], f(0.0, 0.0, 1.0, 0.0));
    check("D2I R.xy, $A", &[d(-1.9, 3e9)], i(-1, MIN, 0, 0));
    check("D2I R.xy, $A", &[d(DNAN, 2_147_483_647.9)], i(MIN, i32::MAX, 0, 0));
    check("D2I R.xy, $A", &[d(-2_147_483_648.9, -DINF)], i(MIN, MIN, 0, 0));
    check("D2U R.xy, $A", &[d(4_294_967_295.5, -1.0)], u(ALL, ALL, 0, 0));
    check("D2U R.xy, $A", &[d(1.9, DNAN)], u(1, 0, 0, 0));
    unary("D2I64", d(-1.9, 1e18), l(-1, 1_000_000_000_000_000_000));
    unary("D2I64", d(DNAN, 1e19), l(LEAST, LEAST));
    unary("D2U64", d(1.9, 1e19), w(1, 10_000_000_000_000_000_000));
    unary("D2U64", d(DNAN, 1e30), w(0, u64::MAX));
    unary("I642D", l(-5, LEAST), d(-5.0, -9_223_372_036_854_775_808.0));
    unary("U642D", w(u64::MAX, 7), d(18_446_744_073_709_551_616.0, 7.0));
}

#[test]
fn long_arithmetic() {
    binary("U64ADD", w(u64::MAX, 5), w(2, 1 << 40), w(1, 5 + (1 << 40)));
    binary("U64MUL", w(1 << 33, 3), w(1 << 33, 5), w(0, 15));
    binary("U64MUL", l(-3, LEAST), l(5, -1), l(-15, LEAST));
    binary("I64DIV", l(-7, 5), l(2, 0), l(-3, 0));
    binary("I64DIV", l(LEAST, 1 << 40), l(-1, -2), l(LEAST, -(1 << 39)));
    binary("U64DIV", w(u64::MAX, 5), w(2, 0), w(u64::MAX / 2, u64::MAX));
    binary("I64MOD", l(-7, 5), l(3, 0), l(-1, -1));
    binary("I64MOD", l(LEAST, 9), l(-1, 5), l(0, 4));
    binary("U64MOD", w(u64::MAX, 5), w(16, 0), w(15, u64::MAX));
    binary("I64MIN", l(-1, 1), l(1, LEAST), l(-1, LEAST));
    binary("U64MIN", l(-1, 1), l(1, LEAST), l(1, 1));
    binary("I64MAX", l(-1, 1), l(1, LEAST), l(1, 1));
    binary("U64MAX", l(-1, 1), l(1, LEAST), l(-1, LEAST));
    unary("I64ABS", l(-5, LEAST), l(5, LEAST));
    unary("I64NEG", l(-5, LEAST), l(5, LEAST));
    unary("I64SSG", l(-5, 0), l(-1, 0));
    unary("I64SSG", l(LEAST, 1 << 40), l(-1, 1));
}

#[test]
fn long_shifts() {
    // Counts come from x and z, modulo 64.
    let counts = u(4, 99, 65, 99);
    binary("U64SHL", w(1, 1), counts, w(16, 2));
    binary("U64SHL", w(0xF, 1), u(60, 0, 63, 0), w(0xF << 60, 1 << 63));
    binary("I64SHR", l(-16, -16), counts, l(-1, -8));
    binary("U64SHR", l(-16, 16), counts, w(u64::MAX >> 4, 8));
    binary("U64SHR", w(7, 7), u(64, 0, 0, 0), w(7, 7));
}

#[test]
fn long_comparisons() {
    let (a, b) = (l(-1, 5), l(1, 5));
    for (opcode, xy, zw) in [
        ("U64SEQ", false, true),
        ("U64SNE", true, false),
        ("I64SLT", true, false),
        ("U64SLT", false, false),
        ("I64SGE", false, true),
        ("U64SGE", true, true),
    ] {
        binary(opcode, a, b, masks(xy, zw));
    }
    // Only the high words differ.
    binary("U64SEQ", w(1, 1 << 32), w(1 | 1 << 32, 1 << 32), masks(false, true));
    binary("U64SLT", w(1 << 32, 5), w(2 << 32, 1 << 32), masks(true, true));
}

#[test]
fn long_conversions() {
    unary("F2U64", f(1.9, 1e10, 9.0, 9.0), w(1, 10_000_000_000));
    unary("F2U64", f(NAN, INF, 9.0, 9.0), w(0, u64::MAX));
    unary("F2I64", f(-1.9, -1e10, 9.0, 9.0), l(-1, -10_000_000_000));
    unary("F2I64", f(NAN, 1e30, 9.0, 9.0), l(LEAST, LEAST));
    unary("U2I64", u(ALL, 5, 9, 9), w(u64::from(ALL), 5));
    unary("I2I64", i(-1, MIN, 9, 9), l(-1, i64::from(MIN)));
    check("U642F R.xy, $A", &[w(u64::MAX, 3)], f(18_446_744_073_709_551_616.0, 3.0, 0.0, 0.0));
    check("I642F R.xy, $A", &[l(-3, LEAST)], f(-3.0, -9_223_372_036_854_775_808.0, 0.0, 0.0));
}

#[test]
fn which_pairs_are_written() {
    let (a, b) = (d(1.0, 2.0), d(3.0, 4.0));
    let [low, high, ..] = d(-1.0, 0.0);
    // One source: both components or nothing.
    check("DNEG R.xyz, $A", &[a], [low, high, 0, 0]);
    check("DNEG R.yz, $A", &[a], [0; 4]);
    // Two sources: either component is enough for both.
    let [x, y, z, w] = d(4.0, 6.0);
    check("DADD R.x, $A, $B", &[a, b], [x, y, 0, 0]);
    check("DADD R.w, $A, $B", &[a, b], [0, 0, z, w]);
    // Swizzles select words.
    check("DADD R, $A.zwxy, $B", &[a, b], d(5.0, 5.0));
}

#[test]
fn saturation_of_doubles() {
    check("DADD_SAT R, $A, $B", &[d(0.5, 0.5), d(0.25, 9.0)], d(0.75, 1.0));
    check("DADD_SAT R, $A, $B", &[d(-3.0, DNAN), d(0.25, 9.0)], d(0.0, 0.0));
}

#[test]
fn modifiers_of_wide_sources() {
    check("DADD R, -$A, $B", &[d(1.0, -2.0), d(3.0, 4.0)], d(2.0, 6.0));
    check("DADD R, |$A|, $B", &[d(-1.0, 2.0), d(3.0, 4.0)], d(4.0, 6.0));
    check("U64ADD R, -$A, $B", &[l(1, -2), l(3, 4)], l(2, 6));
}
