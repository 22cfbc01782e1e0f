//! A program while it runs: what it has created, held at a draw or a present, with shaders changed.
//!
//! [`live`] puts two layers on a driver's screen. One notes the state ([`crate::state`]); the other,
//! the gate, can hold a call. While a call is held, and between calls, the program's own thread
//! answers the viewer's requests, so that the viewer never uses a context from another thread. A
//! viewer that asks for nothing for [`PATIENCE`] is taken for dead: the program goes on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::Memory;
use pipe_core::panel::TilePanel;
use pipe_core::wrap::{Layer, LayerScreen, Layers};
use pipe_core::*;
use serde::Serialize;

use crate::answer::{self, Section, State};
use crate::picture::Picture;
use crate::state::{ContextFacts, Facts, SharedFacts};

/// The time after which a viewer that asks for nothing is taken for dead.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The time that a request waits for the program's next call.
const ANSWER: Duration = Duration::from_secs(5);

/// The most requests that wait at a time.
const MAX_WAITING: usize = 32;

/// The call at which the program is held next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stop {
    /// The program runs.
    #[default]
    Never,
    /// The next draw or grid.
    Draw,
    /// The next flush or present.
    Present,
    /// The next draw or grid that meets all conditions.
    Uses(Uses),
}

/// Conditions for a draw. Without any, every draw meets them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// A shader that is bound: its context and its handle.
    pub shader: Option<(u64, ShaderHandle)>,
    /// A resource that is bound: as a texture, an image, a buffer, or an attachment.
    pub resource: Option<ResourceHandle>,
    /// The number of vertices or indices of an instance.
    pub vertices: Option<u64>,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Uses(Uses { shader, resource, vertices }) = self else {
            return f.write_str(match self {
                Self::Never => "never",
                Self::Present => "present",
                _ => "draw",
            });
        };
        f.write_str("draw")?;
        let mut before = " with";
        let mut part = |f: &mut std::fmt::Formatter<'_>, text: String| {
            let begin = std::mem::replace(&mut before, " and");
            write!(f, "{begin} {text}")
        };
        if let Some((context, shader)) = shader {
            part(f, format!("{shader:?} of context {context}"))?;
        }
        if let Some(resource) = resource {
            part(f, format!("{resource:?}"))?;
        }
        if let Some(vertices) = vertices {
            part(f, format!("{vertices} vertices"))?;
        }
        Ok(())
    }
}

/// The call that is held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Held {
    /// The context.
    pub context: u64,
    /// The call's name.
    pub name: &'static str,
    /// The arguments of a draw.
    pub what: String,
}

/// The state of the gate, for viewers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Status {
    /// The call at which the program is held next, as text.
    pub stop: String,
    /// The call that is held now.
    pub held: Option<Held>,
    /// The context of the last draw, flush or present; 0 before the first.
    pub context: u64,
    /// The number of draws and grids so far.
    pub draws: u64,
    /// The number of draws that were dropped because their shader is disabled.
    pub dropped: u64,
    /// The number of flushes and presents so far.
    pub presents: u64,
    /// The number of live contexts and resources.
    pub contexts: usize,
    /// The number of live resources.
    pub resources: usize,
    /// Live shaders.
    pub shaders: Vec<LiveShader>,
}

/// A live shader.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LiveShader {
    /// Its context.
    pub context: u64,
    /// Its handle as text.
    pub shader: String,
    /// Its stage.
    pub stage: String,
    /// Draws that use it are dropped.
    pub is_disabled: bool,
    /// Another text is in its place.
    pub is_replaced: bool,
    /// It is bound.
    pub is_bound: bool,
}

/// Work for the thread of a context.
type Job = Box<dyn FnOnce(&mut Turn<'_, '_>) + Send>;

/// A context in the viewer's hands, on the program's thread.
struct Turn<'t, 'm> {
    number: u64,
    context: &'t mut (dyn Context<'m> + 't),
    facts: &'t SharedFacts,
    control: &'t Mutex<Control>,
}

type Key = (u64, ShaderHandle);

