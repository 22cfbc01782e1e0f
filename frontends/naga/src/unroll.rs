//! Loops with a known number of turns, written out turn by turn.
//!
//! The translator follows the variables of a function that have a known value. A loop is written
//! out if a variable counts its turns: a known value at first, a condition at the start of the body
//! that ends the loop, and one assignment in `continuing`, as `for` has them. In each turn the
//! counter is a number, so arrays are indexed by numbers.

use std::collections::HashSet;

use naga::{
    ArraySize, BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, ScalarKind,
    Statement, TypeInner, UnaryOperator,
};

use crate::error::Result;
use crate::translator::Translator;
use crate::types::array_count;

/// A loop with a known number of turns.
pub(crate) struct Counted {
    pub(crate) counter: Handle<LocalVariable>,
    /// The counter's value in each turn, and after the last one.
    pub(crate) values: Vec<Literal>,
    /// The index of the statement that ends the loop.
    pub(crate) exit: usize,
}

/// A loop, run with its counter alone to count its turns.
struct Simulation<'b> {
    counter: Handle<LocalVariable>,
    /// The expressions that the loop evaluates.
    inside: HashSet<Handle<Expression>>,
    /// The variables that the loop changes.
    assigned: &'b HashSet<Handle<LocalVariable>>,
}

