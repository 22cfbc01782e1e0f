//! The budget that bounds a device's work (see [`os_shim::budget`]), and the clock that its
//! programs read.

use os_shim::budget::{Budget, Stopped};
use os_shim::clock::Clock;
use pipe_core::PipeError;

use crate::features::{DESKTOP, Only, SHADER_MEMORY};

/// Bytes to copy or fill between two checks of the budget. A level, or even one row, may have
/// gigabytes.
pub(crate) const PIECE: usize = 1 << 20;

/// Splits `count` rows from `first` on into bands to fill between two checks of the budget. Each
/// item is a first row and a number of rows. A row has `row_bytes` bytes.
pub(crate) fn bands(first: u32, count: u32, row_bytes: usize) -> impl Iterator<Item = [u32; 2]> {
    let step = (PIECE / row_bytes.max(1)).clamp(1, count.max(1) as usize);
    (0..count).step_by(step).map(move |at| [first + at, (step as u32).min(count - at)])
}

/// Returns the reason if an error says that a command was stopped.
#[cfg(feature = "desktop")]
pub(crate) fn stop_reason(error: PipeError) -> Option<Stopped> {
    match error {
        PipeError::Stopped(reason) => Some(reason),
        _ => None,
    }
}

/// Returns `None`: no command is stopped.
#[cfg(not(feature = "desktop"))]
#[inline(always)]
pub(crate) fn stop_reason(_: PipeError) -> Option<Stopped> {
    None
}

/// Returns the error for a command that was stopped.
#[cfg(feature = "desktop")]
fn stopped(reason: Stopped) -> PipeError {
    reason.into()
}

/// Returns an error that no command gets: no command is stopped.
#[cfg(not(feature = "desktop"))]
fn stopped(_: Stopped) -> PipeError {
    PipeError::NotReady
}

/// Units of work that are counted before they are taken from the budget.
const UNITS_TAKEN: u32 = 4096;

/// A device's budget, if it has one, and its clock. Without the features that use them the type has
/// no size, and a check costs nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work<'m> {
    budget: Only<Option<&'m dyn Budget>, { DESKTOP as usize }>,
    /// Units that are counted but not yet taken from the budget.
    counted: Only<u32, { DESKTOP as usize }>,
    #[cfg_attr(not(feature = "shader-memory"), expect(dead_code, reason = "no program asks"))]
    clock: Only<Option<&'m dyn Clock>, { SHADER_MEMORY as usize }>,
}

impl<'m> Work<'m> {
    /// Returns unbounded work. Programs read the clock of `os`.
    pub(crate) fn timed_by(os: &os_shim::Os<'m>) -> Self {
        Work { clock: Only::new(Some(os.clock)), ..Work::default() }
    }

    /// Returns the work that `budget` allows.
    #[cfg(feature = "desktop")]
    pub(crate) fn within(self, budget: &'m dyn Budget) -> Self {
        Work { budget: Only::new(Some(budget)), ..self }
    }

    /// Returns the time in nanoseconds.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn now_ns(self) -> u64 {
        self.clock.get().copied().flatten().map_or(0, Clock::now_ns)
    }

    /// Takes units of work from the budget; 0 only asks if work may continue.
    ///
    /// # Errors
    /// [`PipeError`]'s `Stopped`, with the reason why the command must stop.
    #[inline(always)]
    pub(crate) fn spend(self, units: u64) -> Result<(), PipeError> {
        match self.budget.get() {
            Some(Some(budget)) => budget.spend(units).map_err(stopped),
            _ => Ok(()),
        }
    }

    /// Counts units of work. The budget is charged once every few thousand units.
    #[inline(always)]
    pub(crate) fn count(&mut self, units: u32) {
        if let Some(counted) = self.counted.get_mut() {
            *counted = counted.saturating_add(units);
        }
    }

    /// Counts units of work; returns true if the command must stop.
    ///
    /// Threads share a budget, so this asks it, and charges it, once every few thousand units.
    /// [`is_stopped`](Self::is_stopped) and [`take`](Self::take) ask at once.
    #[inline(always)]
    pub(crate) fn stops_after(&mut self, units: u32) -> bool {
        self.count(units);
        let is_enough = self.counted.get().is_some_and(|counted| *counted >= UNITS_TAKEN);
        is_enough && self.take().is_err()
    }

    /// Continues with the units that a copy of this work counted.
    #[inline(always)]
    pub(crate) fn follow(&mut self, copy: Work<'_>) {
        self.counted = copy.counted;
    }

    /// Takes the counted units from the budget.
    ///
    /// # Errors
    /// As [`spend`](Self::spend).
    pub(crate) fn take(&mut self) -> Result<(), PipeError> {
        match self.counted.get_mut() {
            Some(counted) => {
                let units = core::mem::take(counted);
                self.spend(units.into())
            }
            None => Ok(()),
        }
    }

    /// Returns true if there is a budget.
    #[cfg(flights)]
    pub(crate) fn is_bounded(self) -> bool {
        matches!(self.budget.get(), Some(Some(_)))
    }

    /// Returns a budget that refuses all work after its first refusal.
    #[cfg(flights)]
    pub(crate) fn for_good(self) -> ForGood<'m> {
        ForGood { work: self, stopped: std::sync::OnceLock::new() }
    }

    /// Returns true if the command must stop.
    #[inline(always)]
    pub(crate) fn is_stopped(self) -> bool {
        self.spend(0).is_err()
    }
}

/// Work that stays stopped after its first refusal. The owner of the budget may grant more
/// meanwhile, but only for later commands.
#[cfg(flights)]
#[derive(Debug)]
pub(crate) struct ForGood<'m> {
    work: Work<'m>,
    stopped: std::sync::OnceLock<os_shim::budget::Stopped>,
}

#[cfg(flights)]
impl ForGood<'_> {
    /// Returns the work.
    pub(crate) fn work(&self) -> Work<'_> {
        match self.work.is_bounded() {
            true => self.work.within(self),
            false => self.work,
        }
    }
}

#[cfg(flights)]
impl Budget for ForGood<'_> {
    fn spend(&self, units: u64) -> Result<(), os_shim::budget::Stopped> {
        match (self.stopped.get(), self.work.budget.get().copied().flatten()) {
            (Some(reason), _) => Err(*reason),
            (None, Some(budget)) => {
                let spent = budget.spend(units);
                if let Err(reason) = spent {
                    // Two workers may be refused at once; the first reason stays.
                    let _ = self.stopped.set(reason);
                }
                spent
            }
            (None, None) => Ok(()),
        }
    }
}

impl core::fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Work").field("stopped", &self.is_stopped()).finish()
    }
}
