//! The device, shared by a screen and its contexts: the `Os`, the configuration, and the resources
//! by handle.

use std::sync::Arc;

use os_shim::Os;
use os_shim::pool::Pool;
use os_shim::sync::Mutex;
use pipe_core::{PipeError, ResourceHandle};

use crate::nudge::Nudge;
use crate::resource::Resource;

/// The configuration of the driver.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Config {
    /// Errors added on purpose, to find pixels that depend on rounding; none by default.
    pub nudge: Nudge,
}

/// The data of a screen, without the answers about capabilities.
#[derive(Debug)]
pub(crate) struct Device<'m> {
    pub(crate) os: Os<'m>,
    pub(crate) config: Config,
    pub(crate) resources: Mutex<Pool<'m, Arc<Resource<'m>>>>,
}

impl<'m> Device<'m> {
    pub(crate) fn new(os: Os<'m>, config: Config) -> Self {
        Device { os, config, resources: Mutex::new(Pool::new_in(os.memory)) }
    }

    /// Creates a handle for a resource.
    ///
    /// # Errors
    /// Out of memory, or of handles.
    pub(crate) fn insert(&self, resource: Resource<'m>) -> Result<ResourceHandle, PipeError> {
        let raw = self.resources.lock().insert(Arc::new(resource))?;
        Ok(ResourceHandle::new(raw))
    }

    /// Returns the resource that a handle names.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn resource(&self, handle: ResourceHandle) -> Result<Arc<Resource<'m>>, PipeError> {
        let resources = self.resources.lock();
        resources.get(handle.raw()).cloned().ok_or_else(|| PipeError::stale(handle))
    }
}
