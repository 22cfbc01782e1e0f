//! Draws a scene in an Embassy task, tile by tile: while one tile is sent, the next is drawn.
//!
//! Only the drawing of a tile blocks. `Tiles::next_tile` draws it into a buffer that the task owns.
//! The wire takes the buffer and raises an interrupt when it is sent, which the task awaits.
//! Between tiles other tasks run; `heartbeat` counts how often.
//!
//! Arguments (semihosting): the scene's name and the frame of a turntable of 36. The first frame is
//! written to `stream.bin`; the drawing instructions of the second frame are counted.
#![no_std]
#![no_main]

mod counter;
mod wire;

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering};

use board_support::{Arguments, FRAMES, HostFile, arguments, exit, stack};
use embassy_executor::Spawner;
use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::{Context, ContextFlags, PipeError, ResourceHandle, Tiles};
use raster::{Profile as _, Small};
use scenes::{S3, Scene, SceneRenderer, StreamPanel, Surface, View};

use crate::wire::Wire;

/// The panel: 320×240, RGB565. Depth has 16 bits.
const SURFACE: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// Memory for the driver in bytes: scene buffer, one tile of depth, objects.
const HEAP_BYTES: usize = 36 * 1024;

/// The scene buffer, for a few triangles.
const SCENE_BYTES: usize = 16 * 1024;

/// Size of a tile's buffer in bytes. There are two: one is sent while the other is drawn.
const TILE_BYTES: usize = (Small::TILE_PIXELS * 2) as usize;
type Tile = [u8; TILE_BYTES];

/// The number of turns of the other task.
static BEATS: AtomicU32 = AtomicU32::new(0);

/// The flash has only one scene.
fn find(name: &str) -> Option<&'static Scene> {
    (name == S3.name).then_some(&S3)
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    stack::paint();
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let tiles = cortex_m::singleton!(: [Tile; 2] = [[0; TILE_BYTES]; 2]);
    let (Some(heap), Some(tiles), Some(arguments)) = (heap, tiles, arguments(find)) else {
        exit(Err(PipeError::Invalid("command line: a scene's name and a frame's number")))
    };
    match heartbeat() {
        Ok(task) => spawner.spawn(task),
        Err(_) => exit(Err(PipeError::Invalid("a task more than its pool holds"))),
    }
    let region = Region::new(heap);
    exit(run(Memory::new(&region), tiles, &arguments).await)
}

/// Represents the other work of a device: counts finished transfers in a separate task.
#[embassy_executor::task]
async fn heartbeat() {
    loop {
        wire::ended().await;
        BEATS.store(BEATS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

/// Draws a frame to the wire and the stream, then a second frame, which is counted.
async fn run(
    memory: Memory<'_>,
    buffers: &mut [Tile; 2],
    arguments: &Arguments,
) -> Result<(), PipeError> {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        return Err(PipeError::Busy("the core's peripherals"));
    };
    let config = raster::Config { scene_bytes: SCENE_BYTES };
    let screen = raster::Screen::<Small>::new(Os::bare(memory), config);
    let mut context = screen.boxed_context(ContextFlags::empty())?;
    let context = &mut *context;
    let renderer = SceneRenderer::new(&screen, context, &SURFACE, arguments.scene)?;
    let color = renderer.color().ok_or(PipeError::Unbound("a colour buffer"))?;
    let view = View::turntable(arguments.frame, FRAMES, SURFACE.aspect());
    let mut wire = Wire::new(peripherals.SYST, StreamPanel(HostFile::create(c"stream.bin")?));

    wire.begin(SURFACE.width.into(), SURFACE.height.into())?;
    renderer.draw(context, &view)?;
    present(context, color, buffers, &mut wire).await?;
    let mut stream = wire.finish()?;

    counter::start();
    renderer.draw(context, &view)?;
    let scene = counter::ticks();
    let (drawn, waited) = present(context, color, buffers, &mut wire).await?;
    stream.figure("ticks", u64::from(scene + drawn))?;
    stream.figure("waited", waited.into())?;
    stream.figure("beats", BEATS.load(Ordering::Relaxed).into())?;
    stream.figure("heap", memory.usage().peak as u64)?;
    stream.figure("stack", stack::high_water() as u64)?;
    Ok(())
}

/// Draws the tiles of a frame, each while the previous one is sent. Returns the counter's ticks for
/// the drawing, and the ticks that the task waited.
async fn present<'m>(
    context: &mut impl Context<'m>,
    color: ResourceHandle,
    buffers: &mut [Tile; 2],
    wire: &mut Wire,
) -> Result<(u32, u32), PipeError> {
    let (mut drawn, mut waited) = (0, 0);
    let mut tiles = Tiles::new(color);
    let [mut front, mut back] = buffers.each_mut();
    loop {
        let start = counter::ticks();
        let area = tiles.next_tile(context, back)?;
        let end = counter::ticks();
        wire.idle().await;
        drawn += end.wrapping_sub(start);
        waited += counter::ticks().wrapping_sub(end);
        let Some(area) = area else { return Ok((drawn, waited)) };
        core::mem::swap(&mut front, &mut back);
        wire.start(area, front)?;
    }
}
