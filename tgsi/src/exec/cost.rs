//! The cost of ops in units of work, and the checks whether the work may continue.
//!
//! A unit is the time of a plain arithmetic op for a batch of 64 lanes: some five nanoseconds on a
//! host with wide vectors. The costs are measured (`cargo bench -p gallium-raster --bench
//! questions`). Lookups and segments of generated code add the units that they report when they
//! run.

use core::cell::Cell;

use super::features::BUDGET;
use super::{ExecError, Group, Lanes, Op, OpCode, Resources};

/// Units of work between two checks whether a program must stop.
const UNITS_BETWEEN_QUESTIONS: isize = 4096;

impl OpCode {
    /// Returns the cost of the op for a batch, in units of work.
    const fn cost(self) -> isize {
        match self {
            OpCode::Idiv | OpCode::Udiv | OpCode::Imod | OpCode::Umod => 8,
            // The segment reports its cost when it runs.
            OpCode::Segment => 1,
            OpCode::Gather | OpCode::Scatter | OpCode::Sample => 16,
            code => match code.group() {
                Group::Core | Group::Integers | Group::Generated => 1,
                Group::Functions => 8,
                Group::Lanes => 4,
                Group::Doubles | Group::Memory | Group::Stages => 32,
            },
        }
    }
}

/// The most units of work from the place where a question is due to the question.
const UNITS_LATE: isize = 512;

/// Hands out the ops of a batch up to the next check, and counts the work. Without the feature `budget` it hands out all
/// ops and counts nothing.
///
/// Light ops cost nothing to count: the check is due at an op, and work beyond one unit per op moves that place. A
/// count for each op took a tenth of the instructions of a loop.
pub(super) struct Meter<'a> {
    ops: &'a [Op],
    /// The ops that may run before the next check. They end at most [`UNITS_LATE`] after the place where it is due,
    /// except after a segment, up to the next jump back.
    open: &'a [Op],
    due: &'a Due,
}

/// The op where the next check is due. It may lie before the first op or after the last one.
pub(super) struct Due(Cell<isize>);

impl Due {
    pub(super) const fn new() -> Due {
        Due(Cell::new(0))
    }
}

impl<'a> Meter<'a> {
    /// Begins to count at op `next`.
    #[inline(always)]
    pub(super) fn new(ops: &'a [Op], due: &'a Due, next: usize) -> Meter<'a> {
        if BUDGET {
            // Few ops use the place. The compiler must keep it in memory: in a register it costs every op.
            core::hint::black_box(due);
        }
        let mut meter = Meter { ops, open: ops, due };
        meter.restart(next);
        meter
    }

    /// Returns op `next`; `None` at the end of the program, or if a check is due.
    #[inline(always)]
    pub(super) fn op(&self, next: usize) -> Option<&'a Op> {
        self.open.get(next)
    }

    /// Returns true if `next` is the end of the program.
    #[inline(always)]
    pub(super) fn is_end(&self, next: usize) -> bool {
        !BUDGET || next >= self.ops.len()
    }

    /// Counts what an op costs beyond light arithmetic.
    #[inline(always)]
    pub(super) fn heavy(&mut self, code: OpCode) {
        self.add((code.cost() - 1).unsigned_abs() as u32);
    }

    /// Counts units that the resources or the op reported.
    #[inline(always)]
    pub(super) fn add(&mut self, units: u32) {
        self.count(units);
        self.close();
    }

    /// Counts the units of a segment of generated code. A program has few of them between two jumps back.
    #[inline(always)]
    pub(super) fn count(&self, units: u32) {
        self.move_check(-(units.min(i32::MAX as u32 / 2) as isize));
    }

    /// Goes on at op `to` instead of `next`. Only jumps `back` bring the check closer.
    #[inline(always)]
    pub(super) fn jump(&mut self, next: usize, to: usize, back: bool) {
        self.move_check(to.wrapping_sub(next) as isize);
        if back {
            self.close();
        }
    }

    /// Asks before op `next` whether the program must end.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn ask<R: Lanes>(
        &mut self,
        next: usize,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        if BUDGET {
            let full = (next as isize).wrapping_add(UNITS_BETWEEN_QUESTIONS);
            let units = full.wrapping_sub(self.due.0.get()) as u32;
            self.restart(next);
            if resources.stopped(units) {
                return Err(ExecError::Stopped);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn restart(&mut self, next: usize) {
        if BUDGET {
            let due = next.saturating_add(UNITS_BETWEEN_QUESTIONS as usize);
            self.due.0.set(due as isize);
            self.open = self.ops.get(..due).unwrap_or(self.ops);
        }
    }

    /// Moves the next check by a number of ops.
    #[inline(always)]
    fn move_check(&self, by: isize) {
        if BUDGET {
            self.due.0.set(self.due.0.get().wrapping_add(by));
        }
    }

    /// Ends the open ops where the check is due, if they end much later.
    #[inline(always)]
    fn close(&mut self) {
        if BUDGET && (self.open.len() as isize).wrapping_sub(self.due.0.get()) > UNITS_LATE {
            self.open = self.ops.get(..self.due.0.get().max(0) as usize).unwrap_or(self.ops);
        }
    }
}
