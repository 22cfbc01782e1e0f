//! Gets the text of a shader, from Rust's tokens or from a file.
//!
//! Rust tokens know their lines and columns, and every word and sign of TGSI is a Rust token. Each
//! token is written at its original position, so a position in a parser's error leads back to a
//! token.

use std::path::PathBuf;

use proc_macro::{Delimiter, Literal, Span, TokenTree};
use tgsi::shader::Position;

use crate::Error;

/// A shader's text and where its tokens come from.
pub(crate) struct Source {
    text: String,
    /// The position after `text`.
    end: Position,
    /// The start of each token, in order.
    tokens: Vec<(Position, Span)>,
    /// The line of the first token in its file.
    first_line: usize,
    /// The path of the file that the text was read from.
    file: Option<String>,
}

/// The position of a text's first character.
const START: Position = Position { line: 1, column: 1 };

impl Source {
    /// Returns the text of these tokens, or of the file that they name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn new(tokens: &[TokenTree]) -> Result<Source, Error> {
        let first_line = tokens.first().map_or(1, |token| token.span().line());
        let mut source =
            Source { text: String::new(), end: START, tokens: Vec::new(), first_line, file: None };
        match tokens {
            [TokenTree::Literal(name)] => source.read(name)?,
            _ => source.add_all(tokens.iter().cloned()),
        }
        Ok(source)
    }

    /// Reads the file that a string names, below the folder of the crate's manifest.
    fn read(&mut self, name: &Literal) -> Result<(), Error> {
        let written = name.to_string();
        let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let inner = inner.filter(|inner| !inner.contains('\\')).ok_or_else(|| {
            let message =
                "expected a shader, or the path of its file in quotes, with `/` between folders";
            (message.to_owned(), name.span())
        })?;
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let path = folder.unwrap_or_default().join(inner);
        self.text = std::fs::read_to_string(&path)
            .map_err(|error| (format!("cannot read {}: {error}", path.display()), name.span()))?;
        self.tokens.push((START, name.span()));
        self.file = Some(path.display().to_string());
        Ok(())
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the path of the file that the text was read from.
    pub(crate) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns an error at a position of the text. `message` may begin with the position.
    pub(crate) fn error(&self, position: Position, message: &str) -> Error {
        let rest = match message.split_once(": ") {
            Some((place, rest)) if place.starts_with("line ") => rest,
            _ => message,
        };
        // rustc shows the place of a token; it knows no places in another file.
        let message = match &self.file {
            Some(file) => format!("{file}:{}:{}: {rest}", position.line, position.column),
            None => rest.to_owned(),
        };
        (message, self.span_at(position))
    }

    /// Returns the span of the token that begins at `position`, or of the last one before it.
    fn span_at(&self, position: Position) -> Span {
        let after = self.tokens.partition_point(|token| token.0 <= position);
        match self.tokens.get(after.saturating_sub(1)) {
            Some(token) => token.1,
            None => Span::call_site(),
        }
    }

    fn add_all(&mut self, tokens: impl Iterator<Item = TokenTree>) {
        for token in tokens {
            let TokenTree::Group(group) = token else {
                self.add(&token.to_string(), token.span());
                continue;
            };
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            self.add(open, group.span_open());
            self.add_all(group.stream().into_iter());
            self.add(close, group.span_close());
        }
    }

    fn add(&mut self, token: &str, span: Span) {
        let line = (span.line().saturating_sub(self.first_line) + 1) as u32;
        let place = Position { line, column: span.column() as u32 };
        if place < self.end {
            // Tokens that another macro made have no position; keep them apart.
            self.text.push(' ');
            self.end.column += 1;
        }
        while self.end.line < place.line {
            self.text.push('\n');
            self.end = Position { line: self.end.line + 1, column: 1 };
        }
        while self.end < place {
            self.text.push(' ');
            self.end.column += 1;
        }
        self.tokens.push((self.end, span));
        self.text.push_str(token);
        self.end.column += token.len() as u32;
    }
}

/// Returns the position of the operand that a message begins with (`SAMP[0] is not declared`) in
/// the instruction at `instruction`; the instruction's own position if its line has no such
/// operand.
pub(crate) fn operand(text: &str, instruction: Position, message: &str) -> Position {
    let name = message.split([' ', ',']).next().filter(|name| name.ends_with(']'));
    let line = text.lines().nth((instruction.line as usize).saturating_sub(1));
    let (Some(name), Some(line)) = (name, line) else { return instruction };
    let before = (instruction.column as usize).saturating_sub(1);
    let is_whole = |at: usize| {
        !line[..at].ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_')
    };
    let found =
        line.match_indices(name).map(|(at, _)| at).find(|at| *at >= before && is_whole(*at));
    found.map_or(instruction, |at| Position { column: at as u32 + 1, ..instruction })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_at_its_operand() {
        let text = "FRAG\n  TEX OUT[0], IN[0], SAMP[0], 2D MOV TEMP[0], IN[0]\nEND";
        let at = |column, message| operand(text, Position { line: 2, column }, message).column;
        assert_eq!(at(3, "SAMP[0] is not declared"), 22);
        assert_eq!(at(3, "OUT[0] is not declared"), 7);
        assert_eq!(at(3, "IN[0] is not declared"), 15);
        assert_eq!(at(34, "IN[0] is not declared"), 47);
        // A register that the line lacks, and a message about the whole instruction.
        assert_eq!(at(3, "ADDR[0], an index, is not declared"), 3);
        assert_eq!(at(3, "TEX writes no component"), 3);
    }
}
