//! The compiler's work budget, and the limits of its tables.
//!
//! A shader of a few kilobytes can ask for any amount of work: subroutines are compiled at each
//! call, a loop looks ahead for everything it writes, a lane that leaves a loop takes every such
//! variable with it. So each compiler loop with a length that depends on the shader charges its
//! turns here. Compilation ends with an error when the budget is spent.
//!
//! A step is about the work of visiting one instruction or one entry of a table. Passes over all
//! nodes are charged when a node is made, so they need not charge again.

use super::CompileError;
use core::cell::Cell;

/// The budget of [`CompileOptions::DEFAULT`](super::CompileOptions::DEFAULT).
pub(super) const DEFAULT_STEPS: u32 = 1 << 24;

/// Steps for visiting an instruction, including in inlined calls.
pub(super) const INSTRUCTION_STEPS: usize = 16;

/// Steps for a node: for making it, and for every later pass over it.
pub(super) const NODE_STEPS: usize = 8;

/// Table entries that a search visits in one step.
const ENTRIES_PER_STEP: usize = 8;

/// A limit that a shader exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// The work budget, [`CompileOptions::steps`](super::CompileOptions::steps).
    Steps,
    /// 2²⁰ values, including unused ones.
    Values,
    /// 65,534 rows: values in use at the same time, and registers of arrays.
    Rows,
    /// 65,535 ops in the preamble or in the body.
    Ops,
    /// 65,536 entries in the table of lookups, accesses, 64-bit operations, memory accesses or
    /// inputs at other places.
    Table,
}

impl Limit {
    /// Returns a phrase for a shader that exceeds the limit.
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

/// The remaining steps.
pub(super) struct Steps {
    budget: u32,
    /// Negative after more steps were noted than the budget has.
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

    /// Takes `count` steps like [`charge`](Steps::charge), but leaves the error to the next
    /// `charge`: for table searches within one instruction.
    #[inline]
    pub(super) fn note(&self, count: usize) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.left.set(self.left.get().saturating_sub(count));
    }

    /// Notes a table search. Visiting an entry is several times as fast as visiting an instruction.
    #[inline]
    pub(super) fn note_search(&self, entries: usize) {
        self.note(entries / ENTRIES_PER_STEP);
    }

    /// Returns the steps taken so far.
    pub(super) fn taken(&self) -> u32 {
        self.budget.saturating_sub(u32::try_from(self.left.get()).unwrap_or(0))
    }
}
