//! Emission: assigns rows to values, writes ops for nodes, and fills the program's tables.
//!
//! Rows are assigned in the order of the nodes. A value's row is free again after its last use, so
//! an op may write the row of an operand. Constants and the preamble's results keep their rows as
//! long as the body needs them. An output is the row of its value.

use super::graph::{Node, NodeKind, Value};
use super::live::{self, FOREVER, Info};
use super::steps::Limit;
use super::texture::SampleValues;
use super::{CompileError, CompileOptions, Compiled, Lower};
use crate::declaration::{Declaration, Interpolate, Location, Semantic, SemanticName};
use crate::exec::OpCode;
use crate::exec::program::{
    Constant, ConstantSource, Input, InputAt, MemoryAccess, Op, Output, Row, Sample, SystemValue,
    Uses, Wide,
};
use crate::register::File;
use crate::shader::Processor;
use os_shim::Vec;

/// The allocator of rows.
struct Rows<'m> {
    free: Vec<'m, u16>,
    next: u16,
}

impl Rows<'_> {
    fn take(&mut self) -> Result<Row, CompileError> {
        if let Some(row) = self.free.pop() {
            return Ok(Row(row));
        }
        let row = self.next;
        let next = row.checked_add(1).filter(|&next| next < u16::MAX);
        self.next = next.ok_or(CompileError::TooLarge { limit: Limit::Rows })?;
        Ok(Row(row))
    }

    fn give_back(&mut self, row: Row) -> Result<(), CompileError> {
        match row.index() {
            Some(row) => Ok(self.free.try_push(row as u16)?),
            None => Ok(()),
        }
    }
}

struct Emitter<'l, 's, 'm> {
    lower: &'l Lower<'s, 'm>,
    info: Vec<'m, Info>,
    rows: Rows<'m>,
    /// Jumps of the body, each with the node it goes to.
    jumps: Vec<'m, (usize, Value)>,
    /// Values that stay in use until the end of a loop.
    kept: Vec<'m, Value>,
    constants: Vec<'m, Constant>,
    preamble: Vec<'m, Op>,
    body: Vec<'m, Op>,
    /// The index of the instruction that each op of the body comes from.
    origins: Vec<'m, u32>,
}

/// Emits the program of a graph.
pub(super) fn emit<'m>(
    mut lower: Lower<'_, 'm>,
    options: &CompileOptions,
) -> Result<Compiled<'m>, CompileError> {
    let info = live::analyse(&mut lower)?;
    let (count, memory) = (lower.graph.nodes.len(), lower.memory);
    let mut emitter = Emitter {
        lower: &lower,
        info,
        rows: Rows { free: Vec::try_with_capacity_in(64, memory)?, next: lower.first_free_row },
        jumps: Vec::new_in(memory),
        kept: Vec::new_in(memory),
        constants: Vec::new_in(memory),
        preamble: Vec::new_in(memory),
        body: Vec::try_with_capacity_in(count, memory)?,
        origins: Vec::try_with_capacity_in(count, memory)?,
    };
    emitter.constants()?;
    emitter.nodes(true)?;
    emitter.sources()?;
    emitter.nodes(false)?;
    emitter.set_jumps();
    let inputs = emitter.inputs()?;
    let system_values = emitter.system_values()?;
    let outputs = emitter.outputs()?;
    let samples = emitter.samples()?;
    let wides = emitter.wides()?;
    let memory_accesses = emitter.memory()?;
    let inputs_at = emitter.inputs_at()?;
    let Emitter { rows, constants, preamble, body, origins, .. } = emitter;
    let row_count = rows.next.max(1);
    let uses = lower.uses | fragment_writes(lower.shader.processor(), &outputs);
    // Searches note their steps without a check, so check the budget here.
    lower.charge(0)?;
    Ok(Compiled {
        processor: lower.shader.processor(),
        properties: *lower.shader.properties(),
        uses,
        rows: row_count,
        loop_budget: options.loop_budget,
        steps: lower.graph.steps.taken(),
        inputs,
        system_values,
        outputs,
        constants,
        samplers: lower.samplers,
        samples,
        accesses: lower.accesses,
        wides,
        memory: memory_accesses,
        inputs_at,
        preamble,
        body,
        origins,
    })
}

