//! Memory that may run out: the [`Memory`] handle and the heaps behind it.
//!
//! No crate below the boards uses the global allocator. A board or a host makes one [`Heap`]
//! ([`Region`] over bytes it owns, `System` on a host) and hands out copies of [`Memory`]. A
//! request that fails returns [`OutOfMemory`].

mod bump;
#[cfg(any(feature = "std", test))]
mod counted;
mod fail_at;
mod plan;
#[cfg(target_has_atomic = "ptr")]
mod quota;
mod region;
#[cfg(any(feature = "std", test))]
mod system;

pub use bump::Bump;
#[cfg(any(feature = "std", test))]
pub use counted::Counted;
pub use fail_at::FailAt;
pub use plan::Step;
#[cfg(target_has_atomic = "ptr")]
pub use quota::{Quota, Reservation};
pub use region::Region;
#[cfg(any(feature = "std", test))]
pub use system::{System, return_large_blocks};

use allocator_api2::alloc::{AllocError, Allocator};
use core::alloc::Layout;
use core::fmt;
use core::num::NonZeroUsize;
use core::ptr::NonNull;

/// The error of a failed memory request; the state is as before the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[error("out of memory: {requested} bytes requested beyond what is left: hand over more")]
pub struct OutOfMemory {
    /// Size of the request, in bytes; `usize::MAX` where it does not fit a `usize`.
    pub requested: usize,
}

/// Counts of the blocks that a heap has handed out. Sizes are the requested sizes, without the
/// heap's headers, so a board and a host of equal pointer width count the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Usage {
    /// Bytes in use.
    pub used: usize,
    /// Greatest number of bytes in use at one time.
    pub peak: usize,
    /// Size of the heap in bytes, including headers and tables; `None` if it is unknown.
    pub capacity: Option<usize>,
    /// Number of blocks in use.
    pub allocations: usize,
    /// Number of requests so far, including failed ones: new blocks and changes of size.
    pub requests: u64,
}

impl Usage {
    /// Counts a request, granted or not.
    fn request(&mut self) {
        self.requests = self.requests.wrapping_add(1);
    }

    /// Counts a new block of `size` bytes.
    fn take(&mut self, size: usize) {
        self.allocations = self.allocations.wrapping_add(1);
        self.resize(0, size);
    }

    /// Counts a block's change from `old` to `new` bytes.
    fn resize(&mut self, old: usize, new: usize) {
        self.used = self.used.wrapping_sub(old).wrapping_add(new);
        self.peak = self.peak.max(self.used);
    }

    /// Counts the return of a block of `size` bytes.
    fn give(&mut self, size: usize) {
        self.allocations = self.allocations.wrapping_sub(1);
        self.used = self.used.wrapping_sub(size);
    }
}

/// A source of memory blocks.
///
/// # Safety
/// A block that `allocate` or `reallocate` returns is valid for reads and writes of its layout,
/// aligned, and overlaps nothing else, until it is given to `deallocate` or `reallocate` or the
/// heap's lifetime ends. This holds for calls from any thread, and if the heap's reference is
/// moved.
#[expect(unsafe_code, reason = "implementors vouch for the blocks they hand out")]
pub unsafe trait Heap: Sync {
    /// Returns an uninitialised block for `layout`, or `None` if memory has run out. The size of
    /// `layout` is never 0.
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>>;

    /// Returns a zeroed block for `layout`, like [`allocate`](Self::allocate).
    #[cfg(any(feature = "std", test))]
    fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<u8>> {
        let block = self.allocate(layout)?;
        // SAFETY: the block is live and has the layout's size.
        unsafe { block.write_bytes(0, layout.size()) };
        Some(block)
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `block` came from this heap for this `layout` and is no longer used.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);

    /// Changes a block's size and keeps its first `min(old, new)` bytes. The block may move. On
    /// `None` the old block stays as it was.
    ///
    /// # Safety
    /// `block` came from this heap for `old`; `new` has `old`'s alignment and is not empty.
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<u8>> {
        let moved = self.allocate(new)?;
        let kept = old.size().min(new.size());
        // SAFETY: both blocks are live and hold at least `kept` bytes, and live blocks of a
        // heap do not overlap.
        unsafe { block.copy_to_nonoverlapping(moved, kept) };
        // SAFETY: the caller gave up `block`, which came from this heap for `old`.
        unsafe { self.deallocate(block, old) };
        Some(moved)
    }

