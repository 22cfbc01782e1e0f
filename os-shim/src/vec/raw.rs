//! The block behind a `Vec`: capacity for elements, without the number of elements.

use crate::memory::{Memory, OutOfMemory};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A block with room for `capacity` elements; dropping it returns the memory and drops no element.
pub(super) struct Raw<'m, T> {
    block: Block<'m>,
    owns: PhantomData<T>,
}

/// A block for elements of any type. Its code exists once for all vector types.
struct Block<'m> {
    first: NonNull<u8>,
    /// Number of elements that fit. Always 0 for elements of size 0, which allocate nothing.
    room: usize,
    memory: Memory<'m>,
}

// SAFETY: the holder of a `Raw` owns the elements in it; the memory handle is `Send` and `Sync`.
unsafe impl<T: Send> Send for Raw<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Raw<'_, T> {}

impl<'m, T> Raw<'m, T> {
    /// Layout of one element.
    const LAYOUT: Layout = Layout::new::<T>();

    pub(super) const fn new(memory: Memory<'m>) -> Self {
        let first = NonNull::<T>::dangling().cast();
        Raw { block: Block { first, room: 0, memory }, owns: PhantomData }
    }

    /// Returns a zeroed block with room for `room` elements.
    #[cfg(any(feature = "std", test))]
    pub(super) fn zeroed(room: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let first = memory.allocate_zeroed(Block::sized(room, Self::LAYOUT)?)?;
        let room = if size_of::<T>() == 0 { 0 } else { room };
        Ok(Raw { block: Block { first, room, memory }, owns: PhantomData })
    }

    /// Returns the address of the first element: aligned, and inside the block if there is one.
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

    /// Grows the block to at least `needed` elements, which do not fit yet, and to at least twice
    /// its room.
    #[cold]
    pub(super) fn grow_amortized(&mut self, needed: usize) -> Result<(), OutOfMemory> {
        self.block.grow(needed, Self::LAYOUT)
    }

    /// Returns the layout of the block that an empty array takes when it grows to `needed` elements.
    pub(super) fn first_layout(needed: usize) -> Option<Layout> {
        Block::sized(Block::first_room(needed, Self::LAYOUT), Self::LAYOUT).ok()
    }

    /// Changes the block's room to exactly `room` elements. Elements beyond it must have been moved
    /// out or dropped. On an error the block is as before.
    pub(super) fn resize(&mut self, room: usize) -> Result<(), OutOfMemory> {
        self.block.resize(room, Self::LAYOUT)
    }
}

impl Block<'_> {
    /// Does the work of [`Raw::grow_amortized`].
    #[inline(never)]
    fn grow(&mut self, needed: usize, element: Layout) -> Result<(), OutOfMemory> {
        let room = Self::first_room(needed, element);
        self.resize(room.max(self.room.saturating_mul(2)), element)
    }

    /// Returns the room that an empty block gets for `needed` elements.
    #[inline(always)]
    fn first_room(needed: usize, element: Layout) -> usize {
        needed.max(if element.size() <= 64 { 4 } else { 1 })
    }

    /// Does the work of [`Raw::resize`].
    #[inline(never)]
    fn resize(&mut self, room: usize, element: Layout) -> Result<(), OutOfMemory> {
        if element.size() == 0 || room == self.room {
            return Ok(());
        }
        let new = Self::sized(room, element)?;
        // SAFETY: the block came from this memory for its layout and is not used after this; both
        // layouts have the element's alignment.
        self.first = unsafe { self.memory.resize(self.first, self.layout(element), new) }?;
        self.room = room;
        Ok(())
    }

    /// Returns the layout of `room` elements.
    #[inline(always)]
    fn sized(room: usize, element: Layout) -> Result<Layout, OutOfMemory> {
        room.checked_mul(element.size())
            .and_then(|bytes| Layout::from_size_align(bytes, element.align()).ok())
            .ok_or(OutOfMemory { requested: usize::MAX })
    }

    /// Returns the block's layout; an empty layout if there is no block.
    fn layout(&self, element: Layout) -> Layout {
        // `resize` built this layout before, so the fallback never happens.
        Layout::from_size_align(self.room.wrapping_mul(element.size()), element.align())
            .unwrap_or(Layout::new::<()>())
    }

    /// Returns the block's memory.
    ///
    /// # Safety
    /// The block is no longer used.
    #[inline(never)]
    unsafe fn free(&mut self, element: Layout) {
        // SAFETY: the block came from this memory for this layout, or is empty.
        unsafe { self.memory.deallocate(self.first, self.layout(element)) };
    }
}

impl<T> Drop for Raw<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this is the last use of the block.
        unsafe { self.block.free(Self::LAYOUT) };
    }
}
