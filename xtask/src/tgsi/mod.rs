//! `cargo xtask tgsi`: checks, prints and runs shaders.

mod c;
mod check;
mod dump;
mod run;
mod source;

pub use dump::print_info;
pub use run::{Settings, results};

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::c_shader;

/// Checks, prints or runs TGSI shaders.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print a C header with the shaders of a file, for gallium-c.
    #[arg(long, value_name = "FILE")]
    c: Option<PathBuf>,
    /// Write the header to this file instead.
    #[arg(long, short, value_name = "HEADER", requires = "c")]
    output: Option<PathBuf>,
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
        Some(Command::Check(options)) => check::run(options),
        Some(Command::Dump(options)) => dump::run(options),
        Some(Command::Run(options)) => run::run(options),
        None => match &options.c {
            Some(file) => c_shader::write(c::header(file)?, options.output.as_ref()),
            None => bail!("nothing to do: write a command or `--c FILE`, see `--help`"),
        },
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
