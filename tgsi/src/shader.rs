//! The IR: a shader is a stage, properties, declarations, immediates and instructions.

use crate::declaration::Declaration;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

pub use crate::instruction::{
    Immediate, ImmediateType, Instruction, MemoryInfo, MemoryQualifiers, TextureInfo, TextureOffset,
};
pub use crate::position::Position;
pub use crate::processor::Processor;
pub use crate::property::{Properties, Property};
pub use crate::texture_target::TextureTarget;

/// The kind of an item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItemKind {
    /// `PROPERTY`.
    Property,
    /// `DCL`.
    Declaration,
    /// `IMM`.
    Immediate,
    /// An instruction.
    Instruction,
}

/// Consecutive items of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Run {
    kind: ItemKind,
    count: u32,
}

/// One item of a shader.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Item<'s> {
    /// `PROPERTY`.
    Property(Property, u32),
    /// `DCL`.
    Declaration(&'s Declaration),
    /// `IMM` and its index.
    Immediate(usize, &'s Immediate),
    /// An instruction and its number.
    Instruction(usize, &'s Instruction),
}

/// A shader.
///
/// Each kind of item has a separate list. [`items`](Shader::items) returns all items in the order
/// they were added, so that text and tokens come out as they went in (clients do send declarations
/// after immediates).
///
/// # Examples
/// ```
/// # use gallium_tgsi::{declaration::*, opcode::Opcode, register::*, shader::*};
/// # use os_shim::Memory;
/// let mut shader = Shader::new(Processor::Vertex, Memory::system());
/// shader.push_declaration(Declaration::new(File::Input, 0, 0))?;
/// let position = Declaration::new(File::Output, 0, 0).with_semantic(Semantic::POSITION);
/// shader.push_declaration(position)?;
/// let mut mov = Instruction::new(Opcode::Mov);
/// mov.dst[0] = DstRegister::new(File::Output, 0);
/// mov.src[0] = SrcRegister::new(File::Input, 0).neg();
/// shader.push_instruction(mov)?;
/// shader.push_instruction(Instruction::new(Opcode::End))?;
/// let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], -IN[0]\n  1: END\n";
/// assert_eq!(shader.to_string(), text);
/// # Ok::<(), os_shim::OutOfMemory>(())
/// ```
#[derive(Debug)]
pub struct Shader<'m> {
    processor: Processor,
    properties: Properties,
    property_list: Vec<'m, (Property, u32)>,
    declarations: Vec<'m, Declaration>,
    immediates: Vec<'m, Immediate>,
    instructions: Vec<'m, Instruction>,
    runs: Vec<'m, Run>,
    unknown_properties: u32,
}

impl<'m> Shader<'m> {
    /// Returns an empty shader for a stage.
    pub fn new(processor: Processor, memory: Memory<'m>) -> Shader<'m> {
        Shader {
            processor,
            properties: Properties::NONE,
            property_list: Vec::new_in(memory),
            declarations: Vec::new_in(memory),
            immediates: Vec::new_in(memory),
            instructions: Vec::new_in(memory),
            runs: Vec::new_in(memory),
            unknown_properties: 0,
        }
    }

    /// Returns the stage.
    pub fn processor(&self) -> Processor {
        self.processor
    }

    /// Returns the properties' values.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Returns the declarations.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// Returns the immediates; their position is their index.
    pub fn immediates(&self) -> &[Immediate] {
        &self.immediates
    }

    /// Returns the instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the memory that holds the shader.
    pub fn memory(&self) -> Memory<'m> {
        self.runs.memory()
    }

    /// Returns the number of unknown properties in the text, which were skipped.
    pub fn unknown_properties(&self) -> u32 {
        self.unknown_properties
    }

    /// Returns the items, in the order they were added.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let mut properties = self.property_list.iter();
        let mut declarations = self.declarations.iter();
        let mut immediates = self.immediates.iter().enumerate();
        let mut instructions = self.instructions.iter().enumerate();
        let kinds = self.runs.iter().flat_map(|run| (0..run.count).map(|_| run.kind));
        kinds.filter_map(move |kind| match kind {
            ItemKind::Property => {
                properties.next().map(|&(name, value)| Item::Property(name, value))
            }
            ItemKind::Declaration => declarations.next().map(Item::Declaration),
            ItemKind::Immediate => immediates.next().map(|(n, item)| Item::Immediate(n, item)),
            ItemKind::Instruction => {
                instructions.next().map(|(n, item)| Item::Instruction(n, item))
            }
        })
    }

    /// Adds a property; a second value for a property replaces the first one in `properties`.
    ///
    /// # Errors
    /// Out of memory; the shader is as before.
    pub fn push_property(&mut self, property: Property, value: u32) -> Result<(), OutOfMemory> {
        self.extend_run(ItemKind::Property)?;
        self.property_list.try_push((property, value)).inspect_err(|_| shrink(&mut self.runs))?;
        self.properties = self.properties.with(property, value);
        Ok(())
    }

    /// Adds a declaration.
    ///
    /// # Errors
    /// Out of memory; the shader is as before.
    pub fn push_declaration(&mut self, declaration: Declaration) -> Result<(), OutOfMemory> {
        self.extend_run(ItemKind::Declaration)?;
        self.declarations.try_push(declaration).inspect_err(|_| shrink(&mut self.runs))
    }

    /// Adds an immediate; its index is the number of earlier immediates.
    ///
    /// # Errors
    /// Out of memory; the shader is as before.
    pub fn push_immediate(&mut self, immediate: Immediate) -> Result<(), OutOfMemory> {
        self.extend_run(ItemKind::Immediate)?;
        self.immediates.try_push(immediate).inspect_err(|_| shrink(&mut self.runs))
    }

    /// Adds an instruction.
    ///
    /// # Errors
    /// Out of memory; the shader is as before.
    pub fn push_instruction(&mut self, instruction: Instruction) -> Result<(), OutOfMemory> {
        self.extend_run(ItemKind::Instruction)?;
        self.instructions.try_push(instruction).inspect_err(|_| shrink(&mut self.runs))
    }

    /// Adds a declaration after the last declaration, or before the instructions.
    #[cfg(feature = "text")]
    pub(crate) fn insert_declaration(&mut self, item: Declaration) -> Result<(), OutOfMemory> {
        self.declarations.try_push(item)?;
        self.insert_run(ItemKind::Declaration)
            .inspect_err(|_| self.declarations.truncate(self.declarations.len().saturating_sub(1)))
    }

    /// Adds an immediate after the last immediate, or before the instructions.
    #[cfg(feature = "text")]
    pub(crate) fn insert_immediate(&mut self, item: Immediate) -> Result<(), OutOfMemory> {
        self.immediates.try_push(item)?;
        self.insert_run(ItemKind::Immediate)
            .inspect_err(|_| self.immediates.truncate(self.immediates.len().saturating_sub(1)))
    }

    /// Returns the instructions mutably.
    #[cfg(feature = "text")]
    pub(crate) fn instructions_mut(&mut self) -> &mut [Instruction] {
        &mut self.instructions
    }

    #[cfg(feature = "text")]
    fn insert_run(&mut self, kind: ItemKind) -> Result<(), OutOfMemory> {
        if let Some(run) = self.runs.iter_mut().rfind(|run| run.kind == kind) {
            run.count = run.count.saturating_add(1);
            return Ok(());
        }
        let instructions = self.runs.iter().position(|run| run.kind == ItemKind::Instruction);
        self.runs.insert(instructions.unwrap_or(self.runs.len()), Run { kind, count: 1 })
    }

    /// Records a skipped property.
    #[cfg(feature = "text")]
    pub(crate) fn note_unknown_property(&mut self) {
        self.unknown_properties = self.unknown_properties.saturating_add(1);
    }

    fn extend_run(&mut self, kind: ItemKind) -> Result<(), OutOfMemory> {
        match self.runs.last_mut() {
            Some(run) if run.kind == kind && run.count < u32::MAX => {
                run.count += 1;
                Ok(())
            }
            _ => self.runs.try_push(Run { kind, count: 1 }),
        }
    }
}

/// Undoes the last `extend_run`.
fn shrink(runs: &mut Vec<'_, Run>) {
    if let Some(run) = runs.last_mut() {
        run.count = run.count.saturating_sub(1);
        if run.count == 0 {
            runs.pop();
        }
    }
}

impl PartialEq for Shader<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.processor == other.processor && self.items().eq(other.items())
    }
}
