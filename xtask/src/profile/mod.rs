//! `cargo xtask profile`: the instructions of a scene on an emulated board, by function and file.

mod places;
mod trace;

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;

use crate::board::{self, Emulator};
use crate::rp2040js;

pub use places::{Counted, Files, by_file, by_function};

/// Shows where the instructions of a board's scene go, by function and by source file.
///
/// Every instruction from reset to the end is counted, so a scene's start-up shows too. Inlined
/// code counts for its own file, and for the function that it was inlined into.
#[derive(Args)]
pub struct Options {
    /// The board: a folder of boards/ that has a board.toml.
    board: String,
    /// The scene; boards in rp2040js have one.
    #[arg(default_value = "bunny-vertex")]
    scene: String,
    /// Rows of each table.
    #[arg(long, default_value_t = 30)]
    rows: usize,
}

/// The number of times that the instruction at each address ran.
pub type Counts = BTreeMap<u64, u64>;

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let board = board::find(&options.board)?;
    let (image, counts) = match &board.emulator {
        Emulator::Qemu(_) => {
            let feature = board.feature_of(&options.scene).map(|(name, _)| name);
            let image = board.build(feature.as_slice())?;
            let counts = trace::count(&board, &image, &options.scene)?;
            (image, counts)
        }
        Emulator::Rp2040js(emulator) => rp2040js::counts(&board, emulator)?,
    };
    let total: u64 = counts.values().sum();
    println!("{total} instructions");
    for (title, rows) in
        [("function", by_function(&image, &counts)?), ("file", by_file(&image, &counts)?)]
    {
        println!("\ninstructions      %  {title}");
        for Counted { instructions, name } in rows.iter().take(options.rows) {
            let percent = *instructions as f64 * 100.0 / total.max(1) as f64;
            println!("{instructions:>12} {percent:>6.1}  {name}");
        }
    }
    Ok(())
}
