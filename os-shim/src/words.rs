//! Words that several workers read and write at the same time.

#![expect(unsafe_code, reason = "turns words that are borrowed exclusively into atomics")]

use core::sync::atomic::{AtomicU32, Ordering};

const _: () = assert!(align_of::<AtomicU32>() == align_of::<u32>());

/// A slice of words shared by its holders. Every access is atomic and checked against the length.
///
/// A load sees everything written before the store or change that wrote the loaded value. On cores
/// without compare-and-swap a change is a load and a store, so there only one thread may change
/// words.
///
/// ```
/// use gallium_os_shim::Words;
///
/// let mut memory = [1, 2, 3];
/// let words = Words::new(&mut memory);
/// let other = words;
/// assert_eq!(words.change(1, |word| word + 40), Some(2));
/// assert_eq!((other.load(1), other.load(3)), (Some(42), None));
/// assert_eq!(memory, [1, 42, 3]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'a>(&'a [AtomicU32]);

impl<'a> Words<'a> {
    /// Shares words for as long as they are borrowed.
    pub fn new(words: &'a mut [u32]) -> Self {
        let words: *mut [u32] = words;
        // SAFETY: an `AtomicU32` has the size, alignment and values of a `u32`. The exclusive
        // borrow lasts for 'a, so all accesses during that time use the atomics.
        Words(unsafe { &*(words as *const [AtomicU32]) })
    }

    /// Returns the number of words.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no words.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns word `at`; `None` out of range.
    #[inline(always)]
    pub fn load(self, at: usize) -> Option<u32> {
        self.0.get(at).map(|word| word.load(Ordering::Acquire))
    }

    /// Writes word `at`; does nothing out of range.
    #[inline(always)]
    pub fn store(self, at: usize, value: u32) {
        if let Some(word) = self.0.get(at) {
            word.store(value, Ordering::Release);
        }
    }

    /// Replaces word `at` by the result of `change`, in one step; returns the word before, `None`
    /// out of range. `change` may be called several times.
    #[inline(always)]
    pub fn change(self, at: usize, change: impl Fn(u32) -> u32) -> Option<u32> {
        let word = self.0.get(at)?;
        #[cfg(target_has_atomic = "32")]
        {
            let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
            let mut old = word.load(Ordering::Relaxed);
            while let Err(seen) = word.compare_exchange_weak(old, change(old), success, failure) {
                old = seen;
            }
            Some(old)
        }
        #[cfg(not(target_has_atomic = "32"))]
        {
            let old = word.load(Ordering::Acquire);
            word.store(change(old), Ordering::Release);
            Some(old)
        }
    }

    /// Adds `value` to word `at` modulo 2³², in one step; returns the word before, `None` out of
    /// range.
    #[inline(always)]
    pub fn add(self, at: usize, value: u32) -> Option<u32> {
        #[cfg(target_has_atomic = "32")]
        {
            self.0.get(at).map(|word| word.fetch_add(value, Ordering::AcqRel))
        }
        #[cfg(not(target_has_atomic = "32"))]
        {
            self.change(at, |word| word.wrapping_add(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_is_nothing() {
        let mut memory = [7; 2];
        let words = Words::new(&mut memory);
        words.store(2, 1);
        assert_eq!((words.load(2), words.change(2, |_| 1), words.add(2, 1)), (None, None, None));
        assert_eq!((words.len(), words.is_empty(), Words::default().is_empty()), (2, false, true));
        assert_eq!(memory, [7; 2]);
    }

    #[test]
    fn no_change_is_lost() {
        const ROUNDS: u32 = if cfg!(miri) { 20 } else { 10_000 };
        let mut memory = [0, u32::MAX];
        let words = Words::new(&mut memory);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        words.add(0, 1);
                        words.change(1, |word| word.wrapping_add(3));
                    }
                });
            }
        });
        assert_eq!(memory, [4 * ROUNDS, (12 * ROUNDS).wrapping_sub(1)]);
    }

    #[test]
    fn a_flag_publishes_what_was_stored_before() {
        let mut memory = [0; 2];
        let words = Words::new(&mut memory);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                words.store(0, 42);
                words.store(1, 1);
            });
            while words.load(1) == Some(0) {
                std::thread::yield_now();
            }
            assert_eq!(words.load(0), Some(42));
        });
    }
}
