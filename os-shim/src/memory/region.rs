//! A heap over a caller's bytes: two-level segregated fit, in constant time.

#![expect(unsafe_code, reason = "hands blocks to and from rlsf's allocator")]

#[cfg(any(feature = "std", test))]
use super::Step;
use super::plan::Log;
use super::{Heap, Memory, OutOfMemory, Usage};
use crate::sync::Section;
use core::alloc::Layout;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use rlsf::{GRANULARITY, Tlsf};

/// First-level classes, one per power of two: blocks up to 16 MiB on 32-bit machines (larger
/// regions are split), and up to 128 GiB on 64-bit machines.
const FIRST: usize = if usize::BITS == 32 { 20 } else { 32 };

/// Second-level classes. A request may skip a free block that is up to 1/8 larger than needed; 16
/// classes would make it 1/16, for twice the table (640 bytes at 8 on a 32-bit machine).
const SECOND: usize = 8;

/// A heap over `&'r mut [MaybeUninit<u8>]`. Interrupts and other cores may use it if the platform's
/// `critical-section` protects against them. With the feature `spin` other cores may use it, but
/// interrupts must not.
///
/// Each block costs a header of two words and is rounded up to four words. Every operation takes
/// constant time under the lock, except a change of size, which moves the block.
///
/// ```
/// use core::mem::MaybeUninit;
/// use gallium_os_shim::{Memory, OutOfMemory, Region};
///
/// // On a board the bytes are a `static`, taken once.
/// let mut bytes = [MaybeUninit::uninit(); 512];
/// let region = Region::new(&mut bytes);
/// let memory = Memory::new(&region);
/// let error = gallium_os_shim::Box::try_new_in([0u8; 4096], memory);
/// assert_eq!(error, Err(OutOfMemory { requested: 4096 }));
/// assert_eq!((region.usage().used, region.usage().requests), (0, 1));
/// ```
pub struct Region<'r>(Section<State<'r>>);

struct State<'r> {
    free: Tlsf<'r, u32, u8, FIRST, SECOND>,
    usage: Usage,
    /// What the region has served.
    log: Log,
}

impl<'r> Region<'r> {
    /// Returns a heap over `bytes`. Fewer than about ten words leave no room for a block.
    pub fn new(bytes: &'r mut [MaybeUninit<u8>]) -> Self {
        Self::behind(0, bytes)
    }

    /// Returns a heap over `bytes`. `tables` bytes before them count as part of it.
    fn behind(tables: usize, bytes: &'r mut [MaybeUninit<u8>]) -> Self {
        Self::with_log(Log::new(bytes.as_ptr().addr(), tables), tables, bytes)
    }

    /// Returns a heap over `bytes` that keeps no log.
    #[cfg(any(feature = "std", test))]
    pub(super) fn unlogged(bytes: &'r mut [MaybeUninit<u8>]) -> Self {
        Self::with_log(Log::default(), 0, bytes)
    }

    fn with_log(log: Log, tables: usize, bytes: &'r mut [MaybeUninit<u8>]) -> Self {
        let mut free = Tlsf::new();
        let capacity = Some(tables.wrapping_add(bytes.len()));
        let usage = Usage { capacity, ..Usage::default() };
        let _ = free.insert_free_block(bytes);
        Region(Section::new(State { free, usage, log }))
    }

    /// Returns the counts of blocks and bytes handed out.
    pub fn usage(&self) -> Usage {
        self.with(|state| state.usage)
    }

    /// Block sizes, including the header, are multiples of this number of bytes.
    pub const GRANULARITY: usize = GRANULARITY;

