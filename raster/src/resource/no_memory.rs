//! Stands in for shader memory: without the feature `shader-memory` no program uses any.

use core::marker::PhantomData;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use super::{Inputs, Loans, Resource};
use crate::budget::Work;
use crate::memory::ShaderMemory;

/// No slots.
#[derive(Debug)]
pub(crate) struct MemoryBindings<'m>(PhantomData<&'m ()>);

impl<'m> MemoryBindings<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        MemoryBindings(PhantomData)
    }

    /// Returns true.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        true
    }

    /// Returns true.
    #[inline(always)]
    pub(crate) fn is_ready(&self, _: &Pool<'_, Resource<'_>>) -> bool {
        true
    }

    /// Lends nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn lend(
        &self,
        _: &mut Loans<'m>,
        _: &Pool<'m, Resource<'m>>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Returns room for nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn room(&self, _: Memory<'m>) -> Result<TakenMemory<'m>, OutOfMemory> {
        Ok(TakenMemory(PhantomData))
    }

    /// Takes nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn take(
        &self,
        _: &mut TakenMemory<'m>,
        _: &mut Pool<'m, Resource<'m>>,
        _: Work<'_>,
        _: Memory<'m>,
        _: impl Fn(RawHandle) -> bool,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Returns no slots.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn slots<'a>(
        &self,
        _: &'a mut TakenMemory<'m>,
        _: Inputs<'a, 'm>,
        _: Memory<'m>,
    ) -> Result<Slots<'m, 'a>, OutOfMemory> {
        Ok(Slots(PhantomData))
    }
}

/// No levels.
#[derive(Debug)]
pub(crate) struct TakenMemory<'m>(PhantomData<&'m ()>);

impl<'m> TakenMemory<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        TakenMemory(PhantomData)
    }

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn put_back(&mut self, _: &mut Pool<'m, Resource<'m>>) {}
}

/// No slots.
#[derive(Debug)]
pub(crate) struct Slots<'m, 'a>(PhantomData<(&'m (), &'a ())>);

impl Slots<'_, '_> {
    /// Returns no memory.
    #[inline(always)]
    pub(crate) fn memory(&self) -> ShaderMemory<'_> {
        ShaderMemory::default()
    }
}
