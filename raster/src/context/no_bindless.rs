//! Rejects bindless handles: the feature `desktop` is disabled.

use core::marker::PhantomData;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::context::Bindless;

use super::Context;
use super::cso::View;
use crate::profile::Profile;
#[cfg(feature = "shader-memory")]
use crate::resource::MemoryBindings;
use crate::resource::TextureBinding;

/// No handles.
#[derive(Debug)]
pub(super) struct Handles<'m>(PhantomData<&'m ()>);

impl<'m> Handles<'m> {
    #[inline(always)]
    pub(super) fn new_in(_: Memory<'m>) -> Self {
        Handles(PhantomData)
    }

    /// Holds nothing.
    #[inline(always)]
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }

    /// Returns no views.
    #[inline(always)]
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        core::iter::empty()
    }

    /// Appends nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(super) fn add_textures(&self, _: &mut Vec<'_, TextureBinding>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Appends nothing.
    ///
    /// # Errors
    /// None.
    #[cfg(feature = "shader-memory")]
    #[inline(always)]
    pub(super) fn add_images(
        &self,
        _: usize,
        _: bool,
        _: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }
}

impl<P: Profile> Bindless for Context<'_, '_, P> {}
