//! Instructions that were removed from TGSI, as old texts and hand-written shaders still have them.
//!
//! The parser expands each to one or a few current instructions, through a scratch register if it
//! needs several. No code after the parser knows them. Labels are adjusted, because they count
//! instructions.

use super::error::TextError;
use super::instruction::Mnemonic;
use super::parse::Parser;
use crate::declaration::Declaration;
use crate::opcode::Opcode;
use crate::register::{DstRegister, File, SrcRegister, Swizzle, WriteMask};
use crate::shader::{Immediate, Instruction, Position, Shader, TextureInfo};
use os_shim::Vec;

/// The destination of a step.
#[derive(Clone, Copy)]
enum To {
    Nothing,
    /// The instruction's destination.
    Result,
    /// These components of the scratch register.
    Scratch(WriteMask),
}

/// A source of a step.
#[derive(Clone, Copy)]
enum From {
    /// The instruction's source.
    Source(usize),
    /// The negated source.
    Minus(usize),
    /// The source without its sign.
    Absolute(usize),
    /// The source through a swizzle.
    Swizzled(usize, [Swizzle; 4]),
    Scratch,
    MinusScratch,
    ScratchX,
    ScratchY,
    MinusScratchY,
    /// The scratch register without its sign.
    AbsoluteScratch,
    /// These bits in every component.
    Bits(u32),
}

type Step = (Opcode, To, &'static [From]);

/// A removed instruction.
pub(super) struct Legacy {
    name: &'static str,
    dsts: usize,
    srcs: usize,
    target: bool,
    label: bool,
    steps: &'static [Step],
}

/// The state of expansions until the end of the text.
pub(super) struct Expansions<'m> {
    scratch: Option<u16>,
    /// Sources of the constants that steps need, found or added.
    constants: heapless::Vec<(u32, SrcRegister), 6>,
    /// Instruction numbers in the text from which numbers shift, each with the total shift.
    moved: Vec<'m, (u32, u32)>,
}

const ONE: u32 = 1.0f32.to_bits();
const HALF: u32 = 0.5f32.to_bits();
const LARGEST_RECIPROCAL: u32 = 0x5F80_0000;
const SMALLEST_RECIPROCAL: u32 = 0x1F80_0000;
/// All kinds of access that `MEMBAR` may wait for.
const EVERYTHING: u32 = 31;

const fn plain(name: &'static str, srcs: usize, steps: &'static [Step]) -> Legacy {
    Legacy { name, dsts: 1, srcs, target: false, label: false, steps }
}

const fn fence(name: &'static str) -> Legacy {
    let steps = &[(Opcode::Membar, To::Nothing, &[From::Bits(EVERYTHING)] as &[From])];
    Legacy { name, dsts: 0, srcs: 0, target: false, label: false, steps }
}

