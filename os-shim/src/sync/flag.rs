//! The mutex of boards: a flag, set in a critical section.

#![expect(unsafe_code, reason = "shares a value under a flag")]

use core::cell::{Cell, UnsafeCell};
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A value that one task at a time can use.
///
/// ```
/// use gallium_os_shim::sync::Mutex;
///
/// static FRAMES: Mutex<u32> = Mutex::new(0);
/// *FRAMES.lock() += 1;
/// assert_eq!(*FRAMES.lock(), 1);
/// ```
pub struct Mutex<T> {
    /// True while there is a guard. It is a `Cell` in a critical section, because cores without
    /// compare-and-swap (Cortex-M0) have no atomic exchange.
    locked: critical_section::Mutex<Cell<bool>>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through a guard, and there is one guard at a time, or through
// an exclusive borrow. So sharing the mutex only ever sends the value.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// Returns a mutex around `value`.
    pub const fn new(value: T) -> Self {
        Mutex {
            locked: critical_section::Mutex::new(Cell::new(false)),
            value: UnsafeCell::new(value),
        }
    }

    /// Spins until the value is free, then holds it until the guard is dropped.
    pub fn lock(&self) -> Guard<'_, T> {
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            core::hint::spin_loop();
        }
    }

    /// Takes the value if it is free; otherwise `None`.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let was_locked =
            critical_section::with(|section| self.locked.borrow(section).replace(true));
        // The sections order the last holder's writes before the next one's reads.
        if was_locked { None } else { Some(Guard { mutex: self, holds: PhantomData }) }
    }

    /// Returns the value without locking: the exclusive borrow shows that there is no guard.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Consumes the mutex and returns the value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_lock() {
            Some(guard) => f.debug_tuple("Mutex").field(&*guard).finish(),
            None => f.write_str("Mutex(<locked>)"),
        }
    }
}

/// Access to the value of a [`Mutex`], until this is dropped.
pub struct Guard<'g, T> {
    mutex: &'g Mutex<T>,
    /// Makes the guard `Sync` only if `&mut T` is, and never `Send`, like the standard library's.
    holds: PhantomData<(&'g mut T, *const ())>,
}

// SAFETY: a shared guard gives shared access to the value only.
unsafe impl<T: Sync> Sync for Guard<'_, T> {}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only guard, borrowed shared.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only guard, borrowed exclusively.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        critical_section::with(|section| self.mutex.locked.borrow(section).set(false));
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
