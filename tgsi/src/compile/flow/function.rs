//! Subroutines, inlined at their calls.

use super::{Frame, FrameKind};
use crate::compile::graph::Value;
use crate::compile::{CompileError, Lower, MAX_CALL_DEPTH};
use crate::exec::OpCode;
use crate::shader::Instruction;

impl Lower<'_, '_> {
    /// * `at`: the first instruction of the body.
    pub(super) fn enter_function(
        &mut self,
        masked: bool,
        at: usize,
        return_to: usize,
    ) -> Result<(), CompileError> {
        let phis = self.phis.len();
        let mut saved = Value::NONE;
        if masked {
            self.add_phis(at)?;
            saved = self.mask_row()?;
            self.effect(OpCode::Save, [saved, Value::NONE, Value::NONE])?;
        }
        self.push_frame(FrameKind::Function { masked })?;
        let frame = self.top(|_| true)?;
        self.put(Frame { saved, phis, return_to, ..frame });
        Ok(())
    }

    /// Ends the innermost function; returns the index to continue at.
    pub(super) fn leave_function(&mut self) -> Result<usize, CompileError> {
        let frame = self.top(|kind| matches!(kind, FrameKind::Function { .. }))?;
        if frame.kind == (FrameKind::Function { masked: true }) {
            if self.reachable {
                self.update_phis(&frame)?;
            }
            self.effect(OpCode::EndIf, [frame.saved, Value::NONE, Value::NONE])?;
            self.take_phis(&frame)?;
        } else {
            self.pop_frame();
        }
        Ok(frame.return_to)
    }

    pub(super) fn call(
        &mut self,
        instruction: &Instruction,
        at: usize,
    ) -> Result<usize, CompileError> {
        let target = self.subroutines.called(instruction).ok_or(self.bad_nesting())?;
        let is_function = |frame: &&Frame| matches!(frame.kind, FrameKind::Function { .. });
        self.charge(self.frames.len())?;
        if self.frames.iter().filter(is_function).count() > MAX_CALL_DEPTH {
            return Err(self.too_deep(MAX_CALL_DEPTH));
        }
        let body = target.begin as usize + 1;
        self.enter_function(target.returns_early, body, at + 1)?;
        Ok(body)
    }

    pub(super) fn ret(&mut self, at: usize) -> Result<usize, CompileError> {
        let is_function = |kind| matches!(kind, FrameKind::Function { .. });
        let function = self.enclosing(is_function)?;
        if function + 1 == self.frames.len() {
            return self.leave_function();
        }
        self.leave_to(function)?;
        Ok(at + 1)
    }
}