const TABLE: &[Legacy] = {
    use self::From::*;
    use Opcode::*;
    use Swizzle::{W, X, Y, Z};
    use To::{Nothing, Result, Scratch as T};
    const ALL: WriteMask = WriteMask::XYZW;
    &[
        plain("ABS", 1, &[(Mov, Result, &[Absolute(0)])]),
        plain("SUB", 2, &[(Add, Result, &[Source(0), Minus(1)])]),
        plain(
            "CLAMP",
            3,
            &[(Max, T(ALL), &[Source(0), Source(1)]), (Min, Result, &[Scratch, Source(2)])],
        ),
        plain(
            "DP2A",
            3,
            &[
                (Dp2, T(WriteMask::X), &[Source(0), Source(1)]),
                (Add, Result, &[ScratchX, Swizzled(2, [X; 4])]),
            ],
        ),
        plain(
            "DPH",
            2,
            &[
                (Dp3, T(WriteMask::X), &[Source(0), Source(1)]),
                (Add, Result, &[ScratchX, Swizzled(1, [W; 4])]),
            ],
        ),
        plain(
            "XPD",
            2,
            &[
                (Mul, T(ALL), &[Swizzled(0, [Z, X, Y, W]), Swizzled(1, [Y, Z, X, W])]),
                (
                    Mad,
                    T(WriteMask::XYZ),
                    &[Swizzled(0, [Y, Z, X, W]), Swizzled(1, [Z, X, Y, W]), MinusScratch],
                ),
                (Mov, T(WriteMask::W), &[Bits(ONE)]),
                (Mov, Result, &[Scratch]),
            ],
        ),
        plain(
            "SCS",
            1,
            &[
                (Cos, T(WriteMask::X), &[Source(0)]),
                (Sin, T(WriteMask::Y), &[Source(0)]),
                (Mov, T(WriteMask::Z), &[Bits(0)]),
                (Mov, T(WriteMask::W), &[Bits(ONE)]),
                (Mov, Result, &[Scratch]),
            ],
        ),
        plain(
            "SAD",
            3,
            &[
                (Uadd, T(ALL), &[Source(0), Minus(1)]),
                (Iabs, T(ALL), &[Scratch]),
                (Uadd, Result, &[Scratch, Source(2)]),
            ],
        ),
        plain(
            "CND",
            3,
            &[
                (Sgt, T(ALL), &[Source(2), Bits(HALF)]),
                (Cmp, Result, &[MinusScratch, Source(0), Source(1)]),
            ],
        ),
        plain(
            "NRM4",
            1,
            &[
                (Dp4, T(WriteMask::X), &[Source(0), Source(0)]),
                (Rsq, T(WriteMask::X), &[ScratchX]),
                (Mul, Result, &[Source(0), ScratchX]),
            ],
        ),
        plain(
            "NRM",
            1,
            &[
                (Dp3, T(WriteMask::X), &[Source(0), Source(0)]),
                (Rsq, T(WriteMask::X), &[ScratchX]),
                (Mul, T(WriteMask::XYZ), &[Source(0), ScratchX]),
                (Mov, T(WriteMask::W), &[Bits(ONE)]),
                (Mov, Result, &[Scratch]),
            ],
        ),
        // 2 · (axis · direction) / (axis · axis) · axis - direction.
        plain(
            "RFL",
            2,
            &[
                (Dp3, T(WriteMask::X), &[Source(0), Source(0)]),
                (Dp3, T(WriteMask::Y), &[Source(0), Source(1)]),
                (Add, T(WriteMask::Y), &[ScratchY, ScratchY]),
                (Div, T(WriteMask::X), &[ScratchY, ScratchX]),
                (Mad, T(WriteMask::XYZ), &[Source(0), ScratchX, Minus(1)]),
                (Mov, T(WriteMask::W), &[Bits(ONE)]),
                (Mov, Result, &[Scratch]),
            ],
        ),
        // The magnitude, clamped to 2^-64 … 2^64.
        plain(
            "RCC",
            1,
            &[
                (Rcp, T(WriteMask::X), &[Source(0)]),
                (Min, T(WriteMask::Y), &[AbsoluteScratch, Bits(LARGEST_RECIPROCAL)]),
                (Max, T(WriteMask::Y), &[ScratchY, Bits(SMALLEST_RECIPROCAL)]),
                (Cmp, Result, &[ScratchX, MinusScratchY, ScratchY]),
            ],
        ),
        // x + (a.x·b.x + a.y·b.y), y + (a.x·b.z + a.y·b.w), twice.
        plain(
            "X2D",
            3,
            &[
                (Mul, T(ALL), &[Swizzled(1, [X; 4]), Swizzled(2, [X, Z, X, Z])]),
                (Mad, T(ALL), &[Swizzled(1, [Y; 4]), Swizzled(2, [Y, W, Y, W]), Scratch]),
                (Add, Result, &[Swizzled(0, [X, Y, X, Y]), Scratch]),
            ],
        ),
        fence("LFENCE"),
        fence("MFENCE"),
        fence("SFENCE"),
        plain("SFL", 0, &[(Mov, Result, &[Bits(0)])]),
        plain("STR", 0, &[(Mov, Result, &[Bits(ONE)])]),
        Legacy {
            name: "TXQ_LZ",
            dsts: 1,
            srcs: 1,
            target: true,
            label: false,
            steps: &[(Txq, Result, &[Bits(0), Source(0)])],
        },
        Legacy {
            name: "BREAKC",
            dsts: 0,
            srcs: 1,
            target: false,
            label: false,
            steps: &[(Uif, Nothing, &[Source(0)]), (Brk, Nothing, &[]), (Endif, Nothing, &[])],
        },
        Legacy {
            name: "CALLNZ",
            dsts: 0,
            srcs: 1,
            target: false,
            label: true,
            steps: &[(Uif, Nothing, &[Source(0)]), (Cal, Nothing, &[]), (Endif, Nothing, &[])],
        },
    ]
};

