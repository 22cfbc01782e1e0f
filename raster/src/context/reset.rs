//! Device resets: a command exceeded its budget and was stopped, and its context reports this.

use os_shim::budget::Stopped;
use pipe_core::context::{DeviceReset, ResetCallback};
use pipe_core::{ContextFlags, PipeError, ResetStatus};

use super::Context;
use crate::profile::Profile;

/// The state of resets in a context.
#[derive(Debug, Default)]
pub(super) struct ResetState {
    /// The last reset that was not reported yet.
    status: ResetStatus,
    callback: Option<ResetCallback>,
    /// Set if a reset makes the context lost.
    ends: bool,
    /// Set if the context is lost after a reset.
    lost: bool,
}

impl ResetState {
    /// Returns the state of a new context.
    pub(super) fn of(flags: ContextFlags) -> Self {
        let ends = flags.contains(ContextFlags::LOSE_CONTEXT_ON_RESET);
        ResetState { ends, ..ResetState::default() }
    }

    /// Checks that the context is not lost.
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`].
    #[inline(always)]
    pub(super) fn check(&self) -> Result<(), PipeError> {
        if self.lost { Err(PipeError::DeviceLost) } else { Ok(()) }
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Records the reset if the result says that a command was stopped.
    #[inline(always)]
    pub(super) fn note_stop<T>(&mut self, result: Result<T, PipeError>) -> Result<T, PipeError> {
        match result {
            Ok(_) => {}
            Err(PipeError::Stopped(reason)) => self.note_reset(reason),
            Err(error) => self.diagnostics.error(error),
        }
        result
    }

    /// Reports a reset to the callback, or keeps it for a query.
    #[inline(never)]
    fn note_reset(&mut self, reason: Stopped) {
        self.diagnostics.error(reason.into());
        self.print_reset(reason);
        let status = match reason {
            Stopped::Work | Stopped::Time => ResetStatus::GuiltyContextReset,
            Stopped::Cancelled => ResetStatus::UnknownContextReset,
        };
        self.reset.lost |= self.reset.ends;
        match self.reset.callback {
            Some(ResetCallback { call, data }) => call(data, status),
            None => self.reset.status = status,
        }
    }
}

impl<P: Profile> DeviceReset for Context<'_, '_, P> {
    fn get_device_reset_status(&mut self) -> ResetStatus {
        self.note_flight();
        core::mem::take(&mut self.reset.status)
    }

    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        self.reset.callback = callback;
    }
}
