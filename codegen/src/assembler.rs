//! The instructions of segments, and their bytes.
//!
//! A segment is a function with the System V calling convention: `rdi` points to the register file,
//! `rsi` holds the mask of running lanes, `rdx` points to constants. The function loops over the
//! lanes, one vector per step. Each step advances `rdi` by the bytes of a vector, and `r8`, which
//! addresses rows that are masks, by one bit per lane.
//!
//! Callers name instructions by their AVX2 form. With sixteen-lane vectors the assembler
//! substitutes the AVX-512 form. A *condition* is either a mask register, or a vector with all bits
//! set in each lane that satisfies it.

use iced_x86::Code::{self, *};
use iced_x86::{
    BlockEncoder, BlockEncoderOptions, IcedError, Instruction, InstructionBlock, MemoryOperand,
    Register,
};
use tgsi::exec::GENERATED_LANES;
use tgsi::program::Row;

use crate::instructions::Instructions;

/// A constant, repeated in all lanes of the widest vector.
pub(crate) type Constant = [u32; 16];

/// Bytes of a row.
const ROW_BYTES: i64 = 4 * GENERATED_LANES as i64;

/// The mask register of the current condition.
const CONDITION_MASK: Register = Register::K1;

/// The mask register of the running lanes.
const RUNNING_MASK: Register = Register::K2;

/// The last operand of an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Register(Register),
    Memory(MemoryOperand),
}

/// A comparison of operands a and b.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Test {
    /// Compares floats by this predicate of `vcmpps`.
    Float(i32),
    /// Compares integers.
    Equal,
    NotEqual,
    /// Compares signed integers.
    Less,
    NotLess,
    /// Compares unsigned integers.
    Below,
    NotBelow,
}

/// Collects the code of a program.
pub(crate) struct Assembler {
    level: Instructions,
    instructions: Vec<Instruction>,
    /// The index of each segment's first instruction.
    entries: Vec<usize>,
    constants: Vec<Constant>,
}

impl Assembler {
    pub(crate) fn new(level: Instructions) -> Assembler {
        Assembler { level, instructions: Vec::new(), entries: Vec::new(), constants: Vec::new() }
    }

    fn is_wide(&self) -> bool {
        self.level == Instructions::Avx512
    }

    /// Returns vector register `index`.
    fn vector(&self, index: usize) -> Register {
        if self.is_wide() { Register::ZMM0 + index as u32 } else { Register::YMM0 + index as u32 }
    }

    /// Returns the registers that can hold rows: all except four.
    pub(crate) fn row_registers(&self) -> Vec<Register> {
        let count = if self.is_wide() { 28 } else { 12 };
        (4..4 + count).map(|index| self.vector(index)).collect()
    }

    /// Returns two registers for temporary values within an op.
    pub(crate) fn temporaries(&self) -> [Register; 2] {
        [self.vector(0), self.vector(1)]
    }

    fn condition(&self) -> Register {
        self.vector(2)
    }

    fn running(&self) -> Register {
        self.vector(3)
    }

    fn step_bytes(&self) -> i64 {
        if self.is_wide() { 64 } else { 32 }
    }

    fn push(&mut self, instruction: Result<Instruction, IcedError>) -> Option<()> {
        self.instructions.push(instruction.ok()?);
        Some(())
    }

    /// Adds an instruction that writes only the lanes in a mask register.
    ///
    /// * `zeroes`: true sets the other lanes to 0; false lets the instruction choose their value.
    fn push_masked(
        &mut self,
        instruction: Result<Instruction, IcedError>,
        mask: Register,
        zeroes: bool,
    ) -> Option<()> {
        let mut instruction = instruction.ok()?;
        instruction.set_op_mask(mask);
        instruction.set_zeroing_masking(zeroes);
        self.push(Ok(instruction))
    }

    fn form(&self, code: Code) -> Option<Code> {
        if self.is_wide() { wide_form(code) } else { Some(code) }
    }

    /// Returns the memory operand of a row's lanes in the current step.
    pub(crate) fn row(&self, row: Row) -> Place {
        let offset = i64::from(row.0) * ROW_BYTES;
        Place::Memory(MemoryOperand::with_base_displ(Register::RDI, offset))
    }

