//! Arithmetic instructions, compiled one component, or one pair of fields, at a time.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::exec::OpCode;
use crate::exec::program::Uses;
use crate::opcode::ArithmeticOpcode;
use crate::shader::Instruction;

/// The lane code of an arithmetic opcode.
enum Form {
    /// One op per component, with the operands in order.
    Componentwise(OpCode),
    /// One op on the operands' x, for all components.
    Replicated(OpCode),
    /// One op per component, with the two operands swapped.
    Swapped(OpCode),
    /// Several ops.
    Composed(Composed),
}

/// Opcodes that need several ops.
enum Composed {
    Arl,
    Arr,
    Lrp,
    Bfi,
    Dot { components: usize },
    Lit,
    Exp,
    Log,
    Dst,
    PackHalves,
    UnpackHalves,
    Pack { bits: u32, signed: bool },
    Unpack { bits: u32, signed: bool },
}

/// Maps an opcode to its lane code.
const fn form(opcode: ArithmeticOpcode) -> Form {
    use ArithmeticOpcode as T;
    use Form::{Componentwise as Each, Composed as Several, Replicated as Same, Swapped};
    use OpCode as L;
    match opcode {
        T::Mov | T::Uarl => Each(L::Mov),
        T::Cmp => Each(L::Cmp),
        T::Ucmp => Each(L::Ucmp),
        T::Add => Each(L::Add),
        T::Mul => Each(L::Mul),
        T::Div => Each(L::Div),
        T::Mad => Each(L::Mad),
        T::Fma => Each(L::Fma),
        T::Min => Each(L::Min),
        T::Max => Each(L::Max),
        T::Slt => Each(L::Slt),
        T::Sge => Each(L::Sge),
        T::Seq => Each(L::Seq),
        T::Sne => Each(L::Sne),
        T::Fslt => Each(L::Fslt),
        T::Fsge => Each(L::Fsge),
        T::Fseq => Each(L::Fseq),
        T::Fsne => Each(L::Fsne),
        T::Ssg => Each(L::Sign),
        T::Frc => Each(L::Fract),
        T::Flr => Each(L::Floor),
        T::Ceil => Each(L::Ceil),
        T::Trunc => Each(L::Trunc),
        T::Round => Each(L::Round),
        T::Ldexp => Each(L::Ldexp),
        T::F2i => Each(L::F2i),
        T::F2u => Each(L::F2u),
        T::I2f => Each(L::I2f),
        T::U2f => Each(L::U2f),
        T::Uadd => Each(L::Uadd),
        T::Umul => Each(L::Umul),
        T::Umad => Each(L::Umad),
        T::ImulHi => Each(L::ImulHi),
        T::UmulHi => Each(L::UmulHi),
        T::Idiv => Each(L::Idiv),
        T::Udiv => Each(L::Udiv),
        T::Mod => Each(L::Imod),
        T::Umod => Each(L::Umod),
        T::Imax => Each(L::Imax),
        T::Imin => Each(L::Imin),
        T::Umax => Each(L::Umax),
        T::Umin => Each(L::Umin),
        T::Ineg => Each(L::Ineg),
        T::Iabs => Each(L::Iabs),
        T::Issg => Each(L::Isign),
        T::Islt => Each(L::Islt),
        T::Isge => Each(L::Isge),
        T::Uslt => Each(L::Uslt),
        T::Usge => Each(L::Usge),
        T::Useq => Each(L::Useq),
        T::Usne => Each(L::Usne),
        T::Not => Each(L::Not),
        T::And => Each(L::And),
        T::Or => Each(L::Or),
        T::Xor => Each(L::Xor),
        T::Shl => Each(L::Shl),
        T::Ishr => Each(L::Ishr),
        T::Ushr => Each(L::Ushr),
        T::Ibfe => Each(L::Ibfe),
        T::Ubfe => Each(L::Ubfe),
        T::Brev => Each(L::ReverseBits),
        T::Popc => Each(L::CountOnes),
        T::Lsb => Each(L::LowestBit),
        T::Imsb => Each(L::HighestDifference),
        T::Umsb => Each(L::HighestBit),
        T::Ddx => Each(L::Ddx),
        T::Ddy => Each(L::Ddy),
        T::DdxFine => Each(L::DdxFine),
        T::DdyFine => Each(L::DdyFine),
        T::Rcp => Same(L::Rcp),
        T::Rsq => Same(L::Rsq),
        T::Sqrt => Same(L::Sqrt),
        T::Ex2 => Same(L::Exp2),
        T::Lg2 => Same(L::Log2),
        T::Pow => Same(L::Pow),
        T::Sin => Same(L::Sin),
        T::Cos => Same(L::Cos),
        T::Sgt => Swapped(L::Slt),
        T::Sle => Swapped(L::Sge),
        T::Arl => Several(Composed::Arl),
        T::Arr => Several(Composed::Arr),
        T::Lrp => Several(Composed::Lrp),
        T::Bfi => Several(Composed::Bfi),
        T::Dp2 => Several(Composed::Dot { components: 2 }),
        T::Dp3 => Several(Composed::Dot { components: 3 }),
        T::Dp4 => Several(Composed::Dot { components: 4 }),
        T::Lit => Several(Composed::Lit),
        T::Exp => Several(Composed::Exp),
        T::Log => Several(Composed::Log),
        T::Dst => Several(Composed::Dst),
        T::Pk2h => Several(Composed::PackHalves),
        T::Up2h => Several(Composed::UnpackHalves),
        T::Pk2us => Several(Composed::Pack { bits: 16, signed: false }),
        T::Pk4ub => Several(Composed::Pack { bits: 8, signed: false }),
        T::Pk4b => Several(Composed::Pack { bits: 8, signed: true }),
        T::Up2us => Several(Composed::Unpack { bits: 16, signed: false }),
        T::Up4ub => Several(Composed::Unpack { bits: 8, signed: false }),
        T::Up4b => Several(Composed::Unpack { bits: 8, signed: true }),
    }
}

