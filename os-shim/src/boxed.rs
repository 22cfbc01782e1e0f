//! A box: one value in explicitly passed memory.
//!
//! allocator-api2 has such a `Box`, but behind its feature `alloc`, which links a global allocator.
//! Its constructors do not return errors.

#![expect(unsafe_code, reason = "owns a value through a raw pointer")]

use crate::memory::{Memory, OutOfMemory};
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A value of type `T` in memory of lifetime `'m`; dropping the box returns the memory.
///
/// [`unsize_box!`](crate::unsize_box) turns the `Box` of a concrete type into a `Box<dyn Trait>`.
///
/// ```
/// use core::mem::MaybeUninit;
/// use gallium_os_shim::{Box, Memory, OutOfMemory, Region};
///
/// let mut bytes = [MaybeUninit::uninit(); 256];
/// let region = Region::new(&mut bytes);
/// let memory = Memory::new(&region);
///
/// let boxed = Box::try_new_in([1u8; 100], memory)?;
/// assert_eq!((boxed[99], memory.usage().used), (1, 100));
/// let second = Box::try_new_in([0u8; 200], memory);
/// assert_eq!(second, Err(OutOfMemory { requested: 200 }));
/// # Ok::<(), OutOfMemory>(())
/// ```
pub struct Box<'m, T: ?Sized> {
    value: NonNull<T>,
    memory: Memory<'m>,
    owns: PhantomData<T>,
}

// SAFETY: a `Box` owns its value like a field; the memory handle is `Send` and `Sync`.
unsafe impl<T: ?Sized + Send> Send for Box<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for Box<'_, T> {}

impl<'m, T> Box<'m, T> {
    /// Moves `value` to a block of `memory`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; then `value` is dropped.
    pub fn try_new_in(value: T, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let block = memory.allocate(Layout::new::<T>())?.cast::<T>();
        // SAFETY: the block was just allocated, large enough and aligned for a `T`.
        unsafe { block.write(value) };
        Ok(Box { value: block, memory, owns: PhantomData })
    }

    /// Moves the value out and returns its memory.
    pub fn into_inner(boxed: Self) -> T {
        let boxed = ManuallyDrop::new(boxed);
        // SAFETY: the value is initialised and, as `boxed` is not dropped, read only here.
        let value = unsafe { boxed.value.read() };
        // SAFETY: the block came from this memory for a `T`, and its value has moved out.
        unsafe { boxed.memory.deallocate(boxed.value.cast(), Layout::new::<T>()) };
        value
    }
}

impl<'m, T: ?Sized> Box<'m, T> {
    /// Leaks the box: returns a borrow that lasts as long as the memory, and never drops the value.
    pub fn leak<'b>(boxed: Self) -> &'b mut T
    where
        'm: 'b,
    {
        let mut boxed = ManuallyDrop::new(boxed);
        // SAFETY: the value is initialised, its block stays taken as `boxed` is not dropped, and
        // the memory lasts for `'m`.
        unsafe { boxed.value.as_mut() }
    }

    /// Returns the memory that holds the value.
    pub fn memory(boxed: &Self) -> Memory<'m> {
        boxed.memory
    }

    /// Takes the box apart; [`Box::from_raw_parts`] joins the parts.
    pub fn into_raw_parts(boxed: Self) -> (NonNull<T>, Memory<'m>) {
        let boxed = ManuallyDrop::new(boxed);
        (boxed.value, boxed.memory)
    }

    /// Joins the parts that [`Box::into_raw_parts`] returned.
    ///
    /// # Safety
    /// The parts come from one call, `value` was changed by at most an unsizing coercion, and they
    /// are joined once.
    pub unsafe fn from_raw_parts(value: NonNull<T>, memory: Memory<'m>) -> Self {
        Box { value, memory, owns: PhantomData }
    }
}

/// Turns a `Box<T>` into a `Box<dyn Trait>`, or into the box of another type that `T` coerces to.
/// The type annotation selects the target. The compiler does this only for the standard library's
/// `Box`.
///
/// ```
/// use core::fmt::Display;
/// use gallium_os_shim::{Box, Memory, Region, unsize_box};
/// # let mut bytes = [core::mem::MaybeUninit::uninit(); 1024];
/// # let region = Region::new(&mut bytes);
/// # let memory = Memory::new(&region);
///
/// let boxed = Box::try_new_in(42, memory)?;
/// let shown: Box<'_, dyn Display> = unsize_box!(boxed);
/// assert_eq!(shown.to_string(), "42");
/// # Ok::<(), gallium_os_shim::OutOfMemory>(())
/// ```
#[macro_export]
macro_rules! unsize_box {
    ($boxed:expr $(,)?) => {{
        let (value, memory) = $crate::Box::into_raw_parts($boxed);
        // An implicit coercion, not a cast: only unsizing is possible here.
        let value: ::core::ptr::NonNull<_> = value;
        // SAFETY: both come from the line above, the pointer at most unsized.
        unsafe { $crate::Box::from_raw_parts(value, memory) }
    }};
}

