//! Batches that advance together, from barrier to barrier.

use super::features::INTERPRETER;
use super::lanes::{Lanes, Mask, Ops, all_lanes, whole_quads};
use super::program::Program;
use super::{ExecError, NO_INTERPRETER, Resources, check_rows};
use crate::shader::Processor;

/// The state of a batch between two runs, except its registers, which are in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    pub(super) next: usize,
    pub(super) exec: Mask,
    pub(super) live: Mask,
    pub(super) turns: u32,
    pub(super) finished: bool,
}

impl Batch {
    /// Returns a batch that has not begun, with the lanes of `live`. Fragment programs also get the
    /// helper lanes that complete their quads.
    #[inline(always)]
    pub fn new<R: Lanes>(program: &Program<'_>, live: Mask) -> Batch {
        let live = live & all_lanes::<R>();
        let fragment = matches!(program.processor, Processor::Fragment);
        let exec = if fragment { whole_quads(live) & all_lanes::<R>() } else { live };
        Batch::of_lanes(program, exec, live)
    }

    /// * `exec`: the running lanes.
    /// * `live`: the lanes with results that count.
    #[inline(always)]
    pub(super) fn of_lanes(program: &Program<'_>, exec: Mask, live: Mask) -> Batch {
        Batch { next: 0, exec, live, turns: program.loop_budget, finished: false }
    }

    /// Returns the lanes that have not been killed.
    pub fn live(&self) -> Mask {
        self.live
    }

    /// Returns true if the program has ended.
    pub fn finished(&self) -> bool {
        self.finished
    }
}

/// Runs a batch from its current op to the next barrier or the end. [`prepare`](super::prepare)
/// must have filled the file, and the caller the rows of inputs and system values. Between barriers
/// only the batch may change the file.
///
/// # Errors
/// As for [`run`](super::run).
#[inline(always)]
pub fn resume<R: Lanes>(
    program: &Program<'_>,
    batch: &mut Batch,
    rows: &mut [R],
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Result<(), ExecError> {
    check_rows(program, rows)?;
    let ops = Ops { program, ops: program.body, rows, batch, constants, resources };
    // Programs with barriers have no native body.
    match R::native(&program.native) {
        Some(body) => body(ops),
        None if INTERPRETER => R::run_ops(ops),
        None => Err(NO_INTERPRETER),
    }
}

/// Runs the batches of a group (a block of a grid, the vertices of patches) to their ends: first
/// all of them to a barrier, then all of them to the next one.
///
/// * `rows`: one file of `program.rows` rows per batch, each [prepared](super::prepare) and filled.
///   Rows of system values may differ between files; rows of constants are equal.
/// * `resources`: [`Resources::enter_batch`] announces each batch to it.
///
/// # Errors
/// As for [`run`](super::run).
pub fn run_group<R: Lanes>(
    program: &Program<'_>,
    batches: &mut [Batch],
    rows: &mut [R],
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Result<(), ExecError> {
    let size = usize::from(program.rows).max(1);
    let needed = size.saturating_mul(batches.len());
    if rows.len() < needed {
        return Err(ExecError::Rows { needed, given: rows.len() });
    }
    while batches.iter().any(|batch| !batch.finished) {
        let files = batches.iter_mut().zip(rows.chunks_mut(size)).enumerate();
        for (at, (batch, rows)) in files.filter(|(_, (batch, _))| !batch.finished) {
            resources.enter_batch(at);
            resume(program, batch, rows, constants, resources)?;
        }
    }
    Ok(())
}
