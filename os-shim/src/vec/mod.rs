//! A growable array in explicitly passed memory.
//!
//! Methods have the names of the standard library's `Vec`; fallible methods have the prefix `try_`.
//! Growth doubles the capacity. If that fails, it does not retry with less, so that one refused
//! request is one error. If memory is tight, request the exact capacity at once.

#![expect(unsafe_code, reason = "owns its elements through a raw pointer")]

mod into_iter;
mod raw;

pub use into_iter::IntoIter;

use crate::memory::{Memory, OutOfMemory};
use core::alloc::Layout;
use core::fmt;
use core::ops::{Deref, DerefMut};
use raw::Raw;

/// An array of `T`s in memory of lifetime `'m`; dropping it returns the memory.
///
/// ```
/// use gallium_os_shim::{Memory, OutOfMemory, Region, Vec};
/// # let mut bytes = [core::mem::MaybeUninit::uninit(); 1024];
/// # let region = Region::new(&mut bytes);
/// # let memory = Memory::new(&region);
/// let mut primes = Vec::try_from_slice_in(&[2u32, 3, 5], memory)?;
/// primes.try_push(7)?;
/// assert_eq!((primes.len(), primes.iter().sum::<u32>()), (4, 17));
///
/// let copy = primes.try_clone()?;
/// primes.truncate(1);
/// assert_eq!((primes.as_slice(), copy.as_slice()), (&[2][..], &[2, 3, 5, 7][..]));
/// # Ok::<(), OutOfMemory>(())
/// ```
pub struct Vec<'m, T> {
    /// The first `len` elements of `raw` are initialised.
    len: usize,
    raw: Raw<'m, T>,
}

impl<'m> Vec<'m, u32> {
    /// Returns an array of `count` zeros, in `memory`. On a host the system supplies large arrays
    /// of zeros page by page on first touch.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_zeros_in(count: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        #[cfg(any(feature = "std", test))]
        {
            let raw = Raw::zeroed(count, memory)?;
            // Any bytes are a valid number, so all `count` elements are initialised.
            Ok(Vec { len: count, raw })
        }
        #[cfg(not(any(feature = "std", test)))]
        Vec::try_filled_in(0, count, memory)
    }
}

impl<'m, T> Vec<'m, T> {
    /// Returns an empty array that grows in `memory`. Allocates nothing.
    pub const fn new_in(memory: Memory<'m>) -> Self {
        Vec { len: 0, raw: Raw::new(memory) }
    }

