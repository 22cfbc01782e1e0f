//! Work budgets: they limit the work of a command, and let another thread stop it.
//!
//! Software that draws for untrusted clients must end every command in bounded time. A driver with
//! a [`Budget`] spends from it while it works and aborts the command at the first refusal. It asks
//! between tiles, between primitives, between batches of lanes, and every few thousand ops of a
//! shader.
//!
//! One unit is one arithmetic op of a shader for a batch of lanes, one vertex, or one row of
//! texels: some five nanoseconds to a microsecond on a host. Longer ops cost more units, and a
//! texture lookup costs as many as its filter and format take. The budget counts units, not time,
//! so a command that exceeds it does so on every machine.

use core::fmt;
#[cfg(any(feature = "std", test))]
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The reason why a command was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Stopped {
    /// The command needs more units than its budget has.
    Work,
    /// The command took longer than its time limit.
    Time,
    /// The client no longer waits for the result.
    Cancelled,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Work => "more work than its budget allows",
            Stopped::Time => "longer than its time allows",
            Stopped::Cancelled => "cancelled",
        })
    }
}

impl core::error::Error for Stopped {}

/// The remaining work of a command, shared by all threads that work on it.
pub trait Budget: Sync {
    /// Takes `units` from the budget; 0 only asks whether work may continue.
    ///
    /// After a refusal it refuses every request until its owner grants a new budget.
    ///
    /// # Errors
    /// The reason why the command must stop.
    fn spend(&self, units: u64) -> Result<(), Stopped>;
}

/// A budget in units that any thread can stop. A host grants it again for each command. A watchdog
/// stops commands that take too long or that no client waits for.
///
/// ```
/// use gallium_os_shim::budget::{Budget, Stopped, WorkBudget};
///
/// let budget = WorkBudget::new();
/// budget.grant(100);
/// assert_eq!(budget.spend(60), Ok(()));
/// assert_eq!(budget.spend(60), Err(Stopped::Work));
///
/// budget.grant(100);
/// budget.stop(budget.command(), Stopped::Time);
/// assert_eq!(budget.spend(0), Err(Stopped::Time));
/// ```
#[cfg(any(feature = "std", test))]
#[derive(Debug, Default)]
pub struct WorkBudget {
    left: AtomicU64,
    /// The command's number, shifted left by two bits. The lowest two bits are 0, or the reason why
    /// the command was stopped; see [`number`](Self::number).
    state: AtomicU64,
}

#[cfg(any(feature = "std", test))]
impl WorkBudget {
    /// The bits of the reason in the state.
    const REASON: u64 = 3;

    /// Returns an empty budget, before the first command.
    pub const fn new() -> Self {
        WorkBudget { left: AtomicU64::new(0), state: AtomicU64::new(0) }
    }

    /// Returns the bits that stand for a reason in the state.
    const fn number(reason: Stopped) -> u64 {
        match reason {
            Stopped::Work => 1,
            Stopped::Time => 2,
            Stopped::Cancelled => 3,
        }
    }

    /// Begins the next command with `units`. After [`cancel`](Self::cancel) the command starts
    /// stopped.
    pub fn grant(&self, units: u64) {
        self.left.store(units, Relaxed);
        let next = |state: u64| match state & Self::REASON {
            3 => None,
            _ => Some((state | Self::REASON).wrapping_add(1)),
        };
        // A cancelled budget stays cancelled.
        let _ = self.state.fetch_update(Relaxed, Relaxed, next);
    }

    /// Returns the number of the current command. A watchdog stops a command if this number stays
    /// the same for too long.
    pub fn command(&self) -> u64 {
        self.state.load(Relaxed) >> 2
    }

    /// Stops a command, unless it has ended or was stopped before.
    pub fn stop(&self, command: u64, reason: Stopped) {
        let going = command << 2;
        let stopped = going | Self::number(reason);
        let _ = self.state.compare_exchange(going, stopped, Relaxed, Relaxed);
    }

    /// Stops the current command and all later ones, until [`renew`](Self::renew).
    pub fn cancel(&self) {
        self.state.fetch_or(Self::REASON, Relaxed);
    }

    /// Resets a cancelled budget, so that another owner can use it.
    pub fn renew(&self) {
        self.state.fetch_and(!Self::REASON, Relaxed);
    }

    /// Returns the reason why the current command was stopped, if it was.
    pub fn stopped(&self) -> Option<Stopped> {
        match self.state.load(Relaxed) & Self::REASON {
            0 => None,
            1 => Some(Stopped::Work),
            2 => Some(Stopped::Time),
            _ => Some(Stopped::Cancelled),
        }
    }
}

#[cfg(any(feature = "std", test))]
impl Budget for WorkBudget {
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        let take = |left: u64| left.checked_sub(units);
        if units > 0 && self.left.fetch_update(Relaxed, Relaxed, take).is_err() {
            self.stop(self.command(), Stopped::Work);
        }
        self.stopped().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_for_the_first_reason() {
        let budget = WorkBudget::new();
        assert_eq!(budget.spend(1), Err(Stopped::Work));
        budget.grant(10);
        assert_eq!(budget.spend(10), Ok(()));
        assert_eq!((budget.spend(0), budget.stopped()), (Ok(()), None));
        assert_eq!(budget.spend(1), Err(Stopped::Work));
        budget.stop(budget.command(), Stopped::Time);
        assert_eq!((budget.spend(0), budget.stopped()), (Err(Stopped::Work), Some(Stopped::Work)));
        budget.grant(u64::MAX);
        assert_eq!(budget.spend(u64::MAX), Ok(()));
        assert_eq!(std::format!("{}", Stopped::Time), "longer than its time allows");
    }

    #[test]
    fn a_watchdog_stops_the_command_it_saw() {
        let budget = WorkBudget::new();
        budget.grant(10);
        let seen = budget.command();
        budget.grant(10);
        budget.stop(seen, Stopped::Time);
        assert_eq!(budget.spend(1), Ok(()));
        budget.stop(budget.command(), Stopped::Time);
        assert_eq!(budget.spend(1), Err(Stopped::Time));
    }

    #[test]
    fn cancelled_stays_cancelled_until_it_is_renewed() {
        let budget = WorkBudget::new();
        budget.grant(10);
        budget.stop(budget.command(), Stopped::Time);
        budget.cancel();
        budget.grant(10);
        assert_eq!(budget.spend(0), Err(Stopped::Cancelled));
        budget.renew();
        budget.grant(10);
        assert_eq!(budget.spend(1), Ok(()));
    }

    #[test]
    fn threads_spend_from_one_budget() {
        const SHARE: u64 = if cfg!(miri) { 50 } else { 10_000 };
        let budget = WorkBudget::new();
        budget.grant(3 * SHARE);
        let taken = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..SHARE {
                        if budget.spend(1).is_ok() {
                            taken.fetch_add(1, Relaxed);
                        }
                    }
                });
            }
        });
        // A thread that requests one of the last units may be refused because another thread's
        // request was.
        let taken = taken.into_inner();
        assert!((3 * SHARE - 3..=3 * SHARE).contains(&taken), "{taken}");
        assert_eq!(budget.stopped(), Some(Stopped::Work));
    }
}
