//! One run of a firmware: a scene, a warm-up frame on the display, a frame that is counted.

use os_shim::{Memory, Os};
use pipe_core::{ContextFlags, PipeError, Screen as _, TilePanel};
use scenes::{NoPanel, Scene, Stage, StreamPanel, Surface, View};
use semihosting::experimental::env;
use semihosting::io::Write;
use semihosting::process;

use crate::{HostFile, stack};

/// Frames a turn of the table has.
pub const FRAMES: u32 = 36;

/// What is asked of the firmware: words on QEMU's command line.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// The scene.
    pub scene: &'static Scene,
    /// Which frame of a turntable of [`FRAMES`].
    pub frame: u32,
}

/// The arguments, if there are any and they make sense.
#[inline(never)]
pub fn arguments(find: impl Fn(&str) -> Option<&'static Scene>) -> Option<Arguments> {
    let words = env::args::<128>().ok()?;
    let mut words = words.into_iter().skip(1);
    let scene = find(words.next()?.ok()?)?;
    Some(Arguments { scene, frame: words.next()?.ok()?.parse().ok()? })
}

/// What a board is to the run.
pub struct Board<'a> {
    /// What is drawn to.
    pub surface: Surface,
    /// Room for a frame's primitives, in bytes.
    pub scene_bytes: usize,
    /// Starts counting.
    pub start: &'a dyn Fn(),
    /// Ticks since then.
    pub ticks: &'a dyn Fn() -> u32,
    /// Told how far it is, and bytes of the heap in use.
    pub log: &'a dyn Fn(&str, usize),
}

/// What the driver may allocate in all for a panel of 320×240: scene buffer, one tile of colour and
/// depth, objects.
pub const HEAP_BYTES: usize = 55_288;

/// The scene buffer's part of [`HEAP_BYTES`]: there is room for the small bunny's primitives,
/// whatever shades them.
pub fn scene_bytes(scene: &Scene) -> usize {
    match scene.name {
        // A thousand triangles that share no vertex; its shaders leave the room for them.
        "S5" => 44_608,
        _ => 39 * 1024,
    }
}

/// Draws the frame to `display`, then again, counted, into a panel that forgets; writes the
/// figures to the host's `stream.bin`.
///
/// `display` is given the stream to the host, for boards that have no display of their own.
///
/// # Errors
/// The driver's, and the display's.
pub fn run<P: raster::Profile>(
    memory: Memory<'_>,
    board: &Board<'_>,
    arguments: &Arguments,
    display: impl FnOnce(
        &mut StreamPanel<HostFile>,
        &mut dyn FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
    ) -> Result<(), PipeError>,
) -> Result<(), PipeError> {
    #[cfg(feature = "failures")]
    if arguments.frame == u32::MAX {
        let count = crate::every_failure::<P>(memory, board, arguments.scene)?;
        return Ok(StreamPanel(HostFile::create(c"stream.bin")?).figure("failures", count)?);
    }
    let log = |what| (board.log)(what, memory.usage().used);
    let config = raster::Config { scene_bytes: board.scene_bytes };
    let screen = raster::Screen::<P>::new(Os::bare(memory), config);
    let mut context = screen.context_create(ContextFlags::empty())?;
    log("context");
    let stage = Stage::new(&screen, &mut *context, &board.surface, arguments.scene)?;
    let view = View::turntable(arguments.frame, FRAMES, board.surface.aspect());
    log("objects");

    let mut stream = StreamPanel(HostFile::create(c"stream.bin")?);
    display(&mut stream, &mut |panel| stage.stream(&mut *context, &view, panel))?;
    log("first frame presented");

    (board.start)();
    stage.stream(&mut *context, &view, &mut NoPanel)?;
    let ticks = (board.ticks)();
    log("second frame counted");

    stream.figure("ticks", ticks.into())?;
    stream.figure("heap", memory.usage().peak as u64)?;
    stream.figure("stack", stack::high_water() as u64)?;
    Ok(())
}

/// Tells the host that the display shows the picture, and waits for it to be taken.
pub fn shown() -> ! {
    // Not `println`: formatting costs flash. When it fails, the host's patience ends it.
    let _ = semihosting::io::stdout().and_then(|mut out| out.write_all(b"shown\n"));
    loop {
        core::hint::spin_loop();
    }
}

/// Ends the emulator: status 0, or 1 and the error's text.
pub fn exit(result: Result<(), PipeError>) -> ! {
    match result {
        Ok(()) => process::exit(0),
        Err(error) => {
            say(error);
            process::exit(1)
        }
    }
}

#[cfg(feature = "messages")]
fn say(error: PipeError) {
    semihosting::eprintln!("{error}");
}

#[cfg(not(feature = "messages"))]
fn say(_: PipeError) {}
