//! Entry points without the feature `compile`: programs start at their first instruction.

use core::marker::PhantomData;

use os_shim::Os;
use os_shim::pool::RawHandle;
use pipe_core::{PipeError, ShaderSource};

use super::Context;
use super::unsupported::refuse;
use crate::profile::Profile;

/// No state.
#[derive(Debug)]
pub(super) struct Entries<'m>(PhantomData<&'m ()>);

impl<'m> Entries<'m> {
    #[inline(always)]
    pub(super) fn of(_source: &ShaderSource<'_, 'm>, _os: Os<'m>) -> Result<Self, PipeError> {
        Ok(Entries(PhantomData))
    }
}

impl<P: Profile> Context<'_, '_, P> {
    #[inline(always)]
    pub(super) fn entry(&mut self, shader: RawHandle, pc: u32) -> Result<RawHandle, PipeError> {
        refuse(pc != 0, "pc")?;
        Ok(shader)
    }

    #[inline(always)]
    pub(super) fn remove_entries(&mut self, _entries: Entries<'_>) {}
}
