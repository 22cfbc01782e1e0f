//! Lane programs: the compiler makes one of a shader, the executor runs it.
//!
//! A program works on a *lane register file*: rows of 32-bit untyped lanes, one lane an
//! invocation, one row a scalar (structure of arrays). The caller fills the rows named by
//! [`Program::inputs`] and [`Program::system_values`], runs, and reads the rows named by
//! [`Program::outputs`]. Registers of more than one vertex (the inputs of geometry and
//! tessellation, the outputs of tessellation control) have no rows: programs ask
//! [`crate::exec::Resources`] for it. Rows of constants are filled once a draw by
//! [`crate::exec::prepare`]. Everything is slices, so `tgsi!` can place a program in flash.

use super::{InputPlace, MemoryKind, MemorySpace, SampleKind, VertexPlace, WideCode};
use crate::declaration::{ImageFormat, Interpolate, Location, Semantic};

pub use super::Op;
pub use super::native::Native;
use crate::shader::{Processor, Properties, TextureTarget};

/// A row of the lane register file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Row(pub u16);

impl Row {
    /// No row: the component is not read, or not written.
    pub const NONE: Row = Row(u16::MAX);

    /// Returns the row's index, or `None` for [`Row::NONE`].
    #[inline(always)]
    pub fn index(self) -> Option<usize> {
        if self.0 == u16::MAX { None } else { Some(self.0 as usize) }
    }
}

/// One `IN` register: the rows its components are read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The register's index, `IN[index]`.
    pub register: u16,
    /// The semantic it was declared with; `GENERIC` index `register` for vertex inputs, which have
    /// none.
    pub semantic: Semantic,
    /// The interpolation of fragment shaders' inputs.
    pub interpolate: Interpolate,
    /// The place in the pixel at which fragment shaders' inputs are evaluated.
    pub location: Location,
    /// The rows of x, y, z and w; `Row::NONE` where the shader does not read it, and in registers
    /// of several vertices.
    pub rows: [Row; 4],
}

/// One `SV` register (system value).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemValue {
    /// The semantic it was declared with.
    pub semantic: Semantic,
    /// The rows of x, y, z and w; `Row::NONE` where the shader does not read it.
    pub rows: [Row; 4],
}

/// One `OUT` register: the rows that hold its components after a run. They may be rows of inputs,
/// of constants, or of another output that holds the same: read them only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The register's index, `OUT[index]`.
    pub register: u16,
    /// The semantic it was declared with.
    pub semantic: Semantic,
    /// The rows of x, y, z and w; `Row::NONE` where the shader never writes it, and in
    /// tessellation control, whose outputs go through [`crate::exec::Resources`].
    pub rows: [Row; 4],
}

/// The source of a row that is the same for every lane of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantSource {
    /// These bits.
    Immediate(u32),
    /// Word `word` of constant buffer `buffer`; 0 beyond the buffer's end.
    Buffer {
        /// The constant buffer's slot.
        buffer: u8,
        /// The 32-bit word within it: `4 * register + component`.
        word: u16,
    },
}

/// A row filled once a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The row.
    pub row: Row,
    /// The source of its value.
    pub source: ConstantSource,
}

/// One texture unit the shader samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerUse {
    /// Sampler unit, `SAMP[unit]`.
    pub unit: u8,
    /// The sampler view's slot, which is the unit's number in the TEX family.
    pub view: u8,
    /// The shape of texture the shader expects there.
    pub target: TextureTarget,
}

