//! Device resets: a command exceeded its budget and was stopped, and its context reports this.

use os_shim::budget::Stopped;
use pipe_core::context::ResetCallback;
use pipe_core::{ContextFlags, PipeError, ResetStatus};

/// The state of resets in a context.
#[derive(Debug, Default)]
pub(crate) struct ResetState {
    /// The last reset that was not reported yet.
    status: ResetStatus,
    pub(crate) callback: Option<ResetCallback>,
    /// Set if a reset makes the context lost.
    ends: bool,
    /// Set if the context is lost after a reset.
    lost: bool,
}

impl ResetState {
    /// Returns the state of a new context.
    pub(crate) fn of(flags: ContextFlags) -> Self {
        let ends = flags.contains(ContextFlags::LOSE_CONTEXT_ON_RESET);
        ResetState { ends, ..ResetState::default() }
    }

    /// Checks that the context is not lost.
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`].
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), PipeError> {
        if self.lost { Err(PipeError::DeviceLost) } else { Ok(()) }
    }

    /// Reports a reset to the callback, or keeps it for a query.
    pub(crate) fn note(&mut self, reason: Stopped) {
        let status = match reason {
            Stopped::Work | Stopped::Time => ResetStatus::GuiltyContextReset,
            Stopped::Cancelled => ResetStatus::UnknownContextReset,
        };
        self.lost |= self.ends;
        match self.callback {
            Some(ResetCallback { call, data }) => call(data, status),
            None => self.status = status,
        }
    }

    /// Returns the last reset that was not reported yet, and forgets it.
    pub(crate) fn take_status(&mut self) -> ResetStatus {
        core::mem::take(&mut self.status)
    }
}
