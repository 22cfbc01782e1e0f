//! Statements.

use naga::{
    Barrier, Block, Expression, Handle, Literal, LocalVariable, Span, Statement, SwitchCase,
    SwitchValue,
};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;
use tgsi::sanity::MAX_NESTING;

use crate::error::Result;
use crate::translator::{Operand, Translator};
use crate::unroll::{Counted, continues};

/// The most blocks of statements within each other.
const MAX_BLOCKS: usize = 128;

/// The depth up to which a branch that returns takes the statements after it as its other branch.
const MAX_RETURN_NESTING: usize = MAX_NESTING / 2;

/// The code that follows a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Statements of an enclosing block.
    More,
    /// The end of the function: a return need not jump.
    End,
}

impl Translator<'_> {
    /// Translates the statements of a block, with a scope for its values.
    pub(crate) fn block(&mut self, block: &Block, after: After) -> Result<()> {
        self.open_scope();
        let result = self.statements(block, after);
        self.close_scope();
        result
    }

    /// Translates the statements of a block.
    fn statements(&mut self, block: &Block, after: After) -> Result<()> {
        let statements: Vec<(&Statement, Span)> =
            block.span_iter().map(|(statement, span)| (statement, *span)).collect();
        self.nested(&statements, after)
    }

    /// Translates statements within those that are being translated.
    fn nested(&mut self, statements: &[(&Statement, Span)], after: After) -> Result<()> {
        let depth = self.frame()?.depth;
        if depth >= MAX_BLOCKS {
            let message = format!("blocks are nested deeper than {MAX_BLOCKS} levels");
            return Err(self.code.refuse(message));
        }
        self.frame_mut()?.depth = depth + 1;
        let result = self.list(statements, after);
        self.frame_mut()?.depth = depth;
        result
    }

    fn list(&mut self, mut list: &[(&Statement, Span)], after: After) -> Result<()> {
        let mut opened = 0;
        while let Some((&(statement, span), rest)) = list.split_first() {
            list = rest;
            self.code.span = span;
            let last = if rest.is_empty() { after } else { After::More };
            match statement {
                // `if c { return a; } rest` is a branch with two sides, without a jump.
                Statement::If { condition, accept, reject }
                    if after == After::End
                        && !rest.is_empty()
                        && self.code.depth() < MAX_RETURN_NESTING
                        && returns(accept) =>
                {
                    let condition = self.single(*condition)?;
                    self.code.emit(Opcode::Uif, None, &[condition]);
                    self.forget([accept, reject], &[])?;
                    self.branch(accept, After::End)?;
                    self.code.emit(Opcode::Else, None, &[]);
                    self.block(reject, After::More)?;
                    opened += 1;
                }
                _ => self.statement(statement, last)?,
            }
            self.code.check()?;
        }
        for _ in 0..opened {
            self.code.emit(Opcode::Endif, None, &[]);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, after: After) -> Result<()> {
        match *statement {
            Statement::Emit(ref range) => self.emit(range.clone())?,
            Statement::Block(ref block) => self.block(block, after)?,
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.single(condition)?;
                self.code.emit(Opcode::Uif, None, &[condition]);
                self.forget([accept, reject], &[])?;
                self.branch(accept, after)?;
                if !reject.is_empty() {
                    self.code.emit(Opcode::Else, None, &[]);
                    self.branch(reject, after)?;
                }
                self.code.emit(Opcode::Endif, None, &[]);
            }
            Statement::Switch { selector, ref cases } => self.switch(selector, cases, after)?,
            Statement::Loop { ref body, ref continuing, break_if } => {
                if let Some(counted) = self.counted(body, continuing, break_if) {
                    return self.turns(body, &counted);
                }
                self.forget([body, continuing], &[])?;
                self.open_scope();
                let result = self.r#loop(body, continuing, break_if);
                self.close_scope();
                result?;
                self.forget([body, continuing], &[])?;
            }
            Statement::Break => self.code.emit(Opcode::Brk, None, &[]),
            Statement::Continue => self.code.emit(Opcode::Cont, None, &[]),
            Statement::Return { value } => self.return_value(value, after)?,
            Statement::Kill => self.code.emit(Opcode::Demote, None, &[]),
            Statement::ControlBarrier(barrier) => {
                self.memory_barrier(barrier)?;
                self.code.emit(Opcode::Barrier, None, &[]);
            }
            Statement::MemoryBarrier(barrier) => self.memory_barrier(barrier)?,
            Statement::Store { pointer, value } => {
                let place = self.place(pointer)?;
                let stored = self.value(value)?;
                self.store(&place, &stored)?;
                self.note_store(pointer, value)?;
            }
            Statement::ImageStore { image, coordinate, array_index, value } => {
                self.image_store(image, coordinate, array_index, value)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(pointer, fun, value, result)?;
            }
            Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                self.image_atomic(image, coordinate, array_index, fun, value)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.code.emit(Opcode::Barrier, None, &[]);
                let place = self.place(pointer)?;
                let value = self.load(&place)?;
                self.code.emit(Opcode::Barrier, None, &[]);
                self.set(result, Operand::Value(value))?;
            }
            Statement::Call { function, ref arguments, result } => {
                self.call(function, arguments, result)?;
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                return Err(self.code.refuse("ray queries are not supported"));
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => {
                return Err(self.code.refuse("subgroup operations are not supported"));
            }
            Statement::CooperativeStore { .. } => {
                return Err(self.code.refuse("cooperative matrices are not supported"));
            }
        }
        Ok(())
    }

    fn switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &[SwitchCase],
        after: After,
    ) -> Result<()> {
        let selector = self.single(selector)?;
        self.code.emit(Opcode::Switch, None, &[selector]);
        self.forget(cases.iter().map(|case| &case.body), &[])?;
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => self.case(value as u32),
                SwitchValue::U32(value) => self.case(value),
                SwitchValue::Default => self.code.emit(Opcode::Default, None, &[]),
            }
            // A case that falls through runs more statements after its own.
            let after = if case.fall_through { After::More } else { after };
            self.branch(&case.body, after)?;
            if !case.fall_through {
                self.code.emit(Opcode::Brk, None, &[]);
            }
        }
        self.code.emit(Opcode::Endswitch, None, &[]);
        Ok(())
    }

    /// Translates a block that only some invocations run: what is known in it ends with it.
    fn branch(&mut self, block: &Block, after: After) -> Result<()> {
        let known = self.frame()?.known.clone();
        self.block(block, after)?;
        self.frame_mut()?.known = known;
        Ok(())
    }

    /// Writes out the turns of a loop.
    fn turns(&mut self, body: &Block, counted: &Counted) -> Result<()> {
        let Counted { counter, ref values, exit } = *counted;
        let statements: Vec<(&Statement, Span)> = body
            .span_iter()
            .map(|(statement, span)| (statement, *span))
            .enumerate()
            .filter_map(|(at, statement)| (at != exit).then_some(statement))
            .collect();
        let Some((&last, turns)) = values.split_last() else { return Ok(()) };
        for &value in turns {
            self.set_counter(counter, value)?;
            self.open_scope();
            let result = self.nested(&statements, After::More);
            self.close_scope();
            result?;
        }
        self.set_counter(counter, last)
    }

    /// Writes a number to a variable.
    fn set_counter(&mut self, counter: Handle<LocalVariable>, value: Literal) -> Result<()> {
        let Operand::Place(place) = self.local_variable(counter)? else { return Ok(()) };
        let word = self.literal(value)?;
        self.store(&place, &vec![word])?;
        self.note_variable(counter, Some(value))
    }

    fn case(&mut self, value: u32) {
        let value = self.int(value);
        self.code.emit(Opcode::Case, None, &[value]);
    }

    fn r#loop(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        if !continues(body) {
            self.code.emit(Opcode::Bgnloop, None, &[]);
            self.statements(body, After::More)?;
            self.continuing(continuing, break_if)?;
            self.code.emit(Opcode::Endloop, None, &[]);
            return Ok(());
        }
        // `continuing` runs at the start of every turn but the first: where CONT leads.
        let gate = self.temporary().masked(crate::code::mask(1));
        let (no, yes) = (self.int(0), self.int(!0));
        self.code.emit(Opcode::Mov, Some(gate), &[no]);
        self.code.emit(Opcode::Bgnloop, None, &[]);
        // It may use values of the body, so the body is translated first.
        self.code.open();
        let translated = self.statements(body, After::More);
        let body = self.code.close();
        translated?;
        self.code.emit(Opcode::Uif, None, &[gate.as_src().x()]);
        self.continuing(continuing, break_if)?;
        self.code.emit(Opcode::Endif, None, &[]);
        self.code.emit(Opcode::Mov, Some(gate), &[yes]);
        self.code.append(body);
        self.code.emit(Opcode::Endloop, None, &[]);
        Ok(())
    }

    fn continuing(&mut self, block: &Block, break_if: Option<Handle<Expression>>) -> Result<()> {
        self.statements(block, After::More)?;
        if let Some(condition) = break_if {
            let condition = self.single(condition)?;
            self.code.emit(Opcode::Uif, None, &[condition]);
            self.code.emit(Opcode::Brk, None, &[]);
            self.code.emit(Opcode::Endif, None, &[]);
        }
        Ok(())
    }

    /// Adds a barrier of memory.
    fn memory_barrier(&mut self, barrier: Barrier) -> Result<()> {
        let mut bits = 0;
        for (flag, bit) in [(Barrier::STORAGE, 1), (Barrier::TEXTURE, 4), (Barrier::WORK_GROUP, 8)]
        {
            if barrier.contains(flag) {
                bits |= bit;
            }
        }
        if barrier.contains(Barrier::SUB_GROUP) {
            return Err(self.code.refuse("subgroup barriers are not supported"));
        }
        let bits: SrcRegister = self.int(bits);
        self.code.emit(Opcode::Membar, None, &[bits]);
        Ok(())
    }

    fn return_value(&mut self, value: Option<Handle<Expression>>, after: After) -> Result<()> {
        let value = match value {
            Some(value) => Some(self.value(value)?),
            None => None,
        };
        match (self.frame()?.result, value) {
            (Some(result), Some(value)) => {
                for (at, src) in (0u32..).zip(value) {
                    let dst = crate::code::temporary(result + at);
                    self.code.emit(Opcode::Mov, Some(dst), &[src]);
                }
            }
            (None, Some(value)) => self.write_outputs(&value)?,
            (_, None) => {}
        }
        if after == After::More {
            self.code.emit(Opcode::Ret, None, &[]);
        }
        Ok(())
    }
}

/// Returns true if a block ends with a return, whatever happens in it.
fn returns(block: &Block) -> bool {
    match block.last() {
        Some(Statement::Return { .. }) => true,
        Some(Statement::Block(block)) => returns(block),
        Some(Statement::If { accept, reject, .. }) => returns(accept) && returns(reject),
        _ => false,
    }
}
