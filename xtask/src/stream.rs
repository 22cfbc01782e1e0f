//! The stream that a board writes while it draws: a frame in tiles, and figures.
//!
//! Records, little-endian: `F` width height (u16), then any number of `T` x y width height (u16)
//! with the tile's RGB565 pixels, then `E`; `R` name-length (u8) name value (u64).

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::picture::Picture;

/// The contents of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// The last complete frame.
    pub frame: Option<Picture>,
    /// Figures by name.
    pub figures: BTreeMap<String, u64>,
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, tail) =
            self.0.split_at_checked(count).context("the board's stream ends within a record")?;
        self.0 = tail;
        Ok(head)
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.take(2)?.try_into()?))
    }
}

/// Expands five or six bits to eight by repeating the top bits, like every display controller.
fn expand(texel: u16) -> [u8; 4] {
    let (r, g, b) = (texel >> 11, texel >> 5 & 0x3f, texel & 0x1f);
    [(r << 3 | r >> 2) as u8, (g << 2 | g >> 4) as u8, (b << 3 | b >> 2) as u8, 255]
}

/// Reads a whole stream. Every pixel of a frame must occur exactly once.
pub fn parse(bytes: &[u8]) -> Result<Stream> {
    let mut stream = Stream::default();
    let mut reader = Reader(bytes);
    let mut open: Option<(Picture, Vec<bool>)> = None;
    while !reader.0.is_empty() {
        let kind = reader.take(1)?[0];
        match (kind, &mut open) {
            (b'F', None) => {
                let (width, height) = (reader.u16()? as u32, reader.u16()? as u32);
                let count = width as usize * height as usize;
                let pixels = vec![[0, 0, 0, 255]; count];
                open = Some((Picture { width, height, pixels }, vec![false; count]));
            }
            (b'T', Some((picture, drawn))) => {
                let [x, y, w, h] = [reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?]
                    .map(|value| value as u32);
                ensure!(
                    x + w <= picture.width && y + h <= picture.height,
                    "tile {w}×{h} at {x},{y} leaves the {}×{} frame",
                    picture.width,
                    picture.height
                );
                for row in y..y + h {
                    for (column, texel) in (x..).zip(reader.take(w as usize * 2)?.chunks_exact(2)) {
                        let at = (row * picture.width + column) as usize;
                        ensure!(!drawn[at], "pixel {column},{row} came twice");
                        drawn[at] = true;
                        picture.pixels[at] = expand(u16::from_le_bytes([texel[0], texel[1]]));
                    }
                }
            }
            (b'E', Some(_)) => {
                if let Some((picture, drawn)) = open.take() {
                    let missing = drawn.iter().filter(|&&drawn| !drawn).count();
                    ensure!(missing == 0, "{missing} pixels of the frame never came");
                    stream.frame = Some(picture);
                }
            }
            (b'R', _) => {
                let length = reader.take(1)?[0] as usize;
                let name = str::from_utf8(reader.take(length)?)?.to_owned();
                let value = u64::from_le_bytes(reader.take(8)?.try_into()?);
                stream.figures.insert(name, value);
            }
            (b'F', Some(_)) => bail!("a frame begins within a frame"),
            (b'T' | b'E', None) => bail!("a tile or an end outside a frame"),
            _ => bail!("record {kind:#04x} of the board's stream, expected F, T, E or R"),
        }
    }
    ensure!(open.is_none(), "the frame has no end");
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILES: &[u8] = b"F\x02\x00\x01\x00T\x00\x00\x00\x00\x01\x00\x01\x00\x00\xf8\
        T\x01\x00\x00\x00\x01\x00\x01\x00\x1f\x00ER\x02ab\x05\x00\x00\x00\x00\x00\x00\x00";

    #[test]
    fn tiles_make_a_frame() {
        let stream = parse(TILES).unwrap();
        assert_eq!(stream.frame.unwrap().pixels, [[255, 0, 0, 255], [0, 0, 255, 255]]);
        assert_eq!(stream.figures["ab"], 5);
    }

    #[test]
    fn expands_by_repeating_the_top_bits() {
        assert_eq!(expand(0x0000), [0, 0, 0, 255]);
        assert_eq!(expand(0xffff), [255; 4]);
        // r = 16, g = 32, b = 1.
        assert_eq!(expand(16 << 11 | 32 << 5 | 1), [0x84, 0x82, 0x08, 255]);
    }

    #[test]
    fn bad_streams_are_errors() {
        // Without the last 12 bytes, the figure, the stream is complete.
        for cut in (1..28).chain(29..40) {
            assert!(parse(&TILES[..cut]).is_err(), "cut at {cut}");
        }
        assert!(parse(b"E").is_err());
        assert!(parse(b"x").is_err());
        assert!(parse(b"F\x01\x00\x01\x00E").unwrap_err().to_string().contains("never came"));
        let outside = b"F\x01\x00\x01\x00T\x01\x00\x00\x00\x01\x00\x01\x00\x00\x00E";
        assert!(parse(outside).unwrap_err().to_string().contains("leaves"));
        let twice = b"F\x01\x00\x01\x00T\0\0\0\0\x01\0\x01\0\0\0T\0\0\0\0\x01\0\x01\0\0\0E";
        assert!(parse(twice).unwrap_err().to_string().contains("twice"));
    }
}
