//! Integers, bools, conversions, words of several numbers.

use crate::run::evaluate;

const WORDS: &[u32] = &[
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    100,
    255,
    256,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0x1234_5678,
    0xf0f0_f0f0,
    0x0001_0000,
];

fn pairs() -> Vec<[u32; 3]> {
    WORDS.iter().flat_map(|&a| WORDS.iter().map(move |&b| [a, b, 0])).collect()
}

#[track_caller]
fn check(
    expression: &str,
    types: [&str; 4],
    arguments: &[[u32; 3]],
    expected: impl Fn(u32, u32, u32) -> u32,
) {
    let results = evaluate(expression, types, arguments);
    for (&[a, b, c], got) in arguments.iter().zip(results) {
        let expected = expected(a, b, c);
        assert_eq!(
            got, expected,
            "{expression} of {a:#x}, {b:#x}, {c:#x}: {got:#x}, {expected:#x}"
        );
    }
}

#[track_caller]
fn unsigned(expression: &str, arguments: &[[u32; 3]], expected: impl Fn(u32, u32, u32) -> u32) {
    check(expression, ["u32"; 4], arguments, expected);
}

#[track_caller]
fn signed(expression: &str, arguments: &[[u32; 3]], expected: impl Fn(i32, i32, i32) -> i32) {
    check(expression, ["i32"; 4], arguments, |a, b, c| {
        expected(a as i32, b as i32, c as i32) as u32
    });
}

#[test]
fn arithmetic_wraps_and_division_by_zero_gives_the_dividend() {
    let all = pairs();
    unsigned("a + b", &all, |a, b, _| a.wrapping_add(b));
    unsigned("a - b", &all, |a, b, _| a.wrapping_sub(b));
    unsigned("a * b", &all, |a, b, _| a.wrapping_mul(b));
    unsigned("a / b", &all, |a, b, _| a.checked_div(b).unwrap_or(a));
    unsigned("a % b", &all, |a, b, _| a.checked_rem(b).unwrap_or(0));
    signed("a + b", &all, |a, b, _| a.wrapping_add(b));
    signed("a * b", &all, |a, b, _| a.wrapping_mul(b));
    // The smallest number by -1 is itself, with no remainder.
    signed("a / b", &all, |a, b, _| if b == 0 { a } else { a.wrapping_div(b) });
    signed("a % b", &all, |a, b, _| if b == 0 { 0 } else { a.wrapping_rem(b) });
    signed("-a", &all, |a, _, _| a.wrapping_neg());
    unsigned("a / 7u", &all, |a, _, _| a / 7);
}

#[test]
fn bits_and_shifts() {
    let all = pairs();
    unsigned("a & b", &all, |a, b, _| a & b);
    unsigned("a | b", &all, |a, b, _| a | b);
    unsigned("a ^ b", &all, |a, b, _| a ^ b);
    unsigned("~a", &all, |a, _, _| !a);
    // Shifts take the count modulo the width.
    unsigned("a << b", &all, |a, b, _| a << (b & 31));
    unsigned("a >> b", &all, |a, b, _| a >> (b & 31));
    check("a >> b", ["i32", "u32", "i32", "i32"], &all, |a, b, _| ((a as i32) >> (b & 31)) as u32);
    unsigned("countOneBits(a)", &all, |a, _, _| a.count_ones());
    unsigned("reverseBits(a)", &all, |a, _, _| a.reverse_bits());
    unsigned("countLeadingZeros(a)", &all, |a, _, _| a.leading_zeros());
    unsigned("countTrailingZeros(a)", &all, |a, _, _| a.trailing_zeros());
    signed("countLeadingZeros(a)", &all, |a, _, _| a.leading_zeros() as i32);
    unsigned("firstLeadingBit(a)", &all, |a, _, _| 31u32.wrapping_sub(a.leading_zeros()));
    signed("firstLeadingBit(a)", &all, |a, _, _| {
        31 - (if a < 0 { !a } else { a }).leading_zeros() as i32
    });
    unsigned("firstTrailingBit(a)", &all, |a, _, _| if a == 0 { !0 } else { a.trailing_zeros() });
}

