//! Branches: both sides are computed, and where they meet, each value is chosen by mask.

use super::{Frame, FrameKind};
use crate::compile::graph::{Node, NodeKind, Value};
use crate::compile::{CompileError, Lower};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::shader::Instruction;

/// Branches of at most this cost are flattened: all lanes compute them, without masks.
const FLATTEN_COST: usize = 12;

impl Lower<'_, '_> {
    pub(super) fn begin_if(
        &mut self,
        instruction: &Instruction,
        at: usize,
    ) -> Result<usize, CompileError> {
        let condition = self.source(instruction, 0, 0)?;
        let float = instruction.opcode == Opcode::If;
        if let Some(bits) = self.graph.constant_bits(condition).filter(|_| self.optimize) {
            self.push_frame(FrameKind::Static)?;
            let taken = if float { bits << 1 != 0 } else { bits != 0 };
            if taken {
                return Ok(at + 1);
            }
            let next = self.skip(at + 1)?;
            let has_else =
                self.shader.instructions().get(next).is_some_and(|it| it.opcode == Opcode::Else);
            return Ok(if has_else { next + 1 } else { next });
        }
        let saved = self.mask_row()?;
        let code = if float { OpCode::If } else { OpCode::IfBits };
        let node = self.effect(code, [condition, saved, Value::NONE])?;
        self.push_frame(FrameKind::If)?;
        let frame = self.top(|kind| kind == FrameKind::If)?;
        self.put(Frame { node, saved, lanes: node, condition, ..frame });
        Ok(at + 1)
    }

    pub(super) fn begin_else(&mut self, at: usize) -> Result<usize, CompileError> {
        let mut frame = self.top(|kind| matches!(kind, FrameKind::If | FrameKind::Static))?;
        if frame.kind == FrameKind::Static {
            // The condition is known and the first branch was compiled, so skip this one.
            return self.skip(at + 1);
        }
        if frame.otherwise.is_some() {
            return Err(self.bad_nesting());
        }
        frame.otherwise = self.effect(OpCode::Else, [frame.lanes, frame.saved, Value::NONE])?;
        self.set_target(frame.node, frame.otherwise);
        self.finish_branch(&mut frame)?;
        self.put(frame);
        Ok(at + 1)
    }

    /// Saves the variables' values after the first branch, and restores their values from before
    /// it.
    fn finish_branch(&mut self, frame: &mut Frame) -> Result<(), CompileError> {
        self.charge(self.variables.changed_count(frame.level))?;
        for at in 0..self.variables.changed_count(frame.level) {
            if let Some((variable, _)) = self.variables.change(frame.level, at) {
                self.branches.try_push((variable, self.variables.get(variable)))?;
            }
        }
        self.variables.undo(frame.level);
        frame.level = self.variables.enter();
        self.graph.close_scope(frame.scope);
        frame.then_reachable = self.reachable;
        self.reachable = true;
        Ok(())
    }

    pub(super) fn end_if(&mut self) -> Result<(), CompileError> {
        let mut frame = self.top(|kind| matches!(kind, FrameKind::If | FrameKind::Static))?;
        if frame.kind == FrameKind::Static {
            self.pop_frame();
            return Ok(());
        }
        if !frame.otherwise.is_some() {
            self.finish_branch(&mut frame)?;
        }
        let else_reachable = self.reachable;
        let both = frame.then_reachable && else_reachable;
        let mut choice = (OpCode::Select, frame.lanes);
        if both && !frame.left && self.optimize && self.is_cheap(frame.node) {
            choice = (OpCode::Ucmp, self.flatten(&frame)?);
        } else {
            let end = self.effect(OpCode::EndIf, [frame.saved, Value::NONE, Value::NONE])?;
            let before = if frame.otherwise.is_some() { frame.otherwise } else { frame.node };
            self.set_target(before, end);
            self.jump_on_when_left(&frame, end);
        }
        self.graph.close_scope(frame.scope);
        self.merge(&frame, choice, else_reachable)?;
        self.reachable = frame.then_reachable || else_reachable;
        self.pop_frame();
        Ok(())
    }

