//! Positions in a text.

/// A position in a text. Lines and columns count from 1; columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The line; 0 if the item is not from a text.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// The position of an item that is not from a text.
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
