//! Firmware for the RP2350 of a Raspberry Pi Pico 2. We have no emulator of this chip: the image is built, measured, and
//! checked for what the chip's boot ROM looks for.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSegment};
use serde::Deserialize;

use crate::board::{Board, Budget};
use crate::size;

/// A board's build for this chip.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rp2350 {
    /// The compiler's target.
    pub target: String,
    /// Budgets of flash and of statics.
    pub budget: Budget,
}

/// The addresses of the flash, which the boot ROM searches first.
const FLASH: u32 = 0x1000_0000;

/// The boot ROM searches this many bytes at the start of the flash for a block.
const SEARCHED: usize = 4096;

/// The addresses of the RAM: 520 KiB.
const RAM: std::ops::RangeInclusive<u32> = 0x2000_0000..=0x2008_2000;

/// The first and the last word of a block.
const MARKERS: [u32; 2] = [0xffff_ded3, 0xab12_3579];

/// The item with the type of the image, one word: an executable for the Arm cores of an RP2350 in the secure state.
const IMAGE: u32 = 0x1021_0142;

/// The type of the last item. It has the number of words of the items before it.
const LAST: u8 = 0xff;

/// Builds a board's firmware for this chip, compares its size with the budget, and checks its block; returns a report.
///
/// # Errors
/// The build fails, a budget is exceeded, or the boot ROM would not start the image.
pub fn check(board: &Board, chip: &Rp2350) -> Result<String> {
    let image = board.build(&[])?;
    let size = size::measure(&image)?;
    size::check_budget(board, &chip.budget, &size)?;
    let called = size::check_calls(board, &image, false)?;
    let entry = boots(&flash(&image)?).with_context(|| image.display().to_string())?;
    let report = size::report(board, &chip.budget, &size);
    Ok(format!(
        "{report}{called}  the boot ROM finds the image definition, and starts at {entry:#010x}\n"
    ))
}

/// Returns the first bytes of the flash of an image.
fn flash(image: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{}: not an image", image.display()))?;
    let mut flash = vec![0xff; SEARCHED];
    for segment in file.segments() {
        let Some(at) = segment.address().checked_sub(FLASH.into()) else { continue };
        let Some(there) = usize::try_from(at).ok().and_then(|at| flash.get_mut(at..)) else {
            continue;
        };
        let data = segment.data().context("cannot read a segment")?;
        let count = data.len().min(there.len());
        there[..count].copy_from_slice(&data[..count]);
    }
    Ok(flash)
}

/// Reads the start of the flash as the boot ROM does: a block with the definition of the image, and the vector table at
/// the start of the flash with the addresses of stack and code. Returns the address of the code.
///
/// # Errors
/// There is no block, or it is not the definition of such an image; or the vector table is not one.
fn boots(flash: &[u8]) -> Result<u32> {
    let words = flash.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let words: Vec<u32> = words.collect();
    let start = words.iter().position(|word| *word == MARKERS[0]);
    let items = &words[start.context("the first 4 KiB of the flash have no block")? + 1..];
    let mut count = 0;
    let mut is_image = false;
    loop {
        let item = *items.get(count).context("the block does not end")?;
        let [kind, low, high, _] = item.to_le_bytes();
        if kind == LAST {
            let said = usize::from(u16::from_le_bytes([low, high]));
            ensure!(said == count, "the block says {said} words of items, and has {count}");
            break;
        }
        is_image |= item == IMAGE;
        // If the highest bit of the type is set, the number of words has 16 bits, otherwise 8.
        let length = if kind & 0x80 == 0 { low.into() } else { u16::from_le_bytes([low, high]) };
        ensure!(length > 0, "the block has an item without words: {item:#010x}");
        count += usize::from(length);
    }
    ensure!(is_image, "the block does not define an image for the Arm cores ({IMAGE:#010x})");
    match items.get(count + 1..count + 3) {
        // The block is the only one of its loop.
        Some([0, end]) if *end == MARKERS[1] => {}
        other => bail!("the block ends with {other:x?}, expected [0, {:x}]", MARKERS[1]),
    }
    let [stack, entry] = [words[0], words[1]];
    ensure!(RAM.contains(&stack) && stack % 8 == 0, "the stack begins at {stack:#010x}");
    ensure!(entry & 1 == 1 && entry >> 24 == FLASH >> 24, "the code begins at {entry:#010x}");
    Ok(entry & !1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest image: two vectors, and the example of a block in section 5.9.5.1 of the chip's datasheet.
    const SMALL: [u32; 7] =
        [0x2008_0000, 0x1000_0101, 0xffff_ded3, 0x1021_0142, 0x0000_01ff, 0x0000_0000, 0xab12_3579];

    fn boot(change: impl Fn(&mut [u32; 7])) -> Result<u32> {
        let mut words = SMALL;
        change(&mut words);
        boots(&words.map(u32::to_le_bytes).concat())
    }

    #[test]
    fn an_image_with_a_block_and_vectors_boots() {
        assert_eq!(boot(|_| ()).unwrap(), 0x1000_0100);
    }

    #[test]
    fn what_the_boot_rom_refuses_is_named() {
        let message = |change: fn(&mut [u32; 7])| boot(change).unwrap_err().to_string();
        assert!(message(|it| it[2] = 0).ends_with("no block"));
        // Not secure; for the RISC-V cores.
        assert!(message(|it| it[3] = 0x1011_0142).contains("does not define"));
        assert!(message(|it| it[3] = 0x1101_0142).contains("does not define"));
        assert!(message(|it| it[4] = 0x0000_02ff).contains("says 2 words of items, and has 1"));
        assert!(message(|it| it[4] = 0x0000_0001).contains("item without words"));
        assert!(message(|it| it[5] = 8).contains("ends with"));
        assert!(message(|it| it[6] = 0).contains("ends with"));
        assert!(message(|it| it[0] = 0x2008_2008).contains("stack begins at"));
        assert!(message(|it| it[1] = 0x1000_0100).contains("code begins at"));
    }
}
