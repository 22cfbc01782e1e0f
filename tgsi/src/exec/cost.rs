//! The cost of ops in units of work, and the checks whether the work may continue.
//!
//! A unit is the time of a plain arithmetic op for a batch of 64 lanes: some five nanoseconds on a
//! host with wide vectors. The costs are measured (`cargo bench -p gallium-raster --bench
//! questions`). Lookups and segments of generated code add the units that they report when they
//! run.

use super::features::BUDGET;
use super::{ExecError, Group, Lanes, OpCode, Resources};

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
pub(super) struct Meter {
    left: i32,
}

impl Meter {
    pub(super) const fn new() -> Meter {
        Meter { left: UNITS_BETWEEN_QUESTIONS }
    }

    /// Counts an op, and checks if a check is due.
    ///
    /// # Errors
    /// [`ExecError::Stopped`].
    #[inline(always)]
    pub(super) fn op<R: Lanes>(
        &mut self,
        code: OpCode,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), ExecError> {
        if BUDGET {
            self.left -= code.cost();
            if self.left < 0 {
                return self.ask(resources);
            }
        }
        Ok(())
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
