//! A panel that computes the digest of the pictures it passes on.

use formats::Format;

use super::calls::number;
use super::{Out, PictureDigest};
use crate::panel::{Area, PanelError, TilePanel};

/// A panel around another panel. Tiles are copied to the inner panel; its lent memory is not used.
pub(super) struct Watched<'p, 'c> {
    panel: &'p mut dyn TilePanel,
    pub(super) digest: PictureDigest,
    /// The tile that the digest already has.
    added: Option<Area>,
    /// Has the counter of instructions.
    counter: Option<Out<'c>>,
    /// Instructions of the digest and the inner panel, which are not the driver's.
    own: u32,
}

impl<'p, 'c> Watched<'p, 'c> {
    pub(super) fn new(panel: &'p mut dyn TilePanel, counter: Option<Out<'c>>) -> Self {
        Self { panel, digest: PictureDigest::default(), added: None, counter, own: 0 }
    }

    /// Returns a count of instructions without the panel's.
    pub(super) fn without(&self, count: Option<u32>) -> Option<u32> {
        count.map(|count| count.saturating_sub(self.own))
    }

    /// Adds a tile to the digest.
    fn add(&mut self, area: Area, format: Format, pixels: &[u8], stride_bytes: usize) {
        let size = format.block_bytes();
        let row_bytes = (area.width as usize).saturating_mul(size);
        let rows = pixels.chunks(stride_bytes.max(1)).take(area.height as usize);
        for (y, row) in (area.y..).zip(rows) {
            self.digest.row(area.x, y, size, row.get(..row_bytes).unwrap_or(row));
        }
    }

    /// Does the panel's own work, and counts its instructions.
    fn own<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let begun = self.counter.and_then(|out| out.begin(number::PRESENT));
        let result = work(self);
        let count = self.counter.and_then(|out| out.since(begun));
        self.own = self.own.wrapping_add(count.unwrap_or(0));
        result
    }
}

impl TilePanel for Watched<'_, '_> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.own(|it| it.panel.begin(width, height))
    }

    /// Adds the tile to the digest, before any overlay that the traced calls did not draw.
    fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
        self.own(|it| {
            it.add(area, format, pixels, stride_bytes);
            it.added = Some(area);
            it.panel.overlay(area, format, pixels, stride_bytes);
        });
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
        self.own(|it| {
            // Targets with memory have no overlay.
            let area = Area { x, y, width, height };
            if it.added.take() != Some(area) {
                it.add(area, format, pixels, stride_bytes);
            }
            it.panel.tile(x, y, width, height, format, pixels, stride_bytes)
        })
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.own(|it| it.panel.finish())
    }
}
