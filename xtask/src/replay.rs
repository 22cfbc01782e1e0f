//! `cargo xtask replay`: plays traces of programs on the drivers.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::board::{self, Board};
use crate::{firmware, recording, shell};

/// Plays a trace that a program wrote with GALLIUM_TRACE=FILE, and compares its pictures.
#[derive(Args)]
pub struct Options {
    /// The trace.
    file: PathBuf,
    /// The ELF file of the firmware that wrote the trace: it has the texts of the shaders.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// The driver: host, small, tiny (profiles of the driver) or reference. By default the profile of a board that wrote
    /// the trace, otherwise host.
    #[arg(long)]
    driver: Option<String>,
    /// Number of drawing threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Writes a PNG of every picture to this folder.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Prints every call.
    #[arg(long)]
    text: bool,
    /// Compares with the pictures in this other trace instead of the file's own.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Plays on this driver, too, and compares the first colour buffer after every call that draws.
    #[arg(long, value_name = "DRIVER")]
    beside: Option<String>,
    /// Plays without limits. By default a trace may use 2 GiB, and about a minute per call, because
    /// it may be untrusted.
    #[arg(long)]
    unlimited: bool,
    /// Plays on this emulated board, and compares its frames with the host's.
    #[arg(long, conflicts_with_all = ["driver", "threads", "pictures", "text", "against", "beside"])]
    board: Option<String>,
    /// With `--beside`: the allowed difference between the drivers' channels, in steps of 8 bits.
    #[arg(long, default_value_t = 0)]
    tolerance: u8,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let file = recording::playable(&options.file, options.elf.as_deref())?;
    if let Some(board) = &options.board {
        let host = player(&recording::KERNELS);
        return on_board(&file, &board::find(board)?, host);
    }
    let profile = recording::board_profile(&file)?;
    let kernels: &[&str] = if profile.is_some() { &recording::KERNELS } else { &[] };
    let mut replay = player(kernels);
    replay.arg(&file);
    replay.args(["--driver", options.driver.as_deref().or(profile).unwrap_or("host")]);
    replay.args(["--threads", &options.threads.to_string()]);
    replay.args(["--tolerance", &options.tolerance.to_string()]);
    for (name, is_set) in [("--text", options.text), ("--unlimited", options.unlimited)] {
        replay.args(is_set.then_some(name));
    }
    for (name, path) in [("--pictures", &options.pictures), ("--against", &options.against)] {
        if let Some(path) = path {
            replay.arg(name).arg(path);
        }
    }
    if let Some(driver) = &options.beside {
        replay.args(["--beside", driver]);
    }
    shell::run(&mut replay)
}

/// Returns the command of the host's trace player; `features` are arguments for cargo.
fn player(features: &[&str]) -> Command {
    let mut replay = shell::cargo();
    replay.args(["run", "--release", "--quiet", "--package", "gallium-compare"]).args(features);
    replay.args(["--bin", "gallium-replay", "--"]);
    replay
}

/// The size of the buffer for a trace in a board's firmware, in bytes.
const ROOM: u64 = 1 << 20;

/// Plays a trace on an emulated board and compares its frames with the frames of `host`, which is
/// built with the board's integer kernels.
///
/// # Errors
/// The board does not play traces, the trace does not fit, or frames differ.
pub fn on_board(file: &Path, board: &Board, mut host: Command) -> Result<()> {
    let name = &board.name;
    ensure!(board.replay, "{name}: no firmware of this board plays traces (board.toml, `replay`)");
    let size = std::fs::metadata(file);
    let size = size.with_context(|| format!("cannot read {}", file.display()))?.len();
    ensure!(
        size < ROOM,
        "{}: {size} bytes, and the board has room for fewer than {ROOM}: record fewer frames",
        file.display()
    );
    let image = board.build_quickly(&["replay"])?;
    let frames = firmware::replay(board, &image, file)?;
    shell::run(host.arg(file).args(["--driver", "small", "--frames"]).arg(frames))
}

/// Plays a board's recording on the host, with the board's integer kernels and profile; each picture must be the
/// recorded one. Returns what the player says. `host` is built with these kernels.
///
/// # Errors
/// The recording is damaged, or a picture differs.
pub fn pictures_are_same(file: &Path, mut host: Command) -> Result<String> {
    let output = shell::output(host.arg(file).args(["--driver", "small"]))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
