//! 64-bit values: doubles and long integers in pairs of components.
//!
//! Pairs are xy and zw, the low word first. As in the reference interpreter, operations of two
//! sources write a whole pair if either component is in the mask; all further operations write it
//! only if both are.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::exec::{OpCode, WideCode};
use crate::opcode::{Type, WideOpcode};
use crate::shader::Instruction;

/// A 64-bit value: low word and high word.
type Pair = [Value; 2];

const NO_PAIR: Pair = [Value::NONE; 2];

/// A 64-bit operation with values as operands; becomes a [`crate::exec::program::Wide`].
#[derive(Clone, Copy)]
pub(super) struct WideValues {
    pub(super) code: WideCode,
    pub(super) operands: [Pair; 3],
    /// The `Result` nodes.
    pub(super) results: Pair,
}

impl WideValues {
    /// Returns all operands that exist.
    pub(super) fn operands(&self) -> impl Iterator<Item = Value> + use<> {
        self.operands.into_iter().flatten().filter(|value| value.is_some())
    }
}

/// The computation of an opcode.
enum Operation {
    /// One operation per pair.
    One(WideCode),
    /// Two operations on the first pair, with one destination each.
    SignificandAndExponent,
}

/// Maps an opcode to its operation.
const fn code_of(opcode: WideOpcode) -> Operation {
    use WideCode as W;
    use WideOpcode as T;
    Operation::One(match opcode {
        T::Dadd => W::DoubleAdd,
        T::Dmul => W::DoubleMul,
        T::Ddiv => W::DoubleDiv,
        T::Dmad => W::DoubleMad,
        T::Dfma => W::DoubleFma,
        T::Dmin => W::DoubleMin,
        T::Dmax => W::DoubleMax,
        T::Dabs => W::DoubleAbs,
        T::Dneg => W::DoubleNeg,
        T::Drcp => W::DoubleRcp,
        T::Dsqrt => W::DoubleSqrt,
        T::Drsq => W::DoubleRsq,
        T::Dfrac => W::DoubleFract,
        T::Dflr => W::DoubleFloor,
        T::Dceil => W::DoubleCeil,
        T::Dtrunc => W::DoubleTrunc,
        T::Dround => W::DoubleRound,
        T::Dssg => W::DoubleSign,
        T::Dslt => W::DoubleLess,
        T::Dsge => W::DoubleGreaterEqual,
        T::Dseq => W::DoubleEqual,
        T::Dsne => W::DoubleNotEqual,
        T::Dldexp => W::DoubleLdexp,
        T::F2d => W::DoubleFromFloat,
        T::I2d => W::DoubleFromInt,
        T::U2d => W::DoubleFromUint,
        T::I642d => W::DoubleFromInt64,
        T::U642d => W::DoubleFromUint64,
        T::D2f => W::FloatFromDouble,
        T::D2i => W::IntFromDouble,
        T::D2u => W::UintFromDouble,
        T::D2i64 => W::Int64FromDouble,
        T::D2u64 => W::Uint64FromDouble,
        T::F2i64 => W::Int64FromFloat,
        T::F2u64 => W::Uint64FromFloat,
        T::I2i64 => W::Int64FromInt,
        T::U2i64 => W::Uint64FromUint,
        T::I642f => W::FloatFromInt64,
        T::U642f => W::FloatFromUint64,
        T::U64add => W::Add,
        T::U64mul => W::Mul,
        T::I64neg => W::Neg,
        T::I64abs => W::Abs,
        T::I64ssg => W::Sign,
        T::I64min => W::SignedMin,
        T::U64min => W::UnsignedMin,
        T::I64max => W::SignedMax,
        T::U64max => W::UnsignedMax,
        T::I64div => W::SignedDiv,
        T::U64div => W::UnsignedDiv,
        T::I64mod => W::SignedMod,
        T::U64mod => W::UnsignedMod,
        T::U64shl => W::ShiftLeft,
        T::I64shr => W::SignedShiftRight,
        T::U64shr => W::UnsignedShiftRight,
        T::U64seq => W::Equal,
        T::U64sne => W::NotEqual,
        T::I64slt => W::SignedLess,
        T::U64slt => W::UnsignedLess,
        T::I64sge => W::SignedGreaterEqual,
        T::U64sge => W::UnsignedGreaterEqual,
        T::Dfracexp => return Operation::SignificandAndExponent,
    })
}

impl Lower<'_, '_> {
    /// Adds the nodes of a 64-bit instruction, and writes its result.
    pub(super) fn wide(
        &mut self,
        opcode: WideOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        match code_of(opcode) {
            Operation::One(code) => self.each_pair(code, instruction),
            Operation::SignificandAndExponent => self.significand_and_exponent(instruction),
        }
    }

