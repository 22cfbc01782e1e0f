//! A program's body as Rust code, for one lane width.
//!
//! Runs of arithmetic become one loop over the lanes. Within the loop a row is a variable, and only
//! values read after the loop go back to the register file. Masks are variables of the function.
//! Jumps ahead leave labelled blocks, and jumps back are loops.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tgsi::exec::OpCode;
use tgsi::program::{Constant, ConstantSource, Op, Program, Row, Space};

use crate::Refusal;

/// The lane widths there are.
pub const WIDTHS: [usize; 3] = [4, 16, 64];

/// Returns the function `body<lanes>`, or the reason why it cannot exist.
pub(crate) fn function(program: &Program<'_>, lanes: usize) -> Result<String, Refusal> {
    let writer = Writer {
        program,
        lanes,
        literals: literals(program),
        live: liveness(program),
        text: String::new(),
    };
    writer.function()
}

/// The call that makes the interpreter run an op, up to the op's number.
pub(crate) const STEP: &str = "s.step(";

/// Returns the function `preamble`; `None` if the program has no preamble, or one with more than
/// arithmetic.
pub(crate) fn preamble(program: &Program<'_>) -> Option<String> {
    let mut lines = String::new();
    for op in program.preamble {
        let (count, function) = (op.code.operands()?, op.code.scalar_name()?);
        let rows = [op.a, op.b, op.c, Row(op.aux)];
        let operands: Vec<String> =
            rows.iter().take(count).map(|row| format!("rows.get({})", row.0)).collect();
        let (dst, operands) = (op.dst.0, operands.join(", "));
        let value = format!("exec::native::scalar::{function}({operands})");
        lines += &format!("let value = {value}; rows.set({dst}, value);\n");
    }
    let code = format!(
        "#[allow(warnings, clippy::all)]\nfn preamble(rows: &mut dyn exec::native::Same) {{ {lines} }}\n"
    );
    (!lines.is_empty()).then_some(code)
}

/// Returns the rows that hold an immediate during the whole program, with its bits.
pub(crate) fn literals(program: &Program<'_>) -> BTreeMap<Row, u32> {
    let immediate = |constant: &Constant| match constant.source {
        ConstantSource::Immediate(bits) => Some((constant.row, bits)),
        ConstantSource::Buffer { .. } => None,
    };
    let mut literals: BTreeMap<Row, u32> = program.constants.iter().filter_map(immediate).collect();
    // An immediate that only the preamble reads may share its row with an input.
    let inputs = program.inputs.iter().map(|input| input.rows);
    for row in inputs.chain(program.system_values.iter().map(|value| value.rows)).flatten() {
        literals.remove(&row);
    }
    for op in program.preamble.iter().chain(program.body) {
        let writes = effect(program, op).writes;
        literals.retain(|row, _| !writes.contains(row));
    }
    // Tables read their rows from the register file; only arithmetic takes literals.
    literals
}

/// The rows that an op reads.
enum Rows {
    Some(Vec<Row>),
    /// Any row may be read.
    All,
}

struct Effect {
    reads: Rows,
    /// Rows that are overwritten in every lane. Rows written in only some lanes count as read too.
    writes: Vec<Row>,
}

/// Returns the rows that an op reads and writes; masks are not rows here.
fn effect(program: &Program<'_>, op: &Op) -> Effect {
    use OpCode::*;
    let Op { code, aux, dst, a, b, c } = *op;
    let some = |reads: &[Row], writes: &[Row]| Effect {
        reads: Rows::Some(reads.to_vec()),
        writes: writes.to_vec(),
    };
    if let Some(count) = code.operands() {
        return some(&[a, b, c, Row(aux)][..count], &[dst]);
    }
    match code {
        Select => some(&[b, c], &[dst]),
        Update => some(&[a, dst], &[dst]),
        Ddx | Ddy | DdxFine | DdyFine => some(&[a], &[dst]),
        KillIf | If | IfBits => some(&[a], &[]),
        NotCase | Case => some(&[a, b], &[]),
        Kill | Save | Leave | Nobody | Loop | EndLoop | Else | EndIf | Default => some(&[], &[]),
        Clear => {
            let rows: Vec<Row> = (dst.0..dst.0.saturating_add(aux)).map(Row).collect();
            some(&[], &rows)
        }
        Sample => {
            let Some(sample) = program.samples.get(usize::from(aux)) else { return some(&[], &[]) };
            let units = [sample.view_row, sample.sampler_row];
            let single = [sample.layer, sample.compare, sample.lod, sample.component_row];
            let triples = [sample.coord, sample.ddx, sample.ddy, sample.offset_rows];
            let reads = units.into_iter().chain(single).chain(triples.into_iter().flatten());
            let reads: Vec<Row> = reads.filter(|row| *row != Row::NONE).collect();
            let writes: Vec<Row> = sample.dst.into_iter().filter(|row| *row != Row::NONE).collect();
            some(&reads, &writes)
        }
        Gather | Scatter => {
            let mut reads = vec![a, b];
            let access = program.accesses.get(usize::from(aux));
            if let Some(Space::Rows { first, registers }) = access.map(|access| access.space) {
                reads.extend((first.0..first.0.saturating_add(4 * registers)).map(Row));
            }
            let writes = [dst];
            some(&reads, if code == Gather { &writes } else { &[] })
        }
        _ => Effect { reads: Rows::All, writes: written(program, op) },
    }
}

