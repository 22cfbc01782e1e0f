//! Instructions without control flow: each component's arithmetic.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::program::Uses;
use crate::shader::Instruction;

/// The op that computes each component (or the one result) from the operands in their order.
const fn direct(opcode: Opcode) -> Option<(OpCode, bool)> {
    use OpCode as L;
    use Opcode as T;
    let componentwise = match opcode {
        T::Mov | T::Uarl => L::Mov,
        T::Cmp => L::Cmp,
        T::Ucmp => L::Ucmp,
        T::Add => L::Add,
        T::Mul => L::Mul,
        T::Div => L::Div,
        T::Mad => L::Mad,
        T::Fma => L::Fma,
        T::Min => L::Min,
        T::Max => L::Max,
        T::Slt => L::Slt,
        T::Sge => L::Sge,
        T::Seq => L::Seq,
        T::Sne => L::Sne,
        T::Fslt => L::Fslt,
        T::Fsge => L::Fsge,
        T::Fseq => L::Fseq,
        T::Fsne => L::Fsne,
        T::Ssg => L::Sign,
        T::Frc => L::Fract,
        T::Flr => L::Floor,
        T::Ceil => L::Ceil,
        T::Trunc => L::Trunc,
        T::Round => L::Round,
        T::Ldexp => L::Ldexp,
        T::F2i => L::F2i,
        T::F2u => L::F2u,
        T::I2f => L::I2f,
        T::U2f => L::U2f,
        T::Uadd => L::Uadd,
        T::Umul => L::Umul,
        T::Umad => L::Umad,
        T::ImulHi => L::ImulHi,
        T::UmulHi => L::UmulHi,
        T::Idiv => L::Idiv,
        T::Udiv => L::Udiv,
        T::Mod => L::Imod,
        T::Umod => L::Umod,
        T::Imax => L::Imax,
        T::Imin => L::Imin,
        T::Umax => L::Umax,
        T::Umin => L::Umin,
        T::Ineg => L::Ineg,
        T::Iabs => L::Iabs,
        T::Issg => L::Isign,
        T::Islt => L::Islt,
        T::Isge => L::Isge,
        T::Uslt => L::Uslt,
        T::Usge => L::Usge,
        T::Useq => L::Useq,
        T::Usne => L::Usne,
        T::Not => L::Not,
        T::And => L::And,
        T::Or => L::Or,
        T::Xor => L::Xor,
        T::Shl => L::Shl,
        T::Ishr => L::Ishr,
        T::Ushr => L::Ushr,
        T::Ibfe => L::Ibfe,
        T::Ubfe => L::Ubfe,
        T::Brev => L::ReverseBits,
        T::Popc => L::CountOnes,
        T::Lsb => L::LowestBit,
        T::Imsb => L::HighestDifference,
        T::Umsb => L::HighestBit,
        T::Ddx => L::Ddx,
        T::Ddy => L::Ddy,
        T::DdxFine => L::DdxFine,
        T::DdyFine => L::DdyFine,
        _ => return replicated(opcode),
    };
    Some((componentwise, true))
}

/// The op that computes one result for all components from the x of the operands.
const fn replicated(opcode: Opcode) -> Option<(OpCode, bool)> {
    use OpCode as L;
    use Opcode as T;
    let replicate = match opcode {
        T::Rcp => L::Rcp,
        T::Rsq => L::Rsq,
        T::Sqrt => L::Sqrt,
        T::Ex2 => L::Exp2,
        T::Lg2 => L::Log2,
        T::Pow => L::Pow,
        T::Sin => L::Sin,
        T::Cos => L::Cos,
        _ => return None,
    };
    Some((replicate, false))
}

impl Lower<'_, '_> {
    /// An instruction that is neither control flow nor a texture lookup.
    pub(super) fn arithmetic(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        match instruction.opcode {
            Opcode::Nop => return Ok(()),
            // A lane that is discarded goes on as a helper in any case.
            Opcode::Kill | Opcode::Demote => {
                self.uses |= Uses::KILL;
                self.effect(OpCode::Kill, [Value::NONE; 3])?;
                return Ok(());
            }
            Opcode::KillIf => return self.kill_if(instruction),
            _ => {}
        }
        let values = match direct(instruction.opcode) {
            Some((code, true)) => self.each_component(instruction, |lower, component| {
                lower.compute(instruction, code, component)
            })?,
            Some((code, false)) => [self.compute(instruction, code, 0)?; 4],
            None => self.composed(instruction)?,
        };
        self.write(instruction, 0, values)
    }

    /// The value of each component that is written.
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

    /// One component of an instruction that is one op.
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

