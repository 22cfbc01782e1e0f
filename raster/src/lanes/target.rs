//! Memory that is drawn to: a [`Target`] of pixels, and the quads it is addressed by.

use formats::Format;

/// Pixels to draw to: a tile, or a piece of a surface.
#[derive(Debug)]
pub struct Target<'t> {
    /// The pixels' bytes; pixel (0, 0) is first.
    pub bytes: &'t mut [u8],
    /// Bytes from a row to the next.
    pub stride: usize,
    /// The pixels' format.
    pub format: Format,
    /// Width in pixels; nothing is written beyond.
    pub width: u32,
    /// Height in pixels; nothing is written beyond.
    pub height: u32,
}

/// The position of a 2×2 quad within a [`Target`]: its top left pixel, both coordinates even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuadPosition {
    /// Pixels from the left.
    pub x: u16,
    /// Pixels from the top.
    pub y: u16,
}

/// The colour buffers and the depth buffer of one tile.
#[derive(Debug)]
pub(crate) struct TileTargets<'t> {
    pub(crate) color: [Option<Target<'t>>; 8],
    pub(crate) depth: Option<Target<'t>>,
}

impl TileTargets<'_> {
    /// No memory yet.
    pub(crate) fn none() -> Self {
        // Not a copy of a constant: little of nine `None`s is written.
        TileTargets { color: core::array::from_fn(|_| None), depth: None }
    }
}

impl Target<'_> {
    /// Returns the byte offset of a pixel. Wraps rather than overflows: `get` refuses the result.
    #[inline(always)]
    fn offset(&self, x: u32, y: u32, bytes: usize) -> usize {
        (y as usize).wrapping_mul(self.stride).wrapping_add(x as usize * bytes)
    }

    /// Returns the bytes of `count` pixels of a row from (`x`, `y`) on, `bytes` a pixel; `None` beyond
    /// the memory.
    #[inline(always)]
    pub(super) fn span(&self, x: u32, y: u32, bytes: usize, count: usize) -> Option<&[u8]> {
        self.bytes.get(self.offset(x, y, bytes)..)?.get(..count * bytes)
    }

    /// Returns the bytes of [`span`](Self::span) to write.
    #[inline(always)]
    pub(crate) fn span_mut(
        &mut self,
        x: u32,
        y: u32,
        bytes: usize,
        count: usize,
    ) -> Option<&mut [u8]> {
        let offset = self.offset(x, y, bytes);
        self.bytes.get_mut(offset..)?.get_mut(..count * bytes)
    }

    /// Returns true if all four pixels of a quad lie within the target.
    #[inline(always)]
    fn holds(&self, quad: QuadPosition) -> bool {
        u32::from(quad.x) + 1 < self.width && u32::from(quad.y) + 1 < self.height
    }

    /// Returns the upper and the lower row of a quad, two pixels of `N` bytes each; `None` for a quad
    /// that the target's edge cuts.
    #[inline(always)]
    pub(crate) fn quad<const N: usize>(&self, quad: QuadPosition) -> Option<[&[u8]; 2]> {
        if !self.holds(quad) {
            return None;
        }
        let rest = self.bytes.get(self.offset(u32::from(quad.x), u32::from(quad.y), N)..)?;
        let (top, bottom) = rest.split_at_checked(self.stride)?;
        Some([top.get(..2 * N)?, bottom.get(..2 * N)?])
    }

    /// Returns the rows of [`quad`](Self::quad) to write.
    #[inline(always)]
    pub(crate) fn quad_mut<const N: usize>(
        &mut self,
        quad: QuadPosition,
    ) -> Option<[&mut [u8]; 2]> {
        if !self.holds(quad) {
            return None;
        }
        let offset = self.offset(u32::from(quad.x), u32::from(quad.y), N);
        let rest = self.bytes.get_mut(offset..)?;
        let (top, bottom) = rest.split_at_mut_checked(self.stride)?;
        Some([top.get_mut(..2 * N)?, bottom.get_mut(..2 * N)?])
    }

    /// Returns true if a pixel lies within the target.
    #[inline(always)]
    pub(crate) fn has(&self, x: u32, y: u32) -> bool {
        x < self.width && y < self.height
    }
}

/// Returns x and y of pixel `corner` of a quad: 0 and 1 are the upper row, 2 and 3 the lower.
#[inline(always)]
pub(crate) fn pixel(quad: QuadPosition, corner: usize) -> (u32, u32) {
    (u32::from(quad.x) + (corner as u32 & 1), u32::from(quad.y) + (corner as u32 >> 1))
}
