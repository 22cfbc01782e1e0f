//! Translates, checks and compiles.

use gallium_naga::{Module, Options, Translation};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, Compiled, compile};
use tgsi::{sanity, text, token};

/// Returns the reason that a translated program is not as good as one by hand: the checker, the
/// text, the tokens or the compiler.
pub(crate) fn fault(translation: &Translation) -> Option<String> {
    let memory = Memory::system();
    let shader = &translation.shader;
    let mut findings = String::new();
    let summary = sanity::check(shader, &mut |finding| {
        if finding.severity() == sanity::Severity::Error {
            findings += &format!("{finding}\n");
        }
    });
    if !summary.expect("there is memory").passed() {
        return Some(format!("sanity: {findings}"));
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

/// Translates an entry point of WGSL that is right.
#[track_caller]
pub(crate) fn translate(wgsl: &str, entry: &str) -> Translation {
    translate_with(wgsl, entry, &Options::default())
}

/// Translates an entry point of WGSL that is right, with options.
#[track_caller]
pub(crate) fn translate_with(wgsl: &str, entry: &str, options: &Options) -> Translation {
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap_or_else(|error| panic!("{error}"));
    let translation = module.translate(entry, options).unwrap_or_else(|error| panic!("{error}"));
    if let Some(fault) = fault(&translation) {
        panic!("{fault}\n{}", translation.shader);
    }
    translation
}

/// Compiles a translated program.
#[track_caller]
pub(crate) fn compiled(translation: &Translation, optimize: bool) -> Compiled<'static> {
    let options = CompileOptions { optimize, ..CompileOptions::DEFAULT };
    compile(&translation.shader, &options, Memory::system()).unwrap_or_else(|error| {
        panic!("{error}\n{}", translation.shader);
    })
}
