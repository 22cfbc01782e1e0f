//! `cargo xtask size --report`: draws the flash of a firmware as a map with one area per source
//! file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use object::{Object, ObjectSymbol, SymbolKind};
use plotters::prelude::*;

use crate::profile::Files;
use crate::shell;
use crate::size::ASSETS;

/// Width and height of the picture, in pixels.
const SIZE: (u32, u32) = (1600, 1000);

/// The height of the line with a crate's name.
const TITLE: f64 = 18.0;

/// Bytes by source file, by crate.
type Crates = BTreeMap<String, BTreeMap<String, u64>>;

/// Writes `target/size/NAME.svg` and prints the largest files.
///
/// Code counts for the file that contains its source, inlined or not. Constants count for the crate
/// of their symbol, in a file `constants`. Meshes and textures are not counted.
///
/// # Errors
/// The image cannot be read, or has no line table; the picture cannot be written.
pub fn write(name: &str, image: &Path) -> Result<()> {
    let crates = read(image)?;
    let folder = shell::target_dir().join("size");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{name}.svg"));
    draw(&crates, &path).with_context(|| format!("cannot draw {}", path.display()))?;
    let mut files: Vec<(u64, &str)> = crates
        .values()
        .flat_map(|files| files.iter().map(|(file, bytes)| (*bytes, file.as_str())))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    for (bytes, file) in files.iter().take(20) {
        println!("{bytes:>7}  {file}");
    }
    println!("{}", path.display());
    Ok(())
}

/// Reads the bytes of an image's functions and constants.
fn read(image: &Path) -> Result<Crates> {
    let files = Files::read(image)?;
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let object = object::File::parse(&*bytes)?;
    let mut crates = Crates::new();
    // Functions merged by the linker have several symbols.
    let mut symbols: BTreeMap<u64, (u64, String, bool)> = BTreeMap::new();
    for symbol in object.symbols().filter(|symbol| symbol.size() > 0) {
        let is_code = symbol.kind() == SymbolKind::Text;
        let name = symbol.name().unwrap_or_default();
        if is_code || symbol.kind() == SymbolKind::Data && in_flash(&object, &symbol) {
            let address = symbol.address() & !u64::from(is_code);
            symbols.insert(address, (symbol.size(), name.to_owned(), is_code));
        }
    }
    for (address, (size, name, is_code)) in symbols {
        if ASSETS.iter().any(|path| name.contains(path)) {
            continue;
        }
        if !is_code {
            let name = format!("{:#}", rustc_demangle::demangle(&name));
            let owner = owner(&name);
            add(&mut crates, &format!("{owner}/constants"), size);
            continue;
        }
        for at in (address..address + size).step_by(2) {
            let file = files.of(at).unwrap_or_else(|| String::from("assembly/unknown"));
            add(&mut crates, &file, 2);
        }
    }
    Ok(crates)
}

/// Returns true for a symbol in a read-only section.
fn in_flash<'d>(object: &object::File<'d>, symbol: &object::Symbol<'d, '_>) -> bool {
    use object::{ObjectSection, SectionKind};
    let section = symbol.section_index().and_then(|index| object.section_by_index(index).ok());
    section.is_some_and(|section| {
        matches!(section.kind(), SectionKind::ReadOnlyData | SectionKind::Text)
    })
}

/// Returns the folder of the crate at the beginning of a symbol's path.
fn owner(path: &str) -> String {
    let start = path.trim_start_matches(['<', '&', '(', '*']);
    let end = start.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(start.len());
    start[..end].trim_start_matches("gallium_").replace('_', "-")
}

/// Adds bytes to a file, `crate/…`.
fn add(crates: &mut Crates, file: &str, bytes: u64) {
    let name = file.split('/').next().unwrap_or(file);
    *crates.entry(name.to_owned()).or_default().entry(file.to_owned()).or_default() += bytes;
}

