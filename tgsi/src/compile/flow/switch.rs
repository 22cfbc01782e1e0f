//! Switches, compiled with a mask of the lanes that matched no case so far.

use super::{Frame, FrameKind};
use crate::compile::graph::Value;
use crate::compile::{CompileError, Lower};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::shader::Instruction;

impl Lower<'_, '_> {
    pub(super) fn begin_switch(
        &mut self,
        instruction: &Instruction,
        at: usize,
    ) -> Result<(), CompileError> {
        let condition = self.source(instruction, 0, 0)?;
        let phis = self.phis.len();
        self.add_phis(at + 1)?;
        let (saved, lanes) = (self.mask_row()?, self.mask_row()?);
        self.effect(OpCode::Save, [saved, Value::NONE, Value::NONE])?;
        self.effect(OpCode::Save, [lanes, Value::NONE, Value::NONE])?;
        let others = self.other_lanes(condition, at + 1)?;
        self.push_frame(FrameKind::Switch)?;
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.put(Frame { saved, lanes, others, condition, phis, ..frame });
        self.reachable = false;
        Ok(())
    }

    /// Computes the mask of the lanes that match no case, if there is a `DEFAULT`.
    fn other_lanes(&mut self, selector: Value, from: usize) -> Result<Value, CompileError> {
        let end = self.block_end(from)?;
        self.charge(2 * (end - from))?;
        let shader = self.shader;
        let body = shader.instructions().get(from..end).unwrap_or(&[]);
        let mut depth = 0usize;
        let mut own = |instruction: &&Instruction| {
            match instruction.opcode {
                Opcode::Switch => depth += 1,
                Opcode::Endswitch => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        };
        let mut others = Value::NONE;
        if !body.iter().filter(&mut own).any(|it| it.opcode == Opcode::Default) {
            return Ok(others);
        }
        others = self.mask_row()?;
        self.effect(OpCode::Save, [others, Value::NONE, Value::NONE])?;
        let mut depth = 0usize;
        for instruction in body {
            match instruction.opcode {
                Opcode::Switch => depth += 1,
                Opcode::Endswitch => depth = depth.saturating_sub(1),
                Opcode::Case if depth == 0 => {
                    let value = self.source(instruction, 0, 0)?;
                    self.effect(OpCode::NotCase, [selector, value, others])?;
                }
                _ => {}
            }
        }
        Ok(others)
    }

    pub(super) fn begin_case(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.before_case()?;
        let value = self.source(instruction, 0, 0)?;
        let node = self.effect(OpCode::Case, [frame.condition, value, frame.lanes])?;
        self.enter_case(frame, node, node)
    }

    pub(super) fn begin_default(&mut self) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.before_case()?;
        if !frame.others.is_some() {
            return Err(self.bad_nesting());
        }
        let node = self.effect(OpCode::Default, [frame.others, Value::NONE, Value::NONE])?;
        self.enter_case(frame, node, frame.others)
    }

    /// Keeps lanes that left the previous case from falling through.
    fn before_case(&mut self) -> Result<(), CompileError> {
        if !self.reachable {
            self.effect(OpCode::Nobody, [Value::NONE; 3])?;
        }
        Ok(())
    }

    /// Starts a case: lanes of `matching` start with the variables from before the switch; the
    /// remaining lanes fall through.
    fn enter_case(
        &mut self,
        mut frame: Frame,
        node: Value,
        matching: Value,
    ) -> Result<(), CompileError> {
        if frame.node.is_some() {
            self.set_target(frame.node, node);
        }
        frame.node = node;
        self.graph.close_scope(frame.scope);
        if self.reachable {
            self.charge(self.variables.changed_count(frame.level))?;
            for at in 0..self.variables.changed_count(frame.level) {
                let Some((variable, before)) = self.variables.change(frame.level, at) else {
                    break;
                };
                let present = self.variables.get(variable);
                if present != before {
                    let operands = [matching, self.defined(before)?, self.defined(present)?];
                    let merged = self.graph.op(OpCode::Select, 0, operands)?;
                    self.variables.set(variable, merged)?;
                }
            }
        } else {
            self.variables.undo(frame.level);
            frame.level = self.variables.enter();
        }
        self.put(frame);
        self.reachable = true;
        Ok(())
    }

    pub(super) fn end_switch(&mut self) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        if self.reachable {
            self.update_phis(&frame)?;
        }
        let end = self.effect(OpCode::EndIf, [frame.saved, Value::NONE, Value::NONE])?;
        if frame.node.is_some() {
            self.set_target(frame.node, end);
        }
        self.take_phis(&frame)
    }
}