impl Lower<'_, '_> {
    /// Adds the nodes of an arithmetic instruction, and writes its result.
    pub(super) fn arithmetic(
        &mut self,
        opcode: ArithmeticOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        let values = match form(opcode) {
            Form::Componentwise(code) => self.each_component(instruction, |lower, component| {
                lower.compute(instruction, code, component)
            })?,
            Form::Replicated(code) => [self.compute(instruction, code, 0)?; 4],
            Form::Swapped(code) => self.swapped(instruction, code)?,
            Form::Composed(form) => self.composed(form, instruction)?,
        };
        self.write(instruction, 0, values)
    }

    /// Computes the value of each written component.
    #[expect(clippy::indexing_slicing, reason = "a mask's components are 0 to 3")]
    pub(super) fn each_component(
        &mut self,
        instruction: &Instruction,
        mut compute: impl FnMut(&mut Self, usize) -> Result<Value, CompileError>,
    ) -> Result<[Value; 4], CompileError> {
        let mut values = [Value::NONE; 4];
        for component in instruction.dst[0].mask.components() {
            values[component] = compute(self, component)?;
        }
        Ok(values)
    }

    /// Adds one component of a single-op instruction.
    fn compute(
        &mut self,
        instruction: &Instruction,
        code: OpCode,
        component: usize,
    ) -> Result<Value, CompileError> {
        let a = self.source(instruction, 0, component)?;
        match code.operands() {
            Some(1) => self.graph.unary(code, a),
            Some(2) => {
                let b = self.source(instruction, 1, component)?;
                self.binary(code, a, b)
            }
            Some(_) => {
                let b = self.source(instruction, 1, component)?;
                let c = self.source(instruction, 2, component)?;
                self.ternary(code, [a, b, c])
            }
            None => {
                self.uses |= Uses::DERIVATIVES;
                self.graph.op(code, 0, [a, Value::NONE, Value::NONE])
            }
        }
    }

