//! Panels around panels: changed tiles, turned pictures, three bytes per pixel, the tearing signal.

use gallium_pipe_core::panel::{Changed, Synced, ThreeBytes, Turn, Turned};
use gallium_pipe_core::{Area, ByteOrder, Cable, Format, InFlight, PanelError, TilePanel};

/// A display that keeps the pixels it gets, `bytes` bytes each.
#[derive(Default)]
struct Display {
    size: [u32; 2],
    bytes: usize,
    pixels: Vec<u8>,
    tiles: Vec<Area>,
    formats: Vec<Format>,
    broken: bool,
}

impl TilePanel for Display {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        let resized = self.size != [width, height];
        self.size = [width, height];
        if resized {
            self.pixels = vec![0; (width * height) as usize * self.bytes];
        }
        self.tiles.clear();
        Ok(())
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
        if self.broken {
            return Err(PanelError(1));
        }
        self.tiles.push(Area { x, y, width, height });
        self.formats.push(format);
        for row in 0..height as usize {
            let bytes = self.bytes;
            let from = &pixels[row * stride_bytes..][..width as usize * bytes];
            let at = (y as usize + row) * self.size[0] as usize + x as usize;
            self.pixels[at * bytes..][..from.len()].copy_from_slice(from);
        }
        Ok(())
    }
}

/// Shows a picture of one or more bytes per pixel in tiles of 4×2 pixels.
fn show(
    panel: &mut dyn TilePanel,
    [width, height]: [u32; 2],
    format: Format,
    picture: &[u8],
) -> Result<(), PanelError> {
    let bytes = format.block_bytes();
    let stride = width as usize * bytes;
    panel.begin(width, height)?;
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(4) {
            let area = Area { x, y, width: 4.min(width - x), height: 2.min(height - y) };
            let start = y as usize * stride + x as usize * bytes;
            let size = area.width as usize * area.height as usize * bytes;
            if let Some(lent) = panel.lend(size)? {
                for (row, to) in lent.chunks_exact_mut(area.width as usize * bytes).enumerate() {
                    if row < area.height as usize {
                        to.copy_from_slice(&picture[start + row * stride..][..to.len()]);
                    }
                }
                panel.send(area, format)?;
                continue;
            }
            let Area { width, height, .. } = area;
            panel.tile(x, y, width, height, format, &picture[start..], stride)?;
        }
    }
    panel.finish()
}

/// A cable that hands each buffer to a display at once.
#[derive(Default)]
struct Wire<'b> {
    display: Display,
    format: Option<Format>,
    sent: Option<&'b mut [u8]>,
}

impl<'b> Cable<'b> for Wire<'b> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.display.begin(width, height)
    }

    fn start(
        &mut self,
        area: Area,
        buffer: &'b mut [u8],
        bytes: usize,
    ) -> Result<(), (PanelError, &'b mut [u8])> {
        let Area { x, y, width, height } = area;
        let format = self.format.unwrap_or(Format::B5G6R5Unorm);
        let stride = bytes / height as usize;
        let shown = self.display.tile(x, y, width, height, format, &buffer[..bytes], stride);
        match shown {
            Ok(()) => {
                self.sent = Some(buffer);
                Ok(())
            }
            Err(error) => Err((error, buffer)),
        }
    }

    fn wait(&mut self) -> Result<Option<&'b mut [u8]>, PanelError> {
        Ok(self.sent.take())
    }
}

const SIZE: [u32; 2] = [7, 5];

/// Each pixel's two bytes are its column and its row.
fn picture() -> Vec<u8> {
    let [width, height] = SIZE;
    (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8 + 1, y as u8 + 1])).collect()
}