/// The kind of a call that passes the gate.
enum Kind<'k> {
    /// A draw or a grid, with the number of vertices of an instance, if it is known.
    Draw(Option<u64>, &'k dyn Fn() -> String),
    Present,
}

/// A shader in the place of the program's shader.
struct StandIn {
    handle: ShaderHandle,
    /// The text as it was edited: TGSI or WGSL.
    text: String,
}

#[derive(Default)]
struct Control {
    stop: Stop,
    held: Option<Held>,
    context: u64,
    draws: u64,
    dropped: u64,
    presents: u64,
    disabled: HashSet<Key>,
    /// The program's shaders and the shaders in their places.
    replaced: HashMap<Key, StandIn>,
    /// The program's own bindings of shaders.
    bound: HashMap<(u64, ShaderType), ShaderHandle>,
    /// Jobs with their numbers and contexts.
    jobs: VecDeque<(u64, u64, Job)>,
    /// The last sign of the viewer.
    seen: Option<Instant>,
}

impl Control {
    /// Returns the shader that the driver has in the place of a program's shader.
    fn real(&self, key: Key) -> ShaderHandle {
        self.replaced.get(&key).map_or(key.1, |it| it.handle)
    }

    fn is_bound(&self, (number, handle): Key) -> bool {
        let mut stages = ShaderType::ALL.iter();
        stages.any(|stage| self.bound.get(&(number, *stage)) == Some(&handle))
    }

    /// Returns true if a call is to be held.
    fn holds(&self, facts: &SharedFacts, number: u64, kind: &Kind<'_>) -> bool {
        let Uses { shader, resource, vertices } = match (self.stop, kind) {
            (Stop::Draw, Kind::Draw(..)) | (Stop::Present, Kind::Present) => return true,
            (Stop::Uses(uses), Kind::Draw(..)) => uses,
            _ => return false,
        };
        let Kind::Draw(count, _) = kind else { return false };
        shader.is_none_or(|(of, shader)| of == number && self.is_bound((number, shader)))
            && vertices.is_none_or(|wanted| *count == Some(wanted))
            && resource.is_none_or(|wanted| {
                let facts = facts.lock();
                facts.contexts.get(&number).is_some_and(|it| it.binds(wanted))
            })
    }
}

/// A gate that viewers control, and that programs pass.
#[derive(Clone)]
pub struct Gate {
    control: Arc<Mutex<Control>>,
    changed: Arc<Condvar>,
    has_jobs: Arc<AtomicBool>,
    next_job: Arc<AtomicU64>,
    facts: SharedFacts,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            control: Arc::default(),
            changed: Arc::default(),
            has_jobs: Arc::default(),
            next_job: Arc::default(),
            facts: SharedFacts::as_asked(),
        }
    }
}

fn lock(control: &Mutex<Control>) -> MutexGuard<'_, Control> {
    control.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `run` with the screen behind a gate.
pub fn live<'m, R>(
    screen: &dyn Screen<'m>,
    gate: &Gate,
    memory: Memory<'_>,
    run: impl FnOnce(&dyn Screen<'m>) -> R,
) -> R {
    let watched = LayerScreen::new(screen, &gate.facts, memory);
    run(&LayerScreen::new(&watched, gate, memory))
}

/// Puts a screen behind a gate for as long as the program runs, because the layers borrow it.
pub fn live_to_the_end(
    screen: Box<dyn Screen<'static> + Send + Sync>,
    gate: &Gate,
) -> Box<dyn Screen<'static> + Send + Sync> {
    let memory = Memory::system();
    let screen: &'static _ = Box::leak(screen);
    let gate: &'static Gate = Box::leak(Box::new(gate.clone()));
    let watched: &'static _ = Box::leak(Box::new(LayerScreen::new(screen, &gate.facts, memory)));
    Box::new(LayerScreen::new(watched, gate, memory))
}

