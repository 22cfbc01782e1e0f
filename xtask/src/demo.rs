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
    let mut host = shell::host()?;
    if options.window {
        host.arg("window");
    } else {
        host.args(["demo", "--out"]).arg(shell::root().join("target/demo"));
    }
    shell::run(&mut host)
}
