//! Checks that a program names only rows, entries and ops that it has.

use super::features::INTERPRETER;
use super::program::{InputAt, MemoryAccess, Op, Program, Row, Sample, Space, Wide};
use super::{ExecError, Group, OpCode};

impl Program<'_> {
    /// Checks every row, jump and index of the program. Without the feature `interpreter` it checks
    /// nothing: only native code runs then. Whatever the tables say, that code accesses only rows
    /// of the given file.
    ///
    /// # Errors
    /// [`ExecError::Malformed`] with the place. [`ExecError::LeftOut`] if an op belongs to a part
    /// of the executor that this build lacks.
    pub fn validate(&self) -> Result<(), ExecError> {
        if !INTERPRETER {
            return Ok(());
        }
        if let Some(group) = self.left_out() {
            return Err(ExecError::LeftOut { feature: group.feature() });
        }
        all("input", self.inputs, |input| input.rows.into_iter().all(|row| self.has_or_none(row)))?;
        all("system value", self.system_values, |value| {
            value.rows.into_iter().all(|row| self.has_or_none(row))
        })?;
        all("output", self.outputs, |output| {
            output.rows.into_iter().all(|row| self.has_or_none(row))
        })?;
        all("constant", self.constants, |constant| self.has(constant.row))?;
        all("sample", self.samples, |sample| self.sample_is_whole(sample))?;
        all("access", self.accesses, |access| match access.space {
            Space::Rows { first, registers } => {
                let end = usize::from(first.0) + 4 * usize::from(registers);
                end <= usize::from(self.rows) && access.component < 4
            }
            Space::Constants { .. } | Space::Vertices { .. } => access.component < 4,
        })?;
        // Tables that are read only by omitted ops need no check.
        if Group::Doubles.available() {
            all("64-bit operation", self.wides, |wide| self.wide_is_whole(wide))?;
        }
        if Group::Memory.available() {
            all("memory access", self.memory, |access| self.memory_is_whole(access))?;
        }
        if Group::Lanes.available() {
            all("input elsewhere", self.inputs_at, |input| self.input_is_whole(input))?;
        }
        all("preamble op", self.preamble, |op| self.op_is_whole(op, self.preamble))?;
        all("op", self.body, |op| self.op_is_whole(op, self.body))
    }

    /// Returns the first part of the executor that the program needs and this build lacks.
    pub fn left_out(&self) -> Option<Group> {
        let ops = self.preamble.iter().chain(self.body);
        ops.map(|op| op.code.group()).find(|group| !group.available())
    }

    fn has(&self, row: Row) -> bool {
        row.0 < self.rows
    }

    fn has_or_none(&self, row: Row) -> bool {
        row == Row::NONE || self.has(row)
    }

    fn op_is_whole(&self, op: &Op, ops: &[Op]) -> bool {
        let aux = usize::from(op.aux);
        [op.dst, op.a, op.b, op.c].into_iter().all(|row| self.has(row))
            && match op.code {
                OpCode::Sample => aux < self.samples.len(),
                OpCode::Gather | OpCode::Scatter => aux < self.accesses.len(),
                OpCode::LoadVertex | OpCode::StoreVertex => aux < self.accesses.len(),
                OpCode::Wide => aux < self.wides.len(),
                OpCode::Memory => aux < self.memory.len(),
                OpCode::Interpolate => aux < self.inputs_at.len(),
                OpCode::Clear => usize::from(op.dst.0) + aux <= usize::from(self.rows),
                code if code.operands() == Some(4) => self.has(Row(op.aux)),
                code => !code.jumps() || aux <= ops.len(),
            }
    }

    fn wide_is_whole(&self, wide: &Wide) -> bool {
        let rows = [wide.dst, wide.a, wide.b, wide.c];
        rows.into_iter().flatten().all(|row| self.has_or_none(row))
    }

    fn memory_is_whole(&self, access: &MemoryAccess) -> bool {
        let rows = [access.address, access.value, access.dst].into_iter().flatten();
        rows.chain([access.unit_row, access.compare]).all(|row| self.has_or_none(row))
    }

    fn input_is_whole(&self, input: &InputAt) -> bool {
        let rows = input.at.into_iter().chain(input.plain).chain(input.dst);
        rows.into_iter().all(|row| self.has_or_none(row))
    }

    fn sample_is_whole(&self, sample: &Sample) -> bool {
        let single =
            [sample.layer, sample.compare, sample.lod, sample.view_row, sample.sampler_row];
        let triples = [sample.coord, sample.ddx, sample.ddy, sample.offset_rows];
        let rows = single.into_iter().chain(triples.into_iter().flatten()).chain(sample.dst);
        rows.chain([sample.component_row]).all(|row| self.has_or_none(row))
    }
}

fn all<T>(part: &'static str, items: &[T], is_whole: impl Fn(&T) -> bool) -> Result<(), ExecError> {
    match items.iter().position(|item| !is_whole(item)) {
        Some(at) => Err(ExecError::Malformed { part, at }),
        None => Ok(()),
    }
}
