//! The adapter's tests on two processors: this machine's, and aarch64 in qemu.
//!
//! Every byte that the tests read must be the same. Tests of timestamps are left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use crate::{shell, toolchain};

/// The other processor.
const TARGET: &str = "aarch64-unknown-linux-gnu";
/// The folder of its libraries.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
/// The linker for it.
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// The program that runs its programs.
const EMULATOR: &str = "qemu-aarch64";

/// Runs the tests on both processors, and compares.
///
/// # Errors
/// A package is missing, a test fails, or a test reads other bytes on the other processor.
pub fn run(folder: &Path) -> Result<()> {
    for (program, package) in [(EMULATOR, "qemu-user"), (LINKER, "gcc-aarch64-linux-gnu")] {
        if !shell::on_path(program) {
            shell::apt_install(&[package, "libc6-dev-arm64-cross"])
                .with_context(|| format!("{program} is missing (Debian: {package})"))?;
        }
    }
    let here = notes(folder, "x86_64", None)?;
    let there = notes(folder, "aarch64", Some(TARGET))?;
    ensure!(here.len() > 20, "only {} tests read bytes", here.len());
    let differ: Vec<_> =
        here.iter().filter(|(test, lines)| there.get(*test) != Some(lines)).collect();
    let count: usize = here.values().map(Vec::len).sum();
    for (test, _) in &differ {
        println!("FAILED {test}: other bytes on aarch64");
    }
    println!(
        "{} tests read the same bytes, in {count} pictures and buffers",
        here.len() - differ.len()
    );
    println!("{} passed, {} failed", here.len() - differ.len(), differ.len());
    ensure!(differ.is_empty() && here.len() == there.len(), "processors differ");
    Ok(())
}

/// Lines of notes, by test.
type Notes = BTreeMap<String, Vec<String>>;

/// Runs the tests, and returns what they noted.
fn notes(folder: &Path, name: &str, target: Option<&str>) -> Result<Notes> {
    let path = folder.join(format!("{name}.notes"));
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let program = build(target)?;
    let start = Instant::now();
    let mut command = match target {
        None => Command::new(&program),
        Some(_) => {
            let mut command = Command::new(EMULATOR);
            command.args(["-L", LIBRARIES]).arg(&program);
            command
        }
    };
    command.args(["--skip", "timestamp"]).env("GALLIUM_WGPU_NOTES", &path);
    shell::output(&mut command)?;
    println!("{name}: tested in {:.0} s", start.elapsed().as_secs_f64());
    let mut notes = Notes::new();
    for line in fs::read_to_string(&path)?.lines() {
        let (test, note) = line.split_once(' ').context("a note without a test")?;
        notes.entry(test.into()).or_default().push(note.into());
    }
    Ok(notes)
}

/// Builds the tests, and returns their program.
fn build(target: Option<&str>) -> Result<PathBuf> {
    let mut cargo = match target {
        Some(target) => toolchain::cargo("test", target)?,
        None => {
            let mut cargo = shell::cargo();
            cargo.arg("test");
            cargo
        }
    };
    cargo.args(["--no-run", "--package", "gallium-wgpu", "--test", "it"]);
    cargo.args(["--message-format", "json"]);
    cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    let output = shell::output(&mut cargo)?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        if let Some(program) = message["executable"].as_str() {
            return Ok(program.into());
        }
    }
    bail!("cargo names no test program of gallium-wgpu")
}
