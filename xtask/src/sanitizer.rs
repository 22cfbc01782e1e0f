//! Builds with the compiler's sanitizers and coverage.
//!
//! Rust 1.95 has them behind unstable flags. With `RUSTC_BOOTSTRAP=1` a stable compiler accepts
//! these, so we check code from the compiler that ships, and need no other toolchain.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{shell, toolchain};

/// A sanitizer of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sanitizer {
    /// Finds accesses outside of allocations, and leaks.
    Address,
    /// Finds data races.
    Thread,
}

impl Sanitizer {
    /// Returns the name for the compiler's option.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// The compiler's option.
    fn flag(self) -> String {
        format!("-Zsanitizer={}", self.name())
    }

    /// The name in the file of its runtime library.
    fn runtime(self) -> &'static str {
        match self {
            Self::Address => "_rt.asan.a",
            Self::Thread => "_rt.tsan.a",
        }
    }
}

/// Coverage for libFuzzer: one counter per edge, and the table of edges.
const COVERAGE: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Returns the triple of the machine that this program runs on.
///
/// # Errors
/// The compiler cannot be started, or does not print the triple.
pub fn host() -> Result<String> {
    let output = shell::output(toolchain::rustc().arg("-vV"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(String::from).context("`rustc -vV` names no host")
}

/// The packages that fuzz targets judge. What they depend on comes without checks and coverage, which
/// halves the time of a build.
const JUDGED: [&str; 11] = [
    "gallium-os-shim",
    "gallium-formats",
    "gallium-tgsi",
    "gallium-codegen",
    "gallium-pipe-core",
    "gallium-draw",
    "gallium-raster",
    "gallium-reference",
    "gallium-vtest",
    "gallium-fuzz",
    "xtask",
];

/// Returns `cargo build` of this machine with AddressSanitizer and coverage in the packages of this
/// workspace, in a folder of build products of its own.
///
/// # Errors
/// The compiler comes without the sanitizer's runtime: the error says how to install it.
pub fn fuzzed(profile: &str) -> Result<Command> {
    let host = with_runtime(Sanitizer::Address)?;
    let mut cargo = shell::cargo();
    cargo
        .args(["build", "--target", &host, "--profile", profile, "--target-dir"])
        .arg(shell::target_dir().join("fuzz"))
        .env("RUSTC_BOOTSTRAP", "1")
        .arg("-Zprofile-rustflags");
    let flags = [&[Sanitizer::Address.flag()], &COVERAGE.map(String::from)[..]].concat();
    for package in JUDGED {
        cargo.arg("--config");
        cargo.arg(format!("profile.{profile}.package.{package}.rustflags={flags:?}"));
    }
    Ok(cargo)
}

/// Returns the machine's triple, if the compiler has the sanitizer's runtime for it.
fn with_runtime(sanitizer: Sanitizer) -> Result<String> {
    let host = host()?;
    if !toolchain::library_files(&host)?.iter().any(|file| file.ends_with(sanitizer.runtime())) {
        bail!(
            "the compiler has no {} sanitizer for {host}; \
             install Rust with rustup (https://rustup.rs), which brings it",
            sanitizer.name()
        );
    }
    Ok(host)
}

/// Returns `cargo VERB` of this machine with a sanitizer, in a folder of build products of its own.
///
/// # Errors
/// The compiler comes without the sanitizer's runtime, or without the library source that
/// [`Sanitizer::Thread`] needs: the error says how to install it.
pub fn cargo(verb: &str, sanitizer: Sanitizer) -> Result<Command> {
    let host = with_runtime(sanitizer)?;
    let mut cargo = shell::cargo();
    cargo
        .args([verb, "--target", &host, "--target-dir"])
        .arg(shell::target_dir().join(sanitizer.name()))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", sanitizer.flag());
    if sanitizer == Sanitizer::Thread {
        // The locks of the library must be instrumented, too.
        toolchain::library_source()?;
        cargo.arg("-Zbuild-std");
    }
    Ok(cargo)
}