    /// Runs `f` on the state, exclusively. `f` must not call the region.
    fn with<O>(&self, f: impl FnOnce(&mut State<'r>) -> O) -> O {
        // SAFETY: no `f` of this file calls the region.
        unsafe { self.0.with(f) }
    }
}

impl Region<'static> {
    /// Places a heap permanently at the start of `bytes`, over the rest of them. Use it for the
    /// memory of a `static`: a struct can then own the handle without a lifetime parameter.
    ///
    /// # Errors
    /// [`OutOfMemory`]: `bytes` cannot hold the heap's tables (about 700 bytes on a 32-bit
    /// machine).
    pub fn in_place(bytes: &'static mut [MaybeUninit<u8>]) -> Result<Memory<'static>, OutOfMemory> {
        let gap = bytes.as_ptr().align_offset(align_of::<Self>());
        let requested = size_of::<Self>();
        let needed = gap.saturating_add(requested);
        let (head, rest) = bytes.split_at_mut_checked(needed).ok_or(OutOfMemory { requested })?;
        // SAFETY: `head` is exclusively borrowed forever. From `gap` on it is aligned for a region
        // and as large as one.
        let slot = unsafe { &mut *head.as_mut_ptr().add(gap).cast::<MaybeUninit<Self>>() };
        Ok(Memory::new(slot.write(Region::behind(needed, rest))))
    }
}

// SAFETY: `Tlsf` hands out disjoint, aligned parts of bytes that are exclusively borrowed for
// `'r`, and the section makes its operations exclusive.
unsafe impl Heap for Region<'_> {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.with(|state| {
            state.usage.request();
            let block = state.free.allocate(layout)?;
            state.usage.take(layout.size());
            state.log.take(block, layout);
            Some(block)
        })
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.with(|state| {
            // SAFETY: the caller got `block` from this region, for this alignment.
            unsafe { state.free.deallocate(block, layout.align()) };
            state.usage.give(layout.size());
            state.log.give(block);
        });
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<u8>> {
        self.with(|state| {
            state.usage.request();
            let moved = match state.free.allocate(new) {
                Some(moved) => {
                    let kept = old.size().min(new.size());
                    // SAFETY: both blocks hold that many bytes and do not overlap; the old one came
                    // from this region for this alignment.
                    unsafe {
                        core::ptr::copy_nonoverlapping(block.as_ptr(), moved.as_ptr(), kept);
                        state.free.deallocate(block, old.align());
                    }
                    moved
                }
                // A block shrinks in place if no other block is free.
                None if new.size() <= old.size() => block,
                None => return None,
            };
            state.usage.resize(old.size(), new.size());
            state.log.resize(block, moved, new);
            Some(moved)
        })
    }

    fn usage(&self) -> Usage {
        Region::usage(self)
    }

    #[cfg(any(feature = "std", test))]
    fn bytes_for(&self, plan: &mut dyn Iterator<Item = Step>) -> Option<usize> {
        // A copy, because other regions serve it again outside of this one's section.
        self.with(|state| state.log.clone()).least(plan)
    }
}

