//! Registers: files, operands, swizzles, write masks, indirection.
//!
//! A register is four untyped 32-bit components; opcodes define the types. An operand is a register
//! with the way to read it (swizzle, absolute, negate) or to write it (mask).

use crate::names::named_enum;

named_enum! {
    /// A register file.
    pub enum File {
        /// No file; never declared.
        Null = 0 "NULL",
        /// Constant buffers. A single bracket selects a register of buffer 0.
        Constant = 1 "CONST",
        /// Inputs, from the previous stage or from vertex fetch.
        Input = 2 "IN",
        /// Outputs, for the next stage or the framebuffer.
        Output = 3 "OUT",
        /// Temporaries, one copy per invocation.
        Temporary = 4 "TEMP",
        /// Sampler units.
        Sampler = 5 "SAMP",
        /// Integers that index other files.
        Address = 6 "ADDR",
        /// Constants written in the shader itself.
        Immediate = 7 "IMM",
        /// Values the pipeline generates.
        SystemValue = 8 "SV",
        /// Image units (load, store, atomics).
        Image = 9 "IMAGE",
        /// Sampler views.
        SamplerView = 10 "SVIEW",
        /// Shader buffers (load, store, atomics).
        Buffer = 11 "BUFFER",
        /// Memory shared by a group, and similar memory; see `MemoryType`.
        Memory = 12 "MEMORY",
        /// Constant buffers as sources of `LOAD`.
        ConstantBuffer = 13 "CONSTBUF",
        /// Atomic counters.
        HardwareAtomic = 14 "HWATOMIC",
    }
}

impl File {
    /// The number of files.
    pub const COUNT: usize = 15;
}

/// One component of a register, as selected by a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Swizzle {
    /// The first.
    #[default]
    X = 0,
    /// The second.
    Y = 1,
    /// The third.
    Z = 2,
    /// The fourth.
    W = 3,
}

impl Swizzle {
    /// The components in order: no swizzle.
    pub const XYZW: [Swizzle; 4] = [Swizzle::X, Swizzle::Y, Swizzle::Z, Swizzle::W];

    /// Returns the component's index, 0 to 3.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the component with the number in the low two bits of `code`.
    #[expect(clippy::indexing_slicing, reason = "the numbers of components are 0 to 3")]
    pub const fn from_bits(code: u32) -> Swizzle {
        Self::XYZW[(code & 3) as usize]
    }

    /// Returns the component's letter in lower case.
    #[expect(clippy::indexing_slicing, reason = "the numbers of components are 0 to 3")]
    pub const fn letter(self) -> char {
        ['x', 'y', 'z', 'w'][self as usize]
    }

    /// Returns the component of a letter, in either case. Colour letters count too, as the manual
    /// uses them.
    pub const fn from_letter(letter: u8) -> Option<Swizzle> {
        match letter {
            b'x' | b'X' | b'r' | b'R' => Some(Swizzle::X),
            b'y' | b'Y' | b'g' | b'G' => Some(Swizzle::Y),
            b'z' | b'Z' | b'b' | b'B' => Some(Swizzle::Z),
            b'w' | b'W' | b'a' | b'A' => Some(Swizzle::W),
            _ => None,
        }
    }
}

bitflags::bitflags! {
    /// The components a destination writes, or a declaration uses.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct WriteMask: u8 {
        /// The first.
        const X = 1;
        /// The second.
        const Y = 2;
        /// The third.
        const Z = 4;
        /// The fourth.
        const W = 8;
        /// The first two.
        const XY = 3;
        /// The first three.
        const XYZ = 7;
        /// The last two.
        const ZW = 12;
        /// All four.
        const XYZW = 15;
    }
}

impl WriteMask {
    /// Returns true if `component` (0 to 3) is in the mask.
    #[inline]
    pub const fn has(self, component: usize) -> bool {
        component < 4 && self.bits() >> component & 1 != 0
    }

    /// Returns the mask of one component.
    pub const fn of(component: Swizzle) -> WriteMask {
        WriteMask::from_bits_truncate(1 << component as u8)
    }

    /// Returns the indices of the components in the mask, in ascending order.
    pub fn components(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&component| self.has(component))
    }
}

/// An index computed at run time: the value of one component is added to the literal index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Indirect {
    /// The file that holds the index, normally `Address`.
    pub file: File,
    /// The component that holds it.
    pub swizzle: Swizzle,
    /// The register that holds it.
    pub index: i16,
    /// The declared array that is indexed, or 0 for any register of the file.
    pub array_id: u16,
}

impl Indirect {
    /// Returns an index by the x component of `ADDR[index]`.
    pub const fn address(index: i16) -> Indirect {
        Indirect { file: File::Address, swizzle: Swizzle::X, index, array_id: 0 }
    }
}

/// The first of two brackets: the vertex, the constant buffer or the counter buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimension {
    /// The literal index.
    pub index: i16,
    /// The register that is added to it at run time.
    pub indirect: Option<Indirect>,
}

impl Dimension {
    /// Returns a literal index.
    pub const fn literal(index: i16) -> Dimension {
        Dimension { index, indirect: None }
    }
}

