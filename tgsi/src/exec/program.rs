//! Lane programs: the compiler makes one from a shader, and the executor runs it.
//!
//! A program works on a *lane register file*: rows of untyped 32-bit lanes, one lane per
//! invocation, one row per scalar (structure of arrays). The caller fills the rows named by
//! [`Program::inputs`] and [`Program::system_values`], runs the program, and reads the rows named
//! by [`Program::outputs`]. Registers of more than one vertex (the inputs of geometry and
//! tessellation, the outputs of tessellation control) have no rows: programs access them through
//! [`crate::exec::Resources`]. [`crate::exec::prepare`] fills the rows of constants once per draw.
//! All parts are slices, so `tgsi!` can place a program in flash.

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

/// One `IN` register: the rows that hold its components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The register's index, `IN[index]`.
    pub register: u16,
    /// The declared semantic. Vertex inputs have none: for them it is `GENERIC` with index
    /// `register`.
    pub semantic: Semantic,
    /// The interpolation of a fragment shader input.
    pub interpolate: Interpolate,
    /// The position in the pixel where a fragment shader input is evaluated.
    pub location: Location,
    /// The rows of x, y, z and w. `Row::NONE` for components that the shader does not read, and in
    /// registers of several vertices.
    pub rows: [Row; 4],
}

/// One `SV` register (system value).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemValue {
    /// The declared semantic.
    pub semantic: Semantic,
    /// The rows of x, y, z and w; `Row::NONE` for components that the shader does not read.
    pub rows: [Row; 4],
}

/// One `OUT` register: the rows that hold its components after a run. They may also be rows of
/// inputs, of constants, or of another output with the same value: do not write to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The register's index, `OUT[index]`.
    pub register: u16,
    /// The declared semantic.
    pub semantic: Semantic,
    /// The rows of x, y, z and w. `Row::NONE` for components that the shader never writes, and in
    /// tessellation control: its outputs go through [`crate::exec::Resources`].
    pub rows: [Row; 4],
}

/// The source of a row with the same value in every lane of a draw.
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

/// A row filled once per draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The row.
    pub row: Row,
    /// The source of its value.
    pub source: ConstantSource,
}

/// One texture unit that the shader samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerUse {
    /// Sampler unit, `SAMP[unit]`.
    pub unit: u8,
    /// The sampler view's slot. In the TEX family it equals the unit.
    pub view: u8,
    /// The shape of texture that the shader expects there.
    pub target: TextureTarget,
}

/// One texture lookup, named by a `Sample` op. Rows of missing operands are [`Row::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The sampler view's slot; or [`HANDLE`](super::HANDLE) if `view_row` has a bindless handle.
    pub view: u16,
    /// The sampler's slot, or `HANDLE`.
    pub sampler: u16,
    /// The row that is added to the view's slot at run time.
    pub view_row: Row,
    /// The row that is added to the sampler's slot at run time. It equals `view_row` if one index
    /// names both.
    pub sampler_row: Row,
    /// The shape of texture that the shader expects.
    pub target: TextureTarget,
    /// The kind of lookup.
    pub kind: SampleKind,
    /// Coordinates s, t and r.
    pub coord: [Row; 3],
    /// Layer, for arrays.
    pub layer: Row,
    /// Reference value, for comparisons.
    pub compare: Row,
    /// Bias, level of detail, level, or sample.
    pub lod: Row,
    /// Derivatives along x.
    pub ddx: [Row; 3],
    /// Derivatives along y.
    pub ddy: [Row; 3],
    /// Offset in texels.
    pub offset: [i8; 3],
    /// Rows that are added to the offset at run time.
    pub offset_rows: [Row; 3],
    /// The component that a gather reads.
    pub component: u8,
    /// The row that is added to the component at run time.
    pub component_row: Row,
    /// The rows that x, y, z and w are written to.
    pub dst: [Row; 4],
}

