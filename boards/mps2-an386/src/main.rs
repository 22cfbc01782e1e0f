//! Draws a scene on an emulated Arm MPS2 AN386 (Cortex-M4F), tile by tile, in little RAM.
//!
//! Arguments (semihosting): the scene's name and the frame of a turntable of 36. The first frame is
//! written to `stream.bin`. The instructions of the second are counted; its panel drops the tiles.
#![no_std]
#![no_main]

#[cfg(not(feature = "replay"))]
#[macro_use]
mod log;
#[cfg(not(feature = "replay"))]
mod counter;

use core::mem::MaybeUninit;

use board_support::exit;
#[cfg(not(feature = "replay"))]
use board_support::{Board, arguments, run, stack};
use cortex_m_rt::entry;
#[cfg(not(feature = "replay"))]
use formats::Format;
#[cfg(not(feature = "replay"))]
use os_shim::Os;
use os_shim::{Memory, Region};
use pipe_core::PipeError;
#[cfg(not(feature = "replay"))]
use scenes::Surface;

/// The panel: 320×240, RGB565. Depth has 16 bits.
#[cfg(not(feature = "replay"))]
const SURFACE: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// Memory for a trace, and memory for the driver that plays it, in bytes.
#[cfg(feature = "replay")]
const REPLAY_BYTES: (usize, usize) = (1 << 20, 5 << 19);

/// Plays the trace in the host's `trace.bin`, and writes the frames to the host's `frames.bin`.
#[cfg(feature = "replay")]
#[entry]
fn main() -> ! {
    const MEMORY: &str = "the firmware's own memory";
    let trace = cortex_m::singleton!(: [u8; REPLAY_BYTES.0] = [0; REPLAY_BYTES.0]);
    let heap = cortex_m::singleton!(
        : [MaybeUninit<u8>; REPLAY_BYTES.1] = [MaybeUninit::uninit(); REPLAY_BYTES.1]
    );
    let (Some(trace), Some(heap)) = (trace, heap) else { exit(Err(PipeError::Invalid(MEMORY))) };
    let region = Region::new(heap);
    let memory = Memory::new(&region);
    exit(
        board_support::load(trace)
            .and_then(|trace| board_support::replay::<raster::Small>(trace, memory)),
    )
}

/// Memory for the driver in bytes: scene buffer, one tile of colour and depth, objects.
#[cfg(not(feature = "replay"))]
const HEAP_BYTES: usize = if cfg!(feature = "tessellation") { 49_000 } else { 55_288 };

#[cfg(not(feature = "replay"))]
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
        #[cfg(feature = "record")]
        instructions: counter::instructions,
        log: &|what, used| info!("{=str}: {=usize} bytes in use", what, used),
    };
    let region = Region::new(heap);
    let os = Os::bare(Memory::new(&region));
    exit(run::<raster::Small>(os, &board, &arguments, |stream, present| present(stream)))
}