/// A source operand.
///
/// Component `c` of the operand is component `swizzle[c]` of the register. Then `absolute` drops
/// the sign, and `negate` changes it, by the type that the opcode gives the source.
///
/// # Examples
/// ```
/// use gallium_tgsi::register::{File, SrcRegister};
/// let src = SrcRegister::new(File::Constant, 3).x().abs().neg();
/// assert_eq!(src.to_string(), "-|CONST[3].xxxx|");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SrcRegister {
    /// The literal index, -32768 to 32767.
    pub index: i32,
    /// The file.
    pub file: File,
    /// The register component that each operand component is taken from.
    pub swizzle: [Swizzle; 4],
    /// True if the sign is dropped (before `negate`).
    pub absolute: bool,
    /// True if the sign is changed.
    pub negate: bool,
    /// The register that is added to the index at run time.
    pub indirect: Option<Indirect>,
    /// The first bracket of two.
    pub dimension: Option<Dimension>,
}

impl SrcRegister {
    /// No operand, for unused slots of an instruction.
    pub const NULL: SrcRegister = SrcRegister::new(File::Null, 0);

    /// Returns the operand `file[index]`, unmodified.
    pub const fn new(file: File, index: i32) -> SrcRegister {
        SrcRegister {
            index,
            file,
            swizzle: Swizzle::XYZW,
            absolute: false,
            negate: false,
            indirect: None,
            dimension: None,
        }
    }

    /// Returns the operand with `swizzle` applied on top of its current swizzle.
    #[expect(clippy::indexing_slicing, reason = "the numbers of components are 0 to 3")]
    pub const fn swizzled(mut self, swizzle: [Swizzle; 4]) -> SrcRegister {
        let old = self.swizzle;
        self.swizzle = [
            old[swizzle[0] as usize],
            old[swizzle[1] as usize],
            old[swizzle[2] as usize],
            old[swizzle[3] as usize],
        ];
        self
    }

    /// Returns the operand with one component in all four places.
    pub const fn scalar(self, component: Swizzle) -> SrcRegister {
        self.swizzled([component; 4])
    }

    /// Returns the operand with the x component in all four places.
    pub const fn x(self) -> SrcRegister {
        self.scalar(Swizzle::X)
    }

    /// Returns the operand with the y component in all four places.
    pub const fn y(self) -> SrcRegister {
        self.scalar(Swizzle::Y)
    }

    /// Returns the operand with the z component in all four places.
    pub const fn z(self) -> SrcRegister {
        self.scalar(Swizzle::Z)
    }

    /// Returns the operand with the w component in all four places.
    pub const fn w(self) -> SrcRegister {
        self.scalar(Swizzle::W)
    }

    /// Returns the negated operand.
    pub const fn neg(mut self) -> SrcRegister {
        self.negate = !self.negate;
        self
    }

    /// Returns the absolute value of the register; an earlier negation is dropped.
    pub const fn abs(mut self) -> SrcRegister {
        self.absolute = true;
        self.negate = false;
        self
    }

    /// Returns the operand with an index computed at run time.
    pub const fn indexed(mut self, indirect: Indirect) -> SrcRegister {
        self.indirect = Some(indirect);
        self
    }

    /// Returns the operand with a first bracket.
    pub const fn in_dimension(mut self, dimension: Dimension) -> SrcRegister {
        self.dimension = Some(dimension);
        self
    }
}

/// A destination operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DstRegister {
    /// The literal index, -32768 to 32767.
    pub index: i32,
    /// The file.
    pub file: File,
    /// The components that are written.
    pub mask: WriteMask,
    /// The register that is added to the index at run time.
    pub indirect: Option<Indirect>,
    /// The first bracket of two.
    pub dimension: Option<Dimension>,
}

impl DstRegister {
    /// No operand, for unused slots of an instruction.
    pub const NULL: DstRegister = DstRegister::new(File::Null, 0);

    /// Returns the operand `file[index]` with all components.
    pub const fn new(file: File, index: i32) -> DstRegister {
        DstRegister { index, file, mask: WriteMask::XYZW, indirect: None, dimension: None }
    }

    /// Returns the operand with only the components of `mask`.
    pub const fn masked(mut self, mask: WriteMask) -> DstRegister {
        self.mask = mask;
        self
    }

    /// Returns the operand with an index computed at run time.
    pub const fn indexed(mut self, indirect: Indirect) -> DstRegister {
        self.indirect = Some(indirect);
        self
    }

    /// Returns the operand with a first bracket.
    pub const fn in_dimension(mut self, dimension: Dimension) -> DstRegister {
        self.dimension = Some(dimension);
        self
    }

    /// Returns the same register as a source.
    pub const fn as_src(self) -> SrcRegister {
        let mut src = SrcRegister::new(self.file, self.index);
        src.indirect = self.indirect;
        src.dimension = self.dimension;
        src
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_compose() {
        let src = SrcRegister::new(File::Temporary, 1).swizzled([
            Swizzle::W,
            Swizzle::Z,
            Swizzle::Y,
            Swizzle::X,
        ]);
        assert_eq!(src.x().swizzle, [Swizzle::W; 4]);
        assert_eq!(src.swizzled(Swizzle::XYZW), src);
    }

    #[test]
    fn operands_are_compact() {
        assert!(size_of::<SrcRegister>() <= 28);
        assert!(size_of::<DstRegister>() <= 24);
    }

    #[test]
    fn mask_components_ascend() {
        assert!((WriteMask::X | WriteMask::Z).components().eq([0, 2]));
        assert!(!WriteMask::XYZW.has(4));
    }
}
