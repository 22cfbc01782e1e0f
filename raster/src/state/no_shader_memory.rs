//! Stands in for shader buffers and images: without the feature `shader-memory` there are none.

use core::marker::PhantomData;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::ShaderType;

use super::bound::Bound;
use super::objects::Objects;
use crate::resource::MemoryBindings;

/// No bound memory.
#[derive(Debug)]
pub(crate) struct BoundMemory<'m>(PhantomData<&'m ()>);

impl<'m> BoundMemory<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        BoundMemory(PhantomData)
    }

    /// Holds nothing.
    #[inline(always)]
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }

    /// Returns no slots.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn bindings(
        &self,
        _: &Objects<'m>,
        _: &Bound<'m>,
        _: &[ShaderType],
        memory: Memory<'m>,
    ) -> Result<MemoryBindings<'m>, OutOfMemory> {
        Ok(MemoryBindings::new_in(memory))
    }
}
