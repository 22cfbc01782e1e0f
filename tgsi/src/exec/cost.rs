//! The cost of ops in units of work, and the checks whether the work may continue.
//!
//! A unit is the time of a plain arithmetic op for a batch of 64 lanes: some five nanoseconds on a
//! host with wide vectors. The costs are measured (`cargo bench -p gallium-raster --bench
//! questions`). Lookups and segments of generated code add the units that they report when they
//! run.

use super::features::BUDGET;
use super::{ExecError, Group, Lanes, Op, OpCode, Resources};

/// Units of work between two checks whether a program must stop.
const UNITS_BETWEEN_QUESTIONS: i32 = 4096;

impl OpCode {
    /// Returns the cost of the op for a batch, in units of work.
    const fn cost(self) -> i32 {
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

/// Counts the work of a batch since the last check. Without the feature `budget` it counts nothing.
///
/// Light arithmetic is counted where it ends, at the next op of another kind or at the end of a window of ops: a count
/// for each op took a fifteenth of the instructions of a loop. After a jump back, a window may hold the whole program:
/// some 200,000 ops, which take a millisecond.
pub(super) struct Meter {
    left: i32,
    /// The first op that is not counted.
    from: usize,
}

impl Meter {
    /// Begins to count at op `from`.
    pub(super) const fn new(from: usize) -> Meter {
        Meter { left: UNITS_BETWEEN_QUESTIONS, from }
    }

    /// Returns the ops up to the next check in a straight program. Without the feature `budget` these are all ops.
    #[inline(always)]
    pub(super) fn window(ops: &[Op], next: usize) -> &[Op] {
        let end = next.saturating_add(UNITS_BETWEEN_QUESTIONS as usize);
        if BUDGET { ops.get(..end).unwrap_or(ops) } else { ops }
    }

    /// Counts the ops up to `next`, and checks if a check is due. All ops but the last are light arithmetic.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn reach<R: Lanes>(
        &mut self,
        next: usize,
        last: OpCode,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        self.pass(next);
        self.heavy(last, resources)
    }

    /// Counts an op that costs more than light arithmetic, which [`pass`](Self::pass) counts as if it were light, and
    /// checks if a check is due.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn heavy<R: Lanes>(
        &mut self,
        code: OpCode,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        if BUDGET {
            self.left -= code.cost() - 1;
            if self.left < 0 {
                return self.ask(resources);
            }
        }
        Ok(())
    }

    /// Counts the ops up to `next` as light arithmetic.
    #[inline(always)]
    pub(super) fn pass(&mut self, next: usize) {
        if BUDGET {
            self.left -= next.wrapping_sub(self.from) as i32;
            self.from = next;
        }
    }

    /// Goes on at op `next`.
    #[inline(always)]
    pub(super) fn jump(&mut self, next: usize) {
        if BUDGET {
            self.from = next;
        }
    }

    /// Counts units that the resources or the op reported.
    #[inline(always)]
    pub(super) fn add(&mut self, units: u32) {
        if BUDGET {
            self.left -= units.min(i32::MAX as u32 / 2) as i32;
        }
    }

    /// Asks whether the program must end.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn ask<R: Lanes>(
        &mut self,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        if BUDGET {
            let units = UNITS_BETWEEN_QUESTIONS - self.left;
            self.left = UNITS_BETWEEN_QUESTIONS;
            if resources.stopped(units.unsigned_abs()) {
                return Err(ExecError::Stopped);
            }
        }
        Ok(())
    }
}
