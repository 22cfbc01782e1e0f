//! The executor: runs lane programs over batches of invocations.
//!
//! Call [`prepare`] once per draw and [`run`] once per batch. A batch has as many invocations as a
//! row has [lanes](Lanes). Each op is dispatched once per batch and is a plain loop over rows.
//! Straight-line code ignores masks: results of lanes that do not run are never read. After a
//! branch, an execution mask holds the running lanes; blocks without running lanes are skipped.
//!
//! Compute and tessellation control run in groups: [`run_group`] advances them from barrier to
//! barrier. A build can omit [`Group`]s of ops; a program that needs an omitted group is refused.
//!
//! # Inputs and outputs of the stages
//!
//! | stage | a lane is | in | out |
//! |---|---|---|---|
//! | `VERT` | a vertex | rows of inputs and system values | rows of outputs |
//! | `FRAG` | a pixel, quad by quad | the same | the same; the lanes not killed |
//! | `GEOM` | an invocation for a primitive | [`Resources::load_vertex`]; rows of `PRIM_ID` and system values | [`Resources::emit`], [`Resources::end_primitive`] |
//! | `TESS_CTRL` | a vertex of the patch to be made | [`Resources::load_vertex`]; rows of system values | [`Resources::store_vertex`] |
//! | `TESS_EVAL` | a point of the domain | [`Resources::load_vertex`]; rows of patch inputs and system values | rows of outputs |
//! | `COMP` | an invocation | rows of system values | [`Resources::memory`] |
//!
//! A program is untrusted data. Whatever it contains, running it accesses only rows of the given
//! file, and it ends, if necessary with [`ExecError::Budget`].

mod access;
mod alu;
mod cost;
mod features;
#[cfg(feature = "generated")]
mod generated;
mod group;
mod lanes;
mod memory;
pub mod native;
mod op;
pub mod program;
#[doc(hidden)]
pub mod scalar;
mod stages;
pub(crate) mod texture;
mod validate;
mod wide;

#[cfg(feature = "generated")]
pub use generated::{GENERATED_LANES, Generate, Generated};
pub use group::{Batch, resume, run_group};
#[doc(hidden)]
pub use lanes::vectorize;
pub use lanes::{Lanes, Mask, REGISTER_FILE_PADDING, all_lanes, register_file, whole_quads};
pub use memory::{AtomicCode, MemoryKind, MemoryRequest, MemorySpace, Storage};
pub use op::{Group, LaneMask, Op, OpCode};
pub use stages::{Emitted, InputPlace, InterpolateRequest, VertexPlace, VertexRequest};
pub use texture::{
    FIRST_HANDLE, HANDLE, NoResources, RENDER_TARGET, Resources, SampleKind, SampleRequest,
};
pub use wide::WideCode;

use super::program::{ConstantSource, Program};
use alu::Ran;
use core::cell::Cell;
use cost::Meter;
use features::{BUDGET, INTERPRETER};
use lanes::{Ops, read_mask, write_mask};
use stages::Reach;

/// The reason why a program could not be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The register file is too small.
    #[error("the program needs {needed} rows, {given} are given")]
    Rows {
        /// The number of rows that the program needs.
        needed: usize,
        /// The number of rows in the file.
        given: usize,
    },
    /// The program names rows, tables or ops that it does not have.
    #[error("malformed program: {part} {at}")]
    Malformed {
        /// The table of the program.
        part: &'static str,
        /// The index in the table.
        at: usize,
    },
    /// The program needs an optional part of the executor that this build lacks.
    #[error("the program needs the feature `{feature}` of gallium-tgsi")]
    LeftOut {
        /// The cargo feature.
        feature: &'static str,
    },
    /// Loops took more turns than the program allows.
    #[error("loops took more than {limit} turns")]
    Budget {
        /// The program's `loop_budget`.
        limit: u32,
    },
    /// [`Resources::stopped`] returned true.
    #[error("stopped by the resources")]
    Stopped,
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
            Self::LeftOut { feature } => {
                defmt::write!(f, "the program needs the feature {=str} of gallium-tgsi", feature)
            }
            Self::Budget { limit } => defmt::write!(f, "loops took more than {=u32} turns", limit),
            Self::Stopped => defmt::write!(f, "stopped by the resources"),
        }
    }
}

/// Prepares a register file for the batches of a draw. Fills the rows of constants from the
/// constant buffers: `constants[b]` is the bytes of buffer b, as little-endian words; words beyond
/// its end read 0. Then runs the ops that depend only on constants.
///
/// # Errors
/// The file is too small, or the program is malformed. [`ExecError::LeftOut`] if those ops need the
/// interpreter and this build lacks it.
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
    if let Some(preamble) = program.native.preamble {
        preamble(&mut native::SameLanes(rows));
        return Ok(());
    }
    if !INTERPRETER {
        return if program.preamble.is_empty() { Ok(()) } else { Err(NO_INTERPRETER) };
    }
    let mut batch = Batch::of_lanes(program, all_lanes::<R>(), all_lanes::<R>());
    let (ops, batch) = (program.preamble, &mut batch);
    R::run_ops(Ops { program, ops, rows, batch, constants, resources: &mut NoResources })
}