impl Gate {
    /// Returns the state of the gate. Counts as a sign of life of the viewer.
    pub fn status(&self) -> Status {
        let mut shaders = Vec::new();
        let (contexts, resources) = {
            let facts = self.facts.lock();
            for (number, context) in &facts.contexts {
                for (handle, shader) in &context.shaders {
                    shaders.push(((*number, *handle), shader.stage));
                }
            }
            (facts.contexts.len(), facts.resources.len())
        };
        let mut control = lock(&self.control);
        control.seen = Some(Instant::now());
        let stand_ins: HashSet<_> =
            control.replaced.iter().map(|((number, _), new)| (*number, new.handle)).collect();
        shaders.retain(|(key, _)| !stand_ins.contains(key));
        shaders.sort_by_key(|((number, handle), _)| (*number, format!("{handle:?}")));
        let shown = |(key, stage): &(Key, ShaderType)| LiveShader {
            context: key.0,
            shader: format!("{:?}", key.1),
            stage: format!("{stage:?}"),
            is_disabled: control.disabled.contains(key),
            is_replaced: control.replaced.contains_key(key),
            is_bound: control.is_bound(*key),
        };
        Status {
            stop: control.stop.to_string(),
            held: control.held.clone(),
            context: control.context,
            draws: control.draws,
            dropped: control.dropped,
            presents: control.presents,
            contexts,
            resources,
            shaders: shaders.iter().map(shown).collect(),
        }
    }

    /// Holds the program at the next draw or present, or lets it run. A held call is made.
    pub fn stop(&self, stop: Stop) {
        let mut control = lock(&self.control);
        control.seen = Some(Instant::now());
        control.stop = stop;
        control.held = None;
        self.changed.notify_all();
    }

    /// Finds a shader of a context by the text of its handle.
    ///
    /// # Errors
    /// There is no such shader.
    pub fn find(&self, context: u64, shader: &str) -> Result<(ShaderHandle, ShaderType)> {
        let facts = self.facts.lock();
        let of = facts.contexts.get(&context);
        let of = of.with_context(|| format!("there is no context {context}"))?;
        let found = of.shaders.iter().find(|(handle, _)| format!("{handle:?}") == shader);
        let (handle, facts) =
            found.with_context(|| format!("context {context} has no {shader}"))?;
        Ok((*handle, facts.stage))
    }

    /// Finds a resource by the text of its handle.
    ///
    /// # Errors
    /// There is no such resource.
    pub fn find_resource(&self, resource: &str) -> Result<ResourceHandle> {
        let facts = self.facts.lock();
        let found = facts.resources.keys().find(|handle| format!("{handle:?}") == resource);
        found.copied().with_context(|| format!("there is no {resource}"))
    }

    /// Returns what a context has bound.
    ///
    /// # Errors
    /// There is no such context.
    pub fn state(&self, context: u64) -> Result<State> {
        let facts = self.facts.lock();
        let of = facts.contexts.get(&context);
        let of = of.with_context(|| format!("there is no context {context}"))?;
        let mut state = answer::of_context(&facts, context, of);
        state.sections.push(surfaces(&facts, of));
        Ok(state)
    }

    /// Returns the live resources.
    pub fn resources(&self) -> Vec<answer::Live> {
        answer::listed(&self.facts.lock())
    }

    /// Drops the draws that use a shader, or makes them again.
    ///
    /// # Errors
    /// There is no such shader.
    pub fn disable(&self, context: u64, shader: &str, is_disabled: bool) -> Result<()> {
        let (handle, _) = self.find(context, shader)?;
        let mut control = lock(&self.control);
        match is_disabled {
            true => control.disabled.insert((context, handle)),
            false => control.disabled.remove(&(context, handle)),
        };
        Ok(())
    }

    /// Returns a shader's text: the one in its place, if it was replaced.
    ///
    /// # Errors
    /// There is no such shader.
    pub fn text(&self, context: u64, shader: &str) -> Result<String> {
        let (handle, _) = self.find(context, shader)?;
        if let Some(stand_in) = lock(&self.control).replaced.get(&(context, handle)) {
            return Ok(stand_in.text.clone());
        }
        let facts = self.facts.lock();
        let text = facts.contexts.get(&context).and_then(|it| it.shaders.get(&handle));
        Ok(text.context("the shader is gone")?.text.clone())
    }

