//! `cargo xtask size`: flash and RAM of each firmware against its budget.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};

use crate::board::{self, Board};

/// Builds every firmware and holds its size against board.toml.
#[derive(Args)]
pub struct Options {
    /// One board instead of all.
    pub board: Option<String>,
}

/// What an image takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Code, constants and initial values, mesh and texture data apart.
    pub flash: u64,
    /// Mesh and texture data.
    pub assets: u64,
    /// Statics, the heap's region among them.
    pub statics: u64,
    /// What the linker script sets aside for the stack.
    pub stack: u64,
    /// Of the flash: code that formats text and reports panics.
    pub panics: u64,
}

impl Size {
    /// All of the RAM.
    pub fn ram(&self) -> u64 {
        self.statics + self.stack
    }
}

/// The mangled path of the statics that `cargo xtask assets` generates; both manglings hold it.
const ASSET_MODULE: &str = "14gallium_scenes4data";

/// The mangled paths of what a program without panics does not need.
const PANIC_MODULES: [&str; 3] = ["4core3fmt", "4core9panicking", "13panic_handler"];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let boards = match &options.board {
        Some(name) => vec![board::find(name)?],
        None => board::all()?,
    };
    for board in &boards {
        let image = board.build(&[])?;
        let size = measure(&image)?;
        print!("{}", report(board, &size));
        check(board, &size)?;
    }
    Ok(())
}

/// A table of one board.
pub fn report(board: &Board, size: &Size) -> String {
    let row = |what: &str, bytes: u64, budget: u64| {
        let share = bytes as f64 / (budget * 1024) as f64 * 100.0;
        format!("  {what:<6} {bytes:>7} bytes of {:>6} ({share:.0} %)\n", budget * 1024)
    };
    format!(
        "{}\n{}{}         ({} statics and heap, {} stack; besides {} mesh and texture data)\n\
         \x20        ({} bytes of the flash format text and report panics)\n",
        board.name,
        row("flash", size.flash, board.budget.flash),
        row("RAM", size.ram(), board.budget.ram),
        size.statics,
        size.stack,
        size.assets,
        size.panics
    )
}

/// Fails over budget.
pub fn check(board: &Board, size: &Size) -> Result<()> {
    for (what, bytes, budget) in
        [("flash", size.flash, board.budget.flash), ("RAM", size.ram(), board.budget.ram)]
    {
        ensure!(
            bytes <= budget * 1024,
            "{}: {what} {bytes} bytes, over the budget of {budget} KiB by {}",
            board.name,
            bytes - budget * 1024
        );
    }
    Ok(())
}

/// Adds up an image's sections.
pub fn measure(image: &Path) -> Result<Size> {
    let bytes = std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{}: not an image", image.display()))?;
    let mut size = Size { flash: 0, assets: 0, statics: 0, stack: 0, panics: 0 };
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        // What a linker script sets aside for stack and heap is no data; symbols tell of the stack.
        let reserved = matches!(section.name(), Ok(".stack" | ".heap"));
        if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || reserved {
            continue;
        }
        let loaded = section.kind() != SectionKind::UninitializedData;
        if loaded {
            size.flash += section.size();
        }
        if !loaded || sh_flags.0 & elf::SHF_WRITE.0 != 0 {
            size.statics += section.size();
        }
    }
    let mut stack = [0, 0];
    for symbol in file.symbols() {
        let name = symbol.name().unwrap_or("");
        match name {
            "_stack_low" => stack[0] = symbol.address(),
            "_stack_start" => stack[1] = symbol.address(),
            _ if name.contains(ASSET_MODULE) => size.assets += symbol.size(),
            _ if PANIC_MODULES.iter().any(|module| name.contains(module)) => {
                size.panics += symbol.size();
            }
            _ => {}
        }
    }
    size.flash = size.flash.saturating_sub(size.assets);
    size.stack = stack[1].saturating_sub(stack[0]);
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_budget_fails_and_says_by_how_much() {
        let board = board::find("mps2-an386").unwrap();
        let within = Size {
            flash: board.budget.flash * 1024,
            assets: 1 << 20,
            statics: board.budget.ram * 1024 - 8,
            stack: 8,
            panics: 0,
        };
        assert!(check(&board, &within).is_ok());
        let over = Size { stack: 9, ..within };
        let message = check(&board, &over).unwrap_err().to_string();
        assert!(message.contains("RAM") && message.ends_with("by 1"), "{message}");
    }
}
