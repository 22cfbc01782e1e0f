//! Runs the geometry of large draws on all workers where that takes less time.
//!
//! A draw is split into sections. Each worker runs a section through Draw into a separate
//! recording. Recordings are appended to the scene in the draw's order, so the scene is
//! bit-identical to the scene of one worker. The worker that finishes a recording appends every
//! recording that comes next in order. The draw's thread appends the rest. It also handles all
//! failures: it runs a section without a complete recording like any other draw.

use draw::{
    Draw, DrawError, DrawState, Limits, Pipeline, Section, Sections, SinkError, Statistics,
};
use os_shim::Vec;
use os_shim::clock::Clock;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::PipeError;
use tgsi::exec::{Lanes, Resources};
use tgsi::program::Uses;

use super::Sharing;
use super::pace::Paces;
use crate::debug::{Counter, Phase, Timer};
use crate::features::{DESKTOP, Only};
use crate::profile::{Profile, SceneId};
use crate::resource::StageResources;
use crate::scene::Viewports;
use crate::scene::{Recording, RecordingSink, RecordingState, Scene, SceneSink};

/// The least number of indices, over all instances, for which it is worth waking workers.
const LEAST_INDICES: u64 = 8 << 10;
/// Indices of a section: few enough that the workers finish together, and enough that few vertices
/// are shaded twice.
const SECTION_INDICES: core::ops::RangeInclusive<u64> = 3 << 10..=12 << 10;
/// Sections per worker in a round.
const SECTIONS_A_WORKER: usize = 8;

/// The memory of workers that run geometry; empty before the first large draw.
pub(super) struct GeometryWorkers<'m, R: Lanes> {
    pipelines: Vec<'m, Mutex<Pipeline<'m, R>>>,
    /// The sections of a round.
    tasks: Vec<'m, Mutex<Task<'m>>>,
    /// Builds for desktops measure draws; others share what the user asks for.
    paces: Only<Paces, { DESKTOP as usize }>,
}

/// A section in progress.
struct Task<'m> {
    section: Option<Section>,
    recording: Recording<'m>,
    /// The counts of a complete recording.
    recorded: Option<Statistics>,
    /// Set once the scene has the whole section.
    is_appended: bool,
}

impl<'m, R: Lanes> GeometryWorkers<'m, R> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        let (pipelines, tasks) = (Vec::new_in(memory), Vec::new_in(memory));
        GeometryWorkers { pipelines, tasks, paces: Only::with(Paces::default) }
    }

    /// Makes a pipeline for each of `count` workers, and room for a round of sections.
    fn reserve(&mut self, count: usize, limits: Limits) -> Result<(), OutOfMemory> {
        let memory = self.tasks.memory();
        while self.pipelines.len() < count {
            self.pipelines.try_push(Mutex::new(Pipeline::new(memory, limits)?))?;
        }
        while self.tasks.len() < count * SECTIONS_A_WORKER {
            let recording = Recording::new_in(memory)?;
            let task = Task { section: None, recording, recorded: None, is_appended: false };
            self.tasks.try_push(Mutex::new(task))?;
        }
        Ok(())
    }
}

/// A draw that may run its geometry on all workers.
#[derive(Clone, Copy)]
pub(super) struct Geometry<'g> {
    pub(super) state: &'g DrawState<'g>,
    pub(super) draw: &'g Draw,
    /// The textures of the vertex shader.
    pub(super) textures: StageResources<'g>,
    /// The vertex shader's handle.
    pub(super) shader: Option<RawHandle>,
    pub(super) threads: &'g dyn Threads,
    pub(super) clock: &'g dyn Clock,
    pub(super) sharing: Sharing,
    pub(super) timer: Timer<'g>,
}

impl<'g> Geometry<'g> {
    /// Returns the number of indices, over all instances.
    fn indices(&self) -> u64 {
        u64::from(self.draw.count).saturating_mul(self.draw.instance_count.into())
    }

