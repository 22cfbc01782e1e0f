//! The standard library's mutex, without poisoning.

use core::fmt;
use std::sync::{self, PoisonError, TryLockError};

/// A value that one thread at a time can use.
///
/// ```
/// use gallium_os_shim::sync::Mutex;
///
/// static FRAMES: Mutex<u32> = Mutex::new(0);
/// *FRAMES.lock() += 1;
/// assert_eq!(*FRAMES.lock(), 1);
/// ```
#[derive(Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Returns a mutex around `value`.
    pub const fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits until the value is free, then holds it until the guard is dropped. Ignores a panic of
    /// an earlier holder, because values here are left valid.
    pub fn lock(&self) -> Guard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the value if it is free; otherwise `None`.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns the value without locking: the exclusive borrow shows that there is no guard.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Consumes the mutex and returns the value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
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
pub type Guard<'g, T> = sync::MutexGuard<'g, T>;

/// A condition to wait for, with the mutex unlocked, until another thread has changed its value.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// Returns a condition without waiting threads.
    pub const fn new() -> Self {
        Condvar(sync::Condvar::new())
    }

    /// Unlocks the mutex, waits for [`notify_all`](Self::notify_all), and locks it again. It may
    /// return spuriously: check the value in a loop.
    pub fn wait<'g, T>(&self, guard: Guard<'g, T>) -> Guard<'g, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the mutex, waits as [`wait`](Self::wait) does, but at most `timeout_ns` nanoseconds,
    /// and locks it again. Returns true, too, if that time is over.
    pub fn wait_for<'g, T>(&self, guard: Guard<'g, T>, timeout_ns: u64) -> (Guard<'g, T>, bool) {
        let timeout = core::time::Duration::from_nanos(timeout_ns);
        let waited = self.0.wait_timeout(guard, timeout);
        let (guard, result) = waited.unwrap_or_else(PoisonError::into_inner);
        (guard, result.timed_out())
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A value that the first thread to ask for it makes; other threads wait until it is made.
#[derive(Debug)]
pub struct Once<T>(sync::OnceLock<T>);

impl<T> Once<T> {
    /// Returns a `Once` without a value.
    pub const fn new() -> Self {
        Once(sync::OnceLock::new())
    }

    /// Returns the value, if it was made.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value. The first call makes it with `make`, which must not ask for it.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once::new()
    }
}
