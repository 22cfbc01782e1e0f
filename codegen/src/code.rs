//! The code of a program, made when the program has run often enough.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use os_shim::Memory;
use os_shim::memory::Counted;
use tgsi::exec::{GENERATED_LANES, Generated, Mask};
use tgsi::program::{Op, Program};

use crate::arena::{Arena, PAGE_BYTES};
use crate::assembler::Assembler;
use crate::emit::emit;
use crate::executable::{Entry, Executable};
use crate::instructions::Instructions;
use crate::registers::Rows;
use crate::segments::Plan;

/// A program's code, or the number of batches left until it is made.
#[derive(Debug)]
pub(crate) struct Lazy<'m> {
    arena: Arc<Arena>,
    instructions: Instructions,
    batches_left: AtomicU32,
    /// The memory quota that the code counts against.
    memory: Memory<'m>,
    /// Holds `None` if no code can be made.
    code: OnceLock<Option<Code<'m>>>,
}

#[derive(Debug)]
struct Code<'m> {
    body: Vec<Op>,
    segments: Executable,
    /// Counts the bytes of body and code.
    _counted: Counted<'m>,
}

impl<'m> Lazy<'m> {
    pub(crate) fn new(
        arena: Arc<Arena>,
        instructions: Instructions,
        batches_before_code: u32,
        memory: Memory<'m>,
    ) -> Lazy<'m> {
        let batches_left = AtomicU32::new(batches_before_code);
        Lazy { arena, instructions, batches_left, memory, code: OnceLock::new() }
    }
}

impl Generated for Lazy<'_> {
    fn body(&self, program: &Program<'_>) -> Option<&[Op]> {
        let code = match self.code.get() {
            Some(code) => code,
            None => {
                // Threads that count at the same time may count two batches as one; the number is
                // an estimate.
                let left = self.batches_left.load(Relaxed);
                if left > 0 {
                    self.batches_left.store(left - 1, Relaxed);
                    return None;
                }
                self.code
                    .get_or_init(|| Code::new(program, &self.arena, self.instructions, self.memory))
            }
        };
        code.as_ref().map(|code| &*code.body)
    }

    fn run(&self, segment: u16, rows: &mut [u32], exec: Mask) -> Option<u32> {
        let code = self.code.get().and_then(Option::as_ref)?;
        code.segments.run(segment, rows, exec)
    }
}

impl<'m> Code<'m> {
    /// Makes the code of a program. Returns `None` if the program has no segments, if it names rows
    /// that it does not have, or if the arena, the system or the limit of `memory` refuses memory.
    fn new(
        program: &Program<'_>,
        arena: &Arc<Arena>,
        instructions: Instructions,
        memory: Memory<'m>,
    ) -> Option<Code<'m>> {
        // Code accesses the rows that ops name, so they must be in range.
        program.validate().ok()?;
        let plan = Plan::new(program)?;
        if plan.segments.is_empty() {
            return None;
        }
        let mut assembler = Assembler::new(instructions);
        for segment in &plan.segments {
            assembler.begin_segment(segment.uses_exec)?;
            let mut rows = Rows::new(segment, assembler.row_registers())?;
            for (at, op) in segment.ops.iter().enumerate() {
                emit(&mut assembler, &mut rows, at, op)?;
            }
            assembler.end_segment()?;
        }
        let (code, starts, constants) = assembler.finish()?;
        let entries = starts.into_iter().zip(&plan.segments);
        let entries: Vec<_> = entries
            .map(|(start, segment)| Entry { start, ops: segment.ops.len() as u32 })
            .collect();
        let words = usize::from(program.rows) * GENERATED_LANES;
        let text = code.len().max(1).next_multiple_of(PAGE_BYTES);
        let body = plan.body.capacity() * size_of::<Op>();
        let others = size_of_val(&*entries) + size_of_val(&*constants);
        let counted = memory.count(text + body + others).ok()?;
        let segments = Executable::new(arena, &code, entries, constants, words).ok()?;
        Some(Code { body: plan.body, segments, _counted: counted })
    }
}
