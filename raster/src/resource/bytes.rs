//! The bytes of one level.
//!
//! With the feature `threads` contexts draw at the same time: a level that one of them reads has
//! several holders, and nobody may write it until it has one again.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
#[cfg(feature = "threads")]
use os_shim::shared::Shared;

/// The bytes of a level, or none while they are elsewhere.
#[cfg(feature = "threads")]
#[derive(Clone, Debug)]
pub(crate) struct LevelBytes<'m>(Option<Shared<'m, Vec<'m, u8>>>);

/// The bytes of a level, or none while they are elsewhere.
#[cfg(not(feature = "threads"))]
#[derive(Debug)]
pub(crate) struct LevelBytes<'m>(Vec<'m, u8>);

#[cfg(feature = "threads")]
impl<'m> LevelBytes<'m> {
    /// Returns no bytes.
    pub(crate) fn none(_: Memory<'m>) -> Self {
        LevelBytes(None)
    }

    /// Returns `size` zeros.
    pub(crate) fn zeros(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let bytes = Vec::try_filled_in(0, size, memory)?;
        Ok(LevelBytes(Some(Shared::try_new_in(bytes, memory)?)))
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| bytes)
    }

    /// Returns the bytes to write; none if they are read at the moment.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        self.0.as_mut().and_then(Shared::get_mut).map_or(&mut [], |bytes| bytes)
    }

    /// Takes the bytes out.
    pub(crate) fn take(&mut self) -> Self {
        LevelBytes(self.0.take())
    }

    /// Returns true if nobody reads the bytes besides the holder.
    pub(crate) fn is_unique(&self) -> bool {
        self.0.as_ref().is_none_or(Shared::is_unique)
    }
}

#[cfg(not(feature = "threads"))]
impl<'m> LevelBytes<'m> {
    /// Returns no bytes.
    pub(crate) fn none(memory: Memory<'m>) -> Self {
        LevelBytes(Vec::new_in(memory))
    }

    /// Returns `size` zeros.
    pub(crate) fn zeros(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        Vec::try_filled_in(0, size, memory).map(LevelBytes)
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes to write.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Takes the bytes out.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Vec::new_in(self.0.memory());
        LevelBytes(core::mem::replace(&mut self.0, empty))
    }

    /// Returns true: without the feature `threads` a level has one holder.
    pub(crate) fn is_unique(&self) -> bool {
        true
    }
}
