//! The value of each register component, and a log of changes to undo when a branch ends.

use super::CompileError;
use super::graph::Value;
use os_shim::memory::Memory;
use os_shim::{OutOfMemory, Vec};

/// The earlier value of a variable that was changed at a level of nesting.
#[derive(Clone, Copy)]
struct Change {
    variable: u32,
    value: Value,
    level: u32,
}

/// A component of a register.
#[derive(Clone, Copy)]
struct Variable {
    value: Value,
    /// The level at which it was last changed.
    level: u32,
    /// The mark last given to it.
    mark: u32,
}

/// The variables: components of temporaries, outputs and addresses, numbered consecutively.
pub(super) struct Variables<'m> {
    variables: Vec<'m, Variable>,
    changes: Vec<'m, Change>,
    level: u32,
    last_level: u32,
    last_mark: u32,
    /// The first output's number.
    pub(super) outputs: u32,
    /// The first address register's number.
    pub(super) addresses: u32,
}

/// A level of nesting that can be undone.
#[derive(Clone, Copy)]
pub(super) struct Level {
    changes: usize,
    outer: u32,
}

impl<'m> Variables<'m> {
    pub(super) fn new(memory: Memory<'m>) -> Self {
        Variables {
            variables: Vec::new_in(memory),
            changes: Vec::new_in(memory),
            level: 0,
            last_level: 0,
            last_mark: 0,
            outputs: 0,
            addresses: 0,
        }
    }

    /// Makes room for the given number of registers of each file.
    pub(super) fn resize(
        &mut self,
        temporaries: u32,
        outputs: u32,
        addresses: u32,
    ) -> Result<(), CompileError> {
        self.outputs = 4 * temporaries;
        self.addresses = 4 * (temporaries + outputs);
        let count = 4 * (temporaries + outputs + addresses) as usize;
        let unwritten = Variable { value: Value::NONE, level: 0, mark: 0 };
        self.variables.try_resize(count, unwritten)?;
        Ok(())
    }

    /// Returns the value; `NONE` if the variable was never written.
    pub(super) fn get(&self, variable: u32) -> Value {
        self.variables.get(variable as usize).map_or(Value::NONE, |it| it.value)
    }

    pub(super) fn set(&mut self, variable: u32, value: Value) -> Result<(), OutOfMemory> {
        let Some(slot) = self.variables.get_mut(variable as usize) else { return Ok(()) };
        if slot.level != self.level {
            self.changes.try_push(Change { variable, value: slot.value, level: slot.level })?;
            slot.level = self.level;
        }
        slot.value = value;
        Ok(())
    }

    /// Enters a level: changes from here on can be undone.
    pub(super) fn enter(&mut self) -> Level {
        let level = Level { changes: self.changes.len(), outer: self.level };
        self.last_level += 1;
        self.level = self.last_level;
        level
    }

    /// Returns a mark that no variable has.
    pub(super) fn new_mark(&mut self) -> u32 {
        self.last_mark += 1;
        self.last_mark
    }

    /// Marks a variable; returns false if it already had this mark.
    pub(super) fn mark(&mut self, variable: u32, mark: u32) -> bool {
        match self.variables.get_mut(variable as usize) {
            Some(slot) => core::mem::replace(&mut slot.mark, mark) != mark,
            None => false,
        }
    }

    /// Returns the number of variables changed since `level` was entered.
    pub(super) fn changed_count(&self, level: Level) -> usize {
        self.changes.len().saturating_sub(level.changes)
    }

    /// Returns the `index`th variable changed since `level` was entered, and its earlier value.
    pub(super) fn change(&self, level: Level, index: usize) -> Option<(u32, Value)> {
        let change = self.changes.get(level.changes + index)?;
        Some((change.variable, change.value))
    }

    /// Undoes all changes since `level` was entered, and leaves it.
    pub(super) fn undo(&mut self, level: Level) {
        while self.changes.len() > level.changes {
            let Some(change) = self.changes.pop() else { break };
            if let Some(slot) = self.variables.get_mut(change.variable as usize) {
                (slot.value, slot.level) = (change.value, change.level);
            }
        }
        self.level = level.outer;
    }
}
