//! A wrapper that records every call with its data, and a player for recordings.
//!
//! [`RecordScreen`] wraps a driver's screen and passes each call to a [`RecordSink`] as bytes.
//! [`Player`] makes the same calls on any driver and compares the results. [`trace`](super::trace)
//! prints calls for people; a recording holds enough to repeat them: the smallest bug report.
//!
//! # The format, version 1
//! A trace begins with [`MAGIC`], a number (its version, [`VERSION`]), and a text (the name of the
//! recorded driver). Calls follow, in the order of their ends. Each is
//!
//! * the number of the call,
//! * the number of the context, from 1; 0 for calls of the screen,
//! * the number of bytes that follow: the arguments in order, then the result. A result is 1 and
//!   its value, 0 if the driver refused the call, or 2 if the call was stopped.
//!
//! Numbers are LEB128 (seven bits per byte, the lowest first; the top bit is set in all bytes
//! except the last). Signed numbers are folded to 0, -1, 1, -2 …; floats are their bits,
//! little-endian. Booleans, options (0, or 1 and the value) and variants of enums are numbers; if
//! Gallium has numbers, these are used. Lists and texts are their length and their items, arrays
//! are their items, states are their members in declaration order. A handle is the number from the
//! traced driver. A format is its number in the virgl protocol, or 0x8000 plus its index in the
//! table of formats.
//!
//! Queries that change nothing (caps, templates, time) are not written. A call that shows a picture
//! ends with an option: its [`PictureDigest`]. Such calls are presents, maps that read, and
//! flushes; a flush shows the first colour buffer if it was drawn to since the last flush. CPU
//! writes to mapped memory are a separate call before the call that passes the memory to the
//! driver.
//!
//! Draws, clears, copies, launches, flushes and presents end with the number of instructions that they took,
//! if the sink counts them ([`RecordSink::instructions`]).
//!
//! Shaders are written as text or tokens. A program compiled into the recording program (`tgsi!`)
//! is written as the text that hosts keep of it. Firmware keeps no text. With the feature `record`
//! its recording has the name of the text ([`SourceText`](tgsi::program::SourceText)), and
//! [`with_texts`] replaces names by the texts in the ELF file. Without it the recording has
//! only that there was a program, and the player refuses it.
//!
//! # In firmware
//!
//! A [`RecordPort`] writes calls in pieces, as they are made, to a serial port, a channel of a
//! debugger or a file. It needs no memory for them.

mod answer;
mod calls;
mod describe;
#[cfg(feature = "std")]
mod file;
mod frames;
mod ids;
mod panel;
mod picture;
mod player;
mod reading;
mod recorder;
mod replay;
mod screen;
mod sink;
mod special;
mod texts;
mod values;

use os_shim::{Memory, Vec};

pub use calls::Effect;
#[cfg(feature = "std")]
pub use file::{RecordFile, RecordFiles, recorded};
pub use frames::play_frames;
pub use picture::{PictureDigest, read_surface};
pub use player::{Played, Player};
pub use reading::{Call, Calls};
pub use recorder::Record;
pub use screen::RecordScreen;
pub use sink::{RecordPort, RecordSink};
pub use texts::with_texts;

use crate::wire::Writer;
pub use crate::wire::{MAGIC, TraceError, VERSION};
use sink::in_pieces;

/// Writes bytes; the same bytes each time that it is called.
type Body<'b> = dyn Fn(&mut Writer<'_>) + 'b;

/// The place where a recorder writes its calls.
#[derive(Clone, Copy)]
struct Out<'c> {
    sink: &'c dyn RecordSink,
    /// Holds one call for sinks that take whole calls.
    memory: Memory<'c>,
}

impl Out<'_> {
    /// Writes a call of a context, or of the screen (context 0).
    fn call(self, number: u64, context: u64, body: &Body<'_>) {
        let mut length = 0u64;
        let mut count = |bytes: &[u8]| length = length.saturating_add(bytes.len() as u64);
        body(&mut Writer::new(&mut count));
        let call = |out: &mut Writer<'_>| {
            out.number(number);
            out.number(context);
            out.number(length);
            body(out);
        };
        self.write(length, &call);
    }

    /// Passes bytes to the sink: at once, or in pieces if it takes pieces. `length` is near their number.
    fn write(self, length: u64, bytes: &Body<'_>) {
        if self.sink.takes_pieces() {
            return in_pieces(self.sink, bytes);
        }
        const HEAD: usize = 30;
        let mut whole = Vec::new_in(self.memory);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut is_complete = whole.try_reserve(length.saturating_add(HEAD)).is_ok();
        if is_complete {
            bytes(&mut Writer::new(&mut |piece| {
                is_complete &= whole.try_extend_from_slice(piece).is_ok();
            }));
        }
        // A trace with a gap must record the gap.
        self.sink.take(if is_complete { &whole } else { &[calls::number::LOST as u8, 0, 0] });
    }

    /// Returns the sink's count before a call that it counts.
    fn begin(self, number: u64) -> Option<u32> {
        if calls::is_counted(number) { self.sink.instructions() } else { None }
    }

    /// Returns the instructions since `begun`.
    fn since(self, begun: Option<u32>) -> Option<u32> {
        Some(self.sink.instructions()?.wrapping_sub(begun?))
    }
}

/// Appends the instructions of a call, if they were counted.
fn write_instructions(count: Option<u32>, out: &mut Writer<'_>) {
    if let Some(count) = count {
        out.number(count.into());
    }
}
