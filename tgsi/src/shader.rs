//! The IR: a shader is a stage, properties, declarations, immediates and instructions.

use crate::declaration::Declaration;
use crate::names::named_enum;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

pub use crate::instruction::{
    Immediate, ImmediateType, Instruction, MemoryInfo, MemoryQualifiers, TextureInfo, TextureOffset,
};
pub use crate::property::{Properties, Property};

named_enum! {
    /// A shader stage. The numbers are those of tokens; protocols have others.
    pub enum Processor {
        /// Vertex.
        Vertex = 0 "VERT",
        /// Tessellation control.
        TessControl = 1 "TESS_CTRL",
        /// Tessellation evaluation.
        TessEval = 2 "TESS_EVAL",
        /// Geometry.
        Geometry = 3 "GEOM",
        /// Fragment.
        Fragment = 4 "FRAG",
        /// Compute.
        Compute = 5 "COMP",
    }
}

named_enum! {
    /// The shape of a texture or image, and whether lookups compare.
    pub enum TextureTarget {
        /// Texels of a buffer.
        Buffer = 0 "BUFFER",
        /// 1D.
        Texture1D = 1 "1D",
        /// 2D.
        Texture2D = 2 "2D",
        /// 3D.
        Texture3D = 3 "3D",
        /// Six faces.
        Cube = 4 "CUBE",
        /// 2D, coordinates in texels.
        Rect = 5 "RECT",
        /// 1D, compared.
        Shadow1D = 6 "SHADOW1D",
        /// 2D, compared.
        Shadow2D = 7 "SHADOW2D",
        /// 2D, coordinates in texels, compared.
        ShadowRect = 8 "SHADOWRECT",
        /// Layers of 1D.
        Array1D = 9 "1D_ARRAY",
        /// Layers of 2D.
        Array2D = 10 "2D_ARRAY",
        /// Layers of 1D, compared.
        ShadowArray1D = 11 "SHADOW1D_ARRAY",
        /// Layers of 2D, compared.
        ShadowArray2D = 12 "SHADOW2D_ARRAY",
        /// Six faces, compared.
        ShadowCube = 13 "SHADOWCUBE",
        /// 2D, several samples a texel.
        Msaa2D = 14 "2D_MSAA",
        /// Layers of 2D, several samples a texel.
        MsaaArray2D = 15 "2D_ARRAY_MSAA",
        /// Layers of cubes.
        CubeArray = 16 "CUBEARRAY",
        /// Layers of cubes, compared.
        ShadowCubeArray = 17 "SHADOWCUBEARRAY",
        /// Not said here: the view's declaration tells.
        Unknown = 18 "UNKNOWN",
    }
}

impl TextureTarget {
    /// Whether lookups compare with a reference value.
    pub const fn is_shadow(self) -> bool {
        use TextureTarget::*;
        matches!(
            self,
            Shadow1D
                | Shadow2D
                | ShadowRect
                | ShadowArray1D
                | ShadowArray2D
                | ShadowCube
                | ShadowCubeArray
        )
    }

    /// How many coordinates address a texel, the layer not counted (a cube has three).
    pub const fn dimensions(self) -> usize {
        use TextureTarget::*;
        match self {
            Buffer | Texture1D | Shadow1D | Array1D | ShadowArray1D => 1,
            Texture2D | Rect | Shadow2D | ShadowRect | Array2D | ShadowArray2D | Msaa2D
            | MsaaArray2D | Unknown => 2,
            Texture3D | Cube | ShadowCube | CubeArray | ShadowCubeArray => 3,
        }
    }

    /// Whether it has layers.
    pub const fn is_array(self) -> bool {
        use TextureTarget::*;
        matches!(
            self,
            Array1D
                | Array2D
                | ShadowArray1D
                | ShadowArray2D
                | MsaaArray2D
                | CubeArray
                | ShadowCubeArray
        )
    }

    /// Whether a texel has several samples.
    pub const fn is_msaa(self) -> bool {
        matches!(self, TextureTarget::Msaa2D | TextureTarget::MsaaArray2D)
    }
}

/// A place in a text. Lines and columns count from 1; columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The line, or 0: not from a text.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// Not from a text.
    pub const NONE: Position = Position { line: 0, column: 0 };
}

impl core::fmt::Display for Position {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Position {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "line {=u32}, column {=u32}", self.line, self.column)
    }
}

/// What kind of item stands somewhere in a shader.
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

/// Items of one kind that follow each other.
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
/// Items of each kind are kept in a list of their own; [`items`](Shader::items) gives them in
/// the order they were added, so that text and tokens come out as they went in (clients do send
/// declarations after immediates).
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
    /// An empty shader for a stage.
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

    /// The stage.
    pub fn processor(&self) -> Processor {
        self.processor
    }

    /// The properties' values.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The declarations.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The immediates; their place is their index.
    pub fn immediates(&self) -> &[Immediate] {
        &self.immediates
    }

    /// The instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The memory the shader lives in.
    pub fn memory(&self) -> Memory<'m> {
        self.runs.memory()
    }

    /// How many properties a text had that this crate does not know; they were skipped.
    pub fn unknown_properties(&self) -> u32 {
        self.unknown_properties
    }

    /// The items, in the order they were added.
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

    /// Adds a property; a second value for one property replaces the first in `properties`.
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

    /// Adds an immediate; its index is their count before.
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

    /// Adds a declaration after the last one there is, or before the instructions.
    #[cfg(feature = "text")]
    pub(crate) fn insert_declaration(&mut self, item: Declaration) -> Result<(), OutOfMemory> {
        self.declarations.try_push(item)?;
        self.insert_run(ItemKind::Declaration)
            .inspect_err(|_| self.declarations.truncate(self.declarations.len().saturating_sub(1)))
    }

    /// Adds an immediate after the last one there is, or before the instructions.
    #[cfg(feature = "text")]
    pub(crate) fn insert_immediate(&mut self, item: Immediate) -> Result<(), OutOfMemory> {
        self.immediates.try_push(item)?;
        self.insert_run(ItemKind::Immediate)
            .inspect_err(|_| self.immediates.truncate(self.immediates.len().saturating_sub(1)))
    }

    /// The instructions, to change in place.
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

    /// Notes a property that was skipped.
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

/// Takes back the last `extend_run`.
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
