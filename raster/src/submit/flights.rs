//! Flushes that return before their work is done.
//!
//! A flush hands the scene and its claim on levels to a background thread, and the context records
//! the next scene. A context has at most one scene in flight. Calls that need its results wait for
//! it, or rasterize it if no thread has begun: calls that use its resources, queries that count its
//! pixels, and the next flush. Draws do not wait: they reserve the surfaces, and wait only when
//! their scene is full.
//!
//! The first call that waits returns the flight's error. If a scene ran out of memory, this call
//! rasterizes it again.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use os_shim::shared::Shared;
use os_shim::sync::Mutex;
use os_shim::threads::{Background, Later};
use pipe_core::{DrawInfo, FenceHandle, PipeError, ShaderType};

use super::draw::each_input;
use super::{Access, Renderer, scene_bytes};
use crate::device::{Claim, Device, hold, is_readable, release};
use crate::fragment::PixelCounts;
use crate::frame::{Flight, Framebuffer, Surfaces, Worker};
use crate::profile::Profile;
use crate::record::vertex_views;
use crate::resource::{FlightNumber, Loans, NO_FLIGHT, Resource};
use crate::scene::Scene;
use crate::shader::Shader;
use crate::state::{Feedback, SceneCounts, State};

/// The background for flushes, if there is one, and the device as flights hold it.
pub(crate) type Launch<'s, 'm> = Option<(&'s dyn Background<'m>, Shared<'m, Device<'m>>)>;

/// The background that rasterizes scenes, and the device as flights hold it.
struct Carrier<'s, 'm, P: Profile> {
    background: &'s dyn Background<'m>,
    device: Shared<'m, Device<'m>>,
    later: Later<Flight<'m, P>>,
}

/// The scene in flight of a context, and the remains of the last flight.
pub(super) struct Flights<'s, 'm, P: Profile> {
    /// `None` if flushes are done when they return.
    carrier: Option<Carrier<'s, 'm, P>>,
    /// The flight that has not been waited for.
    number: FlightNumber,
    /// Set from the start of a flight until all its results are taken.
    is_open: bool,
    /// The surfaces that the flight draws to.
    drawn: Framebuffer,
    /// The resources that the flight uses; it holds each of them.
    held: Vec<'m, RawHandle>,
    /// The scene for the next flight.
    spare: Option<Scene<'m, P>>,
    /// A scene that ran out of memory.
    failed: Option<(Scene<'m, P>, Framebuffer)>,
    counts: PixelCounts,
    /// The counts of the flight's scene, if scenes are counted.
    scenes: SceneCounts,
    error: Option<PipeError>,
}

impl<'s, 'm, P: Profile> Flights<'s, 'm, P> {
    pub(super) fn new(launch: Launch<'s, 'm>, memory: Memory<'m>) -> Self {
        let carrier = |(background, device)| Carrier { background, device, later: Later::new() };
        Flights {
            carrier: launch.map(carrier),
            number: NO_FLIGHT,
            is_open: false,
            drawn: Framebuffer::default(),
            held: Vec::new_in(memory),
            spare: None,
            failed: None,
            counts: PixelCounts::default(),
            scenes: SceneCounts::default(),
            error: None,
        }
    }

    /// Returns true if a scene in flight, or a failed scene, uses the resource.
    pub(super) fn uses(&self, resource: RawHandle) -> bool {
        self.is_open && self.held.contains(&resource)
    }

    /// Returns true if there is no flight or it is done.
    pub(super) fn is_over(&self) -> bool {
        self.carrier.as_ref().is_none_or(|carrier| carrier.later.is_done())
    }

    /// Returns the framebuffer of the scene in flight or of the failed scene.
    #[cfg(feature = "desktop")]
    pub(super) fn under_way(&self) -> Option<&Framebuffer> {
        let waits = self.is_open && (self.failed.is_some() || !self.is_over());
        waits.then_some(&self.drawn)
    }

    /// Waits for the flight, and takes back the objects that it held.
    fn join(&mut self, workers: &mut Vec<'m, Mutex<Worker<'m, P>>>, device: &Device<'m>) {
        let landed = self.carrier.as_mut().and_then(|carrier| carrier.later.finish());
        self.take(landed, workers, device);
    }

    /// Takes back the objects that a flight held.
    fn take(
        &mut self,
        landed: Option<Flight<'m, P>>,
        workers: &mut Vec<'m, Mutex<Worker<'m, P>>>,
        device: &Device<'m>,
    ) {
        self.number = NO_FLIGHT;
        let Some(flight) = landed else { return };
        let Flight { scene, framebuffer, workers: theirs, outcome, .. } = flight;
        *workers = theirs;
        if outcome.is_err() {
            self.scenes = SceneCounts::default();
        }
        if !scene.is_empty() {
            self.failed = Some((scene, framebuffer));
            return;
        }
        self.spare = Some(scene);
        self.let_go(device);
        match outcome {
            Ok(counts) => self.counts += counts,
            Err(error) => self.error = Some(error),
        }
    }

