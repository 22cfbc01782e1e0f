//! A dump of a context's state, for debugging.

use core::fmt::{self, Write};

use os_shim::budget::Stopped;
use pipe_core::{PipeError, ShaderType};

use super::Renderer;
use crate::debug::Debug;
use crate::profile::Profile;
use crate::state::State;

const DUMP: usize = 4096;

struct Excerpt(heapless::String<DUMP>);

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

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Prints the state of the context when a budget stops a command, if `RASTER_DEBUG` asks for
    /// it.
    #[inline(never)]
    pub(super) fn print_reset(&self, state: &State<'m>, reason: Stopped) {
        if !self.device.debug.has(Debug::RESETS) {
            return;
        }
        let mut dump = Excerpt(heapless::String::new());
        let end = if self.dump(state, &mut dump).is_err() { "\n(cut)" } else { "" };
        let why = PipeError::from(reason);
        os_shim::say!(
            "device reset: {}; the state of its context:\n{}{}",
            why,
            dump.0.as_str(),
            end
        );
    }

    /// Writes the state of the context: framebuffer, programs, bound objects and pending work.
    pub(crate) fn dump(&self, state: &State<'m>, out: &mut dyn Write) -> fmt::Result {
        let Renderer { framebuffer, scene, .. } = self;
        let State { bound, objects, diagnostics, .. } = state;
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
        for &stage in ShaderType::ALL {
            let Some(shader) = objects.shader(bound.shader(stage)) else { continue };
            let program = shader.program();
            let (ops, rows) = (program.preamble.len() + program.body.len(), program.rows);
            writeln!(out, "{:?} program: {ops} ops, {rows} rows", program.processor)?;
            let views = bound.views.get(stage).into_iter().flatten().flatten().count();
            writeln!(out, "  {views} sampler views")?;
        }
        let (draws, words) = (scene.draws.len(), scene.arena.used());
        writeln!(out, "scene: {draws} states, {words} words, {} textures", scene.textures.len())?;
        writeln!(
            out,
            "markers: {}, the last {:?}",
            diagnostics.markers.number(),
            diagnostics.marker()
        )
    }
}
