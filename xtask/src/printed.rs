//! Firmware that prints a hash of each frame in QEMU, compared with the hashes of the host.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::board::{Board, Budget};
use crate::{budget, shell, size};

/// The frames that a firmware draws.
const FRAMES: usize = 4;

/// A second chip of a board: the settings of QEMU.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The compiler's target, one of the board's `other_targets`.
    pub target: String,
    /// The program.
    pub program: String,
    /// The Debian package of the program.
    pub package: String,
    /// Arguments that select machine and clock.
    pub arguments: Vec<String>,
    /// Budgets of flash and RAM.
    pub budget: Budget,
}

/// A line `frame 0 89abcdef`, or `frame 0 89abcdef 1234 instructions, 5678 bytes`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Frame {
    hash: String,
    instructions: Option<u64>,
}

/// Parses the lines of frames; other lines are left out.
fn frames(text: &str) -> Vec<Frame> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words
        .filter_map(|words| match *words.as_slice() {
            ["frame", _, hash, ref rest @ ..] => Some(Frame {
                hash: hash.to_owned(),
                instructions: rest.first().and_then(|count| count.parse().ok()),
            }),
            _ => None,
        })
        .collect()
}

/// Builds the firmware for the second chip, draws its frames, and compares their hashes with the
/// host's. Checks the image's size; returns the image and the instructions of the last frame.
///
/// # Errors
/// A build or the emulator fails; a hash differs; a budget of memory is exceeded.
fn draw(board: &Board, printed: &Printed) -> Result<(PathBuf, u64)> {
    shell::need(&printed.program, &printed.package)?;
    let image = board.build(&[])?;
    let mut qemu = shell::command(&printed.program);
    let output = shell::output(qemu.args(&printed.arguments).arg("-kernel").arg(&image))?;
    let text = [output.stdout, output.stderr].concat();
    let drawn = frames(&String::from_utf8_lossy(&text));
    let folder = shell::target_dir().join("printed").join(&board.name);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut host = shell::cargo();
    host.args(["run", "--package", &board.package, "--example", "host", "--"]);
    let host = shell::output(host.arg(FRAMES.to_string()).arg(&folder))?;
    let expected = frames(&String::from_utf8_lossy(&host.stdout));
    let hashes = |frames: &[Frame]| -> Vec<String> {
        frames.iter().map(|frame| frame.hash.clone()).collect()
    };
    let (drawn_hashes, host_hashes) = (hashes(&drawn), hashes(&expected));
    ensure!(
        drawn_hashes.len() == FRAMES && drawn_hashes == host_hashes,
        "{}: the frames' hashes on {} are {drawn_hashes:?}, on the host {host_hashes:?}",
        board.name,
        board.target
    );
    size::check_budget(board, &printed.budget, &size::measure(&image)?)?;
    match drawn.last().and_then(|frame| frame.instructions) {
        Some(count) => Ok((image, count)),
        None => bail!("{}: {} prints no instructions", board.name, board.target),
    }
}

/// Runs `cargo xtask firmware` for the second chip of a board.
///
/// # Errors
/// See [`draw`]; too many instructions.
pub fn firmware(board: &Board, printed: &Printed, accept: bool) -> Result<()> {
    let (image, count) = draw(board, printed)?;
    println!("{FRAMES} frames as on the host; the last: {count} instructions");
    print!("{}", size::report(board, &printed.budget, &size::measure(&image)?));
    let scenes = board.scene_names();
    if accept {
        let counts: Vec<_> = scenes.into_iter().map(|scene| (scene, count)).collect();
        return budget::accept(board, &counts);
    }
    scenes.into_iter().try_for_each(|scene| budget::check(board, scene, count))
}

/// Tests the second chip of a board; returns a note.
///
/// # Errors
/// See [`draw`]; too many instructions.
pub fn test(board: &Board, printed: &Printed) -> Result<String> {
    let (_, count) = draw(board, printed)?;
    board.scene_names().into_iter().try_for_each(|scene| budget::check(board, scene, count))?;
    Ok(format!(": {FRAMES} frames, the last {:.3} M instructions", count as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_frames_are_read_and_others_left_out() {
        let text =
            "warning: x\nframe 0 00c0ffee 12345 instructions, 20 bytes\nframe 1 deadbeef\nframe\n";
        let frame = |hash: &str, instructions| Frame { hash: hash.into(), instructions };
        assert_eq!(frames(text), [frame("00c0ffee", Some(12345)), frame("deadbeef", None)]);
    }
}
