//! The compiler: translates the IR to lane code.
//!
//! TGSI works on vectors of four and lanes work on scalars, so each component is computed
//! separately: swizzles, write masks and moves vanish. The steps:
//!
//! 1. [`lower`](self) walks the instructions once and builds a [graph](Graph) of scalar nodes,
//!    folding constants and finding common subexpressions as it goes. Registers are names for
//!    values; after a branch, values are chosen by mask.
//! 2. `live` finds the nodes that outputs and effects depend on, and their last uses; `fuse` makes
//!    one op of two.
//! 3. `emit` assigns rows to values, reusing free rows, and writes the ops. Ops that depend only on
//!    constants go to the preamble, all further ops to the body.
//!
//! Simplifications keep the bits: nothing is reassociated, `MAD` rounds twice, `LRP` is
//! `a·(b-c)+c`. A NaN stays a NaN, but its payload and sign may differ.

mod arithmetic;
mod dump;
mod emit;
mod flow;
mod fuse;
mod graph;
mod lanes;
mod live;
mod memory;
mod operand;
mod sample;
mod stages;
mod steps;
mod tables;
mod texture;
mod variables;
mod wide;

pub use dump::Listing;
pub use steps::Limit;

use crate::exec::OpCode;
use crate::exec::program::{
    Access, Constant, Input, InputAt, MemoryAccess, Native, Op, Output, Program, Sample,
    SamplerUse, SourceText, SystemValue, Uses, Wide,
};
use crate::opcode::Opcode;
use crate::shader::{Position, Processor, Properties, Property, Shader};
use graph::{Graph, Value};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// The most nodes of one shader, including inlined calls. Ops are counted in 16 bits.
const MAX_NODES: usize = 1 << 20;
/// The most nested calls, as in the reference interpreter.
const MAX_CALL_DEPTH: usize = 32;
/// The most nested loops, branches and switches.
const MAX_NESTING: usize = 256;

/// The compiler's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// Simplifies the program. Without it every instruction is executed as written: for tests.
    pub optimize: bool,
    /// The most loop turns of a run, over all its loops.
    pub loop_budget: u32,
    /// The most steps that the compiler may take. A step is about the work of visiting one
    /// instruction; [`Compiled::steps`] returns the steps that a shader took.
    pub steps: u32,
    /// The index of the first instruction to run: 0 for the program itself, or in compute programs
    /// the index of a `BGNSUB`. The program ends where that subroutine returns.
    pub entry: u32,
}

impl CompileOptions {
    /// Optimised; 2²⁰ loop turns; 2²⁴ steps, which take at most about a second on a desktop; from
    /// the first instruction.
    pub const DEFAULT: CompileOptions = CompileOptions {
        optimize: true,
        loop_budget: 1 << 20,
        steps: steps::DEFAULT_STEPS,
        entry: 0,
    };
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions::DEFAULT
    }
}

