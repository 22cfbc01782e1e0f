//! The context: one file per chapter of the contract.

mod binding;
#[cfg_attr(not(feature = "desktop"), path = "no_bindless.rs")]
mod bindless;
#[cfg(feature = "es2")]
mod blitting;
mod clearing;
#[cfg(feature = "shader-memory")]
mod compute;
#[cfg(feature = "es2")]
mod copying;
mod cso;
#[cfg(feature = "desktop")]
mod desktop;
#[cfg_attr(not(feature = "desktop"), path = "no_diagnostics.rs")]
mod diagnostics;
mod drawing;
#[cfg_attr(not(feature = "desktop"), path = "no_driver_queries.rs")]
mod driver_queries;
#[cfg(feature = "shader-memory")]
#[cfg_attr(not(feature = "compile"), path = "no_entries.rs")]
mod entries;
#[cfg_attr(not(feature = "desktop"), path = "no_feedback.rs")]
mod feedback;
#[cfg_attr(not(feature = "desktop"), path = "no_fences.rs")]
mod fences;
#[cfg_attr(not(flights), path = "no_flights.rs")]
mod flights;
mod flushing;
#[cfg(feature = "workers")]
mod geometry;
#[cfg(feature = "stages")]
mod later;
#[cfg(feature = "es2")]
mod lent;
#[cfg(feature = "es2")]
mod mapped;
#[cfg(feature = "es2")]
mod mipmaps;
mod parameters;
#[cfg_attr(not(feature = "es2"), path = "no_queries.rs")]
mod queries;
mod record;
#[cfg_attr(not(feature = "desktop"), path = "no_reset.rs")]
mod reset;
#[cfg_attr(not(feature = "shader-memory"), path = "no_shader_resources.rs")]
mod shader_resources;
#[cfg(feature = "desktop")]
mod sparse;
#[cfg_attr(not(feature = "stages"), path = "no_stream_output.rs")]
mod stream_output;
#[cfg(feature = "es2")]
mod transfers;
mod unsupported;
mod views;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use os_shim::sync::Mutex;
use os_shim::{Os, Vec};
#[cfg(not(feature = "shader-memory"))]
use pipe_core::context::Compute;
use pipe_core::context::Context as PipeContext;
use pipe_core::handle::{Handle, Kind};
use pipe_core::{ContextFlags, PipeError, TilePanel};

use crate::device::{Claim, Device, is_readable};
use crate::features::{FLIGHTS, WORKERS};
use crate::frame::{Frame, Framebuffer, Part, Surfaces, Worker};
use crate::memory::ShaderMemory;
use crate::profile::{Profile, SceneId};
use crate::resource::{Inputs, Loans, NO_FLIGHT};
use crate::scene::Scene;

use self::binding::{Bound, FRAGMENT};
use self::cso::Objects;
use self::diagnostics::Diagnostics;
use self::driver_queries::SceneCounts;
#[cfg(feature = "desktop")]
pub(crate) use self::driver_queries::{DRIVER_QUERIES, DRIVER_QUERY_GROUPS};
use self::feedback::Feedback;
#[cfg(feature = "desktop")]
use self::fences::UnsignalledFences;
use self::flights::Flights;
pub(crate) use self::flights::Launch;
use self::queries::QueryState;
use self::reset::ResetState;
use self::shader_resources::BoundMemory;
pub(crate) use self::stream_output::Capture;
use self::stream_output::StreamState;

