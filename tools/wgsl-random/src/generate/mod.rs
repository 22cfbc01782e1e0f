//! Random programs that have exactly one result.
//!
//! Indices are within bounds, loops have few turns, invocations share memory only across barriers
//! and by atomic functions that commute. Floats are multiples of a power of two with few bits, so that
//! sums and products are exact in any order; functions with an error are applied to these, and
//! their results go to the output only.

mod expression;
mod float;
mod function;
mod integer;
mod statement;

use crate::ast::{
    COUNTERS, Expr, Function, Kind, MAX_STAGE_SLOTS, Place, Program, Scalar, Slot, Space, Stage,
    Step, Type, Var, scalar,
};
use crate::choices::{Choices, seeded};

/// Returns the program of a seed.
pub fn program(seed: u64) -> Program {
    generate(&mut Choices(&mut seeded(seed)))
}

/// Returns a program of these choices.
pub fn generate(choices: &mut Choices<'_>) -> Program {
    let stage = match choices.below(4) {
        0 => Stage::Fragment,
        1 => Stage::Vertex,
        _ => Stage::Compute,
    };
    let program = Program {
        stage,
        structs: Vec::new(),
        vars: Vec::new(),
        constants: Vec::new(),
        privates: Vec::new(),
        data: Vec::new(),
        functions: Vec::new(),
        main: Vec::new(),
        slots: Vec::new(),
        index: 0,
    };
    let mut generator = Generator {
        choices,
        program,
        scope: Vec::new(),
        globals: Vec::new(),
        constant: false,
        inside: Inside::default(),
        workgroup: None,
        shares: Shares::Nothing,
        counters: [""; COUNTERS as usize],
        known: Vec::new(),
    };
    generator.module();
    generator.program
}

/// The statements that may be made here.
#[derive(Clone, Default)]
struct Inside {
    /// The number of loops around.
    loops: u32,
    /// The number of turns of these loops, multiplied.
    turns: u32,
    /// A `break` leaves a loop or a switch.
    breaks: bool,
    /// A `continue` is allowed.
    continues: bool,
    /// A `return` is allowed.
    returns: bool,
    /// The function being made; `None` in the entry point.
    function: Option<Option<Type>>,
    /// In `continuing`.
    continuing: bool,
}

/// The use of workgroup memory by the entry point.
#[derive(Clone, Copy, PartialEq)]
enum Shares {
    Nothing,
    Writes,
    Reads,
}

struct Generator<'g, 'c> {
    choices: &'g mut Choices<'c>,
    program: Program,
    /// The variables that are visible.
    scope: Vec<usize>,
    /// The variables of the module.
    globals: Vec<usize>,
    /// Only constant expressions.
    constant: bool,
    inside: Inside,
    workgroup: Option<usize>,
    shares: Shares,
    /// The atomic function of each counter.
    counters: [&'static str; COUNTERS as usize],
    /// Named values that naga evaluates while it reads the text.
    known: Vec<usize>,
}

impl Generator<'_, '_> {
    fn var(&mut self, prefix: &str, ty: Type, space: Space, writable: bool) -> usize {
        let number = self.program.vars.len();
        let name = format!("{prefix}{number}");
        self.program.vars.push(Var { name, ty, space, writable });
        number
    }