/// Returns the fragment outputs other than colours that a program writes.
fn fragment_writes(processor: Processor, outputs: &[Output]) -> Uses {
    let mut uses = Uses::empty();
    for output in outputs.iter().filter(|_| processor == Processor::Fragment) {
        let [x, y, z, _] = output.rows.map(|row| row != Row::NONE);
        uses |= match output.semantic.name {
            SemanticName::Position if z => Uses::WRITES_DEPTH,
            SemanticName::Stencil if y => Uses::WRITES_STENCIL,
            SemanticName::SampleMask if x => Uses::WRITES_SAMPLE_MASK,
            _ => Uses::empty(),
        };
    }
    uses
}

impl<'m> Emitter<'_, '_, 'm> {
    /// Returns the row of a value, even after the row is free again.
    fn row(&self, value: Value) -> Row {
        self.info.get(value.index()).map_or(Row::NONE, |info| info.row)
    }

    fn set_row(&mut self, value: Value, row: Row) {
        if let Some(info) = self.info.get_mut(value.index()) {
            info.row = row;
        }
    }

    /// Assigns a row to a value.
    fn take_row(&mut self, value: Value) -> Result<(), CompileError> {
        let row = self.rows.take()?;
        self.set_row(value, row);
        Ok(())
    }

    fn is_live(&self, value: Value) -> bool {
        self.info.get(value.index()).is_some_and(|info| info.live)
    }

    /// Assigns rows to all constants, before any other value takes them.
    fn constants(&mut self) -> Result<(), CompileError> {
        for array in self.lower.arrays.iter().filter(|array| array.file == File::Immediate) {
            let immediates = self.lower.shader.immediates().iter();
            let words = immediates.flat_map(|immediate| immediate.bits);
            for (at, bits) in words.take(4 * usize::from(array.count)).enumerate() {
                let row = Row(array.row + at as u16);
                let source = ConstantSource::Immediate(bits);
                self.constants.try_push(Constant { row, source })?;
            }
        }
        for (at, node) in self.lower.graph.nodes.iter().enumerate() {
            let value = Value(at as u32);
            let source = match node.kind {
                NodeKind::Constant => ConstantSource::Immediate(node.a.0),
                NodeKind::Uniform => {
                    ConstantSource::Buffer { buffer: node.a.0 as u8, word: node.b.0 as u16 }
                }
                NodeKind::Fixed => {
                    self.set_row(value, Row(node.a.0 as u16));
                    continue;
                }
                _ => continue,
            };
            if self.is_live(value) {
                self.take_row(value)?;
                self.constants.try_push(Constant { row: self.row(value), source })?;
            }
        }
        Ok(())
    }

    /// Assigns rows to inputs and system values before the first op, because the caller fills them
    /// before the run.
    fn sources(&mut self) -> Result<(), CompileError> {
        for (at, node) in self.lower.graph.nodes.iter().enumerate() {
            let value = Value(at as u32);
            let source = matches!(node.kind, NodeKind::Input | NodeKind::SystemValue);
            if source && self.is_live(value) {
                self.take_row(value)?;
            }
        }
        Ok(())
    }

