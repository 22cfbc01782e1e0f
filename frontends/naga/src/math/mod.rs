//! Built-in functions.

mod angle;
mod bits;
mod common;
mod exponential;
mod geometry;
mod matrix;
mod pack;

use naga::{Expression, Handle, MathFunction, ScalarKind, TypeInner};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::error::Result;
use crate::translator::{Translator, Value};
use crate::types::components;

/// The arguments of a built-in function on scalars or vectors.
#[derive(Clone, Copy)]
struct Arguments {
    /// The kind and the number of components of the first argument.
    kind: ScalarKind,
    size: u8,
    a: SrcRegister,
    b: SrcRegister,
    c: SrcRegister,
    d: SrcRegister,
}

impl Translator<'_> {
    pub(crate) fn math(
        &mut self,
        result: Handle<Expression>,
        fun: MathFunction,
        first: Handle<Expression>,
        others: [Option<Handle<Expression>>; 3],
    ) -> Result<Value> {
        let inner = self.type_of(first)?;
        if let TypeInner::Matrix { columns, rows, .. } = *inner {
            let value = self.value(first)?;
            return self.matrix_function(fun, &value, columns as u8, rows as u8);
        }
        let kind = self.kind(inner)?;
        let a = self.single(first)?;
        let mut rest = [a; 3];
        for (slot, argument) in rest.iter_mut().zip(others).filter_map(|(s, a)| Some((s, a?))) {
            *slot = self.single(argument)?;
        }
        let [b, c, d] = rest;
        // Some functions take a scalar first and a vector later.
        let mut size = components(inner);
        for argument in others.into_iter().flatten() {
            size = size.max(components(self.type_of(argument)?));
        }
        let arguments = Arguments { kind, size, a, b, c, d };
        if fun == MathFunction::Outer {
            let columns = others[0].map_or(Ok(0), |b| Ok(components(self.type_of(b)?)))?;
            return Ok(self.outer(arguments, components(inner), columns));
        }
        if matches!(fun, MathFunction::Modf | MathFunction::Frexp) {
            return Ok(self.split(fun, arguments));
        }
        let size_of_result = components(self.type_of(result)?);
        Ok(vec![self.function(fun, arguments, size_of_result)?])
    }

    fn function(&mut self, fun: MathFunction, it: Arguments, result: u8) -> Result<SrcRegister> {
        use MathFunction as F;
        let Arguments { size, a, b, c, .. } = it;
        Ok(match fun {
            F::Abs | F::Min | F::Max | F::Clamp | F::Sign | F::Saturate => self.common(fun, it),
            F::Ceil => self.op(Opcode::Ceil, size, &[a]),
            F::Floor => self.op(Opcode::Flr, size, &[a]),
            F::Round => self.op(Opcode::Round, size, &[a]),
            F::Fract => self.op(Opcode::Frc, size, &[a]),
            F::Trunc => self.op(Opcode::Trunc, size, &[a]),
            F::Fma => self.op(Opcode::Mad, size, &[a, b, c]),
            F::Ldexp => self.op(Opcode::Ldexp, size, &[a, b]),
            F::Sqrt => self.each(Opcode::Sqrt, size, &[a]),
            F::InverseSqrt => self.each(Opcode::Rsq, size, &[a]),
            F::Exp2 => self.each(Opcode::Ex2, size, &[a]),
            F::Log2 => self.each(Opcode::Lg2, size, &[a]),
            F::Pow => self.each(Opcode::Pow, size, &[a, b]),
            F::Sin => self.each(Opcode::Sin, size, &[a]),
            F::Cos => self.each(Opcode::Cos, size, &[a]),
            F::Exp => self.exp(size, a),
            F::Log => self.log(size, a),
            F::Sinh => self.sinh(size, a),
            F::Cosh => self.cosh(size, a),
            F::Tanh => self.tanh(size, a),
            F::Asinh => self.asinh(size, a),
            F::Acosh => self.acosh(size, a),
            F::Atanh => self.atanh(size, a),
            F::Tan => self.tan(size, a),
            F::Asin => self.asin(size, a),
            F::Acos => self.acos(size, a),
            F::Atan => self.atan(size, a),
            F::Atan2 => self.atan2(size, a, b),
            F::Radians => self.scale(size, a, std::f32::consts::PI / 180.0),
            F::Degrees => self.scale(size, a, 180.0 / std::f32::consts::PI),
            F::Mix | F::Step | F::SmoothStep => self.blend(fun, it),
            F::Dot
            | F::Cross
            | F::Distance
            | F::Length
            | F::Normalize
            | F::FaceForward
            | F::Reflect
            | F::Refract => self.geometry(fun, it),
            F::QuantizeToF16 => self.round_half(size, a),
            F::CountTrailingZeros
            | F::CountLeadingZeros
            | F::CountOneBits
            | F::ReverseBits
            | F::ExtractBits
            | F::InsertBits
            | F::FirstTrailingBit
            | F::FirstLeadingBit => self.bits(fun, it),
            F::Dot4I8Packed | F::Dot4U8Packed => self.dot_packed(a, b, fun == F::Dot4I8Packed),
            F::Pack4x8snorm
            | F::Pack4x8unorm
            | F::Pack2x16snorm
            | F::Pack2x16unorm
            | F::Pack2x16float
            | F::Pack4xI8
            | F::Pack4xU8
            | F::Pack4xI8Clamp
            | F::Pack4xU8Clamp => self.pack(fun, a),
            F::Unpack4x8snorm
            | F::Unpack4x8unorm
            | F::Unpack2x16snorm
            | F::Unpack2x16unorm
            | F::Unpack2x16float
            | F::Unpack4xI8
            | F::Unpack4xU8 => self.unpack(fun, a, result),
            F::Modf | F::Frexp | F::Outer | F::Inverse | F::Transpose | F::Determinant => {
                return Err(self.code.refuse("a function of matrices on something else"));
            }
        })
    }
}
