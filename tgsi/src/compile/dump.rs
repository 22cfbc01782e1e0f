//! Prints lane code in readable form.
//!
//! `r7` is a row; `m7` is a row that holds a mask. Non-arithmetic ops are written as their effects:
//! `exec` is the mask of running lanes, `-> 12` is the op to jump to.

use crate::exec::OpCode;
use crate::exec::program::{Access, ConstantSource, Op, Program, Row, Sample, Space};
use crate::shader::Processor;
use core::fmt::{Display, Formatter, Result};

/// Prints a program: inputs and outputs, constants, tables, ops.
///
/// ```
/// # use gallium_tgsi::{compile::{Listing, compile}, text};
/// # use os_shim::Memory;
/// let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nADD OUT[0].x, IN[0].xxxx, IN[0].yyyy\nEND";
/// let shader = text::parse(text, Memory::system()).unwrap();
/// let compiled = compile(&shader, &Default::default(), Memory::system()).unwrap();
/// let listing = Listing(&compiled.program()).to_string();
/// assert!(listing.contains("  0  r1 = Add r0, r1\n"), "{listing}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Listing<'p>(pub &'p Program<'p>);

impl Display for Listing<'_> {
    #[expect(clippy::indexing_slicing, reason = "two bits are below 4")]
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let program = self.0;
        writeln!(
            f,
            "{}: {} rows, {} ops once a draw, {} a batch, {} turns of loops at most",
            program.processor,
            program.rows,
            program.preamble.len(),
            program.body.len(),
            program.loop_budget
        )?;
        if !program.uses.is_empty() {
            write!(f, "uses")?;
            for (name, _) in program.uses.iter_names() {
                write!(f, " {name}")?;
            }
            writeln!(f)?;
        }
        for (property, value) in program.properties.iter() {
            writeln!(f, "property {property} {value}")?;
        }
        for input in program.inputs {
            write!(f, "IN[{}] {}", input.register, input.semantic)?;
            if program.processor == Processor::Fragment {
                write!(f, " {} {}", input.interpolate, input.location)?;
            }
            writeln!(f, "{}", Components(&input.rows))?;
        }
        for value in program.system_values {
            writeln!(f, "SV {}{}", value.semantic, Components(&value.rows))?;
        }
        for output in program.outputs {
            let rows = Components(&output.rows);
            writeln!(f, "OUT[{}] {}{rows}", output.register, output.semantic)?;
        }
        for constant in program.constants {
            write!(f, "{} = ", Name(constant.row))?;
            match constant.source {
                ConstantSource::Immediate(bits) => writeln!(f, "{}", Bits(bits))?,
                ConstantSource::Buffer { buffer, word } => {
                    let component = COMPONENTS[usize::from(word & 3)];
                    writeln!(f, "CONST[{buffer}][{}].{component}", word / 4)?;
                }
            }
        }
        for sampler in program.samplers {
            writeln!(f, "SAMP[{}] SVIEW[{}] {}", sampler.unit, sampler.view, sampler.target)?;
        }
        for (at, sample) in program.samples.iter().enumerate() {
            writeln!(f, "sample {at}: {}", Lookup(sample))?;
        }
        for (at, access) in program.accesses.iter().enumerate() {
            writeln!(f, "access {at}: {}", Place(access))?;
        }
        for (at, wide) in program.wides.iter().enumerate() {
            write!(f, "wide {at}: {:?}", wide.code)?;
            for (title, pair) in [("a", wide.a), ("b", wide.b), ("c", wide.c), ("to", wide.dst)] {
                rows(f, title, &pair)?;
            }
            writeln!(f)?;
        }
        for (at, access) in program.memory.iter().enumerate() {
            write!(f, "memory {at}: {:?} {:?}[{}]", access.kind, access.space, access.unit)?;
            rows(f, "units +", &[access.unit_row])?;
            rows(f, "at", &access.address)?;
            rows(f, "value", &access.value)?;
            rows(f, "compare", &[access.compare])?;
            rows(f, "to", &access.dst)?;
            writeln!(f)?;
        }
        for (at, input) in program.inputs_at.iter().enumerate() {
            write!(f, "input {at}: {:?} IN[{}]", input.place, input.register)?;
            rows(f, "at", &input.at)?;
            rows(f, "plain", &input.plain)?;
            rows(f, "to", &input.dst)?;
            writeln!(f)?;
        }
        ops(f, "once a draw", program.preamble)?;
        ops(f, "once a batch", program.body)
    }
}