    /// Emits the nodes of the preamble or of the body.
    fn nodes(&mut self, preamble: bool) -> Result<(), CompileError> {
        let nodes = &self.lower.graph.nodes;
        for (at, node) in nodes.iter().enumerate() {
            let value = Value(at as u32);
            if !self.is_live(value) || node.uniform != preamble {
                continue;
            }
            match node.kind {
                NodeKind::Op => self.op(value, node)?,
                NodeKind::Phi => {
                    self.release_operands(value, node)?;
                    self.take_row(value)?;
                    self.push(value, node, OpCode::Mov, [value, node.a, Value::NONE, Value::NONE])?;
                }
                NodeKind::MaskRow | NodeKind::Result => {
                    self.take_row(value)?;
                    self.release_unused(value)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn op(&mut self, value: Value, node: &Node) -> Result<(), CompileError> {
        self.release_operands(value, node)?;
        let has_value = node.code.has_value();
        if has_value {
            self.take_row(value)?;
        }
        let rows = match node.code {
            // These ops write the row of an operand in the graph.
            OpCode::Update => [node.b, node.a, node.a, node.a],
            OpCode::Clear => [node.b, node.b, node.b, node.b],
            OpCode::Loop => [node.a, node.a, node.b, node.b],
            OpCode::Save | OpCode::Leave => [node.a, node.a, node.a, node.a],
            OpCode::NotCase => [node.c, node.a, node.b, node.b],
            OpCode::Else => [node.b, node.a, node.b, node.b],
            _ if has_value => [value, node.a, node.b, node.c],
            _ => [node.a, node.a, node.b, node.c],
        };
        self.push(value, node, node.code, rows)?;
        if has_value {
            self.release_unused(value)?;
        }
        Ok(())
    }

    /// Adds an op; omits copies of a row to itself.
    fn push(
        &mut self,
        value: Value,
        node: &Node,
        code: OpCode,
        operands: [Value; 4],
    ) -> Result<(), CompileError> {
        let [dst, a, b, c] = operands.map(|operand| self.row(operand));
        // Unused operands are checked like used ones, so they name any existing row.
        let dst = if dst == Row::NONE { Row(0) } else { dst };
        let a = if a == Row::NONE { dst } else { a };
        let b = if b == Row::NONE { a } else { b };
        let c = if c == Row::NONE { b } else { c };
        let aux = if node.d.is_some() { self.row(node.d).0 } else { node.aux };
        let ops = if node.uniform { &mut self.preamble } else { &mut self.body };
        let place =
            u16::try_from(ops.len()).map_err(|_| CompileError::TooLarge { limit: Limit::Ops })?;
        if let Some(info) = self.info.get_mut(value.index()) {
            info.place = place;
        }
        if code == OpCode::Mov && dst == a && self.lower.optimize {
            return Ok(());
        }
        if code.jumps() {
            self.jumps.try_push((ops.len(), node.target))?;
        }
        // Outside of branches all lanes run together.
        ops.try_push(Op { code, aux, dst, a, b, c })?;
        if !node.uniform {
            let origin = self.lower.graph.origins.get(value.index()).copied();
            self.origins.try_push(origin.unwrap_or(u32::MAX))?;
        }
        Ok(())
    }

    /// Frees the rows of operands that are not used after this node.
    fn release_operands(&mut self, value: Value, node: &Node) -> Result<(), CompileError> {
        let mut failed = Ok(());
        let (info, rows, kept, nodes) =
            (&mut self.info, &mut self.rows, &mut self.kept, &self.lower.graph.nodes);
        let mut release = |operand: Value| {
            let pinned = nodes.get(operand.index()).is_none_or(|node| node.kind == NodeKind::Fixed);
            let Some(info) = info.get_mut(operand.index()).filter(|_| !pinned) else {
                return Ok(());
            };
            if info.last_use == value.0 {
                info.last_use = 0;
                rows.give_back(info.row)?;
            } else if info.last_use > value.0 && info.last_use != FOREVER {
                let loop_end = nodes.get(info.last_use as usize);
                let is_end = loop_end.is_some_and(|node| node.is_op(OpCode::EndLoop));
                if is_end && !core::mem::replace(&mut info.kept, true) {
                    kept.try_push(operand)?;
                }
            }
            Ok::<(), CompileError>(())
        };
        live::for_each_operand(node, &self.lower.tables, |operand| {
            if failed.is_ok() {
                failed = release(operand);
            }
        });
        failed?;
        if node.is_op(OpCode::EndLoop) {
            self.release_kept(value)?;
        }
        Ok(())
    }

    /// Frees the rows that were kept for further turns of the loop that ends here.
    fn release_kept(&mut self, end: Value) -> Result<(), CompileError> {
        self.lower.charge(self.kept.len())?;
        let mut at = 0;
        while let Some(&value) = self.kept.get(at) {
            let info = self.info.get_mut(value.index());
            match info.filter(|info| info.last_use == end.0) {
                Some(info) => {
                    info.last_use = 0;
                    self.rows.give_back(info.row)?;
                    self.kept.swap_remove(at);
                }
                None => at += 1,
            }
        }
        Ok(())
    }

    /// Frees the row of an unused value.
    fn release_unused(&mut self, value: Value) -> Result<(), CompileError> {
        match self.info.get(value.index()) {
            Some(info) if info.last_use == 0 => self.rows.give_back(info.row),
            _ => Ok(()),
        }
    }

    fn set_jumps(&mut self) {
        for &(at, target) in &self.jumps {
            let next = at as u16 + 1;
            let place = self.info.get(target.index()).map(|info| info.place);
            let Some(op) = self.body.get_mut(at) else { continue };
            // A loop goes back to the op after its beginning. A jump without a target falls
            // through.
            op.aux = match place {
                Some(place) if op.code == OpCode::EndLoop => place + 1,
                Some(place) => place,
                None => next,
            };
        }
    }

    /// Returns the first declaration of a register.
    fn declaration(&self, file: File, index: u16) -> Result<Option<&Declaration>, CompileError> {
        let mut declarations = self.lower.shader.declarations().iter();
        self.lower.graph.steps.note_search(declarations.len());
        self.lower.charge(1)?;
        Ok(declarations.find(|range| range.file == file && range.covers(index.into())))
    }

    fn inputs(&self) -> Result<Vec<'m, Input>, CompileError> {
        let lower = self.lower;
        let mut inputs = Vec::new_in(lower.memory);
        let arrays = lower.arrays.iter().filter(|array| array.file == File::Input);
        let last = arrays.map(|array| usize::from(array.first) + usize::from(array.count)).max();
        // Registers of several vertices have no rows, but the code that stores them needs their
        // declarations.
        let vertices = !matches!(
            lower.shader.processor(),
            Processor::Vertex | Processor::Fragment | Processor::Compute
        );
        let declared = lower.shader.declarations().iter();
        let declared = declared.filter(|range| vertices && range.file == File::Input);
        let last = last.max(declared.map(|range| usize::from(range.last) + 1).max());
        for register in 0..(lower.inputs.len() / 4).max(last.unwrap_or(0)) {
            let register = register as u16;
            let rows = self.register_rows(File::Input, register, |component| {
                lower.inputs.get(4 * usize::from(register) + component).copied()
            });
            let declaration = self.declaration(File::Input, register)?;
            if rows == [Row::NONE; 4] && !(vertices && declaration.is_some()) {
                continue;
            }
            let interpolation = declaration.and_then(|declaration| declaration.interpolation);
            inputs.try_push(Input {
                register,
                semantic: semantic_of(declaration, register),
                interpolate: interpolation.map_or(Interpolate::Perspective, |how| how.mode),
                location: interpolation.map_or(Location::Center, |how| how.location),
                rows,
            })?;
        }
        Ok(inputs)
    }

    fn system_values(&self) -> Result<Vec<'m, SystemValue>, CompileError> {
        let lower = self.lower;
        let mut values = Vec::new_in(lower.memory);
        for register in 0..lower.system_values.len() / 4 {
            let register = register as u16;
            let rows = self.register_rows(File::SystemValue, register, |component| {
                lower.system_values.get(4 * usize::from(register) + component).copied()
            });
            if rows != [Row::NONE; 4] {
                let declaration = self.declaration(File::SystemValue, register)?;
                values
                    .try_push(SystemValue { semantic: semantic_of(declaration, register), rows })?;
            }
        }
        Ok(values)
    }

    fn outputs(&self) -> Result<Vec<'m, Output>, CompileError> {
        let lower = self.lower;
        let mut outputs: Vec<'m, Output> = Vec::new_in(lower.memory);
        let declarations = lower.shader.declarations().iter();
        let declared = declarations.filter(|range| range.file == File::Output);
        for register in 0..=declared.map(|range| range.last).max().unwrap_or(0) {
            let Some(range) = self.declaration(File::Output, register)? else { continue };
            let rows = self.register_rows(File::Output, register, |component| {
                let variable = lower.variable(File::Output, register.into(), component)?;
                Some(lower.variables.get(variable))
            });
            let semantic = semantic_of(Some(range), register);
            outputs.try_push(Output { register, semantic, rows })?;
        }
        Ok(outputs)
    }

    /// Returns the rows of a register: its array's rows, or the rows of its components' values.
    fn register_rows(
        &self,
        file: File,
        register: u16,
        value: impl Fn(usize) -> Option<Value>,
    ) -> [Row; 4] {
        if let Some(array) = self.lower.array_of(file, register.into()) {
            let first = array.row + 4 * (register - array.first);
            return [0, 1, 2, 3].map(|component| Row(first + component));
        }
        [0, 1, 2, 3].map(|component| match value(component) {
            Some(value) if value.is_some() => self.row(value),
            _ => Row::NONE,
        })
    }

    /// Makes the entries of a table: replaces value operands by rows.
    fn table<T, U>(
        &self,
        values: &[T],
        entry: impl Fn(&Self, &T) -> U,
    ) -> Result<Vec<'m, U>, CompileError> {
        let mut table = Vec::try_with_capacity_in(values.len(), self.lower.memory)?;
        for values in values {
            table.try_push(entry(self, values))?;
        }
        Ok(table)
    }

