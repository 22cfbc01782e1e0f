//! `f16`: arithmetic, functions, conversions, and its places in memory, against f64.

use std::fmt::Write;

use gallium_naga::{MemberType, Module, ResourceKind, Scalar};

use crate::common::translate;
use crate::machine::{EVERYTHING, draw, shader, with_machine};
use crate::run::{COUNT, run, run_with};

/// Returns the value of a half, by its definition.
fn value(half: u16) -> f64 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 0x3FF));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if half & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// Returns the step from a half of this magnitude to the next.
fn step(magnitude: f64) -> f64 {
    let exponent = if magnitude == 0.0 { -14.0 } else { magnitude.log2().floor().max(-14.0) };
    (exponent - 10.0).exp2()
}

/// Returns the nearest half, ties to even.
fn half(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return 0x7E00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7C00;
    }
    let rounded = (magnitude / step(magnitude)).round_ties_even() * step(magnitude);
    let bits = if rounded < 2f64.powi(-14) {
        (rounded * 2f64.powi(24)) as u16
    } else {
        let exponent = rounded.log2().floor();
        let fraction = (rounded / exponent.exp2() - 1.0) * 1024.0;
        ((exponent + 15.0) as u16) << 10 | fraction as u16
    };
    sign | bits
}

#[test]
fn halves_of_this_test_come_back() {
    for bits in (0..=u16::MAX).filter(|&bits| !value(bits).is_nan()) {
        assert_eq!(half(value(bits)), bits);
    }
    assert_eq!(
        [half(1.0), half(0.1), half(65519.0), half(-1e-9)],
        [0x3C00, 0x2E66, 0x7BFF, 0x8000]
    );
}

/// Puts halves into words.
fn packed(halves: &[u16]) -> Vec<u32> {
    halves
        .chunks(2)
        .map(|two| u32::from(two[0]) | u32::from(*two.get(1).unwrap_or(&0)) << 16)
        .collect()
}

fn unpacked(words: &[u32]) -> Vec<u16> {
    words.iter().flat_map(|word| [*word as u16, (word >> 16) as u16]).collect()
}

/// Evaluates an expression of the halves `a`, `b` and `c` for each row. The result is a half.
#[track_caller]
fn evaluate(expression: &str, rows: &[[u16; 3]]) -> Vec<u16> {
    let turns = rows.len().div_ceil(COUNT);
    let all = turns * COUNT;
    let column =
        |at: usize| -> Vec<u16> { (0..all).map(|row| rows[row % rows.len()][at]).collect() };
    let mut buffers: Vec<Vec<u32>> = (0..3).map(|at| packed(&column(at))).collect();
    buffers.push(vec![0xDEAD_BEEF; all / 2]);
    let wgsl = format!(
        "enable f16;
         @group(0) @binding(0) var<storage> as_: array<f16>;
         @group(0) @binding(1) var<storage> bs: array<f16>;
         @group(0) @binding(2) var<storage> cs: array<f16>;
         @group(0) @binding(3) var<storage, read_write> results: array<f16>;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) first: u32) {{
             for (var i = first; i < {all}; i += 64) {{
                 let a = as_[i]; let b = bs[i]; let c = cs[i];
                 // All three buffers are used, so that they have their slots.
                 if i > {all} {{ results[0] = a + b + c; }}
                 results[i] = {expression};
             }}
         }}"
    );
    let results = run_with(&translate(&wgsl, "main"), &buffers, &[]);
    let mut results = unpacked(&results[3]);
    results.truncate(rows.len());
    results
}