    /// Returns the place of a constant, equal in all lanes.
    pub(crate) fn constant(&mut self, bits: u32) -> Place {
        self.constant_lanes([bits; 16])
    }

    fn constant_lanes(&mut self, lanes: Constant) -> Place {
        let known = self.constants.iter().position(|known| *known == lanes);
        let index = known.unwrap_or_else(|| {
            self.constants.push(lanes);
            self.constants.len() - 1
        });
        let offset = (size_of::<Constant>() * index) as i64;
        Place::Memory(MemoryOperand::with_base_displ(Register::RDX, offset))
    }

    /// dst := `code`(a).
    pub(crate) fn one(&mut self, code: Code, dst: Register, a: Place) -> Option<()> {
        let code = self.form(code)?;
        self.push(match a {
            Place::Register(a) => Instruction::with2(code, dst, a),
            Place::Memory(a) => Instruction::with2(code, dst, a),
        })
    }

    /// dst := `code`(a) with the immediate byte `how`.
    pub(crate) fn one_by(&mut self, code: Code, dst: Register, a: Place, how: i32) -> Option<()> {
        let code = self.form(code)?;
        self.push(match a {
            Place::Register(a) => Instruction::with3(code, dst, a, how),
            Place::Memory(a) => Instruction::with3(code, dst, a, how),
        })
    }

    /// dst := `code`(a, b).
    pub(crate) fn two(&mut self, code: Code, dst: Register, a: Register, b: Place) -> Option<()> {
        let instruction = two(self.form(code)?, dst, a, b);
        self.push(instruction)
    }

    pub(crate) fn load(&mut self, dst: Register, row: Row) -> Option<()> {
        let row = self.row(row);
        self.one(VEX_Vmovups_ymm_ymmm256, dst, row)
    }

    pub(crate) fn store(&mut self, row: Row, value: Register) -> Option<()> {
        let Place::Memory(row) = self.row(row) else { return None };
        let code = match self.level {
            Instructions::Avx2 => VEX_Vmovups_ymmm256_ymm,
            Instructions::Avx512 => EVEX_Vmovups_zmmm512_k1z_zmm,
        };
        self.push(Instruction::with2(code, row, value))
    }

    /// Sets the condition to a comparison.
    pub(crate) fn test(&mut self, test: Test, a: Register, b: Register) -> Option<()> {
        self.test_place(test, a, Place::Register(b))
    }

    /// Sets the condition as [`test`](Self::test) does, with b in any place; `Less` and `NotLess`
    /// need b in a register.
    pub(crate) fn test_place(&mut self, test: Test, a: Register, b: Place) -> Option<()> {
        match self.level {
            Instructions::Avx2 => self.test_narrow(test, a, b),
            Instructions::Avx512 => {
                let (code, predicate) = match test {
                    Test::Float(predicate) => {
                        (EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, predicate)
                    }
                    Test::Equal => (EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, 0),
                    Test::NotEqual => (EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, 4),
                    Test::Less => (EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, 1),
                    Test::NotLess => (EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, 5),
                    Test::Below => (EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, 1),
                    Test::NotBelow => (EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, 5),
                };
                self.push(compare(code, CONDITION_MASK, a, b, predicate))
            }
        }
    }

    fn test_narrow(&mut self, test: Test, a: Register, b: Place) -> Option<()> {
        let dst = self.condition();
        match test {
            Test::Float(predicate) => {
                let code = VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
                self.push(compare(code, dst, a, b, predicate))?;
            }
            Test::Equal | Test::NotEqual => {
                self.two(VEX_Vpcmpeqd_ymm_ymm_ymmm256, dst, a, b)?;
            }
            Test::Less | Test::NotLess => {
                let Place::Register(b) = b else { return None };
                self.two(VEX_Vpcmpgtd_ymm_ymm_ymmm256, dst, b, Place::Register(a))?;
            }
            Test::Below | Test::NotBelow => {
                self.two(VEX_Vpmaxud_ymm_ymm_ymmm256, dst, a, b)?;
                self.two(VEX_Vpcmpeqd_ymm_ymm_ymmm256, dst, dst, Place::Register(a))?;
            }
        }
        if matches!(test, Test::NotEqual | Test::NotLess | Test::Below) {
            let ones = self.constant(!0);
            self.two(VEX_Vpxor_ymm_ymm_ymmm256, dst, dst, ones)?;
        }
        Some(())
    }

