//! Errors in a text: the position, the word found, the words expected.

use crate::shader::Position;
use os_shim::memory::OutOfMemory;

/// The reason why a text is not a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The text breaks the grammar.
    #[error("{0}")]
    Syntax(SyntaxError),
    /// The text is longer than [`ParseOptions::max_bytes`](super::ParseOptions::max_bytes).
    #[error("a text of {bytes} bytes, more than the {limit} that the parser accepts")]
    TooLong {
        /// The text's length in bytes.
        bytes: usize,
        /// The most bytes allowed.
        limit: usize,
    },
    /// The shader does not fit its memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl TextError {
    /// Returns the position in the text, if the error has one.
    pub fn position(&self) -> Option<Position> {
        match self {
            TextError::Syntax(error) => Some(error.position),
            TextError::TooLong { .. } | TextError::OutOfMemory(_) => None,
        }
    }
}

/// A position at which the text breaks the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The start of `found`.
    pub position: Position,
    /// The offending word or character.
    pub found: Found,
    /// The words that would have been valid.
    pub expected: &'static str,
    /// The known name nearest to the word found.
    pub suggestion: Option<&'static str>,
}

impl core::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: expected {}, found {}", self.position, self.expected, self.found)?;
        match self.suggestion {
            Some(name) => write!(f, " (did you mean {name}?)"),
            None => Ok(()),
        }
    }
}

/// The word or character that an error is about: up to 24 bytes of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Found {
    bytes: [u8; 24],
    length: u8,
    cut: bool,
}

impl Found {
    /// Returns the beginning of `text`. Empty text stands for the end of the text.
    pub(crate) fn new(text: &str) -> Found {
        let mut end = text.len().min(24);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut bytes = [0; 24];
        for (to, from) in bytes.iter_mut().zip(text.bytes().take(end)) {
            *to = from;
        }
        Found { bytes, length: end as u8, cut: end < text.len() }
    }

    /// Returns the text found; empty at the end of the text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length as usize).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl core::fmt::Debug for Found {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(self.as_str(), f)
    }
}

impl core::fmt::Display for Found {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match (self.as_str(), self.cut) {
            ("", _) => f.write_str("the end of the text"),
            (text, false) => write!(f, "{text:?}"),
            (text, true) => write!(f, "{text:?}…"),
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for TextError {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self {
            TextError::Syntax(error) => defmt::write!(
                f,
                "{}: expected {=str}, found {=str}",
                error.position,
                error.expected,
                error.found.as_str()
            ),
            TextError::TooLong { bytes, limit } => defmt::write!(
                f,
                "a text of {=usize} bytes, more than the {=usize} that the parser accepts",
                bytes,
                limit
            ),
            TextError::OutOfMemory(error) => {
                defmt::write!(
                    f,
                    "out of memory: {=usize} bytes requested beyond what is left: hand over more",
                    error.requested
                )
            }
        }
    }
}
