//! Where time goes. `RASTER_DEBUG=times`: the time that the driver spends in each phase, summed over
//! its workers, and counts of its work; a context prints them when it ends. `RASTER_PROFILE`: a file
//! with each draw, scene, tile and claim of blocks as an event of its thread. The flags `toss…` of
//! `RASTER_DEBUG` leave parts of the work out, to find what a frame waits for.
//!
//! Workers read the clock a few times per section, tile or batch, and only if asked to.

use core::{array, fmt};

use os_shim::clock::Clock;
use os_shim::events::EventFile;
use os_shim::options::{Options, names};
use os_shim::say;
use os_shim::sync::Mutex;

use super::{Counter, Debug, Phase};
use crate::features::DESKTOP;

const PHASES: usize = Phase::NAMES.len();
const COUNTERS: usize = Counter::NAMES.len();

/// The length of arrays of what is measured: 0 without the feature `desktop`, so that they take no memory
/// and no code.
const MEASURED: usize = DESKTOP as usize;

/// The totals of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Totals {
    ns: [u64; PHASES],
    counts: [u64; COUNTERS],
}

impl Totals {
    const NONE: Totals = Totals { ns: [0; PHASES], counts: [0; COUNTERS] };
}

/// A device's measurements, if the options ask for any.
#[derive(Debug)]
pub(crate) struct Times([Option<Measured>; MEASURED]);

/// What a device measures and leaves out.
#[derive(Debug)]
struct Measured {
    totals: Mutex<Totals>,
    events: Option<EventFile>,
    debug: Debug,
}

impl Measured {
    fn of_options(debug: Debug, options: &dyn Options) -> Option<Measured> {
        let events = EventFile::of_options(options, names::RASTER_PROFILE);
        let asked = Debug::TIMES
            | Debug::TOSS_DRAWS
            | Debug::TOSS_PRIMITIVES
            | Debug::TOSS_TILES
            | Debug::TOSS_BATCHES;
        let is_asked = debug.has(asked) || events.is_some();
        is_asked.then(|| Measured { totals: Mutex::new(Totals::NONE), events, debug })
    }
}

impl Times {
    /// Begins at 0. Measures nothing unless the flags or `RASTER_PROFILE` ask for it.
    pub(crate) fn new(debug: Debug, options: &dyn Options) -> Times {
        Times(array::from_fn(|_| Measured::of_options(debug, options)))
    }

    fn measured(&self) -> Option<&Measured> {
        self.0.first()?.as_ref()
    }

    /// Returns the timer that adds to these times.
    #[inline]
    pub(crate) fn timer<'a>(&'a self, clock: &'a dyn Clock) -> Timer<'a> {
        Timer([self.measured().map(|measured| Link { clock, measured }); MEASURED])
    }

    /// Prints the totals, if the flag `times` asks for them, and resets them to 0.
    pub(crate) fn print(&self) {
        let Some(measured) = self.measured().filter(|measured| measured.debug.has(Debug::TIMES))
        else {
            return;
        };
        let Totals { ns, counts } = core::mem::replace(&mut *measured.totals.lock(), Totals::NONE);
        // The first phase is waiting.
        let (Some((_, ns)), Some((_, names))) = (ns.split_first(), Phase::NAMES.split_first())
        else {
            return;
        };
        let all: u64 = ns.iter().sum();
        if all == 0 {
            return;
        }
        for (name, count) in Counter::NAMES.iter().zip(counts) {
            say!("{} {}", count, name);
        }
        for (name, ns) in names.iter().zip(ns) {
            // Whole numbers only: a chip's log can print them, too.
            let percent = u128::from(*ns) * 100 / u128::from(all);
            say!("{} µs, {} % {}", ns / 1000, percent as u64, name);
        }
    }
}

/// A clock, and where to add what it measures.
#[derive(Clone, Copy)]
struct Link<'a> {
    clock: &'a dyn Clock,
    measured: &'a Measured,
}

/// Measures phases; does nothing if times are not measured.
#[derive(Clone, Copy)]
pub(crate) struct Timer<'a>([Option<Link<'a>>; MEASURED]);

impl fmt::Debug for Timer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Timer").field(&self.link().is_some()).finish()
    }
}

impl<'a> Timer<'a> {
    /// Measures nothing.
    #[cfg_attr(not(feature = "spans-565"), expect(dead_code, reason = "`direct` needs it"))]
    pub(crate) const OFF: Timer<'static> = Timer([None; MEASURED]);

