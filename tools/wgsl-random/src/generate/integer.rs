//! Expressions of integers.

use super::Generator;
use super::expression::{binary, builtin, literal, splat};
use crate::ast::{Expr, Kind, Scalar, Type, scalar};

impl Generator<'_, '_> {
    /// Returns an integer or a vector of integers.
    pub(super) fn integer(&mut self, size: u8, kind: Scalar, depth: u32) -> Expr {
        let ty = Type::Vector(size, kind);
        if depth == 0 {
            let loaded = if self.choices.one_in(3) { None } else { self.load(&ty) };
            return loaded.unwrap_or_else(|| self.integer_literal(size, kind));
        }
        let depth = depth - 1;
        match self.choices.below(16) {
            0..=3 => self.operator(size, kind, depth),
            4..=6 => self.integer_function(size, kind, depth),
            7 if !self.constant => {
                let other = if kind == Scalar::I32 { Scalar::U32 } else { Scalar::I32 };
                let from = self.choices.pick(&[other, Scalar::F32, Scalar::Bool]);
                let value = self.dynamic(&Type::Vector(size, from), depth);
                Expr { ty, kind: Kind::Convert(Box::new(value)) }
            }
            8 if !self.constant => {
                let other = if kind == Scalar::I32 { Scalar::U32 } else { Scalar::I32 };
                let value = if self.choices.one_in(2) {
                    self.dynamic(&Type::Vector(size, other), depth)
                } else {
                    // Never 0, because a 0 may lose its sign.
                    let (value, one) = (self.limited(size, depth), super::expression::float(1.0));
                    let floats = Type::Vector(size, Scalar::F32);
                    let value = builtin(floats.clone(), "abs", self.unfold(vec![value]));
                    binary(floats, "+", value, one)
                };
                Expr { ty, kind: Kind::Bitcast(Box::new(value)) }
            }
            9 => self.assembled(size, kind, depth),
            10 if size == 1 && kind == Scalar::U32 && !self.constant => self.packed(depth),
            10 if size == 1 && !self.constant => {
                let word = scalar(Scalar::U32);
                let (a, b) = (self.dynamic(&word, depth), self.integer(1, Scalar::U32, depth));
                builtin(ty, "dot4I8Packed", vec![a, b])
            }
            11 if size == 4 && !self.constant => {
                let function = if kind == Scalar::I32 { "unpack4xI8" } else { "unpack4xU8" };
                let value = self.dynamic(&scalar(Scalar::U32), depth);
                builtin(ty, function, vec![value])
            }
            12 if size == 1 && !self.constant => {
                let size = 2 + self.choices.below(3) as u8;
                let vector = Type::Vector(size, kind);
                let (a, b) = (self.dynamic(&vector, depth), self.integer(size, kind, depth));
                builtin(ty, "dot", vec![a, b])
            }
            13 if kind == Scalar::I32 && !self.constant => {
                let value = self.dynamic(&Type::Vector(size, Scalar::F32), depth);
                builtin(ty, "frexp.exp", vec![value])
            }
            _ => match self.common(&ty, depth) {
                Some(value) => value,
                None => self.integer_literal(size, kind),
            },
        }
    }

    fn integer_literal(&mut self, size: u8, kind: Scalar) -> Expr {
        if size > 1 && self.choices.one_in(2) {
            let parts = (0..size).map(|_| literal(kind, self.choices.word())).collect();
            return Expr { ty: Type::Vector(size, kind), kind: Kind::Construct(parts) };
        }
        let word = self.choices.word();
        splat(size, literal(kind, word))
    }