#[test]
fn only_changed_tiles_are_sent() {
    let mut hashes = [7; 6];
    let mut panel = Changed::new(Display { bytes: 2, ..Display::default() }, &mut hashes);
    let mut picture = picture();
    let format = Format::B5G6R5Unorm;
    show(&mut panel, SIZE, format, &picture).unwrap();
    assert_eq!((panel.sent(), panel.panel().pixels == picture), (6, true));
    show(&mut panel, SIZE, format, &picture).unwrap();
    assert_eq!(panel.sent(), 0);
    // The pixel at (5, 3), in the fourth tile.
    picture[(3 * 7 + 5) * 2] ^= 1;
    show(&mut panel, SIZE, format, &picture).unwrap();
    assert_eq!((panel.sent(), panel.panel().pixels == picture), (1, true));
    assert_eq!(panel.panel().tiles, [Area { x: 4, y: 2, width: 3, height: 2 }]);
    panel.forget();
    show(&mut panel, SIZE, format, &picture).unwrap();
    assert_eq!(panel.sent(), 6);
}

#[test]
fn a_tile_that_a_display_refused_is_sent_again() {
    let mut hashes = [0; 6];
    let mut panel = Changed::new(Display { bytes: 2, ..Display::default() }, &mut hashes);
    let (mut picture, format) = (picture(), Format::B5G6R5Unorm);
    show(&mut panel, SIZE, format, &picture).unwrap();
    picture[0] ^= 1;
    panel.panel().broken = true;
    assert_eq!(show(&mut panel, SIZE, format, &picture), Err(PanelError(1)));
    panel.panel().broken = false;
    picture[0] ^= 1;
    show(&mut panel, SIZE, format, &picture).unwrap();
    assert_eq!(panel.sent(), 1, "the display may hold any part of the refused tile");
}

/// The pixels that change, and the rectangle of the tile that is sent, in parts of 2×1 pixels.
const CHANGES: [(&[[usize; 2]], Area); 4] = [
    (&[[5, 3]], Area { x: 4, y: 3, width: 2, height: 1 }),
    (&[[1, 0], [2, 1]], Area { x: 0, y: 0, width: 4, height: 2 }),
    (&[[2, 2], [3, 3]], Area { x: 2, y: 2, width: 2, height: 2 }),
    // The last column of the picture is a part of one pixel.
    (&[[6, 4]], Area { x: 6, y: 4, width: 1, height: 1 }),
];

/// Shows a picture on a panel in parts of 2×1 pixels, and then each of [`CHANGES`].
fn show_changes<P: TilePanel>(
    panel: &mut Changed<'_, P>,
    display: impl for<'a> Fn(&'a mut P) -> &'a mut Display,
) {
    let (mut picture, format) = (picture(), Format::B5G6R5Unorm);
    show(panel, SIZE, format, &picture).unwrap();
    assert!(panel.sent() == 6 && display(panel.panel()).pixels == picture);
    for (pixels, rectangle) in CHANGES {
        for [x, y] in pixels {
            picture[(y * 7 + x) * 2] ^= 0x80;
        }
        show(panel, SIZE, format, &picture).unwrap();
        let display = display(panel.panel());
        assert!(display.pixels == picture, "{pixels:?}");
        assert_eq!(display.tiles, [rectangle]);
        assert_eq!(panel.sent(), 1);
    }
}

#[test]
fn the_rectangle_around_changed_parts_is_sent() {
    // Two tiles of 4 and 3 pixels across: 4 parts in each row; 5 rows.
    let mut hashes = [7; 20];
    let display = Display { bytes: 2, ..Display::default() };
    show_changes(&mut Changed::in_parts(display, &mut hashes, [2, 1]), |display| display);

    let (mut first, mut second) = ([0; 16], [0; 16]);
    let buffers = [first.as_mut_slice(), second.as_mut_slice()];
    let wire = Wire { display: Display { bytes: 2, ..Display::default() }, ..Wire::default() };
    let panel = InFlight::new(wire, ByteOrder::Little, buffers);
    let mut panel = Changed::in_parts(panel, &mut hashes, [2, 1]);
    show_changes(&mut panel, |panel| &mut panel.cable().display);
}

