//! `cargo xtask formats convert`: converts PNG to raw pixels, raw to PNG, raw to raw.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use formats::{Block, Format, Layout, Rect};

use crate::picture::Picture;

/// Converts a picture from one pixel format to another.
///
/// Files that end in `.png` are PNG; all other files are rows of pixels (or blocks) without gaps.
/// The values of a PNG are taken as sRGB if the other side is sRGB, otherwise as plain numbers.
#[derive(Args)]
pub struct Options {
    /// The picture to convert.
    input: PathBuf,
    /// The format of the input, such as B5G6R5_UNORM; not needed for PNG.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The format of the output; not needed for PNG.
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Width and height of a raw input, such as 320x240.
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<Size>,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    width: usize,
    height: usize,
}

/// The maximum width and height, as for PNG.
const MAX_SIDE: usize = 8192;

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Size> {
        let parse = || {
            let (width, height) = text.split_once(['x', '×'])?;
            Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
        };
        let size = parse().ok_or_else(|| anyhow!("`{text}` is not like 320x240"))?;
        let sides = 1..=MAX_SIDE;
        ensure!(
            sides.contains(&size.width) && sides.contains(&size.height),
            "{text}: sides are from 1 to {MAX_SIDE}"
        );
        Ok(size)
    }
}

/// Pixels in some format.
struct Pixels {
    format: Format,
    size: Size,
    bytes: Vec<u8>,
}

fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let from = side("--from", options.from.as_deref(), &options.input)?;
    let to = side("--to", options.to.as_deref(), &options.out)?;
    let png_as = |other: Option<Format>| {
        let curved = other.is_some_and(Format::is_srgb);
        if curved { Format::R8G8B8A8Srgb } else { Format::R8G8B8A8Unorm }
    };
    let source = match from {
        Some(format) => read_raw(&options.input, format, options.size)?,
        None => read_png(&options.input, png_as(to), options.size)?,
    };
    let result = convert(&source, to.unwrap_or(png_as(from)))?;
    if to.is_some() {
        fs::write(&options.out, &result.bytes)
            .with_context(|| format!("cannot write {}", options.out.display()))?;
    } else {
        let Size { width, height } = result.size;
        let pixels = result.bytes.as_chunks().0.to_vec();
        Picture { width: width as u32, height: height as u32, pixels }.write(&options.out)?;
    }
    let Size { width, height } = result.size;
    println!(
        "{}: {width}×{height}, {}, {} bytes",
        options.out.display(),
        if to.is_some() { result.format.name() } else { "PNG" },
        fs::metadata(&options.out)?.len()
    );
    Ok(())
}

/// Returns the format of a file: `None` for PNG, otherwise the format given by `option`.
fn side(option: &str, name: Option<&str>, path: &Path) -> Result<Option<Format>> {
    match (name, is_png(path)) {
        (Some(name), false) => named(name).map(Some),
        (None, true) => Ok(None),
        (Some(_), true) => bail!("{}: a PNG has its own format, without {option}", path.display()),
        (None, false) => bail!("{}: not a PNG, so {option} must name its format", path.display()),
    }
}

/// Returns the format called `name`, in any case.
fn named(name: &str) -> Result<Format> {
    let upper = name.to_uppercase();
    let known = || {
        let names = Format::ALL.iter().map(|format| format.name());
        names.chain(Format::ALIASES.iter().map(|alias| alias.0))
    };
    let bare = upper.strip_prefix("PIPE_FORMAT_").unwrap_or(&upper);
    // `ASTC_4x4` and `R8G8Bx_SNORM` contain lower-case letters.
    let exact = known().find(|known| known.eq_ignore_ascii_case(bare));
    exact.and_then(Format::from_name).ok_or_else(|| {
        let nearest = known().min_by_key(|known| distance(bare, known)).unwrap_or_default();
        anyhow!(
            "no format is called `{name}`; the nearest is {nearest} (see `cargo xtask formats`)"
        )
    })
}

/// Returns the number of letters to insert, remove or replace to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn read_png(path: &Path, format: Format, size: Option<Size>) -> Result<Pixels> {
    ensure!(size.is_none(), "{}: a PNG has its own size, without --size", path.display());
    let picture = Picture::read(path)?;
    let size = Size { width: picture.width as usize, height: picture.height as usize };
    Ok(Pixels { format, size, bytes: picture.pixels.into_flattened() })
}

fn read_raw(path: &Path, format: Format, size: Option<Size>) -> Result<Pixels> {
    let size =
        size.with_context(|| format!("{}: not a PNG, so --size is needed", path.display()))?;
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let needed = bytes_of(format, size);
    let Size { width, height } = size;
    ensure!(
        bytes.len() == needed,
        "{}: {} bytes, but {width}×{height} pixels of {format} are {needed}",
        path.display(),
        bytes.len()
    );
    Ok(Pixels { format, size, bytes })
}

