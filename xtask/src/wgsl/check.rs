//! `cargo xtask wgsl check`: does a driver take these shaders?

use std::path::Path;

use anyhow::Result;
use clap::Args;
use naga_frontend::{Module, Translation};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::sanity::{self, Severity};
use tgsi::{text, token};

use super::{Files, Overrides, source};

/// Translates every entry point as a driver does.
///
/// Translates, checks the TGSI, compiles it, and reads it back from text and tokens: the place and the reason for
/// each entry point that is refused, and `N passed, M failed`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask wgsl check shader.wgsl
  cargo xtask wgsl check --override count=4 shaders/
  printf '@compute @workgroup_size(1) fn main() {}' | cargo xtask wgsl check -")]
pub struct Options {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    overrides: Overrides,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let (mut passed, mut failed) = (0, 0);
    for path in source::files(&options.files.files)? {
        match source::read(&path) {
            Ok(Ok(module)) => {
                for problem in check(&module, &path, &options.overrides) {
                    match problem {
                        None => passed += 1,
                        Some(problem) => {
                            println!("{problem}");
                            failed += 1;
                        }
                    }
                }
            }
            Ok(Err(error)) => {
                println!("{error}");
                failed += 1;
            }
            Err(error) => {
                println!("{error:#}");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed > 0 {
        // That line is the last, so no error is returned for `main` to print.
        std::process::exit(1);
    }
    Ok(())
}

/// Checks each entry point of a module; returns what is wrong with it.
fn check(module: &Module, path: &Path, overrides: &Overrides) -> Vec<Option<String>> {
    let options = overrides.options();
    let entries = module.entry_points();
    let checked =
        entries.map(|(name, stage)| match module.translate_stage(stage, name, &options) {
            Ok(translation) => {
                let problem = problem(&translation)?;
                Some(format!("error: {problem}\n   ─ {} `{name}`", path.display()))
            }
            Err(error) => Some(format!("{error}\n   ─ {} `{name}`", path.display())),
        });
    checked.collect()
}

/// Returns what the checker, the compiler, the text or the tokens have against a program.
fn problem(translation: &Translation) -> Option<String> {
    let (shader, memory) = (&translation.shader, Memory::system());
    let mut problem = None;
    let summary = sanity::check(shader, &mut |finding| {
        if finding.severity() == Severity::Error {
            problem.get_or_insert_with(|| finding.to_string());
        }
    });
    if let Err(error) = summary {
        return Some(error.to_string());
    }
    let compiled = compile(shader, &CompileOptions::DEFAULT, memory);
    problem = problem.or(compiled.err().map(|error| error.to_string()));
    let parsed = text::parse(&shader.to_string(), memory);
    if !parsed.is_ok_and(|parsed| parsed == *shader) {
        problem.get_or_insert_with(|| "the text is not read back as it is".into());
    }
    let decoded = token::encode(shader, memory).ok().map(|it| token::decode(&it, memory));
    if !decoded.is_some_and(|decoded| decoded.is_ok_and(|decoded| decoded == *shader)) {
        problem.get_or_insert_with(|| "the tokens are not read back as they are".into());
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_point_is_checked() {
        let wgsl = "override n: u32;
            @compute @workgroup_size(1) fn right() {}
            @compute @workgroup_size(n) fn missing() {}";
        let module = Module::wgsl(wgsl, "a.wgsl").expect("the module is right");
        let none = Overrides { overrides: Vec::new() };
        let found = check(&module, Path::new("a.wgsl"), &none);
        assert!(matches!(found.as_slice(), [None, Some(problem)] if problem.contains("'n'")));
        let given = Overrides { overrides: vec![("n".into(), 4.0)] };
        assert_eq!(check(&module, Path::new("a.wgsl"), &given), [None, None]);
    }
}
