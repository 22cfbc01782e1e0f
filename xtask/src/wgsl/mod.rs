//! `cargo xtask wgsl`: WGSL, GLSL and SPIR-V checked, shown and run as TGSI.

mod check;
mod cost;
mod dump;
mod random;
mod run;
mod source;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Checks, shows or runs WGSL, GLSL and SPIR-V shaders.
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Options),
    Dump(dump::Options),
    Random(random::Options),
    Run(run::Options),
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read; a shader that cannot be shown or run.
pub fn run(options: &Options) -> Result<()> {
    match &options.command {
        Command::Check(options) => check::run(options),
        Command::Dump(options) => dump::run(options),
        Command::Random(options) => random::run(options),
        Command::Run(options) => run::run(options),
    }
}

/// The values of a module's `override`s.
#[derive(Args)]
struct Overrides {
    /// The value of an `override`: NAME=NUMBER, or the number of its `@id`.
    #[arg(long = "override", value_name = "NAME=NUMBER", value_parser = number)]
    overrides: Vec<(String, f64)>,
}

/// Reads `name=number`.
fn number(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("no `=`")?;
    let value = value.parse().map_err(|_| format!("{value:?} is not a number"))?;
    Ok((name.into(), value))
}

impl Overrides {
    fn options(&self) -> naga_frontend::Options {
        let constants = self.overrides.iter().cloned().collect();
        naga_frontend::Options { constants, ..Default::default() }
    }
}

/// The files to work on.
#[derive(Args)]
struct Files {
    /// Files ending in .wgsl, .glsl, .vert, .frag, .comp or .spv, or folders of them; `-` is WGSL
    /// from standard input. A .glsl file names its stage: `#pragma shader_stage(fragment)`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}
