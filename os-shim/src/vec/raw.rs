//! The block behind a `Vec`: room for elements, none of which it knows.

use crate::memory::{Memory, OutOfMemory};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A block with room for `capacity` elements; returned when dropped, its elements are not.
pub(super) struct Raw<'m, T> {
    first: NonNull<T>,
    /// Elements the block has room for. Always 0 where `T` has no size: nothing is allocated.
    room: usize,
    memory: Memory<'m>,
    owns: PhantomData<T>,
}

// SAFETY: whoever holds a `Raw` owns the elements in it; the memory handle is `Send` and `Sync`.
unsafe impl<T: Send> Send for Raw<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Raw<'_, T> {}

impl<'m, T> Raw<'m, T> {
    pub(super) const fn new(memory: Memory<'m>) -> Self {
        Raw { first: NonNull::dangling(), room: 0, memory, owns: PhantomData }
    }

    /// The first element's place: aligned, and inside the block if there is one.
    #[inline(always)]
    pub(super) const fn as_ptr(&self) -> *mut T {
        self.first.as_ptr()
    }

    #[inline(always)]
    pub(super) const fn capacity(&self) -> usize {
        if size_of::<T>() == 0 { usize::MAX } else { self.room }
    }

    pub(super) const fn memory(&self) -> Memory<'m> {
        self.memory
    }

    /// The block's layout; empty where there is no block.
    fn layout(&self) -> Layout {
        // It was made by `Layout::array` in `resize`, so the fallback is never taken.
        Layout::array::<T>(self.room).unwrap_or(Layout::new::<()>())
    }

    /// Makes room for `needed` elements (more than there is room for), and as many again.
    #[cold]
    pub(super) fn grow_amortized(&mut self, needed: usize) -> Result<(), OutOfMemory> {
        let least = if size_of::<T>() <= 64 { 4 } else { 1 };
        self.resize(needed.max(self.room.saturating_mul(2)).max(least))
    }

    /// Makes room for exactly `room` elements; those beyond it must have been moved out or
    /// dropped. On an error nothing has changed.
    pub(super) fn resize(&mut self, room: usize) -> Result<(), OutOfMemory> {
        if size_of::<T>() == 0 || room == self.room {
            return Ok(());
        }
        let new = Layout::array::<T>(room).map_err(|_| OutOfMemory { requested: usize::MAX })?;
        let old = self.layout();
        let block = if self.room == 0 {
            self.memory.allocate(new)?
        } else if room == 0 {
            // SAFETY: the block came from this memory for `old` and is forgotten here.
            unsafe { self.memory.deallocate(self.first.cast(), old) };
            NonNull::<T>::dangling().cast()
        } else {
            // SAFETY: the block came from this memory for `old`; both layouts have `T`'s
            // alignment, and neither is empty.
            unsafe { self.memory.reallocate(self.first.cast(), old, new) }?
        };
        self.first = block.cast();
        self.room = room;
        Ok(())
    }
}

impl<T> Drop for Raw<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the block came from this memory for this layout, or is empty.
        unsafe { self.memory.deallocate(self.first.cast(), self.layout()) };
    }
}
