//! Imported fences, and external fences that a flush signals. External code is never called under
//! the lock.

use os_shim::pool::RawHandle;
use os_shim::shared::Shared;
use os_shim::sharing::ExternalFence;
use os_shim::{Box, Vec};
use pipe_core::{FenceFdType, FenceHandle, PipeError};

use super::Device;
use super::fences::{Fence, find};

/// An imported fence.
#[derive(Clone)]
pub(crate) struct External<'m> {
    pub(crate) port: Shared<'m, Box<'m, dyn ExternalFence + 'm>>,
    pub(crate) is_reusable: bool,
}

/// The external fences to signal together with a flush's fence.
pub(super) type Ports<'m> = Vec<'m, Box<'m, dyn ExternalFence + 'm>>;

impl<'m> Device<'m> {
    /// Imports an external fence.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn insert_external_fence(
        &self,
        fence: Box<'m, dyn ExternalFence + 'm>,
        kind: FenceFdType,
    ) -> Result<FenceHandle, PipeError> {
        let port = Shared::try_new_in(fence, self.os.memory)?;
        let external = External { port, is_reusable: kind == FenceFdType::Syncobj };
        let fence = Fence { external: Some(external), ..Fence::default() };
        Ok(FenceHandle::new(self.insert_fence(fence)?))
    }

    /// Returns the external fence behind an imported fence; `None` for the fence of a flush.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn external(&self, fence: FenceHandle) -> Result<Option<External<'m>>, PipeError> {
        Ok(find(&self.shared.lock().desktop.fences, fence)?.external.clone())
    }

    /// Signals an external fence together with the fence of a flush.
    ///
    /// # Errors
    /// The handle is stale; the fence is imported itself; out of memory.
    pub(crate) fn export_fence(
        &self,
        handle: FenceHandle,
        to: Box<'m, dyn ExternalFence + 'm>,
    ) -> Result<(), PipeError> {
        let mut shared = self.shared.lock();
        find(&shared.desktop.fences, handle)?;
        let fence = shared.desktop.fences.get_mut(handle.raw()).ok_or(PipeError::stale(handle))?;
        if fence.external.is_some() {
            return Err(PipeError::Unsupported("handing on a fence from outside"));
        }
        if !fence.done {
            let ports = fence.ports.get_or_insert_with(|| Vec::new_in(self.os.memory));
            return Ok(ports.try_push(to)?);
        }
        drop(shared);
        to.signal();
        Ok(())
    }

    /// Signals the external fences that wait for a fence.
    pub(super) fn signal_ports(&self, fence: RawHandle) {
        let ports = {
            let fences = &mut self.shared.lock().desktop.fences;
            let ports = fences.get_mut(fence).and_then(|fence| fence.ports.take());
            if fences.get(fence).is_some_and(|fence| fence.is_orphan) {
                fences.remove(fence);
            }
            ports
        };
        ports.iter().flatten().for_each(|port| port.signal());
    }
}