impl fmt::Debug for Region<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Region").field(&self.usage()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vec::Vec;
    use proptest::prelude::*;
    use std::vec::Vec as StdVec;

    /// A live block, filled with its number, so that overlaps show.
    struct Block {
        address: NonNull<u8>,
        layout: Layout,
        fill: u8,
    }

    impl Block {
        fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the block is live, was filled whole, and is borrowed through `self`.
            unsafe { core::slice::from_raw_parts_mut(self.address.as_ptr(), self.layout.size()) }
        }

        fn write(&mut self) {
            // SAFETY: the block is live and this large.
            unsafe { self.address.write_bytes(self.fill, self.layout.size()) };
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Allocate(usize, u32),
        Free(usize),
        Resize(usize, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let size = || prop_oneof![1..40usize, 1..700usize, Just(4000), 9000..70000usize];
        prop_oneof![
            3 => (size(), 0..9u32).prop_map(|(size, align)| Step::Allocate(size, align)),
            2 => any::<usize>().prop_map(Step::Free),
            1 => (any::<usize>(), size()).prop_map(|(which, size)| Step::Resize(which, size)),
        ]
    }

    proptest! {
        #[test]
        fn blocks_are_aligned_inside_and_apart(
            steps in prop::collection::vec(step(), 0..150),
            start in 0..64usize,
        ) {
            let mut bytes = std::vec![MaybeUninit::uninit(); 8192 + start];
            let bytes = &mut bytes[start..];
            let range = bytes.as_ptr_range();
            let range = range.start.addr()..range.end.addr();
            let region = Region::new(bytes);
            let mut live: StdVec<Block> = StdVec::new();
            let (mut peak, mut requests) = (0, 0);
            for (number, step) in steps.iter().enumerate() {
                match *step {
                    Step::Allocate(size, align) => {
                        requests += 1;
                        let layout = Layout::from_size_align(size, 1 << align).unwrap();
                        if let Some(address) = region.allocate(layout) {
                            prop_assert_eq!(address.addr().get() % layout.align(), 0);
                            let mut block = Block { address, layout, fill: number as u8 };
                            block.write();
                            live.push(block);
                        }
                    }
                    Step::Free(which) if !live.is_empty() => {
                        let which = which % live.len();
                        let block = live.swap_remove(which);
                        // SAFETY: live until here, allocated for this layout.
                        unsafe { region.deallocate(block.address, block.layout) };
                    }
                    Step::Resize(which, size) if !live.is_empty() => {
                        requests += 1;
                        let which = which % live.len();
                        let block = &mut live[which];
                        let new = Layout::from_size_align(size, block.layout.align()).unwrap();
                        // SAFETY: live, allocated for this layout; the new one is not empty.
                        let moved = unsafe { region.reallocate(block.address, block.layout, new) };
                        if let Some(moved) = moved {
                            prop_assert_eq!(moved.addr().get() % new.align(), 0);
                            let kept = new.size().min(block.layout.size());
                            *block = Block { address: moved, layout: new, fill: block.fill };
                            let kept = Layout::from_size_align(kept, 1).unwrap();
                            let fill = block.fill;
                            let mut head = Block { address: moved, layout: kept, fill };
                            prop_assert!(head.bytes().iter().all(|&byte| byte == fill));
                            block.write();
                        }
                    }
                    Step::Free(_) | Step::Resize(..) => {}
                }
                let used = live.iter().map(|block| block.layout.size()).sum();
                peak = peak.max(used);
                let capacity = Some(8192);
                let allocations = live.len();
                let expected = Usage { used, peak, capacity, allocations, requests };
                prop_assert_eq!(region.usage(), expected);
                for block in &mut live {
                    let first = block.address.addr().get();
                    prop_assert!(range.contains(&first));
                    prop_assert!(first + block.layout.size() <= range.end);
                    let fill = block.fill;
                    prop_assert!(block.bytes().iter().all(|&byte| byte == fill));
                }
            }
            for block in live {
                // SAFETY: live until here, allocated for this layout.
                unsafe { region.deallocate(block.address, block.layout) };
            }
            prop_assert_eq!((region.usage().used, region.usage().allocations), (0, 0));
            // Freed parts have joined: an empty region's largest block fits again.
            let most = Layout::from_size_align(7000, 8).unwrap();
            prop_assert!(region.allocate(most).is_some());
        }
    }

    #[test]
    fn tiny_regions_hold_nothing_but_work() {
        for size in 0..Region::GRANULARITY * 4 {
            let mut bytes = std::vec![MaybeUninit::uninit(); size];
            let region = Region::new(&mut bytes);
            let memory = Memory::new(&region);
            let mut vec = Vec::<u64>::new_in(memory);
            let pushed = vec.try_push(1);
            assert_eq!(vec.len(), usize::from(pushed.is_ok()));
            drop(vec);
            assert_eq!((memory.usage().used, memory.usage().capacity), (0, Some(size)));
        }
    }

    #[test]
    fn a_request_larger_than_any_block_fails() {
        let mut bytes = [MaybeUninit::uninit(); 1024];
        let region = Region::new(&mut bytes);
        let huge = Layout::from_size_align(isize::MAX as usize - 7, 8).unwrap();
        assert_eq!(region.allocate(huge), None);
        let aligned = Layout::from_size_align(1, 1 << (usize::BITS - 2)).unwrap();
        assert_eq!(region.allocate(aligned), None);
        let usage = Usage { capacity: Some(1024), requests: 2, ..Usage::default() };
        assert_eq!(region.usage(), usage);
    }

    #[test]
    fn threads_share_it() {
        let mut bytes = std::vec![MaybeUninit::uninit(); 1 << 16];
        let region = Region::new(&mut bytes);
        // Miri checks every access, and is slow.
        const ROUNDS: usize = if cfg!(miri) { 10 } else { 300 };
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let memory = Memory::new(&region);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let vec = Vec::try_filled_in(thread, round % 97, memory).unwrap();
                        assert!(vec.iter().all(|&value| value == thread));
                    }
                });
            }
        });
        assert_eq!(
            (region.usage().used, region.usage().requests),
            (0, 4 * (ROUNDS - ROUNDS.div_ceil(97)) as u64)
        );
    }
}
