//! The frames of a trace as bytes: a board plays the trace and sends its frames to a host for
//! comparison.

use core::fmt::{self, Write as _};

use os_shim::Memory;

use super::player::{Played, Player};
use super::read_surface;
use crate::panel::{PanelError, TilePanel};
use crate::resource::ResourceTemplate;
use crate::screen::Screen;
use crate::wire::TraceError;
use formats::Format;

/// Plays a trace on a screen to its end and writes its frames to `out`; returns the number of
/// calls.
///
/// The bytes are records. A record is a letter and 32-bit little-endian words. `F` width height
/// begins a frame. `T` x y width height stride, then `stride` bytes per row, is a tile of the
/// frame; tiles come in any order. `E` call ends the frame; `call` is the number of the call in the
/// trace. `X` call length and a text is a call that was executed in the trace and refused here. `Z`
/// calls is the end.
///
/// # Errors
/// The trace is damaged, or has shaders that were compiled into the traced program.
pub fn play_frames<'m>(
    screen: &dyn Screen<'m>,
    trace: &'m [u8],
    memory: Memory<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Result<u32, TraceError> {
    let mut player = Player::new(screen, trace, memory)?;
    let mut calls = 0;
    loop {
        let mut frames = Frames { out: &mut *out, is_open: false };
        let step = match player.step_on(&mut frames) {
            // A program that crashed left a trace that ends inside a call.
            Err(TraceError::Truncated) => None,
            step => step?,
        };
        let Some(played) = step else { break };
        calls = u32::try_from(played.index).unwrap_or(u32::MAX);
        if played.is_frame && !frames.is_open {
            shown(screen, &mut player, &played, &mut frames);
        }
        if frames.is_open {
            frames.record(b'E', &[calls]);
        }
        if let (Some(error), false) = (played.error, played.is_same) {
            frames.refused(calls, format_args!("{}: {error}", played.name));
        }
    }
    Frames { out, is_open: false }.record(b'Z', &[calls]);
    Ok(calls)
}

/// Writes the colour buffer that a call shows, if it can be read.
fn shown<'m>(
    screen: &dyn Screen<'m>,
    player: &mut Player<'_, 'm>,
    played: &Played,
    frames: &mut Frames<'_>,
) {
    let Some((resource, template)) = player.color_buffer(played.context) else { return };
    let of = screen.resource_template(resource).ok();
    let size = of.and_then(|of| template.size(&of));
    let (Some([width, height, _]), Some(context)) = (size, player.context(played.context)) else {
        return;
    };
    let _ = frames.begin(width, height);
    let row = |y, of: &ResourceTemplate, bytes: &[u8]| {
        let _ = frames.tile(0, y, width, 1, of.format, bytes, bytes.len());
    };
    let _ = read_surface(screen, context, resource, &template, row);
}

/// A panel that writes records.
struct Frames<'o> {
    out: &'o mut dyn FnMut(&[u8]),
    is_open: bool,
}

impl Frames<'_> {
    fn record(&mut self, letter: u8, words: &[u32]) {
        (self.out)(&[letter]);
        for word in words {
            (self.out)(&word.to_le_bytes());
        }
    }

    /// Writes the reason why a call was refused.
    fn refused(&mut self, call: u32, text: fmt::Arguments<'_>) {
        let mut length = Length(0);
        let _ = length.write_fmt(text);
        self.record(b'X', &[call, length.0]);
        let _ = self.write_fmt(text);
    }
}

impl fmt::Write for Frames<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        (self.out)(text.as_bytes());
        Ok(())
    }
}

/// Counts the bytes written.
struct Length(u32);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(u32::try_from(text.len()).map_err(|_| fmt::Error)?);
        Ok(())
    }
}

impl TilePanel for Frames<'_> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.is_open = true;
        self.record(b'F', &[width, height]);
        Ok(())
    }

    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let bytes = format.row_bytes(usize::try_from(width).unwrap_or(0));
        let stride = u32::try_from(bytes).map_err(|_| PanelError(0))?;
        self.record(b'T', &[x, y, width, height, stride]);
        let rows = pixels.chunks(stride_bytes.max(1)).take(usize::try_from(height).unwrap_or(0));
        for row in rows {
            (self.out)(row.get(..bytes).ok_or(PanelError(0))?);
        }
        Ok(())
    }
}
