//! A direct evaluator of programs: the expected results, from the specification of WGSL.

use crate::ast::{
    Argument, COUNTERS, Expr, Kind, Place, Program, Scalar, Slot, Space, Step, Stmt, Type,
    UNWRITTEN,
};
use crate::function;

/// Invocations of a program.
pub const INVOCATIONS: usize = 64;

/// A word of the expected results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Expected {
    /// These bits.
    Bits(u32),
    /// This float; zeros of both signs are equal.
    Float(f32),
    /// A float with an absolute error.
    Near(f64, f64),
}

impl Expected {
    /// Returns true if a word is right.
    pub fn accepts(self, bits: u32) -> bool {
        let got = f32::from_bits(bits);
        match self {
            Expected::Bits(expected) => bits == expected,
            Expected::Float(expected) => got == expected,
            Expected::Near(expected, error) => (f64::from(got) - expected).abs() <= error,
        }
    }

    /// Returns true if a word is right with the accuracy of GLSL, which leaves that of many functions open.
    pub fn accepts_loosely(self, bits: u32) -> bool {
        match self {
            Expected::Near(expected, error) => {
                let error = error.max(2f64.powi(-10) * expected.abs().max(1.0));
                Expected::Near(expected, error).accepts(bits)
            }
            _ => self.accepts(bits),
        }
    }
}

/// The results of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// The words of each invocation, one invocation after the other.
    pub words: Vec<Expected>,
    /// The counters.
    pub counters: Vec<u32>,
}

/// Evaluates a program.
///
/// # Errors
/// The program takes more steps than `budget`, or an index is out of bounds.
pub fn evaluate(program: &Program, budget: u64) -> Result<Results, &'static str> {
    let zero = |ty: &Type| vec![0; program.words(ty)];
    let slots = program.slots.len();
    let mut machine = Machine {
        program,
        memory: program.vars.iter().map(|var| zero(&var.ty)).collect(),
        lanes: vec![Vec::new(); INVOCATIONS],
        pointers: vec![(0, 0); program.vars.len()],
        lane: 0,
        words: vec![Expected::Bits(UNWRITTEN); slots * INVOCATIONS],
        counters: vec![0; COUNTERS as usize],
        steps: budget,
        outside: false,
    };
    for (var, words) in &program.data {
        machine.memory[*var] = words.clone();
    }
    for (var, value) in &program.constants {
        machine.memory[*var] = machine.expr(value);
    }
    let private: Vec<(usize, Vec<u32>)> = program
        .privates
        .iter()
        .map(|(var, value)| {
            let ty = &program.vars[*var].ty;
            (*var, value.as_ref().map_or_else(|| zero(ty), |value| machine.expr(value)))
        })
        .collect();
    for lane in 0..INVOCATIONS {
        let mut vars: Vec<Vec<u32>> = vec![Vec::new(); program.vars.len()];
        for (var, value) in &private {
            vars[*var] = value.clone();
        }
        vars[program.index] = vec![lane as u32];
        machine.lanes[lane] = vars;
    }
    // Invocations go on together from statement to statement, so that barriers are passed by all.
    let mut returned = [false; INVOCATIONS];
    for statement in &program.main {
        for (lane, returned) in returned.iter_mut().enumerate().filter(|(_, it)| !**it) {
            machine.lane = lane;
            *returned = machine.statement(statement) != Flow::Next;
            if machine.steps == 0 {
                return Err("the program takes too many steps");
            }
            if machine.outside {
                return Err("an index is out of bounds");
            }
        }
    }
    Ok(Results { words: machine.words, counters: machine.counters })
}

/// The end of a statement.
#[derive(PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
    Return(Vec<u32>),
}

struct Machine<'p> {
    program: &'p Program,
    /// Variables that all invocations share.
    memory: Vec<Vec<u32>>,
    /// Variables of each invocation.
    lanes: Vec<Vec<Vec<u32>>>,
    /// The target of each pointer: a variable and a scalar in it.
    pointers: Vec<(usize, usize)>,
    /// The present invocation.
    lane: usize,
    words: Vec<Expected>,
    counters: Vec<u32>,
    /// Statements that are left.
    steps: u64,
    /// An index was out of bounds.
    outside: bool,
}

