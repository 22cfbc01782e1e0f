//! A recording of a context's calls, in a file of the host.

use os_shim::Memory;
use pipe_core::wrap::record::{RecordPort, RecordScreen};
use pipe_core::{Context, ContextFlags, PipeError, Screen};
use scenes::Sink as _;

use crate::HostFile;

/// Passes a screen and a context to `draw` whose calls are recorded to the host's `recording.bin`, each with
/// the difference of `instructions`.
///
/// # Errors
/// An error of `draw`; the file cannot be written.
pub(crate) fn recorded<'m>(
    screen: &dyn Screen<'m>,
    memory: Memory<'_>,
    instructions: fn() -> u32,
    draw: impl FnOnce(&dyn Screen<'m>, &mut dyn Context<'m>) -> Result<(), PipeError>,
) -> Result<(), PipeError> {
    let mut file = HostFile::create(c"recording.bin")?;
    let mut is_written = true;
    {
        let port = RecordPort::new(|bytes: &[u8]| is_written &= file.write(bytes));
        let port = port.with_counter(instructions);
        let recorded = RecordScreen::new(screen, &port, memory);
        let mut context = recorded.context_create(ContextFlags::empty())?;
        draw(&recorded, &mut *context)?;
    }
    match is_written {
        true => Ok(()),
        false => Err(PipeError::Invalid("the host's recording.bin cannot be written")),
    }
}
