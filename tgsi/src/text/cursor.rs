//! Walks through a text: white space, words, numbers, and their positions.

use super::error::{Found, SyntaxError, TextError};
use crate::register::Swizzle;
use crate::shader::Position;

/// A position in a text. A copy is a bookmark to return to.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'t> Cursor<'t> {
    /// Returns the start of `text`, which ends at its first NUL if it has one.
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        let text = text.split('\0').next().unwrap_or("");
        Cursor { text, at: 0, line: 1, line_start: 0 }
    }

    pub(super) fn position(&self) -> Position {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX);
        Position { line: self.line, column: column.saturating_add(1) }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Skips white space and comments; returns true if there were any.
    pub(super) fn space(&mut self) -> bool {
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => self.newline(),
                b'#' => self.skip_line(),
                _ => break,
            }
        }
        self.at > start
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    /// Skips to the end of the line.
    pub(super) fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// Skips `byte` if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips white space, `byte` and white space; stays in place if `byte` does not follow.
    pub(super) fn eat_spaced(&mut self, byte: u8) -> bool {
        let back = *self;
        self.space();
        if self.eat(byte) {
            self.space();
            return true;
        }
        *self = back;
        false
    }

    /// Reads the letters, digits and underscores that follow; the result may be empty.
    pub(super) fn word(&mut self) -> &'t str {
        let word = self.peek_word();
        self.at += word.len();
        word
    }

    /// Returns the result of `word` without moving.
    pub(super) fn peek_word(&self) -> &'t str {
        self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Returns the following bytes (ASCII) that satisfy `is_in`.
    fn run(&self, is_in: impl Fn(u8) -> bool) -> &'t str {
        let ahead = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let length = ahead.iter().take_while(|&&byte| is_in(byte)).count();
        self.text.get(self.at..self.at + length).unwrap_or("")
    }

    /// Reads the digits (base 10 or 16) that follow; the result may be empty.
    pub(super) fn digits(&mut self, base: u32) -> &'t str {
        let digits = self.run(|byte| (byte as char).is_digit(base));
        self.at += digits.len();
        digits
    }

    /// Returns the text between `start` and here.
    pub(super) fn since(&self, start: &Cursor<'t>) -> &'t str {
        self.text.get(start.at..self.at).unwrap_or("")
    }

    /// Skips `prefix`, in any case, if it is next.
    pub(super) fn eat_text(&mut self, prefix: &str) -> bool {
        let ahead = self.text.get(self.at..self.at + prefix.len());
        let found = ahead.is_some_and(|ahead| ahead.eq_ignore_ascii_case(prefix));
        self.at += if found { prefix.len() } else { 0 };
        found
    }

    /// Reads a decimal number of at most `max`.
    pub(super) fn uint(&mut self, max: u32, expected: &'static str) -> Result<u32, TextError> {
        let start = *self;
        let digits = self.digits(10);
        match digits.parse::<u32>() {
            Ok(value) if value <= max => Ok(value),
            _ => Err(start.error(expected)),
        }
    }

    /// Reads `byte` after optional white space; an error names `expected`.
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), TextError> {
        self.space();
        if self.eat(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// Reads a word as swizzle letters; returns false if it is anything else.
    pub(super) fn letters(word: &str, letters: &mut [Swizzle]) -> bool {
        word.len() == letters.len()
            && letters.iter_mut().zip(word.bytes()).all(|(to, byte)| {
                Swizzle::from_letter(byte).is_some_and(|letter| {
                    *to = letter;
                    true
                })
            })
    }

    /// Returns an error about the next word or character.
    #[cold]
    pub(super) fn error(&self, expected: &'static str) -> TextError {
        self.error_suggesting(expected, None)
    }

    /// Returns an error about the next word or character, with a suggested name.
    #[cold]
    pub(super) fn error_suggesting(
        &self,
        expected: &'static str,
        suggestion: Option<&'static str>,
    ) -> TextError {
        let word = match self.peek_word() {
            "" => self.text.get(self.at..).map_or("", |rest| {
                let length = rest.chars().next().map_or(0, char::len_utf8);
                rest.get(..length).unwrap_or("")
            }),
            word => word,
        };
        let (expected, suggestion) = match super::gone::expected_for(word) {
            Some(expected) => (expected, None),
            None => (expected, suggestion),
        };
        let found = Found::new(word);
        TextError::Syntax(SyntaxError { position: self.position(), found, expected, suggestion })
    }
}