/// A rendering context of a [`Screen`](crate::Screen).
pub struct Context<'s, 'm, P: Profile> {
    device: &'s Device<'m>,
    os: Os<'m>,
    objects: Objects<'m>,
    bound: Bound<'m>,
    memory: BoundMemory<'m>,
    /// The primitives that were left after clipping.
    #[cfg(feature = "check")]
    primitives_drawn: u64,
    #[cfg(feature = "shader-memory")]
    compute: compute::ComputeMemory<'m>,
    /// Set if the context launches grids and does not draw.
    #[cfg(feature = "shader-memory")]
    compute_only: bool,
    #[cfg(feature = "es2")]
    transfers: Pool<'m, transfers::OpenTransfer<'m>>,
    /// The number of persistent maps among the transfers.
    #[cfg(feature = "es2")]
    persistent_maps: u32,
    /// The level that the CPU holds.
    #[cfg(feature = "es2")]
    lent: Option<lent::Lent<'m>>,
    /// Set while drawing with the indices that a vertex state holds, even if their handle is
    /// destroyed.
    #[cfg(feature = "desktop")]
    holds_indices: bool,
    reset: ResetState,
    diagnostics: Diagnostics,
    #[cfg(feature = "desktop")]
    fences: UnsignalledFences<'m>,
    queries: QueryState<'m>,
    streams: StreamState<'m>,
    feedback: Feedback<'m>,
    /// The surfaces of the framebuffer state, resolved to resources.
    framebuffer: Framebuffer,
    scene: Scene<'m, P>,
    flights: Flights<'s, 'm, P>,
    /// The scene's record of the current state; `None` after a change of state.
    record: Option<u32>,
    /// Draw's buffers; `None` before the first draw, and while a streamed scene is rasterized,
    /// which needs the memory.
    pipeline: Option<draw::Pipeline<'m, P::Row>>,
    workers: Vec<'m, Mutex<Worker<'m, P>>>,
    #[cfg(feature = "workers")]
    geometry: geometry::GeometryWorkers<'m, P::Row>,
    /// The memory for the next claim's loans.
    loans: Loans<'m>,
}

/// The memory that a context allocates at creation.
pub(crate) struct Parts<'m, P: Profile> {
    scene: Scene<'m, P>,
    workers: Vec<'m, Mutex<Worker<'m, P>>>,
}

impl<P: Profile> core::fmt::Debug for Context<'_, '_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Context").field("framebuffer", &self.framebuffer).finish_non_exhaustive()
    }
}

