//! Panels around another panel: only changed tiles, a turned picture, pixels of three bytes, a wait
//! for the display's tearing signal.

use formats::Format;

use super::{Area, PanelError, TilePanel, row_bytes, tile_bytes};

/// Defines the calls that an adapter passes on unchanged.
macro_rules! pass_on {
    ($($call:ident)+) => { $( pass_on!(@ $call); )+ };
    (@ begin) => {
        fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
            self.panel.begin(width, height)
        }
    };
    (@ overlay) => {
        fn overlay(&mut self, area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
            self.panel.overlay(area, format, pixels, stride_bytes);
        }
    };
    (@ lend) => {
        fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
            self.panel.lend(bytes)
        }
    };
    (@ granularity) => {
        fn granularity(&self) -> [u32; 2] {
            self.panel.granularity()
        }
    };
    (@ finish) => {
        fn finish(&mut self) -> Result<(), PanelError> {
            self.panel.finish()
        }
    };
}

/// A panel that sends only what changed since it was last sent.
///
/// It keeps a hash of 4 bytes per tile, and compares the pixels with it. A changed tile goes unsent
/// with a probability of 2⁻³². With [`in_parts`](Self::in_parts) it keeps a hash per part of a tile,
/// and sends the rectangle around the changed parts. Put [`Overlay`](super::Overlay) around this
/// panel, so that the hashes include its text.
///
/// ```
/// use gallium_pipe_core::panel::Changed;
/// # use gallium_pipe_core::{Format, PanelError, TilePanel};
/// # struct Display;
/// # impl TilePanel for Display {
/// #     fn tile(&mut self, _: u32, _: u32, _: u32, _: u32, _: Format, _: &[u8], _: usize)
/// #         -> Result<(), PanelError> { Ok(()) }
/// # }
/// # let (display, pixels) = (Display, [0; 2]);
/// // One hash per tile: here for two tiles.
/// let mut hashes = [0; 2];
/// let mut panel = Changed::new(display, &mut hashes);
/// for frame in 0..3 {
///     panel.begin(2, 1)?;
///     panel.tile(0, 0, 1, 1, Format::B5G6R5Unorm, &pixels, 2)?;
///     panel.tile(1, 0, 1, 1, Format::B5G6R5Unorm, &[frame, 0], 2)?;
///     panel.finish()?;
///     assert_eq!(panel.sent(), if frame == 0 { 2 } else { 1 });
/// }
/// # Ok::<(), PanelError>(())
/// ```
#[derive(Debug)]
pub struct Changed<'h, P> {
    panel: P,
    parts: Parts<'h>,
    sent: u32,
}

/// The hashes of what a display shows.
#[derive(Debug)]
struct Parts<'h> {
    /// The hash of each part that was sent; 0: none.
    hashes: &'h mut [u32],
    /// Width and height of a part. Tiles are cut from their upper left corner on.
    size: [u32; 2],
    /// The number of the next part.
    next: usize,
}

impl<'h, P: TilePanel> Changed<'h, P> {
    /// Wraps a panel. `hashes` has one word per tile; tiles without a word are always sent.
    pub fn new(panel: P, hashes: &'h mut [u32]) -> Self {
        Self::in_parts(panel, hashes, [u32::MAX; 2])
    }

    /// Wraps a panel, and divides tiles into parts of this width and height, rounded up to the
    /// panel's [granularity](TilePanel::granularity). `hashes` has one word per part. Small parts
    /// send less and take more memory.
    ///
    /// ```
    /// # use gallium_pipe_core::panel::Changed;
    /// # use gallium_pipe_core::{Format, PanelError, TilePanel};
    /// # struct Display;
    /// # impl TilePanel for Display {
    /// #     fn tile(&mut self, _: u32, _: u32, _: u32, _: u32, _: Format, _: &[u8], _: usize)
    /// #         -> Result<(), PanelError> { Ok(()) }
    /// # }
    /// # let display = Display;
    /// // 240×240 pixels in parts of 8×8 pixels.
    /// let mut hashes = [0; 30 * 30];
    /// let mut panel = Changed::in_parts(display, &mut hashes, [8, 8]);
    /// # panel.begin(240, 240)?;
    /// # Ok::<(), PanelError>(())
    /// ```
    pub fn in_parts(panel: P, hashes: &'h mut [u32], size: [u32; 2]) -> Self {
        hashes.fill(0);
        let round = |side: u32, step: u32| {
            side.max(1).checked_next_multiple_of(step.max(1)).unwrap_or(u32::MAX)
        };
        let ([width, height], [across, down]) = (size, panel.granularity());
        let size = [round(width, across), round(height, down)];
        Changed { panel, parts: Parts { hashes, size, next: 0 }, sent: 0 }
    }
}

