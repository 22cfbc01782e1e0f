//! A heap with a limit, over another heap.

#![expect(unsafe_code, reason = "passes blocks on to another heap")]

use super::{Heap, Memory, OutOfMemory, Usage};
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A heap that passes requests on to another memory as long as its blocks together take at most
/// `limit` bytes. A request beyond the limit fails.
///
/// Bytes from elsewhere, such as files shared with a client, also count while a [`Reservation`] for
/// them lives. A quota [`within`](Quota::within) another one counts against both.
/// ```
/// use gallium_os_shim::memory::Quota;
/// use gallium_os_shim::{Memory, OutOfMemory, Vec};
///
/// # let mut bytes = [core::mem::MaybeUninit::uninit(); 4096];
/// # let region = gallium_os_shim::Region::new(&mut bytes);
/// let all = Quota::new(Memory::new(&region), 1000);
/// let (one, other) = (Quota::within(&all, 800), Quota::within(&all, 800));
/// let block = Vec::try_filled_in(0u8, 700, Memory::new(&one))?;
/// let reserved = other.reserve(300)?;
/// assert_eq!((all.usage().used, other.reserve(1).err()), (1000, Some(OutOfMemory { requested: 1 })));
/// drop((block, reserved));
/// assert_eq!(all.usage().used, 0);
/// # Ok::<(), OutOfMemory>(())
/// ```
pub struct Quota<'m> {
    memory: Memory<'m>,
    within: Option<&'m Quota<'m>>,
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
    requests: AtomicUsize,
}

impl<'m> Quota<'m> {
    /// Returns a heap of at most `limit` bytes of `memory`.
    pub const fn new(memory: Memory<'m>, limit: usize) -> Self {
        Quota {
            memory,
            within: None,
            limit,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        }
    }

    /// Returns a heap of at most `limit` bytes of the memory behind `outer`. The limit of `outer`
    /// holds too.
    pub const fn within(outer: &'m Quota<'m>, limit: usize) -> Self {
        Quota { within: Some(outer), ..Quota::new(outer.memory, limit) }
    }

    /// Returns the limit: the greatest number of bytes in use at one time.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Returns true if `bytes` more would exceed this quota's limit, not counting outer quotas.
    pub fn refuses(&self, bytes: usize) -> bool {
        self.used.load(Relaxed).checked_add(bytes).is_none_or(|used| used > self.limit)
    }

    /// Returns the counts of blocks handed out; bytes include reservations.
    pub fn usage(&self) -> Usage {
        Usage {
            used: self.used.load(Relaxed),
            peak: self.peak.load(Relaxed),
            capacity: Some(self.limit),
            allocations: self.allocations.load(Relaxed),
            requests: self.requests.load(Relaxed) as u64,
        }
    }

    /// Counts `bytes` that are not a block of this heap, until the returned value is dropped.
    ///
    /// # Errors
    /// [`OutOfMemory`]: the limit would be exceeded.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, OutOfMemory> {
        self.take(bytes).ok_or(OutOfMemory { requested: bytes })?;
        Ok(Reservation { quota: self, bytes })
    }

    /// Counts `bytes` more, here and in the outer quotas; `None` if a limit would be exceeded.
    fn take(&self, bytes: usize) -> Option<()> {
        let sum = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit);
        let before = self.used.fetch_update(Relaxed, Relaxed, sum).ok()?;
        if let Some(outer) = self.within
            && outer.take(bytes).is_none()
        {
            self.used.fetch_sub(bytes, Relaxed);
            return None;
        }
        self.peak.fetch_max(before.wrapping_add(bytes), Relaxed);
        Some(())
    }

    /// Counts a request for a block; `allocate` gets the block from the underlying memory.
    fn pass_on(
        &self,
        layout: Layout,
        allocate: impl FnOnce(Memory<'m>) -> Result<NonNull<u8>, OutOfMemory>,
    ) -> Option<NonNull<u8>> {
        self.requests.fetch_add(1, Relaxed);
        self.take(layout.size())?;
        let block = allocate(self.memory).ok();
        match block {
            Some(_) => {
                self.allocations.fetch_add(1, Relaxed);
            }
            None => self.give(layout.size()),
        }
        block
    }

    /// Counts `bytes` less, here and in the outer quotas.
    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
        if let Some(outer) = self.within {
            outer.give(bytes);
        }
    }
}

/// Bytes that count against a [`Quota`] until this value is dropped.
#[derive(Debug)]
pub struct Reservation<'q> {
    quota: &'q Quota<'q>,
    bytes: usize,
}

