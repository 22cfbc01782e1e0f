//! The panel of C as the driver's panel.

use core::ffi::c_void;

use gallium::pipe_core::{self, Area, PanelError, TilePanel};

use crate::data::{Format, Panel, Tile};

/// The functions of a display.
pub(super) struct Callbacks {
    panel: Panel,
    /// Memory that was lent for the next tile, and its bytes.
    lent: Option<(*mut c_void, usize)>,
}

impl Callbacks {
    /// Returns the driver's panel; `None` without a function `tile`.
    ///
    /// # Safety
    /// The functions take the arguments that the header documents, and `lend` returns null or
    /// memory of so many bytes that nothing else uses until the next tile.
    pub(super) unsafe fn new(panel: &Panel) -> Option<Self> {
        panel.tile.map(|_| Callbacks { panel: *panel, lent: None })
    }

    fn take(&self, tile: &Tile) -> Result<(), PanelError> {
        let Some(take) = self.panel.tile else { return Err(PanelError(0)) };
        // SAFETY: the promise of `new`.
        match unsafe { take(self.panel.user, tile) } {
            0 => Ok(()),
            // Greater numbers belong to the driver.
            error => Err(PanelError(error.unsigned_abs() & (u32::MAX >> 1))),
        }
    }
}

impl TilePanel for Callbacks {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: pipe_core::Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let (pixels, format) = (pixels.as_ptr().cast(), Format::number(format));
        self.take(&Tile { x, y, width, height, pixels, stride_bytes, format })
    }

    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        let Some(lend) = self.panel.lend else { return Ok(None) };
        let lent = match self.lent {
            Some((memory, size)) if size >= bytes => memory,
            // SAFETY: the promise of `new`.
            _ => unsafe { lend(self.panel.user, bytes) },
        };
        if lent.is_null() {
            return Ok(None);
        }
        self.lent = Some((lent, bytes));
        // SAFETY: `lend` promises so many bytes for the next tile.
        Ok(Some(unsafe { core::slice::from_raw_parts_mut(lent.cast(), bytes) }))
    }

    fn send(&mut self, area: Area, format: pipe_core::Format) -> Result<(), PanelError> {
        let Some((pixels, _)) = self.lent.take() else { return Err(PanelError(0)) };
        let Area { x, y, width, height } = area;
        let stride_bytes = (width as usize).saturating_mul(format.block_bytes());
        let format = Format::number(format);
        self.take(&Tile { x, y, width, height, pixels, stride_bytes, format })
    }
}
