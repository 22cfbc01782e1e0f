//! Sessions: a recording played to a call, and kept there for questions.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::budget::WorkBudget;
use os_shim::clock::Clock;
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{Call, Effect, Played, Player, TraceError};
use pipe_core::*;

use crate::listing::Listing;
use crate::samples::{self, Samples};
use crate::snapshots::{Binding, Contents, Snapshot, Snapshots};
use crate::state::{ContextFacts, Draw, SharedFacts};

/// The limits of an inspector: a recording may be untrusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes that a driver may allocate. Two drivers play while a recording is prepared.
    pub memory: usize,
    /// Units of work per call; see [`os_shim::budget`].
    pub work: u64,
    /// Bytes of contents that snapshots keep in memory.
    pub snapshots: usize,
    /// Bytes of a temporary file for the contents that do not fit.
    pub file: u64,
    /// The playing time after which the next snapshot is made.
    pub interval: Duration,
    /// Number of drawing threads.
    pub threads: usize,
    /// A second thread plays the recording to its end once, so that snapshots of all parts are there.
    pub prepares: bool,
}

impl Default for Limits {
    /// 2 GiB for a driver, about a minute per call, snapshots of 64 MiB in memory and 1 GiB in a file,
    /// one each 250 ms.
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            work: 1 << 34,
            snapshots: 64 << 20,
            file: FILE,
            interval: Duration::from_millis(250),
            threads: 1,
            prepares: false,
        }
    }
}

/// The bytes of the temporary file; browsers have none.
#[cfg(not(target_family = "wasm"))]
const FILE: u64 = 1 << 30;
#[cfg(target_family = "wasm")]
const FILE: u64 = 0;

/// The most intervals of playing between two snapshots, if copying the contents takes long.
const LONGEST: u32 = 4;

/// The time that a jump takes besides writing the contents.
const JUMP: Duration = Duration::from_millis(20);

/// The state that all players of a recording share.
pub(crate) struct Common {
    pub(crate) trace: &'static [u8],
    pub(crate) limits: Limits,
    pub(crate) listing: Listing,
    snapshots: Mutex<Snapshots>,
    /// The last call of the first pass over the recording.
    pub(crate) reached: AtomicU64,
    /// The first pass is over: at the end of the recording, or at its damage.
    pub(crate) is_prepared: AtomicBool,
    /// No more questions come.
    pub(crate) is_closed: AtomicBool,
}

impl Common {
    /// Reads the calls of a recording.
    ///
    /// # Errors
    /// The bytes are no recording.
    pub(crate) fn new(trace: &'static [u8], limits: Limits) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            trace,
            limits,
            listing: Listing::new(trace)?,
            snapshots: Mutex::new(Snapshots::new(limits.snapshots, limits.file)),
            reached: AtomicU64::new(0),
            is_prepared: AtomicBool::new(!limits.prepares),
            is_closed: AtomicBool::new(false),
        }))
    }

    pub(crate) fn snapshots(&self) -> MutexGuard<'_, Snapshots> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> Progress {
        let calls = self.listing.count();
        let is_done = self.is_prepared.load(SeqCst);
        Progress { played: self.reached.load(SeqCst).min(calls), calls, is_done }
    }
}

/// The parts of a player that its sessions share.
pub(crate) struct Shared {
    pub(crate) os: Os<'static>,
    pub(crate) budget: &'static WorkBudget,
    pub(crate) common: Arc<Common>,
}

/// The state of the first pass over a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The calls played so far. Questions about them are answered within the time of a jump.
    pub played: u64,
    /// All calls.
    pub calls: u64,
    /// The pass is over.
    pub is_done: bool,
}

