//! Phis: they hold the variables of lanes that leave a loop, switch or subroutine early.

use super::Frame;
use crate::compile::graph::{Node, NodeKind, Value};
use crate::compile::{CompileError, Lower, MAX_CALL_DEPTH};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::register::File;

impl Lower<'_, '_> {
    /// Adds a phi for each variable written between instruction `from` and the end of the block
    /// that contains it.
    pub(super) fn add_phis(&mut self, from: usize) -> Result<(), CompileError> {
        let start = self.phis.len();
        let mark = self.variables.new_mark();
        self.add_written(from, mark, 0)?;
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

    /// Notes the variables that a block writes, and follows the subroutines it calls. Variables and
    /// subroutines that carry `mark` were noted before and are skipped.
    fn add_written(&mut self, from: usize, mark: u32, depth: usize) -> Result<(), CompileError> {
        if depth > MAX_CALL_DEPTH {
            return Err(self.too_deep(MAX_CALL_DEPTH));
        }
        let end = self.block_end(from)?;
        let shader = self.shader;
        for instruction in shader.instructions().get(from..end).unwrap_or(&[]) {
            self.charge(1)?;
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
                let target = self.subroutines.called(instruction).ok_or(self.bad_nesting())?;
                if self.subroutines.mark(target, mark) {
                    self.add_written(target.begin as usize + 1, mark, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Moves the variables of the running lanes into a frame's phis.
    ///
    /// A phi that is the new value of another phi may be overwritten before it is read, so it is
    /// copied first. During the moves, the phi's `target` names its copy.
    pub(super) fn update_phis(&mut self, frame: &Frame) -> Result<(), CompileError> {
        self.charge(3 * (frame.phis_end - frame.phis))?;
        for at in frame.phis..frame.phis_end {
            let Some(&(variable, phi)) = self.phis.get(at) else { break };
            let value = self.value_of(variable)?;
            if value != phi && self.is_phi_of(frame, value) && !self.copy_of(value).is_some() {
                let copy = self.effect(OpCode::Mov, [value, Value::NONE, Value::NONE])?;
                self.set_target(value, copy);
            }
        }
        for at in frame.phis..frame.phis_end {
            let Some(&(variable, phi)) = self.phis.get(at) else { break };
            let mut value = self.value_of(variable)?;
            if value == phi {
                continue;
            }
            if self.is_phi_of(frame, value) {
                value = self.copy_of(value);
            }
            self.effect(OpCode::Update, [value, phi, Value::NONE])?;
        }
        for at in frame.phis..frame.phis_end {
            let Some(&(_, phi)) = self.phis.get(at) else { break };
            self.set_target(phi, Value::NONE);
        }
        Ok(())
    }

    fn copy_of(&self, phi: Value) -> Value {
        self.graph.node(phi).map_or(Value::NONE, |node| node.target)
    }

    /// Returns true if a value is one of the frame's phis, which have consecutive nodes.
    fn is_phi_of(&self, frame: &Frame, value: Value) -> bool {
        let is_phi = self.graph.node(value).is_some_and(|node| node.kind == NodeKind::Phi);
        let own = self.phis.get(frame.phis..frame.phis_end).unwrap_or(&[]);
        let (Some(&(_, first)), Some(&(_, last))) = (own.first(), own.last()) else { return false };
        is_phi && (first..=last).contains(&value)
    }

    /// Ends a frame with phis: from here on its variables have the values of the phis.
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
