//! The size of texels. Builds with only two formats need no format table for it.

use formats::{Block, Format};
use pipe_core::ResourceTemplate;

use crate::features::TWO_FORMATS;

/// Returns the block of a resource's format.
#[inline(always)]
pub(super) fn block(template: &ResourceTemplate) -> Block {
    match TWO_FORMATS {
        // Buffers have a one-byte format by contract; textures of other formats cannot be made
        // here.
        true if template.is_buffer() => Block { width: 1, height: 1, depth: 1, bytes: 1 },
        true => Block { width: 1, height: 1, depth: 1, bytes: 2 },
        false => template.format.block(),
    }
}

/// Returns the bytes of a pixel that is drawn to.
#[inline(always)]
pub(crate) fn pixel_bytes(format: Format) -> usize {
    if TWO_FORMATS { 2 } else { format.block_bytes() }
}

/// Returns true if a surface may treat texels of `stored` as texels of `drawn`.
#[inline(always)]
pub(crate) fn is_drawn_as(stored: Format, drawn: Format) -> bool {
    match TWO_FORMATS {
        true => stored == drawn,
        false => stored.block_bytes() == drawn.block_bytes() && drawn.is_texel(),
    }
}
