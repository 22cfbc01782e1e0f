//! Which ops get code, the rows they read, and the instructions they consist of.

use iced_x86::Code::{self, *};
use tgsi::exec::{Op, OpCode};
use tgsi::program::Row;

use crate::assembler::Test;

/// The rows that a generated op reads.
pub(crate) struct Operands {
    /// Rows read lane by lane.
    pub(crate) rows: [Option<Row>; 4],
    /// A row read as a mask of all lanes.
    pub(crate) mask: Option<Row>,
}

/// Returns the rows that an op reads.
pub(crate) fn operands(op: &Op) -> Operands {
    let Op { code, aux, dst, a, b, c } = *op;
    let rows = match code {
        OpCode::Select => [Some(b), Some(c), None, None],
        OpCode::Update => [Some(a), Some(dst), None, None],
        _ => {
            let count = code.operands().unwrap_or(1);
            let all = [a, b, c, Row(aux)];
            std::array::from_fn(|index| all.get(index).copied().filter(|_| index < count))
        }
    };
    Operands { rows, mask: (code == OpCode::Select).then_some(a) }
}

/// Returns true if code is generated for an op.
pub(crate) fn is_generated(code: OpCode) -> bool {
    recipe(code).is_some()
}

/// The pattern of instructions that implements an op.
#[derive(Clone, Copy)]
pub(crate) enum Recipe {
    /// dst := code(a).
    One(Code),
    /// dst := code(a), rounded as the immediate byte specifies.
    Round(i32),
    /// dst := code(a, bits).
    Constant(Code, u32),
    /// dst := code(a, b).
    Two(Code),
    /// dst := code(a, b); the operands may be swapped.
    Commutative(Code),
    /// dst := code(a, b modulo 32).
    Shift(Code),
    /// dst := these bits where the comparison of a and b holds, else 0.
    If(Test, u32),
    /// dst := second(first(a, b), c).
    Chain(Code, Code),
    /// dst := third(second(first(a, b), c), d).
    LongChain(Code, Code, Code),
    /// dst := c where the comparison of a and b holds, else d.
    Choose(Test),
    /// dst := the smaller or larger of a and b, by this instruction. If one is a NaN, the result is
    /// the other.
    Limit(Code),
    /// dst := the smaller or larger of a · b + c and d, as `Limit`.
    MadLimit(Code),
    /// dst := the difference of two lanes of each quad, selected by two shuffles.
    Derivative(i32, i32),
    /// Instructions that no other op shares; see `emit`.
    Special,
}

pub(crate) const LESS: Test = Test::Float(0x11);
const NOT_LESS: Test = Test::Float(0x1D);
pub(crate) const EQUAL: Test = Test::Float(0x00);
const NOT_EQUAL: Test = Test::Float(0x04);
pub(crate) const GREATER: Test = Test::Float(0x1E);
pub(crate) const UNORDERED: Test = Test::Float(0x03);

pub(crate) const ADD: Code = VEX_Vaddps_ymm_ymm_ymmm256;
pub(crate) const SUB: Code = VEX_Vsubps_ymm_ymm_ymmm256;
pub(crate) const MUL: Code = VEX_Vmulps_ymm_ymm_ymmm256;
pub(crate) const DIV: Code = VEX_Vdivps_ymm_ymm_ymmm256;
pub(crate) const MIN: Code = VEX_Vminps_ymm_ymm_ymmm256;
pub(crate) const MAX: Code = VEX_Vmaxps_ymm_ymm_ymmm256;
pub(crate) const SQRT: Code = VEX_Vsqrtps_ymm_ymmm256;
pub(crate) const AND: Code = VEX_Vpand_ymm_ymm_ymmm256;
pub(crate) const AND_NOT: Code = VEX_Vpandn_ymm_ymm_ymmm256;
pub(crate) const OR: Code = VEX_Vpor_ymm_ymm_ymmm256;
const XOR: Code = VEX_Vpxor_ymm_ymm_ymmm256;
pub(crate) const MOVE: Code = VEX_Vmovups_ymm_ymmm256;
const IADD: Code = VEX_Vpaddd_ymm_ymm_ymmm256;
pub(crate) const ISUB: Code = VEX_Vpsubd_ymm_ymm_ymmm256;
const IMUL: Code = VEX_Vpmulld_ymm_ymm_ymmm256;

