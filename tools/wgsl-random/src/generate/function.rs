//! Functions with an error, applied to floats without one.

use super::Generator;
use super::expression::{binary, builtin, float, splat};
use crate::ast::{Expr, Scalar, Slot, Stmt, Type, scalar};

impl Generator<'_, '_> {
    /// Returns a statement that writes a component of a function's result.
    pub(super) fn approximate(&mut self) -> Option<Stmt> {
        let size = self.size();
        let function = self.choices.pick(&[
            "/",
            "sin",
            "cos",
            "tan",
            "exp",
            "exp2",
            "log",
            "log2",
            "pow",
            "sqrt",
            "inverseSqrt",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "length",
            "distance",
            "normalize",
            "smoothstep",
            "degrees",
            "radians",
            "quantizeToF16",
            "unpack4x8unorm",
            "unpack4x8snorm",
            "unpack2x16unorm",
            "unpack2x16snorm",
        ]);
        let (arguments, components) = match function {
            "/" => (vec![self.unbounded(size), self.positive(size)], size),
            "sin" | "cos" => (vec![self.between(size, -3.0, 3.0)], size),
            "tan" => (vec![self.between(size, -1.0, 1.0)], size),
            "exp" | "exp2" => (vec![self.between(size, -20.0, 20.0)], size),
            "sinh" | "cosh" | "tanh" => (vec![self.between(size, -8.0, 8.0)], size),
            "log" | "log2" | "sqrt" | "inverseSqrt" => (vec![self.positive(size)], size),
            "pow" => (vec![self.positive(size), self.between(size, -4.0, 4.0)], size),
            "asin" | "acos" => (vec![self.between(size, -1.0, 1.0)], size),
            "atanh" => (vec![self.between(size, -0.875, 0.875)], size),
            "acosh" => {
                let value = self.positive(size);
                let ty = Type::Vector(size, Scalar::F32);
                (vec![binary(ty, "+", value, float(1.0))], size)
            }
            "atan" | "asinh" | "degrees" | "radians" => (vec![self.unbounded(size)], size),
            "quantizeToF16" => (vec![self.positive(size)], size),
            "atan2" => (vec![self.positive(size), self.unbounded(size)], size),
            "length" => (vec![self.positive(size)], 1),
            "distance" => {
                // Never equal: one is positive.
                let value = self.positive(size);
                let ty = Type::Vector(size, Scalar::F32);
                let other =
                    Expr { ty, kind: crate::ast::Kind::Unary("-", Box::new(self.positive(size))) };
                (vec![value, other], 1)
            }
            "normalize" => {
                let size = size.max(2);
                (vec![self.positive(size)], size)
            }
            "smoothstep" => {
                let low = self.choices.below(9) as f32 - 4.0;
                let high = low + 1.0 + self.choices.below(9) as f32;
                let x = self.unbounded(size);
                (vec![splat(size, float(low)), splat(size, float(high)), x], size)
            }
            _ => {
                let word = self.dynamic(&scalar(Scalar::U32), 2);
                (vec![word], if function.contains("4x8") { 4 } else { 2 })
            }
        };
        let slot = self.slot(Slot::Approximate)?;
        let component = (components > 1).then(|| self.choices.below(components.into()) as u8);
        Some(Stmt::Approximate(slot, function, arguments, component))
    }

    /// Returns floats that naga cannot evaluate.
    fn unbounded(&mut self, size: u8) -> Expr {
        self.dynamic(&Type::Vector(size, Scalar::F32), 2)
    }

    /// Returns floats from 1/8 on.
    fn positive(&mut self, size: u8) -> Expr {
        let ty = Type::Vector(size, Scalar::F32);
        let value = builtin(ty.clone(), "abs", vec![self.unbounded(size)]);
        binary(ty, "+", value, float(0.125))
    }

    /// Returns floats within limits.
    fn between(&mut self, size: u8, low: f32, high: f32) -> Expr {
        let value = self.unbounded(size);
        let limits = [splat(size, float(low)), splat(size, float(high))];
        let [low, high] = limits;
        builtin(Type::Vector(size, Scalar::F32), "clamp", vec![value, low, high])
    }
}