    /// Counts `bytes` that are not a block of this heap, such as pages from the system; returns
    /// false if they exceed a limit. Heaps without a limit need not count.
    #[cfg(any(feature = "std", test))]
    fn count(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// Reverses an earlier [`count`](Self::count) of `bytes`.
    #[cfg(any(feature = "std", test))]
    fn uncount(&self, bytes: usize) {
        let _ = bytes;
    }

    /// Returns the counts of blocks and bytes handed out.
    fn usage(&self) -> Usage;

    /// Returns the bytes that the heap must have, in all, to serve a plan: see
    /// [`Memory::bytes_for`].
    #[cfg(any(feature = "std", test))]
    fn bytes_for(&self, plan: &mut dyn Iterator<Item = Step>) -> Option<usize> {
        let _ = plan;
        None
    }
}

/// A copyable handle to a heap. Everything in this workspace allocates through it.
///
/// It implements allocator-api2's [`Allocator`], for collections that take one.
///
/// ```
/// use core::mem::MaybeUninit;
/// use gallium_os_shim::{Memory, OutOfMemory, Region, Vec};
///
/// let mut bytes = [MaybeUninit::uninit(); 1024];
/// let region = Region::new(&mut bytes);
/// let memory = Memory::new(&region);
///
/// let table = Vec::try_filled_in(0u16, 100, memory)?;
/// assert_eq!((memory.usage().used, memory.usage().capacity), (200, Some(1024)));
/// assert_eq!(Vec::try_filled_in(0u16, 1000, memory), Err(OutOfMemory { requested: 2000 }));
/// drop(table);
/// assert_eq!((memory.usage().used, memory.usage().peak), (0, 200));
/// # Ok::<(), OutOfMemory>(())
/// ```
#[derive(Clone, Copy)]
pub struct Memory<'m>(&'m dyn Heap);

impl<'m> Memory<'m> {
    /// Returns a handle to `heap`.
    pub const fn new(heap: &'m dyn Heap) -> Self {
        Memory(heap)
    }

    /// Returns the counts of blocks and bytes that the heap has handed out, to all users together.
    pub fn usage(self) -> Usage {
        self.0.usage()
    }

    /// Returns the least bytes that a [`Region`] must have, in all, to serve a plan after everything
    /// that this one has served so far: with headers, gaps and its own tables. A region of these
    /// bytes serves the same requests, and of one byte less does not. `None`: the memory is no
    /// region, it has served thousands of requests, or the build has no `std`.
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use gallium_os_shim::memory::Step;
    /// use gallium_os_shim::{Memory, Region};
    ///
    /// let mut bytes = [MaybeUninit::uninit(); 256];
    /// let region = Region::new(&mut bytes);
    /// let plan = [Step::Take(Layout::new::<[u64; 100]>())];
    /// if let Some(needed) = Memory::new(&region).bytes_for(&mut plan.into_iter()) {
    ///     assert!(needed > 800 && needed < 1024);
    /// }
    /// ```
    #[cfg(any(feature = "std", test))]
    pub fn bytes_for(self, plan: &mut dyn Iterator<Item = Step>) -> Option<usize> {
        self.0.bytes_for(plan)
    }

    /// Returns `None`, because builds without `std` keep no log of requests.
    #[cfg(not(any(feature = "std", test)))]
    #[inline(always)]
    pub fn bytes_for(self, plan: &mut dyn Iterator<Item = Step>) -> Option<usize> {
        let _ = plan;
        None
    }

