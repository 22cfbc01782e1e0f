//! A frame: the tiles of a scene, drawn to memory or handed to a panel.
//!
//! Surfaces with memory are split into bands, one row of tiles each. Workers claim bands and draw
//! in place (`bands`). Streamed surfaces have no memory: a worker draws each tile in its private
//! buffer, hands it to the panel, and uses the buffer again (`present`).

mod bands;
mod clear;
#[cfg(flights)]
mod flight;
mod framebuffer;
mod part;
mod present;
mod pull;
mod surfaces;
mod worker;

use os_shim::pool::Pool;
use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::{PipeError, TilePanel};

use self::bands::Bands;
use self::clear::TileClear;
#[cfg(flights)]
pub(crate) use self::flight::Flight;
pub(crate) use self::framebuffer::{ATTACHMENTS, Attachment, Framebuffer, NO_MEMORY_SURFACES};
pub(crate) use self::part::Part;
pub(crate) use self::pull::LentTile;
pub(crate) use self::surfaces::Surfaces;
pub(crate) use self::worker::Worker;
use crate::budget::Work;
use crate::debug::{Counter, Phase, Timer};
use crate::features::{ES2, MEMORY_SURFACES, SMALL_CODE};
use crate::fragment::{self, PixelCounts};
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::resource::{Inputs, Levels};
use crate::scene::Scene;
use crate::shader::Shader;

/// The inputs of a frame.
pub(crate) struct Frame<'f, 'm, P: Profile> {
    pub(crate) scene: &'f Scene<'m, P>,
    pub(crate) framebuffer: &'f Framebuffer,
    pub(crate) shaders: &'f Pool<'m, Shader<'m>>,
    /// The levels that the frame's textures show.
    pub(crate) inputs: Inputs<'f, 'm>,
    /// The memory of the fragment stage.
    pub(crate) memory: ShaderMemory<'f>,
    pub(crate) threads: &'f dyn Threads,
    pub(crate) work: Work<'f>,
    pub(crate) timer: Timer<'f>,
}

/// A frame prepared for drawing; all workers share it.
struct Pass<'a, 'm, P: Profile> {
    inputs: fragment::Inputs<'a, 'm, P>,
    framebuffer: &'a Framebuffer,
    /// The clear that precedes everything else in a tile, ready to write.
    cleared: Option<&'a TileClear>,
}

impl<'m, P: Profile> Frame<'_, 'm, P> {
    /// Draws the scene to `surfaces`, or draws the given part of streamed surfaces to a panel.
    ///
    /// Returns the pixel counts of the draws that count pixels.
    ///
    /// # Errors
    /// Out of memory, before anything is drawn; the panel's errors; [`PipeError::Stopped`] after a
    /// part was drawn.
    pub(crate) fn rasterize(
        &self,
        surfaces: &mut Surfaces<'m>,
        workers: &mut [Mutex<Worker<'m, P>>],
        mut panel: Option<(&mut dyn TilePanel, Part)>,
    ) -> Result<PixelCounts, PipeError> {
        let &Frame { scene, framebuffer, shaders, inputs, memory, threads, work, timer } = self;
        timer.count(Counter::Scenes, 1);
        let _watch = timer.named("scene", Phase::Waiting);
        let workers = match &panel {
            Some((_, part)) => part.workers(workers),
            None => workers,
        };
        let mut lent = None;
        if let ([_], Some((panel, _))) = (&*workers, &mut panel)
            && framebuffer.samples() == 1
            && panel.lend(0)?.is_some()
        {
            lent = framebuffer.shown().map(|(index, _)| index);
        }
        self.reserve(workers, lent)?;

        // Allocates all memory before anything moves.
        let heap = scene.textures.memory();
        let textures = scene.textures();
        let levels = Levels::of(textures, inputs, heap)?;
        let samplers = levels.samplers(textures, heap)?;

        let inputs = fragment::Inputs { scene, shaders, samplers: &samplers, memory, work, timer };
        let formats = framebuffer.formats();
        let mut cleared = scene.initial.as_ref().map(|clear| TileClear::new(clear, &formats));
        let mut bands = Bands::new(surfaces.attach(framebuffer));
        match panel {
            Some((panel, part)) => {
                let pass = Pass { inputs, framebuffer, cleared: cleared.as_ref() };
                present::stream(&pass, &mut bands, workers, threads, panel, &part)?;
            }
            None if !MEMORY_SURFACES => {}
            None => {
                let ahead = take_ahead(&mut cleared, framebuffer);
                let pass = Pass { inputs, framebuffer, cleared: cleared.as_ref() };
                bands::draw_all(&pass, ahead.as_ref(), bands, workers, threads);
            }
        }
        work.spend(0)?;
        let mut counts = PixelCounts::default();
        for worker in workers.iter_mut().filter(|_| ES2) {
            counts += worker.get_mut().counts;
        }
        Ok(counts)
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
            worker.counts = PixelCounts::default();
        }
        Ok(())
    }
}

/// Moves the clears of attachments in memory, which run ahead of drawing, out of the clears in
/// tiles.
#[inline(always)]
fn take_ahead(in_tiles: &mut Option<TileClear>, framebuffer: &Framebuffer) -> Option<TileClear> {
    if SMALL_CODE {
        return None;
    }
    let is_streamed = |index| framebuffer.is_streamed_at(index);
    let cleared = in_tiles.take()?;
    if (0..ATTACHMENTS).any(is_streamed) {
        *in_tiles = Some(cleared.only(is_streamed));
    }
    Some(cleared.only(|index| !is_streamed(index)))
}