impl Legacy {
    pub(super) fn from_name(name: &str) -> Option<&'static Legacy> {
        TABLE.iter().find(|legacy| legacy.name.eq_ignore_ascii_case(name))
    }
}

impl<'m> Parser<'_, 'm> {
    #[expect(clippy::indexing_slicing, reason = "`min` limits both to the arrays' lengths")]
    pub(super) fn legacy_instruction(
        &mut self,
        legacy: &'static Legacy,
        position: Position,
        mnemonic: &Mnemonic<'_>,
    ) -> Result<(), TextError> {
        let number = self.instruction_number();
        let mut dst = [DstRegister::NULL; 1];
        let mut src = [SrcRegister::NULL; 3];
        let (dsts, srcs) = (legacy.dsts.min(1), legacy.srcs.min(3));
        self.cursor.registers(&mut dst[..dsts], &mut src[..srcs])?;
        let mut texture = None;
        if legacy.target {
            self.cursor.expect(b',', "\",\" and a texture target")?;
            self.cursor.space();
            texture = Some(TextureInfo::new(self.cursor.target()?));
        }
        let label = if legacy.label { self.cursor.label()? } else { None };
        for &(opcode, to, from) in legacy.steps {
            let mut instruction = mnemonic.header(opcode, position);
            instruction.saturate &= matches!(to, To::Result);
            instruction.texture = texture;
            instruction.label = label.filter(|_| opcode == Opcode::Cal);
            instruction.dst[0] = match to {
                To::Nothing => DstRegister::NULL,
                To::Result => dst[0],
                To::Scratch(mask) => self.scratch()?.masked(mask),
            };
            for (slot, &from) in instruction.src.iter_mut().zip(from) {
                *slot = self.step_source(&src, from)?;
            }
            self.shader.push_instruction(instruction)?;
        }
        let extra = legacy.steps.len().saturating_sub(1) as u32;
        if extra > 0 {
            let expansions = self.expansions();
            let all = expansions.before(u32::MAX).saturating_add(extra);
            expansions.moved.try_push((number, all))?;
        }
        Ok(())
    }

    fn step_source(
        &mut self,
        src: &[SrcRegister; 3],
        from: From,
    ) -> Result<SrcRegister, TextError> {
        let source = |at: usize| src.get(at).copied().unwrap_or(SrcRegister::NULL);
        Ok(match from {
            From::Source(at) => source(at),
            From::Minus(at) => source(at).neg(),
            From::Absolute(at) => source(at).abs(),
            From::Swizzled(at, swizzle) => source(at).swizzled(swizzle),
            From::Scratch => self.scratch()?.as_src(),
            From::MinusScratch => self.scratch()?.as_src().neg(),
            From::ScratchX => self.scratch()?.as_src().x(),
            From::ScratchY => self.scratch()?.as_src().y(),
            From::MinusScratchY => self.scratch()?.as_src().y().neg(),
            From::AbsoluteScratch => self.scratch()?.as_src().x().abs(),
            From::Bits(bits) => self.constant(bits)?,
        })
    }

    /// Returns a source with `bits` in every component, from an existing immediate or a new one.
    pub(super) fn constant(&mut self, bits: u32) -> Result<SrcRegister, TextError> {
        let known = self.expansions().constants.iter().find(|&&(of, _)| of == bits);
        if let Some(&(_, source)) = known {
            return Ok(source);
        }
        let source = self.find_constant(bits)?;
        // The table uses six bit patterns; a seventh would be searched for each time.
        let _ = self.expansions().constants.push((bits, source));
        Ok(source)
    }

    fn find_constant(&mut self, bits: u32) -> Result<SrcRegister, TextError> {
        let found = self.shader.immediates().iter().enumerate().find_map(|(index, immediate)| {
            let at = immediate.bits.iter().position(|&component| component == bits)?;
            Some((index, Swizzle::from_bits(at as u32)))
        });
        let (index, component) = match found {
            Some(found) => found,
            None => {
                self.shader.insert_immediate(Immediate::uint([bits, 0, 0, 0]))?;
                (self.shader.immediates().len().saturating_sub(1), Swizzle::X)
            }
        };
        match i16::try_from(index) {
            Ok(index) => Ok(SrcRegister::new(File::Immediate, index.into()).scalar(component)),
            Err(_) => Err(self.cursor.error("fewer immediates before an old instruction")),
        }
    }

    /// Returns the scratch register, declared after the existing temporaries at its first use.
    fn scratch(&mut self) -> Result<DstRegister, TextError> {
        if let Some(index) = self.expansions().scratch {
            return Ok(DstRegister::new(File::Temporary, index.into()));
        }
        let next = next_temporary(&self.shader);
        let Some(index) = next.filter(|&index| index <= 0x7fff) else {
            return Err(self.cursor.error("fewer temporaries before an old instruction"));
        };
        self.shader.insert_declaration(Declaration::new(File::Temporary, index, index))?;
        self.expansions().scratch = Some(index);
        Ok(DstRegister::new(File::Temporary, index.into()))
    }

    fn expansions(&mut self) -> &mut Expansions<'m> {
        let memory = self.shader.memory();
        self.legacy.get_or_insert_with(|| Expansions {
            scratch: None,
            constants: heapless::Vec::new(),
            moved: Vec::new_in(memory),
        })
    }

    /// Returns the next instruction's number in the text.
    fn instruction_number(&self) -> u32 {
        let made = self.shader.instructions().len() as u32;
        let moved = self.legacy.as_ref().map_or(0, |legacy| legacy.before(u32::MAX));
        made.saturating_sub(moved)
    }

    /// Returns the shader, with labels adjusted to the instructions they name.
    pub(super) fn finish(mut self) -> Result<Shader<'m>, TextError> {
        if let Some(legacy) = self.legacy.take() {
            let labelled = |instruction: &&mut Instruction| instruction.label.is_some();
            for instruction in self.shader.instructions_mut().iter_mut().filter(labelled) {
                let moved = |label: u32| label.saturating_add(legacy.before(label)).min(0xff_ffff);
                instruction.label = instruction.label.map(moved);
            }
        }
        Ok(self.shader)
    }
}

impl Expansions<'_> {
    /// Returns the number of instructions added before instruction `number` of the text.
    fn before(&self, number: u32) -> u32 {
        let after = self.moved.partition_point(|&(at, _)| at < number);
        let last = after.checked_sub(1).and_then(|last| self.moved.get(last));
        last.map_or(0, |&(_, all)| all)
    }
}

/// Returns the register after the last declared temporary.
fn next_temporary(shader: &Shader<'_>) -> Option<u16> {
    let temporaries = shader.declarations().iter().filter(|dcl| dcl.file == File::Temporary);
    temporaries.map(|dcl| dcl.last).max().map_or(Some(0), |last| last.checked_add(1))
}