    /// Counts `bytes` from elsewhere against the heap's limit until the returned value is dropped.
    ///
    /// # Errors
    /// [`OutOfMemory`]: the limit would be exceeded.
    #[cfg(any(feature = "std", test))]
    pub fn count(self, bytes: usize) -> Result<Counted<'m>, OutOfMemory> {
        match self.0.count(bytes) {
            true => Ok(Counted { memory: self, bytes }),
            false => Err(OutOfMemory { requested: bytes }),
        }
    }

    /// Returns a block for `layout`. An empty layout gets an aligned address and takes no memory.
    #[inline(never)]
    pub(crate) fn allocate(self, layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
        if layout.size() == 0 {
            return Ok(dangling(layout));
        }
        self.0.allocate(layout).ok_or(OutOfMemory { requested: layout.size() })
    }

    /// Returns a block of zeros for `layout`; see [`allocate`](Self::allocate).
    #[cfg(any(feature = "std", test))]
    #[inline(never)]
    pub(crate) fn allocate_zeroed(self, layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
        if layout.size() == 0 {
            return Ok(dangling(layout));
        }
        self.0.allocate_zeroed(layout).ok_or(OutOfMemory { requested: layout.size() })
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `block` came from this memory for this `layout` and is no longer used.
    #[expect(unsafe_code, reason = "the caller vouches for the block")]
    #[inline(never)]
    pub(crate) unsafe fn deallocate(self, block: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the caller keeps its promise; a non-empty layout was passed on to the heap.
            unsafe { self.0.deallocate(block, layout) }
        }
    }

    /// Changes a block's size, also from or to 0. On an error the old block stays as it was.
    ///
    /// One out-of-line function serves the collections of all element types, to save code.
    ///
    /// # Safety
    /// `block` came from this memory for `old`; `new` has the same alignment.
    #[expect(unsafe_code, reason = "the caller vouches for the block")]
    #[inline(never)]
    pub(crate) unsafe fn resize(
        self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, OutOfMemory> {
        if old.size() == 0 {
            return self.allocate(new);
        }
        if new.size() == 0 {
            // SAFETY: the caller keeps its promise.
            unsafe { self.deallocate(block, old) };
            return Ok(dangling(new));
        }
        // SAFETY: the caller keeps its promise; neither layout is empty.
        let moved = unsafe { self.0.reallocate(block, old, new) };
        moved.ok_or(OutOfMemory { requested: new.size() })
    }
}

#[cfg(any(feature = "std", test))]
impl Memory<'static> {
    /// Returns the system's memory, without a limit. All users of this handle are counted together.
    /// Create a separate [`System`] to count its users alone.
    pub fn system() -> Memory<'static> {
        static SYSTEM: System = System::new();
        Memory(&SYSTEM)
    }
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.usage()).finish()
    }
}

// SAFETY: blocks stay valid until the heap's lifetime ends, which outlives every handle; copies of
// a handle refer to the same heap.
#[expect(unsafe_code, reason = "allocator-api2's trait is unsafe to implement")]
unsafe impl Allocator for Memory<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = Memory::allocate(*self, layout).map_err(|_| AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: `Allocator::deallocate` requires the same from its caller. The layout has exactly
        // the allocated size, because a larger one is never reported.
        unsafe { Memory::deallocate(*self, block, layout) }
    }
}

/// Returns an aligned address for an empty block.
fn dangling(layout: Layout) -> NonNull<u8> {
    NonNull::without_provenance(NonZeroUsize::new(layout.align()).unwrap_or(NonZeroUsize::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::MaybeUninit;
    use std::format;

    #[test]
    fn out_of_memory_says_how_much() {
        let error = OutOfMemory { requested: 640 };
        let text = "out of memory: 640 bytes requested beyond what is left: hand over more";
        assert_eq!(format!("{error}"), text);
    }

    #[test]
    fn empty_blocks_cost_nothing_and_are_aligned() {
        let mut bytes = [];
        let region = Region::new(&mut bytes);
        let memory = Memory::new(&region);
        let layout = Layout::from_size_align(0, 64).unwrap();
        let block = memory.allocate(layout).unwrap();
        assert_eq!(block.addr().get() % 64, 0);
        assert_eq!(memory.usage().requests, 0);
    }

    #[test]
    #[expect(unsafe_code, reason = "the trait's deallocate is unsafe")]
    fn serves_allocator_api2() {
        let mut bytes = [MaybeUninit::uninit(); 4096];
        let region = Region::new(&mut bytes);
        let memory = Memory::new(&region);
        let layout = Layout::from_size_align(100, 8).unwrap();
        let block = Allocator::allocate_zeroed(&memory, layout).unwrap();
        assert_eq!(block.len(), 100);
        // SAFETY: 100 zeroed bytes, not aliased.
        assert!(unsafe { block.as_ref() }.iter().all(|&byte| byte == 0));
        assert_eq!(memory.usage().used, 100);
        // SAFETY: allocated just above for this layout.
        unsafe { Allocator::deallocate(&memory, block.cast(), layout) };
        assert_eq!(memory.usage().used, 0);
        let huge = Layout::from_size_align(1 << 20, 8).unwrap();
        assert_eq!(Allocator::allocate(&memory, huge), Err(AllocError));
    }

    #[test]
    fn handles_are_covariant_and_shareable() {
        fn shorten<'s>(memory: Memory<'static>, _scope: &'s ()) -> Memory<'s> {
            memory
        }
        fn shareable<T: Send + Sync + Copy>(_: T) {}
        shareable(shorten(Memory::system(), &()));
    }
}
