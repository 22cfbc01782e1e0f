//! Makes a program that differs smaller: statements are deleted while the verdict's kind stays.

use crate::ast::{Argument, Expr, Kind, Program, Step, Stmt};

/// Returns the smallest program found that still `fails`.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    loop {
        let mut smaller = false;
        let mut at = 0;
        while at < count(&smallest) {
            let mut candidate = smallest.clone();
            for edit in [Edit::Delete, Edit::Unwrap] {
                candidate = smallest.clone();
                edit_statement(&mut candidate, at, edit);
                if count(&candidate) < count(&smallest) && fails(&candidate) {
                    smaller = true;
                    break;
                }
                candidate = smallest.clone();
            }
            if count(&candidate) < count(&smallest) {
                smallest = candidate;
            } else {
                at += 1;
            }
        }
        smaller |= simplify(&mut smallest, &mut fails);
        if !smaller {
            return tidy(&smallest, &mut fails);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Edit {
    /// Deletes the statement.
    Delete,
    /// Replaces it by the statements of its first block.
    Unwrap,
}

/// Returns the lists of statements of a program.
fn lists(program: &mut Program) -> Vec<&mut Vec<Stmt>> {
    let mut lists: Vec<&mut Vec<Stmt>> =
        program.functions.iter_mut().map(|function| &mut function.body).collect();
    lists.push(&mut program.main);
    lists
}

/// Returns the blocks of a statement.
fn blocks(statement: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match statement {
        Stmt::If(_, accept, reject) => vec![accept, reject],
        Stmt::For(_, _, body) | Stmt::While(_, _, body) | Stmt::Block(body) => vec![body],
        Stmt::Loop(_, _, body, continuing, _) => vec![body, continuing],
        Stmt::Switch(_, cases) => cases.iter_mut().map(|(_, body)| body).collect(),
        _ => Vec::new(),
    }
}

fn count(program: &Program) -> usize {
    fn of(statements: &mut [Stmt]) -> usize {
        let each = |statement: &mut Stmt| {
            1 + blocks(statement).into_iter().map(|block| of(block)).sum::<usize>()
        };
        statements.iter_mut().map(each).sum()
    }
    lists(&mut program.clone()).into_iter().map(|list| of(list)).sum()
}

/// Edits the statement with this number, in the order of the text.
fn edit_statement(program: &mut Program, mut number: usize, edit: Edit) {
    fn of(statements: &mut Vec<Stmt>, number: &mut usize, edit: Edit) -> bool {
        for at in 0..statements.len() {
            if *number == 0 {
                let mut removed = statements.remove(at);
                if edit == Edit::Unwrap
                    && let Some(block) = blocks(&mut removed).first_mut()
                {
                    statements.splice(at..at, std::mem::take(*block));
                }
                return true;
            }
            *number -= 1;
            if blocks(&mut statements[at]).into_iter().any(|block| of(block, number, edit)) {
                return true;
            }
        }
        false
    }
    for list in lists(program) {
        if of(list, &mut number, edit) {
            return;
        }
    }
}

/// Replaces expressions by their operands of the same type.
fn simplify(program: &mut Program, fails: &mut impl FnMut(&Program) -> bool) -> bool {
    let mut smaller = false;
    let mut at = 0;
    loop {
        let mut found = false;
        let mut choice = 0;
        loop {
            let mut candidate = program.clone();
            match edit_expression(&mut candidate, at, choice) {
                Edited::None => break,
                Edited::NoChoice => {
                    found = true;
                    break;
                }
                Edited::Done => {
                    found = true;
                    if fails(&candidate) {
                        *program = candidate;
                        smaller = true;
                        choice = 0;
                    } else {
                        choice += 1;
                    }
                }
            }
        }
        if !found {
            return smaller;
        }
        at += 1;
    }
}

#[derive(PartialEq)]
enum Edited {
    /// There is no such expression.
    None,
    /// It has no such operand.
    NoChoice,
    Done,
}

/// Returns the operands of an expression.
fn operands(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        Kind::Literal(_) => Vec::new(),
        Kind::Load(place) => place
            .path
            .iter_mut()
            .filter_map(|step| match step {
                Step::Index(index, _) => Some(&mut **index),
                Step::Member(_) => None,
            })
            .collect(),
        Kind::Element(a, b, _) | Kind::Binary(_, a, b) => vec![a, b],
        Kind::Member(a, _)
        | Kind::Swizzle(a, _)
        | Kind::Unary(_, a)
        | Kind::Convert(a)
        | Kind::Bitcast(a) => vec![a],
        Kind::Builtin(_, all) | Kind::Construct(all) => all.iter_mut().collect(),
        Kind::Call(_, arguments) => arguments
            .iter_mut()
            .filter_map(|argument| match argument {
                Argument::Value(value) => Some(value),
                Argument::Pointer(_) => None,
            })
            .collect(),
    }
}

/// Returns the expressions of a statement.
fn expressions(statement: &mut Stmt) -> Vec<&mut Expr> {
    match statement {
        Stmt::Declare(_, Some(value))
        | Stmt::Assign(_, value)
        | Stmt::Out(_, value)
        | Stmt::Atomic(_, _, value)
        | Stmt::If(value, ..)
        | Stmt::Switch(value, _)
        | Stmt::Return(Some(value))
        | Stmt::Loop(_, _, _, _, Some(value)) => vec![value],
        Stmt::Call(_, arguments) => arguments
            .iter_mut()
            .filter_map(|argument| match argument {
                Argument::Value(value) => Some(value),
                Argument::Pointer(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Replaces the expression with this number by its operand `choice` of the same type.
fn edit_expression(program: &mut Program, mut number: usize, choice: usize) -> Edited {
    fn of(expr: &mut Expr, number: &mut usize, choice: usize) -> Edited {
        if *number == 0 {
            let ty = expr.ty.clone();
            let same = operands(expr).into_iter().filter(|it| it.ty == ty).nth(choice).cloned();
            return match same {
                Some(operand) => {
                    *expr = operand;
                    Edited::Done
                }
                None => Edited::NoChoice,
            };
        }
        *number -= 1;
        for operand in operands(expr) {
            match of(operand, number, choice) {
                Edited::None => {}
                edited => return edited,
            }
        }
        Edited::None
    }
    fn list(statements: &mut [Stmt], number: &mut usize, choice: usize) -> Edited {
        for statement in statements {
            for expr in expressions(statement) {
                match of(expr, number, choice) {
                    Edited::None => {}
                    edited => return edited,
                }
            }
            for block in blocks(statement) {
                match list(block, number, choice) {
                    Edited::None => {}
                    edited => return edited,
                }
            }
        }
        Edited::None
    }
    for statements in lists(program) {
        match list(statements, &mut number, choice) {
            Edited::None => {}
            edited => return edited,
        }
    }
    Edited::None
}

/// Drops constants and private variables that nothing reads.
fn tidy(program: &Program, fails: &mut impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    for at in (0..smallest.constants.len()).rev() {
        let mut candidate = smallest.clone();
        candidate.constants.remove(at);
        if fails(&candidate) {
            smallest = candidate;
        }
    }
    for at in (0..smallest.privates.len()).rev() {
        let mut candidate = smallest.clone();
        candidate.privates.remove(at);
        if fails(&candidate) {
            smallest = candidate;
        }
    }
    smallest
}
