//! A flight: a scene that a background thread rasterizes, with all data that it needs.
//!
//! A flight holds its claim on levels until it lands: levels that it draws to are out of their
//! resources, and levels that it reads are lent. It waits for no other flight and for no call, so a
//! wait for it ends.

use os_shim::Vec;
use os_shim::pool::Pool;
use os_shim::shared::Shared;
use os_shim::sync::Mutex;
use os_shim::threads::Job;
use pipe_core::PipeError;

use super::{Frame, Framebuffer, Surfaces, Worker};
use crate::budget::Work;
use crate::device::Device;
use crate::fragment::PixelCounts;
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::resource::{FlightNumber, Loans, NO_FLIGHT};
use crate::scene::Scene;
use crate::shader::Shader;

/// A scene on its way to its surfaces.
pub(crate) struct Flight<'m, P: Profile> {
    pub(crate) device: Shared<'m, Device<'m>>,
    pub(crate) shaders: Shared<'m, Pool<'m, Shader<'m>>>,
    /// Empty after the flight, unless the flight ran out of memory.
    pub(crate) scene: Scene<'m, P>,
    pub(crate) framebuffer: Framebuffer,
    pub(crate) surfaces: Surfaces<'m>,
    pub(crate) loans: Loans<'m>,
    pub(crate) workers: Vec<'m, Mutex<Worker<'m, P>>>,
    pub(crate) number: FlightNumber,
    /// The counts of pixels, or the reason why they are not all drawn.
    pub(crate) outcome: Result<PixelCounts, PipeError>,
}

impl<'m, P: Profile> Flight<'m, P> {
    /// Rasterizes the scene, and empties it unless the caller may try again.
    fn rasterize(&mut self, work: Work<'_>) -> Result<PixelCounts, PipeError> {
        let Flight { device, shaders, scene, framebuffer, surfaces, loans, workers, .. } = self;
        let frame = Frame {
            scene,
            framebuffer,
            shaders,
            inputs: loans.inputs(),
            memory: ShaderMemory::none(),
            threads: device.os.threads,
            work,
            timer: device.timer(),
        };
        let drawn = frame.rasterize(surfaces, workers, None);
        if matches!(drawn, Ok(_) | Err(PipeError::Stopped(_))) {
            scene.reset();
        }
        drawn
    }
}

impl<P: Profile> Job for Flight<'_, P> {
    fn run(&mut self) {
        let work = self.device.work.for_good();
        self.outcome = self.rasterize(work.work());
        let mut shared = self.device.shared.lock();
        self.surfaces.set_flight(&mut shared.resources, NO_FLIGHT);
        self.surfaces.put_back(&mut shared.resources);
        self.device.end_loans(shared, &mut self.loans);
        self.device.land(self.number);
    }
}