    /// Releases the resources of the flight.
    fn let_go(&mut self, device: &Device<'m>) {
        if !self.held.is_empty() {
            let resources = &mut device.shared.lock().resources;
            self.held.iter().for_each(|resource| release(resources, *resource));
            self.held.clear();
        }
    }

    /// Returns the access to the flight that a draw needs if its scene is full.
    pub(super) fn way<'c>(&'c mut self, device: &'c Device<'m>) -> Way<'c, 's, 'm, P> {
        Way { flights: self, device }
    }

    /// Keeps an error for the next call that waits, unless that call tries the failed scene again.
    fn keep(&mut self, error: PipeError) {
        if self.failed.is_none() {
            self.error.get_or_insert(error);
            self.is_open = true;
        }
    }
}

/// Access to the objects that a flight holds, for a draw that fills its scene.
pub(super) struct Way<'c, 's, 'm, P: Profile> {
    flights: &'c mut Flights<'s, 'm, P>,
    device: &'c Device<'m>,
}

/// The workers of a context. A flight takes them along.
pub(super) type Workers<'c, 'm, P> = &'c mut Vec<'m, Mutex<Worker<'m, P>>>;

impl<'m, P: Profile> Way<'_, '_, 'm, P> {
    /// Waits for the flight, and takes the workers and surfaces that it held.
    ///
    /// # Errors
    /// The flight ran out of memory: its scene must be rasterized first.
    pub(super) fn make(
        &mut self,
        workers: Workers<'_, 'm, P>,
        claim: &Claim<'_, 'm>,
        surfaces: &mut Surfaces<'m>,
    ) -> Result<(), PipeError> {
        if !self.flights.is_open {
            return Ok(());
        }
        self.flights.join(workers, self.device);
        if let Some((scene, _)) = &self.flights.failed {
            return Err(OutOfMemory { requested: scene.arena.used().saturating_mul(4) }.into());
        }
        if surfaces.are_awaited() {
            claim.fetch(|resources| surfaces.fetch(resources, self.device.os.memory));
        }
        Ok(())
    }
}

impl<'s, 'm, P: Profile> Renderer<'s, 'm, P> {
    /// Returns the number of the flight that has not been waited for.
    pub(crate) fn flight(&self) -> FlightNumber {
        self.flights.number
    }