/// Checks an expression against f64, to so many steps of halves beyond half a step, or an absolute error.
#[track_caller]
fn check(
    expression: &str,
    rows: &[[u16; 3]],
    error: Error,
    expected: impl Fn(f64, f64, f64) -> f64,
) {
    for (row, got) in rows.iter().zip(evaluate(expression, rows)) {
        let [a, b, c] = row.map(value);
        let wanted = expected(a, b, c);
        let place = || format!("{expression} of {:?}: {}, not {wanted}", [a, b, c], value(got));
        if wanted.is_nan() {
            // No number has no value to compare with.
            continue;
        }
        match error {
            Error::None => assert_eq!(value(got), value(half(wanted)), "{}", place()),
            Error::Steps(_) | Error::Absolute(_) if value(half(wanted)).is_infinite() => {
                assert!(
                    value(got) == value(half(wanted)) || value(got).abs() > 65000.0,
                    "{}",
                    place()
                );
            }
            Error::Steps(steps) => {
                let limit = (0.5 + steps) * step(wanted.abs());
                assert!((value(got) - wanted).abs() <= limit, "{}", place());
            }
            Error::Absolute(limit) => {
                let limit = limit + 0.5 * step(wanted.abs());
                assert!((value(got) - wanted).abs() <= limit, "{}", place());
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Error {
    /// The nearest half, ties to even.
    None,
    Steps(f64),
    Absolute(f64),
}

/// Rows of halves that are spread over all of them, infinities and subnormals included.
fn spread(count: u32, seed: u32) -> Vec<[u16; 3]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        (word >> 22 ^ word) as u16
    };
    let mut rows = Vec::new();
    while rows.len() < count as usize {
        let row = [next(), next(), next()];
        if row.iter().all(|&half| !value(half).is_nan()) {
            rows.push(row);
        }
    }
    rows
}

/// Rows with numbers near each other, so that sums cancel and quotients are near 1.
fn near(count: u32) -> Vec<[u16; 3]> {
    let mut rows = spread(count, 7);
    for (at, row) in rows.iter_mut().enumerate() {
        let sign = if at % 3 == 0 { 0x8000 } else { 0 };
        row[0] = 0x3000 + row[0] % 0x1800;
        row[1] = (row[0] ^ (row[1] & 0x0C1F)) ^ sign;
    }
    rows
}

fn column(values: &[f64]) -> Vec<[u16; 3]> {
    values.iter().map(|&value| [half(value), 0, 0]).collect()
}

/// `count` numbers from `low` to `high`.
fn range(low: f64, high: f64, count: u32) -> Vec<f64> {
    (0..count).map(|at| low + (high - low) * f64::from(at) / f64::from(count - 1)).collect()
}

#[test]
fn operators_round_once() {
    for rows in [spread(4096, 1), near(4096)] {
        check("a + b", &rows, Error::None, |a, b, _| a + b);
        check("a - b", &rows, Error::None, |a, b, _| a - b);
        check("a * b", &rows, Error::None, |a, b, _| a * b);
        check("-a", &rows, Error::None, |a, _, _| -a);
        let divisors: Vec<_> = rows.iter().copied().filter(|row| value(row[1]) != 0.0).collect();
        check("a / b", &divisors, Error::None, |a, b, _| a / b);
        let positive: Vec<_> = rows.iter().map(|&[a, b, c]| [a & 0x7FFF, b, c]).collect();
        check("sqrt(a)", &positive, Error::None, |a, _, _| a.sqrt());
        // Each operation rounds: the second sees the first one's half.
        check("(a + b) + c", &rows, Error::None, |a, b, c| value(half(a + b)) + c);
        check("(a * b) - (a * c)", &rows, Error::None, |a, b, c| {
            value(half(a * b)) - value(half(a * c))
        });
    }
}

#[test]
fn functions_that_are_exact() {
    let rows = spread(2048, 3);
    check("abs(a)", &rows, Error::None, |a, _, _| a.abs());
    check("min(a, b)", &rows, Error::None, |a, b, _| a.min(b));
    check("max(a, b)", &rows, Error::None, |a, b, _| a.max(b));
    check("ceil(a)", &rows, Error::None, |a, _, _| a.ceil());
    check("floor(a)", &rows, Error::None, |a, _, _| a.floor());
    check("trunc(a)", &rows, Error::None, |a, _, _| a.trunc());
    check("round(a)", &rows, Error::None, |a, _, _| a.round_ties_even());
    check("sign(a)", &rows, Error::None, |a, _, _| if a == 0.0 { 0.0 } else { a.signum() });
    check("saturate(a)", &rows, Error::None, |a, _, _| a.clamp(0.0, 1.0));
    check("step(a, b)", &rows, Error::None, |a, b, _| f64::from(b >= a));
    check("select(a, b, a < b)", &rows, Error::None, |a, b, _| if a < b { b } else { a });
    let finite: Vec<_> = rows.iter().copied().filter(|row| value(row[0]).is_finite()).collect();
    check("fract(a)", &finite, Error::None, |a, _, _| a - a.floor());
    check("modf(a).fract", &finite, Error::None, |a, _, _| a.fract());
    check("modf(a).whole", &finite, Error::None, |a, _, _| a.trunc());
    let scaled: Vec<_> = (-24..=15).map(|power| [half(1.375), half(f64::from(power)), 0]).collect();
    check("ldexp(a, i32(b))", &scaled, Error::None, |a, b, _| a * b.exp2());
    let ordered = [[-3.0, -1.0, 2.0], [0.5, -1.0, 2.0], [7.0, -1.0, 2.0]].map(|row| row.map(half));
    check("clamp(a, b, c)", &ordered, Error::None, |a, b, c| a.clamp(b, c));
}

#[test]
fn functions_to_the_last_step() {
    // Computed in f32: within the rounding and a trace.
    let trace = Error::Steps(0.02);
    let turn = column(&range(-3.125, 3.125, 256));
    check("sin(a)", &turn, Error::Absolute(1e-6), |a, _, _| a.sin());
    check("cos(a)", &turn, Error::Absolute(1e-6), |a, _, _| a.cos());
    check("tan(a)", &column(&range(-1.4, 1.4, 128)), trace, |a, _, _| a.tan());
    let unit = column(&range(-1.0, 1.0, 256));
    check("asin(a)", &unit, trace, |a, _, _| a.asin());
    check("acos(a)", &unit, Error::Absolute(1e-6), |a, _, _| a.acos());
    check("atanh(a)", &column(&range(-0.99, 0.99, 128)), trace, |a, _, _| a.atanh());
    let wide = column(&range(-300.0, 300.0, 256));
    check("atan(a)", &wide, trace, |a, _, _| a.atan());
    check("asinh(a)", &wide, trace, |a, _, _| a.asinh());
    check("tanh(a)", &column(&range(-9.0, 9.0, 128)), trace, |a, _, _| a.tanh());
    let exponents = column(&range(-10.0, 11.0, 256));
    check("exp(a)", &exponents, trace, |a, _, _| a.exp());
    check("exp2(a)", &exponents, trace, |a, _, _| a.exp2());
    check("sinh(a)", &exponents, trace, |a, _, _| a.sinh());
    check("cosh(a)", &exponents, trace, |a, _, _| a.cosh());
    let positive = column(&[6e-8, 1e-5, 0.01, 0.3, 0.9, 1.0, 1.1, 3.0, 100.0, 65504.0]);
    check("log(a)", &positive, trace, |a, _, _| a.ln());
    check("log2(a)", &positive, trace, |a, _, _| a.log2());
    check("inverseSqrt(a)", &positive, trace, |a, _, _| 1.0 / a.sqrt());
    check("acosh(a)", &column(&range(1.0, 300.0, 64)), Error::Absolute(2e-5), |a, _, _| a.acosh());
    let pairs: Vec<[u16; 3]> = [0.25, 0.5, 1.0, 2.0, 3.5, 10.0]
        .iter()
        .flat_map(|&a| [-2.0, -0.5, 0.0, 1.0, 2.2, 4.0].map(|b| [half(a), half(b), half(0.25)]))
        .collect();
    check("pow(a, b)", &pairs, trace, |a, b, _| a.powf(b));
    check("atan2(b, a)", &pairs, trace, |a, b, _| b.atan2(a));
    check("mix(a, b, c)", &pairs, trace, |a, b, c| a * (1.0 - c) + b * c);
    check("fma(a, b, c)", &pairs, trace, |a, b, c| a * b + c);
    check("distance(a, b)", &pairs, trace, |a, b, _| (a - b).abs());
    check(
        "a % b",
        &[[7.5, 2.0, 0.0], [-7.5, 2.0, 0.0], [100.0, 0.75, 0.0]].map(|it| it.map(half)),
        trace,
        |a, b, _| a % b,
    );
    check("radians(a)", &wide, trace, |a, _, _| a.to_radians());
    check("degrees(a)", &wide, trace, |a, _, _| a.to_degrees());
    check("smoothstep(0h, 2h, a)", &column(&range(-1.0, 3.0, 64)), trace, |a, _, _| {
        let t = (a / 2.0).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    });
}

#[test]
fn vectors_and_matrices() {
    let rows: Vec<_> =
        spread(512, 5).into_iter().map(|row| row.map(|half| half & 0x87FF | 0x3800)).collect();
    let trace = Error::Steps(0.02);
    let near = Error::Absolute(1e-5);
    let length = |a: f64, b: f64, c: f64| (a * a + b * b + c * c).sqrt();
    check("length(vec3(a, b, c))", &rows, trace, length);
    check("normalize(vec3(a, b, c)).y", &rows, trace, move |a, b, c| b / length(a, b, c));
    check("dot(vec3(a, b, c), vec3(2, -1, 0.5))", &rows, near, |a, b, c| 2.0 * a - b + 0.5 * c);
    check("dot(vec4(a, b, c, a), vec4(a, c, b, b))", &rows, near, |a, b, c| {
        a * a + b * c + c * b + a * b
    });
    check("cross(vec3(a, b, c), vec3(2, -1, 0.5)).x", &rows, near, |_, b, c| 0.5 * b + c);
    check(
        "faceForward(vec3(a, b, c), vec3(1, 0, 0), vec3(a, 1, 1)).z",
        &rows,
        Error::None,
        |a, _, c| {
            if a < 0.0 { c } else { -c }
        },
    );
    check("reflect(vec3(a, b, c), vec3(0, 1, 0)).y", &rows, Error::None, |_, b, _| -b);
    check("(mat2x3(a, b, c, 4, 5, 6) * vec2(2, 3)).z", &rows, near, |_, _, c| 2.0 * c + 18.0);
    check("(vec3(1, 2, 3) * mat2x3(a, b, c, 4, 5, 6)).x", &rows, near, |a, b, c| {
        a + 2.0 * b + 3.0 * c
    });
    check("(mat2x2(a, b, c, 1) * mat2x2(1, 2, 3, 4))[1].x", &rows, near, |a, _, c| {
        3.0 * a + 4.0 * c
    });
    check("(mat2x2(a, b, c, a) + mat2x2(b, b, b, b))[1].y", &rows, Error::None, |a, b, _| a + b);
    check("(mat3x2(a, b, c, a, b, c) * c)[2].y", &rows, Error::None, |_, _, c| c * c);
    check("transpose(mat2x3(a, b, c, 4, 5, 6))[1].x", &rows, Error::None, |_, b, _| b);
    check("determinant(mat2x2(a, b, c, 2))", &rows, near, |a, b, c| 2.0 * a - b * c);
    // All four components round.
    for (at, letter) in ["x", "y", "z", "w"].iter().enumerate() {
        let expression = format!("(vec4(a, b, c, a) * vec4(b, c, a, a)).{letter}");
        check(&expression, &rows, Error::None, |a, b, c| [a * b, b * c, c * a, a * a][at]);
    }
}

#[test]
fn conversions() {
    // f32 halfway between halves, and on both sides.
    let mut floats: Vec<f32> = Vec::new();
    for bits in (0..0x7BFF).step_by(61) {
        let middle = ((value(bits) + value(bits + 1)) / 2.0) as f32;
        floats.extend([middle, middle.next_up(), -middle.next_down()]);
    }
    floats.extend([0.0, -0.0, 65504.0, 65519.0, 65520.0, 1e9, -1e9, 1e-9, f32::INFINITY]);
    let count = floats.len().next_multiple_of(COUNT);
    let wgsl = |body: &str, ty: &str| {
        format!(
            "enable f16;
             @group(0) @binding(0) var<storage> numbers: array<{ty}>;
             @group(0) @binding(1) var<storage, read_write> results: array<f16>;
             @group(0) @binding(2) var<storage, read_write> back: array<vec4<u32>>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) first: u32) {{
                 for (var i = first; i < arrayLength(&numbers); i += 64) {{ {body} }}
             }}"
        )
    };
    let convert = |words: Vec<u32>, ty: &str| -> (Vec<u16>, Vec<[u32; 4]>) {
        let body = "let h = f16(numbers[i]);
             results[i] = h;
             back[i] = vec4(bitcast<u32>(f32(h)), bitcast<u32>(i32(h)), u32(h), u32(bool(h)));";
        let (halves, rows) = (vec![0; words.len() / 2], vec![0; words.len() * 4]);
        let results = run_with(&translate(&wgsl(body, ty), "main"), &[words, halves, rows], &[]);
        (unpacked(&results[1]), results[2].as_chunks().0.to_vec())
    };
    floats.resize(count, 0.0);
    let (halves, back) = convert(floats.iter().map(|it| it.to_bits()).collect(), "f32");
    for ((float, got), back) in floats.iter().zip(halves).zip(back) {
        assert_eq!(got, half(f64::from(*float)), "{float}");
        assert_eq!(f64::from(f32::from_bits(back[0])), value(got));
        let (finite, number) = (value(got).is_finite(), value(got));
        assert!(!finite || back[1] as i32 == number as i32, "{float} as i32: {}", back[1]);
        assert!(!finite || back[2] == number as u32, "{float} as u32: {}", back[2]);
        assert_eq!(back[3], u32::from(number != 0.0), "{float} as bool");
    }
    let mut integers: Vec<i32> = vec![0, 1, -1, 2047, 2049, 2051, -2049, 4098, 65504, 65519, 65520];
    integers.extend([i32::MAX, i32::MIN, -70000, 16_777_217]);
    integers.resize(COUNT, 5);
    let (halves, _) = convert(integers.iter().map(|&it| it as u32).collect(), "i32");
    for (integer, got) in integers.iter().zip(halves) {
        assert_eq!(got, half(f64::from(*integer)), "{integer}");
    }
    let (halves, _) = convert(integers.iter().map(|&it| it as u32).collect(), "u32");
    for (integer, got) in integers.iter().zip(halves) {
        assert_eq!(got, half(f64::from(*integer as u32)), "{}", *integer as u32);
    }
}