    /// Puts another text, in TGSI or WGSL, in the place of a shader; `None` takes the program's own
    /// back. The stream output stays.
    ///
    /// # Errors
    /// The text is no shader of the stage, the driver refuses the shader, the shader is a compute
    /// shader, or the program makes no call within five seconds.
    pub fn replace(&self, context: u64, shader: &str, text: Option<String>) -> Result<()> {
        let (handle, stage) = self.find(context, shader)?;
        if stage == ShaderType::Compute {
            bail!("{shader} is a compute shader: only its grids can be disabled");
        }
        let text = match text {
            Some(text) => Some((crate::edited::of_stage(&text, stage)?, text)),
            None => None,
        };
        self.on_thread(context, move |turn| {
            let key = (turn.number, handle);
            let new = match text {
                Some((tgsi, text)) => {
                    let (stride, outputs) = {
                        let facts = turn.facts.lock();
                        let own = facts.contexts.get(&turn.number);
                        let own = own.and_then(|it| it.shaders.get(&handle));
                        own.map(|own| (own.stride, own.outputs.clone())).unwrap_or_default()
                    };
                    let stream_output = StreamOutputInfo { stride, outputs: &outputs };
                    let state = ShaderState { source: ShaderSource::Text(&tgsi), stream_output };
                    let handle = turn.context.create_shader_state(stage, &state)?;
                    Some(StandIn { handle, text })
                }
                None => None,
            };
            let (old, bound) = {
                let mut control = lock(turn.control);
                let old = match new {
                    Some(new) => control.replaced.insert(key, new),
                    None => control.replaced.remove(&key),
                };
                let is_bound = control.bound.get(&(turn.number, stage)) == Some(&handle);
                (old, is_bound.then(|| control.real(key)))
            };
            if let Some(bound) = bound {
                turn.context.bind_shader_state(stage, Some(bound))?;
            }
            if let Some(old) = old {
                turn.context.delete_shader_state(old.handle)?;
            }
            Ok(())
        })
    }

    /// Reads a layer of a level of a resource, as a PNG file; `None` is the first colour buffer of the
    /// context. Samples are averaged.
    ///
    /// # Errors
    /// There is no colour buffer or no such layer, the resource is a buffer, or the program makes no call
    /// within five seconds.
    pub fn picture(
        &self,
        context: u64,
        place: Option<(ResourceHandle, u32, u32)>,
    ) -> Result<Vec<u8>> {
        self.on_thread(context, move |turn| {
            let (resource, template, level, layer) = {
                let facts = turn.facts.lock();
                let context = facts.contexts.get(&turn.number).context("no such context")?;
                let (resource, level, layer) = match place {
                    Some(place) => place,
                    None => {
                        let (resource, of) =
                            context.color(0).context("no colour buffer is bound")?;
                        let SurfaceRange::Texture { level, first_layer, .. } = of.range else {
                            bail!("the colour buffer is a buffer");
                        };
                        (resource, level, first_layer)
                    }
                };
                let (template, _) = facts.resources.get(&resource).context("no such resource")?;
                (resource, *template, level, layer)
            };
            if template.is_buffer() {
                bail!("{resource:?} is a buffer of {} bytes, not a picture", template.width0);
            }
            // A map shows the mean of the samples.
            let template = ResourceTemplate { nr_samples: 0, nr_storage_samples: 0, ..template };
            let whole = template.level_region(level);
            let whole = whole.with_context(|| format!("{resource:?} has no level {level}"))?;
            let z = i32::try_from(layer).unwrap_or(i32::MAX);
            if z >= whole.depth {
                bail!("level {level} of {resource:?} has {} layers", whole.depth);
            }
            let region = Region { z, depth: 1, ..whole };
            let bytes = crate::bytes::read_as(&template, turn.context, resource, level, &region)?;
            Picture::of(template.format, &whole, bytes).png(true)
        })
    }

