//! A frame as a stream of bytes, which boards without a display send to a PC.
//!
//! Records, little-endian: `F` width height (u16), then `T` x y width height (u16) and the tile's
//! texels for every tile, then `E`. Figures: `R` name-length (u8) name value (u64).

use formats::Format;
use pipe_core::{PanelError, TilePanel};

/// The receiver of the bytes.
pub trait Sink {
    /// Writes bytes; returns false on failure.
    fn write(&mut self, bytes: &[u8]) -> bool;
}

/// A panel that writes its tiles to a [`Sink`].
pub struct StreamPanel<S>(pub S);

/// The error of a sink that did not take the bytes.
const BROKEN: PanelError = PanelError(1);
/// The error for a format of other than 16 bits, or a size beyond `u16`.
const UNSUITED: PanelError = PanelError(2);

impl<S: Sink> StreamPanel<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), PanelError> {
        if self.0.write(bytes) { Ok(()) } else { Err(BROKEN) }
    }

    fn sizes(&mut self, kind: u8, sizes: &[u32]) -> Result<(), PanelError> {
        self.write(&[kind])?;
        for size in sizes {
            let size = u16::try_from(*size).map_err(|_| UNSUITED)?;
            self.write(&size.to_le_bytes())?;
        }
        Ok(())
    }

    /// Writes a named figure.
    ///
    /// # Errors
    /// The sink fails.
    pub fn figure(&mut self, name: &str, value: u64) -> Result<(), PanelError> {
        let length = u8::try_from(name.len()).map_err(|_| UNSUITED)?;
        self.write(&[b'R', length])?;
        self.write(name.as_bytes())?;
        self.write(&value.to_le_bytes())
    }
}

impl<S: Sink> TilePanel for StreamPanel<S> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.sizes(b'F', &[width, height])
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
        if format != Format::B5G6R5Unorm || stride_bytes == 0 {
            return Err(UNSUITED);
        }
        self.sizes(b'T', &[x, y, width, height])?;
        if stride_bytes == width as usize * 2 {
            // Rows without padding are a single write, like a single DMA transfer.
            return self.write(pixels.get(..height as usize * stride_bytes).ok_or(UNSUITED)?);
        }
        for row in pixels.chunks(stride_bytes).take(height as usize) {
            self.write(row.get(..width as usize * 2).ok_or(UNSUITED)?)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.write(b"E")
    }
}

/// A panel that drops its tiles, to count the instructions of the pipeline alone.
pub struct NoPanel;

impl TilePanel for NoPanel {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    struct Bytes(std::vec::Vec<u8>);

    impl Sink for Bytes {
        fn write(&mut self, bytes: &[u8]) -> bool {
            self.0.extend_from_slice(bytes);
            true
        }
    }

    #[test]
    fn a_tile_s_rows_lose_their_padding() {
        let mut panel = StreamPanel(Bytes(std::vec::Vec::new()));
        panel.begin(2, 2).unwrap();
        let pixels = [1, 2, 3, 4, 9, 9, 5, 6, 7, 8, 9, 9];
        panel.tile(0, 0, 2, 2, Format::B5G6R5Unorm, &pixels, 6).unwrap();
        panel.tile(2, 1, 1, 2, Format::B5G6R5Unorm, &[21, 22, 23, 24, 25], 2).unwrap();
        panel.finish().unwrap();
        panel.figure("ab", 258).unwrap();
        let expected =
            b"F\x02\0\x02\0T\0\0\0\0\x02\0\x02\0\x01\x02\x03\x04\x05\x06\x07\x08T\x02\0\x01\0\x01\0\x02\0\x15\x16\x17\x18ER\x02ab\x02\x01\0\0\0\0\0\0";
        assert_eq!(panel.0.0, expected);
    }

    #[test]
    fn other_sizes_and_formats_are_refused() {
        let mut panel = StreamPanel(Bytes(std::vec::Vec::new()));
        assert_eq!(panel.begin(65536, 1), Err(UNSUITED));
        let tile = panel.tile(0, 0, 1, 1, Format::R8G8B8A8Unorm, &[0; 4], 4);
        assert_eq!(tile, Err(UNSUITED));
        let short = panel.tile(0, 0, 4, 1, Format::B5G6R5Unorm, &[0; 4], 4);
        assert_eq!(short, Err(UNSUITED));
    }
}
