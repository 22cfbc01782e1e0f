//! Memory that is drawn to: a [`Target`] of pixels, and the positions of quads in it.

use formats::Format;
use tgsi::exec::Mask;

use super::STAMP;
use crate::features::{FRAGMENTS, SAMPLES};

/// Pixels to draw to: a tile, or a piece of a surface.
#[derive(Debug)]
pub(crate) struct Target<'t> {
    /// The pixels' bytes; pixel (0, 0) is first.
    pub bytes: &'t mut [u8],
    /// Bytes from a row to the next.
    pub stride: usize,
    /// The pixels' format.
    pub format: Format,
    /// Width in pixels; nothing is written beyond it.
    pub width: u32,
    /// Height in pixels; nothing is written beyond it.
    pub height: u32,
}

/// The position of a 2×2 quad within a [`Target`]: its top left pixel, both coordinates even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuadPosition {
    /// Pixels from the left.
    pub x: u16,
    /// Pixels from the top.
    pub y: u16,
}

/// The positions of a batch's quads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadPositions<'a> {
    /// The quads, one for every four lanes.
    pub quads: &'a [QuadPosition],
    /// The number of stamps at the end of `quads`: four quads each, which cover 4×4 neighbouring
    /// pixels. With stamps, there is a quad for every four lanes of the batch.
    pub stamps: usize,
}

impl<'a> QuadPositions<'a> {
    /// Returns the positions of quads that form no stamps.
    pub(crate) fn packed(quads: &'a [QuadPosition]) -> Self {
        QuadPositions { quads, stamps: 0 }
    }

    /// Returns the first lane and first pixel of each stamp.
    #[inline(always)]
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, QuadPosition)> + use<'a> {
        let first = self.packed_quads().len();
        let stamps = self.quads.get(first..).unwrap_or(&[]).as_chunks::<4>().0;
        stamps.iter().enumerate().map(move |(index, quads)| (4 * first + STAMP * index, quads[0]))
    }

    /// Returns the quads before the stamps.
    #[inline(always)]
    pub(crate) fn packed_quads(&self) -> &'a [QuadPosition] {
        let end = self.quads.len().saturating_sub(4 * self.stamps);
        self.quads.get(..end).unwrap_or(&[])
    }

    /// Returns the lanes of the quads before the stamps.
    #[inline(always)]
    pub(crate) fn packed_lanes(&self) -> Mask {
        !Mask::MAX.checked_shl(4 * self.packed_quads().len() as u32).unwrap_or(0)
    }
}

/// The most colour buffers. Integer kernels draw to one.
pub(crate) const COLOR_BUFFERS: usize = if FRAGMENTS { 8 } else { 1 };

/// The colour buffers and the depth buffer of one tile.
#[derive(Debug)]
pub(crate) struct TileTargets<'t> {
    pub(crate) color: [Option<Target<'t>>; COLOR_BUFFERS],
    pub(crate) depth: Option<Target<'t>>,
}

impl TileTargets<'_> {
    /// Returns targets without memory.
    pub(crate) fn none() -> Self {
        // Not a copy of a constant: that would write all of nine `None`s, and this writes little.
        TileTargets { color: core::array::from_fn(|_| None), depth: None }
    }
}

