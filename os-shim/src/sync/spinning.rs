//! Locks for machines with several cores and no operating system: they spin on an atomic.

use core::fmt;

use spin::mutex::{SpinMutex, SpinMutexGuard};

/// A value that one core at a time can use.
///
/// ```
/// use gallium_os_shim::sync::Mutex;
///
/// static FRAMES: Mutex<u32> = Mutex::new(0);
/// *FRAMES.lock() += 1;
/// assert_eq!(*FRAMES.lock(), 1);
/// ```
#[derive(Default)]
pub struct Mutex<T>(SpinMutex<T>);

impl<T> Mutex<T> {
    /// Returns a mutex around `value`.
    pub const fn new(value: T) -> Self {
        Mutex(SpinMutex::new(value))
    }

    /// Spins until the value is free, then holds it until the guard is dropped.
    pub fn lock(&self) -> Guard<'_, T> {
        self.0.lock()
    }

    /// Takes the value if it is free; otherwise `None`.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.0.try_lock()
    }

    /// Returns the value without locking: the exclusive borrow shows that there is no guard.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// Consumes the mutex and returns the value.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
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
pub type Guard<'g, T> = SpinMutexGuard<'g, T>;

/// A value that the first core to ask for it makes; other cores wait until it is made.
#[derive(Debug)]
pub struct Once<T>(spin::Once<T>);

impl<T> Once<T> {
    /// Returns a `Once` without a value.
    pub const fn new() -> Self {
        Once(spin::Once::new())
    }

    /// Returns the value, if it was made.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value. The first call makes it with `make`, which must not ask for it.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.call_once(make)
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once::new()
    }
}
