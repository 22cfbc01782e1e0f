//! Runs a program in every way, and compares the results.

use std::fmt;

use naga_frontend::naga::ShaderStage;
use naga_frontend::{Module, Options};

use crate::ast::{COUNTERS, Program, Space, Stage, Stmt, UNWRITTEN};
use crate::check::fault;
use crate::evaluate::{Expected, INVOCATIONS, Results, evaluate};
use crate::mesa::{Ended, Mesa};
use crate::print::{guarded, wgsl};
use crate::run::{Memories, Output, run_all, words};

/// Statements that a program may execute, over all invocations.
const BUDGET: u64 = 20_000_000;

/// The result of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All agree.
    Same,
    /// naga refuses the text: the generator is wrong.
    Invalid(String),
    /// The evaluator stopped: the generator is wrong.
    Undefined(&'static str),
    /// The translator, the checker, the compiler or the executor refuses the program.
    Refused(String),
    /// The executor's results differ from the evaluator's.
    Ours(String),
    /// Mesa's results differ from the evaluator's, and the executor's do not.
    Mesa(String),
    /// Mesa's results differ by a fault that is known.
    MesaKnown(&'static str),
    /// naga's GLSL back end or Mesa refuses the program.
    MesaRefused(String),
}

impl Verdict {
    /// Returns true if both verdicts are of the same kind.
    pub fn is_like(&self, other: &Verdict) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Same => write!(f, "the same"),
            Verdict::Invalid(error) => write!(f, "the generator made an invalid text: {error}"),
            Verdict::Undefined(reason) => write!(f, "the generator made a wrong program: {reason}"),
            Verdict::Refused(error) => write!(f, "refused: {error}"),
            Verdict::Ours(difference) => write!(f, "ours differs: {difference}"),
            Verdict::Mesa(difference) => write!(f, "Mesa differs: {difference}"),
            Verdict::MesaKnown(fault) => write!(f, "Mesa differs by a known fault: {fault}"),
            Verdict::MesaRefused(error) => write!(f, "Mesa or naga refuses: {error}"),
        }
    }
}

/// Judges a program, with Mesa if it is there.
pub fn judge(program: &Program, mesa: Option<&mut Mesa>) -> Verdict {
    let text = wgsl(program);
    let module = match Module::wgsl(&text, "random.wgsl") {
        Ok(module) => module,
        Err(error) => return Verdict::Invalid(error.to_string()),
    };
    let expected = match expected(program) {
        Ok(expected) => expected,
        Err(reason) => return Verdict::Undefined(reason),
    };
    let stage = match program.stage {
        Stage::Compute => ShaderStage::Compute,
        Stage::Fragment => ShaderStage::Fragment,
        Stage::Vertex => ShaderStage::Vertex,
    };
    for unroll in [0, Options::UNROLL_ALL] {
        let options = Options { unroll, ..Options::default() };
        let translation = match module.translate_stage(stage, "main", &options) {
            Ok(translation) => translation,
            Err(error) => return Verdict::Refused(error.to_string()),
        };
        match fault(&translation) {
            // Loops that are written out may be more than the compiler takes.
            Some(fault) if unroll != 0 && fault.starts_with("compile:") => continue,
            Some(fault) => return Verdict::Refused(fault),
            None => {}
        }
        let runs = match run_all(&translation, &memories(program)) {
            Ok(runs) => runs,
            Err(error) => return Verdict::Refused(error),
        };
        for (way, output) in runs {
            if let Some(difference) = difference(program, &expected, &output, Expected::accepts) {
                return Verdict::Ours(format!("{way}, unroll {unroll}: {difference}"));
            }
        }
    }
    match mesa {
        Some(mesa) => with_mesa(program, &expected, mesa),
        None => Verdict::Same,
    }
}

/// Returns the expected results of a program.
///
/// # Errors
/// The program runs too long, or an index is out of bounds.
pub fn expected(program: &Program) -> Result<Results, &'static str> {
    evaluate(program, BUDGET)
}