    /// A binary op; sums with what is negated become differences, which give the same.
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
        if let Some(b) = self.graph.negated(b, negation) {
            return self.graph.binary(difference, a, b);
        }
        match self.graph.negated(a, negation) {
            Some(a) => self.graph.binary(difference, b, a),
            None => self.graph.binary(code, a, b),
        }
    }

    /// A product that is 0 if a factor is, whatever the other is.
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

    /// Kills where a component is less than 0; each different value once.
    fn kill_if(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        self.uses |= Uses::KILL;
        let mut values = [Value::NONE; 4];
        for component in 0..4 {
            let value = self.source(instruction, 0, component)?;
            if values.contains(&value) {
                continue;
            }
            values[component] = value;
            let constant = self.graph.constant_bits(value).filter(|_| self.optimize);
            let code = match constant.map(f32::from_bits) {
                Some(bits) if bits < 0.0 => OpCode::Kill,
                Some(_) => continue,
                None => OpCode::KillIf,
            };
            self.effect(code, [value, Value::NONE, Value::NONE])?;
        }
        Ok(())
    }

    /// Instructions of several ops.
    fn composed(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        match instruction.opcode {
            Opcode::Arl => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let floor = lower.graph.unary(OpCode::Floor, a)?;
                lower.graph.unary(OpCode::F2i, floor)
            }),
            Opcode::Arr => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let half = lower.graph.float(0.5)?;
                let sum = lower.graph.binary(OpCode::Add, a, half)?;
                let floor = lower.graph.unary(OpCode::Floor, sum)?;
                lower.graph.unary(OpCode::F2i, floor)
            }),
            Opcode::Lrp => self.each_component(instruction, |lower, component| {
                let a = lower.source(instruction, 0, component)?;
                let b = lower.source(instruction, 1, component)?;
                let c = lower.source(instruction, 2, component)?;
                let difference = lower.graph.binary(OpCode::Sub, b, c)?;
                lower.ternary(OpCode::Mad, [a, difference, c])
            }),
            Opcode::Sgt => self.swapped(instruction, OpCode::Slt),
            Opcode::Sle => self.swapped(instruction, OpCode::Sge),
            Opcode::Bfi => self.each_component(instruction, |lower, component| {
                let base = lower.source(instruction, 0, component)?;
                let insert = lower.source(instruction, 1, component)?;
                let offset = lower.source(instruction, 2, component)?;
                let bits = lower.source(instruction, 3, component)?;
                let mask = lower.graph.binary(OpCode::FieldMask, offset, bits)?;
                let field = lower.graph.ternary(OpCode::FieldInsert, [insert, offset, bits])?;
                lower.graph.ternary(OpCode::BitSelect, [mask, field, base])
            }),
            Opcode::Dp2 => self.dot(instruction, 2),
            Opcode::Dp3 => self.dot(instruction, 3),
            Opcode::Dp4 => self.dot(instruction, 4),
            Opcode::Lit => self.lit(instruction),
            Opcode::Exp => self.exp(instruction),
            Opcode::Log => self.log(instruction),
            Opcode::Dst => {
                let one = self.graph.float(1.0)?;
                let (ay, by) = (self.source(instruction, 0, 1)?, self.source(instruction, 1, 1)?);
                let product = self.binary(OpCode::Mul, ay, by)?;
                let az = self.source(instruction, 0, 2)?;
                Ok([one, product, az, self.source(instruction, 1, 3)?])
            }
            Opcode::Pk2h => {
                let (x, y) = (self.source(instruction, 0, 0)?, self.source(instruction, 0, 1)?);
                Ok([self.graph.binary(OpCode::PackHalves, x, y)?; 4])
            }
            Opcode::Up2h => {
                let a = self.source(instruction, 0, 0)?;
                let low = self.graph.unary(OpCode::UnpackLowHalf, a)?;
                let high = self.graph.unary(OpCode::UnpackHighHalf, a)?;
                Ok([low, high, low, high])
            }
            Opcode::Pk2us => self.pack(instruction, 16, false),
            Opcode::Pk4ub => self.pack(instruction, 8, false),
            Opcode::Pk4b => self.pack(instruction, 8, true),
            Opcode::Up2us => self.unpack(instruction, 16, false),
            Opcode::Up4ub => self.unpack(instruction, 8, false),
            Opcode::Up4b => self.unpack(instruction, 8, true),
            _ => Err(self.unsupported()),
        }
    }

    /// A comparison with its operands exchanged.
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

    /// x·x, then y·y and so on added in this order.
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

    /// 1, max(x, 0), x > 0 ? max(y, 0)^clamp(w, -128, 128) : 0, 1.
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

    /// 2^floor(x), x - floor(x), 2^x, 1.
    fn exp(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        let x = self.source(instruction, 0, 0)?;
        let floor = self.graph.unary(OpCode::Floor, x)?;
        let whole = self.graph.unary(OpCode::Exp2, floor)?;
        let rest = self.graph.binary(OpCode::Sub, x, floor)?;
        let power = self.graph.unary(OpCode::Exp2, x)?;
        Ok([whole, rest, power, self.graph.float(1.0)?])
    }

    /// With m = |x|, l = log2 m: floor(l), m / 2^floor(l), l, 1.
    fn log(&mut self, instruction: &Instruction) -> Result<[Value; 4], CompileError> {
        let x = self.source(instruction, 0, 0)?;
        let magnitude = self.graph.unary(OpCode::Abs, x)?;
        let log = self.graph.unary(OpCode::Log2, magnitude)?;
        let floor = self.graph.unary(OpCode::Floor, log)?;
        let power = self.graph.unary(OpCode::Exp2, floor)?;
        let mantissa = self.graph.binary(OpCode::Div, magnitude, power)?;
        Ok([floor, mantissa, log, self.graph.float(1.0)?])
    }

    /// Normalised fields of `bits` bits in a word, x in the lowest.
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

    /// From -1 to 1; 0 for NaN.
    fn limit(&mut self, value: Value) -> Result<Value, CompileError> {
        let (low, high) = (self.graph.float(-1.0)?, self.graph.float(1.0)?);
        let raised = self.graph.binary(OpCode::Max, value, low)?;
        let limited = self.graph.binary(OpCode::Min, raised, high)?;
        let number = self.graph.binary(OpCode::Fseq, value, value)?;
        self.graph.binary(OpCode::And, limited, number)
    }

    /// The values of normalised fields of `bits` bits, the lowest in x; two fields fill xy and zw.
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
