//! Clears of whole framebuffers, tile by tile.

use formats::Format;

use super::framebuffer::{ATTACHMENTS, DEPTH};
use crate::clear::{Texel, depth_stencil, depth_texel, fill_rect, is_whole};
use crate::features::Z16_ALONE;
use crate::lanes::{COLOR_BUFFERS, Target, TileTargets};
use crate::scene::Clear;
use crate::setup::Bounds;

/// A clear prepared for the tiles of a framebuffer: one texel per attachment.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileClear {
    color: [Option<Texel>; COLOR_BUFFERS],
    depth: Option<Texel>,
    /// Depth or stencil, if the clear keeps the other one of a combined format.
    part: Option<(Option<f32>, Option<u8>)>,
}

impl TileClear {
    /// Packs a clear for attachments of these formats; the last one is depth.
    #[inline(never)]
    pub(super) fn new(clear: &Clear, formats: &[Format; ATTACHMENTS]) -> TileClear {
        let mut color = [None; COLOR_BUFFERS];
        for (index, ((texel, format), bits)) in
            color.iter_mut().zip(formats).zip(clear.color).enumerate()
        {
            let wanted = clear.color_buffers >> index & 1 != 0 && *format != Format::None;
            *texel = wanted.then(|| Texel::color(*format, bits));
        }
        let (format, depth, stencil) = (formats[DEPTH], clear.depth, clear.stencil);
        let any = format != Format::None && (depth.is_some() || stencil.is_some());
        let whole = is_whole(format, depth, stencil);
        if Z16_ALONE {
            let depth = depth.filter(|_| any).map(depth_texel);
            return TileClear { color, depth, part: None };
        }
        let mut bytes = [0; 8];
        let texel = bytes.get_mut(..format.block_bytes()).filter(|_| any && whole).map(|bytes| {
            let (stride, format) = (bytes.len(), format);
            let mut texel = Target { bytes, stride, format, width: 1, height: 1 };
            depth_stencil(&mut texel, depth, stencil, [0, 0, 1, 1]);
            Texel::from_bytes(texel.bytes)
        });
        TileClear { color, depth: texel, part: (any && !whole).then_some((depth, stencil)) }
    }

    /// Returns the clear of the attachments for which `is_wanted(index)` is true.
    pub(super) fn only(&self, is_wanted: impl Fn(usize) -> bool) -> TileClear {
        let TileClear { mut color, mut depth, mut part } = *self;
        for (index, texel) in color.iter_mut().enumerate() {
            *texel = texel.filter(|_| is_wanted(index));
        }
        if !is_wanted(DEPTH) {
            (depth, part) = (None, None);
        }
        TileClear { color, depth, part }
    }

    /// Clears all `samples` planes of a tile.
    pub(super) fn fill(&self, targets: &mut TileTargets<'_>, samples: u32) {
        self.fill_part(targets, samples, None);
    }

    /// Clears all `samples` planes of a rectangle of a tile, or of the whole tile.
    #[inline(always)]
    fn fill_part(&self, targets: &mut TileTargets<'_>, samples: u32, part: Option<[u32; 4]>) {
        let rect = |target: &Target<'_>| match part {
            Some([x, y, width, height]) => [x, y * samples, width, height * samples],
            None => [0, 0, target.width, target.height],
        };
        let TileTargets { color, depth } = targets;
        let all = color.iter_mut().zip(&self.color).chain([(&mut *depth, &self.depth)]);
        for (target, texel) in all {
            if let (Some(target), Some(texel)) = (target, texel) {
                let target = &mut target.all_planes(samples);
                let [x, y, width, height] = rect(target);
                fill_rect(texel, target, x, y, width, height);
            }
        }
        if let (Some(target), Some((depth, stencil))) = (depth, self.part) {
            let target = &mut target.all_planes(samples);
            let rect = rect(target);
            depth_stencil(target, depth, stencil, rect);
        }
    }
}

/// Clears a tile in the middle of a frame. (Cold, so that it does not slow the loop over entries.)
#[cold]
#[inline(never)]
pub(super) fn clear_tile(clear: &Clear, targets: &mut TileTargets<'_>, samples: u32) {
    ready(clear, targets).fill(targets, samples);
}

/// Clears the part of a tile that the clear covers, in the middle of a frame. `tile` is the tile's
/// rectangle of pixels.
#[cold]
#[inline(never)]
pub(super) fn clear_in_tile(
    clear: &Clear,
    targets: &mut TileTargets<'_>,
    samples: u32,
    tile: &Bounds,
) {
    let Some(part) = clear.part() else { return clear_tile(clear, targets, samples) };
    let part = part.intersect(tile);
    if !part.is_empty() {
        let [x, y] = [part.x0 - tile.x0, part.y0 - tile.y0].map(|value| value as u32);
        let size = [part.x1 - part.x0, part.y1 - part.y0].map(|value| value as u32);
        let rect = [x, y, size[0], size[1]];
        ready(clear, targets).fill_part(targets, samples, Some(rect));
    }
}

/// Prepares a clear for the targets of a tile.
#[inline(always)]
fn ready(clear: &Clear, targets: &TileTargets<'_>) -> TileClear {
    let format = |target: &Option<Target<'_>>| target.as_ref().map_or(Format::None, |t| t.format);
    let TileTargets { color, depth } = targets;
    let mut formats = [Format::None; ATTACHMENTS];
    for (slot, target) in formats.iter_mut().zip(color.iter().chain([depth])) {
        *slot = format(target);
    }
    TileClear::new(clear, &formats)
}
