//! Makes room in the middle of a draw: rasterizes a full scene, and continues with an empty one.

use os_shim::pool::Pool;
use os_shim::threads::Threads;
use pipe_core::PipeError;

use super::flights::{Way, Workers};
use crate::budget::Work;
use crate::debug::Timer;
use crate::device::Claim;
use crate::features::FLIGHTS;
use crate::fragment::PixelCounts;
use crate::frame::{Frame, Framebuffer, Surfaces};
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::scene::Scene;
use crate::shader::Shader;
use crate::state::SceneCounts;

/// The inputs for rasterizing a full scene in the middle of a draw.
pub(super) struct Overflow<'c, 's, 'm, P: Profile> {
    pub(super) framebuffer: &'c Framebuffer,
    pub(super) shaders: &'c Pool<'m, Shader<'m>>,
    pub(super) claim: &'c Claim<'c, 'm>,
    pub(super) surfaces: &'c mut Surfaces<'m>,
    pub(super) way: Way<'c, 's, 'm, P>,
    pub(super) memory: ShaderMemory<'c>,
    pub(super) workers: Workers<'c, 'm, P>,
    pub(super) threads: &'c dyn Threads,
    pub(super) work: Work<'m>,
    pub(super) timer: Timer<'c>,
    /// The counts of the rasterized scenes.
    pub(super) counts: PixelCounts,
    /// Set if scenes are counted too.
    pub(super) counts_scenes: bool,
    pub(super) scenes: SceneCounts,
}

impl<'m, P: Profile> Overflow<'_, '_, 'm, P> {
    /// Empties the scene but keeps the record of `draw`; returns the record's new index.
    pub(super) fn make_room(
        &mut self,
        scene: &mut Scene<'m, P>,
        draw: u32,
    ) -> Result<u32, PipeError> {
        if self.framebuffer.is_streamed() {
            // A streamed frame cannot be drawn in parts: its rest is only measured for the error.
            scene.spill(draw);
            return Ok(0);
        }
        if FLIGHTS {
            self.way.make(self.workers, self.claim, self.surfaces)?;
        }
        let &mut Overflow { framebuffer, shaders, claim, memory, threads, work, timer, .. } = self;
        let lent = claim.lend_scene(scene.textures())?;
        let inputs = lent.inputs();
        if self.counts_scenes {
            self.scenes.add(scene, None);
        }
        let frame = Frame { scene, framebuffer, shaders, inputs, memory, threads, work, timer };
        self.counts += frame.rasterize(self.surfaces, self.workers, None)?;
        scene.keep_only(draw);
        Ok(0)
    }
}