impl<T: ?Sized> Drop for Box<'_, T> {
    fn drop(&mut self) {
        /// Returns the block even if the value's destructor panics.
        struct Block<'m>(NonNull<u8>, Layout, Memory<'m>);
        impl Drop for Block<'_> {
            fn drop(&mut self) {
                // SAFETY: made below from a block of this memory and its layout.
                unsafe { self.2.deallocate(self.0, self.1) };
            }
        }
        let _block = Block(self.value.cast(), Layout::for_value::<T>(self), self.memory);
        // SAFETY: the value is initialised, owned and not used after this.
        unsafe { self.value.drop_in_place() };
    }
}

impl<T: ?Sized> Deref for Box<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: points to an initialised value that lives as long as `self`.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for Box<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { self.value.as_mut() }
    }
}

impl<T: ?Sized> AsRef<T> for Box<'_, T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> AsMut<T> for Box<'_, T> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Box<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Box<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Box<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Box<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{FailAt, Region, System};
    use core::any::Any;
    use core::mem::MaybeUninit;
    use std::format;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    #[test]
    fn holds_a_value() {
        let system = System::new();
        let mut boxed = Box::try_new_in([1u8, 2, 3], Memory::new(&system)).unwrap();
        boxed[1] = 7;
        assert_eq!((*boxed, format!("{boxed:?}").as_str()), ([1, 7, 3], "[1, 7, 3]"));
        assert_eq!(Box::memory(&boxed).usage().used, 3);
        assert_eq!(Box::into_inner(boxed), [1, 7, 3]);
        assert_eq!(Memory::new(&system).usage().allocations, 0);
    }

    #[test]
    fn drops_once() {
        let system = System::new();
        let memory = Memory::new(&system);
        let value = Rc::new(5);
        let boxed = Box::try_new_in(value.clone(), memory).unwrap();
        assert_eq!(Rc::strong_count(&value), 2);
        drop(boxed);
        assert_eq!(Rc::strong_count(&value), 1);
        let boxed: Box<'_, dyn Any> = unsize_box!(Box::try_new_in(value.clone(), memory).unwrap());
        assert_eq!(boxed.downcast_ref::<Rc<i32>>(), Some(&value));
        drop(boxed);
        drop(Box::into_inner(Box::try_new_in(value.clone(), memory).unwrap()));
        assert_eq!((Rc::strong_count(&value), memory.usage().used), (1, 0));
    }

    #[test]
    fn a_refused_value_is_dropped() {
        let system = System::new();
        let failing = FailAt::new(Memory::new(&system), 0);
        let value = Rc::new(());
        let error = Box::try_new_in((value.clone(), 0u64), Memory::new(&failing)).unwrap_err();
        assert_eq!((error, Rc::strong_count(&value)), (OutOfMemory { requested: 16 }, 1));
    }

    #[test]
    fn values_of_no_size_cost_nothing() {
        let mut bytes = [];
        let region = Region::new(&mut bytes);
        let boxed: Box<'_, dyn Any> =
            unsize_box!(Box::try_new_in((), Memory::new(&region)).unwrap());
        assert!(boxed.is::<()>());
    }

    #[test]
    fn values_are_aligned() {
        #[repr(align(256))]
        struct Wide(u8);
        let mut bytes = [MaybeUninit::uninit(); 4096];
        let region = Region::new(&mut bytes);
        for i in 0..5 {
            let _shift = Box::try_new_in(0u8, Memory::new(&region)).unwrap();
            let boxed = Box::try_new_in(Wide(i), Memory::new(&region)).unwrap();
            assert_eq!((&raw const *boxed).addr() % 256, 0);
            assert_eq!(boxed.0, i);
        }
    }

    #[test]
    fn a_panicking_destructor_loses_no_memory() {
        struct Bomb(#[expect(dead_code, reason = "makes it take space")] u64);
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("on purpose");
            }
        }
        let system = System::new();
        let boxed = Box::try_new_in(Bomb(1), Memory::new(&system)).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(boxed))).is_err());
        assert_eq!(Memory::new(&system).usage().used, 0);
    }

    #[test]
    fn slices_and_closures_unsize_too() {
        let memory = Memory::system();
        let slice: Box<'_, [u16]> = unsize_box!(Box::try_new_in([1, 2, 3], memory).unwrap());
        assert_eq!(slice.len(), 3);
        let offset = 10;
        let closure: Box<'_, dyn Fn(i32) -> i32 + '_> =
            unsize_box!(Box::try_new_in(move |x| x + offset, memory).unwrap());
        assert_eq!(closure(1), 11);
    }
}
