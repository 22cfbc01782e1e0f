//! The system's monotonic clock, as clients read it.

use os_shim::clock::Clock;

/// Returns the nanoseconds of `CLOCK_MONOTONIC`. A client compares timestamp queries with its own
/// reading of this clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    fn now_ns(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or(0);
        seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
    }
}