impl<P> Changed<'_, P> {
    /// Returns the number of tiles of the last picture that were sent, or sent in part.
    pub fn sent(&self) -> u32 {
        self.sent
    }

    /// Forgets all tiles, so that the next picture is sent whole: after a reset of the display.
    pub fn forget(&mut self) {
        self.parts.hashes.fill(0);
    }

    /// Returns the wrapped panel.
    pub fn panel(&mut self) -> &mut P {
        &mut self.panel
    }

    /// Records the outcome of sending a tile; `first` is the number of its first part.
    fn record(&mut self, first: usize, sent: Result<(), PanelError>) -> Result<(), PanelError> {
        match sent {
            Ok(()) => self.sent = self.sent.saturating_add(1),
            // The display may have any part of the tile.
            Err(_) => {
                let hashes = self.parts.hashes.iter_mut().take(self.parts.next).skip(first);
                hashes.for_each(|hash| *hash = 0);
            }
        }
        sent
    }
}

impl Parts<'_> {
    /// Compares the parts of the next tile with their hashes, and stores the new ones. Returns the
    /// rectangle around the changed parts, and the place of its first pixel in `pixels`; `None` if
    /// the tile is unchanged.
    fn compare(
        &mut self,
        tile: Area,
        format: Format,
        pixels: &[u8],
        stride: usize,
    ) -> Option<(Area, usize)> {
        let [wide, high] = self.size;
        let start = |x: u32, y: u32| {
            let column = (x as usize).saturating_mul(format.block_bytes());
            (y as usize).saturating_mul(stride).saturating_add(column)
        };
        let mut changed: Option<[u32; 4]> = None;
        for top in (0..tile.height).step_by(high as usize) {
            for left in (0..tile.width).step_by(wide as usize) {
                let right = left.saturating_add(wide).min(tile.width);
                let bottom = top.saturating_add(high).min(tile.height);
                let part = rectangle(tile, [left, top, right, bottom]);
                let bytes = row_bytes(part, format);
                let rows = pixels.get(start(left, top)..).unwrap_or(&[]).chunks(stride.max(1));
                let rows = rows.take(part.height as usize);
                let hash = hash(part, rows.map(|row| row.get(..bytes).unwrap_or(row)));
                let known = self.hashes.get_mut(self.next);
                self.next = self.next.saturating_add(1);
                match known {
                    Some(known) if *known == hash => continue,
                    Some(known) => *known = hash,
                    None => {}
                }
                let [x0, y0, x1, y1] = changed.unwrap_or([left, top, right, bottom]);
                changed = Some([x0.min(left), y0.min(top), x1.max(right), y1.max(bottom)]);
            }
        }
        let sides @ [left, top, ..] = changed?;
        Some((rectangle(tile, sides), start(left, top)))
    }
}

/// Returns the rectangle between these sides, which count from the tile's corner: left, top, right,
/// bottom.
fn rectangle(tile: Area, [left, top, right, bottom]: [u32; 4]) -> Area {
    Area {
        x: tile.x.saturating_add(left),
        y: tile.y.saturating_add(top),
        width: right.saturating_sub(left),
        height: bottom.saturating_sub(top),
    }
}

/// Returns the hash of a part's place and pixels; never 0.
fn hash<'p>(area: Area, rows: impl Iterator<Item = &'p [u8]>) -> u32 {
    // Odd factors and rotations: every bit of a word reaches all bits of the result.
    let add = |hash: u32, word: u32| {
        (hash ^ word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64)
    };
    let place = [area.x, area.y, area.width, area.height];
    let mut hash = place.into_iter().fold(0x9747_b28c, add);
    for row in rows {
        let (words, rest) = row.as_chunks::<4>();
        hash = words.iter().fold(hash, |hash, word| add(hash, u32::from_le_bytes(*word)));
        hash = rest.iter().fold(hash, |hash, byte| add(hash, u32::from(*byte)));
    }
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16).max(1)
}

/// Moves the rows of a rectangle, which begins at `start`, to the front without gaps.
fn pack(pixels: &mut [u8], start: usize, stride: usize, bytes: usize, rows: usize) {
    for row in 0..rows {
        let from = start.saturating_add(row.saturating_mul(stride));
        let end = from.saturating_add(bytes);
        if end <= pixels.len() {
            pixels.copy_within(from..end, row.saturating_mul(bytes));
        }
    }
}

