//! Where finished tiles go: the display behind a streamed surface.

use formats::Format;

/// The display could not take a tile; the number is the panel's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[error("display error {0}")]
pub struct PanelError(pub u32);

/// A display that takes pictures tile by tile.
///
/// `present` calls [`begin`](Self::begin), then [`tile`](Self::tile) for every tile that covers
/// the surface (each pixel exactly once, in an order the driver chooses), then
/// [`finish`](Self::finish). After an error no more tiles come.
pub trait TilePanel {
    /// A picture of `width`×`height` pixels is about to come.
    ///
    /// # Errors
    /// The display is not ready.
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        let _ = (width, height);
        Ok(())
    }

    /// Takes a finished tile of `width`×`height` pixels at (`x`, `y`), row 0 on top.
    ///
    /// `pixels` is in the surface's `format`, rows `stride_bytes` apart; it is the driver's to
    /// reuse after the call.
    ///
    /// # Errors
    /// The transmission failed.
    #[allow(clippy::too_many_arguments)]
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError>;

    /// The picture is complete.
    ///
    /// # Errors
    /// The transmission failed.
    fn finish(&mut self) -> Result<(), PanelError> {
        Ok(())
    }
}