pub(crate) const ONE: u32 = 1.0f32.to_bits();
pub(crate) const MINUS_ONE: u32 = (-1.0f32).to_bits();

/// Returns the recipe of an op; `None` if no code is made for it.
pub(crate) fn recipe(code: OpCode) -> Option<Recipe> {
    use OpCode as O;
    use Recipe::*;
    Some(match code {
        O::Mov => One(MOVE),
        O::Neg => Constant(XOR, 0x8000_0000),
        O::Abs => Constant(AND, 0x7FFF_FFFF),
        O::Not => Constant(XOR, !0),
        O::Round => Round(0x8),
        O::Floor => Round(0x9),
        O::Ceil => Round(0xA),
        O::Trunc => Round(0xB),
        O::Sqrt => One(SQRT),
        O::F2i => One(VEX_Vcvttps2dq_ymm_ymmm256),
        O::I2f => One(VEX_Vcvtdq2ps_ymm_ymmm256),
        O::Iabs => One(VEX_Vpabsd_ymm_ymmm256),
        O::Add => Commutative(ADD),
        O::Mul => Commutative(MUL),
        O::Sub => Two(SUB),
        O::Div => Two(DIV),
        O::Min => Limit(MIN),
        O::Max => Limit(MAX),
        O::Slt => If(LESS, ONE),
        O::Sge => If(NOT_LESS, ONE),
        O::Seq => If(EQUAL, ONE),
        O::Sne => If(NOT_EQUAL, ONE),
        O::Fslt => If(LESS, !0),
        O::Fsge => If(NOT_LESS, !0),
        O::Fseq => If(EQUAL, !0),
        O::Fsne => If(NOT_EQUAL, !0),
        O::Uadd => Commutative(IADD),
        O::Usub => Two(ISUB),
        O::Umul => Commutative(IMUL),
        O::Imax => Commutative(VEX_Vpmaxsd_ymm_ymm_ymmm256),
        O::Imin => Commutative(VEX_Vpminsd_ymm_ymm_ymmm256),
        O::Umax => Commutative(VEX_Vpmaxud_ymm_ymm_ymmm256),
        O::Umin => Commutative(VEX_Vpminud_ymm_ymm_ymmm256),
        O::Islt => If(Test::Less, !0),
        O::Isge => If(Test::NotLess, !0),
        O::Useq => If(Test::Equal, !0),
        O::Usne => If(Test::NotEqual, !0),
        O::Uslt => If(Test::Below, !0),
        O::Usge => If(Test::NotBelow, !0),
        O::And => Commutative(AND),
        O::Or => Commutative(OR),
        O::Xor => Commutative(XOR),
        O::Shl => Shift(VEX_Vpsllvd_ymm_ymm_ymmm256),
        O::Ishr => Shift(VEX_Vpsravd_ymm_ymm_ymmm256),
        O::Ushr => Shift(VEX_Vpsrlvd_ymm_ymm_ymmm256),
        O::Mad => Chain(MUL, ADD),
        O::Msub => Chain(MUL, SUB),
        O::SubMul => Chain(SUB, MUL),
        O::Umad => Chain(IMUL, IADD),
        O::MadAdd => LongChain(MUL, ADD, ADD),
        O::SubMad => LongChain(SUB, MUL, ADD),
        O::MadMin => MadLimit(MIN),
        O::MadMax => MadLimit(MAX),
        O::SelectLess => Choose(LESS),
        O::SelectNotLess => Choose(NOT_LESS),
        O::Ddx => Derivative(0xFF, 0xAA),
        O::Ddy => Derivative(0xAA, 0x00),
        O::DdxFine => Derivative(0xF5, 0xA0),
        O::DdyFine => Derivative(0xEE, 0x44),
        O::Saturate | O::Sign | O::Fract | O::Rcp | O::Rsq | O::Ineg | O::RoundHalf => Special,
        O::Nmad | O::Cmp | O::Ucmp | O::BitSelect | O::MadSaturate | O::Dot2 => Special,
        O::Select | O::Update => Special,
        _ => return None,
    })
}
