//! The IR: a shader is a stage, properties, declarations, immediates and instructions.

use crate::declaration::{Declaration, ImageFormat};
use crate::names::named_enum;
use crate::opcode::Opcode;
use crate::register::{DstRegister, File, SrcRegister, Swizzle};
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::Vec;

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

named_enum! {
    /// How an immediate is written. The bits are what counts.
    pub enum ImmediateType {
        /// Four floats.
        Float32 = 0 "FLT32",
        /// Four unsigned integers.
        Uint32 = 1 "UINT32",
        /// Four signed integers.
        Int32 = 2 "INT32",
        /// Two doubles.
        Float64 = 3 "FLT64",
        /// Two unsigned 64-bit integers.
        Uint64 = 4 "UINT64",
        /// Two signed 64-bit integers.
        Int64 = 5 "INT64",
    }
}

impl ImmediateType {
    /// Whether it is two values of 64 bits rather than four of 32.
    pub const fn is_64bit(self) -> bool {
        matches!(self, Self::Float64 | Self::Uint64 | Self::Int64)
    }
}

/// One `IMM`: four words, in 64-bit types the low word of each pair first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Immediate {
    /// How it is written.
    pub kind: ImmediateType,
    /// The four components.
    pub bits: [u32; 4],
}

impl Immediate {
    /// Four floats.
    pub const fn float(values: [f32; 4]) -> Immediate {
        let [x, y, z, w] = values;
        let bits = [x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()];
        Immediate { kind: ImmediateType::Float32, bits }
    }

    /// Four unsigned integers.
    pub const fn uint(bits: [u32; 4]) -> Immediate {
        Immediate { kind: ImmediateType::Uint32, bits }
    }

    /// Four signed integers.
    pub const fn int(values: [i32; 4]) -> Immediate {
        let [x, y, z, w] = values;
        Immediate { kind: ImmediateType::Int32, bits: [x as u32, y as u32, z as u32, w as u32] }
    }

    /// The two 64-bit values of a 64-bit type.
    pub const fn pairs(&self) -> [u64; 2] {
        let [a, b, c, d] = self.bits;
        [a as u64 | (b as u64) << 32, c as u64 | (d as u64) << 32]
    }

    /// Two values of a 64-bit type.
    pub const fn from_pairs(kind: ImmediateType, values: [u64; 2]) -> Immediate {
        let [x, y] = values;
        let bits = [x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32];
        Immediate { kind, bits }
    }
}

/// One texel offset of a texture instruction: three integer components of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureOffset {
    /// The register's file, normally `Immediate`.
    pub file: File,
    /// The components for x, y and z.
    pub swizzle: [Swizzle; 3],
    /// The register's index.
    pub index: i16,
}

impl TextureOffset {
    /// No offset: what unused slots hold.
    pub const NULL: TextureOffset = TextureOffset {
        file: File::Null,
        swizzle: [Swizzle::X, Swizzle::Y, Swizzle::Z],
        index: 0,
    };
}

/// What a texture instruction says beyond its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureInfo {
    /// The texture's shape. `Unknown` in the SAMPLE family, where the view's declaration tells.
    pub target: TextureTarget,
    /// How many of `offsets` are given.
    pub offset_count: u8,
    /// Texel offsets; four for a gather with one a component.
    pub offsets: [TextureOffset; 4],
}

impl TextureInfo {
    /// A target without offsets.
    pub const fn new(target: TextureTarget) -> TextureInfo {
        TextureInfo { target, offset_count: 0, offsets: [TextureOffset::NULL; 4] }
    }

    /// The offsets given.
    pub fn offsets(&self) -> &[TextureOffset] {
        self.offsets.get(..self.offset_count as usize).unwrap_or(&self.offsets)
    }
}