/// Tiles without a hash are always sent, and buffers in flight stay in use.
#[test]
fn changed_tiles_in_lent_memory_are_sent() {
    let (mut first, mut second) = ([0; 16], [0; 16]);
    let buffers = [first.as_mut_slice(), second.as_mut_slice()];
    let wire = Wire { display: Display { bytes: 2, ..Display::default() }, ..Wire::default() };
    let mut hashes = [0; 4];
    let mut panel = Changed::new(InFlight::new(wire, ByteOrder::Little, buffers), &mut hashes);
    let mut picture = picture();
    for (change, sent) in [(0, 6), (0, 2), (1, 3), (0, 2)] {
        picture[0] ^= change;
        show(&mut panel, SIZE, Format::B5G6R5Unorm, &picture).unwrap();
        assert_eq!(panel.sent(), sent);
        assert!(panel.panel().cable().display.pixels == picture);
    }
}

/// Returns where a display that is mounted turned shows a pixel of the picture.
fn place(turn: Turn, x: u32, y: u32) -> (u32, u32) {
    let [width, height] = SIZE;
    match turn {
        // The top row becomes the right column, from above.
        Turn::Right => (height - 1 - y, x),
        Turn::Half => (width - 1 - x, height - 1 - y),
        // The top row becomes the left column, from below.
        Turn::Left => (y, width - 1 - x),
    }
}

#[test]
fn pictures_are_turned_tile_by_tile() {
    for lends in [false, true] {
        for turn in [Turn::Right, Turn::Half, Turn::Left] {
            let (picture, format) = (picture(), Format::B5G6R5Unorm);
            let (mut first, mut second, mut own) = ([0; 16], [0; 16], [0; 16]);
            let display = Display { bytes: 2, ..Display::default() };
            let display = if lends {
                let buffers = [first.as_mut_slice(), second.as_mut_slice()];
                let wire = Wire { display, ..Wire::default() };
                let flight = InFlight::new(wire, ByteOrder::Little, buffers);
                let mut panel = Turned::new(flight, turn, &mut []);
                show(&mut panel, SIZE, format, &picture).unwrap();
                core::mem::take(&mut panel.panel().cable().display)
            } else {
                let mut panel = Turned::new(display, turn, &mut own);
                show(&mut panel, SIZE, format, &picture).unwrap();
                core::mem::take(panel.panel())
            };
            let size = if turn == Turn::Half { [7, 5] } else { [5, 7] };
            assert_eq!(display.size, size);
            for y in 0..5 {
                for x in 0..7 {
                    let (column, row) = place(turn, x, y);
                    let at = (row * size[0] + column) as usize * 2;
                    let shown = &display.pixels[at..at + 2];
                    assert_eq!(shown, [x as u8 + 1, y as u8 + 1], "{turn:?} {x} {y} {lends}");
                }
            }
        }
    }
    let mut small = [0; 8];
    let display = Display { bytes: 2, ..Display::default() };
    let mut panel = Turned::new(display, Turn::Right, &mut small);
    let shown = show(&mut panel, SIZE, Format::B5G6R5Unorm, &picture());
    assert_eq!(shown, Err(PanelError::too_large(16)));
}