    /// Returns the row of a table's operand or result; none if the value is dead.
    fn table_row(&self, value: Value) -> Row {
        if self.is_live(value) { self.row(value) } else { Row::NONE }
    }

    fn wides(&self) -> Result<Vec<'m, Wide>, CompileError> {
        self.table(&self.lower.tables.wides, |emitter, wide| {
            let row = |value| emitter.table_row(value);
            let [a, b, c] = wide.operands.map(|pair| pair.map(row));
            Wide { code: wide.code, dst: wide.results.map(row), a, b, c }
        })
    }

    fn memory(&self) -> Result<Vec<'m, MemoryAccess>, CompileError> {
        self.table(&self.lower.tables.memory, |emitter, memory| {
            let row = |value| emitter.table_row(value);
            MemoryAccess {
                unit_row: row(memory.unit),
                address: memory.address.map(row),
                value: memory.value.map(row),
                compare: row(memory.compare),
                dst: memory.results.map(row),
                ..memory.access
            }
        })
    }

    fn inputs_at(&self) -> Result<Vec<'m, InputAt>, CompileError> {
        self.table(&self.lower.tables.inputs_at, |emitter, input| {
            let row = |value| emitter.table_row(value);
            InputAt {
                register: input.register,
                place: input.place,
                at: input.at.map(row),
                plain: input.plain.map(row),
                dst: input.results.map(row),
            }
        })
    }

    fn samples(&self) -> Result<Vec<'m, Sample>, CompileError> {
        self.table(&self.lower.tables.samples, |emitter, sample| emitter.sample(sample))
    }

    fn sample(&self, sample: &SampleValues) -> Sample {
        let row = |value: Value| self.table_row(value);
        Sample {
            view: sample.view,
            sampler: sample.sampler,
            view_row: row(sample.view_value),
            sampler_row: row(sample.sampler_value),
            target: sample.target,
            kind: sample.kind,
            coord: sample.coord.map(row),
            layer: row(sample.layer),
            compare: row(sample.compare),
            lod: row(sample.lod),
            ddx: sample.ddx.map(row),
            ddy: sample.ddy.map(row),
            offset: sample.offset,
            offset_rows: sample.offset_values.map(row),
            component: sample.component,
            component_row: row(sample.component_value),
            dst: sample.results.map(row),
        }
    }
}

/// Returns the declared semantic of a register, or `GENERIC` with the register's number.
fn semantic_of(declaration: Option<&Declaration>, register: u16) -> Semantic {
    match declaration.and_then(|range| Some((range.semantic?, range.first))) {
        Some((semantic, first)) => {
            Semantic::new(semantic.name, semantic.index.wrapping_add(register.wrapping_sub(first)))
        }
        None => Semantic::generic(register),
    }
}
