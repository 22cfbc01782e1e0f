//! Device resets: a command exceeded its budget and was stopped, and its context reports this.

use os_shim::budget::Stopped;
use pipe_core::context::ResetCallback;
use pipe_core::{ContextFlags, PipeError, ResetStatus};

use crate::features::{DESKTOP, OfDesktop, Only};

/// The state of resets in a context.
#[derive(Debug, Default)]
pub(crate) struct ResetState {
    /// The last reset that was not reported yet.
    status: OfDesktop<ResetStatus>,
    pub(crate) callback: OfDesktop<Option<ResetCallback>>,
    /// Set if a reset makes the context lost.
    ends: OfDesktop<bool>,
    /// Set if the context is lost after a reset.
    lost: OfDesktop<bool>,
}

impl ResetState {
    /// Returns the state of a new context.
    #[inline(always)]
    pub(crate) fn of(flags: ContextFlags) -> Self {
        let ends = flags.contains(ContextFlags::LOSE_CONTEXT_ON_RESET);
        ResetState { ends: Only::new(ends), ..ResetState::default() }
    }

    /// Checks that the context is not lost.
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`].
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), PipeError> {
        if self.lost.is_set() { Err(PipeError::DeviceLost) } else { Ok(()) }
    }

    /// Reports a reset to the callback, or keeps it for a query.
    #[inline(always)]
    pub(crate) fn note(&mut self, reason: Stopped) {
        if !DESKTOP {
            return;
        }
        let status = match reason {
            Stopped::Work | Stopped::Time => ResetStatus::GuiltyContextReset,
            Stopped::Cancelled => ResetStatus::UnknownContextReset,
        };
        self.lost.set(self.lost.is_set() || self.ends.is_set());
        match self.callback.get().copied().flatten() {
            Some(ResetCallback { call, data }) => call(data, status),
            None => self.status.set(status),
        }
    }

    /// Returns the last reset that was not reported yet, and forgets it.
    pub(crate) fn take_status(&mut self) -> ResetStatus {
        self.status.get_mut().map(core::mem::take).unwrap_or_default()
    }
}
