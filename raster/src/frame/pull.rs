//! One tile of a frame, drawn into the caller's memory. The caller sends it.

use formats::Format;
use pipe_core::{Area, PanelError, TilePanel};

use super::{Framebuffer, Part};
use crate::profile::Profile;

impl Part {
    /// Returns the part with tile `index` of a frame, counted along rows from the top left corner;
    /// `None` past the last tile.
    pub(crate) fn tile<P: Profile>(framebuffer: &Framebuffer, index: u32) -> Option<Part> {
        let columns = framebuffer.width.div_ceil(P::TILE_WIDTH).max(1);
        let top = (index / columns).checked_mul(P::TILE_HEIGHT)?;
        let end = top.checked_add(P::TILE_HEIGHT)?.min(framebuffer.height);
        (top < end).then_some(Part { rows: top..end, column: Some(index % columns) })
    }
}

/// The memory of one tile, as a panel that lends it.
pub(crate) struct LentTile<'p> {
    pixels: &'p mut [u8],
    /// The rectangle of the tile that was drawn.
    pub(crate) area: Option<Area>,
    /// The size in bytes of a tile that did not fit the memory, if there was one.
    pub(crate) missing: Option<usize>,
}

impl<'p> LentTile<'p> {
    /// Makes a panel that lends `pixels`. No tile is drawn yet.
    pub(crate) fn new(pixels: &'p mut [u8]) -> Self {
        LentTile { pixels, area: None, missing: None }
    }
}

impl TilePanel for LentTile<'_> {
    /// Copies a tile that was drawn elsewhere: a tile with several samples.
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let row = width as usize * format.block_bytes();
        let area = Area { x, y, width, height };
        let lent = self.lend(row * height as usize)?.unwrap_or_default();
        let rows = pixels.chunks(stride_bytes.max(1)).zip(lent.chunks_exact_mut(row.max(1)));
        for (from, to) in rows.take(height as usize) {
            to.copy_from_slice(from.get(..row).ok_or(PanelError(0))?);
        }
        self.send(area, format)
    }

    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        if self.pixels.len() < bytes {
            self.missing = Some(bytes);
            return Err(PanelError(0));
        }
        Ok(Some(self.pixels))
    }

    fn send(&mut self, area: Area, _: Format) -> Result<(), PanelError> {
        self.area = Some(area);
        Ok(())
    }
}