    /// Makes the whole program.
    fn module(&mut self) {
        let index = self.var("i", scalar(Scalar::U32), Space::Value, false);
        self.program.index = index;
        self.structs();
        let uniform = self.var("u", Type::Struct(0), Space::Uniform, false);
        let rows = Type::Array(Box::new(Type::Struct(1)), 64);
        let input = self.var("input", rows, Space::Storage, false);
        for var in [uniform, input] {
            let ty = self.program.vars[var].ty.clone();
            let words = self.data(&ty);
            self.program.data.push((var, words));
        }
        self.globals = vec![uniform, input];
        self.constant = true;
        for _ in 0..self.choices.below(4) {
            let size = 1 + self.choices.below(4) as u8;
            let kind = self.choices.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::F32]);
            let ty = Type::Vector(size, kind);
            let value = self.expr(&ty, 3);
            let var = self.var("C", ty, Space::Constant, false);
            self.program.constants.push((var, value));
            self.globals.push(var);
        }
        self.constant = false;
        // A variable of each scalar type, so that every expression has something to read.
        for kind in [Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool] {
            self.private(scalar(kind));
        }
        for _ in 0..self.choices.below(3) {
            let ty = self.any_type(2);
            self.private(ty);
        }
        if self.program.stage == Stage::Compute && self.choices.one_in(2) {
            let element = self.any_type(1);
            let ty = Type::Array(Box::new(element), 64);
            self.workgroup = Some(self.var("w", ty, Space::Workgroup, false));
        }
        for _ in 0..self.choices.below(4) {
            self.function();
        }
        for at in 0..COUNTERS as usize {
            self.counters[at] = self.choices.pick(&[
                "atomicAdd",
                "atomicSub",
                "atomicAnd",
                "atomicOr",
                "atomicXor",
                "atomicMin",
                "atomicMax",
            ]);
        }
        self.main();
    }

    fn private(&mut self, ty: Type) {
        self.constant = true;
        let value = (!self.choices.one_in(3)).then(|| self.constant_value(&ty));
        self.constant = false;
        let var = self.var("p", ty, Space::Private, true);
        self.program.privates.push((var, value));
        self.globals.push(var);
    }

    /// Makes the types of structs: of the uniform buffer, of a row of the input, and of variables.
    fn structs(&mut self) {
        let members = 2 + self.choices.below(4);
        let uniform = (0..members).map(|_| self.uniform_type()).collect();
        self.program.structs.push(uniform);
        let members = 3 + self.choices.below(4);
        let row = (0..members).map(|_| self.host_type(2)).collect();
        self.program.structs.push(row);
        for _ in 0..self.choices.below(3) {
            let members = 1 + self.choices.below(4);
            let members = (0..members).map(|_| self.any_type(1)).collect();
            self.program.structs.push(members);
        }
    }

    fn numbers(&mut self) -> Scalar {
        self.choices.pick(&[Scalar::I32, Scalar::U32, Scalar::F32])
    }

    fn size(&mut self) -> u8 {
        self.choices.pick(&[1, 1, 2, 3, 4])
    }

    /// Returns a type that a uniform buffer may have; arrays have strides of 16 bytes.
    fn uniform_type(&mut self) -> Type {
        match self.choices.below(5) {
            0 => {
                let (columns, rows) = (2 + self.choices.below(3), 3 + self.choices.below(2));
                Type::Matrix(columns as u8, rows as u8)
            }
            1 => Type::Array(Box::new(Type::Vector(4, self.numbers())), 1 + self.choices.below(4)),
            _ => Type::Vector(self.size(), self.numbers()),
        }
    }

    /// Returns a type that a storage buffer may have.
    fn host_type(&mut self, depth: u32) -> Type {
        match self.choices.below(6) {
            0 => self.matrix_type(),
            1 if depth > 0 => {
                Type::Array(Box::new(self.host_type(depth - 1)), 1 + self.choices.below(4))
            }
            _ => Type::Vector(self.size(), self.numbers()),
        }
    }

    fn matrix_type(&mut self) -> Type {
        Type::Matrix(2 + self.choices.below(3) as u8, 2 + self.choices.below(3) as u8)
    }

    /// Returns a type of variables that the host does not see.
    fn any_type(&mut self, depth: u32) -> Type {
        match self.choices.below(8) {
            0 => self.matrix_type(),
            1 if depth > 0 => {
                Type::Array(Box::new(self.any_type(depth - 1)), 1 + self.choices.below(4))
            }
            2 if depth > 0 && self.program.structs.len() > 2 => {
                let more = self.program.structs.len() as u32 - 2;
                Type::Struct(2 + self.choices.below(more) as usize)
            }
            3 => Type::Vector(self.size(), Scalar::Bool),
            _ => Type::Vector(self.size(), self.numbers()),
        }
    }

    /// Returns random words for a buffer.
    fn data(&mut self, ty: &Type) -> Vec<u32> {
        let kinds = self.program.scalars(ty);
        kinds
            .into_iter()
            .map(|kind| match kind {
                Scalar::F32 => self.float_word(),
                _ => self.choices.word(),
            })
            .collect()
    }

    /// Returns a multiple of 1/8 from -64 to 64.
    fn float_word(&mut self) -> u32 {
        let eighths = match self.choices.below(3) {
            0 => 8 * (self.choices.below(9) as i32 - 4),
            _ => self.choices.below(1025) as i32 - 512,
        };
        (eighths as f32 / 8.0).to_bits()
    }

    /// Returns the kind of result that a scalar makes.
    fn slot(&mut self, kind: Slot) -> Option<usize> {
        let most = match self.program.stage {
            Stage::Compute => 48,
            Stage::Fragment | Stage::Vertex => MAX_STAGE_SLOTS,
        };
        if self.program.slots.len() >= most {
            return None;
        }
        self.program.slots.push(kind);
        Some(self.program.slots.len() - 1)
    }

    /// Returns a part with this type of a visible variable.
    fn place(&mut self, ty: &Type, wanted: &dyn Fn(&Var) -> bool) -> Option<Place> {
        let mut found = Vec::new();
        for &var in &self.scope {
            if wanted(&self.program.vars[var]) {
                self.parts(var, &self.program.vars[var].ty, ty, &mut Vec::new(), &mut found);
            }
        }
        if found.is_empty() {
            return None;
        }
        let at = self.choices.below(found.len() as u32) as usize;
        let (var, path) = found.swap_remove(at);
        let path = path
            .into_iter()
            .map(|part| match part {
                Part::Member(at) => Step::Member(at),
                Part::Index(count) => Step::Index(Box::new(self.index(count)), count),
            })
            .collect();
        Some(Place { var, path })
    }

    /// Lists the parts of a type that have the type `wanted`.
    fn parts(
        &self,
        var: usize,
        ty: &Type,
        wanted: &Type,
        path: &mut Vec<Part>,
        found: &mut Vec<(usize, Vec<Part>)>,
    ) {
        if ty == wanted {
            found.push((var, path.clone()));
        }
        let indexed = |count| vec![Part::Index(count)];
        let steps: Vec<Part> = match ty {
            Type::Vector(1, _) => return,
            Type::Vector(size, _) => indexed(u32::from(*size)),
            Type::Matrix(columns, _) => indexed(u32::from(*columns)),
            Type::Array(_, count) => indexed(*count),
            Type::Struct(number) => {
                (0..self.program.structs[*number].len()).map(Part::Member).collect()
            }
        };
        for step in steps {
            let at = if let Part::Member(at) = step { at } else { 0 };
            let (element, _) = self.program.element(ty, at);
            path.push(step);
            self.parts(var, &element, wanted, path, found);
            path.pop();
        }
    }

    /// Returns an index below `count`.
    fn index(&mut self, count: u32) -> Expr {
        let ty = scalar(Scalar::U32);
        if count == 64 && self.scope.contains(&self.program.index) && !self.choices.one_in(3) {
            return Expr { ty, kind: Kind::Load(Place { var: self.program.index, path: vec![] }) };
        }
        if self.constant || self.choices.one_in(2) {
            return Expr { ty, kind: Kind::Literal(self.choices.below(count)) };
        }
        let (value, limit) = (self.reads(&ty), Expr { ty: ty.clone(), kind: Kind::Literal(count) });
        Expr { ty, kind: Kind::Binary("%", Box::new(value), Box::new(limit)) }
    }

    /// Returns an expression that reads a private variable of a scalar type, spread to a vector.
    fn reads(&mut self, ty: &Type) -> Expr {
        let Type::Vector(size, kind) = ty else { unreachable!("vectors are read") };
        let one = scalar(*kind);
        let var = self
            .program
            .privates
            .iter()
            .map(|(var, _)| *var)
            .find(|var| self.program.vars[*var].ty == one)
            .expect("there is a private variable of each scalar type");
        // Mostly the invocation's number, where it is visible.
        let index = self.program.index;
        let var = match *kind == Scalar::U32 && self.scope.contains(&index) {
            true => self.choices.pick(&[var, index, index]),
            false => var,
        };
        let load = Expr { ty: one, kind: Kind::Load(Place { var, path: Vec::new() }) };
        match size {
            1 => load,
            _ => Expr { ty: ty.clone(), kind: Kind::Construct(vec![load]) },
        }
    }

    /// Makes a function: parameters of values, perhaps a pointer, a body.
    fn function(&mut self) {
        let name = format!("f{}", self.program.functions.len());
        let result = (!self.choices.one_in(5)).then(|| self.any_type(1));
        let mut parameters = Vec::new();
        for _ in 0..self.choices.below(4) {
            let ty = self.any_type(1);
            parameters.push(self.var("a", ty, Space::Value, false));
        }
        if self.choices.one_in(2) {
            let ty = self.any_type(1);
            parameters.push(self.var("q", ty, Space::Pointer, true));
        }
        self.scope = self.globals.clone();
        self.scope.extend(&parameters);
        self.inside =
            Inside { turns: 1, returns: true, function: Some(result.clone()), ..Inside::default() };
        let count = 1 + self.choices.below(4);
        let mut body = self.statements(count, 2);
        if let Some(ty) = &result {
            body.push(crate::ast::Stmt::Return(Some(self.expr(ty, 2))));
        }
        self.program.functions.push(Function { name, parameters, result, body });
    }
}

/// A step to a part, with an index that is not chosen yet.
#[derive(Clone)]
enum Part {
    Member(usize),
    Index(u32),
}
