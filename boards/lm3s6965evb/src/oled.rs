//! The board's display: an SSD0323 OLED, 128×64, 16 greys, two pixels per byte.

use formats::Format;
use pipe_core::{PanelError, TilePanel};

use crate::chip;

/// The error for a tile that does not begin and end at a whole byte, or is not of 8-bit grey.
const UNSUITED: PanelError = PanelError(1);

const SET_COLUMNS: u8 = 0x15;
const SET_ROWS: u8 = 0x75;
const REMAP: u8 = 0xa0;
const DISPLAY_ON: u8 = 0xaf;

/// The OLED as a panel for `L8_UNORM` surfaces.
pub(crate) struct Oled(());

impl Oled {
    /// Turns the display on.
    pub(crate) fn new() -> Oled {
        chip::display_wires();
        // Columns and rows as they are wired; the address moves along the row.
        command(&[REMAP, 0x00]);
        command(&[DISPLAY_ON]);
        Oled(())
    }
}

fn command(bytes: &[u8]) {
    chip::display_data(false);
    bytes.iter().for_each(|byte| chip::display_send(*byte));
}

/// Converts 8 bits of grey to the nearest of 16 steps.
fn grey4(grey: u8) -> u8 {
    ((u32::from(grey) * 15 + 127) / 255) as u8
}

impl TilePanel for Oled {
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
        if format != Format::L8Unorm || !(x | width).is_multiple_of(2) || width == 0 || height == 0
        {
            return Err(UNSUITED);
        }
        command(&[SET_COLUMNS, (x / 2) as u8, ((x + width) / 2 - 1) as u8]);
        command(&[SET_ROWS, y as u8, (y + height - 1) as u8]);
        chip::display_data(true);
        for row in pixels.chunks(stride_bytes.max(1)).take(height as usize) {
            for pair in row.get(..width as usize).ok_or(UNSUITED)?.as_chunks::<2>().0 {
                chip::display_send(grey4(pair[0]) << 4 | grey4(pair[1]));
            }
        }
        Ok(())
    }
}
