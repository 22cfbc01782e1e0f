//! Textures of compressed blocks. A batch decodes a block once and caches it, because neighbours
//! share it.

use formats::lanes::{Unpacker, words_per_texel};
use formats::{BlockDecoder, DecodedBlock, Format};
use tgsi::exec::{Lanes, Mask};

use super::Level;
use crate::lanes::planes::unpack;
use crate::lanes::{each_lane, lane_of, set_lane};

/// Words of decoded texels that a cache holds: 64 blocks of 4×4 texels of a word.
const WORDS: usize = 1024;

/// The largest number of blocks in a cache.
const SLOTS: usize = 64;

/// The decoder of a format's blocks, and the layout of decoded blocks in a cache.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    decoder: BlockDecoder,
    /// Converts decoded texels to colours.
    unpacker: Unpacker,
    /// Width and height of a block in texels.
    size: [u32; 2],
    /// 2³² divided by each size, rounded up. The high word of a product is the quotient, for places
    /// below 2²⁸.
    reciprocals: [u64; 2],
    /// Bytes of a block.
    bytes: usize,
    /// Words of a decoded texel, 1, 2 or 4.
    planes: usize,
    /// Words of a decoded block.
    stride: usize,
    /// Binary digits of a block's column and row that select its slot.
    digits: [u32; 2],
}

/// Decoded blocks of one level, each in the slot that its column and row select.
pub(super) struct BlockCache {
    words: [u32; WORDS],
    /// The byte offset of the block in each slot.
    offsets: [usize; SLOTS],
    scratch: DecodedBlock,
}

impl BlockCache {
    /// Returns an empty cache.
    pub(super) fn new() -> BlockCache {
        BlockCache { words: [0; WORDS], offsets: [usize::MAX; SLOTS], scratch: DecodedBlock::new() }
    }
}

impl Blocks {
    /// Returns the decoder of a block format; `None` for other formats.
    pub(super) fn of(format: Format) -> Option<Blocks> {
        let decoder = BlockDecoder::new(format)?;
        let block = format.block();
        let size = [block.width, block.height].map(u32::from);
        let planes = words_per_texel(decoder.texel_format());
        let stride = (size[0] * size[1]) as usize * planes;
        let slots = (WORDS / stride.max(1)).clamp(1, SLOTS).ilog2();
        Some(Blocks {
            decoder,
            unpacker: Unpacker::new(decoder.texel_format()),
            size,
            reciprocals: size.map(|size| (1u64 << 32).div_ceil(u64::from(size.max(1)))),
            bytes: block.bytes.into(),
            planes,
            stride,
            digits: [slots.div_ceil(2), slots / 2],
        })
    }

    /// Fetches the colours of the texels at (x, y, z) of the lanes of `mask`; zeros outside the
    /// level's bytes.
    ///
    /// * `cache`: a cache of this level, or a new one.
    pub(super) fn colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        [x, y, z]: [&R; 3],
        mask: Mask,
        cache: &mut BlockCache,
        out: &mut [R; 4],
    ) {
        let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
        let mut texels = [R::ZERO; 4];
        each_lane(mask, R::COUNT, |lane| {
            let [x, y, z] = [x, y, z].map(|row| lane_of(row, lane));
            let at = self.texel(level, [x, y], z, cache);
            for (plane, row) in texels.iter_mut().enumerate().take(self.planes) {
                set_lane(row.as_mut_slice(), lane, lane_of(&cache.words, at + plane));
            }
        });
        unpack(&self.unpacker, self.planes, &texels, out);
    }

    /// Returns the index of a texel's first word in the cache, after decoding its block into the
    /// cache if necessary.
    #[inline(always)]
    fn texel(&self, level: &Level<'_>, at: [u32; 2], z: u32, cache: &mut BlockCache) -> usize {
        let along = |at: u32, reciprocal: u64, size: u32| {
            let block = (u64::from(at).wrapping_mul(reciprocal) >> 32) as u32;
            (block, at.wrapping_sub(block.wrapping_mul(size)))
        };
        let (column, x) = along(at[0], self.reciprocals[0], self.size[0]);
        let (row, y) = along(at[1], self.reciprocals[1], self.size[1]);
        let [columns, rows] = self.digits;
        let slot = column & ((1 << columns) - 1) | (row & ((1 << rows) - 1)) << columns;
        let slot = slot as usize % SLOTS;
        let start = slot * self.stride;
        let offset = level.offset(column, row, z, self.bytes);
        if let Some(held) = cache.offsets.get_mut(slot).filter(|held| **held != offset) {
            *held = offset;
            self.decode(level, offset, cache, start);
        }
        start + (y.wrapping_mul(self.size[0]).wrapping_add(x) as usize).wrapping_mul(self.planes)
    }

    /// Decodes the block at a byte offset of the level to the cache's words from `start` on.
    #[inline(never)]
    fn decode(&self, level: &Level<'_>, offset: usize, cache: &mut BlockCache, start: usize) {
        let words = cache.words.get_mut(start..).and_then(|rest| rest.get_mut(..self.stride));
        let words = words.unwrap_or(&mut []);
        match level.bytes.get(offset..).and_then(|rest| rest.get(..self.bytes)) {
            Some(block) => self.decoder.decode(block, &mut cache.scratch, words),
            None => words.fill(0),
        }
    }
}
