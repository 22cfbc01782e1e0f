//! Stands in for bindless handles: the feature `desktop` is disabled.

use core::marker::PhantomData;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
#[cfg(feature = "shader-memory")]
use pipe_core::ShaderType;

use super::objects::View;
#[cfg(feature = "shader-memory")]
use crate::resource::MemoryBindings;
use crate::resource::TextureBinding;

/// No handles.
#[derive(Debug)]
pub(crate) struct Handles<'m>(PhantomData<&'m ()>);

impl<'m> Handles<'m> {
    #[inline(always)]
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        Handles(PhantomData)
    }

    /// Holds nothing.
    #[inline(always)]
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }

    /// Returns no views.
    #[inline(always)]
    pub(crate) fn views(&self) -> impl Iterator<Item = &View> {
        core::iter::empty()
    }

    /// Appends nothing.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn add_textures(&self, _: &mut Vec<'_, TextureBinding>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Appends nothing.
    ///
    /// # Errors
    /// None.
    #[cfg(feature = "shader-memory")]
    #[inline(always)]
    pub(crate) fn add_images(
        &self,
        _: ShaderType,
        _: bool,
        _: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }
}
