//! A panel that computes the digest of the pictures it passes on.

use formats::Format;

use super::PictureDigest;
use crate::panel::{Area, PanelError, TilePanel};

/// A panel around another panel. Tiles are copied to the inner panel; its lent memory is not used.
pub(super) struct Watched<'p> {
    pub(super) panel: &'p mut dyn TilePanel,
    pub(super) digest: PictureDigest,
}

impl<'p> Watched<'p> {
    pub(super) fn new(panel: &'p mut dyn TilePanel) -> Self {
        Self { panel, digest: PictureDigest::default() }
    }
}

impl TilePanel for Watched<'_> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.panel.begin(width, height)
    }

    /// Adds the tile to the digest, before any overlay that the traced calls did not draw.
    fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
        let size = format.block_bytes();
        let row_bytes = (area.width as usize).saturating_mul(size);
        for (y, row) in
            (area.y..).zip(pixels.chunks(stride_bytes.max(1))).take(area.height as usize)
        {
            self.digest.row(area.x, y, size, row.get(..row_bytes).unwrap_or(row));
        }
        self.panel.overlay(area, format, pixels, stride_bytes);
    }

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
        self.panel.tile(x, y, width, height, format, pixels, stride_bytes)
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.panel.finish()
    }
}
