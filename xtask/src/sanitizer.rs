//! Builds with the compiler's sanitizers and coverage.
//!
//! Rust 1.95 has them behind unstable flags, which `RUSTC_BOOTSTRAP=1` makes a stable compiler
//! accept: what is checked comes from the compiler that ships, and no other toolchain is needed.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{shell, toolchain};

/// A sanitizer of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sanitizer {
    /// Accesses outside of allocations, and leaks.
    Address,
    /// Data races.
    Thread,
}

impl Sanitizer {
    /// The name that the compiler's option takes.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// The name in the file of its runtime library.
    fn runtime(self) -> &'static str {
        match self {
            Self::Address => "_rt.asan.a",
            Self::Thread => "_rt.tsan.a",
        }
    }
}

/// Coverage as libFuzzer reads it: a counter an edge, and the edges' table.
const COVERAGE: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Returns the triple of the machine that this program runs on.
///
/// # Errors
/// The compiler cannot be started, or does not say.
pub fn host() -> Result<String> {
    let output = shell::output(toolchain::rustc().arg("-vV"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(String::from).context("`rustc -vV` names no host")
}

/// Returns `cargo VERB` of this machine with a sanitizer, in a folder of build products of its own.
///
/// # Errors
/// The compiler comes without the sanitizer's runtime, or without the library source that
/// [`Sanitizer::Thread`] needs: the error says how to install it.
pub fn cargo(verb: &str, sanitizer: Sanitizer, coverage: bool) -> Result<Command> {
    let host = host()?;
    let name = sanitizer.name();
    if !toolchain::library_files(&host)?.iter().any(|file| file.ends_with(sanitizer.runtime())) {
        bail!(
            "the compiler has no {name} sanitizer for {host}; \
             install Rust with rustup (https://rustup.rs), which brings it"
        );
    }
    let mut flags = vec![format!("-Zsanitizer={name}")];
    if coverage {
        flags.extend(COVERAGE.map(String::from));
    }
    let folder = shell::target_dir().join(if coverage { "fuzz" } else { name });
    let mut cargo = shell::cargo();
    cargo
        .args([verb, "--target", &host, "--target-dir"])
        .arg(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        // Separated by this character, as flags may have spaces.
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    if sanitizer == Sanitizer::Thread {
        // The library's own locks must be seen too.
        toolchain::library_source()?;
        cargo.arg("-Zbuild-std");
    }
    Ok(cargo)
}
