//! One run of a firmware: a warm-up frame to the display, then a frame to count its instructions.

use os_shim::{Memory, Os};
#[cfg(not(feature = "record"))]
use pipe_core::ContextFlags;
use pipe_core::{Context, PipeError, Screen, TilePanel};
use scenes::{NoPanel, Scene, SceneRenderer, StreamPanel, Surface, View};
use semihosting::experimental::env;
use semihosting::io::Write;
use semihosting::process;

use crate::{HostFile, stack};

/// Frames per turn of the turntable.
pub const FRAMES: u32 = 36;

/// The firmware's arguments: words on QEMU's command line.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// The scene.
    pub scene: &'static Scene,
    /// The frame of a turntable of [`FRAMES`].
    pub frame: u32,
}

/// Returns the arguments; `None` if there are none, or they do not name a scene and a frame.
#[inline(never)]
pub fn arguments(find: impl Fn(&str) -> Option<&'static Scene>) -> Option<Arguments> {
    let words = env::args::<128>().ok()?;
    let mut words = words.into_iter().skip(1);
    let scene = find(words.next()?.ok()?)?;
    Some(Arguments { scene, frame: words.next()?.ok()?.parse().ok()? })
}

/// The parts of a board that [`run`] needs.
pub struct Board<'a> {
    /// The display's size and formats.
    pub surface: Surface,
    /// Starts the counter.
    pub start: &'a dyn Fn(),
    /// Returns the ticks since the start.
    pub ticks: &'a dyn Fn() -> u32,
    /// Returns the instructions since the start, for the calls of the recording.
    #[cfg(feature = "record")]
    pub instructions: fn() -> u32,
    /// Logs a step of the run, and the bytes of the heap in use.
    pub log: &'a dyn Fn(&str, usize),
}

/// Shows the first frame: gets the stream to the host, for boards without a display, and a function
/// that presents the frame on a panel.
trait Display:
    FnOnce(
    &mut StreamPanel<HostFile>,
    &mut dyn FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
) -> Result<(), PipeError>
{
}

impl<F> Display for F where
    F: FnOnce(
        &mut StreamPanel<HostFile>,
        &mut dyn FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
    ) -> Result<(), PipeError>
{
}

/// What a run draws, and on which board.
struct Run<'a, 'm> {
    board: &'a Board<'a>,
    arguments: &'a Arguments,
    memory: Memory<'m>,
}

/// Draws the frame to `display`. Then draws it again into a panel that drops its tiles, and counts
/// the instructions. Writes the figures to the host's `stream.bin`.
///
/// `display` receives the stream to the host, for boards without a display.
///
/// # Errors
/// An error of the driver or the display.
pub fn run<P: raster::Profile>(
    os: Os<'_>,
    board: &Board<'_>,
    arguments: &Arguments,
    display: impl FnOnce(
        &mut StreamPanel<HostFile>,
        &mut dyn FnMut(&mut dyn TilePanel) -> Result<(), PipeError>,
    ) -> Result<(), PipeError>,
) -> Result<(), PipeError> {
    #[cfg(feature = "failures")]
    if arguments.frame == u32::MAX {
        let count = crate::every_failure::<P>(os.memory, &board.surface, arguments.scene)?;
        return Ok(StreamPanel(HostFile::create(c"stream.bin")?).figure("failures", count)?);
    }
    let config = raster::Config { scene_bytes: arguments.scene.scene_bytes };
    let memory = os.memory;
    let screen = raster::Screen::<P>::new(os, config);
    in_context(&screen, &Run { board, arguments, memory }, display)
}

/// Draws in a context of the driver.
#[cfg(not(feature = "record"))]
fn in_context<P: raster::Profile>(
    screen: &raster::Screen<'_, P>,
    run: &Run<'_, '_>,
    display: impl Display,
) -> Result<(), PipeError> {
    let mut context = screen.boxed_context(ContextFlags::empty())?;
    draw(screen, &mut *context, run, display)
}

/// Draws in a context of the driver that is recorded.
#[cfg(feature = "record")]
fn in_context<P: raster::Profile>(
    screen: &raster::Screen<'_, P>,
    run: &Run<'_, '_>,
    display: impl Display,
) -> Result<(), PipeError> {
    (run.board.start)();
    crate::record::recorded(screen, run.memory, run.board.instructions, |screen, context| {
        draw(screen, context, run, display)
    })
}

/// Draws both frames, and writes the figures.
fn draw<'m>(
    screen: &(impl Screen<'m> + ?Sized),
    context: &mut (impl Context<'m> + ?Sized),
    run: &Run<'_, '_>,
    display: impl Display,
) -> Result<(), PipeError> {
    let Run { board, arguments, memory } = *run;
    let log = |what| (board.log)(what, memory.usage().used);
    log("context");
    let renderer = SceneRenderer::new(screen, context, &board.surface, arguments.scene)?;
    let view = View::turntable(arguments.frame, FRAMES, board.surface.aspect());
    log("objects");

    let mut stream = StreamPanel(HostFile::create(c"stream.bin")?);
    display(&mut stream, &mut |panel| renderer.stream(context, &view, panel))?;
    log("first frame presented");

    (board.start)();
    renderer.stream(context, &view, &mut NoPanel)?;
    let ticks = (board.ticks)();
    log("second frame counted");

    stream.figure("ticks", ticks.into())?;
    stream.figure("heap", memory.usage().peak as u64)?;
    stream.figure("stack", stack::high_water() as u64)?;
    Ok(())
}

/// Tells the host that the display shows the picture; the host then ends the emulator.
pub fn shown() -> ! {
    // Not `println`: formatting costs flash. If the write fails, the host ends the emulator later.
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
