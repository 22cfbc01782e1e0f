//! A value that short sections of code change, such as the bookkeeping of heaps and mailboxes.

#[cfg(not(feature = "spin"))]
use core::cell::UnsafeCell;

/// A value that one section of code at a time uses, for a few instructions.
///
/// Sections are critical sections, or, with the feature `spin`, take a spin lock.
#[cfg(not(feature = "spin"))]
pub(crate) struct Section<T>(critical_section::Mutex<UnsafeCell<T>>);

/// A value that one section of code at a time uses, for a few instructions.
#[cfg(feature = "spin")]
pub(crate) struct Section<T>(spin::mutex::SpinMutex<T>);

impl<T> Section<T> {
    /// Returns a section around `value`.
    pub(crate) const fn new(value: T) -> Self {
        #[cfg(feature = "spin")]
        return Section(spin::mutex::SpinMutex::new(value));
        #[cfg(not(feature = "spin"))]
        Section(critical_section::Mutex::new(UnsafeCell::new(value)))
    }

    /// Runs `f` on the value, exclusively.
    ///
    /// # Safety
    /// `f` must not use this section: it would borrow the value a second time, or wait forever.
    #[expect(unsafe_code, reason = "the caller keeps the borrow exclusive")]
    pub(crate) unsafe fn with<O>(&self, f: impl FnOnce(&mut T) -> O) -> O {
        #[cfg(feature = "spin")]
        return f(&mut self.0.lock());
        #[cfg(not(feature = "spin"))]
        critical_section::with(|section| {
            // SAFETY: only this function reaches the value. The critical section keeps other
            // threads, cores and interrupts out, and the caller promises that `f` does not use this
            // section.
            f(unsafe { &mut *self.0.borrow(section).get() })
        })
    }
}
