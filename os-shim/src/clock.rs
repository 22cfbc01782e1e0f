//! The time, for timestamps and reports; no pixel depends on it.

/// A clock that never runs backwards.
pub trait Clock: Sync {
    /// Returns the nanoseconds since the clock's start, which is the clock's own choice.
    fn now_ns(&self) -> u64;
}

/// A clock that stands still at 0, for boards without a timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now_ns(&self) -> u64 {
        0
    }
}

/// A clock that a function reads, such as a board's timer.
#[derive(Clone, Copy, Debug)]
pub struct FnClock<F = fn() -> u64>(pub F);

impl<F: Fn() -> u64 + Sync> Clock for FnClock<F> {
    fn now_ns(&self) -> u64 {
        (self.0)()
    }
}

/// The hosted system's monotonic clock; it starts when it is first read.
#[cfg(any(feature = "std", test))]
#[derive(Clone, Copy, Debug, Default)]
pub struct HostClock;

#[cfg(any(feature = "std", test))]
impl Clock for HostClock {
    fn now_ns(&self) -> u64 {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        let elapsed = START.get_or_init(Instant::now).elapsed();
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn clocks_tell_their_time() {
        assert_eq!(NoClock.now_ns(), 0);
        assert_eq!(FnClock(|| 42).now_ns(), 42);
        let start = HostClock.now_ns();
        std::thread::sleep(Duration::from_millis(2));
        assert!(HostClock.now_ns() - start >= 2_000_000);
    }
}