impl Reservation<'_> {
    /// Returns the number of bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts `bytes` more.
    ///
    /// # Errors
    /// [`OutOfMemory`]: the limit would be exceeded; the earlier bytes stay reserved.
    pub fn grow(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        self.quota.take(bytes).ok_or(OutOfMemory { requested: bytes })?;
        self.bytes = self.bytes.wrapping_add(bytes);
        Ok(())
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.quota.give(self.bytes);
    }
}

// SAFETY: every block comes from the underlying memory, which keeps the promise.
unsafe impl Heap for Quota<'_> {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.pass_on(layout, |memory| memory.allocate(layout))
    }

    #[cfg(any(feature = "std", test))]
    fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.pass_on(layout, |memory| memory.allocate_zeroed(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller keeps its promise, and the block came from that memory.
        unsafe { self.memory.deallocate(block, layout) };
        self.allocations.fetch_sub(1, Relaxed);
        self.give(layout.size());
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<u8>> {
        self.requests.fetch_add(1, Relaxed);
        let more = new.size().saturating_sub(old.size());
        self.take(more)?;
        // SAFETY: the caller keeps its promise, and the block came from that memory.
        let moved = unsafe { self.memory.resize(block, old, new) }.ok();
        match moved {
            Some(_) => self.give(old.size().saturating_sub(new.size())),
            None => self.give(more),
        }
        moved
    }

    #[cfg(any(feature = "std", test))]
    fn count(&self, bytes: usize) -> bool {
        self.take(bytes).is_some()
    }

    #[cfg(any(feature = "std", test))]
    fn uncount(&self, bytes: usize) {
        self.give(bytes);
    }

    fn usage(&self) -> Usage {
        Quota::usage(self)
    }
}

impl fmt::Debug for Quota<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quota").field(&self.usage()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FailAt;
    use crate::vec::Vec;

    #[test]
    fn the_limit_holds_to_the_byte_and_blocks_that_go_make_room() {
        let quota = Quota::new(Memory::system(), 100);
        let memory = Memory::new(&quota);
        let mut block = Vec::try_filled_in(1u8, 60, memory).unwrap();
        assert!(!quota.refuses(40) && quota.refuses(41));
        assert_eq!(block.try_reserve_exact(41), Err(OutOfMemory { requested: 101 }));
        assert_eq!(block, [1; 60], "a refused change of size loses nothing");
        block.try_reserve_exact(40).unwrap();
        assert_eq!(Vec::try_filled_in(0u8, 1, memory), Err(OutOfMemory { requested: 1 }));
        block.truncate(10);
        block.try_shrink_to_fit().unwrap();
        let expected =
            Usage { used: 10, peak: 100, capacity: Some(100), allocations: 1, requests: 5 };
        assert_eq!(memory.usage(), expected);
        drop(block);
        assert_eq!((quota.usage().used, quota.usage().allocations), (0, 0));
    }

    #[test]
    fn reservations_count_in_every_quota_around() {
        let outer = Quota::new(Memory::system(), 100);
        let (one, other) = (Quota::within(&outer, 80), Quota::within(&outer, 80));
        let mut reserved = one.reserve(50).unwrap();
        reserved.grow(20).unwrap();
        assert_eq!(reserved.grow(11), Err(OutOfMemory { requested: 11 }), "its own limit");
        assert_eq!((reserved.bytes(), outer.usage().used), (70, 70));
        assert_eq!(other.reserve(31).err(), Some(OutOfMemory { requested: 31 }), "the outer limit");
        assert_eq!((other.usage().used, other.refuses(31)), (0, false));
        drop(reserved);
        assert_eq!((one.usage().used, outer.usage().used), (0, 0));
        assert_eq!(one.reserve(usize::MAX).err(), Some(OutOfMemory { requested: usize::MAX }));
    }

    #[test]
    fn what_the_memory_behind_refuses_is_not_counted() {
        for nth in 0..2 {
            let failing = FailAt::new(Memory::system(), nth);
            let quota = Quota::new(Memory::new(&failing), 100);
            let mut block = Vec::<u8>::new_in(Memory::new(&quota));
            let grown = block.try_reserve_exact(10).and_then(|()| block.try_reserve_exact(20));
            assert!(grown.is_err());
            assert_eq!(quota.usage().used, block.capacity());
        }
    }

    #[test]
    fn threads_never_exceed_it() {
        const ROUNDS: usize = if cfg!(miri) { 10 } else { 1000 };
        let quota = Quota::new(Memory::system(), 100);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        drop(Vec::try_filled_in(0u8, 40, Memory::new(&quota)));
                    }
                });
            }
        });
        assert!(quota.usage().peak <= 100);
        assert_eq!((quota.usage().used, quota.usage().allocations), (0, 0));
    }
}