/// Returns the buffers of a program before it runs. Slots are counted over the whole module, so they are in the
/// bindings' order.
pub fn memories(program: &Program) -> Memories {
    let buffer = |space: Space| {
        let mut data = program.data.iter();
        let found = data.find(|(var, _)| program.vars[*var].space == space);
        found.map(|(var, words)| program.bytes(*var, words)).unwrap_or_default()
    };
    let results = (program.slots.len() * INVOCATIONS).max(1);
    Memories {
        constants: vec![buffer(Space::Uniform)],
        buffers: vec![
            buffer(Space::Storage),
            UNWRITTEN.to_le_bytes().repeat(results),
            vec![0; 4 * COUNTERS as usize],
        ],
        shared: 0,
    }
}

fn with_mesa(program: &Program, expected: &Results, mesa: &mut Mesa) -> Verdict {
    // In other stages the body has the same results as in a compute shader.
    let program = Program { stage: Stage::Compute, ..program.clone() };
    let Memories { constants, buffers, .. } = memories(&program);
    let numbered = |first: u32, all: Vec<Vec<u8>>| (first..).zip(all).collect::<Vec<_>>();
    match mesa.run(&guarded(&program), &numbered(0, constants), &numbered(1, buffers)) {
        Err(error) if error.is::<Ended>() => Verdict::MesaKnown("its compiler crashes"),
        Err(error) => Verdict::MesaRefused(format!("{error:#}")),
        Ok(buffers) => {
            let output = Output { buffers, outputs: Vec::new() };
            match difference(&program, expected, &output, Expected::accepts_loosely) {
                None => Verdict::Same,
                Some(_) if continues_in_switches(&program) => {
                    Verdict::MesaKnown("a `continue` in a switch in a switch")
                }
                Some(difference) => Verdict::Mesa(difference),
            }
        }
    }
}

/// Returns true if a program continues a loop from a switch in a switch. Mesa 22.3 makes loops of switches, and
/// continues only after the inner one.
fn continues_in_switches(program: &Program) -> bool {
    fn of(statements: &[Stmt], switches: u32) -> bool {
        statements.iter().any(|statement| match statement {
            Stmt::Continue => switches > 1,
            Stmt::If(_, accept, reject) => of(accept, switches) || of(reject, switches),
            Stmt::Block(body) => of(body, switches),
            Stmt::For(_, _, body) | Stmt::While(_, _, body) => of(body, 0),
            Stmt::Loop(_, _, body, continuing, _) => of(body, 0) || of(continuing, 0),
            Stmt::Switch(_, cases) => cases.iter().any(|(_, body)| of(body, switches + 1)),
            _ => false,
        })
    }
    of(&program.main, 0) || program.functions.iter().any(|function| of(&function.body, 0))
}

/// Returns the first word that `accepts` does not.
pub fn difference(
    program: &Program,
    expected: &Results,
    output: &Output,
    accepts: fn(Expected, u32) -> bool,
) -> Option<String> {
    let slots = program.slots.len();
    let got = match program.stage {
        Stage::Compute => words(output.buffers.get(1)?),
        Stage::Fragment | Stage::Vertex => (0..INVOCATIONS * slots)
            .map(|at| {
                let (lane, slot) = (at / slots, at % slots);
                output.outputs.get(slot / 4).map_or(0, |register| register[lane][slot % 4])
            })
            .collect(),
    };
    for (at, (&got, &expected)) in got.iter().zip(&expected.words).enumerate() {
        if !accepts(expected, got) {
            let expected = match expected {
                Expected::Bits(bits) => format!("{bits:#x}"),
                Expected::Float(value) => format!("{value}"),
                Expected::Near(value, error) => format!("{value} ± {error}"),
            };
            return Some(format!(
                "results {} of invocation {}: {got:#x} ({}), not {expected}",
                at % slots,
                at / slots,
                f32::from_bits(got)
            ));
        }
    }
    if program.stage == Stage::Compute {
        let got = words(output.buffers.get(2)?);
        for (at, (got, expected)) in got.iter().zip(&expected.counters).enumerate() {
            if got != expected {
                return Some(format!("counter {at}: {got:#x}, not {expected:#x}"));
            }
        }
    }
    None
}
