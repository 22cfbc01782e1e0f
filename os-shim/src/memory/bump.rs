//! A heap that hands out bytes from front to back, for programs that allocate once.

#![expect(unsafe_code, reason = "hands out parts of bytes that it borrows exclusively")]

use super::{Heap, Usage};
use crate::sync::Section;
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// A heap over `&'r mut [MaybeUninit<u8>]` that frees only its last block.
///
/// Blocks have no header, and the code is a tenth of [`Region`](super::Region)'s. A block that is
/// freed before later blocks is lost until the later blocks are freed too, last one first.
/// Interrupts and other cores may use the heap if the platform's `critical-section` protects
/// against them.
///
/// ```
/// use core::mem::MaybeUninit;
/// use gallium_os_shim::{Box, Bump, Memory, OutOfMemory};
///
/// let mut bytes = [MaybeUninit::uninit(); 64];
/// let bump = Bump::new(&mut bytes);
/// let memory = Memory::new(&bump);
/// let first = Box::try_new_in([1u8; 40], memory)?;
/// assert!(Box::try_new_in([2u8; 40], memory).is_err());
/// drop(first);
/// assert_eq!(*Box::try_new_in([3u8; 40], memory)?, [3; 40]);
/// # Ok::<(), OutOfMemory>(())
/// ```
pub struct Bump<'r> {
    state: Section<State>,
    bytes: PhantomData<&'r mut [MaybeUninit<u8>]>,
}

struct State {
    first: NonNull<u8>,
    /// Bytes handed out, including gaps for alignment.
    used: usize,
    size: usize,
    usage: Usage,
}

// SAFETY: the bytes from `first` on are exclusively borrowed, and any thread may use them.
unsafe impl Send for State {}

impl State {
    /// Returns a block for `layout` behind the blocks in use.
    fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: at most `size` bytes are handed out, and there are `size` bytes.
        let next = unsafe { self.first.add(self.used) };
        let gap = next.addr().get().wrapping_neg() & layout.align().wrapping_sub(1);
        let start = self.used.checked_add(gap)?;
        let end = start.checked_add(layout.size()).filter(|end| *end <= self.size)?;
        self.used = end;
        // SAFETY: `start` is not beyond `end`, which is within the bytes.
        Some(unsafe { self.first.add(start) })
    }

    /// Returns the offset of `block` if it is the last block, else `None`.
    fn last(&self, block: NonNull<u8>, layout: Layout) -> Option<usize> {
        let start = block.addr().get().wrapping_sub(self.first.addr().get());
        (start.wrapping_add(layout.size()) == self.used).then_some(start)
    }
}

impl<'r> Bump<'r> {
    /// Returns a heap over `bytes`.
    pub fn new(bytes: &'r mut [MaybeUninit<u8>]) -> Self {
        let usage = Usage { capacity: Some(bytes.len()), ..Usage::default() };
        let (size, first) = (bytes.len(), NonNull::from(bytes).cast());
        let state = State { first, used: 0, size, usage };
        Bump { state: Section::new(state), bytes: PhantomData }
    }

    /// Runs `f` on the state, exclusively. `f` must not call the heap.
    fn with<O>(&self, f: impl FnOnce(&mut State) -> O) -> O {
        // SAFETY: no `f` of this file calls the heap.
        unsafe { self.state.with(f) }
    }
}

// SAFETY: `take` hands out disjoint, aligned parts of bytes that are exclusively borrowed for `'r`.
// Only the last part is handed out again, after its user gave it back.
unsafe impl Heap for Bump<'_> {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.with(|state| {
            state.usage.request();
            let block = state.take(layout)?;
            state.usage.take(layout.size());
            Some(block)
        })
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.with(|state| {
            if let Some(start) = state.last(block, layout) {
                state.used = start;
            }
            state.usage.give(layout.size());
        });
    }

    fn usage(&self) -> Usage {
        self.with(|state| state.usage)
    }
}

impl fmt::Debug for Bump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bump").field(&self.usage()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Memory, OutOfMemory};
    use crate::{Box, Vec};

    #[test]
    fn blocks_are_aligned_and_apart() {
        let mut bytes = [MaybeUninit::uninit(); 256];
        let bump = Bump::new(&mut bytes);
        let memory = Memory::new(&bump);
        let small: [Box<'_, u8>; 3] = [1, 2, 3].map(|n| Box::try_new_in(n, memory).unwrap());
        let wide = Box::try_new_in(4u64, memory).unwrap();
        assert!((&raw const *wide).is_aligned());
        assert_eq!(small.each_ref().map(|n| **n), [1, 2, 3]);
        assert_eq!((*wide, bump.usage().used), (4, 11));
    }

    #[test]
    fn blocks_come_back_from_the_last_on() {
        let mut bytes = [MaybeUninit::uninit(); 64];
        let bump = Bump::new(&mut bytes);
        let memory = Memory::new(&bump);
        let first = Box::try_new_in([1u8; 30], memory).unwrap();
        let second = Box::try_new_in([2u8; 30], memory).unwrap();
        let error = OutOfMemory { requested: 30 };
        assert_eq!(Box::try_new_in([3u8; 30], memory), Err(error));
        drop(first);
        assert_eq!(Box::try_new_in([3u8; 30], memory), Err(error), "its place is lost");
        drop(second);
        let third = Box::try_new_in([3u8; 30], memory).unwrap();
        assert_eq!((*third, bump.usage().used), ([3; 30], 30));
    }

    #[test]
    fn arrays_that_grow_keep_their_elements() {
        let mut bytes = [MaybeUninit::uninit(); 200];
        let bump = Bump::new(&mut bytes);
        let mut numbers = Vec::new_in(Memory::new(&bump));
        let mut count = 0u32;
        while numbers.try_push(count).is_ok() {
            count += 1;
        }
        assert!(count >= 8, "{count}");
        assert!(numbers.iter().copied().eq(0..count));
    }
}
