//! A program while it runs: what it has created, held at a draw or a present, with shaders changed.
//!
//! [`live`] puts two layers on a driver's screen. One notes the state ([`crate::state`]); the other,
//! the gate, can hold a call. While a call is held, and between calls, the program's own thread
//! answers the viewer's requests, so that the viewer never uses a context from another thread. A
//! viewer that asks for nothing for [`PATIENCE`] is taken for dead: the program goes on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::Memory;
use pipe_core::panel::TilePanel;
use pipe_core::wrap::{Layer, LayerScreen, Layers};
use pipe_core::*;
use serde::Serialize;

use crate::state::SharedFacts;

/// The time after which a viewer that asks for nothing is taken for dead.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The time that a request waits for the program's next call.
const ANSWER: Duration = Duration::from_secs(5);

/// The most requests that wait at a time.
const MAX_WAITING: usize = 32;

/// The call at which the program is held next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// The program runs.
    Never,
    /// The next draw.
    Draw,
    /// The next flush or present.
    Present,
}

/// The call that is held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Held {
    /// The context.
    pub context: u64,
    /// The call's name.
    pub name: &'static str,
}

/// The state of the gate, for viewers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Status {
    /// The call at which the program is held next.
    pub stop: Stop,
    /// The call that is held now.
    pub held: Option<Held>,
    /// The number of draws so far.
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
}

/// Work for the thread of a context.
type Job = Box<dyn FnOnce(&mut Turn<'_>) + Send>;

/// A context in the viewer's hands, on the program's thread.
struct Turn<'t> {
    number: u64,
    context: &'t mut (dyn Context<'static> + 't),
    facts: &'t SharedFacts,
    control: &'t Mutex<Control>,
}

type Key = (u64, ShaderHandle);

struct Control {
    stop: Stop,
    held: Option<Held>,
    draws: u64,
    dropped: u64,
    presents: u64,
    disabled: HashSet<Key>,
    /// The program's shaders and the shaders in their places.
    replaced: HashMap<Key, ShaderHandle>,
    /// The program's own bindings of shaders.
    bound: HashMap<(u64, ShaderType), ShaderHandle>,
    jobs: VecDeque<(u64, Job)>,
    /// The last sign of the viewer.
    seen: Instant,
}

/// A gate that viewers control, and that programs pass.
#[derive(Clone)]
pub struct Gate {
    control: Arc<Mutex<Control>>,
    changed: Arc<Condvar>,
    has_jobs: Arc<AtomicBool>,
    facts: SharedFacts,
}

impl Default for Gate {
    fn default() -> Self {
        let control = Control {
            stop: Stop::Never,
            held: None,
            draws: 0,
            dropped: 0,
            presents: 0,
            disabled: HashSet::new(),
            replaced: HashMap::new(),
            bound: HashMap::new(),
            jobs: VecDeque::new(),
            seen: Instant::now(),
        };
        Self {
            control: Arc::new(Mutex::new(control)),
            changed: Arc::default(),
            has_jobs: Arc::default(),
            facts: SharedFacts::as_asked(),
        }
    }
}

fn lock(control: &Mutex<Control>) -> MutexGuard<'_, Control> {
    control.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `run` with the screen behind a gate.
