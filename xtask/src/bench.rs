//! `cargo xtask bench`: speeds of the host, then instructions on the emulated boards.

use anyhow::Result;
use clap::Args;

use crate::{board, firmware, shell};

/// Measures.
#[derive(Args)]
pub struct Options {
    /// Only the host's part, or only the boards'.
    #[arg(value_parser = ["host", "boards"])]
    pub part: Option<String>,
}

/// What the design wants of a frame, in millions of instructions, if it says.
fn goal(scene: &str) -> Option<(f64, f64)> {
    // (first bar, goal).
    match scene {
        "S1" => Some((2.5, 1.2)),
        "S2" => Some((2.3, 1.3)),
        "S3" => Some((0.9, 0.5)),
        "S4" => Some((2.6, 1.2)),
        "S5" => Some((5.0, 3.0)),
        _ => None,
    }
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let part = options.part.as_deref();
    if part != Some("boards") {
        let mut cargo = shell::cargo();
        cargo.args(["run", "--quiet", "--release", "--package", "gallium-host", "--", "bench"]);
        shell::run(&mut cargo)?;
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
    println!(
        "  {:<13} {:>9} {:>9} {:>10} {:>6}",
        "scene", "millions", "a pixel", "first bar", "goal"
    );
    for scene in board.scene_names() {
        let outcome = firmware::emulate(board, &image, scene, 0)?;
        let (count, pixels) = (outcome.instructions as f64, outcome.picture.pixels.len() as f64);
        let target = |pick: fn((f64, f64)) -> f64| {
            goal(scene).map_or(String::from("-"), |goal| format!("{:.1}", pick(goal)))
        };
        println!(
            "  {scene:<13} {:>9.3} {:>9.2} {:>10} {:>6}",
            count / 1e6,
            count / pixels,
            target(|goal| goal.0),
            target(|goal| goal.1)
        );
    }
    Ok(())
}