/// The members of a struct of halves: the declaration, the byte and the number of components of each
/// register, by WGSL's rules of alignment.
const MEMBERS: [(&str, &[(usize, usize)]); 10] = [
    ("a: f16", &[(0, 1)]),
    ("b: f16", &[(2, 1)]),
    ("c: vec2<f16>", &[(4, 2)]),
    ("d: vec3<f16>", &[(8, 3)]),
    ("e: f16", &[(14, 1)]),
    ("f: mat2x3<f16>", &[(16, 3), (24, 3)]),
    ("g: mat3x2<f16>", &[(32, 2), (36, 2), (40, 2)]),
    ("h: vec4<f16>", &[(48, 4)]),
    ("k: array<f16, 3>", &[(56, 1), (58, 1), (60, 1)]),
    ("m: array<vec3<f16>, 2>", &[(64, 3), (72, 3)]),
];
const STRUCT_BYTES: usize = 80;

/// Returns the struct, the number of its scalars, and statements for each scalar, in order:
/// `make` gets the expression and the number.
fn each_scalar(make: impl Fn(&str, usize) -> String) -> (String, usize, String) {
    let (mut declaration, mut statements, mut count) = (String::new(), String::new(), 0);
    for (member, registers) in MEMBERS {
        let _ = writeln!(declaration, "{member},");
        let (name, _) = member.split_once(':').unwrap();
        for (register, &(_, size)) in registers.iter().enumerate() {
            for component in 0..size {
                let mut place = format!("s.{name}");
                if registers.len() > 1 {
                    let _ = write!(place, "[{register}]");
                }
                if size > 1 {
                    let _ = write!(place, "[{component}]");
                }
                statements += &make(&place, count);
                count += 1;
            }
        }
    }
    (format!("struct S {{ {declaration} }}"), count, statements)
}

