//! Shaders in files, and messages about them in the style of compilers.

use std::fmt::{Display, Formatter};
use std::io::Read;
use std::path::Path;
use std::{fs, io};

use anyhow::{Context, Result};
use tgsi::shader::Position;

/// The text of a file, and its name for messages.
pub struct File {
    pub name: String,
    pub text: String,
}

impl File {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<File> {
        let mut bytes = Vec::new();
        let name = if path == Path::new("-") {
            io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
            String::from("<stdin>")
        } else {
            bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            path.display().to_string()
        };
        let text = String::from_utf8(bytes).with_context(|| format!("{name} is not text"))?;
        Ok(File { name, text })
    }

    /// Returns the shaders of the file, separated by lines of five or more `=`.
    pub fn shaders(&self) -> Vec<Source<'_>> {
        let mut shaders = Vec::new();
        let (mut start, mut first_line) = (0, 1);
        let mut end = 0;
        for (number, line) in self.text.split_inclusive('\n').enumerate() {
            if is_separator(line) {
                shaders.push(self.source(start, end, first_line, shaders.len()));
                start = end + line.len();
                first_line = number as u32 + 2;
            }
            end += line.len();
        }
        // The separator after the last shader is optional.
        if shaders.is_empty() || !self.text[start..].trim().is_empty() {
            shaders.push(self.source(start, end, first_line, shaders.len()));
        }
        shaders
    }

    fn source(&self, start: usize, end: usize, first_line: u32, number: usize) -> Source<'_> {
        Source { file: &self.name, text: &self.text[start..end], first_line, number }
    }
}

fn is_separator(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 5 && line.bytes().all(|byte| byte == b'=')
}

/// One shader of a file.
#[derive(Clone, Copy)]
pub struct Source<'f> {
    pub file: &'f str,
    pub text: &'f str,
    /// The number of the line where the shader begins.
    pub first_line: u32,
    /// The number of shaders before it in the file.
    pub number: usize,
}

impl<'f> Source<'f> {
    /// Returns a note about a place in the shader, or about the whole shader.
    pub fn note(&self, severity: &'static str, at: Position, message: impl Display) -> Note<'f> {
        let message = message.to_string();
        // The note begins with the place, so it is removed from the message.
        let message = match message.split_once(": ") {
            Some((place, rest)) if place.starts_with("line ") => rest.to_owned(),
            _ => message,
        };
        Note { source: *self, severity, at, message, length: None, help: None }
    }

    fn line(&self, number: u32) -> Option<&'f str> {
        let line = self.text.split('\n').nth(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// One message about a shader.
pub struct Note<'f> {
    source: Source<'f>,
    severity: &'static str,
    at: Position,
    message: String,
    /// Number of characters to underline; `None`: one word.
    pub length: Option<usize>,
    /// A hint, printed on a separate line.
    pub help: Option<String>,
}

impl Display for Note<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Position { line, column } = self.at;
        let number = self.source.first_line + line.saturating_sub(1);
        write!(f, "{}:{number}", self.source.file)?;
        if line > 0 {
            write!(f, ":{column}")?;
        }
        writeln!(f, ": {}: {}", self.severity, self.message)?;
        let margin = number.to_string().len().max(4);
        if let Some(text) = self.source.line(line) {
            let start = (column as usize).saturating_sub(1).min(text.len());
            let before = text.get(..start).unwrap_or(text);
            let rest = text.get(start..).unwrap_or("");
            let word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let length = self.length.unwrap_or_else(|| rest.chars().take_while(word).count());
            // Tabs are kept, so that the caret is below the right column.
            let pad: String = before.chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
            writeln!(f, "{number:>margin$} | {text}")?;
            writeln!(f, "{:>margin$} | {pad}{}", "", "^".repeat(length.max(1)))?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "{:>margin$} = {help}", "")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File { name: "a.txt".into(), text: text.into() }
    }

    #[test]
    fn separators_end_shaders() {
        let texts = |text| -> Vec<(String, u32)> {
            let shaders = file(text);
            let shaders = shaders.shaders();
            shaders.iter().map(|shader| (shader.text.to_owned(), shader.first_line)).collect()
        };
        assert_eq!(texts("VERT\nEND\n"), [("VERT\nEND\n".into(), 1)]);
        assert_eq!(texts("a\n=====\nb\n\n=====\n"), [("a\n".into(), 1), ("b\n\n".into(), 3)]);
        assert_eq!(texts("a\r\n=====\r\nb"), [("a\r\n".into(), 1), ("b".into(), 3)]);
        assert_eq!(texts(""), [(String::new(), 1)]);
    }

    #[test]
    fn notes_point_at_the_place() {
        let file = file("VERT\n=====\nVERT\n\tMVO\u{e9} OUT[0]\n");
        let shaders = file.shaders();
        let note = shaders[1].note("error", Position { line: 2, column: 2 }, "line 2: what?");
        assert_eq!(
            note.to_string(),
            "a.txt:4:2: error: what?\n   4 | \tMVO\u{e9} OUT[0]\n     | \t^^^\n"
        );
        let note = shaders[1].note("warning", Position::NONE, "all of it");
        assert_eq!(note.to_string(), "a.txt:3: warning: all of it\n");
    }
}
