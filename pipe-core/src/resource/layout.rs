//! Linear layouts: the address of each texel of a resource in memory.
//!
//! Levels follow each other, levels consist of layers, layers of rows, all without gaps. Transfers
//! and the virgl wire assume this layout. A driver with another layout ignores it.

use core::num::NonZero;

use formats::Block;

use super::error::ResourceError;
use super::target::TextureTarget;
use super::template::{ResourceTemplate, minify};
use crate::limits::MAX_TEXTURE_LEVELS;
use crate::region::Region;

/// One level within a [`Layout`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LevelLayout {
    /// Offset of the level, in bytes.
    pub offset: usize,
    /// Bytes from one row of blocks to the next.
    pub row_stride: usize,
    /// Bytes from one layer, or slice of blocks, to the next.
    pub layer_stride: usize,
    /// Size of the level, in bytes.
    pub size: usize,
    /// Width, in texels.
    pub width: u32,
    /// Height, in texels.
    pub height: u32,
    /// Number of slices or layers.
    pub layers: u32,
}

/// The linear storage of a resource: all levels of sample 0, then all levels of sample 1, and so
/// on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The levels; entries beyond the last level are zero.
    levels: [LevelLayout; MAX_TEXTURE_LEVELS],
    /// Number of valid levels.
    count: u8,
    /// Width, height and depth of a block in texels, and its size in bytes.
    block: [u32; 4],
    /// Size of all levels of one sample, in bytes.
    sample_stride: usize,
    /// Size of all levels of all stored samples, in bytes.
    total: usize,
}

impl Layout {
    /// Returns the layout of a resource with tightly packed rows.
    ///
    /// # Errors
    /// [`ResourceError::Overflow`] if a size does not fit in `isize`;
    /// [`ResourceError::TooManyLevels`]; [`ResourceError::NoFormat`].
    pub fn of(template: &ResourceTemplate) -> Result<Self, ResourceError> {
        Self::aligned(template, 1)
    }

    /// Returns the layout of a resource with rows at multiples of `row_alignment` bytes from their
    /// level's start.
    ///
    /// # Errors
    /// As for [`Layout::of`].
    pub fn aligned(
        template: &ResourceTemplate,
        row_alignment: usize,
    ) -> Result<Self, ResourceError> {
        Self::of_blocks(template, template.format.block(), row_alignment)
    }

    /// Returns the layout of a resource with a format of this block; see [`Layout::aligned`].
    ///
    /// # Errors
    /// As for [`Layout::of`].
    #[inline(never)]
    pub(super) fn of_blocks(
        template: &ResourceTemplate,
        block: Block,
        row_alignment: usize,
    ) -> Result<Self, ResourceError> {
        let block = [block.width, block.height, block.depth, block.bytes].map(u32::from);
        if block.contains(&0) {
            return Err(ResourceError::NoFormat);
        }
        let possible = const { MAX_TEXTURE_LEVELS as u32 - 1 };
        if template.last_level > possible {
            let last_level = template.last_level;
            return Err(ResourceError::TooManyLevels { last_level, possible });
        }
        let mut layout = Self {
            levels: [LevelLayout::default(); MAX_TEXTURE_LEVELS],
            count: (template.last_level as u8).saturating_add(1),
            block,
            sample_stride: 0,
            total: 0,
        };
        let mut offset = 0usize;
        for (level, place) in (0..=template.last_level).zip(&mut layout.levels) {
            *place = level_layout(template, level, block, row_alignment, offset)
                .ok_or(ResourceError::Overflow)?;
            offset = offset.checked_add(place.size).ok_or(ResourceError::Overflow)?;
        }
        layout.sample_stride = offset;
        layout.total = offset
            .checked_mul(template.storage_samples().into())
            .filter(|total| isize::try_from(*total).is_ok())
            .ok_or(ResourceError::Overflow)?;
        Ok(layout)
    }

