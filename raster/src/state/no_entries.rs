//! Entry points without the feature `compile`: programs start at their first instruction.

use core::marker::PhantomData;

use os_shim::Os;
use pipe_core::{PipeError, ShaderSource};

/// No state.
#[derive(Debug)]
pub(crate) struct Entries<'m>(PhantomData<&'m ()>);

impl<'m> Entries<'m> {
    #[inline(always)]
    pub(crate) fn of(_source: &ShaderSource<'_, 'm>, _os: Os<'m>) -> Result<Self, PipeError> {
        Ok(Entries(PhantomData))
    }
}