/// Prints the ops of a part, with blocks indented.
fn ops(f: &mut Formatter<'_>, title: &str, ops: &[Op]) -> Result {
    if ops.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}:")?;
    let mut depth = 0usize;
    for (at, op) in ops.iter().enumerate() {
        if matches!(op.code, OpCode::Else | OpCode::EndIf | OpCode::EndLoop) {
            depth = depth.saturating_sub(1);
        }
        writeln!(f, "{at:>4}  {:width$}{}", "", Line(op), width = 2 * depth)?;
        if matches!(op.code, OpCode::If | OpCode::IfBits | OpCode::Else | OpCode::Loop) {
            depth += 1;
        }
    }
    Ok(())
}

const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// One op.
struct Line<'a>(&'a Op);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Op { code, aux, dst, a, b, c } = *self.0;
        let (r, m) = (Name, Mask);
        match code {
            OpCode::Ddx | OpCode::Ddy | OpCode::DdxFine | OpCode::DdyFine => {
                write!(f, "{} = {code:?} {}", r(dst), r(a))
            }
            OpCode::Select => write!(f, "{} = {} ? {} : {}", r(dst), m(a), r(b), r(c)),
            OpCode::Update => write!(f, "{} = exec ? {} : {0}", r(dst), r(a)),
            OpCode::Clear => write!(f, "{} and the next, {aux} in all, = 0", r(dst)),
            OpCode::Gather => write!(f, "{} = access {aux} at {}, {}", r(dst), r(a), r(b)),
            OpCode::Scatter => write!(f, "access {aux} at {} = {}", r(a), r(b)),
            OpCode::Sample => write!(f, "sample {aux}"),
            OpCode::Wide => write!(f, "wide {aux}"),
            OpCode::Memory => write!(f, "memory {aux}"),
            OpCode::Interpolate => write!(f, "input {aux}"),
            OpCode::LoadVertex => {
                write!(f, "{} = access {aux} at {} of vertex {}", r(dst), r(a), r(b))
            }
            OpCode::StoreVertex => {
                write!(f, "access {aux} at {} of vertex {} = {}", r(a), r(b), r(c))
            }
            OpCode::Emit => write!(f, "emit to stream {}", r(a)),
            OpCode::EndPrimitive => write!(f, "end primitive of stream {}", r(a)),
            OpCode::Barrier => write!(f, "barrier"),
            OpCode::Clock => write!(f, "{}, {} = time", r(dst), r(b)),
            OpCode::Kill => write!(f, "kill exec"),
            OpCode::KillIf => write!(f, "kill exec & {} < 0", r(a)),
            OpCode::If | OpCode::IfBits => {
                let test = if code == OpCode::If { "float" } else { "bits" };
                write!(f, "{} = exec; {} = exec &= {} {test} ≠ 0; ", m(b), m(dst), r(a))?;
                write!(f, "nobody -> {aux}")
            }
            OpCode::Else => write!(f, "exec = {} & !{}; nobody -> {aux}", m(b), m(a)),
            OpCode::EndIf => write!(f, "exec = {}; nobody -> {aux}", m(a)),
            OpCode::Loop => write!(f, "loop: {} = {} = exec", m(dst), m(b)),
            OpCode::EndLoop => {
                write!(f, "exec = {}; somebody -> {aux}; else exec = {}", m(a), m(b))
            }
            OpCode::Save => write!(f, "{} = exec", m(dst)),
            OpCode::Leave => write!(f, "{} &= !exec", m(dst)),
            OpCode::Nobody => write!(f, "exec = nobody"),
            OpCode::NotCase => write!(f, "{} &= {} ≠ {}", m(dst), r(a), r(b)),
            OpCode::Case => {
                write!(f, "{} = {} & {} = {}; {1} &= !{0}; ", m(dst), m(c), r(a), r(b))?;
                write!(f, "exec |= {}; nobody -> {aux}", m(dst))
            }
            OpCode::Default => write!(f, "exec |= {}; nobody -> {aux}", m(a)),
            code => {
                write!(f, "{} = {code:?}", r(dst))?;
                let operands = code.operands().unwrap_or(3);
                for (at, row) in [a, b, c, Row(aux)].into_iter().take(operands).enumerate() {
                    write!(f, "{}{}", if at == 0 { " " } else { ", " }, r(row))?;
                }
                if code.operands().is_none() { write!(f, ", {aux}") } else { Ok(()) }
            }
        }
    }
}

