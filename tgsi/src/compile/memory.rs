//! Memory instructions: loads, stores, atomics, sizes, the colour buffer, handles.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::declaration::{Declaration, DeclarationKind, ImageFormat, MemoryType};
use crate::exec::program::{MemoryAccess, Row, Uses};
use crate::exec::texture::SLOT_HANDLES;
use crate::exec::{AtomicCode, HANDLE, MemoryKind, MemorySpace, OpCode};
use crate::opcode::{MemoryOpcode, Opcode};
use crate::register::{File, Indirect, SrcRegister};
use crate::shader::{Instruction, TextureTarget};

/// A memory access with values as operands; becomes a [`MemoryAccess`].
#[derive(Clone, Copy)]
pub(super) struct MemoryValues {
    /// The access without its rows; emission fills them in.
    pub(super) access: MemoryAccess,
    pub(super) unit: Value,
    pub(super) address: [Value; 4],
    pub(super) value: [Value; 4],
    pub(super) compare: Value,
    /// The `Result` nodes.
    pub(super) results: [Value; 4],
}

impl MemoryValues {
    /// Returns an access to slot 0 without operands.
    fn new(
        kind: MemoryKind,
        space: MemorySpace,
        target: TextureTarget,
        format: ImageFormat,
    ) -> MemoryValues {
        let none = [Row::NONE; 4];
        let access = MemoryAccess {
            kind,
            space,
            unit: 0,
            unit_row: Row::NONE,
            target,
            format,
            address: none,
            value: none,
            compare: Row::NONE,
            mask: 0,
            dst: none,
        };
        MemoryValues {
            access,
            unit: Value::NONE,
            address: [Value::NONE; 4],
            value: [Value::NONE; 4],
            compare: Value::NONE,
            results: [Value::NONE; 4],
        }
    }

    /// Returns all operands that exist.
    pub(super) fn operands(&self) -> impl Iterator<Item = Value> + use<> {
        let all = [self.unit, self.compare].into_iter().chain(self.address).chain(self.value);
        all.filter(|value| value.is_some())
    }
}

/// The computation of an opcode.
enum Operation {
    /// A memory access.
    Access(MemoryKind),
    /// A value that depends only on the unit's number.
    Handle,
}

/// Maps an opcode to its operation.
const fn operation_of(opcode: MemoryOpcode) -> Operation {
    use MemoryOpcode as T;
    let atomic = match opcode {
        T::Load | T::Fbfetch => return Operation::Access(MemoryKind::Load),
        T::Store => return Operation::Access(MemoryKind::Store),
        T::Resq => return Operation::Access(MemoryKind::Size),
        T::Img2hnd | T::Samp2hnd => return Operation::Handle,
        T::Atomuadd => AtomicCode::Add,
        T::Atomfadd => AtomicCode::FloatAdd,
        T::Atomxchg => AtomicCode::Exchange,
        T::Atomcas => AtomicCode::CompareExchange,
        T::Atomand => AtomicCode::And,
        T::Atomor => AtomicCode::Or,
        T::Atomxor => AtomicCode::Xor,
        T::Atomumin => AtomicCode::UnsignedMin,
        T::Atomumax => AtomicCode::UnsignedMax,
        T::Atomimin => AtomicCode::SignedMin,
        T::Atomimax => AtomicCode::SignedMax,
        T::AtomincWrap => AtomicCode::IncrementWrap,
        T::AtomdecWrap => AtomicCode::DecrementWrap,
    };
    Operation::Access(MemoryKind::Atomic(atomic))
}

impl Lower<'_, '_> {
    /// Adds the nodes of a memory access, or of a handle, and writes its result.
    pub(super) fn memory(
        &mut self,
        opcode: MemoryOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        match operation_of(opcode) {
            Operation::Access(kind) => self.memory_access(kind, instruction),
            Operation::Handle => self.handle(instruction),
        }
    }