/// The registers that a computed address can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Registers in rows, four rows per register.
    Rows {
        /// The x of the first register.
        first: Row,
        /// The number of registers.
        registers: u16,
    },
    /// A constant buffer's registers.
    Constants {
        /// The number that is added to the computed buffer.
        buffer: i16,
    },
    /// Registers of several vertices.
    Vertices {
        /// The owner of the registers.
        place: VertexPlace,
        /// The number that is added to the computed vertex.
        vertex: i16,
    },
}

/// One access at a computed address, named by a `Gather`, `Scatter`, `LoadVertex` or `StoreVertex`
/// op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The registers that the address can reach.
    pub space: Space,
    /// The number that is added to the computed address: the register, counted from the space's
    /// first.
    pub index: i32,
    /// The component, 0 to 3.
    pub component: u8,
}

/// 64-bit arithmetic, named by a `Wide` op. Each value is two rows, the low word first. A missing
/// row reads 0, or is not written.
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

/// One memory access, named by a `Memory` op. Rows of missing operands are [`Row::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// The kind of access.
    pub kind: MemoryKind,
    /// The memory accessed.
    pub space: MemorySpace,
    /// The slot, if the memory has several; or [`HANDLE`](super::HANDLE) if `unit_row` has an
    /// image's bindless handle.
    pub unit: u16,
    /// The row that is added to the slot at run time.
    pub unit_row: Row,
    /// The shape of images.
    pub target: TextureTarget,
    /// The shader's format of an image's texels.
    pub format: ImageFormat,
    /// The byte offset in the first row. For images: the texel, layer and sample.
    pub address: [Row; 4],
    /// The words to store; the first row holds the operand of atomics.
    pub value: [Row; 4],
    /// The word that `CompareExchange` compares with.
    pub compare: Row,
    /// The components loaded or stored, x in the lowest bit.
    pub mask: u8,
    /// The rows that loaded words are written to.
    pub dst: [Row; 4],
}

/// An input evaluated at another place in the pixel, named by an `Interpolate` op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputAt {
    /// The register's index, `IN[register]`.
    pub register: u16,
    /// The place in the pixel.
    pub place: InputPlace,
    /// `Sample`: the sample's number in the first row. `Offset`: pixels along x and y.
    pub at: [Row; 2],
    /// The rows of the input itself.
    pub plain: [Row; 4],
    /// The rows that x, y, z and w are written to.
    pub dst: [Row; 4],
}

bitflags::bitflags! {
    /// The effects and requirements of a program, for code that sets up its runs.
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
        /// Has control flow that may diverge between lanes.
        const CONTROL_FLOW = 1 << 7;
        /// Reads constant buffers at computed addresses.
        const INDIRECT_CONSTANTS = 1 << 8;
        /// Accesses memory through [`crate::exec::Resources::memory`].
        const MEMORY = 1 << 9;
        /// Evaluates inputs at other places, through [`crate::exec::Resources::interpolate`].
        const INTERPOLATES = 1 << 10;
        /// Waits for its group: run it with [`crate::exec::run_group`].
        const BARRIERS = 1 << 11;
        /// Names textures or images by handles.
        const BINDLESS = 1 << 12;
    }
}

/// The text of a program that `tgsi!` or `wgsl!` compiled. A recording recreates the program from it.
///
/// | features | a program has | the text is |
/// |---|---|---|
/// | `std` | the text | in memory |
/// | `record` | the text's [name](Self::name) | in the section `.gallium.programs` of the firmware's ELF file, which no chip loads |
/// | neither | nothing | nowhere |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceText {
    #[cfg(feature = "std")]
    text: &'static str,
    #[cfg(all(feature = "record", not(feature = "std")))]
    name: u64,
}

impl SourceText {
    /// No text: the program was compiled at run time.
    pub const NONE: SourceText = SourceText::of("");

