//! Playing a recording to any call, again and again: one question after the other.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::{Memory, Os};
use pipe_core::Screen;
use pipe_core::wrap::LayerScreen;
use raster::{AnyProfile, Config};
use self_cell::self_cell;

use crate::listing::Listing;
use crate::session::{Limits, Session, Shared};
use crate::state::SharedFacts;

/// A recording that answers questions at its calls.
pub trait Recording {
    /// Returns the recording's listing.
    fn listing(&self) -> &Listing;

    /// Plays the recording to the end of `call`, calls `job` there, and returns its result.
    ///
    /// # Errors
    /// The call cannot be reached, or an error of `job`.
    fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R>;
}

/// A driver, and the facts that the layers of its contexts note.
struct Driver {
    screen: Box<dyn Screen<'static>>,
    facts: SharedFacts,
    memory: Memory<'static>,
}

type Layers<'d> = LayerScreen<'d, 'static, SharedFacts>;

self_cell!(
    /// A driver with layers on its contexts.
    struct Layered {
        owner: Driver,
        #[covariant]
        dependent: Layers,
    }
);

/// The parts that a session borrows.
struct Base {
    layered: Layered,
    shared: Arc<Shared>,
}

self_cell!(
    /// A session with its driver.
    struct Running {
        owner: Base,
        #[not_covariant]
        dependent: Session,
    }
);

impl Running {
    /// Starts to play a recording on a new driver.
    fn start(shared: &Arc<Shared>) -> Result<Self> {
        let Shared { os, budget, .. } = &**shared;
        let screen = AnyProfile::Host.screen_with_budget(*os, Config::default(), *budget);
        let driver = Driver { screen, facts: SharedFacts::default(), memory: os.memory };
        let layered =
            Layered::new(driver, |it| LayerScreen::new(&*it.screen, &it.facts, it.memory));
        let base = Base { layered, shared: Arc::clone(shared) };
        Self::try_new(base, |base| {
            let facts = &base.layered.borrow_owner().facts;
            Session::new(base.layered.borrow_dependent(), facts, &base.shared)
        })
    }
}

/// A recording that is played, and played again from its start to go back.
pub struct Playback {
    shared: Arc<Shared>,
    running: Option<Running>,
}

impl Playback {
    /// Plays nothing yet. The driver's memory is counted; the count stays for as long as the program runs.
    pub fn new(
        trace: &'static [u8],
        mut os: Os<'static>,
        limits: Limits,
        listing: Arc<Listing>,
    ) -> Self {
        let quota: &'static Quota<'static> =
            Box::leak(Box::new(Quota::new(os.memory, limits.memory)));
        os.memory = Memory::new(quota);
        let budget: &'static WorkBudget = Box::leak(Box::default());
        budget.grant(limits.work);
        let snapshots = Mutex::default();
        let shared = Shared { trace, os, budget, limits, listing, snapshots };
        Self { shared: Arc::new(shared), running: None }
    }

    /// Plays the recording to the end of `call`, and calls `job` there, or with the reason why the call
    /// cannot be reached.
    pub fn at<R>(&mut self, call: u64, job: impl FnOnce(Result<&mut Session<'_>>) -> R) -> R {
        match self.reach(call) {
            Ok(running) => running.with_dependent_mut(|_, session| job(Ok(session))),
            Err(error) => job(Err(error)),
        }
    }

    /// Plays on by `calls`. Returns true if the recording is played to its end, or cannot be played on.
    pub fn prepare(&mut self, calls: u64) -> bool {
        let count = self.shared.listing.count();
        let is_spoiled = |it: &Running| it.with_dependent(|_, session| session.is_spoiled());
        if self.running.as_ref().is_some_and(is_spoiled) {
            return true;
        }
        let Ok(running) = self.usable(u64::MAX) else { return true };
        running.with_dependent_mut(|_, session| {
            let to = session.index().saturating_add(calls).min(count);
            // A question about a call that cannot be played gets the error.
            session.go(to).is_err() || to == count
        })
    }

    /// Returns the session at `call`.
    fn reach(&mut self, call: u64) -> Result<&mut Running> {
        loop {
            let running = self.usable(call)?;
            let (went, is_spoiled) =
                running.with_dependent_mut(|_, session| (session.go(call), session.is_spoiled()));
            // The next session goes without the snapshot that did not fit.
            if !is_spoiled {
                went?;
                break;
            }
        }
        self.usable(call)
    }

    /// Returns a session that can go to `call`: the last one, or a new one.
    fn usable(&mut self, call: u64) -> Result<&mut Running> {
        let running = match self.running.take() {
            Some(running)
                if running.with_dependent(|_, it| it.index() <= call && !it.is_spoiled()) =>
            {
                running
            }
            // The memory of the last driver is free before the next one starts.
            last => {
                drop(last);
                Running::start(&self.shared)?
            }
        };
        Ok(self.running.insert(running))
    }
}

/// A recording whose questions are answered by the thread that asks.
pub struct Alone {
    listing: Arc<Listing>,
    playback: Mutex<Playback>,
}

impl Alone {
    /// Reads a recording. It is played on `os`.
    ///
    /// # Errors
    /// The bytes are no recording.
    pub fn new(trace: &'static [u8], os: Os<'static>, limits: Limits) -> Result<Self> {
        let listing = Arc::new(Listing::new(trace)?);
        let playback = Playback::new(trace, os, limits, Arc::clone(&listing));
        Ok(Self { listing, playback: Mutex::new(playback) })
    }
}

impl Recording for Alone {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let mut playback = self.playback.lock().unwrap_or_else(PoisonError::into_inner);
        playback.at(call, |session| session.and_then(job))
    }
}
