//! `cargo xtask`: runs the demo, or builds the other developer commands and runs one.
//!
//! The demo needs nothing that the other commands are built from (reports, maps of images, listings of
//! interfaces), so it does not wait for them.
#![expect(unreachable_pub, reason = "a program: `pub` says who may use it within")]

mod demo;
mod selection;

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitCode, ExitStatus};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let known: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let done = match known[..] {
        ["demo"] => demo::run(false),
        ["demo", "--window"] => demo::run(true),
        ["test", ..] => test(&arguments, known.contains(&"--all")),
        _ => commands(&arguments),
    };
    match done {
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            eprintln!("error: cargo cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the developer commands as a part of what the tests build, and runs the tests. `cargo run` would select this
/// package alone, and compile the crates that it shares with the tests for other features.
fn test(arguments: &[OsString], all: bool) -> io::Result<ExitStatus> {
    let mut cargo = demo::cargo();
    cargo.current_dir(demo::root());
    cargo.args(["build", "--quiet", "--bin", "xtask-commands", "--test", "selection"]);
    let built = cargo.args(selection::arguments(selection::has_all(all))).status()?;
    if !built.success() {
        return Ok(built);
    }
    Command::new(demo::target().join("debug/xtask-commands")).args(arguments).status()
}

/// Builds the developer commands, and runs one with these arguments.
fn commands(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let mut cargo = demo::cargo();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    cargo.args(["run", "--quiet", "--manifest-path", manifest, "--features", "commands"]);
    cargo.args(["--bin", "xtask-commands", "--"]).args(arguments).status()
}