    fn memory_access(
        &mut self,
        kind: MemoryKind,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        self.uses |= Uses::MEMORY;
        let stores = kind == MemoryKind::Store;
        let resource = match stores {
            true => instruction.dst[0].as_src(),
            false => instruction.src[0],
        };
        let mut memory = self.resource(instruction, &resource, kind)?;
        let counter = memory.access.space == MemorySpace::Counter;
        memory.access.mask = if counter { 1 } else { instruction.dst[0].mask.bits() };
        self.memory_operands(instruction, kind, &mut memory)?;
        if matches!(kind, MemoryKind::Store | MemoryKind::Atomic(_)) {
            self.uses |= Uses::WRITES_MEMORY;
        }
        let at = self.tables.memory.len();
        memory.results = self.table_op(OpCode::Memory, at)?;
        self.tables.memory.try_push(memory)?;
        if stores {
            return Ok(());
        }
        // Atomics and counters return a single word.
        let scalar = matches!(kind, MemoryKind::Atomic(_)) || counter;
        let results = if scalar { [memory.results[0]; 4] } else { memory.results };
        self.write(instruction, 0, results)
    }

    /// Reads the address and the values that a memory access takes.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    fn memory_operands(
        &mut self,
        instruction: &Instruction,
        kind: MemoryKind,
        memory: &mut MemoryValues,
    ) -> Result<(), CompileError> {
        let image = memory.access.space == MemorySpace::Image;
        let first = usize::from(kind != MemoryKind::Store);
        let addressed = !memory.address[0].is_some() && instruction.srcs().len() > first;
        let words = match kind {
            MemoryKind::Size => 0,
            MemoryKind::Load | MemoryKind::Store | MemoryKind::Atomic(_) if image => 4,
            MemoryKind::Load | MemoryKind::Store | MemoryKind::Atomic(_) => usize::from(addressed),
        };
        for component in 0..words {
            memory.address[component] = self.source(instruction, first, component)?;
        }
        match kind {
            MemoryKind::Load | MemoryKind::Size => {}
            MemoryKind::Store => {
                // A store to an image writes the whole texel, whatever the mask is.
                let mask = instruction.dst[0].mask;
                for component in (0..4).filter(|&component| image || mask.has(component)) {
                    memory.value[component] = self.source(instruction, 1, component)?;
                }
            }
            MemoryKind::Atomic(AtomicCode::CompareExchange) => {
                memory.compare = self.source(instruction, 2, 0)?;
                memory.value[0] = self.source(instruction, 3, 0)?;
            }
            MemoryKind::Atomic(_) => memory.value[0] = self.source(instruction, 2, 0)?,
        }
        Ok(())
    }

    /// Resolves the operand that names memory: its space, unit, shape and format.
    fn resource(
        &mut self,
        instruction: &Instruction,
        src: &SrcRegister,
        kind: MemoryKind,
    ) -> Result<MemoryValues, CompileError> {
        let declaration = self.declared(src.file, src.index);
        let (mut target, mut format) = (TextureTarget::Buffer, ImageFormat::NONE);
        if let Some(memory) = instruction.memory {
            (target, format) = (memory.target, memory.format);
        }
        // An image's shape or format distinguishes a handle in a constant from the constants
        // themselves.
        let image = target != TextureTarget::Buffer || format != ImageFormat::NONE;
        let space = match src.file {
            File::Buffer => MemorySpace::Buffer,
            File::Constant if image => MemorySpace::Image,
            File::Constant | File::ConstantBuffer => MemorySpace::Constant,
            File::HardwareAtomic => MemorySpace::Counter,
            File::Memory => self.memory_type(declaration.as_ref()),
            File::Output => MemorySpace::ColorBuffer,
            // Any other file is an image or an image handle.
            _ => MemorySpace::Image,
        };
        if let Some(DeclarationKind::Image { target: shape, format: texels, .. }) =
            declaration.map(|declaration| declaration.kind)
        {
            target = shape;
            format = if format == ImageFormat::NONE { texels } else { format };
        }
        let mut memory = MemoryValues::new(kind, space, target, format);
        self.unit(instruction, src, declaration.as_ref(), &mut memory)?;
        Ok(memory)
    }

    /// Resolves the unit of an operand that names memory: a slot, or the value of a handle.
    fn unit(
        &mut self,
        instruction: &Instruction,
        src: &SrcRegister,
        declaration: Option<&Declaration>,
        memory: &mut MemoryValues,
    ) -> Result<(), CompileError> {
        let mut unit = (src.index, src.indirect);
        match src.file {
            File::Buffer | File::Image => {}
            // The index carries no information.
            File::Memory => unit = (0, None),
            File::Constant | File::ConstantBuffer
                if memory.access.space == MemorySpace::Constant =>
            {
                if let Some(dimension) = src.dimension {
                    unit = (dimension.index.into(), dimension.indirect);
                }
            }
            File::HardwareAtomic => {
                unit = src.dimension.map_or((0, None), |it| (it.index.into(), it.indirect));
                memory.address[0] = self.counter_offset(src)?;
            }
            File::Output if instruction.opcode == Opcode::Fbfetch => {
                let semantic = declaration.and_then(|it| Some((it.semantic?, it.first)));
                let (semantic, first) = semantic.ok_or(self.bad_operand())?;
                unit = (i32::from(semantic.index) + src.index - i32::from(first), None);
            }
            File::Temporary
            | File::Constant
            | File::Immediate
            | File::Input
            | File::SystemValue => {
                memory.access.unit = HANDLE;
                memory.unit = self.plain_source(src, 0)?;
                self.uses |= Uses::BINDLESS;
                return Ok(());
            }
            _ => return Err(self.bad_operand()),
        }
        memory.access.unit = u16::try_from(unit.0).map_err(|_| self.bad_operand())?;
        if let Some(indirect) = unit.1 {
            memory.unit = self.address(&indirect)?;
        }
        Ok(())
    }

    /// Computes a counter's byte offset in its buffer. The register's index is the counter; the
    /// offset operand is ignored.
    fn counter_offset(&mut self, src: &SrcRegister) -> Result<Value, CompileError> {
        let literal = self.graph.constant((src.index as u32).wrapping_mul(4))?;
        let Some(indirect) = src.indirect else { return Ok(literal) };
        let index = self.address(&indirect)?;
        // Uses sums, because multiplication belongs to an optional part of the executor.
        let twice = self.graph.binary(OpCode::Uadd, index, index)?;
        let bytes = self.graph.binary(OpCode::Uadd, twice, twice)?;
        self.graph.binary(OpCode::Uadd, bytes, literal)
    }

    /// Returns the space of `MEMORY` from its declaration. The index carries no information, so any
    /// declaration of the file will do.
    fn memory_type(&self, declaration: Option<&Declaration>) -> MemorySpace {
        self.graph.steps.note_search(self.shader.declarations().len());
        let mut all = self.shader.declarations().iter();
        let declaration = declaration.or_else(|| all.find(|it| it.file == File::Memory));
        match declaration.map(|it| it.kind) {
            Some(DeclarationKind::Memory(MemoryType::Global)) => MemorySpace::Global,
            Some(DeclarationKind::Memory(MemoryType::Private)) => MemorySpace::Private,
            Some(DeclarationKind::Memory(MemoryType::Input)) => MemorySpace::Arguments,
            _ => MemorySpace::Shared,
        }
    }

    /// Writes a unit's handle.
    fn handle(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        let src = instruction.src[0];
        let unit = u32::try_from(src.index).map_err(|_| self.bad_operand())?;
        let mut unit = self.graph.constant(SLOT_HANDLES.wrapping_add(unit))?;
        if let Some(indirect) = src.indirect {
            let address = self.address(&indirect)?;
            unit = self.graph.binary(OpCode::Uadd, unit, address)?;
        }
        let zero = self.graph.constant(0)?;
        self.uses |= Uses::BINDLESS;
        self.write(instruction, 0, [unit, zero, zero, zero])
    }

    /// Returns the declaration of a register.
    pub(super) fn declared(&self, file: File, index: i32) -> Option<Declaration> {
        self.graph.steps.note_search(self.shader.declarations().len());
        let mut declarations = self.shader.declarations().iter();
        declarations.find(|range| range.file == file && range.covers(index)).copied()
    }

    /// Returns the declaration of the array that a computed index addresses, else of the register.
    pub(super) fn declared_array(
        &self,
        file: File,
        index: i32,
        indirect: Option<Indirect>,
    ) -> Option<Declaration> {
        let id = indirect.map_or(0, |indirect| indirect.array_id);
        self.graph.steps.note_search(self.shader.declarations().len());
        let mut declarations = self.shader.declarations().iter();
        let array = declarations.find(|it| id != 0 && it.file == file && it.array_id == id);
        array.copied().or_else(|| self.declared(file, index))
    }
}