    /// Runs `job` on the thread of a context, at its next call or while it is held.
    fn on_thread<R: Send + 'static>(
        &self,
        context: u64,
        job: impl FnOnce(&mut Turn<'_, '_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let (answer, result): (Sender<Result<R>>, _) = channel();
        let own = self.next_job.fetch_add(1, SeqCst);
        {
            let mut control = lock(&self.control);
            control.seen = Some(Instant::now());
            if control.jobs.len() >= MAX_WAITING {
                bail!("{MAX_WAITING} requests wait already");
            }
            let job: Job = Box::new(move |turn: &mut Turn<'_, '_>| {
                // The viewer may be gone.
                let _ = answer.send(job(turn));
            });
            control.jobs.push_back((own, context, job));
            self.has_jobs.store(true, SeqCst);
            self.changed.notify_all();
        }
        if let Ok(answer) = result.recv_timeout(ANSWER) {
            return answer;
        }
        // A job that was refused must not happen later.
        let is_waiting = {
            let mut control = lock(&self.control);
            let before = control.jobs.len();
            control.jobs.retain(|(number, ..)| *number != own);
            control.jobs.len() < before
        };
        if is_waiting {
            bail!("the program made no call within five seconds: hold it, or let it draw");
        }
        // The program's thread has taken the job.
        result.recv_timeout(ANSWER).map_err(|_| anyhow!("the program ended, or is busy"))?
    }

    /// Answers the requests for a context.
    fn answer<'m>(&self, number: u64, context: &mut (dyn Context<'m> + '_)) {
        loop {
            let job = {
                let mut control = lock(&self.control);
                let at = control.jobs.iter().position(|(_, of, _)| *of == number);
                let job = at.and_then(|at| control.jobs.remove(at));
                self.has_jobs.store(!control.jobs.is_empty(), SeqCst);
                job
            };
            let Some((.., job)) = job else { return };
            let (facts, control) = (&self.facts, &*self.control);
            job(&mut Turn { number, context: &mut *context, facts, control });
        }
    }

    /// Counts a call, answers requests, and holds the call if a viewer wants it. Returns false if a
    /// draw is to be dropped.
    fn pass<'m>(
        &self,
        number: u64,
        context: &mut (dyn Context<'m> + '_),
        name: &'static str,
        kind: &Kind<'_>,
    ) -> bool {
        if self.has_jobs.load(SeqCst) {
            self.answer(number, context);
        }
        let mut control = lock(&self.control);
        control.context = number;
        match kind {
            Kind::Draw(..) => control.draws += 1,
            Kind::Present => control.presents += 1,
        }
        if control.holds(&self.facts, number, kind) {
            let what = match kind {
                Kind::Draw(_, what) => what(),
                Kind::Present => String::new(),
            };
            control.held = Some(Held { context: number, name, what });
            // The viewer lets the call go by taking `held` away.
            while control.held.is_some() {
                if control.seen.is_none_or(|seen| seen.elapsed() > PATIENCE) {
                    control.stop = Stop::Never;
                    control.held = None;
                    break;
                }
                if !control.jobs.is_empty() {
                    drop(control);
                    self.answer(number, context);
                    control = lock(&self.control);
                }
                let wait = self.changed.wait_timeout(control, Duration::from_millis(100));
                control = wait.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        let is_grid = name == "launch_grid";
        let is_dropped = matches!(kind, Kind::Draw(..))
            && ShaderType::ALL.iter().any(|stage| {
                let bound = control.bound.get(&(number, *stage));
                (*stage == ShaderType::Compute) == is_grid
                    && bound.is_some_and(|handle| control.disabled.contains(&(number, *handle)))
            });
        control.dropped += u64::from(is_dropped);
        !is_dropped
    }

    /// Notes the program's binding of a shader. Returns the shader to bind.
    fn real(&self, number: u64, handle: Option<ShaderHandle>) -> Option<ShaderHandle> {
        let control = lock(&self.control);
        handle.map(|handle| control.real((number, handle)))
    }

    fn note_bound(&self, number: u64, stage: ShaderType, handle: Option<ShaderHandle>) {
        let mut control = lock(&self.control);
        match handle {
            Some(handle) => control.bound.insert((number, stage), handle),
            None => control.bound.remove(&(number, stage)),
        };
    }
}

/// Lists the surfaces of a context.
fn surfaces(facts: &Facts, context: &ContextFacts) -> Section {
    let row =
        |(surface, (resource, template)): (&SurfaceHandle, &(ResourceHandle, SurfaceTemplate))| {
            let of = facts.resources.get(resource);
            let of = of.map_or_else(|| "destroyed".into(), |(template, _)| answer::short(template));
            let SurfaceTemplate { format, range, .. } = template;
            (format!("{surface:?}"), format!("{resource:?} as {format}, {range:?}: {of}"))
        };
    let mut rows: Vec<_> = context.surfaces.iter().map(row).collect();
    rows.sort();
    Section { title: "surfaces".into(), rows }
}

impl<'m> Layers<'m> for Gate {
    type Layer = Guard;

    fn layer(&self, number: u64) -> Guard {
        Guard { number, gate: self.clone() }
    }
}

/// The gate of one context.
pub struct Guard {
    number: u64,
    gate: Gate,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let number = self.number;
        let mut control = lock(&self.gate.control);
        control.disabled.retain(|(of, _)| *of != number);
        control.replaced.retain(|(of, _), _| *of != number);
        control.bound.retain(|(of, _), _| *of != number);
        control.jobs.retain(|(_, of, _)| *of != number);
        drop(control);
        self.gate.facts.lock().contexts.remove(&number);
    }
}

