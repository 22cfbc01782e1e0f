//! `cargo xtask tgsi`: checks, prints and runs shaders.

mod check;
mod dump;
mod run;
mod source;

pub use dump::print_info;
pub use run::{Settings, results};

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Checks, prints or runs TGSI shaders.
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Options),
    Dump(dump::Options),
    Run(run::Options),
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    match &options.command {
        Command::Check(options) => check::run(options),
        Command::Dump(options) => dump::run(options),
        Command::Run(options) => run::run(options),
    }
}

/// The files to work on.
#[derive(Args)]
struct Files {
    /// Files with one shader each, or with several separated by lines `=====`; `-` is standard
    /// input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}