/// A row.
struct Name(Row);

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0.index() {
            Some(row) => write!(f, "r{row}"),
            None => f.write_str("-"),
        }
    }
}

/// A row that holds a mask.
struct Mask(Row);

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0.index() {
            Some(row) => write!(f, "m{row}"),
            None => f.write_str("-"),
        }
    }
}

/// The rows of a register's components.
struct Components<'a>(&'a [Row; 4]);

impl Display for Components<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let rows = self.0.iter().zip(COMPONENTS).filter(|(row, _)| **row != Row::NONE);
        for (at, (row, component)) in rows.enumerate() {
            write!(f, "{} {component} {}", if at == 0 { ":" } else { "," }, Name(*row))?;
        }
        Ok(())
    }
}

/// The bits of a constant: printed as a float if they are a likely one, else as an integer.
struct Bits(u32);

impl Display for Bits {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let float = f32::from_bits(self.0);
        let magnitude = float.abs();
        match self.0 {
            0 => f.write_str("0"),
            bits if (1e-9..1e12).contains(&magnitude) => write!(f, "{float:?} ({bits:#010x})"),
            bits => write!(f, "{} ({bits:#010x})", bits as i32),
        }
    }
}

/// A texture lookup.
struct Lookup<'a>(&'a Sample);

impl Display for Lookup<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let sample = self.0;
        write!(f, "{:?} {} SVIEW[{}]", sample.kind, sample.target, sample.view)?;
        write!(f, " SAMP[{}]", sample.sampler)?;
        rows(f, "view +", &[sample.view_row])?;
        rows(f, "sampler +", &[sample.sampler_row])?;
        rows(f, "at", &sample.coord)?;
        rows(f, "layer", &[sample.layer])?;
        rows(f, "compare", &[sample.compare])?;
        rows(f, "lod", &[sample.lod])?;
        rows(f, "ddx", &sample.ddx)?;
        rows(f, "ddy", &sample.ddy)?;
        if sample.offset != [0; 3] {
            write!(f, ", offset {:?}", sample.offset)?;
        }
        rows(f, "offset +", &sample.offset_rows)?;
        rows(f, "component +", &[sample.component_row])?;
        write!(f, ", to")?;
        let rows = sample.dst.iter().zip(COMPONENTS).filter(|(row, _)| **row != Row::NONE);
        rows.into_iter().try_for_each(|(row, component)| write!(f, " {component} {}", Name(*row)))
    }
}

/// Writes `, title r1 r2`, if there are any rows.
fn rows(f: &mut Formatter<'_>, title: &str, rows: &[Row]) -> Result {
    let mut rows = rows.iter().filter(|row| **row != Row::NONE).peekable();
    if rows.peek().is_some() {
        write!(f, ", {title}")?;
    }
    rows.try_for_each(|row| write!(f, " {}", Name(*row)))
}

/// The registers that a computed address can reach.
struct Place<'a>(&'a Access);

impl Display for Place<'_> {
    #[expect(clippy::indexing_slicing, reason = "two bits are below 4")]
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Access { space, index, component } = *self.0;
        let component = COMPONENTS[usize::from(component & 3)];
        match space {
            Space::Rows { first, registers } => {
                write!(f, "{registers} registers from {}, ", Name(first))?;
            }
            Space::Constants { buffer } => write!(f, "CONST[{buffer:+}], ")?,
            Space::Vertices { place, vertex } => write!(f, "{place:?} of vertex {vertex:+}, ")?,
        }
        write!(f, "register {index:+}, {component}")
    }
}
