//! Resets without the feature `desktop`: no command is stopped, so there are none.

use os_shim::budget::Stopped;
use pipe_core::{ContextFlags, PipeError};

/// No state.
#[derive(Debug, Default)]
pub(crate) struct ResetState {}

impl ResetState {
    #[inline(always)]
    pub(crate) fn of(_flags: ContextFlags) -> Self {
        ResetState {}
    }

    #[inline(always)]
    pub(crate) fn note(&mut self, _reason: Stopped) {}

    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), PipeError> {
        Ok(())
    }
}
