//! The segments of a program's body: runs of ops that code is generated for.

use tgsi::exec::{Op, OpCode};
use tgsi::program::{Program, Row, Space};
use tgsi::shader::Processor;

use crate::recipe::{Operands, is_generated, operands};

/// The most ops of a body that gets code. The limit bounds time and memory.
const MAX_OPS: usize = 4096;

/// The fewest ops of a segment: calling fewer costs as much as interpreting them.
const MIN_OPS: usize = 3;

/// Returns true if a program can get code: its stage runs batches that ask for code, and its size
/// is bounded.
pub(crate) fn can_have_code(program: &Program<'_>) -> bool {
    matches!(program.processor, Processor::Vertex | Processor::Fragment | Processor::Compute)
        && program.body.len() <= MAX_OPS
        && program.rows > 0
}

/// A program's segments, and the body that calls them.
pub(crate) struct Plan {
    pub(crate) body: Vec<Op>,
    pub(crate) segments: Vec<Segment>,
}

/// Ops that run one after another on a part of the lanes.
pub(crate) struct Segment {
    pub(crate) ops: Vec<Op>,
    /// Set if an op reads the mask of running lanes.
    pub(crate) uses_exec: bool,
    /// One flag per row: set if the row's memory must be valid after the segment, because code
    /// outside the segment reads the row, or the segment reads it before it writes it.
    pub(crate) kept: Vec<bool>,
}

impl Plan {
    /// Divides the body of a program that [`can_have_code`]; `None` if it names rows that do not
    /// exist.
    pub(crate) fn new(program: &Program<'_>) -> Option<Plan> {
        let ranges = divide(program.body);
        let readers = Readers::of(program, &ranges);
        let mut body = Vec::with_capacity(program.body.len());
        // The new index of each op. Ops inside a segment, to which nothing jumps, get the index of
        // the next op.
        let mut places = Vec::with_capacity(program.body.len() + 1);
        let mut segments = Vec::new();
        let mut next = ranges.iter().enumerate().peekable();
        let mut at = 0;
        while let Some(&op) = program.body.get(at) {
            places.push(body.len());
            if let Some((number, range)) = next.next_if(|(_, range)| range.start == at) {
                body.push(Op::new(OpCode::Segment, number as u16, 0, 0, 0, 0));
                let ops = program.body.get(range.clone())?;
                segments.push(Segment {
                    ops: ops.to_vec(),
                    uses_exec: ops.iter().any(|op| op.code == OpCode::Update),
                    kept: readers.kept(number, ops)?,
                });
                places.resize(range.end, body.len());
                at = range.end;
            } else {
                body.push(op);
                at += 1;
            }
        }
        places.push(body.len());
        for op in body.iter_mut().filter(|op| op.code.jumps()) {
            op.aux = places.get(usize::from(op.aux)).map_or(op.aux, |&place| place as u16);
        }
        Some(Plan { body, segments })
    }
}

/// Returns the ranges of ops that become segments. Jumps lead only to the beginning of a segment.
fn divide(body: &[Op]) -> Vec<std::ops::Range<usize>> {
    let mut entered = vec![false; body.len() + 1];
    for op in body.iter().filter(|op| op.code.jumps()) {
        if let Some(entered) = entered.get_mut(usize::from(op.aux)) {
            *entered = true;
        }
    }
    let mut ranges = Vec::new();
    let mut start = 0;
    let (mut masks, mut written) = (Vec::<Row>::new(), Vec::<Row>::new());
    for (at, &is_entered) in entered.iter().enumerate() {
        let op = body.get(at).filter(|op| is_generated(op.code));
        // A segment runs all its ops on some lanes before the next lanes, so it must not change a
        // row that it reads as a mask of all lanes.
        let clash = op.is_some_and(|op| {
            op.code == OpCode::Select && (op.a == op.dst || written.contains(&op.a))
                || masks.contains(&op.dst)
        });
        if op.is_none() || is_entered || clash {
            if at - start >= MIN_OPS {
                ranges.push(start..at);
            }
            start = at;
            masks.clear();
            written.clear();
        }
        match op {
            // The interpreter, which runs one op after another on all lanes, runs this op.
            Some(op) if op.code == OpCode::Select && op.a == op.dst => start = at + 1,
            Some(op) => {
                if op.code == OpCode::Select {
                    masks.push(op.a);
                }
                written.push(op.dst);
            }
            None => start = at + 1,
        }
    }
    ranges
}