    /// Returns the size of all levels of all stored samples, in bytes.
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Returns the number of bytes from a sample's texel to the same texel of the next sample.
    pub const fn sample_stride(&self) -> usize {
        self.sample_stride
    }

    /// Returns the levels, the largest first.
    pub fn levels(&self) -> &[LevelLayout] {
        self.levels.get(..usize::from(self.count)).unwrap_or(&self.levels)
    }

    /// Returns one level; `None` if there is no such level.
    pub fn level(&self, level: u32) -> Option<&LevelLayout> {
        self.levels().get(usize::try_from(level).ok()?)
    }

    /// Returns the byte offset of the block that holds a texel of sample 0; `z` is a slice or
    /// layer. Returns `None` if the texel is outside.
    pub fn offset(&self, level: u32, x: u32, y: u32, z: u32) -> Option<usize> {
        let place = self.level(level)?;
        if x >= place.width || y >= place.height || z >= place.layers {
            return None;
        }
        let [block_width, block_height, block_depth, block_bytes] = self.block;
        let [x, y, z] = [
            x.checked_div(block_width)? as usize,
            y.checked_div(block_height)? as usize,
            z.checked_div(block_depth)? as usize,
        ];
        // All offsets are within the level, and its size does not overflow.
        let row = z.wrapping_mul(place.layer_stride).wrapping_add(y.wrapping_mul(place.row_stride));
        let column = x.wrapping_mul(block_bytes as usize);
        Some(place.offset.wrapping_add(row).wrapping_add(column))
    }

    /// Returns the bytes in a row, the number of rows of blocks, and the number of layers that a
    /// transfer of the box copies; `None` if a side is negative.
    pub fn extent(&self, region: &Region) -> Option<[usize; 3]> {
        let [block_width, block_height, block_depth, block_bytes] = self.block;
        let width = u32::try_from(region.width).ok()?;
        let height = u32::try_from(region.height).ok()?;
        let depth = u32::try_from(region.depth).ok()?;
        let row = (blocks(width, block_width) as usize).checked_mul(block_bytes as usize)?;
        Some([row, blocks(height, block_height) as usize, blocks(depth, block_depth) as usize])
    }
}

/// Returns the number of blocks of length `block` that hold `texels` texels.
fn blocks(texels: u32, block: u32) -> u32 {
    // A format's block is never 0. The type keeps the division's panic out of a board's flash.
    match NonZero::new(block) {
        Some(block) => (texels / block).saturating_add(u32::from(texels % block != 0)),
        None => texels,
    }
}

/// Places one level at `offset`; `None` on overflow.
fn level_layout(
    template: &ResourceTemplate,
    level: u32,
    [block_width, block_height, block_depth, block_bytes]: [u32; 4],
    row_alignment: usize,
    offset: usize,
) -> Option<LevelLayout> {
    let width = minify(template.width0, level);
    let height = minify(template.height0, level);
    let layers = match template.target {
        TextureTarget::Texture3D => minify(template.depth0, level),
        _ => template.array_size,
    };
    let row = (blocks(width, block_width) as usize).checked_mul(block_bytes as usize)?;
    let row_stride = row.checked_next_multiple_of(row_alignment.max(1))?;
    let layer_stride = row_stride.checked_mul(blocks(height, block_height) as usize)?;
    let size = layer_stride.checked_mul(blocks(layers, block_depth) as usize)?;
    Some(LevelLayout { offset, row_stride, layer_stride, size, width, height, layers })
}

/// Returns true if `size` bytes hold a box of `extent` (bytes in a row, rows, layers). Its rows and
/// layers are `stride` and `layer_stride` bytes apart, without overlap.
///
/// The last row needs no padding. The stride of a single row or layer does not matter.
pub fn holds(size: usize, extent: [usize; 3], stride: usize, layer_stride: usize) -> bool {
    let [row, rows, layers] = extent;
    let (Some(last_row), Some(last_layer)) = (rows.checked_sub(1), layers.checked_sub(1)) else {
        return true;
    };
    let layer = || stride.checked_mul(last_row)?.checked_add(row);
    let needed = || layer_stride.checked_mul(last_layer)?.checked_add(layer()?);
    // Row offsets are computed even if rows are empty, so they must not overflow.
    needed().is_some_and(|needed| row == 0 || needed <= size)
        && (rows == 1 || stride >= row)
        && (row == 0 || layers == 1 || layer().is_some_and(|layer| layer_stride >= layer))
}

