//! Operators and built-in functions, from the specification of WGSL.

use crate::ast::{Scalar, Type};

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn kind(ty: &Type) -> Scalar {
    match ty {
        Type::Vector(_, kind) => *kind,
        _ => Scalar::F32,
    }
}

/// Returns a value with an operator before it.
pub(crate) fn unary(operator: &str, ty: &Type, words: Vec<u32>) -> Vec<u32> {
    let each = |word: u32| match (operator, kind(ty)) {
        ("-", Scalar::F32) => (-float(word)).to_bits(),
        ("-", _) => word.wrapping_neg(),
        ("!", _) => 1 - word,
        _ => !word,
    };
    words.into_iter().map(each).collect()
}

/// Returns the result of an operator between two values.
pub(crate) fn binary(
    operator: &str,
    (left_type, left): (&Type, Vec<u32>),
    (right_type, right): (&Type, Vec<u32>),
) -> Vec<u32> {
    if operator == "*" {
        match (left_type, right_type) {
            (Type::Matrix(_, rows), Type::Matrix(..) | Type::Vector(2.., _)) => {
                return product(usize::from(*rows), &left, &right, left_type);
            }
            (Type::Vector(2.., _), Type::Matrix(..)) => {
                let size = left.len();
                return right.chunks(size).map(|column| dot(&left, column)).collect();
            }
            _ => {}
        }
    }
    let count = left.len().max(right.len());
    let at = |words: &[u32], at: usize| if words.len() == 1 { words[0] } else { words[at] };
    let kind = kind(left_type);
    (0..count).map(|index| operate(operator, kind, at(&left, index), at(&right, index))).collect()
}

/// Returns a matrix times a vector, or times each column of a matrix.
fn product(rows: usize, left: &[u32], right: &[u32], left_type: &Type) -> Vec<u32> {
    let Type::Matrix(columns, _) = left_type else { return Vec::new() };
    let mut words = Vec::new();
    for vector in right.chunks(usize::from(*columns)) {
        for row in 0..rows {
            let terms = left.chunks(rows).zip(vector);
            let sum: f32 = terms.map(|(column, factor)| float(column[row]) * float(*factor)).sum();
            words.push(sum.to_bits());
        }
    }
    words
}

fn dot(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).map(|(a, b)| float(*a) * float(*b)).sum::<f32>().to_bits()
}

fn operate(operator: &str, kind: Scalar, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    if kind == Scalar::F32 {
        let (a, b) = (float(a), float(b));
        return match operator {
            "+" => (a + b).to_bits(),
            "-" => (a - b).to_bits(),
            "*" => (a * b).to_bits(),
            "/" => (a / b).to_bits(),
            "%" => (a - b * (a / b).trunc()).to_bits(),
            "==" => (a == b).into(),
            "!=" => (a != b).into(),
            "<" => (a < b).into(),
            "<=" => (a <= b).into(),
            ">" => (a > b).into(),
            _ => (a >= b).into(),
        };
    }
    let signed = kind == Scalar::I32;
    match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if b == 0 => a,
        "/" if signed => signed_a.wrapping_div(signed_b) as u32,
        "/" => a / b,
        "%" if b == 0 => 0,
        "%" if signed => signed_a.wrapping_rem(signed_b) as u32,
        "%" => a % b,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a << (b & 31),
        ">>" if signed => (signed_a >> (b & 31)) as u32,
        ">>" => a >> (b & 31),
        "==" => (a == b).into(),
        "!=" => (a != b).into(),
        "<" => if signed { signed_a < signed_b } else { a < b }.into(),
        "<=" => if signed { signed_a <= signed_b } else { a <= b }.into(),
        ">" => if signed { signed_a > signed_b } else { a > b }.into(),
        _ => if signed { signed_a >= signed_b } else { a >= b }.into(),
    }
}

/// Converts a scalar.
pub(crate) fn convert(from: Scalar, to: Scalar, word: u32) -> u32 {
    match (from, to) {
        (Scalar::F32, Scalar::I32) => float(word).clamp(-2147483648.0, 2147483520.0) as i32 as u32,
        (Scalar::F32, Scalar::U32) => float(word).clamp(0.0, 4294967040.0) as u32,
        (Scalar::F32, Scalar::Bool) => (float(word) != 0.0).into(),
        (Scalar::I32, Scalar::F32) => (word as i32 as f32).to_bits(),
        (Scalar::U32 | Scalar::Bool, Scalar::F32) => (word as f32).to_bits(),
        (_, Scalar::Bool) => (word != 0).into(),
        _ => word,
    }
}

