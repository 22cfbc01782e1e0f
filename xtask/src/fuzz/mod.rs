//! `cargo xtask fuzz`: searches for inputs that break a promise.

pub mod corpus;
mod outcome;

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{progress, sanitizer, shell};
use outcome::Outcome;

/// Searches for inputs that make a fuzz target panic, overflow, read out of bounds or hang.
///
/// Targets are the folders of `tools/fuzz/corpus`. They are built with coverage, overflow checks and
/// AddressSanitizer. libFuzzer runs one after the other, starting with the inputs in `tools/fuzz/corpus`
/// and the inputs that earlier searches kept in `target/fuzz/corpus`. A finding is written to
/// `target/fuzz/findings`. Move it to `tools/fuzz/corpus`, and `cargo nextest run --package gallium-fuzz`
/// replays it.
#[derive(Args)]
pub struct Options {
    /// The targets to run; all by default.
    targets: Vec<String>,
    /// Minutes for each target.
    #[arg(long, default_value_t = 1)]
    minutes: u64,
    /// Repeats the search of another run with the same number.
    #[arg(long)]
    seed: Option<u32>,
    /// Instead of searching, replace the corpus of the targets by a few inputs that reach as much
    /// code as all inputs found so far.
    #[arg(long)]
    keep: bool,
}

/// Seconds per input, on a busy machine; a slower input counts as a hang.
const TIMEOUT: u32 = 20;

/// Seconds per input; a slower input is kept among the findings, and the search continues. This
/// shows work that no budget counts before it becomes a hang.
const SLOW: u32 = 4;

/// Megabytes that the program may use, and the maximum size of one allocation.
const MEMORY: [u32; 2] = [4096, 1024];

/// Maximum size of an input, in bytes.
const LENGTH: u32 = 8192;

/// Features of gallium-fuzz and the targets that need them, in the order of the time that they take
/// to build.
const PARTS: [(&str, &[&str]); 4] = [
    ("", &["execute", "formats", "text", "tokens"]),
    ("wgsl", &["wgsl", "wgsl-programs"]),
    ("assets", &["assets"]),
    ("driver", &["api", "api-checked", "commands", "recordings", "session"]),
];

/// The variable that names the target to the program.
const VARIABLE: &str = "GALLIUM_FUZZ_TARGET";

/// Runs the command.
///
/// # Errors
/// A target is unknown, a program is missing, or a finding was made.
pub fn run(options: &Options) -> Result<()> {
    let known = corpus::targets()?;
    for name in &options.targets {
        ensure!(known.contains(name), "no target `{name}`; there are {}", known.join(", "));
    }
    let targets = if options.targets.is_empty() { &known } else { &options.targets };
    let mut found = 0;
    for (feature, names) in PARTS {
        let mut targets = targets.iter().filter(|name| names.contains(&name.as_str())).peekable();
        if targets.peek().is_none() {
            continue;
        }
        let program = build(feature)?;
        for name in targets {
            if options.keep {
                corpus::keep(&program, name)?;
                continue;
            }
            let outcome = search(&program, name, options)?;
            println!("{name}: {outcome}");
            found += outcome.findings.len();
        }
    }
    ensure!(found == 0, "{found} findings");
    Ok(())
}

/// Builds the program that libFuzzer drives, with the targets of a feature, and returns its path.
fn build(feature: &str) -> Result<PathBuf> {
    shell::need("c++", "g++")?;
    let mut cargo = sanitizer::fuzzed("fuzz")?;
    cargo.args(["--package", "gallium-fuzz", "--bin", "fuzz", "--no-default-features"]);
    cargo.args(["--features", &format!("libfuzzer,{feature}")]);
    println!("building the targets with coverage and AddressSanitizer");
    shell::output(&mut cargo)?;
    Ok(corpus::folder("").join(sanitizer::host()?).join("fuzz/fuzz"))
}

/// Runs a search for one target.
fn search(program: &PathBuf, name: &str, options: &Options) -> Result<Outcome> {
    let [kept, findings] = ["corpus", "findings"].map(|folder| corpus::folder(folder).join(name));
    for folder in [&kept, &findings] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let before = corpus::inputs(&findings)?;
    let mut command = shell::command(program);
    command
        .env(VARIABLE, name)
        .arg(format!("-max_total_time={}", options.minutes * 60))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-report_slow_units={SLOW}"))
        .arg(format!("-rss_limit_mb={}", MEMORY[0]))
        .arg(format!("-malloc_limit_mb={}", MEMORY[1]))
        .arg(format!("-max_len={LENGTH}"))
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args([&kept, &corpus::committed(name)]);
    if let Some(seed) = options.seed {
        command.arg(format!("-seed={seed}"));
    }
    println!("searching {name} for {} minutes", options.minutes);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| shell::line(&command))?;
    let log = child.stderr.take().map(progress::follow).transpose()?.unwrap_or_default();
    let status = child.wait()?;
    let mut found = corpus::inputs(&findings)?;
    found.retain(|path| !before.contains(path));
    let log = String::from_utf8_lossy(&log);
    // If a program fails without an input, it has not even started.
    ensure!(status.success() || !found.is_empty(), "{name}: {status}\n{log}");
    Ok(Outcome::new(&log, found))
}
