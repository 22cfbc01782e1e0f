//! The memory that a context's frames need, computed before it is requested: contexts that check
//! calls name all of it in one error, when objects are made.

use os_shim::memory::Memory;
use pipe_core::{PipeError, ShaderType};
use tgsi::exec::{Lanes, REGISTER_FILE_PADDING};
use tgsi::program::Program;

use super::{Renderer, limits, scene_bytes};
use crate::device::Device;
use crate::fragment::Quads;
use crate::frame::Framebuffer;
use crate::profile::Profile;
use crate::state::State;

/// What needs memory, for the error.
const WHAT: &str = "the size in bytes of objects, scene, vertices, registers and tiles";

/// Checks that a heap holds `more` bytes on top of those in use. It does not count the heap's
/// headers, so it refuses nothing that fits.
///
/// # Errors
/// [`PipeError::OutOfRange`] with the bytes that are needed in all.
fn check(memory: Memory<'_>, more: usize) -> Result<(), PipeError> {
    let usage = memory.usage();
    let Some(there) = usage.capacity else { return Ok(()) };
    PipeError::at_most(WHAT, usage.used.saturating_add(more) as u64, there as u64)
}

/// Returns the bytes of a worker's registers and state.
fn worker_bytes<P: Profile>(rows: usize) -> usize {
    let registers = rows.saturating_mul(P::Row::COUNT).saturating_add(REGISTER_FILE_PADDING);
    registers.saturating_mul(4).saturating_add(size_of::<Quads<P::Row>>())
}

/// Checks that a device has memory for a context of `context` bytes and its smallest frame.
///
/// # Errors
/// See [`check`].
pub(crate) fn check_context<P: Profile>(
    device: &Device<'_>,
    context: usize,
) -> Result<(), PipeError> {
    let vertices = limits::<P>().bytes(P::Row::COUNT, 0, 1);
    let frame = vertices.max(worker_bytes::<P>(0));
    check(device.os.memory, context.saturating_add(scene_bytes::<P>(device)).saturating_add(frame))
}

impl<P: Profile> Renderer<'_, '_, P> {
    /// Checks that there is memory for frames on a framebuffer with a context's shaders, and with
    /// `new`. A panel may lend the tile of a streamed colour, which is not counted.
    ///
    /// # Errors
    /// See [`check`].
    pub(crate) fn check_memory(
        &mut self,
        framebuffer: &Framebuffer,
        state: &State<'_>,
        new: Option<&Program<'_>>,
    ) -> Result<(), PipeError> {
        let of = |stage: ShaderType| {
            let made = state.objects.shaders.iter().map(|(_, shader)| shader.program());
            let new = new.into_iter().copied();
            made.chain(new).filter(move |program| program.processor == stage.processor())
        };
        let rows = |stage| of(stage).map(|program| usize::from(program.rows)).max().unwrap_or(0);
        let registers = of(ShaderType::Vertex).flat_map(|program| program.outputs);
        let outputs = registers.map(|output| usize::from(output.register)).max().unwrap_or(0);
        let outputs = outputs.saturating_add(1);
        let vertices = limits::<P>().bytes(P::Row::COUNT, rows(ShaderType::Vertex), outputs);
        // What an earlier draw or frame has allocated is in use already.
        let drawn = if self.pipeline.is_some() { 0 } else { vertices };
        let pixels = P::TILE_PIXELS.saturating_mul(framebuffer.samples()) as usize;
        let depth = framebuffer.depth().filter(|depth| depth.is_streamed());
        let tile = depth.map_or(0, |depth| pixels.saturating_mul(depth.pixel));
        let worker = worker_bytes::<P>(rows(ShaderType::Fragment)).saturating_add(tile);
        let mut frame = worker.saturating_mul(self.workers.len());
        if self.workers.iter_mut().any(|worker| worker.get_mut().has_memory()) {
            frame = 0;
        }
        if self.pipeline.is_some() {
            // A streamed frame frees the vertices first.
            frame = frame.saturating_sub(vertices);
        }
        check(self.device.os.memory, drawn.max(frame))
    }
}
