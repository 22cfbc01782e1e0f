//! Registers: files, operands, swizzles, write masks, indirection.
//!
//! A register is four 32-bit components without a type; types belong to opcodes. An operand is a
//! register and how it is read (swizzle, absolute, negate) or written (mask).

use crate::names::named_enum;

named_enum! {
    /// A register file.
    pub enum File {
        /// Nothing; never declared.
        Null = 0 "NULL",
        /// Constant buffers. One bracket means buffer 0.
        Constant = 1 "CONST",
        /// Inputs, from the previous stage or from vertex fetch.
        Input = 2 "IN",
        /// Outputs, for the next stage or the framebuffer.
        Output = 3 "OUT",
        /// Scratch, one copy an invocation.
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
        /// Memory shared by a group, and its kin; see `MemoryType`.
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

/// One component of a register, as a source names it.
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
    /// The components in their own order: no swizzle.
    pub const XYZW: [Swizzle; 4] = [Swizzle::X, Swizzle::Y, Swizzle::Z, Swizzle::W];

    /// Returns the component's index, 0 to 3.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the component of the two low bits of `code`.
    #[expect(clippy::indexing_slicing, reason = "the numbers of components are 0 to 3")]
    pub const fn from_bits(code: u32) -> Swizzle {
        Self::XYZW[(code & 3) as usize]
    }

    /// Returns the component's letter, lower case.
    #[expect(clippy::indexing_slicing, reason = "the numbers of components are 0 to 3")]
    pub const fn letter(self) -> char {
        ['x', 'y', 'z', 'w'][self as usize]
    }

    /// Returns the component of a letter, in either case; the manual writes colours' letters too.
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
    /// Tells if `component` (0 to 3) is in the mask.
    #[inline]
    pub const fn has(self, component: usize) -> bool {
        component < 4 && self.bits() >> component & 1 != 0
    }

    /// Returns the mask of one component.
    pub const fn of(component: Swizzle) -> WriteMask {
        WriteMask::from_bits_truncate(1 << component as u8)
    }

    /// Returns the indices of the components in the mask, ascending.
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
    /// The declared array that is indexed, or 0: any register of the file.
    pub array_id: u16,
}

impl Indirect {
    /// By the x component of `ADDR[index]`.
    pub const fn address(index: i16) -> Indirect {
        Indirect { file: File::Address, swizzle: Swizzle::X, index, array_id: 0 }
    }
}

/// The first of two brackets: the vertex, the constant buffer, the counter buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimension {
    /// The literal index.
    pub index: i16,
    /// The register whose value is added to it at run time.
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
/// Component `c` of the operand is component `swizzle[c]` of the register, then its absolute
/// value if `absolute`, then negated if `negate`, by the type the opcode gives the source.
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
    /// Which component each component is taken from.
    pub swizzle: [Swizzle; 4],
    /// Sign dropped (before `negate`).
    pub absolute: bool,
    /// Sign changed.
    pub negate: bool,
    /// The register whose value is added to the index at run time.
    pub indirect: Option<Indirect>,
    /// The first bracket of two.
    pub dimension: Option<Dimension>,
}

impl SrcRegister {
    /// No operand, for unused slots of an instruction.
    pub const NULL: SrcRegister = SrcRegister::new(File::Null, 0);

    /// `file[index]`, unmodified.
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

    /// Read through `swizzle`, applied to the operand's present one.
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

    /// Returns one component in all four places.
    pub const fn scalar(self, component: Swizzle) -> SrcRegister {
        self.swizzled([component; 4])
    }

    /// Returns the x component in all four places.
    pub const fn x(self) -> SrcRegister {
        self.scalar(Swizzle::X)
    }

    /// Returns the y component in all four places.
    pub const fn y(self) -> SrcRegister {
        self.scalar(Swizzle::Y)
    }

    /// Returns the z component in all four places.
    pub const fn z(self) -> SrcRegister {
        self.scalar(Swizzle::Z)
    }

    /// Returns the w component in all four places.
    pub const fn w(self) -> SrcRegister {
        self.scalar(Swizzle::W)
    }

    /// Negated.
    pub const fn neg(mut self) -> SrcRegister {
        self.negate = !self.negate;
        self
    }

    /// Returns the absolute value (of the register: a former negation is lost).
    pub const fn abs(mut self) -> SrcRegister {
        self.absolute = true;
        self.negate = false;
        self
    }

    /// Indexed at run time.
    pub const fn indexed(mut self, indirect: Indirect) -> SrcRegister {
        self.indirect = Some(indirect);
        self
    }

    /// With a first bracket.
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
    /// The components written.
    pub mask: WriteMask,
    /// The register whose value is added to the index at run time.
    pub indirect: Option<Indirect>,
    /// The first bracket of two.
    pub dimension: Option<Dimension>,
}

impl DstRegister {
    /// No operand, for unused slots of an instruction.
    pub const NULL: DstRegister = DstRegister::new(File::Null, 0);

    /// `file[index]`, all components.
    pub const fn new(file: File, index: i32) -> DstRegister {
        DstRegister { index, file, mask: WriteMask::XYZW, indirect: None, dimension: None }
    }

    /// Only the components of `mask`.
    pub const fn masked(mut self, mask: WriteMask) -> DstRegister {
        self.mask = mask;
        self
    }

    /// Indexed at run time.
    pub const fn indexed(mut self, indirect: Indirect) -> DstRegister {
        self.indirect = Some(indirect);
        self
    }

    /// With a first bracket.
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
