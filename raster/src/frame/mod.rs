//! A frame: the tiles of a scene, drawn to memory or handed to a panel.
//!
//! Surfaces with memory are split into bands, one row of tiles each; workers claim bands and draw
//! in place (`bands`). Streamed surfaces have no memory: each tile is drawn in a worker's own
//! buffer and handed to the panel, then the buffer is used again (`present`).

mod bands;
mod clear;
mod framebuffer;
mod present;
mod surfaces;
mod worker;

use core::ops::Range;

use os_shim::Vec;
use os_shim::pool::Pool;
use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::{PipeError, TilePanel};

use self::bands::Bands;
use self::clear::TileClear;
pub(crate) use self::framebuffer::{Attachment, Framebuffer};
pub(crate) use self::surfaces::Surfaces;
pub(crate) use self::worker::Worker;
use crate::budget::Work;
use crate::fragment;
use crate::profile::Profile;
use crate::resource::{Inputs, Levels, Sampler};
use crate::scene::Scene;
use crate::shader::Shader;

/// Everything that a frame is made of.
pub(crate) struct Frame<'f, 'm, P: Profile> {
    pub(crate) scene: &'f Scene<'m, P>,
    pub(crate) framebuffer: &'f Framebuffer,
    pub(crate) shaders: &'f Pool<'m, Shader<'m>>,
    /// The levels that its textures show.
    pub(crate) inputs: Inputs<'f, 'm>,
    pub(crate) threads: &'f dyn Threads,
    pub(crate) work: Work<'m>,
}

/// A frame ready to be drawn; shared by all workers.
struct Pass<'a, 'm, P: Profile> {
    inputs: fragment::Inputs<'a, 'm, P>,
    framebuffer: &'a Framebuffer,
    /// The clear that comes before everything, ready to be written.
    cleared: Option<&'a TileClear>,
}

impl<'m, P: Profile> Frame<'_, 'm, P> {
    /// Draws the scene to `surfaces`, or, of streamed surfaces, the given rows of pixels to a
    /// panel.
    ///
    /// Returns the samples that passed in draws that count them.
    ///
    /// # Errors
    /// Out of memory, before anything is drawn; the panel's errors; [`PipeError::Stopped`] after a
    /// part was drawn.
    pub(crate) fn rasterize(
        &self,
        surfaces: &mut Surfaces<'m>,
        workers: &mut [Mutex<Worker<'m, P>>],
        mut panel: Option<(&mut dyn TilePanel, Range<u32>)>,
    ) -> Result<u64, PipeError> {
        let &Frame { scene, framebuffer, shaders, inputs, threads, work } = self;
        let mut lent = None;
        if let ([_], Some((panel, _))) = (&*workers, &mut panel)
            && panel.lend(0)?.is_some()
        {
            lent = framebuffer.shown().map(|(index, _)| index);
        }
        self.reserve(workers, lent)?;

        // All memory is allocated before anything is moved.
        let memory = scene.textures.memory();
        let units = scene.textures.len();
        let mut levels = Levels::with_room_for(&scene.textures, memory)?;
        let mut samplers: Vec<'m, Sampler<'_>> = Vec::try_with_capacity_in(units, memory)?;
        levels.find(&scene.textures, inputs);
        levels.samplers(&scene.textures, &mut samplers);

        let inputs = fragment::Inputs { scene, shaders, samplers: &samplers, work };
        let cleared;
        let mut pass = Pass { inputs, framebuffer, cleared: None };
        if let Some(initial) = &scene.initial {
            cleared = TileClear::new(initial, &framebuffer.formats());
            pass.cleared = Some(&cleared);
        }
        let mut bands = Bands::new(surfaces.attach(framebuffer));
        match panel {
            Some((panel, rows)) => {
                present::stream(&pass, &mut bands, workers, threads, panel, rows)?;
            }
            None => bands::draw_all(&pass, bands, workers, threads),
        }
        work.spend(0)?;
        Ok(workers.iter_mut().map(|worker| worker.get_mut().pixels_passed).sum())
    }

    /// Makes room in each worker for the largest program and the most varyings of the scene.
    fn reserve(
        &self,
        workers: &mut [Mutex<Worker<'m, P>>],
        lent: Option<usize>,
    ) -> Result<(), PipeError> {
        let draws = &self.scene.draws;
        let rows = draws
            .iter()
            .filter_map(|draw| self.shaders.get(draw.shader?))
            .map(|shader| shader.program().rows as usize)
            .max()
            .unwrap_or(0);
        let planes = draws.iter().map(|draw| draw.varyings.1 as usize).max().unwrap_or(0);
        for worker in workers.iter_mut() {
            let worker = worker.get_mut();
            worker.reserve(rows, planes, self.framebuffer, lent)?;
            worker.pixels_passed = 0;
        }
        Ok(())
    }
}
