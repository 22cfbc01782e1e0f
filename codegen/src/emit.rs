//! Emits the instructions of each op, for one vector of lanes.
//!
//! Only the last instruction of an op writes the result, because the result's register may also
//! hold an operand.

use iced_x86::Code::{self, *};
use iced_x86::Register;
use tgsi::exec::{Op, OpCode};

use crate::assembler::{Assembler, Place, Test};
use crate::recipe::{
    ADD, AND, AND_NOT, DIV, EQUAL, GREATER, ISUB, LESS, MAX, MIN, MINUS_ONE, MOVE, MUL, ONE, OR,
    Recipe, SQRT, SUB, UNORDERED, recipe,
};
use crate::registers::Rows;

/// Emits the code of op `at` of a segment; `None` if there is no code for it.
pub(crate) fn emit(asm: &mut Assembler, rows: &mut Rows, at: usize, op: &Op) -> Option<()> {
    rows.begin(at);
    let dst = by_recipe(asm, rows, recipe(op.code)?, op)?;
    rows.end(asm, op.dst, dst)
}

/// Emits the instructions of a recipe; returns the register of the result.
fn by_recipe(asm: &mut Assembler, rows: &mut Rows, recipe: Recipe, op: &Op) -> Option<Register> {
    let [t, u] = asm.temporaries();
    let dst;
    match recipe {
        Recipe::One(code) => {
            let a = rows.place(asm, 0)?;
            dst = rows.result(asm, op.dst)?;
            asm.one(code, dst, a)?;
        }
        Recipe::Round(how) => {
            let a = rows.place(asm, 0)?;
            dst = rows.result(asm, op.dst)?;
            asm.one_by(VEX_Vroundps_ymm_ymmm256_imm8, dst, a, how)?;
        }
        Recipe::Constant(code, bits) => {
            let a = rows.register(asm, 0)?;
            dst = rows.result(asm, op.dst)?;
            let bits = asm.constant(bits);
            asm.two(code, dst, a, bits)?;
        }
        Recipe::Two(code) => {
            let (a, b) = (rows.register(asm, 0)?, rows.place(asm, 1)?);
            dst = rows.result(asm, op.dst)?;
            asm.two(code, dst, a, b)?;
        }
        Recipe::Commutative(code) => {
            let (a, b) = commutative(asm, rows)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(code, dst, a, b)?;
        }
        Recipe::Shift(code) => {
            let (a, b) = (rows.register(asm, 0)?, rows.register(asm, 1)?);
            let low = asm.constant(31);
            asm.two(AND, t, b, low)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(code, dst, a, Place::Register(t))?;
        }
        Recipe::If(test, bits) => {
            let (a, b) = (rows.register(asm, 0)?, rows.register(asm, 1)?);
            asm.test(test, a, b)?;
            dst = rows.result(asm, op.dst)?;
            asm.constant_if(dst, bits)?;
        }
        Recipe::Chain(first, second) => {
            let (a, b) = first_two(asm, rows, first)?;
            asm.two(first, t, a, b)?;
            let c = rows.place(asm, 2)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(second, dst, t, c)?;
        }
        Recipe::LongChain(first, second, third) => {
            let (a, b) = first_two(asm, rows, first)?;
            asm.two(first, t, a, b)?;
            let c = rows.place(asm, 2)?;
            asm.two(second, t, t, c)?;
            let d = rows.place(asm, 3)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(third, dst, t, d)?;
        }
        Recipe::Choose(test) => {
            let (a, b) = (rows.register(asm, 0)?, rows.place(asm, 1)?);
            asm.test_place(test, a, b)?;
            let (yes, no) = (rows.place(asm, 2)?, rows.register(asm, 3)?);
            dst = rows.result(asm, op.dst)?;
            asm.choose(dst, yes, no)?;
        }
        Recipe::Limit(code) => {
            let (a, b) = (rows.register(asm, 0)?, rows.register(asm, 1)?);
            dst = rows.result(asm, op.dst)?;
            limit(asm, code, dst, a, b)?;
        }
        Recipe::MadLimit(code) => {
            let (a, b) = commutative(asm, rows)?;
            asm.two(MUL, t, a, b)?;
            let c = rows.place(asm, 2)?;
            asm.two(ADD, t, t, c)?;
            let d = rows.register(asm, 3)?;
            dst = rows.result(asm, op.dst)?;
            limit(asm, code, dst, t, d)?;
        }
        Recipe::Derivative(right, left) => {
            let a = Place::Register(rows.register(asm, 0)?);
            asm.one_by(VEX_Vpermilps_ymm_ymmm256_imm8, t, a, right)?;
            asm.one_by(VEX_Vpermilps_ymm_ymmm256_imm8, u, a, left)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(SUB, dst, t, Place::Register(u))?;
        }
        Recipe::Special => dst = special(asm, rows, op)?,
    }
    Some(dst)
}

