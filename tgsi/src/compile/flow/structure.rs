//! The structure of the text, found before compilation: ends of blocks, and subroutines.

use crate::compile::{CompileError, Lower};
use crate::opcode::{FlowOpcode, Kind, Opcode};
use crate::shader::Instruction;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// The role of an instruction in the block structure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Begins a block.
    Opens,
    /// Ends a block.
    Closes,
    /// Ends one part of a block and begins the next.
    Divides,
    /// Ends a function, or the program.
    Ends,
    /// None of these.
    Inside,
}

const fn role(opcode: Opcode) -> Role {
    let Kind::Flow(opcode) = opcode.kind() else { return Role::Inside };
    match opcode {
        FlowOpcode::If | FlowOpcode::Uif | FlowOpcode::Bgnloop | FlowOpcode::Switch => Role::Opens,
        FlowOpcode::Endif | FlowOpcode::Endloop | FlowOpcode::Endswitch => Role::Closes,
        FlowOpcode::Else | FlowOpcode::Case | FlowOpcode::Default => Role::Divides,
        FlowOpcode::Endsub | FlowOpcode::End => Role::Ends,
        FlowOpcode::Brk | FlowOpcode::Cont | FlowOpcode::Cal | FlowOpcode::Ret => Role::Inside,
        FlowOpcode::Nop | FlowOpcode::Bgnsub => Role::Inside,
    }
}

/// Returns the change of block depth at an instruction.
fn nesting(opcode: Opcode) -> isize {
    match role(opcode) {
        Role::Opens => 1,
        Role::Closes => -1,
        Role::Divides | Role::Ends | Role::Inside => 0,
    }
}

/// Returns true if unreachable code may end at an instruction.
pub(super) fn is_boundary(opcode: Opcode) -> bool {
    matches!(role(opcode), Role::Closes | Role::Divides | Role::Ends)
}

/// A subroutine.
#[derive(Clone, Copy)]
pub(in crate::compile) struct Subroutine {
    /// The index of its `BGNSUB`.
    pub(super) begin: u32,
    /// True if some lanes may return earlier than the rest.
    pub(super) returns_early: bool,
    /// The mark last given to it; see [`Subroutines::mark`].
    mark: u32,
}

/// The subroutines, in the order of the text, and the main program.
pub(in crate::compile) struct Subroutines<'m> {
    list: Vec<'m, Subroutine>,
    /// True if some lanes may return from the main program earlier than the rest.
    pub(super) main_returns_early: bool,
}

impl<'m> Subroutines<'m> {
    /// Finds the subroutines in one pass over the instructions.
    pub(in crate::compile) fn new(
        instructions: &[Instruction],
        memory: Memory<'m>,
    ) -> Result<Subroutines<'m>, OutOfMemory> {
        let mut list: Vec<'m, Subroutine> = Vec::new_in(memory);
        let (mut main_returns_early, mut in_function, mut depth) = (false, true, 0);
        for (at, instruction) in instructions.iter().enumerate() {
            depth += nesting(instruction.opcode);
            match instruction.opcode {
                Opcode::Bgnsub => {
                    list.try_push(Subroutine { begin: at as u32, returns_early: false, mark: 0 })?;
                    (in_function, depth) = (true, 0);
                }
                Opcode::Endsub | Opcode::End => in_function = false,
                Opcode::Ret if depth > 0 && in_function => match list.last_mut() {
                    Some(subroutine) => subroutine.returns_early = true,
                    None => main_returns_early = true,
                },
                _ => {}
            }
        }
        Ok(Subroutines { list, main_returns_early })
    }

    /// Finds the subroutine of a call: the one at its label, or the next one, because labels may be
    /// stale.
    pub(super) fn called(&self, call: &Instruction) -> Option<Subroutine> {
        let label = call.label?;
        self.list.get(self.list.partition_point(|it| it.begin < label)).copied()
    }

    /// Returns the subroutine that begins at the instruction `begin`.
    pub(super) fn at(&self, begin: u32) -> Option<Subroutine> {
        let found = self.list.binary_search_by_key(&begin, |it| it.begin).ok();
        found.and_then(|at| self.list.get(at)).copied()
    }

    /// Marks a subroutine; returns false if it already had this mark.
    pub(super) fn mark(&mut self, subroutine: Subroutine, mark: u32) -> bool {
        let found = self.list.binary_search_by_key(&subroutine.begin, |it| it.begin);
        match found.ok().and_then(|at| self.list.get_mut(at)) {
            Some(slot) => core::mem::replace(&mut slot.mark, mark) != mark,
            None => false,
        }
    }
}

impl Lower<'_, '_> {
    /// Returns the first instruction from `from` on that ends or divides the enclosing block.
    pub(super) fn skip(&self, from: usize) -> Result<usize, CompileError> {
        let mut depth = 0;
        self.find(from, |opcode| {
            let boundary = role(opcode) == Role::Ends || depth == 0 && is_boundary(opcode);
            depth += nesting(opcode);
            boundary
        })
    }

    /// Returns the instruction that ends the block that contains `from`; a case is not a block.
    pub(super) fn block_end(&self, from: usize) -> Result<usize, CompileError> {
        let mut depth = 0;
        self.find(from, |opcode| {
            depth += nesting(opcode);
            depth < 0 || role(opcode) == Role::Ends
        })
    }

    /// Returns the index of the first instruction from `from` on that satisfies `is`, or the end.
    fn find(&self, from: usize, mut is: impl FnMut(Opcode) -> bool) -> Result<usize, CompileError> {
        let instructions = self.shader.instructions();
        let later = instructions.get(from..).unwrap_or(&[]);
        let found = later.iter().position(|instruction| is(instruction.opcode));
        let count = found.unwrap_or(later.len());
        self.graph.steps.charge(count)?;
        Ok(from + count)
    }
}
