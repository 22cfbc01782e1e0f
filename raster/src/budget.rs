//! The work that a device may do, if its maker bounds it: see [`os_shim::budget`]; and the time that its
//! programs read.

#[cfg(feature = "budget")]
use os_shim::budget::Budget;
use pipe_core::PipeError;

/// Bytes that are copied or filled between two questions if work may go on: a level, and even a row, may
/// have gigabytes.
#[cfg(any(
    feature = "transfers",
    feature = "clears",
    feature = "feedback",
    feature = "shader-memory"
))]
pub(crate) const PIECE: usize = 1 << 20;

/// Returns the parts, each the first row and the number of rows, in which `count` rows from `first` on are
/// filled, if a row has so many bytes.
#[cfg(feature = "clears")]
pub(crate) fn bands(first: u32, count: u32, row_bytes: usize) -> impl Iterator<Item = [u32; 2]> {
    let step = (PIECE / row_bytes.max(1)).clamp(1, count.max(1) as usize);
    (0..count).step_by(step).map(move |at| [first + at, (step as u32).min(count - at)])
}

/// Units of work that are counted before they are taken from the budget.
#[cfg(feature = "budget")]
const UNITS_TAKEN: u32 = 4096;

/// A device's budget, or none, and its clock. Without the features that use them it has no size, and
/// asking it costs nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work<'m> {
    #[cfg(feature = "budget")]
    budget: Option<&'m dyn Budget>,
    #[cfg(not(feature = "budget"))]
    budget: core::marker::PhantomData<&'m ()>,
    /// Units that were counted, and not taken from the budget yet.
    #[cfg(feature = "budget")]
    counted: u32,
    #[cfg(feature = "shader-memory")]
    clock: Option<&'m dyn os_shim::clock::Clock>,
}

impl<'m> Work<'m> {
    /// Returns work without a bound, whose programs read the clock of `os`.
    pub(crate) fn timed_by(os: &os_shim::Os<'m>) -> Self {
        let _ = os;
        Work {
            #[cfg(feature = "shader-memory")]
            clock: Some(os.clock),
            ..Work::default()
        }
    }

    /// Returns the work that `budget` allows.
    #[cfg(feature = "budget")]
    pub(crate) fn within(self, budget: &'m dyn Budget) -> Self {
        Work { budget: Some(budget), ..self }
    }

    /// Returns the time in nanoseconds.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn now_ns(self) -> u64 {
        self.clock.map_or(0, |clock| clock.now_ns())
    }

    /// Takes units of work from the budget; 0 asks only whether work may go on.
    ///
    /// # Errors
    /// [`PipeError`]'s `Stopped`, with the reason to give the command up.
    #[inline(always)]
    pub(crate) fn spend(self, units: u64) -> Result<(), PipeError> {
        #[cfg(feature = "budget")]
        if let Some(budget) = self.budget {
            return Ok(budget.spend(units)?);
        }
        let _ = units;
        Ok(())
    }

    /// Counts units of work, which are taken from the budget when a few thousand are together.
    #[inline(always)]
    pub(crate) fn count(&mut self, units: u32) {
        #[cfg(feature = "budget")]
        {
            self.counted = self.counted.saturating_add(units);
        }
        let _ = units;
    }

    /// Counts units of work; returns true if the command must be given up.
    ///
    /// Threads share a budget, so it is asked, and units are taken from it, when a few thousand are together.
    /// [`is_stopped`](Self::is_stopped) and [`take`](Self::take) ask at once.
    #[inline(always)]
    pub(crate) fn stops_after(&mut self, units: u32) -> bool {
        self.count(units);
        #[cfg(feature = "budget")]
        if self.counted >= UNITS_TAKEN {
            return self.take().is_err();
        }
        false
    }

    /// Goes on with the units that a copy of this work counted.
    #[inline(always)]
    pub(crate) fn follow(&mut self, copy: Work<'_>) {
        #[cfg(feature = "budget")]
        {
            self.counted = copy.counted;
        }
        let _ = copy;
    }

    /// Takes the units that were counted from the budget.
    ///
    /// # Errors
    /// As [`spend`](Self::spend).
    pub(crate) fn take(&mut self) -> Result<(), PipeError> {
        #[cfg(feature = "budget")]
        return self.spend(core::mem::take(&mut self.counted).into());
        #[cfg(not(feature = "budget"))]
        Ok(())
    }

    /// Returns true if there is a bound.
    #[cfg(all(flights, feature = "budget"))]
    pub(crate) fn is_bounded(self) -> bool {
        self.budget.is_some()
    }

    /// Returns a budget that stays spent from its first refusal on.
    #[cfg(all(flights, feature = "budget"))]
    pub(crate) fn for_good(self) -> ForGood<'m> {
        ForGood { work: self, stopped: std::sync::OnceLock::new() }
    }

    /// Returns true if the command must be given up.
    #[inline(always)]
    pub(crate) fn is_stopped(self) -> bool {
        self.spend(0).is_err()
    }
}

/// Work that stays stopped once it is, although the owner of its budget may grant a new one meanwhile: to a later
/// command.
#[cfg(all(flights, feature = "budget"))]
#[derive(Debug)]
pub(crate) struct ForGood<'m> {
    work: Work<'m>,
    stopped: std::sync::OnceLock<os_shim::budget::Stopped>,
}

#[cfg(all(flights, feature = "budget"))]
impl ForGood<'_> {
    /// Returns the work.
    pub(crate) fn work(&self) -> Work<'_> {
        match self.work.is_bounded() {
            true => self.work.within(self),
            false => self.work,
        }
    }
}

#[cfg(all(flights, feature = "budget"))]
impl Budget for ForGood<'_> {
    fn spend(&self, units: u64) -> Result<(), os_shim::budget::Stopped> {
        match (self.stopped.get(), self.work.budget) {
            (Some(reason), _) => Err(*reason),
            (None, Some(budget)) => {
                let spent = budget.spend(units);
                if let Err(reason) = spent {
                    // Whichever worker is refused first.
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
