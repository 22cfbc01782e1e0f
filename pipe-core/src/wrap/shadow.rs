//! Facts about the driver's objects, by handle.

use os_shim::{Memory, Vec};

use crate::error::PipeError;
use crate::handle::Handle;

/// A fact about each object of kind `K`, found by the slot of its handle.
pub(in crate::wrap) struct Shadow<'c, K, T> {
    slots: Vec<'c, Option<(Handle<K>, T)>>,
}

impl<'c, K, T> Shadow<'c, K, T> {
    pub(in crate::wrap) const fn new(memory: Memory<'c>) -> Self {
        Self { slots: Vec::new_in(memory) }
    }

    /// Reserves memory so that [`note`](Self::note) of one more object cannot fail.
    ///
    /// Call it before the driver creates the object, so that a failure wastes no object. It does
    /// not suffice for a driver that grows its slots by more than one at a time; therefore `note`
    /// returns a result.
    pub(in crate::wrap) fn reserve(&mut self) -> Result<(), PipeError> {
        Ok(self.slots.try_reserve(1)?)
    }

    /// Records the fact of a new object, and replaces the fact of the slot's last object.
    pub(in crate::wrap) fn note(&mut self, handle: Handle<K>, fact: T) -> Result<(), PipeError> {
        let slot = handle.raw().slot();
        while self.slots.len() <= slot {
            self.slots.try_push(None)?;
        }
        if let Some(entry) = self.slots.get_mut(slot) {
            *entry = Some((handle, fact));
        }
        Ok(())
    }

    /// Returns the fact of a live object; `None` if the handle is stale or unknown.
    pub(in crate::wrap) fn get(&self, handle: Handle<K>) -> Option<&T> {
        match self.slots.get(handle.raw().slot()) {
            Some(Some((known, fact))) if *known == handle => Some(fact),
            _ => None,
        }
    }

    /// Returns the fact of a live object mutably.
    pub(in crate::wrap) fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut T> {
        match self.slots.get_mut(handle.raw().slot()) {
            Some(Some((known, fact))) if *known == handle => Some(fact),
            _ => None,
        }
    }

    /// Drops the fact of an object.
    pub(in crate::wrap) fn forget(&mut self, handle: Handle<K>) {
        if let Some(slot) = self.slots.get_mut(handle.raw().slot())
            && slot.as_ref().is_some_and(|(known, _)| *known == handle)
        {
            *slot = None;
        }
    }
}
