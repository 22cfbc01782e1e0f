//! Opcodes: one table, from which everything else about them is derived.
//!
//! `table.rs` has one row per opcode and one section per [`Kind`]. This file has the types of the
//! table's columns and the search by name.
//!
//! # Adding an opcode
//! Add its row to a section of `table.rs`. Text, tokens and the checker's operand counts follow
//! from the row. The crate does not compile until the compiler handles the opcode: each kind has
//! one module in `compile`, which matches over the kind's opcodes without a wildcard.

mod table;

use crate::names::distance;

pub use table::{
    ArithmeticOpcode, FlowOpcode, Kind, LaneOpcode, MemoryOpcode, Opcode, SampleOpcode,
    StageOpcode, TextureOpcode, WideOpcode,
};

/// The type of an operand, defined by the opcode. Registers have no type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// 32-bit float. Also used for values that are only moved, because modifiers act on floats.
    Float,
    /// 32-bit signed integer, or a mask of all or no bits.
    Int,
    /// 32-bit unsigned integer, or bits.
    Uint,
    /// 64-bit float in a pair of components, low word first.
    Double,
    /// 64-bit signed integer in a pair of components.
    Int64,
    /// 64-bit unsigned integer in a pair of components.
    Uint64,
    /// Not a value: names a sampler, view, image, buffer, memory or output.
    Unit,
}

impl Type {
    /// Returns true if a value takes a pair of components.
    pub const fn is_64bit(self) -> bool {
        matches!(self, Type::Double | Type::Int64 | Type::Uint64)
    }
}

/// The relation of the result's components to the sources'.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Component c from component c.
    Componentwise,
    /// One scalar, from x (or a dot product), in every component.
    Replicate,
    /// Each component has a different formula.
    PerChannel,
    /// Pairs xy and zw hold 64-bit values on one side at least.
    Pairwise,
    /// Any other relation.
    Other,
}

bitflags::bitflags! {
    /// The parts and effects of an instruction, except operands.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Flags: u8 {
        /// Nothing.
        const NONE = 0;
        /// A texture target after the operands, then texel offsets.
        const TEXTURE = 1 << 0;
        /// Texel offsets without a target.
        const OFFSETS = 1 << 1;
        /// Memory qualifiers, a target and a format after the operands.
        const MEMORY = 1 << 2;
        /// A label.
        const LABEL = 1 << 3;
        /// The next instruction is nested one deeper.
        const OPENS = 1 << 4;
        /// This instruction and the next are nested one less deep.
        const CLOSES = 1 << 5;
    }
}

/// An opcode's row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info {
    /// The spelling.
    pub name: &'static str,
    /// The relation of the result's components to the sources'.
    pub mode: Mode,
    /// The destinations' types; its length is the number of destinations.
    pub dst: &'static [Type],
    /// The sources' types; its length is the number of sources.
    pub src: &'static [Type],
    /// Its parts and effects, except operands.
    pub flags: Flags,
}

impl Opcode {
    /// Returns the spelling.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the number in tokens.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the number of destinations it takes.
    pub const fn dst_count(self) -> usize {
        self.info().dst.len()
    }

    /// Returns the number of sources it takes.
    pub const fn src_count(self) -> usize {
        self.info().src.len()
    }

    /// Returns the opcode with this spelling, in any case, or with an old spelling from
    /// [`RENAMED`].
    pub fn from_name(name: &str) -> Option<Opcode> {
        let key = key(name.as_bytes())?;
        let at = BY_NAME.binary_search_by_key(&key, |entry| entry.0).ok()?;
        BY_NAME.get(at).map(|entry| entry.1)
    }

    /// Returns the opcode with the spelling nearest to `name`, if it is near enough to be meant.
    pub fn nearest(name: &str) -> Option<Opcode> {
        let near = Opcode::ALL.iter().map(|&opcode| (distance(name, opcode.name()), opcode));
        let (distance, opcode) = near.min_by_key(|&(distance, _)| distance)?;
        (distance <= 1 + name.len() / 4).then_some(opcode)
    }
}

impl core::fmt::Display for Opcode {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Opcode {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str}", self.name())
    }
}

