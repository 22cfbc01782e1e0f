//! The memory that a context's frames need, computed before it is requested: contexts that check
//! calls name all of it in one error, before the first draw requests any of it.

use core::alloc::Layout;

use os_shim::Vec;
use os_shim::memory::{Memory, Step};
use os_shim::sync::Mutex;
use pipe_core::{PipeError, ShaderType};
use tgsi::exec::{Lanes, REGISTER_FILE_PADDING};
use tgsi::program::Program;

use super::{Renderer, limits, scene_bytes};
use crate::device::Device;
use crate::fragment::Quads;
use crate::frame::Worker;
use crate::profile::Profile;
use crate::state::Objects;

/// What needs memory, for the error of a draw.
const FRAME: &str = "the size in bytes of all objects and a frame, with the heap's headers";
/// What needs memory, for the error of a context.
const CONTEXT: &str = "the size in bytes of a context with its scene, without other objects";

/// Checks that a heap can serve a plan. A heap that keeps no log must have `blocks` bytes, those in
/// use included; they leave out the heap's headers.
///
/// # Errors
/// [`PipeError::OutOfRange`] with the bytes that the heap needs in all.
fn check(
    memory: Memory<'_>,
    what: &'static str,
    blocks: usize,
    mut plan: impl Iterator<Item = Step>,
) -> Result<(), PipeError> {
    let Some(there) = memory.usage().capacity else { return Ok(()) };
    let needed = memory.bytes_for(&mut plan).unwrap_or(blocks);
    PipeError::at_most(what, needed as u64, there as u64)
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
    context: Layout,
) -> Result<(), PipeError> {
    let scene = scene_bytes::<P>(device);
    // What the context is wrapped in, for the caller.
    let wrapper = Layout::new::<pipe_core::wrap::Check<'_, '_>>();
    let threads = device.os.threads.count().max(1);
    let vertices = limits::<P>().bytes(P::Row::COUNT, 0, 1);
    let frame = vertices.max(worker_bytes::<P>(0));
    let plan = [
        Vec::<Mutex<Worker<'_, P>>>::layout_for(threads),
        Vec::<u32>::layout_for(scene.div_ceil(4)),
        Some(context),
        Some(wrapper),
        Vec::<u32>::layout_for(frame.div_ceil(4)),
    ];
    let used = device.os.memory.usage().used;
    let blocks = used.saturating_add(context.size()).saturating_add(scene).saturating_add(frame);
    check(device.os.memory, CONTEXT, blocks, plan.into_iter().flatten().map(Step::Take))
}

/// The greatest programs of a context's shaders.
struct Programs {
    /// Rows of vertex programs.
    vertex_rows: usize,
    /// Output registers of vertex programs.
    outputs: usize,
    /// Rows of fragment programs.
    fragment_rows: usize,
}

impl Programs {
    fn of(objects: &Objects<'_>) -> Self {
        let of = |stage: ShaderType| {
            let made = objects.shaders.iter().map(|(_, shader)| shader.program());
            made.filter(move |program| program.processor == stage.processor())
        };
        let rows = |stage| {
            let rows = of(stage).map(|program: Program<'_>| usize::from(program.rows));
            rows.max().unwrap_or(0)
        };
        let registers = of(ShaderType::Vertex).flat_map(|program| program.outputs);
        let last = registers.map(|output| usize::from(output.register)).max().unwrap_or(0);
        Programs {
            vertex_rows: rows(ShaderType::Vertex),
            outputs: last.saturating_add(1),
            fragment_rows: rows(ShaderType::Fragment),
        }
    }
}

/// The frames that there is memory for.
#[derive(Clone, Copy, Default)]
pub(super) struct Checked {
    /// True if this includes the current frame, whose draws are being recorded.
    planned: bool,
    /// The most bytes of objects and a frame, without the heap's headers.
    bytes: usize,
}

impl<P: Profile> Renderer<'_, '_, P> {
    /// Lets the next draw check the memory again: it begins a frame.
    #[inline(always)]
    pub(super) fn forget_plan(&mut self) {
        if let Some(checked) = self.checked.get_mut() {
            checked.planned = false;
        }
    }

    /// Checks that there is memory for a frame, when its first draw is recorded and has requested
    /// nothing else. A panel may lend the tile of a streamed colour, which is not counted.
    ///
    /// # Errors
    /// See [`check`].
    pub(super) fn check_memory(&mut self, objects: &Objects<'_>) -> Result<(), PipeError> {
        let Some(&Checked { planned: false, bytes }) = self.checked.get() else { return Ok(()) };
        let streamed = self.framebuffer.is_streamed();
        if streamed {
            // A streamed frame replaces what frames with memory keep.
            self.pipeline = None;
            self.release_workers();
        }
        let Programs { vertex_rows, outputs, fragment_rows } = Programs::of(objects);
        let held = self.pipeline.is_some();
        let vertices = ::draw::Pipeline::<P::Row>::blocks(limits::<P>(), vertex_rows, outputs);
        let vertices = vertices.into_iter().flatten().filter(|_| !held);
        let planes = self.scene.draws.iter().map(|draw| draw.varyings.1 as usize);
        let planes = planes.max().unwrap_or(0);
        let framebuffer = &self.framebuffer;
        let lent = framebuffer.shown_index().filter(|_| streamed);
        let workers = self.workers.iter_mut();
        let empty = workers.filter_map(|it| (!it.get_mut().has_memory()).then_some(())).count();
        let workers =
            (0..empty).flat_map(|_| Worker::<P>::blocks(fragment_rows, planes, framebuffer, lent));
        let bytes_of = |blocks: &mut dyn Iterator<Item = Layout>| {
            blocks.fold(0usize, |all, block| all.saturating_add(block.size()))
        };
        let (drawn, tiles) = (bytes_of(&mut vertices.clone()), bytes_of(&mut workers.clone()));
        let frame = if streamed { drawn.max(tiles) } else { drawn.saturating_add(tiles) };
        let memory = self.device.os.memory;
        let all = memory.usage().used.saturating_add(frame);
        if all > bytes {
            // A streamed frame frees the vertices first.
            let freed = if streamed { vertices.clone().count() } else { 0 };
            let plan = vertices.map(Step::Take).chain((0..freed).map(Step::Give));
            check(memory, FRAME, all, plan.chain(workers.map(Step::Take)))?;
        }
        self.checked.set(Checked { planned: true, bytes: bytes.max(all) });
        Ok(())
    }
}
