//! Control flow: branches, loops, switches, subroutines.
//!
//! Lanes that part are told apart by masks. What a branch computes is computed for all lanes, as
//! values of its own; where branches meet, each changed variable becomes a choice by mask. Lanes that leave
//! a loop, switch or subroutine early take their variables with them into *phis*, variables that are written
//! under the execution mask; so do all lanes at the end of a turn.
//!
//! ```text
//! IF c      S := exec, T := exec := exec where c        (If)      x₁ …
//! ELSE      exec := S without T                         (Else)    x₂ …
//! ENDIF     exec := S                                   (EndIf)   x := T ? x₁ : x₂
//! ```
//! A lane that leaves is taken out of every mask between it and where it goes, so that nothing
//! there brings it back. Branches are matched by structure; labels are not looked at.

use super::graph::{Kind, Node, Value};
use super::variables::Level;
use super::{CompileError, Lower, MAX_CALL_DEPTH, MAX_NESTING};
use crate::exec::OpCode;
use crate::opcode::Opcode;
use crate::program::Uses;
use crate::register::File;
use crate::shader::Instruction;
use os_shim::Vec;

/// Branches of at most this cost are computed by all lanes, without masks.
const FLATTEN_COST: usize = 12;
/// Instructions walked at most, calls inlined.
const MAX_STEPS: usize = 1 << 20;

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    /// A branch whose condition is known: only one side is compiled.
    Static,
    /// A branch.
    If,
    /// A loop.
    Loop,
    /// A switch.
    Switch,
    /// A subroutine, or the whole shader. With phis if lanes return early.
    Function { masked: bool },
}

/// One level of nesting.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    kind: FrameKind,
    /// The `If`, `Loop` or last `Case` node; jumps to be set.
    node: Value,
    /// The mask to go back to.
    saved: Value,
    /// `If`: lanes of the first branch (the node). `Loop`: lanes still in it. `Switch`: lanes that
    /// matched nothing so far.
    lanes: Value,
    /// `Switch`: lanes for `DEFAULT`.
    others: Value,
    /// `If`: the condition. `Switch`: the selector.
    condition: Value,
    /// The `Else` node.
    otherwise: Value,
    level: Level,
    scope: usize,
    /// Its part of `phis`.
    phis: usize,
    phis_end: usize,
    /// Where its part of `branches` begins.
    branches: usize,
    /// Whether lanes come out of the first branch.
    then_reachable: bool,
    /// Whether lanes leave from inside.
    left: bool,
    /// Where a subroutine was called.
    return_to: usize,
}

impl Lower<'_, '_> {
    /// Walks the shader.
    pub(super) fn run(&mut self) -> Result<(), CompileError> {
        let shader = self.shader;
        let instructions = shader.instructions();
        let masked = returns_early(instructions, 0);
        self.enter_function(masked, 0, instructions.len())?;
        let mut at = 0;
        let mut steps = 0;
        while let Some(instruction) = instructions.get(at) {
            (self.opcode, self.position) = (instruction.opcode, instruction.position);
            steps += 1;
            if steps > MAX_STEPS {
                return Err(CompileError::TooLarge);
            }
            at = self.step(instructions, instruction, at)?;
        }
        // A shader without END ends where its text does.
        match self.frames.len() {
            0 => Ok(()),
            1 => self.leave_function().map(drop),
            _ => Err(self.bad_nesting()),
        }
    }