    /// Adds a binary op. A sum with a negated operand becomes a difference with the same bits, or a
    /// [floor](Self::floor).
    fn binary(&mut self, code: OpCode, a: Value, b: Value) -> Result<Value, CompileError> {
        if code == OpCode::Mul && self.zero_wins {
            return self.product(a, b);
        }
        let negation = match code {
            OpCode::Add => OpCode::Neg,
            OpCode::Uadd => OpCode::Ineg,
            _ => return self.graph.binary(code, a, b),
        };
        let difference = if code == OpCode::Add { OpCode::Sub } else { OpCode::Usub };
        let (from, less) = match self.graph.negated(b, negation) {
            Some(b) => (a, b),
            None => match self.graph.negated(a, negation) {
                Some(a) => (b, a),
                None => return self.graph.binary(code, a, b),
            },
        };
        if code == OpCode::Add && self.graph.is_fraction(less, from) {
            return self.floor(from);
        }
        self.graph.binary(difference, from, less)
    }

    /// Adds a floor in place of the difference of a value and its fraction. The difference would be
    /// NaN for an infinite value, but clients without a floor instruction mean a floor.
    fn floor(&mut self, value: Value) -> Result<Value, CompileError> {
        self.graph.unary(OpCode::Floor, value)
    }

    /// Adds a product that is 0 if one factor is 0, even if the other is infinite or NaN.
    fn product(&mut self, a: Value, b: Value) -> Result<Value, CompileError> {
        let zero = self.graph.constant(0)?;
        let product = self.graph.binary(OpCode::Mul, a, b)?;
        let first = self.graph.binary(OpCode::Fsne, a, zero)?;
        let second = self.graph.binary(OpCode::Fsne, b, zero)?;
        let masked = self.graph.binary(OpCode::And, product, first)?;
        self.graph.binary(OpCode::And, masked, second)
    }

    fn ternary(&mut self, code: OpCode, [a, b, c]: [Value; 3]) -> Result<Value, CompileError> {
        if self.zero_wins && matches!(code, OpCode::Mad | OpCode::Fma) {
            let product = self.product(a, b)?;
            return self.binary(OpCode::Add, product, c);
        }
        if code != OpCode::Mad {
            return self.graph.ternary(code, [a, b, c]);
        }
        for (factor, other) in [(a, b), (b, a)] {
            let negates = self.graph.constant_bits(other) == Some((-1f32).to_bits());
            if negates && self.graph.is_fraction(factor, c) {
                return self.floor(c);
            }
        }
        if let Some(c) = self.graph.negated(c, OpCode::Neg) {
            return self.graph.ternary(OpCode::Msub, [a, b, c]);
        }
        if let Some(a) = self.graph.negated(a, OpCode::Neg) {
            return self.graph.ternary(OpCode::Nmad, [a, b, c]);
        }
        match self.graph.negated(b, OpCode::Neg) {
            Some(b) => self.graph.ternary(OpCode::Nmad, [a, b, c]),
            None => self.graph.ternary(code, [a, b, c]),
        }
    }