/// A recording on a driver, after some call.
pub struct Session<'s> {
    screen: &'s dyn Screen<'static>,
    player: Player<'s, 'static>,
    facts: SharedFacts,
    memory: Memory<'static>,
    budget: &'static WorkBudget,
    common: &'s Common,
    clock: &'static dyn Clock,
    /// Errors of calls, by call.
    errors: BTreeMap<u64, String>,
    /// The session cannot be used further: its contexts may have the inspector's state.
    is_spoiled: bool,
    last_context: u64,
    /// The last calls that set each binding.
    bindings: HashMap<Binding, u32>,
    /// The contents at the last snapshot, by the calls that created the resources.
    known: HashMap<u64, Arc<Contents>>,
    /// The call of the snapshot that the session began from; calls before were not all made.
    origin: u64,
    /// The call of the last snapshot, and the time of playing up to it.
    last: (u64, Duration),
    /// The time of playing since the last snapshot.
    spent: Duration,
    /// The playing time after which the next snapshot is made.
    pause: Duration,
}

impl<'s> Session<'s> {
    /// Starts to play a recording on a screen whose layers note `facts`.
    pub(crate) fn new(
        screen: &'s dyn Screen<'static>,
        facts: &SharedFacts,
        shared: &'s Shared,
    ) -> Result<Self> {
        let Shared { os, budget, common } = shared;
        Ok(Self {
            screen,
            player: Player::new(screen, common.trace, os.memory)?,
            facts: facts.clone(),
            memory: os.memory,
            budget,
            common,
            clock: os.clock,
            errors: BTreeMap::new(),
            is_spoiled: false,
            last_context: 0,
            bindings: HashMap::new(),
            known: HashMap::new(),
            origin: 0,
            last: (0, Duration::ZERO),
            spent: Duration::ZERO,
            pause: common.limits.interval,
        })
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.clock.now_ns())
    }

    /// Returns the number of the last call that was made.
    pub const fn index(&self) -> u64 {
        self.player.index()
    }

    /// Returns the recording's listing.
    pub const fn listing(&self) -> &'s Listing {
        &self.common.listing
    }

    /// Returns the screen.
    pub const fn screen(&self) -> &'s dyn Screen<'static> {
        self.screen
    }

    /// Returns the facts about the screen and its contexts.
    pub const fn facts(&self) -> &SharedFacts {
        &self.facts
    }

    /// Returns the memory for helpers' lists.
    pub const fn memory(&self) -> Memory<'static> {
        self.memory
    }

    /// Returns the error of a call that was made, if it was refused.
    pub fn error_of(&self, call: u64) -> Option<&str> {
        self.errors.get(&call).map(String::as_str)
    }

    /// Returns the context that the last call was for.
    pub const fn last_context(&self) -> u64 {
        self.last_context
    }

    /// Makes the calls up to call `to`. If a snapshot is nearer to that call, goes on from there.
    ///
    /// # Errors
    /// The recording is damaged there, or ends before.
    pub fn go(&mut self, to: u64) -> Result<()> {
        let count = self.listing().count();
        if to > count {
            bail!("the recording has no call {to}: its calls are 1 to {count}");
        }
        self.restore(to)?;
        while self.index() < to {
            let start = self.now();
            self.step()?;
            self.spent += self.now().saturating_sub(start);
            if self.spent >= self.pause {
                self.keep();
            }
        }
        Ok(())
    }

    /// Makes the next call.
    ///
    /// # Errors
    /// The recording is damaged, or ends.
    pub fn step(&mut self) -> Result<()> {
        let next = self.index() + 1;
        let read = self.player.read().map_err(|error| not_played(next, error))?;
        let call = read.with_context(|| format!("the recording ends before call {next}"))?;
        self.play(call)?;
        if let Effect::Contents = call.effect()
            && !is_noted(call.name)
        {
            self.facts.lock().written.all = true;
        }
        self.check_queries(next)
    }

    /// Makes a call that was read.
    fn play(&mut self, call: Call<'static>) -> Result<()> {
        let number = call.index;
        {
            let mut facts = self.facts.lock();
            facts.begin(number);
        }
        self.budget.grant(self.common.limits.work);
        let played = self.player.make(call).map_err(|error| not_played(number, error))?;
        self.note(&call, &played);
        Ok(())
    }

    /// Notes the effect of a call that was made.
    fn note(&mut self, call: &Call<'_>, played: &Played) {
        if call.context > 0 {
            self.last_context = call.context;
        }
        if call.name == "context_destroy" {
            self.facts.lock().contexts.remove(&call.context);
            self.bindings.retain(|(context, ..), _| *context != call.context);
        }
        if let Some(error) = played.error {
            self.errors.insert(call.index, error.to_string());
            return;
        }
        if !played.is_same && !self.facts.lock().is_unmeasured {
            let differs = "the result differs from the recorded one";
            self.errors.insert(call.index, differs.into());
        }
        match call.effect() {
            Effect::Binding(slots) => {
                let at = u32::try_from(call.index).unwrap_or(u32::MAX);
                self.bindings.insert((call.context, call.number, slots), at);
                // The counters in these buffers change with draws.
                self.facts.lock().writes_unseen |= call.name == "set_hw_atomic_buffers";
            }
            Effect::Objects => {
                let mut facts = self.facts.lock();
                facts.writes_unseen |=
                    call.name == "set_global_binding" || call.name == "make_image_handle_resident";
                facts.written.all |= matches!(call.name, "resource_commit" | "resource_changed");
            }
            Effect::Contents => {}
        }
    }

    /// Limits the snapshots that do not have the result of a query which call `call` needed.
    fn check_queries(&mut self, call: u64) -> Result<()> {
        let needed = std::mem::take(&mut self.facts.lock().needed);
        for begun in needed {
            let snapshots = self.common.snapshots();
            match begun {
                Some(begun) => snapshots.limit(begun, call - 1),
                None => {
                    // The query was skipped: the worker goes on from an earlier snapshot.
                    snapshots.limit(self.origin, call - 1);
                    self.is_spoiled = true;
                    bail!("call {call} needs the result of a query that was skipped: ask again");
                }
            }
        }
        Ok(())
    }

    /// Makes the calls before draw `call`, and returns the draw instead of making it.
    ///
    /// The caller makes the draw later, or ends the session with [`spoil`](Self::spoil).
    ///
    /// # Errors
    /// The call is no draw, or cannot be reached.
    pub fn hold(&mut self, call: u64) -> Result<Draw> {
        let name = self.listing().call(call)?.name;
        if name != "draw_vbo" {
            bail!("call {call} is {name}, not a draw");
        }
        self.go(call - 1)?;
        self.facts.lock().holds_draws = true;
        let step = self.step();
        let mut facts = self.facts.lock();
        facts.holds_draws = false;
        let held = facts.held.take();
        drop(facts);
        step?;
        match (held, self.error_of(call)) {
            (Some(draw), _) => Ok(draw),
            (None, Some(error)) => bail!("call {call} was refused: {error}"),
            (None, None) => bail!("call {call} did not draw"),
        }
    }

    /// Marks the session as unusable: its contexts no longer have the recording's state.
    pub const fn spoil(&mut self) {
        self.is_spoiled = true;
    }

    /// Returns true if the session is unusable.
    pub const fn is_spoiled(&self) -> bool {
        self.is_spoiled
    }

    /// Calls `run` with a context. Its calls are not noted as the recording's.
    ///
    /// # Errors
    /// There is no such context, or an error of `run`.
    pub fn with_context<R>(
        &mut self,
        number: u64,
        run: impl FnOnce(&'s dyn Screen<'static>, &mut (dyn Context<'static> + 's)) -> Result<R>,
    ) -> Result<R> {
        let (screen, budget, work) = (self.screen, self.budget, self.common.limits.work);
        let context = self.player.context(number);
        let context = context.with_context(|| format!("there is no context {number}"))?;
        self.facts.lock().is_paused = true;
        budget.grant(work);
        let result = run(screen, context);
        self.facts.lock().is_paused = false;
        result
    }

    /// Returns the number of a live context: that of the last call, or the first.
    ///
    /// # Errors
    /// No context is alive.
    pub fn any_context(&self) -> Result<u64> {
        let facts = self.facts.lock();
        if facts.contexts.contains_key(&self.last_context) {
            return Ok(self.last_context);
        }
        let first = facts.contexts.keys().next();
        first.copied().context("no context is alive here: go to a later call")
    }

    /// Returns true if copies of the contents suffice to go on from here.
    fn is_simple(&self) -> bool {
        let is_simple = |context: &ContextFacts| {
            context.open_maps == 0
                && context.open_queries.is_empty()
                && context.live_targets == 0
                && context.condition.is_none()
                && context.condition_memory.is_none()
        };
        self.facts.lock().contexts.values().all(is_simple)
    }

    /// Makes a snapshot, if that suffices to come back. Otherwise the next call tries again.
    fn keep(&mut self) {
        let index = self.index();
        if self.common.snapshots().within(self.last.0 + 1, index).is_some() {
            // Another session was here.
            self.begin_part(index, self.last.1 + self.spent);
            return;
        }
        if !self.is_simple() {
            return;
        }
        let start = self.now();
        let kept = self.copied();
        let took = self.now().saturating_sub(start);
        let interval = self.common.limits.interval;
        self.pause = took.saturating_mul(4).clamp(interval, interval.saturating_mul(LONGEST));
        let played = self.last.1 + self.spent;
        self.begin_part(index, played);
        let Some(contents) = kept else { return };
        let mut bindings: Vec<_> = self.bindings.iter().map(|(name, at)| (*at, *name)).collect();
        bindings.sort_unstable();
        self.known = contents.iter().map(|it| (it.created, Arc::clone(it))).collect();
        let depth_cleared = {
            let mut facts = self.facts.lock();
            facts.written = Default::default();
            let cleared = facts.contexts.iter().filter(|(_, context)| context.depth_cleared);
            cleared.map(|(number, _)| *number).collect()
        };
        let reach = AtomicU64::new(u64::MAX);
        self.common.snapshots().add(Snapshot {
            call: index,
            last_context: self.last_context,
            played,
            took,
            contents,
            bindings,
            depth_cleared,
            reach,
        });
    }

    fn begin_part(&mut self, call: u64, played: Duration) {
        self.last = (call, played);
        self.spent = Duration::ZERO;
    }

    /// Copies the contents of all resources that were written since the last snapshot; `None` if there is
    /// no context, no room, or an error.
    fn copied(&mut self) -> Option<Vec<Arc<Contents>>> {
        let (resources, numbers) = {
            let facts = self.facts.lock();
            let is_written =
                |handle: &ResourceHandle| facts.written.all || facts.written.some.contains(handle);
            let entry = |(handle, (template, created)): (&_, &(ResourceTemplate, u64))| {
                (*created, *handle, *template, is_written(handle))
            };
            let resources: Vec<_> = facts.resources.iter().map(entry).collect();
            (resources, facts.contexts.keys().copied().collect::<Vec<_>>())
        };
        // One context reads what all contexts have drawn.
        for number in &numbers {
            let flushed = self.with_context(*number, |_, context| {
                context.flush(FlushFlags::empty())?;
                Ok(())
            });
            flushed.ok()?;
        }
        let number = numbers.last().copied()?;
        let mut list = Vec::with_capacity(resources.len());
        for (created, handle, template, is_written) in resources {
            if let Some(known) = self.known.get(&created).filter(|_| !is_written) {
                list.push(Arc::clone(known));
                continue;
            }
            let planes = self.planes(number, handle, &template).ok()?;
            list.push(self.common.snapshots().contents(created, template, &planes)?);
        }
        Some(list)
    }

    /// Reads all levels of a resource, or all samples of each layer.
    fn planes(
        &mut self,
        number: u64,
        resource: ResourceHandle,
        template: &ResourceTemplate,
    ) -> Result<Vec<Vec<u8>>> {
        if template.samples() > 1 {
            if !samples::are_exact(template.format) {
                bail!("samples of {} cannot be written as they were", template.format);
            }
            return self.with_samples(template, |samples| {
                let mut planes = Vec::new();
                for region in layers(template)? {
                    samples.load(resource, 0, &region)?;
                    for sample in 0..samples.count {
                        planes.push(samples.read(sample)?);
                    }
                }
                Ok(planes)
            });
        }
        self.with_context(number, |screen, context| {
            let read = |level| {
                let region = template.level_region(level).context("no such level")?;
                crate::bytes::read(screen, context, resource, level, &region)
            };
            (0..=template.last_level).map(read).collect()
        })
    }

    /// Calls `run` with textures for the layers of a resource with several samples.
    fn with_samples<R>(
        &mut self,
        template: &ResourceTemplate,
        run: impl FnOnce(&mut Samples<'_, '_>) -> Result<R>,
    ) -> Result<R> {
        let screen = self.screen;
        self.budget.grant(self.common.limits.work);
        self.facts.lock().is_paused = true;
        let made = screen.context_create(ContextFlags::empty()).map_err(anyhow::Error::from);
        let result = made.and_then(|mut context| {
            let size = [template.width0, template.height0];
            Samples::with(screen, &mut *context, template, size, run)
        });
        self.facts.lock().is_paused = false;
        result
    }

    /// Returns the snapshot from which call `to` is reached sooner than from here.
    fn nearer(&self, to: u64) -> Option<Arc<Snapshot>> {
        let here = self.index();
        if to <= here + 1 {
            return None;
        }
        let snapshots = self.common.snapshots();
        let snapshot = snapshots.before(to).filter(|it| it.call > here)?;
        let played = snapshots.before(here).map_or(Duration::ZERO, |it| it.played);
        let saved = snapshot.played.saturating_sub(played);
        (here == 0 || saved > snapshot.took * 2 + JUMP).then(|| Arc::clone(snapshot))
    }

    /// Returns true if the session has to begin again to answer a question about a call.
    pub(crate) fn must_begin_again(&self, call: u64) -> bool {
        let is_shifted = self.facts.lock().is_shifted;
        call < self.index()
            || self.is_spoiled
            || is_shifted
            || (self.index() > 0 && !self.is_simple() && self.nearer(call).is_some())
    }

    /// Jumps to the snapshot that is nearest to call `to`, if one is nearer than the session.
    fn restore(&mut self, to: u64) -> Result<()> {
        let Some(snapshot) = self.nearer(to) else { return Ok(()) };
        if !self.is_simple() {
            return Ok(());
        }
        let jumped = self.jump(&snapshot);
        if jumped.is_err() {
            // The worker starts again without this snapshot.
            self.common.snapshots().remove(snapshot.call);
            self.is_spoiled = true;
        }
        jumped.context("the copy of the contents does not fit: ask again")
    }

    /// Makes the calls up to a snapshot that leave objects and bindings, and writes the contents.
    fn jump(&mut self, snapshot: &Snapshot) -> Result<()> {
        let here = self.index();
        let mut bindings = snapshot.bindings.iter().map(|(at, _)| u64::from(*at)).peekable();
        while bindings.next_if(|at| *at <= here).is_some() {}
        while self.index() < snapshot.call {
            let next = bindings.peek().map_or(snapshot.call, |at| *at);
            if let Some(place) = self.listing().place_after(self.index(), next) {
                self.player.skip_to(place);
            }
            let call = self.player.read()?.context("the recording ends")?;
            let is_made = match call.effect() {
                Effect::Objects => true,
                Effect::Binding(_) => bindings.next_if_eq(&call.index).is_some(),
                Effect::Contents => false,
            };
            if is_made {
                self.play(call)?;
            }
        }
        self.write(snapshot)?;
        self.last_context = snapshot.last_context;
        self.bindings = snapshot.bindings.iter().map(|(at, name)| (*name, *at)).collect();
        self.known = snapshot.contents.iter().map(|it| (it.created, Arc::clone(it))).collect();
        self.origin = snapshot.call;
        self.begin_part(snapshot.call, snapshot.played);
        let mut facts = self.facts.lock();
        facts.written = Default::default();
        facts.needed.clear();
        for (number, context) in &mut facts.contexts {
            context.depth_cleared = snapshot.depth_cleared.contains(number);
        }
        Ok(())
    }

    /// Writes the contents of a snapshot that differ from the session's.
    fn write(&mut self, snapshot: &Snapshot) -> Result<()> {
        let live: HashMap<u64, _> = {
            let facts = self.facts.lock();
            let is_written =
                |handle: &ResourceHandle| facts.written.all || facts.written.some.contains(handle);
            let entry = |(handle, (template, created)): (&_, &(ResourceTemplate, u64))| {
                (*created, (*handle, *template, is_written(handle)))
            };
            facts.resources.iter().map(entry).collect()
        };
        for contents in &snapshot.contents {
            let found = live.get(&contents.created);
            let found = found.filter(|(_, template, _)| *template == contents.template);
            let (resource, template, is_written) = found.context("a resource is missing")?;
            let is_known = |known: &Arc<Contents>| Arc::ptr_eq(known, contents);
            if !is_written && self.known.get(&contents.created).is_some_and(is_known) {
                continue;
            }
            if template.samples() > 1 {
                self.write_samples(*resource, template, contents)?;
                continue;
            }
            let number = self.any_context()?;
            for plane in 0..contents.planes() {
                let bytes = self.common.snapshots().plane(contents, plane)?;
                self.with_context(number, |screen, context| {
                    let level = u32::try_from(plane)?;
                    let region = template.level_region(level).context("no such level")?;
                    crate::bytes::write(screen, context, *resource, level, &region, &bytes)
                })?;
            }
        }
        Ok(())
    }

    /// Writes all samples of a resource.
    fn write_samples(
        &mut self,
        resource: ResourceHandle,
        template: &ResourceTemplate,
        contents: &Contents,
    ) -> Result<()> {
        let common = self.common;
        self.with_samples(template, |samples| {
            let mut planes = 0..contents.planes();
            for region in layers(template)? {
                for sample in 0..samples.count {
                    let plane = planes.next().context("a sample is missing")?;
                    let bytes = common.snapshots().plane(contents, plane)?;
                    samples.write(sample, &bytes)?;
                }
                samples.store(resource, 0, &region)?;
            }
            Ok(())
        })
    }
}

