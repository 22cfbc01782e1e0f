//! Operands: reads registers as values, and writes values to registers.

use super::graph::{NodeKind, Value};
use super::steps::Limit;
use super::{CompileError, Lower};
use crate::declaration::SemanticName;
use crate::exec::OpCode;
use crate::exec::program::{Access, Row, Space, Uses};
use crate::opcode::Type;
use crate::register::{DstRegister, File, Indirect, SrcRegister};
use crate::shader::{Instruction, Processor};

const ROWS: CompileError = CompileError::TooLarge { limit: Limit::Rows };

/// Registers that are addressed at run time: four rows per register, in the order of their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) file: File,
    /// The first register.
    pub(super) first: u16,
    /// The number of registers.
    pub(super) count: u16,
    /// The row of the first register's x.
    pub(super) row: u16,
}

impl Array {
    fn covers(&self, file: File, index: i32) -> bool {
        let first = i32::from(self.first);
        self.file == file && first <= index && index < first + i32::from(self.count)
    }

    fn row_of(&self, index: i32, component: usize) -> u32 {
        u32::from(self.row) + 4 * (index - i32::from(self.first)) as u32 + component as u32
    }
}

/// The number of registers of each file that instructions name directly.
#[derive(Default)]
struct Extent {
    counts: [i32; File::COUNT],
}

impl Extent {
    fn include(&mut self, file: File, index: i32) {
        if let Some(count) = self.counts.get_mut(file as usize) {
            *count = (*count).max(index.saturating_add(1));
        }
    }

    fn of(&self, file: File) -> u32 {
        self.counts.get(file as usize).map_or(0, |&count| count.clamp(0, 1 << 16) as u32)
    }
}

impl Lower<'_, '_> {
    /// Counts registers and finds the arrays among them.
    pub(super) fn survey(&mut self) -> Result<(), CompileError> {
        let shader = self.shader;
        let mut extent = Extent::default();
        for instruction in shader.instructions() {
            (self.opcode, self.position) = (instruction.opcode, instruction.position);
            for dst in instruction.dsts() {
                self.survey_register(&mut extent, &dst.as_src())?;
            }
            for src in instruction.srcs() {
                self.survey_register(&mut extent, src)?;
            }
            for offset in instruction.texture.iter().flat_map(|texture| texture.offsets()) {
                extent.include(offset.file, offset.index.into());
            }
        }
        let of = |file| extent.of(file);
        self.variables.resize(of(File::Temporary), of(File::Output), of(File::Address))?;
        self.inputs.try_resize(4 * of(File::Input) as usize, Value::NONE)?;
        self.system_values.try_resize(4 * of(File::SystemValue) as usize, Value::NONE)?;
        // Emitted outputs need fixed rows, whichever branch wrote them.
        if shader.processor() == Processor::Geometry {
            self.add_array(File::Output, 0)?;
        }
        self.place_arrays()
    }

    fn survey_register(
        &mut self,
        extent: &mut Extent,
        src: &SrcRegister,
    ) -> Result<(), CompileError> {
        if let Some(indirect) = src.dimension.and_then(|dimension| dimension.indirect) {
            extent.include(indirect.file, indirect.index.into());
        }
        let Some(indirect) = src.indirect else {
            extent.include(src.file, src.index);
            return Ok(());
        };
        extent.include(indirect.file, indirect.index.into());
        let rows =
            matches!(src.file, File::Temporary | File::Output | File::Input | File::Immediate);
        if rows && self.vertex_place(src.into()).is_none() {
            self.add_array(src.file, indirect.array_id)?;
        }
        Ok(())
    }

