//! Work on resources: draws, launches of grids, rasterization, blits, clears and maps. [`Access`]
//! is the only place that claims resources and puts them back.

mod access;
#[cfg(feature = "es2")]
mod blit;
mod clear;
#[cfg(feature = "es2")]
mod copy;
mod draw;
#[cfg(feature = "desktop")]
mod dump;
#[cfg_attr(not(flights), path = "no_flights.rs")]
mod flights;
#[cfg_attr(not(feature = "workers"), path = "geometry_alone.rs")]
mod geometry;
#[cfg(feature = "shader-memory")]
mod grid;
mod maps;
#[cfg(feature = "es2")]
mod mipmaps;
mod needed;
mod overflow;
#[cfg(feature = "workers")]
mod pace;
mod present;
mod rasterize;
#[cfg(feature = "desktop")]
mod references;
mod shaders;
mod stages;

use os_shim::Vec;
use os_shim::budget::Stopped;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use os_shim::sync::Mutex;
use pipe_core::PipeError;

use self::access::Access;
use self::flights::Flights;
pub(crate) use self::flights::Launch;
use self::geometry::GeometryWorkers;
#[cfg(feature = "shader-memory")]
pub(crate) use self::grid::Needs;
#[cfg(feature = "es2")]
pub(crate) use self::maps::BoxData;
use self::needed::Checked;
pub(crate) use self::needed::check_context;
use crate::budget::stop_reason;
use crate::device::Device;
use crate::features::{FLIGHTS, OfCheck, WORKERS};
use crate::frame::{Framebuffer, Worker};
#[cfg(feature = "shader-memory")]
use crate::grid::BlockMemory;
use crate::profile::{Profile, SceneId};
use crate::scene::Scene;
use crate::state::State;

/// The pending scene of a context, and the memory that draws and frames work in.
pub(crate) struct Renderer<'s, 'm, P: Profile> {
    pub(crate) device: &'s Device<'m>,
    /// The surfaces of the framebuffer state, resolved to resources.
    pub(crate) framebuffer: Framebuffer,
    pub(crate) scene: Scene<'m, P>,
    flights: Flights<'s, 'm, P>,
    /// The scene's record of the current state; `None` after a change of state.
    record: Option<u32>,
    /// Draw's buffers; `None` before the first draw, and while a streamed scene is rasterized,
    /// which needs the memory.
    pipeline: Option<::draw::Pipeline<'m, P::Row>>,
    workers: Vec<'m, Mutex<Worker<'m, P>>>,
    /// The frames that there is memory for.
    checked: OfCheck<Checked>,
    geometry: GeometryWorkers<'m, P::Row>,
    /// The memory of the workers that run blocks of a grid.
    #[cfg(feature = "shader-memory")]
    block_workers: Vec<'m, Mutex<BlockMemory<'m>>>,
}

/// Whether large draws run their geometry on all workers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Never: the surface is streamed, and its scene is measured when it is full.
    Never,
    /// Where earlier draws took less time that way.
    Measured,
    /// Always: the user asks for it.
    Always,
}

/// The memory that a renderer allocates at creation.
pub(crate) struct Parts<'m, P: Profile> {
    scene: Scene<'m, P>,
    workers: Vec<'m, Mutex<Worker<'m, P>>>,
}

impl<'m, P: Profile> Parts<'m, P> {
    /// Allocates the parts. It is separate from [`Renderer::new`] because returning a whole context
    /// in a `Result` copies it once more, too much for a small stack.
    ///
    /// # Errors
    /// A scene buffer larger than the profile can address; out of memory.
    pub(crate) fn new(device: &Device<'m>) -> Result<Self, PipeError> {
        let memory = device.os.memory;
        let bytes = scene_bytes::<P>(device);
        let most = (<P::Id as SceneId>::MAX as u64 + 1) * 4;
        PipeError::at_most("Config::scene_bytes", bytes as u64, most)?;
        let count = if WORKERS { device.os.threads.count().max(1) } else { 1 };
        let mut workers = Vec::try_with_capacity_in(count, memory)?;
        for _ in 0..count {
            workers.try_push(Mutex::new(Worker::new_in(memory)))?;
        }
        Ok(Parts { scene: Scene::new(bytes, memory)?, workers })
    }
}

/// Returns the size of a scene in bytes.
#[inline(always)]
fn scene_bytes<P: Profile>(device: &Device<'_>) -> usize {
    match device.config.scene_bytes {
        0 => P::SCENE_BYTES,
        bytes => bytes,
    }
}

impl<'s, 'm, P: Profile> Renderer<'s, 'm, P> {
    #[inline(always)]
    pub(crate) fn new(
        device: &'s Device<'m>,
        Parts { scene, workers }: Parts<'m, P>,
        launch: Launch<'s, 'm>,
    ) -> Self {
        let memory = device.os.memory;
        Renderer {
            device,
            framebuffer: Framebuffer::default(),
            scene,
            flights: Flights::new(launch, memory),
            record: None,
            pipeline: None,
            workers,
            checked: OfCheck::default(),
            geometry: GeometryWorkers::new_in(memory),
            #[cfg(feature = "shader-memory")]
            block_workers: Vec::new_in(memory),
        }
    }