    /// Returns an empty array with room for exactly `capacity` elements.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_with_capacity_in(capacity: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let mut vec = Vec::new_in(memory);
        vec.try_reserve_exact(capacity)?;
        Ok(vec)
    }

    /// Returns an array of clones of `elements`, in `memory`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_from_slice_in(elements: &[T], memory: Memory<'m>) -> Result<Self, OutOfMemory>
    where
        T: Clone,
    {
        let mut vec = Vec::try_with_capacity_in(elements.len(), memory)?;
        vec.try_extend_from_slice(elements)?;
        Ok(vec)
    }

    /// Returns an array of `count` clones of `value`, in `memory`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_filled_in(value: T, count: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory>
    where
        T: Clone,
    {
        let mut vec = Vec::try_with_capacity_in(count, memory)?;
        vec.try_resize(count, value)?;
        Ok(vec)
    }

    /// Returns an array of clones of the elements, in the memory of this one.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory>
    where
        T: Clone,
    {
        Vec::try_from_slice_in(self, self.memory())
    }

    /// Returns the number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of elements that fit without another request; `usize::MAX` for elements
    /// of size 0.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the memory that holds the elements.
    pub const fn memory(&self) -> Memory<'m> {
        self.raw.memory()
    }

    /// Returns the elements.
    #[inline]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: the first `len` elements are initialised, and borrowed as `self` is.
        unsafe { core::slice::from_raw_parts(self.raw.as_ptr(), self.len) }
    }

    /// Returns the elements mutably.
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the first `len` elements are initialised, and borrowed as `self` is.
        unsafe { core::slice::from_raw_parts_mut(self.raw.as_ptr(), self.len) }
    }

    /// Reserves room for `additional` more elements, and for growth beyond them.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the array is as before.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        match self.len.checked_add(additional) {
            Some(needed) if needed <= self.capacity() => Ok(()),
            Some(needed) => self.raw.grow_amortized(needed),
            None => Err(OutOfMemory { requested: usize::MAX }),
        }
    }

    /// Reserves room for exactly `additional` more elements.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the array is as before.
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        match self.len.checked_add(additional) {
            Some(needed) if needed <= self.capacity() => Ok(()),
            Some(needed) => self.raw.resize(needed),
            None => Err(OutOfMemory { requested: usize::MAX }),
        }
    }

    /// Returns the layout of the block that an empty array takes when it grows to `len` elements;
    /// `None` for more bytes than a block can have.
    #[must_use]
    pub fn layout_for(len: usize) -> Option<Layout> {
        Raw::<T>::first_layout(len)
    }

    /// Frees the capacity beyond the existing elements.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the smaller block cannot be allocated; then the array is as before.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), OutOfMemory> {
        self.raw.resize(self.len)
    }

    /// Appends `value`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the elements are as before, and `value` is dropped.
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), OutOfMemory> {
        if self.len == self.capacity() {
            self.try_reserve(1)?;
        }
        // SAFETY: there is room for one more element.
        unsafe { self.push_unchecked(value) };
        Ok(())
    }

    /// Appends `value` if there is room; never allocates.
    ///
    /// # Errors
    /// `value`, if there is no room.
    #[inline]
    pub fn push_within_capacity(&mut self, value: T) -> Result<(), T> {
        if self.len == self.capacity() {
            return Err(value);
        }
        // SAFETY: there is room for one more element.
        unsafe { self.push_unchecked(value) };
        Ok(())
    }

    /// Appends `value` without a check for room.
    ///
    /// # Safety
    /// `len < capacity`.
    #[inline]
    unsafe fn push_unchecked(&mut self, value: T) {
        // SAFETY: the caller's promise keeps the element inside the block.
        let end = unsafe { self.raw.as_ptr().add(self.len) };
        // SAFETY: the place is inside the block and not initialised yet.
        unsafe { end.write(value) };
        self.len = self.len.wrapping_add(1);
    }

    /// Removes and returns the last element; `None` if there is none.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the element is inside the block.
        let end = unsafe { self.raw.as_ptr().add(self.len) };
        // SAFETY: the element was initialised and is no longer within `len`, so it is read only
        // once.
        Some(unsafe { end.read() })
    }

    /// Inserts `value` at `index`, before the element there.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the elements are as before, and `value` is dropped.
    ///
    /// # Panics
    /// If `index` is greater than the length.
    #[expect(clippy::indexing_slicing, reason = "the documented panic comes before")]
    pub fn insert(&mut self, index: usize, value: T) -> Result<(), OutOfMemory> {
        assert!(index <= self.len, "index {index} is beyond the length {}", self.len);
        self.try_push(value)?;
        self[index..].rotate_right(1);
        Ok(())
    }

    /// Removes and returns the element at `index`; later ones move up.
    ///
    /// # Panics
    /// If `index` is not less than the length.
    #[expect(clippy::indexing_slicing, reason = "the panic is documented")]
    pub fn remove(&mut self, index: usize) -> T {
        self[index..].rotate_left(1);
        self.pop_existing(index)
    }

    /// Removes and returns the element at `index`; the last one takes its place.
    ///
    /// # Panics
    /// If `index` is not less than the length.
    pub fn swap_remove(&mut self, index: usize) -> T {
        let last = self.len.saturating_sub(1);
        self.swap(index, last);
        self.pop_existing(index)
    }

    /// Removes the last element. It exists if `index` is the index of an element.
    #[expect(clippy::panic, reason = "its callers document the panic")]
    fn pop_existing(&mut self, index: usize) -> T {
        match self.pop() {
            Some(value) => value,
            None => panic!("index {index} is beyond the length 0"),
        }
    }

    /// Drops all elements and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops the elements from `len` on and keeps the memory.
    #[expect(clippy::indexing_slicing, reason = "`len` is below the length here")]
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        let tail: *mut [T] = &raw mut self.as_mut_slice()[len..];
        // Set the length first, so that a panicking destructor cannot cause an element to be
        // dropped twice.
        self.len = len;
        // SAFETY: the tail's elements are initialised and no longer within `len`.
        unsafe { tail.drop_in_place() };
    }

    /// Drops the elements for which `keep` returns false; the remaining elements keep their order.
    #[expect(clippy::indexing_slicing, reason = "`index` is below the length")]
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            if keep(&mut self[index]) {
                self.swap(kept, index);
                kept = kept.wrapping_add(1);
            }
        }
        self.truncate(kept);
    }

    /// Appends clones of `elements`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the array is as before.
    pub fn try_extend_from_slice(&mut self, elements: &[T]) -> Result<(), OutOfMemory>
    where
        T: Clone,
    {
        self.try_reserve(elements.len())?;
        let mut tail = Tail::of(self);
        for element in elements {
            // SAFETY: there is room for all elements.
            unsafe { tail.push_unchecked(element.clone()) };
        }
        Ok(())
    }

    /// Appends the items of `elements`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the items before the failure stay appended.
    pub fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), OutOfMemory> {
        let elements = elements.into_iter();
        self.try_reserve(elements.size_hint().0)?;
        for element in elements {
            self.try_push(element)?;
        }
        Ok(())
    }

    /// Sets the length: drops the elements from `len` on, or appends clones of `value`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the array is as before.
    pub fn try_resize(&mut self, len: usize, value: T) -> Result<(), OutOfMemory>
    where
        T: Clone,
    {
        self.try_resize_with(len, || value.clone())
    }

    /// Sets the length: drops the elements from `len` on, or appends results of `make`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then the array is as before.
    pub fn try_resize_with(
        &mut self,
        len: usize,
        mut make: impl FnMut() -> T,
    ) -> Result<(), OutOfMemory> {
        let additional = len.saturating_sub(self.len);
        self.truncate(len);
        self.try_reserve(additional)?;
        let mut tail = Tail::of(self);
        for _ in 0..additional {
            // SAFETY: there is room for `additional` elements.
            unsafe { tail.push_unchecked(make()) };
        }
        Ok(())
    }
}