/// Returns the rows that an op writes when the interpreter runs it.
fn written(program: &Program<'_>, op: &Op) -> Vec<Row> {
    let aux = usize::from(op.aux);
    let pair = |rows: [Row; 2]| rows.to_vec();
    let four = |rows: [Row; 4]| rows.to_vec();
    let rows = match op.code {
        OpCode::Wide => program.wides.get(aux).map(|wide| pair(wide.dst)),
        OpCode::Memory => program.memory.get(aux).map(|memory| four(memory.dst)),
        OpCode::Interpolate => program.inputs_at.get(aux).map(|input| four(input.dst)),
        OpCode::StoreVertex | OpCode::Emit | OpCode::EndPrimitive => None,
        OpCode::Clock => Some(vec![op.dst, op.b]),
        _ => Some(vec![op.dst]),
    };
    rows.unwrap_or_default().into_iter().filter(|row| *row != Row::NONE).collect()
}

/// A set of rows.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(rows: u16) -> Set {
        Set(vec![0; usize::from(rows).div_ceil(64)])
    }

    fn has(&self, row: Row) -> bool {
        self.0.get(usize::from(row.0) / 64).is_some_and(|word| word >> (row.0 % 64) & 1 != 0)
    }

    fn insert(&mut self, row: Row) {
        if let Some(word) = self.0.get_mut(usize::from(row.0) / 64) {
            *word |= 1 << (row.0 % 64);
        }
    }

    fn remove(&mut self, row: Row) {
        if let Some(word) = self.0.get_mut(usize::from(row.0) / 64) {
            *word &= !(1 << (row.0 % 64));
        }
    }

    fn unite(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }
}

/// Returns the rows that are read after each place: before op 0, before op 1, …, at the end.
fn liveness(program: &Program<'_>) -> Vec<Set> {
    let ops = program.body;
    let mut live = vec![Set::new(program.rows); ops.len() + 1];
    for row in program.outputs.iter().flat_map(|output| output.rows) {
        live[ops.len()].insert(row);
    }
    loop {
        let mut again = false;
        for (at, op) in ops.iter().enumerate().rev() {
            let mut set = live[at + 1].clone();
            if op.code.jumps() {
                set.unite(&live[usize::from(op.aux).min(ops.len())]);
            }
            let Effect { reads, writes } = effect(program, op);
            writes.into_iter().for_each(|row| set.remove(row));
            match reads {
                Rows::Some(reads) => reads.into_iter().for_each(|row| set.insert(row)),
                Rows::All => set.0.fill(!0),
            }
            again |= set != live[at];
            live[at] = set;
        }
        if !again {
            return live;
        }
    }
}

/// A part of the body that jumps leave forward, or repeat from its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    start: usize,
    end: usize,
    turns: bool,
}

/// Returns the blocks of a body, properly nested, outer ones first.
fn blocks(ops: &[Op]) -> Result<Vec<Block>, String> {
    let mut ahead: BTreeMap<usize, usize> = BTreeMap::new();
    let mut blocks = Vec::new();
    for (at, op) in ops.iter().enumerate().filter(|(_, op)| op.code.jumps()) {
        let target = usize::from(op.aux);
        if op.code == OpCode::EndLoop {
            if target > at {
                return Err(String::from("a loop that begins after its end"));
            }
            blocks.push(Block { start: target, end: at + 1, turns: true });
        } else if target > at + 1 {
            let start = ahead.entry(target).or_insert(at);
            *start = (*start).min(at);
        } else if target <= at {
            return Err(String::from("a jump back that is no loop's"));
        }
    }
    let labels = ahead.into_iter();
    blocks.extend(labels.map(|(end, start)| Block { start, end, turns: false }));
    // A block that begins inside another one and ends after it is extended to begin with it.
    loop {
        let mut again = false;
        for inner in 0..blocks.len() {
            for outer in 0..blocks.len() {
                let (a, b) = (blocks[inner], blocks[outer]);
                if a.start < b.start && b.start < a.end && a.end < b.end {
                    if b.turns {
                        return Err(String::from("a jump into a loop"));
                    }
                    blocks[outer].start = a.start;
                    again = true;
                }
            }
        }
        if !again {
            break;
        }
    }
    blocks.sort_by_key(|block| (block.start, std::cmp::Reverse(block.end), block.turns));
    Ok(blocks)
}

