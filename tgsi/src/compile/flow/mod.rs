//! Control flow: branches, loops, switches, subroutines.
//!
//! Masks separate lanes that take different branches. A branch is computed for all lanes, into new
//! values. At its end, each changed variable becomes a choice by mask. Lanes that leave a loop,
//! switch or subroutine early move their variables into *phis*: variables that are written under
//! the execution mask. All lanes do the same at the end of a turn.
//!
//! ```text
//! IF c      S := exec, T := exec := exec where c        (If)      x₁ …
//! ELSE      exec := S without T                         (Else)    x₂ …
//! ENDIF     exec := S                                   (EndIf)   x := T ? x₁ : x₂
//! ```
//! A lane that leaves is removed from every mask between it and its target, so that nothing in
//! between turns it on again. Branches are matched by structure; labels are ignored.

mod branch;
mod function;
mod loops;
mod phis;
mod structure;
mod switch;

use super::graph::{NodeKind, Value};
use super::steps::INSTRUCTION_STEPS;
use super::variables::Level;
use super::{CompileError, Lower, MAX_NESTING};
use crate::exec::OpCode;
use crate::exec::program::Uses;
use crate::opcode::{FlowOpcode, Kind};
use crate::shader::{Instruction, Processor};
pub(super) use structure::Subroutines;

/// The construct of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    /// A branch with a known condition: only one side is compiled.
    Static,
    /// A branch.
    If,
    /// A loop.
    Loop,
    /// A switch.
    Switch,
    /// A subroutine, or the whole shader. It has phis if lanes return early.
    Function { masked: bool },
}

/// One level of nesting.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    kind: FrameKind,
    /// The `If`, `Loop` or last `Case` node; its jump target is set later.
    node: Value,
    /// The mask to restore.
    saved: Value,
    /// `If`: lanes of the first branch (the node). `Loop`: lanes still in the loop. `Switch`: lanes
    /// that matched no case so far.
    lanes: Value,
    /// `Switch`: lanes for `DEFAULT`.
    others: Value,
    /// `If`: the condition. `Switch`: the selector.
    condition: Value,
    /// The `Else` node.
    otherwise: Value,
    level: Level,
    scope: usize,
    /// Its range of `phis`.
    phis: usize,
    phis_end: usize,
    /// The start of its range of `branches`.
    branches: usize,
    /// Some lanes reach the end of the first branch.
    then_reachable: bool,
    /// Some lanes leave from inside.
    left: bool,
    /// The index of the instruction after the call of a subroutine.
    return_to: usize,
}

impl Lower<'_, '_> {
    /// Compiles the shader from the instruction `entry` on: the program, or the subroutine that
    /// begins there.
    pub(super) fn run(&mut self, entry: u32) -> Result<(), CompileError> {
        let shader = self.shader;
        let instructions = shader.instructions();
        let (mut at, mut returns_early) = (0, self.subroutines.main_returns_early);
        let enters = matches!(shader.processor(), Processor::Compute);
        if let Some(subroutine) = self.subroutines.at(entry).filter(|_| enters) {
            (at, returns_early) = (subroutine.begin as usize + 1, subroutine.returns_early);
            self.is_subroutine = true;
        } else if entry != 0 {
            return Err(CompileError::Entry { entry });
        }
        self.enter_function(returns_early, at, instructions.len())?;
        while let Some(instruction) = instructions.get(at) {
            (self.opcode, self.position) = (instruction.opcode, instruction.position);
            self.graph.origin = at as u32;
            self.charge(INSTRUCTION_STEPS)?;
            at = self.step(instruction, at)?;
        }
        // A shader without END ends at the end of its text.
        match self.frames.len() {
            0 => Ok(()),
            1 => self.leave_function().map(drop),
            _ => Err(self.bad_nesting()),
        }
    }

    /// Compiles one instruction; returns the index of the next.
    fn step(&mut self, instruction: &Instruction, at: usize) -> Result<usize, CompileError> {
        let opcode = instruction.opcode;
        if !self.reachable && !structure::is_boundary(opcode) {
            return self.skip(at);
        }
        match opcode.kind() {
            Kind::Flow(flow) => return self.flow(flow, instruction, at),
            Kind::Arithmetic(opcode) => self.arithmetic(opcode, instruction)?,
            Kind::Wide(opcode) => self.wide(opcode, instruction)?,
            Kind::Texture(opcode) => self.texture(opcode, instruction)?,
            Kind::Sample(opcode) => self.sample(opcode, instruction)?,
            Kind::Memory(opcode) => self.memory(opcode, instruction)?,
            Kind::Stage(opcode) => self.stage(opcode, instruction)?,
            Kind::Lane(opcode) => self.lane(opcode, instruction)?,
        }
        Ok(at + 1)
    }

