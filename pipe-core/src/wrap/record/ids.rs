//! The objects of a trace: maps traced handles to live handles.

use os_shim::pool::RawHandle;
use os_shim::{Memory, Vec};

use super::answer::Made;
use crate::wire::{Live, TraceError};

/// Number of kinds of objects.
const KINDS: usize = 13;

/// Pairs of a traced handle and its live handle, by the slot of the traced one.
type Slots<'c> = Vec<'c, Option<(RawHandle, RawHandle)>>;

/// A map from traced handles to live handles.
pub(super) struct Ids<'c> {
    kinds: heapless::Vec<(&'static str, Slots<'c>), KINDS>,
    memory: Memory<'c>,
}

impl<'c> Ids<'c> {
    pub(super) const fn new(memory: Memory<'c>) -> Self {
        Self { kinds: heapless::Vec::new(), memory }
    }

    pub(super) fn note(&mut self, (kind, traced, live): Made) -> Result<(), TraceError> {
        if !self.kinds.iter().any(|(known, _)| *known == kind) {
            let _ = self.kinds.push((kind, Vec::new_in(self.memory)));
        }
        let Some((_, slots)) = self.kinds.iter_mut().find(|(known, _)| *known == kind) else {
            return Err(TraceError::Value("kind of handle"));
        };
        while slots.len() <= traced.slot() {
            slots.try_push(None).map_err(|_| TraceError::OutOfMemory)?;
        }
        if let Some(slot) = slots.get_mut(traced.slot()) {
            *slot = Some((traced, live));
        }
        Ok(())
    }

    fn find(&self, kind: &'static str, traced: RawHandle) -> Option<RawHandle> {
        let (_, slots) = self.kinds.iter().find(|(known, _)| *known == kind)?;
        let (known, live) = slots.get(traced.slot()).copied().flatten()?;
        (known == traced).then_some(live)
    }
}

/// The objects that a call of a context can use.
pub(super) struct Scope<'a, 'c> {
    pub(super) screen: &'a Ids<'c>,
    pub(super) context: Option<&'a Ids<'c>>,
}

impl Live for Scope<'_, '_> {
    fn live(&self, kind: &'static str, traced: RawHandle) -> RawHandle {
        let in_context = self.context.and_then(|ids| ids.find(kind, traced));
        // The last slot and generation, because no driver has that many objects.
        let nothing = || RawHandle::from_bits(u32::MAX).unwrap_or(traced);
        in_context.or_else(|| self.screen.find(kind, traced)).unwrap_or_else(nothing)
    }
}