/// Appends elements and keeps the length in a local, so that loops compile to copies. Stores the
/// length when dropped, even after a panic.
struct Tail<'v, T> {
    first: *mut T,
    len: usize,
    stored: &'v mut usize,
}

impl<'v, T> Tail<'v, T> {
    fn of(vec: &'v mut Vec<'_, T>) -> Self {
        Tail { first: vec.raw.as_ptr(), len: vec.len, stored: &mut vec.len }
    }

    /// # Safety
    /// There is room for the element.
    #[inline(always)]
    unsafe fn push_unchecked(&mut self, value: T) {
        // SAFETY: the caller's promise keeps the element inside the block.
        let end = unsafe { self.first.add(self.len) };
        // SAFETY: the place is inside the block and not initialised yet.
        unsafe { end.write(value) };
        self.len = self.len.wrapping_add(1);
    }
}

impl<T> Drop for Tail<'_, T> {
    fn drop(&mut self) {
        *self.stored = self.len;
    }
}

impl<T> Drop for Vec<'_, T> {
    fn drop(&mut self) {
        // `raw` returns the memory after this, even if a destructor panics.
        self.clear();
    }
}

impl<T> Deref for Vec<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for Vec<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T> AsRef<[T]> for Vec<'_, T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for Vec<'_, T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: fmt::Debug> fmt::Debug for Vec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: PartialEq<U>, U> PartialEq<Vec<'_, U>> for Vec<'_, T> {
    fn eq(&self, other: &Vec<'_, U>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for Vec<'_, T> {}

impl<T: PartialEq<U>, U> PartialEq<[U]> for Vec<'_, T> {
    fn eq(&self, other: &[U]) -> bool {
        self.as_slice() == other
    }
}

impl<T: PartialEq<U>, U> PartialEq<&[U]> for Vec<'_, T> {
    fn eq(&self, other: &&[U]) -> bool {
        self.as_slice() == *other
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for Vec<'_, T> {
    fn eq(&self, other: &[U; N]) -> bool {
        self.as_slice() == other
    }
}

/// Appends text as UTF-8; a `fmt::Error` means that memory ran out.
impl fmt::Write for Vec<'_, u8> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.try_extend_from_slice(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

impl<'m, T> IntoIterator for Vec<'m, T> {
    type Item = T;
    type IntoIter = IntoIter<'m, T>;

    fn into_iter(self) -> IntoIter<'m, T> {
        IntoIter::new(self)
    }
}

impl<'v, T> IntoIterator for &'v Vec<'_, T> {
    type Item = &'v T;
    type IntoIter = core::slice::Iter<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'v, T> IntoIterator for &'v mut Vec<'_, T> {
    type Item = &'v mut T;
    type IntoIter = core::slice::IterMut<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests;
