//! Bins: for each tile, the primitives that may touch it, in order.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

use super::arena::{Arena, Full};
use crate::features::STAGES;
use crate::fixed::BLOCK;
use crate::profile::{MAX_TILE_HEIGHT, MAX_TILE_WIDTH, Profile, SceneId};

/// A tile's list: chunks of the arena. The first id of each chunk links to the next chunk, in a
/// ring.
#[derive(Clone, Copy, Debug, Default)]
struct Bin<I> {
    /// The last chunk, which links to the first; 0 if the list is empty.
    tail: I,
    /// Entries in the last chunk.
    tail_entries: u16,
}

/// The address of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TileAddress {
    /// The layer of the framebuffer.
    pub(crate) layer: u32,
    pub(crate) column: u32,
    pub(crate) row: u32,
}

/// The bins of one framebuffer: layer by layer, and row by row of tiles.
#[derive(Debug)]
pub(crate) struct Bins<'m, P: Profile> {
    bins: Vec<'m, Bin<P::Id>>,
    columns: u32,
    /// Rows of tiles in a layer.
    rows: u32,
}

impl<'m, P: Profile> Bins<'m, P> {
    /// Entries of a chunk: all its ids except the link.
    const ENTRIES: usize = P::CHUNK_WORDS * <P::Id as SceneId>::PER_WORD - 1;

    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Bins { bins: Vec::new_in(memory), columns: 0, rows: 0 }
    }

    /// Sets the framebuffer's size in pixels and its layers, and empties all bins.
    pub(crate) fn resize(
        &mut self,
        width: u32,
        height: u32,
        layers: u32,
    ) -> Result<(), OutOfMemory> {
        const {
            let (width, height) = (P::TILE_WIDTH, P::TILE_HEIGHT);
            assert!(
                width.is_multiple_of(BLOCK) && width <= MAX_TILE_WIDTH,
                "TILE_WIDTH does not fit"
            );
            assert!(
                height.is_multiple_of(BLOCK) && height <= MAX_TILE_HEIGHT,
                "TILE_HEIGHT does not fit"
            );
        }
        let (columns, rows) = (width.div_ceil(P::TILE_WIDTH), height.div_ceil(P::TILE_HEIGHT));
        let count = columns as usize * rows as usize * layers as usize;
        if self.bins.len() < count {
            self.bins.try_resize(count, Bin::default())?;
        } else {
            self.bins.truncate(count);
        }
        (self.columns, self.rows) = (columns, rows);
        self.clear();
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.bins.fill(Bin::default());
    }

    #[inline(always)]
    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns true if nothing was binned for the tile.
    pub(crate) fn is_empty(&self, tile: TileAddress) -> bool {
        self.bin(tile).is_none_or(|bin| bin.tail.word() == 0)
    }

    /// Returns the index of a tile's bin.
    #[inline(always)]
    pub(crate) fn index(&self, tile: TileAddress) -> u32 {
        let above = if STAGES { tile.layer * self.rows } else { 0 };
        (above + tile.row) * self.columns + tile.column
    }

    fn bin(&self, tile: TileAddress) -> Option<&Bin<P::Id>> {
        self.bins.get(self.index(tile) as usize)
    }

    /// Returns true if the next entry of a tile needs a new chunk.
    pub(crate) fn needs_chunk(&self, tile: TileAddress) -> bool {
        self.bin(tile).is_some_and(|bin| {
            bin.tail.word() == 0 || usize::from(bin.tail_entries) == Self::ENTRIES
        })
    }

    /// Appends the entry stored at word `entry` of the arena to the bin with this index.
    #[inline(always)]
    pub(crate) fn push(&mut self, bin: u32, entry: u32, arena: &mut Arena<'_>) -> Result<(), Full> {
        let Some(bin) = self.bins.get_mut(bin as usize) else {
            return Ok(());
        };
        let tail = bin.tail.word();
        if tail == 0 || usize::from(bin.tail_entries) == Self::ENTRIES {
            let chunk = arena.reserve(P::CHUNK_WORDS)?;
            let mut first = chunk as u32;
            if tail != 0 {
                first = id::<P::Id>(arena, tail, 0).unwrap_or(first);
                set_id::<P::Id>(arena, tail, 0, chunk as u32);
            }
            if let Some(word) = arena.word_mut(chunk) {
                // Writes the whole word: stale bits would mix with the first entry.
                *word = first;
            }
            bin.tail = SceneId::new(chunk);
            bin.tail_entries = 0;
        }
        bin.tail_entries += 1;
        let index = usize::from(bin.tail_entries);
        if let Some(word) = arena.word_mut(bin.tail.word() + index / P::Id::PER_WORD) {
            // Ids come in order, so the upper half above a word's first id is stale.
            *word = match index % P::Id::PER_WORD {
                0 => entry,
                _ => *word | entry << 16,
            };
        }
        Ok(())
    }

    /// Returns the indices of a tile's entries in the arena, in the order of their draws.
    pub(crate) fn entries<'a>(
        &self,
        tile: TileAddress,
        arena: &'a Arena<'_>,
    ) -> impl Iterator<Item = u32> + use<'a, 'm, P> {
        let bin = self.bin(tile).copied().unwrap_or_default();
        let tail = bin.tail.word();
        let mut chunk = match tail {
            0 => 0,
            tail => id::<P::Id>(arena, tail, 0).map_or(0, |first| first as usize),
        };
        let last = usize::from(bin.tail_entries);
        let mut entries = 0;
        core::iter::from_fn(move || {
            if chunk == tail && (chunk == 0 || entries == last) {
                return None;
            }
            if entries == Self::ENTRIES {
                chunk = id::<P::Id>(arena, chunk, 0)? as usize;
                entries = 0;
            }
            entries += 1;
            id::<P::Id>(arena, chunk, entries)
        })
    }
}

/// Reads an id from a chunk.
#[inline(always)]
fn id<I: SceneId>(arena: &Arena<'_>, chunk: usize, index: usize) -> Option<u32> {
    let word = *arena.from(chunk + index / I::PER_WORD).first()?;
    Some(if I::PER_WORD == 1 { word } else { word >> (16 * (index % I::PER_WORD)) & 0xffff })
}

#[inline(always)]
fn set_id<I: SceneId>(arena: &mut Arena<'_>, chunk: usize, index: usize, id: u32) {
    if let Some(word) = arena.word_mut(chunk + index / I::PER_WORD) {
        if I::PER_WORD == 1 {
            *word = id;
        } else {
            let shift = 16 * (index % I::PER_WORD);
            *word = *word & !(0xffff << shift) | (id & 0xffff) << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Host, Small};

    fn order<P: Profile>() {
        let mut arena = Arena::new(4096, usize::MAX, Memory::system()).unwrap();
        let mut bins = Bins::<P>::new_in(Memory::system());
        bins.resize(P::TILE_WIDTH * 2 + 1, P::TILE_HEIGHT, 1).unwrap();
        assert_eq!(bins.columns(), 3);
        let tile = |column| TileAddress { layer: 0, column, row: 0 };
        for entry in 1..=100 {
            let bin = bins.index(tile(entry % 2));
            bins.push(bin, entry, &mut arena).unwrap();
        }
        for parity in 0..2 {
            let wanted = (1..=100).filter(|entry| entry % 2 == parity);
            assert!(bins.entries(tile(parity), &arena).eq(wanted));
        }
        assert!(bins.is_empty(tile(2)));
        assert_eq!(bins.entries(tile(2), &arena).count(), 0);
    }

    #[test]
    fn entries_keep_their_order() {
        order::<Small>();
        order::<Host>();
    }
}
