//! Plays traces on the drivers. `cargo xtask replay` runs this program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use gallium_compare::frames;
use gallium_compare::replay::{self, Driver, Limits};

#[derive(Parser)]
#[command(about = "Plays a trace on a driver and compares what it shows with what was traced")]
struct Options {
    /// The trace, written by a program that ran with GALLIUM_TRACE=FILE.
    file: PathBuf,
    /// The driver.
    #[arg(long, value_enum, default_value_t = Driver::Host)]
    driver: Driver,
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
    #[arg(long, value_name = "DRIVER", value_enum)]
    beside: Option<Driver>,
    /// Compares with the frames in this file, written by a board that played the trace.
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Plays without limits. By default a trace may use 2 GiB, and about a minute per call, because
    /// it may be untrusted.
    #[arg(long)]
    unlimited: bool,
    /// With `--beside`: the allowed difference between the drivers' channels, in steps of 8 bits.
    #[arg(long, default_value_t = 0)]
    tolerance: u8,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let trace = replay::load(&options.file)?;
    if let Some(path) = &options.frames {
        let board = std::fs::read(path).with_context(|| format!("no {}", path.display()))?;
        let (difference, alike) = frames::compare(&board, &frames::play(trace, options.driver)?)?;
        println!("{alike} frames are those of the host");
        if let Some(difference) = difference {
            println!("the first that differs: {difference}");
            return Ok(ExitCode::FAILURE);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let play = replay::Play {
        trace,
        driver: options.driver,
        threads: options.threads,
        pictures: options.pictures.as_deref(),
        text: options.text,
        limits: if options.unlimited { Limits::NONE } else { Limits::DEFAULT },
    };
    let difference = match (&options.beside, &options.against) {
        (Some(other), _) => replay::beside(&play, *other, options.tolerance)?,
        (None, Some(other)) => play.run(Some(&replay::pictures(replay::load(other)?)?))?,
        (None, None) => play.run(None)?,
    };
    Ok(match difference {
        None => ExitCode::SUCCESS,
        Some(difference) => {
            println!("{difference}");
            ExitCode::FAILURE
        }
    })
}
