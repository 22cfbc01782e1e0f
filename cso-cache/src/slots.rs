//! Numbered slots of one kind of state. Only slots that were set take memory.

use os_shim::{Memory, OutOfMemory, Vec};

/// The values of slots 0 to N. Slots beyond the last one that was ever set have the default value.
pub(crate) struct Slots<'c, T> {
    set: Vec<'c, T>,
}

impl<'c, T: Copy> Slots<'c, T> {
    /// Creates slots that were never set. They take no memory.
    pub(crate) const fn new(memory: Memory<'c>) -> Self {
        Self { set: Vec::new_in(memory) }
    }

    /// Copies the slots if they are `wanted`; otherwise returns slots that were never set.
    pub(crate) fn try_clone_if(&self, wanted: bool) -> Result<Self, OutOfMemory> {
        if wanted {
            Ok(Self { set: self.set.try_clone()? })
        } else {
            Ok(Self::new(self.set.memory()))
        }
    }

    /// Returns the slots up to the last one that was ever set.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.set
    }
}

impl<T: Copy + Default + PartialEq> Slots<'_, T> {
    /// Returns the value of a slot.
    pub(crate) fn get(&self, slot: usize) -> T {
        self.set.get(slot).copied().unwrap_or_default()
    }

    /// Returns the values of slots 0 to `N`.
    pub(crate) fn array<const N: usize>(&self) -> [T; N] {
        core::array::from_fn(|slot| self.get(slot))
    }

    /// Returns the slots to set, as the number of the first one and their new values. They run from
    /// the first to the last slot where `new` differs, or, if `unknown`, cover all slots that were
    /// ever set. Returns `None` if there are none. [`store`](Self::store) then needs no further
    /// memory.
    pub(crate) fn changed<'n>(
        &mut self,
        new: &'n [T],
        unknown: bool,
    ) -> Result<Option<(usize, &'n [T])>, OutOfMemory> {
        let slots = new.iter().enumerate();
        let mut differing =
            slots.filter_map(|(slot, value)| (self.get(slot) != *value).then_some(slot));
        let mut first = differing.next();
        let last = differing.next_back().or(first);
        if let Some(last) = last {
            self.reserve(last)?;
        }
        let mut end = last.map_or(0, |last| last.saturating_add(1));
        if unknown {
            (first, end) = (Some(0), end.max(self.set.len()).min(new.len()));
        }
        let slots = first.and_then(|first| Some((first, new.get(first..end)?)));
        Ok(slots.filter(|(_, slots)| !slots.is_empty()))
    }

    /// Takes memory for the slots up to `last`.
    pub(crate) fn reserve(&mut self, last: usize) -> Result<(), OutOfMemory> {
        self.set.try_reserve_exact(last.saturating_add(1).saturating_sub(self.set.len()))
    }

    /// Stores the values that [`changed`](Self::changed) returned, from slot `first` on.
    pub(crate) fn store(&mut self, first: usize, slots: &[T]) -> Result<(), OutOfMemory> {
        let end = first.saturating_add(slots.len());
        if end > self.set.len() {
            self.set.try_resize(end, T::default())?;
        }
        for (slot, value) in self.set.iter_mut().skip(first).zip(slots) {
            *slot = *value;
        }
        Ok(())
    }
}