    /// Compiles one control-flow instruction; returns the index of the next.
    fn flow(
        &mut self,
        opcode: FlowOpcode,
        instruction: &Instruction,
        at: usize,
    ) -> Result<usize, CompileError> {
        match opcode {
            FlowOpcode::Nop => {}
            FlowOpcode::If | FlowOpcode::Uif => {
                return self.begin_if(instruction, at);
            }
            FlowOpcode::Else => return self.begin_else(at),
            FlowOpcode::Endif => self.end_if()?,
            FlowOpcode::Bgnloop => self.begin_loop(at)?,
            FlowOpcode::Endloop => self.end_loop()?,
            FlowOpcode::Brk => self.break_out()?,
            FlowOpcode::Cont => {
                let at = self.enclosing(|kind| kind == FrameKind::Loop)?;
                self.leave_to(at)?;
            }
            FlowOpcode::Switch => self.begin_switch(instruction, at)?,
            FlowOpcode::Case => self.begin_case(instruction)?,
            FlowOpcode::Default => self.begin_default()?,
            FlowOpcode::Endswitch => self.end_switch()?,
            FlowOpcode::Cal => return self.call(instruction, at),
            FlowOpcode::Ret => return self.ret(at),
            FlowOpcode::Endsub => {
                if self.frames.len() < 2 && !self.is_subroutine {
                    return Err(self.bad_nesting());
                }
                return self.leave_function();
            }
            FlowOpcode::End => {
                if self.frames.len() != 1 || self.is_subroutine {
                    return Err(self.bad_nesting());
                }
                self.leave_function()?;
                return Ok(self.shader.instructions().len());
            }
            // A subroutine is entered only by CAL or by a launch.
            FlowOpcode::Bgnsub => return Err(self.bad_nesting()),
        }
        Ok(at + 1)
    }

    fn push_frame(&mut self, kind: FrameKind) -> Result<(), CompileError> {
        if self.frames.len() >= MAX_NESTING {
            return Err(self.too_deep(MAX_NESTING));
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
        // Levels that no lane goes back to are undone at once.
        if matches!(kind, FrameKind::Static | FrameKind::Function { masked: false }) {
            self.variables.undo(frame.level);
        }
        self.frames.try_push(frame)?;
        Ok(())
    }

    /// Returns the innermost frame if it is of this kind.
    fn top(&mut self, is: impl Fn(FrameKind) -> bool) -> Result<Frame, CompileError> {
        match self.frames.last() {
            Some(frame) if is(frame.kind) => Ok(*frame),
            _ => Err(self.bad_nesting()),
        }
    }

    /// Stores a changed innermost frame.
    fn put(&mut self, frame: Frame) {
        if let Some(slot) = self.frames.last_mut() {
            *slot = frame;
        }
    }

    fn pop_frame(&mut self) {
        self.frames.pop();
    }

    /// Returns the index of the innermost frame of a kind within the current function.
    fn enclosing(&self, is: impl Fn(FrameKind) -> bool) -> Result<usize, CompileError> {
        for (at, frame) in self.frames.iter().enumerate().rev() {
            self.graph.steps.note(1);
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
        self.graph.source(NodeKind::MaskRow, 0, 0)
    }

    fn set_target(&mut self, node: Value, target: Value) {
        if let Some(node) = self.graph.nodes.get_mut(node.index()) {
            node.target = target;
        }
    }

    /// Returns the value of a variable; 0 if the variable was never written.
    fn value_of(&mut self, variable: u32) -> Result<Value, CompileError> {
        self.defined(self.variables.get(variable))
    }

    fn defined(&mut self, value: Value) -> Result<Value, CompileError> {
        if value.is_some() { Ok(value) } else { self.graph.constant(0) }
    }

    /// Removes the running lanes from everything inside frame `at`, and moves their variables to
    /// its phis.
    fn leave_to(&mut self, at: usize) -> Result<(), CompileError> {
        let Some(target) = self.frames.get(at).copied() else { return Err(self.bad_nesting()) };
        self.update_phis(&target)?;
        self.charge(self.frames.len() - at)?;
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
}