/// Runs a program for one batch and returns the lanes of `live` that were not killed. Fragment
/// programs also run the helper lanes that complete their quads. [`prepare`] or the last run must
/// have filled the file, and the caller the rows of inputs and system values.
///
/// Rows of outputs may also be rows of inputs or constants: do not write to them.
///
/// # Errors
/// The file is too small, the program is malformed, its loops exceed their budget, or `resources`
/// stopped it. [`ExecError::LeftOut`] if it needs the interpreter and this build lacks it.
///
/// # Examples
/// Doubles the x of four vertices, one vertex per lane.
/// ```
/// # use gallium_tgsi::{compile::*, exec, text};
/// # use os_shim::Memory;
/// let memory = Memory::system();
/// let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nADD OUT[0].x, IN[0], IN[0]\nEND";
/// let compiled = compile(&text::parse(text, memory)?, &CompileOptions::DEFAULT, memory)?;
/// let program = compiled.program();
///
/// let mut rows = vec![[0; 4]; program.rows.into()];
/// exec::prepare(&program, &mut rows, &[])?;
/// let x = program.inputs[0].rows[0].index().unwrap();
/// rows[x] = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits);
/// let alive = exec::run(&program, &mut rows, 0b1111, &[], &mut exec::NoResources)?;
///
/// let x = program.outputs[0].rows[0].index().unwrap();
/// assert_eq!(rows[x].map(f32::from_bits), [2.0, 4.0, 6.0, 8.0]);
/// assert_eq!(alive, 0b1111);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run<R: Lanes>(
    program: &Program<'_>,
    rows: &mut [R],
    live: Mask,
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Result<Mask, ExecError> {
    let mut batch = Batch::new::<R>(program, live);
    while !batch.finished() {
        resume(program, &mut batch, rows, constants, resources)?;
    }
    Ok(batch.live())
}

/// The error for programs that need the interpreter in a build without it.
const NO_INTERPRETER: ExecError = ExecError::LeftOut { feature: "interpreter" };

#[inline(always)]
fn check_rows<R>(program: &Program<'_>, rows: &[R]) -> Result<(), ExecError> {
    let needed = usize::from(program.rows);
    if rows.len() < needed { Err(ExecError::Rows { needed, given: rows.len() }) } else { Ok(()) }
}

