//! Built-in functions of floats, against f64 with the accuracy that WGSL states.

use crate::run::evaluate;

/// The accuracy of a function.
#[derive(Clone, Copy)]
enum Accuracy {
    /// Within so many units in the last place.
    Ulps(f64),
    /// Within an absolute error.
    Absolute(f64),
}
use Accuracy::{Absolute, Ulps};

/// Returns the distance of f32 numbers near `value`.
fn ulp(value: f64) -> f64 {
    let magnitude = (value.abs() as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
    f64::from(magnitude.next_up()) - f64::from(magnitude)
}

#[track_caller]
fn check(
    expression: &str,
    arguments: &[[f32; 3]],
    accuracy: Accuracy,
    expected: impl Fn(f64, f64, f64) -> f64,
) {
    let bits: Vec<[u32; 3]> = arguments.iter().map(|row| row.map(f32::to_bits)).collect();
    let results = evaluate(expression, ["f32"; 4], &bits);
    for (row, got) in arguments.iter().zip(results) {
        let [a, b, c] = row.map(f64::from);
        let (got, expected) = (f32::from_bits(got), expected(a, b, c));
        let rounded = expected as f32;
        if rounded.is_infinite() {
            assert!(
                got == rounded || got.abs() > 3e38,
                "{expression} of {row:?}: {got}, not {rounded}"
            );
            continue;
        }
        let error = (f64::from(got) - expected).abs();
        let limit = match accuracy {
            Ulps(count) => count * ulp(expected),
            Absolute(limit) => limit,
        };
        assert!(
            error <= limit,
            "{expression} of {row:?}: {got}, not {expected}: {} ulp",
            error / ulp(expected)
        );
    }
}

/// Rows with one argument each.
fn one(values: &[f32]) -> Vec<[f32; 3]> {
    values.iter().map(|&value| [value, 0.0, 0.0]).collect()
}

/// Rows of every pair of two lists.
fn pairs(first: &[f32], second: &[f32]) -> Vec<[f32; 3]> {
    first.iter().flat_map(|&a| second.iter().map(move |&b| [a, b, 0.0])).collect()
}

/// `count` numbers from `low` to `high`.
fn range(low: f32, high: f32, count: usize) -> Vec<f32> {
    let step = (high - low) / (count - 1) as f32;
    (0..count).map(|at| low + step * at as f32).collect()
}

const ORDINARY: &[f32] = &[
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.25, -7.75, 0.1, -0.3, 100.0, -1234.5,
    1e-6, -1e-6, 8388607.5, -8388608.0, 1e10, -1e10, 1e-30, 3e38,
];

#[test]
fn exact_functions() {
    let all = one(ORDINARY);
    check("abs(a)", &all, Ulps(0.0), |a, _, _| a.abs());
    check("ceil(a)", &all, Ulps(0.0), |a, _, _| a.ceil());
    check("floor(a)", &all, Ulps(0.0), |a, _, _| a.floor());
    check("trunc(a)", &all, Ulps(0.0), |a, _, _| a.trunc());
    check("round(a)", &all, Ulps(0.0), |a, _, _| a.round_ties_even());
    check("sign(a)", &all, Ulps(0.0), |a, _, _| if a == 0.0 { 0.0 } else { a.signum() });
    check("saturate(a)", &all, Ulps(0.0), |a, _, _| a.clamp(0.0, 1.0));
    check("-a", &all, Ulps(0.0), |a, _, _| -a);
    // The difference is one operation: exact for these, except the rounding near 1.
    check("fract(a)", &all, Absolute(6e-8), |a, _, _| a - a.floor());
    let two = pairs(ORDINARY, &[0.0, 1.0, -2.5, 7.0, 1e10]);
    check("min(a, b)", &two, Ulps(0.0), f64_min);
    check("max(a, b)", &two, Ulps(0.0), |a, b, _| a.max(b));
    check("step(a, b)", &two, Ulps(0.0), |a, b, _| f64::from(b >= a));
    check("a + b", &two, Ulps(0.5), |a, b, _| a + b);
    check("a - b", &two, Ulps(0.5), |a, b, _| a - b);
    check("a * b", &two, Ulps(0.5), |a, b, _| a * b);
    check("select(a, b, a < b)", &two, Ulps(0.0), |a, b, _| if a < b { b } else { a });
    let divisors = pairs(ORDINARY, &[1.0, -2.5, 7.0, 1e10, 0.3]);
    check("a / b", &divisors, Ulps(2.5), |a, b, _| a / b);
    // With the limits in the wrong order, either may come.
    let wrong = evaluate("clamp(a, b, c)", ["f32"; 4], &[[3.0, 2.0, 1.0].map(f32::to_bits)]);
    assert!([1.0, 2.0].contains(&f32::from_bits(wrong[0])), "{wrong:x?}");
    let clamps: Vec<[f32; 3]> = ORDINARY.iter().map(|&a| [a, -1.0, 2.0]).collect();
    check("clamp(a, b, c)", &clamps, Ulps(0.0), |a, b, c| a.clamp(b, c));
}

fn f64_min(a: f64, b: f64, _: f64) -> f64 {
    a.min(b)
}

#[test]
fn remainders_have_the_sign_of_the_dividend() {
    // x - y·trunc(x/y), for quotients that round to the right side of an integer.
    let rows = pairs(&[7.5, -7.5, 5.0, -5.0, 0.25, 1e6], &[2.0, -2.0, 3.0, 0.5]);
    check("a % b", &rows, Ulps(2.0), |a, b, _| a - b * (a / b).trunc());
}

#[test]
fn exponentials_and_logarithms() {
    let exponents = one(&range(-80.0, 80.0, 64));
    check("exp(a)", &exponents, Ulps(3.0 + 2.0 * 80.0), |a, _, _| a.exp());
    check("exp2(a)", &exponents, Ulps(3.0 + 2.0 * 80.0), |a, _, _| a.exp2());
    check("exp(a)", &one(&[0.0, 1.0, -1.0, 0.5]), Ulps(5.0), |a, _, _| a.exp());
    check("exp2(a)", &one(&[0.0, 1.0, -1.0, 10.0, -20.0]), Ulps(0.0), |a, _, _| a.exp2());
    let near = one(&range(0.5, 2.0, 64));
    check("log(a)", &near, Absolute(2f64.powi(-21)), |a, _, _| a.ln());
    check("log2(a)", &near, Absolute(2f64.powi(-21)), |a, _, _| a.log2());
    let far = one(&[1e-30, 1e-5, 0.1, 0.4, 2.5, 10.0, 1e5, 1e30]);
    check("log(a)", &far, Ulps(3.0), |a, _, _| a.ln());
    check("log2(a)", &far, Ulps(3.0), |a, _, _| a.log2());
    let powers = pairs(&[0.25, 0.5, 1.0, 2.0, 3.5, 10.0], &[-2.0, -0.5, 0.0, 1.0, 2.2, 5.0]);
    // exp2(y·log2(x)): the error of the logarithm times y, and that of exp2.
    check("pow(a, b)", &powers, Ulps(48.0), |a, b, _| a.powf(b));
    check("sqrt(a)", &one(&[0.0, 0.25, 2.0, 1e10, 3e-20]), Ulps(2.5), |a, _, _| a.sqrt());
    check("inverseSqrt(a)", &one(&[0.25, 2.0, 1e10, 3e-20]), Ulps(2.0), |a, _, _| 1.0 / a.sqrt());
}

#[test]
fn angles() {
    let turn = one(&range(-3.125, 3.125, 64));
    check("sin(a)", &turn, Absolute(2f64.powi(-11)), |a, _, _| a.sin());
    check("cos(a)", &turn, Absolute(2f64.powi(-11)), |a, _, _| a.cos());
    check("tan(a)", &one(&range(-1.4, 1.4, 64)), Ulps(64.0), |a, _, _| a.tan());
    let unit = one(&range(-1.0, 1.0, 128));
    check("asin(a)", &unit, Ulps(8.0), |a, _, _| a.asin());
    check("acos(a)", &unit, Absolute(5e-7), |a, _, _| a.acos());
    let mut wide = range(-10.0, 10.0, 100);
    wide.extend([0.0, 1.0, -1.0, 0.41421357, 2.4142137, 1e-10, 1e10, -1e30, 3e38]);
    check("atan(a)", &one(&wide), Ulps(8.0), |a, _, _| a.atan());
    let sides = [0.0, 0.1, -0.1, 1.0, -1.0, 3.0, -3.0, 1e-20, 1e20, -1e20];
    let points: Vec<[f32; 3]> =
        pairs(&sides, &sides).into_iter().filter(|row| row[0] != 0.0 || row[1] > 0.0).collect();
    check("atan2(a, b)", &points, Ulps(8.0), |a, b, _| a.atan2(b));
    check("radians(a)", &one(&[0.0, 90.0, -180.0, 1.0]), Ulps(2.0), |a, _, _| a.to_radians());
    check("degrees(a)", &one(&[0.0, 1.0, -3.5, 100.0]), Ulps(2.0), |a, _, _| a.to_degrees());
}

#[test]
fn hyperbolic_functions() {
    let mut values = range(-9.0, 9.0, 90);
    values.extend([0.0, 1e-10, -1e-10, 0.01, 0.2499, 0.2501, 0.99, 1.01, 20.0, -40.0]);
    let all = one(&values);
    // Their exponentials may err by 3 + 2·|x| units.
    check("sinh(a)", &all, Ulps(90.0), |a, _, _| a.sinh());
    check("cosh(a)", &all, Ulps(90.0), |a, _, _| a.cosh());
    check("tanh(a)", &all, Ulps(16.0), |a, _, _| a.tanh());
    check("tanh(a)", &one(&[88.0, -100.0, 1e30]), Ulps(0.0), |a, _, _| a.signum());
    let mut far = values.clone();
    far.extend([1e4, -1e8, 1e15, 3e38, -3e38]);
    check("asinh(a)", &one(&far), Ulps(32.0), |a, _, _| a.asinh());
    let above = one(&[1.0, 1.0001, 1.5, 2.0, 10.0, 1e5, 1e20, 3e38]);
    check("acosh(a)", &above, Absolute(2e-5), |a, _, _| a.acosh());
    let unit = one(&range(-0.999, 0.999, 64));
    check("atanh(a)", &unit, Ulps(32.0), |a, _, _| a.atanh());
}

#[test]
fn blends() {
    let rows: Vec<[f32; 3]> = [0.0, 0.25, 0.5, 1.0, -1.0, 2.0]
        .iter()
        .flat_map(|&t| [[1.0, 3.0, t], [-2.0, 5.5, t], [0.0, 1.0, t]])
        .collect();
    check("mix(a, b, c)", &rows, Ulps(2.0), |a, b, c| a * (1.0 - c) + b * c);
    check("smoothstep(a, b, c)", &rows, Ulps(4.0), |a, b, c| {
        let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    });
    check("fma(a, b, c)", &rows, Ulps(2.0), |a, b, c| a * b + c);
    check("distance(a, b)", &rows, Ulps(2.0), |a, b, _| (a - b).abs());
    check("length(a)", &rows, Ulps(0.0), |a, _, _| a.abs());
}

#[test]
fn parts_of_floats() {
    let values = one(&[0.0, 1.0, -1.0, 1.5, -7.25, 0.1, 1e-30, 3e38, 1e-40, f32::MIN_POSITIVE]);
    check("modf(a).whole", &values, Ulps(0.0), |a, _, _| a.trunc());
    check("modf(a).fract", &values, Ulps(0.0), |a, _, _| a - a.trunc());
    let frexp = |a: f64| {
        if a == 0.0 {
            return (0.0, 0.0);
        }
        let exponent = a.abs().log2().floor() + 1.0;
        (a / exponent.exp2(), exponent)
    };
    check("frexp(a).fract", &values, Ulps(0.0), |a, _, _| frexp(a).0);
    check("f32(frexp(a).exp)", &values, Ulps(0.0), |a, _, _| frexp(a).1);
    let scaled = pairs(&[1.0, -1.5, 0.75], &[0.0, 1.0, -1.0, 100.0, -100.0, 127.0]);
    check("ldexp(a, i32(b))", &scaled, Ulps(0.0), |a, b, _| a * b.exp2());
    // 11 bits of significance, to even.
    let halves = one(&[1.0, 1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0, 65504.0, 6e-8, 0.1, -2.5]);
    check("quantizeToF16(a)", &halves, Ulps(0.0), |a, _, _| {
        let exponent = a.abs().log2().floor().max(-14.0);
        let step = (exponent - 10.0).exp2();
        (a / step).round_ties_even() * step
    });
}

#[test]
fn vectors() {
    // Of vec3(a, b, c) and fixed vectors.
    let rows = [[1.0, 2.0, 3.0], [-0.5, 0.25, 4.0], [0.0, 1.0, 0.0], [3.0, -4.0, 12.0]];
    let with = |f: fn([f64; 3]) -> f64| move |a: f64, b: f64, c: f64| f([a, b, c]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    check("dot(vec3(a, b, c), vec3(2, -1, 0.5))", &rows, Ulps(4.0), |a, b, c| {
        dot([a, b, c], [2.0, -1.0, 0.5])
    });
    check("length(vec3(a, b, c))", &rows, Ulps(4.0), with(|v| v[0].hypot(v[1]).hypot(v[2])));
    check(
        "normalize(vec3(a, b, c)).z",
        &rows,
        Ulps(8.0),
        with(|v| v[2] / v[0].hypot(v[1]).hypot(v[2])),
    );
    check("cross(vec3(a, b, c), vec3(2, -1, 0.5)).x", &rows, Ulps(4.0), |_, b, c| b * 0.5 + c);
    check("cross(vec3(a, b, c), vec3(2, -1, 0.5)).y", &rows, Ulps(4.0), |a, _, c| {
        c * 2.0 - a * 0.5
    });
    check("cross(vec3(a, b, c), vec3(2, -1, 0.5)).z", &rows, Ulps(4.0), |a, b, _| -a - b * 2.0);
    check("faceForward(vec3(a, b, c), vec3(1, 0, 0), vec3(a, 1, 1)).z", &rows, Ulps(0.0), {
        |a, _, c| if a < 0.0 { c } else { -c }
    });
    check("reflect(vec3(a, b, c), vec3(0, 1, 0)).y", &rows, Ulps(2.0), |_, b, _| -b);
    let incident = [[0.6, -0.8, 0.0], [0.0, -1.0, 0.0], [0.96, -0.28, 0.0]];
    check("refract(vec3(a, b, c), vec3(0, 1, 0), 1.5).y", &incident, Ulps(16.0), |_, b, _| {
        let k = 1.0 - 2.25 * (1.0 - b * b);
        if k < 0.0 { 0.0 } else { 1.5 * b - (1.5 * b + k.sqrt()) }
    });
    check("determinant(mat2x2(a, b, c, 2))", &rows, Ulps(4.0), |a, b, c| a * 2.0 - b * c);
    check("determinant(mat3x3(a, 1, 2, b, 3, 4, c, 5, 7))", &rows, Absolute(1e-5), |a, b, c| {
        a * (21.0 - 20.0) - b * (7.0 - 10.0) + c * (4.0 - 6.0)
    });
    check(
        "determinant(mat4x4(a, 1, 2, 3, b, 3, 4, 1, c, 5, 7, 2, 1, 1, 2, 2))",
        &rows,
        Absolute(1e-4),
        {
            // By the first column.
            |a, b, c| a - 3.0 * b + 2.0 * c - 2.0
        },
    );
    check("transpose(mat2x3(a, b, c, 4, 5, 6))[1].x", &rows, Ulps(0.0), |_, b, _| b);
    check("(mat2x3(a, b, c, 4, 5, 6) * vec2(2, 3)).z", &rows, Ulps(2.0), |_, _, c| c * 2.0 + 18.0);
    check("(vec3(1, 2, 3) * mat2x3(a, b, c, 4, 5, 6)).x", &rows, Ulps(4.0), |a, b, c| {
        a + 2.0 * b + 3.0 * c
    });
    check("(mat2x2(a, b, c, 1) * mat2x2(1, 2, 3, 4))[1].x", &rows, Ulps(4.0), |a, _, c| {
        3.0 * a + 4.0 * c
    });
    check("(mat2x2(a, b, c, 1) * 2.0 + mat2x2(1, 1, 1, 1))[1].x", &rows, Ulps(2.0), |_, _, c| {
        2.0 * c + 1.0
    });
}