impl Translator<'_> {
    /// Returns the variable that a pointer is.
    fn variable_of(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.frame().ok()?.function.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Returns an expression's value if it is known here: the value that it had at its `Emit`.
    pub(crate) fn known(&self, handle: Handle<Expression>) -> Option<Literal> {
        let frame = self.frame().ok()?;
        match frame.function.expressions[handle] {
            Expression::Literal(literal) => Some(literal),
            Expression::Constant(constant) => {
                match self.module.global_expressions[self.module.constants[constant].init] {
                    Expression::Literal(literal) => Some(literal),
                    _ => None,
                }
            }
            _ => frame.literals.get(&handle).copied(),
        }
    }

    /// Returns the value of a variable that a pointer points to, if it is known.
    pub(crate) fn known_variable(&self, pointer: Handle<Expression>) -> Option<Literal> {
        let variable = self.variable_of(pointer)?;
        self.frame().ok()?.known.get(&variable).copied()
    }

    /// Notes the value of an expression at its `Emit`, if it is known.
    pub(crate) fn note(&mut self, handle: Handle<Expression>) -> Result<()> {
        if !self.unrolls {
            return Ok(());
        }
        let value = match self.frame()?.function.expressions[handle] {
            Expression::Load { pointer } => self.known_variable(pointer),
            ref other => evaluate(other, |operand| self.known(operand)),
        };
        let literals = &mut self.frame_mut()?.literals;
        match value {
            Some(value) => literals.insert(handle, value),
            None => literals.remove(&handle),
        };
        Ok(())
    }

    /// Notes that a variable has a value from here on.
    pub(crate) fn note_store(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Result<()> {
        match self.variable_of(pointer) {
            Some(variable) => self.note_variable(variable, self.known(value)),
            None => Ok(()),
        }
    }

    pub(crate) fn note_variable(
        &mut self,
        variable: Handle<LocalVariable>,
        value: Option<Literal>,
    ) -> Result<()> {
        let value = value.filter(|_| self.unrolls);
        let known = &mut self.frame_mut()?.known;
        match value {
            Some(value) => known.insert(variable, value),
            None => known.remove(&variable),
        };
        Ok(())
    }

    /// Forgets the variables that some of the blocks, or calls with these arguments, may change.
    pub(crate) fn forget<'b>(
        &mut self,
        blocks: impl IntoIterator<Item = &'b Block>,
        arguments: &[Handle<Expression>],
    ) -> Result<()> {
        if self.frame()?.known.is_empty() {
            return Ok(());
        }
        let mut assigned = HashSet::new();
        blocks.into_iter().for_each(|block| self.assigned(block, &mut assigned));
        assigned.extend(arguments.iter().filter_map(|&argument| self.variable_of(argument)));
        self.frame_mut()?.known.retain(|variable, _| !assigned.contains(variable));
        Ok(())
    }

    /// Lists the variables that a block may change.
    fn assigned(&self, block: &Block, all: &mut HashSet<Handle<LocalVariable>>) {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => all.extend(self.variable_of(*pointer)),
                Statement::Call { arguments, .. } => {
                    all.extend(arguments.iter().filter_map(|&it| self.variable_of(it)));
                }
                _ => blocks(statement).for_each(|block| self.assigned(block, all)),
            }
        }
    }

    /// Returns the turns of a loop, if their number is known and they are to be written out.
    pub(crate) fn counted(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Option<Counted> {
        if !self.unrolls || break_if.is_some() {
            return None;
        }
        let exit = body.iter().position(|it| !matches!(it, Statement::Emit(_)))?;
        let Statement::If { condition, ref accept, ref reject } = *body.get(exit)? else {
            return None;
        };
        let sides: (&[Statement], &[Statement]) = (accept, reject);
        let ends_when = match sides {
            ([Statement::Break], []) => true,
            ([], [Statement::Break]) => false,
            _ => return None,
        };
        let mut stores = continuing.iter().filter(|it| !matches!(it, Statement::Emit(_)));
        let (Some(&Statement::Store { pointer, value: next }), None) =
            (stores.next(), stores.next())
        else {
            return None;
        };
        let counter = self.variable_of(pointer)?;
        let mut assigned = HashSet::new();
        self.assigned(body, &mut assigned);
        if assigned.contains(&counter) || body.iter().skip(exit + 1).any(leaves) {
            return None;
        }
        let emits = body.iter().take(exit).chain(continuing.iter());
        let inside = emits.flat_map(|statement| match statement {
            Statement::Emit(range) => range.clone().collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        let simulation = Simulation { counter, inside: inside.collect(), assigned: &assigned };
        let size = expressions(body).saturating_add(1);
        let mut value = *self.frame().ok()?.known.get(&counter)?;
        let mut values = vec![value];
        while self.simulate(&simulation, value, condition)? != Literal::Bool(ends_when) {
            if size.saturating_mul(values.len()) > self.unroll {
                return None;
            }
            value = self.simulate(&simulation, value, next)?;
            values.push(value);
        }
        self.unroll = self.unroll.saturating_sub(size.saturating_mul(values.len() - 1));
        Some(Counted { counter, values, exit })
    }

    /// Returns the value of an expression in the turn that has the counter's `value`.
    fn simulate(
        &self,
        it: &Simulation<'_>,
        value: Literal,
        handle: Handle<Expression>,
    ) -> Option<Literal> {
        if !it.inside.contains(&handle) {
            return self.known(handle);
        }
        let frame = self.frame().ok()?;
        match frame.function.expressions[handle] {
            Expression::Load { pointer } => {
                let variable = self.variable_of(pointer)?;
                match variable == it.counter {
                    true => Some(value),
                    false if it.assigned.contains(&variable) => None,
                    false => frame.known.get(&variable).copied(),
                }
            }
            ref other => evaluate(other, |operand| self.simulate(it, value, operand)),
        }
    }

    /// Returns a known index that is inside of the type that it indexes.
    pub(crate) fn known_index(&self, base: &TypeInner, index: Handle<Expression>) -> Option<u32> {
        let at = match self.known(index)? {
            Literal::U32(at) => at,
            Literal::I32(at) => u32::try_from(at).ok()?,
            _ => return None,
        };
        let base = match *base {
            TypeInner::Pointer { base, .. } => &self.module.types[base].inner,
            ref other => other,
        };
        let count = match *base {
            TypeInner::Array { size: size @ ArraySize::Constant(_), .. } => {
                array_count(self.module, size)
            }
            TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => {
                size as u32
            }
            TypeInner::Matrix { columns, .. } => columns as u32,
            _ => return None,
        };
        (at < count).then_some(at)
    }
}

/// Returns the blocks of a statement.
fn blocks(statement: &Statement) -> Box<dyn Iterator<Item = &Block> + '_> {
    match statement {
        Statement::Block(block) => Box::new([block].into_iter()),
        Statement::If { accept, reject, .. } => Box::new([accept, reject].into_iter()),
        Statement::Loop { body, continuing, .. } => Box::new([body, continuing].into_iter()),
        Statement::Switch { cases, .. } => Box::new(cases.iter().map(|case| &case.body)),
        _ => Box::new([].into_iter()),
    }
}

/// Returns the number of expressions that a block evaluates, each once.
fn expressions(block: &Block) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Emit(range) => range.clone().count(),
        _ => blocks(statement).map(expressions).sum(),
    };
    block.iter().map(of).sum()
}

