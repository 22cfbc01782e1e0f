//! Rejects shader buffers and images: the feature `shader-memory` is disabled.

use core::marker::PhantomData;
use core::ops::Range;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::context::ShaderResources;

use super::Context;
use crate::profile::Profile;
use crate::resource::MemoryBindings;

/// No bound memory.
#[derive(Debug)]
pub(super) struct BoundMemory<'m>(PhantomData<&'m ()>);

impl<'m> BoundMemory<'m> {
    #[inline(always)]
    pub(super) fn new_in(_: Memory<'m>) -> Self {
        BoundMemory(PhantomData)
    }

    /// Holds nothing.
    #[inline(always)]
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns no slots.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn memory_bindings(
        &self,
        _: Range<usize>,
    ) -> Result<MemoryBindings<'m>, OutOfMemory> {
        Ok(MemoryBindings::new_in(self.os.memory))
    }
}

impl<P: Profile> ShaderResources for Context<'_, '_, P> {}