/// The reader of each row.
struct Readers(Vec<Reader>);

#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Nobody,
    Segment(usize),
    /// Several segments, the interpreter, or the reader of the program's outputs.
    Others,
}

impl Readers {
    fn of(program: &Program<'_>, ranges: &[std::ops::Range<usize>]) -> Readers {
        let mut readers = Readers(vec![Reader::Nobody; program.rows.into()]);
        for (number, range) in ranges.iter().enumerate() {
            for op in program.body.get(range.clone()).unwrap_or(&[]) {
                let Operands { rows, mask } = operands(op);
                for row in rows.into_iter().flatten() {
                    readers.read(row, Reader::Segment(number));
                }
                if let Some(row) = mask {
                    readers.read(row, Reader::Others);
                }
            }
        }
        let mut ranges = ranges.iter().peekable();
        for (at, op) in program.body.iter().enumerate() {
            ranges.next_if(|range| range.end <= at);
            if ranges.peek().is_none_or(|range| !range.contains(&at)) {
                readers.others([op.dst, op.a, op.b, op.c]);
                if op.code.operands() == Some(4) {
                    readers.others([Row(op.aux)]);
                }
            }
        }
        readers.tables(program);
        readers
    }

    /// Adds the rows that ops read through the program's tables, and the outputs.
    fn tables(&mut self, program: &Program<'_>) {
        for output in program.outputs {
            self.others(output.rows);
        }
        for sample in program.samples {
            self.others(
                [sample.coord, sample.ddx, sample.ddy, sample.offset_rows].into_iter().flatten(),
            );
            self.others([sample.layer, sample.compare, sample.lod]);
            self.others([sample.view_row, sample.sampler_row, sample.component_row]);
        }
        for access in program.accesses {
            if let Space::Rows { first, registers } = access.space {
                let end = first.0.saturating_add(registers.saturating_mul(4));
                self.others((first.0..end).map(Row));
            }
        }
        for wide in program.wides {
            self.others([wide.a, wide.b, wide.c].into_iter().flatten());
        }
        for memory in program.memory {
            self.others([memory.address, memory.value].into_iter().flatten());
            self.others([memory.unit_row, memory.compare]);
        }
        for input in program.inputs_at {
            self.others(input.at.into_iter().chain(input.plain));
        }
    }

    fn others(&mut self, rows: impl IntoIterator<Item = Row>) {
        for row in rows {
            self.read(row, Reader::Others);
        }
    }

    fn read(&mut self, row: Row, by: Reader) {
        if let Some(reader) = self.0.get_mut(usize::from(row.0)) {
            *reader = if *reader == Reader::Nobody || *reader == by { by } else { Reader::Others };
        }
    }

    /// Returns, for each row, whether a segment must store the row's value to memory; `None` if an
    /// op names a row that does not exist.
    fn kept(&self, number: usize, ops: &[Op]) -> Option<Vec<bool>> {
        let mut kept: Vec<bool> = (self.0.iter())
            .map(|&reader| reader != Reader::Nobody && reader != Reader::Segment(number))
            .collect();
        let mut written = vec![false; kept.len()];
        for op in ops {
            for row in operands(op).rows.into_iter().flatten() {
                let row = usize::from(row.0);
                *kept.get_mut(row)? |= !*written.get(row)?;
            }
            *written.get_mut(usize::from(op.dst.0))? = true;
        }
        Some(kept)
    }
}
