//! Resets without the feature `desktop`: no command is stopped, so there are none.

use pipe_core::context::DeviceReset;
use pipe_core::{ContextFlags, PipeError};

use super::Context;
use crate::profile::Profile;

/// No state.
#[derive(Debug, Default)]
pub(super) struct ResetState {}

impl ResetState {
    #[inline(always)]
    pub(super) fn of(_flags: ContextFlags) -> Self {
        ResetState {}
    }

    #[inline(always)]
    pub(super) fn check(&self) -> Result<(), PipeError> {
        Ok(())
    }
}

impl<P: Profile> Context<'_, '_, P> {
    #[inline(always)]
    pub(super) fn note_stop<T>(&mut self, result: Result<T, PipeError>) -> Result<T, PipeError> {
        if let Err(error) = result {
            self.diagnostics.error(error);
        }
        result
    }
}

impl<P: Profile> DeviceReset for Context<'_, '_, P> {}