/// One texture lookup, which a `Sample` op names. Rows are [`Row::NONE`] where there is no operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The sampler view's slot; [`HANDLE`](super::HANDLE): `view_row` has a bindless handle.
    pub view: u16,
    /// The sampler's slot, or `HANDLE`.
    pub sampler: u16,
    /// Added to the view's slot at run time.
    pub view_row: Row,
    /// Added to the sampler's slot at run time; the same row as `view_row` where one index names both.
    pub sampler_row: Row,
    /// The shape of texture the shader expects.
    pub target: TextureTarget,
    /// The kind of lookup.
    pub kind: SampleKind,
    /// Coordinates s, t and r.
    pub coord: [Row; 3],
    /// Layer of arrays.
    pub layer: Row,
    /// Reference value of comparisons.
    pub compare: Row,
    /// Bias, level of detail, level, or sample.
    pub lod: Row,
    /// Derivatives along x.
    pub ddx: [Row; 3],
    /// Derivatives along y.
    pub ddy: [Row; 3],
    /// Offset in texels.
    pub offset: [i8; 3],
    /// Added to the offset at run time.
    pub offset_rows: [Row; 3],
    /// The component that a gather reads.
    pub component: u8,
    /// Added to the component at run time.
    pub component_row: Row,
    /// The rows that x, y, z and w are written to.
    pub dst: [Row; 4],
}

/// The registers that a computed address reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Registers in rows, four each.
    Rows {
        /// The x of the first register.
        first: Row,
        /// The number of registers.
        registers: u16,
    },
    /// A constant buffer's registers.
    Constants {
        /// Added to the computed buffer.
        buffer: i16,
    },
    /// Registers of several vertices.
    Vertices {
        /// Whose.
        place: VertexPlace,
        /// Added to the computed vertex.
        vertex: i16,
    },
}

/// One use of a computed address, which a `Gather`, `Scatter`, `LoadVertex` or `StoreVertex` op
/// names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The registers reached.
    pub space: Space,
    /// Added to the computed address: the register counted from the space's first.
    pub index: i32,
    /// The component, 0 to 3.
    pub component: u8,
}

/// Arithmetic on values of 64 bits, which a `Wide` op names. Each value is two rows, the low word
/// first; a row that is not there reads 0, or is not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wide {
    /// The operation.
    pub code: WideCode,
    /// The rows of the result.
    pub dst: [Row; 2],
    /// The first operand.
    pub a: [Row; 2],
    /// The second operand.
    pub b: [Row; 2],
    /// The third operand.
    pub c: [Row; 2],
}

/// One use of memory, which a `Memory` op names. Rows are [`Row::NONE`] where there is no operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// The kind of use.
    pub kind: MemoryKind,
    /// The memory used.
    pub space: MemorySpace,
    /// The slot, where there are several; [`HANDLE`](super::HANDLE): `unit_row` has an image's
    /// bindless handle.
    pub unit: u16,
    /// Added to the slot at run time.
    pub unit_row: Row,
    /// The shape of images.
    pub target: TextureTarget,
    /// The format of images' texels, as the shader has it.
    pub format: ImageFormat,
    /// Byte offset in the first; texel, layer and sample of images.
    pub address: [Row; 4],
    /// The words to store; in the first the operand of atomics.
    pub value: [Row; 4],
    /// The word that `CompareExchange` compares with.
    pub compare: Row,
    /// The components loaded or stored, x in the lowest bit.
    pub mask: u8,
    /// The rows that loaded words are written to.
    pub dst: [Row; 4],
}

/// An input evaluated elsewhere in the pixel, which an `Interpolate` op names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputAt {
    /// The register's index, `IN[register]`.
    pub register: u16,
    /// The place in the pixel.
    pub place: InputPlace,
    /// The sample's number in the first (`Sample`), or pixels along x and y (`Offset`).
    pub at: [Row; 2],
    /// The input's own rows.
    pub plain: [Row; 4],
    /// The rows that x, y, z and w are written to.
    pub dst: [Row; 4],
}

