//! Tests boards: lints, sizes, and pictures equal to the host's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::{Steps, passes};
use crate::board::{self, Board, Emulator, Feature};
use crate::{
    budget, firmware, printed, recording, replay, rp2040js, rp2350, shell, size, toolchain,
};

/// Checks the lints of the boards' firmware: one step for each target.
pub(super) fn lints(steps: &Steps, boards: &[Board]) {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for board in boards {
        // A folder without a crate runs the firmware of another board.
        if !shell::root().join("boards").join(&board.name).join("Cargo.toml").is_file() {
            continue;
        }
        let chip = board.rp2350.as_ref().map(|chip| &chip.target);
        for target in [&board.target].into_iter().chain(chip) {
            packages.entry(target).or_default().insert(&board.package);
        }
    }
    for (target, packages) in packages {
        steps.step(&format!("clippy, {target}"), || clippy(target, packages));
    }
}

/// Checks a board's size and scenes; with `all`, also its other targets and features.
pub(super) fn firmware_of(board: &Board, all: bool, steps: &Steps) {
    let name = &board.name;
    let mut image = None;
    steps.step(&format!("{name}: size, calls"), || {
        let built = board.build(&[])?;
        let size = size::measure(&built)?;
        size::check(board, &size)?;
        size::check_table(&[size::Row::of(board, size)])?;
        let called = size::check_calls(board, &built, false)?;
        image = Some(built);
        Ok(format!("\n{}{}", size::report(board, &board.budget, &size), called.trim_end()))
    });
    if let Some(chip) = &board.rp2350 {
        steps.step(&format!("{name}: size, boot block on {}", chip.target), || {
            let board = board::find(name)?.with_target(&chip.target)?;
            Ok(format!("\n{}", rp2350::check(&board, chip)?.trim_end()))
        });
    }
    if let Emulator::Rp2040js(emulator) = &board.emulator {
        let step = format!("{name}: frames in rp2040js, pixels as on the host");
        steps.step(&step, || rp2040js::test(board, emulator));
        if let Some(chip) = &board.printed {
            let step = format!("{name}: frames on {} in QEMU, hashes as on the host", chip.target);
            steps.step(&step, || {
                printed::test(&board::find(name)?.with_target(&chip.target)?, chip)
            });
        }
        return;
    }
    for scene in board.tested_scenes() {
        scene_in_qemu(steps, board, &[], image.as_deref(), scene, &[]);
    }
    if all {
        on_other_targets(board, steps);
        with_more_features(board, steps);
    }
}

/// Checks the lints of packages for a target. The firmware's own profile would optimise the macros, too, which need none
/// here.
fn clippy(target: &str, packages: BTreeSet<&str>) -> Result<String> {
    let mut cargo = toolchain::cargo("clippy", target)?;
    let packages = packages.into_iter().chain([toolchain::HOST_FEATURES]);
    cargo.args(packages.flat_map(|package| ["--package", package]));
    passes(cargo.args(["--all-features", "--", "-D", "warnings"]))
}

/// Draws a scene on a board, with these features and other arguments for QEMU. Uses the firmware
/// `image`, or builds it.
fn scene_in_qemu(
    steps: &Steps,
    board: &Board,
    features: &[&str],
    image: Option<&Path>,
    scene: &str,
    arguments: &[String],
) {
    steps.step(&format!("{}: {scene} in QEMU, pixels as on the host", board.name), || {
        let built = image.map_or_else(|| board.build(features), |built| Ok(built.to_owned()))?;
        let board = &board::find(&board.name)?.with_arguments(arguments);
        let outcome = firmware::emulate(board, &built, scene, 0)?;
        firmware::check(board, &outcome, scene, 0)?;
        if arguments.is_empty() {
            budget::check(board, scene, outcome.instructions)?;
        }
        let millions = outcome.instructions as f64 / 1e6;
        let (heap, stack) = (outcome.heap, outcome.stack);
        Ok(format!(": {millions:.3} M instructions, heap {heap}, stack {stack} bytes"))
    });
}

/// Draws the small scenes on the board's other cores.
fn on_other_targets(board: &Board, steps: &Steps) {
    let name = &board.name;
    for target in &board.other_targets {
        steps.step(&format!("{name}: S1 and S3 on {target}, pixels as on the host"), || {
            let board = board::find(name)?.with_target(target)?;
            let built = board.build(&[])?;
            let called = size::check_calls(&board, &built, false)?;
            let mut note = format!("\n{}", called.trim_end());
            for scene in ["S1", "S3"] {
                let outcome = firmware::emulate(&board, &built, scene, 0)?;
                firmware::check(&board, &outcome, scene, 0)?;
                budget::check(&board, scene, outcome.instructions)?;
                let millions = outcome.instructions as f64 / 1e6;
                note.push_str(&format!(", {scene} {millions:.3} M instructions"));
            }
            size::check_table(&[size::Row::of(&board, size::measure(&built)?)])?;
            Ok(note)
        });
    }
}

/// Tests features that the firmware does not enable by default.
fn with_more_features(board: &Board, steps: &Steps) {
    let name = &board.name;
    by_features(steps, board);
    // After the scenes: its build takes the place of the firmware that draws them.
    if let Some(scene) = &board.record {
        steps.step(&format!("{name}: a recording plays on the host, bit for bit"), || {
            recording::test(board, scene)
        });
    }
    // One build has all of them.
    let mut features = Vec::new();
    features.extend(board.chip_log.then_some("chip-log"));
    features.extend(board.failures.then_some("failures"));
    if board.failures {
        steps.step(&format!("{name}: every request for memory fails once"), || {
            let built = board.build_quickly(&features)?;
            let count = firmware::failures(board, &built, "S3")?;
            ensure!(count > 10, "only {count} requests failed");
            Ok(format!(": {count} requests"))
        });
    }
    if board.replay {
        steps.step(&format!("{name}: a trace plays as on the host"), || {
            let trace = shell::target_dir().join("qemu").join(name).join("random.trace");
            let mut compare = shell::test_program("gallium-compare")?;
            compare.args(["--random", "1", "--seed", "1"]);
            shell::output(compare.env("GALLIUM_TRACE", &trace))?;
            replay::on_board(&trace, board, shell::test_program("gallium-replay")?)?;
            Ok(String::new())
        });
    }
    if !board.chip_log {
        return;
    }
    steps.step(&format!("{name}: log of the chip"), || {
        let built = board.build_quickly(&features)?;
        let outcome = firmware::emulate(board, &built, "clear", 0)?;
        match outcome.log.first() {
            Some(line) => Ok(format!(": {} lines, the first: {line}", outcome.log.len())),
            None => bail!("the firmware logged nothing"),
        }
    });
}

/// Draws the scenes of builds with a feature.
fn by_features(steps: &Steps, board: &Board) {
    let name = &board.name;
    for (feature, Feature { scenes, arguments, budget }) in &board.features {
        let features = [feature.as_str()];
        let mut image = None;
        steps.step(&format!("{name}: size with {feature}"), || {
            let built = board.build(&features)?;
            let size = size::measure(&built)?;
            size::check_budget(board, budget, &size)?;
            size::check_table(&[size::Row::with(board, feature, size)])?;
            image = Some(built);
            Ok(format!("\n{}", size::report(board, budget, &size).trim_end()))
        });
        for scene in scenes {
            scene_in_qemu(steps, board, &features, image.as_deref(), scene, arguments);
        }
    }
}
