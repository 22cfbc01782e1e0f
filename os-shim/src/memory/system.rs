//! The hosted system's memory, with counters.

#![expect(unsafe_code, reason = "calls the system's allocator")]

use super::{Heap, Usage};
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Makes the system's allocator return blocks of 128 KiB or more to the system when they are freed.
/// Call it once, before the program starts threads.
///
/// Without this call, glibc raises that threshold, up to 32 MiB, whenever such a block is freed,
/// and the arena of each thread keeps up to twice as much. A server would keep the memory of its
/// largest clients. Allocators other than glibc's are not changed.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use core::ffi::c_int;
        unsafe extern "C" {
            fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        const M_MMAP_THRESHOLD: c_int = -3;
        // SAFETY: the call sets a number of the allocator under its lock. Any number is valid, and
        // existing blocks are freed by their headers.
        unsafe { mallopt(M_MMAP_THRESHOLD, 128 << 10) };
    }
}

/// The least size of a block that is backed by huge pages.
#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
const HUGE: usize = 2 << 20;

/// Asks the system to back a large block with huge pages. The first write to each page enters the system, and a
/// texture of 4 MiB has a thousand pages of 4 KiB. Systems without huge pages refuse, which changes nothing.
fn advise_huge(block: NonNull<u8>, layout: Layout) {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    if layout.size() >= HUGE {
        use core::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
        }
        const MADV_HUGEPAGE: c_int = 14;
        const PAGE: usize = 4096;
        // The page of the block's header belongs to the allocator, too, so no other mapping is split.
        let header = block.addr().get() % PAGE;
        // SAFETY: the advice changes no byte. The range begins on a page of the block and ends with the block.
        let _ = unsafe {
            madvise(
                block.as_ptr().wrapping_sub(header).cast(),
                layout.size().wrapping_add(header),
                MADV_HUGEPAGE,
            )
        };
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu", not(miri))))]
    let _ = (block, layout);
}

/// The system's allocator with separate counters.
#[derive(Default)]
pub struct System {
    used: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
    requests: AtomicUsize,
}

impl System {
    /// Returns the system's allocator with counters at 0.
    pub const fn new() -> Self {
        System {
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        }
    }

    /// Returns the counts of blocks and bytes handed out.
    pub fn usage(&self) -> Usage {
        Usage {
            used: self.used.load(Relaxed),
            peak: self.peak.load(Relaxed),
            capacity: None,
            allocations: self.allocations.load(Relaxed),
            requests: self.requests.load(Relaxed) as u64,
        }
    }

    /// Counts a request and the block that it got.
    fn granted(&self, layout: Layout, block: *mut u8) -> Option<NonNull<u8>> {
        self.requests.fetch_add(1, Relaxed);
        let block = NonNull::new(block)?;
        self.allocations.fetch_add(1, Relaxed);
        self.more(layout.size());
        Some(block)
    }

    /// Counts `size` more bytes in use.
    fn more(&self, size: usize) {
        let used = self.used.fetch_add(size, Relaxed).wrapping_add(size);
        self.peak.fetch_max(used, Relaxed);
    }
}

// SAFETY: the system's allocator keeps exactly this promise.
unsafe impl Heap for System {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: a heap is never asked for an empty layout.
        self.granted(layout, unsafe { std::alloc::alloc(layout) })
    }

    fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: as above. Large blocks come from the system as zeros, page by page on first
        // touch.
        let block = self.granted(layout, unsafe { std::alloc::alloc_zeroed(layout) })?;
        advise_huge(block, layout);
        Some(block)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller got `block` from `allocate` above for this layout.
        unsafe { std::alloc::dealloc(block.as_ptr(), layout) };
        self.allocations.fetch_sub(1, Relaxed);
        self.used.fetch_sub(layout.size(), Relaxed);
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<u8>> {
        self.requests.fetch_add(1, Relaxed);
        // SAFETY: the caller got `block` here for `old`. `new` is a layout of the same alignment
        // and not empty, so its size rounded up to the alignment is within `isize::MAX`.
        let moved = unsafe { std::alloc::realloc(block.as_ptr(), old, new.size()) };
        let moved = NonNull::new(moved)?;
        match new.size().checked_sub(old.size()) {
            Some(more) => self.more(more),
            None => {
                self.used.fetch_sub(old.size().wrapping_sub(new.size()), Relaxed);
            }
        }
        Some(moved)
    }

    fn usage(&self) -> Usage {
        System::usage(self)
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("System").field(&self.usage()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::vec::Vec;

    #[test]
    fn counts_what_it_hands_out() {
        let system = System::new();
        let memory = Memory::new(&system);
        let mut a = Vec::<u32>::try_with_capacity_in(10, memory).unwrap();
        let b = Vec::<u8>::try_with_capacity_in(100, memory).unwrap();
        a.try_reserve_exact(20).unwrap();
        drop(b);
        a.try_push(1).unwrap();
        a.try_shrink_to_fit().unwrap();
        let expected = Usage { used: 4, peak: 180, capacity: None, allocations: 1, requests: 4 };
        assert_eq!(memory.usage(), expected);
        drop(a);
        assert_eq!(memory.usage(), Usage { used: 0, allocations: 0, ..expected });
    }

    // Miri aborts here instead of refusing the request.
    #[cfg(not(miri))]
    #[test]
    fn a_refusal_is_an_error() {
        let system = System::new();
        let layout = Layout::from_size_align(isize::MAX as usize - 4095, 4096).unwrap();
        assert_eq!(system.allocate(layout), None);
        assert_eq!(system.usage(), Usage { requests: 1, ..Usage::default() });
    }
}
