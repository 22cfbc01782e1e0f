//! Checks that blocks nest.

use super::finding::Rule;
use super::limits::MAX_NESTING;
use crate::opcode::Opcode;
use crate::shader::{Instruction, Shader};

/// The blocks that are open at an instruction, by the opcodes that opened them.
pub(super) struct Flow {
    open: heapless::Vec<Opcode, MAX_NESTING>,
    /// The number of blocks that did not fit. They are counted, so that their ends are not errors
    /// too.
    beyond: u32,
}

impl Flow {
    pub(super) fn new() -> Flow {
        Flow { open: heapless::Vec::new(), beyond: 0 }
    }

    /// Processes the next instruction.
    pub(super) fn step(&mut self, opcode: Opcode) -> Result<(), Rule> {
        use Opcode::*;
        let unmatched = Err(Rule::Unmatched { opcode });
        match opcode {
            If | Uif | Bgnloop | Switch => self.enter(opcode),
            Bgnsub if !self.open.is_empty() => unmatched,
            Bgnsub => self.enter(opcode),
            Else => {
                self.leave(opcode, &[If, Uif])?;
                self.enter(Else)
            }
            Endif => self.leave(opcode, &[If, Uif, Else]),
            Endloop => self.leave(opcode, &[Bgnloop]),
            Endswitch => self.leave(opcode, &[Switch]),
            Endsub => self.leave(opcode, &[Bgnsub]),
            Case | Default if self.beyond == 0 && self.open.last() != Some(&Switch) => unmatched,
            Brk if !self.is_inside(&[Bgnloop, Switch]) => unmatched,
            Cont if !self.is_inside(&[Bgnloop]) => unmatched,
            _ => Ok(()),
        }
    }

    /// Reports a block that is still open at the end of the shader.
    pub(super) fn finish(&self) -> Result<(), Rule> {
        match self.open.last() {
            Some(&opcode) => Err(Rule::Unclosed { opcode }),
            None => Ok(()),
        }
    }

    fn enter(&mut self, opcode: Opcode) -> Result<(), Rule> {
        if self.beyond == 0 && self.open.push(opcode).is_ok() {
            return Ok(());
        }
        self.beyond = self.beyond.saturating_add(1);
        Err(Rule::TooDeep)
    }

    fn leave(&mut self, opcode: Opcode, openers: &[Opcode]) -> Result<(), Rule> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return Ok(());
        }
        match self.open.last() {
            Some(last) if openers.contains(last) => {
                self.open.pop();
                Ok(())
            }
            _ => Err(Rule::Unmatched { opcode }),
        }
    }

    fn is_inside(&self, openers: &[Opcode]) -> bool {
        self.beyond > 0 || self.open.iter().any(|open| openers.contains(open))
    }
}

/// Checks the target of a call.
pub(super) fn call(shader: &Shader<'_>, instruction: &Instruction) -> Option<Rule> {
    if instruction.opcode != Opcode::Cal {
        return None;
    }
    let label = instruction.label.and_then(|label| usize::try_from(label).ok());
    let target = label.and_then(|label| shader.instructions().get(label));
    match target {
        Some(target) if target.opcode == Opcode::Bgnsub => None,
        _ => Some(Rule::CallTarget),
    }
}
