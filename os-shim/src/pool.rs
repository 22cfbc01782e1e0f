//! Objects behind handles. Slots have generations, so stale handles find nothing.

use crate::memory::{Memory, OutOfMemory};
use crate::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

/// Number of handle bits that hold the slot; the remaining bits hold its generation.
const SLOT_BITS: u32 = 20;

/// Generations run from 1 to this number and then start again at 1. Without generation 0, no handle
/// is 0.
const LAST_GENERATION: u16 = (1 << (32 - SLOT_BITS)) - 1;

/// Maximum number of objects in a pool: 2²⁰.
pub const MAX_OBJECTS: usize = 1 << SLOT_BITS;

/// The handle of an object in a [`Pool`]: 20 bits of slot, 12 bits of generation, never 0.
///
/// Each reuse of a slot advances its generation, so the handle of a removed object finds nothing.
/// After 4095 reuses of one slot the generations repeat: a handle kept that long may find a new
/// object. A pool reuses the slot that has been free for longest, which spreads reuses over all
/// free slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct RawHandle(NonZeroU32);

impl RawHandle {
    /// Packs `slot` < 2²⁰ and `generation`, 1 to 4095.
    fn new(slot: u32, generation: u16) -> Self {
        let bits = (u32::from(generation) << SLOT_BITS) | slot;
        RawHandle(NonZeroU32::new(bits).unwrap_or(NonZeroU32::MIN))
    }

    /// Returns the handle as a number, for storage elsewhere.
    pub const fn to_bits(self) -> u32 {
        self.0.get()
    }

    /// Returns the handle with these bits, as [`RawHandle::to_bits`] returned them; `None` for 0.
    /// Any number is safe: a pool finds nothing for a handle that it never returned.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match NonZeroU32::new(bits) {
            Some(bits) => Some(RawHandle(bits)),
            None => None,
        }
    }

    /// Returns the slot's number, less than [`MAX_OBJECTS`]: small, and unique among live objects.
    pub const fn slot(self) -> usize {
        self.0.get() as usize & (MAX_OBJECTS - 1)
    }

    /// Returns the slot's generation at the object's insertion, 1 to 4095.
    pub const fn generation(self) -> u16 {
        (self.0.get() >> SLOT_BITS) as u16
    }
}

impl fmt::Debug for RawHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.slot(), self.generation())
    }
}

/// The reason why an object could not be inserted into a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PoolError {
    /// There is no memory for another slot.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The pool holds [`MAX_OBJECTS`] objects.
    #[error("pool is full: {MAX_OBJECTS} objects")]
    Full,
}

/// Objects of one kind, found by handle in constant time.
///
/// ```
/// use gallium_os_shim::{Memory, pool::Pool};
/// # let mut bytes = [core::mem::MaybeUninit::uninit(); 1024];
/// # let region = gallium_os_shim::Region::new(&mut bytes);
/// # let memory = Memory::new(&region);
/// let mut pool = Pool::new_in(memory);
/// let handle = pool.insert("first")?;
/// assert_eq!(pool.get(handle), Some(&"first"));
/// pool.remove(handle);
///
/// let second = pool.insert("second")?; // in the same slot, of a new generation
/// assert_eq!((second.slot(), second.generation()), (handle.slot(), 2));
/// assert_eq!(pool.get(handle), None, "a stale handle finds nothing");
/// # Ok::<(), gallium_os_shim::pool::PoolError>(())
/// ```
pub struct Pool<'m, T> {
    slots: Vec<'m, Slot<T>>,
    /// Head of the queue of free slots, linked through `Slot::next`; `NO_SLOT` when empty.
    first_free: u32,
    last_free: u32,
    len: usize,
}

struct Slot<T> {
    object: Option<T>,
    /// Generation of the object here, or of the next one.
    generation: u16,
    /// The next slot in the queue of free slots, if this one is free.
    next: u32,
}

const NO_SLOT: u32 = u32::MAX;

impl<'m, T> Pool<'m, T> {
    /// Returns an empty pool that grows in `memory`. Allocates nothing.
    pub const fn new_in(memory: Memory<'m>) -> Self {
        Pool { slots: Vec::new_in(memory), first_free: NO_SLOT, last_free: NO_SLOT, len: 0 }
    }

