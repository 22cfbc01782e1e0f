//! Statements, and the entry point.

use super::expression::literal;
use super::{Generator, Inside, Shares};
use crate::ast::{
    COUNTERS, Expr, Kind, Place, Scalar, Slot, Space, Stage, Step, Stmt, Type, scalar,
};

impl Generator<'_, '_> {
    /// Makes the entry point.
    pub(super) fn main(&mut self) {
        self.scope = self.globals.clone();
        self.scope.push(self.program.index);
        let mut body = Vec::new();
        let phases = match self.workgroup {
            Some(_) => 2 + self.choices.below(3),
            None => 1,
        };
        for phase in 0..phases {
            let last = phase + 1 == phases;
            self.inside = Inside { turns: 1, returns: last, ..Inside::default() };
            self.shares = match self.workgroup {
                None => Shares::Nothing,
                Some(_) if phase % 2 == 0 => Shares::Writes,
                Some(_) => Shares::Reads,
            };
            if let (Some(var), Shares::Writes) = (self.workgroup, self.shares) {
                body.push(self.share(var));
            }
            let count = 2 + self.choices.below(6);
            let statements = self.sequence(count, 3);
            body.extend(statements);
            if !last {
                body.push(Stmt::Barrier);
            }
        }
        self.outputs(&mut body);
        self.program.main = body;
    }

    /// Writes this invocation's element of workgroup memory.
    fn share(&mut self, var: usize) -> Stmt {
        let Type::Array(element, count) = self.program.vars[var].ty.clone() else {
            unreachable!("workgroup memory is an array")
        };
        let value = self.expr(&element, 2);
        let index = Place { var: self.program.index, path: Vec::new() };
        let index = Expr { ty: scalar(Scalar::U32), kind: Kind::Load(index) };
        Stmt::Assign(Place { var, path: vec![Step::Index(Box::new(index), count)] }, value)
    }

    /// Writes everything that is visible to the results.
    fn outputs(&mut self, body: &mut Vec<Stmt>) {
        let mut scope = self.scope.clone();
        scope.reverse();
        for var in scope {
            let var_type = self.program.vars[var].ty.clone();
            if matches!(self.program.vars[var].space, Space::Uniform | Space::Storage) {
                continue;
            }
            for place in self.scalars(&var_type) {
                let (path, kind) = place;
                let slot = match kind {
                    Scalar::F32 => Slot::Float,
                    _ => Slot::Bits,
                };
                let Some(slot) = self.slot(slot) else { return };
                let place = Place { var, path };
                let value = Expr { ty: scalar(kind), kind: Kind::Load(place) };
                body.push(Stmt::Out(slot, value));
            }
        }
    }

    /// Lists the scalars of a type, with the steps to them.
    fn scalars(&self, ty: &Type) -> Vec<(Vec<Step>, Scalar)> {
        let count = match ty {
            Type::Vector(1, kind) => return vec![(Vec::new(), *kind)],
            Type::Vector(size, _) => usize::from(*size),
            Type::Matrix(columns, _) => usize::from(*columns),
            Type::Array(_, count) => *count as usize,
            Type::Struct(number) => self.program.structs[*number].len(),
        };
        let mut all = Vec::new();
        for at in 0..count {
            let (element, _) = self.program.element(ty, at);
            let step = match ty {
                Type::Struct(_) => Step::Member(at),
                _ => Step::Index(Box::new(literal(Scalar::U32, at as u32)), count as u32),
            };
            for (mut path, kind) in self.scalars(&element) {
                path.insert(0, step.clone());
                all.push((path, kind));
            }
        }
        all
    }

    /// Returns a block's statements; its variables are visible in it only.
    pub(super) fn statements(&mut self, count: u32, depth: u32) -> Vec<Stmt> {
        let visible = self.scope.len();
        let statements = self.sequence(count, depth);
        self.scope.truncate(visible);
        statements
    }