struct Writer<'p> {
    program: &'p Program<'p>,
    lanes: usize,
    literals: BTreeMap<Row, u32>,
    /// The rows read from each place on.
    live: Vec<Set>,
    text: String,
}

/// Returns true if an op works on each lane separately.
fn is_per_lane(code: OpCode) -> bool {
    code.operands().is_some() || matches!(code, OpCode::Select | OpCode::Update)
}

/// Returns true if an op has no vector instruction: one such op keeps the loop around it scalar.
fn is_scalar(code: OpCode) -> bool {
    use OpCode::*;
    matches!(code, Idiv | Udiv | Imod | Umod | Fma)
}

impl Writer<'_> {
    fn function(mut self) -> Result<String, Refusal> {
        let ops = self.program.body;
        let blocks = blocks(ops)?;
        let cuts: BTreeSet<usize> =
            blocks.iter().flat_map(|block| [block.start, block.end]).collect();
        let mut body = String::new();
        let mut open: Vec<Block> = Vec::new();
        let mut unopened = blocks.iter().peekable();
        let mut at = 0;
        loop {
            while let Some(block) = open.pop_if(|block| block.end == at) {
                let _ = block;
                body += "}\n";
            }
            while let Some(block) = unopened.next_if(|block| block.start == at) {
                let word = if block.turns { "loop " } else { "" };
                let kind = if block.turns { 'l' } else { 'b' };
                writeln!(body, "'{kind}{}: {word}{{", block.end).map_err(|e| e.to_string())?;
                open.push(*block);
            }
            let Some(op) = ops.get(at) else { break };
            if is_per_lane(op.code) {
                let end = self.run_end(at, &cuts);
                self.segment(at, end);
                body += &std::mem::take(&mut self.text);
                at = end;
            } else {
                body += &self.single(at, op)?;
                at += 1;
            }
        }
        let masks: BTreeSet<Row> = ops.iter().flat_map(mask_rows).collect();
        let masks: String =
            masks.iter().map(|row| format!("let mut m{} = 0u64;\n", row.0)).collect();
        let lanes = self.lanes;
        Ok(format!(
            "#[allow(warnings, clippy::all)]\n\
             fn body{lanes}(ops: exec::native::Ops<'_, [u32; {lanes}]>)\n\
             -> ::core::result::Result<(), exec::ExecError> {{\n\
             exec::native::run(ops, #[inline(always)] |s| {{\n{masks}{body}\
             ::core::result::Result::Ok(()) }}) }}\n"
        ))
    }

    /// Returns the end of the run of ops from `at` on that one loop computes.
    fn run_end(&self, at: usize, cuts: &BTreeSet<usize>) -> usize {
        let ops = self.program.body;
        let scalar = is_scalar(ops[at].code);
        let mut end = at + 1;
        while let Some(op) = ops.get(end) {
            if !is_per_lane(op.code) || is_scalar(op.code) != scalar || cuts.contains(&end) {
                break;
            }
            end += 1;
        }
        end
    }

    /// Writes one loop over the lanes for the ops from `start` to `end`.
    fn segment(&mut self, start: usize, end: usize) {
        let ops = &self.program.body[start..end];
        let mut values: BTreeMap<Row, String> = BTreeMap::new();
        let mut written: BTreeSet<Row> = BTreeSet::new();
        let mut masks: BTreeSet<String> = BTreeSet::new();
        let mut lines = String::new();
        for (at, op) in ops.iter().enumerate() {
            let mut value = |row: Row| -> String {
                if let Some(known) = values.get(&row) {
                    return known.clone();
                }
                let name = match self.literals.get(&row) {
                    Some(bits) => format!("{bits}u32"),
                    None => {
                        lines += &format!("let r{0} = rows[{0}][lane];\n", row.0);
                        format!("r{}", row.0)
                    }
                };
                values.insert(row, name.clone());
                name
            };
            let result = match op.code {
                OpCode::Select => {
                    masks.insert(format!("m{}", op.a.0));
                    let (b, c) = (value(op.b), value(op.c));
                    format!("if m{} >> bit & 1 != 0 {{ {b} }} else {{ {c} }}", op.a.0)
                }
                OpCode::Update => {
                    masks.insert(String::from("exec"));
                    let (a, dst) = (value(op.a), value(op.dst));
                    format!("if exec >> bit & 1 != 0 {{ {a} }} else {{ {dst} }}")
                }
                code => {
                    let rows = [op.a, op.b, op.c, Row(op.aux)];
                    let count = code.operands().unwrap_or(0);
                    let operands: Vec<String> =
                        rows.into_iter().take(count).map(&mut value).collect();
                    let function = code.scalar_name().unwrap_or_default();
                    format!("exec::native::scalar::{function}({})", operands.join(", "))
                }
            };
            lines += &format!("let v{at} = {result};\n");
            values.insert(op.dst, format!("v{at}"));
            written.insert(op.dst);
        }
        for row in written.iter().filter(|row| self.live[end].has(**row)) {
            lines += &format!("rows[{}][lane] = {};\n", row.0, values[row]);
        }
        self.loop_over_lanes(&lines, &masks);
    }

    /// Writes a loop over the lanes around `lines`, which may use the lane's bit of masks.
    fn loop_over_lanes(&mut self, lines: &str, masks: &BTreeSet<String>) {
        let (lanes, rows) = (self.lanes, self.program.rows);
        let width = lanes.min(32);
        self.text += "{\n";
        if masks.contains("exec") {
            self.text += "let exec = s.exec;\n";
        }
        self.text += &format!("let rows = s.rows::<{rows}>()?;\n");
        if masks.is_empty() {
            self.text += &format!("for lane in 0..{lanes}usize {{\n{lines}}}\n}}\n");
            return;
        }
        // 32-bit shifts suit the vector unit.
        self.text += &format!("for part in 0..{}usize {{\n", lanes / width);
        for mask in masks {
            self.text += &format!("let {mask} = ({mask} >> (part * {width})) as u32;\n");
        }
        self.text += &format!(
            "for bit in 0..{width}usize {{\nlet lane = part * {width} + bit;\n{lines}}}\n}}\n}}\n"
        );
    }

    /// Returns the code of an op that is not part of a loop.
    fn single(&self, at: usize, op: &Op) -> Result<String, Refusal> {
        use OpCode::*;
        let rows = format!("let rows = s.rows::<{}>()?;", self.program.rows);
        let Op { code, dst: Row(dst), a: Row(a), b: Row(b), c: Row(c), .. } = *op;
        let leave = if code.jumps() && usize::from(op.aux) > at + 1 {
            format!("if s.exec == 0 {{ break 'b{}; }}", op.aux)
        } else {
            String::new()
        };
        let test = |function: &str| {
            format!("let where_ = {{ {rows} exec::native::{function}(&rows[{a}]) }};")
        };
        let equal =
            format!("let where_ = {{ {rows} exec::native::equal(&rows[{a}], &rows[{b}]) }};");
        let line = match code {
            Ddx | Ddy | DdxFine | DdyFine => format!("s.derivative({at})?;"),
            Gather => format!("s.gather({at})?;"),
            Scatter => format!("s.scatter({at})?;"),
            Sample => format!("s.sample({at})?;"),
            Kill => String::from("s.live &= !s.exec;"),
            KillIf => format!("{} s.live &= !(s.exec & where_);", test("negative")),
            Save => format!("m{dst} = s.exec;"),
            Leave => format!("m{dst} &= !s.exec;"),
            Nobody => String::from("s.exec = 0;"),
            NotCase => format!("{equal} m{dst} &= !where_;"),
            Loop => format!("m{dst} = s.exec; m{b} = s.exec;"),
            If | IfBits => {
                let test = test(if code == If { "nonzero" } else { "set" });
                format!("m{b} = s.exec; {test} s.exec &= where_; m{dst} = s.exec; {leave}")
            }
            Else => format!("s.exec = m{b} & !m{a}; {leave}"),
            EndIf => format!("s.exec = m{a}; {leave}"),
            Case => format!(
                "{equal} let where_ = where_ & m{c}; m{c} &= !where_; m{dst} = where_; \
                 s.exec |= where_; {leave}"
            ),
            Default => format!("s.exec |= m{a}; {leave}"),
            EndLoop => format!(
                "s.exec = m{a}; if s.exec == 0 {{ s.exec = m{b}; break 'l{}; }} s.turn()?;",
                at + 1
            ),
            Barrier => {
                let reason = String::from("a program with barriers cannot be native");
                return Err(Refusal { reason, op: Some(at) });
            }
            _ => format!("{STEP}{at})?;"),
        };
        Ok(format!("{{ {line} }}\n"))
    }
}

/// Returns the rows that an op uses as masks.
fn mask_rows(op: &Op) -> Vec<Row> {
    use OpCode::*;
    match op.code {
        Select | EndIf | Default => vec![op.a],
        Save | Leave | NotCase => vec![op.dst],
        If | IfBits | Loop => vec![op.dst, op.b],
        Else | EndLoop => vec![op.a, op.b],
        Case => vec![op.dst, op.c],
        _ => Vec::new(),
    }
}