/// Returns word `word` of a constant buffer's bytes.
fn constant_word(bytes: &[u8], word: usize) -> Option<u32> {
    let start = word.checked_mul(4)?;
    let word = bytes.get(start..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}

/// Runs `ops` from the batch's current op to their end or the next barrier, one op per turn. With
/// the feature `budget` it also asks at the end whether the program must stop.
#[inline(always)]
fn interpret<R: Lanes>(ops: Ops<'_, R>) -> Result<(), ExecError> {
    let Ops { program, ops, rows, batch, constants, resources } = ops;
    // `exec` holds the running lanes, `live` the lanes with results that count.
    let Batch { mut next, mut exec, mut live, mut turns, .. } = *batch;
    let meter = Meter::new();
    loop {
        let open = meter.open(ops, next);
        while let Some(op) = open.get(next) {
            let malformed = ExecError::Malformed { part: "op", at: next };
            next += 1;
            let cells = Cell::from_mut(&mut *rows).as_slice_of_cells();
            // Returns from the function if there is no such row.
            macro_rules! row {
                ($name:ident) => {
                    match cells.get(usize::from(op.$name.0)) {
                        Some(row) => row,
                        None => return Err(malformed),
                    }
                };
            }
            if op.code.operands().is_some() {
                let operands = [row!(a), row!(b), row!(c)];
                match alu::arithmetic(op.code, row!(dst), operands, cells.get(usize::from(op.aux)))
                {
                    Ran::Light => continue,
                    Ran::Heavy => {
                        if meter.heavy(op.code) {
                            break;
                        }
                        continue;
                    }
                    Ran::Not => {}
                }
            }
            let aux = usize::from(op.aux);
            let mut jump_if_nobody = true;
            match op.code {
                OpCode::Ddx | OpCode::Ddy | OpCode::DdxFine | OpCode::DdyFine => {
                    alu::derivative(op.code, row!(dst), row!(a));
                    continue;
                }
                OpCode::Select => {
                    alu::select(row!(dst), read_mask(row!(a)), row!(b), row!(c));
                    continue;
                }
                OpCode::Update => {
                    alu::select(row!(dst), exec, row!(a), row!(dst));
                    continue;
                }
                OpCode::Clear => {
                    for row in cells.iter().skip(usize::from(op.dst.0)).take(aux) {
                        row.set(R::ZERO);
                    }
                    if meter.add(aux as u32) {
                        break;
                    }
                    continue;
                }
                OpCode::Gather => {
                    let access = program.accesses.get(aux);
                    access
                        .and_then(|access| access::gather(op, access, rows, constants))
                        .ok_or(malformed)?;
                    if meter.heavy(OpCode::Gather) {
                        break;
                    }
                    continue;
                }
                OpCode::Scatter => {
                    let access = program.accesses.get(aux);
                    access
                        .and_then(|access| access::scatter(op, access, rows, exec))
                        .ok_or(malformed)?;
                    if meter.heavy(OpCode::Scatter) {
                        break;
                    }
                    continue;
                }
                OpCode::Sample => {
                    let sample = program.samples.get(aux);
                    sample
                        .and_then(|sample| texture::sample(sample, rows, exec, resources))
                        .ok_or(malformed)?;
                    // The resources know the cost of the lookup.
                    if meter.heavy(OpCode::Sample) || BUDGET {
                        break;
                    }
                    continue;
                }
                OpCode::Kill => {
                    live &= !exec;
                    continue;
                }
                OpCode::KillIf => {
                    live &= !(exec
                        & alu::lanes_where(
                            [row!(a)],
                            #[inline(always)]
                            |[a]| f32::from_bits(a) < 0.0,
                        ));
                    continue;
                }
                OpCode::Save => {
                    write_mask(row!(dst), exec);
                    continue;
                }
                OpCode::Leave => {
                    write_mask(row!(dst), read_mask(row!(dst)) & !exec);
                    continue;
                }
                OpCode::Nobody => {
                    exec = 0;
                    continue;
                }
                OpCode::NotCase => {
                    write_mask(
                        row!(dst),
                        read_mask(row!(dst))
                            & !alu::lanes_where(
                                [row!(a), row!(b)],
                                #[inline(always)]
                                |[a, b]| a == b,
                            ),
                    );
                    continue;
                }
                OpCode::Loop => {
                    write_mask(row!(dst), exec);
                    write_mask(row!(b), exec);
                    continue;
                }
                OpCode::If => {
                    write_mask(row!(b), exec);
                    // Both zeros are false; NaNs are true.
                    exec &= alu::lanes_where(
                        [row!(a)],
                        #[inline(always)]
                        |[a]| a << 1 != 0,
                    );
                    write_mask(row!(dst), exec);
                }
                OpCode::IfBits => {
                    write_mask(row!(b), exec);
                    exec &= alu::lanes_where(
                        [row!(a)],
                        #[inline(always)]
                        |[a]| a != 0,
                    );
                    write_mask(row!(dst), exec);
                }
                OpCode::Else => exec = read_mask(row!(b)) & !read_mask(row!(a)),
                OpCode::EndIf => exec = read_mask(row!(a)),
                OpCode::Case => {
                    let left = read_mask(row!(c));
                    let matching = left
                        & alu::lanes_where(
                            [row!(a), row!(b)],
                            #[inline(always)]
                            |[a, b]| a == b,
                        );
                    write_mask(row!(c), left & !matching);
                    write_mask(row!(dst), matching);
                    exec |= matching;
                }
                OpCode::Default => exec |= read_mask(row!(a)),
                OpCode::EndLoop => {
                    exec = read_mask(row!(a));
                    jump_if_nobody = false;
                    if exec == 0 {
                        exec = read_mask(row!(b));
                        continue;
                    }
                    turns = match turns.checked_sub(1) {
                        Some(turns) => turns,
                        None => return Err(ExecError::Budget { limit: program.loop_budget }),
                    };
                }
                #[cfg(feature = "generated")]
                OpCode::Segment => {
                    if meter.add(resources.segment(op.aux, rows, exec).ok_or(malformed)?) {
                        break;
                    }
                    continue;
                }
                OpCode::Barrier if const { Group::Stages.available() } => {
                    *batch = Batch { next, exec, live, turns, finished: false };
                    meter.heavy(OpCode::Barrier);
                    return meter.ask(next, resources);
                }
                code => {
                    let mut reach = Reach { program, rows, exec, live, constants, resources };
                    let done = match code.group() {
                        Group::Stages if const { Group::Stages.available() } => reach.stage_op(op),
                        Group::Lanes if const { Group::Lanes.available() } => reach.lane_op(op),
                        Group::Memory if const { Group::Memory.available() } => reach.memory_op(op),
                        Group::Doubles if const { Group::Doubles.available() } => reach.wide_op(op),
                        _ => None,
                    };
                    done.ok_or(malformed)?;
                    if meter.heavy(code) {
                        break;
                    }
                    continue;
                }
            }
            if exec == 0 || !jump_if_nobody {
                // Only loops, which count their turns, jump back: every program ends.
                let to = if jump_if_nobody { aux.max(next) } else { aux };
                let must_ask = meter.jump(next, to);
                next = to;
                if must_ask {
                    break;
                }
            }
        }
        meter.ask(next, resources)?;
        if next >= ops.len() {
            break;
        }
    }
    *batch = Batch { next, exec, live, turns, finished: true };
    Ok(())
}