/// Returns the result of a built-in function that has exactly one.
pub(crate) fn exact(name: &str, result: &Type, arguments: &[(&Type, Vec<u32>)]) -> Vec<u32> {
    let (first_type, first) = &arguments[0];
    let kind = kind(first_type);
    let words = |at: usize| -> &[u32] { &arguments[at].1 };
    let component = |at: usize, index: usize| -> u32 {
        let words = words(at);
        if words.len() == 1 { words[0] } else { words[index] }
    };
    let bytes = |word: u32| word.to_le_bytes();
    match name {
        "norm" => first
            .iter()
            .map(|&word| ((float(word) * 8.0).floor() * 0.125).clamp(-64.0, 64.0).to_bits())
            .collect(),
        "all" => vec![u32::from(first.iter().all(|&word| word != 0))],
        "any" => vec![u32::from(first.iter().any(|&word| word != 0))],
        "dot" if kind == Scalar::F32 => vec![dot(first, words(1))],
        "dot" => {
            let products = first.iter().zip(words(1)).map(|(a, b)| a.wrapping_mul(*b));
            vec![products.fold(0, u32::wrapping_add)]
        }
        "cross" => {
            let (a, b) = (first, words(1));
            let minor = |i: usize, j: usize| {
                (float(a[i]) * float(b[j]) - float(a[j]) * float(b[i])).to_bits()
            };
            vec![minor(1, 2), minor(2, 0), minor(0, 1)]
        }
        "reflect" => {
            let twice = 2.0 * float(dot(words(1), first));
            let each = |(e, n): (&u32, &u32)| (float(*e) - twice * float(*n)).to_bits();
            first.iter().zip(words(1)).map(each).collect()
        }
        "faceForward" => {
            let flip = float(dot(words(1), words(2))) >= 0.0;
            first.iter().map(|&e| if flip { (-float(e)).to_bits() } else { e }).collect()
        }
        "determinant" => {
            let at = |index: usize| float(first[index]);
            vec![(at(0) * at(3) - at(1) * at(2)).to_bits()]
        }
        "transpose" => {
            let (Type::Matrix(columns, rows), count) = (result, first.len()) else {
                return Vec::new();
            };
            // The result's rows are the argument's columns.
            let (columns, rows) = (usize::from(*columns), usize::from(*rows));
            (0..count).map(|at| first[(at % rows) * columns + at / rows]).collect()
        }
        "dot4U8Packed" => {
            let pairs = bytes(first[0]).into_iter().zip(bytes(words(1)[0]));
            vec![pairs.map(|(a, b)| u32::from(a) * u32::from(b)).sum()]
        }
        "dot4I8Packed" => {
            let pairs = bytes(first[0]).into_iter().zip(bytes(words(1)[0]));
            let sum: i32 = pairs.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum();
            vec![sum as u32]
        }
        "pack4xU8" | "pack4xI8" => {
            vec![u32::from_le_bytes(std::array::from_fn(|at| first[at] as u8))]
        }
        "pack4xU8Clamp" => {
            vec![u32::from_le_bytes(std::array::from_fn(|at| first[at].min(255) as u8))]
        }
        "pack4xI8Clamp" => {
            let limited = |at: usize| (first[at] as i32).clamp(-128, 127) as u8;
            vec![u32::from_le_bytes(std::array::from_fn(limited))]
        }
        "unpack4xU8" => bytes(first[0]).map(u32::from).to_vec(),
        "unpack4xI8" => bytes(first[0]).map(|byte| i32::from(byte as i8) as u32).to_vec(),
        "pack2x16float" => {
            vec![first.iter().rev().fold(0, |word, &it| word << 16 | u32::from(half(float(it))))]
        }
        "unpack2x16float" => {
            [first[0] as u16, (first[0] >> 16) as u16].map(|it| single(it).to_bits()).to_vec()
        }
        "pack4x8unorm" => normalized(first, 0.0, 255.0, 8),
        "pack4x8snorm" => normalized(first, -1.0, 127.0, 8),
        "pack2x16unorm" => normalized(first, 0.0, 65535.0, 16),
        "pack2x16snorm" => normalized(first, -1.0, 32767.0, 16),
        _ => {
            let count = match result {
                Type::Vector(size, _) => usize::from(*size),
                _ => first.len(),
            };
            let each = |index: usize| {
                let argument = |at: usize| component(at.min(arguments.len() - 1), index);
                match name {
                    "select" => {
                        if argument(2) != 0 {
                            argument(1)
                        } else {
                            argument(0)
                        }
                    }
                    _ if kind == Scalar::F32 => {
                        float_function(name, [argument(0), argument(1), argument(2)])
                    }
                    _ => integer_function(
                        name,
                        kind == Scalar::I32,
                        [argument(0), argument(1), argument(2), argument(3)],
                    ),
                }
            };
            (0..count).map(each).collect()
        }
    }
}