    #[inline(always)]
    fn link(self) -> Option<Link<'a>> {
        *self.0.first()?
    }

    /// Enters a phase. The event has the name of what begins in that phase.
    #[inline]
    pub(crate) fn start(self, phase: Phase) -> Stopwatch<'a> {
        let name = match phase {
            Phase::Assembly => "draw",
            Phase::Clearing => "clear",
            Phase::Rasterizing => "tile",
            Phase::Presenting => "present",
            Phase::Computing => "blocks",
            _ => "work",
        };
        self.named(name, phase)
    }

    /// Enters a phase; the event's name is `name`.
    #[inline]
    pub(crate) fn named(self, name: &'static str, phase: Phase) -> Stopwatch<'a> {
        let began = self.link().map_or(0, |link| link.clock.now_ns());
        let worked = self.events().map_or(0, EventFile::worked_ns);
        let running = Running { name, began, worked, phase, since: began, ns: [0; PHASES] };
        Stopwatch { timer: self, running: [running; MEASURED] }
    }

    #[inline]
    fn events(self) -> Option<&'a EventFile> {
        self.link()?.measured.events.as_ref()
    }

    /// Returns true if the user's flags leave out a part of the work.
    #[inline(always)]
    pub(crate) fn leaves_out(self, part: Debug) -> bool {
        self.link().is_some_and(|link| link.measured.debug.has(part))
    }

    /// Adds to a count.
    #[inline]
    pub(crate) fn count(self, counter: Counter, number: u64) {
        if let Some(link) = self.link()
            && let Some(count) = link.measured.totals.lock().counts.get_mut(counter as usize)
        {
            *count += number;
        }
    }
}

/// Sums the times of one thread's phases until it is dropped. A thread is in one phase at a time.
#[derive(Debug)]
pub(crate) struct Stopwatch<'a> {
    timer: Timer<'a>,
    running: [Running; MEASURED],
}

/// What a stopwatch holds.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// The name of the event.
    name: &'static str,
    /// The time at the start, and the processor time of the thread until then.
    began: u64,
    worked: u64,
    phase: Phase,
    since: u64,
    ns: [u64; PHASES],
}

impl Running {
    #[cold]
    fn switch(&mut self, phase: Phase, now: u64) {
        if let Some(ns) = self.ns.get_mut(self.phase as usize) {
            *ns += now.saturating_sub(self.since);
        }
        (self.phase, self.since) = (phase, now);
    }

    /// Adds to the device's measurements.
    #[cold]
    fn end(&mut self, Link { clock, measured }: Link<'_>) {
        self.switch(Phase::Waiting, clock.now_ns());
        if let Some(events) = &measured.events {
            let worked = events.worked_ns().saturating_sub(self.worked);
            let span = [self.began, self.since];
            events.write(self.name, span, worked, format_args!("{}", Facts(&self.ns)));
        }
        let mut totals = measured.totals.lock();
        totals.ns = array::from_fn(|phase| {
            let [sum, own] = [totals.ns, self.ns].map(|ns| ns.get(phase).copied());
            sum.unwrap_or(0) + own.unwrap_or(0)
        });
    }
}

impl Stopwatch<'_> {
    /// Leaves the current phase and enters another.
    #[inline(always)]
    pub(crate) fn enter(&mut self, phase: Phase) {
        if let Some(link) = self.timer.link()
            && let Some(running) = self.running.first_mut()
        {
            running.switch(phase, link.clock.now_ns());
        }
    }

    /// Returns true if the user's flags leave out a part of the work.
    #[inline(always)]
    pub(crate) fn leaves_out(&self, part: Debug) -> bool {
        self.timer.leaves_out(part)
    }
}

impl Drop for Stopwatch<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(link) = self.timer.link()
            && let Some(running) = self.running.first_mut()
        {
            running.end(link);
        }
    }
}

/// The phases of an event that took time, in microseconds, as members of a JSON object.
struct Facts<'a>(&'a [u64; PHASES]);

impl fmt::Display for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for (name, ns) in Phase::NAMES.iter().zip(self.0).filter(|(_, ns)| **ns > 0) {
            write!(f, r#"{comma}"{name}":{}.{:03}"#, ns / 1000, ns % 1000)?;
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "desktop"))]
mod tests {
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use os_shim::options::Table;

    use super::*;

    #[test]
    fn a_thread_is_in_one_phase_at_a_time() {
        let now = AtomicU64::new(5);
        let clock = os_shim::clock::FnClock(|| now.load(Relaxed));
        let times = Times::new(Debug::TIMES, &Table(&[]));
        let timer = times.timer(&clock);
        {
            let mut watch = timer.start(Phase::Vertices);
            let mut other = timer.start(Phase::Waiting);
            now.store(15, Relaxed);
            watch.enter(Phase::Primitives);
            other.enter(Phase::Vertices);
            now.store(18, Relaxed);
            watch.enter(Phase::Vertices);
            now.store(20, Relaxed);
        }
        timer.count(Counter::Draws, 2);
        timer.count(Counter::Draws, 1);
        let totals = *times.measured().unwrap().totals.lock();
        assert_eq!(totals.ns[Phase::Vertices as usize], 10 + 2 + 5);
        assert_eq!(totals.ns[Phase::Primitives as usize], 3);
        assert_eq!(totals.counts[Counter::Draws as usize], 3);
        times.print();
        assert_eq!(*times.measured().unwrap().totals.lock(), Totals::NONE);
    }

    #[test]
    fn nothing_is_measured_unless_asked_for() {
        let clock = os_shim::clock::FnClock(|| -> u64 { panic!("the clock was read") });
        let times = Times::new(Debug::FLUSH, &Table(&[]));
        let timer = times.timer(&clock);
        timer.start(Phase::Vertices).enter(Phase::Primitives);
        timer.count(Counter::Draws, 2);
        assert!(times.measured().is_none());
    }
}
