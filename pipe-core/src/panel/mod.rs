//! Panels: the display behind a streamed surface, which takes finished tiles.

mod adapters;
#[cfg(feature = "embedded-graphics")]
pub mod graphics;
mod in_flight;

use formats::Format;

pub use adapters::{Changed, Synced, ThreeBytes, Turn, Turned};
pub use in_flight::{ByteOrder, Cable, InFlight};

/// Writes the text of a [`PanelError`] with a macro like `write`, from the core library or from
/// defmt.
macro_rules! tell {
    ($($write:ident)::+, $error:expr, $f:expr) => {
        match *$error {
            PanelError::NO_BUFFER => $($write)::+!($f, "no buffer is free: hand it two"),
            PanelError::NO_ORDER => {
                $($write)::+!($f, "pixels of two bytes alone can change their byte order")
            }
            PanelError::REFUSED => $($write)::+!($f, "the display refused the pixels"),
            PanelError::FORMAT => {
                $($write)::+!($f, "the panel does not convert the surface's format")
            }
            PanelError::GRANULARITY => $($write)::+!(
                $f,
                "the target's sides are no multiples of the panel's granularity: round them up"
            ),
            PanelError::ALIGNMENT => {
                $($write)::+!($f, "a lent buffer begins at an odd address: align it to 2 bytes")
            }
            PanelError(number @ PanelError::TOO_LARGE..) => $($write)::+!(
                $f,
                "a tile of {} bytes is larger than the buffers: lend larger ones",
                number ^ PanelError::TOO_LARGE
            ),
            PanelError(number) => $($write)::+!($f, "display error {}", number),
        }
    };
}

/// An error of a display. The panel chooses its number below 2³¹; greater numbers belong to the
/// panels in this crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PanelError(pub u32);

impl PanelError {
    /// No buffer is free.
    pub const NO_BUFFER: PanelError = PanelError(u32::MAX);
    /// The byte order applies only to pixels of two bytes.
    pub const NO_ORDER: PanelError = PanelError(u32::MAX - 1);
    /// The display refused the pixels; its error has another type and is lost.
    pub const REFUSED: PanelError = PanelError(u32::MAX - 2);
    /// The panel does not convert the surface's format.
    pub const FORMAT: PanelError = PanelError(u32::MAX - 3);

    /// The target's sides are no multiples of the panel's
    /// [granularity](TilePanel::granularity).
    pub const GRANULARITY: PanelError = PanelError(u32::MAX - 4);

    /// The memory that the panel lends begins at an odd address, and pixels have two bytes.
    pub const ALIGNMENT: PanelError = PanelError(u32::MAX - 5);

    /// Checks that a target of `width`×`height` pixels fits windows of this granularity.
    ///
    /// # Errors
    /// [`PanelError::GRANULARITY`].
    pub fn check_granularity(
        width: u32,
        height: u32,
        [across, down]: [u32; 2],
    ) -> Result<(), PanelError> {
        let fits = width.is_multiple_of(across.max(1)) && height.is_multiple_of(down.max(1));
        if fits { Ok(()) } else { Err(PanelError::GRANULARITY) }
    }

    /// The first of the numbers for tiles that are too large.
    const TOO_LARGE: u32 = 1 << 31;

    /// Returns the error for a tile of `bytes` bytes that is larger than the panel's buffers.
    pub const fn too_large(bytes: usize) -> PanelError {
        let most = 1 << 30;
        PanelError(Self::TOO_LARGE | if bytes < most { bytes as u32 } else { most as u32 })
    }
}

impl core::fmt::Display for PanelError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        tell!(write, self, f)
    }
}

impl core::error::Error for PanelError {}

#[cfg(feature = "defmt")]
impl defmt::Format for PanelError {
    fn format(&self, f: defmt::Formatter<'_>) {
        tell!(defmt::write, self, f);
    }
}

/// A rectangle of a display, in pixels, y down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Area {
    /// First column.
    pub x: u32,
    /// First row, counted downwards.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Area {
    /// Returns true if the two areas have a pixel in common.
    pub fn touches(&self, other: &Area) -> bool {
        let overlap = |a: u32, a_size: u32, b: u32, b_size: u32| {
            a < b.saturating_add(b_size) && b < a.saturating_add(a_size)
        };
        overlap(self.x, self.width, other.x, other.width)
            && overlap(self.y, self.height, other.y, other.height)
    }
}