impl<'s, 'm, P: Profile> Context<'s, 'm, P> {
    /// Allocates a context's parts. It is separate from [`new`](Self::new) because returning a
    /// whole context in a `Result` copies it once more, too much for a small stack.
    ///
    /// # Errors
    /// A scene buffer larger than the profile can address; out of memory.
    pub(crate) fn parts(device: &Device<'m>) -> Result<Parts<'m, P>, PipeError> {
        let memory = device.os.memory;
        let bytes = Self::scene_bytes(device);
        let most = (<P::Id as SceneId>::MAX as u64 + 1) * 4;
        PipeError::at_most("Config::scene_bytes", bytes as u64, most)?;
        let count = if WORKERS { device.os.threads.count().max(1) } else { 1 };
        let mut workers = Vec::try_with_capacity_in(count, memory)?;
        for _ in 0..count {
            workers.try_push(Mutex::new(Worker::new_in(memory)))?;
        }
        Ok(Parts { scene: Scene::new(bytes, memory)?, workers })
    }

    /// Returns the size of a scene in bytes.
    #[inline(always)]
    fn scene_bytes(device: &Device<'_>) -> usize {
        match device.config.scene_bytes {
            0 => P::SCENE_BYTES,
            bytes => bytes,
        }
    }

    pub(crate) fn new(
        device: &'s Device<'m>,
        Parts { scene, workers }: Parts<'m, P>,
        launch: Launch<'s, 'm>,
    ) -> Self {
        let os = device.os;
        let memory = os.memory;
        #[cfg(feature = "es2")]
        {
            device.shared.lock().contexts += 1;
        }
        Context {
            device,
            os,
            objects: Objects::new_in(memory),
            bound: Bound::new_in(memory),
            memory: BoundMemory::new_in(memory),
            #[cfg(feature = "check")]
            primitives_drawn: 0,
            #[cfg(feature = "shader-memory")]
            compute: compute::ComputeMemory::new_in(memory),
            #[cfg(feature = "shader-memory")]
            compute_only: false,
            #[cfg(feature = "es2")]
            transfers: Pool::new_in(memory),
            #[cfg(feature = "es2")]
            persistent_maps: 0,
            #[cfg(feature = "es2")]
            lent: None,
            #[cfg(feature = "desktop")]
            holds_indices: false,
            reset: ResetState::default(),
            diagnostics: Diagnostics::default(),
            #[cfg(feature = "desktop")]
            fences: UnsignalledFences::new_in(memory),
            queries: QueryState::new_in(memory),
            streams: StreamState::new_in(memory),
            feedback: Feedback::new_in(memory),
            framebuffer: Framebuffer::default(),
            scene,
            flights: Flights::new(launch, memory),
            record: None,
            pipeline: None,
            workers,
            #[cfg(feature = "workers")]
            geometry: geometry::GeometryWorkers::new_in(memory),
            loans: Loans::new_in(memory),
        }
    }

    /// Applies the flags of a new context.
    #[inline(always)]
    pub(crate) fn set_flags(&mut self, flags: ContextFlags) {
        self.reset = ResetState::of(flags);
        #[cfg(feature = "shader-memory")]
        {
            self.compute_only = flags.contains(ContextFlags::COMPUTE_ONLY);
        }
    }

    /// Begins a graphics call.
    ///
    /// # Errors
    /// The context was made with `COMPUTE_ONLY`.
    #[inline(always)]
    fn graphics(&self) -> Result<(), PipeError> {
        #[cfg(feature = "shader-memory")]
        if self.compute_only {
            return Err(PipeError::Unsupported("graphics in a context made with COMPUTE_ONLY"));
        }
        Ok(())
    }

    /// Begins a call that reads or writes resources. Checks that the context is not lost, and makes
    /// the CPU's writes to direct and persistent maps visible.
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`]; the errors of a flush.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), PipeError> {
        self.reset.check()?;
        #[cfg(feature = "es2")]
        self.hand_over()?;
        Ok(())
    }

    /// Notes a change of state: the next draw records it again.
    fn touch(&mut self) {
        self.record = None;
    }

    /// Empties the scene; the next draw records its state again.
    #[inline(never)]
    fn drop_scene(&mut self) {
        self.scene.reset();
        self.touch();
    }

    /// Empties the scene if its work was stopped, because it would be stopped again.
    fn drop_if_stopped<T>(&mut self, result: &Result<T, PipeError>) {
        #[cfg(feature = "desktop")]
        if let Err(PipeError::Stopped(_)) = result {
            self.drop_scene();
        }
        #[cfg(not(feature = "desktop"))]
        let _ = result;
    }

    /// Returns the memory of the last claim's loans, for the next claim.
    fn take_loans(&mut self) -> Loans<'m> {
        core::mem::replace(&mut self.loans, Loans::new_in(self.os.memory))
    }

    /// Returns true if the render condition allows draws, clears and blits.
    ///
    /// # Errors
    /// The errors of a flush in flight that writes the condition's word.
    #[inline(always)]
    fn condition_holds(&mut self) -> Result<bool, PipeError> {
        if FLIGHTS && let Some(buffer) = self.queries.held() {
            let finished = self.finish_if_used(buffer);
            self.note_stop(finished)?;
        }
        Ok(self.queries.condition_holds(self.device))
    }

    /// Returns true if the pending scene reads or writes the resource.
    fn scene_uses(&self, resource: RawHandle) -> bool {
        !self.scene.is_empty()
            && (self.framebuffer.uses(resource)
                || self.scene.textures().iter().any(|binding| binding.resource == resource))
    }

    /// Rasterizes the pending scene if it uses a resource that is about to change.
    fn flush_if_used(&mut self, resource: RawHandle) -> Result<(), PipeError> {
        if self.scene_uses(resource) { self.flush_scene() } else { self.finish_if_used(resource) }
    }

    /// Rasterizes the draws so far into the surfaces' memory, and waits until it is done.
    ///
    /// # Errors
    /// A streamed surface has no memory: its scene waits for `present`. Out of memory.
    fn flush_scene(&mut self) -> Result<(), PipeError> {
        self.finish()?;
        if self.scene.is_empty() {
            return Ok(());
        }
        if self.framebuffer.is_streamed() {
            return Err(PipeError::Busy("a streamed surface that was not presented"));
        }
        self.rasterize(None)
    }

    /// Rasterizes the draws so far as [`flush_scene`](Self::flush_scene) does, and records a stop.
    /// It is for calls that do no other long work.
    ///
    /// # Errors
    /// The errors of `flush_scene`.
    fn settle_scene(&mut self) -> Result<(), PipeError> {
        let flushed = self.flush_scene();
        self.note_stop(flushed)
    }

    /// Rasterizes a streamed scene to its panel.
    ///
    /// Vertex processing and rasterization use the same memory in turns. On a small board that
    /// streams, tiles and lane registers replace Draw's buffers.
    fn stream(&mut self, panel: &mut dyn TilePanel, part: Part) -> Result<(), PipeError> {
        if self.scene.spilled > 0 {
            let error = self.scene.too_small();
            self.drop_scene();
            return Err(error);
        }
        self.finish()?;
        self.pipeline = None;
        let keeps_scene = part.keeps_scene();
        let result = self.rasterize(Some((panel, part)));
        if self.scene.is_empty() {
            self.signal_fences();
        }
        if !keeps_scene {
            self.release_workers();
        }
        result
    }

    /// Returns the memory of tiles and lane registers to Draw.
    fn release_workers(&mut self) {
        for worker in self.workers.iter_mut() {
            worker.get_mut().release();
        }
    }

    /// Prints the size of a scene, if the debug flags ask for it.
    #[inline(always)]
    fn say_scene(&self) {
        #[cfg(feature = "desktop")]
        if self.device.debug.has(crate::debug::Debug::SCENES) {
            let (draws, words) = (self.scene.draws.len(), self.scene.arena.used());
            let (width, height) = (self.framebuffer.width, self.framebuffer.height);
            os_shim::say!("scene: {} draws, {} words, on {}x{}", draws, words, width, height);
        }
    }

    fn rasterize(&mut self, panel: Option<(&mut dyn TilePanel, Part)>) -> Result<(), PipeError> {
        #[cfg(feature = "es2")]
        self.take_lent_back();
        self.say_scene();
        // A scene with programs that use memory is flushed before any other draw, so the memory is
        // still bound.
        let memory = self.memory_bindings(FRAGMENT..FRAGMENT + 1)?;
        let mut written = memory.room(self.os.memory)?;
        let loans = self.take_loans();
        let (framebuffer, textures) = (self.framebuffer, self.scene.textures());
        let mut claim = Claim::when(self.device, loans, |resources| {
            framebuffer.is_idle(resources)
                && memory.is_ready(resources)
                && textures.iter().all(|binding| is_readable(resources, binding.resource))
        })?;
        let mut surfaces = Surfaces::take(&framebuffer, claim.resources(), NO_FLIGHT);
        let left = self.feedback.leave(&surfaces, claim.resources(), self.device);
        let held = left.and_then(|()| {
            memory.take(
                &mut written,
                claim.resources(),
                self.device.work,
                self.os.memory,
                |resource| textures.iter().any(|binding| binding.resource == resource),
            )
        });
        let lent = held.and_then(|()| {
            Ok(claim.lend(|loans, resources| {
                memory.lend(loans, resources)?;
                loans.lend_textures(resources, textures)
            })?)
        });
        let result = match lent {
            Ok(()) => match memory.slots(&mut written, claim.inputs(), self.os.memory) {
                Ok(slots) => {
                    let memory = slots.memory().for_stage(FRAGMENT);
                    self.rasterize_to(&mut surfaces, claim.inputs(), memory, panel)
                }
                Err(error) => Err(error.into()),
            },
            Err(error) => {
                self.drop_if_stopped(&lent);
                Err(error)
            }
        };
        self.feedback.take_back(claim.resources());
        surfaces.put_back(claim.resources());
        written.put_back(claim.resources());
        self.loans = claim.end();
        if self.scene.is_empty() {
            self.feedback.forget();
        }
        result
    }

    /// Rasterizes the scene to surfaces that are taken out of their resources, and empties it.
    fn rasterize_to(
        &mut self,
        surfaces: &mut Surfaces<'m>,
        inputs: Inputs<'_, 'm>,
        memory: ShaderMemory<'_>,
        panel: Option<(&mut dyn TilePanel, Part)>,
    ) -> Result<(), PipeError> {
        let keeps_scene = panel.as_ref().is_some_and(|(_, part)| part.keeps_scene());
        let frame = Frame {
            scene: &self.scene,
            framebuffer: &self.framebuffer,
            shaders: &self.objects.shaders,
            inputs,
            memory,
            threads: self.os.threads,
            work: self.device.work,
            timer: self.device.timer(),
        };
        let mut counts = SceneCounts::default();
        if self.queries.counts_scenes() {
            counts.add(&self.scene, panel.as_ref().map(|(_, part)| part));
        }
        let drawn = frame.rasterize(surfaces, &mut self.workers, panel);
        self.drop_if_stopped(&drawn);
        self.queries.add_pixels(drawn?);
        self.queries.add_scenes(counts);
        if keeps_scene {
            return Ok(());
        }
        self.drop_scene();
        Ok(())
    }
}

/// Returns Draw's pipeline in a profile's size; makes it at the first use.
#[inline(never)]
fn pipeline<'p, 'm, P: Profile>(
    pipeline: &'p mut Option<draw::Pipeline<'m, P::Row>>,
    memory: Memory<'m>,
) -> Result<&'p mut draw::Pipeline<'m, P::Row>, OutOfMemory> {
    match pipeline {
        Some(pipeline) => Ok(pipeline),
        none => Ok(none.insert(draw::Pipeline::new(memory, limits::<P>())?)),
    }
}

/// Returns the sizes of Draw's pipelines in a profile.
#[inline(always)]
fn limits<P: Profile>() -> draw::Limits {
    draw::Limits {
        segment_vertices: P::SEGMENT_VERTICES as u16,
        guard_band: crate::fixed::GUARD_BAND as u32,
    }
}

/// Returns the object that a handle names; an error if the handle is stale.
fn object<'a, K: Kind, T>(pool: &'a Pool<'_, T>, handle: Handle<K>) -> Result<&'a T, PipeError> {
    pool.get(handle.raw()).ok_or_else(|| PipeError::stale(handle))
}

/// Checks that a handle, if there is one, names an object.
fn check<K: Kind, T>(pool: &Pool<'_, T>, handle: Option<Handle<K>>) -> Result<(), PipeError> {
    match handle {
        Some(handle) => object(pool, handle).map(|_| ()),
        None => Ok(()),
    }
}

impl<'m, P: Profile> PipeContext<'m> for Context<'_, 'm, P> {}
#[cfg(not(feature = "es2"))]
impl<P: Profile> pipe_core::context::Blitting for Context<'_, '_, P> {}
#[cfg(not(feature = "es2"))]
impl<P: Profile> pipe_core::context::Transfers for Context<'_, '_, P> {}
#[cfg(not(feature = "shader-memory"))]
impl<'m, P: Profile> Compute<'m> for Context<'_, 'm, P> {}

impl<P: Profile> Drop for Context<'_, '_, P> {
    /// Signals the context's fences, and releases the resources of views, surfaces, bindings and
    /// open transfers.
    fn drop(&mut self) {
        self.end_flights();
        self.signal_fences();
        #[cfg(feature = "es2")]
        self.take_lent_back();
        let shared = &mut *self.device.shared.lock();
        #[cfg(feature = "es2")]
        {
            shared.contexts = shared.contexts.saturating_sub(1);
        }
        let resources = &mut shared.resources;
        #[cfg(feature = "es2")]
        for (_, transfer) in self.transfers.iter() {
            crate::device::release(resources, transfer.resource());
        }
        let release = |handle| crate::device::release(resources, handle);
        let held = self.objects.held().chain(self.bound.held()).chain(self.streams.held());
        held.chain(self.memory.held()).chain(self.queries.held()).for_each(release);
        #[cfg(feature = "desktop")]
        self.device.times.print();
    }
}