    /// Does one instruction; returns the index of the next.
    fn step(
        &mut self,
        instructions: &[Instruction],
        instruction: &Instruction,
        at: usize,
    ) -> Result<usize, CompileError> {
        let structural = matches!(
            instruction.opcode,
            Opcode::Else
                | Opcode::Endif
                | Opcode::Endloop
                | Opcode::Case
                | Opcode::Default
                | Opcode::Endswitch
                | Opcode::Endsub
                | Opcode::End
        );
        if !self.reachable && !structural {
            return Ok(skip(instructions, at));
        }
        match instruction.opcode {
            Opcode::If | Opcode::Uif => return self.begin_if(instructions, instruction, at),
            Opcode::Else => return self.begin_else(instructions, at),
            Opcode::Endif => self.end_if()?,
            Opcode::Bgnloop => self.begin_loop(instructions, at)?,
            Opcode::Endloop => self.end_loop()?,
            Opcode::Brk => self.break_out()?,
            Opcode::Cont => {
                let at = self.enclosing(|kind| kind == FrameKind::Loop)?;
                self.leave_to(at)?;
            }
            Opcode::Switch => self.begin_switch(instructions, instruction, at)?,
            Opcode::Case => self.begin_case(instruction)?,
            Opcode::Default => self.begin_default()?,
            Opcode::Endswitch => self.end_switch()?,
            Opcode::Cal => return self.call(instructions, instruction, at),
            Opcode::Ret => return self.ret(at),
            Opcode::Endsub => {
                if self.frames.len() < 2 {
                    return Err(self.bad_nesting());
                }
                return self.leave_function();
            }
            Opcode::End => {
                if self.frames.len() != 1 {
                    return Err(self.bad_nesting());
                }
                self.leave_function()?;
                return Ok(instructions.len());
            }
            // A subroutine is entered by CAL alone.
            Opcode::Bgnsub => return Err(self.bad_nesting()),
            _ => {
                let done = self.texture(instruction)?
                    || self.wide(instruction)?
                    || self.memory(instruction)?
                    || self.stage(instruction)?;
                if !done {
                    self.arithmetic(instruction)?;
                }
            }
        }
        Ok(at + 1)
    }

    fn push_frame(&mut self, kind: FrameKind) -> Result<(), CompileError> {
        if self.frames.len() >= MAX_NESTING {
            return Err(self.too_deep());
        }
        if !matches!(kind, FrameKind::Static | FrameKind::Function { masked: false }) {
            self.uses |= Uses::CONTROL_FLOW;
        }
        let frame = Frame {
            kind,
            node: Value::NONE,
            saved: Value::NONE,
            lanes: Value::NONE,
            others: Value::NONE,
            condition: Value::NONE,
            otherwise: Value::NONE,
            level: self.variables.enter(),
            scope: self.graph.open_scope(),
            phis: self.phis.len(),
            phis_end: self.phis.len(),
            branches: self.branches.len(),
            then_reachable: true,
            left: false,
            return_to: 0,
        };
        // Levels that nothing goes back to are left at once.
        if matches!(kind, FrameKind::Static | FrameKind::Function { masked: false }) {
            self.variables.undo(frame.level);
        }
        self.frames.try_push(frame)?;
        Ok(())
    }

    /// The innermost frame, if it is of this kind.
    fn top(&mut self, is: impl Fn(FrameKind) -> bool) -> Result<Frame, CompileError> {
        match self.frames.last() {
            Some(frame) if is(frame.kind) => Ok(*frame),
            _ => Err(self.bad_nesting()),
        }
    }

    /// Puts the innermost frame back after a change.
    fn put(&mut self, frame: Frame) {
        if let Some(slot) = self.frames.last_mut() {
            *slot = frame;
        }
    }

    fn pop_frame(&mut self) {
        self.frames.pop();
    }

