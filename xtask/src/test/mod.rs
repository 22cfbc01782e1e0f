//! `cargo xtask test`: the checks that a change usually breaks, cheapest first. `--all` or `CI=true` runs every
//! check.

mod boards;
mod c;
mod floats;
#[cfg(test)]
mod header;

use std::collections::VecDeque;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::board::{Board, Emulator};
use crate::{
    assets, board, contract, deny, deqp, disk, features, golden, inspect, layers, live_page,
    no_std, oldest, packages, piglit, playground, public_api, races, readme, selection, shell,
    size, toolchain, words,
};

/// Runs the checks that a change usually breaks; ends with one line `N passed, M failed`.
///
/// These are format, lints, layers, words, host tests, documentation tests, golden images and one emulated
/// board. `--all`, or `CI=true` in the environment, runs every check: other boards and their budgets, each
/// feature alone, copies of the examples, packages, public APIs, OpenGL tests.
#[derive(Args)]
pub struct Options {
    /// Only steps whose name contains this, from all checks.
    pub filter: Option<String>,
    /// Every check: about 50 minutes on two cores after a clean clone.
    #[arg(long)]
    pub all: bool,
}

/// The board of a run without `--all`.
const BOARD: &str = "mps2-an386";

/// Runs steps, prints the outcome of each, and counts.
struct Steps {
    filter: String,
    outcomes: Mutex<Outcomes>,
}

#[derive(Default)]
struct Outcomes {
    passed: usize,
    failed: Vec<String>,
}

/// Steps that run one after the other.
type Lane<'a> = Box<dyn FnOnce() + Send + 'a>;

impl Steps {
    fn step(&self, name: &str, run: impl FnOnce() -> Result<String>) {
        if !name.contains(&self.filter) {
            return;
        }
        println!("── {name}");
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(note) => {
                outcomes.passed += 1;
                println!("   ok, {seconds:.1} s, {name}{note}");
            }
            Err(error) => {
                outcomes.failed.push(name.to_owned());
                println!("{error:#}\n   FAILED, {seconds:.1} s, {name}");
            }
        }
    }
}

/// Runs the lanes two at a time, one from each end. A linker or an emulator keeps only one core busy, and cargo does
/// not run two builds in the same folder at the same time, so neighbours use the same folder.
fn side_by_side(lanes: Vec<Lane<'_>>) {
    let waiting = &Mutex::new(VecDeque::from(lanes));
    thread::scope(|scope| {
        for take in [VecDeque::pop_front, VecDeque::pop_back] {
            scope.spawn(move || {
                let next = || take(&mut waiting.lock().unwrap_or_else(PoisonError::into_inner));
                while let Some(lane) = next() {
                    lane();
                }
            });
        }
    });
}

/// Runs a step's program; drops its output if it passes.
fn passes(command: &mut Command) -> Result<String> {
    shell::output(command).map(|_| String::new())
}

/// Returns how long the tests take, and the parts that need a program that is not installed.
fn announcement(all: bool) -> String {
    if !all {
        return String::from(
            "checks that a change usually breaks: about 15 minutes of processor time after the demo's build; \
             `--all` runs every check",
        );
    }
    let mut text = String::from(
        "every check: on two cores about 50 minutes after a clean clone, half of that when all is built",
    );
    let mut absent = Vec::new();
    if !piglit::is_installed() {
        absent
            .push("OpenGL tests: without piglit (apt-get install piglit libegl1 libgl1-mesa-dri)");
    }
    if !deqp::is_given() {
        absent.push("OpenGL ES tests: GALLIUM_DEQP and GALLIUM_DEQP_LISTS are not set");
    }
    if !shell::has("clang") {
        absent.push("C in QEMU and C++: without clang (apt-get install clang)");
    }
    if !absent.is_empty() {
        text += &format!("; left out: {}", absent.join("; "));
    }
    if !shell::has("cargo-nextest") {
        text += "; test programs run one after the other: without cargo-nextest";
    }
    text
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let has_all = selection::has_all(options.all);
    let all = has_all || options.filter.is_some();
    let filter = options.filter.clone().unwrap_or_default();
    let steps = &Steps { filter, outcomes: Mutex::default() };
    let start = Instant::now();
    if has_all {
        shell::select_wgpu();
    }
    println!("{}", announcement(all));
    let boards: Vec<_> =
        board::all()?.into_iter().filter(|board| all || board.name == BOARD).collect();
    steps.step("tools", || {
        toolchain::component("fmt", "rustfmt")?;
        toolchain::component("clippy", "clippy")?;
        for board in &boards {
            board.emulator.install()?;
        }
        Ok(String::new())
    });
    steps.step("format", || passes(shell::cargo().args(["fmt", "--all", "--check"])));
    steps.step("layers", || layers::run(&layers::Options::default()).map(|()| String::new()));
    steps.step("words of comments", || {
        words::run(&words::Options::default()).map(|()| String::new())
    });
    steps.step("code in READMEs", || {
        readme::check().map(|count| format!(": {count} pieces, as in the files"))
    });
    if all {
        licences(steps);
        steps.step("assets", || assets::run(&assets::Options::check()).map(|()| String::new()));
    }
    lints_and_copies(steps, &boards, all);
    host_tests(steps);
    if all {
        threads(steps);
    }
    steps.step("golden images", || {
        golden::check(shell::test_program("gallium-bench")?).map(|()| String::new())
    });
    on_boards(steps, boards, all);
    let outcomes = steps.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
    let Outcomes { passed, failed } = &*outcomes;
    println!("all steps took {:.0} s", start.elapsed().as_secs_f64());
    println!("{passed} passed, {} failed", failed.len());
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    // A filter that matches nothing proves nothing.
    ensure!(*passed > 0, "no step's name contains `{}`", steps.filter);
    Ok(())
}

