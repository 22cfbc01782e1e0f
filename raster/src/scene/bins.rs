//! Bins: for each tile, in order, the primitives that may touch it.

use core::marker::PhantomData;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

use super::arena::{Arena, Full};
use crate::profile::{Profile, SceneId};

/// A tile's list: chunks of the arena, linked by their first word.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// First and last chunk; 0 is none.
    head: u32,
    tail: u32,
    /// Entries in the last chunk.
    tail_entries: u32,
}

/// The bins of one framebuffer.
#[derive(Debug)]
pub(crate) struct Bins<'m, P: Profile> {
    bins: Vec<'m, Bin>,
    columns: u32,
    profile: PhantomData<P>,
}

impl<'m, P: Profile> Bins<'m, P> {
    const ENTRIES: usize = (P::CHUNK_WORDS - 1) * <P::Id as SceneId>::PER_WORD;

    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Bins { bins: Vec::new_in(memory), columns: 0, profile: PhantomData }
    }

    /// Sets the framebuffer's size in pixels and empties all bins.
    pub(crate) fn resize(&mut self, width: u32, height: u32) -> Result<(), OutOfMemory> {
        let (columns, rows) = (width.div_ceil(P::TILE), height.div_ceil(P::TILE));
        let count = columns as usize * rows as usize;
        if self.bins.len() < count {
            self.bins.try_resize(count, Bin::default())?;
        } else {
            self.bins.truncate(count);
        }
        self.columns = columns;
        self.clear();
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.bins.fill(Bin::default());
    }

    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }

    /// Whether nothing was binned for the tile.
    pub(crate) fn is_empty(&self, column: u32, row: u32) -> bool {
        self.bin(column, row).is_none_or(|bin| bin.head == 0)
    }

    fn bin(&self, column: u32, row: u32) -> Option<&Bin> {
        self.bins.get((row * self.columns + column) as usize)
    }

    /// Whether the next entry of a tile takes a new chunk.
    pub(crate) fn needs_chunk(&self, column: u32, row: u32) -> bool {
        self.bin(column, row)
            .is_some_and(|bin| bin.tail == 0 || bin.tail_entries as usize == Self::ENTRIES)
    }

    /// Appends the entry stored at word `entry` to a tile's bin.
    #[inline]
    pub(crate) fn push(
        &mut self,
        column: u32,
        row: u32,
        entry: u32,
        arena: &mut Arena<'_>,
    ) -> Result<(), Full> {
        let Some(bin) = self.bins.get_mut((row * self.columns + column) as usize) else {
            return Ok(());
        };
        if bin.tail == 0 || bin.tail_entries as usize == Self::ENTRIES {
            let chunk = arena.reserve(P::CHUNK_WORDS, <P::Id as SceneId>::MAX)? as u32;
            if let [next, ..] = arena.get_mut(chunk as usize, 1) {
                *next = 0;
            }
            if bin.tail == 0 {
                bin.head = chunk;
            } else if let [next, ..] = arena.get_mut(bin.tail as usize, 1) {
                *next = chunk;
            }
            bin.tail = chunk;
            bin.tail_entries = 0;
        }
        let index = bin.tail_entries as usize;
        let per_word = <P::Id as SceneId>::PER_WORD;
        if let [word] = arena.get_mut(bin.tail as usize + 1 + index / per_word, 1) {
            if per_word == 1 {
                *word = entry;
            } else {
                let shift = 16 * (index % per_word);
                *word = *word & !(0xffff << shift) | (entry & 0xffff) << shift;
            }
        }
        bin.tail_entries += 1;
        Ok(())
    }

    /// A tile's entries, as words of the arena, in the order they came.
    pub(crate) fn entries<'a>(
        &self,
        column: u32,
        row: u32,
        arena: &'a Arena<'_>,
    ) -> impl Iterator<Item = u32> + use<'a, 'm, P> {
        let bin = self.bin(column, row).copied().unwrap_or_default();
        let mut chunk = bin.head;
        let mut index = 0;
        core::iter::from_fn(move || {
            let length = if chunk == bin.tail { bin.tail_entries as usize } else { Self::ENTRIES };
            if chunk == 0 || (chunk == bin.tail && index == length) {
                return None;
            }
            let (mut at, mut slot) = (chunk, index);
            if index == length {
                at = *arena.from(chunk as usize).first()?;
                slot = 0;
                chunk = at;
            }
            index = slot + 1;
            let per_word = <P::Id as SceneId>::PER_WORD;
            let word = *arena.from(at as usize + 1 + slot / per_word).first()?;
            Some(if per_word == 1 { word } else { word >> (16 * (slot % per_word)) & 0xffff })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Host, Small};

    fn order<P: Profile>() {
        let mut arena = Arena::new(4096, Memory::system()).unwrap();
        let mut bins = Bins::<P>::new_in(Memory::system());
        bins.resize(P::TILE * 2 + 1, P::TILE).unwrap();
        assert_eq!(bins.columns(), 3);
        for entry in 1..=100 {
            bins.push(entry % 2, 0, entry, &mut arena).unwrap();
        }
        for parity in 0..2 {
            let wanted = (1..=100).filter(|entry| entry % 2 == parity);
            assert!(bins.entries(parity, 0, &arena).eq(wanted));
        }
        assert!(bins.is_empty(2, 0));
        assert_eq!(bins.entries(2, 0, &arena).count(), 0);
    }

    #[test]
    fn entries_keep_their_order() {
        order::<Small>();
        order::<Host>();
    }
}
