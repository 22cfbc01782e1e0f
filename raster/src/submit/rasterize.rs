//! Rasterization of the pending scene.

use pipe_core::{PipeError, ShaderType, TilePanel};

use super::access::Granted;
use super::{Access, Renderer};
use crate::debug::Debug;
use crate::device::is_readable;
use crate::frame::{Frame, Part, Surfaces};
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::resource::{Inputs, Loans, MemoryBindings, NO_FLIGHT};
use crate::state::{Feedback, Objects, QueryState, SceneCounts, State};

/// A panel, and the part of the scene that goes to it.
type ToPanel<'p> = (&'p mut dyn TilePanel, Part);

impl<'s, 'm, P: Profile> Renderer<'s, 'm, P> {
    /// Rasterizes the draws so far into the surfaces' memory, and waits until it is done.
    ///
    /// # Errors
    /// A streamed surface has no memory: its scene waits for `present`. Out of memory.
    pub(crate) fn flush_scene(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.finish(state)?;
        if self.scene.is_empty() {
            return Ok(());
        }
        if self.framebuffer.is_streamed() {
            return Err(PipeError::Busy("a streamed surface that was not presented"));
        }
        self.rasterize(state, None)
    }

    /// Rasterizes a streamed scene to its panel.
    ///
    /// Vertex processing and rasterization use the same memory in turns. On a small board that
    /// streams, tiles and lane registers replace Draw's buffers.
    ///
    /// # Errors
    /// A frame larger than the scene's memory; the panel's errors; out of memory.
    pub(crate) fn stream(
        &mut self,
        state: &mut State<'m>,
        panel: &mut dyn TilePanel,
        part: Part,
    ) -> Result<(), PipeError> {
        if self.scene.spilled > 0 {
            let error = self.scene.too_small();
            self.drop_scene();
            return Err(error);
        }
        self.finish(state)?;
        self.pipeline = None;
        let keeps_scene = part.keeps_scene();
        let result = self.rasterize(state, Some((panel, part)));
        if self.scene.is_empty() {
            state.fences.signal(self.device);
        }
        if !keeps_scene {
            self.release_workers();
        }
        result
    }

    /// Returns the memory of tiles and lane registers to Draw.
    pub(crate) fn release_workers(&mut self) {
        for worker in self.workers.iter_mut() {
            worker.get_mut().release();
        }
    }

    /// Prints the size of a scene, if the debug flags ask for it.
    #[inline(always)]
    pub(super) fn say_scene(&self) {
        if self.device.debug.has(Debug::SCENES) {
            let (draws, words) = (self.scene.draws.len(), self.scene.arena.used());
            let (width, height) = (self.framebuffer.width, self.framebuffer.height);
            os_shim::say!("scene: {} draws, {} words, on {}x{}", draws, words, width, height);
        }
    }

    /// Rasterizes the scene to its surfaces, or a part of it to a panel.
    pub(super) fn rasterize(
        &mut self,
        state: &mut State<'m>,
        panel: Option<ToPanel<'_>>,
    ) -> Result<(), PipeError> {
        self.take_lent_back(state);
        self.say_scene();
        self.forget_plan();
        // A scene with programs that use memory is flushed before any other draw, so the memory is
        // still bound.
        let memory = state.memory_bindings(&[ShaderType::Fragment], self.device.os.memory)?;
        let State { objects, queries, feedback, loans, .. } = state;
        let drawn = match self.access_scene(feedback, loans, &memory) {
            Ok(mut access) => {
                access.work(&memory, |Granted { claim, surfaces, memory, .. }| {
                    let memory = memory.for_stage(ShaderType::Fragment);
                    self.rasterize_to(objects, queries, surfaces, claim.inputs(), memory, panel)
                })
            }
            stopped => {
                self.drop_if_stopped(&stopped);
                stopped.map(|_| ())
            }
        };
        if self.scene.is_empty() {
            feedback.forget();
        }
        drawn
    }

    /// Claims the memory that the scene reads and writes.
    ///
    /// # Errors
    /// [`PipeError::Busy`] and [`PipeError::Stopped`]; out of memory.
    #[inline(always)]
    fn access_scene<'a>(
        &self,
        feedback: &'a mut Feedback<'m>,
        loans: &'a mut Loans<'m>,
        memory: &MemoryBindings<'m>,
    ) -> Result<Access<'a, 's, 'm>, PipeError> {
        let (framebuffer, textures) = (&self.framebuffer, self.scene.textures());
        let mut access = Access::claim(self.device, loans, |resources| {
            framebuffer.is_idle(resources)
                && memory.is_ready(resources)
                && textures.iter().all(|binding| is_readable(resources, binding.resource))
        })?;
        access.take_surfaces(framebuffer, NO_FLIGHT, feedback)?;
        access.take_memory(memory, |resource| {
            textures.iter().any(|binding| binding.resource == resource)
        })?;
        access.lend(|loans, resources| {
            memory.lend(loans, resources)?;
            loans.lend_textures(resources, textures)
        })?;
        Ok(access)
    }

    /// Rasterizes the scene to surfaces that are taken out of their resources, and empties it.
    pub(super) fn rasterize_to(
        &mut self,
        objects: &Objects<'m>,
        queries: &mut QueryState<'m>,
        surfaces: &mut Surfaces<'m>,
        inputs: Inputs<'_, 'm>,
        memory: ShaderMemory<'_>,
        panel: Option<ToPanel<'_>>,
    ) -> Result<(), PipeError> {
        let keeps_scene = panel.as_ref().is_some_and(|(_, part)| part.keeps_scene());
        let frame = Frame {
            scene: &self.scene,
            framebuffer: &self.framebuffer,
            shaders: &objects.shaders,
            inputs,
            memory,
            threads: self.device.os.threads,
            work: self.device.work,
            timer: self.device.timer(),
        };
        let mut counts = SceneCounts::default();
        if queries.counts_scenes() {
            counts.add(&self.scene, panel.as_ref().map(|(_, part)| part));
        }
        let drawn = frame.rasterize(surfaces, &mut self.workers, panel);
        self.drop_if_stopped(&drawn);
        queries.add_pixels(drawn?);
        queries.add_scenes(counts);
        if !keeps_scene {
            self.drop_scene();
        }
        Ok(())
    }
}