    /// Sets each variable that a branch changed to a choice between its values after the two
    /// branches.
    fn merge(
        &mut self,
        frame: &Frame,
        choice: (OpCode, Value),
        else_reachable: bool,
    ) -> Result<(), CompileError> {
        let choose = |lower: &mut Self, first: Value, second: Value| {
            if !frame.then_reachable || first == second {
                return Ok(second);
            }
            if !else_reachable {
                return Ok(first);
            }
            let operands = [choice.1, lower.defined(first)?, lower.defined(second)?];
            match choice.0 {
                OpCode::Ucmp => lower.graph.ternary(OpCode::Ucmp, operands),
                code => lower.graph.op(code, 0, operands),
            }
        };
        let (first, second) = (self.branches.len(), self.variables.changed_count(frame.level));
        self.charge(first - frame.branches + second)?;
        let mark = self.variables.new_mark();
        for at in frame.branches..self.branches.len() {
            let Some(&(variable, first)) = self.branches.get(at) else { break };
            self.variables.mark(variable, mark);
            let merged = choose(self, first, self.variables.get(variable))?;
            if let Some(slot) = self.branches.get_mut(at) {
                slot.1 = merged;
            }
        }
        for at in 0..self.variables.changed_count(frame.level) {
            let Some((variable, before)) = self.variables.change(frame.level, at) else { break };
            if self.variables.mark(variable, mark) {
                let merged = choose(self, before, self.variables.get(variable))?;
                self.branches.try_push((variable, merged))?;
            }
        }
        self.variables.undo(frame.level);
        while self.branches.len() > frame.branches {
            let Some((variable, merged)) = self.branches.pop() else { break };
            if self.variables.get(variable) != merged {
                self.variables.set(variable, merged)?;
            }
        }
        Ok(())
    }

    /// Returns true if computing the nodes after `from` in all lanes costs less than the branch
    /// around them.
    fn is_cheap(&self, from: Value) -> bool {
        let since = self.graph.nodes.get(from.index() + 1..).unwrap_or(&[]);
        let mut cost = 0;
        for node in since {
            self.graph.steps.note(1);
            let part_of_branch = node.kind == NodeKind::Op && node.code == OpCode::Else;
            if !node.is_pure() && !part_of_branch {
                return false;
            }
            cost += match node.code {
                _ if node.uniform || node.kind != NodeKind::Op => 0,
                OpCode::Pow | OpCode::Fma | OpCode::Idiv | OpCode::Imod => FLATTEN_COST,
                OpCode::Exp2 | OpCode::Log2 | OpCode::Sin | OpCode::Cos => 6,
                OpCode::Udiv | OpCode::Umod => 6,
                _ => 1,
            };
            if cost > FLATTEN_COST {
                return false;
            }
        }
        true
    }

    /// Removes the branch; returns the condition as a mask of bits.
    fn flatten(&mut self, frame: &Frame) -> Result<Value, CompileError> {
        let float = self.graph.node(frame.node).is_some_and(|node| node.code == OpCode::If);
        for node in [frame.node, frame.otherwise] {
            if let Some(node) = self.graph.nodes.get_mut(node.index()) {
                *node = Node::new(NodeKind::Nop, OpCode::Mov, 0, [Value::NONE; 3]);
            }
        }
        if !float {
            return Ok(frame.condition);
        }
        let magnitude = self.graph.constant(0x7FFF_FFFF)?;
        self.graph.binary(OpCode::And, frame.condition, magnitude)
    }

    /// After lanes have left from a branch directly inside a loop, jumps to the loop's end if no
    /// lane is left to run the rest.
    fn jump_on_when_left(&mut self, frame: &Frame, end: Value) {
        let outer = self.frames.len().checked_sub(2).and_then(|at| self.frames.get_mut(at));
        if let Some(outer) = outer.filter(|outer| frame.left && outer.kind == FrameKind::Loop) {
            // Chain these jumps through their targets; the loop's end resolves them.
            let earlier = outer.otherwise;
            outer.otherwise = end;
            self.set_target(end, earlier);
        }
    }
}
