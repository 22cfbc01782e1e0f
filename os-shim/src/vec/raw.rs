//! The block behind a `Vec`: room for elements, none of which it knows.

use crate::memory::{Memory, OutOfMemory};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A block with room for `capacity` elements; returned when dropped, its elements are not.
pub(super) struct Raw<'m, T> {
    block: Block<'m>,
    owns: PhantomData<T>,
}

/// The block of elements of any kind: vectors are many, and its code is there once.
struct Block<'m> {
    first: NonNull<u8>,
    /// Elements the block has room for. Always 0 where they have no size: nothing is allocated.
    room: usize,
    memory: Memory<'m>,
}

// SAFETY: whoever holds a `Raw` owns the elements in it; the memory handle is `Send` and `Sync`.
unsafe impl<T: Send> Send for Raw<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Raw<'_, T> {}

impl<'m, T> Raw<'m, T> {
    /// Of one element.
    const LAYOUT: Layout = Layout::new::<T>();

    pub(super) const fn new(memory: Memory<'m>) -> Self {
        let first = NonNull::<T>::dangling().cast();
        Raw { block: Block { first, room: 0, memory }, owns: PhantomData }
    }

    /// The first element's place: aligned, and inside the block if there is one.
    #[inline(always)]
    pub(super) const fn as_ptr(&self) -> *mut T {
        self.block.first.as_ptr().cast()
    }

    #[inline(always)]
    pub(super) const fn capacity(&self) -> usize {
        if size_of::<T>() == 0 { usize::MAX } else { self.block.room }
    }

    pub(super) const fn memory(&self) -> Memory<'m> {
        self.block.memory
    }

    /// Makes room for `needed` elements (more than there is room for), and as many again.
    #[cold]
    pub(super) fn grow_amortized(&mut self, needed: usize) -> Result<(), OutOfMemory> {
        self.block.grow(needed, Self::LAYOUT)
    }

    /// Makes room for exactly `room` elements; those beyond it must have been moved out or
    /// dropped. On an error nothing has changed.
    pub(super) fn resize(&mut self, room: usize) -> Result<(), OutOfMemory> {
        self.block.resize(room, Self::LAYOUT)
    }
}

impl Block<'_> {
    /// See [`Raw::grow_amortized`].
    #[inline(never)]
    fn grow(&mut self, needed: usize, element: Layout) -> Result<(), OutOfMemory> {
        let least = if element.size() <= 64 { 4 } else { 1 };
        self.resize(needed.max(self.room.saturating_mul(2)).max(least), element)
    }

    /// See [`Raw::resize`].
    #[inline(never)]
    fn resize(&mut self, room: usize, element: Layout) -> Result<(), OutOfMemory> {
        if element.size() == 0 || room == self.room {
            return Ok(());
        }
        let new = room
            .checked_mul(element.size())
            .and_then(|bytes| Layout::from_size_align(bytes, element.align()).ok())
            .ok_or(OutOfMemory { requested: usize::MAX })?;
        // SAFETY: the block came from this memory for its layout, and is forgotten here; both
        // layouts have the element's alignment.
        self.first = unsafe { self.memory.resize(self.first, self.layout(element), new) }?;
        self.room = room;
        Ok(())
    }

    /// The block's layout; empty where there is no block.
    fn layout(&self, element: Layout) -> Layout {
        // `resize` made it, so the fallback is never taken.
        Layout::from_size_align(self.room.wrapping_mul(element.size()), element.align())
            .unwrap_or(Layout::new::<()>())
    }

    /// Gives the block back.
    ///
    /// # Safety
    /// It is not used any more.
    #[inline(never)]
    unsafe fn free(&mut self, element: Layout) {
        // SAFETY: the block came from this memory for this layout, or is empty.
        unsafe { self.memory.deallocate(self.first, self.layout(element)) };
    }
}

impl<T> Drop for Raw<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the last that is done with it.
        unsafe { self.block.free(Self::LAYOUT) };
    }
}