bitflags::bitflags! {
    /// The effects and needs of a program, for those who set up its runs.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Uses: u32 {
        /// May kill invocations (`KILL`, `KILL_IF`).
        const KILL = 1 << 0;
        /// Needs whole quads: derivatives or implicit levels of detail.
        const DERIVATIVES = 1 << 1;
        /// Writes fragment depth (`OUT[], POSITION`).
        const WRITES_DEPTH = 1 << 2;
        /// Writes fragment stencil.
        const WRITES_STENCIL = 1 << 3;
        /// Writes the sample mask.
        const WRITES_SAMPLE_MASK = 1 << 4;
        /// Has stores or atomics.
        const WRITES_MEMORY = 1 << 5;
        /// Samples textures.
        const TEXTURES = 1 << 6;
        /// Has control flow that lanes may take differently.
        const CONTROL_FLOW = 1 << 7;
        /// Reads constant buffers at computed addresses.
        const INDIRECT_CONSTANTS = 1 << 8;
        /// Reaches memory through [`crate::exec::Resources::memory`].
        const MEMORY = 1 << 9;
        /// Evaluates inputs elsewhere, through [`crate::exec::Resources::interpolate`].
        const INTERPOLATES = 1 << 10;
        /// Waits for its group: run it by [`crate::exec::run_group`].
        const BARRIERS = 1 << 11;
        /// Names textures or images by handles.
        const BINDLESS = 1 << 12;
    }
}

/// The text of a program that `tgsi!` compiled, from which a trace makes the program again.
///
/// Only programs on hosts keep it: without the feature `std` it is dropped and takes no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceText {
    #[cfg(feature = "std")]
    text: &'static str,
}

impl SourceText {
    /// No text: the program was compiled at run time.
    pub const NONE: SourceText = SourceText::of("");

    /// Keeps a text, where the feature `std` is on.
    pub const fn of(text: &'static str) -> SourceText {
        #[cfg(not(feature = "std"))]
        let _ = text;
        SourceText {
            #[cfg(feature = "std")]
            text,
        }
    }

    /// Returns the text, if it was kept.
    pub fn get(self) -> Option<&'static str> {
        #[cfg(feature = "std")]
        let text = Some(self.text);
        #[cfg(not(feature = "std"))]
        let text: Option<&'static str> = None;
        text.filter(|text| !text.is_empty())
    }
}

/// A compiled shader. Plain data: copy it, keep it in flash, share it between threads.
///
/// [`compile`](crate::compile::compile) makes one at run time, the macro `tgsi!` at build time;
/// [`run`](super::run) has an example of its use.
#[derive(Clone, Copy, Debug)]
pub struct Program<'p> {
    /// The stage it is for.
    pub processor: Processor,
    /// Its effects and needs beyond arithmetic.
    pub uses: Uses,
    /// The number of rows that the register file must have.
    pub rows: u16,
    /// The shader's `PROPERTY` values.
    pub properties: Properties,
    /// The `IN` registers that are read.
    pub inputs: &'p [Input],
    /// The system values that are read and that the caller fills. Subgroup values are not among them:
    /// ops compute them.
    pub system_values: &'p [SystemValue],
    /// The `OUT` registers that are declared, in register order.
    pub outputs: &'p [Output],
    /// The rows to fill once a draw.
    pub constants: &'p [Constant],
    /// The texture units used.
    pub samplers: &'p [SamplerUse],
    /// Texture lookups, for ops to name.
    pub samples: &'p [Sample],
    /// Uses of computed addresses, for ops to name.
    pub accesses: &'p [Access],
    /// Arithmetic on 64 bits, for ops to name.
    pub wides: &'p [Wide],
    /// Uses of memory, for ops to name.
    pub memory: &'p [MemoryAccess],
    /// Inputs evaluated elsewhere, for ops to name.
    pub inputs_at: &'p [InputAt],
    /// The most turns that all its loops may take together in a run.
    pub loop_budget: u32,
    /// Ops on constants alone, run once a draw by `prepare`.
    pub preamble: &'p [Op],
    /// Ops run once a batch.
    pub body: &'p [Op],
    /// The body as machine code, where `tgsi!` made some.
    pub native: Native,
    /// The text that `tgsi!` compiled.
    pub source: SourceText,
}
