//! Driver-specific queries without the feature `desktop`: there are none.

#[cfg(feature = "es2")]
use pipe_core::PipeError;

#[cfg(feature = "es2")]
use super::Context;
use crate::frame::Part;
use crate::profile::Profile;
use crate::scene::Scene;

/// Counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SceneCounts(());

impl SceneCounts {
    #[inline(always)]
    pub(super) fn add<P: Profile>(&mut self, _: &Scene<'_, P>, _: Option<&Part>) {}
}

/// Counts nothing.
#[cfg(feature = "es2")]
#[derive(Debug, Default)]
pub(super) struct DriverCounts;

#[cfg(feature = "es2")]
impl DriverCounts {
    #[inline(always)]
    pub(super) fn counts_scenes(&self) -> bool {
        false
    }

    pub(super) fn note_running(&mut self, _: bool) {}

    #[inline(always)]
    pub(super) fn add_draw(&mut self) {}

    #[cfg(feature = "shader-memory")]
    #[inline(always)]
    pub(super) fn add_launch(&mut self) {}

    #[inline(always)]
    pub(super) fn add_scenes(&mut self, _: SceneCounts) {}
}

/// Rejects every number.
///
/// # Errors
/// Always.
#[cfg(feature = "es2")]
pub(super) fn check_number(_: u32) -> Result<(), PipeError> {
    Err(PipeError::Unsupported("driver queries (the feature `desktop` has them)"))
}

/// Returns 0: no driver-specific query exists.
#[cfg(feature = "es2")]
pub(super) fn result(_: u32, _: u64, _: u64) -> u64 {
    0
}

#[cfg(feature = "es2")]
impl<P: Profile> Context<'_, '_, P> {
    pub(super) fn driver_value(&self, _: u32) -> u64 {
        0
    }
}
