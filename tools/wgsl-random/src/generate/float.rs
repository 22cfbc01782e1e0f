//! Expressions of floats without error.

use super::Generator;
use super::expression::{binary, builtin, float, literal, splat};
use crate::ast::{Expr, Kind, Scalar, Type, scalar};

/// The limits of an expression: magnitudes up to 2^`whole`, multiples of 2^-`fraction`.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    whole: i32,
    fraction: i32,
}

/// The limits of variables: from -64 to 64 in steps of 1/8.
const LIMITED: Bits = Bits { whole: 6, fraction: 3 };

impl Bits {
    fn new(whole: i32, fraction: i32) -> Bits {
        Bits { whole, fraction }
    }

    fn either(self, other: Bits) -> Bits {
        Bits::new(self.whole.max(other.whole), self.fraction.max(other.fraction))
    }

    fn times(self, other: Bits) -> Bits {
        Bits::new(self.whole + other.whole, self.fraction + other.fraction)
    }

    /// The sum of 2^`more` terms.
    fn sum(self, more: i32) -> Bits {
        Bits::new(self.whole + more, self.fraction)
    }

    /// A float has all of the bits.
    fn fits(self) -> bool {
        self.whole + self.fraction <= 22
    }
}

impl Generator<'_, '_> {
    /// Returns a float or a vector of floats: multiples of 1/8 from -64 to 64.
    pub(super) fn limited(&mut self, size: u8, depth: u32) -> Expr {
        let (value, bits) = self.float(size, depth);
        if bits.whole <= LIMITED.whole && bits.fraction <= LIMITED.fraction {
            return value;
        }
        if self.constant {
            // Functions cannot be called there.
            return self.float_literal(size);
        }
        builtin(value.ty.clone(), "norm", vec![value])
    }

    fn float_literal(&mut self, size: u8) -> Expr {
        if size > 1 && self.choices.one_in(2) {
            let parts = (0..size).map(|_| literal(Scalar::F32, self.float_word())).collect();
            return Expr { ty: Type::Vector(size, Scalar::F32), kind: Kind::Construct(parts) };
        }
        let word = self.float_word();
        splat(size, literal(Scalar::F32, word))
    }

    /// Returns a float or a vector of floats, and its limits.
    pub(super) fn float(&mut self, size: u8, depth: u32) -> (Expr, Bits) {
        if depth > 0
            && let Some((value, bits)) = self.computed(size, depth - 1)
            && bits.fits()
        {
            return (value, bits);
        }
        let ty = Type::Vector(size, Scalar::F32);
        let loaded = match self.choices.one_in(4) {
            true => None,
            false if depth > 0 => self.common(&ty, depth),
            false => self.load(&ty),
        };
        (loaded.unwrap_or_else(|| self.float_literal(size)), LIMITED)
    }

    fn computed(&mut self, size: u8, depth: u32) -> Option<(Expr, Bits)> {
        let ty = Type::Vector(size, Scalar::F32);
        let (a, of_a) = self.float(size, depth);
        Some(match self.choices.below(14) {
            0..=2 => {
                let (b, of_b) = self.float(size, depth);
                let operator = self.choices.pick(&["+", "-", "*"]);
                let bits = match operator {
                    "*" => of_a.times(of_b),
                    _ => of_a.either(of_b).sum(1),
                };
                let [a, b] = self.unfold(vec![a, b]).try_into().ok()?;
                (binary(ty, operator, a, b), bits)
            }
            3 => {
                let value = self.unfold(vec![a]).pop()?;
                (Expr { ty, kind: Kind::Unary("-", Box::new(value)) }, of_a)
            }
            4..=6 => self.float_function(ty, (a, of_a), depth)?,
            7 => {
                // By a power of two.
                let power = self.choices.below(3) as i32;
                let divisor = splat(size, float((1 << power) as f32));
                let [a, divisor] = self.unfold(vec![a, divisor]).try_into().ok()?;
                match self.choices.one_in(2) {
                    true => {
                        let bits = Bits::new(of_a.whole, of_a.fraction + power);
                        (binary(ty, "/", a, divisor), bits)
                    }
                    false => (binary(ty, "%", a, divisor), of_a),
                }
            }
            8 if !self.constant => {
                let from = self.choices.pick(&[Scalar::I32, Scalar::U32, Scalar::Bool]);
                let from_type = Type::Vector(size, from);
                let mut value = self.dynamic(&from_type, depth);
                if from != Scalar::Bool {
                    let mask = splat(size, literal(from, 63));
                    value = binary(from_type, "&", value, mask);
                }
                (Expr { ty, kind: Kind::Convert(Box::new(value)) }, Bits::new(6, 0))
            }
            9 if size > 1 && !self.constant => {
                let inner = 2 + self.choices.below(3) as u8;
                let bits = LIMITED.times(LIMITED).sum(2);
                match self.choices.one_in(2) {
                    true => {
                        let matrix = self.expr(&Type::Matrix(inner, size), depth);
                        let vector = self.dynamic(&Type::Vector(inner, Scalar::F32), depth);
                        (binary(ty, "*", matrix, vector), bits)
                    }
                    false => {
                        let matrix = self.expr(&Type::Matrix(size, inner), depth);
                        let vector = self.dynamic(&Type::Vector(inner, Scalar::F32), depth);
                        (binary(ty, "*", vector, matrix), bits)
                    }
                }
            }
            10 if size == 1 && !self.constant => match self.choices.below(3) {
                0 => {
                    let matrix = self.expr(&Type::Matrix(2, 2), depth);
                    (builtin(ty, "determinant", vec![matrix]), LIMITED.times(LIMITED).sum(1))
                }
                _ => {
                    let size = 2 + self.choices.below(3) as u8;
                    let ((a, of_a), (b, of_b)) = (self.float(size, depth), self.float(size, depth));
                    let arguments = self.unfold(vec![a, b]);
                    (builtin(ty, "dot", arguments), of_a.times(of_b).sum(2))
                }
            },
            11 if size == 3 && !self.constant => {
                let (b, of_b) = self.float(size, depth);
                let arguments = self.unfold(vec![a, b]);
                (builtin(ty, "cross", arguments), of_a.times(of_b).sum(1))
            }
            12 => (self.assembled(size, Scalar::F32, depth), LIMITED),
            13 if size == 2 && !self.constant => {
                // Numbers that f16 has; the sum is never 0, because a 0 may lose its sign.
                let value = self.limited(size, depth);
                let arguments = self.unfold(vec![value]);
                let value =
                    binary(ty.clone(), "+", builtin(ty.clone(), "abs", arguments), float(1.0));
                let word = builtin(scalar(Scalar::U32), "pack2x16float", vec![value]);
                (builtin(ty, "unpack2x16float", vec![word]), Bits::new(7, 3))
            }
            _ => return None,
        })
    }

