//! `cargo xtask formats`: prints the table of pixel formats, and converts files between them.

mod convert;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};

use crate::shell;

/// Prints the table of pixel formats, or converts pictures between them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    /// Only formats with this text in their name.
    filter: Option<String>,
    /// Instead, write the table to `docs/formats.md`.
    #[arg(long)]
    write: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Convert(convert::Options),
}

/// The page with the table. A test of `formats` compares the table with the formats.
const PAGE: &str = include_str!("../../../docs/formats.md");

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    match &options.command {
        Some(Command::Convert(options)) => convert::run(options),
        None if options.write => write(),
        None => print(options.filter.as_deref().unwrap_or("")),
    }
}

/// Writes the table, by running the test that checks it.
fn write() -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--package", "gallium-formats", "--test", "table_of_formats"]);
    shell::output(cargo.env("GALLIUM_WRITE", "1"))?;
    println!("docs/formats.md is written");
    Ok(())
}

fn print(filter: &str) -> Result<()> {
    let rows: Vec<Vec<&str>> = PAGE
        .lines()
        .skip_while(|line| !line.starts_with("<!-- formats: begin"))
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let (head, rows) = rows.split_first().expect("the page has the table");
    let filter = filter.to_uppercase();
    let rows: Vec<_> = rows.iter().filter(|row| row[0].contains(&filter)).collect();
    ensure!(!rows.is_empty(), "no format's name contains `{filter}`");
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column]).chain([head[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in [head].into_iter().chain(rows.iter().copied()) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    Ok(())
}
