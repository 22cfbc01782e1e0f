//! Pictures: reads and writes PNG, and compares pictures for the golden images.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Rows of RGBA, 8 bits per channel, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// `width * height` pixels.
    pub pixels: Vec<[u8; 4]>,
}

/// The difference between two pictures of the same size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of pixels with a channel that differs by more than the tolerance.
    pub pixels: usize,
    /// The largest difference in any channel.
    pub largest: u8,
    /// A line for each of the first rows that differ.
    pub rows: Vec<String>,
    /// A picture of the differences, multiplied by eight.
    pub picture: Picture,
}

/// The maximum number of [`Difference::rows`].
const ROWS: usize = 12;

/// The maximum width and height of a picture, so that no file makes us allocate gigabytes.
const MAX_SIDE: u32 = 8192;

impl Picture {
    /// Reads any PNG as RGBA8.
    pub fn read(path: &Path) -> Result<Picture> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Picture::decode(&bytes).with_context(|| format!("{}: not a usable PNG", path.display()))
    }

    /// Reads any PNG in memory as RGBA8.
    pub fn decode(bytes: &[u8]) -> Result<Picture> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let (width, height) = (reader.info().width, reader.info().height);
        ensure!(
            width <= MAX_SIDE && height <= MAX_SIDE,
            "{width}×{height} pixels, expected at most {MAX_SIDE} a side"
        );
        let size = reader.output_buffer_size().context("too large for this machine")?;
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer)?;
        let data = &buffer[..frame.buffer_size()];
        let pixels = match frame.color_type {
            png::ColorType::Rgb => data.chunks_exact(3).map(|p| [p[0], p[1], p[2], 255]).collect(),
            png::ColorType::Rgba => {
                data.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect()
            }
            png::ColorType::Grayscale => data.iter().map(|&p| [p, p, p, 255]).collect(),
            png::ColorType::GrayscaleAlpha => {
                data.chunks_exact(2).map(|p| [p[0], p[0], p[0], p[1]]).collect()
            }
            other => bail!("colour type {other:?}, expected RGB, RGBA or grey"),
        };
        Ok(Picture { width, height, pixels })
    }

    /// Writes a PNG: RGB if every pixel is opaque, otherwise RGBA.
    pub fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let file =
            File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
        let opaque = self.pixels.iter().all(|pixel| pixel[3] == 255);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let channels = if opaque { 3 } else { 4 };
        let data: Vec<u8> =
            self.pixels.iter().flat_map(|pixel| pixel[..channels].iter().copied()).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&data)?;
        writer.finish().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Compares with `expected`. Returns `None` if every channel differs by at most `tolerance`.
    ///
    /// # Errors
    /// The sizes differ.
    pub fn compare(&self, expected: &Picture, tolerance: u8) -> Result<Option<Difference>> {
        let size = |picture: &Picture| (picture.width, picture.height);
        ensure!(
            size(self) == size(expected),
            "{}×{} pixels, expected {}×{}",
            self.width,
            self.height,
            expected.width,
            expected.height
        );
        let distance = |a: &[u8; 4], b: &[u8; 4]| [0, 1, 2, 3].map(|i| a[i].abs_diff(b[i]));
        let distances: Vec<[u8; 4]> =
            self.pixels.iter().zip(&expected.pixels).map(|(a, b)| distance(a, b)).collect();
        let off = |d: &[u8; 4]| d.iter().any(|&x| x > tolerance);
        if !distances.iter().any(off) {
            return Ok(None);
        }
        let width = self.width.max(1) as usize;
        let row = |(y, row): (usize, &[[u8; 4]])| {
            let columns: Vec<usize> = (0..row.len()).filter(|x| off(&row[*x])).collect();
            let (left, right) = (*columns.first()?, *columns.last()?);
            let [drawn, wanted] = [self, expected].map(|picture| picture.pixels[y * width + left]);
            Some(format!(
                "row {y}: {} pixels in columns {left} to {right}; column {left} is {drawn:?}, expected {wanted:?}",
                columns.len()
            ))
        };
        let rows = distances.chunks(width).enumerate().filter_map(row).take(ROWS).collect();
        let loud = |d: &[u8; 4]| {
            let rgb = [d[0], d[1], d[2]].map(|x| x.max(d[3]).saturating_mul(8));
            [rgb[0], rgb[1], rgb[2], 255]
        };
        Ok(Some(Difference {
            pixels: distances.iter().filter(|d| off(d)).count(),
            largest: distances.iter().flatten().copied().max().unwrap_or(0),
            rows,
            picture: Picture { pixels: distances.iter().map(loud).collect(), ..*self },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture {
            width: 2,
            height: 2,
            pixels: vec![[1, 2, 3, 255], [4; 4], [5; 4], [250, 0, 0, 9]],
        }
    }

    #[test]
    fn png_round_trip() {
        let path = std::env::temp_dir().join(format!("xtask-png-{}.png", std::process::id()));
        picture().write(&path).unwrap();
        assert_eq!(Picture::read(&path).unwrap(), picture());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn compare_counts_and_places() {
        let mut other = picture();
        assert_eq!(other.compare(&picture(), 0).unwrap(), None);
        other.pixels[2][1] += 3;
        other.pixels[3][0] -= 9;
        assert_eq!(other.compare(&picture(), 9).unwrap(), None);
        let difference = other.compare(&picture(), 2).unwrap().unwrap();
        assert_eq!((difference.pixels, difference.largest), (2, 9));
        assert_eq!(
            difference.rows,
            ["row 1: 2 pixels in columns 0 to 1; column 0 is [5, 8, 5, 5], expected [5, 5, 5, 5]"]
        );
        assert_eq!(difference.picture.pixels[2], [0, 24, 0, 255]);
        other.width = 4;
        assert!(other.compare(&picture(), 0).is_err());
    }

    #[test]
    fn bad_files_are_errors() {
        assert!(Picture::decode(b"").is_err());
        assert!(Picture::decode(b"\x89PNG\r\n\x1a\n").is_err());
        assert!(Picture::decode(b"GIF89a").is_err());
    }
}
