//! Pictures: PNG, JPEG and BMP to red, green, blue and alpha of 8 bits.

use image::{ImageReader, Limits};
use std::io::Cursor;

/// The greatest width and height of a picture, so that no file makes us allocate gigabytes.
const MAX_SIDE: u32 = 8192;

/// A picture, upper row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Pixels per row.
    pub(crate) width: u32,
    /// Number of rows.
    pub(crate) height: u32,
    /// `width * height` pixels.
    pub(crate) pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Reads a PNG, a JPEG or a BMP; the bytes tell which.
    ///
    /// # Errors
    /// The bytes are none of these, are damaged, or have more than 8192 pixels per side.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, String> {
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        let mut reader = ImageReader::new(Cursor::new(bytes))
            .with_guessed_format()
            .map_err(|error| error.to_string())?;
        if reader.format().is_none() {
            return Err("neither a PNG nor a JPEG nor a BMP".into());
        }
        reader.limits(limits);
        let picture = reader.decode().map_err(|error| format!("not a usable picture: {error}"))?;
        let picture = picture.into_rgba8();
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Err("a picture without pixels".into());
        }
        Ok(Picture { width, height, pixels: picture.into_raw().as_chunks().0.to_vec() })
    }
}
