//! Levels that CPUs hold, taken out of their resources. A call that needs one gets an error instead
//! of waiting for an unmap that may never come.

use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use super::{Device, Shared};
use crate::features::ES2;
use crate::resource::{LevelBytes, Resource};

impl<'m> Shared<'m> {
    /// Returns true if the resources would be `ready` if no CPU held one of their levels.
    fn waits_for_cpus(&mut self, ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool) -> bool {
        if self.lent.number() == 0 {
            return false;
        }
        self.resources.iter_mut().for_each(|(_, resource)| resource.hide_lent());
        let ready = ready(&self.resources);
        self.resources.iter_mut().for_each(|(_, resource)| resource.show_lent());
        ready
    }

    /// Checks that resources that are not `ready` do not wait for a CPU.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: a CPU holds one of their levels.
    pub(super) fn check_lent(
        &mut self,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<(), PipeError> {
        if self.lent.number() > 0 && !ready(&self.resources) && self.waits_for_cpus(ready) {
            return Err(PipeError::Busy("memory that another context has mapped directly"));
        }
        Ok(())
    }
}

impl<'m> Device<'m> {
    /// Counts a new context: a resource that only one context can use is lent without a copy.
    pub(crate) fn add_context(&self) {
        if ES2 {
            let mut shared = self.shared.lock();
            let number = shared.contexts.number() + 1;
            shared.contexts.set(number);
        }
    }

    /// Counts a context less.
    pub(crate) fn remove_context(&self) {
        let mut shared = self.shared.lock();
        let number = shared.contexts.number().saturating_sub(1);
        shared.contexts.set(number);
    }

    /// Puts a level that a CPU held back into its resource.
    pub(crate) fn take_back(&self, resource: RawHandle, level: u32, bytes: LevelBytes<'m>) {
        let mut shared = self.shared.lock();
        let number = shared.lent.number().saturating_sub(1);
        shared.lent.set(number);
        if let Some(resource) = shared.resources.get_mut(resource) {
            resource.put_lent_level(level, bytes);
        }
        drop(shared);
        self.notify();
    }
}