#[test]
fn bit_fields_end_with_the_word() {
    let rows: Vec<[u32; 3]> = [0x1234_5678, 0xf0f0_f0f0, 0x8000_0001]
        .iter()
        .flat_map(|&a| {
            let places = [0, 1, 4, 16, 31, 32, 33, !0];
            places.into_iter().flat_map(move |o| places.map(|count| [a, o, count]))
        })
        .collect();
    // As the text of the specification has it, in 64 bits.
    let field = |offset: u32, count: u32| {
        let offset = offset.min(32);
        (offset, count.min(32 - offset))
    };
    unsigned("extractBits(a, b, c)", &rows, |a, offset, count| {
        let (offset, count) = field(offset, count);
        (u64::from(a) >> offset & ((1 << count) - 1)) as u32
    });
    check("extractBits(a, b, c)", ["i32", "u32", "u32", "i32"], &rows, |a, offset, count| {
        let (offset, count) = field(offset, count);
        if count == 0 {
            return 0;
        }
        ((i64::from(a as i32) >> offset) << (64 - count) >> (64 - count)) as u32
    });
    unsigned("insertBits(a, 0xdeadbeefu, b, c)", &rows, |a, offset, count| {
        let (offset, count) = field(offset, count);
        let mask = ((1u64 << count) - 1) << offset;
        (u64::from(a) & !mask | u64::from(0xdead_beefu32) << offset & mask) as u32
    });
}

#[test]
fn comparisons_and_bounds() {
    let all = pairs();
    for (operator, f) in [
        ("<", (|a, b| a < b) as fn(i64, i64) -> bool),
        ("<=", |a, b| a <= b),
        (">", |a, b| a > b),
        (">=", |a, b| a >= b),
        ("==", |a, b| a == b),
        ("!=", |a, b| a != b),
    ] {
        unsigned(&format!("select(5u, 9u, a {operator} b)"), &all, |a, b, _| {
            if f(a.into(), b.into()) { 9 } else { 5 }
        });
        signed(&format!("select(5i, 9i, a {operator} b)"), &all, |a, b, _| {
            if f(a.into(), b.into()) { 9 } else { 5 }
        });
    }
    unsigned("min(a, b)", &all, |a, b, _| a.min(b));
    unsigned("max(a, b)", &all, |a, b, _| a.max(b));
    signed("min(a, b)", &all, |a, b, _| a.min(b));
    signed("max(a, b)", &all, |a, b, _| a.max(b));
    signed("clamp(a, -3, 200)", &all, |a, _, _| a.clamp(-3, 200));
    unsigned("clamp(a, 3u, 200u)", &all, |a, _, _| a.clamp(3, 200));
    signed("abs(a)", &all, |a, _, _| a.wrapping_abs());
    signed("sign(a)", &all, |a, _, _| a.signum());
    unsigned("dot(vec3(a, b, 3u), vec3(b, 7u, a))", &all, |a, b, _| {
        a.wrapping_mul(b).wrapping_add(b.wrapping_mul(7)).wrapping_add(a.wrapping_mul(3))
    });
    unsigned("u32(all(vec3((a < b), a != 7u, (b > 1u))))", &all, |a, b, _| {
        u32::from(a < b && a != 7 && b > 1)
    });
    unsigned("u32(any(vec3((a < b), a == 7u, (b > 255u))))", &all, |a, b, _| {
        u32::from(a < b || a == 7 || b > 255)
    });
    unsigned("u32((a < b && b < 100u) || !(a != 7u))", &all, |a, b, _| {
        u32::from((a < b && b < 100) || a == 7)
    });
    unsigned("u32(((a < b) & (b < 100u)) | (a == 7u))", &all, |a, b, _| {
        u32::from(((a < b) & (b < 100)) | (a == 7))
    });
}

