//! Playing a recording to any call, again and again: one question after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::{Memory, Os};
use pipe_core::Screen;
use pipe_core::wrap::LayerScreen;
#[cfg(feature = "boards")]
use raster::AnyProfile;
use raster::Config;
use self_cell::self_cell;

use crate::listing::Listing;
use crate::session::{Common, Limits, Progress, Session, Shared};
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

    /// Returns the state of the first pass.
    fn progress(&self) -> Progress;

    /// Waits until the first pass has reached a call, for `patience` at most. Returns false if it has not.
    fn wait_for(&self, call: u64, patience: Duration) -> bool;
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
        let Shared { os, budget, common } = &**shared;
        let screen = screen(common.listing.driver(), *os, budget)?;
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

/// Makes a screen of the profile that recorded, so that the pixels of a board are the board's.
#[cfg(feature = "boards")]
fn screen(
    driver: &str,
    os: Os<'static>,
    budget: &'static WorkBudget,
) -> Result<Box<dyn Screen<'static>>> {
    let is_named = |it: &&AnyProfile| driver.ends_with(&format!("({})", it.name()));
    let profile = AnyProfile::ALL.iter().find(is_named).copied().unwrap_or(AnyProfile::Host);
    Ok(profile.screen_with_budget(os, Config::default(), budget))
}

/// Makes a screen of the host's profile.
///
/// # Errors
/// A board's driver recorded: its pixels are others.
#[cfg(not(feature = "boards"))]
fn screen(
    driver: &str,
    os: Os<'static>,
    budget: &'static WorkBudget,
) -> Result<Box<dyn Screen<'static>>> {
    let is_of_board = ["(tiny)", "(small)"].iter().any(|name| driver.ends_with(name));
    anyhow::ensure!(
        !is_of_board,
        "the recording is of `{driver}`, and this program plays recordings of hosts only: enable the feature `boards` of \
         gallium-inspect"
    );
    Ok(raster::Screen::boxed(os, Config::default(), budget, None))
}

/// A recording that is played, and played again from its start to go back.
pub struct Playback {
    shared: Arc<Shared>,
    running: Option<Running>,
}

impl Playback {
    /// Plays nothing yet. The driver's memory is counted; the count stays for as long as the program runs.
    pub(crate) fn new(common: &Arc<Common>, mut os: Os<'static>) -> Self {
        let Limits { memory, work, .. } = common.limits;
        let quota: &'static Quota<'static> = Box::leak(Box::new(Quota::new(os.memory, memory)));
        os.memory = Memory::new(quota);
        let budget: &'static WorkBudget = Box::leak(Box::default());
        budget.grant(work);
        let shared = Shared { os, budget, common: Arc::clone(common) };
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

    /// Plays the recording to its end, call by call, until `goes_on` returns false for a call. A call that
    /// cannot be played ends it, too: a question about it gets the error.
    pub(crate) fn play(&mut self, goes_on: impl Fn(u64) -> bool) {
        let count = self.shared.common.listing.count();
        let Ok(running) = self.usable(0) else { return };
        running.with_dependent_mut(|_, session| {
            for call in 1..=count {
                if session.go(call).is_err() || !goes_on(call) {
                    return;
                }
            }
        });
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
        self.running.as_mut().context("there is no session")
    }

    /// Returns a session that can go to `call`: the last one, or a new one.
    fn usable(&mut self, call: u64) -> Result<&mut Running> {
        let running = match self.running.take() {
            Some(running) if !running.with_dependent(|_, it| it.must_begin_again(call)) => running,
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
    common: Arc<Common>,
    playback: Mutex<Playback>,
}

impl Alone {
    /// Reads a recording. It is played on `os`.
    ///
    /// # Errors
    /// The bytes are no recording.
    pub fn new(trace: &'static [u8], os: Os<'static>, limits: Limits) -> Result<Self> {
        let common = Common::new(trace, Limits { prepares: false, ..limits })?;
        let playback = Playback::new(&common, os);
        Ok(Self { common, playback: Mutex::new(playback) })
    }
}

impl Recording for Alone {
    fn listing(&self) -> &Listing {
        &self.common.listing
    }

    fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let mut playback = self.playback.lock().unwrap_or_else(PoisonError::into_inner);
        playback.at(call, |session| session.and_then(job))
    }

    fn progress(&self) -> Progress {
        self.common.progress()
    }

    /// There is no first pass: the thread that asks plays up to the call.
    fn wait_for(&self, _: u64, _: Duration) -> bool {
        true
    }
}
