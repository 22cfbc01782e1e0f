//! Runs the geometry of draws on the calling thread: the feature `workers` is disabled.

use core::marker::PhantomData;

use draw::{Draw, DrawError, DrawState, Pipeline, Statistics};
use os_shim::clock::Clock;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use os_shim::threads::Threads;
use pipe_core::PipeError;
use tgsi::exec::{Lanes, Resources};

use super::Sharing;
use crate::debug::Timer;
use crate::profile::Profile;
use crate::resource::StageResources;
use crate::scene::{Scene, SceneSink};

/// No workers.
pub(super) struct GeometryWorkers<'m, R>(PhantomData<(&'m (), R)>);

impl<'m, R: Lanes> GeometryWorkers<'m, R> {
    #[inline(always)]
    pub(super) fn new_in(_: Memory<'m>) -> Self {
        GeometryWorkers(PhantomData)
    }
}

/// A draw.
#[derive(Clone, Copy)]
#[expect(dead_code, reason = "workers need the rest")]
pub(super) struct Geometry<'g> {
    pub(super) state: &'g DrawState<'g>,
    pub(super) draw: &'g Draw,
    pub(super) textures: StageResources<'g>,
    pub(super) shader: Option<RawHandle>,
    pub(super) threads: &'g dyn Threads,
    pub(super) clock: &'g dyn Clock,
    pub(super) sharing: Sharing,
    pub(super) timer: Timer<'g>,
}

impl Geometry<'_> {
    /// Runs the draw into the scene with `pipeline` and `resources`.
    ///
    /// # Errors
    /// The errors of [`Pipeline::run`].
    #[inline(always)]
    pub(super) fn run<'m, P: Profile, F, C>(
        &self,
        _: &mut GeometryWorkers<'m, P::Row>,
        pipeline: &mut Pipeline<'m, P::Row>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        resources: &mut dyn Resources<P::Row>,
    ) -> Result<Statistics, DrawError<PipeError>>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        pipeline.run(self.state, self.draw, sink, resources)
    }
}