    /// Returns the memory that the pool grows in.
    pub const fn memory(&self) -> Memory<'m> {
        self.slots.memory()
    }

    /// Returns the number of objects.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the pool holds no object.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inserts `object` and returns its handle.
    ///
    /// # Errors
    /// [`PoolError`]; then the pool is as before, and `object` is dropped.
    pub fn insert(&mut self, object: T) -> Result<RawHandle, PoolError> {
        let number = match self.first_free {
            NO_SLOT => self.add_slot()?,
            free => free,
        };
        // Every number in the queue has a slot, and so has the number of a new slot.
        let slot = self.slots.get_mut(number as usize).ok_or(PoolError::Full)?;
        if number == self.first_free {
            self.first_free = slot.next;
        }
        slot.object = Some(object);
        self.len = self.len.wrapping_add(1);
        Ok(RawHandle::new(number, slot.generation))
    }

    /// Adds a slot without putting it in the queue of free slots.
    fn add_slot(&mut self) -> Result<u32, PoolError> {
        let number = self.slots.len();
        if number == MAX_OBJECTS {
            return Err(PoolError::Full);
        }
        self.slots.try_push(Slot { object: None, generation: 1, next: NO_SLOT })?;
        Ok(number as u32)
    }

    /// Returns the object of `handle`; `None` if it was removed.
    #[inline]
    pub fn get(&self, handle: RawHandle) -> Option<&T> {
        let slot = self.slots.get(handle.slot())?;
        if slot.generation == handle.generation() { slot.object.as_ref() } else { None }
    }

    /// Returns the object of `handle` mutably; `None` if it was removed.
    #[inline]
    pub fn get_mut(&mut self, handle: RawHandle) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot())?;
        if slot.generation == handle.generation() { slot.object.as_mut() } else { None }
    }

    /// Returns true if the object of `handle` is in the pool.
    pub fn contains(&self, handle: RawHandle) -> bool {
        self.get(handle).is_some()
    }

    /// Removes the object of `handle` and returns it; `None` if it was removed before. The handle
    /// is stale from then on.
    pub fn remove(&mut self, handle: RawHandle) -> Option<T> {
        let number = handle.slot();
        let slot = self.slots.get_mut(number)?;
        if slot.generation != handle.generation() {
            return None;
        }
        let object = slot.object.take()?;
        slot.generation = match slot.generation {
            LAST_GENERATION => 1,
            generation => generation.wrapping_add(1),
        };
        slot.next = NO_SLOT;
        if self.first_free == NO_SLOT {
            self.first_free = number as u32;
        } else if let Some(last) = self.slots.get_mut(self.last_free as usize) {
            last.next = number as u32;
        }
        self.last_free = number as u32;
        self.len = self.len.wrapping_sub(1);
        Some(object)
    }

    /// Iterates over the objects and their handles, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (RawHandle, &T)> {
        self.slots.iter().enumerate().filter_map(|(number, slot)| {
            let handle = RawHandle::new(number as u32, slot.generation);
            slot.object.as_ref().map(|object| (handle, object))
        })
    }

    /// Iterates mutably over the objects and their handles, in slot order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (RawHandle, &mut T)> {
        self.slots.iter_mut().enumerate().filter_map(|(number, slot)| {
            let handle = RawHandle::new(number as u32, slot.generation);
            slot.object.as_mut().map(|object| (handle, object))
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for Pool<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{FailAt, System};
    use std::format;
    use std::rc::Rc;

    #[test]
    fn finds_what_was_inserted() {
        let system = System::new();
        let mut pool = Pool::new_in(Memory::new(&system));
        let a = pool.insert("a").unwrap();
        let b = pool.insert("b").unwrap();
        assert_eq!((pool.get(a), pool.get(b), pool.len()), (Some(&"a"), Some(&"b"), 2));
        *pool.get_mut(a).unwrap() = "c";
        assert_eq!(pool.remove(a), Some("c"));
        assert_eq!((pool.remove(a), pool.get(a), pool.len()), (None, None, 1));
        assert!(pool.contains(b) && !pool.is_empty());
    }

    #[test]
    fn stale_handles_find_nothing() {
        let mut pool = Pool::new_in(Memory::system());
        let old = pool.insert(1).unwrap();
        pool.remove(old);
        let new = pool.insert(2).unwrap();
        assert_eq!((old.slot(), new.slot()), (0, 0));
        assert_ne!(old, new);
        assert_eq!((pool.remove(old), pool.get(old)), (None, None));
        assert_eq!(pool.get_mut(old), None);
        assert_eq!(pool.get(new), Some(&2));
    }

    #[test]
    fn freed_longest_ago_is_used_first() {
        let mut pool = Pool::new_in(Memory::system());
        let handles: std::vec::Vec<_> = (0..3).map(|i| pool.insert(i).unwrap()).collect();
        for number in [1, 0, 2] {
            pool.remove(handles[number]);
        }
        let slots: std::vec::Vec<_> = (0..4).map(|i| pool.insert(i).unwrap().slot()).collect();
        assert_eq!(slots, [1, 0, 2, 3]);
    }

    #[test]
    fn generations_repeat_after_4095_reuses() {
        let mut pool = Pool::new_in(Memory::system());
        let first = pool.insert(0).unwrap();
        let mut handle = first;
        for reuse in 1..=4095 {
            pool.remove(handle);
            handle = pool.insert(reuse).unwrap();
            assert_eq!(handle == first, reuse == 4095);
            assert_ne!(handle.generation(), 0);
        }
    }

    #[test]
    fn any_number_is_a_safe_handle() {
        let mut pool = Pool::new_in(Memory::system());
        let handle = pool.insert(7).unwrap();
        assert_eq!(RawHandle::from_bits(0), None);
        assert_eq!(RawHandle::from_bits(handle.to_bits()), Some(handle));
        for bits in [1, 0xFFFF_FFFF, handle.to_bits() + 1, handle.to_bits() + (1 << 20)] {
            let forged = RawHandle::from_bits(bits).unwrap();
            assert_eq!((pool.remove(forged), pool.get(forged)), (None, None));
        }
        // A free slot has the generation of its next object, but finds nothing.
        pool.remove(handle);
        let early = RawHandle::from_bits(handle.to_bits() + (1 << 20)).unwrap();
        assert_eq!((pool.remove(early), pool.get(early)), (None, None));
        assert_eq!(size_of::<Option<RawHandle>>(), 4);
        assert_eq!(format!("{handle:?}"), "#0.1");
    }

    #[test]
    fn iterates_live_objects_with_handles_that_work() {
        let mut pool = Pool::new_in(Memory::system());
        let handles: std::vec::Vec<_> = (0..5).map(|i| pool.insert(i).unwrap()).collect();
        pool.remove(handles[2]);
        for (_, object) in pool.iter_mut() {
            *object *= 10;
        }
        let live: std::vec::Vec<_> =
            pool.iter().map(|(handle, &object)| (handle, object)).collect();
        let expected = [0, 1, 3, 4].map(|i| (handles[i], i as i32 * 10));
        assert_eq!(live, expected);
        assert_eq!(format!("{pool:?}"), "{#0.1: 0, #1.1: 10, #3.1: 30, #4.1: 40}");
    }

    #[test]
    fn a_refused_slot_leaves_the_pool_as_it_was() {
        let object = Rc::new(());
        let system = System::new();
        let failing = FailAt::new(Memory::new(&system), 1);
        {
            let mut pool = Pool::new_in(Memory::new(&failing));
            let handles: std::vec::Vec<_> =
                (0..4).map(|_| pool.insert(object.clone()).unwrap()).collect();
            let error = pool.insert(object.clone()).unwrap_err();
            assert!(matches!(error, PoolError::OutOfMemory(_)));
            assert_eq!((pool.len(), Rc::strong_count(&object)), (4, 5));
            assert!(handles.iter().all(|&handle| pool.contains(handle)));
            assert!(pool.insert(object.clone()).is_ok());
        }
        assert_eq!((Rc::strong_count(&object), Memory::new(&system).usage().used), (1, 0));
    }

    #[cfg(not(miri))] // A million objects would take hours.
    #[test]
    fn a_full_pool_says_so() {
        let mut pool = Pool::new_in(Memory::system());
        for _ in 0..MAX_OBJECTS {
            pool.insert(()).unwrap();
        }
        assert_eq!(pool.insert(()), Err(PoolError::Full));
        let last = pool.iter().last().unwrap().0;
        pool.remove(last);
        assert!(pool.insert(()).is_ok());
    }
}
