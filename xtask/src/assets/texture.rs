//! Converts pictures to textures: resize, mip chain, texel format.

use anyhow::{Result, bail, ensure};

use crate::picture::Picture;

/// A texel format for textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelFormat {
    /// 16 bits: blue in the low five.
    B5g6r5,
    /// Four bytes: red first.
    R8g8b8a8,
    /// One byte: the luma.
    L8,
}

impl TexelFormat {
    /// Returns the format with Gallium's name.
    pub fn from_name(name: &str) -> Result<TexelFormat> {
        match name {
            "B5G6R5_UNORM" => Ok(TexelFormat::B5g6r5),
            "R8G8B8A8_UNORM" => Ok(TexelFormat::R8g8b8a8),
            "L8_UNORM" => Ok(TexelFormat::L8),
            _ => bail!("texel format `{name}`, expected B5G6R5_UNORM, R8G8B8A8_UNORM or L8_UNORM"),
        }
    }

    /// Returns the name of the variant of `formats::Format`.
    pub fn variant(self) -> &'static str {
        match self {
            TexelFormat::B5g6r5 => "B5G6R5Unorm",
            TexelFormat::R8g8b8a8 => "R8G8B8A8Unorm",
            TexelFormat::L8 => "L8Unorm",
        }
    }

    fn pack(self, pixel: [f32; 4], out: &mut Vec<u8>) {
        let unorm = |x: f32, max: f32| (libm::floorf(x.clamp(0.0, 1.0) * max + 0.5)) as u32;
        let [r, g, b, a] = pixel;
        match self {
            TexelFormat::B5g6r5 => {
                let texel = unorm(b, 31.0) | unorm(g, 63.0) << 5 | unorm(r, 31.0) << 11;
                out.extend_from_slice(&(texel as u16).to_le_bytes());
            }
            TexelFormat::R8g8b8a8 => out.extend([r, g, b, a].map(|x| unorm(x, 255.0) as u8)),
            // The luma that a grey display shows: the weights of BT.709, applied to sRGB codes.
            TexelFormat::L8 => out.push(unorm(0.2126 * r + 0.7152 * g + 0.0722 * b, 255.0) as u8),
        }
    }
}

/// A picture in linear light, because sRGB codes cannot be averaged.
struct Linear {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

fn to_linear(x: f32) -> f32 {
    if x <= 0.04045 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }
}

fn to_srgb(x: f32) -> f32 {
    if x <= 0.0031308 { x * 12.92 } else { 1.055 * libm::powf(x, 1.0 / 2.4) - 0.055 }
}

impl Linear {
    fn of(picture: &Picture) -> Linear {
        let pixels = picture.pixels.iter().map(|&[r, g, b, a]| {
            let [r, g, b] = [r, g, b].map(|x| to_linear(x as f32 / 255.0));
            [r, g, b, a as f32 / 255.0]
        });
        Linear {
            width: picture.width as usize,
            height: picture.height as usize,
            pixels: pixels.collect(),
        }
    }

    /// Scales by area: every output pixel is the mean of the input pixels that it covers.
    fn resize(&self, width: usize, height: usize) -> Linear {
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = cover(y, height, self.height);
            for x in 0..width {
                let columns = cover(x, width, self.width);
                let (mut sum, mut total) = ([0.0f32; 4], 0.0f32);
                for &(sy, wy) in &rows {
                    for &(sx, wx) in &columns {
                        let pixel = self.pixels[sy * self.width + sx];
                        let weight = wx * wy;
                        sum = [0, 1, 2, 3].map(|i| sum[i] + pixel[i] * weight);
                        total += weight;
                    }
                }
                pixels.push(sum.map(|x| x / total));
            }
        }
        Linear { width, height, pixels }
    }
}

/// Returns the source pixels, of `from`, that output pixel `i` of `to` covers, with their shares.
fn cover(i: usize, to: usize, from: usize) -> Vec<(usize, f32)> {
    let (start, end) = (i * from, (i + 1) * from);
    (start / to..end.div_ceil(to))
        .map(|source| {
            let overlap = end.min((source + 1) * to) - start.max(source * to);
            (source, overlap as f32)
        })
        .collect()
}

/// A texture with its whole mip chain.
pub struct Texture {
    /// Width and height of level 0; a power of two.
    pub size: u32,
    /// Number of mip levels.
    pub levels: u32,
    /// Levels one after the other, rows without padding, top row first.
    pub texels: Vec<u8>,
}

/// Converts `picture` to a square texture of width and height `size`.
pub fn bake(picture: &Picture, size: u32, format: TexelFormat) -> Result<Texture> {
    ensure!(
        size.is_power_of_two() && size <= 4096,
        "texture size {size}, expected a power of two up to 4096"
    );
    let source = Linear::of(picture);
    let levels = size.ilog2() + 1;
    let mut texels = Vec::new();
    for level in 0..levels {
        let side = (size >> level) as usize;
        for [r, g, b, a] in source.resize(side, side).pixels {
            let [r, g, b] = [r, g, b].map(to_srgb);
            format.pack([r, g, b, a], &mut texels);
        }
    }
    Ok(Texture { size, levels, texels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker() -> Picture {
        let (black, white) = ([0, 0, 0, 255], [255; 4]);
        Picture { width: 2, height: 2, pixels: vec![black, white, white, black] }
    }

    #[test]
    fn a_checker_averages_to_half_the_light() {
        let texture = bake(&checker(), 2, TexelFormat::R8g8b8a8).unwrap();
        assert_eq!((texture.levels, texture.texels.len()), (2, 20));
        // Half the light is sRGB code 188, not 128.
        assert_eq!(texture.texels[16..], [188, 188, 188, 255]);
        assert_eq!(texture.texels[..8], [0, 0, 0, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn packs_565_low_bits_blue() {
        let blue = Picture { width: 1, height: 1, pixels: vec![[0, 0, 255, 255]] };
        assert_eq!(bake(&blue, 1, TexelFormat::B5g6r5).unwrap().texels, [0x1f, 0x00]);
        let red = Picture { width: 1, height: 1, pixels: vec![[255, 0, 0, 255]] };
        assert_eq!(bake(&red, 1, TexelFormat::B5g6r5).unwrap().texels, [0x00, 0xf8]);
        // 0.2126 of 255.
        assert_eq!(bake(&red, 1, TexelFormat::L8).unwrap().texels, [54]);
    }

    #[test]
    fn cover_is_a_partition() {
        assert_eq!(cover(0, 2, 3), [(0, 2.0), (1, 1.0)]);
        assert_eq!(cover(1, 2, 3), [(1, 1.0), (2, 2.0)]);
        assert_eq!(cover(3, 4, 2), [(1, 2.0)]);
    }

    #[test]
    fn refuses_odd_sizes_and_unknown_formats() {
        assert!(bake(&checker(), 3, TexelFormat::B5g6r5).is_err());
        assert!(bake(&checker(), 0, TexelFormat::B5g6r5).is_err());
        let error = TexelFormat::from_name("RGB565").unwrap_err().to_string();
        assert_eq!(
            error,
            "texel format `RGB565`, expected B5G6R5_UNORM, R8G8B8A8_UNORM or L8_UNORM"
        );
    }
}
