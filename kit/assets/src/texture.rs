//! Textures: from a picture to texels of any format.

use std::path::Path;

use formats::{Format, Rect, pack_rgba_f32};

use crate::error::{Error, Result};
use crate::palette;
use crate::picture::Picture;
use crate::resize::Linear;

/// The greatest width and height of a texture.
const MAX_SIDE: u32 = 8192;

/// The options of a texture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TextureOptions {
    /// The format of the texels. Formats of luminance get the luma of the colours (BT.709).
    pub format: Format,
    /// Width and height, in texels; `None`: the picture's.
    pub size: Option<[u32; 2]>,
    /// Adds all levels down to one texel.
    pub mips: bool,
    /// Multiplies colours by alpha, for blending with factors `ONE` and `INV_SRC_ALPHA`.
    pub premultiply: bool,
    /// Stacks this many brightnesses of the picture, from 1/n to full, one below the other:
    /// `Material::shaded` of gallium-kit has 16. Without levels.
    pub shades: Option<u32>,
    /// Reduces the picture to at most this many colours, up to 256. The texels are then indices of
    /// 1, 2, 4 or 8 bits (`L1_UNORM` to `L8_UNORM`), and 2, 4, 16 or 256 colours in `format` follow.
    pub palette: Option<usize>,
    /// Reduces the picture to a bit per texel: covered where alpha is at least half. The palette has
    /// two colours: transparent black, and the mean of the covered texels, opaque.
    pub mask: bool,
}

impl TextureOptions {
    /// Returns the options of a texture with the size of its picture, and one level.
    pub fn of(format: Format) -> Self {
        TextureOptions {
            format,
            size: None,
            mips: false,
            premultiply: false,
            shades: None,
            palette: None,
            mask: false,
        }
    }
}

/// A converted texture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextureBytes {
    /// The levels one after the other, rows without padding, upper row first; then the palette.
    pub texels: Vec<u8>,
    /// The format of the texels.
    pub format: Format,
    /// Width of the first level, in texels.
    pub width: u32,
    /// Height of the first level, in texels.
    pub height: u32,
    /// Number of levels.
    pub levels: u32,
    /// The format of the palette's colours, if the texels are indices.
    pub palette: Option<Format>,
}

/// Converts the bytes of a picture: PNG, JPEG or BMP.
///
/// # Errors
/// The bytes are no such picture; a format that cannot be written; a size beyond 8192 texels.
pub fn convert(path: &Path, bytes: &[u8], options: &TextureOptions) -> Result<TextureBytes> {
    let error = |what: String| Error { path: path.to_owned(), what };
    let picture = Picture::decode(bytes).map_err(error)?;
    bake(&picture, options).map_err(error)
}

/// Converts a picture.
fn bake(picture: &Picture, options: &TextureOptions) -> std::result::Result<TextureBytes, String> {
    let [width, height] = options.size.unwrap_or([picture.width, picture.height]);
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        return Err(format!("a texture of {width}×{height}, expected sides from 1 to {MAX_SIDE}"));
    }
    let colors = if options.mask { Some(2) } else { options.palette };
    if options.mask && options.palette.is_some() {
        return Err("a mask with a palette, expected one of these".into());
    }
    if options.shades.is_some() && (options.mips || colors.is_some()) {
        return Err(
            "brightnesses of a texture with levels or a palette, expected one of these".into()
        );
    }
    if let Some(colors) = colors {
        return indexed(picture, options, [width, height], colors);
    }
    let levels = if options.mips { width.max(height).ilog2() + 1 } else { 1 };
    let linear = Linear::of(picture);
    let mut texels = Vec::new();
    for level in 0..levels {
        let side = |side: u32| (side >> level).max(1) as usize;
        let (width, height) = (side(width), side(height));
        let mut codes = if [width, height] == [picture.width as usize, picture.height as usize] {
            picture.pixels.iter().map(|pixel| pixel.map(|x| f32::from(x) / 255.0)).collect()
        } else {
            linear.resize(width, height).codes()
        };
        if options.premultiply {
            for [r, g, b, a] in &mut codes {
                [*r, *g, *b] = [*r * *a, *g * *a, *b * *a];
            }
        }
        let shades = options.shades.unwrap_or(1);
        for shade in 1..=shades {
            let light = shade as f32 / shades as f32;
            let lit: Vec<[f32; 4]> =
                codes.iter().map(|&[r, g, b, a]| [r * light, g * light, b * light, a]).collect();
            texels.extend(pack(&lit, options.format, width, height)?);
        }
    }
    let height = height * options.shades.unwrap_or(1);
    Ok(TextureBytes { texels, format: options.format, width, height, levels, palette: None })
}

