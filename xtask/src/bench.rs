//! `cargo xtask bench`: measures speeds on the host, then counts instructions on the emulated
//! boards.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::{board, firmware, shell};

/// Measures speed.
#[derive(Args)]
pub struct Options {
    /// Measure only the host, or only the boards.
    #[arg(value_parser = ["host", "boards"])]
    pub part: Option<String>,
    /// On the host, compare single values of state with a baseline, one at a time.
    #[arg(long, conflicts_with = "part")]
    pub sweep: bool,
    /// With --sweep: only variations with this text in their name, "group: variation".
    #[arg(long, requires = "sweep", value_name = "TEXT", default_value = "")]
    pub only: String,
}

/// Returns the path of the last sweep's results.
pub fn sweep_results() -> PathBuf {
    shell::target_dir().join("sweep.json")
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if options.sweep {
        let results = sweep_results();
        let mut host = shell::bench()?;
        host.args(["sweep", "--only", &options.only, "--json"]);
        return shell::run(host.arg(results));
    }
    let part = options.part.as_deref();
    if part != Some("boards") {
        shell::run(shell::bench()?.arg("bench"))?;
    }
    if part != Some("host") {
        for board in board::all()? {
            measure(&board)?;
        }
    }
    Ok(())
}

fn measure(board: &board::Board) -> Result<()> {
    let image = board.build(&[])?;
    println!("\n{}: instructions a frame (clear included), counted in QEMU", board.name);
    println!("  {:<13} {:>9} {:>9} {:>10} {:>6}", "scene", "millions", "a pixel", "budget", "goal");
    for scene in board.scene_names() {
        let outcome = firmware::emulate(board, &image, scene, 0)?;
        let (count, pixels) = (outcome.instructions as f64, outcome.picture.pixels.len() as f64);
        let budget = board.instructions.get(&board.target).and_then(|lines| lines.get(scene));
        let millions = |count: Option<&u64>| {
            count.map_or(String::from("-"), |count| format!("{:.2}", *count as f64 / 1e6))
        };
        println!(
            "  {scene:<13} {:>9.3} {:>9.2} {:>10} {:>6}",
            count / 1e6,
            count / pixels,
            millions(budget),
            millions(board.goals.get(scene))
        );
    }
    Ok(())
}
