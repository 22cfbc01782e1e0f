//! Fences without their feature: a flush is done when it returns, and returns no fence.

use pipe_core::context::Fences;
use pipe_core::{FenceHandle, FlushFlags, PipeError};

use super::Context;
use crate::profile::Profile;

/// Returns false: without fences nothing is deferred.
#[inline(always)]
pub(super) fn wants_deferred(_flags: FlushFlags) -> Result<bool, PipeError> {
    Ok(false)
}

impl<P: Profile> Context<'_, '_, P> {
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature the context has fences")]
    pub(super) fn fence(&mut self, _flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        Ok(None)
    }

    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature the context has fences")]
    pub(super) fn signal_fences(&mut self) {}
}

impl<P: Profile> Fences for Context<'_, '_, P> {}