    /// Adds the nodes of a multi-op instruction; returns its result.
    fn composed(
        &mut self,
        form: Composed,
        instruction: &Instruction,
    ) -> Result<[Value; 4], CompileError> {
        match form {
            Composed::Arl => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let floor = lower.graph.unary(OpCode::Floor, a)?;
                lower.graph.unary(OpCode::F2i, floor)
            }),
            Composed::Arr => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let half = lower.graph.float(0.5)?;
                let sum = lower.graph.binary(OpCode::Add, a, half)?;
                let floor = lower.graph.unary(OpCode::Floor, sum)?;
                lower.graph.unary(OpCode::F2i, floor)
            }),
            Composed::Lrp => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let b = lower.source(instruction, 1, component)?;
                let c = lower.source(instruction, 2, component)?;
                let difference = lower.graph.binary(OpCode::Sub, b, c)?;
                lower.ternary(OpCode::Mad, [a, difference, c])
            }),
            Composed::Bfi => self.each_component(instruction, |lower, component| {
                let base = lower.source(instruction, 0, component)?;
                let insert = lower.source(instruction, 1, component)?;
                let offset = lower.source(instruction, 2, component)?;
                let bits = lower.source(instruction, 3, component)?;
                let mask = lower.graph.binary(OpCode::FieldMask, offset, bits)?;
                let field = lower.graph.ternary(OpCode::FieldInsert, [insert, offset, bits])?;
                lower.graph.ternary(OpCode::BitSelect, [mask, field, base])
            }),
            Composed::Dot { components } => self.dot(instruction, components),
            Composed::Lit => self.lit(instruction),
            Composed::Exp => self.exp(instruction),
            Composed::Log => self.log(instruction),
            Composed::Dst => {
                let one = self.graph.float(1.0)?;
                let (ay, by) = (self.source(instruction, 0, 1)?, self.source(instruction, 1, 1)?);
                let product = self.binary(OpCode::Mul, ay, by)?;
                let az = self.source(instruction, 0, 2)?;
                Ok([one, product, az, self.source(instruction, 1, 3)?])
            }
            Composed::PackHalves => {
                let (x, y) = (self.source(instruction, 0, 0)?, self.source(instruction, 0, 1)?);
                Ok([self.graph.binary(OpCode::PackHalves, x, y)?; 4])
            }
            Composed::UnpackHalves => {
                let a = self.source(instruction, 0, 0)?;
                let low = self.graph.unary(OpCode::UnpackLowHalf, a)?;
                let high = self.graph.unary(OpCode::UnpackHighHalf, a)?;
                Ok([low, high, low, high])
            }
            Composed::Pack { bits, signed } => self.pack(instruction, bits, signed),
            Composed::Unpack { bits, signed } => self.unpack(instruction, bits, signed),
        }
    }

    /// Adds a comparison with its operands swapped.
    fn swapped(
        &mut self,
        instruction: &Instruction,
        code: OpCode,
    ) -> Result<[Value; 4], CompileError> {
        self.each_component(instruction, |lower, component| {
            let a = lower.source(instruction, 0, component)?;
            let b = lower.source(instruction, 1, component)?;
            lower.graph.binary(code, b, a)
        })
    }

    /// Adds a dot product: starts with x·x, then adds y·y and so on, in this order.
    fn dot(
        &mut self,
        instruction: &Instruction,
        components: usize,
    ) -> Result<[Value; 4], CompileError> {
        let (a, b) = (self.source(instruction, 0, 0)?, self.source(instruction, 1, 0)?);
        let mut sum = self.binary(OpCode::Mul, a, b)?;
        for component in 1..components {
            let a = self.source(instruction, 0, component)?;
            let b = self.source(instruction, 1, component)?;
            sum = self.ternary(OpCode::Mad, [a, b, sum])?;
        }
        Ok([sum; 4])
    }

    /// Computes 1, max(x, 0), x > 0 ? max(y, 0)^clamp(w, -128, 128) : 0, 1.
    fn lit(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        let x = self.source(instruction, 0, 0)?;
        let y = self.source(instruction, 0, 1)?;
        let w = self.source(instruction, 0, 3)?;
        let (zero, one) = (self.graph.constant(0)?, self.graph.float(1.0)?);
        let (low, high) = (self.graph.float(-128.0)?, self.graph.float(128.0)?);
        let diffuse = self.graph.binary(OpCode::Max, x, zero)?;
        let base = self.graph.binary(OpCode::Max, y, zero)?;
        let raised = self.graph.binary(OpCode::Max, w, low)?;
        let exponent = self.graph.binary(OpCode::Min, raised, high)?;
        let power = self.graph.binary(OpCode::Pow, base, exponent)?;
        let lit = self.graph.binary(OpCode::Fslt, zero, x)?;
        let specular = self.graph.ternary(OpCode::Ucmp, [lit, power, zero])?;
        Ok([one, diffuse, specular, one])
    }

    /// Computes 2^floor(x), x - floor(x), 2^x, 1.
    fn exp(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        let x = self.source(instruction, 0, 0)?;
        let floor = self.graph.unary(OpCode::Floor, x)?;
        let whole = self.graph.unary(OpCode::Exp2, floor)?;
        let rest = self.graph.binary(OpCode::Sub, x, floor)?;
        let power = self.graph.unary(OpCode::Exp2, x)?;
        Ok([whole, rest, power, self.graph.float(1.0)?])
    }

    /// Computes floor(l), m / 2^floor(l), l, 1, with m = |x| and l = log2 m.
    fn log(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        let x = self.source(instruction, 0, 0)?;
        let magnitude = self.graph.unary(OpCode::Abs, x)?;
        let log = self.graph.unary(OpCode::Log2, magnitude)?;
        let floor = self.graph.unary(OpCode::Floor, log)?;
        let power = self.graph.unary(OpCode::Exp2, floor)?;
        let mantissa = self.graph.binary(OpCode::Div, magnitude, power)?;
        Ok([floor, mantissa, log, self.graph.float(1.0)?])
    }

    /// Packs components into normalised fields of `bits` bits in one word, x in the lowest.
    fn pack(
        &mut self,
        instruction: &Instruction,
        bits: u32,
        signed: bool,
    ) -> Result<[Value; 4], CompileError> {
        let scale = ((1u32 << (bits - u32::from(signed))) - 1) as f32;
        let scale = self.graph.float(scale)?;
        let mask = self.graph.constant((1 << bits) - 1)?;
        let mut word = Value::NONE;
        for field in 0..32 / bits {
            let value = self.source(instruction, 0, field as usize)?;
            let limited = if signed {
                self.limit(value)?
            } else {
                self.graph.unary(OpCode::Saturate, value)?
            };
            let scaled = self.graph.binary(OpCode::Mul, limited, scale)?;
            let rounded = self.graph.unary(OpCode::Round, scaled)?;
            let integer = self.graph.unary(OpCode::F2i, rounded)?;
            let masked = self.graph.binary(OpCode::And, integer, mask)?;
            let shift = self.graph.constant(field * bits)?;
            let placed = self.graph.binary(OpCode::Shl, masked, shift)?;
            word = match field {
                0 => placed,
                _ => self.graph.binary(OpCode::Or, word, placed)?,
            };
        }
        Ok([word; 4])
    }

    /// Limits a value to -1 … 1; NaN becomes 0.
    fn limit(&mut self, value: Value) -> Result<Value, CompileError> {
        let (low, high) = (self.graph.float(-1.0)?, self.graph.float(1.0)?);
        let raised = self.graph.binary(OpCode::Max, value, low)?;
        let limited = self.graph.binary(OpCode::Min, raised, high)?;
        let number = self.graph.binary(OpCode::Fseq, value, value)?;
        self.graph.binary(OpCode::And, limited, number)
    }

    /// Unpacks normalised fields of `bits` bits, the lowest into x. Two fields fill xy and zw.
    fn unpack(
        &mut self,
        instruction: &Instruction,
        bits: u32,
        signed: bool,
    ) -> Result<[Value; 4], CompileError> {
        let word = self.source(instruction, 0, 0)?;
        let scale = ((1u32 << (bits - u32::from(signed))) - 1) as f32;
        let scale = self.graph.float(scale)?;
        let width = self.graph.constant(bits)?;
        let (extract, convert) = match signed {
            true => (OpCode::Ibfe, OpCode::I2f),
            false => (OpCode::Ubfe, OpCode::U2f),
        };
        self.each_component(instruction, |lower, component| {
            let field = component as u32 % (32 / bits);
            let offset = lower.graph.constant(field * bits)?;
            let integer = lower.graph.ternary(extract, [word, offset, width])?;
            let float = lower.graph.unary(convert, integer)?;
            let value = lower.graph.binary(OpCode::Div, float, scale)?;
            if signed { lower.limit(value) } else { Ok(value) }
        })
    }
}