    /// dst := a constant where the condition holds, 0 elsewhere.
    pub(crate) fn constant_if(&mut self, dst: Register, bits: u32) -> Option<()> {
        let value = self.constant(bits);
        match (self.level, value) {
            (Instructions::Avx2, _) => {
                let condition = self.condition();
                self.two(VEX_Vpand_ymm_ymm_ymmm256, dst, condition, value)
            }
            (_, Place::Memory(value)) => {
                let load = Instruction::with2(EVEX_Vmovups_zmm_k1z_zmmm512, dst, value);
                self.push_masked(load, CONDITION_MASK, true)
            }
            _ => None,
        }
    }

    /// dst := yes where the condition holds, no elsewhere.
    pub(crate) fn choose(&mut self, dst: Register, yes: Place, no: Register) -> Option<()> {
        self.blend([self.condition(), CONDITION_MASK], dst, yes, no)
    }

    /// dst := yes in the running lanes, no elsewhere.
    pub(crate) fn choose_running(&mut self, dst: Register, yes: Place, no: Register) -> Option<()> {
        self.blend([self.running(), RUNNING_MASK], dst, yes, no)
    }

    fn blend(
        &mut self,
        [lanes, mask]: [Register; 2],
        dst: Register,
        yes: Place,
        no: Register,
    ) -> Option<()> {
        if self.is_wide() {
            let blend = two(EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, dst, no, yes);
            return self.push_masked(blend, mask, false);
        }
        let code = VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        self.push(match yes {
            Place::Register(yes) => Instruction::with4(code, dst, no, yes, lanes),
            Place::Memory(yes) => Instruction::with4(code, dst, no, yes, lanes),
        })
    }

    /// Sets the condition from a row that holds a mask of lanes.
    pub(crate) fn test_mask(&mut self, row: Row) -> Option<()> {
        let bits = MemoryOperand::with_base_displ(Register::R8, i64::from(row.0) * ROW_BYTES);
        if self.is_wide() {
            return self.push(Instruction::with2(VEX_Kmovw_kr_km16, CONDITION_MASK, bits));
        }
        let condition = self.condition();
        self.push(Instruction::with2(VEX_Vpbroadcastb_ymm_xmmm8, condition, bits))?;
        self.test_bits(condition)
    }

    /// Expands the byte that is repeated in every lane of `lanes`: sets each lane to all ones if
    /// its bit is set, else to 0.
    fn test_bits(&mut self, lanes: Register) -> Option<()> {
        let bits = self.constant_lanes(std::array::from_fn(|lane| 1 << lane));
        self.two(VEX_Vpand_ymm_ymm_ymmm256, lanes, lanes, bits)?;
        self.two(VEX_Vpcmpeqd_ymm_ymm_ymmm256, lanes, lanes, bits)
    }

    /// Computes the mask of the lanes that run in the current step.
    fn test_running(&mut self) -> Option<()> {
        if self.is_wide() {
            self.push(Instruction::with2(VEX_Kmovw_kr_r32, RUNNING_MASK, Register::ESI))?;
            return self.push(Instruction::with2(Shr_rm64_imm8, Register::RSI, 16));
        }
        let (running, part) = (self.running(), Register::XMM3);
        self.push(Instruction::with2(Movzx_r32_rm8, Register::EAX, Register::SIL))?;
        self.push(Instruction::with2(VEX_Vmovd_xmm_rm32, part, Register::EAX))?;
        self.push(Instruction::with2(VEX_Vpbroadcastb_ymm_xmmm8, running, part))?;
        self.test_bits(running)?;
        self.push(Instruction::with2(Shr_rm64_imm8, Register::RSI, 8))
    }

    /// Begins a segment and its loop over the lanes.
    ///
    /// * `uses_exec`: the segment reads the mask of running lanes.
    pub(crate) fn begin_segment(&mut self, uses_exec: bool) -> Option<()> {
        self.entries.push(self.instructions.len());
        let end = MemoryOperand::with_base_displ(Register::RDI, ROW_BYTES);
        self.push(Instruction::with2(Mov_r64_rm64, Register::R8, Register::RDI))?;
        self.push(Instruction::with2(Lea_r64_m, Register::R9, end))?;
        // The target of the loop's branch; the encoder finds this instruction by its address.
        let mut top = Instruction::with(Nopd);
        top.set_ip(self.entries.len() as u64);
        self.push(Ok(top))?;
        if uses_exec { self.test_running() } else { Some(()) }
    }