/// Spellings in old texts that mean the same as a current one.
pub const RENAMED: &[(&str, Opcode)] = &[
    ("KIL", Opcode::KillIf),
    ("KILP", Opcode::Kill),
    ("LOAD_MS", Opcode::SampleIMs),
    ("RESINFO", Opcode::Sviewinfo),
    ("SHR", Opcode::Ishr),
    ("RECIP", Opcode::Rcp),
    ("RECIPSQRT", Opcode::Rsq),
    ("EXPBASE2", Opcode::Ex2),
    ("LOGBASE2", Opcode::Lg2),
    ("FRAC", Opcode::Frc),
    ("FLOOR", Opcode::Flr),
    ("LERP", Opcode::Lrp),
    ("MADD", Opcode::Mad),
    ("DOT3", Opcode::Dp3),
    ("DOT4", Opcode::Dp4),
    ("SETLT", Opcode::Slt),
    ("SETGE", Opcode::Sge),
    ("POWER", Opcode::Pow),
    ("DSX", Opcode::Ddx),
    ("DSY", Opcode::Ddy),
];

/// Returns a name as a sortable number: upper case, at most 15 bytes, with a 1 above them.
#[expect(clippy::indexing_slicing, reason = "`at` is below the length")]
const fn key(name: &[u8]) -> Option<u128> {
    if name.len() > 15 {
        return None;
    }
    let mut key = 1;
    let mut at = 0;
    while at < name.len() {
        key = key << 8 | name[at].to_ascii_uppercase() as u128;
        at += 1;
    }
    Some(key)
}

/// Every spelling, sorted by its key, so that the parser finds one in eight comparisons.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
static BY_NAME: [(u128, Opcode); Opcode::ALL.len() + RENAMED.len()] = {
    let mut table = [(0, Opcode::Nop); Opcode::ALL.len() + RENAMED.len()];
    let mut count = 0;
    while count < table.len() {
        let (name, opcode) = if count < Opcode::ALL.len() {
            (Opcode::ALL[count].name(), Opcode::ALL[count])
        } else {
            RENAMED[count - Opcode::ALL.len()]
        };
        let entry = match key(name.as_bytes()) {
            Some(key) => (key, opcode),
            None => panic!("a spelling is longer than 15 letters"),
        };
        let mut at = count;
        while at > 0 && table[at - 1].0 > entry.0 {
            table[at] = table[at - 1];
            at -= 1;
        }
        table[at] = entry;
        count += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_but_the_gaps_is_an_opcode() {
        let gaps = [67, 81, 82, 93, 113, 114, 115, 165];
        for code in 0..=u8::MAX {
            let opcode = Opcode::from_code(code);
            assert_eq!(opcode.is_some(), code < 252 && !gaps.contains(&code), "{code}");
            assert_eq!(opcode.map_or(code, Opcode::code), code);
        }
        assert_eq!(Opcode::ALL.len(), 244);
    }

    #[test]
    fn every_spelling_is_found_in_any_case() {
        for &opcode in Opcode::ALL {
            assert_eq!(Opcode::from_name(opcode.name()), Some(opcode));
            let mut lower = [0; 16];
            let lower = &mut lower[..opcode.name().len()];
            lower.copy_from_slice(opcode.name().as_bytes());
            lower.make_ascii_lowercase();
            assert_eq!(Opcode::from_name(core::str::from_utf8(lower).unwrap()), Some(opcode));
        }
        for &(name, opcode) in RENAMED {
            assert_eq!(Opcode::from_name(name), Some(opcode));
        }
        assert_eq!(Opcode::from_name(""), None);
        assert_eq!(Opcode::from_name("MOVX"), None);
        assert_eq!(Opcode::from_name("INTERP_CENTROID_"), None);
        assert_eq!(Opcode::from_name("\0MOV"), None);
    }

    #[test]
    fn suggests_the_nearest() {
        assert_eq!(Opcode::nearest("MVO"), Some(Opcode::Mov));
        assert_eq!(Opcode::nearest("SAMPEL_L"), Some(Opcode::SampleL));
        assert_eq!(Opcode::nearest("ATOMUAD"), Some(Opcode::Atomuadd));
        assert_eq!(Opcode::nearest("QWERTYUIOP"), None);
    }

    #[test]
    fn operand_counts_fit_the_ir() {
        for opcode in Opcode::ALL {
            assert!(opcode.dst_count() <= 2 && opcode.src_count() <= 5);
        }
        assert_eq!((Opcode::Dfracexp.dst_count(), Opcode::SampleD.src_count()), (2, 5));
        assert_eq!((Opcode::Bfi.src_count(), Opcode::Atomcas.src_count()), (4, 4));
        assert_eq!((Opcode::Txd.src_count(), Opcode::Clock.src_count()), (4, 0));
    }
}