    /// Returns the draw's sections; `None` if the draw should or must run on its own thread.
    fn sections<P: Profile>(&self, captures: bool) -> Option<Sections<'g>> {
        let Geometry { state, draw, threads, .. } = self;
        let workers = threads.count() as u64;
        let indices = self.indices();
        // Scenes with small ids pack vertices, and the form of a triangle depends on the vertices
        // before it.
        let is_host = P::Id::BYTES > 2;
        if !is_host
            || captures
            || self.sharing == Sharing::Never
            || workers < 2
            || indices < LEAST_INDICES
            || state.program.uses.contains(Uses::WRITES_MEMORY)
        {
            return None;
        }
        let size =
            (indices / (4 * workers)).clamp(*SECTION_INDICES.start(), *SECTION_INDICES.end());
        Sections::new(state, draw, size as u32)
    }

    /// Runs the draw into the scene: on all workers if that takes less time, otherwise on this thread
    /// with `pipeline` and `resources`.
    ///
    /// # Errors
    /// The errors of [`Pipeline::run`].
    pub(super) fn run<'m, P: Profile, F, C>(
        &self,
        workers: &mut GeometryWorkers<'m, P::Row>,
        pipeline: &mut Pipeline<'m, P::Row>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        resources: &mut dyn Resources<P::Row>,
    ) -> Result<Statistics, DrawError<PipeError>>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        let Geometry { state, draw, .. } = *self;
        let (Some(sections), Some(shader)) =
            (self.sections::<P>(sink.capture.is_some()), self.shader)
        else {
            return pipeline.run(state, draw, sink, resources);
        };
        let paces = workers.paces.get_mut();
        let shares =
            self.sharing == Sharing::Always || paces.is_some_and(|paces| paces.shares(shader));
        let start = self.clock.now_ns();
        let ran = match shares {
            true => self.share(sections, workers, pipeline, sink, resources),
            false => pipeline.run(state, draw, sink, resources),
        };
        let time = self.clock.now_ns().saturating_sub(start);
        if ran.is_ok()
            && let Some(paces) = workers.paces.get_mut()
        {
            paces.note(shader, shares, self.indices(), time);
        }
        ran
    }

    /// Runs the sections of a draw on all workers; without memory for them, the draw on this thread.
    ///
    /// # Errors
    /// The errors of [`Pipeline::run`].
    fn share<'m, P: Profile, F, C>(
        &self,
        mut sections: Sections<'g>,
        workers: &mut GeometryWorkers<'m, P::Row>,
        pipeline: &mut Pipeline<'m, P::Row>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        resources: &mut dyn Resources<P::Row>,
    ) -> Result<Statistics, DrawError<PipeError>>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        let reserved = workers.reserve(self.threads.count(), super::limits::<P>());
        let (Ok(()), Ok(recording)) = (reserved, RecordingState::of(sink)) else {
            return pipeline.run(self.state, self.draw, sink, resources);
        };
        let mut statistics = Statistics::default();
        self.timer.count(Counter::SharedDraws, 1);
        while self.round(workers, &recording, &mut sections, sink) {
            for task in &mut workers.tasks {
                let Some(counts) = self.finish(task.get_mut(), pipeline, sink, resources)? else {
                    break;
                };
                statistics += counts;
            }
        }
        Ok(statistics)
    }

    /// Records as many sections as there are tasks; returns false if no section is left.
    fn round<'m, P: Profile, F, C>(
        &self,
        workers: &mut GeometryWorkers<'m, P::Row>,
        state: &RecordingState<'m>,
        sections: &mut Sections<'_>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
    ) -> bool {
        let mut count = 0;
        for task in &mut workers.tasks {
            let task = task.get_mut();
            task.section = sections.next();
            (task.recorded, task.is_appended) = (None, false);
            count += usize::from(task.section.is_some());
        }
        sink.watch.enter(Phase::Waiting);
        self.record_and_append(workers, state, sink, count);
        sink.watch.enter(Phase::Appending);
        count > 0
    }

    /// Records the first `count` tasks, and appends finished recordings in order.
    fn record_and_append<'m, P: Profile, F, C>(
        &self,
        workers: &GeometryWorkers<'m, P::Row>,
        state: &RecordingState<'m>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        count: usize,
    ) {
        let GeometryWorkers { pipelines, tasks, .. } = workers;
        let next = Mutex::new(Next {
            task: 0,
            sink: SceneSink {
                scene: sink.scene,
                draw: sink.draw,
                binning: sink.binning,
                make_room: |_: &mut Scene<'m, P>, _| Err(PipeError::NotReady),
                capture: None::<fn(u8, &[&[[f32; 4]]])>,
                culled: Only::default(),
                watch: self.timer.named("appending", Phase::Waiting),
                viewports: Only::with(|| Viewports::new(&[])),
            },
        });
        self.threads.parallel(count, &|worker, number| {
            if let (Some(pipeline), Some(task)) = (pipelines.get(worker), tasks.get(number)) {
                self.record::<P>(&mut pipeline.lock(), &mut task.lock(), state);
                if let Some(mut next) = next.try_lock() {
                    next.sink.watch.enter(Phase::Appending);
                    next.append(tasks);
                    next.sink.watch.enter(Phase::Waiting);
                }
            }
        });
    }

    /// Records a task's section.
    fn record<'m, P: Profile>(
        &self,
        pipeline: &mut Pipeline<'m, P::Row>,
        task: &mut Task<'m>,
        state: &RecordingState<'m>,
    ) {
        let Some(section) = &task.section else { return };
        let watch = self.timer.named("section", Phase::Assembly);
        let mut sink = RecordingSink::<P>::new(&mut task.recording, state, watch);
        let (mut textures, Geometry { state, draw, .. }) = (self.textures, self);
        let result = pipeline.run_section(state, draw, section, &mut sink, &mut textures);
        task.recorded = result.ok();
    }

    /// Ensures that the scene has the whole section of a task; returns the section's counts, or
    /// `None` if the task has no section.
    fn finish<'m, P: Profile, F, C>(
        &self,
        task: &mut Task<'m>,
        pipeline: &mut Pipeline<'m, P::Row>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        resources: &mut dyn Resources<P::Row>,
    ) -> Result<Option<Statistics>, DrawError<PipeError>>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        let Some(section) = &task.section else { return Ok(None) };
        let mut refused_at = None;
        while let Some(counts) = task.recorded.filter(|_| !task.is_appended) {
            match task.recording.append(sink) {
                Ok(()) => return Ok(Some(counts)),
                Err(SinkError::Failed(error)) => return Err(DrawError::Sink(error)),
                Err(SinkError::Restart) => {
                    let appended = Some(task.recording.appended());
                    if refused_at == appended && !task.recording.bring_own() {
                        return Err(DrawError::NoRoom);
                    }
                    refused_at = appended;
                }
            }
        }
        if task.is_appended {
            return Ok(task.recorded);
        }
        let (state, draw) = (self.state, self.draw);
        pipeline.run_section(state, draw, section, sink, resources).map(Some)
    }
}

/// The task to append next, and the sink of the draw. The sink cannot make room meanwhile.
struct Next<S> {
    task: usize,
    sink: S,
}

impl<'m, P: Profile, F, C> Next<SceneSink<'_, 'm, P, F, C>>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
    C: FnMut(u8, &[&[[f32; 4]]]),
{
    /// Appends the next recordings in order, up to the first incomplete one.
    fn append(&mut self, tasks: &[Mutex<Task<'m>>]) {
        while let Some(mut task) = tasks.get(self.task).and_then(Mutex::try_lock) {
            if task.recorded.is_none() {
                return;
            }
            if task.recording.append(&mut self.sink).is_err() {
                // The scene is full.
                self.task = usize::MAX;
                return;
            }
            task.is_appended = true;
            self.task += 1;
        }
    }
}