type Inner<'a, 'm> = dyn Context<'m> + 'a;

impl<'m> Layer<'m> for Guard {
    fn bind_shader_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        inner.bind_shader_state(stage, self.gate.real(self.number, handle))?;
        self.gate.note_bound(self.number, stage, handle);
        Ok(())
    }

    fn bind_compute_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        inner.bind_compute_state(handle)?;
        self.gate.note_bound(self.number, ShaderType::Compute, handle);
        Ok(())
    }

    fn delete_shader_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        handle: ShaderHandle,
    ) -> Result<(), PipeError> {
        let stand_in = self.forget(handle);
        if let Some(stand_in) = stand_in {
            inner.delete_shader_state(stand_in.handle)?;
        }
        inner.delete_shader_state(handle)
    }

    fn delete_compute_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        handle: ShaderHandle,
    ) -> Result<(), PipeError> {
        self.forget(handle);
        inner.delete_compute_state(handle)
    }

    fn draw_vbo(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let vertices = indirect.is_none().then(|| draws.iter().map(|it| u64::from(it.count)).sum());
        let what = || {
            let count =
                vertices.map_or_else(|| "indirect".into(), |it: u64| format!("{it} vertices"));
            let (mode, instances) = (info.mode, info.instance_count);
            let indexed = if info.index.is_some() { ", indexed" } else { "" };
            format!("{mode:?}, {count}, {instances} instances{indexed}")
        };
        match self.gate.pass(self.number, inner, "draw_vbo", &Kind::Draw(vertices, &what)) {
            true => inner.draw_vbo(info, indirect, draws),
            false => Ok(()),
        }
    }

    fn launch_grid(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        info: &GridInfo<'_>,
    ) -> Result<(), PipeError> {
        let what = || format!("grid {:?} of blocks {:?}", info.grid, info.block);
        match self.gate.pass(self.number, inner, "launch_grid", &Kind::Draw(None, &what)) {
            true => inner.launch_grid(info),
            false => Ok(()),
        }
    }

    fn flush(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        flags: FlushFlags,
    ) -> Result<Option<FenceHandle>, PipeError> {
        self.gate.pass(self.number, inner, "flush", &Kind::Present);
        inner.flush(flags)
    }

    fn present(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        self.gate.pass(self.number, inner, "present", &Kind::Present);
        inner.present(source, panel)
    }
}

impl Guard {
    /// Forgets a shader that the program deletes. Returns the shader in its place.
    fn forget(&self, handle: ShaderHandle) -> Option<StandIn> {
        let mut control = lock(&self.gate.control);
        control.disabled.remove(&(self.number, handle));
        control.replaced.remove(&(self.number, handle))
    }
}
