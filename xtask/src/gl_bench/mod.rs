//! `cargo xtask gl-bench`: runs OpenGL programs on Mesa's software drivers and on our server, in
//! turns.
//!
//! All drivers run on the same machine at the same time, so only the ratios are meaningful. Every
//! turn runs every driver once. A ratio compares two times of the same turn; its spread is over the
//! turns.

mod clients;
mod drivers;
mod glmark2;
mod ratio;
mod report;
mod results;
mod scenes;

use std::fs;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::shell;

/// Compares Mesa's softpipe, llvmpipe and virgl over llvmpipe with gallium-vtest.
///
/// The scenes are in tools/gl-bench, a program of this workspace; with --glmark2, they are the
/// benchmarks of glmark2. A ratio is our time divided by the other driver's: less than 1 is faster.
#[derive(Args)]
pub struct Options {
    /// One scene instead of all (`--scene list` names them).
    #[arg(long)]
    scene: Option<String>,
    /// Numbers of rasterizer threads, for llvmpipe and for us; several numbers are measured in
    /// turns.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<u32>,
    /// Seconds per scene, driver and turn.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Number of turns of all drivers.
    #[arg(long, default_value_t = 3)]
    turns: u32,
    /// Run the benchmarks of glmark2 instead, in a window of 640×480 on a virtual display.
    #[arg(long)]
    glmark2: bool,
    /// Draw with this many clients of one server at the same time, one thread per client, and
    /// compare their frame rate with that of one client.
    #[arg(long, conflicts_with_all = ["glmark2", "report"])]
    clients: Option<u32>,
    /// Write one HTML page about the last results: ratios, pictures, and the sweep if there is one
    /// (`cargo xtask bench --sweep`). Measures nothing.
    #[arg(long)]
    report: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let folder = shell::target_dir().join("gl-bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if options.report {
        return report::write(&folder);
    }
    if let Some(clients) = options.clients {
        return clients::run(options, clients, &folder);
    }
    if options.glmark2 { glmark2::run(options, &folder) } else { scenes::run(options, &folder) }
}