/// Returns the place of each scalar of the struct, in halves.
fn places() -> Vec<usize> {
    let registers = MEMBERS.iter().flat_map(|(_, registers)| registers.iter());
    registers.flat_map(|&(byte, size)| (0..size).map(move |at| byte / 2 + at)).collect()
}

#[test]
fn members_lie_where_wgsl_says() {
    let (declaration, count, statements) =
        each_scalar(|place, at| format!("results[{at}] = f32({place});\n"));
    let halves: Vec<u16> = (0..STRUCT_BYTES / 2).map(|at| half(at as f64)).collect();
    let words = packed(&halves);
    for space in ["uniform", "storage"] {
        // WGSL's uniforms have elements of 16 bytes: the struct is accepted except for its arrays.
        let (declaration, statements) = match space {
            "uniform" => (
                declaration
                    .replace("array<f16, 3>", "vec3<f16>")
                    .replace("array<vec3<f16>, 2>", "mat2x3<f16>"),
                statements.clone(),
            ),
            _ => (declaration.clone(), statements.clone()),
        };
        let wgsl = format!(
            "enable f16;
             {declaration}
             @group(0) @binding(0) var<{space}> s: S;
             @group(0) @binding(1) var<storage, read_write> results: array<f32>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) i: u32) {{
                 if i > 0 {{ return; }}
                 {statements}
                 let whole = s;
                 results[{count}] = f32(whole.f[1].z + whole.d.y);
             }}"
        );
        let results = vec![0; count + 1];
        let got = match space {
            "uniform" => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                run_with(&translate(&wgsl, "main"), &[results], &[&bytes])
            }
            _ => run(&wgsl, &[words.clone(), results]),
        };
        let got: Vec<f32> = got.last().unwrap().iter().map(|it| f32::from_bits(*it)).collect();
        let expected: Vec<f32> = places().into_iter().map(|place| place as f32).collect();
        assert_eq!(got[..count], expected, "{space}");
        assert_eq!(got[count], 14.0 + 5.0);
    }
}

