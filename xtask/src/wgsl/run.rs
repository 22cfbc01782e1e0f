//! `cargo xtask wgsl run`: an entry point, on values from the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::{Overrides, source};
use crate::tgsi::{Settings, results};

/// Runs an entry point and prints its outputs, each as a float and as bits.
///
/// Registers, slots and values are those of `cargo xtask tgsi run`; `cargo xtask wgsl dump` shows which a shader has.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask wgsl run shader.wgsl --entry fs --in 0=1,2,3,4 --const 0=0.5
  cargo xtask wgsl run sum.wgsl --sv THREAD_ID=0u/1u/2u/3u --buffer 0=5u,6u,7u,8u")]
pub struct Options {
    /// A file ending in .wgsl, .glsl, .vert, .frag, .comp or .spv; `-` is WGSL from standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The entry point, if there are several.
    #[arg(long)]
    entry: Option<String>,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    settings: Settings,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let module = match source::read(&options.file)? {
        Ok(module) => module,
        Err(error) => {
            println!("{error}");
            bail!("not a shader");
        }
    };
    let wanted = options.entry.as_deref();
    let mut entries = module.entry_points().filter(|(name, _)| wanted.is_none_or(|it| it == *name));
    let (name, stage) = entries.next().context("there is no such entry point")?;
    if entries.next().is_some() {
        bail!("there are several entry points: name one with --entry");
    }
    let translation = match module.translate_stage(stage, name, &options.overrides.options()) {
        Ok(translation) => translation,
        Err(error) => {
            println!("{error}");
            bail!("the shader cannot be run");
        }
    };
    let table = results(&translation.shader, &options.settings, &mut |error| {
        println!("error: {error}");
    })?;
    print!("{table}");
    Ok(())
}
