//! Texels out of memory: rows of addresses to rows of colours.

use formats::Format;
use tgsi::exec::{Lanes, Mask};

use super::rows::{each_lane, has};
use super::unorm::Unorm;
use super::wrap::BORDER;
use super::{Level, Sampler};

/// How texels of a view are decoded. Picked once a draw.
#[derive(Clone, Copy, Debug)]
pub(super) enum Texel {
    /// By shifts and scales, a row at a time.
    Unorm(Unorm),
    /// By the general code of `formats`, a texel at a time.
    Float,
    /// Raw integers, a texel at a time.
    Integer,
}

impl Texel {
    pub(super) fn of(format: Format) -> Texel {
        if format.is_pure_integer() {
            Texel::Integer
        } else {
            Unorm::of(format).map_or(Texel::Float, Texel::Unorm)
        }
    }
}

impl Level<'_> {
    /// Byte offset of a texel, for formats of one texel a block. Wraps rather than overflows: the
    /// loads check it against the bytes there are.
    #[inline(always)]
    pub(super) fn offset(&self, x: u32, y: u32, z: u32, bytes: u32) -> usize {
        (z as usize)
            .wrapping_mul(self.layer_stride)
            .wrapping_add((y as usize).wrapping_mul(self.row_stride))
            .wrapping_add((x as usize).wrapping_mul(bytes as usize))
    }
}

/// A little-endian word of `N` bytes; 0 where there are none.
#[inline(always)]
fn word<const N: usize>(bytes: &[u8], offset: usize) -> u32 {
    let mut word = [0; 4];
    if let Some(texel) = bytes.get(offset..).and_then(|rest| rest.first_chunk::<N>()) {
        word[..N].copy_from_slice(texel);
    }
    u32::from_le_bytes(word)
}

/// The texels at (x, y, z) of the lanes of `mask`, as words of `size` bytes.
///
/// Indices outside the level give 0 or another texel of it. Lanes outside `mask` are 0.
#[inline(always)]
pub(super) fn words<R: Lanes>(
    level: &Level<'_>,
    size: u32,
    [x, y, z]: [&R; 3],
    mask: Mask,
) -> R {
    let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
    let mut texels = R::ZERO;
    let out = texels.as_mut_slice();
    // The size is tested outside the loop over lanes.
    match size {
        4 => each_lane::<R>(mask, |lane| {
            out[lane] = word::<4>(level.bytes, level.offset(x[lane], y[lane], z[lane], 4));
        }),
        2 => each_lane::<R>(mask, |lane| {
            out[lane] = word::<2>(level.bytes, level.offset(x[lane], y[lane], z[lane], 2));
        }),
        _ => each_lane::<R>(mask, |lane| {
            out[lane] = word::<1>(level.bytes, level.offset(x[lane], y[lane], z[lane], 1));
        }),
    }
    texels
}

impl Sampler<'_> {
    /// One texel, decoded, before the view's swizzle; zeros where there is none.
    pub(super) fn texel(&self, level: &Level<'_>, x: u32, y: u32, z: u32) -> [u32; 4] {
        let block = self.view.format.desc().block;
        let (width, height) = (u32::from(block.width.max(1)), u32::from(block.height.max(1)));
        if (width, height) != (1, 1) {
            // Texels of a block cannot be addressed by themselves.
            return [0; 4];
        }
        let size = u32::from(block.bytes);
        let offset = level.offset(x, y, z, size);
        let Some(bytes) = level.bytes.get(offset..).and_then(|rest| rest.get(..size as usize))
        else {
            return [0; 4];
        };
        match self.texel {
            Texel::Integer => self.view.format.fetch_rgba_bits(bytes),
            _ => self.view.format.fetch_rgba_f32(bytes).map(f32::to_bits),
        }
    }

    /// The colours at (x, y, z) of the lanes of `mask`, before the view's swizzle.
    ///
    /// An index of [`BORDER`] in any dimension is the border colour. Other lanes are unspecified.
    #[inline(always)]
    pub(super) fn colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        [x, y, z]: [&R; 3],
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let border = if self.has_border {
            let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
            super::rows::mask::<R>(|lane| {
                x[lane] == BORDER || y[lane] == BORDER || z[lane] == BORDER
            })
        } else {
            0
        };
        match &self.texel {
            Texel::Unorm(layout) => {
                let texels = words(level, layout.bytes, [x, y, z], mask & !border);
                layout.unpack(&texels, out);
            }
            _ => {
                let (x, y, z) = (x.as_slice(), y.as_slice(), z.as_slice());
                each_lane::<R>(mask & !border, |lane| {
                    let texel = self.texel(level, x[lane], y[lane], z[lane]);
                    for (row, component) in out.iter_mut().zip(texel) {
                        row.as_mut_slice()[lane] = component;
                    }
                });
            }
        }
        if border & mask != 0 {
            for (row, component) in out.iter_mut().zip(self.border) {
                for (lane, word) in row.as_mut_slice().iter_mut().enumerate() {
                    *word = if has(border, lane) { component } else { *word };
                }
            }
        }
    }
}