impl Target<'_> {
    /// Returns the byte offset of a pixel. Wraps rather than overflows: `get` rejects the result.
    #[inline(always)]
    fn offset(&self, x: u32, y: u32, bytes: usize) -> usize {
        (y as usize).wrapping_mul(self.stride).wrapping_add(x as usize * bytes)
    }

    /// Returns the bytes of `count` pixels of a row from (`x`, `y`) on, at `bytes` per pixel;
    /// `None` beyond the memory.
    #[inline(always)]
    pub(super) fn span(&self, x: u32, y: u32, bytes: usize, count: usize) -> Option<&[u8]> {
        self.bytes.get(self.offset(x, y, bytes)..)?.get(..count * bytes)
    }

    /// Returns [`span`](Self::span) for writing.
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

    /// Returns true if a square of `size` pixels, with first pixel `first`, lies within the target.
    #[inline(always)]
    fn holds(&self, first: QuadPosition, size: u32) -> bool {
        u32::from(first.x) + (size - 1) < self.width
            && u32::from(first.y) + (size - 1) < self.height
    }

    /// Returns the upper and the lower row of a quad, two pixels of `N` bytes each; `None` if the
    /// target's edge cuts the quad.
    #[inline(always)]
    pub(crate) fn quad<const N: usize>(&self, quad: QuadPosition) -> Option<[&[u8]; 2]> {
        if !self.holds(quad, 2) {
            return None;
        }
        let rest = self.bytes.get(self.offset(u32::from(quad.x), u32::from(quad.y), N)..)?;
        let (top, bottom) = rest.split_at_checked(self.stride)?;
        Some([top.get(..2 * N)?, bottom.get(..2 * N)?])
    }

    /// Returns the rows of [`quad`](Self::quad) for writing.
    #[inline(always)]
    pub(crate) fn quad_mut<const N: usize>(
        &mut self,
        quad: QuadPosition,
    ) -> Option<[&mut [u8]; 2]> {
        if !self.holds(quad, 2) {
            return None;
        }
        let offset = self.offset(u32::from(quad.x), u32::from(quad.y), N);
        let rest = self.bytes.get_mut(offset..)?;
        let (top, bottom) = rest.split_at_mut_checked(self.stride)?;
        Some([top.get_mut(..2 * N)?, bottom.get_mut(..2 * N)?])
    }

    /// Returns the rows of the stamp at `first`, four pixels of `N` bytes each; `None` if the
    /// target's edge cuts the stamp.
    #[inline(always)]
    pub(crate) fn stamp<const N: usize>(&self, first: QuadPosition) -> Option<[&[u8]; 4]> {
        if !self.holds(first, 4) {
            return None;
        }
        let rest = self.bytes.get(self.offset(u32::from(first.x), u32::from(first.y), N)..)?;
        let (a, rest) = rest.split_at_checked(self.stride)?;
        let (b, rest) = rest.split_at_checked(self.stride)?;
        let (c, d) = rest.split_at_checked(self.stride)?;
        Some([a.get(..4 * N)?, b.get(..4 * N)?, c.get(..4 * N)?, d.get(..4 * N)?])
    }

    /// Returns the rows of [`stamp`](Self::stamp) for writing.
    #[inline(always)]
    pub(crate) fn stamp_mut<const N: usize>(
        &mut self,
        first: QuadPosition,
    ) -> Option<[&mut [u8]; 4]> {
        if !self.holds(first, 4) {
            return None;
        }
        let offset = self.offset(u32::from(first.x), u32::from(first.y), N);
        let rest = self.bytes.get_mut(offset..)?;
        let (a, rest) = rest.split_at_mut_checked(self.stride)?;
        let (b, rest) = rest.split_at_mut_checked(self.stride)?;
        let (c, d) = rest.split_at_mut_checked(self.stride)?;
        Some([a.get_mut(..4 * N)?, b.get_mut(..4 * N)?, c.get_mut(..4 * N)?, d.get_mut(..4 * N)?])
    }

    /// Returns true if a pixel lies within the target.
    #[inline(always)]
    pub(crate) fn has(&self, x: u32, y: u32) -> bool {
        x < self.width && y < self.height
    }
}

