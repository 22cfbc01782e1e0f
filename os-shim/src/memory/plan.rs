//! Plans of requests: how many bytes a [`Region`](super::Region) must have for them. The region
//! keeps a log of what it has served, and an empty region of each size in question serves the log
//! and the plan again.

use core::alloc::Layout;

/// A step of a plan. Steps are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A request for a block.
    Take(Layout),
    /// The return of the block that a step took.
    Give(usize),
    /// A request for another size of the block that a step took. This step has the block then.
    Resize(usize, Layout),
}

#[cfg(any(feature = "std", test))]
pub(super) use kept::Log;
#[cfg(not(any(feature = "std", test)))]
pub(super) use left_out::Log;

/// The log of builds with an allocator.
#[cfg(any(feature = "std", test))]
mod kept {
    #![expect(unsafe_code, reason = "gives blocks back to a region")]

    use super::Step;
    use crate::memory::{Heap, Region};
    use core::alloc::Layout;
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    /// The most steps of a log. A longer one is dropped: it would grow as long as a program runs.
    const MOST: usize = 1 << 12;

    /// The most bytes of a region that a plan is tried with.
    const MOST_BYTES: usize = 1 << 28;

    /// Regions that serve a plan again start at an address with the same remainder by this number.
    const PAGE: usize = 4096;

    /// The requests that a region has served.
    #[derive(Clone, Default)]
    pub(in crate::memory) struct Log {
        /// `None`: they are not kept.
        served: Option<Served>,
        /// The address of the region's first byte.
        start: usize,
        /// The bytes before it that belong to the region.
        tables: usize,
    }

    #[derive(Clone, Default)]
    struct Served {
        steps: Vec<Step>,
        /// The step that took the block at an address.
        live: BTreeMap<usize, usize>,
    }

    impl Log {
        /// Returns the log of a region from the address `start` on, behind bytes of tables.
        pub(in crate::memory) fn new(start: usize, tables: usize) -> Self {
            Log { served: Some(Served::default()), start, tables }
        }

        /// Adds a step that took a block.
        pub(in crate::memory) fn take(&mut self, block: NonNull<u8>, layout: Layout) {
            self.add(Step::Take(layout), Some(block));
        }

        /// Adds the return of a block.
        pub(in crate::memory) fn give(&mut self, block: NonNull<u8>) {
            if let Some(step) = self.forget(block) {
                self.add(Step::Give(step), None);
            }
        }

        /// Adds the change of a block's size.
        pub(in crate::memory) fn resize(
            &mut self,
            block: NonNull<u8>,
            moved: NonNull<u8>,
            layout: Layout,
        ) {
            if let Some(step) = self.forget(block) {
                self.add(Step::Resize(step, layout), Some(moved));
            }
        }

        fn forget(&mut self, block: NonNull<u8>) -> Option<usize> {
            self.served.as_mut()?.live.remove(&block.addr().get())
        }

        fn add(&mut self, step: Step, block: Option<NonNull<u8>>) {
            let Some(served) = self.served.as_mut().filter(|served| served.steps.len() < MOST)
            else {
                self.served = None;
                return;
            };
            if let Some(block) = block {
                served.live.insert(block.addr().get(), served.steps.len());
            }
            served.steps.push(step);
        }

        /// Returns the least bytes of a region, with its tables, that serves the log and then a
        /// plan; `None` if the log is not kept, or for more than 256 MiB.
        pub(in crate::memory) fn least(
            self,
            plan: &mut dyn Iterator<Item = Step>,
        ) -> Option<usize> {
            let Log { served, start, tables } = self;
            let mut steps = served?.steps;
            let served = steps.len();
            steps.extend(plan.map(|step| match step {
                Step::Take(layout) => Step::Take(layout),
                Step::Give(taken) => Step::Give(taken.saturating_add(served)),
                Step::Resize(taken, layout) => Step::Resize(taken.saturating_add(served), layout),
            }));
            let sizes = core::iter::successors(Some(1usize << 10), |size| size.checked_mul(2));
            let mut sizes = sizes.take_while(|size| *size <= MOST_BYTES);
            let mut least = sizes.find(|size| serves(start, *size, &steps))?;
            let mut less = if least == 1 << 10 { 0 } else { least / 2 };
            while least.saturating_sub(less) > 1 {
                let middle = less.midpoint(least);
                match serves(start, middle, &steps) {
                    true => least = middle,
                    false => less = middle,
                }
            }
            Some(least.saturating_add(tables))
        }
    }