    /// Records that a declared array, or with 0 the whole file, is addressed at run time.
    fn add_array(&mut self, file: File, array_id: u16) -> Result<(), CompileError> {
        let shader = self.shader;
        let steps = &self.graph.steps;
        steps.note_search(2 * shader.declarations().len() + 2 * self.arrays.len());
        steps.charge(1)?;
        let ranges = shader.declarations().iter().filter(|range| range.file == file);
        let declared = ranges.clone().find(|range| array_id != 0 && range.array_id == array_id);
        let (first, end) = match declared {
            Some(range) => (u32::from(range.first), u32::from(range.last) + 1),
            None if file == File::Immediate => (0, shader.immediates().len() as u32),
            None => (0, ranges.map(|range| u32::from(range.last) + 1).max().unwrap_or(0)),
        };
        let first = u16::try_from(first).map_err(|_| ROWS)?;
        let count = end.saturating_sub(first.into());
        let count = u16::try_from(count).map_err(|_| ROWS)?;
        let known = |array: &&Array| array.file == file && array.first <= first;
        let last = |array: &Array| u32::from(array.first) + u32::from(array.count);
        if self.arrays.iter().filter(known).any(|array| last(array) >= end) {
            return Ok(());
        }
        // An array of the whole file replaces its smaller arrays.
        let mut at = 0;
        while let Some(array) = self.arrays.get(at) {
            if array.file == file && array.first >= first && last(array) <= end {
                self.arrays.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.arrays.try_push(Array { file, first, count, row: 0 })?;
        Ok(())
    }

    /// Assigns rows to each array, and clears arrays that are written at run time.
    fn place_arrays(&mut self) -> Result<(), CompileError> {
        for at in 0..self.arrays.len() {
            let row = self.first_free_row;
            let Some(array) = self.arrays.get_mut(at) else { break };
            array.row = row;
            let rows = array.count.checked_mul(4).ok_or(ROWS)?;
            let file = array.file;
            self.first_free_row = row.checked_add(rows).ok_or(ROWS)?;
            if matches!(file, File::Temporary | File::Output) && rows > 0 {
                let first = self.graph.source(NodeKind::Fixed, row.into(), 0)?;
                self.graph.effect(OpCode::Clear, rows, [Value::NONE, first, Value::NONE])?;
            }
        }
        Ok(())
    }

    /// Returns the array that contains a register.
    pub(super) fn array_of(&self, file: File, index: i32) -> Option<Array> {
        self.graph.steps.note_search(self.arrays.len());
        self.arrays.iter().find(|array| array.covers(file, index)).copied()
    }

    /// Returns the variable number of a register component.
    pub(super) fn variable(&self, file: File, index: i32, component: usize) -> Option<u32> {
        let base = match file {
            File::Temporary => 0,
            // Outputs of tessellation control belong to the patch.
            File::Output if self.shader.processor() == Processor::TessControl => return None,
            File::Output => self.variables.outputs,
            File::Address => self.variables.addresses,
            _ => return None,
        };
        Some(base + 4 * u32::try_from(index).ok()? + component as u32)
    }

    /// Reads component `component` of source `number`, with its modifiers.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) fn source(
        &mut self,
        instruction: &Instruction,
        number: usize,
        component: usize,
    ) -> Result<Value, CompileError> {
        let types = instruction.opcode.info().src;
        let (Some(src), Some(&kind)) = (instruction.src.get(number), types.get(number)) else {
            return Err(self.bad_operand());
        };
        let mut value = self.read(src, src.swizzle[component & 3].index())?;
        let (absolute, negative) = match kind {
            Type::Int | Type::Uint => (OpCode::Iabs, OpCode::Ineg),
            _ => (OpCode::Abs, OpCode::Neg),
        };
        if src.absolute {
            value = self.graph.unary(absolute, value)?;
        }
        if src.negate {
            value = self.graph.unary(negative, value)?;
        }
        Ok(value)
    }

    /// Reads component `component` of a source, without its modifiers.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) fn plain_source(
        &mut self,
        src: &SrcRegister,
        component: usize,
    ) -> Result<Value, CompileError> {
        self.read(src, src.swizzle[component & 3].index())
    }

    /// Reads a component of a register, without modifiers.
    fn read(&mut self, src: &SrcRegister, component: usize) -> Result<Value, CompileError> {
        if let Some(place) = self.vertex_place(src.into()) {
            return self.load_vertex(place, src.into(), component);
        }
        let mut index = src.index;
        if let Some(indirect) = src.indirect {
            let address = self.address(&indirect)?;
            match self.graph.constant_bits(address).filter(|_| self.optimize) {
                None => return self.read_indirect(src, &indirect, address, component),
                Some(bits) => index = index.wrapping_add(bits as i32),
            }
            // A register outside the array reads 0.
            if !self.exists(src.file, index) {
                return self.graph.constant(0);
            }
        } else if index < 0 {
            return Err(self.bad_operand());
        }
        if src.file == File::Constant {
            return self.read_constant(src, index, component);
        }
        if src.dimension.is_some() && src.file != File::Temporary {
            return Err(self.bad_operand());
        }
        self.read_direct(src.file, index, component)
    }

    /// Returns true if a register with the computed index exists.
    fn exists(&self, file: File, index: i32) -> bool {
        match file {
            File::Constant => (0..=i32::from(i16::MAX)).contains(&index),
            _ => self.array_of(file, index).is_some(),
        }
    }