/// Emits the instructions of an op that shares its recipe with no other op.
fn special(asm: &mut Assembler, rows: &mut Rows, op: &Op) -> Option<Register> {
    let [t, u] = asm.temporaries();
    let [zero, one] = [asm.constant(0), asm.constant(ONE)];
    let dst;
    match op.code {
        OpCode::Saturate => {
            let a = rows.register(asm, 0)?;
            asm.two(MAX, t, a, zero)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(MIN, dst, t, one)?;
        }
        OpCode::MadSaturate => {
            let (a, b) = commutative(asm, rows)?;
            asm.two(MUL, t, a, b)?;
            let c = rows.place(asm, 2)?;
            asm.two(ADD, t, t, c)?;
            asm.two(MAX, t, t, zero)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(MIN, dst, t, one)?;
        }
        OpCode::Sign => {
            let a = rows.register(asm, 0)?;
            asm.test_place(GREATER, a, zero)?;
            asm.constant_if(t, ONE)?;
            asm.test_place(LESS, a, zero)?;
            asm.constant_if(u, MINUS_ONE)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(OR, dst, t, Place::Register(u))?;
        }
        OpCode::Fract => {
            let a = rows.register(asm, 0)?;
            asm.one_by(VEX_Vroundps_ymm_ymmm256_imm8, t, Place::Register(a), 0x9)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(SUB, dst, a, Place::Register(t))?;
        }
        OpCode::RoundHalf => {
            let a = rows.register(asm, 0)?;
            let magnitude = round_half(asm, a)?;
            let sign = asm.constant(0x8000_0000);
            asm.two(AND, t, a, sign)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(OR, dst, t, Place::Register(magnitude))?;
        }
        OpCode::Rcp => {
            let a = rows.place(asm, 0)?;
            asm.one(MOVE, t, one)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(DIV, dst, t, a)?;
        }
        OpCode::Rsq => {
            let a = rows.place(asm, 0)?;
            asm.one(SQRT, u, a)?;
            asm.one(MOVE, t, one)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(DIV, dst, t, Place::Register(u))?;
        }
        OpCode::Ineg => {
            let a = rows.place(asm, 0)?;
            asm.one(MOVE, t, zero)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(ISUB, dst, t, a)?;
        }
        OpCode::Nmad => {
            let (a, b) = commutative(asm, rows)?;
            asm.two(MUL, t, a, b)?;
            let c = rows.register(asm, 2)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(SUB, dst, c, Place::Register(t))?;
        }
        OpCode::Cmp => {
            let a = rows.register(asm, 0)?;
            asm.test_place(LESS, a, zero)?;
            let (yes, no) = (rows.place(asm, 1)?, rows.register(asm, 2)?);
            dst = rows.result(asm, op.dst)?;
            asm.choose(dst, yes, no)?;
        }
        OpCode::Ucmp => {
            let a = rows.register(asm, 0)?;
            asm.test_place(Test::Equal, a, zero)?;
            let (yes, no) = (rows.register(asm, 1)?, rows.place(asm, 2)?);
            dst = rows.result(asm, op.dst)?;
            // The result is c in lanes where a is 0.
            asm.choose(dst, no, yes)?;
        }
        OpCode::BitSelect => {
            let (a, b, c) = (rows.register(asm, 0)?, rows.place(asm, 1)?, rows.place(asm, 2)?);
            asm.two(AND, t, a, b)?;
            asm.two(AND_NOT, u, a, c)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(OR, dst, t, Place::Register(u))?;
        }
        OpCode::Dot2 => {
            let (a, b) = (rows.register(asm, 0)?, rows.place(asm, 1)?);
            asm.two(MUL, t, a, b)?;
            let (c, d) = (rows.register(asm, 2)?, rows.place(asm, 3)?);
            asm.two(MUL, u, c, d)?;
            dst = rows.result(asm, op.dst)?;
            asm.two(ADD, dst, t, Place::Register(u))?;
        }
        OpCode::Select => {
            asm.test_mask(op.a)?;
            let (yes, no) = (rows.place(asm, 0)?, rows.register(asm, 1)?);
            dst = rows.result(asm, op.dst)?;
            asm.choose(dst, yes, no)?;
        }
        OpCode::Update => {
            let (yes, no) = (rows.place(asm, 0)?, rows.register(asm, 1)?);
            dst = rows.result(asm, op.dst)?;
            asm.choose_running(dst, yes, no)?;
        }
        _ => return None,
    }
    Some(dst)
}

