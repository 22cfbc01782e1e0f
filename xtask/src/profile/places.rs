//! Maps addresses to names: functions from the symbol table, files from the line table.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use object::{Object, ObjectSymbol, SymbolKind};
use rustc_demangle::demangle;

use super::Counts;

/// The name for code outside of the image, such as a boot ROM.
const ELSEWHERE: &str = "(not in the image)";

/// The instructions that ran in one place.
pub struct Counted {
    /// Number of instructions.
    pub instructions: u64,
    /// The function or file.
    pub name: String,
}

/// Counts the instructions of each function, in descending order.
///
/// # Errors
/// The image cannot be read, or has no symbols.
pub fn by_function(image: &Path, counts: &Counts) -> Result<Vec<Counted>> {
    let mut sums: HashMap<String, u64> = HashMap::new();
    let mut found = 0;
    for (name, range) in ranges_of(image, "")? {
        let instructions: u64 = counts.range(range).map(|(_, count)| count).sum();
        found += instructions;
        *sums.entry(name).or_default() += instructions;
    }
    ensure!(!sums.is_empty(), "{}: no symbols", image.display());
    let elsewhere = counts.values().sum::<u64>().saturating_sub(found);
    sums.insert(ELSEWHERE.to_owned(), elsewhere);
    Ok(sorted(sums))
}

/// Returns the names and addresses of the functions with `part` in their name.
///
/// # Errors
/// The image cannot be read.
pub fn ranges_of(image: &Path, part: &str) -> Result<Vec<(String, Range<u64>)>> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(&*bytes)?;
    let functions = file.symbols().filter(|it| it.kind() == SymbolKind::Text && it.size() > 0);
    let named = functions.map(|symbol| {
        // The lowest bit marks a Thumb function.
        let start = symbol.address() & !1;
        // The name without the hash at the end.
        let name = format!("{:#}", demangle(symbol.name().unwrap_or_default()));
        (name, start..start + symbol.size())
    });
    Ok(named.filter(|(name, _)| name.contains(part)).collect())
}

/// Counts the instructions of each source file, in descending order. Inlined code counts for its
/// own file; code of Rust's library counts for the file that it was inlined into.
///
/// # Errors
/// The image cannot be read, or has no line table.
pub fn by_file(image: &Path, counts: &Counts) -> Result<Vec<Counted>> {
    let files = Files::read(image)?;
    let mut sums: HashMap<String, u64> = HashMap::new();
    for (&address, count) in counts {
        let name = files.of(address).unwrap_or_else(|| ELSEWHERE.to_owned());
        *sums.entry(name).or_default() += count;
    }
    Ok(sorted(sums))
}

/// The line table of an image.
pub struct Files(addr2line::Loader);

impl Files {
    /// Reads the table.
    ///
    /// # Errors
    /// The image cannot be read, or has no line table.
    pub fn read(image: &Path) -> Result<Files> {
        let loader = addr2line::Loader::new(image);
        loader
            .map(Files)
            .map_err(|error| anyhow!("cannot read the lines of {}: {error}", image.display()))
    }

    /// Returns the file, `crate/src/…`, of the innermost function at an address that is not in
    /// Rust's library, or of the outermost function. Returns `None` if the address is not in the
    /// table.
    pub fn of(&self, address: u64) -> Option<String> {
        self.place(address).map(|(file, _)| file)
    }

    /// Returns file and line, `FILE:LINE`, chosen like in [`of`](Self::of).
    pub fn line_of(&self, address: u64) -> Option<String> {
        self.place(address).map(|(file, line)| format!("{file}:{line}"))
    }

    fn place(&self, address: u64) -> Option<(String, u32)> {
        let mut frames = self.0.find_frames(address).ok()?;
        let mut place = None;
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && let Some(path) = location.file
            {
                place = Some((short(path), location.line.unwrap_or(0)));
                if !path.contains("/library/") {
                    break;
                }
            }
        }
        place
    }
}

/// Shortens the path of a file to the crate's folder and the rest.
fn short(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let source = parts.iter().rposition(|part| *part == "src").unwrap_or(0);
    parts.get(source.saturating_sub(1)..).unwrap_or(&parts).join("/")
}

fn sorted(sums: HashMap<String, u64>) -> Vec<Counted> {
    let mut rows: Vec<Counted> = sums
        .into_iter()
        .filter(|(_, instructions)| *instructions > 0)
        .map(|(name, instructions)| Counted { instructions, name })
        .collect();
    rows.sort_by(|a, b| b.instructions.cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_their_crate() {
        assert_eq!(short("/a/raster/src/tile/mod.rs"), "raster/src/tile/mod.rs");
        assert_eq!(short("src/main.rs"), "src/main.rs");
        assert_eq!(short("/lib/impls.c"), "/lib/impls.c");
    }
}