#[test]
fn stores_leave_the_other_half_of_a_word() {
    let (declaration, count, statements) =
        each_scalar(|place, at| format!("if i == {at} {{ {place} = f16(i) + 0.5h; }}\n"));
    let wgsl = format!(
        "enable f16;
         {declaration}
         @group(0) @binding(0) var<storage, read_write> s: S;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) i: u32) {{ {statements} }}"
    );
    let results = run(&wgsl, &[packed(&[0xABCD; STRUCT_BYTES / 2])]);
    let mut expected = [0xABCD; STRUCT_BYTES / 2];
    for (at, place) in places().into_iter().enumerate() {
        expected[place] = half(at as f64 + 0.5);
    }
    assert_eq!(unpacked(&results[0]), expected);
    assert_eq!(count, places().len());
    // Neighbours in one word, of computed places.
    let wgsl = "enable f16;
        @group(0) @binding(0) var<storage, read_write> s: array<vec3<f16>>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            s[i / 3][i % 3] = f16(i);
            if i / 3 == 20 { s[21] = vec3(1h, 2, 3); }
        }";
    let results = run(wgsl, &[packed(&[7; 22 * 4])]);
    for (at, row) in unpacked(&results[0]).chunks(4).enumerate() {
        let first = 3.0 * at as f64;
        let last = [1.0, 2.0, 3.0];
        let expected = if at == 21 { last } else { [first, first + 1.0, first + 2.0] };
        assert_eq!(row[..3], expected.map(half), "row {at}");
        assert_eq!(row[3], 7);
    }
}

