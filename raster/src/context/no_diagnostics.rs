//! Diagnostics without the feature `desktop`: there are no messages.

use core::fmt;

use pipe_core::PipeError;

#[cfg(feature = "desktop")]
use super::Context;
#[cfg(feature = "desktop")]
use crate::profile::Profile;

/// No state.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {}

impl Diagnostics {
    #[inline(always)]
    pub(super) fn error(&self, _error: PipeError) {}

    #[cfg_attr(
        not(feature = "compile"),
        allow(dead_code, reason = "programs have no size to tell")
    )]
    #[inline(always)]
    pub(super) fn shader(&self, _message: fmt::Arguments<'_>) {}
}

#[cfg(feature = "desktop")]
impl<P: Profile> Context<'_, '_, P> {
    #[inline(always)]
    pub(super) fn print_reset(&self, _reason: os_shim::budget::Stopped) {}
}