/// Emits `tgsi::math::round_to_f16` without the sign; returns the register of the result.
fn round_half(asm: &mut Assembler, a: Register) -> Option<Register> {
    let [large, rounded] = asm.temporaries();
    let power = asm.constant(0x7F80_0000);
    asm.two(AND, large, a, power)?;
    for (code, factor) in [(MAX, 1.0 / 16384.0), (MIN, 32768.0), (MUL, 12288.0f32)] {
        let factor = asm.constant(factor.to_bits());
        asm.two(code, large, large, factor)?;
    }
    let magnitude = asm.constant(0x7FFF_FFFF);
    asm.two(AND, rounded, a, magnitude)?;
    asm.two(ADD, rounded, rounded, Place::Register(large))?;
    asm.two(SUB, rounded, rounded, Place::Register(large))?;
    // 2¹¹² and its inverse: numbers from 65536 on become infinite.
    for exponent in [127 + 112, 127 - 112] {
        let factor = asm.constant(exponent << 23);
        asm.two(MUL, rounded, rounded, factor)?;
    }
    Some(rounded)
}

/// Returns the first two operands of a commutative op, one of them in a register. Swaps them if
/// only the second is in a register.
fn commutative(asm: &mut Assembler, rows: &mut Rows) -> Option<(Register, Place)> {
    if !rows.is_held(0) && rows.is_held(1) {
        let register = rows.register(asm, 1)?;
        return Some((register, rows.place(asm, 0)?));
    }
    Some((rows.register(asm, 0)?, rows.place(asm, 1)?))
}

fn first_two(asm: &mut Assembler, rows: &mut Rows, code: Code) -> Option<(Register, Place)> {
    match code {
        SUB => Some((rows.register(asm, 0)?, rows.place(asm, 1)?)),
        _ => commutative(asm, rows),
    }
}

/// dst := `code`(a, b), or a where b is a NaN. The instruction alone returns b where either operand
/// is a NaN.
fn limit(asm: &mut Assembler, code: Code, dst: Register, a: Register, b: Register) -> Option<()> {
    let [zero, limited] = asm.temporaries();
    asm.two(code, limited, a, Place::Register(b))?;
    asm.test(UNORDERED, b, b)?;
    asm.choose(limited, Place::Register(a), limited)?;
    // Equal numbers have the same bits, except zeros: -0 is below +0. `zero` may be the register
    // that holds `a`.
    asm.test(EQUAL, a, b)?;
    asm.two(if code == MAX { AND } else { OR }, zero, a, Place::Register(b))?;
    asm.choose(dst, Place::Register(zero), limited)
}
