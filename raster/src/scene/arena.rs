//! The scene's arena: one bounded run of words, filled from the front and emptied as a whole.

use core::cell::Cell;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// Words of a scene: vertices, primitives, bins and constants, in the order of their arrival.
#[derive(Debug)]
pub(crate) struct Arena<'m> {
    words: Vec<'m, u32>,
    used: usize,
}

/// The error of a full arena: its contents must be rasterized first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full;

impl<'m> Arena<'m> {
    /// Allocates an arena of `words` words, or fewer if ids up to `limit` cannot name them all. The
    /// arena never grows by itself.
    pub(crate) fn new(words: usize, limit: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let words = words.min(limit.saturating_add(1));
        // Word 0 is never handed out, so 0 can mean "none".
        Ok(Arena { words: Vec::try_zeros_in(words, memory)?, used: 1 })
    }

    /// The index of the first word that can be reserved.
    #[cfg(feature = "workers")]
    pub(crate) const FIRST: u32 = 1;

    /// Doubles the arena's size.
    ///
    /// # Errors
    /// Out of memory.
    #[cfg(feature = "workers")]
    #[cold]
    pub(crate) fn grow(&mut self) -> Result<(), OutOfMemory> {
        self.words.try_resize(2 * self.words.len().max(1), 0)
    }

    /// Returns the words that are in use.
    #[cfg(feature = "workers")]
    pub(crate) fn taken(&self) -> &[u32] {
        self.words.get(Self::FIRST as usize..self.used).unwrap_or(&[])
    }

    /// Reserves `count` words; their contents are stale.
    #[inline]
    pub(crate) fn reserve(&mut self, count: usize) -> Result<usize, Full> {
        self.take(count).map(|(at, _)| at)
    }

    /// Reserves `count` words and returns them to write.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: usize) -> Result<(usize, &mut [u32]), Full> {
        let at = self.used;
        let rest = self.words.get_mut(at..).ok_or(Full)?;
        let words = rest.get_mut(..count).ok_or(Full)?;
        self.used = at + count;
        Ok((at, words))
    }

    /// Returns the number of words that can still be reserved.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.words.len().saturating_sub(self.used)
    }

    /// Returns the words from `at` on; none beyond the end.
    #[inline(always)]
    pub(crate) fn from(&self, at: usize) -> &[u32] {
        self.words.get(at..).unwrap_or(&[])
    }

    /// Returns `count` words at `at`; none unless all of them exist.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize, count: usize) -> &[u32] {
        at.checked_add(count).and_then(|end| self.words.get(at..end)).unwrap_or(&[])
    }

    /// Returns `count` words at `at` to write; none unless all of them exist.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, at: usize, count: usize) -> &mut [u32] {
        at.checked_add(count).and_then(|end| self.words.get_mut(at..end)).unwrap_or(&mut [])
    }

    /// Returns the word at `at` to write, if it exists.
    #[inline(always)]
    pub(crate) fn word_mut(&mut self, at: usize) -> Option<&mut u32> {
        self.words.get_mut(at)
    }

    /// Empties the arena.
    pub(crate) fn clear(&mut self) {
        self.used = 1;
    }

    /// Moves words that were reserved before a [`clear`](Self::clear) to the next free place.
    pub(crate) fn move_down(&mut self, at: usize, count: usize) -> usize {
        let to = self.used;
        if move_down(&mut self.words, at, count, to) {
            self.used += count;
        }
        to
    }

    /// Returns the number of words in use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Returns the arena's size in words.
    pub(crate) fn capacity(&self) -> usize {
        self.words.len()
    }
}

/// Copies `count` items from `from` to `to`; the ranges may overlap. Returns false and copies
/// nothing unless all items exist and `to` is not above `from`.
pub(super) fn move_down<T: Copy>(items: &mut [T], from: usize, count: usize, to: usize) -> bool {
    let cells = Cell::from_mut(items).as_slice_of_cells();
    let source = from.checked_add(count).and_then(|end| cells.get(from..end));
    let (Some(source), Some(target), true) = (source, cells.get(to..), to <= from) else {
        return false;
    };
    target.iter().zip(source).for_each(|(to, from)| to.set(from.get()));
    true
}