/// Checks lints and builds the host's tests; with `all`, next to builds in other folders. The tests run after it, with the
/// machine to themselves.
fn lints_and_copies(steps: &Steps, boards: &[Board], all: bool) {
    let mut lanes: Vec<Lane<'_>> = vec![Box::new(|| {
        lints(steps);
        boards::lints(steps, boards);
        if all {
            oldest_compiler(steps);
        }
        steps.step("build of the host tests", || shell::build_tests().map(|()| String::new()));
    })];
    if all {
        lanes.push(Box::new(|| copies(steps)));
        lanes.push(Box::new(|| without_std(steps)));
    }
    side_by_side(lanes);
}

/// The boards in their emulators; with `all`, next to other builds that keep one core busy.
fn on_boards(steps: &Steps, mut boards: Vec<Board>, all: bool) {
    // The boards that take longest, those that replay traces and those in JavaScript, begin first.
    boards.sort_by_key(|board| !board.replay && !matches!(board.emulator, Emulator::Rp2040js(_)));
    let boards = boards
        .iter()
        .map(|board| -> Lane<'_> { Box::new(move || boards::firmware_of(board, all, steps)) });
    let mut lanes: Vec<Lane<'_>> = boards.collect();
    if all {
        let others: [fn(&Steps); 4] = [examples, clients, packages_and_api, features_on_host];
        lanes.extend(others.map(|lane| -> Lane<'_> { Box::new(move || lane(steps)) }));
    }
    side_by_side(lanes);
}

/// Licences, sources and versions of the crates we depend on. Advisories, which change from day to
/// day, are `cargo xtask ci`'s.
fn licences(steps: &Steps) {
    steps.step("licences, sources (cargo deny)", || match deny::program() {
        Some(deny) => passes(shell::command(deny).args(["check", "licenses", "bans", "sources"])),
        None => Ok(format!(": left out, without cargo-deny ({})", deny::HINT)),
    });
}

/// Checks data races and undefined behaviour, if `GALLIUM_RACES` is set and the tools are
/// installed. Both take minutes.
fn threads(steps: &Steps) {
    if std::env::var_os("GALLIUM_RACES").is_none() {
        return;
    }
    steps.step("tsan: threads under ThreadSanitizer", || {
        if let Err(error) = races::is_possible() {
            return Ok(format!(": left out: {error:#}"));
        }
        races::thread_sanitizer().map(|passed| format!(": {passed} tests passed"))
    });
    steps.step("miri: unsafe code under Miri", || match races::miri() {
        Some(miri) => races::interpreted(miri).map(|passed| format!(": {passed} tests passed")),
        None => Ok(format!(": left out, without Miri ({})", races::MIRI_HINT)),
    });
}

fn lints(steps: &Steps) {
    steps.step("clippy, host", || {
        let mut clippy = shell::cargo();
        clippy.args(["clippy", "--all-targets"]).args(shell::selection());
        passes(clippy.args(["--", "-D", "warnings"]))
    });
}

/// Checks the crates with the compiler that `rust-version` names, if it is installed. In any case,
/// clippy refuses newer functions of the standard library.
fn oldest_compiler(steps: &Steps) {
    let toolchain = oldest::toolchain();
    steps.step(&format!("the crates under Rust {toolchain}"), || match oldest::cargo() {
        Some(cargo) => oldest::check(cargo).map(|()| String::new()),
        None => Ok(format!(
            ": left out, without it (rustup toolchain install {toolchain} --profile minimal)"
        )),
    });
}

fn host_tests(steps: &Steps) {
    steps.step("host tests", || {
        shell::build_tests()?;
        // nextest, if installed, runs test programs in parallel; cargo runs them one after the
        // other.
        if shell::has("cargo-nextest") {
            let mut nextest = shell::cargo();
            nextest.args(["nextest", "run", "--color", "never", "--status-level", "fail"]);
            nextest.args(shell::selection());
            let output = shell::output(&mut nextest)?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let summary = text.lines().rev().find(|line| line.contains("tests run"));
            return Ok(summary.map_or(String::new(), |line| format!(": {}", line.trim())));
        }
        let output = shell::output(
            shell::cargo()
                .args(["test", "--lib", "--bins", "--tests"])
                .args(shell::selection())
                .args(["--", "--quiet"]),
        )?;
        Ok(format!(": {} tests passed", count_passed(&String::from_utf8_lossy(&output.stdout))))
    });
    steps.step("documentation tests", || {
        // The same features as above, so that its build is used again.
        let mut tests = shell::cargo();
        tests.args(["test", "--doc"]).args(shell::selection()).args(["--", "--quiet"]);
        let output = shell::output(&mut tests)?;
        let passed = count_passed(&String::from_utf8_lossy(&output.stdout));
        ensure!(passed > 0, "no documentation test ran");
        Ok(format!(": {passed} tests passed"))
    });
}

/// Kinds of firmware, and the features of the driver that they select.
const FIRMWARES: [(&str, &str); 4] = [
    ("an RGB565 panel", "spans-565,spans-small,interpreter,primitive-types,textures"),
    ("a grey panel", "spans-generic,interpreter,primitive-types,textures"),
    ("any shader", "spans-565,spans-small,fragments"),
    ("OpenGL ES 2", "spans-565,fragments,es2"),
];

/// The kernels of firmware that draws shapes near the camera, or textures with palettes. The tests of the host have all
/// kernels and the general path.
const KERNELS: [&str; 5] = [
    "spans-565",
    "spans-565,spans-filtered",
    "spans-generic",
    "spans-bilinear",
    "spans-all,spans-filtered,spans-programs,spans-small",
];

/// Tests the driver with other features than the host's.
fn features_on_host(steps: &Steps) {
    let without = "--no-default-features";
    features_tests(
        steps,
        "host tests of spans alone",
        &[
            "gallium-raster",
            "--test",
            "spans_only",
            without,
            "--features",
            "std,compile,memory-surfaces,es2,spans-bilinear",
        ],
    );
    features_tests(
        steps,
        "host tests of what is left out",
        &["gallium-raster", "--test", "left_out", without, "--features", "std,spans-565"],
    );
    for (firmware, features) in FIRMWARES {
        let features = format!("std,memory-surfaces,{features}");
        let arguments =
            ["gallium-raster", "--test", "caps", without, "--features", features.as_str()];
        features_tests(steps, &format!("host tests of the caps of {firmware}"), &arguments);
    }
    for kernels in KERNELS {
        let features = format!("std,compile,memory-surfaces,es2,{kernels}");
        let tests = ["gallium-raster", "--test=near", "--test=palettes"];
        let arguments = [&tests[..], &[without, "--features", &features]].concat();
        features_tests(
            steps,
            &format!("host tests of features, near the camera and palettes: {kernels}"),
            &arguments,
        );
    }
    features_tests(
        steps,
        "host tests of the feature check",
        &[
            "gallium-raster",
            "--test",
            "checked",
            without,
            "--features",
            "check,std,compile,spans-565",
        ],
    );
    features_tests(
        steps,
        "host tests of likely mistakes",
        &[
            "gallium-raster",
            "--test",
            "mistakes",
            without,
            "--features",
            "check,std,compile,spans-all,memory-surfaces",
        ],
    );
    features_tests(
        steps,
        "host tests of native vertices",
        &["gallium-scenes", "--test", "native", "--features", "native-4,native-16"],
    );
    c::api(steps);
    floats::routines(steps);
    each_feature(steps);
}

/// Tests a package with other features; `package` is its name and further arguments for cargo. The host's tests share
/// their macros.
fn features_tests(steps: &Steps, name: &str, package: &[&str]) {
    steps.step(name, || {
        let mut cargo = shell::cargo();
        cargo.args(["test", "--package", toolchain::HOST_FEATURES]);
        cargo.args(["--features", toolchain::HOST_TESTS, "--package"]).args(package);
        let output = shell::output(shell::quickly(&mut cargo))?;
        let passed = count_passed(&String::from_utf8_lossy(&output.stdout));
        ensure!(passed > 0, "no test ran");
        Ok(format!(": {passed} tests passed"))
    });
}

/// Adds up the numbers in libtest's `N passed`.
pub fn count_passed(text: &str) -> usize {
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    results.filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok()).sum()
}

/// Checks every feature of every library alone, without the default features.
fn each_feature(steps: &Steps) {
    for package in layers::device_packages() {
        let Some(folder) = layers::folder(package) else { continue };
        steps.step(&format!("features of {package}"), || {
            let mut names = feature_names(folder)?;
            let list = names.join(", ");
            names.push(String::new());
            // A check keeps one core busy, so two run in parallel, in separate folders.
            let (these, those) = names.split_at(names.len() / 2);
            thread::scope(|scope| {
                let others = scope.spawn(|| check_each(package, those, BESIDE));
                check_each(package, these, "")?;
                others.join().unwrap_or_else(|_| bail!("the checks beside these panicked"))
            })?;
            Ok(format!(": {list}"))
        });
    }
    disk::trim_target(BESIDE);
}

/// The folder, below cargo's target folder, for checks that run in parallel with the main ones.
const BESIDE: &str = "features";

/// Checks a package with each of these features alone; builds in this folder below cargo's target
/// folder.
fn check_each(package: &str, names: &[String], folder: &str) -> Result<()> {
    for name in names {
        let mut cargo = shell::cargo();
        cargo.env("CARGO_TARGET_DIR", shell::target_dir().join(folder));
        cargo.args(["check", "--package", package, "--no-default-features"]);
        cargo.args(["--features", name]);
        passes(&mut cargo).with_context(|| format!("feature `{name}`"))?;
    }
    Ok(())
}

/// Returns the names of the features of the package in this folder.
///
/// # Errors
/// The manifest cannot be read.
pub fn feature_names(folder: &str) -> Result<Vec<String>> {
    let path = shell::root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let Some(features) = manifest.get("features").and_then(toml::Value::as_table) else {
        return Ok(Vec::new());
    };
    Ok(features.keys().filter(|name| *name != "default").cloned().collect())
}

/// Builds the libraries for cores without an operating system.
fn without_std(steps: &Steps) {
    steps.step("no std, no alloc", || no_std::prove().map(|()| String::new()));
    disk::trim_target(&format!("no-std/{}", no_std::TARGET));
    disk::trim("no-std/debug");
}

/// Builds firmware templates as a user's own projects.
fn copies(steps: &Steps) {
    for (board, target) in packages::COPIED {
        steps.step(&format!("{board}: copied out of the tree"), || {
            packages::copy_and_build(board, target).map(|()| String::new())
        });
        disk::trim_target(&format!("copied/target/{target}"));
    }
    disk::trim_target("copied/target");
}

/// Checks that the firmware templates link for all of their cores, within their budgets.
fn examples(steps: &Steps) {
    steps.step("sizes of features in docs/features.md", || {
        features::check().map(|count| format!(": of {count} features"))
    });
    for example in size::EXAMPLES {
        for target in size::EXAMPLE_TARGETS {
            let title = example.title;
            steps.step(&format!("{title}: {target}, its size as in docs/performance.md"), || {
                let row = example.measure(target, "")?;
                example.check(target, &row.size)?;
                let flash = row.size.flash;
                size::check_table(&[row])?;
                Ok(format!(": {flash} bytes of flash"))
            });
        }
    }
}

/// Tests with programs of other projects: OpenGL programs and browsers.
fn clients(steps: &Steps) {
    steps.step("OpenGL tests (piglit, first tier) through gallium-vtest", piglit::first_tier);
    steps.step("playground in a browser", playground::test);
    steps.step("an exported recording in a browser", inspect::test);
    disk::trim_target("wasm32-unknown-unknown");
    steps.step("the inspector's live page with an OpenGL program", live_page::test);
    steps.step("OpenGL ES tests (dEQP) through gallium-vtest", deqp::from_environment);
}

/// Checks the packages, and the API listings of their crates.
fn packages_and_api(steps: &Steps) {
    steps.step("packages of the crates", || {
        packages::package().map(|count| format!(": {count} crates"))
    });
    steps.step("lock file of tools/wgpu", || {
        let mut update = shell::cargo();
        update.args(["update", "--workspace", "--locked", "--manifest-path"]);
        passes(update.arg(shell::root().join("tools/wgpu/Cargo.toml")))
    });
    steps.step("public API of the crates", public_api::check);
    steps.step("table of Gallium's functions", || {
        contract::check().map(|count| format!(": of {count} rows"))
    });
    disk::trim_target("api");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_libtest_results() {
        let text = "\nrunning 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\n\
                    test result: ok. 12 passed; 0 failed\n";
        assert_eq!(count_passed(text), 15);
        assert_eq!(count_passed("test result: FAILED. 3 passed; 1 failed"), 0);
    }

    #[test]
    fn a_library_s_features_are_read() {
        let names = feature_names("os-shim").unwrap();
        assert!(
            names.iter().any(|name| name == "std") && !names.iter().any(|name| name == "default")
        );
    }
}
