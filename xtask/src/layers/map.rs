//! The map of a crate's rooms in its README: the order of [`rooms`](super::rooms), and the first
//! sentence of each room's documentation.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::rooms;
use crate::shell;
use crate::table::Table;

const BEGIN: &str = "<!-- rooms: cargo xtask layers --write -->\n";
const END: &str = "<!-- /rooms -->\n";

const HEAD: &str = "\n| rank | module | contents |\n|---|---|---|\n";

/// Writes the map of every crate that has ranks into its README.
///
/// # Errors
/// A README has no place for the map, a room has no documentation, or a file cannot be written.
pub fn write() -> Result<()> {
    for (folder, ranks) in rooms::ranked() {
        place(&page(folder)).write(&format!("{}\n", map(folder, ranks)?))?;
    }
    Ok(())
}

/// Returns one line for each README with a map that differs from the rooms.
///
/// # Errors
/// A README has no place for the map, or a room has no documentation.
pub fn check() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (folder, ranks) in rooms::ranked() {
        let page = page(folder);
        let (_, [_, written, _]) = place(&page).read()?;
        if written.trim() != map(folder, ranks)?.trim() {
            wrong.push(format!(
                "{page}: the map differs from the rooms; run `cargo xtask layers --write`"
            ));
        }
    }
    Ok(wrong)
}

fn page(folder: &str) -> String {
    format!("{folder}/README.md")
}

fn place(page: &str) -> Table<'_> {
    Table { page, begin: BEGIN, end: END }
}

/// Returns the table: a row for each room, from the top.
fn map(folder: &str, ranks: &[&[&str]]) -> Result<String> {
    let mut table = HEAD.to_owned();
    for (rank, names) in (1..).zip(ranks) {
        for room in *names {
            let contents = contents(&shell::root().join(folder).join("src"), room)?;
            writeln!(table, "| {rank} | `{room}` | {contents} |")?;
        }
    }
    Ok(table)
}

/// Returns the first sentence of a room's documentation.
fn contents(source: &Path, room: &str) -> Result<String> {
    let files = [source.join(format!("{room}.rs")), source.join(room).join("mod.rs")];
    let text = files
        .iter()
        .find_map(|file| fs::read_to_string(file).ok())
        .with_context(|| format!("no file of the room {room} in {}", source.display()))?;
    let sentence = first_sentence(&text);
    ensure!(!sentence.is_empty(), "{}: no documentation (//!)", files[0].display());
    Ok(sentence)
}

/// Returns the first sentence of the documentation in a file, on one line and without links.
fn first_sentence(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<&str> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ").replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    match paragraph.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_described_by_its_first_sentence() {
        for (text, sentence) in [
            ("//! Tiles.\n\nuse a;", "Tiles."),
            (
                "//! Tiles: 1.5 of\n//! them, [`A`]. More.\n//!\n//! Else.\n",
                "Tiles: 1.5 of them, `A`.",
            ),
            ("//! `a | b`\n", "`a \\| b`"),
            ("use a;\n", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
