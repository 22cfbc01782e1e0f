//! `cargo xtask compare`: compares the driver with the plain driver on random scenes.

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Compares the driver with the plain one on random scenes, and shrinks scenes that differ.
#[derive(Args)]
pub struct Options {
    /// Number of scenes.
    #[arg(long, default_value_t = 300)]
    random: u64,
    /// Seed of the first scene; it increases by one per scene.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Lists the scenes that differ without shrinking them.
    #[arg(long)]
    brief: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut compare = shell::cargo();
    compare.args(["run", "--release", "--quiet", "--package", "gallium-compare", "--"]);
    compare.args(["--random", &options.random.to_string()]);
    compare.args(["--seed", &options.seed.to_string()]);
    compare.arg("--out").arg(shell::root().join("target/compare"));
    if options.brief {
        compare.arg("--brief");
    }
    shell::run(&mut compare)
}
