//! Diagnostics without the feature `desktop`: there are no messages.

use core::fmt;

use pipe_core::PipeError;

/// No state.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {}

impl Diagnostics {
    #[inline(always)]
    pub(crate) fn error(&self, _error: PipeError) {}

    #[cfg_attr(
        not(feature = "compile"),
        allow(dead_code, reason = "programs have no size to tell")
    )]
    #[inline(always)]
    pub(crate) fn shader(&self, _message: fmt::Arguments<'_>) {}
}