    /// Keeps a text, or its name, if the features tell so.
    pub const fn of(text: &'static str) -> SourceText {
        #[cfg(not(any(feature = "std", feature = "record")))]
        let _ = text;
        SourceText {
            #[cfg(feature = "std")]
            text,
            #[cfg(all(feature = "record", not(feature = "std")))]
            name: Self::name_of(text.as_bytes()),
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

    /// Returns the name of the text, if a text or a name was kept.
    pub fn name(self) -> Option<u64> {
        #[cfg(feature = "std")]
        let name = Some(Self::name_of(self.text.as_bytes()));
        #[cfg(all(feature = "record", not(feature = "std")))]
        let name = Some(self.name);
        #[cfg(not(any(feature = "std", feature = "record")))]
        let name: Option<u64> = None;
        name.filter(|name| *name != Self::name_of(b""))
    }

    /// Returns the name of a text: its FNV-1a hash of 64 bits.
    pub const fn name_of(text: &[u8]) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut rest = text;
        while let [byte, tail @ ..] = rest {
            hash = (hash ^ *byte as u64).wrapping_mul(0x100_0000_01b3);
            rest = tail;
        }
        hash
    }
}

/// Puts a program's text into the section `.gallium.programs` of a firmware's ELF file. `tgsi!` and
/// `wgsl!` write a call of it next to each program. Without the feature `record` it is nothing.
///
/// The section has no address: linkers do not put it into memory, as they do not with the strings of
/// defmt. Each text ends with a zero.
#[cfg(all(feature = "record", not(feature = "std"), target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! keep_text {
    ($text:literal) => {
        mod text {
            ::core::arch::global_asm!(
                ".pushsection .gallium.programs,\"\",%progbits",
                $text,
                ".popsection",
                options(raw)
            );
        }
    };
}

/// Puts a program's text into a firmware's ELF file with the feature `record`; here it does nothing.
#[cfg(not(all(feature = "record", not(feature = "std"), target_os = "none")))]
#[doc(hidden)]
#[macro_export]
macro_rules! keep_text {
    ($text:literal) => {};
}

/// A compiled shader. It is plain data: copy it, keep it in flash, share it between threads.
///
/// [`compile`](crate::compile::compile) makes one at run time, the macro `tgsi!` at build time;
/// [`run`](super::run) has an example.
#[derive(Clone, Copy, Debug)]
pub struct Program<'p> {
    /// The shader's stage.
    pub processor: Processor,
    /// Its effects and requirements beyond arithmetic.
    pub uses: Uses,
    /// The number of rows that the register file must have.
    pub rows: u16,
    /// The shader's `PROPERTY` values.
    pub properties: &'p Properties,
    /// The `IN` registers that are read.
    pub inputs: &'p [Input],
    /// The system values that the program reads and the caller fills. Subgroup values are not
    /// included: ops compute them.
    pub system_values: &'p [SystemValue],
    /// The declared `OUT` registers, in register order.
    pub outputs: &'p [Output],
    /// The rows to fill once per draw.
    pub constants: &'p [Constant],
    /// The texture units that are used.
    pub samplers: &'p [SamplerUse],
    /// Texture lookups that ops name.
    pub samples: &'p [Sample],
    /// Accesses at computed addresses that ops name.
    pub accesses: &'p [Access],
    /// 64-bit arithmetic that ops name.
    pub wides: &'p [Wide],
    /// Memory accesses that ops name.
    pub memory: &'p [MemoryAccess],
    /// Inputs evaluated at other places that ops name.
    pub inputs_at: &'p [InputAt],
    /// The most loop turns of a run, over all its loops.
    pub loop_budget: u32,
    /// Ops that depend only on constants; `prepare` runs them once per draw.
    pub preamble: &'p [Op],
    /// Ops that run once per batch.
    pub body: &'p [Op],
    /// The native body, if `tgsi!` made one.
    pub native: Native,
    /// The text that `tgsi!` compiled.
    pub source: SourceText,
}