/// Planes of samples. Each row of the first sample is followed by the same row of every other
/// sample, so that a band of rows holds all samples of its pixels.
impl Target<'_> {
    /// Returns the plane of one of `samples` samples.
    #[inline(always)]
    pub(crate) fn plane(&mut self, sample: usize, samples: u32) -> Target<'_> {
        let start = self.stride / samples.max(1) as usize * sample;
        Target { bytes: self.bytes.get_mut(start..).unwrap_or(&mut []), ..*self }
    }

    /// Averages the samples of each pixel and moves the pixels together, which leaves a target of
    /// one sample. Rows must have no gaps. `spread` returns the pixels of an RGB565 row where
    /// samples may differ, one bit per pixel; every other pixel takes its first sample.
    pub(crate) fn resolve(&mut self, samples: u32, spread: impl Fn(usize) -> u64) {
        /// A multiple of the size of every colour texel.
        const CHUNK: usize = 48;
        if samples <= 1 {
            return;
        }
        let row = self.stride / samples as usize;
        if self.format == Format::B5G6R5Unorm
            && self.resolve_565(samples as usize, spread).is_some()
        {
            self.stride = row;
            return;
        }
        let mut chunk = [0; CHUNK];
        for y in 0..self.height as usize {
            for x in (0..row).step_by(CHUNK) {
                let Some(out) = chunk.get_mut(..CHUNK.min(row - x)) else { return };
                let source = self.bytes.get(y * self.stride + x..).unwrap_or(&[]);
                super::means(self.format, source, row, samples as usize, out);
                // Overwrites only pixels that have been read: unread pixels lie further on.
                let start = y * row + x;
                if let Some(pixels) = self.bytes.get_mut(start..start + out.len()) {
                    pixels.copy_from_slice(out);
                }
            }
        }
        self.stride = row;
    }

    /// Averages RGB565 pixels as [`resolve`](Self::resolve) does. Does nothing and returns `None`
    /// if they are not aligned to 16 bits.
    fn resolve_565(&mut self, samples: usize, spread: impl Fn(usize) -> u64) -> Option<()> {
        let stride = self.stride / 2;
        let words: &mut [u16] = bytemuck::try_cast_slice_mut(self.bytes).ok()?;
        let words = words.get_mut(..stride * self.height as usize)?;
        let row = stride / samples.max(1);
        for y in 0..self.height as usize {
            let rows = words.get_mut(y * stride..(y + 1) * stride)?;
            match spread(y) {
                u64::MAX => super::means::means_565(rows, samples),
                some => super::means::some_means_565(rows, samples, some),
            }
            let (to, from) = words.split_at_mut_checked(y * stride)?;
            if y > 0 {
                let (to, from) = (to.get_mut(y * row..(y + 1) * row)?, from.get(..row)?);
                match (bytemuck::try_cast_slice_mut::<u16, u32>(to), bytemuck::try_cast_slice(from))
                {
                    // Two at a time: fewer instructions than a call to copy.
                    (Ok(to), Ok(from)) => {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from)
                    }
                    _ => words.copy_within(y * stride..y * stride + row, y * row),
                }
            }
        }
        Some(())
    }

    /// Returns all planes as one target, `samples` times as high.
    pub(crate) fn all_planes(&mut self, samples: u32) -> Target<'_> {
        let samples = if SAMPLES { samples.max(1) } else { 1 };
        Target {
            bytes: self.bytes,
            stride: self.stride / samples as usize,
            height: self.height * samples,
            ..*self
        }
    }
}

impl TileTargets<'_> {
    /// Returns the planes of one of `samples` samples.
    #[inline(always)]
    pub(crate) fn plane(&mut self, sample: usize, samples: u32) -> TileTargets<'_> {
        TileTargets {
            color: self
                .color
                .each_mut()
                .map(|target| target.as_mut().map(|target| target.plane(sample, samples))),
            depth: self.depth.as_mut().map(|target| target.plane(sample, samples)),
        }
    }
}

/// Returns x and y of pixel `corner` of a quad: 0 and 1 are the upper row, 2 and 3 the lower.
#[inline(always)]
pub(crate) fn pixel(quad: QuadPosition, corner: usize) -> (u32, u32) {
    (u32::from(quad.x) + (corner as u32 & 1), u32::from(quad.y) + (corner as u32 >> 1))
}
