//! Sessions: a recording played to a call, and kept there for questions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::budget::WorkBudget;
use os_shim::clock::Clock;
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{Player, TraceError};
use pipe_core::*;

use crate::listing::Listing;
use crate::state::{ContextFacts, Draw, SharedFacts};

/// The limits of an inspector: a recording may be untrusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes that the driver may allocate.
    pub memory: usize,
    /// Units of work per call; see [`os_shim::budget`].
    pub work: u64,
    /// Bytes of all snapshots.
    pub snapshots: usize,
    /// The playing time after which the next snapshot is made.
    pub interval: Duration,
    /// Number of drawing threads.
    pub threads: usize,
    /// The recording is played to its end while there are no questions, so that snapshots of all parts
    /// are there.
    pub prepares: bool,
}

impl Default for Limits {
    /// 2 GiB for the driver, about a minute per call, 256 MiB of snapshots, one each 250 ms.
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            work: 1 << 34,
            snapshots: 256 << 20,
            interval: Duration::from_millis(250),
            threads: 1,
            prepares: false,
        }
    }
}

/// The contents of all resources after a call.
pub(crate) struct Snapshot {
    call: u64,
    /// Resource, level and tightly packed rows.
    contents: Vec<(ResourceHandle, ResourceTemplate, u32, Vec<u8>)>,
    /// Contexts with a cleared depth buffer.
    depth_cleared: Vec<u64>,
}

impl Snapshot {
    fn size(&self) -> usize {
        self.contents.iter().map(|(.., bytes)| bytes.len()).sum()
    }
}

/// The parts that all sessions of a recording share.
pub(crate) struct Shared {
    pub(crate) trace: &'static [u8],
    pub(crate) os: Os<'static>,
    pub(crate) budget: &'static WorkBudget,
    pub(crate) limits: Limits,
    pub(crate) listing: Arc<Listing>,
    pub(crate) snapshots: Mutex<Vec<Snapshot>>,
}

/// A recording on a driver, after some call.
pub struct Session<'s> {
    screen: &'s dyn Screen<'static>,
    player: Player<'s, 'static>,
    facts: SharedFacts,
    memory: Memory<'static>,
    budget: &'static WorkBudget,
    limits: Limits,
    listing: &'s Listing,
    /// Errors of calls, by call.
    errors: BTreeMap<u64, String>,
    /// The session cannot be used further: its contexts may have the inspector's state.
    is_spoiled: bool,
    snapshots: &'s Mutex<Vec<Snapshot>>,
    clock: &'static dyn Clock,
    /// The time of the last snapshot, or of the session's start.
    since: u64,
    last_context: u64,
}

impl<'s> Session<'s> {
    /// Starts to play a recording on a screen whose layers note `facts`.
    pub(crate) fn new(
        screen: &'s dyn Screen<'static>,
        facts: &SharedFacts,
        shared: &'s Shared,
    ) -> Result<Self> {
        let Shared { trace, os, budget, limits, listing, snapshots } = shared;
        Ok(Self {
            screen,
            player: Player::new(screen, trace, os.memory)?,
            facts: facts.clone(),
            memory: os.memory,
            budget,
            limits: *limits,
            listing,
            errors: BTreeMap::new(),
            is_spoiled: false,
            snapshots,
            clock: os.clock,
            since: os.clock.now_ns(),
            last_context: 0,
        })
    }

    /// Returns the number of the last call that was made.
    pub const fn index(&self) -> u64 {
        self.player.index()
    }

    /// Returns the recording's listing.
    pub const fn listing(&self) -> &'s Listing {
        self.listing
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

