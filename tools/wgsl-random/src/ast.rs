//! Programs as trees: types, variables, expressions, statements.

/// The type of a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `bool`; a word of a value is 0 or 1.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
}

impl Scalar {
    /// Returns the letter of the type in names such as `vec3i`.
    pub fn letter(self) -> char {
        match self {
            Scalar::Bool => 'b',
            Scalar::I32 => 'i',
            Scalar::U32 => 'u',
            Scalar::F32 => 'f',
        }
    }

    /// Returns true for `i32` and `u32`.
    pub fn is_integer(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::U32)
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// So many components; one is a scalar.
    Vector(u8, Scalar),
    /// Columns and rows of `f32`.
    Matrix(u8, u8),
    /// An array of fixed size.
    Array(Box<Type>, u32),
    /// A struct, by its number in the program.
    Struct(usize),
}

/// A scalar type.
pub const fn scalar(scalar: Scalar) -> Type {
    Type::Vector(1, scalar)
}

/// The memory that a variable lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// `let`, or a parameter: a value.
    Value,
    /// `const` of the module.
    Constant,
    /// `var` of a function.
    Function,
    /// `var<private>`.
    Private,
    /// `var<workgroup>`: an array with an element for each invocation.
    Workgroup,
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Storage,
    /// A parameter `ptr<function, …>`.
    Pointer,
}

/// A variable or a named value.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// The memory.
    pub space: Space,
    /// Statements may write it.
    pub writable: bool,
}

/// A step from a composite to a part of it.
#[derive(Clone, Debug)]
pub enum Step {
    /// A member of a struct.
    Member(usize),
    /// An element of an array, a column of a matrix, a component of a vector: the index and the number of
    /// elements.
    Index(Box<Expr>, u32),
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable, by its number.
    pub var: usize,
    /// The steps from the variable to the part.
    pub path: Vec<Step>,
}

