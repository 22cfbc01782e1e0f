//! Writes pictures as PNG files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::judge::Pixel;
use crate::render::{Picture, Plane};

/// Width and height of a scene's pixel in the file, because scenes are small.
const SCALE: usize = 8;

/// Returns a plane's pixels as bytes of red, green and blue; integers are scaled so that 100 is 1.
fn bytes(plane: &Plane) -> Vec<[u8; 3]> {
    let unit = if plane.format.is_pure_integer() { 100.0 } else { 1.0 };
    let byte = |value: f64| (value / unit * 255.0).round().clamp(0.0, 255.0) as u8;
    plane.pixels.iter().map(|[r, g, b, _]| [byte(*r), byte(*g), byte(*b)]).collect()
}

fn write(path: &Path, width: usize, pixels: &[[u8; 3]]) -> Result<()> {
    let height = pixels.len() / width.max(1);
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let size = ((width * SCALE) as u32, (height * SCALE) as u32);
    let mut encoder = png::Encoder::new(BufWriter::new(file), size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    let data: Vec<u8> = (0..height * SCALE)
        .flat_map(|y| (0..width * SCALE).map(move |x| (x / SCALE, y / SCALE)))
        .flat_map(|(x, y)| pixels[y * width + x])
        .collect();
    encoder.write_header()?.write_image_data(&data)?;
    Ok(())
}

/// Writes the first colour buffer of both pictures, and a picture with differing pixels in white.
///
/// # Errors
/// A file cannot be written.
pub fn save(
    folder: &Path,
    name: &str,
    ours: &Picture,
    plain: &Picture,
    wrong: &[Pixel],
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut marks = vec![[0; 3]; ours.width * ours.height];
    for pixel in wrong {
        // Later layers and the words that programs wrote have no place in the picture.
        if let Some(mark) = marks.get_mut(pixel.y * ours.width + pixel.x) {
            *mark = [255; 3];
        }
    }
    let path = |what: &str| folder.join(format!("{name}-{what}.png"));
    write(&path("raster"), ours.width, &bytes(&ours.planes[0]))?;
    write(&path("reference"), plain.width, &bytes(&plain.planes[0]))?;
    write(&path("difference"), ours.width, &marks)
}
