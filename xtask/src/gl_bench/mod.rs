//! `cargo xtask gl-bench`: OpenGL programs on Mesa's software drivers and on our server, in turns.
//!
//! All run on one machine at one time, so only the ratios mean something. Every turn runs every
//! driver once; a ratio is of two times of one turn, and its spread is that of the turns.

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
/// The scenes are those of boards/gl-bench, a program of this workspace, or with --glmark2 those of
/// a program of others. Ratios are times of ours over theirs: less than 1 is faster.
#[derive(Args)]
pub struct Options {
    /// One scene instead of all (`--scene list` names them).
    #[arg(long)]
    scene: Option<String>,
    /// Threads that rasterize, for llvmpipe and for us; several numbers are measured in turns.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<u32>,
    /// Seconds a scene, driver and turn.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Turns of all drivers.
    #[arg(long, default_value_t = 3)]
    turns: u32,
    /// Run the scenes of glmark2 in a window of 640×480 on a virtual display instead.
    #[arg(long)]
    glmark2: bool,
    /// Draw with so many clients of one server at a time, a thread each, and compare their frames with those
    /// of one.
    #[arg(long, conflicts_with_all = ["glmark2", "report"])]
    clients: Option<u32>,
    /// Write one HTML page of the last results: ratios, pictures, and the sweep if it was run
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
