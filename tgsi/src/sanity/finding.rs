//! The checker's findings and their messages.

use super::limits::MAX_NESTING;
use crate::declaration::Declaration;
use crate::opcode::Opcode;
use crate::register::File;
use crate::shader::{ItemKind, Position, Processor};
use core::fmt::{Display, Formatter, Result};

/// One register, or several consecutive registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The file.
    pub file: File,
    /// The first of two brackets.
    pub dimension: Option<i32>,
    /// The first register.
    pub first: i32,
    /// The last.
    pub last: i32,
}

impl Registers {
    pub(super) fn of(declaration: &Declaration) -> Registers {
        Registers {
            file: declaration.file,
            dimension: declaration.dimension.map(i32::from),
            first: declaration.first.into(),
            last: declaration.last.into(),
        }
    }
}

impl Display for Registers {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.file.name())?;
        if let Some(dimension) = self.dimension {
            write!(f, "[{dimension}]")?;
        }
        match self.last == self.first {
            true => write!(f, "[{}]", self.first),
            false => write!(f, "[{}..{}]", self.first, self.last),
        }
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Advice to the author.
    Warning,
    /// The shader is invalid.
    Error,
}

/// A rule that a shader breaks. The rules up to `WideImmediate` come from the reference checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// A file that cannot be declared or used.
    #[error("{file} is not a register file for operands")]
    InvalidFile {
        /// The file.
        file: File,
    },
    /// An operand without a declaration.
    #[error("{registers} is not declared")]
    Undeclared {
        /// The operand's register.
        registers: Registers,
    },
    /// An operand indexed at run time in a file without declarations.
    #[error("no {file} register is declared")]
    UndeclaredFile {
        /// The file.
        file: File,
    },
    /// An undeclared index of an operand.
    #[error("{file}[{index}], an index, is not declared")]
    UndeclaredIndirect {
        /// The index's file.
        file: File,
        /// The index's register.
        index: i32,
    },
    /// A second `END`.
    #[error("a second END")]
    SecondEnd,
    /// No `END`.
    #[error("END is missing")]
    MissingEnd,
    /// A destination without components.
    #[error("{opcode} writes no component")]
    EmptyMask {
        /// The instruction.
        opcode: Opcode,
    },
    /// A declaration or immediate after the first instruction.
    #[error("{} after the first instruction", kind_name(.kind))]
    Late {
        /// The kind of item that came late.
        kind: ItemKind,
    },
    /// A register declared twice.
    #[error("{registers} is declared more than once")]
    Redeclared {
        /// The later declaration.
        registers: Registers,
    },
    /// A declaration that is never used.
    #[error("{registers} is never used")]
    Unused {
        /// The registers.
        registers: Registers,
    },
    /// A 64-bit immediate, which the reference refuses.
    #[error("an immediate of 64 bits")]
    WideImmediate,

    /// A geometry shader's `PRIM_ID`, read as `IN[i]` although it is declared like the per-vertex
    /// inputs.
    #[error("PRIM_ID is declared per vertex but read once")]
    PrimitiveIdPerVertex,
    /// `MEMORY[0]`, although another index is declared; the index carries no information.
    #[error("MEMORY is declared with another index")]
    MemoryIndex,
    /// An input or output declared again with the same semantic.
    #[error("{registers} is declared again, as the same")]
    RedeclaredAlike {
        /// The later declaration.
        registers: Registers,
    },
    /// A per-vertex output of tessellation control without the vertex bracket.
    #[error("{registers} is declared per vertex; the invocation's own is taken")]
    OwnVertex {
        /// The operand.
        registers: Registers,
    },
    /// Properties that were skipped.
    #[error("{count} properties are not known and were skipped")]
    UnknownProperties {
        /// Their number.
        count: u32,
    },

    /// A block ends that has not begun, or while another one is open.
    #[error("{opcode} does not match what is open here")]
    Unmatched {
        /// The instruction.
        opcode: Opcode,
    },
    /// A block does not end.
    #[error("{opcode} is never closed")]
    Unclosed {
        /// The instruction that opened it.
        opcode: Opcode,
    },
    /// Too many nested blocks.
    #[error("more than {MAX_NESTING} nested blocks")]
    TooDeep,
    /// `CAL` without a subroutine to call.
    #[error("CAL needs the label of a BGNSUB")]
    CallTarget,
    /// An instruction of other stages.
    #[error("{opcode} has no meaning in {processor}")]
    Stage {
        /// The instruction.
        opcode: Opcode,
        /// The stage.
        processor: Processor,
    },
    /// A file that the opcode cannot write.
    #[error("{opcode} cannot write {file}")]
    DestinationFile {
        /// The instruction.
        opcode: Opcode,
        /// The file.
        file: File,
    },
    /// A file that the opcode cannot read there.
    #[error("{opcode} cannot read {file} here")]
    SourceFile {
        /// The instruction.
        opcode: Opcode,
        /// The file.
        file: File,
    },
    /// A file that cannot hold indices.
    #[error("{file} cannot index registers")]
    IndirectFile {
        /// The file.
        file: File,
    },
    /// A register or unit beyond the limit of its file.
    #[error("{registers} is beyond the limit of {limit}")]
    Limit {
        /// The declaration.
        registers: Registers,
        /// The file's limit.
        limit: u32,
    },
    /// An image or view without a texture target.
    #[error("{registers} has no texture target")]
    NoTarget {
        /// The declaration.
        registers: Registers,
    },
}

fn kind_name(kind: &ItemKind) -> &'static str {
    match kind {
        ItemKind::Property => "a property",
        ItemKind::Declaration => "a declaration",
        ItemKind::Immediate => "an immediate",
        ItemKind::Instruction => "an instruction",
    }
}

/// A broken rule, and its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The position in the text, or [`Position::NONE`].
    pub position: Position,
}

impl Finding {
    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        match self.rule {
            Rule::Unused { .. }
            | Rule::WideImmediate
            | Rule::PrimitiveIdPerVertex
            | Rule::MemoryIndex
            | Rule::RedeclaredAlike { .. }
            | Rule::OwnVertex { .. }
            | Rule::UnknownProperties { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.position != Position::NONE {
            write!(f, "{}: ", self.position)?;
        }
        let severity = match self.severity() {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.rule)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Finding {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", defmt::Display2Format(self))
    }
}
