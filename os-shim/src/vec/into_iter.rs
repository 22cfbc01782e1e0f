//! The iterator that moves the elements of a `Vec` out, one by one.

use super::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

/// The elements of a [`Vec`], by value.
pub struct IntoIter<'m, T> {
    /// A `Vec` of length 0 that keeps the memory. This iterator owns the elements in `rest`.
    vec: Vec<'m, T>,
    rest: Range<usize>,
}

impl<'m, T> IntoIter<'m, T> {
    pub(super) fn new(mut vec: Vec<'m, T>) -> Self {
        let rest = 0..vec.len;
        vec.len = 0;
        IntoIter { vec, rest }
    }

    /// Returns the elements that are not moved out yet.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: `rest` is within the block.
        let first = unsafe { self.vec.raw.as_ptr().add(self.rest.start) };
        // SAFETY: the elements of `rest` are initialised, and borrowed as `self` is.
        unsafe { core::slice::from_raw_parts(first, self.rest.len()) }
    }

    /// Moves out an element that was just removed from `rest`.
    fn take(&mut self, index: usize) -> T {
        // SAFETY: `rest` is within the block.
        let element = unsafe { self.vec.raw.as_ptr().add(index) };
        // SAFETY: the element was in `rest`, so it is initialised. It is no longer in `rest`, so it
        // is read only once.
        unsafe { element.read() }
    }
}

impl<T> Iterator for IntoIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let index = self.rest.next()?;
        Some(self.take(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<T> DoubleEndedIterator for IntoIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let index = self.rest.next_back()?;
        Some(self.take(index))
    }
}

impl<T> ExactSizeIterator for IntoIter<'_, T> {}

impl<T> FusedIterator for IntoIter<'_, T> {}

impl<T> Drop for IntoIter<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `rest` is within the block.
        let first = unsafe { self.vec.raw.as_ptr().add(self.rest.start) };
        let rest = core::ptr::slice_from_raw_parts_mut(first, self.rest.len());
        // SAFETY: the elements of `rest` are initialised and owned by this iterator. The length of
        // `vec` is 0, so it then only returns the memory, even if a destructor panics.
        unsafe { rest.drop_in_place() };
    }
}

impl<T: fmt::Debug> fmt::Debug for IntoIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.as_slice()).finish()
    }
}
