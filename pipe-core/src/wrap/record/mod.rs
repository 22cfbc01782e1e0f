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
//! Shaders are written as text or tokens. A program compiled into the recording program (`tgsi!`)
//! is written as the text that hosts keep of it. Firmware keeps no text: its trace records only
//! that there was a program, and the player refuses it.

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
mod special;
mod values;

use os_shim::Memory;

#[cfg(feature = "std")]
pub use file::{RecordFile, RecordFiles, recorded};
pub use frames::play_frames;
pub use picture::{PictureDigest, read_surface};
pub use player::{Played, Player};
pub use reading::{Call, Calls};
pub use recorder::Record;
pub use screen::RecordScreen;

use crate::wire::Writer;
pub use crate::wire::{MAGIC, TraceError, VERSION};

/// The receiver of a trace's bytes. Every `Fn(&[u8]) + Sync` implements it.
pub trait RecordSink: Sync {
    /// Takes the bytes of the header, or of one call.
    fn take(&self, bytes: &[u8]);
}

impl<F: Fn(&[u8]) + Sync> RecordSink for F {
    fn take(&self, bytes: &[u8]) {
        self(bytes);
    }
}

/// Passes a call to a sink.
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
        // A trace with a gap must record the gap.
        _ => sink.take(&[calls::number::LOST as u8, 0, 0]),
    }
}
