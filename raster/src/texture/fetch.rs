//! Texel fetch: rows of texel indices to rows of decoded colours.

use formats::lanes::Unpacker;
use formats::{Description, Format};
use tgsi::exec::{Lanes, Mask};

use super::blocks::{BlockCache, Blocks};
use super::loads::{planes, words};
use super::wrap::BORDER;
use super::{Level, Sampler};
use crate::features::{ALL_FORMATS, Case, PALETTES};
use crate::lanes::Indexed;
use crate::lanes::planes::unpack;
use crate::lanes::{UnormLayout, each_lane, lane_of, lanes_where, set_lane};

/// The decoder of a view's texels, selected once per draw.
#[derive(Clone, Copy)]
pub(super) enum Texel {
    /// Unsigned normalised channels, by shifts and scales.
    Unorm(UnormLayout),
    /// Whole rows decoded by `formats`, from texels of this many bytes: 1 to 4, 6, 8, 12 or 16.
    Planes(Unpacker, usize),
    /// Compressed blocks, decoded whole.
    Blocks(Case<Blocks, { ALL_FORMATS as usize }>),
    /// Indices of this many bits into a palette of unsigned normalised channels.
    Indices(Case<(u32, UnormLayout), { PALETTES as usize }>),
    /// Texel by texel, for odd sizes and strides that are not whole texels.
    Single(Description),
}

impl Texel {
    /// Selects the decoder for the levels of a view.
    pub(super) fn of(format: Format, levels: &[Level<'_>]) -> Texel {
        let block = format.block();
        let bytes = usize::from(block.bytes);
        let loops = format.is_texel()
            && (block.width, block.height) == (1, 1)
            && (matches!(bytes, 1 | 2 | 4) || ALL_FORMATS && matches!(bytes, 3 | 6 | 8 | 12 | 16))
            && levels.iter().all(|level| level.is_whole(bytes));
        if !loops {
            let blocks = if ALL_FORMATS { Blocks::of(format) } else { None };
            if let Some(blocks) = blocks.and_then(Case::new) {
                return Texel::Blocks(blocks);
            }
            return Texel::Single(format.desc());
        }
        match UnormLayout::sampled(format) {
            Some(layout) => Texel::Unorm(layout),
            None if !ALL_FORMATS => Texel::Single(format.desc()),
            None => Texel::Planes(Unpacker::new(format), bytes),
        }
    }
}

impl Sampler<'_> {
    /// Fetches the colours at (x, y, z) of the lanes of `mask`, before the view's swizzle.
    ///
    /// An index of [`BORDER`] in any dimension gives the border colour. Lanes outside `mask` are
    /// unspecified.
    pub(super) fn colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        index: [&R; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let border = self.border_lanes(index) & mask;
        match &self.texel {
            Texel::Unorm(layout) => {
                let mut texels = R::ZERO;
                words(level, layout.bytes, index, &mut texels);
                layout.unpack(&texels, out);
            }
            Texel::Indices(palette) => {
                let Some((bits, layout)) = palette.get() else { return };
                let mut texels = R::ZERO;
                indexed(&Indexed::new(level, *bits, layout.bytes), index, &mut texels);
                layout.unpack(&texels, out);
            }
            // `is_format_supported` rejects such a view.
            Texel::Planes(..) | Texel::Single(_) if !ALL_FORMATS => *out = [R::ZERO; 4],
            Texel::Planes(unpacker, bytes) => {
                let mut texels = [R::ZERO; 4];
                planes(level, *bytes, index, &mut texels);
                unpack(unpacker, bytes.div_ceil(4), &texels, out);
            }
            Texel::Blocks(blocks) => {
                let Some(blocks) = blocks.get() else { return };
                blocks.colors(level, index, mask & !border, &mut BlockCache::new(), out);
            }
            Texel::Single(desc) => single(desc, level, index, mask & !border, out),
        }
        self.put_border(border, out);
    }

    /// Fetches colours as [`colors`](Self::colors) does, from a level of blocks that `cache` keeps.
    pub(super) fn block_colors<R: Lanes>(
        &self,
        (blocks, cache): (&Blocks, &mut BlockCache),
        level: &Level<'_>,
        index: [&R; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let border = self.border_lanes(index) & mask;
        blocks.colors(level, index, mask & !border, cache, out);
        self.put_border(border, out);
    }

    /// Returns the lanes with an index of [`BORDER`].
    #[inline(always)]
    fn border_lanes<R: Lanes>(&self, index: [&R; 3]) -> Mask {
        let [x, y, z] = index.map(|row| row.as_slice());
        let touched = |row: &[u32]| row.iter().fold(false, |any, &i| any | (i == BORDER));
        if self.has_border && (touched(x) || touched(y) || touched(z)) {
            let is_border = |row: &[u32], lane| row.get(lane) == Some(&BORDER);
            lanes_where(R::COUNT, |lane| {
                is_border(x, lane) || is_border(y, lane) || is_border(z, lane)
            })
        } else {
            0
        }
    }

    /// Writes the border colour to the lanes of `border`.
    #[inline(always)]
    fn put_border<R: Lanes>(&self, border: Mask, out: &mut [R; 4]) {
        each_lane(border, R::COUNT, |lane| {
            for (row, component) in out.iter_mut().zip(self.border) {
                set_lane(row.as_mut_slice(), lane, component);
            }
        });
    }
}

/// Looks up the colours of the indices at (x, y), as words.
fn indexed<R: Lanes>(indexed: &Indexed<'_>, [x, y, _]: [&R; 3], out: &mut R) {
    let places = x.as_slice().iter().zip(y.as_slice());
    for (word, (x, y)) in out.as_mut_slice().iter_mut().zip(places) {
        *word = indexed.color(*x, *y);
    }
}

/// Decodes the texels at (x, y, z) of the lanes of `mask` one by one; zeros outside the level's
/// bytes.
fn single<R: Lanes>(
    desc: &Description,
    level: &Level<'_>,
    [x, y, z]: [&R; 3],
    mask: Mask,
    out: &mut [R; 4],
) {
    let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
    let size = usize::from(desc.block.bytes);
    each_lane(mask, R::COUNT, |lane| {
        let [x, y, z] = [x, y, z].map(|row| lane_of(row, lane));
        let offset = level.offset(x, y, z, size);
        let bytes = level.bytes.get(offset..).and_then(|rest| rest.get(..size));
        let texel = bytes.map_or([0; 4], |bytes| desc.fetch_rgba_bits(bytes));
        for (row, component) in out.iter_mut().zip(texel) {
            set_lane(row.as_mut_slice(), lane, component);
        }
    });
}
