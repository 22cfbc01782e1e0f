//! `cargo xtask wgsl`: WGSL, GLSL and SPIR-V checked, shown and run as TGSI.

mod c;
mod check;
mod dump;
mod random;
mod run;
mod source;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

pub use c::header;

use crate::c_shader;

/// Checks, shows or runs WGSL, GLSL and SPIR-V shaders.
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
    #[command(flatten)]
    overrides: Overrides,
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
        Some(Command::Check(options)) => check::run(options),
        Some(Command::Dump(options)) => dump::run(options),
        Some(Command::Random(options)) => random::run(options),
        Some(Command::Run(options)) => run::run(options),
        None => match &options.c {
            Some(file) => c_shader::write(
                c::header(file, &options.overrides.options())?,
                options.output.as_ref(),
            ),
            None => bail!("nothing to do: write a command or `--c FILE`, see `--help`"),
        },
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
