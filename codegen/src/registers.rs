//! Allocation of vector registers to rows. A row is loaded when an op needs it and dropped when no
//! later op does. If no register is free, the row with the farthest next use loses its register
//! (Belady's rule).

use iced_x86::Register;
use tgsi::program::Row;

use crate::assembler::{Assembler, Place};
use crate::recipe::operands;
use crate::segments::Segment;

/// Stands for the index of an op that does not exist: the value is not used again.
const NEVER: usize = usize::MAX;

/// A row held in a register.
#[derive(Clone, Copy)]
struct Held {
    row: Row,
    next_use: usize,
    /// Set if the row's memory does not have this value yet.
    is_newer: bool,
}

/// The later uses of an op's operands and result.
#[derive(Clone, Copy)]
struct Future {
    rows: [Option<Row>; 4],
    /// The next use of each operand's value.
    operands: [usize; 4],
    /// The next use of the result.
    result: usize,
    /// Set if the result must be stored to the row's memory.
    is_stored: bool,
}

/// A register, and the row that it holds.
#[derive(Clone, Copy)]
struct Slot {
    register: Register,
    held: Option<Held>,
    /// Set if the current op reads the register.
    is_pinned: bool,
}

/// The rows of a segment during code generation.
pub(crate) struct Rows {
    futures: Vec<Future>,
    slots: Vec<Slot>,
    /// The index of the current op.
    at: usize,
}

impl Rows {
    /// Returns the rows of a segment before its first op; `None` if an op names a row that does not
    /// exist.
    pub(crate) fn new(segment: &Segment, registers: Vec<Register>) -> Option<Rows> {
        let mut next_use = vec![NEVER; segment.kept.len()];
        let mut is_written_later = vec![false; segment.kept.len()];
        let mut futures = Vec::with_capacity(segment.ops.len());
        for (at, op) in segment.ops.iter().enumerate().rev() {
            let rows = operands(op).rows;
            let dst = usize::from(op.dst.0);
            let is_stored = *segment.kept.get(dst)? && !*is_written_later.get(dst)?;
            let result = std::mem::replace(next_use.get_mut(dst)?, NEVER);
            *is_written_later.get_mut(dst)? = true;
            let mut operands = [NEVER; 4];
            for (operand, row) in operands.iter_mut().zip(rows) {
                if let Some(row) = row {
                    *operand = *next_use.get(usize::from(row.0))?;
                }
            }
            for row in rows.into_iter().flatten() {
                *next_use.get_mut(usize::from(row.0))? = at;
            }
            futures.push(Future { rows, operands, result, is_stored });
        }
        futures.reverse();
        let slot = |register| Slot { register, held: None, is_pinned: false };
        Some(Rows { futures, slots: registers.into_iter().map(slot).collect(), at: 0 })
    }

    /// Advances to op `at`.
    pub(crate) fn begin(&mut self, at: usize) {
        self.at = at;
        self.slots.iter_mut().for_each(|slot| slot.is_pinned = false);
    }

    fn find(&mut self, row: Row) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.held.is_some_and(|held| held.row == row))
    }

    fn future(&self) -> Option<Future> {
        self.futures.get(self.at).copied()
    }

    fn operand(&self, index: usize) -> Option<Row> {
        *self.future()?.rows.get(index)?
    }

    /// Returns true if the operand is in a register.
    pub(crate) fn is_held(&mut self, index: usize) -> bool {
        self.operand(index).and_then(|row| self.find(row)).is_some()
    }

    /// Returns the register of an operand, and loads the operand if needed.
    pub(crate) fn register(&mut self, assembler: &mut Assembler, index: usize) -> Option<Register> {
        let (row, at) = (self.operand(index)?, self.at);
        if self.find(row).is_none() {
            let slot = self.free(assembler)?;
            assembler.load(slot.register, row)?;
            slot.held = Some(Held { row, next_use: at, is_newer: false });
        }
        let slot = self.find(row)?;
        slot.is_pinned = true;
        Some(slot.register)
    }

    /// Returns the place of an operand: memory if this is its only use, else a register.
    pub(crate) fn place(&mut self, assembler: &mut Assembler, index: usize) -> Option<Place> {
        let row = self.operand(index)?;
        let is_last_use = self.future()?.operands.get(index) == Some(&NEVER);
        if is_last_use && self.find(row).is_none() {
            return Some(assembler.row(row));
        }
        self.register(assembler, index).map(Place::Register)
    }

    /// Returns the register for the result of the current op. It may be the register of an operand,
    /// so only the op's last instruction may write it.
    pub(crate) fn result(&mut self, assembler: &mut Assembler, row: Row) -> Option<Register> {
        let Future { rows, operands, result, is_stored } = self.future()?;
        for (operand, next_use) in rows.into_iter().zip(operands) {
            let Some(slot) = operand.and_then(|operand| self.find(operand)) else { continue };
            match &mut slot.held {
                Some(held) if next_use != NEVER => held.next_use = next_use,
                held => *held = None,
            }
        }
        if let Some(slot) = self.find(row) {
            slot.held = None;
        }
        let slot = self.free(assembler)?;
        slot.held = Some(Held { row, next_use: result, is_newer: !is_stored });
        Some(slot.register)
    }

    /// Ends the current op. `register` holds its result.
    pub(crate) fn end(
        &mut self,
        assembler: &mut Assembler,
        row: Row,
        register: Register,
    ) -> Option<()> {
        if self.future()?.is_stored {
            assembler.store(row, register)?;
        }
        Some(())
    }

    /// Returns a free register, evicting a row if needed.
    fn free(&mut self, assembler: &mut Assembler) -> Option<&mut Slot> {
        let at = self.slots.iter().position(|slot| slot.held.is_none()).or_else(|| {
            let unpinned = self.slots.iter().enumerate().filter(|(_, slot)| !slot.is_pinned);
            let farthest =
                unpinned.max_by_key(|(_, slot)| slot.held.map_or(0, |held| held.next_use));
            farthest.map(|(at, _)| at)
        });
        let slot = self.slots.get_mut(at?)?;
        if let Some(held) = slot.held.take()
            && held.is_newer
            && held.next_use != NEVER
        {
            assembler.store(held.row, slot.register)?;
        }
        Some(slot)
    }
}
