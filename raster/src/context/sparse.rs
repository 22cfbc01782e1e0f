//! Sparse resources: gives memory to pages, and removes it.

use pipe_core::{PipeError, Region, ResourceHandle};

use super::Context;
use crate::device::{is_idle, resource_mut};
use crate::profile::Profile;

impl<P: Profile> Context<'_, '_, P> {
    /// Gives memory to the pages of a sparse resource that a region covers, or removes it.
    ///
    /// # Errors
    /// The handle is stale; a resource that is not sparse; parts of pages; the errors of a flush.
    pub(super) fn commit(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        self.begin()?;
        let flushed = self.flush_if_used(handle.raw());
        self.note_stop(flushed)?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let sparse = resource_mut(&mut shared.resources, handle)?;
        sparse.commit(level, region, commit, self.os.memory)?;
        drop(shared);
        // The resource may be a constant buffer.
        self.touch();
        Ok(())
    }
}
