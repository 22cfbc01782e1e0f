//! `cargo xtask profile`: counts the instructions of a scene on an emulated board, by function and
//! file.

mod places;
mod trace;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::Args;

use crate::board::{self, Emulator};
use crate::rp2040js;

use places::ranges_of;
pub use places::{Counted, Files, by_file, by_function};

/// Shows the instruction counts of a board's scene by function and by source file.
///
/// Every instruction from reset to the end is counted, so the start-up of a scene is included.
/// Inlined code counts for its own file, and for the function that it was inlined into.
#[derive(Args)]
pub struct Options {
    /// The board: a folder of boards/ with a board.toml.
    board: String,
    /// The scene; boards in rp2040js have only one.
    #[arg(default_value = "bunny-vertex")]
    scene: String,
    /// Number of rows in each table.
    #[arg(long, default_value_t = 30)]
    rows: usize,
    /// Instead of the tables, list the instructions of functions with this text in their name. For
    /// each instruction, print how often it ran and its place in the source.
    #[arg(long)]
    function: Option<String>,
}

/// The number of times that the instruction at each address ran.
pub type Counts = BTreeMap<u64, u64>;

/// The instruction at each address, as the emulator writes it.
pub type Listing = BTreeMap<u64, String>;

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let board = board::find(&options.board)?;
    let (image, counts, listing) = match &board.emulator {
        Emulator::Qemu(_) => {
            let feature = board.feature_of(&options.scene).map(|(name, _)| name);
            let image = board.build(feature.as_slice())?;
            let (counts, listing) = trace::count(&board, &image, &options.scene)?;
            (image, counts, listing)
        }
        Emulator::Rp2040js(emulator) => {
            let (image, counts) = rp2040js::counts(&board, emulator)?;
            // rp2040js lists no instructions, so only counts and places are printed.
            (image, counts, Listing::new())
        }
    };
    if let Some(function) = &options.function {
        return list(&image, &counts, &listing, function);
    }
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

/// Prints the instructions of the functions with `function` in their name.
fn list(image: &Path, counts: &Counts, listing: &Listing, function: &str) -> Result<()> {
    let files = Files::read(image)?;
    let found = ranges_of(image, function)?;
    ensure!(!found.is_empty(), "no function of {} has {function} in its name", image.display());
    for (name, range) in found {
        let total: u64 = counts.range(range.clone()).map(|(_, count)| count).sum();
        println!("{name}: {total} instructions");
        for (address, count) in counts.range(range) {
            let text = listing.get(address).map_or("", String::as_str);
            let place = files.line_of(*address).unwrap_or_default();
            println!("{count:>10}  {address:#08x}  {text:<40} {place}");
        }
    }
    Ok(())
}
