//! Counts instructions from QEMU's log of translated and executed blocks.
//!
//! When QEMU translates a block, it logs `IN:` and one line per instruction. Each time the block
//! runs, it logs a line `Trace 0: HOST [FLAGS/PC/…`; HOST is the block's address in the host's
//! memory. Chaining of blocks is disabled, so that every run is logged.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use rustix::fs::{CWD, FileType, Mode};

use super::{Counts, Listing};
use crate::board::Board;
use crate::{firmware, shell};

/// Counts how often each instruction of a scene's run was executed; also returns their texts.
///
/// # Errors
/// Like [`firmware::emulate`], or the log cannot be read.
pub fn count(board: &Board, image: &Path, scene: &str) -> Result<(Counts, Listing)> {
    let folder = shell::target_dir().join("profile").join(&board.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // The log has hundreds of bytes per instruction, so it goes through a pipe instead of the disk.
    let pipe = folder.join("log");
    let _ = fs::remove_file(&pipe);
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, mode, 0)
        .with_context(|| format!("cannot create the pipe {}", pipe.display()))?;
    // Opened for reading and writing, so that neither side waits for the other to open it.
    let held = File::options().read(true).write(true).open(&pipe)?;
    std::thread::scope(|threads| {
        let read = threads.spawn(|| -> Result<(Counts, Listing)> {
            let mut log = Log::default();
            let mut lines = BufReader::with_capacity(1 << 20, File::open(&pipe)?);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line)? > 0 {
                log.line(&String::from_utf8_lossy(&line));
                line.clear();
            }
            Ok(log.finish())
        });
        let ended = firmware::emulate_logged(board, image, scene, &pipe);
        // The reader ends when no writer is left.
        drop(held);
        let counts = read.join().map_err(|_| anyhow::anyhow!("the reader of the log panicked"))?;
        ended?;
        counts
    })
}

/// A block of instructions translated by QEMU.
#[derive(Default)]
struct Block {
    /// Addresses of the instructions.
    instructions: Vec<u64>,
    runs: u64,
}

/// The part of the log read so far.
#[derive(Default)]
struct Log {
    /// Addresses of the instructions listed since the last block ran.
    listed: Vec<u64>,
    /// The blocks, by their address in the host's memory.
    blocks: HashMap<String, Block>,
    /// Runs of blocks that were replaced by another block at the same address.
    counts: Counts,
    listing: Listing,
}

impl Log {
    /// Reads a line.
    fn line(&mut self, line: &str) {
        if let Some(trace) = line.strip_prefix("Trace ") {
            let place = trace.split_ascii_whitespace().nth(1).unwrap_or_default();
            if !self.listed.is_empty() {
                let instructions = std::mem::take(&mut self.listed);
                let block = Block { instructions, runs: 0 };
                if let Some(old) = self.blocks.insert(place.to_owned(), block) {
                    add(&mut self.counts, &old);
                }
            }
            if let Some(block) = self.blocks.get_mut(place) {
                block.runs += 1;
            }
        } else if line.starts_with("IN:") {
            self.listed.clear();
        } else if let Some((address, text)) =
            line.strip_prefix("0x").and_then(|it| it.split_once(':'))
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            self.listing.entry(address).or_insert_with(|| text.trim().to_owned());
            self.listed.push(address);
        }
    }

    /// Returns the number of runs and the text of each instruction.
    fn finish(mut self) -> (Counts, Listing) {
        for block in self.blocks.values() {
            add(&mut self.counts, block);
        }
        (self.counts, self.listing)
    }
}

/// Adds the runs of a block to the counts of its instructions.
fn add(counts: &mut Counts, block: &Block) {
    for address in &block.instructions {
        *counts.entry(*address).or_default() += block.runs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_count_their_instructions_each_time_they_run() {
        let mut log = Log::default();
        for line in [
            "IN: main",
            "0x00000048:  f014 fde6  bl       #0x14c18",
            "0x0000004c:  480e       ldr      r0, [pc, #0x38]",
            "",
            "Trace 0: 0x7f00 [00800408/00000048/00000110/ff020200] main",
            "Trace 0: 0x7f00 [00800408/00000048/00000110/ff020200] main",
            "IN: other",
            "0x00000060:  480e       ldr      r0, [pc, #0x38]",
            // A second block at the address of the first.
            "Trace 0: 0x7f00 [00800408/00000060/00000110/ff020200] other",
        ] {
            log.line(line);
        }
        let (counts, listing) = log.finish();
        assert_eq!(counts, Counts::from([(0x48, 2), (0x4c, 2), (0x60, 1)]));
        assert_eq!(listing[&0x48], "f014 fde6  bl       #0x14c18");
    }
}
