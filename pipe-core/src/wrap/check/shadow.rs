//! What is known of the driver's objects, by handle.

use os_shim::{Memory, Vec};

use crate::error::PipeError;
use crate::handle::Handle;

/// Facts about objects of kind `K`, found by their handle's slot.
pub(super) struct Shadow<'c, K, T> {
    slots: Vec<'c, Option<(Handle<K>, T)>>,
}

impl<'c, K, T> Shadow<'c, K, T> {
    pub(super) const fn new(memory: Memory<'c>) -> Self {
        Self { slots: Vec::new_in(memory) }
    }

    /// Makes sure that [`note`](Self::note) of one more object cannot fail.
    ///
    /// Called before the driver makes the object, so that none is made in vain. A driver whose
    /// slots grow by more than one at a time is not covered, hence `note`'s own result.
    pub(super) fn reserve(&mut self) -> Result<(), PipeError> {
        Ok(self.slots.try_reserve(1)?)
    }

    /// Remembers a new object; forgets what was in its slot.
    pub(super) fn note(&mut self, handle: Handle<K>, fact: T) -> Result<(), PipeError> {
        let slot = handle.raw().slot();
        while self.slots.len() <= slot {
            self.slots.try_push(None)?;
        }
        self.slots[slot] = Some((handle, fact));
        Ok(())
    }

    /// What is known of a live object.
    pub(super) fn get(&self, handle: Handle<K>) -> Option<&T> {
        match self.slots.get(handle.raw().slot()) {
            Some(Some((known, fact))) if *known == handle => Some(fact),
            _ => None,
        }
    }

    /// The same, to change.
    pub(super) fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut T> {
        match self.slots.get_mut(handle.raw().slot()) {
            Some(Some((known, fact))) if *known == handle => Some(fact),
            _ => None,
        }
    }

    /// Forgets an object.
    pub(super) fn forget(&mut self, handle: Handle<K>) {
        if let Some(slot) = self.slots.get_mut(handle.raw().slot())
            && slot.as_ref().is_some_and(|(known, _)| *known == handle)
        {
            *slot = None;
        }
    }
}