/// Returns true if a statement of a loop's body may end the turn or the loop.
fn leaves(statement: &Statement) -> bool {
    match statement {
        Statement::Break | Statement::Continue => true,
        // `break` leaves the innermost loop or switch.
        Statement::Loop { .. } => false,
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => blocks(statement).any(|block| block.iter().any(leaves)),
    }
}

/// Returns true if a block has a `continue` of the loop that it is in.
pub(crate) fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        _ => blocks(statement).any(continues),
    })
}

/// Evaluates an operator on known operands.
fn evaluate(
    expression: &Expression,
    operand: impl Fn(Handle<Expression>) -> Option<Literal>,
) -> Option<Literal> {
    match *expression {
        Expression::Unary { op: UnaryOperator::LogicalNot, expr } => match operand(expr)? {
            Literal::Bool(value) => Some(Literal::Bool(!value)),
            _ => None,
        },
        Expression::As { expr, kind, convert: Some(4) } => match (operand(expr)?, kind) {
            (Literal::I32(value), ScalarKind::Uint) => Some(Literal::U32(value as u32)),
            (Literal::U32(value), ScalarKind::Sint) => Some(Literal::I32(value as i32)),
            _ => None,
        },
        Expression::Binary { op, left, right } => match (operand(left)?, operand(right)?) {
            (Literal::I32(a), Literal::I32(b)) => compare(op, &a, &b).or_else(|| {
                let value = match op {
                    BinaryOperator::Add => a.wrapping_add(b),
                    BinaryOperator::Subtract => a.wrapping_sub(b),
                    BinaryOperator::Multiply => a.wrapping_mul(b),
                    BinaryOperator::Divide => a.checked_div(b)?,
                    BinaryOperator::Modulo => a.checked_rem(b)?,
                    BinaryOperator::And => a & b,
                    _ => return None,
                };
                Some(Literal::I32(value))
            }),
            (Literal::U32(a), Literal::U32(b)) => compare(op, &a, &b).or_else(|| {
                let value = match op {
                    BinaryOperator::Add => a.wrapping_add(b),
                    BinaryOperator::Subtract => a.wrapping_sub(b),
                    BinaryOperator::Multiply => a.wrapping_mul(b),
                    BinaryOperator::Divide => a.checked_div(b)?,
                    BinaryOperator::Modulo => a.checked_rem(b)?,
                    BinaryOperator::And => a & b,
                    BinaryOperator::ShiftLeft => a.wrapping_shl(b),
                    BinaryOperator::ShiftRight => a.wrapping_shr(b),
                    _ => return None,
                };
                Some(Literal::U32(value))
            }),
            (Literal::F32(a), Literal::F32(b)) => compare(op, &a, &b).or_else(|| {
                let value = match op {
                    BinaryOperator::Add => a + b,
                    BinaryOperator::Subtract => a - b,
                    BinaryOperator::Multiply => a * b,
                    _ => return None,
                };
                Some(Literal::F32(value))
            }),
            _ => None,
        },
        _ => None,
    }
}

/// Evaluates a comparison.
fn compare<T: PartialOrd>(op: BinaryOperator, a: &T, b: &T) -> Option<Literal> {
    Some(Literal::Bool(match op {
        BinaryOperator::Equal => a == b,
        BinaryOperator::NotEqual => a != b,
        BinaryOperator::Less => a < b,
        BinaryOperator::LessEqual => a <= b,
        BinaryOperator::Greater => a > b,
        BinaryOperator::GreaterEqual => a >= b,
        _ => return None,
    }))
}
