//! The budget that bounds a device's work (see [`os_shim::budget`]), and the clock that its
//! programs read.

#[cfg(feature = "desktop")]
use os_shim::budget::Budget;
use pipe_core::PipeError;

/// Bytes to copy or fill between two checks of the budget. A level, or even one row, may have
/// gigabytes.
#[cfg(any(feature = "es2", feature = "shader-memory"))]
pub(crate) const PIECE: usize = 1 << 20;

/// Splits `count` rows from `first` on into bands to fill between two checks of the budget. Each
/// item is a first row and a number of rows. A row has `row_bytes` bytes.
#[cfg(feature = "es2")]
pub(crate) fn bands(first: u32, count: u32, row_bytes: usize) -> impl Iterator<Item = [u32; 2]> {
    let step = (PIECE / row_bytes.max(1)).clamp(1, count.max(1) as usize);
    (0..count).step_by(step).map(move |at| [first + at, (step as u32).min(count - at)])
}

/// Units of work that are counted before they are taken from the budget.
#[cfg(feature = "desktop")]
const UNITS_TAKEN: u32 = 4096;

/// A device's budget, if it has one, and its clock. Without the features that use them the type has
/// no size, and a check costs nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work<'m> {
    #[cfg(feature = "desktop")]
    budget: Option<&'m dyn Budget>,
    #[cfg(not(feature = "desktop"))]
    budget: core::marker::PhantomData<&'m ()>,
    /// Units that are counted but not yet taken from the budget.
    #[cfg(feature = "desktop")]
    counted: u32,
    #[cfg(feature = "shader-memory")]
    clock: Option<&'m dyn os_shim::clock::Clock>,
}

impl<'m> Work<'m> {
    /// Returns unbounded work. Programs read the clock of `os`.
    pub(crate) fn timed_by(os: &os_shim::Os<'m>) -> Self {
        let _ = os;
        Work {
            #[cfg(feature = "shader-memory")]
            clock: Some(os.clock),
            ..Work::default()
        }
    }

    /// Returns the work that `budget` allows.
    #[cfg(feature = "desktop")]
    pub(crate) fn within(self, budget: &'m dyn Budget) -> Self {
        Work { budget: Some(budget), ..self }
    }

    /// Returns the time in nanoseconds.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn now_ns(self) -> u64 {
        self.clock.map_or(0, |clock| clock.now_ns())
    }

    /// Takes units of work from the budget; 0 only asks if work may continue.
    ///
    /// # Errors
    /// [`PipeError`]'s `Stopped`, with the reason why the command must stop.
    #[inline(always)]
    pub(crate) fn spend(self, units: u64) -> Result<(), PipeError> {
        #[cfg(feature = "desktop")]
        if let Some(budget) = self.budget {
            return Ok(budget.spend(units)?);
        }
        let _ = units;
        Ok(())
    }

    /// Counts units of work. The budget is charged once every few thousand units.
    #[inline(always)]
    pub(crate) fn count(&mut self, units: u32) {
        #[cfg(feature = "desktop")]
        {
            self.counted = self.counted.saturating_add(units);
        }
        let _ = units;
    }

    /// Counts units of work; returns true if the command must stop.
    ///
    /// Threads share a budget, so this asks it, and charges it, once every few thousand units.
    /// [`is_stopped`](Self::is_stopped) and [`take`](Self::take) ask at once.
    #[inline(always)]
    pub(crate) fn stops_after(&mut self, units: u32) -> bool {
        self.count(units);
        #[cfg(feature = "desktop")]
        if self.counted >= UNITS_TAKEN {
            return self.take().is_err();
        }
        false
    }

    /// Continues with the units that a copy of this work counted.
    #[inline(always)]
    pub(crate) fn follow(&mut self, copy: Work<'_>) {
        #[cfg(feature = "desktop")]
        {
            self.counted = copy.counted;
        }
        let _ = copy;
    }

    /// Takes the counted units from the budget.
    ///
    /// # Errors
    /// As [`spend`](Self::spend).
    pub(crate) fn take(&mut self) -> Result<(), PipeError> {
        #[cfg(feature = "desktop")]
        return self.spend(core::mem::take(&mut self.counted).into());
        #[cfg(not(feature = "desktop"))]
        Ok(())
    }

    /// Returns true if there is a budget.
    #[cfg(flights)]
    pub(crate) fn is_bounded(self) -> bool {
        self.budget.is_some()
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
        match (self.stopped.get(), self.work.budget) {
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