    /// Returns statements, with variables that stay visible.
    fn sequence(&mut self, count: u32, depth: u32) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for _ in 0..count {
            let Some(statement) = self.statement(depth) else { continue };
            let ends = matches!(statement, Stmt::Break | Stmt::Continue | Stmt::Return(_));
            statements.push(statement);
            // Later statements would not be reached.
            if ends {
                break;
            }
        }
        statements
    }

    fn block(&mut self, depth: u32) -> Vec<Stmt> {
        let count = 1 + self.choices.below(3);
        self.statements(count, depth)
    }

    fn statement(&mut self, depth: u32) -> Option<Stmt> {
        let in_main = self.inside.function.is_none();
        match self.choices.below(24) {
            0..=3 => {
                let ty = self.any_type(2);
                let variable = self.choices.one_in(2);
                let value = match variable && self.choices.one_in(4) {
                    true => None,
                    false => Some(self.expr(&ty, 3)),
                };
                let var = match variable {
                    true => self.var("v", ty, Space::Function, true),
                    false => self.var("l", ty, Space::Value, false),
                };
                self.scope.push(var);
                if !variable && value.as_ref().is_some_and(|value| self.is_constant(value)) {
                    self.known.push(var);
                }
                Some(Stmt::Declare(var, value))
            }
            4..=7 => self.assignment(),
            8 | 9 if in_main => {
                let kind =
                    self.choices.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool]);
                let slot = if kind == Scalar::F32 { Slot::Float } else { Slot::Bits };
                let value = self.expr(&scalar(kind), 4);
                Some(Stmt::Out(self.slot(slot)?, value))
            }
            10 | 11 if in_main => self.approximate(),
            12 if in_main && self.program.stage == Stage::Compute => {
                let counter = self.choices.below(COUNTERS);
                let kind = if counter.is_multiple_of(2) { Scalar::U32 } else { Scalar::I32 };
                let value = self.integer(1, kind, 2);
                Some(Stmt::Atomic(self.counters[counter as usize], counter, value))
            }
            13 if !self.program.functions.is_empty() && self.inside.turns <= 16 => {
                let function = self.choices.below(self.program.functions.len() as u32) as usize;
                let arguments = self.arguments(function, 2)?;
                Some(Stmt::Call(function, arguments))
            }
            14 if self.shares == Shares::Writes && in_main => {
                let var = self.workgroup?;
                Some(self.share(var))
            }
            15 if self.shares == Shares::Reads && in_main => {
                // The elements of all invocations are visible while this value is made.
                let var = self.workgroup?;
                let Type::Array(element, count) = self.program.vars[var].ty.clone() else {
                    return None;
                };
                let index = self.index(count);
                let place = Place { var, path: vec![Step::Index(Box::new(index), count)] };
                let ty = *element;
                let value = Expr { ty: ty.clone(), kind: Kind::Load(place) };
                let local = self.var("l", ty, Space::Value, false);
                self.scope.push(local);
                Some(Stmt::Declare(local, Some(value)))
            }
            16 if self.inside.breaks => Some(Stmt::Break),
            17 if self.inside.continues => Some(Stmt::Continue),
            18 if self.inside.returns
                && self.inside.function.is_some()
                && self.choices.one_in(2) =>
            {
                let result = self.inside.function.clone().flatten();
                Some(Stmt::Return(result.map(|ty| self.expr(&ty, 2))))
            }
            18 if self.inside.returns && in_main && depth < 3 && self.choices.one_in(4) => {
                Some(Stmt::Return(None))
            }
            _ if depth > 0 => Some(self.compound(depth - 1)),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> Option<Stmt> {
        let ty = self.any_type(1);
        let place = self.place(&ty, &|var| var.writable)?;
        Some(match (self.choices.below(4), &ty) {
            (0, Type::Vector(_, kind)) if kind.is_integer() => {
                let operator =
                    self.choices.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
                let Type::Vector(size, _) = ty else { return None };
                let right = match operator {
                    "<<" | ">>" => self.count(&Type::Vector(size, Scalar::U32), 1),
                    _ => self.dynamic(&ty, 2),
                };
                Stmt::Update(place, operator, right)
            }
            (1, Type::Vector(1, kind)) if kind.is_integer() => {
                Stmt::Step(place, self.choices.pick(&["++", "--"]))
            }
            _ => Stmt::Assign(place, self.expr(&ty, 3)),
        })
    }

    fn compound(&mut self, depth: u32) -> Stmt {
        let before = self.inside.clone();
        let statement = match self.choices.below(7) {
            0 => Stmt::Block(self.block(depth)),
            1 | 2 => {
                let condition = self.dynamic(&scalar(Scalar::Bool), 3);
                let accept = self.block(depth);
                let reject = if self.choices.one_in(2) { self.block(depth) } else { Vec::new() };
                Stmt::If(condition, accept, reject)
            }
            3 => self.switch(depth),
            _ if self.inside.loops < 2 => self.repeat(depth),
            _ => Stmt::Block(self.block(depth)),
        };
        self.inside = before;
        statement
    }

    fn switch(&mut self, depth: u32) -> Stmt {
        let kind = self.choices.pick(&[Scalar::I32, Scalar::U32]);
        let value = self.dynamic(&scalar(kind), 2);
        let limit = literal(kind, self.choices.pick(&[3, 7]));
        let selector =
            Expr { ty: scalar(kind), kind: Kind::Binary("&", Box::new(value), Box::new(limit)) };
        if !self.inside.continuing {
            self.inside.breaks = true;
        }
        let mut numbers: Vec<u32> = (0..8).collect();
        let default = self.choices.below(4);
        let mut cases = Vec::new();
        for at in 0..4 {
            let mut selectors = Vec::new();
            if at != default {
                for _ in 0..=self.choices.below(2) {
                    let number = self.choices.below(numbers.len() as u32) as usize;
                    selectors.push(numbers.remove(number));
                }
            }
            let body = if self.choices.one_in(5) { Vec::new() } else { self.block(depth) };
            cases.push((selectors, body));
        }
        Stmt::Switch(selector, cases)
    }

    fn repeat(&mut self, depth: u32) -> Stmt {
        let turns = 1 + self.choices.below(4);
        let counter = self.var("k", scalar(Scalar::U32), Space::Function, false);
        let visible = self.scope.len();
        self.scope.push(counter);
        let may_continue = !self.inside.continuing;
        self.inside.loops += 1;
        self.inside.turns *= turns;
        self.inside.breaks = true;
        self.inside.continues = true;
        let statement = match self.choices.below(3) {
            0 => Stmt::For(counter, turns, self.block(depth)),
            1 => Stmt::While(counter, turns, self.block(depth)),
            _ => {
                let body = self.block(depth);
                self.inside.breaks = false;
                self.inside.continues = false;
                self.inside.returns = false;
                self.inside.continuing = true;
                let continuing = match may_continue && self.choices.one_in(2) {
                    true => self.statements(1, depth.min(1)),
                    false => Vec::new(),
                };
                let condition =
                    self.choices.one_in(2).then(|| self.dynamic(&scalar(Scalar::Bool), 2));
                Stmt::Loop(counter, turns, body, continuing, condition)
            }
        };
        self.scope.truncate(visible);
        statement
    }
}
