//! Driver-specific queries without the feature `desktop`: there are none.

#[cfg(feature = "es2")]
use pipe_core::PipeError;

#[cfg(feature = "es2")]
use crate::device::Device;
use crate::frame::Part;
use crate::profile::Profile;
use crate::scene::Scene;

/// Counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SceneCounts(());

impl SceneCounts {
    #[inline(always)]
    pub(crate) fn add<P: Profile>(&mut self, _: &Scene<'_, P>, _: Option<&Part>) {}
}

/// Counts nothing.
#[cfg(feature = "es2")]
#[derive(Debug, Default)]
pub(crate) struct DriverCounts;

#[cfg(feature = "es2")]
impl DriverCounts {
    #[inline(always)]
    pub(crate) fn counts_scenes(&self) -> bool {
        false
    }

    pub(crate) fn note_running(&mut self, _: bool) {}

    pub(crate) fn value(&self, _: u32, _: &Device<'_>) -> u64 {
        0
    }

    #[inline(always)]
    pub(crate) fn add_draw(&mut self) {}

    #[cfg(feature = "shader-memory")]
    #[inline(always)]
    pub(crate) fn add_launch(&mut self) {}

    #[inline(always)]
    pub(crate) fn add_scenes(&mut self, _: SceneCounts) {}
}

/// Rejects every number.
///
/// # Errors
/// Always.
#[cfg(feature = "es2")]
pub(crate) fn check_number(_: u32) -> Result<(), PipeError> {
    Err(PipeError::Unsupported("driver queries (the feature `desktop` has them)"))
}

/// Returns 0: no driver-specific query exists.
#[cfg(feature = "es2")]
pub(crate) fn result(_: u32, _: u64, _: u64) -> u64 {
    0
}