/// Returns the size in bytes of a picture without gaps.
fn bytes_of(format: Format, size: Size) -> usize {
    let planes = format.planes();
    if planes.is_empty() {
        let Block { height, .. } = format.block();
        return format.row_bytes(size.width) * size.height.div_ceil(height.into());
    }
    let plane = |plane: &formats::planar::Plane| {
        plane.row_bytes(size.width) * plane.size(size.width, size.height).1
    };
    planes.iter().map(plane).sum()
}

fn convert(source: &Pixels, format: Format) -> Result<Pixels> {
    let Size { width, height } = source.size;
    if source.format.layout() == Layout::Planar && source.format != format {
        return convert(&from_planes(source)?, format);
    }
    let mut bytes = vec![0; bytes_of(format, source.size)];
    let (to, from) = (format.row_bytes(width), source.format.row_bytes(width));
    formats::convert(
        format,
        Rect::new(&mut bytes, to),
        source.format,
        Rect::new(&source.bytes, from),
        [width, height],
    )?;
    Ok(Pixels { format, size: source.size, bytes })
}

/// Converts the planes of a video picture, one after the other, to red, green, blue, alpha.
fn from_planes(source: &Pixels) -> Result<Pixels> {
    let Size { width, height } = source.size;
    let mut rest = source.bytes.as_slice();
    let mut planes = Vec::new();
    for plane in source.format.planes() {
        let stride = plane.row_bytes(width);
        let bytes;
        (bytes, rest) = rest.split_at(stride * plane.size(width, height).1);
        planes.push(Rect::new(bytes, stride));
    }
    let mut pixels = vec![[0; 4]; width * height];
    formats::planar::unpack_rgba_u8(
        source.format,
        Rect::new(&mut pixels, width),
        &planes,
        [width, height],
    )?;
    let bytes = pixels.into_flattened();
    Ok(Pixels { format: Format::R8G8B8A8Unorm, size: source.size, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(named("b5g6r5_unorm").unwrap(), Format::B5G6R5Unorm);
        assert_eq!(named("PIPE_FORMAT_ASTC_4X4").unwrap(), Format::Astc_4x4);
        assert_eq!(named("RGBA8888_UNORM").unwrap(), Format::Rgba8888Unorm);
        let error = named("B5G6R5_UNROM").unwrap_err().to_string();
        assert!(error.contains("`B5G6R5_UNROM`; the nearest is B5G6R5_UNORM"), "{error}");
    }

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance("R8_UNORM", "R8_UNORM"), 0);
        assert_eq!(distance("R8_UNRM", "R8_UNORM"), 1);
        assert_eq!(distance("", "ABC"), 3);
        assert_eq!(distance("KITTEN", "SITTING"), 3);
    }

    #[test]
    fn sizes_are_checked() {
        assert_eq!("320x240".parse::<Size>().unwrap(), Size { width: 320, height: 240 });
        for wrong in ["320", "320x", "0x5", "5x9999", "-1x5"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn pictures_go_both_ways() {
        let folder = std::env::temp_dir().join(format!("gallium-formats-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        let pixels = vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]];
        let picture = Picture { width: 3, height: 1, pixels };
        picture.write(&at("in.png")).unwrap();
        let step = |input: &str, from: Option<&str>, to: Option<&str>, size, out: &str| {
            run(&Options {
                input: at(input),
                from: from.map(String::from),
                to: to.map(String::from),
                size,
                out: at(out),
            })
        };
        let size = Some(Size { width: 3, height: 1 });
        step("in.png", None, Some("B5G6R5_UNORM"), None, "a.bin").unwrap();
        // Red, green and blue as little-endian words.
        assert_eq!(fs::read(at("a.bin")).unwrap(), [0, 0xf8, 0xe0, 0x07, 0x1f, 0]);
        step("a.bin", Some("B5G6R5_UNORM"), Some("R8G8B8_SRGB"), size, "b.bin").unwrap();
        step("b.bin", Some("R8G8B8_SRGB"), None, size, "out.png").unwrap();
        assert_eq!(Picture::read(&at("out.png")).unwrap(), picture);
        let error = |result: Result<()>| result.unwrap_err().to_string();
        let wrong = Some(Size { width: 4, height: 1 });
        let text = error(step("a.bin", Some("B5G6R5_UNORM"), None, wrong, "out.png"));
        assert!(text.ends_with("6 bytes, but 4×1 pixels of B5G6R5_UNORM are 8"), "{text}");
        let text = error(step("a.bin", None, None, size, "out.png"));
        assert!(text.contains("--from must name"), "{text}");
        let text = error(step("in.png", None, Some("ASTC_4x4"), None, "c.bin"));
        assert_eq!(text, "no such conversion for ASTC_4x4");
        fs::remove_dir_all(&folder).unwrap();
    }
}
