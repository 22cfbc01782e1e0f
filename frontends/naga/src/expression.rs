//! Expressions: constants, composites, and the dispatch of other kinds.

use naga::{Expression, Handle, Literal, Type, TypeInner};
use tgsi::register::{SrcRegister, Swizzle};

use crate::code::component;
use crate::error::Result;
use crate::half::keeps_halves;
use crate::translator::{Operand, Translator, Value};
use crate::types::components;

/// The most registers that one value takes.
const MAX_VALUE: u32 = 4096;

impl Translator<'_> {
    /// Evaluates the expressions that a statement covers.
    pub(crate) fn emit(&mut self, range: naga::Range<Expression>) -> Result<()> {
        for handle in range {
            let frame = self.frame()?;
            // A pointer, or a value that something reads.
            if frame.info[handle].ref_count == 0 {
                continue;
            }
            self.code.span = frame.function.expressions.get_span(handle);
            self.note(handle)?;
            let operand = self.evaluate(handle)?;
            self.set(handle, operand)?;
            self.code.check()?;
        }
        Ok(())
    }

    /// Notes what an expression stands for.
    pub(crate) fn set(&mut self, handle: Handle<Expression>, operand: Operand) -> Result<()> {
        if let Some(slot) = self.frame_mut()?.operands.get_mut(handle.index()) {
            *slot = Some(operand);
        }
        Ok(())
    }

    /// Returns what an expression stands for. Expressions that no statement covers are evaluated at
    /// their first use; they are constants, arguments and variables.
    pub(crate) fn operand(&mut self, handle: Handle<Expression>) -> Result<Operand> {
        if let Some(Some(known)) = self.frame()?.operands.get(handle.index()) {
            return Ok(known.clone());
        }
        let operand = self.evaluate(handle)?;
        self.set(handle, operand.clone())?;
        Ok(operand)
    }

    /// Returns the registers of a value.
    pub(crate) fn value(&mut self, handle: Handle<Expression>) -> Result<Value> {
        match self.operand(handle)? {
            Operand::Value(value) => Ok(value),
            Operand::Place(_) | Operand::Resource(_) => {
                Err(self.code.refuse("a pointer or resource is used as a value"))
            }
        }
    }

    /// Returns the register of a scalar or vector.
    pub(crate) fn single(&mut self, handle: Handle<Expression>) -> Result<SrcRegister> {
        let value = self.value(handle)?;
        let first = value.first().copied();
        first.ok_or_else(|| self.code.refuse("a value without components"))
    }

    /// Checks that a value of the type is not too large for registers.
    pub(crate) fn check_size(&self, ty: Handle<Type>) -> Result<()> {
        let registers = self.types.registers(ty);
        if registers > MAX_VALUE {
            let message = format!(
                "a value takes {registers} registers, more than {MAX_VALUE}; use a pointer"
            );
            return Err(self.code.refuse(message));
        }
        Ok(())
    }

    fn evaluate(&mut self, handle: Handle<Expression>) -> Result<Operand> {
        let function = self.frame()?.function;
        let expression = &function.expressions[handle];
        let value = match *expression {
            Expression::Literal(literal) => vec![self.literal(literal)?],
            Expression::Constant(constant) => {
                self.global_value(self.module.constants[constant].init)?
            }
            Expression::Override(_) => {
                return Err(self.code.refuse("an override that has no value"));
            }
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Compose { ty, ref components } => {
                let mut parts = Vec::new();
                for &part in components {
                    let size = crate::types::components(self.type_of(part)?);
                    parts.push((size, self.value(part)?));
                }
                self.compose(ty, parts)?
            }
            Expression::Access { base, index } => {
                return self.access(base, index);
            }
            Expression::AccessIndex { base, index } => return self.access_index(base, index),
            Expression::Splat { value, .. } => vec![self.single(value)?.x()],
            Expression::Swizzle { size, vector, pattern } => {
                let pattern = pattern.map(|it| Swizzle::from_bits(it as u32));
                vec![swizzle(self.single(vector)?, size as usize, pattern)]
            }
            Expression::FunctionArgument(index) => {
                let argument = self.frame()?.arguments.get(index as usize).cloned();
                return argument.ok_or_else(|| self.code.refuse("an argument that is not there"));
            }
            Expression::GlobalVariable(variable) => return self.global_variable(variable),
            Expression::LocalVariable(variable) => return self.local_variable(variable),
            Expression::Load { pointer } => match self.known_variable(pointer) {
                Some(literal) => vec![self.literal(literal)?],
                None => {
                    let place = self.place(pointer)?;
                    self.load(&place)?
                }
            },
            Expression::ImageSample { .. } => vec![self.image_sample(expression)?],
            Expression::ImageLoad { .. } => vec![self.image_load(expression)?],
            Expression::ImageQuery { image, query } => vec![self.image_query(image, query)?],
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => {
                let value = self.binary(handle, op, left, right)?;
                self.rounded(handle, value)?
            }
            Expression::Select { condition, accept, reject } => {
                let size = components(self.type_of(accept)?);
                let condition = self.single(condition)?;
                let (accept, reject) = (self.value(accept)?, self.value(reject)?);
                // A scalar condition is in every component.
                let pairs = accept.into_iter().zip(reject);
                pairs.map(|(a, b)| self.choose(size, condition, a, b)).collect()
            }
            Expression::Derivative { axis, ctrl, expr } => {
                vec![self.derivative(axis, ctrl, expr)?]
            }
            Expression::Relational { fun, argument } => vec![self.relational(fun, argument)?],
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let value = self.math(handle, fun, arg, [arg1, arg2, arg3])?;
                if keeps_halves(fun) { value } else { self.rounded(handle, value)? }
            }
            Expression::As { expr, kind, convert } => {
                let value = self.convert(expr, kind, convert)?;
                self.rounded(handle, value)?
            }
            Expression::ArrayLength(pointer) => vec![self.array_length(pointer)?],
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. } => {
                return Err(self.code.refuse("a result before the statement that makes it"));
            }
            Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
                return Err(self.code.refuse("subgroup operations are not supported"));
            }
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => {
                return Err(self.code.refuse("ray queries are not supported"));
            }
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                return Err(self.code.refuse("cooperative matrices are not supported"));
            }
        };
        Ok(Operand::Value(value))
    }

    /// Returns the value of an expression outside functions.
    pub(crate) fn global_value(&mut self, handle: Handle<Expression>) -> Result<Value> {
        if let Some(known) = self.globals.get(&handle) {
            return Ok(known.clone());
        }
        let value = match self.module.global_expressions[handle] {
            Expression::Literal(literal) => vec![self.literal(literal)?],
            Expression::Constant(constant) => {
                self.global_value(self.module.constants[constant].init)?
            }
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Splat { value, .. } => {
                self.global_value(value)?.into_iter().map(|it| it.x()).collect()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let pattern = pattern.map(|it| Swizzle::from_bits(it as u32));
                let vector = self.global_value(vector)?;
                vector.into_iter().map(|it| swizzle(it, size as usize, pattern)).collect()
            }
            Expression::Compose { ty, ref components } => {
                let mut parts = Vec::new();
                for &part in components {
                    let ty = self.info[part].inner_with(&self.module.types);
                    parts.push((crate::types::components(ty), self.global_value(part)?));
                }
                self.compose(ty, parts)?
            }
            _ => {
                let span = self.module.global_expressions.get_span(handle);
                return Err(self
                    .code
                    .refuse("a constant expression that naga did not evaluate")
                    .or_at(span));
            }
        };
        self.globals.insert(handle, value.clone());
        Ok(value)
    }

    pub(crate) fn literal(&mut self, literal: Literal) -> Result<SrcRegister> {
        Ok(match literal {
            Literal::F32(value) => self.float(value),
            Literal::U32(value) => self.int(value),
            Literal::I32(value) => self.int(value as u32),
            Literal::Bool(value) => self.int(if value { !0 } else { 0 }),
            Literal::F64(_) => return Err(self.code.refuse("f64 is not supported")),
            Literal::F16(value) => self.float(value.to_f32()),
            Literal::U16(_) | Literal::I16(_) => {
                return Err(self.code.refuse("16-bit integers are not supported"));
            }
            Literal::U64(_) | Literal::I64(_) => {
                return Err(self.code.refuse("64-bit integers are not supported"));
            }
            Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
                return Err(self.code.refuse("a number without a type"));
            }
        })
    }

    fn zero(&mut self, ty: Handle<Type>) -> Result<Value> {
        self.check_size(ty)?;
        let zero = self.int(0);
        Ok(vec![zero; self.types.registers(ty) as usize])
    }

    /// Puts a value of type `ty` together from parts and their numbers of components.
    fn compose(&mut self, ty: Handle<Type>, parts: Vec<(u8, Value)>) -> Result<Value> {
        self.check_size(ty)?;
        match self.module.types[ty].inner {
            TypeInner::Vector { .. } => {
                let mut flat = Vec::new();
                for (size, part) in parts {
                    let part = part.first().copied().unwrap_or(SrcRegister::NULL);
                    flat.extend((0..usize::from(size)).map(|at| component(part, at)));
                }
                Ok(vec![self.gather(&flat)])
            }
            _ => Ok(parts.into_iter().flat_map(|(_, part)| part).collect()),
        }
    }
}

/// Returns a vector read through a swizzle; a scalar fills every component.
fn swizzle(src: SrcRegister, size: usize, pattern: [Swizzle; 4]) -> SrcRegister {
    match (size, pattern) {
        (1, [first, ..]) => component(src, first.index()),
        _ => src.swizzled(pattern),
    }
}