/// Converts a picture to indices and a palette.
fn indexed(
    picture: &Picture,
    options: &TextureOptions,
    [width, height]: [u32; 2],
    colors: usize,
) -> std::result::Result<TextureBytes, String> {
    if !(1..=256).contains(&colors) || options.mips {
        return Err(format!(
            "a palette of {colors} colours{}, expected 1 to 256 and one level",
            if options.mips { " with levels" } else { "" }
        ));
    }
    let scaled = if [width, height] == [picture.width, picture.height] {
        picture.pixels.clone()
    } else {
        let codes = Linear::of(picture).resize(width as usize, height as usize).codes();
        let byte = |x: f32| libm::floorf(x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        codes.into_iter().map(|code| code.map(byte)).collect()
    };
    let (mut palette, indices) = match options.mask {
        true => palette::mask(&scaled),
        false => palette::reduce(&scaled, colors),
    };
    let (bits, format) = match palette.len() {
        0..=2 => (1, Format::L1Unorm),
        3..=4 => (2, Format::L2Unorm),
        5..=16 => (4, Format::L4Unorm),
        _ => (8, Format::L8Unorm),
    };
    palette.resize(1 << bits, [0; 4]);
    let codes: Vec<[f32; 4]> = palette
        .iter()
        .map(|color| {
            let [r, g, b, a] = color.map(|x| f32::from(x) / 255.0);
            if options.premultiply { [r * a, g * a, b * a, a] } else { [r, g, b, a] }
        })
        .collect();
    let mut texels = Vec::new();
    for row in indices.chunks(width as usize) {
        // The first texel of a byte is in its lowest bits.
        texels.extend(row.chunks(8 / bits).map(|texels| {
            let places = texels.iter().enumerate();
            places.fold(0, |byte, (at, index)| byte | index << (at * bits))
        }));
    }
    texels.extend(pack(&codes, options.format, codes.len(), 1)?);
    Ok(TextureBytes { texels, format, width, height, levels: 1, palette: Some(options.format) })
}

/// Packs sRGB codes from 0 to 1. sRGB formats store the same codes as others.
fn pack(
    codes: &[[f32; 4]],
    format: Format,
    width: usize,
    height: usize,
) -> std::result::Result<Vec<u8>, String> {
    if format.is_depth_or_stencil() || format.is_pure_integer() {
        return Err(format!("{format} holds no colours, expected a format that does"));
    }
    // Values of sRGB formats are linear, and packing encodes them again: pack the format's twin.
    let plain = format.to_linear();
    let grey = format.is_luminance() || format.is_intensity();
    let luma = |&[r, g, b, a]: &[f32; 4]| {
        // The luma that a grey display shows: the weights of BT.709, applied to sRGB codes.
        let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        [luma, luma, luma, a]
    };
    let greys: Vec<[f32; 4]>;
    let codes = match grey {
        true => {
            greys = codes.iter().map(luma).collect();
            &greys
        }
        false => codes,
    };
    let codes = &halves_up(codes, plain);
    let block = format.desc().block;
    let (columns, rows) =
        (width.div_ceil(usize::from(block.width)), height.div_ceil(usize::from(block.height)));
    let stride = columns * usize::from(block.bytes);
    let mut texels = vec![0; stride * rows];
    pack_rgba_f32(plain, Rect::new(&mut texels, stride), Rect::new(codes, width), [width, height])
        .map_err(|error| format!("{format} cannot be written: {error}"))?;
    Ok(texels)
}

/// Returns codes that round upwards where they lie halfway between two values of the format: packing
/// would round these to the even value.
fn halves_up(codes: &[[f32; 4]], format: Format) -> Vec<[f32; 4]> {
    let desc = format.desc();
    let greatest = desc.swizzle.map(|swizzle| {
        let channel = desc.channels.get(swizzle.channel()?)?;
        (format.is_unorm() && channel.bits <= 16).then(|| ((1u32 << channel.bits) - 1) as f32)
    });
    let up = |(code, greatest): (f32, Option<f32>)| match greatest {
        Some(greatest) if (code * greatest).fract() == 0.5 => code.next_up(),
        _ => code,
    };
    let pixel = |code: &[f32; 4]| [0, 1, 2, 3].map(|at| up((code[at], greatest[at])));
    codes.iter().map(pixel).collect()
}