    /// Returns true if a region of `size` bytes serves all steps.
    fn serves(start: usize, size: usize, steps: &[Step]) -> bool {
        let mut bytes: Vec<MaybeUninit<u8>> = Vec::new();
        if bytes.try_reserve_exact(size.saturating_add(PAGE)).is_err() {
            return false;
        }
        let bytes = bytes.spare_capacity_mut();
        let gap = start.wrapping_sub(bytes.as_ptr().addr()) % PAGE;
        // A spare byte of `MaybeUninit` is a byte that may be uninitialised.
        let bytes = bytes.get_mut(gap..gap.saturating_add(size)).unwrap_or_default();
        let bytes = bytes as *mut [MaybeUninit<MaybeUninit<u8>>] as *mut [MaybeUninit<u8>];
        // SAFETY: `MaybeUninit` has its content's layout and may hold anything; the bytes are
        // exclusively borrowed.
        let region = Region::unlogged(unsafe { &mut *bytes });
        let mut blocks = Vec::with_capacity(steps.len());
        steps.iter().all(|step| {
            let block = run(&region, *step, &mut blocks);
            blocks.push(block.unwrap_or_default());
            block.is_ok()
        })
    }

    /// A block with its layout.
    type Block = Option<(NonNull<u8>, Layout)>;

    /// Runs a step, and returns the block that it takes. An empty block takes nothing.
    ///
    /// # Errors
    /// The region has no such block.
    fn run(region: &Region<'_>, step: Step, blocks: &mut [Block]) -> Result<Block, ()> {
        let (old, new) = match step {
            Step::Take(new) => (None, Some(new)),
            Step::Give(taken) => (blocks.get_mut(taken).and_then(Option::take), None),
            Step::Resize(taken, new) => (blocks.get_mut(taken).and_then(Option::take), Some(new)),
        };
        let new = new.filter(|layout| layout.size() > 0);
        let moved = match new.map(|layout| (region.allocate(layout), layout)) {
            None => None,
            Some((Some(block), layout)) => Some((block, layout)),
            // A block shrinks in place if no other block is free.
            Some((None, layout)) => match old {
                Some((_, before)) if layout.size() <= before.size() => return Ok(old),
                _ => return Err(()),
            },
        };
        if let Some((block, layout)) = old {
            // SAFETY: the block is live, and came from this region for its layout.
            unsafe { region.deallocate(block, layout) };
        }
        Ok(moved)
    }
}

/// The log of firmware, which keeps nothing.
#[cfg(not(any(feature = "std", test)))]
mod left_out {
    use core::alloc::Layout;
    use core::ptr::NonNull;

    pub(in crate::memory) struct Log;

    impl Log {
        #[inline(always)]
        pub(in crate::memory) fn new(_: usize, _: usize) -> Self {
            Log
        }

        #[inline(always)]
        pub(in crate::memory) fn take(&mut self, _: NonNull<u8>, _: Layout) {}

        #[inline(always)]
        pub(in crate::memory) fn give(&mut self, _: NonNull<u8>) {}

        #[inline(always)]
        pub(in crate::memory) fn resize(&mut self, _: NonNull<u8>, _: NonNull<u8>, _: Layout) {}
    }
}