#[cfg(test)]
mod tests {
    use formats::Format;

    use super::*;
    use crate::resource::Bind;

    #[test]
    fn chains_follow_each_other() {
        // 8x4 RGBA8: 8*4*4 = 128, 4*2*4 = 32, 2*1*4 = 8, 1*1*4 = 4.
        let template =
            ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 8, 4, Bind::SAMPLER_VIEW)
                .mipmapped();
        let layout = Layout::of(&template).expect("small");
        let offsets: [usize; 4] = core::array::from_fn(|i| layout.levels()[i].offset);
        assert_eq!(offsets, [0, 128, 160, 168]);
        assert_eq!(layout.total(), 172);
        assert_eq!(layout.offset(1, 3, 1, 0), Some(128 + 16 + 12));
        assert_eq!(layout.offset(1, 4, 0, 0), None);
        assert_eq!(layout.offset(4, 0, 0, 0), None);
    }

    #[test]
    fn wire_sizes_as_measured() {
        // Sizes from a real client: a 32x32 cube of 6 levels, a 32x32x8 volume.
        let cube = ResourceTemplate {
            target: TextureTarget::Cube,
            array_size: 6,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 32, 32, Bind::SAMPLER_VIEW)
        };
        assert_eq!(Layout::of(&cube.mipmapped()).map(|layout| layout.total()), Ok(32760));
        let volume = ResourceTemplate {
            target: TextureTarget::Texture3D,
            depth0: 8,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 32, 32, Bind::SAMPLER_VIEW)
        };
        assert_eq!(Layout::of(&volume).map(|layout| layout.total()), Ok(32768));
    }

    #[test]
    fn rows_align_and_samples_multiply() {
        let template = ResourceTemplate {
            nr_samples: 4,
            ..ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 5, 3, Bind::RENDER_TARGET)
        };
        let layout = Layout::aligned(&template, 16).expect("small");
        assert_eq!(layout.levels()[0].row_stride, 16);
        assert_eq!((layout.sample_stride(), layout.total()), (48, 192));
    }

    #[test]
    fn buffers_are_their_bytes() {
        let layout = Layout::of(&ResourceTemplate::buffer(1000, Bind::VERTEX_BUFFER));
        assert_eq!(layout.map(|layout| layout.total()), Ok(1000));
    }

    #[test]
    fn extents_and_what_holds_them() {
        let template = ResourceTemplate::texture_2d(Format::R8Unorm, 16, 16, Bind::empty());
        let layout = Layout::of(&template).expect("small");
        let extent = layout.extent(&Region::rect(0, 0, 4, 3)).expect("not negative");
        assert_eq!(extent, [4, 3, 1]);
        assert_eq!(layout.extent(&Region { width: -1, ..Region::rect(0, 0, 1, 1) }), None);
        assert!(holds(2 * 10 + 4, extent, 10, 0), "the last row is not padded");
        assert!(!holds(2 * 10 + 3, extent, 10, 0));
        assert!(!holds(100, extent, 3, 0), "rows overlap");
        assert!(holds(0, [4, 0, 1], 0, 0), "nothing fits everywhere");
        assert!(!holds(usize::MAX, [4, 3, 2], usize::MAX, usize::MAX), "overflow");
        assert!(!holds(usize::MAX, [0, 3, 2], usize::MAX, usize::MAX), "offsets of empty rows");
        assert!(!holds(1000, [4, 3, 2], 4, 11), "layers overlap");
        assert!(holds(24, [4, 3, 2], 4, 12));
    }
}
