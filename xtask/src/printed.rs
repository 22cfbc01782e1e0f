//! Firmware that prints a hash of each frame in QEMU, compared with the hashes of the host.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::board::{Board, Budget};
use crate::size::{self, Size};
use crate::{budget, shell};

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
    /// The same frames drawn another way, to compare costs with.
    pub other: Option<Other>,
}

/// A build of the firmware with a feature. It draws the same frames.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// The feature.
    pub feature: String,
    /// The most instructions that the firmware may take, in percent of this build's.
    pub percent: u64,
    /// The most bytes of flash that the firmware may take beyond this build's.
    pub flash: u64,
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

/// Returns the hashes of frames.
fn hashes(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.hash.as_str()).collect()
}

/// Builds the firmware with these features, measures it, and draws its frames in the emulator.
///
/// # Errors
/// The build or the emulator fails.
fn run(board: &Board, printed: &Printed, features: &[&str]) -> Result<(Size, Vec<Frame>)> {
    shell::need(&printed.program, &printed.package)?;
    let image = board.build(features)?;
    let mut qemu = shell::command(&printed.program);
    let output = shell::output(qemu.args(&printed.arguments).arg("-kernel").arg(&image))?;
    let text = [output.stdout, output.stderr].concat();
    Ok((size::measure(&image)?, frames(&String::from_utf8_lossy(&text))))
}

/// Returns the instructions of the last frame.
///
/// # Errors
/// The firmware prints none.
fn instructions(board: &Board, frames: &[Frame]) -> Result<u64> {
    let count = frames.last().and_then(|frame| frame.instructions);
    count.with_context(|| format!("{}: {} prints no instructions", board.name, board.target))
}

/// Compares the costs of a firmware with those of its other build; returns a note.
///
/// # Errors
/// The build or the emulator fails; the frames differ; the firmware costs more than it may.
fn compare(
    board: &Board,
    printed: &Printed,
    other: &Other,
    frames: &[Frame],
    flash: u64,
) -> Result<String> {
    let (size, others) = run(board, printed, &[&other.feature])?;
    let (name, feature) = (&board.name, &other.feature);
    ensure!(hashes(frames) == hashes(&others), "{name}: the frames of `{feature}` differ");
    let (count, base) = (instructions(board, frames)?, instructions(board, &others)?);
    let percent = count as f64 / base as f64 * 100.0;
    let more = i128::from(flash) - i128::from(size.flash);
    let note = format!("{percent:.2} % of the instructions and {more} bytes more than `{feature}`");
    let (most, bytes) = (other.percent, other.flash);
    ensure!(
        count * 100 <= base * most && more <= i128::from(bytes),
        "{name}: {note}; it may take {most} % and {bytes} bytes"
    );
    Ok(note)
}

/// Builds the firmware for the second chip, draws its frames, and compares their hashes with the
/// host's and their costs with the other build's. Checks the image's size; returns it, the
/// instructions of the last frame, and a note.
///
/// # Errors
/// A build or the emulator fails; a hash differs; a budget is exceeded.
fn draw(board: &Board, printed: &Printed) -> Result<(Size, u64, String)> {
    let (size, drawn) = run(board, printed, &[])?;
    let folder = shell::target_dir().join("printed").join(&board.name);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut host = shell::cargo();
    host.args(["run", "--package", &board.package, "--example", "host", "--"]);
    let host = shell::output(host.arg(FRAMES.to_string()).arg(&folder))?;
    let expected = frames(&String::from_utf8_lossy(&host.stdout));
    let (drawn_hashes, host_hashes) = (hashes(&drawn), hashes(&expected));
    ensure!(
        drawn_hashes.len() == FRAMES && drawn_hashes == host_hashes,
        "{}: the frames' hashes on {} are {drawn_hashes:?}, on the host {host_hashes:?}",
        board.name,
        board.target
    );
    size::check_budget(board, &printed.budget, &size)?;
    let count = instructions(board, &drawn)?;
    let mut note = format!("{FRAMES} frames, the last {:.3} M instructions", count as f64 / 1e6);
    if let Some(other) = &printed.other {
        note = format!("{note}, {}", compare(board, printed, other, &drawn, size.flash)?);
    }
    Ok((size, count, note))
}

/// Runs `cargo xtask firmware` for the second chip of a board.
///
/// # Errors
/// See [`draw`]; too many instructions.
pub fn firmware(board: &Board, printed: &Printed, accept: bool) -> Result<()> {
    let (size, count, note) = draw(board, printed)?;
    println!("as on the host: {note}");
    print!("{}", size::report(board, &printed.budget, &size));
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
    let (_, count, note) = draw(board, printed)?;
    board.scene_names().into_iter().try_for_each(|scene| budget::check(board, scene, count))?;
    Ok(format!(": {note}"))
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