impl Machine<'_> {
    fn block(&mut self, statements: &[Stmt]) -> Flow {
        for statement in statements {
            match self.statement(statement) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn set(&mut self, var: usize, value: Vec<u32>) {
        self.lanes[self.lane][var] = value;
    }

    fn statement(&mut self, statement: &Stmt) -> Flow {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return Flow::Return(Vec::new());
        }
        match statement {
            Stmt::Declare(var, value) => {
                let zero = || vec![0; self.program.words(&self.program.vars[*var].ty)];
                let value = match value {
                    Some(value) => self.expr(value),
                    None => zero(),
                };
                self.set(*var, value);
            }
            Stmt::Assign(place, value) => {
                let target = self.target(place);
                let value = self.expr(value);
                self.store(target, &value);
            }
            Stmt::Update(place, operator, value) => {
                let target = self.target(place);
                let (ty, old) = (self.place_type(place), self.load(place));
                let right = self.expr(value);
                let value = function::binary(operator, (&ty, old), (&value.ty, right));
                self.store(target, &value);
            }
            Stmt::Step(place, operator) => {
                let target = self.target(place);
                let old = self.load(place);
                let step = if *operator == "++" { 1 } else { !0 };
                self.store(target, &[old[0].wrapping_add(step)]);
            }
            Stmt::Call(function, arguments) => {
                self.call(*function, arguments);
            }
            Stmt::Out(slot, value) => {
                let bits = self.expr(value)[0];
                self.result(
                    *slot,
                    match self.program.slots[*slot] {
                        Slot::Float => Expected::Float(f32::from_bits(bits)),
                        _ => Expected::Bits(bits),
                    },
                );
            }
            Stmt::Approximate(slot, name, arguments, component) => {
                let arguments: Vec<Vec<f64>> = arguments
                    .iter()
                    .map(|argument| {
                        let words = self.expr(argument);
                        let integers = argument.ty == Type::Vector(1, Scalar::U32);
                        let number = |bits: u32| match integers {
                            true => f64::from(bits),
                            false => f64::from(f32::from_bits(bits)),
                        };
                        words.into_iter().map(number).collect()
                    })
                    .collect();
                let component = component.unwrap_or(0).into();
                let (value, error) = function::approximate(name, &arguments, component);
                self.result(*slot, Expected::Near(value, error));
            }
            Stmt::Atomic(name, counter, value) => {
                let value = self.expr(value)[0];
                let old = &mut self.counters[*counter as usize];
                let signed = counter % 2 == 1;
                *old = match *name {
                    "atomicAdd" => old.wrapping_add(value),
                    "atomicSub" => old.wrapping_sub(value),
                    "atomicAnd" => *old & value,
                    "atomicOr" => *old | value,
                    "atomicXor" => *old ^ value,
                    "atomicMax" if signed => (*old as i32).max(value as i32) as u32,
                    "atomicMax" => (*old).max(value),
                    "atomicMin" if signed => (*old as i32).min(value as i32) as u32,
                    _ => (*old).min(value),
                };
            }
            Stmt::If(condition, accept, reject) => {
                let accepted = self.expr(condition)[0] != 0;
                return self.block(if accepted { accept } else { reject });
            }
            Stmt::For(counter, turns, body) => {
                let mut count = 0;
                while count < *turns {
                    self.set(*counter, vec![count]);
                    match self.block(body) {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return flow,
                    }
                    count += 1;
                }
            }
            Stmt::While(counter, turns, body) => {
                for count in 0..*turns {
                    self.set(*counter, vec![count + 1]);
                    match self.block(body) {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return flow,
                    }
                }
            }
            Stmt::Loop(counter, turns, body, continuing, condition) => {
                let mut count = 0;
                while count < *turns {
                    self.set(*counter, vec![count]);
                    match self.block(body) {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return flow,
                    }
                    self.block(continuing);
                    count += 1;
                    self.set(*counter, vec![count]);
                    if let Some(condition) = condition
                        && self.expr(condition)[0] != 0
                    {
                        break;
                    }
                }
            }
            Stmt::Switch(selector, cases) => {
                let value = self.expr(selector)[0];
                let chosen = cases
                    .iter()
                    .find(|(selectors, _)| selectors.contains(&value))
                    .or_else(|| cases.iter().find(|(selectors, _)| selectors.is_empty()));
                if let Some((_, body)) = chosen {
                    match self.block(body) {
                        Flow::Break => {}
                        flow => return flow,
                    }
                }
            }
            Stmt::Block(body) => return self.block(body),
            Stmt::Break => return Flow::Break,
            Stmt::Continue => return Flow::Continue,
            Stmt::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                return Flow::Return(value.unwrap_or_default());
            }
            Stmt::Barrier => {}
        }
        Flow::Next
    }

    fn result(&mut self, slot: usize, value: Expected) {
        let slots = self.program.slots.len();
        self.words[self.lane * slots + slot] = value;
    }

    /// Returns an index below `count`.
    fn index(&mut self, index: &Expr, count: u32) -> usize {
        let at = self.expr(index)[0];
        self.outside |= at >= count;
        at.min(count - 1) as usize
    }

    /// Returns the variable and the scalar at which a place begins.
    fn target(&mut self, place: &Place) -> (usize, usize) {
        let var = &self.program.vars[place.var];
        let (root, mut offset) = match var.space {
            Space::Pointer => self.pointers[place.var],
            _ => (place.var, 0),
        };
        let mut ty = var.ty.clone();
        for step in &place.path {
            let index = match step {
                Step::Member(at) => *at,
                Step::Index(index, count) => self.index(index, *count),
            };
            let (element, before) = self.program.element(&ty, index);
            offset += before;
            ty = element;
        }
        (root, offset)
    }

    fn place_type(&self, place: &Place) -> Type {
        let mut ty = self.program.vars[place.var].ty.clone();
        for step in &place.path {
            let at = if let Step::Member(at) = step { *at } else { 0 };
            ty = self.program.element(&ty, at).0;
        }
        ty
    }

    fn variable(&mut self, var: usize) -> &mut Vec<u32> {
        match self.program.vars[var].space {
            Space::Uniform | Space::Storage | Space::Workgroup | Space::Constant => {
                &mut self.memory[var]
            }
            _ => &mut self.lanes[self.lane][var],
        }
    }

    fn load(&mut self, place: &Place) -> Vec<u32> {
        let (var, offset) = self.target(place);
        let count = self.program.words(&self.place_type(place));
        self.variable(var)[offset..offset + count].to_vec()
    }

    fn store(&mut self, (var, offset): (usize, usize), value: &[u32]) {
        self.variable(var)[offset..offset + value.len()].copy_from_slice(value);
    }

    fn call(&mut self, number: usize, arguments: &[Argument]) -> Vec<u32> {
        let function = &self.program.functions[number];
        let mut values = Vec::new();
        for argument in arguments {
            values.push(match argument {
                Argument::Value(value) => (self.expr(value), (0, 0)),
                Argument::Pointer(place) => (Vec::new(), self.target(place)),
            });
        }
        let parameters = function.parameters.iter().zip(arguments).zip(values);
        for ((&parameter, argument), (value, target)) in parameters {
            match argument {
                Argument::Value(_) => self.set(parameter, value),
                Argument::Pointer(_) => self.pointers[parameter] = target,
            }
        }
        let count = function.result.as_ref().map_or(0, |ty| self.program.words(ty));
        match self.block(&function.body) {
            Flow::Return(value) if value.len() == count => value,
            // Out of steps.
            _ => vec![0; count],
        }
    }

    fn expr(&mut self, expr: &Expr) -> Vec<u32> {
        match &expr.kind {
            Kind::Literal(bits) => vec![*bits],
            Kind::Load(place) => self.load(place),
            Kind::Element(value, index, count) => {
                let words = self.expr(value);
                let at = self.index(index, *count);
                let (element, before) = self.program.element(&value.ty, at);
                words[before..before + self.program.words(&element)].to_vec()
            }
            Kind::Member(value, at) => {
                let words = self.expr(value);
                let (element, before) = self.program.element(&value.ty, *at);
                words[before..before + self.program.words(&element)].to_vec()
            }
            Kind::Swizzle(value, components) => {
                let words = self.expr(value);
                components.iter().map(|&at| words[usize::from(at)]).collect()
            }
            Kind::Unary(operator, value) => {
                let words = self.expr(value);
                function::unary(operator, &value.ty, words)
            }
            // The second operand is evaluated only if the first does not decide.
            Kind::Binary("&&", a, b) => {
                let a = self.expr(a);
                if a[0] == 0 { a } else { self.expr(b) }
            }
            Kind::Binary("||", a, b) => {
                let a = self.expr(a);
                if a[0] != 0 { a } else { self.expr(b) }
            }
            Kind::Binary(operator, a, b) => {
                let (left, right) = (self.expr(a), self.expr(b));
                function::binary(operator, (&a.ty, left), (&b.ty, right))
            }
            Kind::Builtin(name, arguments) => {
                let values: Vec<(&Type, Vec<u32>)> =
                    arguments.iter().map(|it| (&it.ty, self.expr(it))).collect();
                function::exact(name, &expr.ty, &values)
            }
            Kind::Construct(parts) => {
                let words: Vec<u32> = parts.iter().flat_map(|part| self.expr(part)).collect();
                let count = self.program.words(&expr.ty);
                match (words.as_slice(), parts.len()) {
                    ([], _) => vec![0; count],
                    ([one], 1) => vec![*one; count],
                    _ => words,
                }
            }
            Kind::Convert(value) => {
                let words = self.expr(value);
                let (Type::Vector(_, from), Type::Vector(_, to)) = (&value.ty, &expr.ty) else {
                    return words;
                };
                words.into_iter().map(|word| function::convert(*from, *to, word)).collect()
            }
            Kind::Bitcast(value) => self.expr(value),
            Kind::Call(function, arguments) => self.call(*function, arguments),
        }
    }
}
