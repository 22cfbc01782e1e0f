//! A wrapper that writes every call with its data, and a player of what was written.
//!
//! [`RecordScreen`] stands around a driver's screen and hands each call to a [`RecordSink`] as bytes;
//! [`Player`] makes the same calls on any driver and compares the answers. Where [`trace`](super::trace)
//! tells people what was called, this is enough to call it again: the smallest report of a bug.
//!
//! # The format, version 1
//! A trace begins with [`MAGIC`], then a number, its version ([`VERSION`]), and a text, the name of the
//! driver that it was recorded on. Calls follow, in the order in which they ended. Each is
//!
//! * the number of the call,
//! * the number of the context, from 1; 0 for calls of the screen,
//! * the number of bytes that follow: the arguments in their order, then the answer. A result is 1
//!   and its value, 0 if the driver refused the call, or 2 if somebody stopped it.
//!
//! Numbers are LEB128 (seven bits a byte, the lowest first; the top bit is set in all bytes but the
//! last), signed ones folded to 0, -1, 1, -2 …; floats are their bits, little-endian. Booleans, options
//! (0, or 1 and the value) and variants of enums are numbers, where Gallium has numbers those. Lists and
//! texts are their length and their items, arrays their items, states their members in the order of
//! their declaration. A handle is the number that the traced driver gave. A format is its number in the
//! virgl protocol, or 0x8000 and its place in the table of formats.
//!
//! Calls that ask and change nothing (caps, templates, time) are not written. A call that shows a
//! picture ends with an option: its [`PictureDigest`]. Such are presents, maps that read, and flushes,
//! which show the first colour buffer if it was drawn to since the last flush. What the CPU wrote to
//! mapped memory is a call of its own before the call that hands it to the driver.
//!
//! Shaders are written as text or tokens. A program that was compiled into the recording program (`tgsi!`)
//! is written as the text that hosts keep of it. Firmware keeps no text: its trace says only that there was
//! a program, and is refused when it is played.

mod answer;
mod calls;
#[cfg(feature = "std")]
mod file;
mod frames;
mod ids;
mod panel;
mod picture;
mod player;
mod recorder;
mod replay;
mod screen;
mod special;
mod values;

use os_shim::Memory;

#[cfg(feature = "std")]
pub use file::{RecordFile, RecordFiles, recorded};
pub use frames::play_frames;
pub use picture::{PictureDigest, read_surface};
pub use player::{Played, Player};
pub use recorder::Record;
pub use screen::RecordScreen;

use crate::wire::Writer;
pub use crate::wire::{MAGIC, TraceError, VERSION};

/// The receiver of a trace's bytes. Every `Fn(&[u8]) + Sync` is one.
pub trait RecordSink: Sync {
    /// Takes the bytes of the header, or of one call.
    fn take(&self, bytes: &[u8]);
}

impl<F: Fn(&[u8]) + Sync> RecordSink for F {
    fn take(&self, bytes: &[u8]) {
        self(bytes);
    }
}

/// Hands a call to a sink.
fn send(sink: &dyn RecordSink, memory: Memory<'_>, number: u64, context: u64, body: &Writer<'_>) {
    let mut call = Writer::new(memory);
    call.number(number);
    call.number(context);
    match body.finished() {
        Some(body) => call.bytes(body),
        None => call = Writer::new(memory),
    }
    match call.finished() {
        Some(call) if !call.is_empty() => sink.take(call),
        // A trace with a gap must say so.
        _ => sink.take(&[calls::number::LOST as u8, 0, 0]),
    }
}
