//! The executor: runs lane programs over batches of invocations.
//!
//! [`prepare`] once a draw, [`run`] once a batch. A batch is as many invocations as a row has
//! [lanes](Lanes); each op is dispatched once a batch and is a plain loop over rows. Straight-line code
//! ignores masks: what lanes that do not run compute is never looked at. Where lanes part, an
//! execution mask says which run; blocks no lane enters are jumped over.
//!
//! A program is data from elsewhere: whatever it says, running it reads and writes rows of the
//! given file only, and ends, by [`ExecError::Budget`] if need be.

mod access;
mod alu;
mod lanes;
mod op;
pub(crate) mod scalar;
mod texture;
mod validate;

pub use lanes::{Lanes, Mask, REGISTER_FILE_PADDING, all_lanes, register_file, whole_quads};
pub use op::{Op, OpCode};
pub use texture::{NoResources, Resources, SampleKind, SampleRequest};

use crate::program::{ConstantSource, Program};
use crate::shader::Processor;
use core::cell::Cell;
use lanes::{Ops, read_mask, write_mask};

/// Why a program could not be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The register file is too small.
    #[error("the program needs {needed} rows, {given} are given")]
    Rows {
        /// Rows of the program.
        needed: usize,
        /// Rows of the file.
        given: usize,
    },
    /// The program names rows, tables or ops that it does not have.
    #[error("malformed program: {part} {at}")]
    Malformed {
        /// Which table of the program.
        part: &'static str,
        /// The index in it.
        at: usize,
    },
    /// Loops took more turns than the program allows.
    #[error("loops took more than {limit} turns")]
    Budget {
        /// The program's `loop_budget`.
        limit: u32,
    },
}

#[cfg(feature = "defmt")]
impl defmt::Format for ExecError {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self {
            Self::Rows { needed, given } => {
                defmt::write!(
                    f,
                    "the program needs {=usize} rows, {=usize} are given",
                    needed,
                    given
                )
            }
            Self::Malformed { part, at } => {
                defmt::write!(f, "malformed program: {=str} {=usize}", part, at)
            }
            Self::Budget { limit } => defmt::write!(f, "loops took more than {=u32} turns", limit),
        }
    }
}

/// Readies a register file for the batches of a draw: fills the rows of constants from the
/// constant buffers (`constants[b]` is the bytes of buffer b, little-endian words; what is not there reads 0) and runs the ops
/// that depend on constants alone.
///
/// # Errors
/// The file is too small, or the program malformed.
pub fn prepare<R: Lanes>(
    program: &Program<'_>,
    rows: &mut [R],
    constants: &[&[u8]],
) -> Result<(), ExecError> {
    program.validate()?;
    check_rows(program, rows)?;
    for constant in program.constants {
        let bits = match constant.source {
            ConstantSource::Immediate(bits) => bits,
            ConstantSource::Buffer { buffer, word } => {
                let bytes = constants.get(usize::from(buffer)).copied().unwrap_or(&[]);
                constant_word(bytes, usize::from(word)).unwrap_or(0)
            }
        };
        if let Some(row) = constant.row.index().and_then(|row| rows.get_mut(row)) {
            *row = R::splat(bits);
        }
    }
    let all = all_lanes::<R>();
    R::run_ops(Ops {
        program,
        ops: program.preamble,
        rows,
        exec: all,
        live: all,
        constants,
        resources: &mut NoResources,
    })?;
    Ok(())
}

