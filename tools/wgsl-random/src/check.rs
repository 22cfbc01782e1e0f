//! Translates, checks and compiles.

use naga_frontend::Translation;
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::{sanity, text, token};

/// Returns the first problem of a translated program that the checker, the text, the tokens or the compiler finds.
pub fn fault(translation: &Translation) -> Option<String> {
    let memory = Memory::system();
    let shader = &translation.shader;
    let mut findings = String::new();
    let summary = sanity::check(shader, &mut |finding| {
        if finding.severity() == sanity::Severity::Error {
            findings += &format!("{finding}\n");
        }
    });
    match summary {
        Ok(summary) if summary.passed() => {}
        Ok(_) => return Some(format!("sanity: {findings}")),
        Err(error) => return Some(format!("sanity: {error}")),
    }
    let source = shader.to_string();
    match text::parse(&source, memory) {
        Ok(parsed) if parsed == *shader => {}
        Ok(parsed) => return Some(format!("text changes:\n{source}\nto\n{parsed}")),
        Err(error) => return Some(format!("text: {error}")),
    }
    let tokens = match token::encode(shader, memory) {
        Ok(tokens) => tokens,
        Err(error) => return Some(format!("tokens: {error}")),
    };
    match token::decode(&tokens, memory) {
        Ok(decoded) if decoded == *shader => {}
        Ok(decoded) => return Some(format!("tokens change:\n{source}\nto\n{decoded}")),
        Err(error) => return Some(format!("tokens: {error}")),
    }
    match compile(shader, &CompileOptions::DEFAULT, memory) {
        Ok(_) => None,
        Err(error) => Some(format!("compile: {error}")),
    }
}
