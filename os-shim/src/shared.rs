//! A value with several holders, in explicitly passed memory.

#![expect(unsafe_code, reason = "counts the holders of a value behind a raw pointer")]

use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::boxed::Box;
use crate::memory::{Memory, OutOfMemory};

/// A read-only value with several holders. The last holder frees it: `Arc` over a [`Memory`].
///
/// ```
/// use gallium_os_shim::{Memory, shared::Shared};
///
/// let mut first = Shared::try_new_in([1, 2, 3], Memory::system())?;
/// let second = first.clone();
/// assert_eq!((second[1], Shared::get_mut(&mut first)), (2, None));
/// drop(second);
/// assert_eq!(Shared::get_mut(&mut first), Some(&mut [1, 2, 3]));
/// # Ok::<(), gallium_os_shim::OutOfMemory>(())
/// ```
pub struct Shared<'m, T> {
    inner: NonNull<Inner<T>>,
    memory: Memory<'m>,
    owns: core::marker::PhantomData<Inner<T>>,
}

/// The largest count of holders. A value that reaches it is never freed. Memory cannot hold so many
/// holders, but forgotten holders take no memory, and a count that wraps would free the value too
/// early.
const MANY: usize = usize::MAX / 2;

struct Inner<T> {
    holders: AtomicUsize,
    value: T,
}

// SAFETY: holders in several threads read the value (`Sync`), and the last of them drops it
// (`Send`); the memory handle is both.
unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}
// SAFETY: as above; a shared `Shared` can be cloned.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}

impl<'m, T> Shared<'m, T> {
    /// Moves `value` to a block of `memory`, with one holder.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then `value` is dropped.
    pub fn try_new_in(value: T, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let inner = Box::try_new_in(Inner { holders: AtomicUsize::new(1), value }, memory)?;
        let (inner, memory) = Box::into_raw_parts(inner);
        Ok(Shared { inner, memory, owns: core::marker::PhantomData })
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: the block lives as long as it has a holder, which `self` is.
        unsafe { self.inner.as_ref() }
    }

    /// Returns true if this is the only holder of the value.
    pub fn is_unique(shared: &Self) -> bool {
        // Acquire: all reads by former holders happen before the caller's writes.
        shared.inner().holders.load(Ordering::Acquire) == 1
    }

    /// Returns the value mutably, if this is its only holder.
    pub fn get_mut(shared: &mut Self) -> Option<&mut T> {
        if !Self::is_unique(shared) {
            return None;
        }
        // SAFETY: the only holder is borrowed exclusively, so no other code reads or clones the
        // value.
        Some(unsafe { &mut shared.inner.as_mut().value })
    }
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        // Relaxed: the caller of `clone` already holds the value.
        if self.inner().holders.fetch_add(1, Ordering::Relaxed) >= MANY {
            self.inner().holders.fetch_sub(1, Ordering::Relaxed);
        }
        Shared { ..*self }
    }
}

impl<T> Drop for Shared<'_, T> {
    fn drop(&mut self) {
        let holders = &self.inner().holders;
        if holders.load(Ordering::Relaxed) >= MANY {
            return;
        }
        if holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: the block came from a `Box` of this memory, and this is its last holder.
            drop(unsafe { Box::from_raw_parts(self.inner, self.memory) });
        }
    }
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{System, Vec};

    #[test]
    fn the_last_holder_frees_it() {
        let system = System::new();
        let memory = Memory::new(&system);
        let value = Vec::try_from_slice_in(&[7u8; 100], memory).expect("memory");
        let mut first = Shared::try_new_in(value, memory).expect("memory");
        let second = first.clone();
        assert!(!Shared::is_unique(&first) && Shared::get_mut(&mut first).is_none());
        drop(first);
        assert_eq!((second.len(), second[99]), (100, 7));
        assert!(system.usage().used >= 100);
        drop(second);
        assert_eq!(system.usage().used, 0);
    }

    #[test]
    fn a_value_with_more_holders_than_can_be_counted_stays() {
        let system = System::new();
        let mut shared = Shared::try_new_in(7u8, Memory::new(&system)).expect("memory");
        // Simulates that many forgotten clones.
        shared.inner().holders.store(MANY - 2, Ordering::Relaxed);
        let clones: [_; 5] = core::array::from_fn(|_| shared.clone());
        drop(clones);
        assert_eq!(shared.inner().holders.load(Ordering::Relaxed), MANY);
        assert_eq!((*shared, Shared::get_mut(&mut shared)), (7, None));
        shared.inner().holders.store(1, Ordering::Relaxed);
        drop(shared);
        assert_eq!(system.usage().used, 0);
    }

    #[test]
    fn threads_hold_and_let_go() {
        const ROUNDS: usize = if cfg!(miri) { 10 } else { 1000 };
        let mut shared = Shared::try_new_in(5, Memory::system()).expect("memory");
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let own = shared.clone();
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        assert_eq!(*own.clone(), 5);
                    }
                });
            }
        });
        *Shared::get_mut(&mut shared).expect("the only holder") = 6;
        assert_eq!(*shared, 6);
    }
}