#[test]
fn uniforms_by_computed_indices() {
    let wgsl = "enable f16;
        struct U { m: mat4x3<f16>, v: vec4<f16>, @align(16) rows: array<mat2x4<f16>, 4> }
        @group(0) @binding(0) var<uniform> u: U;
        @group(0) @binding(1) var<storage, read_write> results: array<vec4<f16>>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            results[i] = vec4(u.m[i % 4][i % 3], u.v[i % 4], u.rows[i % 4][i % 2].y, u.rows[i % 4][1][i % 4]);
        }";
    // m: 4 columns of 8 bytes, v: 8 bytes, rows: elements of 16 bytes from byte 48 on.
    let halves: Vec<u16> = (0..56).map(|at| half(f64::from(at))).collect();
    let bytes: Vec<u8> = halves.iter().flat_map(|it| it.to_le_bytes()).collect();
    let results = run_with(&translate(wgsl, "main"), &[vec![0; 128]], &[&bytes]);
    for (i, row) in unpacked(&results[0]).chunks(4).enumerate() {
        let row: Vec<f64> = row.iter().map(|&it| value(it)).collect();
        let expected = [
            i % 4 * 4 + i % 3,
            16 + i % 4,
            24 + i % 4 * 8 + i % 2 * 4 + 1,
            24 + i % 4 * 8 + 4 + i % 4,
        ];
        assert_eq!(row, expected.map(|it| it as f64), "i = {i}");
    }
}

