//! The bytes of one level.
//!
//! With the feature `threads` contexts draw at the same time. A level that one of them reads has
//! several holders and cannot be written until one holder is left.

use os_shim::Words;
use os_shim::memory::{Memory, OutOfMemory};
#[cfg(feature = "threads")]
use os_shim::shared::Shared;
use pipe_core::PipeError;

use self::storage::Storage;
use crate::budget::{PIECE, Work};

/// The bytes of a level; none while they are taken out.
#[cfg(feature = "threads")]
#[derive(Clone, Debug)]
pub(crate) struct LevelBytes<'m>(Option<Shared<'m, Storage<'m>>>);

/// The bytes of a level; none while they are taken out.
#[cfg(not(feature = "threads"))]
#[derive(Debug)]
pub(crate) struct LevelBytes<'m>(Storage<'m>);

#[cfg(feature = "threads")]
impl<'m> LevelBytes<'m> {
    /// Returns no bytes.
    pub(crate) fn none(_: Memory<'m>) -> Self {
        LevelBytes(None)
    }

    /// Allocates `size` zeros.
    pub(crate) fn zeros(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let bytes = Storage::zeros(size, memory)?;
        Ok(LevelBytes(Some(Shared::try_new_in(bytes, memory)?)))
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| bytes.as_slice())
    }

    fn storage(&mut self) -> Option<&mut Storage<'m>> {
        self.0.as_mut().and_then(Shared::get_mut)
    }

    /// Returns the bytes to write; none while they are also read elsewhere.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        self.storage().map_or(&mut [], |bytes| bytes.as_mut_slice())
    }

    /// Takes the bytes out.
    pub(crate) fn take(&mut self) -> Self {
        LevelBytes(self.0.take())
    }

    /// Returns true if this holder is the only one.
    pub(crate) fn is_unique(&self) -> bool {
        self.0.as_ref().is_none_or(Shared::is_unique)
    }

    /// Returns the bytes as words that workers share. The last word may extend beyond the level.
    pub(crate) fn words(&mut self) -> Words<'_> {
        self.storage().map_or(Words::default(), |bytes| bytes.words())
    }
}

#[cfg(not(feature = "threads"))]
impl<'m> LevelBytes<'m> {
    /// Returns no bytes.
    pub(crate) fn none(memory: Memory<'m>) -> Self {
        LevelBytes(Storage::none(memory))
    }

    /// Allocates `size` zeros.
    pub(crate) fn zeros(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        Storage::zeros(size, memory).map(LevelBytes)
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Returns the bytes to write.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        self.0.as_mut_slice()
    }

    /// Takes the bytes out.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Storage::none(self.0.memory());
        LevelBytes(core::mem::replace(&mut self.0, empty))
    }

    /// Returns true: without the feature `threads` a level has one holder.
    pub(crate) fn is_unique(&self) -> bool {
        true
    }

    /// Returns the bytes as words that workers share. The last word may extend beyond the level.
    pub(crate) fn words(&mut self) -> Words<'_> {
        self.0.words()
    }
}

impl<'m> LevelBytes<'m> {
    /// Copies the bytes, and spends one unit of work per piece of [`PIECE`] bytes.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    pub(crate) fn copy(&self, work: Work<'_>, memory: Memory<'m>) -> Result<Self, PipeError> {
        let mut copy = Self::zeros(self.as_slice().len(), memory)?;
        let pieces = self.as_slice().chunks(PIECE);
        for (to, from) in copy.as_mut_slice().chunks_mut(PIECE).zip(pieces) {
            work.spend(1)?;
            to.copy_from_slice(from);
        }
        Ok(copy)
    }
}

mod storage {
    use os_shim::memory::{Memory, OutOfMemory};
    use os_shim::{Vec, Words};

    use crate::features::{MAP_BUFFER_ALIGNMENT, Only, SHADER_MEMORY};

    /// Bytes in a separate allocation, aligned to words and to [`MAP_BUFFER_ALIGNMENT`].
    #[derive(Debug)]
    pub(super) struct Storage<'m> {
        words: Vec<'m, u32>,
        /// The number of words before the bytes.
        first: Only<usize, { SHADER_MEMORY as usize }>,
        /// The number of bytes.
        size: usize,
    }

    impl<'m> Storage<'m> {
        #[cfg(not(feature = "threads"))]
        #[inline(always)]
        pub(super) fn none(memory: Memory<'m>) -> Self {
            Storage { words: Vec::new_in(memory), first: Only::new(0), size: 0 }
        }

        #[inline(always)]
        pub(super) fn zeros(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
            const MASK: usize = MAP_BUFFER_ALIGNMENT - 1;
            let words = Vec::try_zeros_in(size.div_ceil(4) + MASK / 4, memory)?;
            let first = (words.as_ptr().addr().wrapping_neg() & MASK) / 4;
            Ok(Storage { words, first: Only::new(first), size })
        }

        #[cfg(not(feature = "threads"))]
        #[inline(always)]
        pub(super) fn memory(&self) -> Memory<'m> {
            self.words.memory()
        }

        /// Returns the number of words before the bytes.
        #[inline(always)]
        fn first(&self) -> usize {
            self.first.get().copied().unwrap_or(0)
        }

        #[inline(always)]
        pub(super) fn as_slice(&self) -> &[u8] {
            let words = self.words.get(self.first()..).unwrap_or(&[]);
            bytemuck::cast_slice(words).get(..self.size).unwrap_or(&[])
        }

        #[inline(always)]
        pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
            let first = self.first();
            let words = self.words.get_mut(first..).unwrap_or(&mut []);
            bytemuck::cast_slice_mut(words).get_mut(..self.size).unwrap_or(&mut [])
        }

        pub(super) fn words(&mut self) -> Words<'_> {
            let (first, size) = (self.first(), self.size.div_ceil(4));
            Words::new(self.words.get_mut(first..first + size).unwrap_or(&mut []))
        }
    }
}
