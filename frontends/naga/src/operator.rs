//! Operators, relations, conversions, derivatives.

use naga::{
    BinaryOperator, DerivativeAxis, DerivativeControl, Expression, Handle, RelationalFunction,
    ScalarKind, TypeInner, UnaryOperator,
};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::code::component;
use crate::error::Result;
use crate::translator::{Translator, Value};
use crate::types::{components, is_half, scalar_kind};

impl Translator<'_> {
    pub(crate) fn unary(
        &mut self,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Result<Value> {
        let inner = self.type_of(operand)?;
        let float = self.kind(inner)? == ScalarKind::Float;
        let value = self.value(operand)?;
        let size = match *inner {
            TypeInner::Matrix { rows, .. } => rows as u8,
            _ => components(inner),
        };
        let each = |src: &SrcRegister| match op {
            UnaryOperator::Negate if float => self.copy(size, src.neg()),
            UnaryOperator::Negate => self.op(Opcode::Ineg, size, &[*src]),
            UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => {
                self.op(Opcode::Not, size, &[*src])
            }
        };
        Ok(value.iter().map(each).collect())
    }

    /// Returns the kind of the scalars that a type is made of, if they are of 32 bits, halves or bools.
    pub(crate) fn kind(&self, inner: &TypeInner) -> Result<ScalarKind> {
        if inner.scalar().is_some_and(|it| !matches!(it.width, 1 | 4) && !is_half(it)) {
            return Err(self.code.refuse("only f16 and types of 32 bits are supported"));
        }
        scalar_kind(inner).ok_or_else(|| self.code.refuse("an operation on something but numbers"))
    }

    pub(crate) fn binary(
        &mut self,
        result: Handle<Expression>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Value> {
        let (left_type, right_type) = (self.type_of(left)?, self.type_of(right)?);
        let kind = self.kind(left_type)?;
        let (a, b) = (self.value(left)?, self.value(right)?);
        let is_matrix = |ty: &TypeInner| matches!(ty, TypeInner::Matrix { .. });
        if is_matrix(left_type) || is_matrix(right_type) {
            return self.matrix_binary(op, (left_type, a), (right_type, b));
        }
        let result_type = self.type_of(result)?;
        let size = components(result_type).max(components(left_type));
        let (Some(&a), Some(&b)) = (a.first(), b.first()) else {
            return Err(self.code.refuse("an operator on a composite"));
        };
        Ok(vec![match kind {
            ScalarKind::Float => self.float_binary(op, size, a, b)?,
            ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Bool => {
                self.integer_binary(op, kind, size, a, b)?
            }
            ScalarKind::AbstractInt | ScalarKind::AbstractFloat => {
                return Err(self.code.refuse("a number without a type"));
            }
        }])
    }

    fn float_binary(
        &mut self,
        op: BinaryOperator,
        size: u8,
        a: SrcRegister,
        b: SrcRegister,
    ) -> Result<SrcRegister> {
        use BinaryOperator::*;
        Ok(match op {
            Add => self.add(size, a, b),
            Subtract => self.sub(size, a, b),
            Multiply => self.mul(size, a, b),
            Divide => self.op(Opcode::Div, size, &[a, b]),
            Modulo => {
                let quotient = self.op(Opcode::Div, size, &[a, b]);
                let whole = self.op(Opcode::Trunc, size, &[quotient]);
                let product = self.mul(size, whole, b);
                self.sub(size, a, product)
            }
            Equal => self.op(Opcode::Fseq, size, &[a, b]),
            NotEqual => self.op(Opcode::Fsne, size, &[a, b]),
            Less => self.op(Opcode::Fslt, size, &[a, b]),
            Greater => self.op(Opcode::Fslt, size, &[b, a]),
            LessEqual => self.op(Opcode::Fsge, size, &[b, a]),
            GreaterEqual => self.op(Opcode::Fsge, size, &[a, b]),
            And | ExclusiveOr | InclusiveOr | LogicalAnd | LogicalOr | ShiftLeft | ShiftRight => {
                return Err(self.code.refuse("a bitwise operator on floats"));
            }
        })
    }

    fn integer_binary(
        &mut self,
        op: BinaryOperator,
        kind: ScalarKind,
        size: u8,
        a: SrcRegister,
        b: SrcRegister,
    ) -> Result<SrcRegister> {
        use BinaryOperator::*;
        let signed = kind == ScalarKind::Sint;
        let by_sign = |signed_code, unsigned_code| if signed { signed_code } else { unsigned_code };
        let less = by_sign(Opcode::Islt, Opcode::Uslt);
        let not_less = by_sign(Opcode::Isge, Opcode::Usge);
        Ok(match op {
            Add => self.op(Opcode::Uadd, size, &[a, b]),
            Subtract => {
                let b = self.op(Opcode::Ineg, size, &[b]);
                self.op(Opcode::Uadd, size, &[a, b])
            }
            Multiply => self.op(Opcode::Umul, size, &[a, b]),
            Divide => {
                let divisor = self.divisor(size, b);
                self.op(by_sign(Opcode::Idiv, Opcode::Udiv), size, &[a, divisor])
            }
            Modulo => {
                let divisor = self.divisor(size, b);
                self.op(by_sign(Opcode::Mod, Opcode::Umod), size, &[a, divisor])
            }
            Equal => self.op(Opcode::Useq, size, &[a, b]),
            NotEqual => self.op(Opcode::Usne, size, &[a, b]),
            Less => self.op(less, size, &[a, b]),
            Greater => self.op(less, size, &[b, a]),
            LessEqual => self.op(not_less, size, &[b, a]),
            GreaterEqual => self.op(not_less, size, &[a, b]),
            And | LogicalAnd => self.op(Opcode::And, size, &[a, b]),
            InclusiveOr | LogicalOr => self.op(Opcode::Or, size, &[a, b]),
            ExclusiveOr => self.op(Opcode::Xor, size, &[a, b]),
            ShiftLeft => self.op(Opcode::Shl, size, &[a, b]),
            ShiftRight => self.op(by_sign(Opcode::Ishr, Opcode::Ushr), size, &[a, b]),
        })
    }

    /// Returns a divisor with 1 in the place of 0: then x / 0 is x and x % 0 is 0, as WGSL wants.
    fn divisor(&mut self, size: u8, divisor: SrcRegister) -> SrcRegister {
        if self.constant(divisor).is_some_and(|bits| bits != 0) && size == 1 {
            return divisor;
        }
        let (zero, one) = (self.int(0), self.int(1));
        let is_zero = self.op(Opcode::Useq, size, &[divisor, zero]);
        self.choose(size, is_zero, one, divisor)
    }

    /// Adds an operator with a matrix on one side or both.
    fn matrix_binary(
        &mut self,
        op: BinaryOperator,
        (left_type, a): (&TypeInner, Value),
        (right_type, b): (&TypeInner, Value),
    ) -> Result<Value> {
        match (op, left_type, right_type) {
            (
                BinaryOperator::Multiply,
                TypeInner::Matrix { rows, .. },
                TypeInner::Matrix { .. },
            ) => Ok(b.into_iter().map(|column| self.transform(*rows as u8, &a, column)).collect()),
            (
                BinaryOperator::Multiply,
                TypeInner::Matrix { rows, .. },
                TypeInner::Vector { .. },
            ) => {
                let vector = b.first().copied().unwrap_or(SrcRegister::NULL);
                Ok(vec![self.transform(*rows as u8, &a, vector)])
            }
            (
                BinaryOperator::Multiply,
                TypeInner::Vector { size, .. },
                TypeInner::Matrix { .. },
            ) => {
                let vector = a.first().copied().unwrap_or(SrcRegister::NULL);
                let dots: Vec<SrcRegister> =
                    b.into_iter().map(|column| self.dot(*size as u8, vector, column)).collect();
                Ok(vec![self.gather(&dots)])
            }
            (_, TypeInner::Matrix { rows, .. }, _) | (_, _, TypeInner::Matrix { rows, .. }) => {
                let count = a.len().max(b.len());
                let at = |value: &Value, at: usize| {
                    value.get(at).or(value.first()).copied().unwrap_or(SrcRegister::NULL)
                };
                (0..count)
                    .map(|column| {
                        self.float_binary(op, *rows as u8, at(&a, column), at(&b, column))
                    })
                    .collect()
            }
            _ => Err(self.code.refuse("an operator on matrices that WGSL does not have")),
        }
    }

    /// Multiplies a matrix, given by its columns, by a column vector.
    pub(crate) fn transform(
        &mut self,
        rows: u8,
        columns: &[SrcRegister],
        vector: SrcRegister,
    ) -> SrcRegister {
        let mut sum: Option<SrcRegister> = None;
        for (at, &column) in columns.iter().enumerate() {
            let factor = component(vector, at);
            sum = Some(match sum {
                None => self.mul(rows, column, factor),
                Some(sum) => self.mad(rows, column, factor, sum),
            });
        }
        sum.unwrap_or(vector)
    }

    /// Returns the dot product of two vectors of floats.
    pub(crate) fn dot(&mut self, size: u8, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        let opcode = match size {
            1 => Opcode::Mul,
            2 => Opcode::Dp2,
            3 => Opcode::Dp3,
            _ => Opcode::Dp4,
        };
        self.op(opcode, 1, &[a, b])
    }

    pub(crate) fn relational(
        &mut self,
        fun: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<SrcRegister> {
        let size = components(self.type_of(argument)?);
        let value = self.single(argument)?;
        let opcode = match fun {
            RelationalFunction::IsNan => return Ok(self.op(Opcode::Fsne, size, &[value, value])),
            RelationalFunction::IsInf => {
                let infinity = self.float(f32::INFINITY);
                return Ok(self.op(Opcode::Fseq, size, &[value.abs(), infinity]));
            }
            RelationalFunction::All => Opcode::And,
            RelationalFunction::Any => Opcode::Or,
        };
        let mut all = component(value, 0);
        for at in 1..usize::from(size) {
            all = self.op(opcode, 1, &[all, component(value, at)]);
        }
        Ok(all)
    }

    /// Converts numbers, or with no `width` takes their bits as they are. Halves are not rounded yet.
    pub(crate) fn convert(
        &mut self,
        operand: Handle<Expression>,
        to: ScalarKind,
        width: Option<u8>,
    ) -> Result<Value> {
        let inner = self.type_of(operand)?;
        let from = self.kind(inner)?;
        let value = self.value(operand)?;
        if !matches!(
            (to, width),
            (_, None | Some(4)) | (ScalarKind::Bool, Some(1)) | (ScalarKind::Float, Some(2))
        ) {
            return Err(self.code.refuse("only f16 and types of 32 bits are supported"));
        }
        if width.is_none() && from != to && inner.scalar().is_some_and(is_half) {
            return Err(self.code.refuse("the bits of an f16 as an integer are not supported"));
        }
        if width.is_none() || from == to {
            return Ok(value);
        }
        let size = match *inner {
            TypeInner::Matrix { rows, .. } => rows as u8,
            _ => components(inner),
        };
        value.into_iter().map(|src| self.convert_register(size, src, from, to)).collect()
    }

    fn convert_register(
        &mut self,
        size: u8,
        src: SrcRegister,
        from: ScalarKind,
        to: ScalarKind,
    ) -> Result<SrcRegister> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        Ok(match (from, to) {
            (Float, Sint) => self.truncate(size, src, Opcode::F2i, -2147483648.0, 2147483520.0),
            (Float, Uint) => self.truncate(size, src, Opcode::F2u, 0.0, 4294967040.0),
            (Sint, Float) => self.op(Opcode::I2f, size, &[src]),
            (Uint, Float) => self.op(Opcode::U2f, size, &[src]),
            (Sint, Uint) | (Uint, Sint) => src,
            (Bool, Float) => {
                let one = self.float(1.0);
                self.op(Opcode::And, size, &[src, one])
            }
            (Bool, Sint | Uint) => {
                let one = self.int(1);
                self.op(Opcode::And, size, &[src, one])
            }
            (Float, Bool) => {
                let zero = self.float(0.0);
                self.op(Opcode::Fsne, size, &[src, zero])
            }
            (Sint | Uint, Bool) => {
                let zero = self.int(0);
                self.op(Opcode::Usne, size, &[src, zero])
            }
            _ => return Err(self.code.refuse("a conversion between types that do not exist")),
        })
    }

    /// Converts floats to integers; values beyond the type become the float nearest its limit.
    fn truncate(
        &mut self,
        size: u8,
        src: SrcRegister,
        opcode: Opcode,
        low: f32,
        high: f32,
    ) -> SrcRegister {
        let (low, high) = (self.float(low), self.float(high));
        let raised = self.op(Opcode::Max, size, &[src, low]);
        let limited = self.op(Opcode::Min, size, &[raised, high]);
        self.op(opcode, size, &[limited])
    }

    pub(crate) fn derivative(
        &mut self,
        axis: DerivativeAxis,
        control: DerivativeControl,
        operand: Handle<Expression>,
    ) -> Result<SrcRegister> {
        let size = components(self.type_of(operand)?);
        let value = self.single(operand)?;
        let (x, y) = match control {
            DerivativeControl::Fine => (Opcode::DdxFine, Opcode::DdyFine),
            DerivativeControl::Coarse | DerivativeControl::None => (Opcode::Ddx, Opcode::Ddy),
        };
        Ok(match axis {
            DerivativeAxis::X => self.op(x, size, &[value]),
            DerivativeAxis::Y => self.op(y, size, &[value]),
            DerivativeAxis::Width => {
                let (x, y) = (self.op(x, size, &[value]), self.op(y, size, &[value]));
                self.add(size, x.abs(), y.abs())
            }
        })
    }
}