#[cfg(test)]
mod tests {
    use super::Step;
    use crate::memory::{Heap, Memory, Region};
    use core::alloc::Layout;
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// Runs steps, and returns true if a region served all of them.
    fn serves(region: &Region<'_>, steps: &[Step]) -> bool {
        let mut live: Vec<Option<(NonNull<u8>, Layout)>> = Vec::new();
        for step in steps {
            let block = match *step {
                Step::Take(layout) => match region.allocate(layout) {
                    Some(block) => Some((block, layout)),
                    None => return false,
                },
                Step::Give(taken) => {
                    let (block, layout) = live[taken].take().unwrap();
                    // SAFETY: the block is live, and came from this region for its layout.
                    #[expect(unsafe_code, reason = "gives a block back")]
                    unsafe {
                        region.deallocate(block, layout)
                    };
                    None
                }
                Step::Resize(taken, new) => {
                    let (block, old) = live[taken].take().unwrap();
                    // SAFETY: the block is live, and came from this region for its layout.
                    #[expect(unsafe_code, reason = "resizes a block")]
                    let moved = unsafe { region.reallocate(block, old, new) };
                    match moved {
                        Some(moved) => Some((moved, new)),
                        None => return false,
                    }
                }
            };
            live.push(block);
        }
        true
    }

    fn layouts(most: usize) -> impl Strategy<Value = Vec<Layout>> {
        let layout = (1..3000usize, 0..4u32)
            .prop_map(|(size, align)| Layout::from_size_align(size, 1 << align).unwrap());
        prop::collection::vec(layout, 1..most)
    }

    /// Returns steps that take blocks, give some back, resize some, and take more.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let fates = prop::collection::vec(0..3usize, 8);
        (layouts(8), fates, layouts(6)).prop_map(|(taken, fates, after)| {
            let mut steps: Vec<Step> = taken.iter().copied().map(Step::Take).collect();
            for (step, (layout, fate)) in taken.iter().zip(fates).enumerate() {
                let size = layout.size() * 2 / 3 + 1;
                let other = Layout::from_size_align(size, layout.align()).unwrap();
                steps.extend(match fate {
                    0 => None,
                    1 => Some(Step::Give(step)),
                    _ => Some(Step::Resize(step, other)),
                });
            }
            steps.extend(after.into_iter().map(Step::Take));
            steps
        })
    }

    proptest! {
        /// The bytes that a plan names are enough, and one byte less is not, whatever the size of the
        /// region that names them.
        #[test]
        fn the_bytes_named_are_the_least(before in steps(), plan in steps(), spare in 0..9000usize) {
            let mut bytes = std::vec![MaybeUninit::uninit(); 256 << 10];
            let start = bytes.as_ptr().align_offset(64);
            let bytes = &mut bytes[start..];
            let ask = |bytes: &mut [MaybeUninit<u8>]| {
                let region = Region::new(bytes);
                serves(&region, &before)
                    .then(|| Memory::new(&region).bytes_for(&mut plan.iter().copied()).unwrap())
            };
            let whole = bytes.len();
            let needed = ask(&mut bytes[..whole]).unwrap();
            let rest = plan.iter().map(|step| match *step {
                Step::Give(taken) => Step::Give(before.len() + taken),
                Step::Resize(taken, layout) => Step::Resize(before.len() + taken, layout),
                Step::Take(layout) => Step::Take(layout),
            });
            let all: Vec<Step> = before.iter().copied().chain(rest).collect();
            prop_assert!(serves(&Region::new(&mut bytes[..needed]), &all));
            prop_assert!(!serves(&Region::new(&mut bytes[..needed - 1]), &all));
            if let Some(named) = ask(&mut bytes[..spare]) {
                prop_assert_eq!(named, needed);
            }
        }
    }

    #[test]
    fn long_logs_are_dropped() {
        let mut bytes = [MaybeUninit::uninit(); 1024];
        let region = Region::new(&mut bytes);
        let memory = Memory::new(&region);
        let layout = Layout::new::<[u64; 10]>();
        assert!(memory.bytes_for(&mut [Step::Take(layout)].into_iter()).is_some());
        let block = [Step::Take(layout), Step::Give(0)];
        assert!((0..3000).all(|_| serves(&region, &block)));
        assert_eq!(memory.bytes_for(&mut [Step::Take(layout)].into_iter()), None);
    }
}