    /// Reads a component of a register without a computed index; not for constant buffers.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) fn read_direct(
        &mut self,
        file: File,
        index: i32,
        component: usize,
    ) -> Result<Value, CompileError> {
        let at = 4 * usize::try_from(index).map_err(|_| self.bad_operand())? + component;
        if file == File::Immediate {
            let immediate = self.shader.immediates().get(at / 4).ok_or(self.bad_operand())?;
            let bits = immediate.bits[component & 3];
            return self.graph.constant(bits);
        }
        if let Some(array) = self.array_of(file, index) {
            let row = array.row_of(index, component);
            let fixed = self.graph.source(NodeKind::Fixed, row, 0)?;
            if file == File::Input {
                return Ok(fixed);
            }
            // The row may change before the value is used.
            return self.graph.effect(OpCode::Mov, 0, [fixed, Value::NONE, Value::NONE]);
        }
        if let Some(variable) = self.variable(file, index, component) {
            let value = self.variables.get(variable);
            return if value.is_some() { Ok(value) } else { self.graph.constant(0) };
        }
        if file == File::SystemValue
            && let Some(name) = self.system_value_name(index)
            && let Some(value) = self.subgroup_value(name, component)?
        {
            return Ok(value);
        }
        let (kind, values) = match file {
            File::Input => (NodeKind::Input, &self.inputs),
            File::SystemValue => (NodeKind::SystemValue, &self.system_values),
            _ => return Err(self.bad_operand()),
        };
        let known = values.get(at).copied().ok_or(self.bad_operand())?;
        if known.is_some() {
            return Ok(known);
        }
        if !self.is_declared(file, index) {
            return Err(self.bad_operand());
        }
        let value = self.graph.source(kind, index as u32, component as u16)?;
        let values =
            if kind == NodeKind::Input { &mut self.inputs } else { &mut self.system_values };
        if let Some(slot) = values.get_mut(at) {
            *slot = value;
        }
        Ok(value)
    }

    /// Returns the declared semantic of a system value.
    fn system_value_name(&self, index: i32) -> Option<SemanticName> {
        let mut ranges = self.shader.declarations().iter();
        self.graph.steps.note_search(ranges.len());
        let range = ranges.find(|range| range.file == File::SystemValue && range.covers(index))?;
        range.semantic.map(|semantic| semantic.name)
    }

    fn is_declared(&self, file: File, index: i32) -> bool {
        self.graph.steps.note_search(self.shader.declarations().len());
        let mut ranges = self.shader.declarations().iter();
        ranges.any(|range| range.file == file && range.covers(index))
    }

    fn read_constant(
        &mut self,
        src: &SrcRegister,
        index: i32,
        component: usize,
    ) -> Result<Value, CompileError> {
        let buffer = match src.dimension {
            Some(dimension) if dimension.indirect.is_some() => {
                let zero = self.graph.constant(0)?;
                return self.gather_constant(src, index, zero, component);
            }
            Some(dimension) => dimension.index,
            None => 0,
        };
        let buffer = u8::try_from(buffer).map_err(|_| self.bad_operand())?;
        let word = u16::try_from(4 * index + component as i32).map_err(|_| self.bad_operand())?;
        self.graph.uniform(buffer, word)
    }

    /// Reads the register that an index is computed from.
    pub(super) fn address(&mut self, indirect: &Indirect) -> Result<Value, CompileError> {
        self.read_direct(indirect.file, indirect.index.into(), indirect.swizzle.index())
    }

    fn read_indirect(
        &mut self,
        src: &SrcRegister,
        indirect: &Indirect,
        address: Value,
        component: usize,
    ) -> Result<Value, CompileError> {
        if src.file == File::Constant {
            return self.gather_constant(src, src.index, address, component);
        }
        if src.dimension.is_some() && src.file != File::Temporary {
            return Err(self.bad_operand());
        }
        let access = self.array_access(src.file, src.index, indirect, component)?;
        let operands = [address, Value::NONE, Value::NONE];
        // Only immediates have the same value at every read.
        if src.file == File::Immediate {
            self.graph.op(OpCode::Gather, access, operands)
        } else {
            self.graph.effect(OpCode::Gather, access, operands)
        }
    }

    /// Reads a word of a constant buffer at a computed register; the buffer may be computed too.
    fn gather_constant(
        &mut self,
        src: &SrcRegister,
        index: i32,
        address: Value,
        component: usize,
    ) -> Result<Value, CompileError> {
        let dimension = match src.dimension.and_then(|dimension| dimension.indirect) {
            Some(indirect) => self.address(&indirect)?,
            None => self.graph.constant(0)?,
        };
        let buffer = src.dimension.map_or(0, |dimension| dimension.index);
        let space = Space::Constants { buffer };
        let access = self.access(Access { space, index, component: component as u8 })?;
        self.uses |= Uses::INDIRECT_CONSTANTS;
        self.graph.op(OpCode::Gather, access, [address, dimension, Value::NONE])
    }

    /// Returns the access to the array that a register operand indexes.
    fn array_access(
        &mut self,
        file: File,
        index: i32,
        indirect: &Indirect,
        component: usize,
    ) -> Result<u16, CompileError> {
        self.graph.steps.note_search(self.shader.declarations().len() + self.arrays.len());
        let declared = self.shader.declarations().iter().find(|range| {
            range.file == file && indirect.array_id != 0 && range.array_id == indirect.array_id
        });
        let within = declared.map_or(0, |range| i32::from(range.first));
        let array = self
            .arrays
            .iter()
            .find(|array| array.file == file && (declared.is_none() || array.covers(file, within)));
        let Some(array) = array else { return Err(self.bad_operand()) };
        let space = Space::Rows { first: Row(array.row), registers: array.count };
        let index = index.wrapping_sub(array.first.into());
        self.access(Access { space, index, component: component as u8 })
    }

    pub(super) fn access(&mut self, access: Access) -> Result<u16, CompileError> {
        self.graph.steps.note_search(self.accesses.len());
        let at = match self.accesses.iter().position(|known| *known == access) {
            Some(at) => at,
            None => {
                self.accesses.try_push(access)?;
                self.accesses.len() - 1
            }
        };
        u16::try_from(at).map_err(|_| CompileError::TooLarge { limit: Limit::Table })
    }

    /// Writes `values` to the components in the mask of destination `number`.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) fn write(
        &mut self,
        instruction: &Instruction,
        number: usize,
        mut values: [Value; 4],
    ) -> Result<(), CompileError> {
        let Some(dst) = instruction.dst.get(number) else { return Err(self.bad_operand()) };
        if dst.file == File::Null {
            return Ok(());
        }
        if instruction.saturate {
            for component in dst.mask.components() {
                values[component] = self.graph.unary(OpCode::Saturate, values[component])?;
            }
        }
        self.write_components(instruction, number, values, dst.mask.bits())
    }

    /// Writes these components of destination `number` without modifiers.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) fn write_components(
        &mut self,
        instruction: &Instruction,
        number: usize,
        values: [Value; 4],
        mask: u8,
    ) -> Result<(), CompileError> {
        let Some(dst) = instruction.dst.get(number) else { return Err(self.bad_operand()) };
        if dst.file == File::Null {
            return Ok(());
        }
        for component in (0..4).filter(|component| mask >> component & 1 != 0) {
            self.write_component(dst, component, values[component])?;
        }
        Ok(())
    }

    fn write_component(
        &mut self,
        dst: &DstRegister,
        component: usize,
        value: Value,
    ) -> Result<(), CompileError> {
        if let Some(place) = self.vertex_place(dst.into()) {
            return self.store_vertex(place, dst.into(), component, value);
        }
        // Clients also put the vertex before a temporary, where it has no meaning.
        if dst.dimension.is_some() && dst.file != File::Temporary {
            return Err(self.bad_operand());
        }
        if let Some(indirect) = dst.indirect {
            let address = self.address(&indirect)?;
            let access = self.array_access(dst.file, dst.index, &indirect, component)?;
            if !matches!(dst.file, File::Temporary | File::Output) {
                return Err(self.bad_operand());
            }
            self.graph.effect(OpCode::Scatter, access, [address, value, Value::NONE])?;
            return Ok(());
        }
        if let Some(array) = self.array_of(dst.file, dst.index) {
            if !matches!(dst.file, File::Temporary | File::Output) {
                return Err(self.bad_operand());
            }
            let row = array.row_of(dst.index, component);
            let fixed = self.graph.source(NodeKind::Fixed, row, 0)?;
            self.graph.effect(OpCode::Update, 0, [value, fixed, Value::NONE])?;
            return Ok(());
        }
        let variable = self.variable(dst.file, dst.index, component);
        let variable = variable.ok_or(self.bad_operand())?;
        self.variables.set(variable, value)?;
        Ok(())
    }
}