impl<P: TilePanel> TilePanel for Changed<'_, P> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        (self.parts.next, self.sent) = (0, 0);
        self.panel.begin(width, height)
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
        let (tile, first) = (Area { x, y, width, height }, self.parts.next);
        let changed = self.parts.compare(tile, format, pixels, stride_bytes);
        let Some((Area { x, y, width, height }, start)) = changed else { return Ok(()) };
        let pixels = pixels.get(start..).unwrap_or(&[]);
        let sent = self.panel.tile(x, y, width, height, format, pixels, stride_bytes);
        self.record(first, sent)
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        let (bytes, stride, first) =
            (tile_bytes(area, format), row_bytes(area, format), self.parts.next);
        let lent = self.panel.lend(bytes)?.ok_or(PanelError::NO_BUFFER)?;
        let pixels = lent.get_mut(..bytes).ok_or(PanelError::too_large(bytes))?;
        // An unsent buffer stays lent: the next tile is drawn in it.
        let changed = self.parts.compare(area, format, pixels, stride);
        let Some((part, start)) = changed else { return Ok(()) };
        if part != area {
            pack(pixels, start, stride, row_bytes(part, format), part.height as usize);
        }
        let sent = self.panel.send(part, format);
        self.record(first, sent)
    }

    pass_on!(overlay lend granularity finish);
}

/// The turn of a picture on its display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// By 90° clockwise: the picture's left column is the display's top row.
    Right,
    /// By 180°.
    Half,
    /// By 90° counter-clockwise: the picture's top row is the display's left column, from below.
    Left,
}

impl Turn {
    /// Returns the size of the display for a picture of this size.
    fn size(self, [width, height]: [u32; 2]) -> [u32; 2] {
        match self {
            Turn::Right | Turn::Left => [height, width],
            Turn::Half => [width, height],
        }
    }

    /// Returns the place on the display of a picture's pixel; `size` is the picture's.
    fn place(self, [x, y]: [u32; 2], [width, height]: [u32; 2]) -> [u32; 2] {
        let right = width.saturating_sub(1).saturating_sub(x);
        let below = height.saturating_sub(1).saturating_sub(y);
        match self {
            Turn::Right => [below, x],
            Turn::Half => [right, below],
            Turn::Left => [y, right],
        }
    }
}

/// A display that is mounted turned: the picture, with its text, reaches the display turned, tile
/// by tile.
///
/// The pixels of a tile are turned into memory that the display lends, or into `buffer`.
#[derive(Debug)]
pub struct Turned<'b, P> {
    panel: P,
    turn: Turn,
    buffer: &'b mut [u8],
    size: [u32; 2],
}

impl<'b, P> Turned<'b, P> {
    /// Wraps a panel. `buffer` holds a tile; it may be empty if the panel lends its memory.
    pub fn new(panel: P, turn: Turn, buffer: &'b mut [u8]) -> Self {
        Turned { panel, turn, buffer, size: [0; 2] }
    }

    /// Returns the wrapped panel.
    pub fn panel(&mut self) -> &mut P {
        &mut self.panel
    }
}

/// Copies a tile's pixels of `bytes` bytes to their turned places.
fn turn_pixels(
    turn: Turn,
    size: [u32; 2],
    bytes: usize,
    (from, stride): (&[u8], usize),
    to: &mut [u8],
) -> Option<()> {
    let [wide, _] = turn.size(size);
    let [width, height] = size;
    for y in 0..height {
        let row = from.get((y as usize).checked_mul(stride)?..)?;
        let pixels = row.chunks_exact(bytes.max(1)).take(width as usize);
        for (x, pixel) in (0..width).zip(pixels) {
            let [column, row] = turn.place([x, y], size);
            let at = (row as usize).checked_mul(wide as usize)?.checked_add(column as usize)?;
            let start = at.checked_mul(bytes)?;
            to.get_mut(start..start.checked_add(bytes)?)?.copy_from_slice(pixel);
        }
    }
    Some(())
}

impl<P: TilePanel> TilePanel for Turned<'_, P> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.size = [width, height];
        let [width, height] = self.turn.size(self.size);
        self.panel.begin(width, height)
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
        let Turned { panel, turn, buffer, size } = self;
        let corners = [
            [x, y],
            [x.saturating_add(width.saturating_sub(1)), y.saturating_add(height.saturating_sub(1))],
        ];
        let [[a, b], [c, d]] = corners.map(|corner| turn.place(corner, *size));
        let [wide, high] = turn.size([width, height]);
        let area = Area { x: a.min(c), y: b.min(d), width: wide, height: high };
        let bytes = tile_bytes(area, format);
        let pixel = format.block_bytes();
        let source = (pixels, stride_bytes);
        if let Some(lent) = panel.lend(bytes)? {
            let turned = turn_pixels(*turn, [width, height], pixel, source, lent);
            turned.ok_or(PanelError::too_large(bytes))?;
            return panel.send(area, format);
        }
        let turned = turn_pixels(*turn, [width, height], pixel, source, buffer);
        turned.ok_or(PanelError::too_large(bytes))?;
        let pixels = buffer.get(..bytes).ok_or(PanelError::too_large(bytes))?;
        let row = row_bytes(area, format);
        panel.tile(area.x, area.y, wide, high, format, pixels, row)
    }

    fn granularity(&self) -> [u32; 2] {
        let [across, down] = self.panel.granularity();
        match self.turn {
            Turn::Right | Turn::Left => [down, across],
            Turn::Half => [across, down],
        }
    }

    pass_on!(overlay finish);
}

