//! Memory that is sampled: a mip [`Level`] of a texture.

use crate::features::OfSamples;

/// One mip level of a texture in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level<'a> {
    /// The level's texels, layer by layer, row by row.
    pub bytes: &'a [u8],
    /// Width in texels.
    pub width: u32,
    /// Height in texels; 1 for 1D.
    pub height: u32,
    /// Slices of a 3D texture; otherwise layers (six per cube).
    pub depth: u32,
    /// Bytes from a row to the next.
    pub row_stride: usize,
    /// Bytes from a slice or layer to the next.
    pub layer_stride: usize,
    /// Samples per texel, one plane per sample, with the planes' rows interleaved; 0 and 1 both
    /// mean one.
    pub(crate) samples: OfSamples<u32>,
}

impl<'a> Level<'a> {
    /// Describes a level of `width` × `height` texels with one layer and one sample per texel. A row
    /// begins `row_stride` bytes after the row before.
    #[cfg(test)]
    pub(crate) fn texture_2d(bytes: &'a [u8], width: u32, height: u32, row_stride: usize) -> Self {
        let layer_stride = row_stride.saturating_mul(height as usize);
        Level { bytes, width, height, depth: 1, row_stride, layer_stride, ..Level::default() }
    }

    /// Returns the number of samples per texel, at least 1.
    pub(crate) fn samples(&self) -> u32 {
        self.samples.get().map_or(1, |samples| (*samples).max(1))
    }
}