/// An argument of a function of the program.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value.
    Value(Expr),
    /// A pointer.
    Pointer(Place),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Type,
    /// The computation.
    pub kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar literal, by its bits.
    Literal(u32),
    /// The value of a place.
    Load(Place),
    /// An element of a value.
    Element(Box<Expr>, Box<Expr>, u32),
    /// A member of a value.
    Member(Box<Expr>, usize),
    /// Components of a vector.
    Swizzle(Box<Expr>, Vec<u8>),
    /// An operator before its operand.
    Unary(&'static str, Box<Expr>),
    /// An operator between its operands.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// A built-in function, or `norm`, which limits floats to multiples of 1/8 from -64 to 64.
    Builtin(&'static str, Vec<Expr>),
    /// The type's constructor.
    Construct(Vec<Expr>),
    /// A conversion of numbers.
    Convert(Box<Expr>),
    /// `bitcast`.
    Bitcast(Box<Expr>),
    /// A call of a function of the program.
    Call(usize, Vec<Argument>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let` or `var`, with the first value.
    Declare(usize, Option<Expr>),
    /// An assignment.
    Assign(Place, Expr),
    /// An assignment with an operator, such as `+=`.
    Update(Place, &'static str, Expr),
    /// `++` or `--`.
    Step(Place, &'static str),
    /// A call as a statement.
    Call(usize, Vec<Argument>),
    /// Writes a word of this invocation's results: of an integer, a bool or a float without error.
    Out(usize, Expr),
    /// Writes the component of a function with an error: the function, its arguments, the component.
    Approximate(usize, &'static str, Vec<Expr>, Option<u8>),
    /// An atomic function on a counter, which discards the old value.
    Atomic(&'static str, u32, Expr),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for`, with a counter from 0 and the number of turns.
    For(usize, u32, Vec<Stmt>),
    /// `while`, with a counter from 0 and the number of turns.
    While(usize, u32, Vec<Stmt>),
    /// `loop`, with a counter from 0, the number of turns, the body, `continuing`, and the condition of
    /// `break if`.
    Loop(usize, u32, Vec<Stmt>, Vec<Stmt>, Option<Expr>),
    /// `switch`: cases with selectors; the case without selectors is the default.
    Switch(Expr, Vec<(Vec<u32>, Vec<Stmt>)>),
    /// A block.
    Block(Vec<Stmt>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expr>),
    /// `workgroupBarrier`.
    Barrier,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The parameters, by their numbers among the variables.
    pub parameters: Vec<usize>,
    /// The type of the result.
    pub result: Option<Type>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// The kind of a word of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// The same bits everywhere.
    Bits,
    /// A float without error; the sign of 0 does not count.
    Float,
    /// A float with an error.
    Approximate,
}

/// The stage of the entry point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A workgroup of 64 invocations, with workgroup memory, barriers and atomics.
    Compute,
    /// A fragment shader: its results are the components of its colours.
    Fragment,
    /// A vertex shader: its results are the components of its varyings.
    Vertex,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The stage of `main`.
    pub stage: Stage,
    /// The members of each struct.
    pub structs: Vec<Vec<Type>>,
    /// All variables.
    pub vars: Vec<Var>,
    /// The values of the module's constants.
    pub constants: Vec<(usize, Expr)>,
    /// The first values of private variables.
    pub privates: Vec<(usize, Option<Expr>)>,
    /// The words of the uniform and the storage buffer, in the order of their scalars.
    pub data: Vec<(usize, Vec<u32>)>,
    /// Functions; each calls only those before it.
    pub functions: Vec<Function>,
    /// The body of the entry point.
    pub main: Vec<Stmt>,
    /// The words of each invocation's results.
    pub slots: Vec<Slot>,
    /// The number of the variable `i`, the invocation's number.
    pub index: usize,
}

/// The most words of results in stages other than compute: eight registers.
pub const MAX_STAGE_SLOTS: usize = 32;

/// The atomic counters: the even ones are `u32`, the odd ones `i32`.
pub const COUNTERS: u32 = 8;

/// The word that results have before the program.
pub const UNWRITTEN: u32 = 0xBAD_F00D;

impl Program {
    /// Returns the number of scalars in a value of the type.
    pub fn words(&self, ty: &Type) -> usize {
        match ty {
            Type::Vector(size, _) => (*size).into(),
            Type::Matrix(columns, rows) => usize::from(*columns) * usize::from(*rows),
            Type::Array(element, count) => self.words(element) * *count as usize,
            Type::Struct(number) => self.structs[*number].iter().map(|it| self.words(it)).sum(),
        }
    }

    /// Returns the type of an element and the scalars before it.
    pub fn element(&self, ty: &Type, index: usize) -> (Type, usize) {
        let element = match ty {
            Type::Vector(_, kind) => scalar(*kind),
            Type::Matrix(_, rows) => Type::Vector(*rows, Scalar::F32),
            Type::Array(element, _) => (**element).clone(),
            Type::Struct(number) => {
                let members = &self.structs[*number];
                let before = members[..index].iter().map(|it| self.words(it)).sum();
                return (members[index].clone(), before);
            }
        };
        let before = index * self.words(&element);
        (element, before)
    }

    /// Returns the kinds of the scalars of a type, in order.
    pub fn scalars(&self, ty: &Type) -> Vec<Scalar> {
        match ty {
            Type::Vector(size, kind) => vec![*kind; (*size).into()],
            Type::Matrix(..) => vec![Scalar::F32; self.words(ty)],
            Type::Array(element, count) => self.scalars(element).repeat(*count as usize),
            Type::Struct(number) => {
                self.structs[*number].iter().flat_map(|it| self.scalars(it)).collect()
            }
        }
    }

    /// Returns the alignment and the size of a type in buffers, in bytes, as WGSL has them.
    pub fn layout(&self, ty: &Type) -> (usize, usize) {
        match ty {
            Type::Vector(1, _) => (4, 4),
            Type::Vector(2, _) => (8, 8),
            Type::Vector(size, _) => (16, 4 * usize::from(*size)),
            Type::Matrix(columns, rows) => {
                let (align, _) = self.layout(&Type::Vector(*rows, Scalar::F32));
                (align, align * usize::from(*columns))
            }
            Type::Array(element, count) => {
                let (align, size) = self.layout(element);
                (align, size.next_multiple_of(align) * *count as usize)
            }
            Type::Struct(number) => {
                let (mut align, mut end) = (1, 0usize);
                for member in &self.structs[*number] {
                    let (member_align, size) = self.layout(member);
                    align = align.max(member_align);
                    end = end.next_multiple_of(member_align) + size;
                }
                (align, end.next_multiple_of(align))
            }
        }
    }

    /// Adds the offset of each scalar of a type in buffers.
    pub fn offsets(&self, ty: &Type, at: usize, offsets: &mut Vec<usize>) {
        match ty {
            Type::Vector(size, _) => offsets.extend((0..usize::from(*size)).map(|it| at + 4 * it)),
            Type::Matrix(columns, rows) => {
                let column = Type::Vector(*rows, Scalar::F32);
                let (align, _) = self.layout(&column);
                for number in 0..usize::from(*columns) {
                    self.offsets(&column, at + align * number, offsets);
                }
            }
            Type::Array(element, count) => {
                let (align, size) = self.layout(element);
                for number in 0..*count as usize {
                    self.offsets(element, at + size.next_multiple_of(align) * number, offsets);
                }
            }
            Type::Struct(number) => {
                let mut end = at;
                for member in &self.structs[*number] {
                    let (align, size) = self.layout(member);
                    end = end.next_multiple_of(align);
                    self.offsets(member, end, offsets);
                    end += size;
                }
            }
        }
    }

    /// Returns the bytes of a buffer for its variable.
    pub fn bytes(&self, var: usize, words: &[u32]) -> Vec<u8> {
        let ty = &self.vars[var].ty;
        let mut offsets = Vec::new();
        self.offsets(ty, 0, &mut offsets);
        let mut bytes = vec![0; self.layout(ty).1.next_multiple_of(16)];
        for (offset, word) in offsets.into_iter().zip(words) {
            bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}
