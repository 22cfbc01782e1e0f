//! Texel fetch: rows of texel indices to rows of decoded colours.

use formats::Format;
use formats::lanes::Unpacker;
use tgsi::exec::{Lanes, Mask};

use super::loads::{planes, words};
use super::wrap::BORDER;
use super::{Level, Sampler};
use crate::features::ALL_FORMATS;
use crate::lanes::planes::unpack;
use crate::lanes::{UnormLayout, each_lane, lanes_where};

/// The decoder of a view's texels, picked once a draw.
#[derive(Clone, Copy)]
pub(super) enum Texel {
    /// Unsigned normalised channels, by shifts and scales.
    Unorm(UnormLayout),
    /// Rows at once by `formats`, from texels of this many bytes: 1 to 4, 6, 8, 12 or 16.
    Planes(Unpacker, usize),
    /// One texel after the other: compressed blocks and odd sizes.
    Single,
}

impl Texel {
    /// Picks the decoder for the levels of a view.
    pub(super) fn of(format: Format, levels: &[Level<'_>]) -> Texel {
        let block = format.block();
        let bytes = usize::from(block.bytes);
        let loops = format.is_texel()
            && (block.width, block.height) == (1, 1)
            && (matches!(bytes, 1 | 2 | 4) || ALL_FORMATS && matches!(bytes, 3 | 6 | 8 | 12 | 16))
            && levels.iter().all(|level| level.is_whole(bytes));
        if !loops {
            return Texel::Single;
        }
        match UnormLayout::sampled(format) {
            Some(layout) => Texel::Unorm(layout),
            None if !ALL_FORMATS => Texel::Single,
            None => Texel::Planes(Unpacker::new(format), bytes),
        }
    }
}

impl Sampler<'_> {
    /// Decodes one texel, before the view's swizzle; zeros outside the level's bytes.
    pub(super) fn texel(&self, level: &Level<'_>, x: u32, y: u32, z: u32) -> [u32; 4] {
        let block = self.view.format.block();
        let (width, height) = (u32::from(block.width.max(1)), u32::from(block.height.max(1)));
        let size = usize::from(block.bytes);
        let offset = level.offset(x / width, y / height, z, size);
        let Some(bytes) = level.bytes.get(offset..).and_then(|rest| rest.get(..size)) else {
            return [0; 4];
        };
        let format = self.view.format;
        if format.is_texel() {
            return format.fetch_rgba_bits(bytes);
        }
        let place = ((x % width) as usize, (y % height) as usize);
        format.fetch_rgba_f32_at(bytes, place.0, place.1).map(f32::to_bits)
    }

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
        let [x, y, z] = index.map(|row| row.as_slice());
        let touched = |row: &[u32]| row.iter().fold(false, |any, &i| any | (i == BORDER));
        let border = if self.has_border && (touched(x) || touched(y) || touched(z)) {
            let is_border = |row: &[u32], lane| row.get(lane) == Some(&BORDER);
            let any = |lane| is_border(x, lane) || is_border(y, lane) || is_border(z, lane);
            lanes_where(R::COUNT, any) & mask
        } else {
            0
        };
        match &self.texel {
            Texel::Unorm(layout) => {
                let mut texels = R::ZERO;
                words(level, layout.bytes, index, &mut texels);
                layout.unpack(&texels, out);
            }
            // `is_format_supported` refuses such a view.
            Texel::Planes(..) | Texel::Single if !ALL_FORMATS => *out = [R::ZERO; 4],
            Texel::Planes(unpacker, bytes) => {
                let mut texels = [R::ZERO; 4];
                planes(level, *bytes, index, &mut texels);
                unpack(unpacker, bytes.div_ceil(4), &texels, out);
            }
            Texel::Single => each_lane(mask & !border, R::COUNT, |lane| {
                let texel = self.texel(level, x[lane], y[lane], z[lane]);
                for (row, component) in out.iter_mut().zip(texel) {
                    row.as_mut_slice()[lane] = component;
                }
            }),
        }
        each_lane(border, R::COUNT, |lane| {
            for (row, component) in out.iter_mut().zip(self.border) {
                row.as_mut_slice()[lane] = component;
            }
        });
    }
}
