//! The instructions that a program takes on a microcontroller, estimated from the costs of its ops.
//!
//! The costs are counts of QEMU on mps2-an386, firmware profile, 16 lanes: two programs per op, with
//! two and with six of it, and the difference between them. [`FAR`] and [`RUN`] are fitted to the
//! counts of two shaders of the scenes; the test below compares others.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fmt::{Display, Formatter};

use tgsi::exec::OpCode::{self, *};
use tgsi::program::{ConstantSource, Program, Row};
use tgsi::shader::Processor;

/// Instructions of an op per lane: interpreted, and as machine code on values in registers.
#[rustfmt::skip]
const COSTS: &[(OpCode, [f32; 2])] = &[
    (Mov, [5.0, 0.0]), (Neg, [8.0, 2.0]), (Abs, [8.0, 2.0]), (Floor, [25.0, 18.0]),
    (Ceil, [27.0, 20.0]), (Trunc, [24.0, 17.0]), (Round, [19.0, 12.0]), (Fract, [26.0, 19.0]),
    (Sign, [14.0, 7.0]), (Rcp, [8.0, 1.0]), (Rsq, [12.0, 5.0]), (Sqrt, [10.0, 3.5]),
    (Saturate, [17.0, 12.0]), (F2i, [17.0, 10.0]), (F2u, [30.0, 23.0]), (I2f, [8.0, 1.0]),
    (U2f, [8.0, 1.0]), (Not, [8.0, 2.5]), (Ineg, [8.0, 2.0]), (Iabs, [10.0, 3.0]),
    (ReverseBits, [8.0, 2.0]), (CountOnes, [17.0, 8.0]), (Add, [9.0, 1.0]), (Sub, [9.0, 1.0]),
    (Mul, [9.0, 1.0]), (Div, [9.0, 1.0]), (Min, [22.0, 13.0]), (Max, [22.0, 13.0]),
    (Slt, [13.0, 5.0]), (Sge, [13.0, 5.0]), (Fslt, [13.0, 5.0]), (Fsge, [13.0, 5.0]),
    (Fseq, [13.0, 5.0]), (Fsne, [13.0, 5.0]), (Uadd, [10.0, 3.5]), (Usub, [10.0, 3.5]),
    (Umul, [9.0, 2.5]), (Imax, [12.0, 4.0]), (Imin, [12.0, 4.0]), (Umax, [12.0, 4.0]),
    (Umin, [12.0, 4.0]), (Islt, [13.0, 6.5]), (Isge, [13.0, 6.5]), (Uslt, [13.0, 6.5]),
    (Usge, [13.0, 6.5]), (Useq, [13.0, 6.5]), (Usne, [12.0, 3.5]), (And, [10.0, 3.5]),
    (Or, [10.0, 3.5]), (Xor, [10.0, 3.5]), (Shl, [11.0, 4.5]), (Ishr, [11.0, 4.5]),
    (Ushr, [11.0, 4.5]), (Ldexp, [43.0, 34.0]), (Mad, [11.0, 1.5]), (Msub, [11.0, 1.5]),
    (Nmad, [11.0, 1.5]), (Cmp, [16.0, 4.5]), (Ucmp, [13.0, 3.5]), (Umad, [13.0, 1.0]),
    (Ibfe, [32.0, 29.0]), (Ubfe, [32.0, 29.0]), (MadSaturate, [21.0, 11.5]),
    (SubMul, [11.0, 2.0]), (Dot2, [14.0, 2.0]), (MadAdd, [14.0, 3.0]), (SubMad, [13.0, 3.0]),
    (MadMin, [26.0, 14.5]), (MadMax, [26.0, 14.5]), (SelectLess, [15.0, 6.0]),
    (SelectNotLess, [15.0, 6.5]), (Exp2, [60.0, 47.0]), (Log2, [129.0, 116.5]),
    (Sin, [75.0, 69.0]), (Cos, [72.0, 67.0]), (Pow, [288.0, 280.0]), (Idiv, [19.0, 6.0]),
    (Udiv, [14.0, 2.5]), (Imod, [19.0, 7.0]), (Umod, [16.0, 3.5]),
];

/// The instructions of a minimum or maximum with an immediate, as machine code.
const LIMIT: f32 = 7.0;

/// Instructions to read or write a row as machine code for 16 lanes, in addition to one, if its
/// place needs more than the offset of an instruction; and the first such row.
const FAR: (f32, u16) = (0.8, 16);

/// Instructions around the ops: interpreted and native per lane, and of a pixel function.
const RUN: [f32; 3] = [6.8, 2.6, 9.0];

/// The meaning of the estimate, for the output.
pub const NOTE: &str = "estimated from the cost of each op, as QEMU counts it on mps2-an386; each loop turns once, both sides \
                    of a branch run; inputs are not fetched or interpolated";

/// The ways to run a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Interpreted,
    Native,
    Pixel,
}