    fn float_function(
        &mut self,
        ty: Type,
        (a, of_a): (Expr, Bits),
        depth: u32,
    ) -> Option<(Expr, Bits)> {
        let Type::Vector(size, _) = ty else { return None };
        let functions: &[&str] = match self.constant {
            true => &["abs", "ceil", "floor", "trunc", "sign", "min", "max", "saturate"],
            false => &[
                "abs",
                "ceil",
                "floor",
                "trunc",
                "round",
                "fract",
                "sign",
                "saturate",
                "min",
                "max",
                "clamp",
                "step",
                "mix",
                "fma",
                "modf.whole",
                "modf.fract",
                "frexp.fract",
                "ldexp",
                "reflect",
                "faceForward",
            ],
        };
        let function = self.choices.pick(functions);
        let mut arguments = vec![a];
        let bits = match function {
            "abs" => of_a,
            "ceil" | "floor" | "trunc" | "round" | "modf.whole" => Bits::new(of_a.whole, 0),
            "fract" | "modf.fract" | "saturate" => Bits::new(0, of_a.fraction),
            "frexp.fract" => Bits::new(0, of_a.whole + of_a.fraction + 1),
            "sign" => Bits::new(0, 0),
            "min" | "max" | "step" => {
                let (b, of_b) = self.float(size, depth);
                arguments.push(b);
                if function == "step" { Bits::new(0, 0) } else { of_a.either(of_b) }
            }
            "clamp" => {
                let low = self.choices.below(9) as f32 - 6.0;
                let high = low + self.choices.below(9) as f32;
                arguments.extend([splat(size, float(low)), splat(size, float(high))]);
                Bits::new(4.max(of_a.whole), of_a.fraction)
            }
            "mix" => {
                let ((b, of_b), (c, of_c)) = (self.float(size, depth), self.float(size, depth));
                arguments.extend([b, c]);
                of_a.either(of_b).sum(1).times(of_c.sum(1)).sum(1)
            }
            "fma" => {
                let ((b, of_b), (c, of_c)) = (self.float(size, depth), self.float(size, depth));
                arguments.extend([b, c]);
                of_a.times(of_b).either(of_c).sum(1)
            }
            "ldexp" => {
                let exponent = literal(Scalar::I32, self.choices.below(4));
                let exponent = splat(size, exponent);
                // From -2 to 1.
                let two = splat(size, literal(Scalar::I32, !1));
                let integers = Type::Vector(size, Scalar::I32);
                let read = self.reads(&integers);
                let bounded = binary(integers.clone(), "&", read, exponent);
                arguments.push(binary(integers, "+", bounded, two));
                Bits::new(of_a.whole + 1, of_a.fraction + 2)
            }
            "reflect" if size > 1 => {
                let (b, of_b) = self.float(size, depth);
                arguments.push(b);
                of_a.times(of_b).times(of_b).sum(4)
            }
            "faceForward" if size > 1 => {
                let ((b, of_b), (c, of_c)) = (self.float(size, depth), self.float(size, depth));
                arguments.extend([b, c]);
                if !of_b.times(of_c).sum(2).fits() {
                    return None;
                }
                of_a
            }
            _ => return None,
        };
        let arguments = self.unfold(arguments);
        Some((builtin(ty, function, arguments), bits))
    }
}
