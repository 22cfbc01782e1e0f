//! Pixels, and writing them to PNG files.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result};
use formats::Format;

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

impl Picture {
    /// Returns a black picture.
    pub fn new(width: u32, height: u32) -> Picture {
        let pixels = vec![[0, 0, 0, 255]; width as usize * height as usize];
        Picture { width, height, pixels }
    }

    /// Writes a rectangle of texels, with rows `stride` bytes apart, at (`x`, `y`).
    ///
    /// Colours of fewer than 8 bits are widened like displays do it: by repeating the top bits.
    pub fn put(
        &mut self,
        (x, y): (u32, u32),
        (width, height): (u32, u32),
        format: Format,
        texels: &[u8],
        stride: usize,
    ) {
        let bytes = format.block_bytes();
        for (row, texels) in texels.chunks(stride.max(1)).take(height as usize).enumerate() {
            let start = ((y as usize + row) * self.width as usize) + x as usize;
            let pixels = &mut self.pixels[start..start + width as usize];
            for (pixel, texel) in pixels.iter_mut().zip(texels.chunks_exact(bytes)) {
                *pixel = unpack(format, texel);
            }
        }
    }

    /// Writes a PNG, without alpha.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let file =
            File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let data: Vec<u8> = self.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&data)?;
        writer.finish().with_context(|| format!("cannot write {}", path.display()))
    }
}

fn unpack(format: Format, texel: &[u8]) -> [u8; 4] {
    if format == Format::B5G6R5Unorm {
        let bits = u16::from_le_bytes([texel[0], texel[1]]);
        let (r, g, b) = (bits >> 11, bits >> 5 & 0x3f, bits & 0x1f);
        return [(r << 3 | r >> 2) as u8, (g << 2 | g >> 4) as u8, (b << 3 | b >> 2) as u8, 255];
    }
    format.fetch_rgba_u8(texel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_land_where_they_belong() {
        let mut picture = Picture::new(3, 2);
        // Blue and red, one byte of padding.
        picture.put((1, 1), (2, 1), Format::B5G6R5Unorm, &[0x1f, 0, 0, 0xf8, 9], 5);
        assert_eq!(picture.pixels[3..], [[0, 0, 0, 255], [0, 0, 255, 255], [255, 0, 0, 255]]);
        assert_eq!(picture.pixels[..3], [[0, 0, 0, 255]; 3]);
    }
}
