//! The receivers of a recording's bytes.

use os_shim::sync::Mutex;

use super::Body;
use crate::wire::Writer;

/// The receiver of a trace's bytes. Every `Fn(&[u8]) + Sync` implements it.
pub trait RecordSink: Sync {
    /// Takes the bytes of the header, or of one call; parts of them if the sink takes pieces.
    fn take(&self, bytes: &[u8]);

    /// Returns true if the sink takes calls in pieces, in order. Then the recorder needs no memory
    /// for calls, and only one context may be used at a time.
    fn takes_pieces(&self) -> bool {
        false
    }

    /// Returns a count of instructions that runs on and wraps around; `None` if the sink counts nothing.
    ///
    /// The recorder writes the difference after each draw, clear, copy, launch, flush and present.
    /// A driver with tiles puts them off: then a draw has the instructions of its vertices, and the
    /// flush or present has those of the pixels.
    fn instructions(&self) -> Option<u32> {
        None
    }
}

impl<F: Fn(&[u8]) + Sync> RecordSink for F {
    fn take(&self, bytes: &[u8]) {
        self(bytes);
    }
}

/// A sink for firmware: passes calls in pieces to a function, and counts instructions.
///
/// ```
/// use gallium_pipe_core::wrap::NullScreen;
/// use gallium_pipe_core::wrap::record::{RecordPort, RecordScreen};
/// use gallium_pipe_core::{Bind, ResourceTemplate, Screen};
/// use os_shim::Memory;
///
/// let mut sent = Vec::new();
/// {
///     // In firmware: bytes to a UART or an RTT channel, and the counter of the core.
///     let port = RecordPort::new(|bytes: &[u8]| sent.extend_from_slice(bytes)).with_counter(|| 7);
///     let driver = NullScreen::new(Memory::system());
///     let screen = RecordScreen::new(&driver, &port, Memory::system());
///     screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER))?;
/// }
/// assert!(sent.starts_with(b"GALTRACE"));
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct RecordPort<W> {
    write: Mutex<W>,
    instructions: Option<fn() -> u32>,
}

impl<W: FnMut(&[u8]) + Send> RecordPort<W> {
    /// Returns a sink that passes all bytes to `write`, in pieces of at most 64 bytes or whole buffers.
    pub const fn new(write: W) -> Self {
        Self { write: Mutex::new(write), instructions: None }
    }

    /// Counts the instructions of calls with a counter that runs on and wraps around. A counter of
    /// cycles, such as `DWT::cycle_count`, gives cycles.
    #[must_use]
    pub const fn with_counter(mut self, instructions: fn() -> u32) -> Self {
        self.instructions = Some(instructions);
        self
    }
}

impl<W: FnMut(&[u8]) + Send> RecordSink for RecordPort<W> {
    fn take(&self, bytes: &[u8]) {
        let mut write = self.write.lock();
        (*write)(bytes);
    }

    fn takes_pieces(&self) -> bool {
        true
    }

    fn instructions(&self) -> Option<u32> {
        self.instructions.map(|count| count())
    }
}

/// The most bytes that are gathered to one piece.
const PIECE: usize = 64;

/// Passes bytes to a sink in pieces.
pub(super) fn in_pieces(sink: &dyn RecordSink, bytes: &Body<'_>) {
    let mut gathered = heapless::Vec::<u8, PIECE>::new();
    bytes(&mut Writer::new(&mut |piece| {
        if gathered.extend_from_slice(piece).is_ok() {
            return;
        }
        sink.take(&gathered);
        gathered.clear();
        if gathered.extend_from_slice(piece).is_err() {
            sink.take(piece);
        }
    }));
    if !gathered.is_empty() {
        sink.take(&gathered);
    }
}
