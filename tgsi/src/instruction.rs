//! Instructions and immediates.

use crate::declaration::ImageFormat;
use crate::names::named_enum;
use crate::opcode::Opcode;
use crate::position::Position;
use crate::register::{DstRegister, File, SrcRegister, Swizzle};
use crate::texture_target::TextureTarget;

named_enum! {
    /// The notation of an immediate. It does not change the bits.
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
    /// Returns true if the immediate is two 64-bit values rather than four 32-bit ones.
    pub const fn is_64bit(self) -> bool {
        matches!(self, Self::Float64 | Self::Uint64 | Self::Int64)
    }
}

/// One `IMM`: four words. In 64-bit types the low word of each pair comes first.
///
/// # Examples
/// ```
/// use gallium_tgsi::shader::{Immediate, ImmediateType};
/// assert_eq!(Immediate::float([1.0, 0.0, -1.0, 0.5]).bits[0], 0x3F80_0000);
/// let wide = Immediate::from_pairs(ImmediateType::Float64, [1.0, 2.0].map(f64::to_bits));
/// assert_eq!(wide.pairs().map(f64::from_bits), [1.0, 2.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Immediate {
    /// Its notation.
    pub kind: ImmediateType,
    /// The four components.
    pub bits: [u32; 4],
}

impl Immediate {
    /// Returns an immediate of four floats.
    pub const fn float(values: [f32; 4]) -> Immediate {
        let [x, y, z, w] = values;
        let bits = [x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()];
        Immediate { kind: ImmediateType::Float32, bits }
    }

    /// Returns an immediate of four unsigned integers.
    pub const fn uint(bits: [u32; 4]) -> Immediate {
        Immediate { kind: ImmediateType::Uint32, bits }
    }

    /// Returns an immediate of four signed integers.
    pub const fn int(values: [i32; 4]) -> Immediate {
        let [x, y, z, w] = values;
        Immediate { kind: ImmediateType::Int32, bits: [x as u32, y as u32, z as u32, w as u32] }
    }

    /// Returns the two 64-bit values of a 64-bit type.
    pub const fn pairs(&self) -> [u64; 2] {
        let [a, b, c, d] = self.bits;
        [a as u64 | (b as u64) << 32, c as u64 | (d as u64) << 32]
    }

    /// Returns an immediate of two values of a 64-bit type.
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
    /// No offset, for unused slots.
    pub const NULL: TextureOffset =
        TextureOffset { file: File::Null, swizzle: [Swizzle::X, Swizzle::Y, Swizzle::Z], index: 0 };
}

/// The parts of a texture instruction beyond its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureInfo {
    /// The texture's shape. `Unknown` in the SAMPLE family, where the view's declaration has it.
    pub target: TextureTarget,
    /// The number of `offsets` given.
    pub offset_count: u8,
    /// Texel offsets. A gather may have four, one per texel.
    pub offsets: [TextureOffset; 4],
}

impl TextureInfo {
    /// Returns a target without offsets.
    pub const fn new(target: TextureTarget) -> TextureInfo {
        TextureInfo { target, offset_count: 0, offsets: [TextureOffset::NULL; 4] }
    }

    /// Returns the offsets in use.
    pub fn offsets(&self) -> &[TextureOffset] {
        self.offsets.get(..self.offset_count as usize).unwrap_or(&self.offsets)
    }
}

bitflags::bitflags! {
    /// The qualifiers of a memory access.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct MemoryQualifiers: u8 {
        /// Other invocations see the access.
        const COHERENT = 1;
        /// The memory is not aliased.
        const RESTRICT = 2;
        /// Other invocations or devices may change the memory at any time.
        const VOLATILE = 4;
        /// Not worth caching.
        const STREAM_CACHE_POLICY = 8;
    }
}

/// The parts of a memory instruction beyond its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryInfo {
    /// The qualifiers of the access.
    pub qualifiers: MemoryQualifiers,
    /// The image's shape; `Buffer` if not specified.
    pub target: TextureTarget,
    /// The image's format; `NONE` if not specified.
    pub format: ImageFormat,
}

impl MemoryInfo {
    /// No qualifiers, shape or format.
    pub const NONE: MemoryInfo = MemoryInfo {
        qualifiers: MemoryQualifiers::empty(),
        target: TextureTarget::Buffer,
        format: ImageFormat::NONE,
    };
}

/// One instruction.
///
/// Equality ignores [`position`](Instruction::position).
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The operation.
    pub opcode: Opcode,
    /// True if results are clamped to 0 … 1.
    pub saturate: bool,
    /// True if operations must run as written, without fusing.
    pub precise: bool,
    /// Destinations; only as many as the opcode takes are used.
    pub dst: [DstRegister; 2],
    /// Sources; only as many as the opcode takes are used.
    pub src: [SrcRegister; 5],
    /// Target and offsets of a texture instruction.
    pub texture: Option<TextureInfo>,
    /// Qualifiers, target and format of a memory instruction.
    pub memory: Option<MemoryInfo>,
    /// The number of another instruction. Clients send stale labels: match by structure instead.
    pub label: Option<u32>,
    /// Its position in the text.
    pub position: Position,
}

impl Instruction {
    /// Returns an instruction with empty operands.
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

    /// Returns the destinations.
    pub fn dsts(&self) -> &[DstRegister] {
        self.dst.get(..self.opcode.info().dst.len()).unwrap_or(&self.dst)
    }

    /// Returns the sources.
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
