//! Rows in vector registers: loaded when an op needs them, given up when nobody does, and where
//! registers lack, that one first whose next use is farthest (Belady's rule).

use iced_x86::Register;
use tgsi::program::Row;

use crate::assembler::{Assembler, Place};
use crate::recipe::operands;
use crate::segments::Segment;

/// The index of an op that there is not: a value is not used again.
const NEVER: usize = usize::MAX;

/// A row whose lanes a register has.
#[derive(Clone, Copy)]
struct Held {
    row: Row,
    next_use: usize,
    /// Set if the row's memory has another value.
    is_newer: bool,
}

/// The future of an op's operands and result.
#[derive(Clone, Copy)]
struct Future {
    rows: [Option<Row>; 4],
    /// The next use of each operand's value.
    operands: [usize; 4],
    /// The next use of the result.
    result: usize,
    /// Set if the result must reach the row's memory.
    is_stored: bool,
}

/// The rows of a segment while its code is made.
pub(crate) struct Rows {
    futures: Vec<Future>,
    registers: Vec<Register>,
    held: Vec<Option<Held>>,
    /// The op at hand, and the registers that it reads.
    at: usize,
    pinned: Vec<bool>,
}

impl Rows {
    pub(crate) fn new(segment: &Segment, registers: Vec<Register>) -> Rows {
        let mut next_use = vec![NEVER; segment.kept.len()];
        let mut is_written_later = vec![false; segment.kept.len()];
        let mut futures: Vec<Future> = (segment.ops.iter().enumerate().rev())
            .map(|(at, op)| {
                let rows = operands(op).rows;
                let dst = usize::from(op.dst.0);
                let is_stored = segment.kept[dst] && !is_written_later[dst];
                let result = std::mem::replace(&mut next_use[dst], NEVER);
                is_written_later[dst] = true;
                let operands =
                    rows.map(|row| row.map_or(NEVER, |row| next_use[usize::from(row.0)]));
                for row in rows.into_iter().flatten() {
                    next_use[usize::from(row.0)] = at;
                }
                Future { rows, operands, result, is_stored }
            })
            .collect();
        futures.reverse();
        let count = registers.len();
        Rows { futures, registers, held: vec![None; count], at: 0, pinned: vec![false; count] }
    }

    /// Goes to op `at`.
    pub(crate) fn begin(&mut self, at: usize) {
        self.at = at;
        self.pinned.fill(false);
    }

    fn find(&self, row: Row) -> Option<usize> {
        self.held.iter().position(|held| held.is_some_and(|held| held.row == row))
    }

    fn operand(&self, index: usize) -> Option<Row> {
        self.futures.get(self.at)?.rows[index]
    }

    /// Tells if the operand is in a register.
    pub(crate) fn is_held(&self, index: usize) -> bool {
        self.operand(index).and_then(|row| self.find(row)).is_some()
    }

    /// Returns the register of an operand, and loads it if need be.
    pub(crate) fn register(&mut self, assembler: &mut Assembler, index: usize) -> Option<Register> {
        let row = self.operand(index)?;
        let place = match self.find(row) {
            Some(place) => place,
            None => {
                let place = self.free(assembler)?;
                assembler.load(self.registers[place], row)?;
                self.held[place] = Some(Held { row, next_use: self.at, is_newer: false });
                place
            }
        };
        self.pinned[place] = true;
        Some(self.registers[place])
    }

    /// Returns the place of an operand: memory, if this is its one use.
    pub(crate) fn place(&mut self, assembler: &mut Assembler, index: usize) -> Option<Place> {
        let row = self.operand(index)?;
        if self.find(row).is_none() && self.futures[self.at].operands[index] == NEVER {
            return Some(assembler.row(row));
        }
        self.register(assembler, index).map(Place::Register)
    }

    /// Returns the register for the result of the op at hand, which may be that of an operand: only
    /// the op's last instruction may write it.
    pub(crate) fn result(&mut self, assembler: &mut Assembler, row: Row) -> Option<Register> {
        let Future { rows, operands, result, is_stored } = self.futures[self.at];
        for (operand, next_use) in rows.into_iter().zip(operands) {
            let Some(place) = operand.and_then(|operand| self.find(operand)) else { continue };
            match &mut self.held[place] {
                Some(held) if next_use != NEVER => held.next_use = next_use,
                held => *held = None,
            }
        }
        if let Some(place) = self.find(row) {
            self.held[place] = None;
        }
        let place = self.free(assembler)?;
        self.held[place] = Some(Held { row, next_use: result, is_newer: !is_stored });
        Some(self.registers[place])
    }

    /// Ends the op at hand, whose result is in `register`.
    pub(crate) fn end(
        &mut self,
        assembler: &mut Assembler,
        row: Row,
        register: Register,
    ) -> Option<()> {
        if self.futures[self.at].is_stored {
            assembler.store(row, register)?;
        }
        Some(())
    }

    /// Returns a register that is free, or becomes so.
    fn free(&mut self, assembler: &mut Assembler) -> Option<usize> {
        if let Some(place) = self.held.iter().position(Option::is_none) {
            return Some(place);
        }
        let unpinned = (0..self.held.len()).filter(|&place| !self.pinned[place]);
        let place = unpinned.max_by_key(|&place| self.held[place].map_or(0, |it| it.next_use))?;
        let held = self.held[place].take()?;
        if held.is_newer && held.next_use != NEVER {
            assembler.store(held.row, self.registers[place])?;
        }
        Some(place)
    }
}
