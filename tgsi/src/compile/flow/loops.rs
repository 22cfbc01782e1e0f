//! Loops: the lanes that have not left run the next turn.

use super::{Frame, FrameKind};
use crate::compile::graph::Value;
use crate::compile::{CompileError, Lower};
use crate::exec::OpCode;

impl Lower<'_, '_> {
    pub(super) fn begin_loop(&mut self, at: usize) -> Result<(), CompileError> {
        let phis = self.phis.len();
        self.add_phis(at + 1)?;
        let (lanes, saved) = (self.mask_row()?, self.mask_row()?);
        let node = self.effect(OpCode::Loop, [lanes, saved, Value::NONE])?;
        self.push_frame(FrameKind::Loop)?;
        let frame = self.top(|kind| kind == FrameKind::Loop)?;
        self.put(Frame { node, lanes, saved, phis, ..frame });
        for at in phis..self.phis.len() {
            if let Some(&(variable, phi)) = self.phis.get(at) {
                self.variables.set(variable, phi)?;
            }
        }
        Ok(())
    }

    pub(super) fn end_loop(&mut self) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Loop)?;
        if self.reachable {
            self.update_phis(&frame)?;
        }
        let end = self.effect(OpCode::EndLoop, [frame.lanes, frame.saved, Value::NONE])?;
        self.set_target(end, frame.node);
        self.set_target(frame.node, end);
        let mut jump = frame.otherwise;
        while jump.is_some() {
            let next = self.graph.node(jump).map_or(Value::NONE, |node| node.target);
            self.set_target(jump, end);
            jump = next;
        }
        self.take_phis(&frame)
    }

    pub(super) fn break_out(&mut self) -> Result<(), CompileError> {
        let out = |kind| matches!(kind, FrameKind::Loop | FrameKind::Switch);
        let at = self.enclosing(out)?;
        self.leave_to(at)?;
        let frame = self.frames.get(at).copied();
        if let Some(frame) = frame.filter(|frame| frame.kind == FrameKind::Loop) {
            self.effect(OpCode::Leave, [frame.lanes, Value::NONE, Value::NONE])?;
        }
        Ok(())
    }
}