    /// Adds one operation for each pair in the destination's mask.
    #[expect(clippy::indexing_slicing, reason = "two pairs are four components")]
    fn each_pair(&mut self, code: WideCode, instruction: &Instruction) -> Result<(), CompileError> {
        let info = instruction.opcode.info();
        let wide = info.dst.first().is_some_and(|kind| kind.is_64bit());
        let narrowing = !wide && info.src.len() == 1;
        let has = |component: usize| instruction.dst[0].mask.has(component);
        // In narrowing conversions the first component in the mask gets the first pair.
        let mut enabled = (0..4).filter(|&component| has(component));
        let mut results = [Value::NONE; 4];
        let mut written = 0u8;
        for pair in 0..2 {
            let (low, high) = (2 * pair, 2 * pair + 1);
            let both = has(low) && has(high);
            let place = match (wide, narrowing) {
                (true, _) if both || (info.src.len() == 2 && (has(low) || has(high))) => Some(low),
                (true, _) => None,
                (false, true) => enabled.next(),
                (false, false) if has(low) => Some(low),
                (false, false) => has(high).then_some(high),
            };
            let Some(place) = place else { continue };
            let mut operands = [NO_PAIR; 3];
            for (number, operand) in operands.iter_mut().enumerate().take(info.src.len()) {
                *operand = self.wide_source(instruction, number, pair)?;
            }
            let mut result = self.wide_op(code, operands)?;
            if wide && instruction.saturate {
                result = self.wide_op(WideCode::DoubleSaturate, [result, NO_PAIR, NO_PAIR])?;
            }
            results[place] = result[0];
            written |= 1 << place;
            if wide {
                results[high] = result[1];
                written |= 1 << high;
            } else if instruction.saturate {
                results[place] = self.graph.unary(OpCode::Saturate, result[0])?;
            }
        }
        self.write_components(instruction, 0, results, written)
    }

    /// Writes the first pair's significand to every wholly written pair, and writes its exponent.
    fn significand_and_exponent(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        let source = self.wide_source(instruction, 0, 0)?;
        let operands = [source, NO_PAIR, NO_PAIR];
        let [low, high] = self.wide_op(WideCode::DoubleSignificand, operands)?;
        let [exponent, _] = self.wide_op(WideCode::DoubleExponent, operands)?;
        let mask = instruction.dst[0].mask;
        let whole = |pair: usize| mask.has(2 * pair) && mask.has(2 * pair + 1);
        let written = [0, 1].map(|pair| if whole(pair) { 3 << (2 * pair) } else { 0 });
        self.write_components(instruction, 0, [low, high, low, high], written[0] | written[1])?;
        let mask = instruction.dst[1].mask.bits();
        self.write_components(instruction, 1, [exponent; 4], mask)
    }

    /// Reads a source for a pair of the destination: the same pair, or for narrow sources the
    /// matching component.
    fn wide_source(
        &mut self,
        instruction: &Instruction,
        number: usize,
        pair: usize,
    ) -> Result<Pair, CompileError> {
        let types = instruction.opcode.info().src;
        let kind = *types.get(number).ok_or(self.bad_operand())?;
        if !kind.is_64bit() {
            // Conversions take x and y; counts and exponents take x and z.
            let component = if types.len() == 1 { pair } else { 2 * pair };
            return Ok([self.source(instruction, number, component)?, Value::NONE]);
        }
        let src = *instruction.src.get(number).ok_or(self.bad_operand())?;
        let low = self.plain_source(&src, 2 * pair)?;
        let mut value = [low, self.plain_source(&src, 2 * pair + 1)?];
        let (absolute, negative) = match kind {
            Type::Double => (WideCode::DoubleAbs, WideCode::DoubleNeg),
            _ => (WideCode::Abs, WideCode::Neg),
        };
        for (wanted, code) in [(src.absolute, absolute), (src.negate, negative)] {
            if wanted {
                value = self.wide_op(code, [value, NO_PAIR, NO_PAIR])?;
            }
        }
        Ok(value)
    }

    /// Adds one operation.
    fn wide_op(&mut self, code: WideCode, operands: [Pair; 3]) -> Result<Pair, CompileError> {
        let mut present = operands.as_flattened().iter().filter(|value| value.is_some());
        let uniform = self.optimize
            && present.all(|&value| self.graph.node(value).is_some_and(|node| node.uniform));
        if uniform && let Some([a, b, c]) = self.wide_constants(operands) {
            let result = code.evaluate(a, b, c);
            let low = self.graph.constant(result as u32)?;
            return Ok([low, self.graph.constant((result >> 32) as u32)?]);
        }
        let at = self.tables.wides.len();
        let results = self.table_op(OpCode::Wide, at)?;
        if uniform && self.graph.has_room_in_preamble() {
            self.make_uniform(results);
        }
        self.tables.wides.try_push(WideValues { code, operands, results })?;
        Ok(results)
    }

    /// Returns the bits of the operands if all are constants.
    fn wide_constants(&self, operands: [Pair; 3]) -> Option<[u64; 3]> {
        let mut bits = [0; 3];
        for (bits, operand) in bits.iter_mut().zip(operands) {
            let word = |value: Value| match value.is_some() {
                true => self.graph.constant_bits(value).map(u64::from),
                false => Some(0),
            };
            *bits = word(operand[0])? | word(operand[1])? << 32;
        }
        Some(bits)
    }

    /// Moves an operation to the preamble: its node is the one before its results.
    fn make_uniform(&mut self, results: Pair) {
        self.graph.in_preamble += 1;
        let first = results[0].index().saturating_sub(1);
        for node in self.graph.nodes.iter_mut().skip(first) {
            node.uniform = true;
        }
    }
}
