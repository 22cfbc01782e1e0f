//! A mutex for boards: a flag, taken in a critical section.

#![expect(unsafe_code, reason = "shares a value under a flag")]

use core::cell::{Cell, UnsafeCell};
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A value that one task at a time can use.
pub struct Mutex<T> {
    /// Whether there is a guard. A `Cell` in a critical section, as cores without
    /// compare-and-swap (Cortex-M0) have no atomic that would do.
    locked: critical_section::Mutex<Cell<bool>>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a guard, of which there is one at a time, or through an
// exclusive borrow; so sharing the mutex only ever sends the value.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A mutex around `value`.
    pub const fn new(value: T) -> Self {
        Mutex {
            locked: critical_section::Mutex::new(Cell::new(false)),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until the value is free, and takes it until the guard is dropped.
    pub fn lock(&self) -> Guard<'_, T> {
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            core::hint::spin_loop();
        }
    }

    /// Takes the value if it is free.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let was_locked =
            critical_section::with(|section| self.locked.borrow(section).replace(true));
        // The sections order what the last holder wrote before what the next one reads.
        if was_locked { None } else { Some(Guard { mutex: self, holds: PhantomData }) }
    }

    /// The value, where the borrow checker knows that nobody else has it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, out of the mutex.
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

/// Holds a [`Mutex`]'s value; lets go when dropped.
pub struct Guard<'g, T> {
    mutex: &'g Mutex<T>,
    /// Shared between threads only if `&mut T` may be; not sent, like the standard library's.
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