/// Draws the map.
fn draw(crates: &Crates, path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    let failed = |error: DrawingAreaErrorKind<_>| anyhow!("{error}");
    root.fill(&WHITE).map_err(failed)?;
    let total = |files: &BTreeMap<String, u64>| files.values().sum::<u64>();
    let mut sorted: Vec<(&String, &BTreeMap<String, u64>)> = crates.iter().collect();
    sorted.sort_by_key(|(_, files)| std::cmp::Reverse(total(files)));
    let whole = Rect { x: 0.0, y: 0.0, w: f64::from(SIZE.0), h: f64::from(SIZE.1) };
    let areas = areas(&sorted.iter().map(|(_, files)| total(files)).collect::<Vec<_>>(), whole);
    for (number, ((name, files), area)) in sorted.iter().zip(areas).enumerate() {
        let color = Palette99::pick(number).mix(0.35);
        frame(&root, &area, &color, name, total(files)).map_err(failed)?;
        let inside = Rect {
            x: area.x + 2.0,
            y: area.y + TITLE,
            w: (area.w - 4.0).max(0.0),
            h: (area.h - TITLE - 2.0).max(0.0),
        };
        let mut files: Vec<(&String, &u64)> = files.iter().collect();
        files.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
        let sizes: Vec<u64> = files.iter().map(|(_, bytes)| **bytes).collect();
        for ((file, bytes), area) in files.iter().zip(self::areas(&sizes, inside)) {
            let name = file.split_once("src/").map_or(file.as_str(), |(_, name)| name);
            frame(&root, &area, &color, name, **bytes).map_err(failed)?;
        }
    }
    root.present().map_err(failed)
}

/// A rectangle of the picture, in pixels.
#[derive(Clone, Copy)]
struct Rect {
    x: f64,
    y: f64,
    w: f64,
    h: f64,
}

/// Divides a rectangle into areas proportional to `sizes`, which must be in descending order.
///
/// The parts are split in two halves of about the same size, next to each other along the longer
/// side. Each half is split again.
fn areas(sizes: &[u64], whole: Rect) -> Vec<Rect> {
    let total: u64 = sizes.iter().sum();
    if sizes.len() <= 1 || total == 0 {
        return sizes.iter().map(|_| whole).collect();
    }
    let (mut first, mut count) = (sizes[0], 1);
    while count + 1 < sizes.len() && 2 * (first + sizes[count]) <= total {
        first += sizes[count];
        count += 1;
    }
    let share = first as f64 / total as f64;
    let Rect { x, y, w, h } = whole;
    let (one, other) = if w >= h {
        (Rect { w: w * share, ..whole }, Rect { x: x + w * share, w: w * (1.0 - share), ..whole })
    } else {
        (Rect { h: h * share, ..whole }, Rect { y: y + h * share, h: h * (1.0 - share), ..whole })
    };
    let mut areas = areas(&sizes[..count], one);
    areas.extend(self::areas(&sizes[count..], other));
    areas
}

/// Draws a rectangle with its name and its KiB, or with as much of the name as fits.
fn frame<'b>(
    root: &DrawingArea<SVGBackend<'b>, plotters::coord::Shift>,
    area: &Rect,
    color: &RGBAColor,
    name: &str,
    bytes: u64,
) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>> {
    let corners =
        [(area.x as i32, area.y as i32), ((area.x + area.w) as i32, (area.y + area.h) as i32)];
    root.draw(&Rectangle::new(corners, color.filled()))?;
    root.draw(&Rectangle::new(corners, BLACK.mix(0.4)))?;
    // About seven pixels per letter.
    let letters = (area.w / 7.0) as usize;
    if area.h >= 14.0 && letters >= 4 {
        let mut shown = format!("{name} {:.1}", bytes as f64 / 1024.0);
        if shown.chars().count() > letters {
            // A truncated number would be wrong, so it is omitted.
            shown = name.chars().take(letters).collect();
        }
        let place = (corners[0].0 + 3, corners[0].1 + 2);
        root.draw(&Text::new(shown, place, ("sans-serif", 12)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_as_large_as_their_parts() {
        let areas = areas(&[60, 30, 10], Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 });
        let sizes: Vec<f64> = areas.iter().map(|area| (area.w * area.h).round()).collect();
        assert_eq!(sizes, [60.0, 30.0, 10.0]);
    }

    #[test]
    fn constants_have_the_crate_of_their_path() {
        assert_eq!(owner("gallium_formats::format::COMPACT"), "formats");
        assert_eq!(owner("<&gallium_pipe_core::Format as Debug>::X"), "pipe-core");
        assert_eq!(owner("__INTERRUPTS"), "--INTERRUPTS");
    }
}
