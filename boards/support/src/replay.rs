//! Plays a trace on the board. The host provides the trace in a file and stores the frames in
//! another.

use os_shim::{Memory, Os};
use pipe_core::PipeError;
use pipe_core::wrap::record::play_frames;
use scenes::Sink as _;
use semihosting::fs::File;
use semihosting::io::Read as _;

use crate::HostFile;

/// Reads the host's `trace.bin` into `room`.
///
/// # Errors
/// There is no such file, or it is larger than `room`.
pub fn load(room: &mut [u8]) -> Result<&[u8], PipeError> {
    const FILE: PipeError = PipeError::Invalid("the host's trace.bin cannot be read");
    let mut file = File::open(c"trace.bin").map_err(|_| FILE)?;
    let mut end = 0;
    while let Some(rest) = room.get_mut(end..).filter(|rest| !rest.is_empty()) {
        match file.read(rest).map_err(|_| FILE)? {
            0 => return Ok(room.get(..end).unwrap_or(&[])),
            count => end += count,
        }
    }
    Err(PipeError::Invalid("a trace that is larger than the board's room for it"))
}

/// Plays a trace with a profile of the driver and writes its frames to the host's `frames.bin`.
///
/// # Errors
/// The trace is damaged, or has shaders that were compiled into the traced program.
pub fn replay<'m, P: raster::Profile>(
    trace: &'m [u8],
    memory: Memory<'m>,
) -> Result<(), PipeError> {
    let screen = raster::Screen::<P>::new(Os::bare(memory), raster::Config::default());
    let mut file = HostFile::create(c"frames.bin")?;
    let mut is_written = true;
    let played = play_frames(&screen, trace, memory, &mut |bytes| {
        is_written &= file.write(bytes);
    });
    match played {
        Ok(_) if is_written => Ok(()),
        Ok(_) => Err(PipeError::Invalid("the host's frames.bin cannot be written")),
        Err(error) => {
            semihosting::eprintln!("{error}");
            Err(PipeError::Invalid("a trace that cannot be played on"))
        }
    }
}
