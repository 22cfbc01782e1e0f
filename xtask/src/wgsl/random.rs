//! `cargo xtask wgsl random`: random programs, run in every way.

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Runs random WGSL programs: evaluated directly, by the executor in every way, and by Mesa's llvmpipe.
///
/// A program that differs is shrunk and printed. Debian has Mesa in the packages libegl1, libegl-mesa0 and
/// libgl1-mesa-dri.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask wgsl random
  cargo xtask wgsl random --count 20 --seed 700 --no-mesa")]
pub struct Options {
    /// Number of programs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Seed of the first program; it increases by one per program.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Lists the programs that differ without shrinking them.
    #[arg(long)]
    brief: bool,
    /// Leaves Mesa out.
    #[arg(long)]
    no_mesa: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let folder = shell::target_dir().join("release");
    let (judge, mesa) = ("gallium-wgsl-random", "gallium-gl-bench");
    let mut build = shell::cargo();
    build.args(["build", "--release", "--quiet", "--package", judge]);
    if !options.no_mesa {
        build.args(["--package", mesa]);
    }
    shell::run(&mut build)?;
    let mut random = shell::command(folder.join(judge));
    random.args(["--count", &options.count.to_string(), "--seed", &options.seed.to_string()]);
    if options.brief {
        random.arg("--brief");
    }
    if !options.no_mesa {
        random.arg("--mesa").arg(folder.join(mesa));
    }
    if !random.status()?.success() {
        // `N passed, M failed` is the last line, so no error is returned for `main` to print.
        std::process::exit(1);
    }
    Ok(())
}
