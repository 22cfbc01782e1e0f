//! `cargo xtask demo`: the host's pictures, animation and figures.

use anyhow::Result;
use clap::Args;

use crate::shell;

/// Renders the demo scenes to target/demo.
#[derive(Args)]
pub struct Options {
    /// Open a window instead: arrow keys orbit, page up and down zoom, space changes the scene.
    #[arg(long)]
    pub window: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "gallium-host", "--"]);
    if options.window {
        cargo.arg("window");
    } else {
        cargo.args(["demo", "--out"]).arg(shell::root().join("target/demo"));
    }
    shell::run(&mut cargo)
}
