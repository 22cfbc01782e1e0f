//! Clears of whole framebuffers, tile by tile.

use formats::Format;

use super::framebuffer::{ATTACHMENTS, DEPTH};
use crate::clear::{Texel, depth_stencil, depth_texel, fill_rect, is_whole};
use crate::features::Z16_ALONE;
use crate::lanes::{COLOR_BUFFERS, Target, TileTargets};
use crate::scene::Clear;

/// A clear made ready for the tiles of a framebuffer: one texel an attachment.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileClear {
    color: [Option<Texel>; COLOR_BUFFERS],
    depth: Option<Texel>,
    /// Depth or stencil, if the other one of a combined format stays.
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

    /// Returns the clear of the attachments for which `is_wanted` is true, by their indices.
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

    /// Clears all of the `samples` planes of a tile.
    pub(super) fn fill(&self, targets: &mut TileTargets<'_>, samples: u32) {
        let TileTargets { color, depth } = targets;
        let all = color.iter_mut().zip(&self.color).chain([(&mut *depth, &self.depth)]);
        for (target, texel) in all {
            if let (Some(target), Some(texel)) = (target, texel) {
                #[cfg(feature = "samples")]
                let target = &mut target.all_planes(samples);
                let (width, height) = (target.width, target.height);
                fill_rect(texel, target, 0, 0, width, height);
            }
        }
        if let (Some(target), Some((depth, stencil))) = (depth, self.part) {
            #[cfg(feature = "samples")]
            let target = &mut target.all_planes(samples);
            let rect = [0, 0, target.width, target.height];
            depth_stencil(target, depth, stencil, rect);
        }
        #[cfg(not(feature = "samples"))]
        let _ = samples;
    }
}

/// Clears a tile in the middle of a frame. (Cold, so that it does not burden the loop over
/// entries.)
#[cold]
#[inline(never)]
pub(super) fn clear_tile(clear: &Clear, targets: &mut TileTargets<'_>, samples: u32) {
    let format = |target: &Option<Target<'_>>| target.as_ref().map_or(Format::None, |t| t.format);
    let TileTargets { color, depth } = &*targets;
    let mut formats = [Format::None; ATTACHMENTS];
    for (slot, target) in formats.iter_mut().zip(color.iter().chain([depth])) {
        *slot = format(target);
    }
    TileClear::new(clear, &formats).fill(targets, samples);
}