#[test]
fn conversions_go_to_the_nearest_value_that_a_float_can_have() {
    let floats: Vec<[u32; 3]> = [
        0.0f32,
        -0.0,
        0.9,
        -0.9,
        1.5,
        -1.5,
        2147483520.0,
        2147483648.0,
        -2147483648.0,
        3e9,
        -3e9,
        4294967040.0,
        4294967296.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ]
    .iter()
    .map(|value| [value.to_bits(), 0, 0])
    .collect();
    check("i32(a)", ["f32", "u32", "u32", "i32"], &floats, |a, _, _| {
        f32::from_bits(a).clamp(-2147483648.0, 2147483520.0) as i32 as u32
    });
    check("u32(a)", ["f32", "u32", "u32", "u32"], &floats, |a, _, _| {
        f32::from_bits(a).clamp(0.0, 4294967040.0) as u32
    });
    check("u32(bool(a))", ["f32", "u32", "u32", "u32"], &floats, |a, _, _| {
        u32::from(f32::from_bits(a) != 0.0)
    });
    let all = pairs();
    check("f32(a)", ["i32", "u32", "u32", "f32"], &all, |a, _, _| (a as i32 as f32).to_bits());
    check("f32(a)", ["u32", "u32", "u32", "f32"], &all, |a, _, _| (a as f32).to_bits());
    check("f32(a > b)", ["u32", "u32", "u32", "f32"], &all, |a, b, _| {
        f32::from(u8::from(a > b)).to_bits()
    });
    check("i32(a)", ["u32", "u32", "u32", "i32"], &all, |a, _, _| a);
    check("bitcast<f32>(a)", ["u32", "u32", "u32", "f32"], &[[0x4049_0fdb, 0, 0]], |a, _, _| a);
    check("bitcast<u32>(-a)", ["f32", "u32", "u32", "u32"], &[[0x4049_0fdb, 0, 0]], |a, _, _| {
        a ^ 0x8000_0000
    });
    unsigned("u32(bool(a))", &all, |a, _, _| u32::from(a != 0));
}

/// Numbers at, between and beyond the steps of small formats, with ties.
fn fractions() -> Vec<[u32; 3]> {
    let values = [
        0.0f32,
        1.0,
        -1.0,
        0.5,
        -0.5,
        0.25,
        -0.25,
        0.1,
        -0.1,
        1.5,
        -7.0,
        0.998,
        0.002,
        1e-9,
        1e9,
        0.5 / 127.0,
        0.5 / 255.0,
        1.5 / 255.0,
        0.3,
    ];
    values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let next = values[(at + 1) % values.len()];
            let after = values[(at + 5) % values.len()];
            [value.to_bits(), next.to_bits(), after.to_bits()]
        })
        .collect()
}

/// `floor(½ + scale·x)` in f32, as the specification has it, of the clamped number.
fn normalized(bits: u32, low: f32, scale: f32) -> u32 {
    let value = f32::from_bits(bits).clamp(low, 1.0);
    (0.5 + scale * value).floor() as i32 as u32
}