#[test]
fn the_fourth_byte_is_dropped() {
    let picture: Vec<u8> = (0..35).flat_map(|at| [at, at + 50, at + 100, 255]).collect();
    let wanted: Vec<u8> = (0..35).flat_map(|at| [at, at + 50, at + 100]).collect();
    let mut own = [0; 24];
    let display = Display { bytes: 3, ..Display::default() };
    let mut panel = ThreeBytes::new(display, &mut own);
    show(&mut panel, SIZE, Format::R8G8B8X8Unorm, &picture).unwrap();
    assert_eq!(panel.panel().pixels, wanted);
    assert!(panel.panel().formats.iter().all(|format| *format == Format::R8G8B8Unorm));

    let (mut first, mut second) = ([0; 32], [0; 32]);
    let buffers = [first.as_mut_slice(), second.as_mut_slice()];
    let display = Display { bytes: 3, ..Display::default() };
    let wire = Wire { display, format: Some(Format::R8G8B8Unorm), ..Wire::default() };
    let mut panel = ThreeBytes::new(InFlight::new(wire, ByteOrder::Little, buffers), &mut []);
    show(&mut panel, SIZE, Format::R8G8B8A8Unorm, &picture).unwrap();
    assert_eq!(panel.panel().cable().display.pixels, wanted);
    let mut panel = ThreeBytes::new(Display::default(), &mut own);
    let refused = show(&mut panel, [1, 1], Format::B5G6R5Unorm, &[0; 2]);
    assert_eq!(refused, Err(PanelError::FORMAT));
}

#[test]
fn each_picture_waits_once_for_the_tearing_signal() {
    let mut waits = 0;
    let display = Display { bytes: 2, ..Display::default() };
    let mut panel = Synced::new(display, || {
        waits += 1;
        Ok(())
    });
    for _ in 0..3 {
        show(&mut panel, SIZE, Format::B5G6R5Unorm, &picture()).unwrap();
    }
    assert_eq!(panel.panel.tiles.len(), 6);
    assert_eq!(waits, 3);
    let display = Display { bytes: 2, ..Display::default() };
    let mut panel = Synced::new(display, || Err(PanelError(9)));
    let shown = show(&mut panel, SIZE, Format::B5G6R5Unorm, &picture());
    assert_eq!(shown, Err(PanelError(9)));
    assert!(panel.panel.tiles.is_empty());
}

/// A display with windows that begin and end at even columns and at pages of eight rows.
struct Pages(Display);

impl TilePanel for Pages {
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
        self.0.tile(x, y, width, height, format, pixels, stride_bytes)
    }

    fn granularity(&self) -> [u32; 2] {
        [2, 8]
    }
}

#[test]
fn parts_of_tiles_keep_the_granularity() {
    let mut hashes = [0; 4];
    let mut display = Display { bytes: 1, ..Display::default() };
    display.begin(8, 16).unwrap();
    // Parts of 4×8 pixels.
    let mut panel = Changed::in_parts(Pages(display), &mut hashes, [3, 1]);
    let mut tile = [0; 8 * 16];
    for changed in [0, 9 * 8 + 5] {
        tile[changed] = 1;
        panel.begin(8, 16).unwrap();
        panel.tile(0, 0, 8, 16, Format::R8Unorm, &tile, 8).unwrap();
    }
    let rectangle = Area { x: 4, y: 8, width: 4, height: 8 };
    assert_eq!(panel.panel().0.tiles, [Area { x: 0, y: 0, width: 8, height: 16 }, rectangle]);
}

#[test]
fn adapters_pass_the_granularity_on() {
    let pages = || Pages(Display::default());
    let mut hashes = [0; 1];
    assert_eq!(Changed::new(pages(), &mut hashes).granularity(), [2, 8]);
    assert_eq!(ThreeBytes::new(pages(), &mut []).granularity(), [2, 8]);
    assert_eq!(Synced::new(pages(), || Ok(())).granularity(), [2, 8]);
    for (turn, granularity) in [(Turn::Right, [8, 2]), (Turn::Half, [2, 8]), (Turn::Left, [8, 2])] {
        assert_eq!(Turned::new(pages(), turn, &mut []).granularity(), granularity);
    }
    for (size, fits) in [([128, 64], true), ([127, 64], false), ([128, 60], false)] {
        let checked = PanelError::check_granularity(size[0], size[1], [2, 8]);
        assert_eq!(checked.is_ok(), fits, "{size:?}");
    }
    assert!(PanelError::GRANULARITY.to_string().contains("multiples"));
}
