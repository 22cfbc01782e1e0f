//! Objects behind handles: slots with generations, so that a stale handle is noticed.

use crate::memory::{Memory, OutOfMemory};
use crate::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

/// Bits of a handle that name the slot; the others are its generation.
const SLOT_BITS: u32 = 20;

/// Generations run from 1 to this, then start again at 1; 0 is left out so that no handle is 0.
const LAST_GENERATION: u16 = (1 << (32 - SLOT_BITS)) - 1;

/// The most objects one pool can hold: 2²⁰.
pub const MAX_OBJECTS: usize = 1 << SLOT_BITS;

/// Names an object in a [`Pool`]: 20 bits of slot, 12 bits of generation, never 0.
///
/// Each time a slot is used again its generation moves on, so the handle of a removed object
/// finds nothing. After 4095 reuses of one slot the generations repeat: a handle kept that
/// long can be mistaken for a new one. Slots freed longest ago are used first, which spreads
/// the reuses over all that are free.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct RawHandle(NonZeroU32);

impl RawHandle {
    /// `slot` < 2²⁰, `generation` in 1 to 4095.
    fn new(slot: u32, generation: u16) -> Self {
        let bits = (u32::from(generation) << SLOT_BITS) | slot;
        RawHandle(NonZeroU32::new(bits).unwrap_or(NonZeroU32::MIN))
    }

    /// The handle as a number, for storage elsewhere.
    pub const fn to_bits(self) -> u32 {
        self.0.get()
    }

    /// The handle of a number that [`RawHandle::to_bits`] gave; `None` for 0. Any number is
    /// safe: a pool finds nothing for those it never gave out.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match NonZeroU32::new(bits) {
            Some(bits) => Some(RawHandle(bits)),
            None => None,
        }
    }

    /// The slot's number, less than [`MAX_OBJECTS`]: small, and unique among live objects.
    pub const fn slot(self) -> usize {
        self.0.get() as usize & (MAX_OBJECTS - 1)
    }

    /// The slot's generation when the object was put there.
    pub const fn generation(self) -> u16 {
        (self.0.get() >> SLOT_BITS) as u16
    }
}

impl fmt::Debug for RawHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.slot(), self.generation())
    }
}

/// Why an object could not be put into a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PoolError {
    /// No memory for another slot.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The pool holds [`MAX_OBJECTS`] objects.
    #[error("pool is full: {MAX_OBJECTS} objects")]
    Full,
}

/// Objects of one kind, found by handle in constant time.
pub struct Pool<'m, T> {
    slots: Vec<'m, Slot<T>>,
    /// The queue of free slots, linked through `Slot::next`; `NO_SLOT` when empty.
    first_free: u32,
    last_free: u32,
    len: usize,
}

struct Slot<T> {
    object: Option<T>,
    /// Of the object that is here, or that will be next.
    generation: u16,
    /// The free slot after this one, if this one is free.
    next: u32,
}

const NO_SLOT: u32 = u32::MAX;

impl<'m, T> Pool<'m, T> {
    /// An empty pool, to grow in `memory`. Allocates nothing.
    pub const fn new_in(memory: Memory<'m>) -> Self {
        Pool { slots: Vec::new_in(memory), first_free: NO_SLOT, last_free: NO_SLOT, len: 0 }
    }

    /// How many objects there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts `object` into the pool.
    ///
    /// # Errors
    /// [`PoolError`]; the pool is as before, `object` is dropped.
    pub fn insert(&mut self, object: T) -> Result<RawHandle, PoolError> {
        let number = match self.first_free {
            NO_SLOT => self.add_slot()?,
            free => {
                self.first_free = self.slots[free as usize].next;
                free
            }
        };
        let slot = &mut self.slots[number as usize];
        slot.object = Some(object);
        self.len += 1;
        Ok(RawHandle::new(number, slot.generation))
    }

    /// A slot never used before; not in the free queue.
    fn add_slot(&mut self) -> Result<u32, PoolError> {
        let number = self.slots.len();
        if number == MAX_OBJECTS {
            return Err(PoolError::Full);
        }
        self.slots.try_push(Slot { object: None, generation: 1, next: NO_SLOT })?;
        Ok(number as u32)
    }

    /// The object `handle` names, if it is still there.
    #[inline]
    pub fn get(&self, handle: RawHandle) -> Option<&T> {
        let slot = self.slots.get(handle.slot())?;
        if slot.generation == handle.generation() { slot.object.as_ref() } else { None }
    }

    /// The object `handle` names, if it is still there.
    #[inline]
    pub fn get_mut(&mut self, handle: RawHandle) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot())?;
        if slot.generation == handle.generation() { slot.object.as_mut() } else { None }
    }

    /// Whether the object `handle` names is still there.
    pub fn contains(&self, handle: RawHandle) -> bool {
        self.get(handle).is_some()
    }

    /// Takes the object `handle` names out of the pool; its handle is stale from then on.
    pub fn remove(&mut self, handle: RawHandle) -> Option<T> {
        let number = handle.slot();
        let slot = self.slots.get_mut(number)?;
        if slot.generation != handle.generation() {
            return None;
        }
        let object = slot.object.take()?;
        slot.generation = if slot.generation == LAST_GENERATION { 1 } else { slot.generation + 1 };
        slot.next = NO_SLOT;
        match self.first_free {
            NO_SLOT => self.first_free = number as u32,
            _ => self.slots[self.last_free as usize].next = number as u32,
        }
        self.last_free = number as u32;
        self.len -= 1;
        Some(object)
    }

    /// The objects and their handles, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (RawHandle, &T)> {
        self.slots.iter().enumerate().filter_map(|(number, slot)| {
            let handle = RawHandle::new(number as u32, slot.generation);
            slot.object.as_ref().map(|object| (handle, object))
        })
    }

    /// The objects and their handles, in slot order.
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
        // A free slot has the generation its next object will have; it still finds nothing.
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