/// A display of 3 bytes per pixel: red, green, blue. The surface has 4 bytes per pixel,
/// `R8G8B8X8_UNORM` or `R8G8B8A8_UNORM`; the panel takes tiles of `R8G8B8_UNORM`.
///
/// The fourth byte is dropped in the memory that the display lends, or in `buffer`.
#[derive(Debug)]
pub struct ThreeBytes<'b, P> {
    panel: P,
    buffer: &'b mut [u8],
}

impl<'b, P> ThreeBytes<'b, P> {
    /// Wraps a panel. `buffer` holds a tile of 3 bytes per pixel; it may be empty if the panel lends
    /// its memory.
    pub fn new(panel: P, buffer: &'b mut [u8]) -> Self {
        ThreeBytes { panel, buffer }
    }

    /// Returns the wrapped panel.
    pub fn panel(&mut self) -> &mut P {
        &mut self.panel
    }
}

/// Returns the format of three bytes for one of four.
fn three_bytes(format: Format) -> Result<Format, PanelError> {
    match format {
        Format::R8G8B8X8Unorm | Format::R8G8B8A8Unorm => Ok(Format::R8G8B8Unorm),
        _ => Err(PanelError::FORMAT),
    }
}

impl<P: TilePanel> TilePanel for ThreeBytes<'_, P> {
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
        let to = three_bytes(format)?;
        let area = Area { x, y, width, height };
        let (row, bytes) = (row_bytes(area, to), tile_bytes(area, to));
        let drop_fourth = |buffer: &mut [u8]| {
            let buffer = buffer.get_mut(..bytes).ok_or(PanelError::too_large(bytes))?;
            let rows = buffer.chunks_exact_mut(row.max(1));
            for (to, from) in rows.zip(pixels.chunks(stride_bytes.max(1))) {
                let pixels = to.as_chunks_mut::<3>().0.iter_mut().zip(from.as_chunks::<4>().0);
                pixels.for_each(|(to, [r, g, b, _])| *to = [*r, *g, *b]);
            }
            Ok(())
        };
        if let Some(lent) = self.panel.lend(bytes)? {
            drop_fourth(lent)?;
            return self.panel.send(area, to);
        }
        drop_fourth(self.buffer)?;
        let pixels = self.buffer.get(..bytes).unwrap_or(&[]);
        self.panel.tile(x, y, width, height, to, pixels, row)
    }

    /// Lends the display's memory: a tile of four bytes per pixel is drawn in it.
    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        self.panel.lend(bytes)
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        let to = three_bytes(format)?;
        let bytes = tile_bytes(area, format);
        let lent = self.panel.lend(bytes)?.ok_or(PanelError::NO_BUFFER)?;
        let pixels = (area.width as usize).saturating_mul(area.height as usize);
        // In place: the third pixel's bytes never lie before the first's.
        for pixel in 0..pixels {
            let from = pixel.saturating_mul(4);
            let to = pixel.saturating_mul(3);
            if from.saturating_add(3) <= lent.len() {
                lent.copy_within(from..from.saturating_add(3), to);
            }
        }
        self.panel.send(area, to)
    }

    pass_on!(begin overlay granularity finish);
}

/// A panel that waits for the display's tearing signal before the first pixel of each picture.
///
/// The first tile is drawn before the wait. `wait` returns when the display has begun to scan the
/// picture, so that the scan stays ahead of the tiles.
#[derive(Clone, Copy, Debug)]
pub struct Synced<P, W> {
    /// The panel that takes the tiles.
    pub panel: P,
    /// Waits for the signal.
    pub wait: W,
    begun: bool,
}

impl<P, W> Synced<P, W> {
    /// Wraps a panel.
    pub fn new(panel: P, wait: W) -> Self {
        Synced { panel, wait, begun: false }
    }
}

impl<P, W: FnMut() -> Result<(), PanelError>> Synced<P, W> {
    fn wait(&mut self) -> Result<(), PanelError> {
        if !self.begun {
            (self.wait)()?;
            self.begun = true;
        }
        Ok(())
    }
}

impl<P: TilePanel, W: FnMut() -> Result<(), PanelError>> TilePanel for Synced<P, W> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.begun = false;
        self.panel.begin(width, height)
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
        self.wait()?;
        self.panel.tile(x, y, width, height, format, pixels, stride_bytes)
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        self.wait()?;
        self.panel.send(area, format)
    }

    pass_on!(overlay lend granularity finish);
}
