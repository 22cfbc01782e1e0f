//! A value that its owner reads and changes, and that flights read. A build without flights has one
//! holder.

use core::ops::Deref;

#[cfg(flights)]
use os_shim::memory::{Memory, OutOfMemory};
#[cfg(flights)]
use os_shim::shared::Shared;

/// A value that moves to shared memory when it is first lent.
#[derive(Debug)]
pub(crate) enum Lendable<'m, T> {
    /// The owner is the only holder so far.
    Own(T),
    /// Flights may hold the value too.
    Lent(Shared<'m, T>),
}

/// Cannot be constructed: nothing is lent.
#[cfg(not(flights))]
#[derive(Debug)]
pub(crate) struct Shared<'m, T>(core::convert::Infallible, core::marker::PhantomData<&'m T>);

#[cfg(not(flights))]
impl<T> Shared<'_, T> {
    fn get_mut(shared: &mut Self) -> Option<&mut T> {
        match shared.0 {}
    }
}

#[cfg(not(flights))]
impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self.0 {}
    }
}

#[cfg(flights)]
impl<'m, T> Lendable<'m, T> {
    /// Returns the value with one more holder. `empty` takes its place while it moves.
    ///
    /// # Errors
    /// Out of memory; the value stays where it was.
    pub(crate) fn lend(
        &mut self,
        empty: T,
        memory: Memory<'m>,
    ) -> Result<Shared<'m, T>, OutOfMemory> {
        if let Lendable::Own(value) = self {
            let mut shared = Shared::try_new_in(empty, memory)?;
            if let Some(place) = Shared::get_mut(&mut shared) {
                core::mem::swap(place, value);
            }
            *self = Lendable::Lent(shared);
        }
        match self {
            Lendable::Lent(shared) => Ok(shared.clone()),
            Lendable::Own(_) => Err(OutOfMemory { requested: size_of::<T>() }),
        }
    }

    /// Moves the value to memory from which it can be lent.
    ///
    /// # Errors
    /// Out of memory; the value is dropped.
    pub(crate) fn into_lent(self, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        match self {
            Lendable::Own(value) => Ok(Lendable::Lent(Shared::try_new_in(value, memory)?)),
            lent @ Lendable::Lent(_) => Ok(lent),
        }
    }
}

impl<T> Lendable<'_, T> {
    /// Returns the value to change it; `None` while a flight holds it.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Lendable::Own(value) => Some(value),
            Lendable::Lent(shared) => Shared::get_mut(shared),
        }
    }
}

impl<T> Deref for Lendable<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Lendable::Own(value) => value,
            Lendable::Lent(shared) => shared,
        }
    }
}
