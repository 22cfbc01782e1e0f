//! `cargo xtask replay`: traces of programs, played on the drivers.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Plays a trace that a program wrote with GALLIUM_TRACE=FILE, and compares its pictures.
#[derive(Args)]
pub struct Options {
    /// The trace.
    file: PathBuf,
    /// The driver: host, small, tiny (profiles of the driver) or reference.
    #[arg(long, default_value = "host")]
    driver: String,
    /// Number of threads that draw.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Writes a PNG of every picture to this folder.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Prints every call.
    #[arg(long)]
    text: bool,
    /// Compares with the pictures that this other trace has, not with the file's own.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Plays on this driver too and compares the first colour buffer after every call that draws.
    #[arg(long, value_name = "DRIVER")]
    beside: Option<String>,
    /// Steps of 8 bits by which channels may differ between the drivers of `--beside`.
    #[arg(long, default_value_t = 0)]
    tolerance: u8,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut replay = shell::cargo();
    replay.args(["run", "--release", "--quiet", "--package", "gallium-compare"]);
    replay.args(["--bin", "gallium-replay", "--"]).arg(&options.file);
    replay.args(["--driver", &options.driver]);
    replay.args(["--threads", &options.threads.to_string()]);
    replay.args(["--tolerance", &options.tolerance.to_string()]);
    if options.text {
        replay.arg("--text");
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