    /// Ends a segment: closes the loop and returns from the function.
    pub(crate) fn end_segment(&mut self) -> Option<()> {
        let (step, top) = (self.step_bytes(), self.entries.len() as u64);
        self.push(Instruction::with2(Add_rm64_imm8, Register::RDI, step as i32))?;
        self.push(Instruction::with2(Add_rm64_imm8, Register::R8, (step / 32) as i32))?;
        self.push(Instruction::with2(Cmp_r64_rm64, Register::RDI, Register::R9))?;
        self.push(Instruction::with_branch(Jne_rel32_64, top))?;
        self.push(Ok(Instruction::with(VEX_Vzeroupper)))?;
        self.push(Ok(Instruction::with(Retnq)))
    }

    /// Returns the code, the first byte of each segment, and the constants.
    pub(crate) fn finish(self) -> Option<(Vec<u8>, Vec<u32>, Vec<Constant>)> {
        let block = InstructionBlock::new(&self.instructions, 0);
        let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let encoded = BlockEncoder::encode(64, block, options).ok()?;
        let offsets = encoded.new_instruction_offsets;
        let entries = self.entries.iter().map(|&entry| offsets.get(entry).copied());
        Some((encoded.code_buffer, entries.collect::<Option<_>>()?, self.constants))
    }
}

fn two(code: Code, dst: Register, a: Register, b: Place) -> Result<Instruction, IcedError> {
    match b {
        Place::Register(b) => Instruction::with3(code, dst, a, b),
        Place::Memory(b) => Instruction::with3(code, dst, a, b),
    }
}

fn compare(
    code: Code,
    dst: Register,
    a: Register,
    b: Place,
    predicate: i32,
) -> Result<Instruction, IcedError> {
    match b {
        Place::Register(b) => Instruction::with4(code, dst, a, b, predicate),
        Place::Memory(b) => Instruction::with4(code, dst, a, b, predicate),
    }
}

/// Returns the sixteen-lane form of an eight-lane instruction.
fn wide_form(code: Code) -> Option<Code> {
    Some(match code {
        VEX_Vmovups_ymm_ymmm256 => EVEX_Vmovups_zmm_k1z_zmmm512,
        VEX_Vaddps_ymm_ymm_ymmm256 => EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vsubps_ymm_ymm_ymmm256 => EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vmulps_ymm_ymm_ymmm256 => EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vdivps_ymm_ymm_ymmm256 => EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vminps_ymm_ymm_ymmm256 => EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
        VEX_Vmaxps_ymm_ymm_ymmm256 => EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
        VEX_Vsqrtps_ymm_ymmm256 => EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        VEX_Vpand_ymm_ymm_ymmm256 => EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpandn_ymm_ymm_ymmm256 => EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpor_ymm_ymm_ymmm256 => EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpxor_ymm_ymm_ymmm256 => EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpaddd_ymm_ymm_ymmm256 => EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpsubd_ymm_ymm_ymmm256 => EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpmulld_ymm_ymm_ymmm256 => EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpabsd_ymm_ymmm256 => EVEX_Vpabsd_zmm_k1z_zmmm512b32,
        VEX_Vpmaxsd_ymm_ymm_ymmm256 => EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpminsd_ymm_ymm_ymmm256 => EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpmaxud_ymm_ymm_ymmm256 => EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpminud_ymm_ymm_ymmm256 => EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpsllvd_ymm_ymm_ymmm256 => EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpsravd_ymm_ymm_ymmm256 => EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpsrlvd_ymm_ymm_ymmm256 => EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vcvttps2dq_ymm_ymmm256 => EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
        VEX_Vcvtdq2ps_ymm_ymmm256 => EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
        VEX_Vroundps_ymm_ymmm256_imm8 => EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
        VEX_Vpermilps_ymm_ymmm256_imm8 => EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8,
        _ => return None,
    })
}
