//! The code of a program, made when the program has run often enough.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use tgsi::exec::{GENERATED_LANES, Generated, Mask};
use tgsi::program::{Op, Program};

use crate::assembler::Assembler;
use crate::emit::emit;
use crate::executable::Executable;
use crate::instructions::Instructions;
use crate::registers::Rows;
use crate::segments::Plan;

/// A program's code, or the count of batches until there is some.
#[derive(Debug)]
pub(crate) struct Lazy {
    instructions: Instructions,
    batches_left: AtomicU32,
    /// `None` in it: no code can be made.
    code: OnceLock<Option<Code>>,
}

#[derive(Debug)]
struct Code {
    body: Vec<Op>,
    segments: Executable,
}

impl Lazy {
    pub(crate) fn new(instructions: Instructions, batches_before_code: u32) -> Lazy {
        let batches_left = AtomicU32::new(batches_before_code);
        Lazy { instructions, batches_left, code: OnceLock::new() }
    }
}

impl Generated for Lazy {
    fn body(&self, program: &Program<'_>) -> Option<&[Op]> {
        let code = match self.code.get() {
            Some(code) => code,
            None => {
                // Threads that count at the same time may count a batch once: it is an estimate.
                let left = self.batches_left.load(Relaxed);
                if left > 0 {
                    self.batches_left.store(left - 1, Relaxed);
                    return None;
                }
                self.code.get_or_init(|| Code::new(program, self.instructions))
            }
        };
        code.as_ref().map(|code| &*code.body)
    }

    fn run(&self, segment: u16, rows: &mut [u32], exec: Mask) -> bool {
        let code = self.code.get().and_then(Option::as_ref);
        code.is_some_and(|code| code.segments.run(segment, rows, exec))
    }
}

impl Code {
    /// Makes the code of a program; `None` if it has no segments or names rows that it does not have,
    /// or the system refuses memory.
    fn new(program: &Program<'_>, instructions: Instructions) -> Option<Code> {
        // Code reaches the rows that ops name.
        program.validate().ok()?;
        let plan = Plan::new(program);
        if plan.segments.is_empty() {
            return None;
        }
        let mut assembler = Assembler::new(instructions);
        for segment in &plan.segments {
            assembler.begin_segment(segment.uses_exec)?;
            let mut rows = Rows::new(segment, assembler.row_registers());
            for (at, op) in segment.ops.iter().enumerate() {
                emit(&mut assembler, &mut rows, at, op)?;
            }
            assembler.end_segment()?;
        }
        let (code, entries, constants) = assembler.finish()?;
        let words = usize::from(program.rows) * GENERATED_LANES;
        let segments = Executable::new(&code, entries, constants, words).ok()?;
        Some(Code { body: plan.body, segments })
    }
}
