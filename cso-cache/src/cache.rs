//! A bounded map from states to the handles of objects created from them.
//!
//! Hashed chains over a table of slots. When the map is full, a hand goes round the slots. It
//! evicts the first object that is neither in use nor looked up since the hand last passed (the
//! clock algorithm: about as good as least-recently-used here, without a sorted list).

use core::hash::Hasher;

use os_shim::{Memory, Vec};
use pipe_core::{Bitwise, PipeError};
use rustc_hash::FxHasher;

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;

struct Entry<K, H> {
    hash: u32,
    /// The next slot of this chain.
    next: u32,
    /// True if the object was looked up since the hand last passed.
    recent: bool,
    key: K,
    handle: H,
}

/// Handles by key. `len` exceeds `limit` only while more than `limit` objects are in use at once.
pub(crate) struct Cache<'c, K, H> {
    slots: Vec<'c, Option<Entry<K, H>>>,
    /// The first slot of each chain; as many chains as the limit, rounded up to a power of two.
    chains: Vec<'c, u32>,
    len: usize,
    limit: usize,
    hand: usize,
}

/// Returns a 32-bit hash of a value's bits.
pub(crate) fn hash_bits<T: Bitwise + ?Sized>(value: &T) -> u32 {
    let mut hasher = FxHasher::default();
    value.hash_bits(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

impl<'c, K, H: Copy> Cache<'c, K, H> {
    /// Returns an empty map of at most `limit` objects, at least one, in `memory`.
    pub(crate) fn new(limit: usize, memory: Memory<'c>) -> Self {
        Self {
            slots: Vec::new_in(memory),
            chains: Vec::new_in(memory),
            len: 0,
            limit: limit.max(1),
            hand: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the handle of the object with this hash and a key that `matches`; marks it as
    /// recent.
    pub(crate) fn find(&mut self, hash: u32, matches: impl Fn(&K) -> bool) -> Option<H> {
        let mut slot = *self.head(hash)?;
        while let Some(Some(entry)) = self.slots.get_mut(slot as usize) {
            if entry.hash == hash && matches(&entry.key) {
                entry.recent = true;
                return Some(entry.handle);
            }
            slot = entry.next;
        }
        None
    }

    /// Reserves room for one more object, so that [`insert`](Self::insert) needs no memory.
    ///
    /// Returns the object that the map evicts, if any; the caller must delete it first.
    pub(crate) fn make_room(&mut self, in_use: impl Fn(H) -> bool) -> Result<Option<H>, PipeError> {
        if self.chains.is_empty() {
            let chains = self.limit.next_power_of_two();
            self.chains.try_resize(chains, NONE)?;
        }
        let evicted = if self.len >= self.limit { self.evict(in_use) } else { None };
        if self.len == self.slots.len() {
            self.slots.try_reserve(1)?;
        }
        Ok(evicted)
    }

    /// Adds an object. Call [`make_room`](Self::make_room) first.
    pub(crate) fn insert(&mut self, hash: u32, key: K, handle: H) -> Result<(), PipeError> {
        let free = self.slots.iter().position(Option::is_none);
        let number = free.unwrap_or(self.slots.len());
        let next = self.head(hash).map_or(NONE, |head| *head);
        let entry = Some(Entry { hash, next, recent: true, key, handle });
        match self.slots.get_mut(number) {
            Some(slot) => *slot = entry,
            None => self.slots.try_push(entry)?,
        }
        if let Some(head) = self.head(hash) {
            *head = number as u32;
        }
        self.len = self.len.saturating_add(1);
        Ok(())
    }

    /// Removes any object; `None` if the map is empty.
    pub(crate) fn take_any(&mut self) -> Option<H> {
        let slot = self.slots.iter().position(Option::is_some)?;
        self.remove(slot)
    }

    /// Removes the first object that is neither in use nor recent.
    fn evict(&mut self, in_use: impl Fn(H) -> bool) -> Option<H> {
        // Two rounds, because the first one may only clear marks.
        let slots = self.slots.len();
        for _ in 0..slots.saturating_mul(2) {
            let slot = if self.hand < slots { self.hand } else { 0 };
            self.hand = slot.saturating_add(1);
            let Some(Some(entry)) = self.slots.get_mut(slot) else { continue };
            if in_use(entry.handle) {
                continue;
            }
            if !core::mem::take(&mut entry.recent) {
                return self.remove(slot);
            }
        }
        None
    }

    /// Returns the first slot of a hash's chain; `None` before the first insertion.
    fn head(&mut self, hash: u32) -> Option<&mut u32> {
        // The number of chains is a power of two, or 0 before the first insertion.
        let mask = self.chains.len().checked_sub(1)?;
        self.chains.get_mut(hash as usize & mask)
    }

    fn remove(&mut self, slot: usize) -> Option<H> {
        let entry = self.slots.get_mut(slot)?.take()?;
        self.len = self.len.saturating_sub(1);
        let head = self.head(entry.hash)?;
        if *head == slot as u32 {
            *head = entry.next;
            return Some(entry.handle);
        }
        let mut before = *head;
        while let Some(Some(other)) = self.slots.get_mut(before as usize) {
            if other.next == slot as u32 {
                other.next = entry.next;
                break;
            }
            before = other.next;
        }
        Some(entry.handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec as StdVec;

    /// Looks a key up, or inserts it; returns the handle that was evicted.
    fn get(cache: &mut Cache<'_, u32, u32>, key: u32, used: &[u32]) -> Option<u32> {
        // Three hashes make long chains.
        let hash = key % 3;
        if cache.find(hash, |known| *known == key).is_some() {
            return None;
        }
        let evicted = cache.make_room(|handle| used.contains(&handle)).expect("memory is there");
        cache.insert(hash, key, key).expect("there is room");
        evicted
    }

    #[test]
    fn finds_what_was_inserted_through_long_chains() {
        let mut cache = Cache::new(64, Memory::system());
        for key in 0..64 {
            assert_eq!(get(&mut cache, key, &[]), None);
        }
        for key in 0..64 {
            assert_eq!(cache.find(key % 3, |known| *known == key), Some(key));
        }
        assert_eq!(cache.find(0, |known| *known == 99), None);
        assert_eq!(cache.len(), 64);
    }

    #[test]
    fn stays_within_its_limit() {
        let mut cache = Cache::new(4, Memory::system());
        let mut live = StdVec::new();
        for key in 0..100 {
            if let Some(evicted) = get(&mut cache, key, &[]) {
                live.retain(|other| *other != evicted);
            }
            live.push(key);
            assert_eq!(cache.len(), live.len());
            assert!(cache.len() <= 4);
            for key in &live {
                assert!(cache.find(key % 3, |known| known == key).is_some());
            }
        }
    }

    #[test]
    fn what_is_in_use_stays_even_beyond_the_limit() {
        let mut cache = Cache::new(2, Memory::system());
        let used = [10, 11, 12];
        for key in used {
            assert_eq!(get(&mut cache, key, &used), None);
        }
        assert_eq!(cache.len(), 3, "all are in use");
        assert_eq!(get(&mut cache, 20, &used), None);
        let evicted = get(&mut cache, 21, &used);
        assert_eq!(evicted, Some(20), "the only one not in use");
    }

    #[test]
    fn what_was_asked_for_survives_the_hand_once() {
        let mut cache = Cache::new(3, Memory::system());
        for key in [0, 1, 2] {
            get(&mut cache, key, &[]);
        }
        // All marks are set: the hand clears them all, then evicts 0.
        assert_eq!(get(&mut cache, 3, &[]), Some(0));
        // 1 is looked up again; 2 is not.
        assert_eq!(get(&mut cache, 1, &[]), None);
        assert_eq!(get(&mut cache, 4, &[]), Some(2));
    }

    #[test]
    fn empties_completely() {
        let mut cache = Cache::new(8, Memory::system());
        for key in 0..8 {
            get(&mut cache, key, &[]);
        }
        let mut taken = StdVec::new();
        while let Some(handle) = cache.take_any() {
            taken.push(handle);
        }
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(cache.len(), 0);
        assert_eq!(cache.find(0, |_| true), None);
    }
}
