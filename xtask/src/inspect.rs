//! `cargo xtask inspect`: looks inside recordings.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::{recording, shell};

/// Looks inside a trace: calls, state, pictures, the history of a pixel, shaders step by step.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask inspect FILE                     # what the trace has
  cargo xtask inspect FILE --serve             # a page for a browser
  cargo xtask inspect FILE calls --draws
  cargo xtask inspect FILE state 120
  cargo xtask inspect FILE picture 120 -o picture.png
  cargo xtask inspect FILE history 120 40 30   # pixel (40, 30) up to call 120
  cargo xtask inspect FILE why 120
  cargo xtask inspect FILE help                # all questions")]
pub struct Options {
    /// The trace, written by a program that ran with GALLIUM_TRACE=FILE, or by a firmware.
    file: PathBuf,
    /// The ELF file of the firmware that wrote the recording: it has the texts of the shaders.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// The question and its arguments; see the README of tools/inspect.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    question: Vec<String>,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut inspect = shell::cargo();
    let file = recording::playable(&options.file, options.elf.as_deref())?;
    inspect.args(["run", "--release", "--quiet", "--package", "gallium-inspect"]);
    shell::run(inspect.arg("--").arg(file).args(&options.question))
}