    /// The index of the innermost frame of a kind, within the present function.
    fn enclosing(&self, is: impl Fn(FrameKind) -> bool) -> Result<usize, CompileError> {
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if is(frame.kind) {
                return Ok(at);
            }
            if matches!(frame.kind, FrameKind::Function { .. }) {
                break;
            }
        }
        Err(self.bad_nesting())
    }

    fn mask_row(&mut self) -> Result<Value, CompileError> {
        self.graph.source(Kind::MaskRow, 0, 0)
    }

    fn set_target(&mut self, node: Value, target: Value) {
        if let Some(node) = self.graph.nodes.get_mut(node.index()) {
            node.target = target;
        }
    }

    /// The value of a variable; 0 if it was never written.
    fn value_of(&mut self, variable: u32) -> Result<Value, CompileError> {
        self.defined(self.variables.get(variable))
    }

    fn defined(&mut self, value: Value) -> Result<Value, CompileError> {
        if value.is_some() { Ok(value) } else { self.graph.constant(0) }
    }

    // Branches.

    fn begin_if(
        &mut self,
        instructions: &[Instruction],
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
            let next = skip(instructions, at + 1);
            let has_else = instructions.get(next).is_some_and(|it| it.opcode == Opcode::Else);
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

    fn begin_else(
        &mut self,
        instructions: &[Instruction],
        at: usize,
    ) -> Result<usize, CompileError> {
        let mut frame = self.top(|kind| matches!(kind, FrameKind::If | FrameKind::Static))?;
        if frame.kind == FrameKind::Static {
            // The first branch was the one.
            return Ok(skip(instructions, at + 1));
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

    /// Notes what the first branch made of the variables, and starts the second from before it.
    fn finish_branch(&mut self, frame: &mut Frame) -> Result<(), CompileError> {
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

    fn end_if(&mut self) -> Result<(), CompileError> {
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

    /// Makes every variable that a branch changed the choice of what the two made of it.
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

    /// Whether what was computed since `from` may as well be computed by all lanes.
    fn is_cheap(&self, from: Value) -> bool {
        let since = self.graph.nodes.get(from.index() + 1..).unwrap_or(&[]);
        let mut cost = 0;
        for node in since {
            let part_of_branch = node.kind == Kind::Op && node.code == OpCode::Else;
            if !node.is_pure() && !part_of_branch {
                return false;
            }
            cost += match node.code {
                _ if node.uniform || node.kind != Kind::Op => 0,
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

    /// Takes the branch out; returns the condition by bits.
    fn flatten(&mut self, frame: &Frame) -> Result<Value, CompileError> {
        let float = self.graph.node(frame.node).is_some_and(|node| node.code == OpCode::If);
        for node in [frame.node, frame.otherwise] {
            if let Some(node) = self.graph.nodes.get_mut(node.index()) {
                *node = Node::new(Kind::Nop, OpCode::Mov, 0, [Value::NONE; 3]);
            }
        }
        if !float {
            return Ok(frame.condition);
        }
        let magnitude = self.graph.constant(0x7FFF_FFFF)?;
        self.graph.binary(OpCode::And, frame.condition, magnitude)
    }

    /// After lanes have left from a branch directly in a loop, goes to the loop's end if none is
    /// left to run the rest.
    fn jump_on_when_left(&mut self, frame: &Frame, end: Value) {
        let outer = self.frames.len().checked_sub(2).and_then(|at| self.frames.get_mut(at));
        if let Some(outer) = outer.filter(|outer| frame.left && outer.kind == FrameKind::Loop) {
            // A chain through the targets, set when the loop ends.
            let earlier = outer.otherwise;
            outer.otherwise = end;
            self.set_target(end, earlier);
        }
    }

    // Loops.

    fn begin_loop(&mut self, instructions: &[Instruction], at: usize) -> Result<(), CompileError> {
        let phis = self.phis.len();
        self.add_phis(instructions, at + 1)?;
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

    fn end_loop(&mut self) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Loop)?;
        if self.reachable {
            self.update_phis(&frame)?;
        }
        let end = self.effect(OpCode::EndLoop, [frame.lanes, frame.saved, Value::NONE])?;
        self.set_target(end, frame.node);
        let mut jump = frame.otherwise;
        while jump.is_some() {
            let next = self.graph.node(jump).map_or(Value::NONE, |node| node.target);
            self.set_target(jump, end);
            jump = next;
        }
        self.take_phis(&frame)
    }

    fn break_out(&mut self) -> Result<(), CompileError> {
        let out = |kind| matches!(kind, FrameKind::Loop | FrameKind::Switch);
        let at = self.enclosing(out)?;
        self.leave_to(at)?;
        let frame = self.frames.get(at).copied();
        if let Some(frame) = frame.filter(|frame| frame.kind == FrameKind::Loop) {
            self.effect(OpCode::Leave, [frame.lanes, Value::NONE, Value::NONE])?;
        }
        Ok(())
    }

    /// Takes the lanes that run out of everything inside frame `at`, with their variables.
    fn leave_to(&mut self, at: usize) -> Result<(), CompileError> {
        let Some(target) = self.frames.get(at).copied() else { return Err(self.bad_nesting()) };
        self.update_phis(&target)?;
        for inner in (at + 1..self.frames.len()).rev() {
            let Some(frame) = self.frames.get_mut(inner) else { break };
            frame.left = true;
            let masks = match frame.kind {
                FrameKind::Static => [Value::NONE; 3],
                FrameKind::If => [frame.saved, Value::NONE, Value::NONE],
                _ => [frame.saved, frame.lanes, frame.others],
            };
            for mask in masks.into_iter().filter(|mask| mask.is_some()) {
                self.effect(OpCode::Leave, [mask, Value::NONE, Value::NONE])?;
            }
        }
        self.reachable = false;
        Ok(())
    }

    // Phis.

    /// Makes a phi of each variable that is written from instruction `from` to the end of the
    /// block there.
    fn add_phis(&mut self, instructions: &[Instruction], from: usize) -> Result<(), CompileError> {
        let start = self.phis.len();
        let mark = self.variables.new_mark();
        let mut calls = Calls::default();
        self.add_written(instructions, from, mark, &mut calls, 0)?;
        for at in start..self.phis.len() {
            let Some(&(variable, _)) = self.phis.get(at) else { break };
            let initial = self.value_of(variable)?;
            let operands = [initial, Value::NONE, Value::NONE];
            let phi = self.graph.push(Node::new(Kind::Phi, OpCode::Mov, 0, operands))?;
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
    fn update_phis(&mut self, frame: &Frame) -> Result<(), CompileError> {
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
        let is_phi = self.graph.node(value).is_some_and(|node| node.kind == Kind::Phi);
        let own = self.phis.get(frame.phis..frame.phis_end).unwrap_or(&[]);
        is_phi && own.iter().any(|&(_, phi)| phi == value)
    }

    /// Ends a frame with phis: outside, they are what its variables are.
    fn take_phis(&mut self, frame: &Frame) -> Result<(), CompileError> {
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

    // Switches.

    fn begin_switch(
        &mut self,
        instructions: &[Instruction],
        instruction: &Instruction,
        at: usize,
    ) -> Result<(), CompileError> {
        let condition = self.source(instruction, 0, 0)?;
        let phis = self.phis.len();
        self.add_phis(instructions, at + 1)?;
        let (saved, lanes) = (self.mask_row()?, self.mask_row()?);
        self.effect(OpCode::Save, [saved, Value::NONE, Value::NONE])?;
        self.effect(OpCode::Save, [lanes, Value::NONE, Value::NONE])?;
        let others = self.other_lanes(instructions, condition, at + 1)?;
        self.push_frame(FrameKind::Switch)?;
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.put(Frame { saved, lanes, others, condition, phis, ..frame });
        self.reachable = false;
        Ok(())
    }

    /// The mask of the lanes that match no case, if there is a `DEFAULT`.
    fn other_lanes(
        &mut self,
        instructions: &[Instruction],
        selector: Value,
        from: usize,
    ) -> Result<Value, CompileError> {
        let end = block_end(instructions, from);
        let body = instructions.get(from..end).unwrap_or(&[]);
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

    fn begin_case(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.before_case()?;
        let value = self.source(instruction, 0, 0)?;
        let node = self.effect(OpCode::Case, [frame.condition, value, frame.lanes])?;
        self.enter_case(frame, node, node)
    }

    fn begin_default(&mut self) -> Result<(), CompileError> {
        let frame = self.top(|kind| kind == FrameKind::Switch)?;
        self.before_case()?;
        if !frame.others.is_some() {
            return Err(self.bad_nesting());
        }
        let node = self.effect(OpCode::Default, [frame.others, Value::NONE, Value::NONE])?;
        self.enter_case(frame, node, frame.others)
    }

    /// Lanes that left the case before do not fall through.
    fn before_case(&mut self) -> Result<(), CompileError> {
        if !self.reachable {
            self.effect(OpCode::Nobody, [Value::NONE; 3])?;
        }
        Ok(())
    }

    /// Lanes of `matching` come with the variables of before the switch, the others fall through.
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

    fn end_switch(&mut self) -> Result<(), CompileError> {
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

    // Subroutines.

    /// * `at`: the first instruction of the body.
    fn enter_function(
        &mut self,
        masked: bool,
        at: usize,
        return_to: usize,
    ) -> Result<(), CompileError> {
        let shader = self.shader;
        let phis = self.phis.len();
        let mut saved = Value::NONE;
        if masked {
            self.add_phis(shader.instructions(), at)?;
            saved = self.mask_row()?;
            self.effect(OpCode::Save, [saved, Value::NONE, Value::NONE])?;
        }
        self.push_frame(FrameKind::Function { masked })?;
        let frame = self.top(|_| true)?;
        self.put(Frame { saved, phis, return_to, ..frame });
        Ok(())
    }

    /// Ends the innermost function; returns where it was called from.
    fn leave_function(&mut self) -> Result<usize, CompileError> {
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

    fn call(
        &mut self,
        instructions: &[Instruction],
        instruction: &Instruction,
        at: usize,
    ) -> Result<usize, CompileError> {
        let target = subroutine(instructions, instruction).ok_or(self.bad_nesting())?;
        let is_function = |frame: &&Frame| matches!(frame.kind, FrameKind::Function { .. });
        if self.frames.iter().filter(is_function).count() > MAX_CALL_DEPTH {
            return Err(self.too_deep());
        }
        let masked = returns_early(instructions, target + 1);
        self.enter_function(masked, target + 1, at + 1)?;
        Ok(target + 1)
    }

    fn ret(&mut self, at: usize) -> Result<usize, CompileError> {
        let is_function = |kind| matches!(kind, FrameKind::Function { .. });
        let function = self.enclosing(is_function)?;
        if function + 1 == self.frames.len() {
            return self.leave_function();
        }
        self.leave_to(function)?;
        Ok(at + 1)
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

/// What an instruction does to the depth of blocks.
fn nesting(opcode: Opcode) -> isize {
    match opcode {
        Opcode::If | Opcode::Uif | Opcode::Bgnloop | Opcode::Switch => 1,
        Opcode::Endif | Opcode::Endloop | Opcode::Endswitch => -1,
        _ => 0,
    }
}

/// The next instruction from `from` on that ends, or divides, the block there.
fn skip(instructions: &[Instruction], from: usize) -> usize {
    let mut depth = 0;
    for (at, instruction) in instructions.iter().enumerate().skip(from) {
        let boundary = matches!(
            instruction.opcode,
            Opcode::Else
                | Opcode::Endif
                | Opcode::Endloop
                | Opcode::Case
                | Opcode::Default
                | Opcode::Endswitch
        );
        let end = matches!(instruction.opcode, Opcode::Endsub | Opcode::End);
        if end || (depth == 0 && boundary) {
            return at;
        }
        depth += nesting(instruction.opcode);
    }
    instructions.len()
}

/// The instruction that ends the block that `from` is in: cases and the like included.
fn block_end(instructions: &[Instruction], from: usize) -> usize {
    let mut depth = 0;
    for (at, instruction) in instructions.iter().enumerate().skip(from) {
        depth += nesting(instruction.opcode);
        if depth < 0 || matches!(instruction.opcode, Opcode::Endsub | Opcode::End) {
            return at;
        }
    }
    instructions.len()
}

/// Whether some lanes may return from the function whose body begins at `from` before others.
fn returns_early(instructions: &[Instruction], from: usize) -> bool {
    let mut depth = 0;
    for instruction in instructions.iter().skip(from) {
        depth += nesting(instruction.opcode);
        match instruction.opcode {
            Opcode::Ret if depth > 0 => return true,
            Opcode::Endsub | Opcode::End => return false,
            _ => {}
        }
    }
    false
}

/// The `BGNSUB` a call names, or, as labels may be stale, the next.
fn subroutine(instructions: &[Instruction], call: &Instruction) -> Option<usize> {
    let label = call.label? as usize;
    let mut later = instructions.iter().enumerate().skip(label);
    later.find(|(_, instruction)| instruction.opcode == Opcode::Bgnsub).map(|(at, _)| at)
}