/// Returns the boxes of the layers of a resource with several samples.
fn layers(template: &ResourceTemplate) -> Result<impl Iterator<Item = Region>> {
    let whole = template.level_region(0).context("no such level")?;
    Ok((0..whole.depth).map(move |z| Region { z, depth: 1, ..whole }))
}

/// Explains why a call cannot be played.
fn not_played(call: u64, error: TraceError) -> anyhow::Error {
    match error {
        TraceError::CompiledShader => anyhow!(
            "call {call} creates a shader that was compiled into firmware, and the recording has no \
             name of it: build the firmware with the feature `record` of gallium-pipe-core"
        ),
        error => anyhow!("call {call} cannot be played: {error}"),
    }
}

/// Returns true if the layer notes the resources that a call writes, or if the call writes none.
fn is_noted(name: &str) -> bool {
    let writes = matches!(
        name,
        "draw_vbo"
            | "launch_grid"
            | "clear"
            | "clear_render_target"
            | "clear_depth_stencil"
            | "clear_texture"
            | "generate_mipmap"
            | "resource_copy_region"
            | "blit"
            | "buffer_subdata"
            | "texture_subdata"
            | "transfer_map"
            | "transfer_flush_region"
            | "transfer_unmap"
            | "a write of the CPU to mapped memory"
    );
    let reads = matches!(
        name,
        "begin_query"
            | "end_query"
            | "get_query_result"
            | "get_query_result_resource"
            | "stream_output_target_offset"
            | "present"
            | "present_rows"
            | "present_tile"
            | "flush_resource"
            | "texture_barrier"
            | "memory_barrier"
            | "evaluate_depth_buffer"
            | "emit_string_marker"
    );
    writes || reads
}
