//! The compiler's budget of work, and the limits of its tables.
//!
//! A shader of a few kilobytes can ask for any amount of work: subroutines are compiled where they
//! are called, a loop looks ahead for everything it writes, a lane that leaves a loop takes every
//! such variable with it. So each loop of the compiler whose length the shader chooses charges
//! its turns here, and compiling ends with an error when the budget is spent.
//!
//! A step is about as much work as looking at one instruction or one entry of a table.
//! Passes over all nodes are charged when a node is made, so that they need not charge again.

use super::CompileError;
use core::cell::Cell;

/// The budget of [`CompileOptions::DEFAULT`](super::CompileOptions::DEFAULT).
pub(super) const DEFAULT_STEPS: u32 = 1 << 24;

/// Steps of walking an instruction, calls inlined.
pub(super) const INSTRUCTION_STEPS: usize = 16;

/// Steps of a node: making it, and every later pass over it.
pub(super) const NODE_STEPS: usize = 8;

/// Entries of a table that are searched in the time of a step.
const ENTRIES_PER_STEP: usize = 8;

/// A limit that a shader exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// The budget of work, [`CompileOptions::steps`](super::CompileOptions::steps).
    Steps,
    /// 2²⁰ values, those included that turn out to be unused.
    Values,
    /// 65,534 rows: values that are needed at one time, and registers of arrays.
    Rows,
    /// 65,535 ops, of the preamble or of the body.
    Ops,
    /// 65,536 entries of the table of lookups, accesses, 64-bit operations, uses of memory or
    /// inputs elsewhere.
    Table,
}

impl Limit {
    /// Returns a phrase for the shader that exceeds the limit.
    pub const fn as_str(self) -> &'static str {
        match self {
            Limit::Steps => "a shader that takes more than the compiler's budget of steps",
            Limit::Values => "a shader of more than 1048576 values",
            Limit::Rows => "a shader that needs more than 65534 rows of registers",
            Limit::Ops => "a shader of more than 65535 ops",
            Limit::Table => "a shader with more than 65536 lookups or accesses of one kind",
        }
    }
}

impl core::fmt::Display for Limit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The steps that are left.
pub(super) struct Steps {
    budget: u32,
    /// Negative once more was noted than the budget had.
    left: Cell<i64>,
}

impl Steps {
    pub(super) fn new(budget: u32) -> Steps {
        Steps { budget, left: Cell::new(budget.into()) }
    }

    /// Takes `count` steps.
    ///
    /// # Errors
    /// [`Limit::Steps`] if the budget is spent.
    #[inline]
    pub(super) fn charge(&self, count: usize) -> Result<(), CompileError> {
        self.note(count);
        if self.left.get() < 0 {
            return Err(CompileError::TooLarge { limit: Limit::Steps });
        }
        Ok(())
    }

    /// Takes `count` steps, as [`charge`](Steps::charge) does, but leaves the error to the next
    /// `charge`: for searches of a table within one instruction.
    #[inline]
    pub(super) fn note(&self, count: usize) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.left.set(self.left.get().saturating_sub(count));
    }

    /// Notes a search of a table: entries are looked at several times as fast as instructions.
    #[inline]
    pub(super) fn note_search(&self, entries: usize) {
        self.note(entries / ENTRIES_PER_STEP);
    }

    /// Returns the steps taken so far.
    pub(super) fn taken(&self) -> u32 {
        self.budget.saturating_sub(u32::try_from(self.left.get()).unwrap_or(0))
    }
}
