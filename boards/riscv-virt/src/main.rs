//! Draws a scene on an emulated RISC-V core, tile by tile, to a display with its own memory.
//!
//! Arguments (semihosting): the scene's name and the frame of a turntable of 36. The first frame is
//! shown. The instructions of the second are counted; its panel drops the tiles. Then the firmware
//! waits until the host has taken the picture.
//!
//! With the feature `two-harts` a second core draws tiles, too.
#![no_std]
#![no_main]

mod display;
#[cfg(feature = "two-harts")]
mod harts;

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

use board_support::{Board, arguments, exit, run, shown, stack};
use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::PipeError;
use riscv::register::minstret;
use scenes::Surface;

os_shim::soft_floats!();

/// The display: 320×240, RGB565 until it is shown. Depth has 16 bits.
const SURFACE: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// Memory for the driver in bytes: scene buffer, one tile of colour and depth, objects.
const HEAP_BYTES: usize = if cfg!(feature = "two-harts") { 90_000 } else { 55_288 };

/// Draws the scene that the arguments name.
#[riscv_rt::entry]
fn main() -> ! {
    #[cfg(feature = "two-harts")]
    harts::share();
    stack::paint();
    let arguments = arguments(scenes::find);
    let (Some(heap), Some(arguments)) = (heap(), arguments) else {
        exit(Err(PipeError::Invalid("command line: a scene's name and a frame's number")))
    };
    let region = Region::new(heap);
    let from = Cell::new(0);
    let board = Board {
        surface: SURFACE,
        start: &|| from.set(minstret::read() as u32),
        ticks: &|| (minstret::read() as u32).wrapping_sub(from.get()),
        log: &|_, _| (),
    };
    let os = Os::bare(Memory::new(&region));
    #[cfg(feature = "two-harts")]
    let os = Os { threads: &harts::CORES, ..os };
    let done = run::<raster::Small>(os, &board, &arguments, |_, present| {
        present(&mut display::Display::new()?)
    });
    match done {
        Ok(()) => shown(),
        error => exit(error),
    }
}

/// Returns the driver's memory on the first call, `None` after that.
fn heap() -> Option<&'static mut [MaybeUninit<u8>]> {
    static mut HEAP: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES];
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return None;
    }
    let heap = &raw mut HEAP;
    // SAFETY: only the first caller reaches this line, so no other reference is ever created.
    Some(unsafe { &mut *heap })
}