#[test]
fn bounds_and_lengths() {
    let wgsl = "enable f16;
        @group(0) @binding(0) var<storage, read_write> s: array<f16>;
        @group(0) @binding(1) var<storage, read_write> results: array<f32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            results[i] = f32(arrayLength(&s)) * 100 + f32(s[i]);
            s[i + 6] = 9h;
        }";
    // Six halves: what lies behind them reads 0 and stays.
    let results =
        run(wgsl, &[packed(&[1, 2, 3, 4, 5, 6].map(|it| half(f64::from(it)))), vec![0; 64]]);
    for (i, word) in (0u8..).zip(&results[1]) {
        let element = if i < 6 { f32::from(i + 1) } else { 0.0 };
        assert_eq!(f32::from_bits(*word), 600.0 + element);
    }
    assert_eq!(unpacked(&results[0]), [1, 2, 3, 4, 5, 6].map(|it| half(f64::from(it))));
}

#[test]
fn variables_of_every_other_space() {
    let wgsl = "enable f16;
        override scale: f16 = 2.5h;
        const LIST = array<f16, 4>(1.5h, 2.5h, 0.1h, 65504h);
        struct W { x: f16, v: vec3<f16>, m: mat2x2<f16> }
        var<workgroup> w: array<W, 64>;
        var<private> p: array<vec3<f16>, 3> = array(vec3(1h), vec3(2h), vec3(3h));
        @group(0) @binding(0) var<storage, read_write> results: array<vec4<f16>>;
        fn twice(x: vec3<f16>) -> vec3<f16> { return x + x; }
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            var local: array<f16, 4>;
            local[i % 4] = f16(i) / 3h;
            w[i].x = local[i % 4];
            w[i].v[i % 3] = 1h;
            w[i].m[1] = vec2(f16(i), 0.5h);
            p[i % 3] += twice(vec3(0.25h));
            workgroupBarrier();
            let other = 63 - i;
            results[i] = vec4(w[other].x, w[other].v[i % 3], w[other].m[1].x * scale, p[1].x + LIST[i % 4]);
        }";
    let results = run(wgsl, &[vec![0; 128]]);
    for (i, row) in unpacked(&results[0]).chunks(4).enumerate() {
        let other = (63 - i) as f64;
        let middle = if i % 3 == 1 { 2.5 } else { 2.0 };
        // 63 is a multiple of 3: i and 63 - i have the same component only where both are 0.
        let component = if i % 3 == (63 - i) % 3 { 1.0 } else { 0.0 };
        let list = [1.5, 2.5, value(half(0.1)), 65504.0][i % 4];
        assert_eq!(row, [other / 3.0, component, other * 2.5, middle + list].map(half), "i = {i}");
    }
}

