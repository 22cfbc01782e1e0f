//! Phis: what lanes take with them that leave a loop, switch or subroutine early.

use super::Frame;
use super::structure::{block_end, subroutine};
use crate::compile::graph::{Node, NodeKind, Value};
use crate::compile::{CompileError, Lower, MAX_CALL_DEPTH};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::register::File;
use crate::shader::Instruction;
use os_shim::Vec;

impl Lower<'_, '_> {
    /// Makes a phi of each variable that is written from instruction `from` to the end of the
    /// block there.
    pub(super) fn add_phis(
        &mut self,
        instructions: &[Instruction],
        from: usize,
    ) -> Result<(), CompileError> {
        let start = self.phis.len();
        let mark = self.variables.new_mark();
        let mut calls = Calls::default();
        self.add_written(instructions, from, mark, &mut calls, 0)?;
        for at in start..self.phis.len() {
            let Some(&(variable, _)) = self.phis.get(at) else { break };
            let initial = self.value_of(variable)?;
            let operands = [initial, Value::NONE, Value::NONE];
            let phi = self.graph.push(Node::new(NodeKind::Phi, OpCode::Mov, 0, operands))?;
            if let Some(slot) = self.phis.get_mut(at) {
                slot.1 = phi;
            }
        }
        Ok(())
    }

    fn add_written(
        &mut self,
        instructions: &[Instruction],
        from: usize,
        mark: u32,
        calls: &mut Calls,
        depth: usize,
    ) -> Result<(), CompileError> {
        if depth > MAX_CALL_DEPTH {
            return Err(self.too_deep());
        }
        let end = block_end(instructions, from);
        for instruction in instructions.get(from..end).unwrap_or(&[]) {
            for dst in instruction.dsts() {
                let direct = dst.indirect.is_none() && self.array_of(dst.file, dst.index).is_none();
                if !direct || dst.file == File::Null {
                    continue;
                }
                for component in dst.mask.components() {
                    let variable = self.variable(dst.file, dst.index, component);
                    if let Some(variable) = variable.filter(|&it| self.variables.mark(it, mark)) {
                        self.phis.try_push((variable, Value::NONE))?;
                    }
                }
            }
            if instruction.opcode == Opcode::Cal {
                let target = subroutine(instructions, instruction).ok_or(self.bad_nesting())?;
                if calls.add(target) {
                    self.add_written(instructions, target + 1, mark, calls, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Moves the variables of the lanes that run into a frame's phis.
    pub(super) fn update_phis(&mut self, frame: &Frame) -> Result<(), CompileError> {
        // A phi that becomes another's value is copied first: it may be overwritten before.
        let mut copies: Vec<'_, (Value, Value)> = Vec::new_in(self.memory);
        for copying in [true, false] {
            for at in frame.phis..frame.phis_end {
                let Some(&(variable, phi)) = self.phis.get(at) else { break };
                let value = self.value_of(variable)?;
                if value == phi {
                    continue;
                }
                let known = copies.iter().find(|copy| copy.0 == value).map(|copy| copy.1);
                if !copying {
                    let operands = [known.unwrap_or(value), phi, Value::NONE];
                    self.graph.effect(OpCode::Update, 0, operands)?;
                } else if known.is_none() && self.is_phi_of(frame, value) {
                    let operands = [value, Value::NONE, Value::NONE];
                    copies.try_push((value, self.graph.effect(OpCode::Mov, 0, operands)?))?;
                }
            }
        }
        Ok(())
    }

    fn is_phi_of(&self, frame: &Frame, value: Value) -> bool {
        let is_phi = self.graph.node(value).is_some_and(|node| node.kind == NodeKind::Phi);
        let own = self.phis.get(frame.phis..frame.phis_end).unwrap_or(&[]);
        is_phi && own.iter().any(|&(_, phi)| phi == value)
    }

    /// Ends a frame with phis: outside, they are what its variables are.
    pub(super) fn take_phis(&mut self, frame: &Frame) -> Result<(), CompileError> {
        self.variables.undo(frame.level);
        self.graph.close_scope(frame.scope);
        self.pop_frame();
        while self.phis.len() > frame.phis {
            let Some((variable, phi)) = self.phis.pop() else { break };
            self.variables.set(variable, phi)?;
        }
        self.reachable = true;
        Ok(())
    }
}

/// Subroutines seen, to look into each once.
#[derive(Default)]
struct Calls {
    targets: heapless::Vec<usize, 64>,
}

impl Calls {
    /// Whether it is new. When the list is full everything is.
    fn add(&mut self, target: usize) -> bool {
        !self.targets.contains(&target) && {
            self.targets.push(target).ok();
            true
        }
    }
}
