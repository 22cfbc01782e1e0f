//! The time that one command may take.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use os_shim::budget::{Budget, Stopped};

/// The units of work between two looks at the clock: at least some twenty microseconds.
const UNITS_PER_LOOK: u64 = 4096;

/// The deadline of the current command. All threads that work on the command spend from it.
#[derive(Debug)]
pub(crate) struct Deadline {
    start: Instant,
    /// Nanoseconds from `start` to the deadline.
    end: AtomicU64,
    spent: AtomicU64,
    is_over: AtomicBool,
}

impl Deadline {
    pub(crate) fn new() -> Deadline {
        Deadline {
            start: Instant::now(),
            end: AtomicU64::new(u64::MAX),
            spent: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Begins a command that may take `time`.
    pub(crate) fn grant(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.end.store(self.now().saturating_add(time), Relaxed);
        self.spent.store(0, Relaxed);
        self.is_over.store(false, Relaxed);
    }
}

impl Budget for Deadline {
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        if self.is_over.load(Relaxed) {
            return Err(Stopped::Time);
        }
        let before = self.spent.fetch_add(units, Relaxed);
        let after = before.saturating_add(units);
        if before / UNITS_PER_LOOK != after / UNITS_PER_LOOK && self.now() > self.end.load(Relaxed)
        {
            self.is_over.store(true, Relaxed);
            return Err(Stopped::Time);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_at_its_deadline() {
        let deadline = Deadline::new();
        deadline.grant(Duration::from_secs(600));
        assert_eq!(deadline.spend(100 * UNITS_PER_LOOK), Ok(()));
        deadline.grant(Duration::ZERO);
        assert_eq!(deadline.spend(1), Ok(()), "less than a look at the clock");
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(deadline.spend(UNITS_PER_LOOK), Err(Stopped::Time));
        assert_eq!(deadline.spend(0), Err(Stopped::Time));
        deadline.grant(Duration::from_secs(600));
        assert_eq!(deadline.spend(0), Ok(()));
    }
}