/// Packs clamped floats as fields of `bits` bits, rounded as `floor(½ + scale·x)`.
fn normalized(words: &[u32], low: f32, scale: f32, bits: u32) -> Vec<u32> {
    let field = |word: u32| {
        let value = f64::from(float(word).clamp(low, 1.0)) * f64::from(scale);
        (value + 0.5).floor() as i32 as u32 & ((1 << bits) - 1)
    };
    vec![words.iter().rev().fold(0, |packed, &word| packed << bits | field(word))]
}

/// Returns the f16 of a number that f16 has.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    if value == 0.0 {
        return sign;
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    let fraction = (bits >> 13 & 0x3ff) as u16;
    sign | (exponent as u16) << 10 | fraction
}

/// Returns the f32 of an f16 that is finite.
fn single(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

fn float_function(name: &str, [a, b, c]: [u32; 3]) -> u32 {
    let (a, b, c) = (float(a), float(b), float(c));
    let result = match name {
        "abs" => a.abs(),
        "ceil" => a.ceil(),
        "floor" => a.floor(),
        "trunc" => a.trunc(),
        "round" => a.round_ties_even(),
        "fract" => a - a.floor(),
        "sign" if a == 0.0 => 0.0,
        "sign" => a.signum(),
        "saturate" => a.clamp(0.0, 1.0),
        "min" => a.min(b),
        "max" => a.max(b),
        "clamp" => a.clamp(b, c),
        "step" => f32::from(u8::from(b >= a)),
        "mix" => a * (1.0 - c) + b * c,
        "fma" => a * b + c,
        "modf.whole" => a.trunc(),
        "modf.fract" => a - a.trunc(),
        "frexp.fract" | "frexp.exp" => {
            // The arguments are 0 or far from the ends of the format.
            let exponent = if a == 0.0 { 0 } else { (a.to_bits() >> 23 & 0xff) as i32 - 126 };
            if name == "frexp.exp" {
                return exponent as u32;
            }
            a * 2f32.powi(-exponent)
        }
        "ldexp" => a * 2f32.powi(b.to_bits() as i32),
        _ => unreachable!("the generator makes no {name}"),
    };
    result.to_bits()
}

fn integer_function(name: &str, signed: bool, [a, b, c, d]: [u32; 4]) -> u32 {
    let (x, y, z) = (a as i32, b as i32, c as i32);
    match name {
        "abs" if signed => x.wrapping_abs() as u32,
        "abs" => a,
        "sign" => x.signum() as u32,
        "min" if signed => x.min(y) as u32,
        "min" => a.min(b),
        "max" if signed => x.max(y) as u32,
        "max" => a.max(b),
        "clamp" if signed => x.max(y).min(z) as u32,
        "clamp" => a.max(b).min(c),
        "countOneBits" => a.count_ones(),
        "reverseBits" => a.reverse_bits(),
        "countLeadingZeros" => a.leading_zeros(),
        "countTrailingZeros" => a.trailing_zeros(),
        "firstTrailingBit" => {
            if a == 0 {
                !0
            } else {
                a.trailing_zeros()
            }
        }
        "firstLeadingBit" if signed => {
            31u32.wrapping_sub((if x < 0 { !a } else { a }).leading_zeros())
        }
        "firstLeadingBit" => 31u32.wrapping_sub(a.leading_zeros()),
        "extractBits" => {
            let offset = b.min(32);
            let count = c.min(32 - offset);
            if count == 0 {
                return 0;
            }
            let top = u64::from(a) << 32 << (32 - offset - count);
            match signed {
                true => ((top as i64) >> (64 - count)) as u32,
                false => (top >> (64 - count)) as u32,
            }
        }
        "insertBits" => {
            let offset = c.min(32);
            let count = d.min(32 - offset);
            let mask = ((1u64 << count) - 1) << offset;
            (u64::from(a) & !mask | u64::from(b) << offset & mask) as u32
        }
        _ => unreachable!("the generator makes no {name}"),
    }
}

/// Returns the distance of f32 numbers near `value`.
fn ulp(value: f64) -> f64 {
    let magnitude = (value.abs() as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
    f64::from(magnitude.next_up()) - f64::from(magnitude)
}

/// Returns the error that WGSL allows a logarithm.
fn log_error(argument: f64, result: f64) -> f64 {
    if (0.5..=2.0).contains(&argument) { 2f64.powi(-21) } else { 3.0 * ulp(result) }
}

/// Returns a component of a function's result, and the absolute error that WGSL allows. Where the
/// accuracy is inherited from an expression, the error is that of the expression.
pub(crate) fn approximate(name: &str, arguments: &[Vec<f64>], component: usize) -> (f64, f64) {
    let a = arguments[0].get(component).or(arguments[0].first()).copied().unwrap_or(0.0);
    let second = arguments.get(1);
    let b = second.and_then(|it| it.get(component).or(it.first())).copied().unwrap_or(0.0);
    let square = |vector: &[f64]| vector.iter().map(|it| it * it).sum::<f64>();
    let sine = 2f64.powi(-11);
    match name {
        "/" => (a / b, 2.5 * ulp(a / b)),
        "sin" => (a.sin(), sine),
        "cos" => (a.cos(), sine),
        "tan" => {
            let most = (a.sin().abs() + sine) / (a.cos().abs() - sine);
            (a.tan(), most - a.tan().abs() + 2.5 * ulp(most))
        }
        "exp" => (a.exp(), (3.0 + 2.0 * a.abs()) * ulp(a.exp())),
        "exp2" => (a.exp2(), (3.0 + 2.0 * a.abs()) * ulp(a.exp2())),
        "log" => (a.ln(), log_error(a, a.ln())),
        "log2" => (a.log2(), log_error(a, a.log2())),
        "pow" => {
            let exponent = b * a.log2();
            let off = b.abs() * log_error(a, a.log2()) + ulp(exponent);
            let result = exponent.exp2();
            (result, result * (off.exp2() - 1.0) + (3.0 + 2.0 * exponent.abs()) * ulp(result))
        }
        "sqrt" => (a.sqrt(), 4.5 * ulp(a.sqrt())),
        "inverseSqrt" => (1.0 / a.sqrt(), 2.0 * ulp(1.0 / a.sqrt())),
        "asin" => (a.asin(), 6.77e-5),
        "acos" => (a.acos(), 6.77e-5),
        "atan" => (a.atan(), 4096.0 * ulp(a.atan())),
        "atan2" => (a.atan2(b), 4096.0 * ulp(a.atan2(b))),
        "sinh" => (a.sinh(), (4.0 + 2.0 * a.abs()) * ulp(a.abs().exp())),
        "cosh" => (a.cosh(), (4.0 + 2.0 * a.abs()) * ulp(a.abs().exp())),
        "tanh" => (a.tanh(), 1e-5),
        // Logarithms of sums with a root: the root's error counts most near 0.
        "asinh" => (a.asinh(), 2e-6 * (1.0 + a * a)),
        "acosh" => (a.acosh(), 1e-3),
        "atanh" => (a.atanh(), 1e-5),
        "length" => {
            let result = square(&arguments[0]).sqrt();
            (result, 6.0 * ulp(result))
        }
        "distance" => {
            let between: Vec<f64> =
                arguments[0].iter().zip(&arguments[1]).map(|(a, b)| a - b).collect();
            let result = square(&between).sqrt();
            (result, 6.0 * ulp(result))
        }
        "normalize" => {
            let result = a / square(&arguments[0]).sqrt();
            (result, 10.0 * ulp(result))
        }
        "smoothstep" => {
            let x = arguments[2].get(component).or(arguments[2].first()).copied().unwrap_or(0.0);
            let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
            (t * t * (3.0 - 2.0 * t), 2e-6)
        }
        "degrees" => (a.to_degrees(), 2.5 * ulp(a.to_degrees())),
        "radians" => (a.to_radians(), 2.5 * ulp(a.to_radians())),
        "quantizeToF16" => (a, a.abs() * 2f64.powi(-10)),
        "unpack4x8unorm" | "unpack4x8snorm" | "unpack2x16unorm" | "unpack2x16snorm" => {
            let word = arguments[0][0] as u32;
            let bits = if name.contains("4x8") { 8 } else { 16 };
            let field = word >> (bits * component as u32) & ((1 << bits) - 1);
            let result = match name.ends_with("unorm") {
                true => f64::from(field) / f64::from((1u32 << bits) - 1),
                false => {
                    let signed = (field << (32 - bits)) as i32 >> (32 - bits);
                    (f64::from(signed) / f64::from((1u32 << (bits - 1)) - 1)).max(-1.0)
                }
            };
            (result, 3.0 * ulp(result))
        }
        _ => unreachable!("the generator makes no {name}"),
    }
}
