//! Diagnostics: messages to a callback, and a dump of a context's state.

use core::fmt::{self, Write};

use pipe_core::PipeError;
use pipe_core::diagnostics::{DebugCallback, DebugType};

use super::Context;
use super::binding::STAGES;
#[cfg(feature = "desktop")]
use crate::debug::Debug;
use crate::profile::Profile;

/// Bytes of a dump that are printed when a command is stopped.
#[cfg(feature = "desktop")]
const DUMP: usize = 4096;

/// Bytes of a marker that are kept.
const MARKER: usize = 64;

/// The debug callback and the string markers of a context.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    pub(super) callback: Option<DebugCallback>,
    /// The last string marker, truncated.
    marker: heapless::String<MARKER>,
    /// The number of string markers so far.
    markers: u32,
}

impl Diagnostics {
    /// Reports a call that was refused.
    pub(super) fn error(&self, error: PipeError) {
        let kind = match error {
            PipeError::OutOfMemory { .. } => DebugType::OutOfMemory,
            // A wait that the caller did not want is not an error.
            PipeError::NotReady => return,
            _ => DebugType::Error,
        };
        self.tell(kind, format_args!("{error}"));
    }

    /// Reports a shader that was created.
    pub(super) fn shader(&self, message: fmt::Arguments<'_>) {
        self.tell(DebugType::ShaderInfo, message);
    }

    fn tell(&self, kind: DebugType, message: fmt::Arguments<'_>) {
        if let Some(DebugCallback { call, data }) = self.callback {
            call(data, kind, message);
        }
    }

    /// Stores a string marker.
    pub(super) fn mark(&mut self, marker: &str) {
        self.markers = self.markers.wrapping_add(1);
        self.marker.clear();
        for letter in marker.chars() {
            if self.marker.push(letter).is_err() {
                break;
            }
        }
        self.tell(DebugType::Info, format_args!("marker: {marker}"));
    }
}

/// A dump, truncated to its first bytes.
#[cfg(feature = "desktop")]
struct Excerpt(heapless::String<DUMP>);

#[cfg(feature = "desktop")]
impl Write for Excerpt {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = DUMP.saturating_sub(self.0.len());
        let cut = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let (kept, rest) = text.split_at_checked(cut.unwrap_or(0)).unwrap_or(("", text));
        match self.0.push_str(kept) {
            Ok(()) if rest.is_empty() => Ok(()),
            _ => Err(fmt::Error),
        }
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Prints the state of the context when a budget stops a command, if `RASTER_DEBUG` asks for
    /// it.
    #[cfg(feature = "desktop")]
    #[inline(never)]
    pub(super) fn print_reset(&self, reason: os_shim::budget::Stopped) {
        if !self.device.debug.has(Debug::RESETS) {
            return;
        }
        let mut dump = Excerpt(heapless::String::new());
        let end = if self.dump(&mut dump).is_err() { "\n(cut)" } else { "" };
        let why = PipeError::from(reason);
        os_shim::say!(
            "device reset: {}; the state of its context:\n{}{}",
            why,
            dump.0.as_str(),
            end
        );
    }

    /// Writes the state of the context: framebuffer, programs, bound objects and pending work.
    pub(super) fn dump(&self, out: &mut dyn Write) -> fmt::Result {
        let Context { framebuffer, scene, bound, objects, diagnostics, .. } = self;
        writeln!(out, "device: {}", P::NAME)?;
        write!(out, "framebuffer: {}x{}", framebuffer.width, framebuffer.height)?;
        writeln!(out, ", {} samples", framebuffer.samples())?;
        let attachments = framebuffer.attachments.iter().enumerate();
        for (index, attachment) in attachments {
            if let Some(attachment) = attachment {
                let streamed = if attachment.streamed { ", streamed" } else { "" };
                writeln!(out, "  attachment {index}: {:?}{streamed}", attachment.format)?;
            }
        }
        for stage in 0..STAGES {
            let Some(shader) = objects.shader(bound.shader(stage)) else { continue };
            let program = shader.program();
            let (ops, rows) = (program.preamble.len() + program.body.len(), program.rows);
            writeln!(out, "{:?} program: {ops} ops, {rows} rows", program.processor)?;
            let views = bound.views.get(stage).into_iter().flatten().flatten().count();
            writeln!(out, "  {views} sampler views")?;
        }
        let (draws, words) = (scene.draws.len(), scene.arena.used());
        writeln!(out, "scene: {draws} states, {words} words, {} textures", scene.textures.len())?;
        writeln!(out, "markers: {}, the last {:?}", diagnostics.markers, diagnostics.marker)
    }
}
