//! Stands in for shader memory: without the feature `shader-memory` no program uses any.

use core::marker::PhantomData;

use pipe_core::ShaderType;
use tgsi::exec::{Lanes, MemoryRequest};

/// No memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShaderMemory<'a>(PhantomData<&'a ()>);

impl ShaderMemory<'_> {
    /// Returns no memory.
    #[cfg(flights)]
    pub(crate) fn none() -> Self {
        ShaderMemory(PhantomData)
    }

    /// Returns no memory.
    #[inline(always)]
    pub(crate) fn for_stage(self, _: ShaderType) -> Self {
        self
    }

    /// Does nothing.
    #[inline(always)]
    pub(crate) fn access<R: Lanes>(self, _: &MemoryRequest<'_, R>, _: &mut [R; 4]) {}
}
