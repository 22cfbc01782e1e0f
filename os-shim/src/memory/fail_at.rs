//! A heap that fails one chosen request, so that tests can reach every error path.

#![expect(unsafe_code, reason = "passes blocks on to another heap")]

use super::{Heap, Memory, Usage};
use crate::sync::Section;
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

/// A heap that passes requests on to another memory, except the `nth`, which fails.
///
/// Tests run a scene once to count the requests, then once for each of them:
/// ```
/// use gallium_os_shim::{FailAt, Memory, OutOfMemory, Vec};
///
/// fn scene(memory: Memory<'_>) -> Result<usize, OutOfMemory> {
///     let mut numbers = Vec::new_in(memory);
///     for i in 0..100 {
///         numbers.try_push(i)?;
///     }
///     Ok(numbers.len())
/// }
///
/// # let mut bytes = [core::mem::MaybeUninit::uninit(); 4096];
/// # let region = gallium_os_shim::Region::new(&mut bytes);
/// # let memory = Memory::new(&region);
/// let count = FailAt::never(memory);
/// assert_eq!(scene(Memory::new(&count)), Ok(100));
/// for nth in 0..count.requests() {
///     let failing = FailAt::new(memory, nth);
///     assert!(scene(Memory::new(&failing)).is_err());
///     assert!(failing.failed());
/// }
/// ```
pub struct FailAt<'m> {
    memory: Memory<'m>,
    counts: Section<Counts>,
}

/// The number of the request that fails, and the number of the next request.
#[derive(Clone, Copy)]
struct Counts {
    nth: u64,
    seen: u64,
}

impl<'m> FailAt<'m> {
    /// Returns a heap over `memory` that fails request number `nth`, counted from 0. Requests are
    /// new blocks and changes of a block's size.
    pub const fn new(memory: Memory<'m>, nth: u64) -> Self {
        FailAt { memory, counts: Section::new(Counts { nth, seen: 0 }) }
    }

    /// Returns a heap over `memory` that counts requests and never fails one.
    pub const fn never(memory: Memory<'m>) -> Self {
        FailAt::new(memory, u64::MAX)
    }

    /// Restarts the count at 0, so that request number `nth` from now on fails.
    pub fn fail_after(&self, nth: u64) {
        self.with(|counts| *counts = Counts { nth, seen: 0 });
    }

    /// Returns the number of requests so far, including the failed one.
    pub fn requests(&self) -> u64 {
        self.with(|counts| counts.seen)
    }

    /// Returns true if the chosen request was made, and so failed.
    pub fn failed(&self) -> bool {
        self.with(|counts| counts.seen > counts.nth)
    }

    /// Counts a request; returns `None` for the one that fails.
    fn request(&self) -> Option<()> {
        self.with(|counts| {
            let number = counts.seen;
            counts.seen = number.wrapping_add(1);
            (number != counts.nth).then_some(())
        })
    }

    /// Runs `f` on the counts, exclusively. `f` must not call the heap.
    fn with<O>(&self, f: impl FnOnce(&mut Counts) -> O) -> O {
        // SAFETY: no `f` of this file calls the heap.
        unsafe { self.counts.with(f) }
    }
}

// SAFETY: every block comes from the underlying memory, which keeps the promise.
unsafe impl Heap for FailAt<'_> {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.request()?;
        self.memory.allocate(layout).ok()
    }

    #[cfg(any(feature = "std", test))]
    fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.request()?;
        self.memory.allocate_zeroed(layout).ok()
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller keeps its promise, and the block came from that memory.
        unsafe { self.memory.deallocate(block, layout) };
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<u8>> {
        self.request()?;
        // SAFETY: the caller keeps its promise, and the block came from that memory.
        unsafe { self.memory.resize(block, old, new) }.ok()
    }

    fn usage(&self) -> Usage {
        self.memory.usage()
    }
}

impl fmt::Debug for FailAt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailAt")
            .field("nth", &self.with(|counts| counts.nth))
            .field("requests", &self.requests())
            .field("memory", &self.memory)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxed::Box;
    use crate::memory::{OutOfMemory, System};
    use crate::vec::Vec;

    /// Makes six requests: three new blocks and three changes of size.
    fn scene(memory: Memory<'_>) -> Result<u64, OutOfMemory> {
        let boxed = Box::try_new_in(1u64, memory)?;
        let mut numbers = Vec::try_with_capacity_in(1, memory)?;
        numbers.try_extend([2, 3, 4])?;
        numbers.try_extend(5..100)?;
        let copy = numbers.try_clone()?;
        numbers.pop();
        numbers.try_shrink_to_fit()?;
        Ok(copy.iter().sum::<u64>() + *boxed)
    }

    #[test]
    fn each_request_can_fail_and_nothing_leaks() {
        let count = FailAt::never(Memory::system());
        assert_eq!(scene(Memory::new(&count)), Ok(4950));
        assert_eq!((count.requests(), count.failed()), (6, false));
        for nth in 0..count.requests() {
            let system = System::new();
            let failing = FailAt::new(Memory::new(&system), nth);
            assert!(scene(Memory::new(&failing)).is_err(), "request {nth}");
            assert_eq!((failing.requests(), failing.failed()), (nth + 1, true));
            assert_eq!(Memory::new(&failing).usage().used, 0, "request {nth}");
            // Further requests succeed until another one is chosen.
            assert_eq!(scene(Memory::new(&failing)), Ok(4950));
            failing.fail_after(nth);
            assert!(scene(Memory::new(&failing)).is_err(), "request {nth}, chosen later");
        }
    }
}