#[test]
fn packing() {
    let rows = fractions();
    let floats = ["f32", "f32", "f32", "u32"];
    let bytes =
        |fields: [u32; 4]| fields.iter().rev().fold(0, |word, field| word << 8 | field & 0xff);
    check("pack4x8snorm(vec4(a, b, c, 0.5))", floats, &rows, |a, b, c| {
        bytes([a, b, c, 0.5f32.to_bits()].map(|it| normalized(it, -1.0, 127.0)))
    });
    check("pack4x8unorm(vec4(a, b, c, 0.5))", floats, &rows, |a, b, c| {
        bytes([a, b, c, 0.5f32.to_bits()].map(|it| normalized(it, 0.0, 255.0)))
    });
    check("pack2x16snorm(vec2(a, b))", floats, &rows, |a, b, _| {
        normalized(a, -1.0, 32767.0) & 0xffff | normalized(b, -1.0, 32767.0) << 16
    });
    check("pack2x16unorm(vec2(a, b))", floats, &rows, |a, b, _| {
        normalized(a, 0.0, 65535.0) & 0xffff | normalized(b, 0.0, 65535.0) << 16
    });
    let halves: Vec<[u32; 3]> = [(1.0f32, -2.0f32), (0.5, 65504.0), (0.0, -0.0)]
        .map(|(a, b)| [a.to_bits(), b.to_bits(), 0])
        .to_vec();
    let expected = [0xc000_3c00, 0x7bff_3800, 0x8000_0000];
    assert_eq!(evaluate("pack2x16float(vec2(a, b))", floats, &halves), expected);
    let all = pairs();
    unsigned("pack4xU8(vec4(a, b, 300u, 7u))", &all, |a, b, _| bytes([a, b, 300, 7]));
    unsigned("pack4xU8Clamp(vec4(a, b, 300u, 7u))", &all, |a, b, _| {
        bytes([a, b, 300, 7].map(|it| it.min(255)))
    });
    let mixed = ["i32", "i32", "i32", "u32"];
    check("pack4xI8(vec4(a, b, -300, 7))", mixed, &all, |a, b, _| bytes([a, b, -300i32 as u32, 7]));
    check("pack4xI8Clamp(vec4(a, b, -300, 7))", mixed, &all, |a, b, _| {
        bytes([a, b, -300i32 as u32, 7].map(|it| (it as i32).clamp(-128, 127) as u32))
    });
}

#[test]
fn unpacking() {
    let all: Vec<[u32; 3]> = WORDS.iter().map(|&word| [word, 0, 0]).collect();
    let types = ["u32", "u32", "u32", "f32"];
    let byte = |word: u32, at: usize| word.to_le_bytes()[at];
    let half = |word: u32, at: usize| (word >> (16 * at)) as u16;
    for at in 0..4 {
        check(&format!("unpack4x8unorm(a)[{at}]"), types, &all, |a, _, _| {
            (f32::from(byte(a, at)) / 255.0).to_bits()
        });
        check(&format!("unpack4x8snorm(a)[{at}]"), types, &all, |a, _, _| {
            (f32::from(byte(a, at) as i8) / 127.0).max(-1.0).to_bits()
        });
        unsigned(&format!("unpack4xU8(a)[{at}]"), &all, |a, _, _| byte(a, at).into());
        check(&format!("unpack4xI8(a)[{at}]"), ["u32", "u32", "u32", "i32"], &all, |a, _, _| {
            i32::from(byte(a, at) as i8) as u32
        });
    }
    for at in 0..2 {
        check(&format!("unpack2x16unorm(a)[{at}]"), types, &all, |a, _, _| {
            (f32::from(half(a, at)) / 65535.0).to_bits()
        });
        check(&format!("unpack2x16snorm(a)[{at}]"), types, &all, |a, _, _| {
            (f32::from(half(a, at) as i16) / 32767.0).max(-1.0).to_bits()
        });
    }
    let words = [0xc000_3c00u32, 0x7bff_3800, 0x0001_8001].map(|word| [word, 0, 0]);
    let low = [1.0f32, 0.5, -(2f32.powi(-24))].map(f32::to_bits);
    let high = [-2.0f32, 65504.0, 2f32.powi(-24)].map(f32::to_bits);
    assert_eq!(evaluate("unpack2x16float(a).x", types, &words), low);
    assert_eq!(evaluate("unpack2x16float(a).y", types, &words), high);
    let all = pairs();
    check("dot4U8Packed(a, b)", ["u32"; 4], &all, |a, b, _| {
        (0..4).map(|at| u32::from(byte(a, at)) * u32::from(byte(b, at))).sum()
    });
    check("dot4I8Packed(a, b)", ["u32", "u32", "u32", "i32"], &all, |a, b, _| {
        let parts = (0..4).map(|at| i32::from(byte(a, at) as i8) * i32::from(byte(b, at) as i8));
        parts.sum::<i32>() as u32
    });
}
