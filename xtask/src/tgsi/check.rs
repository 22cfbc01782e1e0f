//! `cargo xtask tgsi check`: checks shaders for errors.

use anyhow::Result;
use clap::Args;
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::sanity::{self, Severity};
use tgsi::shader::{Position, Shader};
use tgsi::text::{self, TextError};
use tgsi::token;

use super::Files;
use super::source::{File, Note, Source};

/// Parses shaders and checks that they are well formed.
///
/// Prints a message with its place for each error, and `N passed, M failed`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask tgsi check shader.txt
  cargo xtask tgsi check --roundtrip --compile shaders/*.txt
  printf 'VERT\\nEND\\n' | cargo xtask tgsi check -")]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// The parsed shader, and the shader read back from tokens, must print as the same text.
    #[arg(long)]
    roundtrip: bool,
    /// The shader must compile to lane code.
    #[arg(long)]
    compile: bool,
    /// Do not print warnings.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let (mut passed, mut failed, mut warnings) = (0, 0, 0);
    for path in &options.files.files {
        let file = match File::read(path) {
            Ok(file) => file,
            Err(error) => {
                println!("{error:#}");
                failed += 1;
                continue;
            }
        };
        for source in file.shaders() {
            match check(options, source, &mut warnings) {
                true => passed += 1,
                false => failed += 1,
            }
        }
    }
    if warnings > 0 {
        println!("{warnings} warnings");
    }
    println!("{passed} passed, {failed} failed");
    if failed > 0 {
        // This line is the last, so no error is returned for `main` to print.
        std::process::exit(1);
    }
    Ok(())
}

/// Checks one shader; returns the messages about it.
fn check(options: &Options, source: Source<'_>, warnings: &mut u32) -> bool {
    let memory = Memory::system();
    let shader = match text::parse(source.text, memory) {
        Ok(shader) => shader,
        Err(error) => {
            print!("{}", syntax(source, &error));
            return false;
        }
    };
    let summary = sanity::check(&shader, &mut |finding| match finding.severity() {
        Severity::Error => print!("{}", source.note("error", finding.position, finding.rule)),
        Severity::Warning => {
            *warnings += 1;
            if !options.quiet {
                print!("{}", source.note("warning", finding.position, finding.rule));
            }
        }
    });
    let mut right = summary.is_ok_and(|summary| summary.passed());
    if options.roundtrip
        && let Some(note) = round_trip(source, &shader)
    {
        print!("{note}");
        right = false;
    }
    if options.compile
        && let Err(error) = compile(&shader, &CompileOptions::DEFAULT, memory)
    {
        let at = error.position().unwrap_or(Position::NONE);
        print!("{}", source.note("error", at, error));
        right = false;
    }
    right
}

/// Returns a note about a text that is not a shader.
pub(super) fn syntax<'f>(source: Source<'f>, error: &TextError) -> Note<'f> {
    let TextError::Syntax(error) = error else {
        return source.note("error", Position::NONE, error);
    };
    let message = format!("expected {}, found {}", error.expected, error.found);
    let mut note = source.note("error", error.position, message);
    note.length = Some(error.found.as_str().chars().count());
    note.help = error.suggestion.map(|name| format!("did you mean {name}?"));
    note
}

/// Checks that text → IR → text and text → tokens → text change nothing. Returns the difference.
fn round_trip<'f>(source: Source<'f>, shader: &Shader<'_>) -> Option<Note<'f>> {
    let whole = |message: String| Some(source.note("error", Position::NONE, message));
    if let Some(note) = difference(source, &shader.to_string(), "printed") {
        return Some(note);
    }
    let tokens = match token::encode(shader, Memory::system()) {
        Ok(tokens) => tokens,
        Err(error) => return whole(format!("cannot be said in tokens: {error}")),
    };
    match token::decode(&tokens, Memory::system()) {
        Ok(decoded) => difference(source, &decoded.to_string(), "printed from tokens"),
        Err(error) => whole(format!("its tokens are not read: {error}")),
    }
}

/// Returns a note about the first difference between the printed `text` and the source. The newline
/// at the end may be missing.
fn difference<'f>(source: Source<'f>, text: &str, how: &str) -> Option<Note<'f>> {
    let expected = source.text;
    if text == expected || text.strip_suffix('\n') == Some(expected) {
        return None;
    }
    let bytes = text.bytes().zip(expected.bytes());
    let same = bytes.take_while(|(printed, read)| printed == read).count();
    let before = &expected.as_bytes()[..same];
    let line = before.iter().filter(|&&byte| byte == b'\n').count();
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let at = Position { line: line as u32 + 1, column: (same - start) as u32 + 1 };
    let printed = text.split('\n').nth(line).unwrap_or("");
    let mut note = source.note("error", at, format!("{how}, the text differs here"));
    note.length = Some(1);
    note.help = Some(format!("{how}: {printed:?}"));
    Some(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANONICAL: &str =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";

    fn problem(text: &str) -> Option<String> {
        let source = Source { file: "a", text, first_line: 1, number: 0 };
        let shader = text::parse(text, Memory::system()).expect("the text is right");
        round_trip(source, &shader).map(|note| note.to_string())
    }

    #[test]
    fn canonical_text_comes_back() {
        assert_eq!(problem(CANONICAL), None);
        assert_eq!(problem(CANONICAL.trim_end()), None);
    }

    #[test]
    fn the_first_difference_is_shown() {
        let text = CANONICAL.replace("IN[0]\n  1", "IN[0].xyzw\n  1");
        let note = problem(&text).expect("a swizzle that changes nothing is not printed");
        assert_eq!(
            note,
            "a:4:23: error: printed, the text differs here\n   4 |   0: MOV OUT[0], IN[0].xyzw\n\
             \x20    |                       ^\n     = printed: \"  0: MOV OUT[0], IN[0]\"\n"
        );
        assert!(problem(&CANONICAL.replace('\n', "\r\n")).is_some());
        assert!(problem(&format!("{CANONICAL}\n")).is_some());
    }
}
