//! `RASTER_DEBUG=times`: the time that the driver spends in each phase, summed over its workers,
//! and counts of its work. A context prints them when it ends.
//!
//! Workers read the clock a few times per section, tile or batch, and only if the flag is set.

use core::array;

use os_shim::clock::Clock;
use os_shim::say;
use os_shim::sync::Mutex;

use super::{Counter, Phase};

const PHASES: usize = Phase::NAMES.len();
const COUNTERS: usize = Counter::NAMES.len();

/// The totals of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Totals {
    ns: [u64; PHASES],
    counts: [u64; COUNTERS],
}

impl Totals {
    const NONE: Totals = Totals { ns: [0; PHASES], counts: [0; COUNTERS] };
}

/// A device's times per phase, if they are measured.
#[derive(Debug)]
pub(crate) struct Times(Option<Mutex<Totals>>);

impl Times {
    /// Begins at 0; measures nothing unless `measured`.
    pub(crate) const fn new(measured: bool) -> Times {
        Times(if measured { Some(Mutex::new(Totals::NONE)) } else { None })
    }

    /// Returns the timer that adds to these times.
    #[inline]
    pub(crate) fn timer<'a>(&'a self, clock: &'a dyn Clock) -> Timer<'a> {
        Timer(self.0.as_ref().map(|totals| (clock, totals)))
    }

    /// Prints the totals and resets them to 0.
    pub(crate) fn print(&self) {
        let Some(totals) = &self.0 else { return };
        let Totals { ns, counts } = core::mem::replace(&mut *totals.lock(), Totals::NONE);
        let all: u64 = ns.iter().skip(1).sum();
        if all == 0 {
            return;
        }
        for (name, count) in Counter::NAMES.iter().zip(counts) {
            say!("{} {}", count, name);
        }
        // The first phase is waiting.
        for (name, ns) in Phase::NAMES.iter().zip(ns).skip(1) {
            // Whole numbers only: a chip's log can print them, too.
            let percent = u128::from(ns) * 100 / u128::from(all);
            say!("{} µs, {} % {}", ns / 1000, percent as u64, name);
        }
    }
}

/// Measures phases; does nothing if times are not measured.
#[derive(Clone, Copy)]
pub(crate) struct Timer<'a>(Option<(&'a dyn Clock, &'a Mutex<Totals>)>);

impl core::fmt::Debug for Timer<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Timer").field(&self.0.is_some()).finish()
    }
}

impl<'a> Timer<'a> {
    /// Measures nothing.
    #[cfg_attr(not(feature = "spans-565"), expect(dead_code, reason = "`direct` needs it"))]
    pub(crate) const OFF: Timer<'static> = Timer(None);

    /// Enters a phase.
    #[inline]
    pub(crate) fn start(self, phase: Phase) -> Stopwatch<'a> {
        let since = self.0.map_or(0, |(clock, _)| clock.now_ns());
        Stopwatch { timer: self, phase, since, ns: [0; PHASES] }
    }

    /// Adds to a count.
    #[inline]
    pub(crate) fn count(self, counter: Counter, number: u64) {
        if let Some((_, totals)) = self.0
            && let Some(count) = totals.lock().counts.get_mut(counter as usize)
        {
            *count += number;
        }
    }
}

/// Sums the times of one thread's phases until it is dropped. A thread is in one phase at a time.
#[derive(Debug)]
pub(crate) struct Stopwatch<'a> {
    timer: Timer<'a>,
    phase: Phase,
    since: u64,
    ns: [u64; PHASES],
}

impl Stopwatch<'_> {
    /// Leaves the current phase and enters another.
    #[inline(always)]
    pub(crate) fn enter(&mut self, phase: Phase) {
        if let Some((clock, _)) = self.timer.0 {
            self.switch(phase, clock.now_ns());
        }
    }

    #[cold]
    fn switch(&mut self, phase: Phase, now: u64) {
        if let Some(ns) = self.ns.get_mut(self.phase as usize) {
            *ns += now.saturating_sub(self.since);
        }
        (self.phase, self.since) = (phase, now);
    }
}

impl Drop for Stopwatch<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((clock, totals)) = self.timer.0 {
            self.switch(Phase::Waiting, clock.now_ns());
            let mut totals = totals.lock();
            totals.ns = array::from_fn(|phase| {
                let [sum, own] = [totals.ns, self.ns].map(|ns| ns.get(phase).copied());
                sum.unwrap_or(0) + own.unwrap_or(0)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn a_thread_is_in_one_phase_at_a_time() {
        let now = AtomicU64::new(5);
        let clock = os_shim::clock::FnClock(|| now.load(Relaxed));
        let times = Times::new(true);
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
        let totals = *times.0.as_ref().unwrap().lock();
        assert_eq!(totals.ns[Phase::Vertices as usize], 10 + 2 + 5);
        assert_eq!(totals.ns[Phase::Primitives as usize], 3);
        assert_eq!(totals.counts[Counter::Draws as usize], 3);
        times.print();
        assert_eq!(*times.0.as_ref().unwrap().lock(), Totals::NONE);
    }

    #[test]
    fn nothing_is_measured_unless_asked_for() {
        let clock = os_shim::clock::FnClock(|| -> u64 { panic!("the clock was read") });
        let times = Times::new(false);
        let timer = times.timer(&clock);
        timer.start(Phase::Vertices).enter(Phase::Primitives);
        timer.count(Counter::Draws, 2);
        assert!(times.0.is_none());
    }
}
