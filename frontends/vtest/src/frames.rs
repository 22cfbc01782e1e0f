//! Writes the frames of clients to files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context as _, Result};
use formats::Rect;
use pipe_core::{Context, Region};

use crate::memory::ClientMemory;
use crate::resource::Resource;
use crate::transfer::{self, Place};

/// Writes a picture after each command stream that draws.
#[derive(Debug)]
pub struct FrameDump {
    folder: PathBuf,
    next: AtomicU64,
}

impl FrameDump {
    /// Returns a writer of pictures to `folder`, which is created.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(folder: PathBuf) -> Result<Self> {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(FrameDump { folder, next: AtomicU64::new(1) })
    }

    /// Writes a level of a texture with its first row on top. Pictures of windows are upright.
    /// Pictures of other surfaces are upside down, because OpenGL counts their rows from below.
    ///
    /// # Errors
    /// The driver's, the file system's, a format of integers; `memory` has no room for the picture.
    pub fn write(
        &self,
        client: u64,
        memory: &ClientMemory,
        driver: &mut dyn Context<'static>,
        resource: &Resource<'_>,
        level: u32,
    ) -> Result<()> {
        let place = resource.level(level)?;
        // The rows as stored, as colours, and in the encoder's format.
        let colors = size_of::<[u8; 4]>().saturating_mul(place.width as usize);
        let row = place.row_stride.saturating_add(2 * colors);
        let room = memory.reserve("a picture", row.saturating_mul(place.height as usize))?;
        let (pixels, [width, height]) = pixels(driver, resource, level)?;
        let number = self.next.fetch_add(1, Relaxed);
        let path = self.folder.join(format!("client-{client:03}-frame-{number:05}.png"));
        let file = std::fs::File::create(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(pixels.as_flattened())?;
        drop(room);
        Ok(())
    }
}

/// Returns the first layer of a level with 8 bits per channel, and its size.
///
/// # Errors
/// The driver's; a format of integers.
pub fn pixels(
    driver: &mut dyn Context<'static>,
    resource: &Resource<'_>,
    level: u32,
) -> Result<(Vec<[u8; 4]>, [u32; 2])> {
    let format = resource.template()?.format;
    let place = *resource.level(level)?;
    let (width, height) = (place.width, place.height);
    let region = Region::whole(width, height, 1);
    let whole = Place { level, region, stride: 0, layer_stride: 0, offset: 0 };
    let mut bytes = Vec::new();
    transfer::read(driver, resource, &whole, |_, row| {
        bytes.extend_from_slice(row);
        Ok(())
    })?;
    let (columns, rows) = (width as usize, height as usize);
    let mut pixels = vec![[0; 4]; columns * rows];
    formats::unpack_rgba_u8(
        format,
        Rect::new(&mut pixels, columns),
        Rect::new(&bytes, place.row_stride),
        [columns, rows],
    )
    .with_context(|| format!("{} as colours", format.name()))?;
    Ok((pixels, [width, height]))
}