pub fn live<R>(
    screen: &dyn Screen<'static>,
    gate: &Gate,
    memory: Memory<'_>,
    run: impl FnOnce(&dyn Screen<'static>) -> R,
) -> R {
    let watched = LayerScreen::new(screen, &gate.facts, memory);
    run(&LayerScreen::new(&watched, gate, memory))
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
        control.seen = Instant::now();
        let stand_ins: HashSet<_> =
            control.replaced.iter().map(|((number, _), new)| (*number, *new)).collect();
        shaders.retain(|(key, _)| !stand_ins.contains(key));
        shaders.sort_by_key(|((number, handle), _)| (*number, format!("{handle:?}")));
        let shown = |(key, stage): &(Key, ShaderType)| LiveShader {
            context: key.0,
            shader: format!("{:?}", key.1),
            stage: format!("{stage:?}"),
            is_disabled: control.disabled.contains(key),
            is_replaced: control.replaced.contains_key(key),
        };
        Status {
            stop: control.stop,
            held: control.held.clone(),
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
        control.seen = Instant::now();
        control.stop = stop;
        control.held = None;
        self.changed.notify_all();
    }

    fn find(&self, context: u64, shader: &str) -> Result<(ShaderHandle, ShaderType)> {
        let facts = self.facts.lock();
        let of = facts.contexts.get(&context);
        let of = of.with_context(|| format!("there is no context {context}"))?;
        let found = of.shaders.iter().find(|(handle, _)| format!("{handle:?}") == shader);
        let (handle, facts) =
            found.with_context(|| format!("context {context} has no {shader}"))?;
        Ok((*handle, facts.stage))
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
        let handle =
            lock(&self.control).replaced.get(&(context, handle)).copied().unwrap_or(handle);
        let facts = self.facts.lock();
        let text = facts.contexts.get(&context).and_then(|it| it.shaders.get(&handle));
        Ok(text.context("the shader is gone")?.text.clone())
    }

    /// Puts another text in the place of a shader; `None` takes the program's own back.
    ///
    /// # Errors
    /// The text is no shader of the stage, or the program makes no call within five seconds.
    pub fn replace(&self, context: u64, shader: &str, text: Option<String>) -> Result<()> {
        let (handle, stage) = self.find(context, shader)?;
        if let Some(text) = &text {
            let parsed = crate::shaders::parse(text)?;
            if parsed.processor() != stage.processor() {
                bail!("the text is not of the stage {stage:?}");
            }
        }
        self.on_thread(context, move |turn| {
            let key = (turn.number, handle);
            let new = match &text {
                Some(text) => {
                    Some(turn.context.create_shader_state(stage, &ShaderState::text(text))?)
                }
                None => None,
            };
            let (old, is_bound) = {
                let mut control = lock(turn.control);
                let old = match new {
                    Some(new) => control.replaced.insert(key, new),
                    None => control.replaced.remove(&key),
                };
                (old, control.bound.get(&(turn.number, stage)) == Some(&handle))
            };
            if is_bound {
                turn.context.bind_shader_state(stage, Some(new.unwrap_or(handle)))?;
            }
            if let Some(old) = old {
                turn.context.delete_shader_state(old)?;
            }
            Ok(())
        })
    }

    /// Reads the picture of a context's first colour buffer as a PNG file.
    ///
    /// # Errors
    /// There is no colour buffer, or the program makes no call within five seconds.
    pub fn picture(&self, context: u64) -> Result<Vec<u8>> {
        self.on_thread(context, |turn| {
            let (resource, template, of) = {
                let facts = turn.facts.lock();
                let context = facts.contexts.get(&turn.number).context("no such context")?;
                let (resource, of) = context.color(0).context("no colour buffer is bound")?;
                let (template, _) = facts.resources.get(&resource).context("no such resource")?;
                (resource, *template, of)
            };
            let SurfaceRange::Texture { level, first_layer, .. } = of.range else {
                bail!("the colour buffer is a buffer");
            };
            if template.samples() > 1 {
                bail!("the colour buffer has {} samples", template.samples());
            }
            let whole = template.level_region(level).context("no such level")?;
            let region = Region { z: i32::try_from(first_layer)?, depth: 1, ..whole };
            let bytes = crate::bytes::read_as(&template, turn.context, resource, level, &region)?;
            crate::picture::Picture::of(template.format, &whole, bytes).png(true)
        })
    }

    /// Runs `job` on the thread of a context, at its next call or while it is held.
    fn on_thread<R: Send + 'static>(
        &self,
        context: u64,
        job: impl FnOnce(&mut Turn<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let (answer, result): (Sender<Result<R>>, _) = channel();
        {
            let mut control = lock(&self.control);
            control.seen = Instant::now();
            if control.jobs.len() >= MAX_WAITING {
                bail!("{MAX_WAITING} requests wait already");
            }
            let job: Job = Box::new(move |turn: &mut Turn<'_>| {
                // The viewer may be gone.
                let _ = answer.send(job(turn));
            });
            control.jobs.push_back((context, job));
            self.has_jobs.store(true, SeqCst);
            self.changed.notify_all();
        }
        let none = "the program made no call within five seconds: hold it, or let it draw";
        result.recv_timeout(ANSWER).map_err(|_| anyhow!(none))?
    }

    /// Answers the requests for a context.
    fn answer(&self, number: u64, context: &mut (dyn Context<'static> + '_)) {
        loop {
            let job = {
                let mut control = lock(&self.control);
                let at = control.jobs.iter().position(|(of, _)| *of == number);
                let job = at.and_then(|at| control.jobs.remove(at));
                self.has_jobs.store(!control.jobs.is_empty(), SeqCst);
                job
            };
            let Some((_, job)) = job else { return };
            let (facts, control) = (&self.facts, &*self.control);
            job(&mut Turn { number, context: &mut *context, facts, control });
        }
    }

    /// Counts a call, answers requests, and holds the call if a viewer wants it. Returns false if a
    /// draw is to be dropped.
    fn pass(
        &self,
        number: u64,
        context: &mut (dyn Context<'static> + '_),
        name: &'static str,
        kind: Stop,
    ) -> bool {
        if self.has_jobs.load(SeqCst) {
            self.answer(number, context);
        }
        let mut control = lock(&self.control);
        match kind {
            Stop::Draw => control.draws += 1,
            _ => control.presents += 1,
        }
        if control.stop == kind {
            control.held = Some(Held { context: number, name });
            // The viewer lets the call go by taking `held` away.
            while control.held.is_some() {
                if control.seen.elapsed() > PATIENCE {
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
        let is_dropped = kind == Stop::Draw
            && ShaderType::ALL.iter().any(|stage| {
                let bound = control.bound.get(&(number, *stage));
                bound.is_some_and(|handle| control.disabled.contains(&(number, *handle)))
            });
        control.dropped += u64::from(is_dropped);
        !is_dropped
    }
}

impl Layers<'static> for Gate {
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
        control.jobs.retain(|(of, _)| *of != number);
        drop(control);
        self.gate.facts.lock().contexts.remove(&number);
    }
}

type Inner<'a> = dyn Context<'static> + 'a;

impl Layer<'static> for Guard {
    fn bind_shader_state(
        &mut self,
        inner: &mut Inner<'_>,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let number = self.number;
        let real = {
            let control = lock(&self.gate.control);
            handle.map(|handle| control.replaced.get(&(number, handle)).copied().unwrap_or(handle))
        };
        inner.bind_shader_state(stage, real)?;
        let mut control = lock(&self.gate.control);
        match handle {
            Some(handle) => control.bound.insert((number, stage), handle),
            None => control.bound.remove(&(number, stage)),
        };
        Ok(())
    }

    fn delete_shader_state(
        &mut self,
        inner: &mut Inner<'_>,
        handle: ShaderHandle,
    ) -> Result<(), PipeError> {
        let stand_in = {
            let mut control = lock(&self.gate.control);
            control.disabled.remove(&(self.number, handle));
            control.replaced.remove(&(self.number, handle))
        };
        if let Some(stand_in) = stand_in {
            inner.delete_shader_state(stand_in)?;
        }
        inner.delete_shader_state(handle)
    }

    fn draw_vbo(
        &mut self,
        inner: &mut Inner<'_>,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        match self.gate.pass(self.number, inner, "draw_vbo", Stop::Draw) {
            true => inner.draw_vbo(info, indirect, draws),
            false => Ok(()),
        }
    }

    fn flush(
        &mut self,
        inner: &mut Inner<'_>,
        flags: FlushFlags,
    ) -> Result<Option<FenceHandle>, PipeError> {
        self.gate.pass(self.number, inner, "flush", Stop::Present);
        inner.flush(flags)
    }

    fn present(
        &mut self,
        inner: &mut Inner<'_>,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        self.gate.pass(self.number, inner, "present", Stop::Present);
        inner.present(source, panel)
    }
}