    /// Returns an operator with its operands. Of constants, only operators that cannot overflow.
    fn operator(&mut self, size: u8, kind: Scalar, depth: u32) -> Expr {
        let ty = Type::Vector(size, kind);
        if self.constant {
            let operator = self.choices.pick(&["&", "|", "^"]);
            let (a, b) = (self.integer(size, kind, depth), self.integer(size, kind, depth));
            return binary(ty, operator, a, b);
        }
        let operator =
            self.choices.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "-x", "~x"]);
        match operator {
            "-x" | "~x" => {
                let operator = if operator == "-x" && kind == Scalar::I32 { "-" } else { "~" };
                let value = self.dynamic(&ty, depth);
                Expr { ty, kind: Kind::Unary(operator, Box::new(value)) }
            }
            "<<" | ">>" => {
                let counts = Type::Vector(size, Scalar::U32);
                let (a, b) = (self.dynamic(&ty, depth), self.count(&counts, depth));
                binary(ty, operator, a, b)
            }
            _ => {
                // A scalar may stand on either side of a vector.
                let bitwise = matches!(operator, "&" | "|" | "^");
                let (left, right) = match self.choices.below(4) {
                    0 if !bitwise => (1, size),
                    1 if !bitwise => (size, 1),
                    _ => (size, size),
                };
                let a = self.dynamic(&Type::Vector(left, kind), depth);
                let b = match operator {
                    "/" | "%" => self.dynamic(&Type::Vector(right, kind), depth),
                    _ => self.integer(right, kind, depth),
                };
                binary(ty, operator, a, b)
            }
        }
    }

    /// Returns counts of a shift, also 32 and more. No component is a literal, which naga would refuse from 32 on.
    pub(super) fn count(&mut self, ty: &Type, depth: u32) -> Expr {
        let Type::Vector(size, _) = ty else { unreachable!("counts are vectors") };
        let value = self.dynamic(ty, depth);
        let limit = self.choices.pick(&[63, 127, !0]);
        binary(ty.clone(), "&", value, splat(*size, literal(Scalar::U32, limit)))
    }

    fn integer_function(&mut self, size: u8, kind: Scalar, depth: u32) -> Expr {
        let ty = Type::Vector(size, kind);
        let functions: &[&str] = match self.constant {
            true => &["min", "max"],
            false => &[
                "min",
                "max",
                "abs",
                "sign",
                "clamp",
                "countOneBits",
                "reverseBits",
                "countLeadingZeros",
                "countTrailingZeros",
                "firstTrailingBit",
                "firstLeadingBit",
                "extractBits",
                "insertBits",
            ],
        };
        let function = match self.choices.pick(functions) {
            // Of signed integers only.
            "sign" if kind == Scalar::U32 => "abs",
            function => function,
        };
        let mut arguments = vec![self.dynamic(&ty, depth)];
        let word = scalar(Scalar::U32);
        match function {
            "min" | "max" => arguments.push(self.integer(size, kind, depth)),
            "clamp" => {
                arguments.extend([self.integer(size, kind, depth), self.dynamic(&ty, depth)])
            }
            "extractBits" => {
                arguments.extend([self.dynamic(&word, depth), self.integer(1, Scalar::U32, 0)]);
            }
            "insertBits" => {
                arguments.push(self.integer(size, kind, depth));
                arguments.extend([self.dynamic(&word, depth), self.integer(1, Scalar::U32, 0)]);
            }
            _ => {}
        }
        builtin(ty, function, arguments)
    }

    /// Returns a word with several numbers.
    fn packed(&mut self, depth: u32) -> Expr {
        let (function, size, kind) = self.choices.pick(&[
            ("pack4xI8", 4, Scalar::I32),
            ("pack4xU8", 4, Scalar::U32),
            ("pack4xI8Clamp", 4, Scalar::I32),
            ("pack4xU8Clamp", 4, Scalar::U32),
            ("dot4U8Packed", 1, Scalar::U32),
            ("pack4x8unorm", 4, Scalar::F32),
            ("pack4x8snorm", 4, Scalar::F32),
            ("pack2x16unorm", 2, Scalar::F32),
            ("pack2x16snorm", 2, Scalar::F32),
            ("pack2x16float", 2, Scalar::F32),
        ]);
        let mut arguments = vec![self.dynamic(&Type::Vector(size, kind), depth)];
        if function == "dot4U8Packed" {
            arguments.push(self.integer(1, kind, depth));
        }
        if function == "pack2x16float" {
            // Never 0, because a 0 may lose its sign.
            let floats = Type::Vector(size, kind);
            let value = builtin(floats.clone(), "abs", arguments);
            arguments = vec![binary(floats, "+", value, super::expression::float(1.0))];
        }
        builtin(scalar(Scalar::U32), function, arguments)
    }
}
