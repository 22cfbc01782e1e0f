//! Panels that tests present on.

use formats::Format;
use pipe_core::{PanelError, TilePanel};

/// A panel that counts white pixels of RGB565.
pub(crate) struct White(pub(crate) u32);

impl TilePanel for White {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        width: u32,
        height: u32,
        _: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        for row in pixels.chunks(stride_bytes).take(height as usize) {
            let pixels = row.as_chunks::<2>().0.iter().take(width as usize);
            self.0 += pixels.filter(|pixel| **pixel == [255; 2]).count() as u32;
        }
        Ok(())
    }
}