/// A display that receives pictures tile by tile.
///
/// `present` calls [`begin`](Self::begin), then [`tile`](Self::tile) for every tile of the surface
/// (each pixel exactly once, in an order that the driver chooses), then [`finish`](Self::finish).
/// After an error there are no further calls.
///
/// A panel may lend the memory for drawing tiles ([`lend`](Self::lend)). Then
/// [`send`](Self::send) replaces `tile`, and no pixel is copied. [`InFlight`] lends two buffers:
/// one is drawn while the other is being sent.
pub trait TilePanel {
    /// Prepares for a picture of `width`×`height` pixels.
    ///
    /// # Errors
    /// The display is not ready.
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        let _ = (width, height);
        Ok(())
    }

    /// Draws over a finished tile of a streamed surface before [`tile`](Self::tile) or
    /// [`send`](Self::send) takes it: text and widgets over a 3D frame. The arguments are the same
    /// as for `tile`.
    fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
        let _ = (area, format, pixels, stride_bytes);
    }

    /// Takes a finished tile of `width`×`height` pixels at (`x`, `y`), row 0 on top.
    ///
    /// `pixels` is in the surface's `format`, with rows `stride_bytes` apart, and may end after the
    /// last row's pixels. The driver may reuse it after the call.
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

    /// Lends memory of at least `bytes` bytes for the next tile, at an even address; returns the same
    /// memory until [`send`](Self::send). With `None` the driver draws in its own memory and calls
    /// [`tile`](Self::tile).
    ///
    /// # Errors
    /// This call waits for an earlier transmission, and the transmission failed.
    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        let _ = bytes;
        Ok(None)
    }

    /// Takes the tile in the [lent](Self::lend) memory, with its rows tightly packed.
    ///
    /// # Errors
    /// The transmission failed, or nothing was lent.
    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        let _ = (area, format);
        Err(PanelError(0))
    }

    /// Returns the multiples of pixels, across and down, at which the display's windows begin and
    /// end: `[2, 1]` for controllers with even columns, `[1, 8]` for pages of eight rows.
    ///
    /// Tiles begin at multiples of 16 or more. A driver refuses to present a target with sides that
    /// are no multiples.
    fn granularity(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Ends the picture.
    ///
    /// # Errors
    /// The transmission failed.
    fn finish(&mut self) -> Result<(), PanelError> {
        Ok(())
    }
}

/// Returns the number of bytes of a tile's row.
fn row_bytes(area: Area, format: Format) -> usize {
    (area.width as usize).saturating_mul(format.block_bytes())
}

/// Returns the number of bytes of a tile with tightly packed rows.
fn tile_bytes(area: Area, format: Format) -> usize {
    row_bytes(area, format).saturating_mul(area.height as usize)
}

/// A panel that draws over every tile before it is sent.
///
/// `draw` is called once for each tile that `bounds` touches, with the pixels of that tile only.
/// With the feature `embedded-graphics`, [`graphics::Canvas`] makes a `DrawTarget` from its
/// arguments.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<P, F> {
    /// The panel that takes the tiles.
    pub panel: P,
    /// The rectangle that `draw` draws in; tiles outside of it cost nothing.
    pub bounds: Area,
    /// Draws over a tile. The arguments are its rectangle, its format, its pixels, and the bytes
    /// from one row to the next.
    pub draw: F,
}

impl<P, F> Overlay<P, F>
where
    F: FnMut(Area, Format, &mut [u8], usize),
{
    /// Returns an overlay on every tile.
    pub fn new(panel: P, draw: F) -> Self {
        Overlay {
            panel,
            bounds: Area { width: u32::MAX, height: u32::MAX, ..Area::default() },
            draw,
        }
    }
}

impl<P, F> TilePanel for Overlay<P, F>
where
    P: TilePanel,
    F: FnMut(Area, Format, &mut [u8], usize),
{
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.panel.begin(width, height)
    }

    fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
        if self.bounds.touches(&area) {
            (self.draw)(area, format, pixels, stride_bytes);
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

    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        self.panel.lend(bytes)
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        let bytes = tile_bytes(area, format);
        if self.bounds.touches(&area)
            && let Some(pixels) = self.panel.lend(bytes)?.and_then(|lent| lent.get_mut(..bytes))
        {
            (self.draw)(area, format, pixels, row_bytes(area, format));
        }
        self.panel.send(area, format)
    }

    fn granularity(&self) -> [u32; 2] {
        self.panel.granularity()
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.panel.finish()
    }
}

/// Passes tiles on to a panel that is owned elsewhere.
impl<P: TilePanel + ?Sized> TilePanel for &mut P {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        (**self).begin(width, height)
    }

    fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
        (**self).overlay(area, format, pixels, stride_bytes);
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
        (**self).tile(x, y, width, height, format, pixels, stride_bytes)
    }

    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        (**self).lend(bytes)
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        (**self).send(area, format)
    }

    fn granularity(&self) -> [u32; 2] {
        (**self).granularity()
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        (**self).finish()
    }
}