/// The reason why a shader could not be compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The opcode cannot have this operand: its file, its second bracket, or an index out of range.
    #[error(
        "{position}: an operand of {opcode} is not declared, or of a file or index that it cannot have"
    )]
    Operand {
        /// The opcode.
        opcode: Opcode,
        /// The instruction's position in the text.
        position: Position,
    },
    /// Branches, loops, switches or subroutines do not match.
    #[error("{position}: {opcode} without its counterpart")]
    Nesting {
        /// The opcode.
        opcode: Opcode,
        /// The instruction's position in the text.
        position: Position,
    },
    /// Subroutines call themselves, or calls, loops or branches are nested too deep.
    #[error("{position}: {opcode} is nested deeper than {limit} levels")]
    Depth {
        /// The opcode.
        opcode: Opcode,
        /// The instruction's position in the text.
        position: Position,
        /// The most levels allowed: of calls for `CAL`, of blocks and calls for all further
        /// opcodes.
        limit: usize,
    },
    /// [`CompileOptions::entry`] is neither 0 nor a subroutine of a compute program.
    #[error(
        "instruction {entry} begins no subroutine of a compute program; enter at a BGNSUB or at 0"
    )]
    Entry {
        /// The index of the instruction.
        entry: u32,
    },
    /// The shader needs an optional part of the executor that this build lacks.
    #[error("the shader needs the feature `{feature}` of gallium-tgsi")]
    LeftOut {
        /// The cargo feature.
        feature: &'static str,
    },
    /// The shader exceeds a limit of the compiler.
    #[error("cannot compile {limit}")]
    TooLarge {
        /// The limit that it exceeds.
        limit: Limit,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl CompileError {
    /// Returns the position in the text, if the error concerns one instruction.
    pub fn position(&self) -> Option<Position> {
        match *self {
            CompileError::Operand { position, .. }
            | CompileError::Nesting { position, .. }
            | CompileError::Depth { position, .. } => Some(position),
            _ => None,
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for CompileError {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", defmt::Display2Format(self))
    }
}

/// A compiled shader, in memory of lifetime `'m`.
#[derive(Debug)]
pub struct Compiled<'m> {
    processor: Processor,
    properties: Properties,
    uses: Uses,
    rows: u16,
    loop_budget: u32,
    steps: u32,
    inputs: Vec<'m, Input>,
    system_values: Vec<'m, SystemValue>,
    outputs: Vec<'m, Output>,
    constants: Vec<'m, Constant>,
    samplers: Vec<'m, SamplerUse>,
    samples: Vec<'m, Sample>,
    accesses: Vec<'m, Access>,
    wides: Vec<'m, Wide>,
    memory: Vec<'m, MemoryAccess>,
    inputs_at: Vec<'m, InputAt>,
    preamble: Vec<'m, Op>,
    body: Vec<'m, Op>,
    /// The index of the instruction that each op of the body comes from.
    origins: Vec<'m, u32>,
}

impl<'m> Compiled<'m> {
    /// Returns the index of the instruction that an op of the body comes from. A fused op comes
    /// from the last of its instructions.
    pub fn instruction(&self, op: usize) -> Option<u32> {
        self.origins.get(op).copied()
    }

    /// Returns the number of steps that the compiler took, at most [`CompileOptions::steps`].
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the program, which borrows its tables from `self`.
    pub fn program(&self) -> Program<'_> {
        Program {
            processor: self.processor,
            uses: self.uses,
            rows: self.rows,
            properties: &self.properties,
            inputs: &self.inputs,
            system_values: &self.system_values,
            outputs: &self.outputs,
            constants: &self.constants,
            samplers: &self.samplers,
            samples: &self.samples,
            accesses: &self.accesses,
            wides: &self.wides,
            memory: &self.memory,
            inputs_at: &self.inputs_at,
            loop_budget: self.loop_budget,
            preamble: &self.preamble,
            body: &self.body,
            native: Native::NONE,
            source: SourceText::NONE,
        }
    }
}

/// Compiles a shader.
///
/// The shader need not have passed [`sanity`](crate::sanity): the compiler returns an error for
/// code that cannot run. Branch labels are ignored, except `CAL`'s.
///
/// # Errors
/// [`CompileError`]: an operand or nesting that cannot run, with its place; a limit that the
/// shader exceeds; a cargo feature that it needs; out of memory.
///
/// # Examples
/// ```
/// # use gallium_tgsi::{compile::*, text};
/// # use os_shim::Memory;
/// let memory = Memory::system();
/// let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], IN[0]\nEND";
/// let compiled = compile(&text::parse(text, memory)?, &CompileOptions::DEFAULT, memory)?;
/// let program = compiled.program();
/// // One addition a component.
/// assert_eq!((program.inputs.len(), program.outputs.len(), program.body.len()), (1, 1, 4));
///
/// let frugal = CompileOptions { steps: 10, ..CompileOptions::DEFAULT };
/// let error = compile(&text::parse(text, memory)?, &frugal, memory).unwrap_err();
/// assert_eq!(error, CompileError::TooLarge { limit: Limit::Steps });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile<'m>(
    shader: &Shader<'_>,
    options: &CompileOptions,
    memory: Memory<'m>,
) -> Result<Compiled<'m>, CompileError> {
    let mut lower = Lower::new(shader, options, memory)?;
    lower.run(options.entry)?;
    let compiled = emit::emit(lower, options)?;
    match compiled.program().left_out() {
        Some(group) => Err(CompileError::LeftOut { feature: group.feature() }),
        None => Ok(compiled),
    }
}

