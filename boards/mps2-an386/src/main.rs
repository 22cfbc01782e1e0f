//! Draws a scene on an emulated Arm MPS2 AN386 (Cortex-M4F), tile by tile, in little RAM.
//!
//! Arguments (semihosting): the scene's name and the frame of a turntable of 36. The first frame
//! goes to `stream.bin`; the second one is counted, into a panel that forgets.
#![no_std]
#![no_main]

#[macro_use]
mod log;
mod counter;
mod panic;
mod sink;
mod stack;

use core::mem::MaybeUninit;

use cortex_m_rt::entry;
use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::{ContextFlags, PipeError, Screen as _};
use scenes::{NoPanel, Scene, Stage, StreamPanel, Surface, View};
use semihosting::experimental::env;
use semihosting::{eprintln, process};

/// What the driver may allocate in all: scene buffer, one tile of colour and depth, objects.
const HEAP_BYTES: usize = 51 * 1024;

/// Room for a frame's primitives: the small bunny's fit.
const SCENE_BYTES: usize = 35 * 1024;

/// The panel: 320×240, RGB565. Depth has 16 bits.
const SURFACE: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// Frames a turn of the table has.
const FRAMES: u32 = 36;

#[entry]
fn main() -> ! {
    stack::paint();
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let (Some(heap), Some((scene, frame))) = (heap, arguments()) else {
        eprintln!("expected the name of a scene and the number of a frame");
        process::exit(2)
    };
    let region = Region::new(heap);
    match run(Memory::new(&region), scene, frame) {
        Ok(()) => process::exit(0),
        Err(error) => {
            eprintln!("{}: {}", scene.name, error);
            process::exit(1)
        }
    }
}

fn arguments() -> Option<(&'static Scene, u32)> {
    let arguments = env::args::<128>().ok()?;
    let mut words = arguments.into_iter().skip(1);
    let scene = scenes::find(words.next()?.ok()?)?;
    Some((scene, words.next()?.ok()?.parse().ok()?))
}

fn run(memory: Memory<'_>, scene: &'static Scene, frame: u32) -> Result<(), PipeError> {
    let screen = raster::Screen::<raster::Small>::new(
        Os::bare(memory),
        raster::Config { scene_bytes: SCENE_BYTES },
    );
    let mut context = screen.context_create(ContextFlags::empty())?;
    info!("context: {=usize} bytes", memory.usage().used);
    let stage = Stage::new(&screen, &mut *context, &SURFACE, scene)?;
    let view = View::turntable(frame, FRAMES, SURFACE.aspect());
    info!("{=str}: {=usize} bytes with its objects", scene.name, memory.usage().used);

    let mut panel = StreamPanel(sink::HostFile::create(c"stream.bin")?);
    stage.draw(&mut *context, &view)?;
    info!("first frame binned: {=usize} bytes", memory.usage().used);
    stage.present(&mut *context, &mut panel)?;
    info!(
        "first frame presented: {=usize} bytes, {=usize} at most",
        memory.usage().used,
        memory.usage().peak
    );

    let counter = counter::Counter::start();
    stage.draw(&mut *context, &view)?;
    stage.present(&mut *context, &mut NoPanel)?;
    let ticks = counter.ticks();
    info!("second frame took {=u32} ticks", ticks);

    panel.figure("ticks", ticks.into())?;
    panel.figure("heap", memory.usage().peak as u64)?;
    panel.figure("stack", stack::high_water() as u64)?;
    Ok(())
}
