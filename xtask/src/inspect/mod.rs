//! `cargo xtask inspect`: looks inside recordings.

mod export;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

pub use export::test;

use crate::{recording, shell};

/// Looks inside a trace: calls, state, pictures, the history of a pixel, shaders step by step.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask inspect FILE                     # what the trace has
  cargo xtask inspect FILE --serve             # a page for a browser
  cargo xtask inspect FILE --export bug.html   # the page with the trace inside, which opens anywhere
  cargo xtask inspect FILE calls --draws
  cargo xtask inspect FILE state 120
  cargo xtask inspect FILE picture 120 -o picture.png
  cargo xtask inspect FILE history 120 40 30   # pixel (40, 30) up to call 120
  cargo xtask inspect FILE why 120
  cargo xtask inspect FILE help                # all questions
Each question plays the trace from its first call; --serve plays it once, and then jumps to any call.")]
pub struct Options {
    /// The trace, written by a program that ran with GALLIUM_TRACE=FILE, or by a firmware.
    file: PathBuf,
    /// The ELF file of the firmware that wrote the recording: it has the texts of the shaders.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Writes this file: the page, its engine and the trace in one. It opens in a browser without a server.
    #[arg(long, value_name = "HTML")]
    export: Option<PathBuf>,
    /// The question and its arguments; see the README of tools/inspect.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    question: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// The inspector cannot be built, or refuses the trace or the question.
pub fn run(options: &Options) -> Result<()> {
    let mut inspect = shell::cargo();
    let file = recording::playable(&options.file, options.elf.as_deref())?;
    inspect.args(["run", "--release", "--quiet", "--package", "gallium-inspect"]);
    if recording::board_profile(&file)?.is_some() {
        inspect.args(recording::KERNELS);
    }
    inspect.arg("--").arg(file);
    if let Some(output) = &options.export {
        let (page, engine) = export::build()?;
        println!("{}", engine.sizes());
        inspect.arg("--export").arg(output).arg("--page").arg(page);
    }
    shell::run(inspect.args(&options.question))
}
