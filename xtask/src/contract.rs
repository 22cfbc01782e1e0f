//! Compares the table of Gallium's functions with the listing of `gallium-pipe-core`.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// The traits with rows in the table.
const TRAITS: [&str; 17] = [
    "Screen",
    "CsoState",
    "ResourceBinding",
    "Parameters",
    "SamplerViews",
    "ShaderResources",
    "Surfaces",
    "StreamOutputs",
    "Clearing",
    "Drawing",
    "Queries",
    "RenderCondition",
    "Flushing",
    "Fences",
    "Blitting",
    "Transfers",
    "Compute",
];

/// A row: Gallium's name, our function if there is one, and the note.
#[derive(PartialEq, Eq, Debug)]
struct Row<'t> {
    gallium: &'t str,
    here: Option<&'t str>,
    note: &'t str,
}

/// Returns the rows of the table.
fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.lines().filter_map(|line| {
        let inner = line.strip_prefix("| ")?.strip_suffix('|')?;
        let mut cells = inner.split(" | ").map(str::trim);
        let (gallium, here, note) = (cells.next()?, cells.next()?, cells.next().unwrap_or(""));
        let here = here.strip_prefix('`').and_then(|here| here.strip_suffix('`'));
        (gallium != "Gallium").then_some(Row { gallium, here, note })
    })
}

/// Returns true if the listing has a public function with this path.
fn is_listed(listing: &str, path: &str) -> bool {
    let named = format!("::{path}");
    listing.lines().filter_map(|line| line.strip_prefix("pub fn ")).any(|line| {
        let line = without_lifetimes(line);
        line.split_once(&named).is_some_and(|(_, rest)| rest.starts_with(['(', '<']))
    })
}

/// Returns a line without its lists of lifetimes: `Pool<'p>::get<'m>(` becomes `Pool::get(`.
fn without_lifetimes(line: &str) -> String {
    let mut pieces = line.split("<'");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('>').map_or(piece, |(_, rest)| rest));
    }
    plain
}

/// Compares the table with the listing; returns the number of rows.
///
/// # Errors
/// A function does not exist; a function is missing without a reason; a trait has no row.
pub fn check() -> Result<usize> {
    let read = |path: &str| {
        let path = shell::root().join("docs").join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let (table, listing) = (read("contract.md")?, read("api/gallium-pipe-core.txt")?);
    let rows: Vec<Row<'_>> = rows(&table).collect();
    for Row { gallium, here, note } in &rows {
        match here {
            Some(here) => ensure!(is_listed(&listing, here), "{here}, for {gallium}, is not there"),
            None => ensure!(!note.is_empty(), "{gallium} is not here, and nothing says why"),
        }
    }
    ensure!(rows.len() > TRAITS.len(), "docs/contract.md has no table");
    for name in TRAITS {
        let prefix = format!("{name}::");
        let has = rows.iter().any(|row| row.here.is_some_and(|here| here.starts_with(&prefix)));
        ensure!(has, "docs/contract.md has no function of {name}");
    }
    Ok(rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let text = "# Title\n\n| Gallium | here | note |\n|---|---|---|\n| `a` | `T::a` |  |\n\
                    | `b`, `c` | — | nobody asks |\n";
        let read: Vec<Row<'_>> = rows(text).collect();
        let wanted = [
            Row { gallium: "`a`", here: Some("T::a"), note: "" },
            Row { gallium: "`b`, `c`", here: None, note: "nobody asks" },
        ];
        assert_eq!(read, wanted);
        assert!(is_listed("pub fn krate::T::a(&self)", "T::a"));
        assert!(is_listed("pub fn krate::T::a<'s>(&'s self)", "T::a"));
        assert!(is_listed("pub fn krate::T<'t>::a<'s>(&'s self)", "T::a"));
        assert!(!is_listed("pub fn krate::T::ab(&self)", "T::a"));
    }

    #[test]
    fn the_table_names_functions_that_are_there() {
        assert!(check().unwrap() > 100);
    }
}