/// Runs a program for one batch: the lanes of `live`, and in fragment programs the helpers that
/// complete their quads. The file is as [`prepare`] or the last run left it, with the rows of
/// inputs and system values filled. Returns the lanes of `live` that were not killed.
///
/// Rows of outputs may be rows of inputs or constants: read them only.
///
/// # Errors
/// The file is too small, the program malformed, or its loops exceed their budget.
pub fn run<R: Lanes>(
    program: &Program<'_>,
    rows: &mut [R],
    live: Mask,
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Result<Mask, ExecError> {
    check_rows(program, rows)?;
    let (exec, live) = masks::<R>(program, live);
    R::run_ops(Ops { program, ops: program.body, rows, exec, live, constants, resources })
}

/// The lanes to run and those that count.
#[inline(always)]
fn masks<R: Lanes>(program: &Program<'_>, live: Mask) -> (Mask, Mask) {
    let live = live & all_lanes::<R>();
    let exec =
        if matches!(program.processor, Processor::Fragment) { whole_quads(live) } else { live };
    (exec & all_lanes::<R>(), live)
}

#[inline(always)]
fn check_rows<R>(program: &Program<'_>, rows: &[R]) -> Result<(), ExecError> {
    let needed = usize::from(program.rows);
    if rows.len() < needed { Err(ExecError::Rows { needed, given: rows.len() }) } else { Ok(()) }
}

/// Word `word` of a constant buffer's bytes.
fn constant_word(bytes: &[u8], word: usize) -> Option<u32> {
    let start = word.checked_mul(4)?;
    let word = bytes.get(start..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}

/// Runs `ops`: one turn an op. `exec` are the lanes that run, `live` those that count in the end.
#[inline(always)]
fn interpret<R: Lanes>(ops: Ops<'_, R>) -> Result<Mask, ExecError> {
    let Ops { program, ops, rows, mut exec, mut live, constants, resources } = ops;
    let mut turns = program.loop_budget;
    let mut next = 0;
    while let Some(op) = ops.get(next) {
        let malformed = ExecError::Malformed { part: "op", at: next };
        next += 1;
        let cells = Cell::from_mut(&mut *rows).as_slice_of_cells();
        let Some(dst) = cells.get(usize::from(op.dst.0)) else { return Err(malformed) };
        let Some(a) = cells.get(usize::from(op.a.0)) else { return Err(malformed) };
        let Some(b) = cells.get(usize::from(op.b.0)) else { return Err(malformed) };
        let Some(c) = cells.get(usize::from(op.c.0)) else { return Err(malformed) };
        if alu::arithmetic(op.code, dst, [a, b, c]) {
            continue;
        }
        let aux = usize::from(op.aux);
        let mut jump_if_nobody = true;
        match op.code {
            OpCode::Ddx | OpCode::Ddy | OpCode::DdxFine | OpCode::DdyFine => {
                alu::derivative(op.code, dst, a);
                continue;
            }
            OpCode::Select => {
                alu::select(dst, read_mask(a), b, c);
                continue;
            }
            OpCode::Update => {
                alu::select(dst, exec, a, dst);
                continue;
            }
            OpCode::Clear => {
                for row in cells.iter().skip(usize::from(op.dst.0)).take(aux) {
                    row.set(R::ZERO);
                }
                continue;
            }
            OpCode::Gather => {
                let access = program.accesses.get(aux);
                access
                    .and_then(|access| access::gather(op, access, rows, constants))
                    .ok_or(malformed)?;
                continue;
            }
            OpCode::Scatter => {
                let access = program.accesses.get(aux);
                access
                    .and_then(|access| access::scatter(op, access, rows, exec))
                    .ok_or(malformed)?;
                continue;
            }
            OpCode::Sample => {
                let sample = program.samples.get(aux);
                sample
                    .and_then(|sample| texture::sample(sample, rows, exec, resources))
                    .ok_or(malformed)?;
                continue;
            }
            OpCode::Kill => {
                live &= !exec;
                continue;
            }
            OpCode::KillIf => {
                live &= !(exec
                    & alu::lanes_where(
                        [a],
                        #[inline(always)]
                        |[a]| f32::from_bits(a) < 0.0,
                    ));
                continue;
            }
            OpCode::Save => {
                write_mask(dst, exec);
                continue;
            }
            OpCode::Leave => {
                write_mask(dst, read_mask(dst) & !exec);
                continue;
            }
            OpCode::Nobody => {
                exec = 0;
                continue;
            }
            OpCode::NotCase => {
                write_mask(
                    dst,
                    read_mask(dst)
                        & !alu::lanes_where(
                            [a, b],
                            #[inline(always)]
                            |[a, b]| a == b,
                        ),
                );
                continue;
            }
            OpCode::Loop => {
                write_mask(dst, exec);
                write_mask(b, exec);
                continue;
            }
            OpCode::If => {
                write_mask(b, exec);
                // Both zeros are false, NaNs are true.
                exec &= alu::lanes_where(
                    [a],
                    #[inline(always)]
                    |[a]| a << 1 != 0,
                );
                write_mask(dst, exec);
            }
            OpCode::IfBits => {
                write_mask(b, exec);
                exec &= alu::lanes_where(
                    [a],
                    #[inline(always)]
                    |[a]| a != 0,
                );
                write_mask(dst, exec);
            }
            OpCode::Else => exec = read_mask(b) & !read_mask(a),
            OpCode::EndIf => exec = read_mask(a),
            OpCode::Case => {
                let left = read_mask(c);
                let matching = left
                    & alu::lanes_where(
                        [a, b],
                        #[inline(always)]
                        |[a, b]| a == b,
                    );
                write_mask(c, left & !matching);
                write_mask(dst, matching);
                exec |= matching;
            }
            OpCode::Default => exec |= read_mask(a),
            OpCode::EndLoop => {
                exec = read_mask(a);
                jump_if_nobody = false;
                if exec == 0 {
                    exec = read_mask(b);
                    continue;
                }
                turns = match turns.checked_sub(1) {
                    Some(turns) => turns,
                    None => return Err(ExecError::Budget { limit: program.loop_budget }),
                };
            }
            _ => return Err(malformed),
        }
        if exec == 0 || !jump_if_nobody {
            next = aux;
        }
    }
    Ok(live)
}
