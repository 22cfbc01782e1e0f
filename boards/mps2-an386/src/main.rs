//! Draws a scene on an emulated Arm MPS2 AN386 (Cortex-M4F), tile by tile, in little RAM.
//!
//! Arguments (semihosting): the scene's name and the frame of a turntable of 36. The first frame
//! goes to `stream.bin`; the second one is counted, into a panel that drops its tiles.
#![no_std]
#![no_main]

#[macro_use]
mod log;
mod counter;

use core::mem::MaybeUninit;

use board_support::{Board, arguments, exit, run, stack};
use cortex_m_rt::entry;
use formats::Format;
use os_shim::{Memory, Region};
use pipe_core::PipeError;
use scenes::Surface;

/// The panel: 320×240, RGB565. Depth has 16 bits.
const SURFACE: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// Memory for the driver in bytes: scene buffer, one tile of colour and depth, objects.
const HEAP_BYTES: usize = if cfg!(feature = "tessellation") { 49_000 } else { 55_288 };

#[entry]
fn main() -> ! {
    stack::paint();
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let (Some(heap), Some(arguments)) = (heap, arguments(scenes::find)) else {
        exit(Err(PipeError::Invalid("command line: a scene's name and a frame's number")))
    };
    let board = Board {
        surface: SURFACE,
        start: &counter::start,
        ticks: &counter::ticks,
        log: &|what, used| info!("{=str}: {=usize} bytes in use", what, used),
    };
    let region = Region::new(heap);
    exit(run::<raster::Small>(Memory::new(&region), &board, &arguments, |stream, present| {
        present(stream)
    }))
}