    /// Begins a call that reads or writes resources. Checks that the context is not lost, and makes
    /// the CPU's writes to direct and persistent maps visible.
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`]; the errors of a flush.
    #[inline(always)]
    pub(crate) fn begin(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        state.reset.check()?;
        self.hand_over(state)
    }

    /// Notes a change of state: the next draw records it again.
    #[inline(always)]
    pub(crate) fn touch(&mut self) {
        self.record = None;
    }

    /// Begins an empty scene for another framebuffer.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub(crate) fn set_framebuffer(&mut self, framebuffer: &Framebuffer) -> Result<(), PipeError> {
        self.scene.resize(framebuffer.width, framebuffer.height, framebuffer.layers())?;
        self.framebuffer = *framebuffer;
        self.forget_plan();
        self.touch();
        Ok(())
    }

    /// Empties the scene; the next draw records its state again.
    #[inline(never)]
    pub(crate) fn drop_scene(&mut self) {
        self.scene.reset();
        self.touch();
    }

    /// Empties the scene if its work was stopped, because it would be stopped again.
    fn drop_if_stopped<T>(&mut self, result: &Result<T, PipeError>) {
        if let Err(error) = result
            && stop_reason(*error).is_some()
        {
            self.drop_scene();
        }
    }

    /// Reports an error, and a reset if it says that a command was stopped.
    #[inline(always)]
    pub(crate) fn note_stop<T>(
        &self,
        state: &mut State<'m>,
        result: Result<T, PipeError>,
    ) -> Result<T, PipeError> {
        if let Err(error) = result {
            state.diagnostics.error(error);
            if let Some(reason) = stop_reason(error) {
                self.note_reset(state, reason);
            }
        }
        result
    }

    /// Reports a reset.
    #[inline(never)]
    fn note_reset(&self, state: &mut State<'m>, reason: Stopped) {
        #[cfg(feature = "desktop")]
        self.print_reset(state, reason);
        state.reset.note(reason);
    }

    /// Returns true if the render condition allows draws, clears and blits.
    ///
    /// # Errors
    /// The errors of a flush in flight that writes the condition's word.
    #[inline(always)]
    pub(crate) fn condition_holds(&mut self, state: &mut State<'m>) -> Result<bool, PipeError> {
        if FLIGHTS && let Some(buffer) = state.queries.held() {
            let finished = self.finish_if_used(state, buffer);
            self.note_stop(state, finished)?;
        }
        Ok(state.queries.condition_holds(self.device))
    }

    /// Returns true if the pending scene reads or writes the resource.
    pub(crate) fn scene_uses(&self, resource: RawHandle) -> bool {
        !self.scene.is_empty()
            && (self.framebuffer.uses(resource)
                || self.scene.textures().iter().any(|binding| binding.resource == resource))
    }

    /// Rasterizes the pending scene if it uses a resource that is about to change.
    ///
    /// # Errors
    /// The errors of a flush.
    pub(crate) fn flush_if_used(
        &mut self,
        state: &mut State<'m>,
        resource: RawHandle,
    ) -> Result<(), PipeError> {
        if self.scene_uses(resource) {
            self.flush_scene(state)
        } else {
            self.finish_if_used(state, resource)
        }
    }

    /// Flushes draws that use a resource that a deleted handle holds, and releases it.
    ///
    /// # Errors
    /// The errors of a flush.
    #[cfg(feature = "desktop")]
    pub(crate) fn let_go(
        &mut self,
        state: &mut State<'m>,
        resource: RawHandle,
    ) -> Result<(), PipeError> {
        let flushed = self.flush_if_used(state, resource);
        crate::device::release(&mut self.device.shared.lock().resources, resource);
        self.touch();
        flushed
    }
}

/// Returns Draw's pipeline in a profile's size; makes it at the first use.
#[inline(never)]
fn pipeline<'p, 'm, P: Profile>(
    pipeline: &'p mut Option<::draw::Pipeline<'m, P::Row>>,
    memory: Memory<'m>,
) -> Result<&'p mut ::draw::Pipeline<'m, P::Row>, OutOfMemory> {
    match pipeline {
        Some(pipeline) => Ok(pipeline),
        none => Ok(none.insert(::draw::Pipeline::new(memory, limits::<P>())?)),
    }
}

/// Returns the sizes of Draw's pipelines in a profile.
#[inline(always)]
fn limits<P: Profile>() -> ::draw::Limits {
    ::draw::Limits {
        segment_vertices: P::SEGMENT_VERTICES as u16,
        guard_band: crate::fixed::GUARD_BAND as u32,
    }
}