#[test]
fn workgroups_write_the_halves_of_a_word() {
    let wgsl = "enable f16;
        @group(0) @binding(0) var<uniform> u: vec2<f16>;
        @group(0) @binding(1) var<storage, read_write> s: array<f16>;
        @compute @workgroup_size(64)
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
            // Neighbours belong to different workgroups, which run on different threads.
            let at = i * 32 + group.x;
            s[at] = s[at] * u.x + u.y;
        }";
    let shader = shader(wgsl, "main");
    let bytes = |halves: &[u16]| halves.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    // 0 to 2047: all are halves.
    let numbers: Vec<u16> = (0..2048).map(|at| half(f64::from(at))).collect();
    let got = with_machine([1, 1], 1, |machine| {
        machine.constants(&shader, Some((0, 0)), &bytes(&[half(0.5), half(1.0)]));
        let buffer = machine.storage(&shader, (0, 1), &bytes(&numbers));
        machine.launch(&shader, [32, 1, 1]);
        machine.read(buffer, &pipe_core::Region::whole(4096, 1, 1))
    });
    let expected: Vec<u16> =
        (0..2048).map(|at| half(value(half(f64::from(at) * 0.5)) + 1.0)).collect();
    assert!(bytes(&expected) == got, "{:?}", &got[..64]);
}

#[test]
fn the_interface_names_halves() {
    let module = Module::wgsl(
        "enable f16;
         struct U { a: f16, m: mat3x3<f16>, v: vec2<f16> }
         @group(0) @binding(0) var<uniform> u: U;
         @vertex fn vs(@location(1) at: vec2<f16>) -> @builtin(position) vec4f {
             return vec4f(vec4(at * u.v, u.m[0].x, u.a));
         }",
        "half.wgsl",
    )
    .unwrap();
    let interface = module.translate("vs", &Default::default()).unwrap().interface;
    assert_eq!(interface.vertex_inputs[0].format, formats::Format::R16G16Float);
    let ResourceKind::Uniform { ty: MemberType::Struct { members, size, .. }, .. } =
        &interface.resources[0].kind
    else {
        panic!("{:?}", interface.resources[0])
    };
    let places: Vec<_> = members.iter().map(|it| (it.offset, it.size)).collect();
    assert_eq!((places, *size), (vec![(0, 2), (8, 24), (32, 4)], 40));
    let matrix = MemberType::Matrix { columns: 3, rows: 3, scalar: Scalar::Half, stride: 8 };
    assert_eq!(members[1].ty, matrix);
}

#[test]
fn vertex_inputs_and_varyings() {
    let wgsl = "enable f16;
        struct V {
            @builtin(position) p: vec4f,
            @location(0) c: vec2<f16>,
            @location(1) @interpolate(flat) n: f16,
        }
        @vertex fn vs(@location(0) at: vec2<f16>, @location(1) factor: f16) -> V {
            return V(vec4f(vec2f(at), 0, 1), at * factor, factor);
        }
        @fragment fn fs(v: V) -> @location(0) vec4<f16> {
            return vec4(v.c, v.n, v.c.x + 1024h);
        }";
    // x, y and the factor 1/3, each rounded to a half; every vertex has three of them.
    let third = half(1.0 / 3.0);
    let halves: Vec<u16> = EVERYTHING
        .iter()
        .flat_map(|at| [half(f64::from(at[0])), half(f64::from(at[1])), third])
        .chain([0])
        .collect();
    let words: Vec<f32> = packed(&halves).into_iter().map(f32::from_bits).collect();
    let pixels = draw([8, 8], wgsl, |machine, vs, _| machine.vertices(vs, &words));
    for (at, pixel) in pixels.into_iter().enumerate() {
        let place = [(at % 8) as f64, 7.0 - (at / 8) as f64].map(|it| (it + 0.5) / 4.0 - 1.0);
        for (got, place) in pixel.into_iter().zip(place) {
            let (got, expected) = (f64::from(got), place * value(third));
            // The corners' products are rounded, and so is the value between them.
            assert_eq!(got, value(half(got)), "pixel {at} is no half");
            assert!((got - expected).abs() < 1.5 * step(1.0), "pixel {at}: {got}, not {expected}");
        }
        assert_eq!(f64::from(pixel[2]), value(third));
        assert_eq!(f64::from(pixel[3]), value(half(f64::from(pixel[0]) + 1024.0)));
    }
}