    /// Makes the calls up to call `to`.
    ///
    /// # Errors
    /// The recording is damaged there, or ends before.
    pub fn go(&mut self, to: u64) -> Result<()> {
        if to > self.listing.count() {
            bail!("the recording has no call {to}: its calls are 1 to {}", self.listing.count());
        }
        self.restore(to)?;
        while self.index() < to {
            self.step()?;
            let played = self.clock.now_ns().saturating_sub(self.since);
            if Duration::from_nanos(played) >= self.limits.interval {
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
        {
            let mut facts = self.facts.lock();
            facts.call = next;
            facts.touched.clear();
            facts.touched_any = false;
        }
        self.budget.grant(self.limits.work);
        let step = self.player.step();
        let played = step.map_err(|error| match error {
            TraceError::CompiledShader => anyhow!(
                "call {next} creates a shader that was compiled into firmware: record the same \
                 program on a host, where the recording keeps the shader's text"
            ),
            error => anyhow!("call {next} cannot be played: {error}"),
        })?;
        let played = played.with_context(|| format!("the recording ends before call {next}"))?;
        if played.context > 0 {
            self.last_context = played.context;
        }
        if played.name == "context_destroy" {
            self.facts.lock().contexts.remove(&played.context);
        }
        if let Some(error) = played.error {
            self.errors.insert(next, error.to_string());
        } else if !played.is_same {
            self.errors.insert(next, "the result differs from the recorded one".into());
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
        let name = self.listing.call(call)?.name;
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
        let (screen, budget, work) = (self.screen, self.budget, self.limits.work);
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

    /// Copies the contents of all resources, if that suffices to come back.
    fn keep(&mut self) {
        self.since = self.clock.now_ns();
        let (resources, depth_cleared, numbers) = {
            let facts = self.facts.lock();
            let is_simple = |context: &ContextFacts| {
                context.open_maps == 0
                    && context.open_queries.is_empty()
                    && context.targets.is_empty()
                    && context.condition.is_none()
                    && context.condition_memory.is_none()
            };
            let is_plain = |template: &ResourceTemplate| template.samples() == 1;
            if !facts.contexts.values().all(is_simple)
                || !facts.resources.values().all(|(template, _)| is_plain(template))
            {
                return;
            }
            let numbers: Vec<_> = facts.contexts.keys().copied().collect();
            let resources: Vec<_> = facts
                .resources
                .iter()
                .map(|(handle, (template, _))| (*handle, *template))
                .collect();
            let cleared = facts.contexts.iter().filter(|(_, context)| context.depth_cleared);
            (resources, cleared.map(|(number, _)| *number).collect(), numbers)
        };
        let Some(number) = numbers.last().copied() else { return };
        // One context reads what the others have drawn.
        for number in numbers {
            let flushed = self.with_context(number, |_, context| {
                context.flush(FlushFlags::empty())?;
                Ok(())
            });
            if flushed.is_err() {
                return;
            }
        }
        let mut contents = Vec::new();
        for (resource, template) in resources {
            for level in 0..=template.last_level {
                let read = self.with_context(number, |screen, context| {
                    let region = template.level_region(level).context("no such level")?;
                    crate::bytes::read(screen, context, resource, level, &region)
                });
                let Ok(bytes) = read else { return };
                contents.push((resource, template, level, bytes));
            }
        }
        let snapshot = Snapshot { call: self.index(), contents, depth_cleared };
        let mut snapshots = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let at = snapshots.partition_point(|kept| kept.call < snapshot.call);
        if snapshots.get(at).is_none_or(|kept| kept.call != snapshot.call) {
            snapshots.insert(at, snapshot);
        }
        // Every second snapshot goes, so that those left stay evenly spread.
        while snapshots.iter().map(Snapshot::size).sum::<usize>() > self.limits.snapshots {
            let mut number = 0;
            snapshots.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.since = self.clock.now_ns();
    }

    /// Jumps to the last snapshot before call `to`, if the session has not begun.
    fn restore(&mut self, to: u64) -> Result<()> {
        if self.index() > 0 {
            return Ok(());
        }
        let snapshots = self.snapshots;
        let mut snapshots = snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(snapshot) = snapshots.iter().rfind(|kept| kept.call <= to) else { return Ok(()) };
        let jumped = self.jump(snapshot);
        if jumped.is_err() {
            // The worker starts again without snapshots.
            snapshots.clear();
            self.is_spoiled = true;
        }
        jumped.context("the copy of the contents does not fit: ask again")
    }

    fn jump(&mut self, snapshot: &Snapshot) -> Result<()> {
        while self.index() < snapshot.call {
            self.facts.lock().call = self.index() + 1;
            self.budget.grant(self.limits.work);
            self.player.skip()?;
        }
        for (resource, template, level, bytes) in &snapshot.contents {
            let known = self.facts.lock().resources.get(resource).map(|(template, _)| *template);
            if known != Some(*template) {
                bail!("another resource has the handle");
            }
            let number = self.any_context()?;
            self.with_context(number, |screen, context| {
                let region = template.level_region(*level).context("no such level")?;
                crate::bytes::write(screen, context, *resource, *level, &region, bytes)
            })?;
        }
        let mut facts = self.facts.lock();
        for (number, context) in &mut facts.contexts {
            context.depth_cleared = snapshot.depth_cleared.contains(number);
        }
        Ok(())
    }
}