bitflags::bitflags! {
    /// What a memory access promises or asks.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct MemoryQualifiers: u8 {
        /// Seen by other invocations.
        const COHERENT = 1;
        /// Not aliased.
        const RESTRICT = 2;
        /// Changed by others at any time.
        const VOLATILE = 4;
        /// Not worth caching.
        const STREAM_CACHE_POLICY = 8;
    }
}

/// What a memory instruction says beyond its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryInfo {
    /// Promises.
    pub qualifiers: MemoryQualifiers,
    /// The image's shape; `Buffer` where it is not said.
    pub target: TextureTarget,
    /// The image's format; `NONE` where it is not said.
    pub format: ImageFormat,
}

impl MemoryInfo {
    /// Nothing said.
    pub const NONE: MemoryInfo = MemoryInfo {
        qualifiers: MemoryQualifiers::empty(),
        target: TextureTarget::Buffer,
        format: ImageFormat::NONE,
    };
}

/// One instruction.
///
/// Equality leaves out [`position`](Instruction::position).
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub opcode: Opcode,
    /// Results are clamped to 0 … 1.
    pub saturate: bool,
    /// Results are those of the operations as written, unfused.
    pub precise: bool,
    /// Destinations; as many count as the opcode takes.
    pub dst: [DstRegister; 2],
    /// Sources; as many count as the opcode takes.
    pub src: [SrcRegister; 5],
    /// Target and offsets of a texture instruction.
    pub texture: Option<TextureInfo>,
    /// Qualifiers, target and format of a memory instruction.
    pub memory: Option<MemoryInfo>,
    /// The number of another instruction. Clients send stale ones: match structure instead.
    pub label: Option<u32>,
    /// Where it stands in a text.
    pub position: Position,
}

impl Instruction {
    /// An instruction with no operands filled in.
    pub const fn new(opcode: Opcode) -> Instruction {
        Instruction {
            opcode,
            saturate: false,
            precise: false,
            dst: [DstRegister::NULL; 2],
            src: [SrcRegister::NULL; 5],
            texture: None,
            memory: None,
            label: None,
            position: Position::NONE,
        }
    }

    /// The destinations.
    pub fn dsts(&self) -> &[DstRegister] {
        self.dst.get(..self.opcode.info().dst.len()).unwrap_or(&self.dst)
    }

    /// The sources.
    pub fn srcs(&self) -> &[SrcRegister] {
        self.src.get(..self.opcode.info().src.len()).unwrap_or(&self.src)
    }
}

impl PartialEq for Instruction {
    fn eq(&self, other: &Self) -> bool {
        self.opcode == other.opcode
            && (self.saturate, self.precise) == (other.saturate, other.precise)
            && self.dsts() == other.dsts()
            && self.srcs() == other.srcs()
            && self.texture == other.texture
            && self.memory == other.memory
            && self.label == other.label
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
            ItemKind::Property => properties.next().map(|&(name, value)| Item::Property(name, value)),
            ItemKind::Declaration => declarations.next().map(Item::Declaration),
            ItemKind::Immediate => immediates.next().map(|(n, item)| Item::Immediate(n, item)),
            ItemKind::Instruction => instructions.next().map(|(n, item)| Item::Instruction(n, item)),
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
    pub(crate) fn insert_declaration(&mut self, item: Declaration) -> Result<(), OutOfMemory> {
        self.declarations.try_push(item)?;
        self.insert_run(ItemKind::Declaration).inspect_err(|_| self.declarations.truncate(self.declarations.len().saturating_sub(1)))
    }

    /// Adds an immediate after the last one there is, or before the instructions.
    pub(crate) fn insert_immediate(&mut self, item: Immediate) -> Result<(), OutOfMemory> {
        self.immediates.try_push(item)?;
        self.insert_run(ItemKind::Immediate).inspect_err(|_| self.immediates.truncate(self.immediates.len().saturating_sub(1)))
    }

    /// The instructions, to change in place.
    #[cfg(feature = "text")]
    pub(crate) fn instructions_mut(&mut self) -> &mut [Instruction] {
        &mut self.instructions
    }

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
