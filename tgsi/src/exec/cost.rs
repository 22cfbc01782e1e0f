//! The cost of ops in units of work, and the checks whether the work may continue.
//!
//! A unit is the time of a plain arithmetic op for a batch of 64 lanes: some five nanoseconds on a
//! host with wide vectors. The costs are measured (`cargo bench -p gallium-raster --bench
//! questions`). Lookups and segments of generated code add the units that they report when they
//! run.

use core::cell::Cell;

use super::features::BUDGET;
use super::{ExecError, Group, Lanes, Op, OpCode, Resources};

/// Ops in a row, or units of other work, between two checks whether a program must stop.
const UNITS_BETWEEN_QUESTIONS: usize = 2048;

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

/// Counts the work of a batch between two checks. Without the feature `budget` it counts nothing.
///
/// Light ops cost nothing to count: a batch's place tells how many it ran. Jumps and work beyond one unit per op are
/// counted. A count for each op took a tenth of the instructions of a loop.
pub(super) struct Meter {
    /// The op that followed the last check.
    start: Cell<usize>,
    /// The units left for jumps back and for work beyond one unit per op.
    left: Cell<i64>,
}

impl Meter {
    pub(super) const fn new() -> Meter {
        Meter { start: Cell::new(0), left: Cell::new(0) }
    }

    /// Returns the ops up to the next check in a straight program, and begins to count at op `next`.
    #[inline(always)]
    pub(super) fn open<'a>(&self, ops: &'a [Op], next: usize) -> &'a [Op] {
        if !BUDGET {
            return ops;
        }
        // Few ops use the counts. The compiler must keep them in memory: in registers they cost every op.
        core::hint::black_box(self);
        self.start.set(next);
        self.left.set(UNITS_BETWEEN_QUESTIONS as i64);
        let end = next.saturating_add(UNITS_BETWEEN_QUESTIONS);
        ops.get(..end).unwrap_or(ops)
    }

    /// Counts what an op costs beyond light arithmetic. Returns true if a check is due.
    #[inline(always)]
    pub(super) fn heavy(&self, code: OpCode) -> bool {
        self.add((code.cost() - 1).unsigned_abs() as u32)
    }

    /// Counts units that the op or the resources reported. Returns true if a check is due.
    #[inline(always)]
    pub(super) fn add(&self, units: u32) -> bool {
        self.take(i64::from(units))
    }

    /// Goes on at op `to` instead of `next`. Returns true if a check is due; a jump forward gives units back.
    #[inline(always)]
    pub(super) fn jump(&self, next: usize, to: usize) -> bool {
        self.take((next as i64).wrapping_sub(to as i64))
    }

    #[inline(always)]
    fn take(&self, units: i64) -> bool {
        if BUDGET {
            self.left.set(self.left.get().wrapping_sub(units));
        }
        BUDGET && self.left.get() < 0
    }

    /// Asks before op `next` whether the program must end.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn ask<R: Lanes>(
        &self,
        next: usize,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        if BUDGET {
            let in_a_row = (next as i64).wrapping_sub(self.start.get() as i64);
            let others = (UNITS_BETWEEN_QUESTIONS as i64).wrapping_sub(self.left.get());
            if resources.stopped(in_a_row.wrapping_add(others) as u32) {
                return Err(ExecError::Stopped);
            }
        }
        Ok(())
    }
}