    /// Returns a fence of the flight that has not been waited for.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn fence_of_flight(&self) -> Result<RawHandle, PipeError> {
        self.device.fence_of(self.flights.number)
    }

    /// Waits for a fence if a flight of another context signals it; returns true if it is
    /// signalled, or belongs to the flight of this context.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn wait_for_flight(&self, fence: FenceHandle) -> Result<bool, PipeError> {
        self.device.wait_for_flight(fence, self.flights.number)
    }

    /// Returns the shaders to change them.
    ///
    /// # Errors
    /// A scene that uses the shaders ran out of memory, and there is still too little.
    pub(super) fn shaders_mut<'a>(
        &mut self,
        state: &'a mut State<'m>,
    ) -> Result<&'a mut Pool<'m, Shader<'m>>, PipeError> {
        if let Err(error) = self.finish(state) {
            if self.flights.failed.is_some() {
                return Err(error);
            }
            self.flights.keep(error);
        }
        state.objects.shaders.get_mut().ok_or(PipeError::Busy("shaders of a flush under way"))
    }

    /// Waits for the scene in flight, and takes its results.
    ///
    /// # Errors
    /// The errors of its rasterization.
    #[inline]
    pub(super) fn finish(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        if self.flights.is_open { self.finish_flight(state) } else { Ok(()) }
    }

    #[cold]
    fn finish_flight(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.flights.join(&mut self.workers, self.device);
        state.queries.add_pixels(core::mem::take(&mut self.flights.counts));
        state.queries.add_scenes(core::mem::take(&mut self.flights.scenes));
        if let Some((scene, framebuffer)) = self.flights.failed.take() {
            self.retry(state, scene, framebuffer)?;
        }
        self.flights.is_open = false;
        self.flights.error.take().map_or(Ok(()), Err)
    }

    /// Rasterizes a scene that ran out of memory before.
    fn retry(
        &mut self,
        state: &mut State<'m>,
        scene: Scene<'m, P>,
        framebuffer: Framebuffer,
    ) -> Result<(), PipeError> {
        let next = core::mem::replace(&mut self.scene, scene);
        let its_framebuffer = core::mem::replace(&mut self.framebuffer, framebuffer);
        let none = Feedback::new_in(self.device.os.memory);
        let its_feedback = core::mem::replace(&mut state.feedback, none);
        let result = self.rasterize(state, None);
        state.feedback = its_feedback;
        self.framebuffer = its_framebuffer;
        let scene = core::mem::replace(&mut self.scene, next);
        self.touch();
        if scene.is_empty() {
            self.flights.spare = Some(scene);
            self.flights.let_go(self.device);
        } else {
            self.flights.failed = Some((scene, framebuffer));
        }
        result
    }

    /// Waits for the scene in flight if it uses the resource.
    ///
    /// # Errors
    /// The errors of its rasterization.
    #[inline]
    pub(super) fn finish_if_used(
        &mut self,
        state: &mut State<'m>,
        resource: RawHandle,
    ) -> Result<(), PipeError> {
        if self.flights.uses(resource) { self.finish_flight(state) } else { Ok(()) }
    }

    /// Waits for the scene in flight if it uses resources that a draw reads at once, or if the draw
    /// samples its own surfaces.
    ///
    /// # Errors
    /// The errors of its rasterization.
    pub(super) fn finish_for_draw(
        &mut self,
        state: &mut State<'m>,
        info: &DrawInfo<'_>,
    ) -> Result<(), PipeError> {
        if !self.flights.is_open {
            return Ok(());
        }
        let mut waits = !state.feedback.is_empty() || self.flights.failed.is_some();
        waits |= vertex_views(state.bindings()).any(|view| self.flights.uses(view.resource));
        each_input(&state.bound, info, &mut |resource| waits |= self.flights.uses(resource));
        let mut attached = self.framebuffer.attachments.iter().flatten().map(|it| it.resource);
        let is_read = |it| self.flights.uses(it) && !self.flights.drawn.uses(it);
        waits |= attached.any(is_read);
        if waits { self.finish_flight(state) } else { Ok(()) }
    }

    /// Returns true if the framebuffer can be drawn to now, or after the context's flight has
    /// landed.
    pub(super) fn can_draw(&self, resources: &Pool<'m, Resource<'m>>) -> bool {
        self.framebuffer.attachments.iter().flatten().all(|attachment| {
            resources.get(attachment.resource).is_none_or(|resource| {
                resource.is_idle() || resource.is_drawn_to_by(self.flights.number)
            })
        })
    }

    /// Records that the scene in flight was stopped, if it was, so that reset queries are answered
    /// correctly.
    pub(crate) fn note_flight(&mut self, state: &mut State<'m>) {
        if !self.flights.is_open || !self.device.work.is_bounded() {
            return;
        }
        match self.finish(state) {
            stopped @ Err(PipeError::Stopped(_)) => drop(self.note_stop(state, stopped)),
            Err(error) => self.flights.keep(error),
            Ok(()) => {}
        }
    }

    /// Rasterizes the draws so far, in the background if there is one.
    ///
    /// # Errors
    /// The errors of [`flush_scene`](Self::flush_scene); the errors of the previous scene.
    pub(crate) fn start_scene(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        if self.scene.is_empty() {
            return if self.flights.is_over() { self.finish(state) } else { Ok(()) };
        }
        let stays = self.flights.carrier.is_none() || self.framebuffer.is_streamed();
        if stays || !state.feedback.is_empty() {
            return self.flush_scene(state);
        }
        let finished = self.finish(state);
        if self.flights.failed.is_some() {
            return finished;
        }
        // A scene with programs that use memory is flushed before any other draw, so the memory is
        // still bound.
        let memory = state.memory_bindings(&[ShaderType::Fragment], self.device.os.memory)?;
        if !memory.is_empty() {
            return finished.and(self.flush_scene(state));
        }
        match self.take_off(state) {
            Ok(()) => finished,
            Err(PipeError::OutOfMemory { .. }) => finished.and(self.flush_scene(state)),
            Err(error) => finished.and(Err(error)),
        }
    }

    /// Rasterizes the draws so far as [`start_scene`](Self::start_scene) does, for a call that
    /// continues with an empty scene. Keeps errors of finished scenes for the next call that waits.
    ///
    /// # Errors
    /// The errors of `start_scene`.
    pub(crate) fn leave_scene(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        match self.start_scene(state) {
            Err(error) if self.flights.carrier.is_some() && self.scene.is_empty() => {
                self.flights.keep(error);
                Ok(())
            }
            started => started,
        }
    }

    /// Starts a flight with the scene.
    ///
    /// # Errors
    /// Out of memory. [`PipeError::Busy`]: another context has mapped a resource of the scene
    /// directly, so its CPU holds the memory. After an error everything is as before.
    fn take_off(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.take_lent_back(state);
        let mut next = match self.flights.spare.take() {
            Some(scene) => scene,
            None => Scene::new(scene_bytes::<P>(self.device), self.device.os.memory)?,
        };
        let (shaders, number) = match self.prepare(state, &mut next) {
            Ok(prepared) => prepared,
            Err(error) => {
                self.stay(next);
                return Err(error.into());
            }
        };
        match self.claim_flight(&mut state.loans, number) {
            Ok((surfaces, loans)) => {
                let cargo = Cargo { next, shaders, surfaces, loans, number };
                self.start(state, cargo);
                Ok(())
            }
            Err(error) => {
                self.device.land(number);
                self.stay(next);
                Err(error)
            }
        }
    }

    /// Claims the memory that the scene reads and writes, for a flight.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Busy`].
    fn claim_flight(
        &self,
        loans: &mut Loans<'m>,
        number: FlightNumber,
    ) -> Result<(Surfaces<'m>, Loans<'m>), PipeError> {
        let (framebuffer, textures) = (&self.framebuffer, self.scene.textures());
        let mut access = Access::claim(self.device, loans, |resources| {
            framebuffer.is_idle(resources)
                && textures.iter().all(|binding| is_readable(resources, binding.resource))
        })?;
        // Scenes that sample their own surfaces do not fly.
        access.take_plain_surfaces(framebuffer, NO_FLIGHT);
        access.lend(|loans, resources| loans.lend_textures(resources, textures))?;
        let (surfaces, resources) = access.surfaces_and_resources();
        surfaces.set_flight(resources, number);
        for held in self.flights.held.iter() {
            hold(resources, *held);
        }
        Ok(access.leave())
    }

    /// Hands the scene to the background, and continues with an empty one.
    fn start(&mut self, state: &mut State<'m>, cargo: Cargo<'m, P>) {
        let Cargo { next, shaders, surfaces, loans, number } = cargo;
        if state.queries.counts_scenes() {
            self.flights.scenes.add(&self.scene, None);
        }
        self.say_scene();
        state.fences.leave(self.device, number);
        let framebuffer = self.framebuffer;
        let scene = core::mem::replace(&mut self.scene, next);
        let none = Vec::new_in(self.device.os.memory);
        let workers = core::mem::replace(&mut self.workers, none);
        self.touch();
        state.feedback.forget();
        self.flights.number = number;
        self.flights.drawn = framebuffer;
        self.flights.is_open = true;
        let outcome = Ok(PixelCounts::default());
        if let Some(Carrier { background, device, later }) = &mut self.flights.carrier {
            let device = device.clone();
            let flight = Flight {
                device,
                shaders,
                scene,
                framebuffer,
                surfaces,
                loans,
                workers,
                number,
                outcome,
            };
            later.start(flight, *background);
        }
    }

    /// Keeps the next scene after a flight could not start.
    fn stay(&mut self, next: Scene<'m, P>) {
        self.flights.held.clear();
        self.flights.spare = Some(next);
    }

    /// Prepares everything that a flight needs except its claim: the next scene, the resources to
    /// hold, the shaders, and its number.
    ///
    /// # Errors
    /// Out of memory.
    fn prepare(
        &mut self,
        state: &mut State<'m>,
        next: &mut Scene<'m, P>,
    ) -> Result<(Shared<'m, Pool<'m, Shader<'m>>>, FlightNumber), OutOfMemory> {
        let memory = self.device.os.memory;
        next.resize(self.scene.width, self.scene.height, self.scene.layers)?;
        let drawn = self.framebuffer.attachments.iter().flatten().map(|drawn| drawn.resource);
        let read = self.scene.textures().iter().map(|binding| binding.resource);
        for resource in drawn.chain(read) {
            if !self.flights.held.contains(&resource) {
                self.flights.held.try_push(resource)?;
            }
        }
        let shaders = state.objects.shaders.lend(Pool::new_in(memory), memory)?;
        Ok((shaders, self.device.take_off()?))
    }

    /// Waits for the flight when the context is dropped, and drops its result.
    pub(crate) fn end_flights(&mut self) {
        let carrier = self.flights.carrier.as_mut();
        let landed = carrier.and_then(|carrier| carrier.later.finish_quietly());
        self.flights.take(landed, &mut self.workers, self.device);
        self.flights.let_go(self.device);
    }
}

/// A flight's objects except the scene, before it starts.
struct Cargo<'m, P: Profile> {
    /// The scene that the context continues with.
    next: Scene<'m, P>,
    shaders: Shared<'m, Pool<'m, Shader<'m>>>,
    surfaces: Surfaces<'m>,
    loans: Loans<'m>,
    number: FlightNumber,
}