/// Returns the estimated instructions per lane; ops without a cost count nothing.
fn instructions(program: &Program<'_>, mode: Mode) -> f32 {
    let immediates: BTreeSet<u16> = program
        .constants
        .iter()
        .filter(|it| matches!(it.source, ConstantSource::Immediate(_)))
        .map(|it| it.row.0)
        .collect();
    let mut sum = RUN[mode as usize];
    // Machine code reads a row at most once, and keeps the values that it computes in registers.
    let mut known: BTreeSet<u16> = immediates.clone();
    let mut accessed = Vec::new();
    for op in program.body {
        let Some([interpreted, native]) = cost(op.code) else { continue };
        sum += match (mode, op.code) {
            (Mode::Interpreted, _) => interpreted,
            (_, Min | Max) if immediates.contains(&op.b.0) => LIMIT,
            (_, MadMin | MadMax) if immediates.contains(&op.aux) => LIMIT + 1.0,
            _ => native,
        };
        let rows = [op.a, op.b, op.c, Row(op.aux)];
        for row in rows.iter().take(op.code.operands().unwrap_or(0)) {
            accessed.extend(known.insert(row.0).then_some(row.0));
        }
        known.insert(op.dst.0);
    }
    let written: BTreeSet<u16> = program.body.iter().map(|op| op.dst.0).collect();
    let outputs = program.outputs.iter().flat_map(|it| it.rows).map(|row| row.0);
    accessed.extend(outputs.filter(|row| written.contains(row)));
    let far = accessed.iter().filter(|row| **row >= FAR.1).count() as f32;
    sum + match mode {
        Mode::Interpreted => 0.0,
        Mode::Native => accessed.len() as f32 + FAR.0 * far,
        Mode::Pixel => accessed.len() as f32,
    }
}

/// Returns the costs of an op: interpreted, and as machine code.
fn cost(code: OpCode) -> Option<[f32; 2]> {
    COSTS.iter().find(|(known, _)| *known == code).map(|(_, cost)| *cost)
}

/// The estimated instructions of one run of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// The object of a run: `vertex`, `pixel` or `invocation`.
    pub one: &'static str,
    /// Interpreted lane code.
    pub interpreted: f32,
    /// Machine code for rows of lanes.
    pub native: f32,
    /// Machine code for one pixel, if the program can be such a function.
    pub pixel: Option<f32>,
    /// Ops without a known cost, which count nothing.
    pub without: Vec<String>,
}

/// Estimates the instructions of a program per vertex, pixel or invocation.
///
/// * `pixel`: the program with its loops written out, if it can be a function of one pixel.
pub fn estimate(program: &Program<'_>, pixel: Option<&Program<'_>>) -> Estimate {
    let one = match program.processor {
        Processor::Fragment => "pixel",
        Processor::Compute => "invocation",
        _ => "vertex",
    };
    let mut without: Vec<String> = Vec::new();
    for op in program.body.iter().filter(|op| cost(op.code).is_none()) {
        let name = format!("{:?}", op.code);
        if !without.contains(&name) {
            without.push(name);
        }
    }
    Estimate {
        one,
        interpreted: instructions(program, Mode::Interpreted),
        native: instructions(program, Mode::Native),
        pixel: pixel.map(|pixel| instructions(pixel, Mode::Pixel)),
        without,
    }
}

impl Display for Estimate {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { one, interpreted, native, pixel, without } = self;
        write!(f, "instructions per {one}: {interpreted:.0} interpreted, {native:.0} native")?;
        if let Some(pixel) = pixel {
            write!(f, ", {pixel:.0} as a pixel function")?;
        }
        if !without.is_empty() {
            write!(f, ", without the ops {}", without.join(", "))?;
        }
        write!(f, "\n({NOTE})")
    }
}

/// Returns the bytes that the tables of a program take in flash, without its machine code. They
/// hold no addresses, so they have the same size on a microcontroller as here.
pub fn flash(program: &Program<'_>) -> usize {
    size_of_val(program.properties)
        + size_of_val(program.inputs)
        + size_of_val(program.system_values)
        + size_of_val(program.outputs)
        + size_of_val(program.constants)
        + size_of_val(program.samplers)
        + size_of_val(program.samples)
        + size_of_val(program.accesses)
        + size_of_val(program.wides)
        + size_of_val(program.memory)
        + size_of_val(program.inputs_at)
        + size_of_val(program.preamble)
        + size_of_val(program.body)
}

#[cfg(test)]
mod tests {
    use super::{Mode, instructions};
    use naga_frontend::Module;
    use os_shim::Memory;
    use tgsi::compile::{CompileOptions, compile};

    #[test]
    fn estimates_are_near_the_counts() {
        let text = include_str!("../../../boards/scenes/shaders/model.wgsl");
        let module = Module::wgsl(text, "model.wgsl").expect("it is right");
        // Counts of the firmware for mps2-an386: of the function's instructions per vertex or pixel, in the
        // scenes bunny-vertex, S4, S3, teapot, bunny-pixel and bunny-pixel.
        for (entry, mode, counted) in [
            ("lit_vertex", Mode::Native, 121.1),
            ("diffuse_vertex", Mode::Native, 90.1),
            ("uv_vertex", Mode::Native, 51.3),
            ("textured_vertex", Mode::Native, 78.5),
            ("normal_vertex", Mode::Native, 51.4),
            ("lit_fragment", Mode::Pixel, 77.1),
        ] {
            let translation = module.translate(entry, &Default::default()).expect("it translates");
            let shader = &translation.shader;
            let compiled = compile(shader, &CompileOptions::DEFAULT, Memory::system());
            let estimated = instructions(&compiled.expect("it compiles").program(), mode);
            let error = estimated / counted - 1.0;
            assert!(error.abs() < 0.05, "{entry}: {estimated}, not {counted}");
        }
    }
}