/// The state of the walk over the instructions.
struct Lower<'s, 'm> {
    shader: &'s Shader<'s>,
    memory: Memory<'m>,
    optimize: bool,
    graph: Graph<'m>,
    variables: variables::Variables<'m>,
    /// Register arrays that are addressed at run time; they have separate rows.
    arrays: Vec<'m, operand::Array>,
    /// The first row after the arrays.
    first_free_row: u16,
    /// The values of input components, by 4·register + component, made when first read.
    inputs: Vec<'m, Value>,
    /// The values of system value components.
    system_values: Vec<'m, Value>,
    samplers: Vec<'m, SamplerUse>,
    tables: tables::Tables<'m>,
    accesses: Vec<'m, Access>,
    subroutines: flow::Subroutines<'m>,
    frames: Vec<'m, flow::Frame>,
    /// Variables of loops and blocks that lanes leave early; each frame has a range.
    phis: Vec<'m, (u32, Value)>,
    /// The variables' values after the first branch; each frame has a range.
    branches: Vec<'m, (u32, Value)>,
    /// True if the walk began at a subroutine, not at the program's first instruction.
    is_subroutine: bool,
    /// True if some lane may run the current instruction.
    reachable: bool,
    /// True if 0 times any value is 0 (`LEGACY_MATH_RULES`).
    zero_wins: bool,
    uses: Uses,
    /// The opcode and position of the current instruction, for errors.
    opcode: Opcode,
    position: Position,
}

impl<'s, 'm> Lower<'s, 'm> {
    fn new(
        shader: &'s Shader<'s>,
        options: &CompileOptions,
        memory: Memory<'m>,
    ) -> Result<Self, CompileError> {
        let steps = steps::Steps::new(options.steps);
        steps.charge(shader.instructions().len() + shader.immediates().len())?;
        let expected = shader.instructions().len() * 5 + shader.immediates().len() * 4 + 16;
        let mut lower = Lower {
            shader,
            memory,
            optimize: options.optimize,
            graph: Graph::new(expected.min(1 << 15), options.optimize, steps, memory)?,
            variables: variables::Variables::new(memory),
            arrays: Vec::new_in(memory),
            first_free_row: 0,
            inputs: Vec::new_in(memory),
            system_values: Vec::new_in(memory),
            samplers: Vec::new_in(memory),
            tables: tables::Tables::new(memory),
            accesses: Vec::new_in(memory),
            subroutines: flow::Subroutines::new(shader.instructions(), memory)?,
            frames: Vec::new_in(memory),
            phis: Vec::new_in(memory),
            branches: Vec::new_in(memory),
            is_subroutine: false,
            reachable: true,
            zero_wins: shader.properties().get(Property::MulZeroWins).is_some_and(|set| set != 0),
            uses: Uses::empty(),
            opcode: Opcode::Nop,
            position: Position::NONE,
        };
        lower.survey()?;
        Ok(lower)
    }

    fn bad_operand(&self) -> CompileError {
        CompileError::Operand { opcode: self.opcode, position: self.position }
    }

    fn bad_nesting(&self) -> CompileError {
        CompileError::Nesting { opcode: self.opcode, position: self.position }
    }

    fn too_deep(&self, limit: usize) -> CompileError {
        CompileError::Depth { opcode: self.opcode, position: self.position, limit }
    }

    /// Takes steps from the compiler's budget.
    fn charge(&self, count: usize) -> Result<(), CompileError> {
        self.graph.steps.charge(count)
    }

    fn effect(&mut self, code: OpCode, operands: [Value; 3]) -> Result<Value, CompileError> {
        self.graph.effect(code, 0, operands)
    }
}
